"""A3, the critical temperature at which the worst case reaches a target error.

Main statements, for k < n, gamma > 0 and T = gamma/log((n-k)(2-eps)/(k eps))
    A3.sufficient  0 < eps < 2(n-k)/n, gap >= gamma and tau <= T imply L1 <= eps
    A3.necessary   0 < eps < 2(n-k)/n, all non-maximal scores exactly gamma below and L1 <= eps imply tau <= T
    A3.always      eps >= 2(n-k)/n and gap >= gamma imply L1 < eps at every temperature
    A3.positive    T > 0 for 0 < eps < 2(n-k)/n

Together: for 0 < eps < 2(n-k)/n the worst case over all rows with k maxima and gap >= gamma is at most eps if and only
if tau <= T.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import EXP_INCREASING, EXP_LOG, LOG_EXP, LOG_INCREASING, LOG_POSITIVE
from ..props import Rel
from ..sequent import Step
from ..statement import Claim, Statement, TableData
from .a2_gap import ALL_AT_GAP, DEFINITIONS, K_BELOW_N, Q, name_q, q, q_below_one
from .row import GAMMA, GAP, REAL_X, REAL_Y, eps, gamma, h, k, l1, n, p, tau

RATIO = (n - k) * (2 - eps) / (k * eps)
CRITICAL = gamma / sp.log(RATIO)
ratio, log_ratio = sp.symbols("ratio log_ratio", real=True)
EPS_POSITIVE = Rel(eps, ">", 0)
EPS_BELOW = Rel(eps, "<", 2 * (n - k) / n)
DOMAIN = (EPS_POSITIVE, EPS_BELOW)


def _ratio(d: Derivation, ranges: Sequence[Step]) -> tuple[Step, Step, Step, Step]:
    """Names for the ratio and its logarithm: (ratio = ..., ratio > 1, log_ratio = ..., log_ratio > 0)."""
    meaning = d.define(ratio, RATIO)
    above_one = d.polynomial(ratio, ">", 1, [meaning, *ranges], "equivalent to eps < 2(n-k)/n")
    log_meaning = d.define(log_ratio, sp.log(RATIO))
    positive = d.analysis(LOG_POSITIVE, {REAL_X: ratio}, [above_one])
    log_positive = d.substitute(positive, [meaning, log_meaning], Rel(log_ratio, ">", 0))
    return meaning, above_one, log_meaning, log_positive


def _sufficient(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, k_below_n, gap, gamma_positive, eps_positive, eps_below, cold = given
    one_k, _k_n, tau_positive = definitions[:3]
    ranges = [one_k, k_below_n, eps_positive, eps_below]
    meaning, above_one, log_meaning, log_positive = _ratio(d, ranges)
    named = d.substitute(cold, [log_meaning], Rel(tau, "<=", gamma / log_ratio))
    order = d.polynomial(-gamma / tau, "<=", -log_ratio, [named, tau_positive, gamma_positive, log_positive])
    grown = d.analysis(EXP_INCREASING, {REAL_X: -gamma / tau, REAL_Y: -log_ratio}, [order])
    ratio_positive = d.polynomial(ratio, ">", 0, [above_one])
    log_of = d.substitute(log_meaning, [meaning], Rel(log_ratio, "=", sp.log(ratio)))
    inverse = d.analysis(EXP_LOG, {REAL_X: ratio, REAL_Y: log_ratio}, [ratio_positive, log_of])
    small = d.polynomial(Q * ratio, "<=", 1, [grown, inverse, ratio_positive], "q <= 1/ratio")
    q_is, q_positive = name_q(d)
    bound = d.cite("A2.bound", {}, [*definitions, gap])
    in_q = d.substitute(bound, [q_is], Rel(bound.rel.lhs, "<=", (n - k) * q / (k + (n - k) * q)))
    small_q = d.substitute(small, [q_is], Rel(q * ratio, "<=", 1))
    target = d.polynomial(
        2 * (n - k) * q / (k + (n - k) * q),
        "<=",
        eps,
        [small_q, meaning, q_positive, one_k, k_below_n, eps_positive, eps_below],
        "(2 - eps)(n - k) q <= k eps",
    )
    return d.polynomial(l1(p, h), "<=", eps, [in_q, target, one_k, k_below_n, q_positive])


def _necessary(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, k_below_n, all_at_gap, eps_positive, eps_below, accurate = given
    one_k, _k_n, tau_positive = definitions[:3]
    ranges = [one_k, k_below_n, eps_positive, eps_below]
    meaning, above_one, log_meaning, log_positive = _ratio(d, ranges)
    worst = d.cite("A2.equality", {}, [*definitions, all_at_gap])
    q_is, q_positive = name_q(d)
    in_q = d.substitute(worst, [q_is], Rel(worst.rel.lhs, "=", (n - k) * q / (k + (n - k) * q)))
    at_most = d.polynomial(
        (n - k) * q / (k + (n - k) * q), "<=", eps / 2, [in_q, accurate, one_k, k_below_n, q_positive]
    )
    small = d.polynomial(
        ratio,
        "<=",
        1 / q,
        [at_most, meaning, q_positive, one_k, k_below_n, eps_positive, eps_below],
        "(2 - eps)(n - k) q <= k eps",
    )
    below = d.substitute(small, [q_is], Rel(ratio, "<=", sp.exp(gamma / tau)))
    ratio_positive = d.polynomial(ratio, ">", 0, [above_one])
    logs = d.analysis(LOG_INCREASING, {REAL_X: ratio, REAL_Y: sp.exp(gamma / tau)}, [ratio_positive, below])
    power = sp.exp(gamma / tau)
    log_power = d.analysis(LOG_EXP, {REAL_X: gamma / tau, REAL_Y: power}, [d.identity(power, power)])
    cancelled = d.substitute(logs, [meaning, log_meaning, log_power], Rel(log_ratio, "<=", gamma / tau))
    named = d.polynomial(tau, "<=", gamma / log_ratio, [cancelled, tau_positive, log_positive])
    return d.substitute(named, [log_meaning], Rel(tau, "<=", CRITICAL))


def _always(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, k_below_n, gap, gamma_positive, eps_large = given
    one_k, _k_n, tau_positive = definitions[:3]
    q_is, q_positive = name_q(d)
    below_one = q_below_one(d, q_is, gamma_positive, tau_positive)
    bound = d.cite("A2.bound", {}, [*definitions, gap])
    in_q = d.substitute(bound, [q_is], Rel(bound.rel.lhs, "<=", (n - k) * q / (k + (n - k) * q)))
    limit = d.polynomial(
        (n - k) * q / (k + (n - k) * q), "<", (n - k) / n, [q_positive, below_one, one_k, k_below_n], "q < 1"
    )
    return d.polynomial(l1(p, h), "<", eps, [in_q, limit, eps_large, one_k, k_below_n, q_positive])


def _positive(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_below_n, gamma_positive, eps_positive, eps_below = given
    _, _, log_meaning, log_positive = _ratio(d, [one_k, k_below_n, eps_positive, eps_below])
    named = d.polynomial(gamma / log_ratio, ">", 0, [gamma_positive, log_positive])
    return d.substitute(named, [log_meaning], Rel(CRITICAL, ">", 0))


CLAIMS = (
    Claim(
        "A3.sufficient",
        "at or below the critical temperature every row is accurate",
        (*DEFINITIONS, K_BELOW_N),
        (GAP, GAMMA, *DOMAIN, Rel(tau, "<=", CRITICAL)),
        Rel(l1(p, h), "<=", eps),
        _sufficient,
    ),
    Claim(
        "A3.necessary",
        "above the critical temperature the row with all others at the gap is not accurate",
        (*DEFINITIONS, K_BELOW_N),
        (ALL_AT_GAP, *DOMAIN, Rel(l1(p, h), "<=", eps)),
        Rel(tau, "<=", CRITICAL),
        _necessary,
    ),
    Claim(
        "A3.always",
        "a target of 2(n-k)/n or more is met at every temperature",
        (*DEFINITIONS, K_BELOW_N),
        (GAP, GAMMA, Rel(eps, ">=", 2 * (n - k) / n)),
        Rel(l1(p, h), "<", eps),
        _always,
    ),
    Claim(
        "A3.positive",
        "the critical temperature is positive",
        (Rel(1, "<=", k), K_BELOW_N),
        (GAMMA, *DOMAIN),
        Rel(CRITICAL, ">", 0),
        _positive,
    ),
)

STATEMENT = Statement(
    id="A3",
    title="Critical temperature (iff)",
    section="A",
    kernel=True,
    summary="For 0 < eps < 2(n-k)/n the worst-case L1 error is <= eps iff tau <= gamma/log((n-k)(2-eps)/(k eps)).",
    quantity="l1",
    direction="iff",
    claims=CLAIMS,
    main="A3.necessary",
    sharpness="an equivalence: the row with all others at the gap fails at every higher temperature (A3.necessary)",
    used_for="C3 and every temperature that the project hands out for a head with a known gap",
    table=TableData(("n", "k", "gamma", "eps"), {"n": -1, "k": 1, "gamma": 1, "eps": 1}, "L1"),
)
