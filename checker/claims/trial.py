"""Rows that try to reach the worst case of a quantity at given parameters; nothing is taken for granted about them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from checker.attention import Row, Tie
from checker.claims.families import Family
from checker.claims.worst import Case

Point = Mapping[str, Fraction]

MAX_GROUPS = 300
"""Longest row with different scores at every position."""


@dataclass(frozen=True)
class Rows:
    """A row of scores with what the quantity needs beside it."""

    row: Row
    soft: Row | None = None
    values: tuple[Fraction, ...] | None = None


def rows(case: Case, family: Family, point: Point) -> Iterator[Rows]:
    """Rows that attain the worst case, or come near it, at these parameters; their assumptions are checked later."""
    n, k, tau = int(point["n"]), int(point["k"]), point["tau"]
    gap, spread = value_at(family.gap, point), value_at(family.spread, point)
    if case.rows == "moved":
        yield from _moved(n, value_at(family.perturbation, point), tau)
    elif case.rows == "perturbed":
        yield from _perturbed(family, n, k, int(point.get("b", 0)), gap, value_at(family.perturbation, point), tau)
    elif case.rows.split()[0] in ("one-sided", "two-sided", "lookup"):
        yield from _growing(case.rows, family, point, n, value_at(family.slope, point), tau)
    else:
        for distance in _distances(case.rows, gap, spread, tau) if n > k else [Fraction(1)]:
            yield _two_levels(family, n, k, distance, case.rows, point)


def value_at(expr: sp.Expr | None, point: Point) -> Fraction | None:
    """The value of a bound of the row: a number, or one of the variables."""
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
    width = value_at(family.width, point) if family.quantity == "value_error" else None
    values = None
    if width is not None:
        # |sum (p - h) v| is largest for values at the upper end exactly where p > h (A7.tight).
        low = value_at(family.lowest, point) or Fraction(0)
        values = tuple(low if group[2] or kind == "low" else low + width for group in groups)
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
            low = value_at(family.lowest, point) or Fraction(0)
            width = value_at(family.width, point) or Fraction(0)
            values = tuple(low if j == left or kind.endswith("low") else low + width for j in range(n))
        yield Rows(row, None, values)
