"""Checks of section C: the scaling law, the necessity of 1/n for rightmost, and 1/log n at constant gap."""

from __future__ import annotations

import itertools
from fractions import Fraction

from checker.attention import Row
from checker.decide import Expression
from checker.env import Env
from checker.exact import show
from checker.quantity import l1, tv, tv_perturbed, weight
from checker.sides import Affine

from .claims import StatedClaim
from .grids import FEW_RATIOS, GIANT_LENGTHS, Plan, kind_of, multisets, worst
from .item import Item, Items, Mode, at
from .temperature import around

ONE = Fraction(1)
FACTORS = (Fraction(1, 7), Fraction(3))
TARGETS = tuple(Fraction(text) for text in ("1e-9", "0.01", "0.4"))


def c1_weights(claim: StatedClaim, plan: Plan) -> Items:
    """Weights and distances of c s at c tau against those of s at tau (equal)."""
    for row in multisets(min(plan.max_n, 5)):
        for factor in FACTORS:
            scaled = Row(tuple(factor * score for score in row.scores), row.multiplicities)
            for ratio in FEW_RATIOS:
                tau = 1 / ratio
                witness = at(scores=row, factor=factor, tau=tau)
                if claim.name == "C1.transfer":
                    yield Item("lattice", tv(scaled, factor * tau), claim.op, tv(row, tau), Mode.EQUAL, witness)
                    continue
                for group in range(len(row.scores)):
                    both = weight(scaled, factor * tau, group), weight(row, tau, group)
                    yield Item("lattice", both[0], claim.op, both[1], Mode.EQUAL, (*witness, ("group", group)))


def c1_rightmost(claim: StatedClaim, plan: Plan) -> Items:
    """Scores (2n chi + j)/n at temperature tau/n, for every Boolean row with a true position."""
    for n in range(1, plan.max_n + 1):
        for chi in itertools.product((0, 1), repeat=n):
            if any(chi):
                row = Row.explicit([2 * true + Fraction(j, n) for j, true in enumerate(chi, start=1)])
                for ratio in FEW_RATIOS:
                    bound = claim.bound_at(c=1, tau=1 / ratio)
                    witness = at(chi="".join(map(str, chi)), c=1, tau=1 / ratio)
                    yield Item("every predicate", tv(row, 1 / ratio / n), claim.op, bound, Mode.DECIDED, witness)


def c1_bounded(claim: StatedClaim, plan: Plan) -> Items:
    """Those scores s lie in 0..3: s(3 - s) >= 0, exactly."""
    for n in range(1, 3 * plan.max_n):
        for j in range(1, n + 1):
            for true in (0, 1):
                score = 2 * true + Fraction(j, n)
                yield Item(
                    "every position",
                    score * (3 - score),
                    claim.op,
                    claim.bound_at(),
                    Mode.DECIDED,
                    at(n=n, j=j, chi=true),
                )


def c1_lookup(claim: StatedClaim, plan: Plan) -> Items:
    """Scores -(j - a)**2/n**2 at temperature tau/n**2."""
    for n in range(1, plan.max_n + 3):
        for a in range(1, n + 1):
            row = Row.explicit([Fraction(-((j - a) ** 2), n**2) for j in range(1, n + 1)])
            for ratio in FEW_RATIOS:
                bound = claim.bound_at(c=1, tau=1 / ratio)
                witness = at(n=n, a=a, c=1, tau=1 / ratio)
                yield Item("every place", tv(row, 1 / ratio / n**2), claim.op, bound, Mode.DECIDED, witness)


def c2_chosen(claim: StatedClaim, plan: Plan) -> Items:
    """TV against the hard choice of position m + 1 is 1 - p(m+1), whatever the scores."""
    for row in multisets(min(plan.max_n, 4), smallest=2):
        scores = [score for score, count in zip(row.scores, row.multiplicities, strict=True) for _ in range(count)]
        soft = Row.explicit(scores)
        for m in range(1, soft.n):
            chosen = Row.explicit([int(j == m) for j in range(soft.n)])
            for ratio in FEW_RATIOS:
                tau = 1 / ratio
                rest = Affine(weight(soft, tau, m), Fraction(-1), ONE)
                witness = at(scores=soft, chosen=m + 1, tau=tau)
                yield Item("lattice", tv_perturbed(chosen, soft, tau), claim.op, rest, Mode.EQUAL, witness)


def _log_odds(claim: StatedClaim, eps: Fraction) -> tuple[Fraction, Fraction]:
    """Rational numbers just below and above the least step between neighbouring scores at tau = 1."""
    return around(claim.bound, Env({"eps": eps, "tau": ONE}))


def c2_pair(claim: StatedClaim, plan: Plan) -> Items:
    """Neighbours closer than tau log((1-eps)/eps): the later one has weight < 1 - eps; just further, n = 2: above."""
    for eps in TARGETS:
        low, high = _log_odds(claim, eps)
        for n in range(2, plan.max_n + 1):
            for m in range(1, n):
                scores = [-40 * ONE] * n
                scores[m - 1], scores[m] = Fraction(0), low
                witness = at(n=n, m=m, eps=eps, step=show(low), others=-40)
                value = weight(Row.explicit(scores), ONE, m)
                yield Item("below the step", value, "<", 1 - eps, Mode.DECIDED, witness)
        value = weight(Row.explicit([Fraction(0), high]), ONE, 1)
        yield Item("sharp at n = 2", value, ">", 1 - eps, Mode.DECIDED, at(n=2, m=1, eps=eps, step=show(high)))


def c2_positive(claim: StatedClaim, plan: Plan) -> Items:
    """log((1-eps)/eps) > 0."""
    del plan
    for eps in (*TARGETS, Fraction(499999, 1000000)):
        value = Expression(claim.left, Env({"eps": eps}))
        yield Item("parameters", value, claim.op, 0, Mode.DECIDED, at(eps=eps))


def c2_bound(claim: StatedClaim, plan: Plan) -> Items:
    """Above the bound every head fails: the input with true positions j, j + 1 of the smallest step is exhibited."""
    for n in [*range(2, plan.max_n + 1), 25]:
        for eps in TARGETS:
            for name, shape in _shapes(n).items():
                delta = shape[-1] - shape[0]
                _, tau = around(claim.bound, Env({"n": Fraction(n), "delta": delta, "eps": eps}))
                steps = [later - earlier for earlier, later in itertools.pairwise(shape)]
                j = steps.index(min(steps)) + 1
                for lift in (Fraction(0), delta):
                    scores = [
                        score + (lift if place in (j, j + 1) else 0) for place, score in enumerate(shape, start=1)
                    ]
                    chosen = Row.explicit([int(place == j + 1) for place in range(1, n + 1)])
                    error = tv_perturbed(chosen, Row.explicit(scores), tau)
                    witness = at(
                        n=n, head=name, true_positions=f"{j} and {j + 1}", A=lift, delta=delta, eps=eps, tau=show(tau)
                    )
                    yield Item("input on which the head fails", error, ">", eps, Mode.DECIDED, witness)


def _shapes(n: int) -> dict[str, list[Fraction]]:
    """Positional scores B_1, ..., B_n of several heads."""
    return {
        "linear": [Fraction(j) for j in range(n)],
        "quadratic": [Fraction(j * j) for j in range(n)],
        "square root": [Fraction(j * (2 * n - j), n) for j in range(n)],
        "one step": [Fraction(0)] * (n - 1) + [ONE],
        "uneven": [Fraction(j) + Fraction(j % 3, 3) for j in range(n)],
    }


def _tieless_targets(plan: Plan) -> list[tuple[int, Fraction]]:
    lengths = [*range(2, plan.max_n + 1), *GIANT_LENGTHS]
    return [(n, eps) for n in lengths for eps in (*TARGETS, ONE) if eps < Fraction(2 * (n - 1), n)]


def c3_sufficient(claim: StatedClaim, plan: Plan) -> Items:
    """Just below gamma/L the worst row has L1 <= eps."""
    expr = claim.hypothesis("tau", "<=")
    for n, eps in _tieless_targets(plan):
        tau, _ = around(expr, Env({"n": Fraction(n), "gamma": ONE, "eps": eps}))
        witness = at(n=n, gamma=1, eps=eps, tau=show(tau))
        yield Item(kind_of(n), l1(worst(n, 1, ONE), tau), "<=", eps, Mode.DECIDED, witness)


def c3_necessary(claim: StatedClaim, plan: Plan) -> Items:
    """Just above delta/L no row of spread delta has L1 <= eps: the best one, all others delta below, fails."""
    for n, eps in _tieless_targets(plan):
        _, tau = around(claim.bound, Env({"n": Fraction(n), "delta": ONE, "eps": eps}))
        witness = at(n=n, delta=1, eps=eps, tau=show(tau))
        yield Item(kind_of(n), l1(worst(n, 1, ONE), tau), ">", eps, Mode.DECIDED, witness)


def c3_below(claim: StatedClaim, plan: Plan) -> Items:
    """Just above gamma/log(2n/eps) the worst row still has L1 < eps."""
    for n, eps in _tieless_targets(plan):
        _, tau = around(claim.bound, Env({"n": Fraction(n), "gamma": ONE, "eps": eps}))
        witness = at(n=n, gamma=1, eps=eps, tau=show(tau))
        yield Item(kind_of(n), l1(worst(n, 1, ONE), tau), "<", eps, Mode.DECIDED, witness)


def c3_above(claim: StatedClaim, plan: Plan) -> Items:
    """Just above gamma/log(n-1) the worst row has L1 > eps, for eps <= 1."""
    for n, eps in _tieless_targets(plan):
        if n >= 3:
            _, tau = around(claim.bound, Env({"n": Fraction(n), "gamma": ONE}))
            witness = at(n=n, gamma=1, eps=eps, tau=show(tau))
            yield Item(kind_of(n), l1(worst(n, 1, ONE), tau), ">", eps, Mode.DECIDED, witness)
