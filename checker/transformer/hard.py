"""The exact run of a hard-attention transformer on one word, with everything that a trace shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from checker.attention import Mask, Tie, visible
from checker.errors import InputError
from checker.exact import show
from checker.transformer.model import FeedForward, Head, Transformer, Vector

Stream = tuple[Mapping[str, Fraction], ...]
"""The residual stream: for each position in order, every direction that is not 0 (and perhaps some that are)."""


@dataclass(frozen=True)
class HardQuery:
    """What the query at `position` attends to.

    visible: the positions it may attend to. scores: of these, in order. chosen: positions on which the hard weight is
    1/len(chosen) (none if nothing is visible). gap: the maximal score minus the next lower one (None: no rival).
    output: what the head writes.
    """

    position: int
    visible: range
    scores: tuple[Fraction, ...]
    chosen: tuple[int, ...]
    gap: Fraction | None
    output: Mapping[str, Fraction]


@dataclass(frozen=True)
class HardHead:
    """A head's name, and its queries in the order of positions."""

    name: str
    queries: tuple[HardQuery, ...]


@dataclass(frozen=True)
class HardLayer:
    """The heads of a layer; the residual stream after its heads, and after all its feed-forward parts."""

    heads: tuple[HardHead, ...]
    attended: Stream
    stream: Stream


@dataclass(frozen=True)
class HardRun:
    """An exact run. positions: with those of the markers; every tuple by position has their order.

    embedded: the residual stream before the first layer. logits: at the word positions 1..n.
    """

    word: tuple[str, ...]
    positions: range
    embedded: Stream
    layers: tuple[HardLayer, ...]
    logits: tuple[Fraction, ...]
    accepted: bool

    @property
    def chosen(self) -> list[list[list[list[int]]]]:
        """By layer, head and query: the indices, in `positions`, of the chosen positions."""
        return [
            [[[j - self.positions.start for j in query.chosen] for query in head.queries] for head in layer.heads]
            for layer in self.layers
        ]


def run_hard(model: Transformer, word: Sequence[str]) -> HardRun:
    """Run the model with hard attention on a word of n >= 1 symbols, exactly.

    Raises InputError for an empty word, an unknown symbol and a positional embedding that is undefined.
    """
    positions = model.positions(len(word))
    embedded = stream = embed(model, word)
    layers = []
    for layer in model.layers:
        heads = tuple(_run_head(head, stream, positions) for head in layer.heads)
        rows = [_sum(x, *(head.queries[place].output for head in heads)) for place, x in enumerate(stream)]
        attended = tuple(rows)
        for part in layer.feed_forward:
            rows = [_sum(x, feed_forward(part, x)) for x in rows]
        stream = tuple(rows)
        layers.append(HardLayer(heads, attended, stream))
    first = 1 - positions.start
    output = model.output
    logits = tuple(linear(output.weights, x) + output.bias for x in stream[first : first + len(word)])
    accepted = logits[0 if output.position == "first" else -1] > 0
    return HardRun(tuple(word), positions, embedded, tuple(layers), logits, accepted)


def embed(model: Transformer, word: Sequence[str]) -> Stream:
    """The residual stream before the first layer; raises InputError for an empty word or an unknown symbol."""
    n = len(word)
    if n < 1:
        raise InputError("the word is empty; a run needs at least one symbol")
    for place, symbol in enumerate(word, start=1):
        if symbol not in model.embedding:
            known = " ".join(model.alphabet)
            raise InputError(f"symbol {place} of the word is {show(symbol)}; the alphabet is {known}")
    tokens = [model.embedding[symbol] for symbol in word]
    if model.begin is not None:
        tokens.insert(0, model.begin)
    if model.end is not None:
        tokens.append(model.end)
    positions = model.positions(n)
    tables = {direction: expression.along(positions, n) for direction, expression in model.positional.items()}
    places = [{direction: table[place] for direction, table in tables.items()} for place in range(len(positions))]
    return tuple(_sum(token, place) for token, place in zip(tokens, places, strict=True))


def linear(form: Vector, x: Mapping[str, Fraction]) -> Fraction:
    """The value of a linear form at a point of the residual stream."""
    return sum((weight * x[direction] for direction, weight in form.items() if direction in x), Fraction(0))


def visible_from(mask: Mask, position: int, positions: range) -> range:
    """The positions, among `positions`, that a query at `position` may attend to."""
    shift = positions.start - 1
    seen = visible(mask, position - shift, len(positions))
    return range(seen.start + shift, seen.stop + shift)


def choose(scores: Sequence[Fraction], ties: Tie) -> tuple[int, ...]:
    """The indices that hard attention chooses among scores, with equal weights; none of no scores."""
    top = max(scores, default=None)
    maximal = tuple(index for index, score in enumerate(scores) if score == top)
    return {Tie.LEFTMOST: maximal[:1], Tie.RIGHTMOST: maximal[-1:], Tie.AVERAGE: maximal}[ties]


def gap_of(scores: Iterable[Fraction]) -> Fraction | None:
    """The largest score minus the next lower one; None when there is no lower one."""
    distinct = set(scores)
    if len(distinct) < 2:
        return None
    top = max(distinct)
    return top - max(distinct - {top})


def feed_forward(part: FeedForward, x: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """What a feed-forward part adds to the residual stream x of one position."""
    hidden = [max(linear(unit.weights, x) + unit.bias, Fraction(0)) for unit in part.hidden]
    output = {
        direction: sum((weight * hidden[number] for number, weight in units.items()), Fraction(0))
        for direction, units in part.output.items()
    }
    return _sum(output, part.bias)


def _run_head(head: Head, stream: Stream, positions: range) -> HardHead:
    keys = [[linear(form, x) for form in head.key] for x in stream]
    values = [{direction: linear(form, x) for direction, form in head.value.items()} for x in stream]
    first = positions.start
    queries = []
    for position, x in zip(positions, stream, strict=True):
        query = [linear(form, x) for form in head.query]
        seen = visible_from(head.mask, position, positions)
        scores = tuple(sum((q * k for q, k in zip(query, keys[j - first], strict=True)), Fraction(0)) for j in seen)
        chosen = tuple(seen[index] for index in choose(scores, head.ties))
        output = {
            direction: sum((values[j - first][direction] for j in chosen), Fraction(0)) / max(len(chosen), 1)
            for direction in head.value
        }
        queries.append(HardQuery(position, seen, scores, chosen, gap_of(scores), output))
    return HardHead(head.name, tuple(queries))


def _sum(x: Mapping[str, Fraction], *others: Mapping[str, Fraction]) -> dict[str, Fraction]:
    result = dict(x)
    for other in others:
        for direction, value in other.items():
            result[direction] = result.get(direction, Fraction(0)) + value
    return result
