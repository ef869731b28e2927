"""An array of attention scores, validated at construction and exact: each number is the one in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.errors import InputError

BLOCK_ENTRIES = 1 << 18  # entries looked at together: 2 MiB of float64
_EXACT_INT = 1 << 53  # every integer up to this size is a float64


@dataclass(frozen=True, eq=False)
class Scores:
    """Attention scores of shape (..., keys), finite or -inf, no row entirely -inf; validated at construction.

    ``data`` holds real numbers (any float or integer dtype).  ``written`` is given when some number is not a
    float64, and then holds every entry as a Fraction, None for -inf; ``data`` is its nearest float64.
    Raises InputError naming the array and the index of the first bad entry or row.
    """

    name: str
    data: NDArray[Any]
    written: NDArray[np.object_] | None = None

    def __post_init__(self) -> None:
        _check_array(self.name, self.data)
        for start, stop in self.blocks():
            _check_block(self, start, self.raw(start, stop))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    @property
    def keys(self) -> int:
        """Length of a row."""
        return self.shape[-1]

    @property
    def rows(self) -> int:
        """Number of rows, the product of all dimensions but the last."""
        return self.data.size // self.keys

    def index(self, row: int) -> tuple[int, ...]:
        """Array index (counted from 0) of a row given by its number in C order; () for a single row."""
        lead = self.shape[:-1]
        return tuple(int(i) for i in np.unravel_index(row, lead)) if lead else ()

    def blocks(self) -> Iterator[tuple[int, int]]:
        """Ranges of rows [start, stop) that together cover the array, each of bounded size."""
        step = max(1, BLOCK_ENTRIES // self.keys)
        for start in range(0, self.rows, step):
            yield start, min(start + step, self.rows)

    def raw(self, start: int, stop: int) -> NDArray[Any]:
        """Rows start..stop-1 in the dtype of the file, shape (stop - start, keys)."""
        if self.data.ndim == 1 or self.data.flags.c_contiguous:
            return self.data.reshape(-1, self.keys)[start:stop]
        return np.asarray(self.data[np.unravel_index(np.arange(start, stop), self.shape[:-1])])

    def floats(self, start: int, stop: int) -> NDArray[np.float64]:
        """Rows start..stop-1 rounded to float64; exact on every row that `inexact` does not mark."""
        with np.errstate(over="ignore"):  # a wider float may overflow: that row is marked inexact
            return self.raw(start, stop).astype(np.float64)

    def inexact(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which of the rows start..stop-1 hold a number that is not a float64."""
        if self.written is not None:
            return np.ones(stop - start, dtype=np.bool_)
        raw = self.raw(start, stop)
        if raw.dtype.kind == "f":
            wide = raw.dtype.itemsize > 8
            changed = self.floats(start, stop) != raw if wide else np.zeros_like(raw, dtype=np.bool_)
        else:
            changed = (raw > _EXACT_INT) | (raw < -_EXACT_INT)
        return np.asarray(changed.any(axis=1))

    def exact_row(self, row: int) -> list[Fraction | None]:
        """The row's scores exactly as in the file, None for -inf."""
        if self.written is not None:
            return list(self.written.reshape(-1, self.keys)[row])
        cells = self.raw(row, row + 1)[0]
        if cells.dtype.kind != "f":
            return [Fraction(int(x)) for x in cells]
        return [None if np.isneginf(x) else Fraction(*x.as_integer_ratio()) for x in cells]


def from_exact(name: str, cells: Sequence[Fraction | None], shape: tuple[int, ...]) -> Scores:
    """Scores from exact numbers in C order (None for -inf); shape must have product len(cells)."""
    data = np.array([-np.inf if x is None else _nearest(x) for x in cells], dtype=np.float64).reshape(shape)
    exact = all(x is None or Fraction(float(y)) == x for x, y in zip(cells, data.flat, strict=True))
    if exact:
        return Scores(name, data)
    written = np.empty(len(cells), dtype=np.object_)
    written[:] = cells
    return Scores(name, data, written.reshape(shape))


def _check_array(name: str, data: NDArray[Any]) -> None:
    if data.dtype.kind not in "fiu":
        raise InputError(f"{name}: dtype {data.dtype}; scores must be real numbers (float or integer dtype)")
    if data.ndim == 0:
        raise InputError(f"{name}: a single number, not an array; the last axis must be the keys")
    if data.size == 0:
        raise InputError(f"{name}: empty array of shape {data.shape}; every dimension must be at least 1")


def _check_block(scores: Scores, start: int, block: NDArray[Any]) -> None:
    bad = np.isnan(block) | (block == np.inf)
    if bad.any():
        row, key = (int(i) for i in np.argwhere(bad)[0])
        what = "NaN" if np.isnan(block[row, key]) else "+inf"
        index = [*scores.index(start + row), key]
        raise InputError(f"{scores.name}: {what} at index {index}; a score is a finite number, or -inf if masked")
    hidden = np.isneginf(block).all(axis=1)
    if hidden.any():
        index = list(scores.index(start + int(hidden.argmax())))
        raise InputError(f"{scores.name}: every score of row {index} is -inf; a row needs at least one key")


def _nearest(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return float(np.finfo(np.float64).max) * (1 if x > 0 else -1)
