"""Audit of attention scores: how far each row's softmax attention is from average-hard attention.

For every row: n, k, rigorous enclosures of TV at temperature tau and of the largest temperature at which
TV <= eps, and the same two by the gap bound (statement A2).  One block of rows is in memory at a time.  Rows of
float64 numbers are treated together (`checker.bulk`); what that leaves open, and rows of other numbers, go to Arb.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from checker import critical
from checker.attention import Mask
from checker.audit import Audit, shown, visible_scores
from checker.ball import Ball, working
from checker.bulk.auditing import audit_block
from checker.critical import Excess, float_bounds
from checker.errors import DisagreementError, InputError
from checker.exact import show
from checker.scorearray import Scores

DEFAULT_EPS = Fraction(1, 100)
DEFAULT_TAU = Fraction(1)

Progress = Callable[[int, int], None]


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
    values = np.where(present, scores.floats(start, stop), -np.inf)
    inexact = scores.inexact(start, stop)
    left = inexact & (result.n[start:stop] > 0)
    plain = np.flatnonzero(~inexact & (result.n[start:stop] > 0))
    if len(plain):
        # The order of the scores of a row decides how its sums are rounded.
        ordered = np.ascontiguousarray(np.sort(values[plain], axis=1)[:, ::-1])
        block = audit_block(ordered, result.eps, result.tau)
        if block.contradiction.any():
            raise _contradiction(result, start + int(plain[block.contradiction.argmax()]))
        for name in ("k", "tv", "critical", "bound_tv", "bound_critical", "slack"):
            getattr(result, name)[start + plain] = getattr(block, name)
        left[plain[block.open]] = True
    for place in np.flatnonzero(left).tolist():
        _audit_exact_row(result, start + place, inexact[place])


def _audit_exact_row(result: Audit, row: int, fractions: bool) -> None:
    """One row with Arb; fractions: it has a number that float64 does not hold."""
    exact = sorted(visible_scores(result.scores, result.mask, row).values(), reverse=True)
    ordered: list[critical.Number] = list(exact) if fractions else [float(x) for x in exact]
    k, top = exact.count(exact[0]), exact[0]
    excess = Excess(ordered[0], ordered[k:], [critical.float_of(top - score) for score in exact[k:]], exact=False)
    guess = np.nan
    if _limited(len(exact), k, result.eps):
        gap = top - exact[k]
        ratios = np.array([[critical.float_of((top - score) / gap) for score in exact[k:]]])
        with np.errstate(all="ignore"):
            x = critical.propose(ratios, np.array([critical.log_target(k, result.eps)]))
        guess = critical.float_of(gap) / float(x[0]) if x[0] > 0 else np.nan
    result.k[row] = k
    _audit_row(result, row, k, excess, guess)


def _limited(n: int, k: int, eps: Fraction) -> bool:
    """Whether some temperature gives TV > eps: TV increases to (n-k)/n as tau grows, without reaching it."""
    return n > 0 and eps < Fraction(n - k, n)


def _audit_row(result: Audit, row: int, k: int, excess: Excess, guess: float) -> None:
    """Fill in the enclosures of one row; k = n needs nothing, since TV = 0 at every temperature."""
    n = int(result.n[row])
    result.tv[row], result.bound_tv[row] = 0, 0
    result.critical[row], result.bound_critical[row], result.slack[row] = np.inf, np.inf, np.nan
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
