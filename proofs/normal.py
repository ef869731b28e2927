"""Normal forms: terms as rational functions in named atoms.

On top of the names of proofs/naming.py, exponentials are split into powers of positive atoms: exp(2x + y) = E**2 * F
with E = exp(x) and F = exp(y). Every reciprocal met on the way is reported, so that it can be shown not to be one of 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from .language import ProofError
from .naming import Naming


@dataclass(frozen=True)
class Prepared:
    """A term as a polynomial in names, and the lengths n that must be >= 0 for it to be equal to the term."""

    polynomial: sp.Expr
    lengths: frozenset[sp.Expr]


class Atoms(Naming):
    """A naming of atoms by fresh symbols, shared by all terms of one decision."""

    def __init__(self, linear: bool = True) -> None:
        super().__init__(linear)
        self.positive: set[sp.Symbol] = set()  # exponentials
        self._scales: dict[sp.Expr, int] = {}

    def prepare(self, exprs: Iterable[sp.Expr]) -> list[Prepared]:
        """Name the parts of the terms and collect the common denominators of exponents; call once, with every term."""
        ready = []
        for expr in exprs:
            self.lengths = set()
            polynomial = self.polynomial(sp.S(expr))
            ready.append(Prepared(polynomial, frozenset(self.lengths)))
        everything = [term.polynomial for term in ready] + list(self.reciprocals.values())
        everything += [length for term in ready for length in term.lengths]
        for polynomial in everything:
            for node in polynomial.atoms(sp.exp):
                for coefficient, base in _terms(node.args[0]):
                    self._scales[base] = int(sp.ilcm(self._scales.get(base, 1), coefficient.q))
        return ready

    def rational(self, polynomial: sp.Expr, divisors: list[sp.Expr]) -> sp.Expr:
        """A prepared polynomial as a rational function; what it divides by is added to `divisors`, inner ones first."""
        if polynomial.is_Rational:
            return polynomial
        if isinstance(polynomial, sp.exp) or polynomial is sp.E:
            return self._exponential(polynomial.args[0] if polynomial.args else sp.S.One)
        if polynomial in self.reciprocals:
            divisor = self.rational(self.reciprocals[polynomial], divisors)
            if divisor == 0:
                raise ProofError(f"{self.meaning(polynomial)} divides by 0")
            divisors.append(divisor)
            return 1 / divisor
        if polynomial.args:
            return polynomial.func(*[self.rational(arg, divisors) for arg in polynomial.args])
        return polynomial

    def _exponential(self, exponent: sp.Expr) -> sp.Expr:
        product: sp.Expr = sp.S.One
        for coefficient, base in _terms(exponent):
            scale = self._scales.get(base, 1)
            power = coefficient * scale
            if not power.is_Integer:
                raise ProofError(f"the exponent {self.meaning(exponent)} was not prepared")
            atom = self.name(("exp", base, scale), sp.exp(self.meaning(base) / scale))
            self.positive.add(atom)
            product *= atom ** int(power)
        return product


def _terms(exponent: sp.Expr) -> list[tuple[sp.Rational, sp.Expr]]:
    """The exponent as a list of (rational coefficient, monomial)."""
    return [term.as_coeff_Mul(rational=True) for term in sp.Add.make_args(sp.expand(exponent))]


def split(expr: sp.Expr) -> tuple[sp.Expr, list[sp.Expr]]:
    """A rational function as (expanded numerator, factors of its denominator); divisors may have been cancelled."""
    numerator, denominator = sp.fraction(sp.together(expr))
    factors = []
    for factor in sp.Mul.make_args(denominator):
        base, power = factor.as_base_exp()
        if power.is_Integer and power > 0:
            factors += [base] * int(power)
        else:
            factors.append(factor)
    return sp.expand(numerator), factors
