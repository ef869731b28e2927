"""The meaning of since and until (D3): the truth value at the query is psi at one position.

Notation: phi, psi are 0/1-valued, t(i) is the truth value at i, of phi S psi (since) or phi U psi (until):
    since  t(i) = psi(i) + (1 - psi(i)) phi(i) t(i-1)      until  t(i) = psi(i) + (1 - psi(i)) phi(i) t(i+1)
chi(i) = 1 - phi(i) + phi(i) psi(i), i.e. not phi or psi. Positions 1..n: n is the query for since, 1 for until.

Main statements; m is the rightmost (leftmost) position with chi(m) = 1
    D3.since, D3.until            t at the query is psi(m)
    D3.since-none, D3.until-none  no position with chi(m) = 1: t at the query is 0, if it is 0 beyond the visible ones
    D3.dual                       1 - t solves the equation of P (not phi) if t solves that of H phi: H is not P not

Proof idea: where chi is false, phi holds and psi does not, so that t is handed on from the neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a5_sets import chi
from ..a_softmax_gap.row import i, n
from ..b_positional.b1_linear import WITHIN
from ..b_positional.b6_predicate import AFTER_FALSE, BEFORE_FALSE, NONE, TRUE
from ..b_positional.line import m
from ..derivation import Derivation
from ..props import Each, Rel, substitute
from ..sequent import Step
from ..statement import Claim
from ..sums import u
from .d1_cleanup import bit_cases

phi, psi, t = (sp.Function(name, real=True) for name in ("phi", "psi", "t"))
BITS = tuple(Each(i, 1, n, Rel(bit(i) * (1 - bit(i)), "=", 0)) for bit in (phi, psi))
NOT_PHI_OR_PSI = Each(i, 1, n, Rel(chi(i), "=", 1 - phi(i) + phi(i) * psi(i)))


def recursion(step: int) -> Each:
    """t(i) from t(i + step)."""
    return Each(i, 1, n, Rel(t(i), "=", psi(i) + (1 - psi(i)) * phi(i) * t(i + step)))


SINCE, UNTIL = recursion(-1), recursion(1)
BEYOND = {-1: Rel(t(0), "=", 0), 1: Rel(t(n + 1), "=", 0)}
QUERY = {-1: n, 1: sp.S.One}


def truth_here(
    d: Derivation, place: sp.Expr, ends: Sequence[Step], steps: Sequence[Step], chi_is: Step, goal: Rel
) -> Step:
    """`goal` about t(place), from whether chi(place) = 1 or 0 (chi_is), by cases on phi and psi there."""
    bit_phi, bit_psi, choice, equation = [d.at(step, place, *ends) for step in steps]

    def by_psi(value_phi: Step) -> Step:
        def by_both(value_psi: Step) -> Step:
            using = [equation, choice, chi_is, value_phi, value_psi]
            return d.polynomial(goal.lhs, "=", goal.rhs, using)

        return bit_cases(d, bit_psi, psi(place), by_both)

    return bit_cases(d, bit_phi, phi(place), by_psi)


def _along(
    d: Derivation,
    where: Callable[[sp.Expr], sp.Expr],
    start: Step,
    steps: Sequence[Step],
    false: Callable[[sp.Expr, Step, Step], tuple[Step, list[Step]]],
    size: sp.Expr,
    shown: Step,
    value: sp.Expr,
    step: int,
) -> Step:
    """t(where(size)) = value, from t(where(0)) = value along positions where chi is false."""
    claim = Rel(t(where(u)), "=", value)
    hypothesis = d.assume(claim, "induction hypothesis")
    natural = d.assume(Rel(u, ">=", 0))
    top = d.assume(Rel(u + 1, "<=", size))
    nothing, ends = false(u + 1, natural, top)
    moved = truth_here(d, where(u + 1), ends, steps, nothing, Rel(t(where(u + 1)), "=", t(where(u + 1) + step)))
    inductive = d.transitive(t(where(u + 1)), "=", value, [moved, hypothesis])
    general = d.induction(claim, u, start, hypothesis, inductive, top)
    return d.specialise(general, u, size, [shown, d.polynomial(size, "<=", size)])


def _semantics(step: int) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        bit_phi, bit_psi, choice, equation, one_m, m_n, true, false = given
        steps = [bit_phi, bit_psi, choice, equation]
        start = truth_here(d, m, [one_m, m_n], steps, true, Rel(t(m), "=", psi(m)))

        def place(r: sp.Expr) -> sp.Expr:
            return m - step * r

        def nothing(r: sp.Expr, natural: Step, top: Step) -> tuple[Step, list[Step]]:
            at = r if step < 0 else m - r
            lower = d.polynomial(1, "<=", at, [natural, top])
            upper = d.polynomial(at, "<=", n - m if step < 0 else m - 1, [natural, top])
            ends = [
                d.polynomial(1, "<=", place(r), [one_m, natural, top]),
                d.polynomial(place(r), "<=", n, [m_n, natural, top]),
            ]
            return d.at(false, at, lower, upper), ends

        size = n - m if step < 0 else m - 1
        shown = d.polynomial(size, ">=", 0, [one_m, m_n])
        return _along(d, place, start, steps, nothing, size, shown, psi(m), step)

    return derive


def _none(step: int) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        one_n, bit_phi, bit_psi, choice, equation, false, beyond = given
        steps = [bit_phi, bit_psi, choice, equation]

        def place(r: sp.Expr) -> sp.Expr:
            return r if step < 0 else n + 1 - r

        def nothing(r: sp.Expr, natural: Step, top: Step) -> tuple[Step, list[Step]]:
            ends = [
                d.polynomial(1, "<=", place(r), [natural, top]),
                d.polynomial(place(r), "<=", n, [natural, top]),
            ]
            return d.at(false, place(r), *ends), ends

        shown = d.polynomial(n, ">=", 0, [one_n])
        return _along(d, place, beyond, steps, nothing, n, shown, sp.S.Zero, step)

    return derive


def _dual(d: Derivation, given: Sequence[Step]) -> Step:
    (equation,) = given
    where, low, high = d.generic("i", sp.S.One, n)
    here = d.at(equation, where, low, high)
    goal = substitute(DUAL.rel.rhs, {i: where})
    return d.generalise(d.identity(1 - t(where), goal, [here]), low, high)


LOGIC = (*BITS, NOT_PHI_OR_PSI)
HISTORICALLY = Each(i, 1, n, Rel(t(i), "=", phi(i) * t(i - 1)))
DUAL = Each(i, 1, n, Rel(1 - t(i), "=", (1 - phi(i)) + (1 - (1 - phi(i))) * (1 - t(i - 1))))
ONE_N = Rel(1, "<=", n)
SEMANTICS = (
    Claim("D3.since", "since is psi at the rightmost position where chi holds", (*LOGIC, SINCE, *WITHIN),
          (TRUE, AFTER_FALSE), Rel(t(n), "=", psi(m)), _semantics(-1)),
    Claim("D3.since-none", "and false where chi holds nowhere", (ONE_N, *LOGIC, SINCE), (NONE, BEYOND[-1]),
          Rel(t(n), "=", 0), _none(-1)),
    Claim("D3.until", "until is psi at the leftmost position where chi holds", (*LOGIC, UNTIL, *WITHIN),
          (TRUE, BEFORE_FALSE), Rel(t(1), "=", psi(m)), _semantics(1)),
    Claim("D3.until-none", "and false where chi holds nowhere", (ONE_N, *LOGIC, UNTIL), (NONE, BEYOND[1]),
          Rel(t(1), "=", 0), _none(1)),
    Claim("D3.dual", "historically phi is not once not phi", (), (HISTORICALLY,), DUAL, _dual),
)  # fmt: skip
