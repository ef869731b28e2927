"""The audit of blocks of rows in float64: TV, critical temperatures, what the gap allows (A2); the rest stays open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker import critical
from checker.bulk import temperature
from checker.bulk.exponential import Floats, exp_bounds
from checker.bulk.rows import Booleans, Bounds, Rows, U, distance, evaluate, rates, share

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """What is known of a block of rows; enclosures have shape (rows, 2), other arrays (rows,).

    k: maximal scores. critical, bound_critical: (inf, inf) where every temperature will do. slack: NaN there.
    open: rows of which something is not known; their numbers mean nothing. contradiction: rows whose enclosures
    contradict statement A2, which would be a fault of this program.
    """

    k: Integers
    tv: Floats
    critical: Floats
    bound_tv: Floats
    bound_critical: Floats
    slack: Floats
    open: Booleans
    contradiction: Booleans


def audit_block(values: Floats, eps: Fraction, tau: Fraction) -> Block:
    """Audit rows of float64 scores, each in decreasing order, absent ones (-inf) last; 0 < eps < 1, tau > 0."""
    found = evaluate(values, tau)
    rows, others = np.arange(len(values)), found.n - found.k
    tv = distance(found)
    some = others > 0
    gaps = _differences(values[:, 0], values[rows, np.where(some, found.k, 0)])
    bound_tv = _gap_bound(found, gaps, tau)
    result = Block(
        found.k,
        tv=_pairs(tv),
        critical=np.full((len(values), 2), np.inf),
        bound_tv=_pairs(bound_tv),
        bound_critical=np.full((len(values), 2), np.inf),
        slack=np.full((len(values), 2), np.nan),
        open=some & ~found.known,
        contradiction=some & found.known & (tv.low > bound_tv.high),
    )
    _temperatures(result, values, found, gaps, eps)
    return result


def _temperatures(result: Block, values: Floats, found: Rows, gaps: Bounds, eps: Fraction) -> None:
    """Fill in critical temperatures, bounds and slacks of the rows for which not every temperature will do."""
    shapes, place = np.unique(np.stack([found.n, found.k]), axis=1, return_inverse=True)
    # TV increases to (n-k)/n as tau grows, without reaching it.
    limited = [eps < Fraction(n - k, n) for n, k in shapes.T.tolist()]
    targets = [critical.log_target(k, eps) for k in shapes[1].tolist()]
    logarithms = np.array(
        [
            critical.log_ratio_bounds(n, k, eps) if yes else (np.nan, np.nan)
            for yes, (n, k) in zip(limited, shapes.T.tolist(), strict=True)
        ]
    )
    chosen = np.flatnonzero(np.array(limited)[place] & found.known)
    result.open[np.array(limited)[place] & ~found.known] = True
    if not len(chosen):
        return
    n, k = found.n[chosen], found.k[chosen]
    scores = values[chosen]
    differences = np.where(np.arange(scores.shape[1]) < k[:, None], np.inf, scores[:, :1] - scores)
    gap = Bounds(gaps.low[chosen], gaps.high[chosen])
    guesses = temperature.propose(differences, gap.high, n - k, np.array(targets)[place[chosen]])
    ends, good = temperature.verify(scores, eps, guesses)
    result.critical[chosen] = _pairs(ends)
    lower, upper = logarithms[place[chosen]].T
    with np.errstate(all="ignore"):
        bound = Bounds(_down(gap.low / upper), _up(gap.high / lower))
        slack = Bounds(_down(ends.low / bound.high), _up(ends.high / bound.low))
        good &= np.isfinite(bound.high) & (bound.low > 0) & np.isfinite(slack.high)
    # Z = (n-k) exp(-gap/tau): the temperature and the bound are the same number (equality case of A2).
    same = scores[np.arange(len(n)), k] == scores[np.arange(len(n)), n - 1]
    result.bound_critical[chosen] = _pairs(bound)
    result.slack[chosen] = np.where(same[:, None], 1.0, _pairs(slack))
    result.open[chosen[~good]] = True
    result.contradiction[chosen] |= good & (result.slack[chosen, 1] < 1)


def _gap_bound(found: Rows, gaps: Bounds, tau: Fraction) -> Bounds:
    """Enclose (n-k)q/(k+(n-k)q), q = exp(-gap/tau), for rows that are known."""
    rate = rates(tau, len(found.n)).rate
    with np.errstate(over="ignore"):
        # Two roundings and that of 1/tau, each by a factor within 1 -+ u, or by 2^-1075.
        low = -(gaps.high * rate * (1 + 6 * U) + 2.0**-1070)
        high = -np.maximum(gaps.low * rate * (1 - 6 * U) - 2.0**-1070, 0)
    q = Bounds(*exp_bounds(low, high))
    count = found.n - found.k
    return share(Bounds(np.maximum(_down(count * q.low), 0), _up(count * q.high)), found.k, count)


def _differences(top: Floats, below: Floats) -> Bounds:
    """Enclose top - below >= 0: a point where that is a float64."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = top - below
        part = total - top
        error = (top - (total - part)) + (-below - part)  # exactly top - below - total (Knuth), NaN on overflow
        return Bounds(np.where(error >= 0, total, _down(total)), np.where(error <= 0, total, _up(total)))


def _pairs(bounds: Bounds) -> Floats:
    return np.stack([bounds.low, bounds.high], axis=1)


def _down(x: Floats) -> Floats:
    return np.nextafter(x, -np.inf)


def _up(x: Floats) -> Floats:
    return np.nextafter(x, np.inf)
