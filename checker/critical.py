"""The largest temperature at which softmax attention is eps-close to average-hard attention, row by row.

For a row with maximum m attained k times, TV(tau) = TV(softmax_tau, average-hard) is the softmax mass off the
maxima: a maximum has softmax weight at most 1/k, everything else has hard weight 0, and TV is the sum of
(p_j - h_j)+.  So TV(tau) = Z/(k + Z) with Z = Z(tau) = sum over the non-maxima of exp(-(m - s_j)/tau), which
increases with tau.  NumPy's float64 only *proposes* the temperature where TV = eps (`propose`); Arb then proves
TV(lo) <= eps < TV(hi) for two float64 numbers lo < hi (`certify`), and nothing else is ever reported.
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.ball import Ball, ball, compare, outer, working
from checker.errors import HardsoftError
from checker.exact import show
from checker.verdict import Verdict

START, MAXIMUM = 64, 8192  # bits
_WIDTH = -40  # the first interval tried is tau (1 +- 2^_WIDTH)
_ENOUGH = 2.0**-30  # a wider interval is bisected
_CUT_BITS = 80  # terms below 2^-_CUT_BITS of the largest one, counted together, are enclosed in one go
_TINY, _HUGE = 5e-324, sys.float_info.max

Number = float | Fraction
FloatBounds = tuple[float, float]


def any_ball(x: Number) -> Ball:
    """A ball around an exact number; a float is the binary rational it is (radius 0)."""
    return Ball(x) if isinstance(x, float) else ball(x)


def float_bounds(b: Ball) -> FloatBounds:
    """The nearest float64 numbers outside a finite ball: lower <= every point of b <= upper (maybe +-inf)."""
    low, high = outer(b, 53)
    return _float_down(*low), -_float_down(-high[0], high[1])


def _float_down(mantissa: int, exponent: int) -> float:
    """The largest float64 <= mantissa * 2^exponent (-inf below the smallest finite one)."""
    size = exponent + mantissa.bit_length()  # |value| < 2^size
    if mantissa == 0:
        return 0.0
    if size < -1080:
        return 0.0 if mantissa > 0 else -_TINY
    if size > 1024:  # |value| >= 2^1024
        return _HUGE if mantissa > 0 else -math.inf
    if size > -1000 and abs(mantissa) < 1 << 53:
        return math.ldexp(mantissa, exponent)  # exact: at most 53 bits, and in the normal range
    value = Fraction(mantissa) * Fraction(2) ** exponent
    try:
        nearest = float(value)
    except OverflowError:
        return _HUGE if mantissa > 0 else -math.inf
    return nearest if nearest <= value else math.nextafter(nearest, -math.inf)


class Excess:
    """Z(tau) of one row: the sum of exp(-(top - s)/tau) over the non-maximal scores s.

    top: the maximum.  rest: the non-maximal scores, decreasing, exact.  differences: top - s for each of them
    in float64; ``exact`` says that these are the exact differences, otherwise they only guide the summation.
    """

    def __init__(self, top: Number, rest: Sequence[Number], differences: Sequence[float], *, exact: bool) -> None:
        self.top, self.rest, self.differences, self.exact = top, rest, differences, exact

        self._balls: tuple[int, Sequence[Ball]] = (0, ())

    def difference(self, place: int, precision: int) -> Ball:
        """top - rest[place] (place 0 is the gap)."""
        return Ball(self._exactly(precision)[place])

    def _exactly(self, precision: int) -> Sequence[Any]:
        """Enclosures of all differences: exact floats, or balls that are kept for the next temperature."""
        if self.exact:
            return self.differences
        if self._balls[0] != precision:
            with working(precision):
                top = self.top if isinstance(self.top, Fraction) else Ball(self.top)
                exact = [top - score for score in self.rest]
                self._balls = precision, [ball(x) if isinstance(x, Fraction) else x for x in exact]
        return self._balls[1]

    def at(self, tau: Number, precision: int) -> Ball:
        """A ball around Z(tau), tau > 0."""
        differences, kept = self._exactly(precision), self._kept(float_of(tau))
        with working(precision):
            rate = -1 / any_ball(tau)
            total = sum(map(Ball.exp, map(rate.__mul__, differences[:kept])), Ball(0))
            dropped = len(self.rest) - kept
            if dropped:
                # Every dropped score is at most rest[kept], and exp is increasing:
                # 0 <= sum of the dropped terms <= dropped * exp(-(top - rest[kept])/tau).
                total += (dropped * (rate * differences[kept]).exp()).union(Ball(0))
            return total

    def _kept(self, tau: float) -> int:
        """How many terms to sum one by one; any answer is sound, since the others are enclosed together."""
        bits = _CUT_BITS + math.log2(len(self.rest))
        limit = self.differences[0] + bits * math.log(2) * tau
        return max(1, bisect_right(self.differences, limit))


def float_of(x: Number) -> float:
    """The float64 nearest to x > 0, within [smallest, largest]; for guidance only."""
    try:
        return min(max(float(x), _TINY), _HUGE)
    except OverflowError:
        return _HUGE


def tv_bounds(excess: Excess, k: int, tau: Number) -> FloatBounds:
    """float64 numbers that enclose TV(tau)."""
    with working(START):
        z = excess.at(tau, START)
        return _share(z, k)


def _share(z: Ball, k: int) -> FloatBounds:
    """Enclosure of Z/(k + Z) for Z > 0 in the ball z, at the working precision."""
    if z > 0:
        # Z/(k + Z) = 1/(1 + k/Z), with Z written once so that the ball stays narrow.
        return float_bounds(1 / (1 + k / z))
    # 0 < Z/(k + Z) < Z/k; here Z is so small that Arb no longer tells it from 0.
    return 0.0, float_bounds(z / k)[1]


def tv_at_most(excess: Excess, k: int, tau: Number, eps: Fraction) -> Verdict:
    """Whether TV(tau) <= eps, at the first precision that decides it."""
    precision = START
    while True:
        z = excess.at(tau, precision)
        with working(precision):
            # Z/(k + Z) <= eps  iff  Z (1 - eps) <= k eps, as k + Z > 0.
            verdict = compare(z * ball(1 - eps), "<=", ball(k * eps))
        if verdict is not Verdict.UNDECIDED or precision >= MAXIMUM:
            return verdict
        precision *= 2


def propose(ratios: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """Approximate x = gap/tau where log Z = target, for many rows at once; a proposal, not a result.

    ratios: shape (rows, keys), (top - s)/gap >= 1 for the non-maximal scores (the least is 1), +inf elsewhere.
    targets: shape (rows,), log(k eps/(1 - eps)).  In x, log Z is convex and decreasing, so Newton's
    iteration ends up left of the root after one step and then increases towards it.
    """
    others = np.isfinite(ratios)
    x = np.maximum(np.log(others.sum(axis=1)) - targets, 1e-300)
    exponents, slopes = 1 - ratios, np.where(others, ratios, 0)
    for _ in range(60):
        weights = np.exp(exponents * x[:, None])
        total = weights.sum(axis=1)
        # -d/dx log Z = sum of ratio * weight / sum of weight
        step = (np.log(total) - x - targets) * total / np.einsum("ij,ij->i", weights, slopes)
        x, before = np.maximum(x + step, x / 64), x
        if (np.abs(x - before) <= 4e-16 * x).all():
            break
    return x


def certify(excess: Excess, k: int, eps: Fraction, guess: float) -> FloatBounds:
    """float64 numbers lo < hi with TV(lo) <= eps < TV(hi), both proved; eps < (n-k)/n, so that they exist.

    guess: where to look; a poor one costs time, not correctness.  lo = 0.0 and hi = inf stand for a critical
    temperature outside the range of float64.  Raises HardsoftError if MAXIMUM bits do not decide.
    """
    if not _TINY <= guess <= _HUGE:
        guess = 1.0
    lo = hi = guess
    width = 2.0**_WIDTH
    lower = upper = False
    while not (lower and upper):
        if not lower:
            lo = guess * (1 - width) if width < 1 else lo / width
            # At the limit tau -> 0 the distance is 0, so lo = 0.0 needs no proof.
            lower = lo == 0 or tv_at_most(excess, k, lo, eps) is Verdict.HOLDS
        if not upper:
            hi = guess * (1 + width) if width < 1 else hi * width
            # At the limit tau -> infinity the distance is (n-k)/n > eps, so hi = inf needs no proof.
            upper = hi == math.inf or tv_at_most(excess, k, hi, eps) is Verdict.FAILS
        width *= 16
    return _narrow(excess, k, eps, lo, hi)


def _narrow(excess: Excess, k: int, eps: Fraction, lo: float, hi: float) -> FloatBounds:
    """Bisect until hi <= lo (1 + _ENOUGH) or the two are neighbours; TV(lo) <= eps < TV(hi) stays true."""
    while hi - lo > _ENOUGH * lo:
        if hi / 4 > lo:  # far apart: halve the exponent range
            middle = math.sqrt(max(lo, _TINY)) * math.sqrt(min(hi, _HUGE))
        else:
            middle = lo + (hi - lo) / 2
        if not lo < middle < hi:
            break
        verdict = tv_at_most(excess, k, middle, eps)
        if verdict is Verdict.UNDECIDED:
            raise HardsoftError(f"{MAXIMUM} bits do not decide whether TV <= {show(eps)} at temperature {middle!r}")
        lo, hi = (middle, hi) if verdict is Verdict.HOLDS else (lo, middle)
    return lo, hi


def log_target(k: int, eps: Fraction) -> float:
    """log(k eps/(1 - eps)) in float64, for any exponents; for `propose`."""
    level = k * eps / (1 - eps)
    return math.log(level.numerator) - math.log(level.denominator)


def gap_bound(excess: Excess, n: int, k: int, tau: Number) -> FloatBounds:
    """Enclosure of the bound of statement A2 on TV(tau): (n-k)q/(k+(n-k)q), q = exp(-gap/tau)."""
    with working(START):
        q = (-excess.difference(0, START) / any_ball(tau)).exp()
        return _share((n - k) * q, k)


def gap_temperature(excess: Excess, n: int, k: int, eps: Fraction) -> Any:
    """Ball around the temperature that statement A2 allows: gap/log((n-k)(1-eps)/(k eps)), eps < (n-k)/n."""
    logarithm, precision = _log_ratio(n, k, eps)
    with working(precision):
        return excess.difference(0, precision) / logarithm


@lru_cache(maxsize=1 << 14)
def log_ratio_bounds(n: int, k: int, eps: Fraction) -> FloatBounds:
    """Enclosure of log((n-k)(1-eps)/(k eps)) > 0, for eps < (n-k)/n."""
    return float_bounds(_log_ratio(n, k, eps)[0])


def _log_ratio(n: int, k: int, eps: Fraction) -> tuple[Any, int]:
    """A ball around log((n-k)(1-eps)/(k eps)), accurate to START - 14 bits, and the precision that took."""
    precision = START
    while True:
        with working(precision):
            logarithm = ball((n - k) * (1 - eps) / (k * eps)).log()
        # The logarithm is positive, but tiny when eps is close to (n-k)/n.
        precise = logarithm.is_finite() and logarithm.rel_accuracy_bits() >= START - 14
        if precise or precision >= MAXIMUM:
            return logarithm, precision
        precision *= 2
