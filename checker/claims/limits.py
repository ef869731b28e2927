"""Limits of worst case over bound along paths: q = exp(-gamma/tau) and the counts are powers of t, and t goes to 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from checker.claims.expression import SCORES, C, gamma, k, n, tau
from checker.claims.families import Family, family
from checker.claims.goals import goals
from checker.claims.model import Statement
from checker.claims.prove import Goal, ImpossibleError, hypotheses
from checker.claims.worst import UnknownWorstCaseError

LARGEST = 2**20
"""Largest constant, and largest number of the assumptions taken for n, that is tried."""

T = sp.Symbol("t", positive=True)


Values = dict[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Limit:
    """A path of the parameters (functions of t -> 0) and the constant that the claim needs along it."""

    path: dict[str, str]
    needed: Fraction


def known_goals(claim: Statement, fam: Family) -> list[Goal]:
    try:
        return goals(claim, fam)
    except UnknownWorstCaseError:
        return []


def paths(sizes: set[int]) -> Iterator[tuple[Values, sp.Expr]]:
    """(counts, value of exp(-score/tau) for every score): n fixed or growing, scores far apart or close."""
    counts: list[Values] = [{n: sp.Integer(size), k: sp.Integer(1)} for size in sorted({1, 2, 3} | sizes)]
    counts += [{n: 1 / T, k: sp.Integer(1)}, {n: 2 / T, k: 1 / T}]
    for values in counts:
        for decay in (T**2, T, 1 - T, 1 - T**3):
            yield values, decay


def best_limit(claim: Statement) -> Limit | None:
    """The largest constant that some path within the assumptions shows to be needed; None where there is none."""
    best: Limit | None = None
    numbers = {side.expr for c in claim.comparisons for side in (c.lhs, c.rhs) if side.expr.is_Integer}
    sizes = {int(number) for number in numbers if 1 <= number <= LARGEST}
    for goal in known_goals(claim, family(claim)):
        if not goal.case.exact:
            continue
        for values, decay in paths(sizes):
            needed = _needed(goal, values, decay)
            if needed is not None and (best is None or needed > best.needed):
                described = {"n": str(values[n]), "k": str(values[k]), "exp(-gamma/tau)": str(decay)}
                if gamma not in goal.case.worst.free_symbols:
                    shown = next((str(s) for s in SCORES if s in goal.case.worst.free_symbols), "")
                    described = {"n": described["n"], "k": described["k"]}
                    if shown:
                        described[f"exp(-{shown}/tau)"] = str(decay)
                best = Limit(described, needed)
    return best


def _needed(goal: Goal, values: Values, decay: sp.Expr) -> Fraction | None:
    """The limit of (worst case - rest)/slope along the path, where bound = C slope + rest; None outside the ranges."""
    case = goal.case
    try:
        rels = hypotheses(goal)
    except ImpossibleError:
        return None
    if any(case.replaced[s] != values[s] for s in set(case.replaced) & {k}) or set(case.replaced) - {k}:
        return None
    for rel in rels:
        difference = _on_path(rel.lhs - rel.rhs, values, decay)
        if (rel.lhs - rel.rhs).free_symbols <= {n, k}:
            if difference is None or not _eventually(difference, rel.op):
                return None
        elif not _positive_score(rel):
            return None
    bound = goal.claim.bound.expr.xreplace(case.replaced)
    slope, rest = sp.diff(sp.expand(bound), C), bound.xreplace({C: sp.S.Zero})
    worst, slope, rest = (_on_path(term, values, decay) for term in (case.worst, slope, rest))
    if worst is None or slope is None or rest is None or not _eventually(slope, ">"):
        return None
    value = _limit(sp.together((worst - rest) / slope))
    return Fraction(int(value.p), int(value.q)) if value is not None and value > 0 else None


def _positive_score(rel: Any) -> bool:
    """Whether a hypothesis only says that tau or a score is positive (or nonnegative): every path satisfies it."""
    return rel.op in (">", ">=") and rel.rhs == 0 and rel.lhs in (*SCORES, tau)


def _eventually(expr: sp.Expr, op: str) -> bool:
    """Whether `expr op 0` for all small t > 0, by the sign of the leading term."""
    if expr == 0:
        return op in ("<=", ">=", "=")
    numerator, denominator = (sp.Poly(part, T) for part in sp.fraction(sp.cancel(expr)))
    sign = sp.sign(_lowest(numerator)[1] / _lowest(denominator)[1])
    return bool(sign > 0) if op in (">", ">=") else bool(sign < 0) if op in ("<", "<=") else False


def _lowest(poly: sp.Poly) -> tuple[int, sp.Rational]:
    """Degree and coefficient of the lowest term."""
    (degree,), coefficient = min(poly.terms())
    return degree, coefficient


def _on_path(expr: sp.Expr, values: Values, decay: sp.Expr) -> sp.Expr | None:
    """The term as a rational function of t; None where it is none."""
    changed = expr.xreplace(values)
    for node in sorted(changed.atoms(sp.exp), key=str):
        power: sp.Expr = sp.S.One
        for term in sp.Add.make_args(sp.expand(node.args[0] * tau)):
            coefficient, score = term.as_coeff_Mul(rational=True)
            if score not in SCORES or not coefficient.is_Integer:
                return None
            power *= decay ** (-coefficient)
        changed = changed.xreplace({node: power})
    return changed if changed.free_symbols <= {T} and changed.is_rational_function(T) else None


def _limit(expr: sp.Expr) -> sp.Rational | None:
    """The limit at t = 0 of a rational function, from the lowest terms; None where it is infinite."""
    numerator, denominator = (sp.Poly(part, T) for part in sp.fraction(sp.cancel(expr)))
    if numerator.is_zero:
        return sp.S.Zero
    (order, top), (other, bottom) = _lowest(numerator), _lowest(denominator)
    if order != other:
        return sp.S.Zero if order > other else None
    return sp.Rational(top / bottom)
