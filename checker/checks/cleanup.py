"""Checks of D1: the clean-up and the sign of an integer, with max and min from their definitions, exactly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction

from .claims import StatedClaim
from .grids import Plan
from .item import Item, Items, Mode, at
from .rational import Function, row, value

HALF = Fraction(1, 2)
ZERO, ONE = Fraction(0), Fraction(1)
THRESHOLDS = (ZERO, Fraction(1, 7), Fraction(1, 3), Fraction(499, 1000))
BEYOND = (HALF, Fraction(3, 5), ONE)
OFFSETS = (-ONE, -HALF, ZERO, Fraction(1, 3), ONE)
"""Of the distance allowed."""


def _offsets(most: Fraction) -> tuple[Fraction, ...]:
    return tuple(most * offset for offset in OFFSETS) if most else (ZERO,)


def relu(x: Fraction) -> Fraction:
    """max(0, x)."""
    return max(ZERO, x)


def clean(x: Fraction, a: Fraction) -> Fraction:
    """(ReLU(x - a) - ReLU(x - 1 + a))/(1 - 2a)."""
    return (relu(x - a) - relu(x - 1 + a)) / (1 - 2 * a)


def sign(x: Fraction, e: Fraction) -> Fraction:
    """min(1, max(0, (x + 1 - e)/(1 - 2e)))."""
    return min(ONE, max(ZERO, (x + 1 - e) / (1 - 2 * e)))


def _both(
    claim: StatedClaim, defined: Fraction, names: Mapping[str, Fraction | int], functions: Mapping[str, Function] = {}
) -> Items:
    """The value from the definition, and that of the stated left-hand side, against the bound."""
    bound = value(claim.bound, names, functions)
    mode = Mode.EQUAL if claim.op == "=" else (Mode.EITHER if defined == bound else Mode.DECIDED)
    for kind, found in (("by definition", defined), ("as stated", value(claim.left, names, functions))):
        yield Item(kind, found, claim.op, bound, mode, at(**names, side=kind))


def threshold(claim: StatedClaim, plan: Plan) -> Items:
    """D1.zero, D1.one, D1.masked-zero: at the limit of the hypothesis on x, and beyond it."""
    del plan
    op = ">=" if claim.name == "D1.one" else "<="
    away = ONE if op == ">=" else -ONE
    for a in THRESHOLDS:
        limit = value(claim.hypothesis("x", op), {"a": a})
        for more in (ZERO, Fraction(1, 9), HALF, Fraction(3)):
            x = limit + away * more
            if claim.name == "D1.masked-zero":
                yield from _both(claim, clean(x - 1, a), {"x": x, "w": 0, "a": a})
            else:
                yield from _both(claim, clean(x, a), {"x": x, "a": a})


def everywhere(claim: StatedClaim, plan: Plan) -> Items:
    """D1.nonnegative, D1.at-most-one: on a grid that passes both corners."""
    del plan
    for a in THRESHOLDS:
        for x in sorted({Fraction(j, 8) for j in range(-8, 17)} | {a, 1 - a}):
            yield from _both(claim, clean(x, a), {"x": x, "a": a})


def near_bit(claim: StatedClaim, plan: Plan) -> Items:
    """D1.clean, D1.masked: numbers within the threshold of a Boolean; anything up to 1 + a outside the word."""
    del plan
    for a, b in itertools.product(THRESHOLDS, (0, 1)):
        for x in (b + off for off in _offsets(a)):
            inside = {"w": 1} if claim.name == "D1.masked" else {}
            yield from _both(claim, clean(x, a), {"x": x, "a": a, "b": b, **inside})
        for x in sorted({-ONE, HALF, ONE, 1 + a}) if claim.name == "D1.masked" else ():
            yield from _both(claim, clean(x - 1, a), {"x": x, "a": a, "b": b, "w": 0})


def limit(claim: StatedClaim, plan: Plan) -> Items:
    """D1.limit, D1.integer-limit: from one half on, one number is within the threshold of both."""
    del plan
    name = "e" if claim.name == "D1.integer-limit" else "a"
    least = value(claim.hypothesis(name, ">="), {})
    for large, b in itertools.product(sorted({least, *BEYOND}), (0, 1)):
        distance = abs((b if name == "a" else -b) - (HALF if name == "a" else -HALF))
        yield from _both(claim, distance, {name: large, "b": b})


def integer(claim: StatedClaim, plan: Plan) -> Items:
    """D1.integer-true, D1.integer-false: numbers within e of the integers -4..4."""
    del plan
    for whole, e in itertools.product(range(-4, 5), THRESHOLDS):
        if (whole >= 0) is (claim.name == "D1.integer-true"):
            for x in (whole + off for off in _offsets(e)):
                yield from _both(claim, sign(x, e), {"x": x, "e": e, "D": whole})


def conjunction(claim: StatedClaim, plan: Plan) -> Items:
    """D1.and-true, D1.and-false: every row of bits."""
    for bits in _bit_rows(plan.max_n, 0):
        if all(bits) is not (claim.name == "D1.and-true"):
            continue
        defined = relu(Fraction(sum(bits) - (len(bits) - 1)))
        bound = value(claim.bound, {})
        stated = value(claim.left, {"n": len(bits)}, {"f": row(bits)})
        for kind, found in (("by definition", defined), ("as stated", stated)):
            yield Item(kind, found, claim.op, bound, Mode.EQUAL, at(bits="".join(map(str, bits)), side=kind))


def _bit_rows(longest: int, shortest: int) -> Iterator[tuple[int, ...]]:
    for n in range(shortest, longest + 1):
        yield from itertools.product((0, 1), repeat=n)
