"""C2, bounded scores need temperatures of order 1/n to find the rightmost true position.

A head has scores A[chi_j] + B_j over the positions 1..n. For each j < n consider the input whose true positions are j
and j + 1: if the head puts weight at least 1 - eps on j + 1, then B_(j+1) - B_j is at least tau log((1-eps)/eps). These
n - 1 steps add up, and on the input with every position true they are within the spread.

Main statements, for 0 < eps < 1/2
    C2.chosen    TV(softmax, position m + 1) = 1 - p(m+1)
    C2.pair      p(m+1) >= 1 - eps implies s(m+1) - s(m) >= tau log((1-eps)/eps)
    C2.bound     B(i+1) - B(i) >= tau log((1-eps)/eps) for i = 1..n-1 and B(n) - B(1) <= delta imply
                 tau <= delta/((n-1) log((1-eps)/eps))
    C2.positive  log((1-eps)/eps) > 0
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a1_exact import LAM_BOOLEAN, lam
from ..a_softmax_gap.a4_one_symbol import TWO
from ..a_softmax_gap.row import (
    N_POSITIVE,
    SOFT,
    TAU,
    absolute,
    delta,
    either,
    eps,
    everywhere,
    n,
    natural,
    p,
    s,
    sum_of,
    tau,
    tv,
)
from ..derivation import Derivation
from ..facts import EXP_POSITIVE, LOG_EXP, LOG_INCREASING, LOG_POSITIVE
from ..props import Each, Rel, position, total
from ..sequent import Step
from ..series import a, b
from ..statement import Claim, Statement
from ..sums import c, f, function
from ..sums import g as sum_g
from ..sums import m as sum_m
from ..sums import n as sum_n

m = sp.Symbol("m", integer=True)
i = position("i")
B = sp.Function("B", real=True)
X, Y = sp.symbols("x y", real=True)
RATIO = (1 - eps) / eps
LOG = sp.log(RATIO)
BOUND = delta / ((n - 1) * LOG)
EPS = (Rel(eps, ">", 0), Rel(eps, "<", sp.Rational(1, 2)))
WITHIN = (Rel(1, "<=", m), Rel(m + 1, "<=", n))
ONE_HOT = (
    Each(i, 1, m, Rel(lam(i), "=", 0)),
    Rel(lam(m + 1), "=", 1),
    Each(i, 1, n - m - 1, Rel(lam(m + 1 + i), "=", 0)),
)
ONE = sp.Lambda(sp.Symbol("x", integer=True), sp.S.One)
ZERO = sp.Lambda(sp.Symbol("x", integer=True), sp.S.Zero)


def _one_hot_sum(d: Derivation, term: sp.Basic, one_hot: Sequence[Step], within: Sequence[Step]) -> Step:
    """sum of lam * term = term(m + 1)."""
    before, chosen, after = one_hot
    one_m, m_n = within
    whole = function(lambda j: lam(j) * term(j))
    m_natural = d.polynomial(m, ">=", 0, [one_m])
    rest_natural = d.polynomial(n - m, ">=", 0, [m_n])
    tail_natural = d.polynomial(n - m - 1, ">=", 0, [m_n])
    one = d.polynomial(1, ">=", 0)
    split = d.cite("S.split", {f: whole, a: m, b: n - m}, [m_natural, rest_natural])
    later = function(lambda j: lam(m + j) * term(m + j))
    second = d.cite("S.split", {f: later, a: sp.S.One, b: n - m - 1}, [one, tail_natural])
    single = d.cite("S.one", {f: later})
    zeros = []
    for size, where, facts, shown in ((m, 0, before, m_natural), (n - m - 1, m + 1, after, tail_natural)):
        index, low, high = d.generic("i", sp.S.One, size)
        zero = d.identity(lam(where + index) * term(where + index), 0, [d.at(facts, index, low, high)])
        each = d.generalise(zero, low, high)
        lhs = function(lambda j, where=where: lam(where + j) * term(where + j))  # type: ignore[misc]
        mapping = {f: lhs, sum_g: ZERO, sum_n: size}
        zeros.append(d.cite("S.equal", mapping, [shown, each]))
    goal = term(m + 1)
    return d.identity(total(lambda j: lam(j) * term(j), n), goal, [split, second, single, *zeros, chosen])


def _chosen(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, boolean, one_m, m_n, *one_hot = given
    n_natural = natural(d, [one_n])
    normalised = d.cite("A1.normalised", {}, [one_n, tau_positive, soft])
    positive = d.cite("A1.positive", {}, [one_n, tau_positive, soft])
    nonnegative = everywhere(d, lambda w, at: d.polynomial(0, "<=", p(w), [at(positive)]))
    where, low, high = d.generic("i", sp.S.One, n)
    share = d.cite("S.term", {f: p, sum_m: where}, [nonnegative, low, high])
    at_most = d.polynomial(p(where), "<=", 1, [share, normalised])
    here, value = d.at(positive, where, low, high), d.at(boolean, where, low, high)
    goal = p(where) - 2 * lam(where) * p(where) + lam(where)

    def case(known: Step, is_one: bool) -> Step:
        op = "<=" if is_one else ">="
        sign = d.polynomial(p(where) - lam(where), op, 0, [at_most, here, known])
        modulus = absolute(d, p(where) - lam(where), sign)
        return d.identity(modulus.rel.lhs, goal, [modulus, known])

    each = d.generalise(either(d, value, case), low, high)
    summed = sum_of(d, "S.equal", each, n_natural)
    picked = _one_hot_sum(d, p, one_hot, [one_m, m_n])
    unit = _one_hot_sum(d, ONE, one_hot, [one_m, m_n])
    return d.identity(tv(p, lam), 1 - p(m + 1), [summed, normalised, picked, unit])


def _pair(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, one_m, m_n, eps_positive, eps_small, accurate = given
    normalised = d.cite("A1.normalised", {}, [one_n, tau_positive, soft])
    positive = d.cite("A1.positive", {}, [one_n, tau_positive, soft])
    m_natural = d.polynomial(m, ">=", 0, [one_m])
    rest_natural = d.polynomial(n - m, ">=", 0, [m_n])
    split = d.cite("S.split", {f: p, a: m, b: n - m}, [m_natural, rest_natural])
    shares = []
    for size, shift, place, shown in ((m, 0, m, one_m), (n - m, m, sp.S.One, m_n)):
        index, low, high = d.generic("i", sp.S.One, size)
        lower = d.polynomial(1, "<=", shift + index, [low, one_m])
        upper = d.polynomial(shift + index, "<=", n, [high, m_n])
        here = d.polynomial(0, "<=", p(shift + index), [d.at(positive, shift + index, lower, upper)])
        each = d.generalise(here, low, high)
        ends = [d.polynomial(1, "<=", place, [shown]), d.polynomial(place, "<=", size, [shown])]
        term = function(lambda j, shift=shift: p(shift + j))  # type: ignore[misc]
        shares.append(d.cite("S.term", {f: term, sum_m: place, sum_n: size}, [each, *ends]))
    together = d.polynomial(p(m) + p(m + 1), "<=", 1, [split, *shares, normalised])
    m_upper = d.polynomial(m, "<=", n, [m_n])
    next_lower = d.polynomial(1, "<=", m + 1, [one_m])
    weights = [d.at(soft, m, one_m, m_upper), d.at(soft, m + 1, next_lower, m_n)]
    normaliser = d.cite("A1.normaliser", {}, [one_n])
    w_name = sp.Symbol("W", real=True)
    w_is = d.define(w_name, normaliser.rel.lhs)
    w_positive = d.substitute(normaliser, [w_is], Rel(w_name, ">", 0))
    named = [
        d.substitute(step, [w_is], Rel(p(spot), "=", sp.exp(s(spot) / tau) / w_name))
        for step, spot in zip(weights, (m, m + 1), strict=True)
    ]
    growth = sp.exp((s(m + 1) - s(m)) / tau)
    ratio = d.identity(p(m + 1), p(m) * growth, [*named, w_positive])
    p_positive = d.at(positive, m, one_m, m_upper)
    power = sp.Symbol("growth", real=True)
    power_is = d.define(power, growth)
    in_power = d.substitute(ratio, [power_is], Rel(p(m + 1), "=", p(m) * power))
    at_most = d.polynomial(p(m), "<=", eps, [together, accurate])
    product = d.polynomial(p(m) * power, ">=", 1 - eps, [in_power, accurate])
    power_positive = d.substitute(
        d.analysis(EXP_POSITIVE, {X: (s(m + 1) - s(m)) / tau}), [power_is], Rel(power, ">", 0)
    )
    large = d.polynomial(RATIO, "<=", power, [product, at_most, p_positive, power_positive, eps_positive, eps_small])
    ratio_positive = d.polynomial(RATIO, ">", 0, [eps_positive, eps_small])
    logs = d.analysis(LOG_INCREASING, {X: RATIO, Y: power}, [ratio_positive, large])
    log_power = d.analysis(LOG_EXP, {X: (s(m + 1) - s(m)) / tau, Y: power}, [power_is])
    below = d.substitute(logs, [log_power], Rel(LOG, "<=", (s(m + 1) - s(m)) / tau))
    log_name = sp.Symbol("ell", real=True)
    log_is = d.define(log_name, LOG)
    in_log = d.substitute(below, [log_is], Rel(log_name, "<=", (s(m + 1) - s(m)) / tau))
    result = d.polynomial(s(m + 1) - s(m), ">=", tau * log_name, [in_log, tau_positive])
    return d.substitute(result, [log_is], Rel(s(m + 1) - s(m), ">=", tau * LOG))


def _positive(d: Derivation, given: Sequence[Step]) -> Step:
    above_one = d.polynomial(RATIO, ">", 1, given)
    return d.analysis(LOG_POSITIVE, {X: RATIO}, [above_one])


def _bound(d: Derivation, given: Sequence[Step]) -> Step:
    two, eps_positive, eps_small, steps, spread = given
    log_positive = d.cite("C2.positive", {}, [eps_positive, eps_small])
    natural_steps = d.polynomial(n - 1, ">=", 0, [two])
    grown = d.cite("S.telescope", {f: B, c: tau * LOG, sum_n: n - 1}, [natural_steps, steps])
    log_name = sp.Symbol("ell", real=True)
    log_is = d.define(log_name, LOG)
    named = d.substitute(grown, [log_is], Rel(B(n) - B(1), ">=", tau * log_name * (n - 1)))
    positive = d.substitute(log_positive, [log_is], Rel(log_name, ">", 0))
    result = d.polynomial(tau, "<=", delta / ((n - 1) * log_name), [named, positive, spread, two])
    return d.substitute(result, [log_is], Rel(tau, "<=", BOUND))


CLAIMS = (
    Claim("C2.chosen", "the distance to the hard choice of position m + 1",
          (N_POSITIVE, TAU, SOFT, LAM_BOOLEAN, *WITHIN, *ONE_HOT), (), Rel(tv(p, lam), "=", 1 - p(m + 1)), _chosen),
    Claim("C2.pair", "neighbouring scores must differ", (N_POSITIVE, TAU, SOFT, *WITHIN),
          (*EPS, Rel(p(m + 1), ">=", 1 - eps)), Rel(s(m + 1) - s(m), ">=", tau * LOG), _pair),
    Claim("C2.positive", "log((1-eps)/eps) > 0", (), EPS, Rel(LOG, ">", 0), _positive),
    Claim("C2.bound", "the steps add up to at most the spread", (TWO,),
          (*EPS, Each(i, 1, n - 1, Rel(B(i + 1) - B(i), ">=", tau * LOG)), Rel(B(n) - B(1), "<=", delta)),
          Rel(tau, "<=", BOUND), _bound),
)  # fmt: skip

STATEMENT = Statement(
    id="C2",
    title="Necessity for rightmost",
    section="C",
    kernel=False,
    summary="Rightmost with TV <= eps < 1/2 and spread delta needs tau <= delta/((n-1) log((1-eps)/eps)).",
    quantity="tv",
    direction="iff",
    claims=CLAIMS,
    main="C2.bound",
    sharpness="of the right order: C1.rightmost needs only tau = Theta(1/n) with spread 3c",
    used_for="the optimality of temperature scaling for temporal logic",
)
