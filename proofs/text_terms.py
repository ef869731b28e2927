"""Expressions and propositions as plain text.

    sum_j f(j)          the sum over j = 1..n; sum_{j=1..u} f(j) where the range ends elsewhere
    max_{a=0..k} (F)    the maximum over the integers a = 0..k
    |x|, x^2, exp(x)    as usual; the body of a sum or maximum is the product that follows it
    x'                  the new variable x' >= 0 that replaces x in a coefficient certificate; Z' is a name

The printed expression is the checked one up to the order of terms and factors (proofs/terms.py).
"""

from __future__ import annotations

from functools import lru_cache

import sympy as sp

from .certificate import Primed
from .props import Each, MaxOver, Prop, Rel
from .terms import CACHED, Product, inside_bars, product, summand, summands

NAMES = {"zp": "Z'"}
ADD, MUL, POWER, ATOM = range(4)
"""How tightly a printed expression binds."""

Shown = tuple[str, int]


def expr_text(expr: sp.Expr) -> str:
    """An expression in one line of plain text."""
    return _show(sp.S(expr))[0]


def rel_text(rel: Rel) -> str:
    """A relation in one line of plain text."""
    return f"{expr_text(rel.lhs)} {rel.op} {expr_text(rel.rhs)}"


def prop_text(prop: Prop) -> str:
    """A proposition in one line of plain text."""
    if isinstance(prop, Each):
        return f"{rel_text(prop.rel)}{range_text(prop)}"
    return rel_text(prop)


def range_text(prop: Each) -> str:
    return f" for every {expr_text(prop.var)} = {expr_text(prop.lo)}..{expr_text(prop.hi)}"


# -- expressions -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=CACHED)
def _show(expr: sp.Expr) -> Shown:
    if expr.is_Add:
        first, *rest = summands(expr)
        text = _signed(first)[0]
        for term in rest:
            text += (" - " if term.sign < 0 else " + ") + _magnitude(term)[0]
        return text, ADD
    if expr.is_Mul or expr.is_Rational or (expr.is_Pow and expr.exp.is_Rational and expr.exp < 0):
        return _signed(product(expr))
    if expr.is_Pow:
        if expr.exp == sp.S.Half:
            return f"sqrt({expr_text(expr.base)})", ATOM
        natural = expr.exp.is_Integer and expr.exp >= 0
        exponent = str(expr.exp) if natural else f"({expr_text(expr.exp)})"
        return f"{_at_least(expr.base, ATOM)}^{exponent}", POWER
    if expr is sp.E:
        return "exp(1)", ATOM
    if expr.is_Symbol:
        return NAMES.get(expr.name, expr.name), ATOM
    if isinstance(expr, sp.Abs):
        return f"|{expr_text(inside_bars(expr.args[0]))}|", ATOM
    if isinstance(expr, sp.Sum):
        body, (var, lo, hi) = summand(expr)
        usual = lo == 1 and hi.is_Symbol and hi.name == "n"
        scope = expr_text(var) if usual else f"{{{expr_text(var)}={expr_text(lo)}..{expr_text(hi)}}}"
        return f"sum_{scope} {_body(body)}", MUL
    if expr.func == MaxOver:
        body, var, lo, hi = expr.args
        return f"max_{{{expr_text(var)}={expr_text(lo)}..{expr_text(hi)}}} {_body(body)}", MUL
    if expr.func == Primed:
        return _at_least(expr.args[0], ATOM) + "'", ATOM
    if expr.is_Function:
        return f"{expr.func.__name__}({', '.join(expr_text(arg) for arg in expr.args)})", ATOM
    return str(expr), ADD


def _at_least(expr: sp.Expr, level: int) -> str:
    text, binds = _show(expr)
    return text if binds >= level else f"({text})"


def _body(expr: sp.Expr) -> str:
    """The body of a sum or maximum: a product without a leading minus, else in parentheses."""
    text, binds = _show(expr)
    return f"({text})" if binds == ADD or text.startswith("-") else text


def _signed(term: Product) -> Shown:
    text, binds = _magnitude(term)
    return ("-" + text, MUL) if term.sign < 0 else (text, binds)


def _reaches_on(factor: sp.Expr) -> bool:
    """Whether the factor, printed without parentheses, would take in what follows it."""
    return isinstance(factor, sp.Sum) or bool(factor.func == MaxOver)


def _magnitude(term: Product) -> Shown:
    """A term without its sign."""
    last_sum = bool(term.over) and _reaches_on(term.over[-1]) and not term.under
    coefficient = str(term.numerator) if term.numerator != 1 or not term.over else ""
    denominators = [str(term.denominator)] if term.denominator != 1 else []
    if last_sum and denominators:  # (1/2)*sum_j ..., for sum_j .../2 would read as the sum of halves
        coefficient, denominators = f"{term.numerator}/{term.denominator}", []
    if len(term.over) == 1 and not (coefficient or denominators or term.under):
        text, binds = _show(term.over[0])
        return (text, binds) if binds >= MUL else (f"({text})", ATOM)
    above = [coefficient] if coefficient else []
    for position, factor in enumerate(term.over):
        above.append(_at_least(factor, MUL if last_sum and position == len(term.over) - 1 else POWER))
    below = denominators + [_at_least(factor, POWER) for factor in term.under]
    text = "*".join(above)
    if not below:
        return text, MUL if len(above) > 1 or "/" in text else ATOM
    return f"{text}/{below[0] if len(below) == 1 else '(' + '*'.join(below) + ')'}", MUL
