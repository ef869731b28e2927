"""A third way to the numbers: exp enclosed by an integer Taylor sum, everything else in exact fractions.

Used by the tests only; it shares nothing with Arb or mpmath. |x| is halved until |x| <= 1/2, the Taylor sum is
taken in units of 2^-600, and the result is squared as often as x was halved, rounded outward each time.
"""

from fractions import Fraction
from functools import cache

BITS = 600
ORDER = 110
ULPS = 400


def _round(x, bits, up):
    """Round a positive fraction outward to `bits` significant bits."""
    shift = bits - (x.numerator.bit_length() - x.denominator.bit_length())
    scaled = x * Fraction(2) ** shift
    whole = scaled.numerator // scaled.denominator
    if up and whole != scaled:
        whole += 1
    return Fraction(whole) / Fraction(2) ** shift


@cache
def exp_bounds(x):
    """Return fractions lower <= exp(x) <= upper, relatively less than 2^-500 apart for |x| <= 2^30."""
    halvings = 0
    while abs(x) > Fraction(1, 2):
        x /= 2
        halvings += 1
    unit = 1 << BITS
    argument = x.numerator * unit // x.denominator
    total = term = unit
    for m in range(1, ORDER + 1):
        term = term * argument // (m * unit)
        total += term
    # Each floor costs at most 1 unit and errors of a term shrink in the next one, so each of the 110 terms is
    # off by at most 2 units, and the argument by 1 (at most 2 units of exp). The omitted terms are below
    # 2 (1/2)^111 / 111! < 2^-700. Together that is less than ULPS = 400 units.
    lower, upper = Fraction(total - ULPS, unit), Fraction(total + ULPS, unit)
    for _ in range(halvings):
        lower, upper = _round(lower * lower, BITS, up=False), _round(upper * upper, BITS, up=True)
    return lower, upper


def softmax_bounds(scores, tau):
    """Return the list of (lower, upper) bounds of the softmax weights of explicit scores."""
    bounds = [exp_bounds(Fraction(score) / tau) for score in scores]
    low, high = sum(lower for lower, _ in bounds), sum(upper for _, upper in bounds)
    return [(lower / high, upper / low) for lower, upper in bounds]


def distance_bounds(weights, hard):
    """Return bounds of the sum of |p_j - h_j|."""
    lower = upper = Fraction(0)
    for (low, high), h in zip(weights, hard, strict=True):
        lower += max(low - h, h - high, Fraction(0))
        upper += max(abs(low - h), abs(high - h))
    return lower, upper
