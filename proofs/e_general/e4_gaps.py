"""E4, gaps of transformers with rational weights: scores differ by 0 or by at least the reciprocal of a denominator.

The entries of a score form W(e) = a(e)/d; the query has coordinates X(e)/p at these entries, two keys have Y(e)/b and
Y2(e)/b; a, X, Y, Y2 are integers. N is the integer sum of a X (Y - Y2), by which the two scores differ in units of
1/(d p b).

Main statements, for two keys with different scores
    E4.rational    the scores differ by at least 1/(d p b)
    E4.embeddings  p = b = d: by at least 1/d**3
    E4.averaged    averages of numbers in (1/d)Z over k0 (query), k1, k2 (keys) positions, k1 k2 <= n(n-1): by at least
                   1/(d**3 n**2 (n-1))
    E4.same-count  k1 = k2: by at least 1/(d**3 n**2)
    E4.distinct    k1 < k2 <= n imply k1 k2 <= n(n-1)
    E4.cubic       1/(d**3 n**2 (n-1)) >= 1/(d n)**3
    E4.attained    query 1/n, keys 1/(n-1) and 1/n, d = 1: the scores differ by 1/(n**2 (n-1))
    E4.deep        averaging with a zero halves a difference: after L layers it is g exp(-L ell), exp(ell) = 2

What is proved is about one head per layer whose values lie in (1/d)Z; another denominator of the values, or H heads
that are added, enter through p and b in E4.rational.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.row import At
from ..b_positional.line import ordered_sum, over
from ..derivation import Derivation
from ..facts import CONSECUTIVE, M
from ..props import Each, Rel, position, total
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import u
from .e1_inputs import NATURAL_R, W, r, x, y, y2
from .e2_recurrence import L

a, big_x, big_y, big_y2, g = (sp.Function(name, real=True) for name in ("a", "X", "Y", "Y2", "g"))
b, d_, k0, k1, k2, n, p, count = sp.symbols("b d k0 k1 k2 n p N", integer=True)
ell = sp.Symbol("ell", real=True)
e = position("e")
DIFFERENCE = total(lambda j: W(j) * x(j) * y(j), r) - total(lambda j: W(j) * x(j) * y2(j), r)
LARGER = Rel(DIFFERENCE, ">", 0)


def multiples(function: sp.Basic, numerators: sp.Basic, denominator: sp.Expr) -> Each:
    """function(e) = numerators(e)/denominator at every entry."""
    return Each(e, 1, r, Rel(function(e), "=", numerators(e) / denominator))


def entries(query: sp.Expr, first: sp.Expr, second: sp.Expr, one: sp.Expr, other: sp.Expr) -> tuple[Rel | Each, ...]:
    """The coordinates as multiples, and N = sum of a X (one Y - other Y2)."""
    numerators = total(lambda j: a(j) * big_x(j) * (one * big_y(j) - other * big_y2(j)), r)
    return (
        NATURAL_R, multiples(W, a, d_), multiples(x, big_x, query), multiples(y, big_y, first),
        multiples(y2, big_y2, second), Rel(numerators, "=", count),
    )  # fmt: skip


def natural(symbol: sp.Symbol) -> Rel:
    """symbol >= 1."""
    return Rel(1, "<=", symbol)


def _at_least_one(d: Derivation, positive: Step) -> Step:
    """N >= 1 for an integer N > 0."""
    step = d.analysis(CONSECUTIVE, {M: count - 1})
    return d.polynomial(count, ">=", 1, [step, positive])


def _rational(d: Derivation, given: Sequence[Step]) -> Step:
    natural_r, weights, query, first, second, counted, one_d, one_p, one_b, larger = given
    signs = [one_d, one_p, one_b]
    unit = 1 / (d_ * p * b)
    sums = []
    for key, numerator, meaning in ((y, big_y, first), (y2, big_y2, second)):

        def term(
            v: sp.Symbol, at: At, key: sp.Basic = key, numerator: sp.Basic = numerator, meaning: Step = meaning
        ) -> Step:
            facts = [at(weights), at(query), at(meaning), *signs]
            return d.identity(W(v) * x(v) * key(v), unit * a(v) * big_x(v) * numerator(v), facts)

        sums.append(ordered_sum(d, "S.equal", over(d, r, term), r, natural_r))
    exact = d.identity(DIFFERENCE, count * unit, [*sums, counted, *signs])
    scale = d.polynomial(d_ * p * b, ">", 0, signs)
    positive = d.polynomial(count, ">", 0, [exact, larger, scale, *signs])
    whole = _at_least_one(d, positive)
    inverse = d.polynomial(unit, ">", 0, signs)
    enough = d.polynomial(count * unit, ">=", unit, [whole, inverse, *signs])
    return d.transitive(DIFFERENCE, ">=", unit, [exact, enough])


def _embeddings(d: Derivation, given: Sequence[Step]) -> Step:
    *defined, one_d, larger = given
    return d.cite("E4.rational", {p: d_, b: d_}, [*defined, one_d, larger])


def _common(
    d: Derivation, numbers: Step, own: sp.Basic, numerator: sp.Basic, scaled: sp.Basic, factor: sp.Expr,
    using: Sequence[Step],
) -> tuple[Step, Step]:  # fmt: skip
    """scaled(e) = factor numerator(e), a new function, and own(e) = scaled(e)/(d k1 k2) at every entry."""
    meaning = d.define_function(scaled, e, factor * numerator(e), r)

    def term(v: sp.Symbol, at: At) -> Step:
        return d.identity(own(v), scaled(v) / (d_ * k1 * k2), [at(numbers), at(meaning), *using])

    return meaning, over(d, r, term)


def _averaged(d: Derivation, given: Sequence[Step]) -> Step:
    natural_r, weights, query, first, second, counted, one_d, two_n, one0, k0_n, one1, one2, product, larger = given
    common = d_ * k1 * k2
    signs = [one_d, one1, one2]
    one, other = (sp.Function(name, real=True) for name in ("common1", "common2"))
    one_is, firsts = _common(d, first, y, big_y, one, k2, signs)
    other_is, seconds = _common(d, second, y2, big_y2, other, k1, signs)

    def term(v: sp.Symbol, at: At) -> Step:
        lhs = a(v) * big_x(v) * (one(v) - other(v))
        return d.identity(lhs, a(v) * big_x(v) * (k2 * big_y(v) - k1 * big_y2(v)), [at(one_is), at(other_is)])

    numerators = ordered_sum(d, "S.equal", over(d, r, term), r, natural_r)
    recounted = d.identity(numerators.rel.lhs, count, [numerators, counted])
    one_p = d.polynomial(1, "<=", d_ * k0, [one_d, one0])
    pair = d.polynomial(1, "<=", k1 * k2, [one1, one2])
    one_b = d.polynomial(1, "<=", common, [one_d, pair])
    exact = d.cite(
        "E4.rational", {p: d_ * k0, b: common, big_y: one, big_y2: other},
        [natural_r, weights, query, firsts, seconds, recounted, one_d, one_p, one_b, larger],
    )  # fmt: skip
    pairs = sp.Symbol("pairs", real=True)
    pairs_is = d.define(pairs, k1 * k2)
    least = d.substitute(pair, [pairs_is], Rel(1, "<=", pairs))
    most = d.substitute(product, [pairs_is], Rel(pairs, "<=", n * (n - 1)))
    named = d.substitute(exact, [pairs_is], Rel(DIFFERENCE, ">=", 1 / (d_ * (d_ * k0) * (d_ * pairs))))
    fewer = d.polynomial(k0 * pairs, "<=", n * pairs, [k0_n, least])
    larger_still = d.polynomial(n * pairs, "<=", n * (n * (n - 1)), [most, two_n])
    chain = d.transitive(k0 * pairs, "<=", n * (n * (n - 1)), [fewer, larger_still])
    positive = d.polynomial(k0 * pairs, ">", 0, [one0, least])
    size, limit, cube = sp.symbols("size limit cube", real=True)
    size_is, limit_is, cube_is = d.define(size, k0 * pairs), d.define(limit, n**2 * (n - 1)), d.define(cube, d_**3)
    cube_positive = d.polynomial(cube, ">", 0, [cube_is, one_d])
    size_positive = d.substitute(positive, [size_is], Rel(size, ">", 0))
    order = d.polynomial(size, "<=", limit, [chain, size_is, limit_is])
    inverse = d.polynomial(1 / (cube * size), ">=", 1 / (cube * limit), [order, size_positive, cube_positive])
    here = d.identity(1 / (d_ * (d_ * k0) * (d_ * pairs)), 1 / (cube * size),
                      [cube_is, size_is, one_d, one0, least])  # fmt: skip
    there = d.identity(1 / (cube * limit), 1 / (d_**3 * n**2 * (n - 1)), [cube_is, limit_is, one_d, two_n])
    return d.transitive(DIFFERENCE, ">=", there.rel.rhs, [named, here, inverse, there])


def _same_count(d: Derivation, given: Sequence[Step]) -> Step:
    *defined, one_d, one0, k0_n, one1, k1_n, larger = given
    one_p = d.polynomial(1, "<=", d_ * k0, [one_d, one0])
    one_b = d.polynomial(1, "<=", d_ * k1, [one_d, one1])
    exact = d.cite("E4.rational", {p: d_ * k0, b: d_ * k1}, [*defined, one_d, one_p, one_b, larger])
    fewer = d.polynomial(k0 * k1, "<=", n * k1, [k0_n, one1])
    more = d.polynomial(n * k1, "<=", n**2, [k1_n, one0, k0_n])
    inverse = d.polynomial(1 / (k0 * k1), ">=", 1 / n**2, [fewer, more, one0, one1, k0_n])
    cube = d.polynomial(1 / d_**3, ">", 0, [one_d])
    scaled = d.polynomial(1 / d_**3 / (k0 * k1), ">=", 1 / d_**3 / n**2, [inverse, cube, one0, one1, k0_n, one_d])
    return d.transitive(DIFFERENCE, ">=", 1 / (d_**3 * n**2), [exact, scaled])


def _deep(d: Derivation, given: Sequence[Step]) -> Step:
    one_l, halved, two = given

    def bound(layers: sp.Expr) -> Rel:
        return Rel(g(layers) * sp.exp(ell * layers), "=", g(0))

    base = d.identity(bound(sp.S.Zero).lhs, g(0))
    hypothesis = d.assume(bound(u), "induction hypothesis")
    natural_u, top = d.assume(Rel(u, ">=", 0)), d.assume(Rel(u + 1, "<=", L))
    zero, before = d.polynomial(0, "<=", u, [natural_u]), d.polynomial(u, "<=", L - 1, [top])
    here = d.at(halved, u, zero, before)
    inductive = d.identity(bound(u + 1).lhs, g(0), [hypothesis, here, two])
    general = d.induction(bound(u), u, base, hypothesis, inductive, top)
    return d.specialise(general, u, L, [d.polynomial(L, ">=", 0, [one_l]), d.polynomial(L, "<=", L)])


ONE_DP = (natural(d_), natural(p), natural(b))
AVERAGED = 1 / (d_**3 * n**2 * (n - 1))
TWO_N = Rel(2, "<=", n)
SMALL = Rel(k0, "<=", n)
x0, y0, z0 = sp.symbols("x0 y0 z0", real=True)
CLAIMS = (
    Claim("E4.rational", "different scores differ by a unit", (*entries(p, b, b, sp.S.One, sp.S.One), *ONE_DP),
          (LARGER,), Rel(DIFFERENCE, ">=", 1 / (d_ * p * b)), _rational),
    Claim("E4.embeddings", "before any averaging", (*entries(d_, d_, d_, sp.S.One, sp.S.One), ONE_DP[0]), (LARGER,),
          Rel(DIFFERENCE, ">=", d_**-3), _embeddings),
    Claim("E4.averaged", "after one layer of averages",
          (*entries(d_ * k0, d_ * k1, d_ * k2, k2, k1), ONE_DP[0], TWO_N, natural(k0), SMALL, natural(k1), natural(k2)),
          (Rel(k1 * k2, "<=", n * (n - 1)), LARGER), Rel(DIFFERENCE, ">=", AVERAGED), _averaged),
    Claim("E4.same-count", "after one layer of averages, over equally many positions for both keys",
          (*entries(d_ * k0, d_ * k1, d_ * k1, sp.S.One, sp.S.One), ONE_DP[0], natural(k0), SMALL, natural(k1),
           Rel(k1, "<=", n)), (LARGER,), Rel(DIFFERENCE, ">=", 1 / (d_**3 * n**2)), _same_count),
    Claim("E4.distinct", "two different counts", (natural(k1),), (Rel(k1 + 1, "<=", k2), Rel(k2, "<=", n)),
          Rel(k1 * k2, "<=", n * (n - 1)),
          lambda d, given: d.polynomial(k1 * k2, "<=", n * (n - 1), given)),
    Claim("E4.cubic", "the simpler bound", (), (natural(d_), TWO_N), Rel(AVERAGED, ">=", 1 / (d_ * n) ** 3),
          lambda d, given: d.polynomial(AVERAGED, ">=", 1 / (d_ * n) ** 3, given)),
    Claim("E4.attained", "the bound after one layer of averages is attained for d = 1", (),
          (TWO_N, Rel(x0, "=", 1 / n), Rel(y0, "=", 1 / (n - 1)), Rel(z0, "=", 1 / n)),
          Rel(x0 * y0 - x0 * z0, "=", 1 / (n**2 * (n - 1))),
          lambda d, given: d.identity(x0 * y0 - x0 * z0, 1 / (n**2 * (n - 1)), given)),
    Claim("E4.deep", "layers that average with a zero shrink a difference exponentially", (Rel(1, "<=", L),),
          (Each(e, 0, L - 1, Rel(g(e + 1), "=", g(e) / 2)), Rel(sp.exp(ell), "=", 2)),
          Rel(g(L) * sp.exp(ell * L), "=", g(0)), _deep),
)  # fmt: skip

STATEMENT = Statement(
    id="E4",
    title="Gaps of rational transformers",
    section="E",
    kernel=False,
    summary="Weights in (1/d)Z: gaps at least 1/d^3 before averaging, 1/(d^3 n^2 (n-1)) after one layer of averages.",
    quantity="gap",
    direction=">=",
    claims=CLAIMS,
    main="E4.averaged",
    sharpness="E4.attained; deeper layers can shrink gaps exponentially (E4.deep)",
    used_for="gaps without a run: shallow transformers; why deeper ones have to be run",
)
