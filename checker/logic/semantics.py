"""Exact meaning of formulas: the truth value at every position of every word of a batch, in O(length * size).

Knows neither the normal form nor the compiler, so that the three can be compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from checker.errors import InputError
from checker.logic import operators
from checker.logic.acceptance import Acceptance
from checker.logic.alphabet import show_alphabet
from checker.logic.formula import Formula, Kind, postorder
from checker.logic.operators import Table

Words = npt.NDArray[np.uint8]

MAX_BYTES = 2**31
"""Most bytes of one block of enumerated words."""

_UNARY: dict[Kind, Callable[[Table], Any]] = {
    Kind.NOT: np.logical_not,
    Kind.YESTERDAY: lambda part: operators.shift(part, 1),
    Kind.ONCE: operators.once,
    Kind.HISTORICALLY: operators.historically,
    Kind.NEXT: lambda part: operators.shift(part, -1),
    Kind.EVENTUALLY: operators.eventually,
    Kind.ALWAYS: operators.always,
}
_BINARY: dict[Kind, Callable[[Table, Table], Any]] = {
    Kind.AND: np.logical_and,
    Kind.OR: np.logical_or,
    Kind.IMPLIES: lambda left, right: ~left | right,
    Kind.IFF: np.equal,
    Kind.SINCE: operators.since,
    Kind.TRIGGER: operators.trigger,
    Kind.UNTIL: operators.until,
    Kind.RELEASE: operators.release,
    Kind.WEAK_UNTIL: operators.weak_until,
}
_COMPARE = {
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    "!=": np.not_equal,
    ">=": np.greater_equal,
    ">": np.greater,
}


def evaluate(formula: Formula, words: npt.ArrayLike, alphabet: Sequence[str]) -> Table:
    """The truth value of the formula at every position of every word.

    words: integer array (B, n) of indices into the alphabet. Returns a Boolean array (B, n). Raises InputError for
    other arrays, indices outside the alphabet, symbols of the formula that are not in the alphabet, and numerical
    predicates that are undefined (a division by zero) at some position.
    """
    table = operators.columns(words, len(alphabet))
    order = list(postorder(formula))
    uses = Counter(part for node in order for part in node.parts)
    values: dict[Formula, Table] = {}
    for node in order:
        values[node] = _value(node, [values[part] for part in node.parts], table, alphabet)
        for part in node.parts:
            uses[part] -= 1
            if not uses[part]:  # not needed any more; with 10^4 subformulas, memory matters
                del values[part]
    return np.array(values[formula].T, order="C")


def _value(node: Formula, parts: list[Table], words: operators.Columns, alphabet: Sequence[str]) -> Table:
    kind, data = node.kind, node.data
    if kind in _UNARY:
        return np.asarray(_UNARY[kind](*parts))
    if kind in _BINARY:
        return np.asarray(_BINARY[kind](*parts))
    if kind is Kind.SYMBOL:
        return operators.symbol(words, data, alphabet)
    if kind in (Kind.TRUE, Kind.FALSE):
        return np.full(words.shape, kind is Kind.TRUE)
    if kind is Kind.POSITION:
        return operators.position(data, words.shape)
    if kind is Kind.REMAINDER:
        return operators.remainder(data.side, parts[0], data.modulus, data.residue)
    if kind is Kind.COUNT:
        difference = operators.linear(data.coefficients, data.sides, parts, -data.constant)
        return np.asarray(_COMPARE[data.relation](difference, 0), dtype=bool)
    raise AssertionError(kind)


def accepted(formula: Formula, words: npt.ArrayLike, alphabet: Sequence[str], acceptance: Acceptance) -> Table:
    """Whether each of the words (B, n), n >= 1, is accepted: the formula's value at position 1 or n; an array (B,)."""
    values = evaluate(formula, words, alphabet)
    if values.shape[1] == 0:
        raise InputError("membership of the empty word is declared, not computed; words have length n >= 1")
    return np.array(values[:, 0 if acceptance is Acceptance.FIRST else -1])


def holds(formula: Formula, word: Sequence[str], alphabet: Sequence[str]) -> list[bool]:
    """The truth values of the formula at positions 1..n of one word, a sequence of symbols; else as `evaluate`."""
    for place, name in enumerate(word, start=1):
        if name not in alphabet:
            raise InputError(f"symbol {place} of the word, {name!r}, is not in the alphabet {show_alphabet(alphabet)}")
    indices = np.array([[alphabet.index(name) for name in word]], dtype=np.uint8)
    return [bool(value) for value in evaluate(formula, indices, alphabet)[0]]


def words_block(k: int, n: int, start: int, stop: int) -> Words:
    """Words number start..stop - 1, in lexicographic order, of the k^n words of length n over k symbols.

    Returns a uint8 array (stop - start, n). Raises InputError unless 1 <= k <= 256, n >= 0, 0 <= start <= stop <= k^n
    and the block has at most 2^31 bytes.
    """
    if not 1 <= k <= 256 or n < 0:
        raise InputError(f"words need 1 to 256 symbols and a length >= 0, got {k} symbols and length {n}")
    if not 0 <= start <= stop <= k**n:
        raise InputError(f"there are {k}^{n} words of length {n} over {k} symbols; no block {start}..{stop}")
    if (stop - start) * n > MAX_BYTES:
        raise InputError(f"{stop - start} words of length {n} exceed {MAX_BYTES} bytes; take smaller blocks")
    block = np.empty((stop - start, n), dtype=np.uint8)
    for place in range(n):
        # Letter `place` of word w is (w // period) % k: runs of `period` equal letters.
        period = k ** (n - 1 - place)
        first = start // period
        letters = np.arange(first, (stop - 1) // period + 1 if stop > start else first, dtype=object) % k
        ends = np.minimum(np.arange(first + 1, first + 1 + len(letters), dtype=object) * period, stop)
        starts = np.maximum(np.arange(first, first + len(letters), dtype=object) * period, start)
        block[:, place] = np.repeat(letters.astype(np.uint8), (ends - starts).astype(np.int64))
    return block


def all_words(k: int, n: int) -> Words:
    """All k^n words of length n over k symbols in lexicographic order, (k^n, n); InputError as `words_block`."""
    return words_block(k, n, 0, k**n)
