"""Heads with hard and with softmax attention on the cells of a block of words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from checker.attention import Mask, Tie
from checker.transformer.batchhead import average, maximal_keys
from checker.transformer.exactarray import ExactArray, bilinear
from checker.transformer.interval import Coordinate, Floats, interval
from checker.transformer.model import Head
from checker.transformer.prefix import Activation, Run, Stream, widened
from checker.transformer.prefixplan import Plan
from checker.transformer.sharing import CELLS, Block, Booleans, Cells, Index, Kind, join, reach
from checker.transformer.softread import (
    Weights,
    exact_weights,
    inexact_weights,
    range_seen,
    read_between,
    uniform_weights,
)

Names = Mapping[str, tuple[tuple[str, Fraction], ...]]


class _Attention(Run):
    """What the two kinds of attention have in common."""

    def scores(self, head: Head, stream: Stream) -> tuple[Kind, list[tuple[Coordinate, Coordinate]]]:
        """What the scores depend on; the rows of queries and keys that they are made of, those that are 0 left out."""
        rows = [
            (self.form(query, stream), self.form(key, stream)) for query, key in zip(head.query, head.key, strict=True)
        ]
        rows = [pair for pair in rows if not any(isinstance(x.value, ExactArray) and not x.value.largest for x in pair)]
        kind = reach(head.mask, join(*(q.kind for q, _ in rows)), join(*(k.kind for _, k in rows)))
        result = []
        for query, key in rows:
            q, k = self.spread(query, kind), self.along(key, kind)
            if kind in (Kind.POSITION, Kind.FULL):
                q = widened(q, (q.shape[0], self.block.size))
            result.append((q, k))
        return kind, result

    def values(self, head: Head, stream: Stream) -> tuple[Names, dict[tuple[tuple[str, Fraction], ...], Activation]]:
        """The form that is written to each direction, and what is read for each form."""
        names = {d: tuple(sorted(form.items())) for d, form in head.value.items()}
        return names, {name: self.form(dict(name), stream) for name in set(names.values())}


class HardRun(_Attention):
    """Exact runs with hard attention."""

    def head(self, head: Head, stream: Stream) -> dict[str, Activation]:
        """What a head writes: the mean of the values at the chosen positions."""
        kind, rows = self.scores(head, stream)
        seen = self.visible(head.mask, kind)
        exact = [(q, k) for q, k in rows if isinstance(q, ExactArray) and isinstance(k, ExactArray)]
        scores = bilinear(exact) if exact else ExactArray(np.zeros((1, 1, 1), dtype=np.int64))
        maximal = maximal_keys(scores, seen)
        names, values = self.values(head, stream)
        if head.ties is not Tie.AVERAGE or np.count_nonzero(maximal, axis=2).max() <= 1:
            backward = head.ties is Tie.RIGHTMOST
            index = self.block.size - 1 - maximal[..., ::-1].argmax(axis=2) if backward else maximal.argmax(axis=2)
            some = np.asarray(maximal.any(axis=2))
            outputs = {name: self._copied(head, value, kind, index, some) for name, value in values.items()}
        else:
            outputs = {name: self._mean(head, value, kind, maximal) for name, value in values.items()}
        return {d: outputs[name] for d, name in names.items()}

    def _mean(self, head: Head, value: Activation, kind: Kind, chosen: Booleans) -> Activation:
        """The mean of the values at the chosen positions of queries of a kind, 0 if there are none."""
        target = reach(head.mask, kind, value.kind)
        along = self.along(value, target)
        assert isinstance(along, ExactArray)
        read = average(self.rows(chosen, kind, target), {"": along}, self.block.size)[""]
        return Activation(target, read)

    def _copied(self, head: Head, value: Activation, kind: Kind, index: Index, some: Booleans) -> Activation:
        """The value at the one chosen position of each query of a kind, where there is one, and 0 elsewhere."""
        target = reach(head.mask, kind, value.kind)
        if target not in (Kind.PREFIX, Kind.SUFFIX) or value.kind is Kind.CONSTANT:
            chosen = some[:, :, None] & (np.arange(self.block.size) == index[:, :, None])
            return self._mean(head, value, kind, chosen)
        index, some = self.rows(index, kind, target), self.rows(some, kind, target)
        if value.kind is Kind.POSITION:
            place: tuple[Any, Any] = 0, index
        else:
            place = self.block.cells(value.kind).index[self.block.cells(target).word[:, None], index], 0
        assert isinstance(value.value, ExactArray)
        read = value.value[place]
        return Activation(target, ExactArray.of(np.where(some, read.numerators, 0), read.denominator))


class SoftRun(_Attention):
    """Enclosed runs with softmax attention at the temperature tau."""

    def __init__(self, plan: Plan, block: Block, tau: Fraction) -> None:
        super().__init__(plan, block)
        self.tau = tau

    def head(self, head: Head, stream: Stream) -> dict[str, Activation]:
        """What a head writes: the mean of the values for the softmax weights."""
        kind, weights = self._weights(head, stream)
        names, values = self.values(head, stream)
        outputs = {}
        for name, value in values.items():
            if isinstance(value.value, ExactArray) and (weights is None or not value.value.largest):
                own = Kind.CONSTANT if head.mask is Mask.NONE else Kind.POSITION
                target = reach(head.mask, own, value.kind)
                seen = self.visible(head.mask, target)
                chosen = seen if target in CELLS else seen[None]
                along = self.along(value, target)
                assert isinstance(along, ExactArray)
                outputs[name] = Activation(target, average(chosen, {"": along}, self.block.size)[""])
                continue
            target = reach(head.mask, kind, value.kind)
            value = Activation(value.kind, interval(value.value))
            known = weights if weights is not None else uniform_weights(self.visible(head.mask, kind))
            least, greatest = self._range(value, head.mask, target)
            along = interval(self.along(value, target))  # an interval already
            outputs[name] = Activation(target, read_between(self._at(known, kind, target), along, least, greatest))
        return {d: outputs[name] for d, name in names.items()}

    def _weights(self, head: Head, stream: Stream) -> tuple[Kind, Weights | None]:
        """What the softmax weights depend on, and the weights; None if all visible scores of each query are equal."""
        kind, rows = self.scores(head, stream)
        if not rows:
            return kind, None
        seen = self.visible(head.mask, kind)
        exact = [(q, k) for q, k in rows if isinstance(q, ExactArray) and isinstance(k, ExactArray)]
        if len(exact) == len(rows):
            scores = bilinear(exact)
            if scores.numerators.dtype != object:
                weights = exact_weights(scores, seen, self.tau)
                if weights is None:  # equal weights
                    kind = Kind.CONSTANT if head.mask is Mask.NONE else Kind.POSITION
                return kind, weights
        return kind, inexact_weights([interval(q) for q, _ in rows], [interval(k) for _, k in rows], seen, self.tau)

    def _at(self, weights: Weights, source: Kind, target: Kind) -> Weights:
        """Weights of queries of one kind in the layout of another kind."""
        if source is target:
            return weights
        base, total, least = (self.rows(x, source, target) for x in (weights.base, weights.total, weights.least))
        excess, lost = (None if x is None else self.rows(x, source, target) for x in (weights.excess, weights.lost))
        return Weights(base, excess, weights.relative, total, least, lost)

    def _range(self, value: Activation, mask: Mask, target: Kind) -> tuple[Floats, Floats]:
        """The least and the greatest value that each query of a kind sees, 0 where it sees nothing."""
        x = interval(self.along(value, target))
        if mask is Mask.NONE:
            return x.low.min(axis=1, keepdims=True), x.high.max(axis=1, keepdims=True)
        if target not in CELLS:
            return range_seen(x, mask)
        if value.kind not in CELLS:
            column = self.block.cells(target).column[:, None]
            least, greatest = range_seen(x, mask)
            return least[0, column], greatest[0, column]
        own = interval(self.spread(value, target))
        strict = mask in (Mask.STRICT_FUTURE, Mask.STRICT_PAST)
        return (
            accumulate(np.minimum, own.low, self.block.cells(target), strict=strict),
            accumulate(np.maximum, own.high, self.block.cells(target), strict=strict),
        )


def accumulate(function: Callable[[Floats, Floats], Floats], x: Floats, cells: Cells, *, strict: bool) -> Floats:
    """The function over x, shape (cells, 1), at a cell and those before it on its word; strict: before it (0: none)."""
    total = x.copy()
    for level in cells.levels[1:]:
        total[level] = function(total[cells.parent[level]], x[level])
    if not strict:
        return total
    before = total[cells.parent]
    before[cells.levels[0]] = 0
    return before
