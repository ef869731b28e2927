"""Exact equality of quantities and bounds, as rational functions of exponentials of rational numbers.

Both sides of a comparison at exact values are quotients of sums c_1 exp(x_1) + ... + c_m exp(x_m), c and x rational.
If the cross products agree coefficient by coefficient, both sides are equal, for certain: this decides what no
enclosure can, that a bound is attained. (The converse holds too, by the theorem of Lindemann and Weierstrass, but is
not used.) Signs of sums inside an absolute value are decided with Arb.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from checker.ball import ball, compare, working
from checker.decide import Exact, Expression, Side
from checker.env import Env
from checker.expsum import ExpSum
from checker.quantity import Quantity
from checker.sides import AbsoluteDifference, Affine
from checker.verdict import Verdict

SIGN_BITS = (128, 1024, 8192)
ONE = Fraction(1)


class UnsupportedError(Exception):
    """The expression is not a rational function of exponentials of rational numbers, or a sign is undecided."""


@dataclass(frozen=True)
class Formal:
    """numerator/denominator, sums of c exp(x) at temperature 1; the denominator is not zero."""

    numerator: ExpSum
    denominator: ExpSum

    def __add__(self, other: Formal) -> Formal:
        if self.denominator.terms == other.denominator.terms:
            return Formal(self.numerator + other.numerator, self.denominator)
        cross = self.numerator * other.denominator + other.numerator * self.denominator
        return Formal(cross, self.denominator * other.denominator)

    def __mul__(self, other: Formal) -> Formal:
        return Formal(self.numerator * other.numerator, self.denominator * other.denominator)

    def inverse(self) -> Formal:
        """1/x; raises UnsupportedError for x = 0."""
        if not self.numerator.terms:
            raise UnsupportedError("division by zero")
        return Formal(self.denominator, self.numerator)

    def equals(self, other: Formal) -> bool:
        """Whether the cross products agree coefficient by coefficient."""
        return (self.numerator * other.denominator).terms == (other.numerator * self.denominator).terms


def number(value: Fraction | int) -> Formal:
    """A rational number."""
    return Formal(ExpSum({Fraction(0): value}), ExpSum({Fraction(0): 1}))


def equal(lhs: Side, rhs: Side) -> bool:
    """Whether both sides are equal, proved exactly; False when they are not or when this cannot tell."""
    try:
        return formal(lhs).equals(formal(rhs))
    except UnsupportedError:
        return False


def formal(side: Side) -> Formal:
    """A side of a comparison in formal terms; raises UnsupportedError where it has no such form."""
    if isinstance(side, (int, Fraction)):
        return number(side)
    if isinstance(side, Exact):
        return number(side.value)
    if isinstance(side, Expression):
        if "formal" not in side.memo:
            side.memo["formal"] = _expression(side.expr, side.env, {})
        return side.memo["formal"]
    if isinstance(side, Quantity):
        return _quantity(side)
    if isinstance(side, Affine):
        return number(side.factor) * formal(side.side) + number(side.offset)
    if isinstance(side, AbsoluteDifference):
        difference = formal(side.first) + number(-1) * formal(side.second)
        return number(_sign_of(difference)) * difference
    raise UnsupportedError(type(side).__name__)


def _sign_of(value: Formal) -> int:
    return _sign(value.numerator, ONE) * _sign(value.denominator, ONE)


def _quantity(quantity: Quantity) -> Formal:
    ratio = quantity.ratio()
    numerator = ratio.numerator
    for factor, part in ratio.absolute:
        numerator += part.scale(factor * _sign(part, quantity.tau))
    return Formal(_at(numerator, quantity.tau), _at(ratio.denominator, quantity.tau))


def _at(total: ExpSum, tau: Fraction) -> ExpSum:
    return ExpSum({x / tau: c for x, c in total.terms.items()})


def _sign(total: ExpSum, tau: Fraction) -> int:
    """Sign of a formal sum, decided by Arb."""
    if not total.terms:
        return 0
    for bits in SIGN_BITS:
        enclosure = total.ball(tau, bits)
        with working(bits):
            if compare(enclosure, ">", ball(0)) is Verdict.HOLDS:
                return 1
            if compare(enclosure, "<", ball(0)) is Verdict.HOLDS:
                return -1
    raise UnsupportedError("a sign is undecided")


def _expression(expr: Any, env: Env, bound: dict[str, int]) -> Formal:
    """The value of a sympy expression; `bound` holds the current group of positions or integer of a maximum."""
    if expr.is_Rational:
        return number(Fraction(int(expr.p), int(expr.q)))
    if expr.is_Symbol:
        if expr.name in bound:
            return number(bound[expr.name])
        if expr.name not in env.scalars:
            raise UnsupportedError(f"no value for {expr.name}")
        return number(env.scalars[expr.name])
    if expr.is_Add or expr.is_Mul:
        parts = [_expression(arg, env, bound) for arg in expr.args]
        result = parts[0]
        for part in parts[1:]:
            result = result + part if expr.is_Add else result * part
        return result
    if expr.is_Pow and expr.exp.is_Integer:
        base = _expression(expr.base, env, bound)
        result = number(1)
        for _ in range(abs(int(expr.exp))):
            result = result * base
        return result if expr.exp > 0 else result.inverse()
    if isinstance(expr, sympy.exp):
        exponent = _rational(_expression(expr.args[0], env, bound))
        return Formal(ExpSum({exponent: 1}), ExpSum({Fraction(0): 1}))
    if isinstance(expr, sympy.tanh):
        twice = 2 * _rational(_expression(expr.args[0], env, bound))
        power = Formal(ExpSum({twice: 1}), ExpSum({Fraction(0): 1}))
        return (power + number(-1)) * (power + number(1)).inverse()
    if isinstance(expr, sympy.Sum):
        return _sum(expr, env, bound)
    if isinstance(expr, AppliedUndef):
        return _applied(expr, env, bound)
    raise UnsupportedError(f"{type(expr).__name__} is not rational in exponentials")


def _rational(value: Formal) -> Fraction:
    """The value of a formal number without exponentials."""
    parts = []
    for total in (value.numerator, value.denominator):
        if set(total.terms) - {Fraction(0)}:
            raise UnsupportedError("an exponent is not rational")
        parts.append(Fraction(total.terms.get(Fraction(0), 0)))
    return parts[0] / parts[1]


def _sum(expr: Any, env: Env, bound: dict[str, int]) -> Formal:
    (position, first, last), *more = expr.limits
    if more or first != 1 or str(last) != "n" or not env.multiplicities:
        raise UnsupportedError(f"{expr} is not a sum over all positions")
    result = number(0)
    for group, multiplicity in enumerate(env.multiplicities):
        term = _expression(expr.function, env, {**bound, f"position {position.name}": group})
        result = result + number(multiplicity) * term
    return result


def _applied(expr: Any, env: Env, bound: dict[str, int]) -> Formal:
    name = expr.func.__name__
    if name == "MaxOver":
        return _maximum(expr, env, bound)
    group = bound.get(f"position {expr.args[0]}")
    if len(expr.args) != 1 or group is None or name not in env.rows:
        raise UnsupportedError(f"no value for {expr}")
    return number(env.rows[name][group])


def _maximum(expr: Any, env: Env, bound: dict[str, int]) -> Formal:
    """A maximum: a candidate that Arb proves larger than every candidate that is not formally equal to it."""
    body, var, low, high = expr.args
    first, last = (_rational(_expression(end, env, bound)) for end in (low, high))
    if first.denominator != 1 or last.denominator != 1 or not 0 <= last - first <= 1000:
        raise UnsupportedError(f"no maximum over {first}..{last}: the ends must be integers, at most 1000 apart")
    integers = range(int(first), int(last) + 1)
    candidates = [_expression(body, env, {**bound, var.name: integer}) for integer in integers]
    best = candidates[0]
    for candidate in candidates[1:]:
        if candidate.equals(best):
            continue
        if _sign_of(candidate + number(-1) * best) > 0:
            best = candidate
    return best
