"""C3, at constant gap the temperature must fall like 1/log n, and that is enough.

Main statements for a tieless head (k = 1), n >= 2 and L = log((n-1)(2-eps)/eps)
    C3.sufficient  gap >= gamma and tau <= gamma/L imply L1 <= eps
    C3.necessary   spread <= delta and L1 <= eps imply tau <= delta/L
    C3.below       gamma/L > gamma/log(2n/eps)
    C3.above       gamma/L <= gamma/log(n-1), for eps <= 1 and n >= 3
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import DEFINITIONS
from ..a_softmax_gap.a3_temperature import CRITICAL
from ..a_softmax_gap.a4_dispersion import SPREAD
from ..a_softmax_gap.a4_one_symbol import TWO
from ..a_softmax_gap.row import GAMMA, GAP, delta, eps, gamma, h, k, l1, n, p, tau
from ..derivation import Derivation
from ..facts import LOG_INCREASING, LOG_POSITIVE, LOG_STRICTLY_INCREASING
from ..props import Rel
from ..sequent import Step
from ..statement import Claim, Statement

X, Y = sp.symbols("x y", real=True)
RATIO = (n - 1) * (2 - eps) / eps
LOG = sp.log(RATIO)
UPPER = gamma / LOG
EPS_POSITIVE, EPS_BELOW = Rel(eps, ">", 0), Rel(eps, "<", 2 * (n - 1) / n)
TIELESS = Rel(k, "=", 1)
ell, wide = sp.symbols("ell wide", real=True)


def _sufficient(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, tieless, two, gap, gamma_positive, eps_positive, eps_below, cold = given
    k_below_n = d.polynomial(k + 1, "<=", n, [tieless, two])
    below = d.polynomial(eps, "<", 2 * (n - k) / n, [eps_below, tieless, two])
    critical = d.substitute(cold, [tieless], Rel(tau, "<=", CRITICAL))
    premises = [*definitions, k_below_n, gap, gamma_positive, eps_positive, below, critical]
    return d.cite("A3.sufficient", {}, premises)


def _necessary(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, tieless, two, spread, eps_positive, eps_below, accurate = given
    tau_positive = definitions[2]
    two_eps = d.polynomial(eps, "<", 2, [eps_below, two])
    ratio = d.cite("A4.temperature", {}, [*definitions, spread, tieless, two, eps_positive, two_eps, accurate])
    positive = _log_positive(d, [two, eps_positive, eps_below])
    name = d.define(ell, LOG)
    named = d.substitute(ratio, [name], Rel(delta / tau, ">=", ell))
    above = d.substitute(positive, [name], Rel(ell, ">", 0))
    result = d.polynomial(tau, "<=", delta / ell, [named, above, tau_positive])
    return d.substitute(result, [name], Rel(tau, "<=", delta / LOG))


def _log_positive(d: Derivation, ranges: Sequence[Step]) -> Step:
    above_one = d.polynomial(RATIO, ">", 1, ranges, "equivalent to eps < 2(n-1)/n")
    return d.analysis(LOG_POSITIVE, {X: RATIO}, [above_one])


def _below(d: Derivation, given: Sequence[Step]) -> Step:
    two, gamma_positive, eps_positive, eps_below = given
    ranges = [two, eps_positive, eps_below]
    positive = _log_positive(d, ranges)
    ratio_positive = d.polynomial(RATIO, ">", 0, ranges)
    order = d.polynomial(RATIO, "<", 2 * n / eps, ranges)
    logs = d.analysis(LOG_STRICTLY_INCREASING, {X: RATIO, Y: 2 * n / eps}, [ratio_positive, order])
    small, large = d.define(ell, LOG), d.define(wide, sp.log(2 * n / eps))
    named = d.substitute(logs, [small, large], Rel(ell, "<", wide))
    above = d.substitute(positive, [small], Rel(ell, ">", 0))
    result = d.polynomial(gamma / ell, ">", gamma / wide, [named, above, gamma_positive])
    return d.substitute(result, [small, large], Rel(UPPER, ">", gamma / sp.log(2 * n / eps)))


def _above(d: Derivation, given: Sequence[Step]) -> Step:
    three, gamma_positive, eps_positive, eps_one = given
    order = d.polynomial(n - 1, "<=", RATIO, [three, eps_positive, eps_one])
    above_one = d.polynomial(n - 1, ">", 1, [three])
    positive = d.polynomial(n - 1, ">", 0, [three])
    logs = d.analysis(LOG_INCREASING, {X: n - 1, Y: RATIO}, [positive, order])
    log_positive = d.analysis(LOG_POSITIVE, {X: n - 1}, [above_one])
    large, small = d.define(wide, LOG), d.define(ell, sp.log(n - 1))
    named = d.substitute(logs, [large, small], Rel(ell, "<=", wide))
    above = d.substitute(log_positive, [small], Rel(ell, ">", 0))
    result = d.polynomial(gamma / wide, "<=", gamma / ell, [named, above, gamma_positive])
    return d.substitute(result, [large, small], Rel(UPPER, "<=", gamma / sp.log(n - 1)))


CLAIMS = (
    Claim("C3.sufficient", "at or below gamma/L every row is accurate", (*DEFINITIONS, TIELESS, TWO),
          (GAP, GAMMA, EPS_POSITIVE, EPS_BELOW, Rel(tau, "<=", UPPER)), Rel(l1(p, h), "<=", eps), _sufficient),
    Claim("C3.necessary", "above delta/L no row of spread delta is accurate", (*DEFINITIONS, TIELESS, TWO),
          (SPREAD, EPS_POSITIVE, EPS_BELOW, Rel(l1(p, h), "<=", eps)), Rel(tau, "<=", delta / LOG), _necessary),
    Claim("C3.below", "the temperature is above gamma/log(2n/eps)", (TWO,), (GAMMA, EPS_POSITIVE, EPS_BELOW),
          Rel(UPPER, ">", gamma / sp.log(2 * n / eps)), _below),
    Claim("C3.above", "and at most gamma/log(n-1)", (), (Rel(3, "<=", n), GAMMA, EPS_POSITIVE, Rel(eps, "<=", 1)),
          Rel(UPPER, "<=", gamma / sp.log(n - 1)), _above),
)  # fmt: skip

STATEMENT = Statement(
    id="C3",
    title="Log scaling",
    section="C",
    kernel=True,
    summary="At constant gap and spread, tau = Theta(1/log n) is necessary and sufficient (gamma/L and delta/L).",
    quantity="l1",
    direction="iff",
    claims=CLAIMS,
    main="C3.necessary",
    sharpness="gamma = delta, all others at the gap: both sides meet (A3)",
    used_for="temperatures of heads with a constant gap",
)
