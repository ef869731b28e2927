"""Upper bounds as exact rationals with 64 significant bits, so that recurrences stay rigorous and quick.

Every error of section E is carried as such a number: 0 stays exactly 0, everything else is rounded up.
"""

from __future__ import annotations

from fractions import Fraction

from checker.ball import Ball, outer

BITS = 64
LEAST_EXPONENT = -(2**15)
LEAST = Fraction(1, 2**-LEAST_EXPONENT)
"""Positive numbers below this one are rounded up to it."""


def up(x: Fraction) -> Fraction:
    """A number >= x >= 0 with at most 64 significant bits: x itself if it is one, 0 only for x = 0.

    >>> up(Fraction(3, 4)), up(Fraction(1, 3)) > Fraction(1, 3)
    (Fraction(3, 4), True)
    """
    if x <= 0:
        if x < 0:
            raise ValueError("an error bound is not negative")
        return Fraction(0)
    if x < LEAST:
        return LEAST
    exponent = x.numerator.bit_length() - x.denominator.bit_length() - BITS
    if exponent >= 0:
        return Fraction(-(-x.numerator // (x.denominator << exponent)) << exponent)
    return Fraction(-((-x.numerator << -exponent) // x.denominator), 1 << -exponent)


def above(b: Ball) -> Fraction | None:
    """A number at or above every point of a ball and >= 0, rounded up; None when the ball is not finite."""
    if not b.is_finite():
        return None
    mantissa, exponent = outer(b, BITS)[1]
    if mantissa <= 0:
        return Fraction(0)
    if exponent + mantissa.bit_length() <= LEAST_EXPONENT:  # mantissa * 2^exponent < 2^(exponent + bits)
        return LEAST
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
