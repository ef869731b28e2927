"""Witnesses: rows that try to reach the worst case, and the check of a witness from the definitions alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from checker import quantity as definitions
from checker.attention import Row, Tie
from checker.ball import endpoints
from checker.claims.expression import VARIABLES, Condition
from checker.claims.model import Comparison, Statement
from checker.claims.worst import Case, Family
from checker.decide import Expression, Side, decide
from checker.env import Env
from checker.formal import equal
from checker.sides import Affine
from checker.verdict import Verdict

Point = Mapping[str, Fraction]

MAX_BITS = 512
"""Most bits used to decide a comparison at a witness."""

MAX_GROUPS = 300
"""Longest row with different scores at every position."""

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


@dataclass(frozen=True)
class Rows:
    """A row of scores with what the quantity needs beside it."""

    row: Row
    soft: Row | None = None
    values: tuple[Fraction, ...] | None = None


def rows(case: Case, family: Family, point: Point) -> Iterator[Rows]:
    """Rows that attain the worst case, or come near it, at these parameters; their assumptions are checked later."""
    n, k, tau = int(point["n"]), int(point["k"]), point["tau"]
    gap, spread = _value(family.gap, point), _value(family.spread, point)
    if case.rows == "moved":
        yield from _moved(n, _value(family.perturbation, point), tau)
    elif case.rows == "perturbed":
        yield from _perturbed(family, n, k, int(point.get("b", 0)), gap, _value(family.perturbation, point), tau)
    elif case.rows.split()[0] in ("one-sided", "two-sided", "lookup"):
        yield from _growing(case.rows, family, point, n, _value(family.slope, point), tau)
    else:
        for distance in _distances(case.rows, gap, spread, tau) if n > k else [Fraction(1)]:
            yield _two_levels(family, n, k, distance, case.rows, point)


def _value(expr: sp.Expr | None, point: Point) -> Fraction | None:
    if expr is None:
        return None
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    return point[expr.name]


def _distances(kind: str, gap: Fraction | None, spread: Fraction | None, tau: Fraction) -> list[Fraction]:
    """Distances of the other scores from the maximum: at the end of the range, or ever nearer to it."""
    end = gap if kind == "high" else spread
    if end is not None:
        return [end]
    if kind == "high":
        return [
            distance if spread is None else min(distance, spread)
            for distance in (tau, tau / 10, tau / 1000, tau / 10**6)
        ]
    return [max(distance, gap or distance) for distance in (tau, 10 * tau, 50 * tau)]


def _two_levels(family: Family, n: int, k: int, distance: Fraction, kind: str, point: Point) -> Rows:
    """k scores 0, one of them in a group of its own (the chosen one of unique-hard attention), the others below."""
    groups = [(Fraction(0), 1, True)]
    if k > 1:
        groups.append((Fraction(0), k - 1, family.tie is Tie.AVERAGE))
    if n > k:
        groups.append((-distance, n - k, False))
    if family.tie is Tie.RIGHTMOST:
        groups.reverse()
    row = Row(tuple(group[0] for group in groups), tuple(group[1] for group in groups))
    width = _value(family.width, point) if family.quantity == "value_error" else None
    values = None
    if width is not None:
        # |sum (p - h) v| is largest for values at the upper end exactly where p > h (A7.tight).
        values = tuple(Fraction(0) if group[2] or kind == "low" else width for group in groups)
    return Rows(row, None, values)


def _moved(n: int, eta: Fraction | None, tau: Fraction) -> Iterator[Rows]:
    if eta is None or n < 2:
        return
    half = n // 2
    shifts = [eta] if n % 2 == 0 else [eta + _near_log(Fraction(half, n - half), tau, digits) for digits in (2, 4, 8)]
    for shift in shifts:
        row = Row((Fraction(0), shift), (half, n - half))
        yield Rows(row, Row((eta, shift - eta), (half, n - half)))


def _near_log(ratio: Fraction, tau: Fraction, digits: int) -> Fraction:
    """About tau log(ratio); only the choice of a row depends on it."""
    import math

    return Fraction(round(float(tau) * math.log(ratio) * 10**digits), 10**digits)


def _perturbed(
    family: Family, n: int, k: int, raised: int, gap: Fraction | None, eta: Fraction | None, tau: Fraction
) -> Iterator[Rows]:
    if eta is None or family.quantity == "value_error":
        return
    for distance in [gap] if gap is not None else [tau / 10, tau / 1000]:
        groups = [(Fraction(0), eta, raised), (Fraction(0), -eta, k - raised), (-distance, eta - distance, n - k)]
        groups = [group for group in groups if group[2] > 0]
        sizes = tuple(group[2] for group in groups)
        row = Row(tuple(group[0] for group in groups), sizes)
        yield Rows(row, Row(tuple(group[1] for group in groups), sizes))


def _growing(kind: str, family: Family, point: Point, n: int, slope: Fraction | None, tau: Fraction) -> Iterator[Rows]:
    if slope is None or n > MAX_GROUPS:
        return
    shape = kind.split()[0]
    left = int(point["l"]) if shape == "two-sided" else (n - 1 if shape == "one-sided" else (n - 1) // 2)
    factors = (
        [Fraction(1), max(Fraction(1), 30 * tau / slope)]
        if kind.endswith("low") and shape != "lookup"
        else [Fraction(1)]
    )
    for factor in factors:
        power = 2 if shape == "lookup" else 1
        row = Row.explicit(-slope * factor * abs(j - left) ** power for j in range(n))
        values = None
        if family.quantity == "value_error":
            width = _value(family.width, point) or Fraction(0)
            values = tuple(Fraction(0) if j == left else width for j in range(n))
        yield Rows(row, None, values)


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
    gap, spread = _value(family.gap, point), _value(family.spread, point)
    eta, slope = _value(family.perturbation, point), _value(family.slope, point)
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
        width = _value(family.width, point)
        checks.append(width is not None and max(found.values) - min(found.values) <= width)
    if family.growth:
        checks.append(set(row.multiplicities) == {1} and slope is not None and _grows(family, row, point, slope))
    return all(checks)


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
