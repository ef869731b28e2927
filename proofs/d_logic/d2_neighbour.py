"""D2, yesterday and next: the heads that find the previous and the next position.

The visible positions are b+1, ..., b+n, listed as 1..n. Under a strict future mask they are 0, ..., i-1 and the last
one is the previous position; under a strict past mask they are i+1, ..., and the first one is the next position.

Main statements, with q = exp(-c/tau)
    D2.previous         scores c times the position: TV < q;  D2.next: scores -c times the position
    D2.previous-output  for values in 0..1 the output is within q of the value of the last visible position
    D2.next-output      for values in 0..1 the output is within q of the value of the first visible position

Y phi holds at i iff phi holds at i - 1 and X phi iff phi holds at i + 1; BOS and EOS carry 0, so that Y phi is false at
the first position of the word and X phi at the last, and no visible set is empty there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.row import ROW, gamma, h, i, n, p, s, top, tv
from ..b_positional.b6_predicate import C, Q, c
from ..b_positional.line import BASE, m
from ..derivation import Derivation
from ..props import Each, Rel, instantiate
from ..sequent import Step
from ..statement import Claim, Statement
from .head import BITS_RANGE, OUTPUT, limit

b = sp.Symbol("b", real=True)
PREVIOUS = Each(i, 1, n, Rel(s(i), "=", c * (b + i)))
NEXT = Each(i, 1, n, Rel(s(i), "=", -c * (b + i)))


def _chosen(
    d: Derivation, base: Sequence[Step], c_positive: Step, scores: Step, place: sp.Expr
) -> tuple[Step, list[Step]]:
    """mu(place) = 1 for the last or first visible position; its score and range."""
    one_n = d.polynomial(1, "<=", n, [base[0], base[1]])
    ends = [one_n, d.polynomial(n, "<=", n)] if place == n else [d.polynomial(1, "<=", 1), one_n]
    there = d.at(scores, place, *ends)
    index, low, high = d.generic("i", sp.S.One, n)
    here = d.at(scores, index, low, high)
    # c (b + i) <= c (b + n), and -c (b + i) <= -c (b + 1)
    order = d.polynomial(s(index), "<=", s(place), [here, there, c_positive, low, high])
    greatest = d.generalise(order, low, high)
    row, below = base[: len(ROW)], base[len(ROW)]
    return d.cite("D.maximal", {m: place}, [*row, below, *ends, greatest]), [there, *ends]


def _distance(previous: bool) -> Callable[[Derivation, Sequence[Step]], Step]:
    place = n if previous else sp.S.One

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, c_positive, scores = given
        chosen, (there, *ends) = _chosen(d, base, c_positive, scores, place)
        on_top = d.at(base[5], place, *ends)
        top_is = d.identity(top, s(place), [on_top, chosen])
        index, low, high = d.generic("i", sp.S.One, n)
        far = c * (n - index) if previous else c * (index - 1)
        score = d.at(scores, index, low, high)
        here = d.polynomial(top - s(index), ">=", far, [score, there, top_is])
        terms = d.generalise(here, low, high)
        # B1: scores that fall by c per position on one side of the maximal one
        bound = d.cite("B1.left" if previous else "B1.right", {gamma: c}, [*base, c_positive, terms])
        below = d.cite("B1.below", {gamma: c}, [ends[1 - previous], c_positive, base[2]])
        return d.transitive(tv(p, h), "<", Q, [bound, below])

    return derive


def _output(previous: bool) -> Callable[[Derivation, Sequence[Step]], Step]:
    place = n if previous else sp.S.One

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, c_positive, scores, above, below = given
        small = d.cite("D2.previous" if previous else "D2.next", {}, [*base, c_positive, scores])
        chosen, (_there, *ends) = _chosen(d, base, c_positive, scores, place)
        return d.cite("D.near", {m: place, limit: Q}, [*base, *ends, chosen, above, below, small])

    return derive


def _near(place: sp.Expr) -> Rel:
    rel = instantiate(Rel(OUTPUT, "<", Q), {m: place})
    assert isinstance(rel, Rel)
    return rel


CLAIMS = (
    Claim("D2.previous", "yesterday: the last visible position", BASE, (C, PREVIOUS), Rel(tv(p, h), "<", Q),
          _distance(True)),
    Claim("D2.next", "next: the first visible position", BASE, (C, NEXT), Rel(tv(p, h), "<", Q), _distance(False)),
    Claim("D2.previous-output", "the output is near the value of the previous position", BASE,
          (C, PREVIOUS, *BITS_RANGE), _near(n), _output(True)),
    Claim("D2.next-output", "the output is near the value of the next position", BASE,
          (C, NEXT, *BITS_RANGE), _near(sp.S.One), _output(False)),
)  # fmt: skip

STATEMENT = Statement(
    id="D2",
    title="Yesterday and next",
    section="D",
    kernel=False,
    summary="Scores c j over the positions j < i: hard attention finds i-1, and TV < exp(-c/tau); mirrored for i+1.",
    quantity="tv",
    direction="<",
    claims=CLAIMS,
    main="D2.previous",
    sharpness="the limit as n -> infinity: TV is q(1-q^(n-1))/(1-q^n) (B1.tight), so no smaller bound serves every n",
    used_for="Y and X, hence n-gram and definite languages",
)
