"""D3, since and until: one head of B6 finds the position whose value is the truth value (see d3_semantics.py).

phi, psi and t (truth values) as there, chi(i) = not phi or psi. The visible positions are listed as 1..n; the query is
the last one for since (future mask), the first one for until (past mask).

Main statements, with q = exp(-c/tau); m is the rightmost (leftmost) position with chi(m) = 1
    D3.rightmost, D3.leftmost     scores c(A chi(j) + j), resp. c(A chi(j) - j), A >= n: TV < q
    D3.rightmost-none, D3.leftmost-none   the same where chi holds nowhere
    D3.since-head, D3.until-head  values psi: the output is within q of the truth value at the query
    D3.since-head-none, D3.until-head-none   exactly the truth value where chi holds nowhere: psi holds nowhere either

P psi is true S psi, F psi is true U psi; H and G are their duals (D3.dual). That the hard choice is m is derived.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a4_one_symbol import output
from ..a_softmax_gap.a5_sets import SET, chi
from ..a_softmax_gap.row import ROW, h, i, n, p, s, sum_of, tv
from ..b_positional.b6_predicate import (
    AFTER_FALSE,
    BEFORE_FALSE,
    LARGE,
    LEFT_SCORES,
    NONE,
    RIGHT_SCORES,
    TRUE,
    C,
    Q,
)
from ..b_positional.line import BASE, m
from ..derivation import Derivation
from ..props import Rel, substitute
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import v
from .d1_cleanup import bit_cases
from .d3_semantics import BEYOND, LOGIC, ONE_N, QUERY, SEMANTICS, SINCE, UNTIL, phi, psi, t, truth_here
from .head import HEAD, limit


def _rightmost_sides(d: Derivation, steps: Sequence[Step], false: Step, facts: Sequence[Step]) -> list[Step]:
    """s(i) <= s(m) up to m and after m; chi is false after m."""
    scores, choice, one_m, m_n = steps
    index, low, high = d.generic("i", sp.S.One, m)
    upper = d.polynomial(index, "<=", n, [high, m_n])
    here = [d.at(scores, index, low, upper), low, high, one_m, m_n, *facts]
    before = bit_cases(
        d, d.at(choice, index, low, upper), chi(index), lambda value: d.polynomial(s(index), "<=", s(m), [value, *here])
    )
    first = d.generalise(before, low, high)
    index, low, high = d.generic("r", sp.S.One, n - m)
    ends = [d.polynomial(1, "<=", m + index, [low, one_m]), d.polynomial(m + index, "<=", n, [high])]
    after = [d.at(scores, m + index, *ends), d.at(false, index, low, high), low, high, one_m, *facts]
    return [first, d.generalise(d.polynomial(s(m + index), "<=", s(m), after), low, high)]


def _leftmost_sides(d: Derivation, steps: Sequence[Step], false: Step, facts: Sequence[Step]) -> list[Step]:
    """s(i) <= s(m) up to m and after m; chi is false before m."""
    scores, choice, one_m, m_n = steps
    index, low, high = d.generic("i", sp.S.One, m - 1)
    upper = d.polynomial(index, "<=", n, [high, m_n])
    before = [d.at(scores, index, low, upper), d.at(false, index, low, high), low, m_n, *facts]
    short = d.generalise(d.polynomial(s(index), "<=", s(m), before), low, high)
    first = d.each_extend(short, d.polynomial(s(m), "<=", s(m)))
    index, low, high = d.generic("r", sp.S.One, n - m)
    ends = [d.polynomial(1, "<=", m + index, [low, one_m]), d.polynomial(m + index, "<=", n, [high])]
    here = [d.at(scores, m + index, *ends), low, high, one_m, *facts]
    after = bit_cases(
        d, d.at(choice, m + index, *ends), chi(m + index),
        lambda value: d.polynomial(s(m + index), "<=", s(m), [value, *here]),
    )  # fmt: skip
    return [first, d.generalise(after, low, high)]


def _chosen(d: Derivation, given: Sequence[Step], right: bool) -> Step:
    """mu(m) = 1 for the rightmost (leftmost) true position."""
    *base, one_m, m_n, choice, c_positive, large, true, false, scores = given
    facts = [d.at(scores, m, one_m, m_n), true, c_positive, large]
    sides = (_rightmost_sides if right else _leftmost_sides)(d, [scores, choice, one_m, m_n], false, facts)
    return d.cite("D.sides", {}, [*base[: len(ROW) + 1], one_m, m_n, *sides])


def _chosen_none(d: Derivation, given: Sequence[Step], right: bool) -> tuple[Step, list[Step]]:
    """mu = 1 at the last (first) position where chi holds nowhere, and that this position is visible."""
    *base, c_positive, false, scores = given
    place = n if right else sp.S.One
    one_n = d.polynomial(1, "<=", n, [base[0], base[1]])
    ends = [one_n, d.polynomial(n, "<=", n)] if right else [d.polynomial(1, "<=", 1), one_n]
    there = [d.at(scores, place, *ends), d.at(false, place, *ends)]
    index, low, high = d.generic("i", sp.S.One, n)
    here = [d.at(scores, index, low, high), d.at(false, index, low, high), low, high]
    greatest = d.generalise(d.polynomial(s(index), "<=", s(place), [*here, *there, c_positive]), low, high)
    return d.cite("D.maximal", {m: place}, [*base[: len(ROW) + 1], *ends, greatest]), ends


def _distance(right: bool) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, one_m, m_n, choice, c_positive, large, true, false, scores = given
        chosen = _chosen(d, given, right)
        premises = [*base, one_m, m_n, choice, chosen, c_positive, large, true, false, scores]
        bound = d.cite("B6.rightmost" if right else "B6.leftmost", {}, premises)
        return _below(d, base, c_positive, bound)

    return derive


def _below(d: Derivation, base: Sequence[Step], c_positive: Step, bound: Step) -> Step:
    """TV < q, from the bound of B6."""
    one_n = d.polynomial(1, "<=", n, [base[0], base[1]])
    limit_q = d.cite("B6.below", {}, [one_n, base[2], c_positive])
    return d.transitive(tv(p, h), "<", Q, [bound, limit_q])


def _distance_none(right: bool) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, c_positive, false, scores = given
        chosen, ends = _chosen_none(d, given, right)
        place = n if right else sp.S.One
        where, low, high = d.generic("p", sp.S.One, n)
        here = d.at(false, where, low, high)
        choice = d.generalise(d.identity(chi(where) * (1 - chi(where)), 0, [here]), low, high)
        premises = [*base, *ends, choice, chosen, d.identity(place, place), c_positive, false, scores]
        bound = d.cite("B6.rightmost-none" if right else "B6.leftmost-none", {m: place}, premises)
        return _below(d, base, c_positive, bound)

    return derive


def _bits(d: Derivation, steps: Sequence[Step]) -> tuple[Step, list[Step]]:
    """chi is 0 or 1; 0 <= psi <= 1."""
    bit_phi, bit_psi, choice = steps
    where, low, high = d.generic("p", sp.S.One, n)
    here_phi, here_psi, here = [d.at(step, where, low, high) for step in (bit_phi, bit_psi, choice)]

    def product(value_phi: Step) -> Step:
        def both(value_psi: Step) -> Step:
            return d.identity(chi(where) * (1 - chi(where)), 0, [here, value_phi, value_psi])

        return bit_cases(d, here_psi, psi(where), both)

    boolean = d.generalise(bit_cases(d, here_phi, phi(where), product), low, high)
    ranges = []
    for least, most in ((sp.S.Zero, psi(i)), (psi(i), sp.S.One)):
        where, low, high = d.generic("p", sp.S.One, n)
        goal = Rel(substitute(least, {i: where}), "<=", substitute(most, {i: where}))
        bit = d.at(bit_psi, where, low, high)

        def between(value: Step, goal: Rel = goal) -> Step:
            return d.polynomial(goal.lhs, "<=", goal.rhs, [value])

        ranges.append(d.generalise(bit_cases(d, bit, psi(where), between), low, high))
    return boolean, ranges


def _head(step: int) -> Callable[[Derivation, Sequence[Step]], Step]:
    right = step < 0

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, one_m, m_n, bit_phi, bit_psi, is_chi, equation, c_positive, large, true, false, scores = given
        choice, ranges = _bits(d, [bit_phi, bit_psi, is_chi])
        premises = [*base, one_m, m_n, choice, c_positive, large, true, false, scores]
        small = d.cite("D3.rightmost" if right else "D3.leftmost", {}, premises)
        chosen = _chosen(d, premises, right)
        near = d.cite("D.near", {v: psi, limit: Q}, [*base, one_m, m_n, chosen, *ranges, small])
        steps = [bit_phi, bit_psi, is_chi, equation, one_m, m_n, true, false]
        truth = d.cite("D3.since" if right else "D3.until", {}, steps)
        return d.substitute(near, [truth], Rel(_off(step), "<", Q))

    return derive


def _head_none(step: int) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        one_n, bit_phi, bit_psi, is_chi, equation, false, beyond = given
        truth = d.cite("D3.since-none" if step < 0 else "D3.until-none", {}, given)
        steps = [bit_phi, bit_psi, is_chi, equation]
        where, low, high = d.generic("p", sp.S.One, n)
        nothing = d.at(false, where, low, high)
        value = truth_here(d, where, [low, high], steps, nothing, Rel(p(where) * psi(where), "=", 0))
        del beyond
        each = d.generalise(value, low, high)
        summed = sum_of(d, "S.equal", each, d.polynomial(n, ">=", 0, [one_n]))
        return d.identity(output(p, psi), t(QUERY[step]), [summed, truth])

    return derive


def _off(step: int) -> sp.Expr:
    return sp.Abs(output(p, psi) - t(QUERY[step]))


CLAIMS = (
    *SEMANTICS,
    Claim("D3.rightmost", "the rightmost true position, nothing assumed of the hard choice", (*HEAD, SET),
          (C, LARGE, TRUE, AFTER_FALSE, RIGHT_SCORES), Rel(tv(p, h), "<", Q), _distance(True)),
    Claim("D3.rightmost-none", "no true position", BASE, (C, NONE, RIGHT_SCORES), Rel(tv(p, h), "<", Q),
          _distance_none(True)),
    Claim("D3.leftmost", "the leftmost true position, nothing assumed of the hard choice", (*HEAD, SET),
          (C, LARGE, TRUE, BEFORE_FALSE, LEFT_SCORES), Rel(tv(p, h), "<", Q), _distance(False)),
    Claim("D3.leftmost-none", "no true position", BASE, (C, NONE, LEFT_SCORES), Rel(tv(p, h), "<", Q),
          _distance_none(False)),
    Claim("D3.since-head", "one head outputs the truth value of since up to q", (*HEAD, *LOGIC, SINCE),
          (C, LARGE, TRUE, AFTER_FALSE, RIGHT_SCORES), Rel(_off(-1), "<", Q), _head(-1)),
    Claim("D3.since-head-none", "and exactly where chi holds nowhere, with any weights", (ONE_N, *LOGIC, SINCE),
          (NONE, BEYOND[-1]), Rel(output(p, psi), "=", t(n)), _head_none(-1)),
    Claim("D3.until-head", "one head outputs the truth value of until up to q", (*HEAD, *LOGIC, UNTIL),
          (C, LARGE, TRUE, BEFORE_FALSE, LEFT_SCORES), Rel(_off(1), "<", Q), _head(1)),
    Claim("D3.until-head-none", "and exactly where chi holds nowhere, with any weights", (ONE_N, *LOGIC, UNTIL),
          (NONE, BEYOND[1]), Rel(output(p, psi), "=", t(1)), _head_none(1)),
)  # fmt: skip

STATEMENT = Statement(
    id="D3",
    title="Since and until",
    section="D",
    kernel=False,
    summary="phi S psi is psi at the rightmost j <= i with chi = not phi or psi: one head of B6, TV < exp(-c/tau).",
    quantity="tv",
    direction="<",
    claims=CLAIMS,
    main="D3.rightmost",
    sharpness="TV tends to q as n -> infinity (B1.tight), and A >= n is necessary for a gap of c",
    used_for="S, U and with them P, H, F, G: star-free languages",
)
