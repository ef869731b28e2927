"""Propositions of the derivations as Coq statements about real numbers, symbol by symbol.

An integer symbol becomes a Z, a real symbol an R, a function of the position a function Z -> R. Inside a real term an
integer m is IZR m; arguments of functions, ends of sums and ranges of positions are integer terms. The sum over
j = 1..m becomes `sum (positions m) (fun j => ...)`. a >= b is written b <= a. Terms and factors come in the order in
which proofs/terms.py shows them, and |x| with x or -x between the bars, whichever it shows. Nothing else is done to a
term: what Coq reads is what the derivation proves.
"""

from __future__ import annotations

from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from checker.errors import InputError
from proofs.props import Each, MaxOver, Prop, Rel, free_symbols, functions_of
from proofs.terms import Product, inside_bars, product, summand, summands

RESERVED = frozenset(
    (
        "sum", "positions", "exp", "ln", "tanh", "Rabs", "IZR", "INR", "R", "Z", "forall", "fun", "exists", "let", "in",
        "if", "then", "else", "match", "with", "end", "as", "at", "using", "where", "return", "fix", "cofix", "for",
        "Set", "Prop", "Type", "SProp",
    )
)  # fmt: skip
"""Names that a symbol of a claim must not have, because Coq or the development gives them a meaning."""

ADD, MUL, POWER, ATOM = range(4)
"""How tightly a printed term binds."""

_FUNCTIONS = {sp.exp: "exp", sp.log: "ln", sp.tanh: "tanh"}
_FLIPPED = {">": "<", ">=": "<="}

Shown = tuple[str, int]


class NotInCoqError(InputError):
    """A claim has a term for which there is no Coq counterpart."""


def real(expr: sp.Expr) -> str:
    """A real term."""
    return _real(sp.S(expr))[0]


def integer(expr: sp.Expr) -> str:
    """An integer term, in parentheses with its scope where it is not a name."""
    expr = sp.S(expr)
    if expr.is_Symbol:
        return _name(expr)
    return f"{expr}%Z" if expr.is_Integer and expr >= 0 else f"({_integer(expr)})%Z"


def relation(rel: Rel) -> str:
    """A relation between real terms; > and >= are turned round."""
    left, right = (rel.rhs, rel.lhs) if rel.op in _FLIPPED else (rel.lhs, rel.rhs)
    return f"{real(left)} {_FLIPPED.get(rel.op, rel.op)} {real(right)}"


def proposition(prop: Prop) -> str:
    """A relation, or `forall i : Z, (lo <= i <= hi)%Z -> relation`."""
    if isinstance(prop, Each):
        var = _name(prop.var)
        ends = f"({_integer(sp.S(prop.lo))} <= {var} <= {_integer(sp.S(prop.hi))})%Z"
        return f"forall {var} : Z, {ends} -> {relation(prop.rel)}"
    return relation(prop)


def binders(props: list[Prop]) -> str:
    """The universally quantified symbols of some propositions: integers, reals, functions of the position."""
    symbols = set().union(*map(free_symbols, props)) if props else set()
    functions: set[sp.Basic] = set().union(*map(functions_of, props)) if props else set()
    groups = (
        ("Z", sorted(_name(symbol) for symbol in symbols if symbol.is_integer)),
        ("R", sorted(_name(symbol) for symbol in symbols if not symbol.is_integer)),
        ("Z -> R", sorted(_function_name(function) for function in functions)),
    )
    names = [name for _, group in groups for name in group]
    if len(names) != len(set(names)):
        raise NotInCoqError(f"two symbols of different kinds are both called {_twice(names)}; rename one")
    return " ".join(f"({' '.join(group)} : {kind})" for kind, group in groups if group)


def _twice(names: list[str]) -> str:
    return next(name for name in names if names.count(name) > 1)


def _name(symbol: sp.Basic) -> str:
    name = str(symbol)
    if not (name.isascii() and name.isidentifier()) or name in RESERVED:
        raise NotInCoqError(f"the symbol {name!r} cannot be a name in Coq; rename it")
    return name


def _function_name(function: sp.Basic) -> str:
    name = str(getattr(function, "__name__", function))
    if name in ("MaxOver", "Theta"):
        raise NotInCoqError(f"{name} has no definition in the Coq development")
    return _name(sp.Symbol(name))


# -- integer terms -----------------------------------------------------------------------------------------------------


def _integer(expr: sp.Expr) -> str:
    if expr.is_Add:
        first, *rest = summands(expr)
        text = _integer_term(first)
        for term in rest:
            text += " - " if term.sign < 0 else " + "
            text += _integer_magnitude(term)
        return text
    return _integer_term(product(expr))


def _integer_term(term: Product) -> str:
    return ("- " if term.sign < 0 else "") + _integer_magnitude(term)


def _integer_magnitude(term: Product) -> str:
    if term.denominator != 1 or term.under:
        raise NotInCoqError("an integer term has a denominator; multiply it out")
    factors = [str(term.numerator)] if term.numerator != 1 or not term.over else []
    for factor in term.over:
        if factor.is_Symbol:
            factors.append(_name(factor))
        elif factor.is_Add:
            factors.append(f"({_integer(factor)})")
        else:
            raise NotInCoqError(f"{factor} is not an integer term that Coq is given")
    return " * ".join(factors)


# -- real terms --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _real(expr: sp.Expr) -> Shown:
    if expr.is_Add:
        first, *rest = summands(expr)
        text = _signed(first)[0]
        for term in rest:
            text += (" - " if term.sign < 0 else " + ") + _magnitude(term)[0]
        return text, ADD
    if expr.is_Mul or expr.is_Rational or (expr.is_Pow and expr.exp.is_Integer and expr.exp < 0):
        return _signed(product(expr))
    if expr.is_Pow and expr.exp.is_Integer:
        return f"{_at_least(expr.base, ATOM)} ^ {expr.exp}", POWER
    if expr.is_Symbol:
        return (f"IZR {_name(expr)}", ATOM) if expr.is_integer else (_name(expr), ATOM)
    if isinstance(expr, sp.Sum):
        body, (var, low, high) = summand(expr)
        if low != 1:
            raise NotInCoqError(f"{expr} does not start at 1")
        return f"sum (positions {integer(high)}) (fun {_name(var)} => {real(body)})", ATOM
    if isinstance(expr, sp.Abs):
        return f"Rabs {_argument(inside_bars(expr.args[0]))}", ATOM
    if expr.func in _FUNCTIONS:
        return f"{_FUNCTIONS[expr.func]} {_argument(expr.args[0])}", ATOM
    if isinstance(expr, AppliedUndef) and expr.func != MaxOver and len(expr.args) == 1:
        return f"{_function_name(expr.func)} {integer(expr.args[0])}", ATOM
    raise NotInCoqError(f"{expr.func.__name__} has no counterpart in the Coq development")


def _argument(expr: sp.Expr) -> str:
    """A real term as the argument of a function: a name, or in parentheses."""
    text, _ = _real(expr)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _at_least(expr: sp.Expr, level: int) -> str:
    """A factor: an application may stand as it is, but the base of a power may not."""
    text, binds = _real(expr)
    if level == ATOM:
        return _argument(expr)
    return text if binds >= level else f"({text})"


def _signed(term: Product) -> Shown:
    text, binds = _magnitude(term)
    return ("- " + text, MUL) if term.sign < 0 else (text, binds)


def _magnitude(term: Product) -> Shown:
    """A term without its sign: factors * ... / (factors * ...)."""
    numbered = term.numerator != 1 or not term.over
    above = ([str(term.numerator)] if numbered else []) + [_at_least(factor, POWER) for factor in term.over]
    below = [str(term.denominator)] if term.denominator != 1 else []
    below += [_at_least(factor, POWER) for factor in term.under]
    text = " * ".join(above)
    if not below:
        return text, MUL if len(above) > 1 else _real(term.over[0])[1] if term.over else ATOM
    under = below[0] if len(below) == 1 else "(" + " * ".join(below) + ")"
    return f"{text} / {under}", MUL
