"""What softmax heads read, in bulk: enclosures of sums of weights times values over arrays of words.

The softmax weights of a query are e_j / sum of e_k, for positive numbers e_j known up to a common factor:
|e_j - base_j| <= relative base_j + excess_j + TINY, with float64 base_j. For every real number t,
    (sum of e_j v_j) / (sum of e_j) - t = (sum of e_j (v_j - t)) / (sum of e_j),
and when t is the mean for the weights base_j, the sum of base_j (v_j - t) is 0, up to rounding: so an uncertain weight
counts only as far as its value differs from what is read. Besides, what is read is a convex combination, and lies
between the least and the largest visible value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker.attention import Mask
from checker.bulk.exponential import exp_bounds, exp_near
from checker.bulk.powers import MOST, powers
from checker.transformer.exactarray import ExactArray
from checker.transformer.interval import Floats, Interval, finite

Booleans = NDArray[np.bool_]

U = 2.0**-53
TINY = 2.0**-1060
_HIDDEN = -(2**62)
_MOST_ROUNDED = 1e6  # a score uncertain by more (in units of the temperature) makes a query worthless
_LEAST = -1e4


@dataclass(frozen=True, eq=False)
class Weights:
    """Numbers proportional to the softmax weights, see the module; hidden positions have base 0 and excess 0.

    base, excess: (words or 1, queries, keys); excess None for 0. total: the sums of base. least: lower bounds of the
    sums of the true numbers, > 0 except where `lost`, the queries about which nothing is known; shape (.., queries).
    """

    base: Floats
    excess: Floats | None
    relative: float
    total: Floats
    least: Floats
    lost: Booleans | None


def uniform_weights(seen: Booleans) -> Weights:
    """Equal weights on what is visible."""
    base = seen.astype(np.float64)[None]
    total = np.maximum(base.sum(axis=2), 1)
    return Weights(base, None, 0.0, total, total, None)


def exact_weights(scores: ExactArray, seen: Booleans, tau: Fraction) -> Weights | None:
    """The weights of exact int64 scores, shape (words or 1, queries, keys); None if all visible scores are equal.

    seen: which keys are visible, shape (queries, keys), or (words, queries, keys) if that depends on the row.
    """
    numbers = scores.numerators
    top = np.where(seen, numbers, _HIDDEN).max(axis=2, keepdims=True)
    below = top - numbers
    np.copyto(below, 0, where=~seen)
    most = int(below.max())
    if most == 0:
        return None
    unit = 1 / (scores.denominator * tau)
    if most < min(MOST, below.size // 2):
        # A table ends where exp is below 2^-1076; the entry appended is for what lies beyond, and for what is hidden.
        table = np.append(powers(unit, most), 0.0)
        np.copyto(below, most + 1, where=~seen)
        base, relative = np.take(table, below, mode="clip"), 5 * U
    else:
        # The argument x of exp is rounded three times, and exp(x) changes by a relative 3.1 u |x| (1 + 2^-40) at most;
        # below x = -746, and so below -10^300, it is < TINY.
        relative = (5 + 3.2 * float(min(most * unit, Fraction(746)))) * U
        with np.errstate(over="ignore"):
            base = exp_near(below * -min(_nearest(unit), 1e300))
        base *= seen
    total = base.sum(axis=2)
    total[total == 0] = 1  # nothing is visible
    # The largest base is exp(0) = 1, so total >= 1 dominates rounding and TINY.
    return Weights(base, None, relative, total, total * (1 - 2.0**-30), None)


def inexact_weights(queries: Sequence[Interval], keys: Sequence[Interval], seen: Booleans, tau: Fraction) -> Weights:
    """The weights of scores (sum over r of queries[r] at i times keys[r] at j), at least one r.

    With q = q0 + dq, k = k0 + dk, a score is q0 k0_j + dq (k0_j - k0_c) + q dk_j up to dq k0_c, which is the same for
    all keys: the reference c is the key of the largest q0 k0_j.
    """
    q = [_middle(x) for x in queries]
    k = [_middle(x) for x in keys]
    with np.errstate(over="ignore", invalid="ignore"):
        size = sum(np.abs(q0) * np.abs(k0).max(axis=1, keepdims=True) for (q0, _), (k0, _) in zip(q, k, strict=True))
        middle = np.zeros((1, *seen.shape[-2:]))
        for (q0, _), (k0, _) in zip(q, k, strict=True):
            middle = middle + q0[:, :, None] * k0[:, None, :]
        # |fl(sum of r products) - sum| <= 1.01 r u * sum of |q0 k0|, plus 2^-1075 for each subnormal product.
        rounding = (size * ((len(q) + 3) * 2 * U) + 2.0**-1000)[:, :, None]
        visible_scores = np.where(seen, middle, -np.inf)
        best = visible_scores.argmax(axis=2)
        top = visible_scores.max(axis=2, keepdims=True)
        inverse = _nearest(1 / tau)  # if it is infinite, so is the spread below
        a = np.where(seen, (middle - top) * inverse, 0)
        a = np.maximum(a, _LEAST)  # a weight below exp(-9999) is below TINY, however uncertain
        spread = np.broadcast_to(rounding, a.shape).copy()
        for (q0, dq), (k0, dk) in zip(q, k, strict=True):
            if dq is not None:
                reference = np.take_along_axis(np.broadcast_to(k0, (best.shape[0], k0.shape[1])), best, axis=1)
                spread += dq[:, :, None] * np.abs(k0[:, None, :] - reference[:, :, None])
            if dk is not None:
                spread += (np.abs(q0) + (0 if dq is None else dq))[:, :, None] * dk[:, None, :]
        # Where 1 / tau is subnormal, it is off by 2^-1075, and scores by size at most.
        b = spread * (inverse * (1 + 2.0**-30)) + np.abs(a) * (8 * U) + (size * 2.0**-1070 + TINY)[:, :, None]
        np.copyto(b, 0, where=~seen)
        bad = ~(b.max(axis=2) <= _MOST_ROUNDED) | ~np.isfinite(size)
    lost = bad if bad.any() else None
    if lost is not None:
        a, b = (np.where(lost[:, :, None], 0, x) for x in (a, b))
    return _uncertain(a, b, seen, lost)


def _uncertain(a: Floats, b: Floats, seen: Booleans, lost: Booleans | None) -> Weights:
    """The weights of scores within b of a (units of the temperature), -10^4 <= a <= 0 <= b <= 10^6."""
    if b.max() <= 1:
        base = exp_near(a)
        base *= seen
        # For 0 <= b <= 1: exp(b) - 1 <= b + b^2, and 1 - exp(-b) <= b.
        b += b * b
        b *= base
        total, more = base.sum(axis=2), b.sum(axis=2)
        total[total == 0] = 1
        # By Cauchy-Schwarz, sum of x/(1 + y) >= (sum of x)^2 / (sum of x (1 + y)); here total >= 1, as a = 0 somewhere.
        return Weights(base, b, 8 * U, total, total * (total / (total + more)) * (1 - 2.0**-30), lost)
    b = b + 2.0**-28  # the sums below are of numbers up to 2 * 10^6, each rounded by less than 2^-31
    top = np.where(seen, a + b, -np.inf).max(axis=2, keepdims=True)
    top[np.isneginf(top)] = 0
    low, high = exp_bounds(np.minimum(a - b - top, 0), np.minimum(a + b - top, 0))
    low *= seen
    high -= low
    high *= seen
    total = low.sum(axis=2)
    empty = (total <= 2.0**-1000) & seen.any(axis=-1)
    if empty.any():
        lost = empty if lost is None else lost | empty
    total[total <= 2.0**-1000] = 1
    return Weights(low, high, 8 * U, total, total * (1 - 2.0**-30), lost)


def read(weights: Weights, values: Interval, mask: Mask) -> Interval:
    """Enclose what is read of values, shape (words or 1, keys): 0 where nothing is visible."""
    return read_between(weights, values, *range_seen(values, mask))


def read_between(weights: Weights, values: Interval, least: Floats, greatest: Floats) -> Interval:
    """The same, given bounds on all visible values of each query (0 where nothing is visible)."""
    with np.errstate(over="ignore", invalid="ignore"):
        middle, radius = _mean(weights, values.low)
        low, high = middle - radius, middle + radius
        if not values.is_point:
            middle, radius = _mean(weights, values.high)
            high = middle + radius
    result = finite(low, high)
    if weights.lost is not None:
        result = Interval(np.where(weights.lost, -np.inf, result.low), np.where(weights.lost, np.inf, result.high))
    # A convex combination of visible values.
    return result.clipped(least, greatest)


def _mean(weights: Weights, v: Floats) -> tuple[Floats, Floats]:
    """The weighted mean t of v for the weights base, and a bound on the distance of the true mean from it."""
    keys = v.shape[1]
    t = _apply(weights.base, v) / weights.total
    sizes = np.abs(v)
    mean_size = t if v.min() >= 0 else _apply(weights.base, sizes) / weights.total
    # In any order of summation, the sums of base v and of base are rounded by at most e = (keys + 10) u times the sums
    # of base |v| and of base. So |sum of base (v - t)| <= 2 e total (mean of |v| + |t|); 3 e covers t - radius, too.
    part = (3 * (keys + 10) * U + weights.relative) * (mean_size + np.abs(t)) * weights.total
    part += 4 * keys * TINY * max(float(sizes.max()), 1.0)
    if weights.excess is not None:
        distance = np.abs(v[:, None, :] - t[:, :, None])
        part += np.einsum("bij,bij->bi", np.broadcast_to(weights.excess, distance.shape), distance)
    return t, part / weights.least * (1 + 2.0**-20)


def _apply(matrix: Floats, v: Floats) -> Floats:
    """The sums over j of matrix[.., i, j] v[.., j]."""
    if matrix.shape[0] == 1:
        return v @ matrix[0].T
    return np.einsum("bij,bj->bi", matrix, np.broadcast_to(v, (matrix.shape[0], v.shape[1])))


def range_seen(values: Interval, mask: Mask) -> tuple[Floats, Floats]:
    """The least and the greatest visible value of each query, 0 where nothing is visible."""
    low, high = values.low, values.high
    if mask is Mask.NONE:
        shape = low.shape
        return np.broadcast_to(low.min(1, keepdims=True), shape), np.broadcast_to(high.max(1, keepdims=True), shape)
    past = mask in (Mask.PAST, Mask.STRICT_PAST)
    if past:
        low, high = low[:, ::-1], high[:, ::-1]
    low, high = np.minimum.accumulate(low, axis=1), np.maximum.accumulate(high, axis=1)
    if mask in (Mask.STRICT_FUTURE, Mask.STRICT_PAST):
        nothing = np.zeros((low.shape[0], 1))
        low, high = np.hstack([nothing, low[:, :-1]]), np.hstack([nothing, high[:, :-1]])
    return (low[:, ::-1], high[:, ::-1]) if past else (low, high)


def _middle(x: Interval) -> tuple[Floats, Floats | None]:
    """Midpoints, and radii that cover both ends (None for points)."""
    if x.is_point:
        return x.low, None
    with np.errstate(over="ignore", invalid="ignore"):
        middle = x.low / 2 + x.high / 2
        radius = np.maximum(x.high - middle, middle - x.low) * (1 + 2.0**-50) + TINY
    return middle, radius


def _nearest(x: Fraction) -> float:
    """The float64 nearest x > 0; infinity beyond the range."""
    try:
        return x.numerator / x.denominator
    except OverflowError:
        return math.inf
