"""The order in which terms and factors are shown: n - k rather than -k + n, (top - s(i))/tau with its sign in front.

A Product is a term taken apart: sign, rational coefficient, factors above and below the fraction bar. Nothing is
computed but this: products and sums are put in another order, and a minus sign or a common rational factor is moved
out of a sum that is a factor. Both printers work from these pieces (proofs/text_terms.py, proofs/latex_terms.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sympy as sp
from sympy.core.function import AppliedUndef

from .props import MaxOver

LEADERS = ("n", "n2", "k", "k2", "u", "m", "top", "top2")
"""Symbols that open a sum, in this order."""

OUTWARD = (*LEADERS, "gamma", "gamma2", "delta")
"""A factor whose sum would open with minus one of these is shown negated: (-top + s)/tau as -(top - s)/tau."""

INDICATORS = ("mu", "lam", "chi", "phi", "psi")
"""0/1-valued functions of the position; they open a product."""

FUNCTIONS = ("s2", "s", "p2", "p", "a", "h", "v2", "v")
"""Functions of the position in the order in which a sum shows them."""

NUMBERS_FIRST = ("n", "k", "a", "b", "c", "lo", "x", "y", "eps", "eta", "gamma", "delta", "tau")
CLOSING = ("q", "qa", "qb", "r", "R", "D", "low", "high", "cap")
"""Symbols that stand for exponentials and close a product, as exponentials do."""

CACHED = 4096
"""Expressions remembered: the steps of a derivation repeat most of theirs."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class Product:
    """sign * numerator/denominator * (product of `over`) / (product of `under`), numerator and denominator >= 0."""

    sign: int
    numerator: int
    denominator: int
    over: tuple[sp.Expr, ...]
    under: tuple[sp.Expr, ...]

    @property
    def is_number(self) -> bool:
        """Whether there is no factor but the rational coefficient."""
        return not (self.over or self.under)


@lru_cache(maxsize=CACHED)
def product(expr: sp.Expr) -> Product:
    """The factors of `expr` in the order shown."""
    coefficient, sign = sp.S.One, 1
    over: list[sp.Expr] = []
    under: list[sp.Expr] = []
    for factor in sp.Mul.make_args(expr):
        if factor.is_Rational:
            coefficient *= factor
            continue
        base, exponent = (factor.base, factor.exp) if factor.is_Pow else (factor, sp.S.One)
        downwards = exponent.is_Rational and exponent < 0
        if abs(exponent) == 1 and base.is_Add and factor is not expr:
            content, base = base.primitive()
            coefficient *= content**exponent
            if _opens_with_minus(base):
                base, sign = sp.Add(*[-term for term in base.args]), -sign
        shown = base ** abs(exponent) if exponent.is_Rational else factor
        (under if downwards else over).append(shown)
    if coefficient < 0:
        sign = -sign
    size = abs(coefficient)
    return Product(sign, int(size.p), int(size.q), tuple(sorted(over, key=_place)), tuple(sorted(under, key=_place)))


def summands(expr: sp.Expr) -> list[Product]:
    """The terms of a sum in the order shown, a positive one first where there is one."""
    terms = _ordered(expr)
    if terms[0].sign < 0:
        terms.sort(key=lambda term: term.sign < 0)
    return terms


def summand(expr: sp.Sum) -> tuple[sp.Expr, tuple[sp.Expr, sp.Expr, sp.Expr]]:
    """What a finite sum adds up, and its variable and range; SymPy writes a sum of sums with several ranges."""
    *inner, (var, lo, hi) = expr.limits
    return (sp.Sum(expr.function, *inner) if inner else expr.function), (var, lo, hi)


def inside_bars(expr: sp.Expr) -> sp.Expr:
    """What to show between the bars of |expr|: expr or -expr, whichever opens with a positive term."""
    return -expr if expr.is_Add and _ordered(expr)[0].sign < 0 else expr


def _ordered(expr: sp.Expr) -> list[Product]:
    return sorted((product(term) for term in sp.Add.make_args(expr)), key=_rank)


def _opens_with_minus(expr: sp.Expr) -> bool:
    terms = _ordered(expr)
    first = terms[0]
    signs = sum(term.sign for term in terms)
    if first.sign > 0 or signs > 0 or signs == -len(terms):
        return False
    if first.is_number:
        return len(terms) == 2 and any(terms[1] == product(other) for other in expr.atoms(AppliedUndef) if _flag(other))
    return len(first.over) == 1 and not first.under and _name(first.over[0]) in OUTWARD


def _name(expr: sp.Expr) -> str:
    """Name of a symbol or of the function applied, else the empty string."""
    if expr.is_Symbol:
        return str(expr.name)
    return str(expr.func.__name__) if isinstance(expr, AppliedUndef) else ""


@lru_cache(maxsize=CACHED)
def _text(expr: sp.Expr) -> str:
    return str(expr)


def _flag(expr: sp.Expr) -> bool:
    return _name(expr) in INDICATORS


def _index(name: str, names: tuple[str, ...]) -> int:
    return names.index(name) if name in names else len(names)


def _rank(term: Product) -> Key:
    """Place of a term in its sum: n, k, top; numbers; functions of positions; other symbols; products."""
    if term.is_number:
        return (1,)
    if len(term.over) == 1 and not term.under:
        factor = term.over[0]
        name = _name(factor)
        if factor.is_Symbol:
            if name in LEADERS:
                return (0, LEADERS.index(name))
            return (3, _index(name, NUMBERS_FIRST), name)
        if name and factor.func != MaxOver:
            return (2, _index(name, FUNCTIONS), name, _text(factor))
    size = len(term.over) + len(term.under)
    return (4, size, tuple(map(_text, term.over)), tuple(map(_text, term.under)))


def _place(factor: sp.Expr) -> Key:
    """Place of a factor in its product: symbols, indicators, sums, other functions, exponentials, then sums over j."""
    name = _name(factor)
    if isinstance(factor, sp.Sum) or factor.func == MaxOver:
        return (9, _text(factor))
    if isinstance(factor, sp.exp) or name in CLOSING:
        return (5, _text(factor))
    if factor.is_Symbol:
        return (1, _index(name, NUMBERS_FIRST), name)
    if name in INDICATORS:
        return (2, 0, name)
    if factor.is_Add:
        functions = {_name(node) for node in factor.atoms(AppliedUndef)}
        indicator = bool(functions) and functions <= set(INDICATORS)
        first = _ordered(factor)[0]
        return (2, 1, _text(factor)) if indicator else (3, _rank(first), _text(factor))
    return (6, name, _text(factor))
