"""Compiled transformers without their clean-up layers: the same hard run, but errors of softmax attention stay.

A clean-up (D1) makes a bit of whatever is within its threshold of one. Without it, a bit that a head reads is copied as
it is, and what decides the sign of a sum of counts has no threshold around the integers any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from checker.errors import InputError
from checker.exact import exact
from checker.transformer.model import FeedForward, Layer, Transformer, Unit

_ONE = Fraction(1)

Units = tuple[tuple[Unit, ...], tuple[Fraction, ...]]


def without_cleanup(model: Transformer) -> Transformer:
    """The compiled transformer with every clean-up replaced: the hard run, and so every decision, stays the same.

    A clean-up of x + word - 1 becomes ReLU(x + word - 1), which is x at word positions and 0 at markers. The sign of an
    integer D, a ramp from 0 at D = -1 + e to 1 at D = -e, becomes the ramp from -1 to 0. The result has no temperature.
    Raises InputError for a model that does not say, in origin, with which threshold e it was compiled.
    """
    threshold = _threshold(model)
    layers = tuple(
        Layer(layer.heads, tuple(_replaced(part, threshold) for part in layer.feed_forward)) for layer in model.layers
    )
    kept = {key: model.origin[key] for key in ("formula", "regime") if key in model.origin}
    return replace(
        model, name=f"{model.name}, without clean-up", layers=layers, temperature=None,
        origin={**kept, "without": "clean-up"},
    )  # fmt: skip


def _threshold(model: Transformer) -> Fraction:
    found = model.origin.get("threshold")
    if not isinstance(found, str):
        raise InputError(f"the transformer {model.name} is not one that was compiled: its origin names no threshold")
    threshold = exact(found, "origin.threshold")
    if not 0 <= threshold < Fraction(1, 2):
        raise InputError(f"origin.threshold must be at least 0 and below 1/2, got {threshold}")
    return threshold


def _replaced(part: FeedForward, threshold: Fraction) -> FeedForward:
    hidden: list[Unit] = []
    output: dict[str, Mapping[int, Fraction]] = {}
    for direction, combination in part.output.items():
        units = tuple(part.hidden[number] for number in combination), tuple(combination.values())
        units = _plain(units, threshold)
        output[direction] = {len(hidden) + place: c for place, c in enumerate(units[1])}
        hidden.extend(units[0])
    return FeedForward(tuple(hidden), output, part.bias)


def _plain(units: Units, e: Fraction) -> Units:
    """The replacement of the units that write one direction, if they are a clean-up; else the units themselves."""
    hidden, coefficients = units
    if len(hidden) != 2 or hidden[0].weights != hidden[1].weights or coefficients[0] != -coefficients[1]:
        return units
    weights, biases = hidden[0].weights, (hidden[0].bias, hidden[1].bias)
    slope = 1 / (1 - 2 * e)
    if coefficients[0] == slope and biases == (-1 - e, e - 2) and all(c == 1 for c in weights.values()):
        return (Unit(weights, -_ONE),), (_ONE,)
    # (D + 1 - e) slope, and 1 less
    scaled = {d: c / slope for d, c in weights.items()}
    shift = biases[0] / slope - 1 + e
    whole = all(c.denominator == 1 for c in (*scaled.values(), shift))
    if coefficients[0] == 1 and biases[0] - biases[1] == 1 and whole:
        return (Unit(scaled, shift + 1), Unit(scaled, shift)), (_ONE, -_ONE)
    return units
