"""E1, one head: from perturbed scores and values to the attention output, with the bounds that improve on it.

The hard run has scores s, average-hard weights h (k maxima, gap >= gamma) and values v; the soft run has scores s2 off
by at most eta, softmax weights p2 and values v2 off by at most nu. diameter = hi - lo, values in lo..hi.

Main statements, with q = exp(-gamma/tau)
    E1.ties      the L1 distance of p2 and h is at most 2 tanh(eta/(2 tau)) + 2 (n-k)q/(k+(n-k)q)
    E1.weights   which is at most rho = 2 tanh(eta/(2 tau)) + 2 (n-1)q/(1+(n-1)q)
    E1.value     |sum p v2 - sum a v| <= L1(p, a) size + nu for |v| <= size
    E1.diameter  the outputs differ by at most (tanh(eta/(2 tau)) + (n-k)q/(k+(n-k)q)) diameter + nu
    E1.window    by at most (maximum of A8) diameter + nu; E1.window-tight: attained
    E1.tieless   k = 1 and eta < gamma/2: by at most (n-1)q'/(1+(n-1)q') diameter + nu, q' = exp(-(gamma-2 eta)/tau);
                 E1.tieless-tight: attained

Proof idea: p2 is compared with h through p, the softmax of s (or directly, by A8 or A6), then A7.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import BOUND, WORST_L1
from ..a_softmax_gap.a4_one_symbol import VALUES, hi, lo, output, v2
from ..a_softmax_gap.a5_sets import NEAR, OTHER, TANH_BOUND, chi
from ..a_softmax_gap.a6_tieless import BASE as TIELESS_BASE
from ..a_softmax_gap.a6_tieless import BOUND as TIELESS_BOUND
from ..a_softmax_gap.a6_tieless import CLAIMS as TIELESS_CLAIMS
from ..a_softmax_gap.a6_tieless import SMALL
from ..a_softmax_gap.a7_values import BASE as SUMS_ONE
from ..a_softmax_gap.a7_values import NONNEGATIVE, NU, ORDERED, SHIFTED, a, nu
from ..a_softmax_gap.a8_window import BASE, WORST
from ..a_softmax_gap.a8_window import CLAIMS as WINDOW_CLAIMS
from ..a_softmax_gap.row import GAMMA, GAP, At, everywhere, h, i, l1, n, natural, p, p2, sum_of, tv
from ..derivation import Derivation
from ..props import Each, MaxOver, Rel, total
from ..sequent import Step
from ..statement import Claim, Deriver
from ..sums import v
from .e1_inputs import absolute_bound, both_sides

psi = sp.Function("psi", real=True)
size = sp.Symbol("size", real=True)
TIES = 2 * TANH_BOUND + 2 * BOUND
RHO = 2 * TANH_BOUND + WORST_L1
CHANGE = output(p2, v2) - output(h, v)
WIDTH = hi - lo
SIZE = Each(i, 1, n, Rel(sp.Abs(v(i)), "<=", size))
MOVE = Each(i, 1, n, Rel(sp.Abs(v2(i) - v(i)), "<=", nu))
ABOVE_HARD = (
    Each(i, 1, n, Rel(psi(i) * (1 - psi(i)), "=", 0)),
    Each(i, 1, n, Rel((2 * psi(i) - 1) * (p2(i) - h(i)), "=", sp.Abs(p2(i) - h(i)))),
)
EXTREME = Each(i, 1, n, Rel(v(i), "=", lo + (hi - lo) * psi(i)))
WINDOW_ROW = next(claim for claim in WINDOW_CLAIMS if claim.name == "A8.attained")
TIELESS_ROW = next(claim for claim in TIELESS_CLAIMS if claim.name == "A6.tight")


def _ties(d: Derivation, given: Sequence[Step]) -> Step:
    *row, soft2, gap, above, below = given
    one_k, k_n, tau_positive, *_, soft, _strictly, _hard = row
    one_n = d.polynomial(1, "<=", n, [one_k, k_n])
    first = d.cite("A5.bound", {}, [one_n, tau_positive, soft, soft2, above, below])
    second = d.cite("A2.bound", {}, [*row, gap])

    def term(w: sp.Symbol, at: At) -> Step:
        del at
        near, far = both_sides(d, p2(w) - p(w)), both_sides(d, p(w) - h(w))
        limit = sp.Abs(p2(w) - p(w)) + sp.Abs(p(w) - h(w))
        return absolute_bound(d, p2(w) - h(w), limit, [*near, *far])

    summed = sum_of(d, "S.order", everywhere(d, term), natural(d, [one_n]), "the triangle inequality")
    apart = d.polynomial(l1(p2, h), "<=", l1(p2, p) + l1(p, h), [summed])
    soft_part = d.polynomial(l1(p2, p), "<=", 2 * TANH_BOUND, [first])
    hard_part = _doubled(d, second, l1(p, h), BOUND)
    return _added(d, apart, soft_part, hard_part)


def _doubled(d: Derivation, half: Step, whole: sp.Expr, bound: sp.Expr) -> Step:
    """L1 <= 2 bound from TV <= bound, whatever the bound is."""
    name = sp.Symbol("half", real=True)
    meaning = d.define(name, bound)
    named = d.substitute(half, [meaning], Rel(half.rel.lhs, "<=", name))
    twice = d.polynomial(whole, "<=", 2 * name, [named])
    return d.substitute(twice, [meaning], Rel(whole, "<=", 2 * bound))


def _added(d: Derivation, apart: Step, soft_part: Step, hard_part: Step) -> Step:
    """A sum of two distances is at most the sum of their bounds."""
    names = sp.symbols("near far", real=True)
    meanings = [d.define(name, part.rel.rhs) for name, part in zip(names, (soft_part, hard_part), strict=True)]
    parts = [
        d.substitute(part, [meaning], Rel(part.rel.lhs, "<=", name))
        for part, meaning, name in zip((soft_part, hard_part), meanings, names, strict=True)
    ]
    total_bound = d.polynomial(apart.rel.lhs, "<=", names[0] + names[1], [apart, *parts])
    goal = Rel(apart.rel.lhs, "<=", soft_part.rel.rhs + hard_part.rel.rhs)
    return d.substitute(total_bound, meanings, goal)


def _weights(d: Derivation, given: Sequence[Step]) -> Step:
    *rest, gamma_positive = given
    one_k, k_n, tau_positive = rest[:3]
    ties = d.cite("E1.ties", {}, rest)
    largest = d.cite("A2.every-k", {}, [one_k, k_n, gamma_positive, tau_positive])
    names = sp.symbols("half worst", real=True)
    meanings = [d.define(names[0], BOUND), d.define(names[1], WORST_L1)]
    ties_named = d.substitute(ties, meanings[:1], Rel(l1(p2, h), "<=", 2 * TANH_BOUND + 2 * names[0]))
    order = d.substitute(largest, meanings, Rel(2 * names[0], "<=", names[1]))
    result = d.polynomial(l1(p2, h), "<=", 2 * TANH_BOUND + names[1], [ties_named, order])
    return d.substitute(result, meanings[1:], Rel(l1(p2, h), "<=", RHO))


def nu_sides(d: Derivation, move: Step) -> list[Step]:
    """v2 - v <= nu and v - v2 <= nu at every position."""
    sides = []
    for sign in (1, -1):

        def term(w: sp.Symbol, at: At, sign: int = sign) -> Step:
            change = v2(w) - v(w)
            return d.polynomial(sign * change, "<=", at(move).rel.rhs, [at(move), *both_sides(d, change)])

        sides.append(everywhere(d, term))
    return sides


def _value(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, sum_p, sum_a, nonnegative, sizes, move = given
    lower = everywhere(d, lambda w, at: d.polynomial(-size, "<=", v(w), [at(sizes), *both_sides(d, v(w))]))
    upper = everywhere(d, lambda w, at: d.polynomial(v(w), "<=", size, [at(sizes), *both_sides(d, v(w))]))
    premises = [natural_n, sum_p, sum_a, nonnegative, lower, upper, *nu_sides(d, move)]
    moved = d.cite("A7.perturbed", {lo: -size, hi: size}, premises)
    change = d.identity(moved.rel.rhs, l1(p, a) * size + nu)
    return d.transitive(moved.rel.lhs, "<=", l1(p, a) * size + nu, [moved, change])


def sums_to_one(d: Derivation, row: Sequence[Step], hard: Step, soft2: Step) -> list[Step]:
    """n >= 0, sum p2 = 1, sum h = 1 and p2 >= 0; row starts with 1 <= k, k <= n, tau > 0, mu Boolean, sum mu = k."""
    one_k, k_n, tau_positive, _, count = row[:5]
    one_n = d.polynomial(1, "<=", n, [one_k, k_n])
    natural_n = natural(d, [one_n])
    soft_one = d.cite("A1.normalised", OTHER, [one_n, tau_positive, soft2])
    positive = d.cite("A1.positive", OTHER, [one_n, tau_positive, soft2])
    nonnegative = everywhere(d, lambda w, at: d.polynomial(p2(w), ">=", 0, [at(positive)]))
    hard_sum = sum_of(d, "S.equal", hard, natural_n)
    hard_one = d.identity(total(h, n), 1, [hard_sum, count, one_k])
    return [natural_n, soft_one, hard_one, nonnegative]


def named(d: Derivation, step: Step) -> tuple[sp.Expr, Step, list[Step]]:
    """A name for the right side of a step (a maximum, which binds a variable, stays), the step with it, its meaning."""
    bound = step.rel.rhs
    if bound.has(MaxOver):
        return bound, step, []
    name = sp.Symbol("error", real=True)
    meaning = d.define(name, bound)
    return name, d.substitute(step, [meaning], Rel(step.rel.lhs, step.rel.op, name)), [meaning]


def _through(bound: sp.Expr, distance: Deriver, tieless: bool = False) -> Deriver:
    """|sum p2 v2 - sum h v| <= bound (hi - lo) + nu from TV(p2, h) <= bound, by A7.perturbed."""

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *weights, low, high, up, down = given
        hard, soft2 = (weights[8], weights[6]) if tieless else (weights[8], weights[9])
        sums = sums_to_one(d, weights, hard, soft2)
        moved = d.cite("A7.perturbed", {p: p2, a: h}, [*sums, low, high, up, down])
        name, near, meaning = named(d, distance(d, weights))
        one, first = d.polynomial(1, "<=", 1), d.polynomial(1, "<=", n, weights[:2])
        ends = [d.at(low, sp.S.One, one, first), d.at(high, sp.S.One, one, first)]
        result = d.polynomial(sp.Abs(CHANGE), "<=", name * WIDTH + nu, [moved, near, *ends])
        return d.substitute(result, meaning, Rel(sp.Abs(CHANGE), "<=", bound * WIDTH + nu))

    return derive


def _half(d: Derivation, weights: Sequence[Step]) -> Step:
    """TV from L1."""
    ties = d.cite("E1.ties", {}, weights)
    name = sp.Symbol("half", real=True)
    meaning = d.define(name, TANH_BOUND + BOUND)
    named = d.substitute(ties, [meaning], Rel(l1(p2, h), "<=", 2 * name))
    halved = d.polynomial(tv(p2, h), "<=", name, [named])
    return d.substitute(halved, [meaning], Rel(tv(p2, h), "<=", TANH_BOUND + BOUND))


def _tight(attained: Claim, tieless: bool) -> Deriver:
    """Equality in A7.perturbed at a row where TV(p2, h) attains its bound."""

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        defined, proper = len(attained.definitions), len(attained.hypotheses)
        weights = [*given[:defined], *given[defined + 2 : defined + 2 + proper]]
        choice, signed = given[defined : defined + 2]
        values, bound = given[defined + 2 + proper :], attained.bound
        hard, soft2 = (weights[8], weights[6]) if tieless else (weights[8], weights[9])
        sums = sums_to_one(d, weights, hard, soft2)[:3]
        exact = d.cite("A7.perturbed-tight", {p: p2, a: h, chi: psi}, [*sums, choice, signed, *values])
        name, distance, meaning = named(d, d.cite(attained.name, {}, weights))
        result = d.identity(sp.Abs(CHANGE), name * WIDTH + nu, [exact, distance])
        return d.substitute(result, meaning, Rel(sp.Abs(CHANGE), "=", bound * WIDTH + nu))

    return derive


VALUES_TIGHT = (EXTREME, ORDERED, SHIFTED, Rel(nu, ">=", 0))


def _attained(name: str, text: str, row: Claim, tieless: bool) -> Claim:
    definitions = (*row.definitions, *ABOVE_HARD)
    conclusion = Rel(sp.Abs(CHANGE), "=", row.bound * WIDTH + nu)
    return Claim(name, text, definitions, (*row.hypotheses, *VALUES_TIGHT), conclusion, _tight(row, tieless))


CLAIMS = (
    Claim("E1.ties", "the weights of an average-hard head with k maxima", BASE, (GAP, *NEAR),
          Rel(l1(p2, h), "<=", TIES), _ties),
    Claim("E1.weights", "the weights of an average-hard head", BASE, (GAP, *NEAR, GAMMA),
          Rel(l1(p2, h), "<=", RHO), _weights),
    Claim("E1.value", "from weights to the output, for values of bounded size", (*SUMS_ONE, NONNEGATIVE), (SIZE, MOVE),
          Rel(sp.Abs(output(p, v2) - output(a, v)), "<=", l1(p, a) * size + nu), _value),
    Claim("E1.diameter", "the output, by the diameter of the values", BASE, (GAP, *NEAR, *VALUES, *NU),
          Rel(sp.Abs(CHANGE), "<=", (TANH_BOUND + BOUND) * WIDTH + nu), _through(TANH_BOUND + BOUND, _half)),
    Claim("E1.window", "the output, by the exact worst case of A8", BASE, (GAP, *NEAR, *VALUES, *NU),
          Rel(sp.Abs(CHANGE), "<=", WORST * WIDTH + nu),
          _through(WORST, lambda d, given: d.cite("A8.bound", {}, given))),
    _attained("E1.window-tight", "the bound is attained", WINDOW_ROW, False),
    Claim("E1.tieless", "the output of a tieless head: no term eta/tau", TIELESS_BASE,
          (GAP, *NEAR, SMALL, *VALUES, *NU), Rel(sp.Abs(CHANGE), "<=", TIELESS_BOUND * WIDTH + nu),
          _through(TIELESS_BOUND, lambda d, given: d.cite("A6.bound", {}, given), tieless=True)),
    _attained("E1.tieless-tight", "the bound is attained", TIELESS_ROW, True),
)  # fmt: skip
