"""The value of a stated bound by a second way: a stack machine over exact fractions and mpmath intervals.

Independent of `checker.ball` and `checker.formula`: its own translation of sympy expressions, its own
arithmetic (`checker.mpinterval`, where the margins are stated and justified), no global state. Purely rational
subexpressions stay exact.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt
from typing import Any, TypeAlias

import sympy
from sympy.core.function import AppliedUndef

from checker import mpinterval as iv
from checker.env import Env
from checker.mpinterval import Interval
from checker.mptheta import theta

__all__ = ["EXTRA", "Interval", "evaluate"]

EXTRA = 32
"""Bits used beyond the precision asked for."""

Value: TypeAlias = Fraction | Interval
Code: TypeAlias = tuple[tuple[str, Any], ...]

_NAMES = {
    sympy.Add: "add",
    sympy.Mul: "mul",
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.tanh: "tanh",
    sympy.atanh: "atanh",
    sympy.Abs: "abs",
    sympy.Max: "max",
    sympy.Min: "min",
    sympy.floor: "floor",
    sympy.ceiling: "ceiling",
}


def evaluate(expr: sympy.Expr, env: Env, prec: int) -> Interval:
    """Return an interval containing the exact value of `expr` at `env`, computed with `prec` + 32 bits.

    Supports what `checker.ball.evaluate` does, and raises ValueError for the same reasons. What is not provably
    defined at this precision (a divisor that may be 0, the logarithm of what may be 0) gives `mpinterval.WHOLE`.
    """
    p = prec + EXTRA
    return _interval(_run(_translate(sympy.S(expr)), env, {}, p), p)


def _interval(value: Value, p: int) -> Interval:
    return value if isinstance(value, Interval) else iv.from_exact(value, p)


@lru_cache(maxsize=4096)
def _translate(expr: sympy.Expr) -> Code:
    return tuple(_instructions(expr))


def _instructions(expr: Any) -> Iterator[tuple[str, Any]]:
    """Yield the postfix program of an expression."""
    if expr.is_Rational:
        yield "push", Fraction(int(expr.p), int(expr.q))
    elif expr.is_Symbol:
        yield "load", expr.name
    elif expr == sympy.E:
        yield "push", Fraction(1)
        yield "exp", 1
    elif expr.is_Pow:
        base, exponent = expr.as_base_exp() if isinstance(expr, sympy.exp) else expr.args
        if isinstance(base, sympy.exp) or base == sympy.E:
            # exp(x)^y = exp(x y) for all real x, y.
            yield from _instructions(base.exp if isinstance(base, sympy.exp) else sympy.S.One)
            yield from _instructions(exponent)
            yield "mul", 2
            yield "exp", 1
        else:
            yield from _instructions(base)
            yield from _instructions(exponent)
            yield "pow", 2
    elif isinstance(expr, sympy.Sum):
        if len(expr.limits) != 1 or tuple(expr.limits[0][1:]) not in _all_positions(expr):
            raise ValueError(f"only sums over all positions (j, 1, n) can be evaluated, not {expr}")
        yield "sum", (expr.limits[0][0].name, _translate(expr.function))
    elif isinstance(expr, AppliedUndef):
        if str(expr.func) == "MaxOver" and len(expr.args) == 4 and expr.args[1].is_Symbol:
            body, variable, low, high = expr.args
            yield from _instructions(low)
            yield from _instructions(high)
            yield "maxover", (variable.name, _translate(body))
        elif str(expr.func) == "Theta" and len(expr.args) == 1:
            yield from _instructions(expr.args[0])
            yield "theta", 1
        elif len(expr.args) == 1 and expr.args[0].is_Symbol:
            yield "row", (str(expr.func), expr.args[0].name)
        else:
            raise ValueError(f"unknown function in {expr}")
    elif expr.func in _NAMES:
        for argument in expr.args:
            yield from _instructions(argument)
        yield _NAMES[expr.func], len(expr.args)
    else:
        raise ValueError(f"cannot evaluate {type(expr).__name__} {expr}")


def _all_positions(expr: Any) -> list[tuple[Any, Any]]:
    return [(sympy.S.One, symbol) for symbol in expr.free_symbols if symbol.name == "n"]


def _run(code: Code, env: Env, bound: dict[str, Any], p: int) -> Value:
    """Run a program; `bound` maps MaxOver variables to Fractions and positions to group numbers (ints)."""
    stack: list[Value] = []
    for operation, operand in code:
        if operation == "push":
            stack.append(operand)
        elif operation == "load":
            stack.append(_load(operand, env, bound))
        elif operation == "row":
            stack.append(_row_value(operand, env, bound))
        elif operation == "sum":
            stack.append(_sum_value(operand, env, bound, p))
        elif operation == "maxover":
            high, low = stack.pop(), stack.pop()
            stack.append(_max_over(operand, low, high, env, bound, p))
        else:
            arguments = stack[-operand:]
            del stack[-operand:]
            stack.append(_apply(operation, arguments, p))
    (result,) = stack
    return result


def _load(name: str, env: Env, bound: dict[str, Any]) -> Fraction:
    value = bound.get(name, env.scalars.get(name))
    if not isinstance(value, Fraction):
        raise ValueError(f"the symbol {name} has no value here")
    return value


def _row_value(operand: tuple[str, str], env: Env, bound: dict[str, Any]) -> Fraction:
    name, position = operand
    if name not in env.rows or type(bound.get(position)) is not int:
        raise ValueError(f"{name}({position}) has no value: unknown row, or a position outside a sum")
    return env.rows[name][bound[position]]


def _sum_value(operand: tuple[str, Code], env: Env, bound: dict[str, Any], p: int) -> Value:
    position, body = operand
    count = sum(env.multiplicities)
    if position in bound or env.scalars.get("n", Fraction(count)) != count:
        raise ValueError(f"a sum over {count} positions does not fit n, or reuses the variable {position}")
    total: Value = Fraction(0)
    for group, multiplicity in enumerate(env.multiplicities):
        value = _run(body, env, {**bound, position: group}, p)
        total = _plus(total, _times(Fraction(multiplicity), value, p), p)
    return total


def _max_over(operand: tuple[str, Code], low: Value, high: Value, env: Env, bound: dict[str, Any], p: int) -> Value:
    variable, body = operand
    if not isinstance(low, Fraction) or not isinstance(high, Fraction) or variable in bound:
        raise ValueError(f"the range of {variable} in MaxOver must be exact and its name unused")
    if low.denominator != 1 or high.denominator != 1 or not 0 <= high - low <= 10**5:
        raise ValueError(f"MaxOver over {variable} needs integers lo <= hi <= lo + 10^5")
    best: Value | None = None
    for a in range(low.numerator, high.numerator + 1):
        value = _run(body, env, {**bound, variable: Fraction(a)}, p)
        best = value if best is None else _larger(best, value, p)
    assert best is not None
    return best


def _plus(x: Value, y: Value, p: int) -> Value:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x + y
    return iv.add(_interval(x, p), _interval(y, p), p)


def _times(x: Value, y: Value, p: int) -> Value:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    if (x == 0 and _finite(y)) or (y == 0 and _finite(x)):
        return Fraction(0)
    return iv.mul(_interval(x, p), _interval(y, p), p)


def _finite(x: Value) -> bool:
    return isinstance(x, Fraction) or x.is_finite


def _larger(x: Value, y: Value, p: int) -> Value:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return max(x, y)
    return iv.maximum(_interval(x, p), _interval(y, p))


def _negative(x: Value) -> Value:
    return -x if isinstance(x, Fraction) else iv.neg(x)


def _apply(operation: str, arguments: list[Value], p: int) -> Value:
    x = arguments[0]
    if operation in ("add", "mul", "max"):
        combine = {"add": _plus, "mul": _times, "max": _larger}[operation]
        # Exact factors and terms first, so that they combine exactly.
        ordered = sorted(arguments, key=lambda argument: isinstance(argument, Interval))
        x = ordered[0]
        for y in ordered[1:]:
            x = combine(x, y, p)
        return x
    if operation == "min":
        return _negative(_apply("max", [_negative(y) for y in arguments], p))
    if operation == "theta":
        return theta(_interval(x, p), p)
    if operation == "pow":
        return _raise(x, arguments[1], p)
    if isinstance(x, Fraction):
        return _apply_exact(operation, x, p)
    if operation == "abs":
        return iv.absolute(x)
    if operation in ("floor", "ceiling"):
        if not x.is_finite:
            return iv.WHOLE
        whole = floor if operation == "floor" else ceil
        low, high = Fraction(whole(x.lower)), Fraction(whole(x.upper))
        return Interval(iv.from_exact(low, p).lo, iv.from_exact(high, p).hi)
    function = {"exp": iv.exp, "log": iv.log, "tanh": iv.tanh, "atanh": iv.atanh}[operation]
    return function(x, p)


def _apply_exact(operation: str, x: Fraction, p: int) -> Value:
    """Apply a function to an exact argument; x = 0 (x = 1 for log) has an exact result."""
    if operation == "abs":
        return abs(x)
    if operation in ("floor", "ceiling"):
        return Fraction(floor(x) if operation == "floor" else ceil(x))
    if operation == "exp":
        return iv.exp_exact(x, p) if x else Fraction(1)
    if operation == "log":
        if x <= 0:
            raise ValueError("logarithm of a number that is not positive")
        if x == 1:
            return Fraction(0)
        distance = x - 1
        zeros = max(0, distance.denominator.bit_length() - abs(distance.numerator).bit_length() + 1)
        if zeros > p:
            # d / (1 + d) <= log(1 + d) <= d for d > -1.
            return Interval(iv.from_exact(distance / x, p).lo, iv.from_exact(distance, p).hi)
        # log x is about x - 1 near 1: as many extra bits as x - 1 has zeros after the point.
        q = p + zeros
        return iv.log(iv.from_exact(x, q), q)
    if operation == "atanh" and abs(x) >= 1:
        raise ValueError("atanh of a number outside (-1, 1)")
    if not x:
        return x
    return (iv.tanh if operation == "tanh" else iv.atanh)(iv.from_exact(x, p), p)


def _raise(base: Value, exponent: Value, p: int) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator <= 2:
        m = exponent.numerator
        if exponent.denominator == 2:
            base = _root(base, p)
        if isinstance(base, Fraction):
            if base == 0 and m < 0:
                raise ValueError("division by zero")
            size = max(abs(base.numerator), base.denominator).bit_length()
            if size * abs(m) <= 10**5 or base in (0, 1, -1):
                return base**m if m >= 0 else 1 / base**-m
        q = p + m.bit_length()  # relative errors grow by the factor |m|
        return iv.power(_interval(base, q), m, q)
    if base == 0 and isinstance(exponent, Fraction) and exponent > 0:
        return Fraction(0)
    # x^y = exp(y log x) for x > 0.
    logarithm = _apply_exact("log", base, p) if isinstance(base, Fraction) else iv.log(base, p)
    product = _times(exponent, logarithm, p)
    return _apply("exp", [product], p)


def _root(x: Value, p: int) -> Value:
    if isinstance(x, Fraction):
        if x < 0:
            raise ValueError("square root of a negative number")
        exact = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        return exact if exact * exact == x else iv.root(iv.from_exact(x, p), p)
    return iv.root(x, p)
