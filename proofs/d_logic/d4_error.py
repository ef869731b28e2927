"""The error of a lookup whose values are the places themselves (D4.series, D4.error): the values are not bounded.

Notation: a is the maximal place, d(i) = exp(-(s(a) - s(i))/tau), S the sum of d, q = exp(-c/tau), E = q/(1-q**3)**2.

Main statements
    D.weighted-powers  (exp x - 1)**2 * sum of j exp(x j) over j = 1..n = exp x (1 - (n+1) exp(x n) + n exp(x (n+1)))
    D4.series          sum of d exp(-c d**2/tau) over d = 1..L < E, from d**2 >= 3d - 2
    D4.error           s(a) - s(i) >= c (i-a)**2: |sum of p(i) i - a| <= E

Proof idea of D4.error: S (sum p(i) i - a) is the sum over the positions after a minus the sum over those before a, each
of them in 0..E, and S >= 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a1_exact import NORMALISER
from ..a_softmax_gap.a2_gap import exp_increasing
from ..a_softmax_gap.row import REAL_X, REAL_Y, SOFT, TAU, At, everywhere, i, n, p, s, sum_of, tau
from ..b_positional.b3_lookup import NATURAL_L, C, a, c, length, q, square
from ..b_positional.b3_lookup import WITHIN as PLACE
from ..b_positional.line import ordered_sum
from ..derivation import Derivation
from ..facts import ABS_BOUND, CONSECUTIVE, EXP_POSITIVE
from ..props import Each, Rel, total
from ..sequent import Step
from ..series import a as first
from ..series import b as second
from ..series import rate
from ..statement import Claim
from ..sums import ZERO, by_induction, f, function, g, u
from ..sums import m as sum_m
from ..sums import n as sum_n

ERROR = q / (1 - q**3) ** 2
FALLING = Each(i, 1, n, Rel(s(a) - s(i), ">=", c * (i - a) ** 2))
PLACES = total(lambda j: p(j) * j, n)
SERIES_SUM = total(lambda j: j * square(j), length)


def weighted(j: sp.Expr) -> sp.Expr:
    """j exp(x j)."""
    return j * sp.exp(rate * j)


def _weighted_powers(d: Derivation, given: Sequence[Step]) -> Step:
    (natural_n,) = given

    def at(size: sp.Expr) -> Rel:
        end = 1 - (size + 1) * sp.exp(rate * size) + size * sp.exp(rate * (size + 1))
        return Rel((sp.exp(rate) - 1) ** 2 * total(weighted, size), "=", sp.exp(rate) * end)

    def base(empty: list[Step]) -> Step:
        goal = at(sp.S.Zero)
        return d.polynomial(goal.lhs, "=", goal.rhs, empty, linear=False)

    def step(hypothesis: Step, unfolded: list[Step], _natural: Step) -> Step:
        goal = at(u + 1)
        return d.polynomial(goal.lhs, "=", goal.rhs, [hypothesis, *unfolded], linear=False)

    return by_induction(d, at(u), [weighted], natural_n, step, base)


def _series(d: Derivation, given: Sequence[Step]) -> Step:
    natural_l, c_positive, tau_positive = given
    r = -3 * c / tau

    where, low, high = d.generic("i", sp.S.One, length)
    # d**2 >= 3d - 2 for integers d, since (d - 1)(d - 2) is a product of consecutive integers
    product = d.analysis(CONSECUTIVE, {sum_m: where - 2})
    order = d.polynomial(-c * where**2 / tau, "<=", -c * (3 * where - 2) / tau, [product, c_positive, tau_positive])
    grown = exp_increasing(d, order)
    here = d.polynomial(where * square(where), "<=", where * grown.rel.rhs, [grown, low])
    summed = ordered_sum(d, "S.order", d.generalise(here, low, high), length, natural_l)
    closed = d.cite("D.weighted-powers", {rate: r, sum_n: length}, [natural_l])
    small = exp_increasing(d, d.polynomial(r, "<", 0, [c_positive, tau_positive]), strict=True)
    rest = d.analysis(EXP_POSITIVE, {REAL_X: r * length})
    powers = total(lambda j: weighted(j).subs(rate, r), length)
    # (1 - y)**2 sum = y (1 - (L+1) y**L + L y**(L+1)) < y for y = q**3 < 1
    value = sp.exp(r) / (sp.exp(r) - 1) ** 2
    below = d.polynomial(powers, "<", value, [closed, small, rest, natural_l])
    whole = d.polynomial(SERIES_SUM, "<=", sp.exp(2 * c / tau) * powers, [summed])
    return d.polynomial(SERIES_SUM, "<", ERROR, [whole, below, small])


def _relative(j: sp.Expr) -> sp.Expr:
    """d(j)."""
    return sp.exp(-(s(a) - s(j)) / tau)


SUM = total(_relative, n)
BIG, RIGHT, LEFT, MOVED, CAP = sp.symbols("S R L X cap", real=True)


def _weights(d: Derivation, one_a: Step, a_n: Step, soft: Step) -> tuple[Step, Step]:
    """p(i) S = d(i) at every place, and S >= 1, with a name for S."""
    name = d.define(BIG, SUM)
    n_natural = d.polynomial(n, ">=", 0, [one_a, a_n])

    def shifted(w: sp.Symbol, _at: At) -> Step:
        return d.identity(sp.exp(s(w) / tau), sp.exp(s(a) / tau) * _relative(w))

    normaliser = sum_of(d, "S.equal", everywhere(d, shifted), n_natural)

    def positive(w: sp.Symbol, _at: At) -> Step:
        above = d.analysis(EXP_POSITIVE, {REAL_X: -(s(a) - s(w)) / tau})
        return d.polynomial(0, "<=", _relative(w), [above])

    least = d.cite("S.term", {f: function(_relative), sum_m: a}, [everywhere(d, positive), one_a, a_n])
    at_least_one = d.substitute(d.polynomial(SUM, ">=", 1, [least]), [name], Rel(BIG, ">=", 1))
    in_big = d.identity(NORMALISER, sp.exp(s(a) / tau) * BIG, [normaliser, name])

    def weight(w: sp.Symbol, at: At) -> Step:
        here = d.substitute(at(soft), [in_big], Rel(p(w), "=", sp.exp(s(w) / tau) / in_big.rel.rhs))
        return d.identity(p(w) * BIG, _relative(w), [here, at_least_one])

    return everywhere(d, weight), at_least_one


def _side(d: Derivation, where: Callable[[sp.Expr], sp.Expr], size: sp.Expr, given: Sequence[Step]) -> list[Step]:
    """0 <= sum of r d(where(r)) over r = 1..size <= E, where(r) being r places from a."""
    one_a, a_n, c_positive, tau_positive, falling = given
    natural_size = d.polynomial(size, ">=", 0, [one_a, a_n])
    index, low, high = d.generic("r", sp.S.One, size)
    spot = where(index)
    ends = [d.polynomial(1, "<=", spot, [low, high, one_a, a_n]), d.polynomial(spot, "<=", n, [low, high, one_a, a_n])]
    far = d.at(falling, spot, *ends)
    order = d.polynomial(-(s(a) - s(spot)) / tau, "<=", -c * index**2 / tau, [far, tau_positive])
    grown = exp_increasing(d, order)
    each = d.generalise(d.polynomial(index * _relative(spot), "<=", index * square(index), [grown, low]), low, high)
    above = ordered_sum(d, "S.order", each, size, natural_size)
    series = d.cite("D4.series", {length: size}, [natural_size, c_positive, tau_positive])
    index, low, high = d.generic("r", sp.S.One, size)
    positive = d.analysis(EXP_POSITIVE, {REAL_X: -(s(a) - s(where(index))) / tau})
    each = d.generalise(d.polynomial(0, "<=", index * _relative(where(index)), [positive, low]), low, high)
    share = function(lambda j: j * _relative(where(j)))
    below = d.cite("S.order", {f: ZERO, g: share, sum_n: size}, [natural_size, each])
    return [
        d.polynomial(0, "<=", above.rel.lhs, [below, natural_size]),
        d.transitive(above.rel.lhs, "<", ERROR, [above, series]),
    ]


def _error(d: Derivation, given: Sequence[Step]) -> Step:
    one_a, a_n, tau_positive, soft, c_positive, falling = given
    weights, at_least_one = _weights(d, one_a, a_n, soft)
    facts = [one_a, a_n, c_positive, tau_positive, falling]
    after = _side(d, lambda r: a + r, n - a, facts)
    before = _side(d, lambda r: a - r, a - 1, facts)

    def moment(j: sp.Expr) -> sp.Expr:
        return (j - a) * _relative(j)

    def term(w: sp.Symbol, at: At) -> Step:
        return d.identity((w - a) * p(w) * BIG, moment(w), [at(weights)])

    n_natural, one = d.polynomial(n, ">=", 0, [one_a, a_n]), d.polynomial(1, ">=", 0)
    sizes = [d.polynomial(size, ">=", 0, [one_a, a_n]) for size in (a, n - a, a - 1)]
    moments = sum_of(d, "S.equal", everywhere(d, term), n_natural)
    split = d.cite("S.split", {f: function(moment), first: a, second: n - a}, sizes[:2])
    shorter = d.cite("S.split", {f: function(moment), first: a - 1, second: sp.S.One}, [sizes[2], one])
    single = d.cite("S.one", {f: function(lambda j: moment(a - 1 + j))})
    back = d.cite("S.reverse", {f: function(moment), sum_n: a - 1}, [sizes[2]])
    normalised = d.cite("A1.normalised", {}, [d.polynomial(1, "<=", n, [one_a, a_n]), tau_positive, soft])
    right, left = after[0].rel.rhs, before[0].rel.rhs
    whole = d.polynomial(BIG * (PLACES - a), "=", right - left, [moments, split, shorter, single, back, normalised])
    # |S X| = |R - L| <= E with 0 <= R, L < E, and S >= 1
    names = [
        d.define(symbol, expr) for symbol, expr in ((MOVED, PLACES - a), (RIGHT, right), (LEFT, left), (CAP, ERROR))
    ]
    in_names = d.substitute(whole, names, Rel(BIG * MOVED, "=", RIGHT - LEFT))
    facts = [in_names, at_least_one]
    for symbol, (least, most) in ((RIGHT, after), (LEFT, before)):
        facts.append(d.substitute(least, names, Rel(0, "<=", symbol)))
        facts.append(d.substitute(most, names, Rel(symbol, "<", CAP)))
    ends = [d.polynomial(sign * MOVED, "<=", CAP, facts) for sign in (1, -1)]
    modulus = d.analysis(ABS_BOUND, {REAL_X: MOVED, REAL_Y: CAP}, ends)
    return d.substitute(modulus, names, Rel(sp.Abs(PLACES - a), "<=", ERROR))


NATURAL = Rel(n, ">=", 0)
LEMMAS = (
    Claim("D.weighted-powers", "the geometric sum with weights", (), (NATURAL,),
          Rel((sp.exp(rate) - 1) ** 2 * total(weighted, n), "=",
              sp.exp(rate) * (1 - (n + 1) * sp.exp(rate * n) + n * sp.exp(rate * (n + 1)))), _weighted_powers),
)  # fmt: skip
CLAIMS = (
    Claim("D4.series", "the sum of d q^(d^2)", (), (NATURAL_L, C, TAU), Rel(SERIES_SUM, "<", ERROR), _series),
    Claim("D4.error", "the mean place under softmax is near the maximal one", (*PLACE, TAU, SOFT), (C, FALLING),
          Rel(sp.Abs(PLACES - a), "<=", ERROR), _error),
)  # fmt: skip
