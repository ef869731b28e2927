"""All words of a block through the layers at once, every activation computed once per cell of what it depends on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from checker.attention import Mask
from checker.transformer.batchhead import seen_from
from checker.transformer.exactarray import ExactArray
from checker.transformer.interval import Coordinate, Interval, linear
from checker.transformer.model import Head, Vector
from checker.transformer.prefixplan import Plan
from checker.transformer.sharing import CELLS, Block, Booleans, Kind, join
from checker.transformer.softbatch import Prepared


@dataclass(frozen=True, eq=False)
class Activation:
    """One direction at all words and positions of a block, in an array of the shape that belongs to its kind."""

    kind: Kind
    value: Coordinate


Stream = Mapping[str, Activation]
"""Directions (those left out carry 0) to activations."""

_ONE = Fraction(1)


class Run(ABC):
    """A run of a block of words; what a head does is left to the kinds of attention."""

    def __init__(self, plan: Plan, block: Block) -> None:
        self.plan, self.block = plan, block

    @abstractmethod
    def head(self, head: Head, stream: Stream) -> dict[str, Activation]:
        """What a head writes, by direction."""

    def streams(self) -> Iterator[Stream]:
        """The residual stream: embedded, and after every layer."""
        stream = embed(self)
        yield stream
        for layer, parts in zip(self.plan.model.layers, self.plan.parts, strict=True):
            added: dict[str, list[Activation]] = {}
            for head in layer.heads:
                for d, written in self.head(head, stream).items():
                    added.setdefault(d, []).append(written)
            stream = {**stream, **{d: self._sum(d, stream, outputs) for d, outputs in added.items()}}
            for part in parts:
                stream = self._feed_forward(part, stream)
            yield stream

    def logits(self) -> Coordinate:
        """The logits at the word positions, shape (W, n)."""
        for stream in self.streams():
            last = stream
        logit = self.form(self.plan.model.output.weights, last, self.plan.model.output.bias)
        columns = slice(self.block.first, self.block.first + self.block.n)
        if logit.kind in CELLS:
            return take(logit.value, (self.block.cells(logit.kind).index[:, columns], 0))
        return take(widened(logit.value, (self.block.count, self.block.size)), (slice(None), columns))

    def form(self, weights: Vector, stream: Stream, constant: Fraction = Fraction(0)) -> Activation:
        """A linear form over the residual stream, plus a constant."""
        return self.linear([(c, stream[d]) for d, c in weights.items() if c and d in stream], constant)

    def linear(self, terms: Sequence[tuple[Fraction, Activation]], constant: Fraction = Fraction(0)) -> Activation:
        """The sum of coefficient * activation, plus a constant."""
        kind = join(*(x.kind for _, x in terms))
        return Activation(kind, linear([(c, self.spread(x, kind)) for c, x in terms], constant))

    def _sum(self, d: str, stream: Stream, added: Iterable[Activation], constant: Fraction = Fraction(0)) -> Activation:
        own = [stream[d]] if d in stream else []
        return self.linear([(_ONE, x) for x in (*own, *added)], constant)

    def _feed_forward(self, prepared: Prepared, stream: Stream) -> Stream:
        part, functions = prepared
        added: dict[str, list[Activation]] = {}
        for one, by_direction in zip(part.parts, functions, strict=True):
            u = self.form({d: Fraction(c) for d, c in one.form}, stream)
            for d, function in by_direction.items():
                value = function(u.value)
                # A function that is constant gives one number, whatever its argument depends on.
                added.setdefault(d, []).append(Activation(Kind.CONSTANT if value.shape == (1, 1) else u.kind, value))
        result = dict(stream)
        for d in part.written:
            old = {} if d in part.absorbed else stream
            result[d] = self._sum(d, old, added.get(d, []), part.constant.get(d, Fraction(0)))
        return result

    def spread(self, x: Activation, kind: Kind) -> Coordinate:
        """The activation in an array that broadcasts with those of a kind above its own."""
        if x.kind is kind or x.kind in (Kind.CONSTANT, Kind.WORD):
            return x.value
        if kind is Kind.FULL:
            return take(x.value, (self.block.cells(x.kind).index, 0)) if x.kind in CELLS else x.value
        if x.kind is Kind.POSITION:
            return take(x.value, (0, self.block.cells(kind).column[:, None]))
        return take(x.value, self.block.at(x.kind, kind))

    def along(self, x: Activation, kind: Kind) -> Coordinate:
        """The activation at all positions of the word (of a word that has the cell), shape (rows of the kind, P)."""
        if x.kind not in CELLS:
            return widened(x.value, (x.value.shape[0], self.block.size))
        if kind in CELLS:
            # Every cell sees itself.
            seen = (self.block.seen(kind), 0)
            own = self.spread(x, kind)
            return own.repeated(seen) if isinstance(own, ExactArray) else take(own, seen)
        return take(x.value, (self.block.cells(x.kind).index, 0))

    def rows(self, array: Any, source: Kind, target: Kind) -> Any:
        """What belongs to queries of the kind `source`, on the first two axes, in the layout of the kind `target`."""
        if source is target or source in (Kind.CONSTANT, Kind.WORD):
            return array
        if target is Kind.FULL:
            return array[self.block.cells(source).index, 0] if source in CELLS else array
        if source is Kind.POSITION:
            return array[0, self.block.cells(target).column][:, None]
        return array[self.block.at(source, target)]

    def visible(self, mask: Mask, kind: Kind) -> Booleans:
        """Which keys are visible to queries of a kind: shape (queries, P), or (cells, 1, P)."""
        if kind in CELLS:
            return self.block.visible(mask, kind)
        seen = seen_from(mask, self.block.positions)
        return seen[:1] if kind in (Kind.CONSTANT, Kind.WORD) else seen  # without mask, all queries see the same


def embed(run: Run) -> Stream:
    """The residual stream before the first layer."""
    plan, block, model = run.plan, run.block, run.plan.model
    stream: dict[str, Activation] = {}
    for d in model.directions:
        terms = []
        if (kind := plan.symbols.get(d)) is not None:
            symbols = [model.embedding[symbol].get(d, Fraction(0)) for symbol in model.alphabet]
            begin = [model.begin.get(d, Fraction(0))] if model.begin is not None else []
            end = [model.end.get(d, Fraction(0))] if model.end is not None else []
            if kind is not Kind.LOCAL:
                symbols = symbols[:1]
            column = ExactArray.fractions_array([*begin, *symbols * block.n, *end])
            value = {Kind.LOCAL: column[:, None], Kind.POSITION: column[None, :], Kind.CONSTANT: column[None, :1]}[kind]
            terms.append((_ONE, Activation(kind, value)))
        if d in model.positional:
            expression = model.positional[d]
            places = ExactArray.fractions_array(expression.along(block.positions, block.n))[None, :]
            varies = "i" in expression.variables
            place = Activation(Kind.POSITION, places) if varies else Activation(Kind.CONSTANT, places[:, :1])
            terms.append((_ONE, place))
        if terms:
            stream[d] = run.linear(terms)
    return stream


def take(x: Coordinate, index: Any) -> Coordinate:
    """The entries of a coordinate at an index."""
    if isinstance(x, ExactArray):
        return x[index]
    low = x.low[index]
    return Interval(low, low if x.low is x.high else x.high[index])


def widened(x: Coordinate, shape: tuple[int, int]) -> Coordinate:
    """The coordinate broadcast to a shape."""
    if x.shape == shape:
        return x
    if isinstance(x, ExactArray):
        return ExactArray(np.broadcast_to(x.numerators, shape), x.denominator)
    low = np.broadcast_to(x.low, shape)
    return Interval(low, low if x.low is x.high else np.broadcast_to(x.high, shape))
