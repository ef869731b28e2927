"""Where the error of a softmax run first escapes: the layer after which it is no longer absorbed on one word.

It escapes in a layer if a feed-forward part of it turns values that it should have made exact into others, or if after
it some head scores a wrong key at least as high as a right one; at the latest in the last layer, whose error reaches
the output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from checker.ball import Ball, endpoints, working
from checker.transformer.hard import HardRun, run_hard
from checker.transformer.model import Transformer
from checker.transformer.number import Number, add, dot, linear
from checker.transformer.piecewise import Decomposition, decompose
from checker.transformer.soft import SoftRun, run_soft

PRECISION = 256
Row = Mapping[str, Number]


@dataclass(frozen=True)
class Escape:
    """layer: counted from 1 (0: there is none); place: what went wrong there; errors: per layer, a lower bound of the
    largest error in the residual stream after it."""

    layer: int
    place: str
    errors: tuple[Fraction, ...]


def escape(model: Transformer, word: Sequence[str], tau: Fraction) -> Escape:
    """The layer where the error of the softmax run of a word at the temperature tau > 0 first escapes."""
    hard = run_hard(model, word)
    soft = run_soft(model, word, tau, precision=PRECISION, accepting_only=True)
    with working(PRECISION):
        errors = tuple(
            max((_distance(x, y) for x, y in zip(a.stream, b.stream, strict=True)), default=Fraction(0))
            for a, b in zip(soft.layers, hard.layers, strict=True)
        )
        for number in range(len(model.layers)):
            found = _not_absorbed(model, number, hard, soft) or _wrong_choice(model, number + 1, hard, soft)
            if found:
                return Escape(number + 1, found, errors)
    return Escape(len(model.layers), "the last, and reaches the output", errors)


def _not_absorbed(model: Transformer, number: int, hard: HardRun, soft: SoftRun) -> str | None:
    """A clean-up of this layer whose argument left its flat piece: the first feed-forward part is looked at."""
    layer = model.layers[number]
    if not layer.feed_forward:
        return None
    part = decompose(layer.feed_forward[0])
    before = [dict(x) for x in (soft.layers[number - 1].stream if number else hard.embedded)]
    for head in soft.layers[number].heads:
        for x, query in zip(before, head.queries, strict=True):
            for d, value in query.output.items():
                x[d] = add(x.get(d, Fraction(0)), value)
    for place, (x, y) in enumerate(zip(before, hard.layers[number].attended, strict=True)):
        direction = _moved_from_flat(part, x, y)
        if direction is not None:
            position = hard.positions[place]
            return f"where the feed-forward part at position {position} no longer absorbs the error of {direction}"
    return None


def _moved_from_flat(part: Decomposition, soft: Row, hard: Mapping[str, Fraction]) -> str | None:
    for one in part.parts:
        argument = linear(one.form, hard)
        assert isinstance(argument, Fraction)
        for d, function in one.functions.items():
            piece = sum(point < argument for point in function.breakpoints)
            ends = function.breakpoints[max(piece - 1, 0) : piece + 1]
            if function.slopes[piece] or argument in ends:
                continue
            if _size(add(function.enclose(linear(one.form, soft)), -function.at(argument))) > 0:
                return d
    return None


def _wrong_choice(model: Transformer, number: int, hard: HardRun, soft: SoftRun) -> str | None:
    """A head of layer `number`, from 0, that scores a key that is not maximal as high as a maximal one."""
    if number >= len(model.layers):
        return None
    stream = soft.layers[number - 1].stream
    for head, run in zip(model.layers[number].heads, hard.layers[number].heads, strict=True):
        keys = [[linear(form, x) for form in head.key] for x in stream]
        for x, query in zip(stream, run.queries, strict=True):
            if query.gap is None:
                continue
            q = [linear(form, x) for form in head.query]
            scores = [dot(q, keys[j - hard.positions.start]) for j in query.visible]
            top = max(query.scores)
            right = [s for s, exact in zip(scores, query.scores, strict=True) if exact == top]
            wrong = [s for s, exact in zip(scores, query.scores, strict=True) if exact != top]
            if any(_at_most(r, w) for r in right for w in wrong):
                return (
                    f"and a wrong key scores as high as a right one for the head {head.name} of layer {number + 1} "
                    f"at position {query.position} (gap {query.gap})"
                )
    return None


def _at_most(x: Number, y: Number) -> bool:
    difference = add(x, -y)
    return difference <= 0 if isinstance(difference, Fraction) else bool(difference <= 0)


def _distance(soft: Row, hard: Mapping[str, Fraction]) -> Fraction:
    """A lower bound of the largest |difference|."""
    return max(
        (_size(add(soft.get(d, Fraction(0)), -hard.get(d, Fraction(0)))) for d in {**soft, **hard}),
        default=Fraction(0),
    )


def _size(x: Number) -> Fraction:
    """A lower bound of |x|."""
    if isinstance(x, Fraction):
        return abs(x)
    return _lower(x) if x.is_finite() else Fraction(0)


def _lower(x: Ball) -> Fraction:
    low, high = endpoints(x)
    return max(low, -high, Fraction(0))
