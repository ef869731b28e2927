"""B3 and B4, table lookup by quadratic maximisation, exact and noisy.

The scores are -c(j - a)**2 up to a constant (B3), or -c(j - a - eta)**2 with |eta| <= noise < 1/2 (B4; h below); the
maximal position is a. q = exp(-c/tau), Theta(x) = theta_3(0, exp(-x)) = 1 + 2 (e^-x + e^-4x + e^-9x + ...).

Main statements
    B3.theta   TV < (Theta - 1)/Theta at x = c/tau
    B3.closed  TV < 2q/(1+2q-q**3), from d**2 >= 3d - 2 for integers d
    B4.sum     Z' < 2 q**(1-2h)/(1-q**(3-2h));  B4.bound  TV < Z/(1+Z) for that Z
    B3.half, B4.half  the sum over one side
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import exp_increasing
from ..a_softmax_gap.row import At, h, i, n, p, s, tau, top, tv
from ..derivation import Derivation
from ..facts import CONSECUTIVE, EXP_POSITIVE, THETA_PARTIAL, Theta
from ..props import Each, Rel, substitute, total
from ..sequent import Step
from ..series import a as first
from ..series import b as second
from ..statement import Claim, Statement
from ..sums import f, function
from ..sums import m as sum_m
from ..sums import n as sum_n
from .b1_linear import REAL_X, TAU, below, finish, geometric
from .line import BASE, S, ordered_sum, over

a, length = sp.symbols("a L", integer=True)
c, eta, noise = sp.symbols("c eta noise", real=True)
q = sp.exp(-c / tau)
THETA = Theta(c / tau)
C = Rel(c, ">", 0)
WITHIN = (Rel(1, "<=", a), Rel(a, "<=", n))
EXACT = Each(i, 1, n, Rel(top - s(i), "=", c * (i - a) ** 2))
NOISY = Each(i, 1, n, Rel(top - s(i), "=", c * ((i - a) ** 2 - 2 * eta * (i - a))))
NOISE = (Rel(noise, "<", sp.Rational(1, 2)), Rel(eta, "<=", noise), Rel(-eta, "<=", noise))
CLOSED = 2 * q / (1 + 2 * q - q**3)
REACH = sp.exp(-c * (1 - 2 * noise) / tau)
RATE = sp.exp(-c * (3 - 2 * noise) / tau)
SIDE = REACH / (1 - RATE)
NOISY_BOUND = 2 * SIDE / (1 + 2 * SIDE)


def square(j: sp.Expr) -> sp.Expr:
    """exp(-c j**2/tau)."""
    return sp.exp(-c * j**2 / tau)


def _cleared(d: Derivation, j: sp.Expr) -> Step:
    """j**2 >= 3j - 2 for an integer j: (j - 1)(j - 2) is a product of consecutive integers."""
    product = d.analysis(CONSECUTIVE, {sum_m: j - 2})
    return d.polynomial(j**2, ">=", 3 * j - 2, [product])


def _half(d: Derivation, given: Sequence[Step]) -> Step:
    """sum over 1..L of exp(-c d**2/tau) < q/(1 - q**3)."""
    natural_l, c_positive, tau_positive = given

    def term(w: sp.Symbol, _at: At) -> Step:
        order = d.polynomial(-c * w**2 / tau, "<=", -c * (3 * w - 2) / tau, [_cleared(d, w), c_positive, tau_positive])
        return exp_increasing(d, order)

    summed = ordered_sum(d, "S.order", over(d, length, term), length, natural_l)
    down = d.polynomial(-3 * c / tau, "<", 0, [c_positive, tau_positive])
    falling = geometric(d, -3 * c / tau, length, natural_l, down)
    small = exp_increasing(d, down, strict=True)
    whole = d.polynomial(total(square, length), "<=", sp.exp(2 * c / tau) * falling.rel.lhs, [summed])
    closed = sp.exp(2 * c / tau) * falling.rel.rhs
    in_powers = d.substitute(whole, [falling], Rel(total(square, length), "<=", closed))
    rest = d.analysis(EXP_POSITIVE, {REAL_X: -3 * c * length / tau})
    limit = d.polynomial(closed, "<", q / (1 - q**3), [small, rest])
    return d.transitive(total(square, length), "<", q / (1 - q**3), [in_powers, limit])


def _half_noisy(d: Derivation, given: Sequence[Step]) -> Step:
    """sum over 1..L of exp(-c(d**2 - 2 h d)/tau) < q**(1-2h)/(1 - q**(3-2h))."""
    natural_l, c_positive, tau_positive, small_noise = given

    def term(w: sp.Symbol, _at: At) -> Step:
        goal = (3 - 2 * noise) * w - 2
        order = d.polynomial(
            -c * (w**2 - 2 * noise * w) / tau, "<=", -c * goal / tau, [_cleared(d, w), c_positive, tau_positive]
        )
        return exp_increasing(d, order)

    summed = ordered_sum(d, "S.order", over(d, length, term), length, natural_l)
    down = d.polynomial(-c * (3 - 2 * noise) / tau, "<", 0, [c_positive, tau_positive, small_noise])
    falling = geometric(d, -c * (3 - 2 * noise) / tau, length, natural_l, down)
    small = exp_increasing(d, down, strict=True)
    whole = d.polynomial(summed.rel.lhs, "<=", sp.exp(2 * c / tau) * falling.rel.lhs, [summed])
    closed = sp.exp(2 * c / tau) * falling.rel.rhs
    in_powers = d.substitute(whole, [falling], Rel(summed.rel.lhs, "<=", closed))
    rest = d.analysis(EXP_POSITIVE, {REAL_X: -c * (3 - 2 * noise) * length / tau})
    limit = d.polynomial(closed, "<", SIDE, [small, rest])
    return d.transitive(summed.rel.lhs, "<", SIDE, [in_powers, limit])


def _sides(d: Derivation, one_a: Step, a_n: Step, terms: Step, tau_positive: Step) -> tuple[Step, Step, Step]:
    """S = 1 + (left sum over 1..a-1) + (right sum over 1..n-a); also a - 1 >= 0 and n - a >= 0."""
    before = d.polynomial(a - 1, ">=", 0, [one_a])
    after = d.polynomial(n - a, ">=", 0, [a_n])
    n_natural = d.polynomial(n, ">=", 0, [one_a, a_n])
    exact = below(d, terms, n, n_natural, tau_positive, exact=True)
    each = terms.prop
    assert isinstance(each, Each)

    def term(j: sp.Expr) -> sp.Expr:
        return sp.exp(-substitute(each.rel.rhs, {each.var: j}) / tau)

    a_natural = d.polynomial(a, ">=", 0, [one_a])
    split = d.cite("S.split", {f: function(term), first: a, second: n - a}, [a_natural, after])
    shifted = d.cite("S.split", {f: function(term), first: a - 1, second: sp.S.One}, [before, d.polynomial(1, ">=", 0)])
    single = d.cite("S.one", {f: function(lambda j: term(a - 1 + j))})
    back = d.cite("S.reverse", {f: function(term), sum_n: a - 1}, [before])
    left_sum, right_sum = back.rel.rhs, total(lambda j: term(a + j), n - a)
    whole = d.polynomial(S, "=", 1 + left_sum + right_sum, [exact, split, shifted, single, back])
    return whole, before, after


def _theta(d: Derivation, given: Sequence[Step]) -> Step:
    *base, one_a, a_n, c_positive, terms = given
    tau_positive = base[2]
    whole, before, after = _sides(d, one_a, a_n, terms, tau_positive)
    rate = d.polynomial(c / tau, ">", 0, [c_positive, tau_positive])
    halves = [
        d.analysis(THETA_PARTIAL, {sum_m: size, REAL_X: c / tau}, [shown, rate])
        for size, shown in ((a - 1, before), (n - a, after))
    ]
    order = d.polynomial(S, "<", THETA, [whole, *halves])
    least = d.cite("B.at-least-one", {}, base)
    positive = d.polynomial(THETA, ">", 1, [order, least])
    return finish(d, base, order, (THETA - 1) / THETA, [positive])


def _closed(d: Derivation, given: Sequence[Step]) -> Step:
    *base, one_a, a_n, c_positive, terms = given
    tau_positive = base[2]
    side = q / (1 - q**3)
    whole, before, after = _sides(d, one_a, a_n, terms, tau_positive)
    premises = [c_positive, tau_positive]
    halves = [
        d.cite("B3.half", {length: size}, [shown, *premises]) for size, shown in ((a - 1, before), (n - a, after))
    ]
    down = d.polynomial(-c / tau, "<", 0, premises)
    small = exp_increasing(d, down, strict=True)
    order = d.polynomial(S, "<", 1 + 2 * side, [whole, *halves, small])
    return finish(d, base, order, CLOSED, [small])


def _noisy_sides(d: Derivation, sides: Sequence[tuple[int, sp.Expr, Step, Step]], given: Sequence[Step]) -> list[Step]:
    """Each side's sum is at most the one with the largest noise; a side is (sign of eta, length, its sign, bound)."""
    compared = []
    for sign, size, shown, near in sides:
        where, low, high = d.generic("i", sp.S.One, size)
        left = -c * (where**2 - 2 * sign * eta * where) / tau
        right = -c * (where**2 - 2 * noise * where) / tau
        order = d.polynomial(left, "<=", right, [near, low, *given])
        each = d.generalise(exp_increasing(d, order), low, high)
        compared.append(ordered_sum(d, "S.order", each, size, shown))
    return compared


def _noisy(d: Derivation, given: Sequence[Step]) -> Step:
    *base, one_a, a_n, c_positive, small_noise, up, down, terms = given
    tau_positive = base[2]
    whole, before, after = _sides(d, one_a, a_n, terms, tau_positive)
    sides = ((1, n - a, after, up), (-1, a - 1, before, down))
    compared = _noisy_sides(d, sides, [c_positive, tau_positive])
    premises = [c_positive, tau_positive, small_noise]
    halves = [
        d.cite("B4.half", {length: size}, [shown, *premises]) for size, shown in ((a - 1, before), (n - a, after))
    ]
    falls = d.polynomial(-c * (3 - 2 * noise) / tau, "<", 0, premises)
    small = exp_increasing(d, falls, strict=True)
    order = d.polynomial(S, "<", 1 + 2 * SIDE, [whole, *compared, *halves, small])
    reach = d.analysis(EXP_POSITIVE, {REAL_X: -c * (1 - 2 * noise) / tau})
    return finish(d, base, order, NOISY_BOUND, [small, reach])


NATURAL_L = Rel(length, ">=", 0)
B3_CLAIMS = (
    Claim("B3.half", "one side of a quadratic lookup", (), (NATURAL_L, C, TAU),
          Rel(total(square, length), "<", q / (1 - q**3)), _half),
    Claim("B3.theta", "quadratic lookup, against the theta function", (*BASE, *WITHIN), (C, EXACT),
          Rel(tv(p, h), "<", (THETA - 1) / THETA), _theta),
    Claim("B3.closed", "quadratic lookup, closed form", (*BASE, *WITHIN), (C, EXACT),
          Rel(tv(p, h), "<", CLOSED), _closed),
)  # fmt: skip
B4_CLAIMS = (
    Claim("B4.half", "one side of a noisy lookup", (), (NATURAL_L, C, TAU, NOISE[0]),
          Rel(total(lambda j: sp.exp(-c * (j**2 - 2 * noise * j) / tau), length), "<", SIDE), _half_noisy),
    Claim("B4.bound", "noisy lookup", (*BASE, *WITHIN), (C, *NOISE, NOISY),
          Rel(tv(p, h), "<", NOISY_BOUND), _noisy),
)  # fmt: skip

B3 = Statement(
    id="B3",
    title="Table lookup by quadratic maximisation",
    section="B",
    kernel=True,
    summary="Scores -c(j-a)^2: TV < (theta-1)/theta with theta = theta_3(0,q), q = exp(-c/tau), and < 2q/(1+2q-q^3).",
    quantity="tv",
    direction="<=",
    claims=B3_CLAIMS,
    main="B3.closed",
    sharpness="B3.theta is approached as positions are added on both sides; B3.closed keeps the first two terms",
    used_for="lookups of a position computed by an earlier layer, and counting (D4)",
)
B4 = Statement(
    id="B4",
    title="Noisy lookup",
    section="B",
    kernel=False,
    summary="Scores -c(j-a-eta)^2, |eta| <= noise < 1/2: TV < Z/(1+Z), Z = 2 q^(1-2noise)/(1-q^(3-2noise)).",
    quantity="tv",
    direction="<=",
    claims=B4_CLAIMS,
    main="B4.bound",
    sharpness="the first term of each side is kept exactly; at noise = 0 it is B3.closed",
    used_for="lookups whose query carries the error of an earlier layer",
)
