"""A4.one-symbol: changing one input symbol moves an attention output by O(1/n).

Notation: lam(i) is 1 at the changed position and 0 elsewhere; M = sum lam p is its weight, X = sum lam p v its share of
the output; A = sum (1 - lam) exp(s/tau) and B = sum (1 - lam) exp(s/tau) v do not change.

Main statements
    A4.split       output = (B/A)(1 - M) + X
    A4.one-symbol  |output - output'| <= (hi - lo) exp(delta/tau)/n for values in lo..hi and spreads <= delta

Proof idea: output' - output = M'(v' - B/A) - M(v - B/A), where B/A, v and v' lie in lo..hi, so it is at most
M'(hi - B/A) + M(B/A - lo) <= max(M, M')(hi - lo).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import ABS_BOUND, EXP_POSITIVE
from ..props import Each, Rel, substitute, total
from ..sequent import Step
from ..statement import Claim
from ..sums import f, function, v
from ..sums import lo as sum_lo
from ..sums import n as sum_n
from .a1_exact import LAM_BOOLEAN, LAM_ONE, lam
from .a2_gap import exp_increasing
from .row import (
    N_POSITIVE,
    REAL_X,
    REAL_Y,
    SOFT,
    TAU,
    At,
    delta,
    either,
    everywhere,
    i,
    n,
    natural,
    p,
    p2,
    s,
    s2,
    softmax,
    sum_of,
    tau,
    top,
)

lo, hi, top2 = sp.symbols("lo hi top2", real=True)
v2 = sp.Function("v2", real=True)
A = total(lambda j: (1 - lam(j)) * sp.exp(s(j) / tau), n)
B = total(lambda j: (1 - lam(j)) * sp.exp(s(j) / tau) * v(j), n)
MASS = total(lambda j: lam(j) * p(j), n)
SHARE = total(lambda j: lam(j) * p(j) * v(j), n)
CAP = sp.exp(delta / tau) / n
OTHER = {s: s2, p: p2, v: v2}
TWO = Rel(2, "<=", n)


def output(weights: sp.Basic, values: sp.Basic) -> sp.Expr:
    """Attention output for scalar values: the weighted sum."""
    return total(lambda j: weights(j) * values(j), n)


def _in_row(relation: Rel) -> Each:
    return Each(i, 1, n, relation)


VALUES = (_in_row(Rel(lo, "<=", v(i))), _in_row(Rel(v(i), "<=", hi)))
VALUES2 = (_in_row(Rel(lo, "<=", v2(i))), _in_row(Rel(v2(i), "<=", hi)))
SPREADS = (
    _in_row(Rel(top - s(i), ">=", 0)),
    _in_row(Rel(top - s(i), "<=", delta)),
    _in_row(Rel(top2 - s2(i), ">=", 0)),
    _in_row(Rel(top2 - s2(i), "<=", delta)),
)
SAME = (_in_row(Rel((1 - lam(i)) * (s2(i) - s(i)), "=", 0)), _in_row(Rel((1 - lam(i)) * (v2(i) - v(i)), "=", 0)))


def nonnegative(d: Derivation, term: sp.Expr, choice: Step, weights_positive: Step | None = None) -> Step:
    """0 <= term at every position, for a term that is decided by lam being 0 or 1 (and the sign of the weights)."""

    def build(w: sp.Symbol, at: At) -> Step:
        exp_positive = d.analysis(EXP_POSITIVE, {REAL_X: s(w) / tau})
        using = [exp_positive] + ([at(weights_positive)] if weights_positive else [])
        goal = substitute(term, {i: w})
        return either(d, at(choice), lambda value, _: d.polynomial(0, "<=", goal, [*using, value]))

    return everywhere(d, build)


def weighted(d: Derivation, term: sp.Expr, nonneg: Step, value: sp.Expr, low: sp.Expr, bound: Step) -> Step:
    """low * sum(term) <= sum(term * value) by S.weighted."""
    mapping = {
        f: function(lambda j: substitute(term, {i: j})),
        v: function(lambda j: substitute(value, {i: j})),
        sum_lo: low,
        sum_n: n,
    }
    return d.cite("S.weighted", mapping, [d.polynomial(n, ">=", 0, [d.steps[0]]), nonneg, bound])


def _rest(d: Derivation, given: Sequence[Step]) -> Step:
    two, tau_positive, choice, one_choice, spread = given
    low = sp.exp((top - delta) / tau)
    low_positive = d.analysis(EXP_POSITIVE, {REAL_X: (top - delta) / tau})

    def floor(w: sp.Symbol, at: At) -> Step:
        order = d.polynomial((top - delta) / tau, "<=", s(w) / tau, [at(spread), tau_positive])
        grown = exp_increasing(d, order)
        goal = Rel((1 - lam(w)) * low, "<=", (1 - lam(w)) * sp.exp(s(w) / tau))
        return either(d, at(choice), lambda value, _: d.polynomial(goal.lhs, "<=", goal.rhs, [grown, value]))

    n_natural = natural(d, [two])
    summed = sum_of(d, "S.order", everywhere(d, floor), n_natural)
    return d.polynomial(A, ">", 0, [summed, one_choice, n_natural, two, low_positive])


def _split(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, rest_positive = given
    n_natural = natural(d, [one_n])
    normaliser = total(lambda j: sp.exp(s(j) / tau), n)
    w_name, a, b = sp.symbols("W A B", real=True)
    positive = d.cite("A1.normaliser", {}, [one_n])
    w_is, a_is, b_is = d.define(w_name, normaliser), d.define(a, A), d.define(b, B)
    w_positive = d.substitute(positive, [w_is], Rel(w_name, ">", 0))
    a_positive = d.substitute(rest_positive, [a_is], Rel(a, ">", 0))

    def unchanged(extra: sp.Expr) -> Step:
        def build(w: sp.Symbol, at: At) -> Step:
            here = d.substitute(at(soft), [w_is], Rel(p(w), "=", sp.exp(s(w) / tau) / w_name))
            factor = (1 - lam(w)) * substitute(extra, {i: w})
            return d.identity(factor * p(w), factor * sp.exp(s(w) / tau) / w_name, [here, w_positive])

        return sum_of(d, "S.equal", everywhere(d, build), n_natural)

    normalised = d.cite("A1.normalised", {}, [one_n, tau_positive, soft])
    share = d.identity(1 - MASS, a / w_name, [unchanged(sp.S.One), normalised, a_is, w_positive])
    out = d.identity(output(p, v), b / w_name + SHARE, [unchanged(v(i)), b_is, w_positive])
    mass = sp.Symbol("M", real=True)
    mass_is = d.define(mass, MASS)
    share_named = d.substitute(share, [mass_is], Rel(1 - mass, "=", a / w_name))
    middle = d.identity(b / w_name, b / a * (1 - mass), [share_named, w_positive, a_positive])
    whole = d.identity(output(p, v), b / a * (1 - mass) + SHARE, [out, middle, w_positive, a_positive])
    return d.substitute(whole, [mass_is, a_is, b_is], Rel(output(p, v), "=", B / A * (1 - MASS) + SHARE))


def _one_symbol(d: Derivation, given: Sequence[Step]) -> Step:
    two, tau_positive, soft, soft2, choice, one_choice = given[:6]
    same_score, same_value, below, spread, below2, spread2, above_lo, below_hi, above_lo2, below_hi2 = given[6:]
    one_n = d.polynomial(1, "<=", n, [two])
    n_natural = natural(d, [one_n])
    rest = d.cite("A4.rest", {}, [two, tau_positive, choice, one_choice, spread])

    def same(w: sp.Symbol, at: At, extra: bool) -> Step:
        """The terms of A and of B agree in both rows."""
        scores, values = at(same_score), at(same_value)
        sides = [
            (1 - lam(w)) * sp.exp(score(w) / tau) * (value(w) if extra else 1) for score, value in ((s, v), (s2, v2))
        ]

        def case(value: Step, is_one: bool) -> Step:
            if is_one:
                return d.identity(sides[1], sides[0], [value])
            score = d.identity(s2(w), s(w), [scores, value])
            value_equal = d.identity(v2(w), v(w), [values, value])
            return d.substitute(d.identity(sides[0], sides[0]), [score, value_equal], Rel(sides[1], "=", sides[0]))

        return either(d, at(choice), case)

    a_same = sum_of(d, "S.equal", everywhere(d, lambda w, at: same(w, at, False)), n_natural)
    b_same = sum_of(d, "S.equal", everywhere(d, lambda w, at: same(w, at, True)), n_natural)
    rest2 = d.substitute(rest, [a_same], Rel(a_same.rel.lhs, ">", 0))
    split = d.cite("A4.split", {}, [one_n, tau_positive, soft, rest])
    split2_own = d.cite("A4.split", OTHER, [one_n, tau_positive, soft2, rest2])
    mass2, share2 = (substitute(expr, OTHER) for expr in (MASS, SHARE))
    split2 = d.substitute(split2_own, [a_same, b_same], Rel(output(p2, v2), "=", B / A * (1 - mass2) + share2))

    def facts(weights: sp.Basic, values: sp.Basic, soft_step: Step, limits: Sequence[Step]) -> list[Step]:
        """lo M <= X <= hi M, 0 <= M <= exp(delta/tau)/n."""
        at_least, at_most, cap = limits
        mapping = {s: s2} if weights == p2 else {}
        positive = d.cite("A1.positive", {**mapping, p: weights}, [one_n, tau_positive, soft_step])
        term = lam(i) * weights(i)
        nonneg = nonnegative(d, term, choice, positive)
        lower = weighted(d, term, nonneg, values(i), lo, at_least)
        upper = weighted(d, term, nonneg, -values(i), -hi, _negated(d, at_most, values(i), hi))
        chosen = nonnegative(d, lam(i), choice)
        capped = weighted(d, lam(i), chosen, -weights(i), -CAP, _negated(d, cap, weights(i), CAP))
        zero = sum_of(d, "S.order", nonneg, n_natural)
        return [
            d.polynomial(lo * zero.rel.rhs, "<=", lower.rel.rhs, [lower]),
            d.polynomial(lower.rel.rhs, "<=", hi * zero.rel.rhs, [upper]),
            d.polynomial(zero.rel.rhs, "<=", CAP, [capped, one_choice, one_n]),
            d.polynomial(0, "<=", zero.rel.rhs, [zero]),
        ]

    cap = d.cite("A4.weight", {}, [one_n, tau_positive, soft, below, spread])
    cap2 = d.cite("A4.weight", {s: s2, p: p2, top: top2}, [one_n, tau_positive, soft2, below2, spread2])
    mine = facts(p, v, soft, [above_lo, below_hi, cap])
    other = facts(p2, v2, soft2, [above_lo2, below_hi2, cap2])
    unchanged = (1 - lam(i)) * sp.exp(s(i) / tau)
    unchanged_nonneg = nonnegative(d, unchanged, choice)
    mean_low = weighted(d, unchanged, unchanged_nonneg, v(i), lo, above_lo)
    mean_high = weighted(d, unchanged, unchanged_nonneg, -v(i), -hi, _negated(d, below_hi, v(i), hi))

    names = sp.symbols("mean M1 X1 M2 X2 cap", real=True)
    mean, m1, x1, m2, x2, cap_name = names
    a, b = sp.symbols("A B", real=True)
    a_is, b_is = d.define(a, A), d.define(b, B)
    meanings = [d.define(name, e) for name, e in zip(names[1:], (MASS, SHARE, mass2, share2, CAP), strict=True)]
    a_positive = d.substitute(rest, [a_is], Rel(a, ">", 0))
    mean_is = d.define(mean, b / a)
    low_a = d.polynomial(lo * a, "<=", b, [mean_low, a_is, b_is])
    high_a = d.polynomial(b, "<=", hi * a, [mean_high, a_is, b_is])
    ranges = [
        d.polynomial(lo, "<=", mean, [mean_is, low_a, a_positive]),
        d.polynomial(mean, "<=", hi, [mean_is, high_a, a_positive]),
    ]
    for group, mass, share in ((mine, m1, x1), (other, m2, x2)):
        ranges += [
            d.substitute(group[0], meanings, Rel(lo * mass, "<=", share)),
            d.substitute(group[1], meanings, Rel(share, "<=", hi * mass)),
            d.substitute(group[2], meanings, Rel(mass, "<=", cap_name)),
            d.substitute(group[3], meanings, Rel(0, "<=", mass)),
        ]
    outputs = []
    for step, mass, share in ((split, m1, x1), (split2, m2, x2)):
        whole = step.rel.lhs
        first = d.substitute(step, [*meanings, a_is, b_is], Rel(whole, "=", b / a * (1 - mass) + share))
        outputs.append(d.substitute(first, [mean_is], Rel(whole, "=", mean * (1 - mass) + share)))
    moved = output(p2, v2) - output(p, v)
    why = "M2 (hi - mean) + M1 (mean - lo) <= cap (hi - lo)"
    up = d.polynomial(moved, "<=", (hi - lo) * cap_name, [*outputs, *ranges], why)
    down = d.polynomial(-moved, "<=", (hi - lo) * cap_name, [*outputs, *ranges], why)
    modulus = d.analysis(ABS_BOUND, {REAL_X: moved, REAL_Y: (hi - lo) * cap_name}, [up, down])
    return d.substitute(modulus, meanings, Rel(sp.Abs(moved), "<=", (hi - lo) * CAP))


def _negated(d: Derivation, upper: Step, value: sp.Expr, bound: sp.Expr) -> Step:
    """-bound <= -value at every position, from value <= bound."""
    return everywhere(d, lambda w, at: d.polynomial(-bound, "<=", -substitute(value, {i: w}), [at(upper), d.steps[0]]))


CLAIMS = (
    Claim(
        "A4.rest",
        "the weight of the unchanged positions is positive",
        (TWO, TAU, LAM_BOOLEAN, LAM_ONE),
        (SPREADS[1],),
        Rel(A, ">", 0),
        _rest,
    ),
    Claim(
        "A4.split",
        "the output as a mixture of the unchanged positions and the changed one",
        (N_POSITIVE, TAU, SOFT),
        (Rel(A, ">", 0),),
        Rel(output(p, v), "=", B / A * (1 - MASS) + SHARE),
        _split,
    ),
    Claim(
        "A4.one-symbol",
        "changing one input symbol moves an attention output by O(1/n)",
        (TWO, TAU, SOFT, softmax(p2, s2), LAM_BOOLEAN, LAM_ONE),
        (*SAME, *SPREADS, *VALUES, *VALUES2),
        Rel(sp.Abs(output(p2, v2) - output(p, v)), "<=", (hi - lo) * CAP),
        _one_symbol,
    ),
)
