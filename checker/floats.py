"""The float64 numbers next to an exact number."""

from __future__ import annotations

import math
import sys
from fractions import Fraction


def enclose(x: Fraction) -> tuple[float, float]:
    """Return the largest float64 <= x and the least >= x (the largest finite one and infinity beyond the range)."""
    try:
        nearest = x.numerator / x.denominator  # correctly rounded
    except OverflowError:
        return (sys.float_info.max, math.inf) if x > 0 else (-math.inf, -sys.float_info.max)
    exact = Fraction(nearest)
    below = nearest if exact <= x else math.nextafter(nearest, -math.inf)
    return below, nearest if exact >= x else math.nextafter(nearest, math.inf)
