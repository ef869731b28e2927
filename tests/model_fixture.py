"""Models of propositions: numbers for the symbols and functions, and whether a proposition holds there.

Used by the tests only. Terms are evaluated as the kernel reads them: 1/0 = 0, log x = 1/4 for x <= 0 (any number will
do), an empty sum is 0. `math` is the module of functions: mpmath.mp for many digits, math for speed.
"""

import math as floats
from dataclasses import dataclass, field

import mpmath
import sympy as sp
from sympy.core.function import AppliedUndef

from proofs.language import CONSTANTS, Theta
from proofs.props import Each, MaxOver, Rel


@dataclass
class Model:
    """Values of symbols, functions as dictionaries from integers (0 elsewhere), and the arithmetic."""

    scalars: dict = field(default_factory=dict)
    functions: dict = field(default_factory=dict)
    math: object = mpmath.mp
    tolerance: object = mpmath.mpf(10) ** -25

    def number(self, p, q=1):
        """The rational number p/q."""
        return p / q if self.math is floats else mpmath.mpf(p) / q

    def value(self, expr, bound=None):
        """The value of a term; `bound` gives the values of bound variables."""
        bound = bound or {}
        if expr.is_Rational:
            return self.number(int(expr.p), int(expr.q))
        if expr is sp.E:
            return self.math.exp(self.number(1))
        if isinstance(expr, sp.Symbol):
            found = bound[expr] if expr in bound else self.scalars[expr]
            return self.number(found) if isinstance(found, int) else found
        if isinstance(expr, sp.Sum):
            variable, lower, upper = expr.limits[0]
            ends = [int(self.value(end, bound)) for end in (lower, upper)]
            terms = [self.value(expr.function, {**bound, variable: i}) for i in range(ends[0], ends[1] + 1)]
            return sum(terms, self.number(0))
        if expr.func == MaxOver:
            body, variable, lower, upper = expr.args
            ends = [int(self.value(end, bound)) for end in (lower, upper)]
            return max(self.value(body, {**bound, variable: i}) for i in range(ends[0], ends[1] + 1))
        args = [self.value(arg, bound) for arg in expr.args]
        if isinstance(expr, sp.Add):
            return sum(args[1:], args[0])
        if isinstance(expr, sp.Mul):
            product = args[0]
            for arg in args[1:]:
                product *= arg
            return product
        if isinstance(expr, sp.exp):
            return self.math.exp(args[0])
        if isinstance(expr, sp.Pow):
            base, exponent = args[0], int(expr.exp)
            return self.number(0) if base == 0 and exponent < 0 else base**exponent
        if isinstance(expr, sp.log):
            return self.math.log(args[0]) if args[0] > 0 else self.number(1, 4)
        if isinstance(expr, sp.tanh):
            return self.math.tanh(args[0])
        if isinstance(expr, sp.Abs):
            return abs(args[0])
        if expr.func == Theta:
            return _theta(args[0]) if args[0] > 0 else self.number(1, 4)
        assert isinstance(expr, AppliedUndef), expr
        found = self.functions[expr.func].get(args[0], 0)
        return self.number(found) if isinstance(found, int) else found

    def margin(self, rel, bound=None):
        """By how much a relation holds (negative: fails), relative to its sides; for = minus the distance."""
        lhs, rhs = self.value(rel.lhs, bound), self.value(rel.rhs, bound)
        difference = {"=": -abs(lhs - rhs), "<": rhs - lhs, "<=": rhs - lhs, ">": lhs - rhs, ">=": lhs - rhs}[rel.op]
        return difference / max(1, abs(lhs), abs(rhs))

    def relations(self, prop):
        """The relations that make up a proposition: (relation, values of its bound variable)."""
        if isinstance(prop, Rel):
            return [(prop, {})]
        lower, upper = (self.value(end) for end in (prop.lo, prop.hi))
        places = range(int(mpmath.ceil(lower)), int(mpmath.floor(upper)) + 1)
        return [(prop.rel, {prop.var: place}) for place in places]

    def holds(self, prop):
        """Whether a proposition holds, up to the tolerance; a strict inequality holds by more than that."""
        margins = [(rel.op, self.margin(rel, bound)) for rel, bound in self.relations(prop)]
        return all(m > self.tolerance if op in "<>" else m >= -self.tolerance for op, m in margins)

    def fails(self, prop):
        """Whether a proposition fails by more than the tolerance, or is a strict inequality between equal numbers."""
        margins = [(rel.op, self.margin(rel, bound)) for rel, bound in self.relations(prop)]
        return any(m < -self.tolerance or (op in "<>" and abs(m) < self.tolerance / 1000) for op, m in margins)


def _theta(x):
    """theta_3(0, exp(-x)); for small x by Jacobi's transformation sqrt(pi/x) theta_3(0, exp(-pi^2/x))."""
    if x < 1:
        return mpmath.sqrt(mpmath.pi / x) * _theta(mpmath.pi**2 / x)
    return mpmath.jtheta(3, 0, mpmath.exp(-x))


def symbols_of(*props):
    """Free symbols and functions of propositions."""
    symbols, functions = set(), set()
    for prop in props:
        rel = prop.rel if isinstance(prop, Each) else prop
        found = rel.lhs.free_symbols | rel.rhs.free_symbols
        if isinstance(prop, Each):
            found = (found - {prop.var}) | prop.lo.free_symbols | prop.hi.free_symbols
        symbols |= found
        functions |= {node.func for side in (rel.lhs, rel.rhs) for node in side.atoms(AppliedUndef)} - set(CONSTANTS)
    return symbols, functions
