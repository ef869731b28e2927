"""Lemmas on one tieless head: the position of greatest score is the maximal one, and its value is what comes out.

Notation of section B: positions 1..n are the visible ones in their order, m is one of them, v(i) the values.

Main statements
    D.maximal  no score exceeds that of m: mu(m) = 1
    D.sides    the same, the positions up to m and those after m apart
    D.output   values in lo..hi, mu(m) = 1: |sum p v - v(m)| <= TV (hi - lo)
    D.near     the same for values in 0..1 and TV < q: |sum p v - v(m)| < q
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a1_exact import STRICTLY_BELOW
from ..a_softmax_gap.a4_one_symbol import VALUES, hi, lo, output
from ..a_softmax_gap.a7_values import a
from ..a_softmax_gap.row import ROW, At, either, everywhere, h, i, mu, n, natural, p, s, sum_of, top, tv
from ..b_positional.b1_linear import WITHIN
from ..b_positional.b6_predicate import CHOSEN
from ..b_positional.line import BASE, m
from ..derivation import Derivation
from ..props import Each, Rel, instantiate, total
from ..sequent import Step
from ..series import a as size_a
from ..series import b as size_b
from ..statement import Claim
from ..sums import ZERO, f, function, g, v
from ..sums import m as sum_m
from ..sums import n as sum_n

GREATEST = Each(i, 1, n, Rel(s(i), "<=", s(m)))
SIDES = (Each(i, 1, m, Rel(s(i), "<=", s(m))), Each(i, 1, n - m, Rel(s(m + i), "<=", s(m))))
OUTPUT = sp.Abs(output(p, v) - v(m))
BITS_RANGE = tuple(instantiate(prop, {lo: sp.S.Zero, hi: sp.S.One}) for prop in VALUES)
HEAD = (*BASE, *WITHIN)
limit = sp.Symbol("q", real=True)


def _maximal(d: Derivation, given: Sequence[Step]) -> Step:
    *row, below, one_m, m_n, greatest = given
    one_k, k_n, _tau, boolean, count, on_top, _soft = row

    def term(w: sp.Symbol, at: At) -> Step:
        goal = Rel(mu(w) * top, "<=", mu(w) * s(m))
        using = [at(on_top), at(greatest)]
        return either(d, at(boolean), lambda value, _: d.polynomial(goal.lhs, "<=", goal.rhs, [*using, value]))

    # the scores of the k maximal positions are top, and none exceeds s(m): k top <= k s(m)
    summed = sum_of(d, "S.order", everywhere(d, term), natural(d, [one_k, k_n]))
    reached = d.polynomial(top, "<=", s(m), [summed, count, one_k])
    return _selected(d, boolean, below, reached, [one_m, m_n])


def _sides(d: Derivation, given: Sequence[Step]) -> Step:
    *row, below, one_m, m_n, before, after = given
    one_k, _k_n, _tau, boolean, count, on_top, _soft = row

    def term(place: sp.Expr, order: Step, ends: Sequence[Step]) -> Step:
        using = [order, d.at(on_top, place, *ends)]
        goal = mu(place) * (s(m) - top)
        return either(d, d.at(boolean, place, *ends), lambda value, _: d.polynomial(0, "<=", goal, [*using, value]))

    index, low, high = d.generic("i", sp.S.One, m)
    first = term(index, d.at(before, index, low, high), [low, d.polynomial(index, "<=", n, [high, m_n])])
    first_each = d.generalise(first, low, high)
    index, low, high = d.generic("r", sp.S.One, n - m)
    ends = [d.polynomial(1, "<=", m + index, [low, one_m]), d.polynomial(m + index, "<=", n, [high])]
    second_each = d.generalise(term(m + index, d.at(after, index, low, high), ends), low, high)
    shares = [function(lambda j: mu(j) * (s(m) - top)), function(lambda j: mu(m + j) * (s(m) - top))]
    sizes = [d.polynomial(m, ">=", 0, [one_m]), d.polynomial(n - m, ">=", 0, [m_n])]
    sums = [
        d.cite("S.order", {f: ZERO, g: share, sum_n: size.rel.lhs}, [size, each])
        for share, size, each in zip(shares, sizes, (first_each, second_each), strict=True)
    ]
    split = d.cite("S.split", {f: shares[0], size_a: m, size_b: n - m}, sizes)
    # the scores of the k maximal positions are top, and none exceeds s(m): k top <= k s(m)
    reached = d.polynomial(top, "<=", s(m), [*sums, split, count, one_k])
    return _selected(d, boolean, below, reached, [one_m, m_n])


def _selected(d: Derivation, boolean: Step, below: Step, reached: Step, ends: Sequence[Step]) -> Step:
    """mu(m) = 1 from top <= s(m): all positions that are not maximal have less."""
    strictly = d.at(below, m, *ends)
    positive = d.polynomial(mu(m), ">", 0, [reached, strictly])
    return d.polynomial(mu(m), "=", 1, [d.at(boolean, m, *ends), positive])


def _share(bound: sp.Expr, sign: int) -> Callable[[sp.Symbol], sp.Expr]:
    """The distance of the value at j from an end of the range, where j is maximal."""
    return lambda j: sign * mu(j) * (bound - v(j))


def _output(d: Derivation, given: Sequence[Step]) -> Step:
    *base, one_m, m_n, chosen, above, below = given
    one_k, k_n, tau_positive, boolean, count, _on_top, soft, _strictly, hard, tieless = base
    n_natural = natural(d, [one_k, k_n])
    one_n = d.polynomial(1, "<=", n, [one_k, k_n])
    sum_p = d.cite("A1.normalised", {}, [one_n, tau_positive, soft])

    def weight(w: sp.Symbol, at: At) -> Step:
        return d.identity(h(w), mu(w), [at(hard), tieless])

    hard_is = everywhere(d, weight)
    hard_sum = sum_of(d, "S.equal", hard_is, n_natural)
    sum_h = d.identity(total(h, n), 1, [hard_sum, count, tieless])
    moved = d.cite("A7.bound", {a: h}, [n_natural, sum_p, sum_h, above, below])

    def product(w: sp.Symbol, at: At) -> Step:
        return d.identity(h(w) * v(w), mu(w) * v(w), [at(hard_is)])

    hard_output = sum_of(d, "S.equal", everywhere(d, product), n_natural)
    # mu (hi - v) >= 0 and mu (v - lo) >= 0: the term of m bounds the sum, from both sides
    ends = []
    for bound, sign in ((hi, 1), (lo, -1)):
        share = function(_share(bound, sign))

        def term(w: sp.Symbol, at: At, bound: sp.Expr = bound, sign: int = sign) -> Step:
            using = [at(above), at(below)]
            goal = _share(bound, sign)(w)
            return either(d, at(boolean), lambda value, _: d.polynomial(0, "<=", goal, [*using, value]))

        ends.append(d.cite("S.term", {f: share, sum_m: m}, [everywhere(d, term), one_m, m_n]))
    picked = d.polynomial(output(h, v), "=", v(m), [hard_output, *ends, count, tieless, chosen])
    return d.substitute(moved, [picked], Rel(OUTPUT, "<=", moved.rel.rhs))


def _near(d: Derivation, given: Sequence[Step]) -> Step:
    *rest, small = given
    bound = d.cite("D.output", {lo: sp.S.Zero, hi: sp.S.One}, rest)
    return d.polynomial(OUTPUT, "<", limit, [bound, small])


CLAIMS = (
    Claim("D.maximal", "a position whose score none exceeds is maximal", (*ROW, STRICTLY_BELOW, *WITHIN), (GREATEST,),
          Rel(mu(m), "=", 1), _maximal),
    Claim("D.sides", "the same, with the positions before and after it apart", (*ROW, STRICTLY_BELOW, *WITHIN), SIDES,
          Rel(mu(m), "=", 1), _sides),
    Claim("D.output", "the output of a tieless head is near the value of its maximal position", (*HEAD, CHOSEN), VALUES,
          Rel(OUTPUT, "<=", tv(p, h) * (hi - lo)), _output),
    Claim("D.near", "values in 0..1", (*HEAD, CHOSEN), (*BITS_RANGE, Rel(tv(p, h), "<", limit)),
          Rel(OUTPUT, "<", limit), _near),
)  # fmt: skip
