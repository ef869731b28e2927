"""E2, all layers: the recurrence of E1 made linear and solved.

err(l) is the error after l layers, err(0) = 0; K, H, v (vmap), w, B as in E1, the same in every layer.
A0 = K(1 + H v), D0 = 3 K H v w B**2, c0 = 2 K H v B; P >= 0 is any number with A0 + D0/tau <= exp(P), so that exp(P) is
the rate r of growth per layer and exp(P l) = r**l.

Main statements, with q = exp(-gamma/tau)
    E2.linear      delta <= B: the recurrence of E1 gives at most (A0 + D0/tau) delta + c0 (n-1) q
    E2.iterate     L c0 (n-1) q r**(L-1) <= B implies err(L) <= L c0 (n-1) q r**(L-1)
    E2.geometric   c0 (n-1) q (r**L - 1)/(r - 1) <= B implies that err(L) is at most that (r > 1)
    E2.sufficient  L c0 n q r**(L-1) <= mu <= B implies err(L) < mu
    E2.decision    t = 1 or -1, t y >= mu and |y2 - y| < mu imply t y2 > 0

Proof idea: tanh x <= x, 2 B delta + delta**2 <= 3 B delta, then induction; the bound on err(l) stays below B.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy as sp

from ..a_softmax_gap.a2_gap import Q, exp_increasing, name_q
from ..a_softmax_gap.row import N_POSITIVE, REAL_X, TAU, n, tau
from ..derivation import Derivation
from ..facts import EXP_POSITIVE
from ..props import Each, Prop, Rel, position, substitute
from ..sequent import Step
from ..statement import Claim
from ..sums import u
from .e1_inputs import B, both_sides, delta, w
from .e1_layer import ETA, LAYER, RHO_AT, big_h, err, lipschitz, vmap

L = sp.Symbol("L", integer=True)
A0, D0, c0, mu, P, y, y2, t, error = sp.symbols("A0 D0 c0 mu P y y2 t error", real=True)
l = position("l")  # noqa: E741
CONSTANTS = (
    Rel(A0, "=", lipschitz * (1 + big_h * vmap)),
    Rel(D0, "=", 3 * lipschitz * big_h * vmap * w * B**2),
    Rel(c0, "=", 2 * lipschitz * big_h * vmap * B),
)
SIGNS: tuple[Rel, ...] = tuple(Rel(symbol, ">=", 0) for symbol in (lipschitz, big_h, vmap, w))
LINEAR = (A0 + D0 / tau) * delta + c0 * (n - 1) * Q
START = Rel(err(0), "=", 0)
ERRORS = Each(l, 0, L, Rel(err(l), ">=", 0))
LAYERS = Each(l, 0, L - 1, Rel(err(l + 1), "<=", substitute(LAYER, {delta: err(l)})))
L_POSITIVE = Rel(1, "<=", L)
RATE = (Rel(P, ">=", 0), Rel(A0 + D0 / tau, "<=", sp.exp(P)))
STEP = c0 * (n - 1) * Q
ITERATED = L * STEP * sp.exp(P * (L - 1))
GEOMETRIC = STEP * (sp.exp(P * L) - 1) / (sp.exp(P) - 1)
SUFFICIENT = L * c0 * n * Q * sp.exp(P * (L - 1))
BASE: tuple[Prop, ...] = (TAU, N_POSITIVE, *CONSTANTS, *SIGNS)
RUN: tuple[Prop, ...] = (*BASE, L_POSITIVE, START, ERRORS, LAYERS)


def _linear(d: Derivation, given: Sequence[Step]) -> Step:
    tau_positive, one_n, *rest = given
    constants, signs, (low, high) = rest[:3], rest[3:7], rest[7:]
    within = [low, high, signs[3]]
    argument = d.polynomial(ETA / (2 * tau), ">=", 0, [*within, tau_positive])
    soft = d.cite("S.tanh", {REAL_X: ETA / (2 * tau)}, [argument])
    hard = d.cite("A2.linear", {}, [one_n])
    quadratic = d.polynomial(ETA, "<=", 3 * w * B * delta, within, "delta**2 <= B delta")
    worst = sp.Symbol("worst", real=True)
    worst_is = d.define(worst, hard.rel.lhs)
    q_is, _ = name_q(d)
    q = q_is.rel.lhs
    hard_named = d.substitute(hard, [worst_is, q_is], Rel(worst, "<=", 2 * (n - 1) * q))
    limit = 3 * w * B * delta / tau + 2 * (n - 1) * q
    using = [soft, quadratic, hard_named, tau_positive]
    at_most = d.polynomial(2 * soft.rel.lhs + worst, "<=", limit, using)
    rho = sp.Symbol("rho", real=True)
    rho_is = d.define(rho, RHO_AT)
    named = d.substitute(at_most, [worst_is, rho_is], Rel(rho, "<=", limit))
    size = d.polynomial(B, ">=", 0, [low, high])
    factor = d.polynomial(lipschitz * big_h * vmap * B, ">=", 0, [*signs, size])
    change = lipschitz * (delta + big_h * vmap * (delta + B * rho))
    with_limit = lipschitz * (delta + big_h * vmap * delta) + lipschitz * big_h * vmap * B * limit
    product = d.polynomial(change, "<=", with_limit, [named, factor, tau_positive])
    goal = (A0 + D0 / tau) * delta + c0 * (n - 1) * q
    same = d.identity(with_limit, goal, [*constants, tau_positive])
    result = d.transitive(change, "<=", goal, [product, same])
    return d.substitute(result, [rho_is, q_is], Rel(LAYER, "<=", LINEAR))


@dataclass(frozen=True)
class Run:
    """The given steps of a claim about all layers, and a name for c, the error that a layer adds.

    faster(err(u) >= 0, err(u) <= cap, the layer after u) shows err(u + 1) <= exp(P) err(u) + c.
    """

    one_l: Step
    start: Step
    errors: Step
    layers: Step
    rate_positive: Step
    step_is: Step
    step_nonnegative: Step
    cap: sp.Expr
    faster: Callable[[Step, Step, Step], Step]

    @property
    def step(self) -> sp.Expr:
        """The name of c."""
        return self.step_is.rel.lhs


def named_step(d: Derivation, given: Sequence[Step], size: Step, value: sp.Expr) -> tuple[Step, Step]:
    """c = value, c0 (n-1) times an exponential, and c >= 0; `given` starts as BASE does, `size` is B >= 0."""
    one_n, constants, signs = given[1], given[2:5], given[5:9]
    meaning = d.define(sp.Symbol("c", real=True), value)
    decay = d.analysis(EXP_POSITIVE, {REAL_X: next(iter(value.atoms(sp.exp))).args[0]})
    c0_nonnegative = d.polynomial(c0, ">=", 0, [constants[2], *signs, size])
    return meaning, d.polynomial(meaning.rel.lhs, ">=", 0, [meaning, c0_nonnegative, decay, one_n])


def _run(d: Derivation, given: Sequence[Step], size: Step) -> Run:
    """The parts of the given steps, in the order of RUN and RATE; `size` is B >= 0."""
    meaning, nonnegative = named_step(d, given, size, STEP)
    step, rate = meaning.rel.lhs, given[14]

    def faster(positive: Step, small: Step, following: Step) -> Step:
        linear = d.cite("E2.linear", {delta: err(u)}, [*given[:9], positive, small])
        chain = d.transitive(err(u + 1), "<=", linear.rel.rhs, [following, linear])
        named = d.substitute(chain, [meaning], Rel(err(u + 1), "<=", (A0 + D0 / tau) * err(u) + step))
        return d.polynomial(err(u + 1), "<=", sp.exp(P) * err(u) + step, [named, rate, positive, given[0]])

    one_l, start, errors, layers, rate_positive = given[9:14]
    return Run(one_l, start, errors, layers, rate_positive, meaning, nonnegative, B, faster)


def _by_layers(
    d: Derivation, run: Run, bound: Callable[[sp.Expr], Rel],
    below: Callable[[Step, Step, Step], Step], grown: Callable[[Step, Step, Step], Step],
) -> Step:  # fmt: skip
    """bound(L), by induction on the number of layers u = 0..L.

    below(bound(u), u + 1 <= L, u >= 0) shows err(u) <= cap;
    grown(bound(u), err(u + 1) <= exp(P) err(u) + c, u >= 0) shows bound(u + 1).
    """
    base_case = bound(sp.S.Zero)
    base = d.polynomial(base_case.lhs, base_case.op, base_case.rhs, [run.start])
    hypothesis = d.assume(bound(u), "induction hypothesis")
    natural, top = d.assume(Rel(u, ">=", 0)), d.assume(Rel(u + 1, "<=", L))
    zero, before = d.polynomial(0, "<=", u, [natural]), d.polynomial(u, "<=", L - 1, [top])
    nonnegative = d.at(run.errors, u, zero, d.polynomial(u, "<=", L, [top]))
    following = d.at(run.layers, u, zero, before)
    faster = run.faster(nonnegative, below(hypothesis, top, natural), following)
    inductive = grown(hypothesis, faster, natural)
    general = d.induction(bound(u), u, base, hypothesis, inductive, top)
    return d.specialise(general, u, L, [d.polynomial(L, ">=", 0, [run.one_l]), d.polynomial(L, "<=", L)])


def _iterate(d: Derivation, given: Sequence[Step]) -> Step:
    *_, size, enough = given
    run = _run(d, given, size)
    return iterate(d, run, enough, ITERATED)


def iterate(d: Derivation, run: Run, enough: Step, goal: sp.Expr) -> Step:
    """err(L) <= goal = L c exp(P (L-1)); `enough` shows that this is at most the cap."""
    step, final = run.step, d.substitute(enough, [run.step_is], Rel(L * run.step * sp.exp(P * (L - 1)), "<=", run.cap))

    def bound(layers: sp.Expr) -> Rel:
        return Rel(err(layers), "<=", layers * step * sp.exp(P * (layers - 1)))

    def below(hypothesis: Step, top: Step, natural: Step) -> Step:
        powers = exp_increasing(d, d.polynomial(P * (u - 1), "<=", P * (L - 1), [run.rate_positive, top]))
        low, high = powers.rel.lhs, powers.rel.rhs
        fewer = d.polynomial(u * low, "<=", L * low, [natural, top])
        longer = d.polynomial(L * low, "<=", L * high, [powers, run.one_l])
        chain = d.transitive(u * low, "<=", L * high, [fewer, longer])
        product = d.polynomial(u * step * low, "<=", L * step * high, [chain, run.step_nonnegative])
        return d.transitive(err(u), "<=", run.cap, [hypothesis, product, final])

    def grown(hypothesis: Step, faster: Step, natural: Step) -> Step:
        power = exp_increasing(d, d.polynomial(0, "<=", P * u, [run.rate_positive, natural]))
        scaled = d.polynomial(sp.exp(P) * err(u), "<=", u * step * sp.exp(P * u), [hypothesis])
        once = d.polynomial(step, "<=", step * sp.exp(P * u), [power, run.step_nonnegative])
        return d.polynomial(err(u + 1), "<=", (u + 1) * step * sp.exp(P * u), [faster, scaled, once])

    return d.substitute(_by_layers(d, run, bound, below, grown), [run.step_is], Rel(err(L), "<=", goal))


def _geometric(d: Derivation, given: Sequence[Step]) -> Step:
    strict, rate, size, enough = given[13:]
    positive = d.polynomial(P, ">=", 0, [strict])
    run = _run(d, [*given[:13], positive, rate], size)
    step, growth = run.step, sp.exp(P) - 1
    above_one = exp_increasing(d, d.polynomial(0, "<", P, [strict]), strict=True)
    final = d.substitute(enough, [run.step_is], Rel(step * (sp.exp(P * L) - 1) / growth, "<=", B))

    def bound(layers: sp.Expr) -> Rel:
        return Rel(growth * err(layers), "<=", step * (sp.exp(P * layers) - 1))

    def below(hypothesis: Step, top: Step, natural: Step) -> Step:
        del natural
        powers = exp_increasing(d, d.polynomial(P * u, "<=", P * L, [run.rate_positive, top]))
        goal = step * (sp.exp(P * L) - 1)
        product = d.polynomial(bound(u).rhs, "<=", goal, [powers, run.step_nonnegative])
        last = d.polynomial(goal, "<=", growth * B, [final, above_one])
        chain = d.transitive(growth * err(u), "<=", growth * B, [hypothesis, product, last])
        return d.polynomial(err(u), "<=", B, [chain, above_one])

    def grown(hypothesis: Step, faster: Step, natural: Step) -> Step:
        del natural
        middle, goal = growth * (sp.exp(P) * err(u) + step), bound(u + 1)
        scaled = d.polynomial(goal.lhs, "<=", middle, [faster, above_one])
        inner = d.polynomial(middle, "<=", goal.rhs, [hypothesis])
        return d.transitive(goal.lhs, "<=", goal.rhs, [scaled, inner])

    product = _by_layers(d, run, bound, below, grown)
    divided = d.polynomial(err(L), "<=", step * (sp.exp(P * L) - 1) / growth, [product, above_one])
    return d.substitute(divided, [run.step_is], Rel(err(L), "<=", GEOMETRIC))


def _sufficient(d: Derivation, given: Sequence[Step]) -> Step:
    *run, mu_positive, mu_size, enough = given
    size = d.polynomial(B, ">=", 0, [mu_positive, mu_size])
    below = one_fewer(d, enough, given[1], mu_positive)
    small = d.polynomial(ITERATED, "<=", B, [below, mu_size])
    bound = d.cite("E2.iterate", {}, [*run, size, small])
    return d.polynomial(err(L), "<", mu, [bound, below])


def one_fewer(d: Derivation, enough: Step, one_n: Step, positive: Step) -> Step:
    """(n-1) x < y from n x <= y and y > 0, x of either sign."""
    factor, limit = sp.cancel(enough.rel.lhs / n), enough.rel.rhs
    part = sp.Symbol("part", real=True)
    part_is = d.define(part, factor)
    named = d.substitute(d.polynomial(n * factor, "<=", limit, [enough]), [part_is], Rel(n * part, "<=", limit))
    less = d.polynomial((n - 1) * part, "<", limit, [named, one_n, positive])
    return d.substitute(less, [part_is], Rel((n - 1) * factor, "<", limit))


def _decision(d: Derivation, given: Sequence[Step]) -> Step:
    sign, margin, near, small = given
    sides = both_sides(d, y2 - y)
    using = [margin, near, small, *sides]
    one, other = d.assume(Rel(1 - t, "=", 0)), d.assume(Rel(1 + t, "=", 0))
    ends = [d.polynomial(t * y2, ">", 0, [case, *using]) for case in (one, other)]
    return d.cases(sign, (one, ends[0]), (other, ends[1]))


SIZE = Rel(B, ">=", 0)
MU = (Rel(mu, ">", 0), Rel(mu, "<=", B))
CLAIMS = (
    Claim("E2.linear", "the recurrence is at most linear", BASE, (Rel(delta, ">=", 0), Rel(delta, "<=", B)),
          Rel(LAYER, "<=", LINEAR), _linear),
    Claim("E2.iterate", "the error after L layers", RUN, (*RATE, SIZE, Rel(ITERATED, "<=", B)),
          Rel(err(L), "<=", ITERATED), _iterate),
    Claim("E2.geometric", "the same, summed exactly", RUN, (Rel(P, ">", 0), RATE[1], SIZE, Rel(GEOMETRIC, "<=", B)),
          Rel(err(L), "<=", GEOMETRIC), _geometric),
    Claim("E2.sufficient", "what suffices for an error below the margin", RUN, (*RATE, *MU, Rel(SUFFICIENT, "<=", mu)),
          Rel(err(L), "<", mu), _sufficient),
    Claim("E2.decision", "an error below the margin does not change the decision t = 1 or -1", (),
          (Rel((1 - t) * (1 + t), "=", 0), Rel(t * y, ">=", mu), Rel(sp.Abs(y2 - y), "<=", error), Rel(error, "<", mu)),
          Rel(t * y2, ">", 0), _decision),
)  # fmt: skip
