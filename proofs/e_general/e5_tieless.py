"""E5, transformers whose heads are uniform or tieless: no term eta/tau, so temperatures of the order gamma/log n do.

A head is uniform if its scores do not depend on the key, whatever the activations (W = 0, say): soft and hard weights
are then both 1/n. (Scores that are equal in the hard run alone do not suffice: the soft run's differ.) All other heads
are tieless with gap >= gamma. Notation of E1 and E2; A0 = K(1 + H v) = exp(P), P >= 0.

Main statements, with eta = w(2 B delta + delta**2) and rho = 2(n-1)q'/(1+(n-1)q'), q' = exp(-(gamma - 2 eta)/tau)
    E5.uniform      equal scores: every softmax weight is 1/n
    E5.head         2 eta < gamma: the output of a tieless head moves by at most v(delta + B rho)
    E5.layer        delta' = K(delta + H v(delta + B rho))
    E5.linear       delta <= M <= B and 6 w B M <= theta gamma: delta' <= A0 delta + c0 (n-1) exp(-(1-theta) gamma/tau)
    E5.sufficient   L c0 n exp(-(1-theta) gamma/tau) A0**(L-1) <= M implies err(L) < M
    E5.temperature  tau (log(L c0 n/M) + (L-1) log A0) <= (1-theta) gamma implies err(L) < M

M is the margin mu or less: M = min(mu, B, theta gamma/(6 w B)). theta is free; theta = 1/2 is simple.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import exp_increasing
from ..a_softmax_gap.a4_one_symbol import hi, lo
from ..a_softmax_gap.a5_sets import NEAR
from ..a_softmax_gap.a6_tieless import BASE, SMALL
from ..a_softmax_gap.a6_tieless import BOUND as TIELESS
from ..a_softmax_gap.a7_values import nu
from ..a_softmax_gap.row import GAP, N_POSITIVE, REAL_X, REAL_Y, SOFT, TAU, At, eta, everywhere, gamma, i, n, p, s, tau
from ..derivation import Derivation
from ..facts import EXP_POSITIVE, LOG_INCREASING
from ..props import Each, Prop, Rel, instantiate, substitute, total
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import f, g, u, v
from ..sums import n as sum_n
from .e1_heads import CHANGE, MOVE, SIZE, nu_sides, size
from .e1_inputs import B, both_sides, delta, w
from .e1_layer import ETA, NATURAL_H, big_h, err, lipschitz, out, out2, residual, vmap
from .e2_recurrence import (
    A0,
    CONSTANTS,
    ERRORS,
    L_POSITIVE,
    SIGNS,
    START,
    L,
    P,
    Run,
    c0,
    iterate,
    l,
    named_step,
    one_fewer,
)  # fmt: skip
from .e2_temperature import log_of

limit, theta, c = sp.symbols("M theta c", real=True)
RHO = 2 * TIELESS
HEAD_BOUND = vmap * (delta + B * RHO)
HEAD_AT = substitute(HEAD_BOUND, {eta: ETA})
LAYER = lipschitz * (delta + big_h * HEAD_AT)
DECAY = sp.exp(-(1 - theta) * gamma / tau)
STEP = c0 * (n - 1) * DECAY
ROOM = (Rel(limit, "<=", B), Rel(6 * w * B * limit, "<=", theta * gamma))
A0_IS, C0_IS = CONSTANTS[0], CONSTANTS[2]
LINEAR_BASE: tuple[Prop, ...] = (TAU, N_POSITIVE, A0_IS, C0_IS, *SIGNS)
LAYERS = Each(l, 0, L - 1, Rel(err(l + 1), "<=", substitute(LAYER, {delta: err(l)})))
RUN: tuple[Prop, ...] = (*LINEAR_BASE, L_POSITIVE, START, ERRORS, LAYERS)
ITERATED = L * STEP * sp.exp(P * (L - 1))
SUFFICIENT = L * c0 * n * DECAY * sp.exp(P * (L - 1))


def _uniform(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, equal = given

    def term(at_: sp.Symbol, at: At) -> Step:
        trivial = d.identity(sp.exp(c / tau), sp.exp(c / tau))
        return d.substitute(trivial, [at(equal)], Rel(sp.exp(s(at_) / tau), "=", sp.exp(c / tau)))

    powers = everywhere(d, term)
    natural = d.polynomial(n, ">=", 0, [one_n])
    j = sp.Symbol("x", integer=True)
    mapping = {f: sp.Lambda(j, sp.exp(s(j) / tau)), g: sp.Lambda(j, sp.exp(c / tau)), sum_n: n}
    summed = d.cite("S.equal", mapping, [natural, powers])
    positive = d.analysis(EXP_POSITIVE, {REAL_X: c / tau})
    whole = d.identity(total(lambda a: sp.exp(s(a) / tau), n), n * sp.exp(c / tau), [summed, natural])

    def weight(at_: sp.Symbol, at: At) -> Step:
        here = d.substitute(at(soft), [at(powers), whole], Rel(p(at_), "=", sp.exp(c / tau) / (n * sp.exp(c / tau))))
        return d.identity(p(at_), 1 / n, [here, one_n, positive])

    del tau_positive
    return everywhere(d, weight)


def _head(d: Derivation, given: Sequence[Step]) -> Step:
    *weights, sizes, move = given
    width = vmap * B
    ends = []
    for sign in (1, -1):

        def term(at_: sp.Symbol, at: At, sign: int = sign) -> Step:
            return d.polynomial(sign * v(at_), "<=", width, [at(sizes), *both_sides(d, v(at_))])

        ends.append(everywhere(d, term))
    lower = everywhere(d, lambda at_, at: d.polynomial(-width, "<=", v(at_), [at(ends[1])]))
    mapping = {lo: -width, hi: width, nu: vmap * delta}
    moved = d.cite("E1.tieless", mapping, [*weights, lower, ends[0], *nu_sides(d, move)])
    error = sp.Symbol("error", real=True)
    meaning = d.define(error, TIELESS)
    named = d.substitute(moved, [meaning], Rel(sp.Abs(CHANGE), "<=", error * (width - (-width)) + vmap * delta))
    result = d.polynomial(sp.Abs(CHANGE), "<=", vmap * (delta + B * 2 * error), [named])
    return d.substitute(result, [meaning], Rel(sp.Abs(CHANGE), "<=", HEAD_BOUND))


def _layer(d: Derivation, given: Sequence[Step]) -> Step:
    j = sp.Symbol("x", integer=True)
    whole = d.cite("E1.heads", {err: sp.Lambda(j, HEAD_AT)}, given)
    rho = sp.Symbol("rho", real=True)
    meaning = d.define(rho, substitute(RHO, {eta: ETA}))
    head = vmap * (delta + B * rho)
    named = d.substitute(whole, [meaning], Rel(whole.rel.lhs, "<=", lipschitz * (delta + total(lambda _: head, big_h))))
    result = d.polynomial(whole.rel.lhs, "<=", lipschitz * (delta + big_h * head), [named, given[0]])
    return d.substitute(result, [meaning], Rel(whole.rel.lhs, "<=", LAYER))


def _linear(d: Derivation, given: Sequence[Step]) -> Step:
    tau_positive, one_n, a0_is, c0_is, *signs, low, high, below, room = given
    size_b = d.polynomial(B, ">=", 0, [low, high, below])
    factor = d.polynomial(w * B, ">=", 0, [signs[3], size_b])
    first = d.polynomial(2 * ETA, "<=", 6 * w * B * delta, [low, high, below, signs[3]], "delta**2 <= B delta")
    second = d.polynomial(6 * w * B * delta, "<=", 6 * w * B * limit, [factor, high])
    near = d.transitive(2 * ETA, "<=", theta * gamma, [first, second, room])
    perturbed, plain = -(gamma - 2 * ETA) / tau, -(1 - theta) * gamma / tau
    order = d.polynomial(perturbed, "<=", plain, [near, tau_positive])
    grown = exp_increasing(d, order)
    hard = d.cite("A2.linear", {gamma: gamma - 2 * ETA}, [one_n])
    rho, q, decay = sp.symbols("rho q decay", real=True)
    rho_is = d.define(rho, substitute(RHO, {eta: ETA}))
    q_is, decay_is = d.define(q, sp.exp(perturbed)), d.define(decay, DECAY)
    rho_bound = d.substitute(hard, [rho_is, q_is], Rel(rho, "<=", 2 * (n - 1) * q))
    q_bound = d.substitute(grown, [q_is, decay_is], Rel(q, "<=", decay))
    at_most = d.polynomial(rho, "<=", 2 * (n - 1) * decay, [rho_bound, q_bound, one_n])
    product = d.polynomial(lipschitz * big_h * vmap * B, ">=", 0, [*signs, size_b])
    head = vmap * (delta + B * rho)
    goal = lipschitz * (1 + big_h * vmap) * delta + 2 * lipschitz * big_h * vmap * B * (n - 1) * decay
    larger = d.polynomial(lipschitz * (delta + big_h * head), "<=", goal, [at_most, product])
    same = d.identity(goal, A0 * delta + c0 * (n - 1) * decay, [a0_is, c0_is])
    result = d.transitive(larger.rel.lhs, "<=", same.rel.rhs, [larger, same])
    return d.substitute(result, [rho_is, decay_is], Rel(LAYER, "<=", A0 * delta + STEP))


def _iterate(d: Derivation, given: Sequence[Step]) -> Step:
    base, (one_l, start, errors, layers) = given[:8], given[8:12]
    rate_positive, rate, size_b, below, room, enough = given[12:]
    filler = base[3]
    meaning, nonnegative = named_step(d, [*base[:2], filler, filler, *base[3:]], size_b, STEP)
    step = meaning.rel.lhs

    def faster(positive: Step, small: Step, following: Step) -> Step:
        linear = d.cite("E5.linear", {delta: err(u)}, [*base, positive, small, below, room])
        chain = d.transitive(err(u + 1), "<=", linear.rel.rhs, [following, linear])
        named = d.substitute(chain, [meaning], Rel(err(u + 1), "<=", A0 * err(u) + step))
        return d.polynomial(err(u + 1), "<=", sp.exp(P) * err(u) + step, [named, rate, positive])

    run = Run(one_l, start, errors, layers, rate_positive, meaning, nonnegative, limit, faster)
    return iterate(d, run, enough, ITERATED)


def _sufficient(d: Derivation, given: Sequence[Step]) -> Step:
    *run, positive, below, room, enough = given
    size_b = d.polynomial(B, ">=", 0, [positive, below])
    fewer = one_fewer(d, enough, given[1], positive)
    small = d.polynomial(ITERATED, "<=", limit, [fewer])
    bound = d.cite("E5.iterate", {}, [*run, size_b, below, room, small])
    return d.polynomial(err(L), "<", limit, [bound, fewer])


def _temperature(d: Derivation, given: Sequence[Step]) -> Step:
    run, (c_positive, large, positive, below, room, cold) = given[: len(RUN)], given[len(RUN) :]
    tau_positive, one_n, one_l = run[0], run[1], run[8]
    rate_is, power = log_of(d, P, A0, [large])
    above = d.analysis(LOG_INCREASING, {REAL_X: sp.S.One, REAL_Y: A0}, [d.polynomial(1, ">", 0), large])
    rate_positive = d.substitute(above, [rate_is], Rel(P, ">=", 0))
    rate = d.polynomial(A0, "<=", sp.exp(P), [power])
    signs = [one_l, one_n, c_positive, positive]
    wide = sp.Symbol("wide", real=True)
    wide_is, whole = log_of(d, wide, L * c0 * n / limit, signs)
    named = d.substitute(cold, [wide_is, rate_is], Rel(tau * (wide + (L - 1) * P), "<=", (1 - theta) * gamma))
    order = d.polynomial(-(1 - theta) * gamma / tau + P * (L - 1), "<=", -wide, [named, tau_positive])
    grown = exp_increasing(d, order)
    factor = d.polynomial(L * c0 * n, ">", 0, signs[:3])
    scaled = d.polynomial(SUFFICIENT, "<=", L * c0 * n * sp.exp(-wide), [grown, factor])
    inverse = d.identity(L * c0 * n * sp.exp(-wide), limit, [whole, *signs])
    enough = d.transitive(SUFFICIENT, "<=", limit, [scaled, inverse])
    return d.cite("E5.sufficient", {}, [*run, rate_positive, rate, positive, below, room, enough])


RATE = (Rel(P, ">=", 0), Rel(A0, "<=", sp.exp(P)))
POSITIVE = Rel(limit, ">", 0)
COLD = Rel(tau * (sp.log(L * c0 * n / limit) + (L - 1) * sp.log(A0)), "<=", (1 - theta) * gamma)
CLAIMS = (
    Claim("E5.uniform", "a uniform head is exact", (N_POSITIVE, TAU, SOFT), (Each(i, 1, n, Rel(s(i), "=", c)),),
          Each(i, 1, n, Rel(p(i), "=", 1 / n)), _uniform),
    Claim("E5.head", "how far the output of a tieless head moves", BASE,
          (GAP, *NEAR, SMALL, instantiate(SIZE, {size: vmap * B}), instantiate(MOVE, {nu: vmap * delta})),
          Rel(sp.Abs(CHANGE), "<=", HEAD_BOUND), _head),
    Claim("E5.layer", "one layer of tieless and uniform heads", (NATURAL_H,), residual(HEAD_AT),
          Rel(sp.Abs(out2 - out), "<=", LAYER), _layer),
    Claim("E5.linear", "the recurrence is at most linear", LINEAR_BASE,
          (Rel(delta, ">=", 0), Rel(delta, "<=", limit), *ROOM), Rel(LAYER, "<=", A0 * delta + STEP), _linear),
    Claim("E5.iterate", "the error after L layers", RUN,
          (*RATE, Rel(B, ">=", 0), *ROOM, Rel(ITERATED, "<=", limit)), Rel(err(L), "<=", ITERATED), _iterate),
    Claim("E5.sufficient", "what suffices for an error below M", RUN,
          (*RATE, POSITIVE, *ROOM, Rel(SUFFICIENT, "<=", limit)), Rel(err(L), "<", limit), _sufficient),
    Claim("E5.temperature", "a temperature of the order gamma/log n", RUN,
          (Rel(c0, ">", 0), Rel(1, "<=", A0), POSITIVE, *ROOM, COLD), Rel(err(L), "<", limit), _temperature),
)  # fmt: skip

STATEMENT = Statement(
    id="E5",
    title="Uniform-tieless transformers",
    section="E",
    kernel=False,
    summary="Uniform or tieless heads: tau <= (1-theta) gamma/(log(L c0 n/M) + (L-1) log A0), M <= theta gamma/6wB.",
    quantity="activation_error",
    direction="<=",
    claims=CLAIMS,
    main="E5.temperature",
    sharpness="of each head: E1.tieless-tight; one tieless head at constant gap needs this order (C3.necessary)",
    used_for="the compiled transformers of section D without clean-up layers",
)
