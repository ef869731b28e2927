"""Rigorous run of a softmax transformer on one word, from its weights alone: exact where it can be, else Arb balls.

A coordinate stays an exact fraction as long as it is one: embeddings, means of heads whose visible scores are all
equal (their weights are exactly 1/k), clean-ups of enclosures beyond the threshold. Everything else is a ball, and
the precision is doubled until every wanted sign is decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from checker.attention import visible
from checker.ball import working
from checker.errors import InputError
from checker.exact import show
from checker.transformer.hard import embed
from checker.transformer.model import Head, Transformer
from checker.transformer.number import Number, add, combine, dot, linear, positive, softmax, total_variation
from checker.transformer.piecewise import Decomposition, decompose
from checker.verdict import Verdict

ACCURACY_BITS = 40
"""Wanted relative accuracy of total variations, in bits: 10^-12."""

Stream = list[dict[str, Number]]
"""The residual stream: for each position, the coordinates that may differ from 0."""

Chosen = Sequence[Sequence[Sequence[Sequence[int]]]]
"""What hard attention chooses, by layer, head and query: places of the stream, counted from 0."""


@dataclass(frozen=True)
class Attended:
    """What one query attends to.

    visible: places of the stream, counted from 0. weights: softmax weight of each. tv: total variation to the hard
    weights (None: no hard choices were given). output: what is added to each direction.
    """

    visible: range
    weights: tuple[Number, ...]
    tv: Number | None
    output: Mapping[str, Number]


@dataclass(frozen=True)
class SoftHead:
    """A head's name and what the query at each position attends to, in the order of the positions."""

    name: str
    queries: tuple[Attended, ...]


@dataclass(frozen=True)
class SoftLayer:
    """The heads of a layer, and the residual stream after its feed-forward parts."""

    heads: tuple[SoftHead, ...]
    stream: tuple[Mapping[str, Number], ...]


@dataclass(frozen=True)
class SoftRun:
    """A rigorous softmax run: every Number is exact, or a ball that contains the true value.

    logits: at word positions 1..n. verdicts: whether each is > 0. precision: bits at which the run was made.
    """

    tau: Fraction
    precision: int
    layers: tuple[SoftLayer, ...]
    logits: tuple[Number, ...]
    verdicts: tuple[Verdict, ...]
    accepted: Verdict


def run_soft(
    model: Transformer,
    word: Sequence[str],
    tau: Fraction | None = None,
    *,
    chosen: Chosen | None = None,
    precision: int = 128,
    maximum: int = 4096,
    accepting_only: bool = False,
) -> SoftRun:
    """Run the softmax transformer on a word of n >= 1 symbols at the temperature tau (default: the model's own).

    chosen: what hard attention chooses (`HardRun.chosen`); total variations to its weights are then enclosed, to a
    relative 10^-12 unless `maximum` bits do not suffice. The precision doubles from `precision` until the sign of
    every logit (accepting_only: of the one that decides about the word) is known, or to `maximum`; then verdicts may
    be UNDECIDED.
    Raises InputError for an empty word, an unknown symbol, a missing or non-positive temperature.
    """
    temperature = temperature_of(model, len(word), tau)
    stream: Stream = [dict(x) for x in embed(model, word)]
    parts = [[decompose(part) for part in layer.feed_forward] for layer in model.layers]
    while True:
        with working(precision):
            run = _run(model, stream, parts, temperature, precision, chosen)
        wanted = (run.accepted,) if accepting_only else run.verdicts
        if Verdict.UNDECIDED not in wanted and _accurate(run):
            return run
        if precision >= maximum:
            return run
        precision = min(2 * precision, maximum)


def temperature_of(model: Transformer, n: int, tau: Fraction | None) -> Fraction:
    """Return tau, or the model's temperature for words of length n; raises InputError unless it is a number > 0."""
    if n < 1:
        raise InputError("the word is empty; a run needs at least one symbol")
    if tau is None:
        if model.temperature is None:
            raise InputError(f"the model {model.name} has no temperature; give one to run it with softmax attention")
        tau = model.temperature.at(0, n)
    if tau <= 0:
        raise InputError(f"the temperature must be > 0, got {show(tau)} at n = {n}")
    return Fraction(tau)


def _run(
    model: Transformer,
    stream: Stream,
    parts: list[list[Decomposition]],
    tau: Fraction,
    precision: int,
    chosen: Chosen | None,
) -> SoftRun:
    layers = []
    for number, layer in enumerate(model.layers):
        choices = [None] * len(layer.heads) if chosen is None else chosen[number]
        heads = [
            _run_head(head, stream, tau, precision, choice) for head, choice in zip(layer.heads, choices, strict=True)
        ]
        after = [dict(x) for x in stream]
        for head in heads:
            for x, query in zip(after, head.queries, strict=True):
                for d, value in query.output.items():
                    x[d] = add(x.get(d, Fraction(0)), value)
        for part in parts[number]:
            after = [feed_forward(part, x) for x in after]
        stream = after
        layers.append(SoftLayer(tuple(heads), tuple(stream)))
    first = int(model.begin is not None)
    words = stream[first : len(stream) - (model.end is not None)]
    logits = tuple(add(linear(model.output.weights, x), model.output.bias) for x in words)
    verdicts = tuple(positive(logit) for logit in logits)
    accepted = verdicts[0] if model.output.position == "first" else verdicts[-1]
    return SoftRun(tau, precision, tuple(layers), logits, verdicts, accepted)


def _run_head(
    head: Head, stream: Stream, tau: Fraction, precision: int, chosen: Sequence[Sequence[int]] | None
) -> SoftHead:
    queries = [[linear(form, x) for form in head.query] for x in stream]
    keys = [[linear(form, x) for form in head.key] for x in stream]
    values = {d: [linear(form, x) for x in stream] for d, form in head.value.items()}
    rows = []
    for place, query in enumerate(queries):
        seen = visible(head.mask, place + 1, len(stream))
        indices = range(seen.start - 1, seen.stop - 1)
        weights = softmax([dot(query, keys[j]) for j in indices], tau, precision) if indices else []
        output = {d: combine(weights, [value[j] for j in indices]) for d, value in values.items()}
        tv = None if chosen is None else total_variation(weights, [j - indices.start for j in chosen[place]])
        rows.append(Attended(indices, tuple(weights), tv, output))
    return SoftHead(head.name, tuple(rows))


def feed_forward(part: Decomposition, x: Mapping[str, Number]) -> dict[str, Number]:
    """Return the coordinates after a feed-forward part with its residual."""
    result = {d: value for d, value in x.items() if d not in part.absorbed}
    for d, constant in part.constant.items():
        result[d] = add(result.get(d, Fraction(0)), constant)
    for one in part.parts:
        u = linear(one.form, x)
        for d, function in one.functions.items():
            result[d] = add(result.get(d, Fraction(0)), function.enclose(u))
    return result


def _accurate(run: SoftRun) -> bool:
    variations = (q.tv for layer in run.layers for head in layer.heads for q in head.queries)
    return all(v is None or isinstance(v, Fraction) or v.rel_accuracy_bits() >= ACCURACY_BITS for v in variations)
