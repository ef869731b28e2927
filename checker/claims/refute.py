"""The search for a witness against a claim: least n first, then small numerators and denominators.

Parameters are tried on a grid of simple numbers, together with numbers close to where an assumption such as
tau <= gamma/log(2n/eps) becomes an equation. A candidate is a point where the worst case exceeds the bound; it counts
only once an explicit row, checked from the definitions, breaks the claim there (checker/claims/witness.py).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

import sympy as sp

from checker import ball as arb
from checker.claims.candidates import candidates, enclosure, may_hold
from checker.claims.expression import SCORES, C, D, delta, eps, eta, gamma, k, left, n, right, tau
from checker.claims.families import Family
from checker.claims.prove import Goal, ImpossibleError, hypotheses, replaced, undefined
from checker.claims.settled import ratios
from checker.claims.witness import Witness, refutes
from checker.verdict import Verdict
from proofs.a_softmax_gap.a8_window import b

SMALL_N = tuple(range(1, 9))
LARGER_N = (10, 12, 16, 20, 32, 50, 64, 100, 250, 1000, 10**4, 10**6, 10**9, 10**12)
NEARLY = 0.8
"""Ratio of worst case and bound from which a point is worth climbing from."""

STEPS = (Fraction(1, 4), Fraction(1, 16), Fraction(1, 64), Fraction(1, 256))
MAX_UNDECIDED = 20
"""Points per length at which worst case and bound seem equal that are examined exactly."""


ORDER = (left, right, n, k, b, gamma, delta, eta, D, eps, C, tau)


@dataclass
class Search:
    """One goal as a search problem."""

    goal: Goal
    family: Family
    relations: list[Any]
    variables: list[sp.Symbol]
    worst: sp.Expr
    bound: sp.Expr
    fixed: dict[sp.Symbol, Fraction]
    deadline: float
    visited: int = 0
    admissible: int = 0


def search(goal: Goal, family: Family, seconds: float, only_if: bool = False, largest: bool = True) -> Witness | None:
    """A witness against the goal's claim in the range of its case, or None."""
    found = make(goal, family, seconds)
    return run(found, only_if, largest) if found else None


def make(goal: Goal, family: Family, seconds: float) -> Search | None:
    """Set the search up; None where the assumptions exclude the range or the bound is not defined there."""
    try:
        relations = hypotheses(goal)
    except ImpossibleError:
        return None
    case = goal.case
    bound = replaced(goal.claim.bound.expr, case)
    if undefined(bound):
        return None
    wanted = bound.free_symbols | case.worst.free_symbols | {tau}
    for rel in relations:
        wanted |= rel.lhs.free_symbols | rel.rhs.free_symbols
    wanted |= {n, k} - set(case.replaced)
    if family.quantity == "value_error":
        wanted |= family.width.free_symbols - set(case.replaced)
    variables = [symbol for symbol in ORDER if symbol in wanted]
    fixed: dict[sp.Symbol, Fraction] = {}
    scores = [symbol for symbol in SCORES if symbol in wanted]
    if scores and _scale_free(relations, [bound, case.worst]):
        # Multiplying gamma, delta, eta and tau by the same factor changes nothing (C1), so one of them is 1.
        fixed[scores[0]] = Fraction(1)
    return Search(goal, family, relations, variables, case.worst, bound, fixed, time.monotonic() + seconds)


def _scale_free(relations: Sequence[Any], terms: Sequence[sp.Expr]) -> bool:
    if any(ratios(term).has(tau) for term in terms):
        return False
    for rel in relations:
        sides = [ratios(side) for side in (rel.lhs, rel.rhs)]
        if any(side.has(tau) for side in sides) and any(sp.expand(side / tau).has(tau) for side in sides):
            return False
    return True


def run(state: Search, only_if: bool, largest: bool) -> Witness | None:
    """Walk through the points, least n first."""
    previous = 0
    for count in _lengths(state) if largest else SMALL_N:
        found = _at_length(state, count, only_if)
        if found is not None:
            for between in range(previous + 1, min(count, previous + 40)):
                smaller = _at_length(state, between, only_if)
                if smaller is not None:
                    return smaller
            return found
        if time.monotonic() > state.deadline:
            return None
        previous = count
    return None


def _lengths(state: Search) -> list[int]:
    """The lengths tried: small ones, some larger ones, and those at the ends of what the assumptions allow."""
    ends = set()
    for rel in state.relations:
        for side, other in ((rel.lhs, rel.rhs), (rel.rhs, rel.lhs)):
            if side == n and other.is_Rational:
                ends |= {int(other.p // other.q) + step for step in (0, 1)}
    return sorted({*SMALL_N, *LARGER_N, *(end for end in ends if end > 0)})


def _at_length(state: Search, count: int, only_if: bool) -> Witness | None:
    undecided = 0
    best: tuple[float, dict[sp.Symbol, Fraction]] | None = None
    for point in _points(state, count):
        verdict, margin = _broken(state, point)
        if verdict is Verdict.FAILS:
            if margin > NEARLY and (best is None or margin > best[0]):
                best = margin, point
            continue
        if verdict is Verdict.UNDECIDED:
            undecided += 1
            if undecided > MAX_UNDECIDED:
                continue
        found = _witness(state, point, only_if)
        if found is not None:
            return found
    closer = _climb(state, *best) if best is not None else None
    return _witness(state, closer, only_if) if closer is not None else None


def _witness(state: Search, point: dict[sp.Symbol, Fraction], only_if: bool) -> Witness | None:
    return refutes(state.goal.claim, state.family, state.goal.case, _complete(state, point), only_if)


def _climb(state: Search, margin: float, point: dict[sp.Symbol, Fraction]) -> dict[sp.Symbol, Fraction] | None:
    """A point that breaks the bound, reached from one that nearly does by changing one real parameter at a time."""
    free = [s for s in state.variables if s not in state.fixed and not s.is_integer and point.get(s)]
    for step in STEPS:
        moved = True
        while moved and time.monotonic() < state.deadline:
            moved = False
            for symbol in free:
                for factor in (1 + step, 1 - step):
                    value = (
                        (point[symbol] * factor).limit_denominator(1000) if step > STEPS[-1] else point[symbol] * factor
                    )
                    nearby = {**point, symbol: value}
                    if not value or not all(may_hold(rel, nearby) for rel in state.relations):
                        continue
                    verdict, reached = _broken(state, nearby)
                    if verdict is Verdict.HOLDS:
                        return nearby
                    if verdict is Verdict.FAILS and reached > margin * (1 + 1e-9):
                        margin, point, moved = reached, nearby, True
    return None


def _complete(state: Search, point: dict[sp.Symbol, Fraction]) -> dict[str, Fraction]:
    """The point by names, with the variables that the case fixes."""
    values = {symbol.name: value for symbol, value in point.items()}
    for symbol, expr in state.goal.case.replaced.items():
        value = expr.xreplace({s: sp.Rational(v.numerator, v.denominator) for s, v in point.items()})
        if value.is_Rational:
            values[symbol.name] = Fraction(int(value.p), int(value.q))
    return values


def _points(state: Search, count: int) -> Iterator[dict[sp.Symbol, Fraction]]:
    def extend(
        point: dict[sp.Symbol, Fraction], rest: list[sp.Symbol], open_: list[Any]
    ) -> Iterator[dict[sp.Symbol, Fraction]]:
        if time.monotonic() > state.deadline:
            return
        if not rest:
            state.admissible += 1
            yield point
            return
        symbol, *later = rest
        known = set(point) | {symbol}
        ready = [rel for rel in open_ if rel.lhs.free_symbols | rel.rhs.free_symbols <= known]
        waiting = [rel for rel in open_ if rel not in ready]
        fixed = state.fixed.get(symbol)
        for value in [fixed] if fixed is not None else candidates(symbol, point, ready, count):
            extended = {**point, symbol: value}
            if all(may_hold(rel, extended) for rel in ready):
                yield from extend(extended, later, waiting)

    yield from extend({}, state.variables, state.relations)


def _broken(state: Search, point: dict[sp.Symbol, Fraction]) -> tuple[Verdict, float]:
    """Whether the worst case breaks the goal at a point (HOLDS: it does), and a ratio that exceeds 1 then."""
    state.visited += 1
    worst, bound = enclosure(state.worst, point), enclosure(state.bound, point)
    if worst is None or bound is None:
        return Verdict.FAILS, 0.0
    met = arb.compare(worst, state.goal.op, bound)
    verdict = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}.get(met, Verdict.UNDECIDED)
    small, large = (worst, bound) if state.goal.op in ("<", "<=") else (bound, worst)
    ratio = float((small / large).mid()) if verdict is Verdict.FAILS else 1.0
    return verdict, ratio if isfinite(ratio) else 0.0
