"""Piecewise-linear functions of arrays: exact of exact ones and on flat pieces, otherwise outward intervals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from checker.floats import enclose
from checker.transformer import exactarray
from checker.transformer.exactarray import ExactArray
from checker.transformer.interval import Coordinate, Floats, finite
from checker.transformer.piecewise import Piecewise

_EPS = 2.0**-50  # 8 u
_TINY = 2.0**-1060


class ArrayFunction:
    """A piecewise-linear function, made ready for arrays."""

    def __init__(self, function: Piecewise) -> None:
        self.function = function
        points = [enclose(point) for point in function.breakpoints]
        # For a float64 x and a breakpoint b: b <= x iff (least float64 >= b) <= x, and b < x iff (largest <= b) < x.
        self._above = np.array([above for _, above in points])
        self._below = np.array([below for below, _ in points])
        self._slopes = np.array([_nearest(s) for s in function.slopes])
        self._values = np.array([_nearest(t) for t in function.values])
        self._flat = np.array([s == 0 for s in function.slopes])
        plain = np.array([abs(s) == 1 and t == 0 for s, t in zip(function.slopes, function.values, strict=True)])
        represented = np.array([enclose(t)[0] == enclose(t)[1] for t in function.values])
        # fl(s u + t) with s, t rounded: error <= |s u| 3.1 u + |t| 2.1 u + 2^-1074; none for 0 u + t and +-u + 0.
        self._error_slope = np.where(plain | self._flat, 0, np.abs(self._slopes) * _EPS + _TINY)
        self._error_value = np.where(plain | (self._flat & represented), 0, np.abs(self._values) * _EPS + _TINY)
        slopes, peaks = function.slopes, function.peaks
        # The minimum over all numbers, if there is one, is at a breakpoint; so is the maximum.
        self._least = enclose(min(peaks))[0] if peaks and slopes[0] <= 0 <= slopes[-1] else -np.inf
        self._greatest = enclose(max(peaks))[1] if peaks and slopes[0] >= 0 >= slopes[-1] else np.inf

    def __call__(self, u: Coordinate) -> Coordinate:
        """The range of the function over each entry."""
        if isinstance(u, ExactArray):
            return self._exact(u)
        first = np.searchsorted(self._above, u.low, side="right")
        last = np.searchsorted(self._below, u.high, side="left")
        if bool((first == last).all()) and bool(self._flat[first].all()):
            table = ExactArray.fractions_array(self.function.values)
            return ExactArray.of(table.numerators[first], table.denominator)
        with np.errstate(over="ignore", invalid="ignore"):
            (at_low, low_error), (at_high, high_error) = self._at(first, u.low), self._at(last, u.high)
            low = np.minimum(at_low - low_error, at_high - high_error)
            high = np.maximum(at_low + low_error, at_high + high_error)
        if not self.function.monotone:
            # f is linear between breakpoints: its extrema are at the ends and at the breakpoints inside.
            for k, peak in enumerate(self.function.peaks):
                inside = (first <= k) & (k < last)
                below, above = enclose(peak)
                low = np.where(inside, np.minimum(low, below), low)
                high = np.where(inside, np.maximum(high, above), high)
        return finite(low, high).clipped(self._least, self._greatest)

    def _at(self, piece: np.ndarray[tuple[int, ...], np.dtype[np.intp]], u: Floats) -> tuple[Floats, Floats]:
        """The value of the pieces at u, and a bound on its error (twice what is needed, for the sum that follows)."""
        value = np.where(self._flat[piece], self._values[piece], self._slopes[piece] * u + self._values[piece])
        return value, np.where(self._flat[piece], 0, self._error_slope[piece] * np.abs(u)) + self._error_value[piece]

    def _exact(self, u: ExactArray) -> ExactArray:
        f = self.function
        terms = [(f.slopes[0], u)]
        for k, point in enumerate(f.breakpoints):
            terms.append((f.slopes[k + 1] - f.slopes[k], exactarray.linear([(Fraction(1), u)], -point).relu()))
        return exactarray.linear(terms, f.values[0])


def _nearest(x: Fraction) -> float:
    try:
        return x.numerator / x.denominator
    except OverflowError:
        return np.inf if x > 0 else -np.inf
