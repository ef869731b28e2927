"""Terms as programs: values, and derivatives with respect to the inputs, over a cell, in interval arithmetic.

A node is defined on a cell where it is shown to be defined at every point of it; its value is None elsewhere. Symbols
that are not inputs stand for other nodes: `resolve` finds these among the relations given.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import sympy as sp

from .intervals import Ends, Interval, UndefinedError
from .props import FLIPPED, ProofError, Rel

Node: TypeAlias = tuple[str, tuple[int, ...], Fraction]
Values: TypeAlias = list[Interval | None]
Gradient: TypeAlias = list[Interval]


class EmptyCellError(Exception):
    """No point of the cell satisfies the relations."""


class Program:
    """Nodes (kind, arguments, number); relations say what the symbols that are not inputs stand for."""

    def __init__(self, inputs: Sequence[sp.Symbol], relations: Sequence[Rel]) -> None:
        self.inputs = tuple(inputs)
        self.relations = tuple(relations)
        self.nodes: list[Node] = []
        self._index: dict[Node, int] = {}
        self._symbols: dict[sp.Symbol, int] = {
            symbol: self._node("input", (), Fraction(i)) for i, symbol in enumerate(self.inputs)
        }
        self._open: set[sp.Symbol] = set()

    def _node(self, kind: str, arguments: Sequence[int], number: Fraction = Fraction(0)) -> int:
        node = (kind, tuple(arguments), number)
        if node not in self._index:
            self._index[node] = len(self.nodes)
            self.nodes.append(node)
        return self._index[node]

    # -- from terms to nodes ---------------------------------------------------------------------------------------

    def term(self, expr: sp.Expr) -> int:
        """The node of a term; ProofError where it has no interval."""
        if expr.is_Rational:
            return self._node("number", (), Fraction(int(expr.p), int(expr.q)))
        if expr.is_Symbol:
            return self.resolve(expr)
        if expr is sp.E:
            return self._node("exp", [self.term(sp.S.One)])
        if expr.is_Add or expr.is_Mul:
            return self._node("sum" if expr.is_Add else "product", [self.term(arg) for arg in expr.args])
        if isinstance(expr, sp.exp | sp.log | sp.tanh | sp.Abs):
            return self._node(type(expr).__name__.lower(), [self.term(expr.args[0])])
        if expr.is_Pow and expr.exp.is_Integer:
            return self._node("power", [self.term(expr.base)], Fraction(int(expr.exp)))
        raise ProofError(f"{expr} cannot be enclosed in an interval")

    def scaled(self, number: sp.Rational, node: int) -> int:
        """A rational multiple of a node."""
        return node if number == 1 else self._node("product", [self.term(number), node])

    def difference(self, lhs: sp.Expr, rhs: sp.Expr) -> int:
        """The node of lhs - rhs."""
        if rhs == 0:
            return self.term(lhs)
        return self._node("sum", [self.term(lhs), self.scaled(sp.S.NegativeOne, self.term(rhs))])

    def resolve(self, symbol: sp.Symbol) -> int:
        """The node that a symbol stands for: a function of the inputs, or at least a range; ProofError without one."""
        if symbol in self._symbols:
            return self._symbols[symbol]
        if symbol in self._open:
            raise ProofError(f"{symbol} has no range")
        self._open.add(symbol)
        try:
            for find in (self._linear, self._quotient, self._root):
                for rel in self.relations:
                    found = self._try(find, rel, symbol)
                    if found is not None:
                        self._symbols[symbol] = found
                        return found
            self._symbols[symbol] = self._between(symbol)
            return self._symbols[symbol]
        finally:
            self._open.discard(symbol)

    def _try(self, find: object, rel: Rel, symbol: sp.Symbol) -> int | None:
        assert callable(find)
        if symbol not in rel.lhs.free_symbols | rel.rhs.free_symbols:
            return None
        try:
            found = find(rel, symbol)
        except ProofError:
            return None
        assert found is None or isinstance(found, int)
        return found

    def isolated(self, rel: Rel, symbol: sp.Symbol) -> tuple[str, int] | None:
        """(op, node) with `symbol op node`, for a relation that is linear in the symbol with a rational coefficient."""
        coefficient, rest = sp.S.Zero, []
        for side, sign in ((rel.lhs, sp.S.One), (rel.rhs, sp.S.NegativeOne)):
            for part in sp.Add.make_args(side):
                if symbol not in part.free_symbols:
                    rest.append((sign, part))
                    continue
                factor, other = part.as_coeff_Mul(rational=True)
                if other != symbol:
                    return None
                coefficient += sign * factor
        if coefficient == 0:
            return None
        # coefficient x + rest op 0 is x op' -rest/coefficient
        parts = [self.scaled(-sign / coefficient, self.term(part)) for sign, part in rest]
        return (rel.op if coefficient > 0 else FLIPPED[rel.op]), self._node("sum", parts)

    def _linear(self, rel: Rel, symbol: sp.Symbol) -> int | None:
        """x from an equation that is linear in x."""
        if rel.op != "=":
            return None
        found = self.isolated(rel, symbol)
        return found[1] if found else None

    def _quotient(self, rel: Rel, symbol: sp.Symbol) -> int | None:
        """x from x * divisor = number != 0; then the divisor is not 0."""
        if rel.op != "=" or not (rel.rhs.is_Rational and rel.rhs != 0 and rel.lhs.is_Mul):
            return None
        others = [arg for arg in rel.lhs.args if arg != symbol]
        if len(others) != len(rel.lhs.args) - 1 or any(symbol in arg.free_symbols for arg in others):
            return None
        divisor = self._node("product", [self.term(arg) for arg in others])
        return self.scaled(rel.rhs, self._node("power", [divisor], Fraction(-1)))

    def _root(self, rel: Rel, symbol: sp.Symbol) -> int | None:
        """x from x^q = term, where x >= 0 is given."""
        power = rel.lhs
        if rel.op != "=" or not (power.is_Pow and power.base == symbol and power.exp.is_Integer and power.exp > 1):
            return None
        if not any(known in self.relations for known in (Rel(symbol, ">=", 0), Rel(symbol, ">", 0))):
            return None
        return self._node("root", [self.term(rel.rhs)], Fraction(int(power.exp)))

    def _between(self, symbol: sp.Symbol) -> int:
        """A range of x: bounds that are terms, and x among some terms where a product of x - term is 0."""
        parts: dict[str, list[int]] = {"low": [], "high": [], "among": []}
        for rel in self.relations:
            choice = self._try(self._choice, rel, symbol)
            if choice is not None:
                parts["among"].append(choice)
                continue
            try:
                found = self.isolated(rel, symbol) if symbol in rel.lhs.free_symbols | rel.rhs.free_symbols else None
            except ProofError:
                continue
            if found is not None:
                parts["low"] += [found[1]] if found[0] in (">", ">=") else []
                parts["high"] += [found[1]] if found[0] in ("<", "<=") else []
        if not (parts["among"] or (parts["low"] and parts["high"])):
            raise ProofError(f"{symbol} has no range")
        sides = [self._node(kind, arguments) for kind, arguments in parts.items()]
        return self._node("whole" if symbol.is_integer else "between", sides)

    def _choice(self, rel: Rel, symbol: sp.Symbol) -> int | None:
        """The terms a, b, ... of (x - a)(x - b)... = 0."""
        if rel.op != "=" or rel.rhs != 0 or not rel.lhs.is_Mul:
            return None
        found = [self.isolated(Rel(factor, "=", 0), symbol) for factor in rel.lhs.args]
        return self._node("among", [pair[1] for pair in found if pair]) if all(found) else None

    # -- values ------------------------------------------------------------------------------------------------------

    def values(self, ends: Ends, cell: Sequence[Interval]) -> Values:
        """Enclosures of all nodes over a cell; raises EmptyCellError where the relations have no solution in it."""
        found: Values = []
        for kind, arguments, number in self.nodes:
            try:
                found.append(self._value(ends, cell, kind, [found[i] for i in arguments], number))
            except UndefinedError:
                found.append(None)
        return found

    def _value(
        self, ends: Ends, cell: Sequence[Interval], kind: str, given: Sequence[Interval | None], number: Fraction
    ) -> Interval | None:
        if kind == "number":
            return ends.exact(number)
        if kind == "input":
            return cell[int(number)]
        if kind in ("low", "high", "between", "whole"):
            return _met(kind, given)
        arguments = [value for value in given if value is not None]
        if len(arguments) < len(given) or not arguments:
            return None
        first = arguments[0]
        if kind == "sum" or kind == "product":
            for other in arguments[1:]:
                first = ends.add(first, other) if kind == "sum" else ends.multiply(first, other)
            return first
        if kind == "power":
            return ends.power(first, int(number))
        if kind == "root":
            return ends.root(first, int(number))
        if kind == "among":
            return min(low for low, _ in arguments), max(high for _, high in arguments)
        apply = {"exp": ends.exp, "log": ends.log, "tanh": ends.tanh, "abs": ends.absolute}[kind]
        return apply(first)

    def gradient(self, ends: Ends, values: Values, of: int) -> Gradient | None:
        """Enclosures of the derivatives of a node with respect to the inputs over a cell; None where there are none."""
        needed = self._ancestors(of)
        zero = (ends.zero, ends.zero)
        found: dict[int, Gradient] = {}
        try:
            for i in needed:
                kind, arguments, number = self.nodes[i]
                if kind == "number":
                    found[i] = [zero] * len(self.inputs)
                elif kind == "input":
                    one = (ends.one, ends.one)
                    found[i] = [one if j == int(number) else zero for j in range(len(self.inputs))]
                elif kind == "sum":
                    found[i] = found[arguments[0]]
                    for j in arguments[1:]:
                        found[i] = [ends.add(a, b) for a, b in zip(found[i], found[j], strict=True)]
                else:
                    slopes = self._slopes(ends, values, i)
                    total = [zero] * len(self.inputs)
                    for j, slope in zip(arguments, slopes, strict=True):
                        total = [
                            a if b == zero else ends.add(a, ends.multiply(slope, b))
                            for a, b in zip(total, found[j], strict=True)
                        ]
                    found[i] = total
        except UndefinedError:
            return None
        return found[of]

    def _ancestors(self, of: int) -> list[int]:
        needed, waiting = set(), [of]
        while waiting:
            i = waiting.pop()
            if i not in needed:
                needed.add(i)
                waiting += self.nodes[i][1]
        return sorted(needed)  # arguments come before what is made of them

    def _slopes(self, ends: Ends, values: Values, i: int) -> list[Interval]:
        """The derivatives of a node with respect to its arguments; UndefinedError where it has none."""
        kind, arguments, number = self.nodes[i]
        given = [values[j] for j in arguments]
        value = values[i]
        if value is None or any(argument is None for argument in given):
            raise UndefinedError("a part is not defined")
        known = [argument for argument in given if argument is not None]
        one, k = (ends.one, ends.one), int(number)
        if kind == "product":
            slopes = []
            for j in range(len(known)):
                slope = one
                for other in (*known[:j], *known[j + 1 :]):
                    slope = ends.multiply(slope, other)
                slopes.append(slope)
            return slopes
        first = known[0]
        if kind == "power":
            # x^k, with x != 0 for k < 0 since its value is defined
            factor = one if k == 1 else ends.power(first, k - 1)
            return [ends.multiply(ends.exact(Fraction(k)), factor)]
        if kind == "exp":
            return [value]
        if kind == "log":
            return [ends.reciprocal(first)]
        if kind == "tanh":
            # 1 - tanh^2
            return [ends.add(one, ends.negative(ends.power(value, 2)))]
        if kind == "root" and first[0] > 0:
            # (1/q) root(x)/x
            return [ends.multiply(ends.exact(Fraction(1, k)), ends.multiply(value, ends.reciprocal(first)))]
        if kind == "abs" and (first[0] >= 0 or first[1] <= 0):
            return [one if first[0] >= 0 else ends.negative(one)]
        raise UndefinedError(f"{kind} has no derivative here")


def _met(kind: str, given: Sequence[Interval | None]) -> Interval | None:
    """For low (high): the best lower (upper) bound; for between: the range of the bounds and of the choices."""
    known = [value for value in given if value is not None]
    if kind == "low":
        best = max((low for low, _ in known), default=None)
        return None if best is None else (best, best)
    if kind == "high":
        best = min((high for _, high in known), default=None)
        return None if best is None else (best, best)
    low_part, high_part, among = given
    lows = ([low_part[0]] if low_part else []) + ([among[0]] if among else [])
    highs = ([high_part[1]] if high_part else []) + ([among[1]] if among else [])
    if not (lows and highs):
        return None
    low, high = max(lows), min(highs)
    if low > high:
        raise EmptyCellError
    return low, high
