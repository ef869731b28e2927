"""Critical temperatures of many rows: the largest tau at which TV <= eps, enclosed in float64.

Newton's iteration proposes temperatures, with the exponential of this package, so that the proposals do not depend on
which loops run; then TV(lo) <= eps < TV(hi) is verified by enclosures. What is not verified is left open.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker.bulk import backend, plain
from checker.bulk.exponential import Floats, table
from checker.bulk.rows import Booleans, Bounds, evaluate
from checker.bulk.verdicts import FAILS, HOLDS, distance_at_most

WIDTHS = (2.0**-40, 2.0**-36, 2.0**-32)
"""Half the widths of the enclosures tried, relative to the temperature."""

_STEPS = 60
_CLOSE = 1e-8  # the error after a step of Newton's iteration is of the order of the square of its relative size
_LEAST, _MOST = 1e-290, 1e290


def propose(differences: Floats, gaps: Floats, counts: NDArray[np.int64], targets: Floats) -> Floats:
    """Approximate temperatures where log Z = target; NaN where none is found.

    differences: shape (rows, n), m - s of the non-maximal scores, inf elsewhere. gaps: the least of each row, > 0.
    counts: how many there are, >= 1. targets: below log(count).
    """
    found = np.full(len(gaps), np.nan)
    with np.errstate(all="ignore"):
        # x = gap/tau. log Z is convex and decreasing in x, and at most log(count) - x.
        x = np.maximum(np.log(counts) - targets, 1e-300)
        active = np.flatnonzero(np.isfinite(x / gaps) & (x / gaps > 0))
        x, d, g, goal = x[active], differences[active], gaps[active], targets[active]
        for _ in range(_STEPS):
            total, moment = _moments(d, x / g)
            # d/dx log Z = -moment/(gap total)
            step = (np.log(total) - goal) * total * g / moment
            following = np.where(np.isfinite(step), np.maximum(x + step, x / 64), x / 2)
            done = (np.abs(following - x) <= _CLOSE * x) & np.isnan(found[active])
            found[active[done]] = (g / following)[done]
            left = np.isnan(found[active])
            if not left.any():
                break
            if 2 * np.count_nonzero(left) <= len(left):  # few are left: go on with those only
                active, x, d, g, goal = active[left], following[left], d[left], g[left], goal[left]
            else:
                x = following
    return found


def _moments(differences: Floats, rate: Floats) -> tuple[Floats, Floats]:
    total, moment = np.empty(len(rate)), np.empty(len(rate))
    safe = np.where((rate > 0) & np.isfinite(rate), rate, 1.0)
    loops = backend.compiled(differences.size)
    (plain if loops is None else loops).moments(differences, safe, table(), total, moment)
    return total, moment


def verify(scores: Floats, eps: Fraction, guesses: Floats) -> tuple[Bounds, Booleans]:
    """Enclose critical temperatures near the guesses: TV(low) <= eps < TV(high); and where that is verified.

    scores: shape (rows, n) as for `checker.bulk.rows.evaluate`, not all equal in a row. Elsewhere the ends are NaN.
    """
    low, high = np.full(len(guesses), np.nan), np.full(len(guesses), np.nan)
    with np.errstate(invalid="ignore"):
        left = np.flatnonzero((guesses >= _LEAST) & (guesses <= _MOST))
    for width in WIDTHS:
        if not len(left):
            break
        below, above = guesses[left] * (1 - width), guesses[left] * (1 + width)
        under, over = evaluate(scores[left], below), evaluate(scores[left], above)
        good = (distance_at_most(under, eps) == HOLDS) & (distance_at_most(over, eps) == FAILS)
        good &= under.known & over.known
        low[left[good]], high[left[good]] = below[good], above[good]
        left = left[~good]
    return Bounds(low, high), ~np.isnan(low)
