"""Finite sums along the positions: splitting, reversal, geometric and telescoping sums, consecutive integers.

Main statements, for real functions f of the position, x real and n, a, b >= 0
    S.one          sum over 1..1 of f = f(1)
    S.split        sum over 1..a+b of f(j) = sum over 1..a of f(j) + sum over 1..b of f(a+j)
    S.reverse      sum over 1..n of f(j) = sum over 1..n of f(n+1-j)
    S.geometric    (exp x - 1) * sum over 1..n of exp(x j) = exp x * (exp(x n) - 1)
    S.telescope    f(i+1) - f(i) >= c for i = 1..n implies f(n+1) - f(1) >= c n

Proofs: induction on the length of the sum.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from .derivation import Derivation
from .facts import SUM_EMPTY, SUM_UNFOLD
from .props import Each, Rel, position, total
from .sequent import Step
from .statement import Claim
from .sums import by_induction, c, f, function, m, n, u

a, b = sp.symbols("a b", integer=True)
rate = sp.Symbol("x", real=True)
i = position("i")
NATURAL = Rel(n, ">=", 0)


def _one(d: Derivation, given: Sequence[Step]) -> Step:
    del given
    empty = d.analysis(SUM_EMPTY, {})
    unfolded = d.analysis(SUM_UNFOLD, {m: sp.S.Zero}, [d.polynomial(0, ">=", 0)])
    return d.polynomial(total(f, sp.S.One), "=", f(1), [empty, unfolded], linear=False)


def _split(d: Derivation, given: Sequence[Step]) -> Step:
    a_natural, b_natural = given
    shifted = function(lambda j: f(a + j))

    def at(length: sp.Expr) -> Rel:
        return Rel(total(f, a + length), "=", total(f, a) + total(lambda j: f(a + j), length))

    empty = d.analysis(SUM_EMPTY, {f: shifted})
    goal = at(sp.S.Zero)
    base = d.polynomial(goal.lhs, "=", goal.rhs, [empty], linear=False)
    hypothesis = d.assume(at(u), "induction hypothesis")
    natural = d.assume(Rel(u, ">=", 0))
    long = d.polynomial(a + u, ">=", 0, [a_natural, natural])
    unfolded = [
        d.analysis(SUM_UNFOLD, {m: a + u}, [long]),
        d.analysis(SUM_UNFOLD, {f: shifted, m: u}, [natural]),
    ]
    goal = at(u + 1)
    step = d.polynomial(goal.lhs, "=", goal.rhs, [hypothesis, *unfolded], linear=False)
    general = d.induction(at(u), u, base, hypothesis, step)
    return d.specialise(general, u, b, [b_natural])


def _reverse(d: Derivation, given: Sequence[Step]) -> Step:
    (natural_n,) = given

    def at(length: sp.Expr) -> Rel:
        return Rel(total(f, length), "=", total(lambda j: f(length + 1 - j), length))

    def backward(length: sp.Expr) -> sp.Lambda:
        return function(lambda j: f(length + 1 - j))

    empty = [d.analysis(SUM_EMPTY, {}), d.analysis(SUM_EMPTY, {f: backward(sp.S.Zero)})]
    base = d.polynomial(at(sp.S.Zero).lhs, "=", at(sp.S.Zero).rhs, empty, linear=False)
    hypothesis = d.assume(at(u), "induction hypothesis")
    natural = d.assume(Rel(u, ">=", 0))
    unfolded = d.analysis(SUM_UNFOLD, {m: u}, [natural])
    one = d.polynomial(1, ">=", 0)
    first = d.cite("S.split", {f: backward(u + 1), a: sp.S.One, b: u}, [one, natural])
    single = d.cite("S.one", {f: backward(u + 1)})
    step = d.polynomial(at(u + 1).lhs, "=", at(u + 1).rhs, [hypothesis, unfolded, first, single], linear=False)
    general = d.induction(at(u), u, base, hypothesis, step)
    return d.specialise(general, u, n, [natural_n])


def power(j: sp.Expr) -> sp.Expr:
    """exp(x j)."""
    return sp.exp(rate * j)


def _geometric(d: Derivation, given: Sequence[Step]) -> Step:
    (natural_n,) = given

    def at(length: sp.Expr) -> Rel:
        return Rel((sp.exp(rate) - 1) * total(power, length), "=", sp.exp(rate) * (sp.exp(rate * length) - 1))

    def base(empty: list[Step]) -> Step:
        goal = at(sp.S.Zero)
        return d.polynomial(goal.lhs, "=", goal.rhs, empty, linear=False)

    def step(hypothesis: Step, unfolded: list[Step], _natural: Step) -> Step:
        goal = at(u + 1)
        return d.polynomial(goal.lhs, "=", goal.rhs, [hypothesis, *unfolded], linear=False)

    return by_induction(d, at(u), [power], natural_n, step, base)


def _telescope(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, steps = given
    top = d.assume(Rel(u + 1, "<=", n))

    def at(length: sp.Expr) -> Rel:
        return Rel(f(length + 1) - f(1), ">=", c * length)

    base = d.polynomial(at(sp.S.Zero).lhs, ">=", at(sp.S.Zero).rhs)
    hypothesis = d.assume(at(u), "induction hypothesis")
    natural = d.assume(Rel(u, ">=", 0))
    here = d.at(steps, u + 1, d.polynomial(1, "<=", u + 1, [natural]), top)
    step = d.polynomial(at(u + 1).lhs, ">=", at(u + 1).rhs, [hypothesis, here])
    general = d.induction(at(u), u, base, hypothesis, step, top)
    return d.specialise(general, u, n, [natural_n, d.polynomial(n, "<=", n)])


CLAIMS = (
    Claim("S.one", "a sum of one term", (), (), Rel(total(f, sp.S.One), "=", f(1)), _one),
    Claim(
        "S.split",
        "a sum in two parts",
        (),
        (Rel(a, ">=", 0), Rel(b, ">=", 0)),
        Rel(total(f, a + b), "=", total(f, a) + total(lambda j: f(a + j), b)),
        _split,
    ),
    Claim(
        "S.reverse",
        "a sum in reverse order",
        (),
        (NATURAL,),
        Rel(total(f, n), "=", total(lambda j: f(n + 1 - j), n)),
        _reverse,
    ),
    Claim(
        "S.geometric",
        "the geometric sum",
        (),
        (NATURAL,),
        Rel((sp.exp(rate) - 1) * total(power, n), "=", sp.exp(rate) * (sp.exp(rate * n) - 1)),
        _geometric,
    ),
    Claim(
        "S.telescope",
        "steps of at least c add up",
        (),
        (NATURAL, Each(i, 1, n, Rel(f(i + 1) - f(i), ">=", c))),
        Rel(f(n + 1) - f(1), ">=", c * n),
        _telescope,
    ),
)
