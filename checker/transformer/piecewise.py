"""Feed-forward parts as sums of piecewise-linear functions of one variable, so that ranges lose no correlation.

Units whose weights are multiples of one form w . x are functions of that one number: all of them together write to
a direction d a continuous piecewise-linear function f_d(w . x), exact in its breakpoints and slopes. The range of f_d
over an interval is taken at the ends of the interval and the breakpoints inside it; so a clean-up (D1) of an enclosure
that lies beyond its threshold is exactly 0 or 1. Where w . x is the coordinate x_d itself, the residual x_d is
part of f_d, so that x_d - x_d is 0 for an enclosure, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from checker.ball import Ball, ball
from checker.transformer.model import FeedForward, Vector
from checker.transformer.number import Number

Form = tuple[tuple[str, int], ...]
"""A linear form over directions, sorted by name: integer coefficients without common divisor, the first one > 0."""


@dataclass(frozen=True)
class Piecewise:
    """The continuous function with value slopes[p] u + values[p] for breakpoints[p - 1] <= u <= breakpoints[p].

    breakpoints: increasing, m of them; slopes, values: m + 1 each; neighbouring slopes differ.
    """

    breakpoints: tuple[Fraction, ...]
    slopes: tuple[Fraction, ...]
    values: tuple[Fraction, ...]

    @classmethod
    def of_units(cls, units: Mapping[tuple[Fraction, Fraction], Fraction], slope: Fraction) -> Piecewise:
        """Return the sum over {(a, b): c} of c ReLU(a u + b), plus slope u; every a is nonzero."""
        value, jumps = Fraction(0), dict[Fraction, Fraction]()
        for (a, b), c in units.items():
            # At u -> -infinity the unit is 0 if a > 0, and a u + b if a < 0; the slope grows by |a| at u = -b/a.
            if a < 0:
                slope, value = slope + c * a, value + c * b
            jumps[-b / a] = jumps.get(-b / a, Fraction(0)) + c * abs(a)
        points = sorted(point for point, jump in jumps.items() if jump)
        slopes = accumulate((jumps[point] for point in points), initial=slope)
        values = accumulate((-jumps[point] * point for point in points), initial=value)
        return cls(tuple(points), tuple(slopes), tuple(values))

    @cached_property
    def monotone(self) -> bool:
        """Whether the function nowhere decreases or nowhere increases."""
        return min(self.slopes) >= 0 or max(self.slopes) <= 0

    @cached_property
    def peaks(self) -> tuple[Fraction, ...]:
        """The values at the breakpoints."""
        return tuple(self.at(point) for point in self.breakpoints)

    def piece(self, p: int, u: Fraction) -> Fraction:
        """The value at u of the linear function that piece p belongs to."""
        return self.slopes[p] * u + self.values[p]

    def at(self, u: Fraction) -> Fraction:
        """The value at u."""
        return self.piece(sum(point < u for point in self.breakpoints), u)

    def enclose(self, u: Number) -> Number:
        """Enclose the range over u, at the working precision; exact when u is exact or f is constant on u."""
        if isinstance(u, Fraction):
            return self.at(u)
        first, last = self._pieces(u)
        if first == last:
            return self._piece_ball(first, u) if self.slopes[first] else self.values[first]
        # f is continuous, and linear between breakpoints: its extrema over u are at the ends or at breakpoints of u.
        # An end of u lies in one of the pieces that are not excluded for it.
        ends = (u.lower(), u.upper())
        hull = [self._piece_ball(p, end) for end in ends for p in range(self._pieces(end)[0], self._pieces(end)[1] + 1)]
        if not self.monotone:
            hull += [ball(value) for value in self.peaks[first:last]]
        result = hull[0]
        for other in hull[1:]:
            result = result.union(other)
        return result

    def _pieces(self, u: Ball) -> tuple[int, int]:
        """Return (p, r) such that u lies in the union of the pieces p..r; p = r when that is certain to be enough."""
        balls = [ball(point) for point in self.breakpoints]
        first = sum(bool(point <= u) for point in balls)
        last = sum(not u <= point for point in balls)
        return min(first, last), max(first, last)

    def _piece_ball(self, p: int, u: Ball) -> Ball:
        return ball(self.slopes[p]) * u + ball(self.values[p])


@dataclass(frozen=True)
class Part:
    """The functions of one linear form: `functions[d]` of `form` . x is added to direction d."""

    form: Form
    functions: Mapping[str, Piecewise]


@dataclass(frozen=True)
class Decomposition:
    """A feed-forward part with its residual: direction d becomes constant[d] + (x_d unless absorbed) + its functions.

    absorbed: directions whose residual x_d is part of one of the functions.
    """

    parts: tuple[Part, ...]
    constant: Mapping[str, Fraction]
    absorbed: frozenset[str]

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The directions that may change, sorted."""
        return tuple(
            sorted({d for part in self.parts for d in part.functions} | {d for d, c in self.constant.items() if c})
        )


def decompose(part: FeedForward) -> Decomposition:
    """Return a feed-forward part as a sum of piecewise-linear functions of linear forms; an exact identity."""
    constant = {d: Fraction(c) for d, c in part.bias.items()}
    groups: dict[Form, dict[str, dict[tuple[Fraction, Fraction], Fraction]]] = {}
    forms = [_primitive(unit.weights) for unit in part.hidden]
    for direction, combination in part.output.items():
        for number, c in combination.items():
            (form, factor), bias = forms[number], part.hidden[number].bias
            if not c:
                continue
            if not form:
                constant[direction] = constant.get(direction, Fraction(0)) + c * max(bias, Fraction(0))
                continue
            units = groups.setdefault(form, {}).setdefault(direction, {})
            units[factor, bias] = units.get((factor, bias), Fraction(0)) + c
    parts, absorbed = [], set()
    for form, functions in groups.items():
        result = {}
        for direction, units in functions.items():
            own = form == ((direction, 1),)
            if own:
                absorbed.add(direction)
            result[direction] = Piecewise.of_units(units, Fraction(int(own)))
        parts.append(Part(form, result))
    return Decomposition(tuple(parts), constant, frozenset(absorbed))


def _primitive(weights: Vector) -> tuple[Form, Fraction]:
    """Return (form, a) with weights = a form, a != 0; an empty form for zero weights."""
    terms = sorted((d, Fraction(c)) for d, c in weights.items() if c)
    if not terms:
        return (), Fraction(1)
    denominator = math.lcm(*(c.denominator for _, c in terms))
    scaled = [int(c * denominator) for _, c in terms]
    divisor = math.gcd(*scaled) if scaled[0] > 0 else -math.gcd(*scaled)
    form = tuple((d, c // divisor) for (d, _), c in zip(terms, scaled, strict=True))
    return form, Fraction(divisor, denominator)
