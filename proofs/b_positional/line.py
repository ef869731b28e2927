"""A tieless row on a line of positions: the error as a function of S, and sums of powers of q over distances.

Notation: m is the maximal position, s(m) = top, mu(i) selects it; S = sum over all positions of exp(-(top - s)/tau),
so that S = 1 + Z'; q = exp(-gamma/tau). Powers of q are written exp(-gamma d/tau).

Main statements
    B.tieless   TV = 1 - 1/S
    B.at-most   S <= G implies TV <= 1 - 1/G; B.equal: equality; B.below: strictly
    B.up        sum over d = 1..n of exp(x d) for x > 0;  B.down: for x < 0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a1_exact import STRICTLY_BELOW
from ..a_softmax_gap.row import (
    HARD,
    ROW,
    Z_PRIME,
    At,
    decay,
    either,
    everywhere,
    gamma,
    h,
    k,
    mu,
    n,
    natural,
    p,
    s,
    sum_of,
    tau,
    top,
    tv,
)
from ..derivation import Derivation
from ..facts import EXP_STRICTLY_INCREASING
from ..props import Each, Rel, substitute, total
from ..sequent import Step
from ..series import power, rate
from ..statement import Claim
from ..sums import f, g
from ..sums import n as sum_n

m = sp.Symbol("m", integer=True)
big, small_s = sp.symbols("G S", real=True)
TIELESS = Rel(k, "=", 1)
BASE = (*ROW, STRICTLY_BELOW, HARD, TIELESS)
S = total(decay, n)
Q = sp.exp(-gamma / tau)


def q_to(exponent: sp.Expr) -> sp.Expr:
    """q to the power `exponent`."""
    return sp.exp(-gamma * exponent / tau)


def over(d: Derivation, upper: sp.Expr, build: Callable[[sp.Symbol, At], Step], name: str = "i") -> Step:
    """As everywhere, for the positions 1..upper; build gets i and a way to instantiate steps over the same range."""
    where, low, high = d.generic(name, sp.S.One, upper)
    return d.generalise(build(where, lambda each: d.at(each, where, low, high)), low, high)


def ordered_sum(d: Derivation, rule: str, termwise: Step, length: sp.Expr, shown: Step) -> Step:
    """S.order or S.equal over 1..length; `shown` is length >= 0."""
    each = termwise.prop
    assert isinstance(each, Each)
    x = sp.Symbol("x", integer=True)
    sides = [sp.Lambda(x, substitute(side, {each.var: x})) for side in (each.rel.lhs, each.rel.rhs)]
    if each.rel.op == ">=":
        sides.reverse()
    return d.cite(rule, {f: sides[0], g: sides[1], sum_n: length}, [shown, termwise])


def _all_but_one(d: Derivation, row: Sequence[Step], tieless: Step) -> Step:
    """Z' = S - 1: the maximal position contributes 1 to S."""
    one_k, k_n, _tau, boolean, count, on_top = row[:6]

    def maximal(w: sp.Symbol, at: At) -> Step:
        here = at(on_top)

        def case(value: Step, is_one: bool) -> Step:
            if not is_one:
                return d.identity(mu(w) * decay(w), mu(w), [value])
            score = d.identity(s(w), top, [here, value])
            return d.substitute(d.identity(1, 1), [score, value], Rel(mu(w) * decay(w), "=", mu(w)))

        return either(d, at(boolean), case)

    summed = sum_of(d, "S.equal", everywhere(d, maximal), natural(d, [one_k, k_n]))
    return d.identity(Z_PRIME, S - 1, [summed, count, tieless])


def _tieless(d: Derivation, given: Sequence[Step]) -> Step:
    *row, tieless = given
    exact = d.cite("A1.exact", {}, row)
    bound = d.cite("A1.nonnegative", {}, row[:7])
    name = d.define(small_s, S)
    zp = sp.Symbol("zp", real=True)
    z_name = d.define(zp, Z_PRIME)
    z_is = d.substitute(_all_but_one(d, row, tieless), [name, z_name], Rel(zp, "=", small_s - 1))
    z_bound = d.substitute(bound, [z_name], Rel(zp, ">=", 0))
    in_z = d.substitute(exact, [z_name, tieless], Rel(tv(p, h), "=", zp / (1 + zp)))
    result = d.identity(tv(p, h), 1 - 1 / small_s, [in_z, z_is, z_bound])
    return d.substitute(result, [name], Rel(tv(p, h), "=", 1 - 1 / S))


def _at_least_one(d: Derivation, given: Sequence[Step]) -> Step:
    *row, tieless = given
    bound = d.cite("A1.nonnegative", {}, row[:7])
    return d.polynomial(S, ">=", 1, [_all_but_one(d, row, tieless), bound])


def _compare(op: str) -> Callable[[Derivation, Sequence[Step]], Step]:
    """TV op 1 - 1/G from S op G."""

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, order = given
        exact = d.cite("B.tieless", {}, base)
        least = d.cite("B.at-least-one", {}, base)
        name = d.define(small_s, S)
        s_order = d.substitute(order, [name], Rel(small_s, op, big))
        s_least = d.substitute(least, [name], Rel(small_s, ">=", 1))
        in_s = d.substitute(exact, [name], Rel(tv(p, h), "=", 1 - 1 / small_s))
        return d.polynomial(tv(p, h), op, 1 - 1 / big, [in_s, s_order, s_least])

    return derive


def _geometric(sign: int) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        natural_n, direction = given
        closed = d.cite("S.geometric", {}, [natural_n])
        X, Y = sp.symbols("x y", real=True)
        ends = {X: sp.S.Zero, Y: rate} if sign > 0 else {X: rate, Y: sp.S.Zero}
        order = d.polynomial(ends[X], "<", ends[Y], [direction])
        grown = d.analysis(EXP_STRICTLY_INCREASING, ends, [order])
        value = sp.exp(rate) * (sp.exp(rate * n) - 1) / (sp.exp(rate) - 1)
        return d.polynomial(total(power, n), "=", value, [closed, grown])

    return derive


GEOMETRIC = sp.exp(rate) * (sp.exp(rate * n) - 1) / (sp.exp(rate) - 1)
CLAIMS = (
    Claim("B.at-least-one", "S is at least 1", BASE, (), Rel(S, ">=", 1), _at_least_one),
    Claim("B.tieless", "the error of a tieless row", BASE, (), Rel(tv(p, h), "=", 1 - 1 / S), _tieless),
    Claim("B.at-most", "from a bound on S", BASE, (Rel(S, "<=", big),), Rel(tv(p, h), "<=", 1 - 1 / big),
          _compare("<=")),
    Claim("B.equal", "from the value of S", BASE, (Rel(S, "=", big),), Rel(tv(p, h), "=", 1 - 1 / big), _compare("=")),
    Claim("B.below", "from a strict bound on S", BASE, (Rel(S, "<", big),), Rel(tv(p, h), "<", 1 - 1 / big),
          _compare("<")),
    Claim("B.up", "growing powers", (), (Rel(n, ">=", 0), Rel(rate, ">", 0)), Rel(total(power, n), "=", GEOMETRIC),
          _geometric(1)),
    Claim("B.down", "falling powers", (), (Rel(n, ">=", 0), Rel(rate, "<", 0)), Rel(total(power, n), "=", GEOMETRIC),
          _geometric(-1)),
)  # fmt: skip
