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
from checker.claims import engine
from checker.claims.expression import SCORES, C, D, delta, eps, eta, gamma, k, left, n, right, tau
from checker.claims.prove import Goal, ImpossibleError, hypotheses, replaced, undefined
from checker.claims.witness import Witness, refutes
from checker.claims.worst import Family
from checker.env import Env
from checker.verdict import Verdict
from proofs.a_softmax_gap.a8_window import b

SMALL_N = tuple(range(1, 9))
LARGER_N = (10, 12, 16, 20, 32, 50, 64, 100, 250, 1000, 10**4, 10**6, 10**9, 10**12)
BITS = 64
NEARLY = 0.8
"""Ratio of worst case and bound from which a point is worth climbing from."""

STEPS = (Fraction(1, 4), Fraction(1, 16), Fraction(1, 64), Fraction(1, 256))
MAX_UNDECIDED = 20
"""Points per length at which worst case and bound seem equal that are examined exactly."""


def _numbers(texts: str) -> tuple[Fraction, ...]:
    return tuple(Fraction(text) for text in texts.split())


TAU_GRID = "1 2 1/2 3 1/3 3/2 2/3 4 1/4 5 1/5 1/6 1/7 1/8 1/10 10 1/12 1/15 1/20 1/25 1/30 1/40 1/50 20 1/100 100 1000"
GRID: dict[sp.Symbol, tuple[Fraction, ...]] = {
    tau: _numbers(TAU_GRID),
    gamma: _numbers("1 2 1/2 3 1/4 10 1/10"),
    eps: _numbers("1 1/2 3/2 1/4 3/4 1/10 19/10 2 3 1/100 1/1000 1/1000000"),
    eta: _numbers("1 1/2 1/4 2 3/4 1/10 49/100 1/100 5 0"),
    D: _numbers("1 2 1/2 10 0"),
}
DEFAULT = _numbers("1 2 1/2 3 1/3 10 1/10")
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
    variables = [symbol for symbol in ORDER if symbol in wanted]
    fixed: dict[sp.Symbol, Fraction] = {}
    scores = [symbol for symbol in SCORES if symbol in wanted]
    if scores and _scale_free(relations, [bound, case.worst]):
        # Multiplying gamma, delta, eta and tau by the same factor changes nothing (C1), so one of them is 1.
        fixed[scores[0]] = Fraction(1)
    return Search(goal, family, relations, variables, case.worst, bound, fixed, time.monotonic() + seconds)


def _scale_free(relations: Sequence[Any], terms: Sequence[sp.Expr]) -> bool:
    if any(engine.ratios(term).has(tau) for term in terms):
        return False
    for rel in relations:
        sides = [engine.ratios(side) for side in (rel.lhs, rel.rhs)]
        if any(side.has(tau) for side in sides) and any(sp.expand(side / tau).has(tau) for side in sides):
            return False
    return True


def run(state: Search, only_if: bool, largest: bool) -> Witness | None:
    """Walk through the points, least n first."""
    previous = 0
    for count in (*SMALL_N, *(LARGER_N if largest else ())):
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
                    if not value or not all(_may_hold(rel, nearby) for rel in state.relations):
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
        for value in _candidates(state, symbol, point, ready, count):
            extended = {**point, symbol: value}
            if all(_may_hold(rel, extended) for rel in ready):
                yield from extend(extended, later, waiting)

    yield from extend({}, state.variables, state.relations)


def _candidates(
    state: Search, symbol: sp.Symbol, point: dict[sp.Symbol, Fraction], ready: Sequence[Any], count: int
) -> list[Fraction]:
    if symbol in state.fixed:
        return [state.fixed[symbol]]
    size = Fraction(count)
    if symbol == n:
        found = [size]
    elif symbol == left:
        found = [Fraction(j) for j in sorted({0, 1, (count - 1) // 2, count - 1})]
    elif symbol == right:
        found = [size - 1 - point.get(left, Fraction(0))]
    elif symbol in (k, b):
        top = int(point.get(n, size) if symbol == k else point.get(k, Fraction(1)))
        low = 1 if symbol == k else 0
        found = [Fraction(j) for j in sorted({low, low + 1, low + 2, top // 2, top - 1, top}) if low <= j <= top]
    else:
        found = list(GRID.get(symbol, DEFAULT))
    extra: list[Fraction] = []
    for rel in ready:
        for side, other in ((rel.lhs, rel.rhs), (rel.rhs, rel.lhs)):
            if side == symbol and other.free_symbols and symbol not in other.free_symbols:
                extra += _near(other, point, rel.op)
    if symbol.is_integer:
        extra = [Fraction(part) for value in extra for part in (value.__floor__(), value.__ceil__())]
    return list(dict.fromkeys([*found, *extra]))


def _near(expr: sp.Expr, point: dict[sp.Symbol, Fraction], op: str) -> list[Fraction]:
    """Simple numbers at and around the value of a term; only the value itself for an equation."""
    value = expr.xreplace({s: sp.Rational(v.numerator, v.denominator) for s, v in point.items()})
    if value.is_Rational:
        exact = Fraction(int(value.p), int(value.q))
        if op == "=":
            return [exact]
        near = [exact * (1 + sign * Fraction(1, scale)) for scale in (10**6, 100) for sign in (1, -1)]
        return [exact, *near]
    enclosed = _ball(expr, point)
    if enclosed is None or not enclosed.is_finite():
        return []
    try:
        low, high = arb.endpoints(enclosed)
    except ValueError:
        return []
    middle = (low + high) / 2
    if middle == 0 or op == "=":
        return []
    found = []
    for places in (10, 100, 10**4, 10**8):
        unit = abs(middle) / places
        scale = Fraction(10) ** (len(str(int(1 / unit))) if unit < 1 else 0)
        found += [Fraction((middle * scale).__floor__()) / scale, Fraction((middle * scale).__ceil__()) / scale]
    return list(dict.fromkeys(found))


def _ball(expr: sp.Expr, point: dict[sp.Symbol, Fraction]) -> Any:
    try:
        return arb.evaluate(expr, Env({symbol.name: value for symbol, value in point.items()}), BITS)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def _may_hold(rel: Any, point: dict[sp.Symbol, Fraction]) -> bool:
    lhs, rhs = _ball(rel.lhs, point), _ball(rel.rhs, point)
    return lhs is not None and rhs is not None and arb.compare(lhs, rel.op, rhs) is not Verdict.FAILS


def _broken(state: Search, point: dict[sp.Symbol, Fraction]) -> tuple[Verdict, float]:
    """Whether the worst case breaks the goal at a point (HOLDS: it does), and a ratio that exceeds 1 then."""
    state.visited += 1
    worst, bound = _ball(state.worst, point), _ball(state.bound, point)
    if worst is None or bound is None:
        return Verdict.FAILS, 0.0
    met = arb.compare(worst, state.goal.op, bound)
    verdict = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}.get(met, Verdict.UNDECIDED)
    small, large = (worst, bound) if state.goal.op in ("<", "<=") else (bound, worst)
    ratio = float((small / large).mid()) if verdict is Verdict.FAILS else 1.0
    return verdict, ratio if isfinite(ratio) else 0.0
