"""Normal form: what the compiler implements and what the certificate reads back from weights.

Every formula of `checker.logic.formula` is equivalent, at every position of every non-empty word, to a node of this
module, which knows only symbols, numerical predicates, negation, n-ary conjunction, Y, X, S, U, sums of counts that
are >= 0, and remainders of counts. Nodes are interned: equal ones are one object.

Built in, each an equivalence at every position: double negation, constants, idempotence, order of conjuncts, phi and
not phi being false; phi S psi being (phi & !psi) S psi, so that what the operand on the left adds to is unique, and
likewise U; constants under temporal operators; counts of nothing, and common factors of the coefficients of counts.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Iterator
from enum import Enum
from typing import Any
from weakref import WeakValueDictionary

from checker.logic.formula import Side
from checker.position import Comparison


class Op(Enum):
    """The operations of the normal form."""

    SYMBOL = "symbol"  # data: its name
    POSITION = "position"  # data: a Comparison
    TRUE = "true"
    NOT = "not"
    ALL = "and"  # two or more parts, sorted by `number`
    YESTERDAY = "Y"
    NEXT = "X"
    SINCE = "S"
    UNTIL = "U"
    AT_LEAST = "at least"  # data: ((coefficient, side), ...), constant; sum + constant >= 0
    REMAINDER = "remainder"  # data: side, modulus, residue


class Normal:
    """A node of the normal form: an operation, its parts, its data; equality is identity."""

    __slots__ = ("__weakref__", "data", "number", "op", "parts")
    op: Op
    parts: tuple[Normal, ...]
    data: Any
    number: int  # an order that depends on the structure alone: by height, operation, text of data, and a digest

    def __new__(cls) -> Normal:
        raise TypeError("normal forms are built by the functions of checker.logic.normal")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("normal forms are immutable")


_known: WeakValueDictionary[Any, Normal] = WeakValueDictionary()
_lock = threading.Lock()
_OPS = list(Op)


def _node(op: Op, parts: tuple[Normal, ...] = (), data: object = None) -> Normal:
    key = (op, tuple(id(part) for part in parts), data)
    with _lock:
        node = _known.get(key)
        if node is None:
            node = object.__new__(Normal)
            for name, value in (("op", op), ("parts", parts), ("data", data), ("number", _number(op, parts, data))):
                object.__setattr__(node, name, value)
            _known[key] = node
        return node


def _number(op: Op, parts: tuple[Normal, ...], data: object) -> int:
    """Conjuncts are sorted by it, so that equal formulas become equal models in every process.

    Nothing depends on different nodes having different numbers; they do, but for collisions of 128-bit digests.
    """
    text = (str(data) if op in (Op.SYMBOL, Op.POSITION) else repr(data)).encode()
    height = 1 + max((part.number >> 264 for part in parts), default=0)
    digests = b"".join((part.number & (1 << 128) - 1).to_bytes(16, "big") for part in parts)
    digest = hashlib.blake2b(b"%b %b %b" % (op.value.encode(), digests, text), digest_size=16).digest()
    prefix = text[:16].ljust(16, b"\0")
    return height << 264 | _OPS.index(op) << 256 | int.from_bytes(prefix + digest, "big")


def symbol(name: str) -> Normal:
    """The position carries the symbol `name`."""
    return _node(Op.SYMBOL, data=name)


def position(comparison: Comparison) -> Normal:
    """A comparison of expressions in i and n."""
    return _node(Op.POSITION, data=comparison)


TRUE = _node(Op.TRUE)


def negation(part: Normal) -> Normal:
    """Not `part`; a double negation is removed."""
    return part.parts[0] if part.op is Op.NOT else _node(Op.NOT, (part,))


FALSE = negation(TRUE)


def conjunction(parts: Iterator[Normal] | list[Normal] | tuple[Normal, ...]) -> Normal:
    """All of `parts`: conjunctions among them are merged, TRUE and repetitions dropped; FALSE if two contradict."""
    found: set[Normal] = set()
    for part in parts:
        found.update(part.parts if part.op is Op.ALL else (part,))
    found.discard(TRUE)
    if FALSE in found or any(part.op is Op.NOT and part.parts[0] in found for part in found):
        return FALSE
    if len(found) <= 1:
        return next(iter(found), TRUE)
    return _node(Op.ALL, tuple(sorted(found, key=lambda part: part.number)))


def disjunction(parts: Iterator[Normal] | list[Normal] | tuple[Normal, ...]) -> Normal:
    """Some of `parts`, by De Morgan."""
    return negation(conjunction([negation(part) for part in parts]))


def yesterday(part: Normal) -> Normal:
    """Y: true at i > 1 if `part` is at i - 1."""
    return FALSE if part is FALSE else _node(Op.YESTERDAY, (part,))


def tomorrow(part: Normal) -> Normal:
    """X: true at i < n if `part` is at i + 1."""
    return FALSE if part is FALSE else _node(Op.NEXT, (part,))


def since(left: Normal, right: Normal) -> Normal:
    """S: `right` at some j <= i, and `left` at all of j + 1 .. i; the left part becomes left & !right.

    The last j <= i at which `right` holds is a witness if there is one, and `right` fails after it.
    """
    return _reaching(Op.SINCE, left, right)


def until(left: Normal, right: Normal) -> Normal:
    """U: `right` at some j >= i, and `left` at all of i .. j - 1; the left part becomes left & !right."""
    return _reaching(Op.UNTIL, left, right)


def _reaching(op: Op, left: Normal, right: Normal) -> Normal:
    between = conjunction([left, negation(right)])
    if right in (TRUE, FALSE) or between is FALSE:  # FALSE: only j = i can be a witness
        return right
    return _node(op, (between, right))


def at_least(terms: list[tuple[int, Side, Normal]], constant: int) -> Normal:
    """The sum of coefficient * count, plus `constant`, is >= 0.

    Equal terms are added, zero ones dropped; a common factor g is divided out: g x + c >= 0 iff x + floor(c/g) >= 0.
    """
    total: dict[tuple[Side, Normal], int] = {}
    for coefficient, side, part in terms:
        total[side, part] = total.get((side, part), 0) + coefficient
    kept = [(side, part, c) for (side, part), c in total.items() if c != 0 and part is not FALSE]
    if not kept:
        return TRUE if constant >= 0 else FALSE
    kept.sort(key=lambda term: (term[1].number, term[0].value))
    factor = math.gcd(*(c for _, _, c in kept))
    data = (tuple((c // factor, side) for side, _, c in kept), constant // factor)
    return _node(Op.AT_LEAST, tuple(part for _, part, _ in kept), data)


def remainder(side: Side, part: Normal, modulus: int, residue: int) -> Normal:
    """The count of `part` on that side is `residue` modulo `modulus`."""
    if modulus == 1 or part is FALSE:
        return TRUE if residue == 0 else FALSE
    return _node(Op.REMAINDER, (part,), (side, modulus, residue))


def postorder(node: Normal) -> Iterator[Normal]:
    """Every different part of a node once, parts before the whole; without recursion."""
    done: set[Normal] = set()
    stack: list[tuple[Normal, bool]] = [(node, False)]
    while stack:
        here, ready = stack.pop()
        if here in done:
            continue
        if ready or not here.parts:
            done.add(here)
            yield here
        else:
            stack.append((here, True))
            stack.extend((part, False) for part in reversed(here.parts))
