"""Audit of attention scores: how far each row's softmax attention is from average-hard attention.

For every row: n, k, rigorous enclosures of TV at temperature tau and of the largest temperature at which
TV <= eps, and the same two by the gap bound (statement A2).  One block of rows is in memory at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from checker import critical
from checker.attention import Mask
from checker.audit import Audit, shown, visible_scores
from checker.ball import Ball, working
from checker.critical import Excess, float_bounds
from checker.errors import DisagreementError, InputError
from checker.exact import show
from checker.scorearray import Scores

DEFAULT_EPS = Fraction(1, 100)
DEFAULT_TAU = Fraction(1)

Progress = Callable[[int, int], None]
Floats = NDArray[np.float64]


def audit(
    scores: Scores,
    *,
    eps: Fraction | None = None,
    tau: Fraction | None = None,
    mask: Mask = Mask.NONE,
    progress: Progress | None = None,
) -> Audit:
    """Audit every row of ``scores`` against average-hard attention.

    eps: target, 0 < eps < 1 (default 1/100).  tau: temperature > 0 (default 1).  mask: hides keys by query, in
    addition to the -inf entries; needs as many queries as keys.  progress: called with (rows done, rows).
    Raises InputError for bad arguments and for a row whose visible scores are all -inf.
    """
    eps, tau = _eps(eps), _tau(tau)
    _check_mask(scores, mask)
    result = Audit(
        scores,
        mask,
        eps,
        tau,
        n=np.zeros(scores.rows, dtype=np.int64),
        k=np.zeros(scores.rows, dtype=np.int64),
        tv=np.zeros((scores.rows, 2)),
        critical=np.full((scores.rows, 2), np.inf),
        bound_tv=np.zeros((scores.rows, 2)),
        bound_critical=np.full((scores.rows, 2), np.inf),
        slack=np.full((scores.rows, 2), np.nan),
    )
    for start, stop in scores.blocks():
        _audit_block(result, start, stop)
        if progress is not None:
            progress(stop, scores.rows)
    return result


def _eps(eps: Fraction | None) -> Fraction:
    eps = DEFAULT_EPS if eps is None else eps
    if not 0 < eps < 1:
        raise InputError(f"eps is {show(eps)}; the target distance must satisfy 0 < eps < 1")
    return eps


def _tau(tau: Fraction | None) -> Fraction:
    tau = DEFAULT_TAU if tau is None else tau
    if tau <= 0:
        raise InputError(f"tau is {show(tau)}; a temperature must be positive")
    return tau


def _check_mask(scores: Scores, mask: Mask) -> None:
    shape = scores.shape
    if mask is not Mask.NONE and (len(shape) < 2 or shape[-2] != shape[-1]):
        raise InputError(f"{scores.name}: mask {mask.value!r} needs as many queries as keys, the shape is {shape}")
    if mask in (Mask.STRICT_FUTURE, Mask.STRICT_PAST) and shape[-1] == 1:
        raise InputError(f"{scores.name}: mask {mask.value!r} hides the only key; at least two keys are needed")


def _audit_block(result: Audit, start: int, stop: int) -> None:
    """Fill in the results of rows start..stop-1."""
    scores, rows = result.scores, np.arange(start, stop)
    queries = rows % scores.shape[-2] if len(scores.shape) > 1 else rows
    seen = shown(result.mask, queries, scores.keys)
    present = seen & (scores.raw(start, stop) != -np.inf)
    result.n[start:stop] = present.sum(axis=1)
    hidden = seen.any(axis=1) & ~present.any(axis=1)
    if hidden.any():
        index = list(scores.index(start + int(hidden.argmax())))
        raise InputError(
            f"{scores.name}: every score of row {index} that mask {result.mask.value!r} shows is -inf; "
            "a row needs at least one key"
        )
    block = _Block(np.where(present, scores.floats(start, stop), -np.inf), scores.inexact(start, stop))
    result.k[start:stop] = np.where(result.n[start:stop] > 0, block.k, 0)
    guesses = block.guesses(result.n[start:stop], result.eps)
    for place in range(stop - start):
        n = int(result.n[start + place])
        if n == 0:
            continue
        if block.rounded[place]:
            _audit_exact_row(result, start + place)
        else:
            k = int(block.k[place])
            _audit_row(result, start + place, k, block.excess(place, n), float(guesses[place]))


class _Block:
    """A block of rows, each sorted in decreasing order, absent entries (-inf) last."""

    def __init__(self, values: Floats, inexact: NDArray[np.bool_]) -> None:
        values.sort(axis=1)
        self.values = values = values[:, ::-1]
        top = values[:, :1]
        with np.errstate(invalid="ignore", over="ignore"):
            self.differences = top - values
            self.k = (values == top).sum(axis=1)
            # Knuth's TwoSum: the rounding error of top + (-s), exact in round-to-nearest without overflow.
            part = self.differences - top
            error = (top - (self.differences - part)) + (-values - part)
            off = (error != 0) & (values != -np.inf)  # also where an overflow made it NaN
        self.exact = ~off.any(axis=1)
        self.rounded = inexact

    def excess(self, place: int, n: int) -> Excess:
        """Z(tau) of one row with n visible keys."""
        chosen = slice(self.k[place], n)
        return Excess(
            float(self.values[place, 0]),
            self.values[place, chosen].tolist(),
            self.differences[place, chosen].tolist(),
            exact=bool(self.exact[place]),
        )

    def guesses(self, n: NDArray[np.int64], eps: Fraction) -> Floats:
        """Proposed critical temperatures; NaN where there is none or it is found otherwise."""
        found = np.full(len(n), np.nan)
        limited = [_limited(int(a), int(b), eps) for a, b in zip(n, self.k, strict=True)]
        rows = np.flatnonzero((n > 0) & ~self.rounded & limited)
        if len(rows):
            gaps = self.differences[rows, self.k[rows]]
            targets = np.array([_target(int(k), eps) for k in self.k[rows]])
            found[rows] = _propose(self.differences[rows], gaps, targets)
        return found


@lru_cache(maxsize=4096)
def _limited(n: int, k: int, eps: Fraction) -> bool:
    """Whether some temperature gives TV > eps: TV increases to (n-k)/n as tau grows, without reaching it."""
    return n > 0 and eps < Fraction(n - k, n)


_target = lru_cache(maxsize=4096)(critical.log_target)


def _propose(differences: Floats, gaps: Floats, targets: Floats) -> Floats:
    """Approximate critical temperatures of rows given top - s (0 for maxima, inf for absent keys)."""
    with np.errstate(all="ignore"):
        ratios = np.where(differences > 0, differences / gaps[:, None], np.inf)
        return gaps / critical.propose(ratios, targets)


def _audit_exact_row(result: Audit, row: int) -> None:
    """A row with numbers, or differences, that float64 does not hold: exact fractions throughout."""
    ordered = sorted(visible_scores(result.scores, result.mask, row).values(), reverse=True)
    k, top = ordered.count(ordered[0]), ordered[0]
    rest = ordered[k:]
    excess = Excess(top, rest, [critical.float_of(top - score) for score in rest], exact=False)
    guess = np.nan
    if _limited(len(ordered), k, result.eps):
        gap = top - rest[0]
        ratios = np.array([[critical.float_of((top - score) / gap) for score in rest]])
        guess = critical.float_of(gap) * float(_propose(ratios, np.ones(1), np.array([_target(k, result.eps)]))[0])
    result.k[row] = k
    _audit_row(result, row, k, excess, guess)


def _audit_row(result: Audit, row: int, k: int, excess: Excess, guess: float) -> None:
    """Fill in the enclosures of one row; k = n needs nothing, since TV = 0 at every temperature."""
    n = int(result.n[row])
    if k == n:
        return
    result.tv[row] = critical.tv_bounds(excess, k, result.tau)
    result.bound_tv[row] = critical.gap_bound(excess, n, k, result.tau)
    # A2: TV <= (n-k)q/(k+(n-k)q), hence also slack >= 1; anything else would be a fault of this program.
    if result.tv[row, 0] > result.bound_tv[row, 1]:
        raise _contradiction(result, row)
    if not _limited(n, k, result.eps):
        return
    lo, hi = critical.certify(excess, k, result.eps, guess)
    bound = critical.gap_temperature(excess, n, k, result.eps)
    result.critical[row] = lo, hi
    result.bound_critical[row] = float_bounds(bound)
    result.slack[row] = _slack(excess, lo, hi, bound)
    if result.slack[row, 1] < 1:
        raise _contradiction(result, row)


def _slack(excess: Excess, lo: float, hi: float, bound: Ball) -> tuple[float, float]:
    """Enclosure of the critical temperature, which lies in [lo, hi), divided by the positive bound."""
    if excess.rest[0] == excess.rest[-1]:
        return 1.0, 1.0  # Z = (n-k) exp(-gap/tau): the two are the same number (equality case of A2)
    with working(critical.START):
        above = math.inf if hi == math.inf else float_bounds(Ball(hi) / bound)[1]
        return float_bounds(Ball(lo) / bound)[0], above


def _contradiction(result: Audit, row: int) -> DisagreementError:
    index = list(result.scores.index(row))
    return DisagreementError(f"{result.scores.name}: row {index} is farther from hard attention than A2 allows")
