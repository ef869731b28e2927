"""How a sequence of exact numbers seems to grow with the length: a fitted power or exponential, never a statement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

LEAST_POINTS = 4


@dataclass(frozen=True)
class Fit:
    """About factor * n^rate ("power"), factor * 2^(rate n) ("exponential"), or one value ("constant", rate 0).

    first, last: the range of lengths used. off: the largest ratio between a value and the fit, either way, >= 1.
    """

    shape: str
    factor: float
    rate: float
    first: int
    last: int
    off: float

    def __str__(self) -> str:
        if self.shape == "constant":
            return f"constant for n = {self.first}..{self.last}"
        base = f"n^{self.rate:.2f}" if self.shape == "power" else f"2^({self.rate:.2f} n)"
        return f"about {self.factor:.3g} {base} for n = {self.first}..{self.last}, within a factor of {self.off:.2f}"


def fit(values: Mapping[int, Fraction]) -> Fit | None:
    """Fit positive values by length, on the longer half of the lengths; None for fewer than LEAST_POINTS of them.

    The shape that comes closer in logarithms (least squares) is taken. Floating point: for a remark, nothing else.
    """
    points = sorted((n, value) for n, value in values.items() if value > 0)
    points = points[-max(LEAST_POINTS, (len(points) + 1) // 2) :]
    if len(points) < LEAST_POINTS:
        return None
    first, last = points[0][0], points[-1][0]
    if len({value for _, value in points}) == 1:
        return Fit("constant", math.exp(_log(points[0][1])), 0.0, first, last, 1.0)
    logs = [_log(value) for _, value in points]
    shapes = {"power": [math.log(n) for n, _ in points], "exponential": [n * math.log(2) for n, _ in points]}
    lines = {shape: _line(places, logs) for shape, places in shapes.items()}
    shape = min(lines, key=lambda name: lines[name][2])
    constant, rate, _ = lines[shape]
    off = max(abs(log - constant - rate * x) for x, log in zip(shapes[shape], logs, strict=True))
    return Fit(shape, math.exp(constant), rate, first, last, math.exp(off))


def _line(x: list[float], y: list[float]) -> tuple[float, float, float]:
    """Least squares: (constant, slope, sum of squares that is left)."""
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - middle_x) ** 2 for a in x)
    slope = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)) / spread
    constant = middle_y - slope * middle_x
    return constant, slope, sum((b - constant - slope * a) ** 2 for a, b in zip(x, y, strict=True))


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)  # of integers of any size
