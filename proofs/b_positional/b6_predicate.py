"""B6, the head that finds the rightmost (leftmost) position satisfying a predicate.

chi(j) is 1 where the predicate holds. Over the visible positions 1..n the scores are c(A chi(j) + j) for the rightmost
and c(A chi(j) - j) for the leftmost, with A >= n (2i serves every prefix of length i or i - 1; below n the gap is < c).

Main statements, with q = exp(-c/tau); m is the position of maximal score
    B6.choice           the rightmost true position m: s(m) exceeds every other score by at least c
    B6.rightmost        chi(m) = 1, no true position after m: TV <= q(1-q**(n-1))/(1-q**n)
    B6.rightmost-none   no true position: the last position is chosen, the same bound
    B6.leftmost, B6.leftmost-none   the mirror images (past masks)
    B6.below            the bound is below q for every n

Proof idea: the distances in units of c are distinct positive integers; B1.arranged and B1.mirrored match them directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a5_sets import SET, chi
from ..a_softmax_gap.row import either, gamma, h, i, mu, n, p, s, tau, top, tv
from ..derivation import Derivation
from ..props import Each, Rel, substitute
from ..sequent import Step
from ..statement import Claim, Statement
from .b1_linear import BOUND as LINEAR
from .b1_linear import N_POSITIVE, TAU, WITHIN
from .line import BASE, m

c, weight = sp.symbols("c A", real=True)
C = Rel(c, ">", 0)
Q = sp.exp(-c / tau)
BOUND = substitute(LINEAR, {gamma: c})
LARGE = Rel(weight, ">=", n)
CHOSEN = Rel(mu(m), "=", 1)
TRUE = Rel(chi(m), "=", 1)
AFTER_FALSE = Each(i, 1, n - m, Rel(chi(m + i), "=", 0))
BEFORE_FALSE = Each(i, 1, m - 1, Rel(chi(i), "=", 0))
NONE = Each(i, 1, n, Rel(chi(i), "=", 0))
RIGHT_SCORES = Each(i, 1, n, Rel(s(i), "=", c * (weight * chi(i) + i)))
LEFT_SCORES = Each(i, 1, n, Rel(s(i), "=", c * (weight * chi(i) - i)))
DEFINITIONS = (*BASE, *WITHIN, SET, CHOSEN)


def _distance(
    d: Derivation, size: sp.Expr, where: Callable[[sp.Symbol], sp.Expr], far: Callable[[sp.Symbol], sp.Expr],
    steps: Sequence[Step], false: Step | None, using: Sequence[Step], strict_top: Step,
) -> Step:  # fmt: skip
    """top - s >= far at the positions where(1), ..., where(size), by whether chi holds there (false: it does not)."""
    scores, choice, one_m, m_n = steps
    index, low, high = d.generic("i", sp.S.One, size)
    spot = where(index)
    lower, upper = (
        d.polynomial(1, "<=", spot, [low, high, one_m, m_n]),
        d.polynomial(spot, "<=", n, [low, high, one_m, m_n]),
    )
    score = d.at(scores, spot, lower, upper)
    facts = [score, strict_top, low, high, one_m, m_n, *using]
    goal = (top - s(spot), far(index))
    if false is not None:
        here = d.polynomial(*goal[:1], ">=", goal[1], [d.at(false, index, low, high), *facts])
    else:
        boolean = d.at(choice, spot, lower, upper)
        here = either(d, boolean, lambda value, _: d.polynomial(goal[0], ">=", goal[1], [value, *facts]))
    return d.generalise(here, low, high)


def _top(d: Derivation, base: Sequence[Step], one_m: Step, m_n: Step, chosen: Step, scores: Step, chi_m: Step) -> Step:
    """top as the score of m."""
    maximal = d.at(base[5], m, one_m, m_n)
    score = d.at(scores, m, one_m, m_n)
    sign = sp.S.One if scores.prop.rel.rhs.subs({c: 1, weight: 0}).coeff(scores.prop.var) > 0 else -sp.S.One  # type: ignore[union-attr]
    value = chi_m.rel.rhs
    return d.identity(top, c * (weight * value + sign * m), [maximal, score, chosen, chi_m])


def _rightmost(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, c_positive, large, true, false, scores = given
    base, (one_m, m_n, choice, chosen) = definitions[:-4], definitions[-4:]
    top_is = _top(d, base, one_m, m_n, chosen, scores, true)
    steps = [scores, choice, one_m, m_n]
    using = [c_positive, large]
    before = _distance(d, m, lambda w: w, lambda w: c * (m - w), steps, None, using, top_is)
    after = _distance(d, n - m, lambda w: m + w, lambda w: c * (n - w), steps, false, using, top_is)
    return d.cite("B1.arranged", {gamma: c}, [*base, one_m, m_n, c_positive, before, after])


def _leftmost(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, c_positive, large, true, false, scores = given
    base, (one_m, m_n, choice, chosen) = definitions[:-4], definitions[-4:]
    top_is = _top(d, base, one_m, m_n, chosen, scores, true)
    steps = [scores, choice, one_m, m_n]
    using = [c_positive, large]
    before = _distance(d, m - 1, lambda w: w, lambda w: c * (n - m + w), steps, false, using, top_is)
    after = _distance(d, n - m + 1, lambda w: m - 1 + w, lambda w: c * (w - 1), steps, None, using, top_is)
    return d.cite("B1.mirrored", {gamma: c}, [*base, one_m, m_n, c_positive, before, after])


def _none(right: bool) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *definitions, at_end, c_positive, false, scores = given
        base, (one_m, m_n, _choice, chosen) = definitions[:-4], definitions[-4:]
        chi_m = d.at(false, m, one_m, m_n)
        top_is = _top(d, base, one_m, m_n, chosen, scores, chi_m)
        index, low, high = d.generic("i", sp.S.One, n)
        score, nothing = d.at(scores, index, low, high), d.at(false, index, low, high)
        far = c * (n - index) if right else c * (index - 1)
        here = d.polynomial(top - s(index), ">=", far, [score, nothing, top_is, at_end])
        name = "B1.left" if right else "B1.right"
        return d.cite(name, {gamma: c}, [*base, c_positive, d.generalise(here, low, high)])

    return derive


def _choice(d: Derivation, given: Sequence[Step]) -> Step:
    one_m, m_n, choice, c_positive, large, true, scores = given
    score_m = d.at(scores, m, one_m, m_n)
    index, low, high = d.generic("i", sp.S.One, m - 1)
    upper = d.polynomial(index, "<=", n, [high, m_n])
    score, boolean = d.at(scores, index, low, upper), d.at(choice, index, low, upper)
    facts = [score, score_m, true, high, c_positive, large, one_m, m_n]
    here = either(d, boolean, lambda value, _: d.polynomial(s(m) - s(index), ">=", c, [value, *facts]))
    return d.generalise(here, low, high)


def _choice_after(d: Derivation, given: Sequence[Step]) -> Step:
    one_m, m_n, c_positive, large, true, false, scores = given
    score_m = d.at(scores, m, one_m, m_n)
    index, low, high = d.generic("i", sp.S.One, n - m)
    lower = d.polynomial(1, "<=", m + index, [low, one_m])
    upper = d.polynomial(m + index, "<=", n, [high])
    score, nothing = d.at(scores, m + index, lower, upper), d.at(false, index, low, high)
    facts = [score, nothing, score_m, true, low, high, c_positive, large, one_m]
    return d.generalise(d.polynomial(s(m) - s(m + index), ">=", c, facts), low, high)


CLAIMS = (
    Claim("B6.choice", "the rightmost true position beats every earlier one", (*WITHIN, SET),
          (C, LARGE, TRUE, RIGHT_SCORES), Each(i, 1, m - 1, Rel(s(m) - s(i), ">=", c)), _choice),
    Claim("B6.choice-after", "and every later one", WITHIN, (C, LARGE, TRUE, AFTER_FALSE, RIGHT_SCORES),
          Each(i, 1, n - m, Rel(s(m) - s(m + i), ">=", c)), _choice_after),
    Claim("B6.rightmost", "the rightmost true position", DEFINITIONS, (C, LARGE, TRUE, AFTER_FALSE, RIGHT_SCORES),
          Rel(tv(p, h), "<=", BOUND), _rightmost),
    Claim("B6.rightmost-none", "no true position: the last one", DEFINITIONS,
          (Rel(m, "=", n), C, NONE, RIGHT_SCORES), Rel(tv(p, h), "<=", BOUND), _none(True)),
    Claim("B6.leftmost", "the leftmost true position", DEFINITIONS, (C, LARGE, TRUE, BEFORE_FALSE, LEFT_SCORES),
          Rel(tv(p, h), "<=", BOUND), _leftmost),
    Claim("B6.leftmost-none", "no true position: the first one", DEFINITIONS,
          (Rel(m, "=", 1), C, NONE, LEFT_SCORES), Rel(tv(p, h), "<=", BOUND), _none(False)),
    Claim("B6.below", "below q for every n", (N_POSITIVE, TAU), (C,), Rel(BOUND, "<", Q),
          lambda d, given: d.cite("B1.below", {gamma: c}, given)),
)  # fmt: skip

STATEMENT = Statement(
    id="B6",
    title="Rightmost or leftmost position satisfying a predicate",
    section="B",
    kernel=True,
    summary="Scores c(2i chi(j) + j): hard attention finds the rightmost true j <= i (i if none), TV < exp(-c/tau).",
    quantity="tv",
    direction="<=",
    claims=CLAIMS,
    main="B6.rightmost",
    sharpness="equality in the row without true positions (B1.tight); A >= n is necessary for a gap of c",
    used_for="the temporal operators since, until, once, yesterday, next (D2, D3)",
)
