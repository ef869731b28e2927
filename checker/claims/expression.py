"""Terms over the declared variables, as sympy expressions with the conditions under which they are defined.

sympy cancels while it builds (x/x = 1, exp(log x) = x), so what a term divides by, and what it takes a logarithm or a
root of, is kept beside it: a term is defined where all its conditions hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

import sympy as sp

from checker.errors import InputError
from checker.exact import exact
from proofs.a_softmax_gap import row
from proofs.b_positional import b2_both_sides

left, right = b2_both_sides.left, b2_both_sides.right
n, k, gamma, delta, eta, tau, eps = row.n, row.k, row.gamma, row.delta, row.eta, row.tau, row.eps
D, C = sp.symbols("D C", real=True)
VARIABLES: dict[str, sp.Symbol] = {
    "n": n, "k": k, "l": left, "r": right, "gamma": gamma, "delta": delta, "eta": eta, "tau": tau, "eps": eps,
    "D": D, "C": C,
}  # fmt: skip
INTEGERS = (n, k, left, right)
SCORES = (gamma, delta, eta)  # in units of score, like tau

MAX_POWER = 64
"""Largest exponent written as a number."""

MAX_DEGREE = 4 * MAX_POWER
MAX_TERMS = 5000
"""Most factors and terms of a power that is multiplied out."""

MAX_NUMBER = 10**100
"""Largest numerator or denominator of a number."""


@dataclass(frozen=True)
class Condition:
    """`expr op 0`, with op one of != > >=, and what it is needed for."""

    expr: sp.Expr
    op: str
    why: str

    def __str__(self) -> str:
        return f"{self.expr} {self.op} 0"


@dataclass(frozen=True)
class Term:
    """A sympy expression with the conditions under which what was written is defined."""

    expr: sp.Expr
    conditions: tuple[Condition, ...] = ()


def number(text: str) -> Term:
    """A number, exactly as it is written."""
    return Term(rational(exact(text, "the number")))


def rational(value: Fraction) -> sp.Rational:
    """An exact number for sympy; InputError when it is too long."""
    if max(abs(value.numerator), value.denominator) > MAX_NUMBER:
        raise InputError("this number is too long; at most 100 digits are accepted")
    return sp.Rational(value.numerator, value.denominator)


def variable(name: str) -> Term:
    """A declared variable."""
    return Term(VARIABLES[name])


def combine(op: str, a: Term, b: Term) -> Term:
    """a + b, a - b, a * b or a / b."""
    conditions = merged(a, b)
    if op == "+":
        return Term(a.expr + b.expr, conditions)
    if op == "-":
        return Term(a.expr - b.expr, conditions)
    if op == "*":
        return Term(a.expr * b.expr, conditions)
    return Term(_over(a.expr, b.expr), (*conditions, *_needs(b.expr, "!=", "a denominator")))


def _over(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    if b == 0:
        raise InputError("this divides by 0")
    return a / b


def negative(a: Term) -> Term:
    """-a."""
    return Term(-a.expr, a.conditions)


def _not_too_large(base: sp.Expr, exponent: int) -> None:
    """Refuse a whole power that has too many digits, factors or terms when it is multiplied out."""
    if base.is_Rational and max(abs(base.p), base.q) > 1:
        digits = abs(exponent) * max(len(str(abs(base.p))), len(str(base.q)))
        if digits > 2 * len(str(MAX_NUMBER)):
            raise InputError("this power of a number is too long; at most 100 digits are accepted")
    elif abs(exponent) * degree(base) > MAX_DEGREE or comb(width(base) + abs(exponent) - 1, abs(exponent)) > MAX_TERMS:
        raise InputError(f"this power is too large; at most {MAX_DEGREE} factors and {MAX_TERMS} terms are accepted")


def degree(expr: sp.Expr) -> int:
    """About the number of factors when the term is multiplied out."""
    if isinstance(expr, sp.Add):
        return max(degree(arg) for arg in expr.args)
    if isinstance(expr, sp.Mul):
        return sum(degree(arg) for arg in expr.args)
    if isinstance(expr, sp.Pow) and expr.args[1].is_Rational:
        return max(1, abs(int(expr.args[1]))) * degree(expr.args[0])
    return 0 if expr.is_Rational else 1


def width(expr: sp.Expr) -> int:
    """About the number of terms when the term is multiplied out."""
    if isinstance(expr, sp.Add):
        return sum(width(arg) for arg in expr.args)
    if isinstance(expr, sp.Mul):
        return prod(width(arg) for arg in expr.args)
    if isinstance(expr, sp.Pow) and expr.args[1].is_Integer:
        power = abs(int(expr.args[1]))
        return comb(width(expr.args[0]) + power - 1, power)
    return 1


def power(a: Term, b: Term) -> Term:
    """a^b; a must be positive unless b is a whole number (nonzero for a negative one, nonnegative for a root)."""
    base, exponent, conditions = a.expr, b.expr, merged(a, b)
    if exponent.is_Rational and max(abs(exponent.p), exponent.q) > MAX_POWER:
        raise InputError(f"the exponent {exponent} is too large; at most {MAX_POWER} is accepted")
    if exponent.is_Integer:
        _not_too_large(base, int(exponent))
        if exponent < 0:
            conditions += _needs(base, "!=", "a denominator")
            if base == 0:
                raise InputError("this divides by 0")
    elif exponent.is_Rational and exponent > 0:
        conditions += _needs(base, ">=", "a root")
    else:
        conditions += _needs(base, ">", "the base of a power")
    if not exponent.is_Rational and base.is_Rational:
        if base <= 0:
            raise InputError(f"the base {base} of a power with a variable exponent must be > 0")
        return Term(sp.exp(exponent * sp.log(base)), conditions)
    if not exponent.is_Rational and not isinstance(base, sp.exp):
        return Term(sp.exp(exponent * sp.log(base)), conditions)
    return Term(base**exponent, conditions)


def function(name: str, arguments: Sequence[Term]) -> Term:
    """A function of one argument, or min and max of two or more."""
    conditions = merged(*arguments)
    exprs = [argument.expr for argument in arguments]
    if name in ("min", "max"):
        if len(exprs) < 2:
            raise InputError(f"{name} takes two or more arguments")
        return Term((sp.Min if name == "min" else sp.Max)(*exprs), conditions)
    if len(exprs) != 1:
        raise InputError(f"{name} takes one argument, got {len(exprs)}")
    (x,) = exprs
    if name == "log":
        if x.is_Rational and x <= 0:
            raise InputError(f"the logarithm of {x} is not defined")
        return Term(sp.log(x), conditions + _needs(x, ">", "a logarithm"))
    if name == "sqrt":
        if x.is_Rational and x < 0:
            raise InputError(f"the square root of {x} is not defined")
        return Term(sp.sqrt(x), conditions + _needs(x, ">=", "a root"))
    made = {"exp": sp.exp, "tanh": sp.tanh, "floor": sp.floor, "ceil": sp.ceiling, "abs": sp.Abs}[name](x)
    return Term(made, conditions)


def merged(*terms: Term) -> tuple[Condition, ...]:
    """The conditions of several terms, each once."""
    return tuple(dict.fromkeys(condition for term in terms for condition in term.conditions))


def _needs(expr: sp.Expr, op: str, why: str) -> tuple[Condition, ...]:
    known = expr.is_Rational and {"!=": expr != 0, ">": expr > 0, ">=": expr >= 0}[op]
    return () if known or isinstance(expr, sp.exp) else (Condition(expr, op, why),)
