"""More about every head than its least gap: how far all rivals are from the maximum, and the range of every key row.

Where scores fall off with the distance, as those of positional heads do, the n - k rivals are not all one gap below;
the r-th nearest of them is at least some D_r below, and the sum of exp(-D_r/tau) replaces (n - k) q. And a query error
dq moves all scores by dq times the keys, of which the middle of their range is the same for all keys: that moves no
weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import zip_longest

import numpy as np

from checker.errors import InputError
from checker.general.factdata import hull, of_range, to_range
from checker.general.facts import Measured
from checker.transformer.batchhead import BatchHead, Stream, form
from checker.transformer.hardbatch import BatchLayer
from checker.transformer.model import Head, Transformer
from checker.transformer.observed import observe_hard_range
from checker.work import plain
from checker.work.plain import Data, of_fraction
from checker.work.run import Work
from checker.work.tasks import Shared, Task, ranges, words_of_task

_BLOCK = 2**15
"""More words than these are not run in one task."""


@dataclass(frozen=True)
class HeadProfile:
    """Over all words and queries.

    distances: for every number k of maximal scores, the least r-th smallest distance of a rival from the maximum, for
    r = 1, 2, .. keys: least and largest value of every key row.
    """

    distances: Mapping[int, tuple[Fraction, ...]]
    keys: tuple[tuple[Fraction, Fraction], ...]


Profile = tuple[tuple[HeadProfile, ...], ...]
"""By layer and head."""


def profile(
    measured: Measured, *, progress: Callable[[int, int], None] | None = None, work: Work | None = None, label: str = ""
) -> Profile:
    """The profiles of all heads, over all words of the length measured; InputError if those were a sample.

    work, label: as of checker.general.gaps.measure.
    """
    if not measured.complete:
        raise InputError("profiles of heads are taken over all words of a length, not over a sample")
    n, total, shared = measured.n, measured.words, Shared(measured.model)
    work = Work() if work is None else work
    size = min(_BLOCK, words_of_task(n, work.scores))

    def tasks() -> Iterator[Task]:
        for start, stop in ranges(total, size):
            key = f"{label}profiles, length {n}, words {start}..{stop}"
            yield Task(key, profile_block, (shared, n, start, stop), stop - start)

    told = None if progress is None else lambda done, _task: progress(done, total)
    found: Profile | None = None
    for part in work.results(tasks(), decode, told):
        found = part if found is None else merge(found, part)
    assert found is not None
    return found


def profile_block(shared: Shared[Transformer], n: int, start: int, stop: int) -> Data:
    """The profiles over the words number start..stop - 1 of length n; a task."""
    model = shared.value
    collectors = [[_Collector() for _ in layer.heads] for layer in model.layers]

    def observe(start: int, embedded: Stream, layers: list[BatchLayer]) -> None:
        del start
        stream = embedded
        for layer, found, row in zip(model.layers, layers, collectors, strict=True):
            for head, batch, collector in zip(layer.heads, found.heads, row, strict=True):
                collector.add(head, stream, batch)
            stream = found.stream

    observe_hard_range(model, n, start, stop, observe, gaps=False)
    return encode(tuple(tuple(collector.result() for collector in row) for row in collectors))


def encode(found: Profile) -> Data:
    """Profiles as plain data."""
    return [
        [
            {
                "distances": [[k, [of_fraction(x) for x in row]] for k, row in head.distances.items()],
                "keys": [of_range(ends) for ends in head.keys],
            }
            for head in layer
        ]
        for layer in found
    ]


def decode(data: Data) -> Profile:
    """Profiles from plain data."""

    def head(one: Data) -> HeadProfile:
        distances, keys = plain.fields(one, ("distances", "keys"))
        rows = plain.pairs(distances, plain.natural, lambda row: plain.items(row, plain.fraction))
        return HeadProfile(rows, plain.items(keys, to_range))

    return plain.items(data, lambda layer: plain.items(layer, head))


def merge(first: Profile, second: Profile) -> Profile:
    """The profiles over two blocks of words as one."""

    def heads(a: HeadProfile, b: HeadProfile) -> HeadProfile:
        distances = dict(a.distances)
        for k, row in b.distances.items():
            pairs = zip_longest(row, distances.get(k, row))
            distances[k] = tuple(y if x is None else x if y is None else min(x, y) for x, y in pairs)
        return HeadProfile(distances, tuple(hull(x, y) for x, y in zip(a.keys, b.keys, strict=True)))

    return tuple(
        tuple(heads(a, b) for a, b in zip(one, other, strict=True)) for one, other in zip(first, second, strict=True)
    )


@dataclass
class _Collector:
    distances: dict[int, list[Fraction | None]] = field(default_factory=dict)
    keys: list[tuple[Fraction, Fraction]] = field(default_factory=list)

    def add(self, head: Head, stream: Stream, batch: BatchHead) -> None:
        found = []
        for key in head.key:
            array = form(key, stream)
            ends = (array.numerators.min(), array.numerators.max())
            found.append((Fraction(int(ends[0]), array.denominator), Fraction(int(ends[1]), array.denominator)))
        self.keys = [(min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(found, self.keys or found, strict=True)]
        scores, exact = batch.scores.numerators, batch.scores.numerators.dtype == object
        rivals = batch.seen & ~batch.maximal
        lowest = -2 * batch.scores.largest - 1 if exact else -(2**62)
        top = np.where(batch.maximal, scores, lowest).max(axis=2, keepdims=True)
        # Scores are below 2^62 in magnitude, so their differences are below 2^63 - 1.
        never = 4 * batch.scores.largest + 4 if exact else 2**63 - 1
        distances = np.sort(np.where(rivals, np.where(rivals, top, scores) - scores, never), axis=2)
        counts = np.count_nonzero(batch.maximal, axis=2)
        for k in np.unique(counts):
            if k:
                nearest = distances[counts == k].min(axis=0)
                known = [None if d == never else Fraction(int(d), batch.scores.denominator) for d in nearest]
                self.distances[int(k)] = [
                    b if a is None else a if b is None else min(a, b)
                    for a, b in zip(known, self.distances.get(int(k), known), strict=True)
                ]

    def result(self) -> HeadProfile:
        distances = {k: tuple(d for d in row if d is not None) for k, row in self.distances.items()}
        return HeadProfile(distances, tuple(self.keys))
