"""The meaning of each temporal operator, as an operation on truth tables: arrays (n, B), position by word.

Row i - 1 holds the truth values at position i = 1..n of B words. Each operator is computed by its recursion from one
position to the next, as in the definition of the logic, in O(n) operations on rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from checker.errors import InputError
from checker.exact import show
from checker.logic.alphabet import show_alphabet
from checker.logic.formula import Side
from checker.position import Comparison

Table = npt.NDArray[np.bool_]
Columns = npt.NDArray[np.integer[Any]]
Counts = npt.NDArray[Any]

LARGEST = 2**62
"""Sums of counts below this are computed in 64 bits, all others in Python's integers."""


def columns(words: npt.ArrayLike, size: int) -> Columns:
    """Words, an integer array (B, n) of indices below `size`, as (n, B); InputError for anything else."""
    array = np.asarray(words)
    if array.ndim != 2 or not (np.issubdtype(array.dtype, np.integer) or array.size == 0):
        raise InputError(f"words are an integer array (words, length), got shape {array.shape} of {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= size):
        raise InputError(f"words hold indices 0..{size - 1} of symbols, got {array.min()}..{array.max()}")
    return np.ascontiguousarray(array.T)


def symbol(words: Columns, name: str, alphabet: Sequence[str]) -> Table:
    """Where the words, (n, B), carry the symbol; InputError if it is not in the alphabet."""
    if name not in alphabet:
        raise InputError(f"the symbol {show(name)} of the formula is not in the alphabet {show_alphabet(alphabet)}")
    return np.asarray(words == alphabet.index(name))


def position(comparison: Comparison, shape: tuple[int, ...]) -> Table:
    """Where a comparison of expressions in i and n holds."""
    n = shape[0]
    column = np.array([comparison.at(i, n) for i in range(1, n + 1)], dtype=bool).reshape(n, 1)
    return np.broadcast_to(column, shape)


def shift(part: Table, by: int) -> Table:
    """Y (by = 1): the value one position earlier, false at 1. X (by = -1): one position later, false at n."""
    result = np.zeros(part.shape, dtype=bool)
    if by == 1:
        result[1:] = part[:-1]
    else:
        result[:-1] = part[1:]
    return result


def since(left: Table, right: Table) -> Table:
    """S: holds at i iff `right` does, or `left` does and S held at i - 1; false before the first position."""
    return _scan(left, right, lambda held, phi, psi: psi | (phi & held), False)


def trigger(left: Table, right: Table) -> Table:
    """T: holds at i iff `right` does, and `left` does or T held at i - 1; true before the first position."""
    return _scan(left, right, lambda held, phi, psi: psi & (phi | held), True)


def until(left: Table, right: Table) -> Table:
    """U: holds at i iff `right` does, or `left` does and U holds at i + 1; false after the last position."""
    return since(left[::-1], right[::-1])[::-1]


def release(left: Table, right: Table) -> Table:
    """R: holds at i iff `right` does, and `left` does or R holds at i + 1; true after the last position."""
    return trigger(left[::-1], right[::-1])[::-1]


def weak_until(left: Table, right: Table) -> Table:
    """W: holds at i iff `right` does, or `left` does and W holds at i + 1; true after the last position."""
    return _scan(left[::-1], right[::-1], lambda held, phi, psi: psi | (phi & held), True)[::-1]


def once(part: Table) -> Table:
    """P: at some position j <= i."""
    return np.logical_or.accumulate(part, axis=0)


def historically(part: Table) -> Table:
    """H: at every position j <= i."""
    return np.logical_and.accumulate(part, axis=0)


def eventually(part: Table) -> Table:
    """F: at some position j >= i."""
    return once(part[::-1])[::-1]


def always(part: Table) -> Table:
    """G: at every position j >= i."""
    return historically(part[::-1])[::-1]


def counts(side: Side, part: Table) -> Counts:
    """The number of positions j <= i (LEFT), j >= i (RIGHT), or of all j, where `part` holds."""
    if side is Side.LEFT:
        return np.cumsum(part, axis=0, dtype=np.int64)
    if side is Side.RIGHT:
        return np.cumsum(part[::-1], axis=0, dtype=np.int64)[::-1]
    return np.broadcast_to(np.sum(part, axis=0, dtype=np.int64), part.shape)


def linear(coefficients: Sequence[int], sides: Sequence[Side], parts: Sequence[Table], constant: int) -> Counts:
    """The sum of coefficient * count, plus the constant, exactly."""
    bound = abs(constant) + sum(abs(coefficient) for coefficient in coefficients) * len(parts[0])
    kind: Any = np.int64 if bound < LARGEST else object
    total = np.full(parts[0].shape, constant, dtype=kind)
    for coefficient, side, part in zip(coefficients, sides, parts, strict=True):
        total = total + coefficient * counts(side, part).astype(kind)
    return total


def remainder(side: Side, part: Table, modulus: int, residue: int) -> Table:
    """Where the count is `residue` modulo `modulus`, 0 <= residue < modulus of any size."""
    n = len(part)
    if residue > n:  # counts are at most n
        return np.zeros(part.shape, dtype=bool)
    count = counts(side, part)
    return np.asarray(count == residue if modulus > n else count % modulus == residue)


def _scan(left: Table, right: Table, step: Callable[[Table, Table, Table], Table], start: bool) -> Table:
    result = np.empty(left.shape, dtype=bool)
    held = np.full(left.shape[1:], start)
    for place, (phi, psi) in enumerate(zip(left, right, strict=True)):
        held = result[place] = step(held, phi, psi)
    return result
