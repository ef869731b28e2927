"""D5, numerical predicates: a table in the positional embedding, read at a count; the parity of a count.

A unary predicate theta(i) at the query's own position is a coordinate of the embedding, so nothing has to be shown. At
a count C it is read by the lookup head of D4, whose values are then the table v(1), v(2), ..., v(C+1) belonging to C.

Main statements, with q = exp(-c/tau) and B = 2q/(1+2q-q**3)
    D5.lookup      the lookup head of D4: TV < B
    D5.table       values in 0..1: the output is within B of the table's entry at C
    D5.increasing  B increases with q
    D5.parity      the table v(0) = 0, v(j) = 1 - v(j-1) is the parity of j
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import exp_increasing
from ..a_softmax_gap.row import REAL_X, ROW, h, i, n, p, s, tau, top, tv
from ..b_positional.b3_lookup import CLOSED, C, a, c
from ..b_positional.line import BASE, m
from ..derivation import Derivation
from ..facts import EXP_POSITIVE
from ..props import Each, Rel, instantiate
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import u, v
from .d1_cleanup import bit_cases
from .d4_counting import LOOKUP_HEAD, SCORES, count, width
from .head import BITS_RANGE, OUTPUT, limit

q, q2, b = sp.symbols("q q2 b", real=True)
r = sp.Symbol("r", integer=True)


def closed(rate: sp.Expr) -> sp.Expr:
    """2q/(1 + 2q - q**3)."""
    return 2 * rate / (1 + 2 * rate - rate**3)


def _increasing(d: Derivation, given: Sequence[Step]) -> Step:
    positive, order, below_one = given
    smaller = d.polynomial(q**3, "<=", q2**3, [positive, order])
    facts = [positive, order, below_one, smaller]
    cube = d.polynomial(q2**3, "<=", q2, facts)
    return d.polynomial(closed(q), "<=", closed(q2), [*facts, cube])


def _chosen(d: Derivation, row: Sequence[Step], head: Sequence[Step]) -> tuple[Step, list[Step], Step]:
    """mu(C+1) = 1, that C + 1 is visible, and the scores in terms of C."""
    one_w, w_n, below, above, x_is, y_is, c_positive, scores = head
    ends = [d.polynomial(1, "<=", count + 1, [below]), d.polynomial(count + 1, "<=", n, [above])]
    gap = d.cite("D4.gap", {}, head)
    index, low, high = d.generic("i", sp.S.One, n)
    # c (i-1-C)**2 >= 0
    order = d.polynomial(s(index), "<=", s(count + 1), [d.at(gap, index, low, high), c_positive])
    chosen = d.cite("D.maximal", {m: count + 1}, [*row, *ends, d.generalise(order, low, high)])
    there = d.at(scores, count + 1, *ends)
    index, low, high = d.generic("i", sp.S.One, n)
    here = d.at(scores, index, low, high)
    del w_n
    exact = d.identity(s(count + 1) - s(index), c * n / width * (index - count - 1) ** 2,
                       [here, there, x_is, y_is, one_w])  # fmt: skip
    return chosen, ends, d.generalise(exact, low, high)


def _lookup(d: Derivation, given: Sequence[Step]) -> Step:
    base, head = given[: len(BASE)], given[len(BASE) :]
    one_w, w_n, *_, c_positive, _scores = head
    tau_positive, on_top = base[2], base[5]
    chosen, ends, exact = _chosen(d, base[: len(ROW) + 1], head)
    maximal = d.at(on_top, count + 1, *ends)
    top_is = d.identity(top, s(count + 1), [maximal, chosen])
    index, low, high = d.generic("i", sp.S.One, n)
    apart = d.at(exact, index, low, high)
    here = d.identity(top - s(index), apart.rel.rhs, [top_is, apart, one_w])
    steeper = d.polynomial(c * n / width, ">", 0, [c_positive, one_w, w_n])
    bound = d.cite("B3.closed", {a: count + 1, c: c * n / width},
                   [*base, *ends, steeper, d.generalise(here, low, high)])  # fmt: skip
    # n/w >= 1, so exp(-c n/(w tau)) <= exp(-c/tau) < 1
    order = d.polynomial(-c * n / width / tau, "<=", -c / tau, [c_positive, one_w, w_n, tau_positive])
    small = exp_increasing(d, d.polynomial(-c / tau, "<", 0, [c_positive, tau_positive]), strict=True)
    rates = {q: sp.exp(-c * n / width / tau), q2: sp.exp(-c / tau)}
    positive = d.analysis(EXP_POSITIVE, {REAL_X: -c * n / width / tau})
    below_one = d.polynomial(rates[q2], "<", 1, [small])
    grown = d.cite("D5.increasing", rates, [positive, exp_increasing(d, order), below_one])
    return d.transitive(tv(p, h), "<", CLOSED, [bound, grown])


def _table(d: Derivation, given: Sequence[Step]) -> Step:
    *lookup, above, below = given
    base, head = lookup[: len(BASE)], lookup[len(BASE) :]
    small = d.cite("D5.lookup", {}, lookup)
    chosen, ends, _exact = _chosen(d, base[: len(ROW) + 1], head)
    return d.cite("D.near", {m: count + 1, limit: CLOSED}, [*base, *ends, chosen, above, below, small])


def _parity(d: Derivation, given: Sequence[Step]) -> Step:
    start, alternating, bit, natural_r, is_count, in_table = given
    claim = Rel(v(2 * u), "=", 0)
    hypothesis = d.assume(claim, "induction hypothesis")
    natural = d.assume(Rel(u, ">=", 0))
    top_u = d.assume(Rel(u + 1, "<=", r))
    limit_r = d.polynomial(2 * r, "<=", n, [is_count, in_table, bit])
    steps = []
    for place in (2 * u + 1, 2 * u + 2):
        low = d.polynomial(1, "<=", place, [natural])
        high = d.polynomial(place, "<=", n, [top_u, limit_r])
        steps.append(d.at(alternating, place, low, high))
    two = d.identity(v(2 * u + 2), 0, [*steps, hypothesis])
    base = d.polynomial(v(0), "=", 0, [start])
    general = d.induction(claim, u, base, hypothesis, two, top_u)
    even = d.specialise(general, u, r, [natural_r, d.polynomial(r, "<=", r)])

    def case(value: Step) -> Step:
        if value.rel.rhs == 0:
            same = d.identity(count, 2 * r, [is_count, value])
            here = d.identity(v(2 * r), b, [even, value])
            return d.substitute(here, [same], Rel(v(count), "=", b))
        same = d.identity(count, 2 * r + 1, [is_count, value])
        low = d.polynomial(1, "<=", 2 * r + 1, [natural_r])
        high = d.polynomial(2 * r + 1, "<=", n, [is_count, value, in_table])
        odd = d.at(alternating, 2 * r + 1, low, high)
        here = d.identity(v(2 * r + 1), b, [odd, even, value])
        return d.substitute(here, [same], Rel(v(count), "=", b))

    return bit_cases(d, bit, b, case)


def _entry() -> Rel:
    rel = instantiate(Rel(OUTPUT, "<", CLOSED), {m: count + 1})
    assert isinstance(rel, Rel)
    return rel


ALTERNATING = Each(i, 1, n, Rel(v(i), "=", 1 - v(i - 1)))
CLAIMS = (
    Claim("D5.increasing", "the bound of the lookup increases with q", (), (Rel(q, ">", 0), Rel(q, "<=", q2),
          Rel(q2, "<", 1)), Rel(closed(q), "<=", closed(q2)), _increasing),
    Claim("D5.lookup", "the lookup of a count is nearly hard", (*BASE, *LOOKUP_HEAD), (C, SCORES),
          Rel(tv(p, h), "<", CLOSED), _lookup),
    Claim("D5.table", "a table of numbers in 0..1 is read at the count", (*BASE, *LOOKUP_HEAD),
          (C, SCORES, *BITS_RANGE), _entry(), _table),
    Claim("D5.parity", "the alternating table is the parity of the count", (Rel(v(0), "=", 0), ALTERNATING),
          (Rel(b * (1 - b), "=", 0), Rel(r, ">=", 0), Rel(count, "=", 2 * r + b), Rel(count, "<=", n)),
          Rel(v(count), "=", b), _parity),
)  # fmt: skip

STATEMENT = Statement(
    id="D5",
    title="Numerical predicates and parity",
    section="D",
    kernel=False,
    summary="A table in the embedding is read at a count C by the lookup of D4: TV < 2q/(1+2q-q^3), q = exp(-c/tau).",
    quantity="tv",
    direction="<",
    claims=CLAIMS,
    main="D5.lookup",
    sharpness="that of B3.closed: the first two terms of each side; w = n is the worst query",
    used_for="unary numerical predicates of positions and counts, PARITY and modular counting",
)
