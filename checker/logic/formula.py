"""Formulas of temporal logic with counting: immutable nodes, equal formulas being the same object.

A node is a kind, the subformulas it is applied to, and data of the kind. Nodes are interned: two formulas of equal
structure are one object, so that comparison and hashing take constant time at any depth and common subformulas are
shared. Nothing in this package recurses over a formula; `postorder` is the way to walk one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any
from weakref import WeakValueDictionary

from checker.errors import InputError
from checker.exact import show
from checker.position import Comparison


class Kind(Enum):
    """What a node is. The value is how it is written, where one token says it all."""

    SYMBOL = "symbol"
    TRUE = "true"
    FALSE = "false"
    POSITION = "position"  # a comparison of expressions in i and n, such as i % 2 == 1 or i == n
    NOT = "!"
    AND = "&"
    OR = "|"
    IMPLIES = "->"
    IFF = "<->"
    YESTERDAY = "Y"
    SINCE = "S"
    ONCE = "P"
    HISTORICALLY = "H"
    TRIGGER = "T"  # dual of S: phi T psi is !(!phi S !psi)
    NEXT = "X"
    UNTIL = "U"
    EVENTUALLY = "F"
    ALWAYS = "G"
    RELEASE = "R"  # dual of U: phi R psi is !(!phi U !psi)
    WEAK_UNTIL = "W"  # phi W psi is (phi U psi) | G phi
    COUNT = "count"  # a linear comparison of counts with an integer
    REMAINDER = "remainder"  # a count modulo a number


class Side(Enum):
    """Which positions j a count at position i ranges over."""

    LEFT = "#<-"  # j <= i
    RIGHT = "#->"  # j >= i
    ALL = "#"


RELATIONS = ("<", "<=", "==", "!=", ">=", ">")

MAX_BITS = 1000
"""Bits of the integers in comparisons of counts, as in expressions in i and n."""


@dataclass(frozen=True)
class Linear:
    """Data of a COUNT node: sum of coefficients[k] * sides[k][parts[k]] `relation` constant, all integers."""

    coefficients: tuple[int, ...]
    sides: tuple[Side, ...]
    relation: str
    constant: int


@dataclass(frozen=True)
class Remainder:
    """Data of a REMAINDER node: side[part] % modulus == residue, with 0 <= residue < modulus."""

    side: Side
    modulus: int
    residue: int


class Formula:
    """A node. Build nodes with the functions below; equality is identity."""

    __slots__ = ("__weakref__", "data", "kind", "parts")
    kind: Kind
    parts: tuple[Formula, ...]
    data: Any

    def __new__(cls) -> Formula:
        raise TypeError("formulas are built by the functions of checker.logic.formula, or parsed from text")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("formulas are immutable")

    def __repr__(self) -> str:
        from checker.logic.text import short_text

        return f"<formula {short_text(self)}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        order = list(postorder(self))
        place = {node: number for number, node in enumerate(order)}
        return _rebuild, ([(node.kind, tuple(place[part] for part in node.parts), node.data) for node in order],)

    @property
    def size(self) -> int:
        """The number of different subformulas, this one included."""
        return sum(1 for _ in postorder(self))


_known: WeakValueDictionary[Any, Formula] = WeakValueDictionary()
_lock = threading.Lock()


def _node(kind: Kind, parts: tuple[Formula, ...] = (), data: object = None) -> Formula:
    for part in parts:
        if not isinstance(part, Formula):
            raise InputError(f"expected a formula, got {type(part).__name__} {show(part)}")
    key = (kind, tuple(id(part) for part in parts), data)  # a living node keeps its parts, hence their ids
    with _lock:
        node = _known.get(key)
        if node is None:
            node = object.__new__(Formula)
            object.__setattr__(node, "kind", kind)
            object.__setattr__(node, "parts", parts)
            object.__setattr__(node, "data", data)
            _known[key] = node
        return node


def _rebuild(order: list[tuple[Kind, tuple[int, ...], Any]]) -> Formula:
    nodes: list[Formula] = []
    for kind, parts, data in order:
        nodes.append(_node(kind, tuple(nodes[part] for part in parts), data))
    return nodes[-1]


def postorder(formula: Formula) -> Iterator[Formula]:
    """Every different subformula once, parts before the whole; without recursion."""
    done: set[Formula] = set()
    stack: list[tuple[Formula, bool]] = [(formula, False)]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        if ready or not node.parts:
            done.add(node)
            yield node
        else:
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(node.parts))


UNARY = (Kind.NOT, Kind.YESTERDAY, Kind.ONCE, Kind.HISTORICALLY, Kind.NEXT, Kind.EVENTUALLY, Kind.ALWAYS)
BINARY = (
    Kind.AND, Kind.OR, Kind.IMPLIES, Kind.IFF, Kind.SINCE, Kind.TRIGGER, Kind.UNTIL, Kind.RELEASE, Kind.WEAK_UNTIL,
)  # fmt: skip
PAST = (Kind.YESTERDAY, Kind.SINCE, Kind.ONCE, Kind.HISTORICALLY, Kind.TRIGGER)
FUTURE = (Kind.NEXT, Kind.UNTIL, Kind.EVENTUALLY, Kind.ALWAYS, Kind.RELEASE, Kind.WEAK_UNTIL)


def symbol(name: str) -> Formula:
    """The position carries the symbol `name`, a non-empty string without line breaks."""
    if not isinstance(name, str) or not name or not name.isprintable():
        raise InputError(f"a symbol is a non-empty printable string, got {show(name)}")
    return _node(Kind.SYMBOL, data=name)


def true() -> Formula:
    """The formula that holds at every position."""
    return _node(Kind.TRUE)


def false() -> Formula:
    """The formula that holds nowhere."""
    return _node(Kind.FALSE)


def position(comparison: Comparison) -> Formula:
    """A unary numerical predicate: a comparison of expressions in the position i (1..n) and the length n."""
    if not isinstance(comparison, Comparison):
        raise InputError(f"expected a comparison of expressions in i and n, got {show(comparison)}")
    return _node(Kind.POSITION, data=comparison)


def unary(kind: Kind, part: Formula) -> Formula:
    """`kind` (one of UNARY) applied to one formula."""
    if kind not in UNARY:
        raise InputError(f"{kind} is not a unary connective")
    return _node(kind, (part,))


def binary(kind: Kind, left: Formula, right: Formula) -> Formula:
    """`kind` (one of BINARY) applied to two formulas."""
    if kind not in BINARY:
        raise InputError(f"{kind} is not a binary connective")
    return _node(kind, (left, right))


def count(terms: tuple[tuple[int, Side, Formula], ...], relation: str, constant: int) -> Formula:
    """The sum of coefficient * (number of positions on that side where the formula holds) `relation` constant.

    At least one term; terms keep their order. Raises InputError for other relations, or numbers that are not int or
    have more than MAX_BITS bits.
    """
    if relation not in RELATIONS:
        raise InputError(f"a relation is one of {', '.join(RELATIONS)}, got {show(relation)}")
    if not terms:
        raise InputError("a counting formula needs at least one counting term")
    for number in (*(term[0] for term in terms), constant):
        if type(number) is not int:
            raise InputError(f"coefficients of counts are integers, got {show(number)}")
        if number.bit_length() > MAX_BITS:
            raise InputError(f"integers beside counts have at most {MAX_BITS} bits, got {show(number)}")
    coefficients, sides, parts = zip(*terms, strict=True)
    return _node(Kind.COUNT, parts, Linear(coefficients, sides, relation, constant))


def remainder(side: Side, part: Formula, modulus: int, residue: int) -> Formula:
    """The number of positions on that side where `part` holds is `residue` modulo `modulus` >= 1."""
    if type(modulus) is not int or type(residue) is not int or not 0 <= residue < modulus:
        raise InputError(f"a remainder needs 0 <= residue < modulus, got {show(residue)} modulo {show(modulus)}")
    if modulus.bit_length() > MAX_BITS:
        raise InputError(f"a modulus has at most {MAX_BITS} bits, got {show(modulus)}")
    return _node(Kind.REMAINDER, (part,), Remainder(side, modulus, residue))


def symbols(formula: Formula) -> set[str]:
    """The symbols that occur in the formula."""
    return {node.data for node in postorder(formula) if node.kind is Kind.SYMBOL}


def temporal_depth(formula: Formula) -> int:
    """The nesting depth of temporal operators and counts; Boolean connectives do not count."""
    depth: dict[Formula, int] = {}
    for node in postorder(formula):
        step = node.kind in PAST or node.kind in FUTURE or node.kind in (Kind.COUNT, Kind.REMAINDER)
        depth[node] = step + max((depth[part] for part in node.parts), default=0)
    return depth[formula]
