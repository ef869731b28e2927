"""Finite sums: linearity, termwise comparison, one term against the sum, the triangle inequality.

Main statements, for real functions f, g of the position and n >= 0:
    S.add       sum (f + g) = sum f + sum g
    S.scale     sum c f = c sum f
    S.constant  sum c = n c
    S.order     f <= g at every position implies sum f <= sum g
    S.equal     f = g at every position implies sum f = sum g
    S.term      f >= 0 at every position implies f(m) <= sum f for 1 <= m <= n
    S.strict    f <= g at every position and f(m) < g(m) for one m imply sum f < sum g
    S.triangle  |sum f| <= sum |f|
    S.weighted  f >= 0 and v >= lo at every position imply lo sum f <= sum f v
    S.tanh      tanh x <= x for x >= 0

Proofs: induction on n from the empty sum and the unfolding of the last term.
S.add, S.scale and S.constant are built into the normal form of proofs/normal.py, which cites them; their own proofs
use unfolded sums only as atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from .derivation import Derivation
from .facts import ABS_ABOVE, ABS_BELOW, ABS_BOUND, SUM_EMPTY, SUM_UNFOLD
from .props import Each, Prop, Rel, position, total
from .sequent import Step
from .statement import Claim

n = sp.Symbol("n", integer=True)
c = sp.Symbol("c", real=True)
m = sp.Symbol("m", integer=True)
u = sp.Symbol("u", integer=True)
lo = sp.Symbol("lo", real=True)
f, g, v = (sp.Function(name, real=True) for name in ("f", "g", "v"))
i = position("i")
x = sp.Symbol("x", integer=True)

Terms = Callable[[sp.Symbol], sp.Expr]


def function(term: Terms) -> sp.Lambda:
    """A term as a function of the position, for citing."""
    return sp.Lambda(x, term(x))


ZERO = sp.Lambda(x, sp.S.Zero)


def _unfold(d: Derivation, term: Terms, natural: Step) -> Step:
    return d.analysis(SUM_UNFOLD, {f: function(term), sp.Symbol("m", integer=True): u}, [natural])


def by_induction(
    d: Derivation,
    claim: Prop,
    terms: Sequence[Terms],
    shown: Step,
    step: Callable[[Step, list[Step], Step], Step],
    base: Callable[[list[Step]], Step],
    top: Step | None = None,
) -> Step:
    """Prove claim(u) about sums up to u by induction, then take u = n (`shown` proves n >= 0)."""
    empty = [d.analysis(SUM_EMPTY, {f: function(term)}) for term in terms]
    start = base(empty)
    hypothesis = d.assume(claim, "induction hypothesis")
    natural = d.assume(Rel(u, ">=", 0))
    unfolded = [_unfold(d, term, natural) for term in terms]
    inductive = step(hypothesis, unfolded, natural)
    general = d.induction(claim, u, start, hypothesis, inductive, top)
    within = [d.polynomial(n, "<=", n)] if top else []
    return d.specialise(general, u, n, [shown, *within])


def _linear(terms: Sequence[Terms], lhs: sp.Expr, rhs: sp.Expr) -> Callable[[Derivation, Sequence[Step]], Step]:
    """Derivation of an identity between sums, from their unfolded forms as atoms (no linearity assumed)."""

    def at(value: sp.Expr) -> Rel:
        return Rel(lhs.subs(n, value), "=", rhs.subs(n, value))

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        def base(empty: list[Step]) -> Step:
            goal = at(sp.S.Zero)
            return d.polynomial(goal.lhs, "=", goal.rhs, empty, linear=False)

        def step(hypothesis: Step, unfolded: list[Step], _natural: Step) -> Step:
            goal = at(u + 1)
            return d.polynomial(goal.lhs, "=", goal.rhs, [*unfolded, hypothesis], linear=False)

        return by_induction(d, at(u), terms, given[0], step, base)

    return derive


def _add() -> Claim:
    def both(j: sp.Symbol) -> sp.Expr:
        return f(j) + g(j)

    lhs, rhs = total(both, n), total(f, n) + total(g, n)
    derive = _linear([both, f, g], lhs, rhs)
    return Claim("S.add", "the sum of f + g", (), (Rel(n, ">=", 0),), Rel(lhs, "=", rhs), derive)


def _scale() -> Claim:
    def scaled(j: sp.Symbol) -> sp.Expr:
        return c * f(j)

    lhs, rhs = total(scaled, n), c * total(f, n)
    derive = _linear([scaled, f], lhs, rhs)
    return Claim("S.scale", "the sum of c f", (), (Rel(n, ">=", 0),), Rel(lhs, "=", rhs), derive)


def _constant() -> Claim:
    def constant(_: sp.Symbol) -> sp.Expr:
        return c

    lhs = total(constant, n)
    derive = _linear([constant], lhs, n * c)
    return Claim("S.constant", "the sum of a constant", (), (Rel(n, ">=", 0),), Rel(lhs, "=", n * c), derive)


def _order() -> Claim:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        natural_n, termwise = given
        top = d.assume(Rel(u + 1, "<=", n))

        def base(empty: list[Step]) -> Step:
            return d.polynomial(total(f, sp.S.Zero), "<=", total(g, sp.S.Zero), empty, linear=False)

        def step(hypothesis: Step, unfolded: list[Step], natural: Step) -> Step:
            first = d.polynomial(1, "<=", u + 1, [natural])
            term = d.at(termwise, u + 1, first, top)
            using = [hypothesis, *unfolded, term]
            return d.polynomial(total(f, u + 1), "<=", total(g, u + 1), using, linear=False)

        return by_induction(d, Rel(total(f, u), "<=", total(g, u)), [f, g], natural_n, step, base, top)

    hypotheses = (Rel(n, ">=", 0), Each(i, 1, n, Rel(f(i), "<=", g(i))))
    return Claim("S.order", "termwise <=", (), hypotheses, Rel(total(f, n), "<=", total(g, n)), derive)


def _equal() -> Claim:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        natural_n, termwise = given
        p, lower, upper = d.generic("p", 1, n)
        here = d.at(termwise, p, lower, upper)
        below = d.generalise(d.polynomial(f(p), "<=", g(p), [here]), lower, upper)
        above = d.generalise(d.polynomial(g(p), "<=", f(p), [here]), lower, upper)
        one = d.cite("S.order", {}, [natural_n, below])
        two = d.cite("S.order", {f: function(g), g: function(f)}, [natural_n, above])
        return d.polynomial(total(f, n), "=", total(g, n), [one, two])

    hypotheses = (Rel(n, ">=", 0), Each(i, 1, n, Rel(f(i), "=", g(i))))
    return Claim("S.equal", "termwise =", (), hypotheses, Rel(total(f, n), "=", total(g, n)), derive)


def _term() -> Claim:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        nonnegative, lower_m, upper_m = given
        natural_n = d.polynomial(n, ">=", 0, [lower_m, upper_m])
        k = position("k")
        claim = Each(k, 1, u, Rel(f(k), "<=", total(f, u)))
        top = d.assume(Rel(u + 1, "<=", n))

        def base(_empty: list[Step]) -> Step:
            return d.each_empty(Each(k, 1, 0, Rel(f(k), "<=", total(f, sp.S.Zero))))

        def step(hypothesis: Step, unfolded: list[Step], natural: Step) -> Step:
            here = d.at(nonnegative, u + 1, d.polynomial(1, "<=", u + 1, [natural]), top)
            p, lower, upper = d.generic("p", 1, u)
            old = d.at(hypothesis, p, lower, upper)
            longer = d.polynomial(f(p), "<=", total(f, u + 1), [old, unfolded[0], here])
            each = d.generalise(longer, lower, upper)
            q, lower_q, upper_q = d.generic("q", 1, u)
            within = d.polynomial(q, "<=", n, [upper_q, top])
            positive = d.generalise(d.at(nonnegative, q, lower_q, within), lower_q, upper_q)
            sum_positive = d.cite("S.order", {f: ZERO, g: function(f), n: u}, [natural, positive])
            last = d.polynomial(f(u + 1), "<=", total(f, u + 1), [sum_positive, unfolded[0]])
            return d.each_extend(each, last)

        everywhere = by_induction(d, claim, [f], natural_n, step, base, top)
        return d.at(everywhere, m, lower_m, upper_m)

    hypotheses = (Each(i, 1, n, Rel(0, "<=", f(i))), Rel(1, "<=", m), Rel(m, "<=", n))
    return Claim("S.term", "one term of a nonnegative sum", (), hypotheses, Rel(f(m), "<=", total(f, n)), derive)


def _strict() -> Claim:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        termwise, lower_m, upper_m, strict = given
        p, lower, upper = d.generic("p", 1, n)
        here = d.at(termwise, p, lower, upper)
        gap = d.generalise(d.polynomial(0, "<=", g(p) - f(p), [here]), lower, upper)
        one = d.cite("S.term", {f: function(lambda j: g(j) - f(j))}, [gap, lower_m, upper_m])
        return d.polynomial(total(f, n), "<", total(g, n), [one, strict])

    hypotheses = (
        Each(i, 1, n, Rel(f(i), "<=", g(i))),
        Rel(1, "<=", m),
        Rel(m, "<=", n),
        Rel(f(m), "<", g(m)),
    )
    return Claim("S.strict", "termwise <=, once <", (), hypotheses, Rel(total(f, n), "<", total(g, n)), derive)


def _triangle() -> Claim:
    def absolute(j: sp.Symbol) -> sp.Expr:
        return sp.Abs(f(j))

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        (natural_n,) = given
        sides = []
        for sign, fact in ((1, ABS_ABOVE), (-1, ABS_BELOW)):
            p, lower, upper = d.generic("p", 1, n)
            X = sp.Symbol("x", real=True)
            here = d.generalise(d.analysis(fact, {X: f(p)}), lower, upper)
            signed = sp.Lambda(x, sign * f(x))
            termwise = d.cite("S.order", {f: signed, g: function(absolute)}, [natural_n, here])
            sides.append(d.polynomial(sign * total(f, n), "<=", total(absolute, n), [termwise]))
        X, Y = sp.symbols("x y", real=True)
        return d.analysis(ABS_BOUND, {X: total(f, n), Y: total(absolute, n)}, sides)

    conclusion = Rel(sp.Abs(total(f, n)), "<=", total(absolute, n))
    return Claim("S.triangle", "triangle inequality", (), (Rel(n, ">=", 0),), conclusion, derive)


def _weighted() -> Claim:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        natural_n, nonnegative, above = given
        p, lower, upper = d.generic("p", 1, n)
        here = [d.at(nonnegative, p, lower, upper), d.at(above, p, lower, upper)]
        termwise = d.generalise(d.polynomial(lo * f(p), "<=", f(p) * v(p), here), lower, upper)
        scaled, product = function(lambda j: lo * f(j)), function(lambda j: f(j) * v(j))
        summed = d.cite("S.order", {f: scaled, g: product}, [natural_n, termwise])
        return d.polynomial(lo * total(f, n), "<=", total(lambda j: f(j) * v(j), n), [summed])

    hypotheses = (Rel(n, ">=", 0), Each(i, 1, n, Rel(0, "<=", f(i))), Each(i, 1, n, Rel(lo, "<=", v(i))))
    conclusion = Rel(lo * total(f, n), "<=", total(lambda j: f(j) * v(j), n))
    return Claim("S.weighted", "a weighted sum of values that are at least lo", (), hypotheses, conclusion, derive)


def _tanh_below() -> Claim:
    """tanh x <= x for x >= 0: the difference has derivative tanh^2."""
    X = sp.Symbol("x", real=True)
    t = sp.Symbol("t", real=True)

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        (shown,) = given
        domain = d.assume(Rel(t, ">=", 0))
        slope = d.polynomial(sp.diff(t - sp.tanh(t), t), ">=", 0, [], "a square")
        difference = sp.Lambda(t, t - sp.tanh(t))
        start = d.polynomial(0, ">=", 0)
        order = d.polynomial(0, "<=", X, [shown])
        grown = d.monotone(difference, slope, domain, sp.S.Zero, X, start, order)
        return d.polynomial(sp.tanh(X), "<=", X, [grown])

    return Claim("S.tanh", "tanh x <= x", (), (Rel(X, ">=", 0),), Rel(sp.tanh(X), "<=", X), derive)


CLAIMS = (
    _add(),
    _scale(),
    _constant(),
    _order(),
    _equal(),
    _term(),
    _strict(),
    _triangle(),
    _weighted(),
    _tanh_below(),
)
