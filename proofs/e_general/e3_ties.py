"""E3, leftmost and rightmost choice among ties as average-hard choice of shifted scores.

mu selects the k maximal positions of s, gap >= gamma; m is the leftmost (rightmost) of them and lam selects m. The
scores s2 = s - step*i (s + step*i) have the unique maximiser m.

Main statements, with t the new gap
    E3.leftmost          t <= step and t <= gamma - step(n-1) imply s2(m) - s2(i) >= t for every i other than m
    E3.rightmost         the mirror image
    E3.attention         TV(softmax(s2), leftmost-hard(s)) <= (n-1)q/(1+(n-1)q), q = exp(-gamma/(n tau)), step = gamma/n
    E3.attention-right   the mirror image
    E3.best              min(step, gamma - step(n-1)) <= gamma/n (equal at step = gamma/n)
    E3.optimal           nor do other offsets f: f(i+1) - f(i) >= t and f(n) - f(1) <= gamma - t imply t <= gamma/n

E3.optimal: two tied neighbours need f(i+1) - f(i) >= t; a last position that is gamma above the first needs
f(n) - f(1) <= gamma - t. (Here f is what is subtracted.)
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a1_exact import LAM_BOOLEAN, LAM_ONE, lam
from ..a_softmax_gap.a2_gap import bound
from ..a_softmax_gap.a5_sets import SOFT2
from ..a_softmax_gap.row import (
    BOOLEAN,
    GAMMA,
    GAP,
    N_POSITIVE,
    ON_TOP,
    TAU,
    At,
    either,
    everywhere,
    gamma,
    h,
    i,
    k,
    mu,
    n,
    p,
    p2,
    s,
    s2,
    top,
    tv,
)
from ..b_positional.b6_predicate import CHOSEN
from ..b_positional.line import m
from ..derivation import Derivation
from ..props import Each, Rel
from ..sequent import Step
from ..statement import Claim, Deriver, Statement
from ..sums import c, f
from ..sums import n as sum_n

step, t = sp.symbols("step t", real=True)
WITHIN = (Rel(1, "<=", m), Rel(m, "<=", n))
ONLY_M = (
    LAM_BOOLEAN,
    Each(i, 1, n, Rel(lam(i) * (i - m), "=", 0)),
    Each(i, 1, n, Rel((1 - lam(i)) * ((i - m) ** 2 - 1), ">=", 0)),
)
FIRST = Each(i, 1, n, Rel(mu(i) * (i - m), ">=", 0))
LAST = Each(i, 1, n, Rel(mu(i) * (m - i), ">=", 0))
ROW = (*WITHIN, BOOLEAN, ON_TOP, CHOSEN, *ONLY_M)
NEW_GAP = (Rel(t, "<=", step), Rel(t, "<=", gamma - step * (n - 1)), Rel(step, ">", 0))
APART = Each(i, 1, n, Rel((1 - lam(i)) * (s2(m) - s2(i) - t), ">=", 0))


def shifted(sign: int, by: sp.Expr) -> Each:
    """s2(i) = s(i) + sign*by*i."""
    return Each(i, 1, n, Rel(s2(i), "=", s(i) + sign * by * i))


def _choice(sign: int) -> Deriver:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        one_m, m_n, boolean, on_top, chosen, alone, _at_m, others, extreme, gap, moved, tie, far, positive = given
        top_is = d.identity(s(m), top, [d.at(on_top, m, one_m, m_n), chosen])
        new_top = d.substitute(d.at(moved, m, one_m, m_n), [top_is], Rel(s2(m), "=", top + sign * step * m))
        where, low, high = d.generic("i", sp.S.One, n)

        def at(each: Step) -> Step:
            return d.at(each, where, low, high)

        score, apart = at(moved), at(others)
        distance = -sign * (where - m)
        goal = (1 - lam(where)) * (s2(m) - s2(where) - t)

        def other(value: Step) -> Step:
            away = d.polynomial((where - m) ** 2, ">=", 1, [apart, value])

            def case(maximal: Step, is_one: bool) -> Step:
                if is_one:
                    here = d.identity(s(where), top, [at(on_top), maximal])
                    side = d.polynomial(distance, ">=", 0, [at(extreme), maximal])
                    beyond = d.polynomial(distance, ">=", 1, [side, away])
                    return d.polynomial(goal, ">=", 0, [value, score, here, new_top, beyond, tie, positive])
                below = d.polynomial(top - s(where), ">=", gamma, [at(gap), maximal])
                offset = d.polynomial(step * distance, ">=", -step * (n - 1), [positive, low, high, one_m, m_n])
                return d.polynomial(goal, ">=", 0, [value, score, below, new_top, offset, far])

            return either(d, at(boolean), case)

        def which(value: Step, is_m: bool) -> Step:
            return d.polynomial(goal, ">=", 0, [value]) if is_m else other(value)

        return d.generalise(either(d, at(alone), which), low, high)

    return derive


def _attention(name: str) -> Deriver:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        one_n, tau_positive, *row, lam_one, soft2, extreme, gap, gamma_positive, moved = given
        alone, at_m, _ = row[-3:]
        width = gamma / n
        tie = d.polynomial(width, "<=", width, [one_n])
        far = d.polynomial(width, "<=", gamma - width * (n - 1), [one_n])
        positive = d.polynomial(width, ">", 0, [gamma_positive, one_n])
        apart = d.cite(name, {step: width, t: width}, [*row, extreme, gap, moved, tie, far, positive])

        def on_top(w: sp.Symbol, at: At) -> Step:
            def case(value: Step, is_one: bool) -> Step:
                goal = Rel(lam(w) * (s2(m) - s2(w)), "=", 0)
                if not is_one:
                    return d.identity(goal.lhs, 0, [value])
                place = d.identity(w, m, [at(at_m), value])
                trivial = d.identity(lam(m) * (s2(m) - s2(m)), 0)
                return d.substitute(trivial, [place], goal)

            return either(d, at(alone), case)

        def strictly(w: sp.Symbol, at: At) -> Step:
            top_here = at(highest)
            goal = s2(m) - s2(w) + lam(w)
            return either(
                d, at(alone), lambda value, _: d.polynomial(goal, ">", 0, [value, top_here, at(apart), positive, one_n])
            )

        highest = everywhere(d, on_top)
        below = everywhere(d, strictly)
        one = d.polynomial(1, "<=", 1)
        itself = everywhere(d, lambda w, _: d.identity(lam(w), lam(w) / 1))
        mapping = {mu: lam, k: sp.S.One, s: s2, p: p2, top: s2(m), gamma: width, h: lam}
        premises = [one, one_n, tau_positive, alone, lam_one, highest, soft2, below, itself, apart]
        return d.cite("A2.bound", mapping, premises)

    return derive


def _best(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tie, far = given
    return d.polynomial(t, "<=", gamma / n, [one_n, tie, far], "(n-1) times the first plus the second")


def _optimal(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, steps, ends = given
    natural = d.polynomial(n - 1, ">=", 0, [one_n])
    grown = d.cite("S.telescope", {c: t, sum_n: n - 1}, [natural, steps])
    return d.polynomial(t, "<=", gamma / n, [grown, ends, one_n])


ATTENTION = bound(k_=sp.S.One, gamma_=gamma / n)
CLAIMS = (
    Claim("E3.leftmost", "the leftmost maximal position becomes the only one", ROW,
          (FIRST, GAP, shifted(-1, step), *NEW_GAP), APART, _choice(-1)),
    Claim("E3.rightmost", "the rightmost maximal position becomes the only one", ROW,
          (LAST, GAP, shifted(1, step), *NEW_GAP), APART, _choice(1)),
    Claim("E3.attention", "leftmost-hard attention by softmax of the shifted scores",
          (N_POSITIVE, TAU, *ROW, LAM_ONE, SOFT2), (FIRST, GAP, GAMMA, shifted(-1, gamma / n)),
          Rel(tv(p2, lam), "<=", ATTENTION), _attention("E3.leftmost")),
    Claim("E3.attention-right", "rightmost-hard attention by softmax of the shifted scores",
          (N_POSITIVE, TAU, *ROW, LAM_ONE, SOFT2), (LAST, GAP, GAMMA, shifted(1, gamma / n)),
          Rel(tv(p2, lam), "<=", ATTENTION), _attention("E3.rightmost")),
    Claim("E3.best", "no step guarantees more than gamma/n", (N_POSITIVE,), NEW_GAP[:2], Rel(t, "<=", gamma / n),
          _best),
    Claim("E3.optimal", "nor do any other offsets", (N_POSITIVE,),
          (Each(i, 1, n - 1, Rel(f(i + 1) - f(i), ">=", t)), Rel(f(n) - f(1), "<=", gamma - t)),
          Rel(t, "<=", gamma / n), _optimal),
)  # fmt: skip

STATEMENT = Statement(
    id="E3",
    title="Unique-hard with ties",
    section="E",
    kernel=False,
    summary="Subtract (add) i gamma/n: the leftmost (rightmost) maximiser becomes unique, with gap at least gamma/n.",
    quantity="tv",
    direction="<=",
    claims=CLAIMS,
    main="E3.attention",
    sharpness="no offsets that depend on the position alone guarantee a gap above gamma/n (E3.optimal)",
    used_for="leftmost- and rightmost-hard heads with ties, in E2 and E5",
)
