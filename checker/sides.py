"""Sides of a comparison that are made of other sides: affine functions and absolute differences."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from checker import mp as mpmath_side
from checker import mpinterval as iv
from checker.ball import Ball, ball, working
from checker.decide import Enclosable
from checker.mpinterval import Interval


@dataclass(frozen=True)
class Affine:
    """factor * side + offset, for exact numbers factor and offset."""

    side: Enclosable
    factor: Fraction
    offset: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"{self.factor} * ({self.side}) + {self.offset}"

    def ball(self, prec: int) -> Ball:
        """Arb's enclosure."""
        inner = self.side.ball(prec)
        with working(prec):
            return inner * ball(self.factor) + ball(self.offset)

    def mp(self, prec: int) -> Interval:
        """mpmath's enclosure."""
        bits = prec + mpmath_side.EXTRA
        scaled = iv.mul(self.side.mp(prec), iv.from_exact(self.factor, bits), bits)
        return iv.add(scaled, iv.from_exact(self.offset, bits), bits)


@dataclass(frozen=True)
class AbsoluteDifference:
    """|first - second|."""

    first: Enclosable
    second: Enclosable

    def __str__(self) -> str:
        return f"|{self.first} - {self.second}|"

    def ball(self, prec: int) -> Ball:
        """Arb's enclosure."""
        first, second = self.first.ball(prec), self.second.ball(prec)
        with working(prec):
            return abs(first - second)

    def mp(self, prec: int) -> Interval:
        """mpmath's enclosure."""
        bits = prec + mpmath_side.EXTRA
        return iv.absolute(iv.sub(self.first.mp(prec), self.second.mp(prec), bits))
