"""Exact hard-attention runs of many words of one length at once, with the least gap of every head.

Whatever does not depend on the word is computed once: an array has one row for all words, or one for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.errors import InputError
from checker.exact import show
from checker.transformer.batchhead import BatchHead, Stream, form, run_head
from checker.transformer.exactarray import ExactArray, concatenate, linear
from checker.transformer.model import FeedForward, Head, Transformer
from checker.transformer.sharing import Cells

BLOCK = 2**18
"""About so many scores of one head are held at once."""


@dataclass(frozen=True)
class BatchLayer:
    """The heads of a layer; the residual stream after its heads, and after all its feed-forward parts."""

    heads: tuple[BatchHead, ...]
    attended: Stream
    stream: Stream


@dataclass(frozen=True)
class HeadGaps:
    """The least gap of a head over all words and queries with a rival, and where it is attained first.

    gap, word, position: None when no query has a rival; word is an index into the batch, position as the model numbers
    them. rivals, tied: the number of queries (word and position) with a rival, and with several maximal scores.
    """

    layer: int
    head: int
    name: str
    gap: Fraction | None
    word: int | None
    position: int | None
    rivals: int
    tied: int


@dataclass(frozen=True)
class HardBatch:
    """Exact logits of a batch, shape (words, n), at all word positions; the least gaps if they were asked for.

    accepted: by the logit at the model's accepting position, shape (words,). gaps: in the order of layers and heads.
    """

    logits: ExactArray
    accepted: NDArray[np.bool_]
    gaps: tuple[HeadGaps, ...]


Observer = Callable[[int, Stream, list[BatchLayer]], None]


def run_hard_batch(
    model: Transformer,
    words: NDArray[Any],
    *,
    gaps: bool = False,
    observe: Observer | None = None,
    block: int | None = None,
) -> HardBatch:
    """Run the model with hard attention on words, an integer array (words, n >= 1) of indices into model.alphabet.

    gaps: also return the least gap per head. observe: called for every chunk of words with the index of its first word,
    the embedded stream and the layers. block: words per chunk (default: so that memory stays at some 100 MB).
    Raises InputError for a shape, a type or indices that are none.
    """
    words = check_words(model, words)
    count, n = words.shape
    positions = model.positions(n)
    size = max(1, BLOCK // len(positions) ** 2) if block is None else block

    def attend(head: Head, stream: Stream) -> BatchHead:
        return run_head(head, stream, positions)

    table = GapTable(model, n)
    logits = []
    for start in range(0, count, size):
        chunk = words[start : start + size]
        embedded = embed_batch(model, chunk)
        layers = []
        stream = embedded
        for number, layer in enumerate(batch_layers(model, embedded, attend)):
            stream = layer.stream
            if gaps:
                table.add(number, layer.heads, start, len(chunk))
            if observe is not None:
                layers.append(layer)
        if observe is not None:
            observe(start, embedded, layers)
        logits.append(batch_logits(model, stream, len(chunk), n))
    return hard_batch(model, n, logits, table.result() if gaps else ())


def hard_batch(model: Transformer, n: int, logits: Sequence[ExactArray], gaps: tuple[HeadGaps, ...]) -> HardBatch:
    """The result with the logits of chunks of words, each of shape (words, n)."""
    joined = concatenate(logits) if logits else ExactArray(np.zeros((0, n), dtype=np.int64))
    accepted = joined.numerators[:, 0 if model.output.position == "first" else -1] > 0
    return HardBatch(joined, accepted.astype(bool), gaps)


def check_words(model: Transformer, words: NDArray[Any]) -> NDArray[np.intp]:
    """The words as an array of indices; InputError unless it is an integer array (words, n >= 1) of valid indices."""
    words = np.asarray(words)
    if words.ndim != 2 or words.dtype.kind not in "iu" or words.shape[1] < 1:
        raise InputError(
            f"words must be an integer array of shape (words, n), n >= 1; got {words.dtype}, shape {words.shape}"
        )
    if words.size and (words.min() < 0 or words.max() >= len(model.alphabet)):
        least, largest = int(words.min()), int(words.max())
        raise InputError(
            f"symbols must be indices in 0..{len(model.alphabet) - 1}, got {show(least)} to {show(largest)}"
        )
    return words.astype(np.intp)


def embed_batch(model: Transformer, words: NDArray[Any]) -> Stream:
    """The residual stream before the first layer."""
    count, n = words.shape
    positions = model.positions(n)
    known = len(model.alphabet)  # numbers of the markers: known, known + 1
    parts = [words]
    if model.begin is not None:
        parts.insert(0, np.full((count, 1), known))
    if model.end is not None:
        parts.append(np.full((count, 1), known + 1))
    tokens = np.concatenate(parts, axis=1)
    vectors = [*(model.embedding[symbol] for symbol in model.alphabet), model.begin or {}, model.end or {}]
    stream: Stream = {}
    for direction in model.directions:
        terms = []
        if any(vector.get(direction) for vector in vectors):
            values = ExactArray.fractions_array([Fraction(vector.get(direction, 0)) for vector in vectors])
            terms.append((Fraction(1), values[tokens]))
        if direction in model.positional:
            places = ExactArray.fractions_array(model.positional[direction].along(positions, n))
            terms.append((Fraction(1), places[None, :]))
        if terms:
            stream[direction] = linear(terms)
    return stream


def batch_layers(
    model: Transformer, embedded: Stream, attend: Callable[[Head, Stream], BatchHead]
) -> Iterator[BatchLayer]:
    """The layers, one after the other, of the run that starts with an embedded stream; attend: what a head does."""
    stream = embedded
    for layer in model.layers:
        heads = tuple(attend(head, stream) for head in layer.heads)
        attended = dict(stream)
        for head in heads:
            attended = _add(attended, head.output)
        stream = attended
        for part in layer.feed_forward:
            stream = _add(stream, feed_forward_batch(part, stream))
        yield BatchLayer(heads, attended, stream)


def batch_logits(model: Transformer, stream: Stream, count: int, n: int) -> ExactArray:
    """The logits at the n word positions of `count` words."""
    positions = model.positions(n)
    first = 1 - positions.start
    logit = form(model.output.weights, stream, model.output.bias)
    numerators = np.broadcast_to(logit.numerators, (count, len(positions)))[:, first : first + n]
    return ExactArray(numerators, logit.denominator)


def feed_forward_batch(part: FeedForward, stream: Mapping[str, ExactArray]) -> Stream:
    """What a feed-forward part adds to the residual stream."""
    used = {number for units in part.output.values() for number in units}
    hidden = {
        number: form(unit.weights, stream, unit.bias).relu()
        for number, unit in enumerate(part.hidden)
        if number in used
    }
    return {
        direction: linear(
            ((weight, hidden[number]) for number, weight in part.output.get(direction, {}).items()),
            part.bias.get(direction, Fraction(0)),
        )
        for direction in {**part.output, **part.bias}
    }


class GapTable:
    """Collects the least gap of every head over chunks of words."""

    def __init__(self, model: Transformer, n: int) -> None:
        self._start = model.positions(n).start
        self._best = {
            (number, place): HeadGaps(number, place, head.name, None, None, None, 0, 0)
            for number, layer in enumerate(model.layers)
            for place, head in enumerate(layer.heads)
        }

    def add(self, layer: int, heads: Sequence[BatchHead], start: int, count: int) -> None:
        """Take in a layer of a chunk of `count` words, the first of which has the index `start`."""
        for place, head in enumerate(heads):
            gaps, have = head.gaps
            best = self._best[layer, place]
            gap, word, position = best.gap, best.word, best.position
            if have.any():
                candidates = np.where(have, gaps.numerators, gaps.largest + 1)
                row, column = np.unravel_index(int(candidates.argmin()), candidates.shape)
                found = gaps.at(int(row), int(column))
                if gap is None or found < gap:
                    gap, word, position = found, start + int(row), self._start + int(column)
            times = count if len(have) == 1 else 1  # one row for all words
            ties = count if len(head.ties) == 1 else 1
            rivals, tied = int(np.count_nonzero(have)) * times, int(np.count_nonzero(head.ties)) * ties
            self._best[layer, place] = HeadGaps(
                layer, place, head.name, gap, word, position, best.rivals + rivals, best.tied + tied
            )

    def add_cells(self, layer: int, heads: Sequence[BatchHead], start: int, cells: Cells) -> None:
        """Take in a layer of a chunk of words, with one row for every cell, in which all positions have cells."""
        counts = np.bincount(cells.index.ravel(), minlength=len(cells.word))
        for place, head in enumerate(heads):
            gaps, have = head.gaps[0].numerators[:, 0], head.gaps[1][:, 0]
            best = self._best[layer, place]
            gap, word, position = best.gap, best.word, best.position
            if have.any():
                least = gaps[have].min()
                found = Fraction(int(least), head.gaps[0].denominator)
                if gap is None or found < gap:
                    # In a batch, the first word counts, and of this the first position.
                    equal = np.flatnonzero(have & (gaps == least))
                    cell = equal[np.lexsort((cells.column[equal], cells.word[equal]))[0]]
                    gap, word, position = found, start + int(cells.word[cell]), self._start + int(cells.column[cell])
            rivals, tied = int(counts[have].sum()), int(counts[head.ties[:, 0]].sum())
            self._best[layer, place] = HeadGaps(
                layer, place, head.name, gap, word, position, best.rivals + rivals, best.tied + tied
            )

    def result(self) -> tuple[HeadGaps, ...]:
        """The least gaps so far, in the order of layers and heads."""
        return tuple(self._best.values())


def _add(stream: Mapping[str, ExactArray], other: Mapping[str, ExactArray]) -> Stream:
    result = dict(stream)
    for direction, value in other.items():
        result[direction] = (
            linear([(Fraction(1), result[direction]), (Fraction(1), value)]) if direction in result else value
        )
    return result
