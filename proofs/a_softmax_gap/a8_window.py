"""A8, average-hard attention with perturbed scores: the exact worst case.

Main statements, with q = exp(-gamma/tau), R = exp(2 eta/tau), P_a = (a+(n-k)q)/(k+(n-k)q) and
F(a) = P_a R/(1+P_a(R-1)) - a/k
    A8.bound     gap >= gamma and scores off by at most eta imply TV <= max of F(a) over a = 0..k
    A8.attained  the maximum is attained: raise a of the maximal positions and all others by eta, lower the rest by eta
    A8.simple    every F(a) is at most tanh(eta/(2 tau)) + (n-k)q/(k+(n-k)q)

Together A8.bound and A8.attained: the maximum is the supremum over all rows with k maxima and gap >= gamma and all
perturbations. It is small only in a window of temperatures: tau small against gamma/log n, large against eta.

Proof idea: TV = p2(S) - h(S) for the set S where p2 >= h; S contains a maximal positions, so h(S) = a/k and
p(S) <= P_a, and A5.mass bounds p2(S).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import EXP_POSITIVE
from ..props import Each, MaxOver, Rel, total
from ..sequent import Step
from ..statement import Claim, Statement, TableData
from .a1_exact import STRICTLY_BELOW, named_weights, z
from .a2_gap import ALL_AT_GAP, BOUND, Q, name_q, q
from .a5_perturbed import tanh_as_exp
from .a5_sets import (
    ETA,
    MASS,
    MASS2,
    MOVED,
    NEAR,
    SET,
    SOFT2,
    TANH_BOUND,
    chi,
    eta_nonnegative,
    near_of_raised,
    r,
    r_at_least_one,
    share,
    tv_at_least,
    tv_by_set,
)
from .row import (
    GAP,
    HARD,
    K_N,
    ONE_K,
    REAL_X,
    ROW,
    TAU,
    At,
    decay,
    either,
    eta,
    everywhere,
    h,
    i,
    k,
    mu,
    n,
    natural,
    p,
    p2,
    s,
    s2,
    sum_of,
    tau,
    top,
    tv,
    weaker,
)

a, b = sp.symbols("a b", integer=True)  # a is the bound variable of the maximum, b a count
BIG_R = sp.exp(2 * eta / tau)
X = (n - k) * Q
x = sp.Symbol("x", real=True)


def mass_bound(count: sp.Expr, others: sp.Expr = X) -> sp.Expr:
    """P_a: the largest mass of a set with `count` maximal positions."""
    return (count + others) / (k + others)


def excess(count: sp.Expr, others: sp.Expr = X, factor: sp.Expr = BIG_R) -> sp.Expr:
    """F(a)."""
    return share(mass_bound(count, others), factor) - count / k


WORST = MaxOver(excess(a), a, 0, k)
BASE = (*ROW, STRICTLY_BELOW, HARD, SOFT2)
HARD_ONE = total(h, n)


def _hard_sum(d: Derivation, one_k: Step, k_n: Step, count: Step, hard: Step) -> Step:
    """The average-hard weights add up to 1."""
    summed = sum_of(d, "S.equal", hard, natural(d, [one_k, k_n]))
    return d.identity(HARD_ONE, 1, [summed, count, one_k])


def _boolean_product(d: Derivation, boolean: Step, choice: Step) -> Step:
    """chi mu is 0/1-valued."""

    def term(w: sp.Symbol, at: At) -> Step:
        other = at(boolean)
        goal = chi(w) * mu(w) * (1 - chi(w) * mu(w))
        return either(d, at(choice), lambda value, _: d.identity(goal, 0, [value, other]))

    return everywhere(d, term)


def _bound(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, tau_positive, boolean, count, on_top, soft, _below, hard, soft2, gap, above, below = given
    one_n = d.polynomial(1, "<=", n, [one_k, k_n])
    n_natural = natural(d, [one_n])
    row = [one_k, k_n, tau_positive, boolean, count, on_top, soft]
    choice, signed = d.sign_indicator(chi, i, p2(i) - h(i), n)
    sums = [
        d.cite("A1.normalised", {s: s2, p: p2}, [one_n, tau_positive, soft2]),
        _hard_sum(d, one_k, k_n, count, hard),
    ]
    distance = tv_by_set(d, p2, h, signed, sums, n_natural)
    hard_terms = everywhere(d, lambda w, at: d.identity(chi(w) * h(w), chi(w) * mu(w) / k, [at(hard), one_k]))
    hard_mass = sum_of(d, "S.equal", hard_terms, n_natural)
    counted, b_nonnegative = d.count(b, chi(i) * mu(i), _boolean_product(d, boolean, choice))
    split = d.identity(tv(p2, h), MASS2 - b / k, [distance, hard_mass, counted, one_k])

    def among(w: sp.Symbol, at: At) -> Step:
        other = at(boolean)
        return either(
            d,
            at(choice),
            lambda value, _: either(
                d, other, lambda inner, _: d.polynomial(chi(w) * mu(w), "<=", mu(w), [value, inner])
            ),
        )

    b_at_most = d.polynomial(b, "<=", k, [sum_of(d, "S.order", everywhere(d, among), n_natural), counted, count])

    meaning, z_bound, weights = named_weights(d, row)

    def set_mass(w: sp.Symbol, at: At) -> Step:
        """chi p <= (chi mu + (1 - mu) exp(-(top - s)/tau))/(k + z)."""
        weight, maximal, member = at(weights), at(on_top), at(boolean)
        exp_positive = d.analysis(EXP_POSITIVE, {REAL_X: -(top - s(w)) / tau})
        goal = (chi(w) * mu(w) + (1 - mu(w)) * decay(w)) / (k + z)

        def by_member(inner: Step, is_member: bool) -> Step:
            if is_member:
                score = d.identity(s(w), top, [maximal, inner])
                here = d.substitute(weight, [score], Rel(p(w), "=", 1 / (k + z)))
            else:
                here = weight
            using = [here, inner, exp_positive, one_k, z_bound]
            return either(d, at(choice), lambda value, _: d.polynomial(chi(w) * p(w), "<=", goal, [*using, value]))

        return either(d, member, by_member)

    mass_sum = sum_of(d, "S.order", everywhere(d, set_mass), n_natural)
    mass = d.polynomial(MASS, "<=", (b + z) / (k + z), [mass_sum, counted, meaning, one_k, z_bound])
    gap_sum = d.cite("A2.others", {}, [*row[:5], gap])
    others = d.substitute(gap_sum, [meaning], Rel(z, "<=", X))
    x_is, r_is = d.define(x, X), d.define(r, sp.exp(eta / tau))
    z_at_most = d.substitute(others, [x_is], Rel(z, "<=", x))
    mass_at_most = d.polynomial(
        (b + z) / (k + z), "<=", mass_bound(b, x), [z_at_most, z_bound, b_nonnegative, b_at_most, one_k]
    )
    pa, ps, ps2 = sp.symbols("Pa P P2", real=True)
    pa_is, ps_is, ps2_is = d.define(pa, mass_bound(b, x)), d.define(ps, MASS), d.define(ps2, MASS2)
    chain = d.transitive(MASS, "<=", mass_bound(b, x), [mass, mass_at_most])
    small = d.substitute(chain, [ps_is, pa_is], Rel(ps, "<=", pa))
    grown = d.cite("A5.mass", {}, [one_n, tau_positive, soft, soft2, choice, above, below])
    named = d.substitute(grown, [ps_is, ps2_is, r_is], Rel(ps2 * (1 + ps * (r**2 - 1)), "<=", r**2 * ps))
    r_large = r_at_least_one(d, r_is, eta_nonnegative(d, one_n, above, below), tau_positive)
    positive = d.cite("A1.positive", {}, [one_n, tau_positive, soft])
    nonnegative = sum_of(d, "S.order", _set_nonnegative(d, choice, positive), n_natural)
    ps_nonnegative = d.polynomial(0, "<=", ps, [nonnegative, ps_is])
    factor = sp.Symbol("R", real=True)
    factor_is = d.define(factor, r**2)
    factor_large = d.polynomial(factor, ">=", 1, [factor_is, r_large])
    in_factor = d.substitute(named, [factor_is], Rel(ps2 * (1 + ps * (factor - 1)), "<=", factor * ps))
    first = d.polynomial(ps2, "<=", share(ps, factor), [in_factor, ps_nonnegative, factor_large])
    second = d.polynomial(share(ps, factor), "<=", share(pa, factor), [small, ps_nonnegative, factor_large])
    both = d.transitive(ps2, "<=", share(pa, factor), [first, second])
    pa_room = d.polynomial(pa, ">=", 0, [small, ps_nonnegative])
    at_set = d.polynomial(
        tv(p2, h), "<=", share(pa, factor) - b / k, [split, ps2_is, both, one_k, pa_room, factor_large]
    )
    in_r = d.substitute(at_set, [factor_is, pa_is], Rel(tv(p2, h), "<=", excess(b, x, r**2)))
    full = d.substitute(in_r, [x_is, r_is], Rel(tv(p2, h), "<=", excess(b)))
    at_most = d.below_maximum(WORST, b, d.polynomial(0, "<=", b, [b_nonnegative]), b_at_most)
    return d.transitive(tv(p2, h), "<=", WORST, [full, at_most])


def _set_nonnegative(d: Derivation, choice: Step, positive: Step) -> Step:
    """0 <= chi p at every position."""

    def term(w: sp.Symbol, at: At) -> Step:
        here = at(positive)
        return either(d, at(choice), lambda value, _: d.polynomial(0, "<=", chi(w) * p(w), [here, value]))

    return everywhere(d, term)


def _attained(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, tau_positive, boolean, count, on_top, soft, strictly, hard, soft2, choice, *hypotheses = given
    all_at_gap, contains, counted, moved, eta_bound, maximal_b = hypotheses
    one_n = d.polynomial(1, "<=", n, [one_k, k_n])
    n_natural = natural(d, [one_n])
    row = [one_k, k_n, tau_positive, boolean, count, on_top, soft]
    gap = everywhere(d, lambda _, at: weaker(d, at(all_at_gap)))
    near = near_of_raised(d, moved, choice, eta_bound)
    upper = d.cite("A8.bound", {}, [*row, strictly, hard, soft2, gap, *near])
    sums = [
        d.cite("A1.normalised", {s: s2, p: p2}, [one_n, tau_positive, soft2]),
        _hard_sum(d, one_k, k_n, count, hard),
    ]
    lower = tv_at_least(d, p2, h, choice, sums, n_natural)
    hard_terms = everywhere(d, lambda w, at: d.identity(chi(w) * h(w), chi(w) * mu(w) / k, [at(hard), one_k]))
    hard_mass = sum_of(d, "S.equal", hard_terms, n_natural)
    split = d.polynomial(tv(p2, h), ">=", MASS2 - b / k, [lower, hard_mass, counted, one_k])

    meaning, z_bound, weights = named_weights(d, row)

    def set_mass(w: sp.Symbol, at: At) -> Step:
        weight, maximal, member, inside = at(weights), at(on_top), at(boolean), at(contains)
        goal = (chi(w) * mu(w) + (1 - mu(w)) * decay(w)) / (k + z)

        def case(inner: Step, is_member: bool) -> Step:
            if is_member:
                score = d.identity(s(w), top, [maximal, inner])
                here = d.substitute(weight, [score], Rel(p(w), "=", 1 / (k + z)))
                return d.identity(chi(w) * p(w), goal, [here, inner, one_k, z_bound])
            chosen = d.identity(chi(w), 1, [inside, inner])
            return d.identity(chi(w) * p(w), goal, [weight, inner, chosen, one_k, z_bound])

        return either(d, member, case)

    mass_sum = sum_of(d, "S.equal", everywhere(d, set_mass), n_natural)
    mass = d.identity(MASS, (b + z) / (k + z), [mass_sum, counted, meaning, one_k, z_bound])
    others = d.substitute(d.cite("A2.others-equal", {}, [*row[:5], all_at_gap]), [meaning], Rel(z, "=", X))
    x_is, r_is = d.define(x, X), d.define(r, sp.exp(eta / tau))
    z_is_x = d.substitute(others, [x_is], Rel(z, "=", x))
    x_bound = d.polynomial(x, ">=", 0, [z_bound, z_is_x])
    ps, ps2 = sp.symbols("P P2", real=True)
    ps_is, ps2_is = d.define(ps, MASS), d.define(ps2, MASS2)
    exact = d.identity(ps, mass_bound(b, x), [mass, ps_is, z_is_x, x_bound, one_k])
    positive = d.cite("A1.positive", {}, [one_n, tau_positive, soft])
    nonnegative = sum_of(d, "S.order", _set_nonnegative(d, choice, positive), n_natural)
    ps_nonnegative = d.polynomial(0, "<=", ps, [nonnegative, ps_is])
    grown = d.cite("A5.raised", {}, [one_n, tau_positive, soft, soft2, choice, moved])
    named = d.substitute(grown, [ps_is, ps2_is, r_is], Rel(ps2 * (1 + ps * (r**2 - 1)), "=", r**2 * ps))
    r_large = r_at_least_one(d, r_is, eta_bound, tau_positive)
    factor = sp.Symbol("R", real=True)
    factor_is = d.define(factor, r**2)
    factor_large = d.polynomial(factor, ">=", 1, [factor_is, r_large])
    in_factor = d.substitute(named, [factor_is], Rel(ps2 * (1 + ps * (factor - 1)), "=", factor * ps))
    share_exact = d.polynomial(ps2, "=", share(ps, factor), [in_factor, ps_nonnegative, factor_large])
    at_set = d.polynomial(
        tv(p2, h), ">=", share(ps, factor) - b / k, [split, ps2_is, share_exact, one_k, ps_nonnegative, factor_large]
    )
    in_r = d.substitute(at_set, [factor_is, exact], Rel(tv(p2, h), ">=", excess(b, x, r**2)))
    full = d.substitute(in_r, [x_is, r_is], Rel(tv(p2, h), ">=", excess(b)))
    at_least = d.transitive(tv(p2, h), ">=", WORST, [full, maximal_b])
    return d.polynomial(tv(p2, h), "=", WORST, [upper, at_least])


def _simple(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, tau_positive, b_low, b_high, eta_bound = given
    q_is, q_positive = name_q(d)
    x_is, r_is = d.define(x, (n - k) * q), d.define(r, sp.exp(eta / tau))
    x_bound = d.polynomial(x, ">=", 0, [x_is, q_positive, k_n])
    r_large = r_at_least_one(d, r_is, eta_bound, tau_positive)
    pa = sp.Symbol("Pa", real=True)
    pa_is = d.define(pa, mass_bound(b, x))
    pa_low = d.polynomial(0, "<=", pa, [pa_is, b_low, x_bound, one_k])
    pa_high = d.polynomial(pa, "<=", 1, [pa_is, b_high, x_bound, one_k])
    growth = d.polynomial(share(pa, r**2) - pa, "<=", (r - 1) / (r + 1), [pa_low, pa_high, r_large])
    offset = d.polynomial(pa - b / k, "<=", x / (k + x), [pa_is, b_low, b_high, x_bound, one_k])
    tanh = d.substitute(tanh_as_exp(d), [r_is], Rel(TANH_BOUND, "=", (r - 1) / (r + 1)))
    room = [pa_low, r_large, one_k, x_bound]
    named = d.polynomial(share(pa, r**2) - b / k, "<=", TANH_BOUND + x / (k + x), [growth, offset, tanh, *room])
    in_x = d.substitute(named, [pa_is], Rel(excess(b, x, r**2), "<=", TANH_BOUND + x / (k + x)))
    in_q = d.substitute(in_x, [x_is, r_is], Rel(excess(b, (n - k) * q), "<=", TANH_BOUND + _gap_in_q()))
    return d.substitute(in_q, [q_is], Rel(excess(b), "<=", TANH_BOUND + BOUND))


def _gap_in_q() -> sp.Expr:
    return (n - k) * q / (k + (n - k) * q)


CLAIMS = (
    Claim("A8.bound", "the exact worst case is an upper bound", BASE, (GAP, *NEAR),
          Rel(tv(p2, h), "<=", WORST), _bound),
    Claim("A8.attained", "the worst case is attained", (*BASE, SET),
          (
              ALL_AT_GAP,
              Each(i, 1, n, Rel((1 - chi(i)) * (1 - mu(i)), "=", 0)),
              Rel(total(lambda j: chi(j) * mu(j), n), "=", b),
              MOVED,
              ETA,
              Rel(excess(b), ">=", WORST),
          ),
          Rel(tv(p2, h), "=", WORST), _attained),
    Claim("A8.simple", "the sum of the two effects bounds every term", (ONE_K, K_N, TAU),
          (Rel(b, ">=", 0), Rel(b, "<=", k), ETA), Rel(excess(b), "<=", TANH_BOUND + BOUND), _simple),
)  # fmt: skip

STATEMENT = Statement(
    id="A8",
    title="Average-hard and perturbed, exact worst case",
    section="A",
    kernel=False,
    summary="The supremum of TV over rows with k maxima, gap >= gamma, scores off by eta: a maximum over a = 0..k.",
    quantity="tv_perturbed",
    direction="<=",
    claims=CLAIMS,
    main="A8.bound",
    sharpness="the maximum is attained, so it is the supremum (A8.attained); at most the sum of A5 and A2 (A8.simple)",
    used_for="E1 for average-hard heads: the window of temperatures, small against gamma/log n and large against eta",
    table=TableData(("n", "k", "gamma", "eta", "tau"), {"n": 1, "gamma": -1, "eta": 1}, "TV"),
)
