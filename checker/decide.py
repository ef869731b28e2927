"""Rigorous decisions: Arb decides at doubling precision, mpmath must agree, or an error is raised."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import sympy
from mpmath import libmp

from checker import ball as arb
from checker import mp
from checker import mpinterval as iv
from checker.ball import Ball
from checker.env import Env
from checker.errors import DisagreementError
from checker.exact import show
from checker.mpinterval import Interval
from checker.verdict import Decision, Verdict

START = 64
"""First precision in bits."""

MAXIMUM = 8192
"""Last precision in bits."""


class Enclosable(Protocol):
    """A real number with two independent enclosures at any precision."""

    def ball(self, prec: int) -> Ball: ...

    def mp(self, prec: int) -> Interval: ...


@dataclass(frozen=True)
class Expression:
    """A stated bound on a case: the value of a sympy expression at exact values of its symbols.

    Enclosures are remembered, so one object can be compared with many quantities at little cost; other modules may
    remember what they derive from the expression in `memo`.
    """

    expr: sympy.Expr
    env: Env
    _balls: dict[int, Ball] = field(default_factory=dict, init=False, repr=False, compare=False)
    _intervals: dict[int, Interval] = field(default_factory=dict, init=False, repr=False, compare=False)
    memo: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {show(value)}" for name, value in self.env.scalars.items())
        return f"{self.expr} at {values}" if values else str(self.expr)

    def ball(self, prec: int) -> Ball:
        """Return Arb's enclosure; raises ValueError as `checker.ball.evaluate` does."""
        if prec not in self._balls:
            self._balls[prec] = arb.evaluate(self.expr, self.env, prec)
        return self._balls[prec]

    def mp(self, prec: int) -> Interval:
        """Return mpmath's enclosure; raises ValueError as `checker.mp.evaluate` does."""
        if prec not in self._intervals:
            self._intervals[prec] = mp.evaluate(self.expr, self.env, prec)
        return self._intervals[prec]


@dataclass(frozen=True)
class Exact:
    """An exact number, as one side of a comparison."""

    value: int | Fraction

    def __str__(self) -> str:
        return show(self.value)

    def ball(self, prec: int) -> Ball:
        """Return Arb's enclosure."""
        with arb.working(prec):
            return arb.ball(self.value)

    def mp(self, prec: int) -> Interval:
        """Return mpmath's enclosure."""
        return iv.from_exact(self.value, prec + mp.EXTRA)


Side: TypeAlias = Enclosable | int | Fraction


def decide(lhs: Side, relation: str, rhs: Side, *, start: int = START, maximum: int = MAXIMUM) -> Decision:
    """Decide `lhs relation rhs` ("<", "<=", ">", ">=", "=") rigorously.

    Precision doubles from `start` until Arb's enclosures decide, at most to `maximum` bits; UNDECIDED carries
    the last precision. At that precision mpmath's enclosures of both sides must overlap Arb's and must not
    decide the opposite: otherwise DisagreementError is raised.
    Two equal transcendental numbers are UNDECIDED under "<=" and "="; see `agree`.
    """
    left, right = _side(lhs), _side(rhs)
    for prec in _precisions(start, maximum):
        left_ball, right_ball = left.ball(prec), right.ball(prec)
        verdict = arb.compare(left_ball, relation, right_ball)
        if verdict is not Verdict.UNDECIDED or prec == maximum:
            break
    left_interval = _cross_check(left, left_ball, prec)
    right_interval = _cross_check(right, right_ball, prec)
    second = _compare_intervals(left_interval, relation, right_interval)
    if {verdict, second} == {Verdict.HOLDS, Verdict.FAILS}:
        raise DisagreementError(f"Arb says {verdict}, mpmath says {second} at {prec} bits: {left} {relation} {right}")
    return Decision(verdict, prec)


def agree(lhs: Side, rhs: Side, digits: int = 30, *, start: int = START, maximum: int = MAXIMUM) -> Decision:
    """Decide whether two numbers agree to `digits` significant digits.

    HOLDS when Arb's enclosures, taken together, have relative width below 10^-digits (or both are the same
    exact number); FAILS when they are disjoint: the numbers differ, perhaps by very little; else UNDECIDED.
    Each enclosure must overlap mpmath's, or DisagreementError is raised. HOLDS does not prove equality.
    """
    left, right = _side(lhs), _side(rhs)
    for prec in _precisions(start, maximum):
        left_ball, right_ball = left.ball(prec), right.ball(prec)
        verdict = arb.close(left_ball, right_ball, digits)
        if verdict is not Verdict.UNDECIDED or prec == maximum:
            break
    _cross_check(left, left_ball, prec)
    _cross_check(right, right_ball, prec)
    return Decision(verdict, prec)


def _side(side: Side) -> Enclosable:
    return Exact(side) if isinstance(side, (int, Fraction)) else side


def _precisions(start: int, maximum: int) -> Iterator[int]:
    """Yield start, 2 start, 4 start, ... and last `maximum`."""
    if not 2 <= start <= maximum:
        raise ValueError(f"precisions must satisfy 2 <= start <= maximum, got {start} and {maximum}")
    prec = start
    while prec < maximum:
        yield prec
        prec *= 2
    yield maximum


def _cross_check(side: Enclosable, enclosure: Ball, prec: int) -> Interval:
    """Return mpmath's enclosure; raises DisagreementError when it and Arb's have no point in common."""
    interval = side.mp(prec)
    if interval.is_finite and enclosure.is_finite():
        low, high = (libmp.from_man_exp(*end) for end in arb.outer(enclosure, prec))
        # Disjoint iff one upper end lies below the other lower end; Arb's ends are rounded outward.
        if iv.compare_ends(interval.hi, low) < 0 or iv.compare_ends(high, interval.lo) < 0:
            raise DisagreementError(f"Arb and mpmath exclude each other at {prec} bits on {side}")
    return interval


def _compare_intervals(lhs: Interval, relation: str, rhs: Interval) -> Verdict:
    if not (lhs.is_finite and rhs.is_finite):
        return Verdict.UNDECIDED
    if relation in (">", ">="):
        lhs, rhs, relation = rhs, lhs, "<" if relation == ">" else "<="
    below, above = iv.compare_ends(lhs.hi, rhs.lo), iv.compare_ends(lhs.lo, rhs.hi)
    if relation == "=":
        if below < 0 or above > 0:
            return Verdict.FAILS
        return Verdict.HOLDS if below == 0 and above == 0 else Verdict.UNDECIDED
    if below < 0 or (relation == "<=" and below == 0):
        return Verdict.HOLDS
    if above > 0 or (relation == "<" and above == 0):
        return Verdict.FAILS
    return Verdict.UNDECIDED
