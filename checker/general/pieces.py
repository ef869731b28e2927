"""How far a piecewise-linear function moves when its argument does, given the arguments that occur.

Near an argument in the middle of a flat piece it does not move at all: so a clean-up absorbs an error.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction

from checker.general.gaps import Arguments
from checker.transformer.piecewise import Piecewise


def change(function: Piecewise, taken: Arguments, eps: Fraction) -> Fraction:
    """The largest |f(t) - f(u)| over the arguments u taken and |t - u| <= eps; an upper bound if only their range
    is known (any argument within it may then occur)."""
    if eps == 0:
        return Fraction(0)
    if taken.values is None:
        return _over_range(function, *taken.range, eps)
    return _over_values(function, taken.values, eps)


def _over_values(function: Piecewise, values: Sequence[Fraction], eps: Fraction) -> Fraction:
    points = function.breakpoints
    result, near = Fraction(0), set[Fraction]()
    for point in points:
        near.update(values[bisect_right(values, point - eps) : bisect_left(values, point + eps)])
    for u in near:
        # f is linear between breakpoints: its extrema over u - eps .. u + eps are at the ends or at breakpoints.
        inside = points[bisect_right(points, u - eps) : bisect_left(points, u + eps)]
        here = function.at(u)
        result = max(result, *(abs(function.at(t) - here) for t in (u - eps, u + eps, *inside)))
    for piece, slope in enumerate(function.slopes):
        # No breakpoint is within eps of these arguments: f is linear around them.
        first = 0 if piece == 0 else bisect_left(values, points[piece - 1] + eps)
        last = len(values) if piece == len(points) else bisect_right(values, points[piece] - eps)
        if first < last:
            result = max(result, abs(slope) * eps)
    return result


def _over_range(function: Piecewise, low: Fraction, high: Fraction, eps: Fraction) -> Fraction:
    points = function.breakpoints
    inside = points[bisect_right(points, low - eps) : bisect_left(points, high + eps)]
    first = bisect_right(points, low - eps)
    # Over the enlarged range: |f(t) - f(u)| <= largest |slope| * eps, and <= largest f - least f.
    steepest = max(abs(slope) for slope in function.slopes[first : first + len(inside) + 1])
    extremes = [function.at(t) for t in (low - eps, high + eps, *inside)]
    return min(steepest * eps, max(extremes) - min(extremes))
