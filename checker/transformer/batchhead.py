"""One attention head with hard attention on many words at once, exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from checker.attention import Mask, Tie
from checker.transformer import exactarray
from checker.transformer.exactarray import ExactArray, bilinear, linear
from checker.transformer.hard import visible_from
from checker.transformer.model import Head, Vector

Stream = dict[str, ExactArray]
"""Directions (those left out carry 0) to arrays of shape (words or 1, positions)."""


@dataclass(frozen=True)
class BatchHead:
    """What one head does on a batch. Shapes: (words or 1, queries, keys), all positions being queries and keys.

    seen: which keys are visible, shape (queries, keys), or (words, queries, keys). chosen: on which keys the hard
    weight is 1/(their number); maximal: which keys have the maximal score. output: what is written, by direction.
    """

    name: str
    scores: ExactArray
    seen: NDArray[np.bool_]
    maximal: NDArray[np.bool_]
    chosen: NDArray[np.bool_]
    output: Stream

    @cached_property
    def ties(self) -> NDArray[np.bool_]:
        """Which queries have several maximal scores; shape (words or 1, queries)."""
        return np.count_nonzero(self.maximal, axis=2) > 1

    @cached_property
    def gaps(self) -> tuple[ExactArray, NDArray[np.bool_]]:
        """The gap of every query, and which queries have a rival (the gap of the others is given as 0)."""
        numerators = self.scores.numerators
        rivals = ~self.maximal & self.seen
        low = _sentinel(self.scores)
        second = np.where(rivals, numerators, low).max(axis=2)
        top = np.where(self.maximal, numerators, low).max(axis=2)
        have = np.asarray(rivals.any(axis=2))
        return ExactArray.of(np.where(have, top - second, 0), self.scores.denominator), have


def run_head(head: Head, stream: Mapping[str, ExactArray], positions: range) -> BatchHead:
    """Scores, choices and output of one head."""
    seen = seen_from(head.mask, positions)
    size = len(positions)
    rows = [
        (wide(form(query, stream), size), wide(form(key, stream), size))
        for query, key in zip(head.query, head.key, strict=True)
    ]
    scores = bilinear(rows) if rows else ExactArray(np.zeros((1, size, size), dtype=np.int64))
    maximal = maximal_keys(scores, seen)
    chosen = choose_batch(maximal, head.ties)
    values = {direction: form(weights, stream) for direction, weights in head.value.items()}
    return BatchHead(head.name, scores, seen, maximal, chosen, average(chosen, values, size))


def maximal_keys(scores: ExactArray, seen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which visible keys have the largest score of all visible ones; scores: (.., queries, keys), as is `seen`."""
    numerators = np.where(seen, scores.numerators, _sentinel(scores))
    return (numerators == numerators.max(axis=2, keepdims=True)).astype(bool) & seen


def seen_from(mask: Mask, positions: range) -> NDArray[np.bool_]:
    """Which keys every query may attend to, shape (queries, keys)."""
    seen = np.zeros((len(positions), len(positions)), dtype=bool)
    for row, position in zip(seen, positions, strict=True):
        visible = visible_from(mask, position, positions)
        row[visible.start - positions.start : visible.stop - positions.start] = True
    return seen


def choose_batch(maximal: NDArray[np.bool_], ties: Tie) -> NDArray[np.bool_]:
    """The chosen among the maximal keys, along the last axis."""
    if ties is Tie.AVERAGE:
        return maximal
    size = maximal.shape[2]
    index = maximal.argmax(axis=2) if ties is Tie.LEFTMOST else size - 1 - maximal[:, :, ::-1].argmax(axis=2)
    return maximal & (np.arange(size) == index[:, :, None])


def average(chosen: NDArray[np.bool_], values: Mapping[str, ExactArray], size: int) -> Stream:
    """The mean of each value over the chosen keys, 0 if there is none; chosen: (words or 1, queries, keys)."""
    counts = np.count_nonzero(chosen, axis=2)
    common = math.lcm(*(int(count) for count in np.unique(counts) if count))
    if unique := common == 1:
        index, some = chosen.argmax(axis=2), counts > 0
    factors = np.array([common // max(count, 1) for count in range(size + 1)], dtype=object)
    result: Stream = {}
    for direction, value in values.items():
        value = wide(value, size)
        numerators = value.numerators
        if unique:
            rows = np.arange(len(numerators))[:, None] if len(numerators) > 1 else 0
            result[direction] = ExactArray.of(np.where(some, numerators[rows, index], 0), value.denominator)
            continue
        # The sum over c chosen keys, times common / c <= common, is at most size * largest * common.
        if numerators.dtype != object and max(value.largest, 1) * size * common < exactarray.LIMIT:
            totals = np.matmul(chosen, numerators[:, :, None], dtype=np.int64)[:, :, 0]
            totals = totals * factors.astype(np.int64)[counts]
        else:
            totals = np.where(chosen, value.objects()[:, None, :], 0).sum(axis=2) * factors[counts]
        result[direction] = ExactArray.of(totals, value.denominator * common)
    return result


def form(weights: Vector, stream: Mapping[str, ExactArray], constant: Fraction = Fraction(0)) -> ExactArray:
    """A linear form over the residual stream, plus a constant."""
    return linear(((weight, stream[name]) for name, weight in weights.items() if name in stream), constant)


def _sentinel(scores: ExactArray) -> int:
    """A number below all numerators: -2^63 in int64 arrays, whose numbers are below 2^62 in magnitude."""
    return -(2**63) if scores.numerators.dtype != object else -scores.largest - 1


def wide(array: ExactArray, size: int) -> ExactArray:
    """An array of shape (words or 1, size)."""
    if array.shape[1] == size:
        return array
    return ExactArray(np.broadcast_to(array.numerators, (array.shape[0], size)), array.denominator)
