"""Collects the facts of one block of words while they are run with hard attention: of heads, layers, and the output."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker.general.facts import Arguments, HeadFacts, LayerFacts, Measured, Range
from checker.transformer.batchhead import BatchHead, Stream, form
from checker.transformer.exactarray import ExactArray, linear
from checker.transformer.hardbatch import BatchLayer, HeadGaps, feed_forward_batch, run_hard_batch
from checker.transformer.model import Layer, Transformer
from checker.transformer.observed import observe_hard_range
from checker.transformer.piecewise import decompose


class Collector:
    """Collects the facts of a block of words."""

    def __init__(self, model: Transformer, n: int, most: int) -> None:
        self.model, self.n = model, n
        self.words = self.zeros = 0
        self.layers = [_LayerCollector(layer, most) for layer in model.layers]
        self.bound = Fraction(0)
        self.margin: tuple[Fraction, tuple[int, ...]] | None = None
        self.everywhere: Fraction | None = None

    def add(self, words: NDArray[np.integer], first: int | None) -> None:
        """Take in words: all from number `first` on, in lexicographic order, or any (None)."""

        def observe(start: int, embedded: Stream, layers: list[BatchLayer]) -> None:
            del start
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

    def _bound(self, stream: Stream) -> None:
        self.bound = max(self.bound, *(array.magnitude for array in stream.values()), Fraction(0))

    def result(self) -> Measured:
        """All that was found."""
        assert self.margin is not None
        assert self.everywhere is not None
        return Measured(
            self.model,
            self.n,
            self.words,
            False,
            tuple(layer.result() for layer in self.layers),
            self.bound,
            *self.margin,
            zeros=self.zeros,
            margin_everywhere=self.everywhere,
        )


class _LayerCollector:
    def __init__(self, layer: Layer, most: int) -> None:
        self.layer = layer
        self.heads = [_HeadCollector() for _ in layer.heads]
        self.entering: dict[str, Fraction] = {}
        self.leaving: dict[str, Fraction] = {}
        self.parts = [decompose(part) for part in layer.feed_forward]
        self.arguments = [[_Values(most) for _ in part.parts] for part in self.parts]

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
    def __init__(self, most: int) -> None:
        self.most = most
        self.range: Range | None = None
        self.values: set[Fraction] | None = set()

    def add(self, array: ExactArray) -> None:
        low, high = _range(array)
        self.range = (low, high) if self.range is None else (min(low, self.range[0]), max(high, self.range[1]))
        if self.values is not None:
            distinct = np.unique(array.numerators)
            if len(distinct) <= self.most:
                self.values.update(Fraction(int(number), array.denominator) for number in distinct)
            if len(distinct) > self.most or len(self.values) > self.most:
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
