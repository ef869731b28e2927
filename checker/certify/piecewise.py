"""Sums of hidden units along one line of inputs: continuous piecewise-linear functions of one number, exactly.

Written apart from the functions that the runs use, so that one mistake cannot pass both parts of a certificate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from checker.certify.form import Interval


@dataclass(frozen=True)
class Piecewise:
    """g(t) = the sum of coefficient * ReLU(scale * t + bias) over (scale, bias, coefficient); no scale is 0."""

    units: tuple[tuple[Fraction, Fraction, Fraction], ...]

    def __call__(self, t: Fraction) -> Fraction:
        return sum((c * max(s * t + b, Fraction(0)) for s, b, c in self.units), Fraction(0))

    @cached_property
    def knots(self) -> list[Fraction]:
        """The places where a unit bends, in order."""
        return sorted({-b / s for s, b, _ in self.units})

    def slope(self, at_high: bool) -> Fraction:
        """The slope for t towards infinity (or minus infinity)."""
        return sum((c * s for s, _, c in self.units if (s > 0) is at_high), Fraction(0))

    def inside(self, low: Fraction | None, high: Fraction | None) -> list[Fraction]:
        """The knots strictly between two ends."""
        return [k for k in self.knots if (low is None or k > low) and (high is None or k < high)]

    def flat_until(self, low: Fraction | None, high: Fraction | None) -> Fraction | None:
        """The largest knot or end t at which g is still constant on low..t; None when there is none above low."""
        if low is None:
            if self.slope(False) != 0:
                return None
            start = self.knots[0]
        else:
            start = low
        level = self(start)
        reached = None if low is not None else start
        # Linear between neighbouring points, so constant between them iff equal at both.
        for t in [*self.inside(start, high), *([high] if high is not None and high > start else [])]:
            if self(t) != level:
                return reached
            reached = t
        return reached

    def mirrored(self) -> Piecewise:
        """t -> g(-t)."""
        return Piecewise(tuple((-s, b, c) for s, b, c in self.units))

    def flat_from(self, low: Fraction | None, high: Fraction | None) -> Fraction | None:
        """The smallest knot or end t from which on g is constant on t..high; None when there is none below high."""
        minus = (None if high is None else -high), (None if low is None else -low)
        found = self.mirrored().flat_until(*minus)
        return None if found is None else -found

    def linear_on(self, low: Fraction | None, high: Fraction | None) -> tuple[Fraction, Fraction] | None:
        """(constant, slope) when no unit bends strictly between low and high; else None."""
        if self.inside(low, high):
            return None
        if low is not None and high is not None and low == high:
            return self(low), Fraction(0)
        # No knot lies inside, so any point inside tells which units are on.
        if low is not None and high is not None:
            point = (low + high) / 2
        elif low is not None:
            point = low + 1
        else:
            point = Fraction(0) if high is None else high - 1
        on = [(s, b, c) for s, b, c in self.units if s * point + b > 0]
        return sum((c * b for _, b, c in on), Fraction(0)), sum((c * s for s, _, c in on), Fraction(0))

    def range(self, low: Fraction | None, high: Fraction | None) -> Interval:
        """The exact range over [low, high] (None: unbounded)."""
        points = [*self.inside(low, high), *(end for end in (low, high) if end is not None)]
        values = [self(t) for t in points or [Fraction(0)]]
        down: Fraction | None = min(values)
        up: Fraction | None = max(values)
        for end, at_high, sign in ((low, False, -1), (high, True, 1)):
            slope = sign * self.slope(at_high) if end is None else 0
            down, up = (None if slope < 0 else down), (None if slope > 0 else up)
        return down, up


def combine(units: Iterable[tuple[Fraction, Fraction, Fraction]]) -> Piecewise:
    """The sum of the units, those of coefficient 0 left out."""
    return Piecewise(tuple(unit for unit in units if unit[2] != 0))
