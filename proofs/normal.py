"""Normal forms: expressions as rational functions in named atoms.

An atom is a maximal subexpression that is not built by +, *, integer powers and rational constants. Before atoms are
named, finite sums are made linear (the sum of c*f + g is c times the sum of f plus the sum of g, the sum of a constant
c over 1..n is n*c: lemmas S.scale, S.add and S.constant, proved by induction in proofs/sums.py), and exponentials are
split: exp(2x + y) = E**2 * F with E = exp(x) and F = exp(y), both positive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import sympy as sp

from .props import INDEX, ProofError


@dataclass
class Atoms:
    """A naming of atoms by fresh symbols, shared by all expressions of one decision."""

    linear: bool = True  # whether sums are made linear
    names: dict[sp.Expr, sp.Symbol] = field(default_factory=dict)
    positive: set[sp.Symbol] = field(default_factory=set)  # exponentials
    sums_used: bool = False
    lengths: set[sp.Expr] = field(default_factory=set)  # each n of which S.constant was used, to be shown >= 0
    _scales: dict[sp.Expr, int] = field(default_factory=dict)

    def prepare(self, exprs: Iterable[sp.Expr]) -> list[sp.Expr]:
        """Make sums linear and collect the common denominators of exponents; call once, with every expression."""
        ready = [self._linear(sp.S(expr)) if self.linear else sp.S(expr) for expr in exprs]
        for expr in ready:
            for node in _exponentials(expr):
                for coefficient, base in _terms(node.args[0]):
                    self._scales[base] = int(sp.ilcm(self._scales.get(base, 1), coefficient.q))
        return ready

    def rational(self, expr: sp.Expr) -> sp.Expr:
        """A prepared expression as a rational function in fresh symbols."""
        if expr.is_Rational:
            return expr
        if expr.is_Add or expr.is_Mul:
            return expr.func(*[self.rational(arg) for arg in expr.args])
        if expr.is_Pow and expr.exp.is_Integer:
            return self.rational(expr.base) ** expr.exp
        if isinstance(expr, sp.exp):
            product: sp.Expr = sp.S.One
            for coefficient, base in _terms(expr.args[0]):
                scale = self._scales[base]
                product *= self._name(sp.exp(base / scale), positive=True) ** int(coefficient * scale)
            return product
        if expr.has(sp.nan, sp.zoo, sp.oo, -sp.oo) or expr.atoms(sp.Float):
            raise ProofError(f"{expr} is not an exact finite expression")
        return self._name(expr, positive=False)

    def _name(self, atom: sp.Expr, positive: bool) -> sp.Symbol:
        if atom not in self.names:
            self.names[atom] = sp.Dummy(str(atom), real=True)
            if positive:
                self.positive.add(self.names[atom])
        return self.names[atom]

    def _linear(self, expr: sp.Expr) -> sp.Expr:
        if isinstance(expr, sp.Sum):
            if len(expr.limits) != 1 or expr.limits[0][0] != INDEX or expr.limits[0][1] != 1:
                return expr
            self.sums_used = True
            upper = expr.limits[0][2]
            result: sp.Expr = sp.S.Zero
            for term in sp.Add.make_args(sp.expand(expr.function)):
                constant, rest = term.as_independent(INDEX, as_Add=False)
                if rest == 1 and constant != 0:
                    self.lengths.add(upper)
                result += constant * (upper if rest == 1 else sp.Sum(rest, (INDEX, 1, upper)))
            return result
        if (expr.is_Add or expr.is_Mul or (expr.is_Pow and expr.exp.is_Integer)) and expr.args:
            return expr.func(*[self._linear(arg) for arg in expr.args])
        return expr


def _exponentials(expr: sp.Expr) -> list[sp.Expr]:
    """Exponentials outside other atoms."""
    if isinstance(expr, sp.exp):
        return [expr]
    if expr.is_Add or expr.is_Mul or (expr.is_Pow and expr.exp.is_Integer):
        return [node for arg in expr.args for node in _exponentials(arg)]
    return []


def _terms(exponent: sp.Expr) -> list[tuple[sp.Rational, sp.Expr]]:
    """The exponent as a list of (rational coefficient, monomial)."""
    return [term.as_coeff_Mul(rational=True) for term in sp.Add.make_args(sp.expand(exponent))]


def quotient(expr: sp.Expr) -> tuple[sp.Expr, list[sp.Expr]]:
    """A rational function as (expanded numerator, factors of its denominator), nothing cancelled but constants."""
    numerator, denominator = sp.fraction(sp.together(expr))
    factors = []
    for factor in sp.Mul.make_args(denominator):
        base, power = factor.as_base_exp()
        if power.is_Integer and power > 0:
            factors += [base] * int(power)
        else:
            factors.append(factor)
    return sp.expand(numerator), factors
