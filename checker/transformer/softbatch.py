"""Rigorous softmax runs of many words of one length at once: float64 intervals, exact coordinates as long as possible.

Coordinates stay exact arrays from the embedding through means of uniform heads and clean-ups beyond their thresholds;
scores of exact coordinates are exact integers. Whatever does not depend on the word is computed once. Words whose
decisions the intervals leave open are run again with Arb, one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.attention import Mask
from checker.ball import endpoints
from checker.floats import enclose
from checker.transformer.batchhead import average, seen_from
from checker.transformer.exactarray import ExactArray, bilinear
from checker.transformer.hardbatch import check_words, embed_batch
from checker.transformer.interval import Coordinate, Floats, Interval, interval, linear
from checker.transformer.model import FeedForward, Head, Transformer, Vector
from checker.transformer.piecearray import ArrayFunction
from checker.transformer.piecewise import Decomposition, Piecewise, decompose
from checker.transformer.soft import run_soft, temperature_of
from checker.transformer.softread import Booleans, Weights, exact_weights, inexact_weights, read, uniform_weights
from checker.verdict import Verdict

BLOCK = 1 << 18
"""About so many scores of one head are held at once: 2 MiB in each of some ten arrays."""

_ONE = Fraction(1)
_SIGNS = {Verdict.HOLDS: 1, Verdict.FAILS: -1, Verdict.UNDECIDED: 0}

Stream = Mapping[str, Coordinate]
"""Directions (those left out carry 0) to coordinates of shape (words or 1, positions)."""


@dataclass(frozen=True, eq=False)
class SoftBatch:
    """Enclosures low <= logit <= high at all word positions, shape (words, n), and what is proved of their signs.

    sign: 1 where the logit is > 0, -1 where it is <= 0, 0 where that is undecided (int8, of the same shape).
    """

    low: Floats
    high: Floats
    sign: NDArray[np.int8]

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Where the sign is known."""
        return self.sign != 0


def run_soft_batch(
    model: Transformer,
    words: NDArray[Any],
    tau: Fraction | None = None,
    *,
    refine: bool = True,
    maximum: int = 1024,
    block: int | None = None,
) -> SoftBatch:
    """Run the softmax transformer on words, an integer array (words, n >= 1) of indices into model.alphabet.

    tau: temperature (default: the model's own). refine: run words with an undecided logit again with Arb, with up to
    `maximum` bits. block: words per chunk (default: so that memory stays near 100 MB).
    Raises InputError for a shape, a type or indices that are none, and as `run_soft` for the temperature.
    """
    words = check_words(model, words)
    count, n = words.shape
    temperature = temperature_of(model, n, tau)
    size = max(1, BLOCK // len(model.positions(n)) ** 2) if block is None else block
    low, high = np.empty((count, n)), np.empty((count, n))
    parts = [[prepare(part) for part in layer.feed_forward] for layer in model.layers]
    for start in range(0, count, size):
        chunk = words[start : start + size]
        logit = _run(model, chunk, temperature, parts)
        low[start : start + size], high[start : start + size] = logit.low, logit.high
    sign = (low > 0).astype(np.int8) - (high <= 0)
    if refine:
        for row in np.flatnonzero((sign == 0).any(axis=1)):
            _refine(model, words, int(row), temperature, maximum, low, high, sign)
    return SoftBatch(low, high, sign)


def _refine(
    model: Transformer,
    words: NDArray[np.intp],
    row: int,
    tau: Fraction,
    maximum: int,
    low: Floats,
    high: Floats,
    sign: NDArray[np.int8],
) -> None:
    """Decide one word with Arb and narrow its enclosures."""
    run = run_soft(model, [model.alphabet[symbol] for symbol in words[row]], tau, maximum=maximum)
    sign[row] = [_SIGNS[verdict] for verdict in run.verdicts]
    for place, logit in enumerate(run.logits):
        if isinstance(logit, Fraction):
            low[row, place], high[row, place] = enclose(logit)
        elif logit.is_finite():
            try:
                below, above = endpoints(logit)
            except ValueError:  # too many bits
                continue
            # Both enclose the logit.
            low[row, place] = max(low[row, place], enclose(below)[0])
            high[row, place] = min(high[row, place], enclose(above)[1])


Prepared = tuple[Decomposition, tuple[Mapping[str, ArrayFunction], ...]]
"""A feed-forward part as a sum of functions, and for each of its linear forms these functions on arrays."""


def prepare(part: FeedForward) -> Prepared:
    """Make a feed-forward part ready for arrays."""
    parts = decompose(part)
    return parts, tuple({d: _array_function(f) for d, f in one.functions.items()} for one in parts.parts)


@lru_cache(maxsize=4096)
def _array_function(function: Piecewise) -> ArrayFunction:
    return ArrayFunction(function)


def _run(model: Transformer, words: NDArray[np.intp], tau: Fraction, parts: Sequence[Sequence[Prepared]]) -> Interval:
    """The logits of a chunk of words, shape (words, n)."""
    count, n = words.shape
    positions = model.positions(n)
    stream: Stream = dict(embed_batch(model, words))
    for layer, prepared in zip(model.layers, parts, strict=True):
        added: dict[str, list[Coordinate]] = {}
        for head in layer.heads:
            for d, output in _run_head(head, stream, positions, tau).items():
                added.setdefault(d, []).append(output)
        stream = {d: x for d, x in stream.items() if d not in added} | {
            d: _sum([*([stream[d]] if d in stream else []), *outputs]) for d, outputs in added.items()
        }
        for part in prepared:
            stream = _feed_forward(part, stream)
    first = 1 - positions.start
    logit = interval(_wide(_form(model.output.weights, stream, model.output.bias), len(positions)))[
        :, first : first + n
    ]
    return Interval(np.broadcast_to(logit.low, (count, n)), np.broadcast_to(logit.high, (count, n)))


def _run_head(head: Head, stream: Stream, positions: range, tau: Fraction) -> dict[str, Coordinate]:
    """What one head writes, by direction."""
    size = len(positions)
    seen = _seen(head.mask, positions)
    values: dict[tuple[tuple[str, Fraction], ...], Coordinate] = {}
    names = {d: tuple(sorted(form.items())) for d, form in head.value.items()}
    for name in set(names.values()):
        values[name] = _wide(_form(dict(name), stream), size)
    weights = _weights(head, stream, seen, tau)
    outputs: dict[tuple[tuple[str, Fraction], ...], Coordinate] = {}
    for name, value in values.items():
        if isinstance(value, ExactArray) and (weights is None or not value.largest):
            outputs[name] = average(seen[None], {"": value}, size)[""]
        else:
            outputs[name] = read(uniform_weights(seen) if weights is None else weights, interval(value), head.mask)
    return {d: outputs[name] for d, name in names.items()}


def _weights(head: Head, stream: Stream, seen: Booleans, tau: Fraction) -> Weights | None:
    """The softmax weights of a head, None if all visible scores of each query are exactly equal."""
    size = len(seen)
    rows = []
    for query, key in zip(head.query, head.key, strict=True):
        q, k = _form(query, stream), _form(key, stream)
        if not any(isinstance(x, ExactArray) and not x.largest for x in (q, k)):
            rows.append((_wide(q, size), _wide(k, size)))
    if not rows:
        return None
    exact = [(q, k) for q, k in rows if isinstance(q, ExactArray) and isinstance(k, ExactArray)]
    if len(exact) == len(rows):
        scores = bilinear(exact)
        if scores.numerators.dtype != object:
            return exact_weights(scores, seen, tau)
    return inexact_weights([interval(q) for q, _ in rows], [interval(k) for _, k in rows], seen, tau)


def _feed_forward(prepared: Prepared, stream: Stream) -> Stream:
    """The residual stream after a feed-forward part."""
    part, functions = prepared
    added: dict[str, list[Coordinate]] = {}
    for one, by_direction in zip(part.parts, functions, strict=True):
        u = _form({d: Fraction(c) for d, c in one.form}, stream)
        for d, function in by_direction.items():
            added.setdefault(d, []).append(function(u))
    result = dict(stream)
    for d in part.written:
        own = [result[d]] if d in result and d not in part.absorbed else []
        result[d] = _sum([*own, *added.get(d, [])], part.constant.get(d, Fraction(0)))
    return result


@lru_cache(maxsize=256)
def _seen(mask: Mask, positions: range) -> Booleans:
    return seen_from(mask, positions)


def _form(form: Vector, stream: Stream, constant: Fraction = Fraction(0)) -> Coordinate:
    """A linear form over the residual stream, plus a constant."""
    return linear(((c, stream[d]) for d, c in form.items() if d in stream), constant)


def _sum(coordinates: Sequence[Coordinate], constant: Fraction = Fraction(0)) -> Coordinate:
    return linear([(_ONE, x) for x in coordinates], constant)


def _wide(x: Coordinate, size: int) -> Coordinate:
    """The coordinate with all positions, where it was one number for all."""
    if x.shape[1] == size:
        return x
    if isinstance(x, ExactArray):
        return ExactArray(np.broadcast_to(x.numerators, (x.shape[0], size)), x.denominator)
    low = np.broadcast_to(x.low, (x.shape[0], size))
    return Interval(low, low if x.low is x.high else np.broadcast_to(x.high, (x.shape[0], size)))
