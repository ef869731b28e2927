"""What a positional expression is worth at each kind of position, shown to be defined there for every length."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from checker.certify.form import ZERO, Form, Ranged, bit, number, product, total
from checker.certify.rational import (
    POSITION,
    Coefficient,
    N,
    Region,
    defined,
    nonnegative,
    over,
    plus,
    positive,
    times,
)
from checker.logic import normal
from checker.position import Comparison, Expression, Op

_MINUS = Fraction(-1)
_MOST_POWER = 64
_MOST_TERMS = 1000


class UnclearError(Exception):
    """Something whose meaning, or existence, is not shown; the text says what."""


@lru_cache(maxsize=1 << 12)
def content(expression: Expression, region: Region) -> Form:
    """The value at the positions of the region, for every n >= 1.

    A bracket is the truth value of its comparisons at word positions, where they are not constant. Raises UnclearError
    where a division or a remainder is not shown to be defined.
    """
    op = expression.op
    if op is Op.NUMBER:
        value: Any = expression.value
        return number(value)
    if op is Op.VARIABLE:
        return number(POSITION[region] if expression.value == "i" else N)
    if op is Op.BRACKET:
        return _bracket(expression, region)
    parts = [content(part, region) for part in expression.parts]
    if op is Op.ADD or op is Op.SUB:
        if _size(parts[0]) * _size(parts[1]) > _MOST_TERMS:  # as large as that over a common denominator
            return unknown(f"{expression} adds up to too many terms")
        return total([(Fraction(1), parts[0]), (Fraction(1) if op is Op.ADD else _MINUS, parts[1])])
    if op is Op.MUL:
        return _product(parts[0], parts[1], expression)
    if op is Op.POWER:
        exponent: Any = expression.value
        if exponent > _MOST_POWER and parts[0].terms.keys() - {None}:
            return unknown(f"{expression} has a large exponent")
        result = number(Fraction(1))
        for _ in range(exponent):
            result = _product(result, parts[0], expression)
        return result
    if op is Op.DIV:
        if parts[1].atoms or not defined(parts[1].constant, region):
            raise UnclearError(f"{expression}: the divisor is not shown to differ from 0 at {region.value}")
        return total([(over(Fraction(1), parts[1].constant), parts[0])])
    if op is Op.MODULO:
        if not (_integer(expression.parts[0]) and _integer(expression.parts[1]) and _natural(parts[1], region)):
            raise UnclearError(f"{expression}: not shown to be a remainder of integers at {region.value}")
        return unknown(f"the remainder {expression} outside a comparison")
    raise AssertionError(op)


def unknown(reason: str) -> Form:
    """A number of which nothing is known."""
    return Form({Ranged(None, None, reason): Fraction(1)})


def _size(form: Form) -> int:
    """How many terms the coefficients of a form have."""
    return sum(1 if isinstance(c, Fraction) else len(c.numer) + len(c.denom) for c in form.terms.values())


def _product(left: Form, right: Form, expression: Expression) -> Form:
    if _size(left) * _size(right) > _MOST_TERMS:
        return unknown(f"{expression} multiplies out to too many terms")
    found = product(left, right)
    return unknown(f"the product {expression}") if found is None else found


def _natural(divisor: Form, region: Region) -> bool:
    """Whether the divisor of a remainder, an integer, is shown to be >= 1."""
    return not divisor.atoms and positive(divisor.constant, region)


def _integer(expression: Expression) -> bool:
    """Whether the expression is shown to be an integer wherever it is defined."""
    if expression.op is Op.NUMBER:
        value: Any = expression.value
        return bool(value.denominator == 1)
    if expression.op in (Op.VARIABLE, Op.BRACKET, Op.MODULO):
        return True
    return expression.op is not Op.DIV and all(_integer(part) for part in expression.parts)


def _bracket(expression: Expression, region: Region) -> Form:
    result = number(Fraction(1))
    for comparison in expression.parts:
        known = decided(comparison, region)
        if known is False:
            return ZERO  # those that follow are not looked at, and need not be defined
        if known:
            continue
        if region is Region.WORD:
            factor = bit(normal.position(comparison))
        else:
            factor = Form(
                {
                    Ranged(
                        Fraction(0), Fraction(1), f"[{comparison}] depends on the length at {region.value}"
                    ): Fraction(1)
                }
            )
        if result.unknown and factor.unknown:
            continue  # a product of numbers in [0, 1] lies in [0, 1]
        result = _product(result, factor, expression)
    return result


def decided(comparison: Comparison, region: Region) -> bool | None:
    """Whether the comparison holds (or fails) everywhere in the region; None where it depends, or is not shown.

    Raises UnclearError where a side is not shown to be defined.
    """
    left, right = content(comparison.left, region), content(comparison.right, region)
    if region is Region.BEGIN and comparison.variables <= {"i"}:
        return comparison.at(0, 1)
    difference = total([(Fraction(1), right), (_MINUS, left)])
    return None if difference.atoms else _sign(difference.constant, comparison.relation, region)


def _sign(x: Coefficient, relation: str, region: Region) -> bool | None:
    """Whether 0 `relation` x."""
    if relation in (">", ">="):
        x, relation = times(_MINUS, x), {">": "<", ">=": "<="}[relation]
    if relation in ("==", "!="):
        if x == 0:
            return relation == "=="
        differs = positive(x, region) or positive(times(_MINUS, x), region)
        return relation == "!=" if differs else None
    holds = {"<": positive, "<=": nonnegative}[relation](x, region)
    fails = {"<": nonnegative, "<=": positive}[relation](times(_MINUS, x), region)
    return True if holds else False if fails else None


def temperature(expression: Expression) -> Coefficient:
    """The temperature as a function of n, shown to be positive for every n >= 1; UnclearError otherwise."""
    found = content(expression, Region.WORD)
    if "i" in expression.variables or found.atoms or not positive(found.constant, Region.WORD):
        raise UnclearError(f"the temperature {expression} is not shown to be a positive function of the length")
    return found.constant


def power_law(tau: Coefficient, most: int = 12) -> tuple[Fraction, int] | None:
    """(tau_0, d) when the temperature is tau_0/(n + 2)^d; None otherwise."""
    for exponent in range(most + 1):
        if isinstance(tau, Fraction):
            return tau, exponent
        tau = times(tau, plus(N, Fraction(2)))
    return None
