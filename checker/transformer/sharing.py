"""What an activation depends on, and the cells it is computed on when all words of a range run together.

An activation at a position of a word may depend on nothing but the length (CONSTANT), on the position, on the symbol
there (LOCAL), on the word up to there (PREFIX) or from there on (SUFFIX), on the word but not on the position (WORD),
or on both (FULL). Equal dependence, equal number: it is computed once per cell, not once per word and position. The
words of a range share their prefixes, so the PREFIX cells are the nodes of a trie.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from checker.attention import Mask
from checker.transformer.batchhead import seen_from

Index = NDArray[np.intp]
Booleans = NDArray[np.bool_]


class Kind(Enum):
    """What an activation depends on besides the length; the shape of its array for W words at P positions."""

    CONSTANT = "nothing"  # (1, 1)
    POSITION = "position"  # (1, P)
    LOCAL = "position and symbol"  # (cells, 1), as the next two
    PREFIX = "prefix"
    SUFFIX = "suffix"
    WORD = "word"  # (W, 1)
    FULL = "position and word"  # (W, P)


_BELOW = {
    Kind.CONSTANT: set[Kind](),
    Kind.POSITION: {Kind.CONSTANT},
    Kind.LOCAL: {Kind.CONSTANT, Kind.POSITION},
    Kind.PREFIX: {Kind.CONSTANT, Kind.POSITION, Kind.LOCAL},
    Kind.SUFFIX: {Kind.CONSTANT, Kind.POSITION, Kind.LOCAL},
    Kind.WORD: {Kind.CONSTANT},
    Kind.FULL: set(Kind) - {Kind.FULL},
}

CELLS = frozenset({Kind.LOCAL, Kind.PREFIX, Kind.SUFFIX})
FORWARD = (Mask.FUTURE, Mask.STRICT_FUTURE)
"""Masks under which a query sees only itself and what comes before."""

BACKWARD = (Mask.PAST, Mask.STRICT_PAST)


def join(*kinds: Kind) -> Kind:
    """The least kind that all of them are, or are below: what a function of such activations depends on."""
    return reduce(_join, kinds, Kind.CONSTANT)


def _join(one: Kind, two: Kind) -> Kind:
    if one is two or two in _BELOW[one]:
        return one
    return two if one in _BELOW[two] else Kind.FULL


def reach(mask: Mask, query: Kind, seen: Kind) -> Kind:
    """What a function of a query and of what it sees (in order, with positions) depends on."""
    if mask is Mask.NONE:
        return query if seen in (Kind.CONSTANT, Kind.POSITION) else join(query, Kind.WORD)
    if seen is Kind.LOCAL:
        seen = Kind.PREFIX if mask in FORWARD else Kind.SUFFIX
    elif seen is (Kind.SUFFIX if mask in FORWARD else Kind.PREFIX):
        seen = Kind.FULL
    return join(query, Kind.POSITION, seen)


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one kind.

    index: the cell of every word and column, shape (W, P); a column without cells of its own has those of another.
    word, column: the first word with this cell, and its column, shape (cells,). levels: the cells of one column after
    the other, from the first (SUFFIX: the last) column on; a cell sees all columns of earlier levels, and its own.
    """

    index: Index
    word: Index
    column: Index
    levels: tuple[slice, ...]

    @cached_property
    def parent(self) -> Index:
        """The cell of the same word on the level before, shape (cells,); that of the first level is arbitrary."""
        columns = [int(self.column[level.start]) for level in self.levels]
        before = dict(zip(columns[1:], columns, strict=False))
        table = np.array([before.get(column, column) for column in range(self.index.shape[1])])
        return self.index[self.word, table[self.column]]


@dataclass(frozen=True)
class Layout:
    """The cells of `count` consecutive words of length n over k symbols, of which the first has the number `offset`.

    Words that differ only in a prefix common to all of them have the same cells: see `Block`. whole_begin: the begin
    marker has SUFFIX cells, one for each word; whole_end: the end marker has PREFIX cells. Without, activations there
    are not computed, and must not be seen from elsewhere.
    """

    k: int
    positions: range
    n: int
    offset: int
    count: int
    whole_begin: bool
    whole_end: bool

    @property
    def size(self) -> int:
        """The number P of columns."""
        return len(self.positions)

    @property
    def first(self) -> int:
        """The column of the first symbol."""
        return 1 - self.positions.start

    @cached_property
    def prefix(self) -> Cells:
        """The distinct prefixes of the words, one column after the other: the nodes of their trie."""
        rows = np.arange(self.count)
        columns: dict[int, tuple[Index, Index]] = {}
        if self.first:
            columns[0] = np.zeros_like(rows), rows[:1]
        for place in range(self.n):
            # Word number offset + r begins with the prefix number (offset + r) // period of length place + 1.
            period = self.k ** (self.n - 1 - place)
            rest = self.offset % period
            if rest + self.count <= period:
                numbers = np.zeros_like(rows)
            elif period < 2**61:
                numbers = (rest + rows) // period
            else:  # rest < period < rest + count, and count <= 2^31
                numbers = (rows >= period - rest).astype(np.intp)
            columns[self.first + place] = numbers, np.flatnonzero(np.diff(numbers, prepend=-1))
        if self.whole_end and self.first + self.n < self.size:
            columns[self.size - 1] = rows, rows
        return self._cells(columns)

    @cached_property
    def suffix(self) -> Cells:
        """The distinct suffixes of the words, from the last column to the first."""
        rows = np.arange(self.count)
        columns: dict[int, tuple[Index, Index]] = {}
        if self.first + self.n < self.size:
            columns[self.size - 1] = np.zeros_like(rows), rows[:1]
        for place in reversed(range(self.n)):
            # Words offset + r and offset + s have the same suffix of length n - place iff r = s modulo the period.
            period = min(self.k ** (self.n - place), self.count)
            columns[self.first + place] = rows % period, rows[:period]
        if self.whole_begin and self.first:
            columns[0] = rows, rows
        return self._cells(columns)

    def _cells(self, columns: dict[int, tuple[Index, Index]]) -> Cells:
        """The cells of columns, in this order, given by a number for every word and the first word of every number."""
        index = np.zeros((self.count, self.size), dtype=np.intp)
        words, places, levels, total = [], [], [], 0
        for column, (numbers, first) in columns.items():
            index[:, column] = numbers + total
            words.append(first)
            places.append(np.full(len(first), column))
            levels.append(slice(total, total + len(first)))
            total += len(first)
        return Cells(index, np.concatenate(words), np.concatenate(places), tuple(levels))

    @cached_property
    def _maps(self) -> dict[Kind, Index]:
        return {}

    @cached_property
    def _visible(self) -> dict[tuple[Mask, Kind], Booleans]:
        return {}

    def cells(self, kind: Kind) -> Cells:
        """The cells of the kind PREFIX or SUFFIX."""
        if kind not in (Kind.PREFIX, Kind.SUFFIX):
            raise ValueError(f"cells of {kind} depend on the words")
        return self.prefix if kind is Kind.PREFIX else self.suffix

    def seen(self, kind: Kind) -> Index:
        """For every cell of the kind PREFIX or SUFFIX, all the cells of its word; shape (cells, P)."""
        if kind not in self._maps:
            cells = self.cells(kind)
            self._maps[kind] = cells.index[cells.word]
        return self._maps[kind]

    def visible(self, mask: Mask, kind: Kind) -> Booleans:
        """Which columns are visible from every cell of the kind PREFIX or SUFFIX; shape (cells, 1, P)."""
        if (mask, kind) not in self._visible:
            self._visible[mask, kind] = seen_from(mask, self.positions)[self.cells(kind).column][:, None]
        return self._visible[mask, kind]


@lru_cache(maxsize=4)
def layout(k: int, positions: range, n: int, offset: int, count: int, whole_begin: bool, whole_end: bool) -> Layout:
    """The layout, kept for the next block of the same form."""
    return Layout(k, positions, n, offset, count, whole_begin, whole_end)


class Block:
    """The words number start..stop - 1 of length n over k symbols, and their cells; columns are positions with markers.

    whole_begin, whole_end: see `Layout`.
    """

    def __init__(
        self, k: int, positions: range, n: int, start: int, stop: int, *, whole_begin: bool, whole_end: bool
    ) -> None:
        self.k, self.positions, self.n, self.start, self.count = k, positions, n, start, stop - start
        self.size = len(positions)
        self.first = 1 - positions.start  # the column of the first symbol
        common = 1  # the words agree in all symbols but those that `common` = k^m words differ in
        while start // common != (stop - 1) // common:
            common *= k
        self.layout = layout(k, positions, n, start % common, stop - start, whole_begin, whole_end)

    @cached_property
    def local(self) -> Cells:
        """One cell for every symbol at every position, one for each marker."""
        sizes = [1] * self.first + [self.k] * self.n + [1] * (self.size - self.n - self.first)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        index = np.broadcast_to(starts, (self.count, self.size)).copy()
        prefix = self.layout.prefix
        for place, level in enumerate(prefix.levels[self.first : self.first + self.n]):
            # The prefixes of length place + 1 are numbered from start // period on.
            least = self.start // self.k ** (self.n - 1 - place) % self.k
            column = self.first + place
            index[:, column] += (prefix.index[:, column] - level.start + least) % self.k
        column_of = np.repeat(np.arange(self.size), sizes)
        return Cells(index, np.zeros_like(column_of), column_of, ())  # nobody asks for its words

    def cells(self, kind: Kind) -> Cells:
        """The cells of a kind among CELLS."""
        return self.local if kind is Kind.LOCAL else self.layout.cells(kind)

    def at(self, source: Kind, target: Kind) -> Index:
        """For every cell of the kind `target`, the cell of the kind `source` at the same word and column."""
        cells = self.cells(target)
        return self.cells(source).index[cells.word, cells.column]

    def seen(self, kind: Kind) -> Index:
        """For every cell of the kind PREFIX or SUFFIX, all the cells of its word; shape (cells, P)."""
        return self.layout.seen(kind)

    def visible(self, mask: Mask, kind: Kind) -> Booleans:
        """Which columns are visible from every cell of a kind; shape (cells, 1, P)."""
        if kind is Kind.LOCAL:
            return seen_from(mask, self.positions)[self.local.column][:, None]
        return self.layout.visible(mask, kind)
