"""Theta(x) = theta_3(0, exp(-x)) with mpmath intervals: the series, with a proved bound on its tail."""

from __future__ import annotations

from checker import mpinterval as iv
from checker.mpinterval import Interval

MOST_TERMS = 10**5


def theta(x: Interval, p: int) -> Interval:
    """Enclose 1 + 2 (e^-x + e^-4x + e^-9x + ...); WHOLE when x is not known to be positive or is too small."""
    if not x.is_finite or iv.compare_ends(x.lo, iv.ZERO.lo) <= 0:
        return iv.WHOLE
    bits = p + 2 * MOST_TERMS.bit_length()
    one = iv.from_exact(1, bits)
    q = iv.exp(iv.neg(x), bits)
    rest = iv.sub(one, q, bits)
    if iv.compare_ends(rest.lo, iv.ZERO.lo) <= 0:
        return iv.WHOLE
    square = iv.mul(q, q, bits)
    term, odd, total = q, iv.mul(square, q, bits), q
    limit = iv.power(iv.from_exact(2, bits), -p, bits)
    for _ in range(MOST_TERMS):
        # term = q^(d^2), odd = q^(2d+1): the next term is their product.
        term = iv.mul(term, odd, bits)
        odd = iv.mul(odd, square, bits)
        if iv.compare_ends(term.hi, limit.lo) < 0:
            # The terms from here on fall at least like a geometric series of ratio q: their sum is <= term/(1 - q).
            tail = iv.divide(term, rest, bits)
            total = iv.add(total, Interval(iv.ZERO.lo, tail.hi), bits)
            return iv.add(one, iv.add(total, total, bits), bits)
        total = iv.add(total, term, bits)
    return iv.WHOLE
