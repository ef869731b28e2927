"""Compile a sympy expression once into closures that evaluate it on exact fractions and balls.

Values are ints and Fractions as long as everything is rational, and balls from the first transcendental
function on. (Two ints are never divided with `/`, which would make a float.)
This module never imports the ball library: the two functions that make balls come with the state, and the
rest are operators and methods of the balls. `checker.ball.evaluate` is its public face.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt
from typing import Any, TypeAlias

import sympy
from sympy.core.function import AppliedUndef

from checker.env import Env
from checker.exact import show

MAX_RANGE = 10**5
"""Most integers a MaxOver may range over."""

_EXACT_POWER_BITS = 10**5  # a rational power is computed exactly up to about this many bits

Value: TypeAlias = Any  # an int, a Fraction or a ball
_EXACT = (int, Fraction)


@dataclass(slots=True)
class State:
    """What a compiled expression reads: values, precision, how to make balls, and the bound variables."""

    env: Env
    prec: int
    ball: Callable[[int | Fraction], Any]
    exp_ball: Callable[[Fraction, int], Any]
    theta: Callable[[Any], Any]
    bound: dict[str, int] = field(default_factory=dict)  # MaxOver variables
    groups: dict[str, int] = field(default_factory=dict)  # Sum variables: the current group of positions

    def as_ball(self, value: Value) -> Any:
        """Return the value as a ball at the working precision."""
        return self.ball(value) if type(value) in _EXACT else value


Program: TypeAlias = Callable[[State], Value]


@lru_cache(maxsize=4096)
def compiled(expr: sympy.Expr) -> Program:
    """Return the program of an expression; raises ValueError, naming it, for anything unsupported."""
    if isinstance(expr, (int, Fraction)):
        expr = sympy.Rational(expr.numerator, expr.denominator)
    if isinstance(expr, sympy.Rational):
        return _constant(_exact(Fraction(int(expr.p), int(expr.q))))
    if expr is sympy.E:
        return lambda state: state.exp_ball(Fraction(1), state.prec)
    if isinstance(expr, sympy.Symbol):
        return _symbol(expr.name)
    if isinstance(expr, sympy.Pow):
        return _pow(expr)
    if isinstance(expr, sympy.Sum):
        return _sum(expr)
    if isinstance(expr, AppliedUndef) and expr.func.__name__ == "Theta" and len(expr.args) == 1:
        argument = compiled(expr.args[0])
        return lambda state: state.theta(state.as_ball(argument(state)))
    if isinstance(expr, AppliedUndef):
        return _max_over(expr) if expr.func.__name__ == "MaxOver" else _row(expr)
    operation = _OPERATIONS.get(getattr(expr, "func", None))
    if operation is None:
        raise ValueError(f"cannot evaluate {type(expr).__name__} {expr}; the supported forms are exact")
    arguments = [compiled(argument) for argument in expr.args]
    return lambda state: operation(state, [argument(state) for argument in arguments])


def _exact(number: Fraction) -> int | Fraction:
    return number.numerator if number.denominator == 1 else number


def _constant(number: int | Fraction) -> Program:
    def program(_: State) -> Value:
        return number

    return program


def _symbol(name: str) -> Program:
    def program(state: State) -> Value:
        if name in state.bound:
            return state.bound[name]
        value = state.env.scalars.get(name)
        if value is None:
            hint = "; a position may only occur inside a row function" if name in state.groups else ""
            raise ValueError(f"no value for the symbol {name}{hint}")
        return _exact(value)

    return program


def _row(expr: Any) -> Program:
    name = expr.func.__name__
    if len(expr.args) != 1 or not isinstance(expr.args[0], sympy.Symbol):
        raise ValueError(f"cannot evaluate {expr}: a row function takes one position variable")
    position = expr.args[0].name

    def program(state: State) -> Value:
        if name not in state.env.rows:
            raise ValueError(f"no row for the function {name}")
        if position not in state.groups:
            raise ValueError(f"the position {position} of {name}({position}) is not bound by a Sum")
        return _exact(state.env.rows[name][state.groups[position]])

    return program


def _sum(expr: Any) -> Program:
    limits = expr.limits
    if len(limits) != 1 or len(limits[0]) != 3 or limits[0][1] != 1 or str(limits[0][2]) != "n":
        raise ValueError(f"cannot evaluate {expr}: only Sum(body, (j, 1, n)) over all positions is supported")
    position, body = limits[0][0].name, compiled(expr.function)

    def program(state: State) -> Value:
        env = state.env
        if env.scalars.get("n", env.n) != env.n:
            raise ValueError(f"n = {show(env.scalars['n'])}, but the groups hold {env.n} positions")
        if position in state.groups:
            raise ValueError(f"the position {position} is bound by two nested sums")
        terms = []
        for group, multiplicity in enumerate(env.multiplicities):
            state.groups[position] = group
            terms.append(_mul(state, [multiplicity, body(state)]))
        state.groups.pop(position, None)
        return _add(state, terms)

    return program


def _max_over(expr: Any) -> Program:
    if len(expr.args) != 4 or not isinstance(expr.args[1], sympy.Symbol):
        raise ValueError(f"cannot evaluate {expr}: write MaxOver(body, variable, lowest, highest)")
    name = expr.args[1].name
    body, lowest, highest = (compiled(expr.args[i]) for i in (0, 2, 3))

    def program(state: State) -> Value:
        low, high = lowest(state), highest(state)
        if type(low) not in _EXACT or type(high) not in _EXACT or low.denominator * high.denominator != 1:
            raise ValueError(f"the range of {name} in MaxOver must have exact integer ends")
        if high < low or high - low > MAX_RANGE:
            raise ValueError(f"MaxOver needs 0 <= hi - lo <= {MAX_RANGE}, got {show(low)}..{show(high)}")
        if name in state.bound:
            raise ValueError(f"the variable {name} is bound by two nested MaxOver")
        values = []
        for a in range(int(low), int(high) + 1):
            state.bound[name] = a
            values.append(body(state))
        state.bound.pop(name)
        return _max(state, values)

    return program


def _pow(expr: Any) -> Program:
    exponent = compiled(expr.args[1])
    if isinstance(expr.args[0], sympy.exp) or expr.args[0] is sympy.E:
        inner = compiled(expr.args[0].args[0]) if expr.args[0].args else _constant(1)
        # exp(x)^y = exp(x y) for all real x, y.
        return lambda state: _exp(state, [_mul(state, [inner(state), exponent(state)])])
    base = compiled(expr.args[0])
    return lambda state: _power(state, base(state), exponent(state))


def _power(state: State, base: Value, exponent: Value) -> Value:
    if type(exponent) in _EXACT:
        if exponent.denominator <= 2:
            root = base if exponent.denominator == 1 else _sqrt(state, base)
            return _integer_power(state, root, exponent.numerator)
        if type(base) in _EXACT and base == 0 and exponent > 0:
            return 0
    # x^y = exp(y log x) for x > 0.
    return _exp(state, [_mul(state, [exponent, _log(state, [base])])])


def _integer_power(state: State, base: Value, exponent: int) -> Value:
    if exponent < 0:
        power = _integer_power(state, base, -exponent)
        if type(power) not in _EXACT:
            return 1 / power
        if power == 0:
            raise ValueError("division by zero in an expression")
        return Fraction(1) / power
    if type(base) in _EXACT:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits <= 1 or bits * exponent <= _EXACT_POWER_BITS:
            return base**exponent
        base = state.ball(base)
    result = None
    while exponent:
        # base * base is also an enclosure of the square when the ball contains 0.
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return 1 if result is None else result  # x^0 = 1, also for x = 0


def _sqrt(state: State, value: Value) -> Value:
    if value < 0:  # for a ball: all its points are negative
        raise ValueError("square root of a negative number in an expression")
    if type(value) in _EXACT:
        root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
        if root * root == value:
            return root
    return state.as_ball(value).sqrt()


def _add(state: State, values: list[Value]) -> Value:
    exact: int | Fraction = 0
    inexact = None
    for value in values:
        if type(value) in _EXACT:
            exact += value
        else:
            inexact = value if inexact is None else inexact + value
    if inexact is None:
        return exact
    return inexact + state.ball(exact) if exact else inexact


def _mul(state: State, values: list[Value]) -> Value:
    exact: int | Fraction = 1
    inexact = None
    for value in values:
        if type(value) in _EXACT:
            exact *= value
        else:
            inexact = value if inexact is None else inexact * value
    if inexact is None:
        return exact
    if exact == 1 or not inexact.is_finite():
        return inexact
    return state.ball(exact) * inexact if exact else exact  # 0 x = 0 for every finite x


def _exp(state: State, values: list[Value]) -> Value:
    (x,) = values
    if type(x) not in _EXACT:
        return x.exp()
    return state.exp_ball(x, state.prec) if x else 1


def _log(state: State, values: list[Value]) -> Value:
    (x,) = values
    if x <= 0:  # for a ball: all its points are
        raise ValueError("logarithm of a number <= 0 in an expression")
    if type(x) not in _EXACT:
        return x.log()
    if x == 1:
        return 0
    # log(x) = log1p(x - 1) keeps the relative accuracy near 1.
    return state.ball(x - 1).log1p() if Fraction(1, 2) < x < 2 else state.ball(x).log()


def _tanh(state: State, values: list[Value]) -> Value:
    (x,) = values
    return state.as_ball(x).tanh() if type(x) not in _EXACT or x else x


def _atanh(state: State, values: list[Value]) -> Value:
    (x,) = values
    if x <= -1 or x >= 1:  # for a ball: all its points are
        raise ValueError("atanh of a number outside (-1, 1) in an expression")
    return state.as_ball(x).atanh() if type(x) not in _EXACT or x else x


def _max(state: State, values: list[Value]) -> Value:
    exact = [value for value in values if type(value) in _EXACT]
    inexact = [value for value in values if type(value) not in _EXACT]
    if not inexact:
        return max(exact)
    result = inexact[0]
    for value in [*inexact[1:], *(state.ball(value) for value in ([max(exact)] if exact else []))]:
        result = result.max(value)
    return result


def _min(state: State, values: list[Value]) -> Value:
    return -_max(state, [-value for value in values])


def _abs(_: State, values: list[Value]) -> Value:
    return abs(values[0])


def _floor(_: State, values: list[Value]) -> Value:
    (x,) = values
    return floor(x) if type(x) in _EXACT else x.floor()


def _ceiling(_: State, values: list[Value]) -> Value:
    (x,) = values
    return ceil(x) if type(x) in _EXACT else x.ceil()


_OPERATIONS: dict[Any, Callable[[State, list[Value]], Value]] = {
    sympy.Add: _add,
    sympy.Mul: _mul,
    sympy.exp: _exp,
    sympy.log: _log,
    sympy.tanh: _tanh,
    sympy.atanh: _atanh,
    sympy.Max: _max,
    sympy.Min: _min,
    sympy.Abs: _abs,
    sympy.floor: _floor,
    sympy.ceiling: _ceiling,
}
