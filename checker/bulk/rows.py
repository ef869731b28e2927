"""Enclosures for arrays of score rows: the mass off the maxima, the distance from hard attention, all weights.

For a row of scores s with maximum m attained k times among n visible ones (those above -inf), and a temperature tau,
Z is the sum over the other scores of exp(-(m - s)/tau), and TV = Z/(k + Z) (statement A1). One exponential per score
gives both ends. Every bound is proved in notes/bulk.md from correctly rounded operations, for rows below 2^40 scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker.bulk import backend, plain
from checker.bulk.exponential import ABSOLUTE, RELATIVE, Floats, table
from checker.errors import InputError
from checker.exact import show

Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Temperature = Fraction | Floats

U = 2.0**-53
ENDS = 2.75
"""What rounding the ends of an enclosure of a sum, or of a weight, may take, in units of u."""

_MOST_RATE = 2.0**1000
_SMALL = 2.0**-960
_BAD = "scores must be finite or -inf, and every row needs one above -inf"
_BLOCK = 1 << 16  # entries of a block of which all weights are enclosed: it stays in the cache


@dataclass(frozen=True, eq=False)
class Bounds:
    """low <= number <= high, entry by entry; float64 arrays of one shape."""

    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Rates:
    """Float64 numbers near 1/tau, shape (rows,), and how wrong arguments (m - s)/tau are when computed with them.

    error: the computed argument is the true one times a number within (1 -+ u)^error. known: where that is so.
    """

    rate: Floats
    error: Floats
    known: Booleans


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows at a temperature; arrays of shape (rows,). n, k: visible and maximal scores. z: enclosure of Z.

    known: where the enclosures say something; elsewhere (differences or 1/tau beyond float64) z is [0, n - k].
    """

    n: Integers
    k: Integers
    top: Floats
    z: Bounds
    rates: Rates
    known: Booleans


def rates(tau: Temperature, rows: int) -> Rates:
    """Rates for an exact temperature common to all rows, or a float64 one for each; all must be positive."""
    if isinstance(tau, Fraction):
        if tau <= 0:
            raise InputError(f"tau is {show(tau)}; a temperature must be positive")
        try:
            inverse = tau.denominator / tau.numerator  # correctly rounded
        except OverflowError:
            inverse = np.inf
        known = 1 / _MOST_RATE <= inverse <= _MOST_RATE
        # Of the three roundings, that of 1/tau or that of the product may be absent.
        error = 3.0
        if known and Fraction(inverse) == 1 / tau:
            error = 1.0 if np.frexp(inverse)[0] == 0.5 else 2.0
        return Rates(np.full(rows, inverse if known else 1.0), np.full(rows, error), np.full(rows, known))
    taus = np.ascontiguousarray(tau, dtype=np.float64)
    if taus.shape != (rows,):
        raise InputError(f"temperatures must have shape ({rows},), got {taus.shape}")
    if not (taus > 0).all():
        raise InputError("a temperature is not positive")
    with np.errstate(over="ignore"):
        inverses = 1 / taus
    good = (inverses >= 1 / _MOST_RATE) & (inverses <= _MOST_RATE)
    return Rates(np.where(good, inverses, 1.0), np.full(rows, 3.0), good)


def checked(scores: NDArray[np.floating]) -> NDArray[np.floating]:
    """The scores as a contiguous array, shape (rows, n >= 1), float32 or float64, no NaN, no +inf."""
    if scores.dtype not in (np.float32, np.float64):
        raise InputError(f"scores of dtype {scores.dtype}; rows in bulk are float32 or float64")
    if scores.ndim != 2 or not scores.shape[1]:
        raise InputError(f"scores of shape {scores.shape}; rows in bulk have two axes, the last one of length >= 1")
    # The compiled loops look up a table without checking indices, so NaN must not come near them.
    if scores.size and not scores.max() < np.inf:
        raise InputError(_BAD)
    return np.ascontiguousarray(scores)


def evaluate(scores: NDArray[np.floating], tau: Temperature) -> Rows:
    """Rows of scores (rows, n), float32 or float64, at an exact temperature, or one float64 temperature per row.

    Raises InputError for another dtype or shape, temperatures that are not positive, NaN, +inf, and rows all -inf.
    """
    scores = checked(scores)
    nothing = np.empty((0, 0))
    return _evaluate(scores, rates(tau, len(scores)), False, nothing, nothing)


def _evaluate(scores: NDArray[np.floating], found: Rates, keep: bool, kept: Floats, arguments: Floats) -> Rows:
    rows, n = scores.shape
    top, total, overflow = np.empty(rows), np.empty(rows), np.empty(rows, dtype=np.bool_)
    visible, maxima = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    loops = backend.compiled(scores.size)
    (plain if loops is None else loops).sums(
        scores, found.rate, table(), top, visible, maxima, total, overflow, keep, kept, arguments
    )
    top += 0.0  # of zeros of both signs, either may be the maximum that was found
    if not (top > -np.inf).all():
        raise InputError(_BAD)
    known = found.known & ~overflow
    others = visible - maxima
    z = sum_bounds(total, others, RELATIVE / U + plain.depth(n), found.error)
    z = Bounds(np.where(known, z.low, 0), np.where(known, z.high, others))
    return Rows(visible, maxima, top, z, found, known)


def sum_bounds(total: Floats, count: Integers, roundings: float, error: Floats | float) -> Bounds:
    """Enclose sums of `count` numbers exp(-X), given a float64 near the sum of y = exp(-x) (1 -+ RELATIVE) -+ ABSOLUTE.

    roundings: of y and of its sum together, in units of u. error: X/x lies within (1 -+ u)^error.
    """
    # Notes, "Sum": |log(sum of exp(-X)) - log S| <= 1.001 error u log(count/S) + tiny, S the sum of exp(-x).
    slack = (roundings + ENDS + 1.001 * error * log_quotient(count, total)) * U
    lost = count * (4 * ABSOLUTE)
    low, high = total * (1 - slack), total * (1 + slack)
    # From _SMALL on, `lost` is below 2^-17 u times the sum, which the slack covers.
    small = total < _SMALL
    low = np.where(small, np.maximum(low * (1 - 4 * U) - lost, 0), low)
    high = np.where(small, high * (1 + 4 * U) + lost, high)
    none = count == 0
    return Bounds(np.where(none, 0, low), np.where(none, 0, high))


def log_quotient(count: Integers, total: Floats) -> Floats:
    """At least log(count/total) and at least 0, for count < 2^53 and total >= 0; for total = 0 any number."""
    m, e = np.frexp(np.maximum(count, 1).astype(np.float64))
    mz, ez = np.frexp(total)
    # log m <= log(3/4) + (m - 3/4)/(3/4), a tangent; -log m <= 2 log(2) (1 - m) for 1/2 <= m <= 1, a chord.
    bound = (e - ez) * 0.69314719 + (m * (4 / 3) - 1.28768) + (1 - mz) * 1.3862944
    return np.asarray(np.maximum(bound + 2.0**-20, 0))


def share(z: Bounds, k: Integers, count: Integers) -> Bounds:
    """Enclose Z/(k + Z), which increases with Z; 0 where count = n - k is 0."""
    low, high = quotient(z.low, z.low, k, -1), quotient(z.high, z.high, k, 1)
    none = count == 0
    return Bounds(np.where(none, 0, np.maximum(low, 0)), np.where(none, 0, np.minimum(high, 1)))


def quotient(numerator: Floats, z: Floats, k: Integers, side: int) -> Floats:
    """A float64 below (side = -1) or above (side = 1) numerator/(k + z), numerator >= 0, k >= 1."""
    ties = k.astype(np.float64)
    total = ties + z
    part = total - ties
    error = (ties - (total - part)) + (z - part)  # exactly k + z - total (Knuth)
    # Where it is rounded to the wrong side, the denominator moves to its neighbour.
    total = np.where(error * side < 0, np.nextafter(total, -side * np.inf), total)
    return np.asarray(np.nextafter(numerator / total, side * np.inf))


def distance(rows: Rows) -> Bounds:
    """Enclose TV of softmax against average-hard attention; its L1 distance is twice that."""
    return share(rows.z, rows.k, rows.n - rows.k)


def max_weight(rows: Rows) -> Bounds:
    """Enclose the largest weight, 1/(k + Z)."""
    one = np.ones(len(rows.k))
    return Bounds(quotient(one, rows.z.high, rows.k, -1), np.minimum(quotient(one, rows.z.low, rows.k, 1), 1))


def weights(scores: NDArray[np.floating], tau: Temperature) -> tuple[Rows, Bounds]:
    """The rows, and enclosures of all softmax weights, shape (rows, n); [0, 1] in rows that are not known.

    scores, tau, errors: as for `evaluate`.
    """
    scores = checked(scores)
    found = rates(tau, len(scores))
    low, high = np.empty(scores.shape), np.empty(scores.shape)
    parts = [
        _weights(scores[part], Rates(found.rate[part], found.error[part], found.known[part]), low[part], high[part])
        for part in plain.blocks(len(scores), scores.shape[1], _BLOCK)
    ]
    if not parts:
        return evaluate(scores, tau), Bounds(low, high)
    n, k, top, least, most, known = (
        np.concatenate(x) for x in zip(*((r.n, r.k, r.top, r.z.low, r.z.high, r.known) for r in parts), strict=True)
    )
    return Rows(n, k, top, Bounds(least, most), found, known), Bounds(low, high)


def _weights(scores: NDArray[np.floating], found: Rates, low: Floats, high: Floats) -> Rows:
    """Fill in enclosures of all weights of a block of rows."""
    rows = _evaluate(scores, found, True, low, high)
    ends = max_weight(rows)
    centre = (ends.low + ends.high) / 2
    # Notes, "Weights": RELATIVE for exp_near, less than 2.25 u for the roundings of the formula, and the rest for those
    # of the spread, by which the ends of 1/(k + Z) differ from the centre.
    spread = np.maximum(ends.high - centre, centre - ends.low) / centre
    slack = np.stack([RELATIVE + ENDS * U + spread, 1.001 * U * found.error], axis=1)
    loops = backend.compiled(scores.size)
    (plain if loops is None else loops).weights(scores, slack, centre, low, high)
    low[~rows.known], high[~rows.known] = 0, 1
    return rows
