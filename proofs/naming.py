"""Names for the parts of terms that are not built by +, * and natural powers: terms become polynomials in these names.

Reciprocals get names of their own, so expanding a polynomial never cancels a denominator. Exponentials stay, with
polynomials as exponents. With `linear`, finite sums are split: the sum of c*f + g is c times the sum of f plus the sum
of g, and the sum of a constant c over 1..n is n*c if n >= 0 (lemmas S.scale, S.add and S.constant, proved by induction
in proofs/sums.py; for n < 0 both sides of the first two are 0).
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from .language import INDEX


class Naming:
    """Names shared by all the terms of one question; the same part has the same name."""

    def __init__(self, linear: bool = False) -> None:
        self.linear = linear
        self.sums_used = False
        self.lengths: set[sp.Expr] = set()  # each n of which S.constant was used, to be shown >= 0
        self.reciprocals: dict[sp.Symbol, sp.Expr] = {}  # name: the polynomial whose reciprocal it is
        self._names: dict[Any, sp.Symbol] = {}
        self._meanings: dict[sp.Symbol, sp.Expr] = {}
        self._free: dict[sp.Symbol, set[sp.Symbol]] = {}

    def polynomial(self, expr: sp.Expr) -> sp.Expr:
        """A term as a polynomial (not expanded) in names and exponentials of such polynomials."""
        if expr.is_Rational:
            return expr
        if expr.is_Add or expr.is_Mul:
            return expr.func(*[self.polynomial(arg) for arg in expr.args])
        if expr.is_Pow and expr.exp.is_Integer:
            base = self.polynomial(expr.base)
            return base**expr.exp if expr.exp > 0 else self._reciprocal(expr.base, sp.expand(base)) ** -expr.exp
        if isinstance(expr, sp.exp):
            return sp.exp(self.expanded(expr.args[0]))
        if expr is sp.E:
            return expr
        if isinstance(expr, sp.Sum):
            upper = expr.limits[0][2]
            return self._split(expr.function, upper) if self.linear else self._sum(expr.function, upper)
        key = (expr.func, *([self.expanded(arg) for arg in expr.args] or [expr]))
        return self.name(key, expr, expr.free_symbols)

    def expanded(self, expr: sp.Expr) -> sp.Expr:
        """A term as an expanded polynomial."""
        return sp.expand(self.polynomial(expr))

    def name(self, key: object, meaning: sp.Expr, free: set[sp.Symbol] | None = None) -> sp.Symbol:
        """The name of `key`; `meaning` is what to print, `free` its free variables."""
        if key not in self._names:
            symbol = sp.Dummy(str(meaning), real=True)
            self._names[key] = symbol
            self._meanings[symbol] = meaning
            self._free[symbol] = free or set()
        return self._names[key]

    def meaning(self, polynomial: sp.Expr) -> sp.Expr:
        """What a polynomial in names stands for, to be printed."""
        return polynomial.xreplace(self._meanings)

    def _reciprocal(self, base: sp.Expr, polynomial: sp.Expr) -> sp.Symbol:
        symbol = self.name(("reciprocal", polynomial), 1 / base, base.free_symbols)
        self.reciprocals[symbol] = polynomial
        return symbol

    def _sum(self, term: sp.Expr, upper: sp.Expr) -> sp.Symbol:
        whole = sp.Sum(term, (INDEX, 1, upper))
        return self.name((sp.Sum, self.expanded(term), self.expanded(upper)), whole, whole.free_symbols)

    def _split(self, term: sp.Expr, upper: sp.Expr) -> sp.Expr:
        """The sum of `term` over 1..upper by linearity."""
        self.sums_used = True
        length = self.expanded(upper)
        result: sp.Expr = sp.S.Zero
        for product in sp.Add.make_args(self.expanded(term)):
            factors = sp.Mul.make_args(product)
            moving = [factor for factor in factors if INDEX in self._variables(factor)]
            constant = sp.Mul(*[factor for factor in factors if INDEX not in self._variables(factor)])
            if moving:
                rest = sp.Mul(*moving)
                whole = sp.Sum(self.meaning(rest), (INDEX, 1, upper))
                free = (self._variables(rest) - {INDEX}) | upper.free_symbols
                result += constant * self.name((sp.Sum, rest, length), whole, free)
            elif constant != 0:
                self.lengths.add(length)
                result += constant * length
        return result

    def _variables(self, polynomial: sp.Expr) -> set[sp.Symbol]:
        return set().union(*[self._free[symbol] for symbol in polynomial.free_symbols])


def equal_terms(a: sp.Expr, b: sp.Expr) -> bool:
    """Whether two terms are the same up to ring axioms and exp(x + y) = exp(x) exp(y); nothing is cancelled."""
    if a == b:
        return True
    naming = Naming()
    return bool(sp.expand(naming.polynomial(a) - naming.polynomial(b)) == 0)
