"""The check of a witness from the definitions alone: parameters, assumptions, row, and both sides of the claim."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from checker import quantity as definitions
from checker.attention import Row, Tie
from checker.ball import endpoints
from checker.claims.expression import VARIABLES, Condition
from checker.claims.families import Family
from checker.claims.model import Comparison, Statement
from checker.claims.trial import Point, Rows, rows, value_at
from checker.claims.worst import Case
from checker.decide import Expression, Side, decide
from checker.env import Env
from checker.formal import equal
from checker.sides import Affine
from checker.verdict import Verdict

MAX_BITS = 512
"""Most bits used to decide a comparison at a witness."""

BROKEN = {"<=": (">",), "<": (">=",), ">=": ("<",), ">": ("<=",), "=": ("<", ">")}


@dataclass(frozen=True)
class Witness:
    """Parameters (and, unless it refutes the `only if` of an equivalence, a row) at which the claim fails.

    row: the scores; soft: the perturbed scores; values: one value per group. relation: how the quantity is to the bound
    (`quantity relation bound` is decided rigorously). left, right: enclosures of both.
    """

    point: dict[str, Fraction]
    row: Row | None
    soft: Row | None
    values: tuple[Fraction, ...] | None
    relation: str
    left: tuple[Fraction, Fraction]
    right: tuple[Fraction, Fraction]
    bits: int
    how: str


def quantity_of(family: Family, found: Rows, tau: Fraction) -> Side:
    """The quantity of the claim at a row, by definition."""
    row, tie = found.row, family.tie
    if family.quantity in ("l1_moved", "tv_moved"):
        assert found.soft is not None
        moved = definitions.tv_between(row, found.soft, tau)
        return moved if family.quantity == "tv_moved" else Affine(moved, Fraction(2))
    if found.soft is not None:
        distance = definitions.tv_perturbed(row, found.soft, tau, tie)
        return distance if family.quantity == "tv" else Affine(distance, Fraction(2))
    if family.quantity == "l1":
        return definitions.l1(row, tau, tie)
    if family.quantity == "tv":
        return definitions.tv(row, tau, tie)
    if family.quantity == "max_weight":
        return definitions.max_weight(row, tau)
    if family.quantity == "value_error":
        assert found.values is not None
        return definitions.value_error(row, tau, found.values, tie)
    if tie is Tie.AVERAGE:  # the weight of all maximal positions together
        return Affine(definitions.max_weight(row, tau), Fraction(row.k))
    return definitions.max_weight(row, tau)  # the chosen position is a maximal one


def fits(family: Family, found: Rows, point: Point) -> bool:
    """Whether the row satisfies the assumptions of the claim about rows, checked exactly."""
    row = found.row
    gap, spread = value_at(family.gap, point), value_at(family.spread, point)
    eta, slope = value_at(family.perturbation, point), value_at(family.slope, point)
    checks = [row.n == point["n"], row.k == point["k"]]
    if gap is not None:
        checks.append(row.gap is None or row.gap >= gap)
    if spread is not None:
        checks.append(row.spread <= spread)
    if found.soft is not None:
        moves = [abs(a - b) for a, b in zip(row.scores, found.soft.scores, strict=True)]
        checks.append(eta is not None and max(moves) <= eta and row.multiplicities == found.soft.multiplicities)
    elif eta is not None:
        return False
    if found.values is not None:
        low, width = value_at(family.lowest, point), value_at(family.width, point)
        checks.append(low is not None and width is not None)
        checks += [low <= v <= low + width for v in found.values if low is not None and width is not None]
    if family.growth:
        checks.append(set(row.multiplicities) == {1} and slope is not None and _grows(family, row, point, slope))
    return all(checks)


def inhabited(family: Family, point: Point) -> bool:
    """Whether some row satisfies the assumptions about rows; the parameters are admissible."""
    if family.growth:
        return point["k"] == 1
    gap, spread = value_at(family.gap, point), value_at(family.spread, point)
    return point["n"] == point["k"] or gap is None or spread is None or gap <= spread


def _grows(family: Family, row: Row, point: Point, slope: Fraction) -> bool:
    """Whether the scores fall as assumed, by position."""
    place = row.scores.index(row.top)
    drops = [(abs(j - place), row.top - score) for j, score in enumerate(row.scores)]
    if family.growth == "lookup":
        return all(drop == slope * steps**2 for steps, drop in drops)
    if family.growth == "one-sided" and place not in (0, row.n - 1):
        return False
    if family.growth == "two-sided" and (place != point["l"] or row.n - 1 - place != point["r"]):
        return False
    return all(drop >= slope * steps for steps, drop in drops)


def holds(comparison: Comparison, env: Env) -> bool:
    """Whether an assumption is defined and holds at a point, decided rigorously."""
    return all(satisfied(condition, env) for condition in comparison.conditions) and compared(
        Expression(comparison.lhs.expr, env), comparison.op, Expression(comparison.rhs.expr, env)
    )


def satisfied(condition: Condition, env: Env) -> bool:
    """Whether a term is defined at a point."""
    if condition.op != "!=":
        return compared(Expression(condition.expr, env), condition.op, 0)
    expression = Expression(condition.expr, env)
    return any(compared(expression, op, 0) for op in ("<", ">"))


def compared(lhs: Side, op: str, rhs: Side) -> bool:
    """Whether lhs op rhs is proved at these numbers: by enclosures, or exactly where both sides are equal."""
    try:
        if decide(lhs, op, rhs, maximum=MAX_BITS).verdict is Verdict.HOLDS:
            return True
        return op in ("<=", ">=", "=") and equal(lhs, rhs)
    except (ValueError, OverflowError):  # not defined, or too large to evaluate
        return False


def admissible(claim: Statement, family: Family, point: Point, *, iff: bool | None = None) -> bool:
    """Whether the parameters satisfy the declared ranges and every assumption; iff: the condition holds, or fails."""
    env = Env(dict(point))
    n, k = point["n"], point["k"]
    if n.denominator != 1 or k.denominator != 1 or not 1 <= k <= n:
        return False
    for name, low, strict in (
        ("gamma", 0, True),
        ("delta", 0, True),
        ("eps", 0, True),
        ("tau", 0, True),
        ("eta", 0, False),
        ("D", 0, False),
    ):
        if name in point and (point[name] < low or (strict and point[name] == low)):
            return False
    if family.growth == "two-sided" and (min(point["l"], point["r"]) < 0 or point["l"] + point["r"] + 1 != n):
        return False
    comparisons = list(claim.comparisons)
    if iff is not None and claim.iff is not None:
        comparisons.append(claim.iff if iff else claim.iff.negated())
    return all(holds(comparison, env) for comparison in comparisons)


def refutes(claim: Statement, family: Family, case: Case, point: dict[str, Fraction], only_if: bool) -> Witness | None:
    """A witness at these parameters, checked from the definitions; None where there is none, or it is undecided."""
    iff = None if claim.iff is None else not only_if
    env = Env(dict(point))
    if not admissible(claim, family, point, iff=iff):
        return None
    if not all(satisfied(condition, env) for condition in claim.bound.conditions):
        return None
    bound = Expression(claim.bound.expr, env)
    if only_if:
        if not inhabited(family, point):
            return None
        # The worst case still meets the bound, so every row does, although the condition fails.
        worst = Expression(case.worst, env)
        reached = claim.op if case.attained else claim.op.rstrip("=") + "="
        how = f"every row meets the bound here ({', '.join(case.cites)})"
        return (
            _witness(point, Rows(Row((), ())), worst, reached, bound, how) if compared(worst, reached, bound) else None
        )
    for found in rows(case, family, point):
        if not fits(family, found, point):
            continue
        value = quantity_of(family, found, point["tau"])
        for op in BROKEN[claim.op]:
            if compared(value, op, bound):
                return _witness(point, found, value, op, bound, "from the definitions")
    return None


def _witness(point: dict[str, Fraction], found: Rows, value: Any, op: str, bound: Expression, how: str) -> Witness:
    bits = 64
    row = None if found.row.is_empty else found.row
    named = {name: point[name] for name in [*VARIABLES, "b"] if name in point}
    sides = []
    for side in (value, bound):
        side_ball = side.ball(bits)
        sides.append(endpoints(side_ball))
    return Witness(named, row, found.soft, found.values, op, sides[0], sides[1], bits, how)
