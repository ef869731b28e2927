"""Checks of A1 (exact error) and A2 (gap bound): quantities from the definitions on lattice, giant and worst rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from checker.attention import Row, Tie
from checker.decide import Expression
from checker.env import Env
from checker.quantity import Quantity, l1, tv, weight

from .claims import StatedClaim
from .grids import (
    FEW_RATIOS,
    GIANT_LENGTHS,
    GIANT_RATIOS,
    RATIOS,
    Plan,
    explicit_multisets,
    kind_of,
    lengths_and_ties,
    multisets,
    orders,
    worst,
)
from .item import Item, Items, Mode, at

ONE = Fraction(1)
EVERY_ORDER = 4
"""Rows of more positions are taken in one order of their scores."""

TIES = (Tie.LEFTMOST, Tie.RIGHTMOST)


def row_env(row: Row, tau: Fraction) -> Env:
    """Values of the symbols of section A on a row: n, k, top, tau and the functions s and mu of the position."""
    scalars = {"n": row.n, "k": row.k, "top": row.top, "tau": tau}
    mu = [int(score == row.top) for score in row.scores]
    return Env(scalars, {"s": row.scores, "mu": mu}, row.multiplicities)  # type: ignore[arg-type, dict-item]


def giant_rows() -> Iterator[Row]:
    """Rows of up to 10^30 positions with scores at one or two distances below the maximum."""
    for n in GIANT_LENGTHS:
        for k in (1, n // 2):
            rest = n - k
            yield Row.multiset({Fraction(0): k, -ONE: rest})
            yield Row.multiset({Fraction(0): k, -ONE: rest // 2, Fraction(-5, 2): rest - rest // 2})


def a1_exact(claim: StatedClaim, plan: Plan) -> Items:
    """TV against average-hard attention equals Z'/(k + Z')."""
    for row in multisets(plan.max_n):
        for ratio in RATIOS:
            yield _row_item(claim, "lattice", row, 1 / ratio, Tie.AVERAGE)
    for row in giant_rows():
        for ratio in GIANT_RATIOS:
            yield _row_item(claim, "giant n", row, 1 / ratio, Tie.AVERAGE)


def a1_unique(claim: StatedClaim, plan: Plan) -> Items:
    """TV against leftmost- and rightmost-hard attention equals (k - 1 + Z')/(k + Z').

    Any maximal position has the same softmax weight, so no order of the positions matters. That is not taken for
    granted on short rows.
    """
    short = ("lattice, every order", orders(min(plan.max_n, EVERY_ORDER)))
    for kind, rows in (short, ("lattice", explicit_multisets(plan.max_n, smallest=EVERY_ORDER + 1))):
        for row in rows:
            for tie in TIES:
                for ratio in FEW_RATIOS:
                    yield _row_item(claim, kind, row, 1 / ratio, tie)
    for row in giant_rows():
        for tie in TIES:
            for ratio in GIANT_RATIOS:
                yield _row_item(claim, "giant n", row, 1 / ratio, tie)


@lru_cache(maxsize=8192)
def _bound_of_multiset(bound: Any, scores: tuple[tuple[Fraction, int], ...], tau: Fraction) -> Expression:
    """The stated bound, whose sums do not depend on the order of the positions."""
    return Expression(bound, row_env(Row.multiset(dict(scores)), tau))


def _row_item(claim: StatedClaim, kind: str, row: Row, tau: Fraction, tie: Tie) -> Item:
    counts = Counter[Fraction]()
    for score, multiplicity in zip(row.scores, row.multiplicities, strict=True):
        counts[score] += multiplicity
    bound = _bound_of_multiset(claim.bound, tuple(sorted(counts.items())), tau)
    return Item(kind, tv(row, tau, tie), claim.op, bound, Mode.EQUAL, at(scores=row, tau=tau, tie=tie.value))


def a1_weights(claim: StatedClaim, plan: Plan) -> Items:
    """Each softmax weight is exp(-(top - s)/tau)/(k + Z'), at positions of each score."""
    for row in multisets(min(plan.max_n, 4)):
        for ratio in FEW_RATIOS:
            tau = 1 / ratio
            for group, score in enumerate(row.scores):
                env = row_env(row, tau)
                here = Env({**env.scalars, "here": score}, env.rows, env.multiplicities)
                bound = Expression(claim.bound_at_position({"s": "here"}), here)
                witness = at(scores=row, tau=tau, position_of_score=score)
                yield Item("lattice", weight(row, tau, group), claim.op, bound, Mode.EQUAL, witness)


def _at_gap(row: Row, gamma: Fraction) -> bool:
    return all(score == row.top or row.top - score == gamma for score in row.scores)


def _gap_cases(plan: Plan) -> Iterator[tuple[str, Row, Fraction, Fraction]]:
    """(kind, row, gamma, tau): gamma is the gap of the row, and half of it; 1 where all scores are maximal."""
    for row in multisets(plan.max_n):
        gap = row.gap if row.gap is not None else ONE
        for gamma in (gap, gap / 2):
            for ratio in RATIOS:
                yield "lattice", row, gamma, gamma / ratio
    for row in giant_rows():
        for ratio in GIANT_RATIOS:
            yield "giant n", row, ONE, 1 / ratio


def _distance_item(claim: StatedClaim, kind: str, row: Row, gamma: Fraction, tau: Fraction, mode: Mode) -> Item:
    bound = claim.bound_at(n=row.n, k=row.k, gamma=gamma, tau=tau)
    op = claim.op if mode is not Mode.DECIDED else claim.op.replace("<=", "<")
    return Item(kind, tv(row, tau), op, bound, mode, at(scores=row, gamma=gamma, tau=tau))


def a2_bound(claim: StatedClaim, plan: Plan) -> Items:
    """TV <= B: with agreement where all others are at the gap, strictly below elsewhere."""
    for kind, row, gamma, tau in _gap_cases(plan):
        mode = Mode.EITHER if _at_gap(row, gamma) else Mode.DECIDED
        yield _distance_item(claim, kind, row, gamma, tau, mode)


def a2_equality(claim: StatedClaim, plan: Plan) -> Items:
    """TV = B where every non-maximal score is exactly gamma below."""
    for kind, row, gamma, tau in _gap_cases(plan):
        if _at_gap(row, gamma):
            yield _distance_item(claim, kind, row, gamma, tau, Mode.EQUAL)


def a2_strict(claim: StatedClaim, plan: Plan) -> Items:
    """TV < B where some non-maximal score is further below."""
    for kind, row, gamma, tau in _gap_cases(plan):
        if not _at_gap(row, gamma):
            yield _distance_item(claim, kind, row, gamma, tau, Mode.DECIDED)


def _monotone(claim: StatedClaim, plan: Plan, changed: str) -> Items:
    """TV of the worst rows at two values of one parameter, both from the definitions, in the order claimed."""
    for n, k in lengths_and_ties(plan.max_n):
        if changed == "k" and k + 1 > n:
            continue
        for ratio in RATIOS if n <= 100 else GIANT_RATIOS:
            tau = 1 / ratio
            old, new = tv(worst(n, k, ONE), tau), _raised(n, k, tau, changed)
            on_the_right = claim.new_value_on_the_right(changed + "2")
            first, second = (old, new) if on_the_right else (new, old)
            witness = at(n=n, k=k, gamma=1, tau=tau, raised=changed)
            yield Item(kind_of(n), first, claim.op, second, Mode.DECIDED, witness)


def _raised(n: int, k: int, tau: Fraction, changed: str) -> Quantity:
    """TV of the worst row with one parameter raised: n and k by one, gamma = 1 and tau by a quarter."""
    if changed == "n":
        return tv(worst(n + 1, k, ONE), tau)
    if changed == "k":
        return tv(worst(n, k + 1, ONE), tau)
    if changed == "gamma":
        return tv(worst(n, k, ONE * 5 / 4), tau)
    return tv(worst(n, k, ONE), tau * 5 / 4)


def a2_increasing_n(claim: StatedClaim, plan: Plan) -> Items:
    """The worst case grows with n."""
    yield from _monotone(claim, plan, "n")


def a2_decreasing_k(claim: StatedClaim, plan: Plan) -> Items:
    """The worst case shrinks with k."""
    yield from _monotone(claim, plan, "k")


def a2_decreasing_gamma(claim: StatedClaim, plan: Plan) -> Items:
    """The worst case shrinks with gamma."""
    yield from _monotone(claim, plan, "gamma")


def a2_increasing_tau(claim: StatedClaim, plan: Plan) -> Items:
    """The worst case grows with tau."""
    yield from _monotone(claim, plan, "tau")


def a2_every_k(claim: StatedClaim, plan: Plan) -> Items:
    """L1 of the worst row with k maxima is at most the bound at k = 1, with agreement at k = 1."""
    yield from _worst_l1(claim, plan, lambda k: Mode.EITHER if k == 1 else Mode.DECIDED)


def a2_linear(claim: StatedClaim, plan: Plan) -> Items:
    """L1 of the worst row with one maximum is at most 2(n-1)q."""
    yield from _worst_l1(claim, plan, lambda _: Mode.DECIDED, most_k=1)


def a2_literature(claim: StatedClaim, plan: Plan) -> Items:
    """L1 < 2nq on every row with gap >= gamma."""
    for kind, row, gamma, tau in _gap_cases(plan):
        bound = claim.bound_at(n=row.n, k=row.k, gamma=gamma, tau=tau)
        witness = at(scores=row, gamma=gamma, tau=tau)
        yield Item(kind, l1(row, tau), claim.op, bound, Mode.DECIDED, witness)


def _worst_l1(claim: StatedClaim, plan: Plan, mode, most_k: int | None = None) -> Items:  # type: ignore[no-untyped-def]
    for n, k in lengths_and_ties(plan.max_n):
        if most_k is not None and k > most_k:
            continue
        for ratio in RATIOS if n <= 100 else GIANT_RATIOS:
            tau = 1 / ratio
            bound = claim.bound_at(n=n, k=k, gamma=1, tau=tau)
            witness = at(n=n, k=k, others_below=1, tau=tau)
            yield Item(kind_of(n), l1(worst(n, k, ONE), tau), claim.op, bound, mode(k), witness)


def a2_constant(claim: StatedClaim, plan: Plan) -> Items:
    """L1 of the worst row exceeds (2 - 4/(n+1)) n q at temperatures with q just below n**-2."""
    for n in [*range(2, plan.max_n + 1), *GIANT_LENGTHS]:
        # exp(-x) <= n**-2 iff x >= 2 log n, and log n < 7/10 * (bit length of n), since log 2 < 7/10.
        tau = 1 / Fraction(14 * n.bit_length(), 10)
        bound = Expression(claim.bound_with_decay("q"), Env({"n": Fraction(n), "gamma": ONE, "tau": tau}))
        yield Item(
            kind_of(n), l1(worst(n, 1, ONE), tau), claim.op, bound, Mode.DECIDED, at(n=n, k=1, others_below=1, tau=tau)
        )
