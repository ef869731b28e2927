"""Dense weight matrices of a transformer, for other frameworks; and a plain float64 softmax forward pass with them.

The forward pass rounds, and proves nothing: it is for comparison and benchmarks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.errors import InputError
from checker.exact import show
from checker.transformer.batchhead import seen_from
from checker.transformer.hardbatch import check_words
from checker.transformer.model import FeedForward, Head, Transformer, Vector

Matrix = NDArray[Any]


@dataclass(frozen=True)
class DenseHead:
    """query, key: W_Q and W_K, shape (rows, D). value: W_O W_V, shape (D, D), one row per direction that is written.

    seen: which positions each query may attend to, shape (positions, positions).
    """

    name: str
    query: Matrix
    key: Matrix
    value: Matrix
    seen: NDArray[np.bool_]
    ties: str


@dataclass(frozen=True)
class DenseFeedForward:
    """x -> x + second ReLU(first x + first_bias) + second_bias; shapes (units, D), (units,), (D, units), (D,)."""

    first: Matrix
    first_bias: Matrix
    second: Matrix
    second_bias: Matrix


@dataclass(frozen=True)
class DenseLayer:
    """Heads side by side, then feed-forward parts one after the other."""

    heads: tuple[DenseHead, ...]
    feed_forward: tuple[DenseFeedForward, ...]


@dataclass(frozen=True)
class Dense:
    """The matrices for words of length n; D directions in the order of `directions`.

    tokens: symbols, then "begin" and "end" where there are such markers; embedding: shape (tokens, D); begin, end: rows
    of the markers in it (None: no marker). positional: shape (positions, D), for all positions including the markers.
    output: shape (D,); output_bias: shape (). temperature: at length n, or None.
    """

    n: int
    directions: tuple[str, ...]
    tokens: tuple[str, ...]
    embedding: Matrix
    begin: int | None
    end: int | None
    positional: Matrix
    layers: tuple[DenseLayer, ...]
    output: Matrix
    output_bias: Any
    temperature: Any


def dense(model: Transformer, n: int, *, exact: bool = False) -> Dense:
    """The matrices of a model for words of length n >= 1: float64, or (exact) object arrays of Fractions.

    Floats are the nearest ones. Raises InputError for n < 1 and for numbers beyond the range of float64.
    """
    if type(n) is not int or n < 1:
        raise InputError(f"the length of a word is an integer >= 1, got {show(n)}")
    make = _Maker(model.directions, exact)
    positions = model.positions(n)
    vectors = [model.embedding[symbol] for symbol in model.alphabet]
    tokens, markers = list(model.alphabet), dict[str, int]()
    for name, marker in (("begin", model.begin), ("end", model.end)):
        if marker is not None:
            markers[name] = len(tokens)
            tokens.append(name)
            vectors.append(marker)
    columns = {direction: expression.along(positions, n) for direction, expression in model.positional.items()}
    places = [{direction: column[k] for direction, column in columns.items()} for k in range(len(positions))]
    layers = tuple(
        DenseLayer(
            tuple(make.head(head, positions) for head in layer.heads),
            tuple(make.feed_forward(part) for part in layer.feed_forward),
        )
        for layer in model.layers
    )
    return Dense(
        n=n,
        directions=model.directions,
        tokens=tuple(tokens),
        embedding=make.rows(vectors),
        begin=markers.get("begin"),
        end=markers.get("end"),
        positional=make.rows(places),
        layers=layers,
        output=make.rows([model.output.weights])[0],
        output_bias=make.numbers([model.output.bias])[0],
        temperature=None if model.temperature is None else make.numbers([model.temperature.at(0, n)])[0],
    )


def forward_float(model: Transformer, words: NDArray[Any], tau: float | None = None) -> NDArray[np.float64]:
    """Logits, shape (words, n), of the softmax transformer in plain float64 arithmetic: rounded, not rigorous.

    words: integer array (words, n) of indices into the alphabet. tau: temperature (default: the model's own).
    Raises InputError for words that are none and for a missing or non-positive temperature.
    """
    words = check_words(model, words)
    count, n = words.shape
    matrices = dense(model, n)
    tau = matrices.temperature if tau is None else tau
    if tau is None or not tau > 0:
        raise InputError(f"softmax attention needs a temperature > 0, got {show(tau)}")
    tokens = words
    if matrices.begin is not None:
        tokens = np.concatenate([np.full((count, 1), matrices.begin), tokens], axis=1)
    if matrices.end is not None:
        tokens = np.concatenate([tokens, np.full((count, 1), matrices.end)], axis=1)
    x = matrices.embedding[tokens] + matrices.positional
    for layer in matrices.layers:
        x = x + sum((attend_float(head, x, tau) for head in layer.heads), np.zeros_like(x))
        for part in layer.feed_forward:
            hidden = np.maximum(np.einsum("bpd,ud->bpu", x, part.first, optimize=True) + part.first_bias, 0)
            x = x + np.einsum("bpu,du->bpd", hidden, part.second, optimize=True) + part.second_bias
    first = int(matrices.begin is not None)
    logits: NDArray[np.float64] = x[:, first : first + n] @ matrices.output + matrices.output_bias
    return logits


def attend_float(head: DenseHead, x: NDArray[np.float64], tau: float) -> NDArray[np.float64]:
    """What a head with softmax attention writes, in float64; x: shape (words, positions, D)."""
    query = np.einsum("bpd,rd->bpr", x, head.query, optimize=True)
    key = np.einsum("bpd,rd->bpr", x, head.key, optimize=True)
    scores = np.where(head.seen, np.einsum("bir,bjr->bij", query, key, optimize=True), -np.inf)
    top = scores.max(axis=2, keepdims=True)
    weights = np.exp((scores - np.where(np.isfinite(top), top, 0.0)) / tau)
    total = weights.sum(axis=2, keepdims=True)
    weights = weights / np.where(total > 0, total, 1.0)  # nothing visible: no weight
    value = np.einsum("bpd,ed->bpe", x, head.value, optimize=True)
    written: NDArray[np.float64] = np.einsum("bij,bjd->bid", weights, value, optimize=True)
    return written


class _Maker:
    """Makes arrays over the directions in their order."""

    def __init__(self, directions: tuple[str, ...], exact: bool) -> None:
        self._place = {direction: k for k, direction in enumerate(directions)}
        self._exact = exact

    def numbers(self, numbers: Iterable[Fraction]) -> Matrix:
        """One axis."""
        numbers = list(numbers)
        array = np.empty(len(numbers), dtype=object)
        array[:] = numbers
        if self._exact:
            return array
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise InputError("a number of the model is beyond the range of float64") from None

    def rows(self, vectors: Iterable[Vector]) -> Matrix:
        """One row per vector, shape (vectors, D)."""
        vectors = list(vectors)
        size = len(self._place)
        entries = [Fraction(0)] * (len(vectors) * size)
        for row, vector in enumerate(vectors):
            for direction, number in vector.items():
                entries[row * size + self._place[direction]] = number
        return self.numbers(entries).reshape(len(vectors), size)

    def into(self, forms: Mapping[str, Vector]) -> Matrix:
        """One row per direction that is written, shape (D, D)."""
        return self.rows([forms.get(direction, {}) for direction in self._place])

    def head(self, head: Head, positions: range) -> DenseHead:
        """The matrices of a head."""
        seen = seen_from(head.mask, positions)
        query, key, value = self.rows(head.query), self.rows(head.key), self.into(head.value)
        return DenseHead(head.name, query, key, value, seen, head.ties.value)

    def feed_forward(self, part: FeedForward) -> DenseFeedForward:
        """The matrices of a feed-forward part."""
        entries = [
            part.output.get(direction, {}).get(unit, Fraction(0))
            for direction in self._place
            for unit in range(len(part.hidden))
        ]
        return DenseFeedForward(
            self.rows([unit.weights for unit in part.hidden]),
            self.numbers([unit.bias for unit in part.hidden]),
            self.numbers(entries).reshape(len(self._place), len(part.hidden)),
            self.rows([part.bias])[0],
        )
