"""Exact values of the rational parts of a stated claim: symbols and functions of the position have exact values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

Function = Callable[[int], Fraction | int]


def value(
    expr: Any, scalars: Mapping[str, Fraction | int], functions: Mapping[str, Function] | None = None
) -> Fraction:
    """Return the value of a sympy expression built by +, *, integer powers, |.| and finite sums, exactly.

    scalars: values by name of a symbol; functions: by name of a function of the position. 1/0 is 0, as in the proofs.
    Raises TypeError for any other expression, KeyError for a name without a value.
    """
    functions = functions or {}
    if expr.is_Rational:
        return Fraction(int(expr.p), int(expr.q))
    if expr.is_Symbol:
        return Fraction(scalars[expr.name])
    if isinstance(expr, sp.Sum):
        (position, low, high), *more = expr.limits
        if more:
            raise TypeError(f"a sum over several positions has no value here: {expr}")
        ends = [value(end, scalars, functions) for end in (low, high)]
        places = range(int(ends[0]), int(ends[1]) + 1)
        return sum((value(expr.function, {**scalars, position.name: j}, functions) for j in places), Fraction(0))
    args = [value(arg, scalars, functions) for arg in expr.args]
    if isinstance(expr, AppliedUndef):
        return Fraction(functions[expr.func.__name__](int(args[0])))
    if expr.is_Add:
        return sum(args, Fraction(0))
    if isinstance(expr, sp.Abs):
        return abs(args[0])
    if expr.is_Mul:
        product = Fraction(1)
        for arg in args:
            product *= arg
        return product
    if expr.is_Pow and expr.exp.is_Integer:
        exponent = int(expr.exp)
        return Fraction(0) if args[0] == 0 and exponent < 0 else args[0] ** exponent
    raise TypeError(f"{expr} is not rational")


def row(values: tuple[Fraction | int, ...] | list[Fraction | int]) -> Function:
    """The function of the position with these values at 1, 2, ..."""
    return lambda j: values[j - 1]
