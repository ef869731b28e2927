"""E2, the temperature: closed forms for L c0 n exp(-gamma/tau) (A0 + D0/tau)**(L-1) <= mu.

P = log(A0 + D0/tau), stated as exp(P) = A0 + D0/tau; E is the base of the natural logarithm.

Main statements, for L >= 2 layers
    E2.line           exp(x) >= 1 + x
    E2.lambert        z >= 1, z exp(-z) = b and 1/tau >= (L-1) z/gamma - A0/D0 imply the inequality, where
                      b = gamma/((L-1) D0) exp(-gamma A0/((L-1) D0) - log(L c0 n/mu)/(L-1)); that is z = -W_(-1)(-b),
                      W_(-1) the lower branch of the Lambert function, and it exists iff b <= 1/E
    E2.lambert-needed 1/tau <= (L-1) z/gamma - A0/D0 and gamma (1/tau + A0/D0) >= L - 1 imply the converse, so that both
                      sides are equal at that temperature
    E2.always         b >= 1/E implies the inequality at every temperature
    E2.order          1/tau >= E/(E-1) (log(L c0 n/mu) + (L-1) log((L-1) D0/gamma))/gamma + A0/((E-1) D0) implies it
    E2.one-layer      L = 1: tau log(c0 n/mu) <= gamma implies c0 n exp(-gamma/tau) <= mu
    E2.temperature    at the temperatures of E2.order the error after L layers is below mu

Proof idea: with z = gamma (1/tau + A0/D0)/(L-1) the inequality reads z exp(-z) <= b; z exp(-z) decreases for
z >= 1, and E2.order is z <= exp(z/E).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import Q, exp_increasing
from ..a_softmax_gap.row import GAMMA, N_POSITIVE, REAL_X, REAL_Y, TAU, either, gamma, n, tau
from ..derivation import Derivation
from ..facts import ABS_ABOVE, ABS_BELOW, EXP_LOG, EXP_POSITIVE, LOG_EXP, LOG_INCREASING
from ..props import Rel
from ..sequent import Step
from ..statement import Claim, Statement
from .e1_layer import err
from .e2_recurrence import A0, D0, MU, RUN, SUFFICIENT, L, P, c0, mu
from .e2_recurrence import CLAIMS as RECURRENCE

x, t, z, z2, ell, wide = sp.symbols("x t z z2 ell wide", real=True)
psi = sp.Function("psi", real=True)
SLOPE = gamma / ((L - 1) * D0)
LOG_N = sp.log(L * c0 * n / mu)
LOG_D = sp.log((L - 1) * D0 / gamma)
B_VALUE = SLOPE * sp.exp(-SLOPE * A0 - ell)
ELL = Rel(ell, "=", LOG_N / (L - 1))
TWO_LAYERS = Rel(2, "<=", L)
POSITIVE: tuple[Rel, ...] = (GAMMA, *(Rel(symbol, ">", 0) for symbol in (D0, c0, mu)))
RATE_IS = Rel(sp.exp(P), "=", A0 + D0 / tau)
GOAL = Rel(SUFFICIENT, "<=", mu)
BRANCH = (Rel(z, ">=", 1), Rel(z * sp.exp(-z), "=", B_VALUE))
COLDEST = (L - 1) * z / gamma - A0 / D0
ORDER = sp.E / (sp.E - 1) * (LOG_N + (L - 1) * LOG_D) / gamma + A0 / ((sp.E - 1) * D0)
BASE: tuple[Rel, ...] = (N_POSITIVE, TAU, *POSITIVE, RATE_IS)


def _line(d: Derivation, given: Sequence[Step]) -> Step:
    """exp(t) - t and exp(-t) + t increase for t >= 0."""
    del given
    grown = []
    for sign in (1, -1):
        start = sp.Symbol(f"t{sign + 1}", real=True)
        domain = d.assume(Rel(start, ">=", 0))
        body = sp.exp(sign * start) - sign * start
        small, large = (0, start) if sign > 0 else (-start, 0)
        power = exp_increasing(d, d.polynomial(small, "<=", large, [domain]))
        slope = d.polynomial(sp.diff(body, start), ">=", 0, [power])
        grown.append((sp.Lambda(start, body), slope, domain))
    boolean, signed = d.sign_indicator(psi, sp.Symbol("i", integer=True), x, sp.S.One)
    one = d.polynomial(1, "<=", 1)
    here, modulus = d.at(boolean, sp.S.One, one, one), d.at(signed, sp.S.One, one, one)
    sides = [d.analysis(fact, {REAL_X: x}) for fact in (ABS_ABOVE, ABS_BELOW)]

    def case(value: Step, is_one: bool) -> Step:
        end = x if is_one else -x
        function, slope, domain = grown[0 if is_one else 1]
        positive = d.polynomial(0, "<=", end, [modulus, value, *sides])
        at_zero = d.polynomial(0, ">=", 0)
        above = d.monotone(function, slope, domain, sp.S.Zero, end, at_zero, positive)
        return d.polynomial(sp.exp(x), ">=", 1 + x, [above])

    return either(d, here, case)


def _one_below_e(d: Derivation) -> Step:
    """1 < E."""
    return exp_increasing(d, d.polynomial(0, "<", 1), strict=True)


def log_of(d: Derivation, name: sp.Symbol, of: sp.Expr, signs: Sequence[Step]) -> tuple[Step, Step]:
    """A name for log(of), and exp(name) = of, for of > 0."""
    meaning = d.define(name, sp.log(of))
    positive = d.polynomial(of, ">", 0, signs)
    return meaning, d.analysis(EXP_LOG, {REAL_X: of, REAL_Y: name}, [positive, meaning])


Z2 = SLOPE * (A0 + D0 / tau)


def _logs(d: Derivation, powers: Step) -> Step:
    """x <= y from exp(x) <= exp(y)."""
    small, large = (side.args[0] for side in (powers.rel.lhs, powers.rel.rhs))
    names = sp.symbols("small large", real=True)
    meanings = [d.define(name, sp.exp(end)) for name, end in zip(names, (small, large), strict=True)]
    logs = [
        d.analysis(LOG_EXP, {REAL_X: end, REAL_Y: name}, [meaning])
        for name, end, meaning in zip(names, (small, large), meanings, strict=True)
    ]
    named = d.substitute(powers, meanings, Rel(names[0], "<=", names[1]))
    exponential = d.analysis(EXP_POSITIVE, {REAL_X: small})
    positive = d.substitute(exponential, meanings[:1], Rel(names[0], ">", 0))
    ordered = d.analysis(LOG_INCREASING, {REAL_X: names[0], REAL_Y: names[1]}, [positive, named])
    return d.substitute(ordered, logs, Rel(small, "<=", large))


def _upward(d: Derivation, step: Step, signs: Sequence[Step]) -> Step:
    """x <= y from y >= x; `signs` shows that no denominator is 0."""
    return step if step.rel.op == "<=" else d.polynomial(step.rel.rhs, "<=", step.rel.lhs, [step, *signs])


def _closed(d: Derivation, given: Sequence[Step], z_is: Step, small: Step, ell_is: Step) -> Step:
    """The inequality (or its converse) from z2 exp(-z2) <= b (or >=), z2 = gamma (1/tau + A0/D0)/(L-1)."""
    two, one_n, tau_positive, gamma_positive, d_positive, c_positive, mu_positive, rate_is = given[:8]
    op = small.rel.op
    signs = [two, tau_positive, gamma_positive, d_positive]
    rate = d.identity(sp.exp(P), z2 / SLOPE, [rate_is, z_is, *signs])
    slope = d.polynomial(1 / SLOPE, ">", 0, signs)
    product = d.polynomial(z2 * sp.exp(-z2) / SLOPE, op, sp.exp(-SLOPE * A0 - ell), [small, slope, *signs])
    powers = d.polynomial(sp.exp(P - z2), op, sp.exp(-SLOPE * A0 - ell), [rate, product, *signs])
    exponent = _logs(d, _upward(d, powers, signs))
    log_is, power = log_of(d, wide, L * c0 * n / mu, [two, one_n, c_positive, mu_positive])
    ell_named = d.substitute(ell_is, [log_is], Rel(ell, "=", wide / (L - 1)))
    whole = -gamma / tau + P * (L - 1)
    both = d.polynomial(whole, op, -wide, [exponent, ell_named, z_is, *signs])
    raised = exp_increasing(d, _upward(d, both, signs))
    inverse = d.identity(sp.exp(-wide) * L * c0 * n, mu, [power, two, one_n, c_positive, mu_positive])
    factor = d.polynomial(L * c0 * n, ">", 0, [two, one_n, c_positive])
    scaled = d.polynomial(L * c0 * n * sp.exp(whole), op, L * c0 * n * sp.exp(-wide), [raised, factor])
    return d.polynomial(SUFFICIENT, op, mu, [scaled, inverse])


def _falling(d: Derivation, small: sp.Expr, large: sp.Expr, branch: Step, order: Step) -> Step:
    """-small exp(-small) <= -large exp(-large) for 1 <= small <= large."""
    domain = d.assume(Rel(t, ">=", 1))
    body = -t * sp.exp(-t)
    slope = d.polynomial(sp.diff(body, t), ">=", 0, [domain])
    return d.monotone(sp.Lambda(t, body), slope, domain, small, large, branch, order)


def _lambert(d: Derivation, given: Sequence[Step]) -> Step:
    two, _, tau_positive, gamma_positive, d_positive = given[:5]
    ell_is, branch, branch_is, colder = given[8:]
    z_is = d.define(z2, Z2)
    above = d.polynomial(z, "<=", z2, [z_is, colder, two, tau_positive, gamma_positive, d_positive])
    falling = _falling(d, z, z2, branch, above)
    small = d.polynomial(z2 * sp.exp(-z2), "<=", B_VALUE, [falling, branch_is, two, gamma_positive, d_positive])
    return _closed(d, given, z_is, small, ell_is)


def _converse(d: Derivation, given: Sequence[Step]) -> Step:
    two, _, tau_positive, gamma_positive, d_positive = given[:5]
    ell_is, branch_is, warmer, branch = given[8:]
    z_is = d.define(z2, Z2)
    signs = [two, tau_positive, gamma_positive, d_positive]
    below = d.polynomial(z2, "<=", z, [z_is, warmer, *signs])
    on_branch = d.substitute(branch, [z_is], Rel(z2, ">=", 1))
    falling = _falling(d, z2, z, on_branch, below)
    large = d.polynomial(z2 * sp.exp(-z2), ">=", B_VALUE, [falling, branch_is, two, gamma_positive, d_positive])
    return _closed(d, given, z_is, large, ell_is)


def _always(d: Derivation, given: Sequence[Step]) -> Step:
    ell_is, large = given[8:]
    z_is = d.define(z2, Z2)
    line = d.cite("E2.line", {x: z2 - 1})
    top = d.polynomial(z2 * sp.exp(-z2), "<=", sp.exp(-1), [line])
    return _closed(d, given, z_is, d.transitive(z2 * sp.exp(-z2), "<=", B_VALUE, [top, large]), ell_is)


def _order(d: Derivation, given: Sequence[Step]) -> Step:
    two, _, tau_positive, gamma_positive, d_positive, *_ = given
    colder = given[8]
    signs = [two, tau_positive, gamma_positive, d_positive]
    z_is, ell_is = d.define(z2, Z2), d.define(ell, LOG_N / (L - 1))
    theta = sp.Symbol("theta", real=True)
    theta_is = d.define(theta, 1 / sp.E)
    base = _one_below_e(d)
    theta_positive = d.polynomial(theta, ">", 0, [theta_is, base])
    theta_below = d.polynomial(theta, "<", 1, [theta_is, base])
    line = d.cite("E2.line", {x: z2 * theta - 1})
    tangent = d.polynomial(z2, "<=", sp.exp(z2 * theta), [line, theta_is, base])
    log_is, power = log_of(d, sp.Symbol("ld", real=True), (L - 1) * D0 / gamma, signs)
    ld = log_is.rel.lhs
    ln_is = d.define(sp.Symbol("ln", real=True), LOG_N)
    ln = ln_is.rel.lhs
    cold = d.substitute(colder, [ln_is, log_is], Rel(1 / tau, ">=", ORDER.subs({LOG_N: ln, LOG_D: ld})))
    ell_named = d.substitute(ell_is, [ln_is], Rel(ell, "=", ln / (L - 1)))
    e_is = d.identity(sp.E, 1 / theta, [theta_is, base, theta_positive])
    e_name = sp.Symbol("base", real=True)
    name_is = d.define(e_name, sp.E)
    in_name = d.substitute(cold, [name_is], Rel(1 / tau, ">=", ORDER.subs({LOG_N: ln, LOG_D: ld, sp.E: e_name})))
    value = d.substitute(e_is, [name_is], Rel(e_name, "=", 1 / theta))
    using = [value, theta_positive, theta_below, gamma_positive, d_positive]
    inner = (ln + (L - 1) * ld) / gamma / (1 - theta) + A0 * theta / ((1 - theta) * D0)
    rewritten = d.identity(in_name.rel.rhs, inner, using)
    colder_than = d.transitive(1 / tau, ">=", inner, [in_name, rewritten])
    cleared = d.polynomial((1 - theta) / tau, ">=", (ln + (L - 1) * ld) / gamma + A0 * theta / D0,
                           [colder_than, tau_positive, *using[1:]])  # fmt: skip
    scaled = d.polynomial((1 - theta) * (1 / tau + A0 / D0), ">=", (ln + (L - 1) * ld) / gamma + A0 / D0,
                          [cleared, tau_positive, d_positive, gamma_positive])  # fmt: skip
    z_plain = d.identity(z2, gamma * (1 / tau + A0 / D0) / (L - 1), [z_is, *signs])
    order = d.polynomial(z2 * theta - z2, "<=", -SLOPE * A0 - ell - ld, [scaled, z_plain, ell_named, *signs])
    grown = exp_increasing(d, order)
    inverse = d.identity(sp.exp(-ld), SLOPE, [power, *signs])
    above = d.polynomial(z2 * sp.exp(-z2), "<=", sp.exp(z2 * theta - z2), [tangent])
    below = d.identity(grown.rel.rhs, B_VALUE, [inverse, *signs])
    return _closed(d, given, z_is, d.transitive(z2 * sp.exp(-z2), "<=", B_VALUE, [above, grown, below]), ell_is)


def _one_layer(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, c_positive, mu_positive, cold = given
    log_is, power = log_of(d, wide, c0 * n / mu, [one_n, c_positive, mu_positive])
    named = d.substitute(cold, [log_is], Rel(tau * wide, "<=", gamma))
    order = d.polynomial(-gamma / tau, "<=", -wide, [named, tau_positive])
    grown = exp_increasing(d, order)
    inverse = d.identity(sp.exp(-wide) * c0 * n, mu, [power, one_n, c_positive, mu_positive])
    factor = d.polynomial(c0 * n, ">", 0, [one_n, c_positive])
    scaled = d.polynomial(c0 * n * Q, "<=", c0 * n * sp.exp(-wide), [grown, factor])
    return d.polynomial(c0 * n * Q, "<=", mu, [scaled, inverse])


def _temperature(d: Derivation, given: Sequence[Step]) -> Step:
    run = given[: len(RUN)]
    two, gamma_positive, d_positive, c_positive, mu_positive, mu_size, rate_large, colder = given[len(RUN) :]
    tau_positive, one_n = run[:2]
    log_is, power = log_of(d, P, A0 + D0 / tau, [rate_large, tau_positive])
    above = d.analysis(LOG_INCREASING, {REAL_X: sp.S.One, REAL_Y: A0 + D0 / tau}, [d.polynomial(1, ">", 0), rate_large])
    rate_positive = d.substitute(above, [log_is], Rel(P, ">=", 0))
    rate = d.polynomial(A0 + D0 / tau, "<=", sp.exp(P), [power, tau_positive])
    base = [two, one_n, tau_positive, gamma_positive, d_positive, c_positive, mu_positive, power]
    enough = d.cite("E2.order", {}, [*base, colder])
    return d.cite("E2.sufficient", {}, [*run, rate_positive, rate, mu_positive, mu_size, enough])


CLAIMS = (
    *RECURRENCE,
    Claim("E2.line", "the exponential lies above its tangent", (), (), Rel(sp.exp(x), ">=", 1 + x), _line),
    Claim("E2.lambert", "temperatures at or below that of the Lambert function", (TWO_LAYERS, *BASE),
          (ELL, *BRANCH, Rel(1 / tau, ">=", COLDEST)), GOAL, _lambert),
    Claim("E2.lambert-needed", "temperatures at or above that one, as long as z exp(-z) falls", (TWO_LAYERS, *BASE),
          (ELL, BRANCH[1], Rel(1 / tau, "<=", COLDEST), Rel(Z2, ">=", 1)), Rel(SUFFICIENT, ">=", mu), _converse),
    Claim("E2.always", "no condition on the temperature", (TWO_LAYERS, *BASE),
          (ELL, Rel(sp.exp(-1), "<=", B_VALUE)), GOAL, _always),
    Claim("E2.order", "a temperature in elementary terms", (TWO_LAYERS, *BASE), (Rel(1 / tau, ">=", ORDER),), GOAL,
          _order),
    Claim("E2.one-layer", "the temperature for one layer", (N_POSITIVE, TAU),
          (Rel(c0, ">", 0), Rel(mu, ">", 0), Rel(tau * sp.log(c0 * n / mu), "<=", gamma)), Rel(c0 * n * Q, "<=", mu),
          _one_layer),
    Claim("E2.temperature", "a temperature at which no decision changes", RUN,
          (TWO_LAYERS, *POSITIVE[:3], *MU, Rel(1, "<=", A0 + D0 / tau), Rel(1 / tau, ">=", ORDER)),
          Rel(err(L), "<", mu), _temperature),
)  # fmt: skip

STATEMENT = Statement(
    id="E2",
    title="General simulation",
    section="E",
    kernel=False,
    summary="L c0 n exp(-gamma/tau) (A0 + D0/tau)^(L-1) <= mu suffices; solved for tau by the Lambert function.",
    quantity="activation_error",
    direction="<=",
    claims=CLAIMS,
    main="E2.temperature",
    sharpness="E2.lambert-needed: the closed form solves its inequality exactly; E2.order is within E/(E-1) of it",
    used_for="the temperature schedule of any average-hard transformer with known gap and margin",
)
