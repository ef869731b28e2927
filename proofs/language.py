"""The language of terms: what expressions propositions may be about, and substitution into them.

A term is built from rational numbers, e, symbols (real or integer, with no other assumption) and values of real
functions of the position by +, *, integer powers, exp, log, tanh, |.|, finite sums from 1 and maxima over a range.
Every term denotes a real number: 1/0 = 0, log x is some unknown real number for x <= 0, an empty sum is 0.

SymPy evaluates an expression as it builds it, and two of its evaluations are false in this reading: x*(1/x) = 1 at
x = 0, and exp(log x) = x at x <= 0. Substitution refuses to cause either (nor does it capture a bound variable), and
terms with a logarithm inside an exponential are not in the language: give the logarithm a name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

INDEX = sp.Symbol("j", integer=True)

MaxOver = sp.Function("MaxOver", real=True)
"""MaxOver(f, a, lo, hi) is the maximum of f over the integers a = lo..hi; a is bound."""

Theta = sp.Function("Theta", real=True)
"""Theta(x) = theta_3(0, exp(-x)) = 1 + 2 (e^-x + e^-4x + e^-9x + ...), for x > 0 (Jacobi)."""

CONSTANTS = (MaxOver, Theta)
"""Functions with a meaning of their own: nothing may be put in their place, and they cannot be defined."""

Substitution = Mapping[sp.Basic, sp.Basic]

_FUNCTIONS = (sp.exp, sp.log, sp.tanh, sp.Abs)
_ASSUMPTIONS = (sp.Symbol("x", real=True).assumptions0, INDEX.assumptions0)


class ProofError(Exception):
    """A step that its rule does not discharge, or a malformed derivation; the message names the step."""


@lru_cache(maxsize=100_000)
def check(expr: sp.Basic) -> None:
    """Raise ProofError unless `expr` is a term of the language."""
    if isinstance(expr, sp.Rational) or expr is sp.E:
        return
    if isinstance(expr, sp.Symbol):
        if expr.assumptions0 not in _ASSUMPTIONS:
            raise ProofError(f"the symbol {expr} is not just real or just an integer")
        return
    if isinstance(expr, sp.Sum):
        _check_sum(expr)
        return
    known = isinstance(expr, sp.Add | sp.Mul) or expr.func in _FUNCTIONS
    if not (known or _is_power(expr) or _is_value(expr) or _is_maximum(expr)):
        raise ProofError(f"{expr} is not a term of the language")
    if isinstance(expr, sp.exp) and expr.args[0].has(sp.log):
        raise ProofError(f"{expr} has a logarithm inside an exponential; give it a name")
    for arg in expr.args:
        if not isinstance(arg, sp.Integer):
            check(arg)


def _check_sum(expr: sp.Sum) -> None:
    limit = expr.limits[0]
    fits = len(expr.limits) == 1 and len(limit) == 3 and limit[0] == INDEX and limit[1] == 1
    if not (fits and limit[2].is_integer and INDEX not in limit[2].free_symbols):
        raise ProofError(f"{expr} is not a sum over {INDEX} = 1..n for an integer n")
    check(expr.function)
    check(limit[2])


def _is_power(expr: sp.Basic) -> bool:
    return isinstance(expr, sp.Pow) and isinstance(expr.exp, sp.Integer)


def _is_value(expr: sp.Basic) -> bool:
    """f(t) for a real function f."""
    if not isinstance(expr, AppliedUndef) or expr.func == MaxOver:
        return False
    return len(expr.args) == 1 and expr.func == sp.Function(expr.func.__name__, real=True)


def _is_maximum(expr: sp.Basic) -> bool:
    if expr.func != MaxOver or len(expr.args) != 4:
        return False
    var, ends = expr.args[1], expr.args[2].free_symbols | expr.args[3].free_symbols
    return isinstance(var, sp.Symbol) and bool(var.is_integer) and var != INDEX and var not in ends


def bound_variables(expr: sp.Basic) -> set[sp.Symbol]:
    """Bound variables of the sums (and maxima) inside `expr`."""
    found: set[sp.Symbol] = set()
    for node in sp.preorder_traversal(expr):
        if isinstance(node, sp.Sum):
            found |= {limit[0] for limit in node.limits}
        elif node.func == MaxOver:
            found.add(node.args[1])
    return found


def substitute(expr: sp.Expr, mapping: Substitution) -> sp.Expr:
    """`expr` with symbols replaced by expressions and function symbols by one-argument Lambdas or function symbols.

    Raises ProofError if a bound variable of `expr` would be captured or SymPy would cancel.
    """
    captured = bound_variables(expr)
    scalars: dict[sp.Basic, sp.Basic] = {}
    functions: dict[sp.Basic, sp.Basic] = {}
    for old, new in mapping.items():
        function = isinstance(old, UndefinedFunction) and old not in CONSTANTS
        if not (function or isinstance(old, sp.Symbol)):
            raise ProofError(f"{old} is neither a symbol nor a function symbol and cannot be replaced")
        if function != isinstance(new, sp.Lambda | UndefinedFunction):
            raise ProofError(f"{old} cannot be replaced by {new}")
        if isinstance(new, sp.Lambda):
            check(new.expr)
        if not function:
            check(sp.S(new))
        (functions if function else scalars)[old] = new if function else sp.S(new)
        free = free_of(new)
        if free & captured:
            raise ProofError(f"substituting {new} for {old} would capture {free & captured}")
        if old in captured:
            raise ProofError(f"{old} is bound in {expr}")
    return replace(expr, scalars, functions)


def free_of(new: sp.Basic) -> set[sp.Symbol]:
    """Free symbols of what a substitution puts in."""
    if isinstance(new, UndefinedFunction):
        return set()
    if isinstance(new, sp.Lambda):
        return set(new.expr.free_symbols - set(new.variables))
    return set(sp.S(new).free_symbols)


def replace(
    expr: sp.Basic, terms: Mapping[sp.Basic, sp.Basic], functions: Mapping[sp.Basic, sp.Basic] | None = None
) -> sp.Basic:
    """`expr` with terms and functions replaced, whatever is bound; raises ProofError where SymPy would cancel."""
    functions = functions or {}
    if expr in terms:
        return terms[expr]
    if not expr.args:
        return expr
    args = [replace(arg, terms, functions) for arg in expr.args]
    if expr.func in functions:
        return _apply(functions[expr.func], args)
    return _rebuild(expr, args) if args != list(expr.args) else expr


def _apply(function: sp.Basic, args: Sequence[sp.Expr]) -> sp.Expr:
    """function(args), where `function` is a function symbol or a Lambda; refuses to capture a variable of `args`."""
    if not isinstance(function, sp.Lambda):
        return function(*args)
    if len(args) != len(function.variables):
        raise ProofError(f"{function} has another number of arguments than {', '.join(map(str, args))}")
    return substitute(function.expr, dict(zip(function.variables, args, strict=True)))


def _rebuild(expr: sp.Basic, args: Sequence[sp.Basic]) -> sp.Basic:
    """The node `expr` with other arguments; ProofError if x*(1/x) became 1 or exp(log x) became x."""
    if isinstance(expr, sp.exp) and args[0].has(sp.log):
        raise ProofError(f"{args[0]} would put a logarithm inside an exponential; give it a name")
    result = expr.func(*args)
    if isinstance(expr, sp.Mul | sp.Pow | sp.Abs) and result != 0:
        kept = {base for base, _ in _powers(result)}
        for base, divides in (power for arg in args for power in _powers(arg)):
            if (divides or isinstance(expr, sp.Pow)) and base not in kept:
                raise ProofError(f"1/({base}) would cancel in {result}; multiply by {base} in a step of its own")
    return result


def _powers(product: sp.Expr) -> list[tuple[sp.Expr, bool]]:
    """The factors up to sign, and whether the product divides by them; numbers and exponentials are left out."""
    found = []
    for factor in sp.Mul.make_args(product):
        base, exponent = factor.as_base_exp()
        if isinstance(base, sp.Abs):
            found += [(inner, divides or exponent.is_negative) for inner, divides in _powers(base.args[0])]
        elif exponent.is_Integer and not base.is_number:
            found.append((-base if base.could_extract_minus_sign() else base, bool(exponent.is_negative)))
    return found
