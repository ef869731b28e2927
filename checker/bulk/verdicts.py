"""Verdict arrays: comparisons of enclosures with thresholds, and the undecided ones decided row by row with Arb."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from checker import floats
from checker.attention import Row
from checker.bulk import rows
from checker.bulk.exponential import Floats
from checker.bulk.rows import Bounds, Rows, Temperature
from checker.decide import MAXIMUM, decide
from checker.errors import InputError
from checker.quantity import Quantity, l1, max_weight, tv
from checker.verdict import Verdict

HOLDS, UNDECIDED, FAILS = 1, 0, -1
Verdicts = NDArray[np.int8]
Threshold = Fraction | int | Floats

_CODES = {Verdict.HOLDS: HOLDS, Verdict.UNDECIDED: UNDECIDED, Verdict.FAILS: FAILS}
_QUANTITIES: dict[str, Callable[[Row, Fraction], Quantity]] = {"tv": tv, "l1": l1, "max_weight": max_weight}


def compare(numbers: Bounds, relation: str, threshold: Threshold) -> Verdicts:
    """Compare enclosed numbers with an exact threshold, or with float64 ones entry by entry: 1 holds, -1 fails, 0 open.

    relation: one of < <= > >=. Raises InputError for another one.
    """
    below, above = (threshold, threshold) if isinstance(threshold, np.ndarray) else floats.enclose(Fraction(threshold))
    # The threshold lies in [below, above]; where that is not a point, it lies in the open interval.
    point = np.asarray(below == above)
    smaller = (numbers.high < below) | ((numbers.high <= below) & ~point)
    larger = (numbers.low > above) | ((numbers.low >= above) & ~point)
    if relation == "<":
        holds, fails = smaller, larger | (numbers.low >= above)
    elif relation == "<=":
        holds, fails = smaller | (numbers.high <= below), larger
    elif relation == ">":
        holds, fails = larger, smaller | (numbers.high <= below)
    elif relation == ">=":
        holds, fails = larger | (numbers.low >= above), smaller
    else:
        raise InputError(f"relation must be one of < <= > >=, got {relation!r}")
    return np.asarray(holds.astype(np.int8) - fails)


def distance_at_most(found: Rows, eps: Fraction) -> Verdicts:
    """Whether TV <= eps in each row, 0 < eps < 1, without a quotient: 1 holds, -1 fails, 0 open."""
    levels, place = np.unique(found.k, return_inverse=True)
    below, above = np.array([_level(int(k), eps) for k in levels]).T
    # Z/(k + Z) <= eps  iff  Z <= k eps/(1 - eps), which lies in [below, above].
    holds, fails = found.z.high <= below[place], found.z.low > above[place]
    return np.asarray(holds.astype(np.int8) - fails)


@lru_cache(maxsize=1 << 14)
def _level(k: int, eps: Fraction) -> tuple[float, float]:
    return floats.enclose(k * eps / (1 - eps))


def enclose(quantity: str, found: Rows) -> Bounds:
    """Enclose "tv", "l1" (against average-hard attention) or "max_weight" of each row; InputError for another name."""
    if quantity not in _QUANTITIES:
        raise InputError(f"the quantity must be one of {', '.join(_QUANTITIES)}, got {quantity!r}")
    if quantity == "max_weight":
        return rows.max_weight(found)
    bounds = rows.distance(found)
    return bounds if quantity == "tv" else Bounds(2 * bounds.low, 2 * bounds.high)


def decide_rows(
    quantity: str,
    scores: NDArray[np.floating],
    tau: Temperature,
    relation: str,
    threshold: Threshold,
    *,
    maximum: int = MAXIMUM,
) -> Verdicts:
    """Decide `quantity relation threshold` for every row of scores (rows, n), float32 or float64, -inf for masked.

    tau: exact and common, or float64 per row; threshold likewise. Rows that the enclosures leave open go to Arb, with
    up to `maximum` bits, and are checked with mpmath; 0 is returned for what remains open. InputError as `evaluate`.
    """
    found = rows.evaluate(scores, tau)
    verdicts = compare(enclose(quantity, found), relation, threshold)
    for row in np.flatnonzero(verdicts == UNDECIDED).tolist():
        numbers = scores[row][scores[row] != -np.inf].astype(np.float64).tolist()
        here = tau if isinstance(tau, Fraction) else Fraction(float(tau[row]))
        level = Fraction(float(threshold[row])) if isinstance(threshold, np.ndarray) else threshold
        exact = _QUANTITIES[quantity](Row.explicit(Fraction(x) for x in numbers), here)
        verdicts[row] = _CODES[decide(exact, relation, level, maximum=maximum).verdict]
    return verdicts
