"""Exact facts of a hard-attention run over all words of one length: gaps, magnitudes, ranges of values, margin.

They are what the bounds of section E need: the least gap of every head, how large its queries, keys and values get,
what the feed-forward parts are applied to, and how far the logits stay from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker.errors import InputError
from checker.exact import show
from checker.general.facts import Arguments, HeadFacts, LayerFacts, Measured, Range
from checker.logic.semantics import words_block
from checker.transformer.batchhead import BatchHead, Stream, form
from checker.transformer.exactarray import ExactArray, linear
from checker.transformer.hardbatch import BatchLayer, HeadGaps, feed_forward_batch, run_hard_batch
from checker.transformer.model import Layer, Transformer
from checker.transformer.observed import observe_hard_range
from checker.transformer.piecewise import decompose

__all__ = ["Arguments", "HeadFacts", "LayerFacts", "Measured", "measure"]

MOST_WORDS = 2**26
"""More words than these are not enumerated; a sample is."""

MOST_ARGUMENTS = 256
"""More different arguments of a piecewise-linear function than these are kept as their least and largest only."""

MOST_POSITIONS = 2000
"""Longer words are not run: the scores of one of them would take too much memory."""

_BLOCK = 2**12

Progress = Callable[[int, int], None]


def measure(
    model: Transformer, n: int, *, sample: int | None = None, seed: int = 0, progress: Progress | None = None
) -> Measured:
    """The facts of the hard run on all words of length n >= 1, or on `sample` random words (with repetitions).

    progress: called with the words done and their number. Raises InputError when there are too many words to enumerate
    (more than MOST_WORDS) and no sample is asked for, or they are longer than MOST_POSITIONS.
    """
    if type(n) is not int or not 1 <= n <= MOST_POSITIONS:
        raise InputError(f"the length must be an integer in 1..{MOST_POSITIONS}, got {show(n)}")
    k = len(model.alphabet)
    if sample is None and k**n > MOST_WORDS:
        raise InputError(
            f"{k}^{n} words of length {n} are too many to run all; measure a sample, or declare gap, bound and margin"
        )
    if sample is not None and (type(sample) is not int or sample < 1):
        raise InputError(f"a sample has at least 1 word, got {show(sample)}")
    if type(seed) is not int or seed < 0:
        raise InputError(f"the seed must be an integer >= 0, got {show(seed)}")
    total = k**n if sample is None else sample
    rng = np.random.default_rng([seed, n])
    collector = _Collector(model, n, None if progress is None else lambda done: progress(done, total))
    for start in range(0, total, _BLOCK):
        stop = min(total, start + _BLOCK)
        words = words_block(k, n, start, stop) if sample is None else rng.integers(0, k, size=(stop - start, n))
        collector.add(words, start if sample is None else None)
    return collector.result(sample is None, seed)


class _Collector:
    """Merges the facts of blocks of words."""

    def __init__(self, model: Transformer, n: int, progress: Callable[[int], None] | None) -> None:
        self.model, self.n, self.progress = model, n, progress
        self.words = self.zeros = 0
        self.layers = [_LayerCollector(layer) for layer in model.layers]
        self.bound = Fraction(0)
        self.margin: tuple[Fraction, tuple[int, ...]] | None = None
        self.everywhere: Fraction | None = None

    def add(self, words: NDArray[np.integer], first: int | None) -> None:
        """Take in words: all from number `first` on, in lexicographic order, or any (None)."""

        def observe(start: int, embedded: Stream, layers: list[BatchLayer]) -> None:
            if self.progress is not None and start:
                self.progress(self.words + start)
            stream = embedded
            self._bound(stream)
            for collector, layer in zip(self.layers, layers, strict=True):
                collector.add(stream, layer)
                stream = layer.stream
                self._bound(stream)

        if first is None:
            batch = run_hard_batch(self.model, words, gaps=True, observe=observe)
        else:
            batch = observe_hard_range(self.model, self.n, first, first + len(words), observe)
        logits = batch.logits[:, 0 if self.model.output.position == "first" else -1]
        sizes = np.abs(logits.numerators)
        least = int(sizes.argmin())
        self.zeros += int(np.count_nonzero(sizes == 0))
        everywhere = Fraction(int(np.abs(batch.logits.numerators).min()), logits.denominator)
        self.everywhere = everywhere if self.everywhere is None else min(everywhere, self.everywhere)
        margin = Fraction(int(sizes[least]), logits.denominator)
        if self.margin is None or margin < self.margin[0]:
            self.margin = (margin, _word(words, least))
        for gaps in batch.gaps:
            self.layers[gaps.layer].heads[gaps.head].gaps(gaps, words)
        self.words += len(words)
        if self.progress is not None:
            self.progress(self.words)

    def _bound(self, stream: Stream) -> None:
        self.bound = max(self.bound, *(array.magnitude for array in stream.values()), Fraction(0))

    def result(self, complete: bool, seed: int) -> Measured:
        assert self.margin is not None
        assert self.everywhere is not None
        return Measured(
            self.model,
            self.n,
            self.words,
            complete,
            tuple(layer.result() for layer in self.layers),
            self.bound,
            *self.margin,
            zeros=self.zeros,
            margin_everywhere=self.everywhere,
            seed=None if complete else seed,
        )


class _LayerCollector:
    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.heads = [_HeadCollector() for _ in layer.heads]
        self.entering: dict[str, Fraction] = {}
        self.leaving: dict[str, Fraction] = {}
        self.parts = [decompose(part) for part in layer.feed_forward]
        self.arguments = [[_Values() for _ in part.parts] for part in self.parts]

    def add(self, stream: Stream, layer: BatchLayer) -> None:
        _magnitudes(self.entering, stream)
        _magnitudes(self.leaving, layer.stream)
        for head, collector, batch in zip(self.layer.heads, self.heads, layer.heads, strict=True):
            query, key = ([form(row, stream).magnitude for row in rows] for rows in (head.query, head.key))
            values = {direction: _range(form(weights, stream)) for direction, weights in head.value.items()}
            collector.add(batch, query, key, values)
        current = dict(layer.attended)
        for part, decomposition, values_of in zip(self.layer.feed_forward, self.parts, self.arguments, strict=True):
            for piece, found in zip(decomposition.parts, values_of, strict=True):
                found.add(form({d: Fraction(c) for d, c in piece.form}, current))
            for direction, added in feed_forward_batch(part, current).items():
                old = current.get(direction)
                current[direction] = added if old is None else linear([(Fraction(1), old), (Fraction(1), added)])

    def result(self) -> LayerFacts:
        parts = tuple(
            (decomposition, tuple(values.result() for values in found))
            for decomposition, found in zip(self.parts, self.arguments, strict=True)
        )
        heads = tuple(collector.result(head.name) for head, collector in zip(self.layer.heads, self.heads, strict=True))
        return LayerFacts(self.entering, heads, parts, self.leaving)


class _HeadCollector:
    def __init__(self) -> None:
        self.best: tuple[Fraction, tuple[int, ...], int] | None = None
        self.rivals = self.tied = 0
        self.counts: set[tuple[int, int]] = set()
        self.query: list[Fraction] = []
        self.key: list[Fraction] = []
        self.value: dict[str, Range] = {}

    def add(self, batch: BatchHead, query: list[Fraction], key: list[Fraction], value: Mapping[str, Range]) -> None:
        self.query = [max(pair) for pair in zip(query, self.query or query, strict=True)]
        self.key = [max(pair) for pair in zip(key, self.key or key, strict=True)]
        for direction, (low, high) in value.items():
            old = self.value.get(direction, (low, high))
            self.value[direction] = (min(low, old[0]), max(high, old[1]))
        visible = np.broadcast_to(np.count_nonzero(batch.seen, axis=-1), batch.chosen.shape[:2])
        pairs = np.stack([visible.ravel(), np.count_nonzero(batch.chosen, axis=2).ravel()], axis=1)
        self.counts.update((int(m), int(k)) for m, k in np.unique(pairs, axis=0) if m)

    def gaps(self, found: HeadGaps, words: NDArray[np.integer]) -> None:
        self.rivals += found.rivals
        self.tied += found.tied
        if found.gap is not None and found.word is not None and found.position is not None:
            candidate = (found.gap, _word(words, found.word), found.position)
            self.best = candidate if self.best is None or candidate[0] < self.best[0] else self.best

    def result(self, name: str) -> HeadFacts:
        gap, word, position = self.best or (None, None, None)
        return HeadFacts(
            name,
            gap,
            word,
            position,
            self.rivals,
            self.tied,
            frozenset(self.counts),
            tuple(self.query),
            tuple(self.key),
            self.value,
        )


class _Values:
    def __init__(self) -> None:
        self.range: Range | None = None
        self.values: set[Fraction] | None = set()

    def add(self, array: ExactArray) -> None:
        low, high = _range(array)
        self.range = (low, high) if self.range is None else (min(low, self.range[0]), max(high, self.range[1]))
        if self.values is not None:
            distinct = np.unique(array.numerators)
            if len(distinct) <= MOST_ARGUMENTS:
                self.values.update(Fraction(int(number), array.denominator) for number in distinct)
            if len(distinct) > MOST_ARGUMENTS or len(self.values) > MOST_ARGUMENTS:
                self.values = None

    def result(self) -> Arguments:
        assert self.range is not None
        return Arguments(self.range, None if self.values is None else tuple(sorted(self.values)))


def _range(array: ExactArray) -> Range:
    numerators = array.numerators
    return Fraction(int(numerators.min()), array.denominator), Fraction(int(numerators.max()), array.denominator)


def _magnitudes(largest: dict[str, Fraction], stream: Stream) -> None:
    for direction, array in stream.items():
        largest[direction] = max(largest.get(direction, Fraction(0)), array.magnitude)


def _word(words: NDArray[np.integer], row: int) -> tuple[int, ...]:
    return tuple(int(symbol) for symbol in words[row])
