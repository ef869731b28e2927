"""Checks of A3 (critical temperature) and A4 (dispersion)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from checker.attention import Row
from checker.ball import endpoints, evaluate
from checker.decide import Expression
from checker.env import Env
from checker.quantity import attention_output, l1, max_weight, tv, weight
from checker.sides import AbsoluteDifference

from .claims import StatedClaim
from .exact_error import giant_rows
from .grids import EPSILONS, FEW_RATIOS, GIANT_RATIOS, RATIOS, Plan, kind_of, lengths_and_ties, multisets, worst
from .item import Item, Items, Mode, at

ONE = Fraction(1)
CLOSE = 160  # bits to which the temperatures around a threshold are chosen


def around(expr: object, env: Env) -> tuple[Fraction, Fraction]:
    """Rational numbers just below and just above the value of an expression (relative distance about 2**-150)."""
    low, high = endpoints(evaluate(expr, env, CLOSE))
    shift = high / 2**150
    return low - shift, high + shift


def _targets(plan: Plan) -> Iterator[tuple[int, int, Fraction]]:
    """(n, k, eps) with 0 < eps < 2(n-k)/n."""
    for n, k in lengths_and_ties(plan.max_n):
        for eps in EPSILONS:
            if eps < Fraction(2 * (n - k), n):
                yield n, k, eps


def _critical(expr: object, n: int, k: int, eps: Fraction) -> tuple[Fraction, Fraction]:
    return around(expr, Env({"n": Fraction(n), "k": Fraction(k), "gamma": ONE, "eps": eps}))


def a3_sufficient(claim: StatedClaim, plan: Plan) -> Items:
    """At a temperature just below the critical one every row with gap >= gamma has L1 <= eps."""
    expr = claim.hypothesis("tau", "<=")
    for n, k, eps in _targets(plan):
        tau, _ = _critical(expr, n, k, eps)
        witness = at(n=n, k=k, others_below=1, eps=eps, tau=tau)
        yield Item(kind_of(n), l1(worst(n, k, ONE), tau), "<=", eps, Mode.DECIDED, witness)
    for row in multisets(plan.max_n):
        if row.gap is None:
            continue
        for eps in EPSILONS:
            if eps < Fraction(2 * (row.n - row.k), row.n):
                env = Env({"n": Fraction(row.n), "k": Fraction(row.k), "gamma": row.gap, "eps": eps})
                tau, _ = around(expr, env)
                witness = at(scores=row, gamma=row.gap, eps=eps, tau=tau)
                yield Item("lattice", l1(row, tau), "<=", eps, Mode.DECIDED, witness)


def a3_necessary(claim: StatedClaim, plan: Plan) -> Items:
    """At a temperature just above the critical one the worst row has L1 > eps."""
    for n, k, eps in _targets(plan):
        _, tau = _critical(claim.bound, n, k, eps)
        witness = at(n=n, k=k, others_below=1, eps=eps, tau=tau)
        yield Item(kind_of(n), l1(worst(n, k, ONE), tau), ">", eps, Mode.DECIDED, witness)


def a3_always(claim: StatedClaim, plan: Plan) -> Items:
    """For eps at the limit the error stays below at every temperature."""
    expr = claim.hypothesis("eps", ">=")
    for n, k in lengths_and_ties(plan.max_n):
        limit = Expression(expr, Env({"n": Fraction(n), "k": Fraction(k)}))
        for ratio in RATIOS if n <= 100 else GIANT_RATIOS:
            witness = at(n=n, k=k, others_below=1, tau=1 / ratio)
            yield Item(kind_of(n), l1(worst(n, k, ONE), 1 / ratio), claim.op, limit, Mode.DECIDED, witness)


def a3_positive(claim: StatedClaim, plan: Plan) -> Items:
    """The critical temperature is positive."""
    for n, k, eps in _targets(plan):
        env = Env({"n": Fraction(n), "k": Fraction(k), "gamma": ONE, "eps": eps})
        value = Expression(claim.left, env)
        yield Item(kind_of(n), value, claim.op, 0, Mode.DECIDED, at(n=n, k=k, gamma=1, eps=eps))


def _spread_cases(plan: Plan) -> Iterator[tuple[str, Row, Fraction, Fraction]]:
    """(kind, row, delta, tau): delta is the spread of the row, and twice it."""
    for row in multisets(plan.max_n):
        for delta in (row.spread, 2 * row.spread) if row.spread else (ONE,):
            for ratio in RATIOS:
                yield "lattice", row, delta, 1 / ratio
    for row in giant_rows():
        for ratio in GIANT_RATIOS:
            yield "giant n", row, row.spread, 1 / ratio


def _at_spread(row: Row, delta: Fraction) -> bool:
    return all(score == row.top or row.top - score == delta for score in row.scores)


def a4_distance(claim: StatedClaim, plan: Plan) -> Items:
    """TV is at least the bound: with agreement where all others are delta below, strictly above elsewhere."""
    for kind, row, delta, tau in _spread_cases(plan):
        tight = _at_spread(row, delta)
        bound = claim.bound_at(n=row.n, k=row.k, delta=delta, tau=tau)
        op = claim.op if tight else claim.op.replace(">=", ">")
        mode = Mode.EITHER if tight else Mode.DECIDED
        yield Item(kind, tv(row, tau), op, bound, mode, at(scores=row, delta=delta, tau=tau))


def a4_tight(claim: StatedClaim, plan: Plan) -> Items:
    """TV equals the bound where all others are exactly delta below."""
    for kind, row, delta, tau in _spread_cases(plan):
        if _at_spread(row, delta):
            bound = claim.bound_at(n=row.n, k=row.k, delta=delta, tau=tau)
            yield Item(kind, tv(row, tau), claim.op, bound, Mode.EQUAL, at(scores=row, delta=delta, tau=tau))


def a4_maximum(claim: StatedClaim, plan: Plan) -> Items:
    """The largest weight is at most 1/(1+(n-1)D), with agreement for one maximum and all others delta below."""
    for kind, row, delta, tau in _spread_cases(plan):
        tight = row.n == 1 or (row.k == 1 and _at_spread(row, delta))
        bound = claim.bound_at(n=row.n, k=row.k, delta=delta, tau=tau)
        mode = Mode.EITHER if tight else Mode.DECIDED
        yield Item(kind, max_weight(row, tau), claim.op, bound, mode, at(scores=row, delta=delta, tau=tau))


def a4_weight(claim: StatedClaim, plan: Plan) -> Items:
    """Every weight is at most exp(delta/tau)/n, with agreement for constant rows at delta = 0 only."""
    for kind, row, delta, tau in _spread_cases(plan):
        bound = claim.bound_at(n=row.n, k=row.k, delta=delta, tau=tau)
        for group in range(len(row.scores)):
            witness = at(scores=row, delta=delta, tau=tau, group=group)
            yield Item(kind, weight(row, tau, group), claim.op, bound, Mode.DECIDED, witness)
    for row in multisets(plan.max_n):
        if row.spread == 0:
            bound = claim.bound_at(n=row.n, k=row.k, delta=0, tau=1)
            witness = at(scores=row, delta=0, tau=1)
            yield Item("worst case", weight(row, ONE, 0), claim.op, bound, Mode.EITHER, witness)


def a4_temperature(claim: StatedClaim, plan: Plan) -> Items:
    """Just below the least delta/tau for k = 1 and L1 <= eps, the row at the spread has L1 > eps; just above, not."""
    for n, k, eps in _targets(plan):
        if k == 1:
            low, high = around(claim.bound, Env({"n": Fraction(n), "eps": eps}))
            if low > 0:
                witness = at(n=n, k=1, others_below=low, tau=1, eps=eps)
                yield Item(kind_of(n), l1(worst(n, 1, low), ONE), ">", eps, Mode.DECIDED, witness)
            if high > 0:
                witness = at(n=n, k=1, others_below=high, tau=1, eps=eps)
                yield Item(kind_of(n) + ", sharp", l1(worst(n, 1, high), ONE), "<=", eps, Mode.DECIDED, witness)


def a4_one_symbol(claim: StatedClaim, plan: Plan) -> Items:
    """Changing the score and value of one position moves the output by at most (hi - lo) exp(delta/tau)/n."""
    lo, hi = Fraction(0), Fraction(1)
    for row in multisets(min(plan.max_n, 4), smallest=2):
        for changed in range(len(row.scores)):
            for score in (Fraction(0), Fraction(2)):
                for old, new in ((lo, hi), (hi, lo), (lo, lo)):
                    yield from _one_symbol(claim, "lattice", row, changed, score, old, new)
    for n in (10**3, 10**12, 10**30):
        row = Row.multiset({ONE: n // 2, Fraction(0): n - n // 2})
        yield from _one_symbol(claim, "giant n", row, 0, Fraction(0), hi, lo)


def _one_symbol(
    claim: StatedClaim, kind: str, row: Row, changed: int, score: Fraction, old: Fraction, new: Fraction
) -> Items:
    """One position of the group `changed` gets the score `score`, and its value changes from old to new."""
    counts = list(row.multiplicities)
    counts[changed] -= 1
    groups = [(s, c) for s, c in zip(row.scores, counts, strict=True) if c]
    # the values of the unchanged positions alternate between the ends of the range
    values = [Fraction(index % 2) for index in range(len(groups))]
    before = Row((row.scores[changed], *(s for s, _ in groups)), (1, *(c for _, c in groups)))
    after = Row((score, *(s for s, _ in groups)), before.multiplicities)
    delta = max(before.spread, after.spread)
    if len(groups) == 0:
        return
    for ratio in FEW_RATIOS:
        tau = 1 / ratio
        moved = AbsoluteDifference(
            attention_output(after, tau, [new, *values]), attention_output(before, tau, [old, *values])
        )
        bound = claim.bound_at(n=before.n, delta=delta, tau=tau, lo=0, hi=1)
        witness = at(before=before, after=after, values=", ".join(map(str, [old, *values])), new_value=new, tau=tau)
        yield Item(kind, moved, claim.op, bound, Mode.EITHER, witness)
