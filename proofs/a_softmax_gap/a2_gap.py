"""A2, the gap bound and its sharpness.

Main statements, with q = exp(-gamma/tau) and B = (n-k)q/(k+(n-k)q)
    A2.others        gap >= gamma implies Z' <= (n-k)q; A2.others-equal: equality when all others are at the gap
    A2.bound         gap >= gamma implies TV <= B
    A2.equality      all non-maximal scores exactly gamma below: TV = B
    A2.strict        some non-maximal score more than gamma below: TV < B
    A2.increasing-n, A2.decreasing-k, A2.decreasing-gamma, A2.increasing-tau   monotonicity of B
    A2.every-k       B <= (n-1)q/(1+(n-1)q), the value at k = 1
    A2.linear        2(n-1)q/(1+(n-1)q) <= 2(n-1)q
    A2.literature    L1 < 2nq
    A2.constant      no constant below 2 will do: for q <= n**-2, k = 1 the L1 distance exceeds (2 - 4/(n+1)) n q

Equality in A2.bound holds iff every non-maximal score is exactly gamma below: A2.equality and A2.strict.
References: B. Edelman, S. Goel, S. Kakade, C. Zhang, Inductive biases and variable creation in self-attention
mechanisms, ICML 2022 (the bound 2nq).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import EXP_INCREASING, EXP_POSITIVE, EXP_STRICTLY_INCREASING
from ..props import Each, Rel
from ..sequent import Step
from ..statement import Claim, Statement, TableData
from ..sums import f, function, g, m
from ..sums import n as sum_n
from .a1_exact import STRICTLY_BELOW, z
from .row import (
    GAMMA,
    GAP,
    HARD,
    K_N,
    N_POSITIVE,
    ONE_K,
    REAL_X,
    REAL_Y,
    ROW,
    TAU,
    Z_PRIME,
    At,
    decay,
    either,
    everywhere,
    gamma,
    h,
    i,
    k,
    l1,
    mu,
    n,
    natural,
    p,
    s,
    sum_of,
    tau,
    top,
    tv,
)

q = sp.Symbol("q", real=True)
Q = sp.exp(-gamma / tau)
BOUND = (n - k) * Q / (k + (n - k) * Q)
WORST_L1 = 2 * (n - 1) * Q / (1 + (n - 1) * Q)
n2, k2 = sp.symbols("n2 k2", integer=True)
gamma2, tau2 = sp.symbols("gamma2 tau2", real=True)


def bound(n_: sp.Expr = n, k_: sp.Expr = k, gamma_: sp.Expr = gamma, tau_: sp.Expr = tau) -> sp.Expr:
    """B at other values of its parameters."""
    return BOUND.subs({n: n_, k: k_, gamma: gamma_, tau: tau_}, simultaneous=True)


def exp_increasing(d: Derivation, order: Step, strict: bool = False) -> Step:
    """exp(x) <= exp(y) from x <= y (or strictly)."""
    fact = EXP_STRICTLY_INCREASING if strict else EXP_INCREASING
    return d.analysis(fact, {REAL_X: order.rel.lhs, REAL_Y: order.rel.rhs}, [order])


def name_q(d: Derivation, expr: sp.Expr = Q, symbol: sp.Symbol = q) -> tuple[Step, Step]:
    """q = exp(-gamma/tau) and q > 0."""
    meaning = d.define(symbol, expr)
    positive = d.analysis(EXP_POSITIVE, {REAL_X: expr.args[0]})
    return meaning, d.substitute(positive, [meaning], Rel(symbol, ">", 0))


def q_below_one(d: Derivation, meaning: Step, gamma_positive: Step, tau_positive: Step) -> Step:
    """q < 1 for gamma, tau > 0."""
    exponent = meaning.rel.rhs.args[0]
    negative = d.polynomial(exponent, "<", 0, [gamma_positive, tau_positive])
    return d.substitute(exp_increasing(d, negative, strict=True), [meaning], Rel(meaning.rel.lhs, "<", 1))


def _termwise(d: Derivation, boolean: Step, gap: Step, tau_positive: Step) -> Step:
    """(1 - mu) exp(-(top - s)/tau) <= (1 - mu) q at every position."""

    def term(w: sp.Symbol, at: At) -> Step:
        far = at(gap)

        def case(value: Step, is_one: bool) -> Step:
            goal = Rel((1 - mu(w)) * decay(w), "<=", (1 - mu(w)) * Q)
            if is_one:
                return d.polynomial(goal.lhs, "<=", goal.rhs, [value])
            order = d.polynomial(-(top - s(w)) / tau, "<=", -gamma / tau, [far, value, tau_positive])
            return d.polynomial(goal.lhs, "<=", goal.rhs, [exp_increasing(d, order), value])

        return either(d, at(boolean), case)

    return everywhere(d, term)


def _from_sum(d: Derivation, op: str, summed: Step, given: Sequence[Step]) -> Step:
    """TV op B from Z' op (n - k) q, by A1.exact and because z/(k + z) increases in z."""
    one_k, k_n, *_ = given
    exact = d.cite("A1.exact", {}, given)
    meaning = d.define(z, Z_PRIME)
    q_is, q_positive = name_q(d)
    z_order = d.substitute(summed, [meaning, q_is], Rel(z, op, (n - k) * q))
    z_bound = d.substitute(d.cite("A1.nonnegative", {}, given), [meaning], Rel(z, ">=", 0))
    using = [z_order, z_bound, q_positive, one_k, k_n]
    grown = d.polynomial(z / (k + z), op, (n - k) * q / (k + (n - k) * q), using, "z/(k + z) increases in z")
    return d.substitute(grown, [meaning, q_is, exact], Rel(tv(p, h), op, BOUND))


def _others(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, tau_positive, boolean, count, gap = given
    n_natural = natural(d, [one_k, k_n])
    summed = sum_of(d, "S.order", _termwise(d, boolean, gap, tau_positive), n_natural)
    return d.polynomial(Z_PRIME, "<=", (n - k) * Q, [summed, count, n_natural])


def _others_equal(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, _tau, boolean, count, all_at_gap = given
    n_natural = natural(d, [one_k, k_n])

    def term(w: sp.Symbol, at: At) -> Step:
        far = at(all_at_gap)

        def case(value: Step, is_one: bool) -> Step:
            goal = Rel((1 - mu(w)) * decay(w), "=", (1 - mu(w)) * Q)
            if is_one:
                return d.identity(goal.lhs, goal.rhs, [value])
            score = d.identity(s(w), top - gamma, [far, value])
            return d.substitute(d.identity(Q, Q), [score, value], goal)

        return either(d, at(boolean), case)

    summed = sum_of(d, "S.equal", everywhere(d, term), n_natural)
    return d.identity(Z_PRIME, (n - k) * Q, [summed, count, n_natural])


def _bound(d: Derivation, given: Sequence[Step]) -> Step:
    *row, gap = given
    return _from_sum(d, "<=", d.cite("A2.others", {}, [*row[:5], gap]), row)


def _equality(d: Derivation, given: Sequence[Step]) -> Step:
    *row, all_at_gap = given
    return _from_sum(d, "=", d.cite("A2.others-equal", {}, [*row[:5], all_at_gap]), row)


def _strict(d: Derivation, given: Sequence[Step]) -> Step:
    *row, gap, lower, upper, not_maximal, below = given
    one_k, k_n, tau_positive, boolean, count = row[:5]
    n_natural = natural(d, [one_k, k_n])
    termwise = _termwise(d, boolean, gap, tau_positive)
    order = d.polynomial(-(top - s(m)) / tau, "<", -gamma / tau, [below, tau_positive])
    here = exp_increasing(d, order, strict=True)
    at_m = d.polynomial((1 - mu(m)) * decay(m), "<", (1 - mu(m)) * Q, [here, not_maximal])
    terms = {f: function(lambda j: (1 - mu(j)) * decay(j)), g: function(lambda j: (1 - mu(j)) * Q), sum_n: n}
    summed = d.cite("S.strict", terms, [termwise, lower, upper, at_m])
    return _from_sum(d, "<", d.polynomial(Z_PRIME, "<", (n - k) * Q, [summed, count, n_natural]), row)


def _in_q(d: Derivation, lhs: sp.Expr, op: str, rhs: sp.Expr, given: Sequence[Step], why: str = "") -> Step:
    """lhs op rhs for expressions rational in q = exp(-gamma/tau), with 0 < q < 1."""
    q_is, q_positive = name_q(d)
    extra = [step for step in given if step.prop in (GAMMA, TAU)]
    below = [q_below_one(d, q_is, *extra)] if len(extra) == 2 else []
    others = [step for step in given if step.prop not in (GAMMA, TAU)]
    named = d.polynomial(lhs.xreplace({Q: q}), op, rhs.xreplace({Q: q}), [*others, q_positive, *below], why)
    return d.substitute(named, [q_is], Rel(lhs, op, rhs))


def _two_decays(d: Derivation, order: Step, given: Sequence[Step]) -> Step:
    """B at exponents x < y: (n-k)exp(x)/(k+(n-k)exp(x)) < the same at y, if k < n."""
    grown = exp_increasing(d, order, strict=True)
    names = sp.symbols("qa qb", real=True)
    shown = []
    for name, exponent in zip(names, (order.rel.lhs, order.rel.rhs), strict=True):
        shown.append(name_q(d, sp.exp(exponent), name))
    (a_is, a_positive), (b_is, b_positive) = shown
    less = d.substitute(grown, [a_is, b_is], Rel(names[0], "<", names[1]))
    sides = [(n - k) * name / (k + (n - k) * name) for name in names]
    named = d.polynomial(sides[0], "<", sides[1], [less, a_positive, b_positive, *given])
    full = [side.xreplace({name: step.rel.rhs}) for side, name, step in zip(sides, names, (a_is, b_is), strict=True)]
    return d.substitute(named, [a_is, b_is], Rel(full[0], "<", full[1]))


def _decreasing_gamma(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_below_n, tau_positive, larger = given
    order = d.polynomial(-gamma2 / tau, "<", -gamma / tau, [larger, tau_positive])
    return _two_decays(d, order, [one_k, k_below_n])


def _increasing_tau(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_below_n, gamma_positive, tau_positive, larger = given
    order = d.polynomial(-gamma / tau, "<", -gamma / tau2, [larger, tau_positive, gamma_positive])
    return _two_decays(d, order, [one_k, k_below_n])


def _literature(d: Derivation, given: Sequence[Step]) -> Step:
    *row, _gap, gamma_positive = given
    one_k, k_n, tau_positive = row[:3]
    first = d.cite("A2.bound", {}, given[:-1])
    n_positive = d.polynomial(1, "<=", n, [one_k, k_n])
    second = d.cite("A2.every-k", {}, [one_k, k_n, gamma_positive, tau_positive])
    third = d.cite("A2.linear", {}, [n_positive])
    positive = d.analysis(EXP_POSITIVE, {REAL_X: -gamma / tau})
    fourth = d.polynomial(2 * (n - 1) * Q, "<", 2 * n * Q, [positive])
    doubled = d.polynomial(l1(p, h), "<=", WORST_L1, [first, second, one_k, k_n, positive])
    return d.transitive(l1(p, h), "<", 2 * n * Q, [doubled, third, fourth])


ALL_AT_GAP = Each(i, 1, n, Rel((1 - mu(i)) * (top - s(i) - gamma), "=", 0))
DEFINITIONS = (*ROW, STRICTLY_BELOW, HARD)
K_BELOW_N = Rel(k + 1, "<=", n)

COUNTED = ROW[:5]

CLAIMS = (
    Claim("A2.others", "Z' is at most (n-k)q", COUNTED, (GAP,), Rel(Z_PRIME, "<=", (n - k) * Q), _others),
    Claim(
        "A2.others-equal",
        "Z' is (n-k)q when all others are at the gap",
        COUNTED,
        (ALL_AT_GAP,),
        Rel(Z_PRIME, "=", (n - k) * Q),
        _others_equal,
    ),
    Claim("A2.bound", "the gap bound", DEFINITIONS, (GAP,), Rel(tv(p, h), "<=", BOUND), _bound),
    Claim(
        "A2.equality",
        "equality if all others are at the gap",
        DEFINITIONS,
        (ALL_AT_GAP,),
        Rel(tv(p, h), "=", BOUND),
        _equality,
    ),
    Claim(
        "A2.strict",
        "no equality otherwise",
        DEFINITIONS,
        (GAP, Rel(1, "<=", m), Rel(m, "<=", n), Rel(mu(m), "=", 0), Rel(top - s(m), ">", gamma)),
        Rel(tv(p, h), "<", BOUND),
        _strict,
    ),
    Claim(
        "A2.increasing-n",
        "the bound increases in n",
        (ONE_K, K_N),
        (Rel(n, "<", n2),),
        Rel(BOUND, "<", bound(n_=n2)),
        lambda d, given: _in_q(d, BOUND, "<", bound(n_=n2), given),
    ),
    Claim(
        "A2.decreasing-k",
        "the bound decreases in k",
        (ONE_K,),
        (Rel(k, "<", k2), Rel(k2, "<=", n)),
        Rel(bound(k_=k2), "<", BOUND),
        lambda d, given: _in_q(d, bound(k_=k2), "<", BOUND, given),
    ),
    Claim(
        "A2.decreasing-gamma",
        "the bound decreases in gamma",
        (ONE_K, K_BELOW_N, TAU),
        (Rel(gamma, "<", gamma2),),
        Rel(bound(gamma_=gamma2), "<", BOUND),
        _decreasing_gamma,
    ),
    Claim(
        "A2.increasing-tau",
        "the bound increases in tau",
        (ONE_K, K_BELOW_N, GAMMA, TAU),
        (Rel(tau, "<", tau2),),
        Rel(BOUND, "<", bound(tau_=tau2)),
        _increasing_tau,
    ),
    Claim(
        "A2.every-k",
        "k = 1 is the worst case",
        (ONE_K, K_N),
        (GAMMA, TAU),
        Rel(2 * BOUND, "<=", WORST_L1),
        lambda d, given: _in_q(d, 2 * BOUND, "<=", WORST_L1, given),
    ),
    Claim(
        "A2.linear",
        "the linear bound",
        (),
        (N_POSITIVE,),
        Rel(WORST_L1, "<=", 2 * (n - 1) * Q),
        lambda d, given: _in_q(d, WORST_L1, "<=", 2 * (n - 1) * Q, given),
    ),
    Claim("A2.literature", "the usual bound", DEFINITIONS, (GAP, GAMMA), Rel(l1(p, h), "<", 2 * n * Q), _literature),
    Claim(
        "A2.constant",
        "the constant 2 is best possible",
        (),
        (Rel(2, "<=", n), Rel(q, ">", 0), Rel(q, "<=", n**-2)),
        Rel(2 * (n - 1) * q / (1 + (n - 1) * q), ">", (2 - 4 / (n + 1)) * n * q),
        lambda d, given: d.polynomial(2 * (n - 1) * q / (1 + (n - 1) * q), ">", (2 - 4 / (n + 1)) * n * q, given),
    ),
)

STATEMENT = Statement(
    id="A2",
    title="Gap bound, tight",
    section="A",
    kernel=True,
    summary="With gap >= gamma, TV <= (n-k)q/(k+(n-k)q), q = exp(-gamma/tau); equality iff all others are at the gap.",
    quantity="tv",
    direction="<=",
    claims=CLAIMS,
    main="A2.bound",
    sharpness="equality for every row whose non-maximal scores all lie exactly gamma below the maximum (A2.equality)",
    used_for="A3, A6, A8; the temperature of every head with a known gap",
    table=TableData(("n", "k", "gamma", "tau"), {"n": 1, "k": -1, "gamma": -1, "tau": 1}, "TV"),
)
