"""A5.mass and A5.raised: how the softmax mass of a set of positions grows when the scores are perturbed.

chi is 0/1-valued, P = sum chi p, P' = sum chi p2, r = exp(eta/tau).

Main statements
    A5.mass    |s2 - s| <= eta implies P'(1 + P(r**2 - 1)) <= r**2 P
    A5.raised  equality when the set rises by eta and the rest falls by eta

Proof idea: p2 W' lies between p W/r and r p W, W and W' the normalisers.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import ABS_ABOVE, ABS_BELOW, EXP_POSITIVE
from ..props import Each, Rel, total
from ..sequent import Step
from ..statement import Claim
from .a1_exact import NORMALISER
from .a2_gap import exp_increasing
from .row import (
    N_POSITIVE,
    REAL_X,
    SOFT,
    TAU,
    At,
    either,
    eta,
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
    tv,
)

chi = sp.Function("chi", real=True)
R = sp.exp(eta / tau)
TANH_BOUND = sp.tanh(eta / (2 * tau))
SOFT2 = softmax(p2, s2)
NEAR = (Each(i, 1, n, Rel(s2(i) - s(i), "<=", eta)), Each(i, 1, n, Rel(s(i) - s2(i), "<=", eta)))
SET = Each(i, 1, n, Rel(chi(i) * (1 - chi(i)), "=", 0))
MASS = total(lambda j: chi(j) * p(j), n)
MASS2 = total(lambda j: chi(j) * p2(j), n)
r, w1, w2 = sp.symbols("r W W2", real=True)
OTHER = {s: s2, p: p2}


def share(mass: sp.Expr, factor: sp.Expr) -> sp.Expr:
    """The largest mass of a set of mass `mass` after a perturbation with r**2 = factor."""
    return mass * factor / (1 + mass * (factor - 1))


def masses(d: Derivation, weights: sp.Basic, soft: Step, choice: Step, one_n: Step, tau_positive: Step) -> list[Step]:
    """0 <= sum chi p <= 1."""
    positive = d.cite("A1.positive", {p: weights, **({s: s2} if weights == p2 else {})}, [one_n, tau_positive, soft])
    normalised = d.cite(
        "A1.normalised", {p: weights, **({s: s2} if weights == p2 else {})}, [one_n, tau_positive, soft]
    )
    bounds = []
    for low, high in ((lambda w: 0 * w, lambda w: chi(w) * weights(w)), (lambda w: chi(w) * weights(w), weights)):

        def term(w: sp.Symbol, at: At, low: object = low, high: object = high) -> Step:
            here = at(positive)
            left, right = low(w), high(w)  # type: ignore[operator]
            return either(d, at(choice), lambda value, _: d.polynomial(left, "<=", right, [here, value]))

        bounds.append(sum_of(d, "S.order", everywhere(d, term), natural(d, [one_n])))
    mass = total(lambda j: chi(j) * weights(j), n)
    return [d.polynomial(0, "<=", mass, bounds[:1]), d.polynomial(mass, "<=", 1, [bounds[1], normalised])]


def _mass(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, soft2, choice, above, below = given
    n_natural = natural(d, [one_n])
    r_is = d.define(r, R)
    normalisers = []
    for name, mapping in ((w1, {}), (w2, {s: s2})):
        positive = d.cite("A1.normaliser", mapping, [one_n])
        meaning = d.define(name, positive.rel.lhs)
        normalisers.append((meaning, d.substitute(positive, [meaning], Rel(name, ">", 0))))
    (w1_is, w1_positive), (w2_is, w2_positive) = normalisers

    def comparison(up: bool) -> Step:
        """chi p2 W2 <= r chi p W (up), (1 - chi) p W <= r (1 - chi) p2 W2 (down), at every position."""

        def term(w: sp.Symbol, at: At) -> Step:
            mine = d.substitute(at(soft), [w1_is], Rel(p(w), "=", sp.exp(s(w) / tau) / w1))
            other = d.substitute(at(soft2), [w2_is], Rel(p2(w), "=", sp.exp(s2(w) / tau) / w2))
            if up:
                order = d.polynomial(s2(w) / tau, "<=", s(w) / tau + eta / tau, [at(above), tau_positive])
            else:
                order = d.polynomial(s(w) / tau, "<=", s2(w) / tau + eta / tau, [at(below), tau_positive])
            grown = exp_increasing(d, order)
            small, large = (s2, s) if up else (s, s2)
            bound = d.polynomial(sp.exp(small(w) / tau), "<=", R * sp.exp(large(w) / tau), [grown])
            named = d.substitute(bound, [r_is], Rel(sp.exp(small(w) / tau), "<=", r * sp.exp(large(w) / tau)))
            using = [mine, other, named, w1_positive, w2_positive]
            sides = (
                (chi(w) * p2(w) * w2, r * chi(w) * p(w) * w1)
                if up
                else ((1 - chi(w)) * p(w) * w1, r * (1 - chi(w)) * p2(w) * w2)
            )
            plain = (p2(w) * w2, r * p(w) * w1) if up else (p(w) * w1, r * p2(w) * w2)
            first = d.identity(plain[0], sp.exp(small(w) / tau), using)
            second = d.identity(plain[1], r * sp.exp(large(w) / tau), using)
            ordered = d.polynomial(plain[0], "<=", plain[1], [first, second, named])
            return either(d, at(choice), lambda value, _: d.polynomial(*sides[:1], "<=", sides[1], [ordered, value]))

        return sum_of(d, "S.order", everywhere(d, term), n_natural)

    up, down = comparison(True), comparison(False)
    normalised = d.cite("A1.normalised", {}, [one_n, tau_positive, soft])
    normalised2 = d.cite("A1.normalised", OTHER, [one_n, tau_positive, soft2])
    low, high = masses(d, p, soft, choice, one_n, tau_positive)
    low2, _high2 = masses(d, p2, soft2, choice, one_n, tau_positive)
    x, y = sp.symbols("P P2", real=True)
    x_is, y_is = d.define(x, MASS), d.define(y, MASS2)
    named_up = d.polynomial(y * w2, "<=", r * x * w1, [up, x_is, y_is])
    named_down = d.polynomial((1 - x) * w1, "<=", r * (1 - y) * w2, [down, x_is, y_is, normalised, normalised2])
    ranges = [
        d.polynomial(x, "<=", 1, [high, x_is]),
        d.polynomial(0, "<=", y, [low2, y_is]),
        d.polynomial(0, "<=", x, [low, x_is]),
    ]
    product = d.polynomial(
        (y * w2) * ((1 - x) * w1),
        "<=",
        (r * x * w1) * (r * (1 - y) * w2),
        _ordered_product(d, named_up, named_down, ranges, w1_positive, w2_positive),
        "both sides are products of ordered nonnegative numbers",
    )
    scaled = d.polynomial(w1 * w2 * (r**2 * x * (1 - y) - y * (1 - x)), ">=", 0, [product])
    area = sp.Symbol("area", real=True)
    area_is = d.define(area, w1 * w2)
    area_positive = d.polynomial(area, ">", 0, [area_is, w1_positive, w2_positive])
    in_area = d.polynomial(area * (r**2 * x * (1 - y) - y * (1 - x)), ">=", 0, [scaled, area_is])
    divided = d.polynomial(y * (1 - x), "<=", r**2 * x * (1 - y), [in_area, area_positive])
    result = d.polynomial(y * (1 + x * (r**2 - 1)), "<=", r**2 * x, [divided])
    return d.substitute(result, [x_is, y_is, r_is], Rel(MASS2 * (1 + MASS * (R**2 - 1)), "<=", R**2 * MASS))


def _ordered_product(
    d: Derivation, up: Step, down: Step, ranges: Sequence[Step], w1_positive: Step, w2_positive: Step
) -> list[Step]:
    """From 0 <= a <= b and 0 <= c <= e: the facts that give a c <= b e, with names for the four factors."""
    a, b, c, e = (up.rel.lhs, up.rel.rhs, down.rel.lhs, down.rel.rhs)
    first = d.polynomial(0, "<=", a, [*ranges, w1_positive, w2_positive])
    third = d.polynomial(0, "<=", c, [*ranges, w1_positive, w2_positive])
    names = sp.symbols("a b c e", real=True)
    meanings = [d.define(name, value) for name, value in zip(names, (a, b, c, e), strict=True)]
    facts = [
        d.polynomial(0, "<=", names[0], [first, meanings[0]]),
        d.polynomial(0, "<=", names[2], [third, meanings[2]]),
        d.polynomial(names[0], "<=", names[1], [up, *meanings[:2]]),
        d.polynomial(names[2], "<=", names[3], [down, *meanings[2:]]),
    ]
    product = d.polynomial(names[0] * names[2], "<=", names[1] * names[3], facts)
    return [d.substitute(product, meanings, Rel(a * c, "<=", b * e))]


def tv_by_set(
    d: Derivation, soft: sp.Basic, hard: sp.Basic, signed: Step, sums: Sequence[Step], n_natural: Step
) -> Step:
    """TV = sum chi (soft - hard), for the set chi where soft >= hard and weights with equal sums."""

    def term(w: sp.Symbol, at: At) -> Step:
        return d.identity(sp.Abs(soft(w) - hard(w)), (2 * chi(w) - 1) * (soft(w) - hard(w)), [at(signed)])

    summed = sum_of(d, "S.equal", everywhere(d, term), n_natural)
    positive_part = total(lambda j: chi(j) * (soft(j) - hard(j)), n)
    return d.identity(tv(soft, hard), positive_part, [summed, *sums], "half the L1 distance is the positive part")


def tv_at_least(
    d: Derivation, soft: sp.Basic, hard: sp.Basic, choice: Step, sums: Sequence[Step], natural_n: Step
) -> Step:
    """TV >= sum chi (soft - hard), for any set chi and weights with equal sums."""

    def term(w: sp.Symbol, at: At) -> Step:
        apart = soft(w) - hard(w)
        using = [d.analysis(fact, {REAL_X: apart}) for fact in (ABS_ABOVE, ABS_BELOW)]
        goal = (2 * chi(w) - 1) * apart
        return either(d, at(choice), lambda value, _: d.polynomial(goal, "<=", sp.Abs(apart), [*using, value]))

    summed = sum_of(d, "S.order", everywhere(d, term), natural_n)
    part = total(lambda j: chi(j) * (soft(j) - hard(j)), n)
    return d.polynomial(tv(soft, hard), ">=", part, [summed, *sums])


def r_at_least_one(d: Derivation, r_is: Step, eta_nonnegative: Step, tau_positive: Step) -> Step:
    """r >= 1."""
    exponent = d.polynomial(0, "<=", eta / tau, [eta_nonnegative, tau_positive])
    return d.substitute(exp_increasing(d, exponent), [r_is], Rel(1, "<=", r))


def eta_nonnegative(d: Derivation, one_n: Step, above: Step, below: Step) -> Step:
    """eta >= 0, from |s2(1) - s(1)| <= eta."""
    first = [d.polynomial(1, "<=", 1), d.polynomial(1, "<=", n, [one_n])]
    return d.polynomial(eta, ">=", 0, [d.at(above, sp.S.One, *first), d.at(below, sp.S.One, *first)])


def _raised(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, soft2, choice, moved = given
    n_natural = natural(d, [one_n])
    r_is = d.define(r, R)
    r_positive = d.substitute(d.analysis(EXP_POSITIVE, {REAL_X: eta / tau}), [r_is], Rel(r, ">", 0))
    w_is = d.define(w1, NORMALISER)
    w_positive = d.substitute(d.cite("A1.normaliser", {}, [one_n]), [w_is], Rel(w1, ">", 0))

    def weight(w: sp.Symbol, at: At) -> Step:
        """exp(s2/tau) = W p (chi r + (1 - chi)/r)."""
        mine = d.substitute(at(soft), [w_is], Rel(p(w), "=", sp.exp(s(w) / tau) / w1))
        shift = at(moved)
        goal = Rel(sp.exp(s2(w) / tau), "=", w1 * p(w) * (chi(w) * r + (1 - chi(w)) / r))

        def case(value: Step, is_one: bool) -> Step:
            score = d.identity(s2(w), s(w) + eta if is_one else s(w) - eta, [shift, value])
            full = w1 * p(w) * (chi(w) * R + (1 - chi(w)) / R)
            exponent = sp.exp((s(w) + eta) / tau) if is_one else sp.exp((s(w) - eta) / tau)
            plain = d.identity(exponent, full, [mine, value, w_positive])
            return d.substitute(plain, [score, r_is], goal)

        return either(d, at(choice), case)

    weights = everywhere(d, weight)
    summed = sum_of(d, "S.equal", weights, n_natural)
    normalised = d.cite("A1.normalised", {}, [one_n, tau_positive, soft])
    x, y = sp.symbols("P P2", real=True)
    x_is, y_is = d.define(x, MASS), d.define(y, MASS2)
    normaliser2 = total(lambda j: sp.exp(s2(j) / tau), n)
    w2_is = d.define(w2, normaliser2)
    w2_positive = d.substitute(d.cite("A1.normaliser", {s: s2}, [one_n]), [w2_is], Rel(w2, ">", 0))
    moved_sum = d.identity(w2, w1 * (x * r + (1 - x) / r), [summed, normalised, x_is, w2_is, r_positive])

    def member(w: sp.Symbol, at: At) -> Step:
        mine, here = at(weights), at(soft2)
        other = d.substitute(here, [w2_is], Rel(p2(w), "=", sp.exp(s2(w) / tau) / w2))
        goal = chi(w) * p(w) * r * w1 / w2
        using = [mine, other, w2_positive, r_positive]
        return either(d, at(choice), lambda value, _: d.identity(chi(w) * p2(w), goal, [*using, value]))

    member_sum = sum_of(d, "S.equal", everywhere(d, member), n_natural)
    scaled = d.identity(y * w2, x * r * w1, [member_sum, x_is, y_is, w2_positive])
    cleared = d.identity(w1 * (y * (1 + x * (r**2 - 1)) - r**2 * x), 0, [scaled, moved_sum, r_positive])
    bracket = sp.Symbol("excess", real=True)
    bracket_is = d.define(bracket, y * (1 + x * (r**2 - 1)) - r**2 * x)
    product = d.substitute(cleared, [bracket_is], Rel(w1 * bracket, "=", 0))
    zero = d.polynomial(bracket, "=", 0, [product, w_positive])
    result = d.identity(y * (1 + x * (r**2 - 1)), r**2 * x, [zero, bracket_is])
    return d.substitute(result, [x_is, y_is, r_is], Rel(MASS2 * (1 + MASS * (R**2 - 1)), "=", R**2 * MASS))


def near_of_raised(d: Derivation, moved: Step, choice: Step, eta_bound: Step) -> tuple[Step, Step]:
    """|s2 - s| <= eta for s2 = s + eta (2 chi - 1)."""

    def term(sign: int) -> Step:
        def build(w: sp.Symbol, at: At) -> Step:
            here = at(moved)
            goal = sign * (s2(w) - s(w))
            return either(d, at(choice), lambda value, _: d.polynomial(goal, "<=", eta, [here, value, eta_bound]))

        return everywhere(d, build)

    return term(1), term(-1)


PAIR = (N_POSITIVE, TAU, SOFT, SOFT2)
ETA = Rel(eta, ">=", 0)
MOVED = Each(i, 1, n, Rel(s2(i), "=", s(i) + eta * (2 * chi(i) - 1)))

MASS_CLAIM = Claim(
    "A5.mass",
    "how far the mass of a set can grow",
    (*PAIR, SET),
    NEAR,
    Rel(MASS2 * (1 + MASS * (R**2 - 1)), "<=", R**2 * MASS),
    _mass,
)
RAISED_CLAIM = Claim(
    "A5.raised",
    "the growth is exact when the set rises and the rest falls by eta",
    (*PAIR, SET),
    (MOVED,),
    Rel(MASS2 * (1 + MASS * (R**2 - 1)), "=", R**2 * MASS),
    _raised,
)
