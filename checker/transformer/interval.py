"""Arrays of float64 intervals, rounded outward, and coordinates that are exact arrays or such intervals.

Only + - * and comparisons of float64 are used, which IEEE 754 rounds to nearest: the exact result lies between the
neighbours of the rounded one. What overflows becomes an infinite end, never a wrong finite one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.floats import enclose
from checker.transformer import exactarray
from checker.transformer.exactarray import ExactArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Interval:
    """The real numbers between low and high, entry by entry; float64 arrays of one shape, perhaps one array."""

    low: Floats
    high: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.low.shape

    @property
    def is_point(self) -> bool:
        """Whether every entry is a single number."""
        return self.low is self.high or bool((self.low == self.high).all())

    def __getitem__(self, index: Any) -> Interval:
        return Interval(self.low[index], self.high[index])

    def __add__(self, other: Interval) -> Interval:
        return Interval(_down(self.low, other.low), _up(self.high, other.high))

    def scaled(self, factor: Fraction) -> Interval:
        """The interval times an exact number; no rounding for powers of 2 from 1 on."""
        x = self if factor > 0 else Interval(-self.high, -self.low)
        size = abs(factor)
        if size == 1:
            return x
        below, above = enclose(size)
        with np.errstate(over="ignore", invalid="ignore"):
            # The product is increasing in x; in the factor it increases or decreases with the sign of x.
            low = x.low * np.where(x.low < 0, above, below)
            high = x.high * np.where(x.high < 0, below, above)
            if not (size.denominator == 1 and size.numerator & (size.numerator - 1) == 0):
                low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
        return finite(low, high)

    def clipped(self, low: Floats | float, high: Floats | float) -> Interval:
        """The part between low and high, when the numbers enclosed are known to lie there."""
        return Interval(np.clip(self.low, low, high), np.clip(self.high, low, high))


Coordinate = ExactArray | Interval
"""Real numbers at (word, position), the first axis of length 1 when they are the same for all words."""


def finite(low: Floats, high: Floats) -> Interval:
    """An interval of ends computed upward and downward, where what is not a finite number says nothing."""
    if np.isfinite(low).all() and np.isfinite(high).all():
        return Interval(low, high)
    return Interval(np.where(np.isfinite(low), low, -np.inf), np.where(np.isfinite(high), high, np.inf))


def interval(x: Coordinate) -> Interval:
    """The coordinate as float64 intervals."""
    if isinstance(x, Interval):
        return x
    low, high = x.float_enclosure()
    return Interval(low, low) if np.array_equal(low, high) else finite(low, high)


def linear(terms: Iterable[tuple[Fraction, Coordinate]], constant: Fraction = Fraction(0)) -> Coordinate:
    """The sum of coefficient * coordinate, plus a constant; exact when all coordinates are (or have coefficient 0)."""
    exact: list[tuple[Fraction, ExactArray]] = []
    inexact = []
    for coefficient, x in terms:
        if isinstance(x, ExactArray):
            exact.append((coefficient, x))
        elif coefficient:
            inexact.append(x.scaled(coefficient))
    total = exactarray.linear(exact, constant)
    if not inexact:
        return total
    result = inexact[0]
    for x in inexact[1:]:
        result = result + x
    return result + interval(total) if total.largest else result


def _down(a: Floats, b: Floats) -> Floats:
    """A lower bound of a + b: the sum itself where it is exact."""
    total, error = _two_sum(a, b)
    if not error.any():  # in particular, no error is NaN, so nothing overflowed
        return total
    with np.errstate(over="ignore"):
        lower = np.where(error >= 0, total, np.nextafter(total, -np.inf))
    return np.where(np.isfinite(total), lower, -np.inf)


def _up(a: Floats, b: Floats) -> Floats:
    """An upper bound of a + b."""
    return -_down(-a, -b)


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum and its error, exactly a + b - sum unless something overflows (Knuth)."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = a + b
        part = total - a
        return total, (a - (total - part)) + (b - part)
