"""What a check reads of a stated claim: relation, bound, and the places where a case enters them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from checker.decide import Expression
from checker.env import Env
from proofs.props import Each
from proofs.statement import Claim


@lru_cache(maxsize=65536)
def at_values(expr: Any, values: tuple[tuple[str, Fraction], ...]) -> Expression:
    """An expression at exact values of its symbols; remembered, because many cases share it."""
    return Expression(expr, Env(dict(values)))


@dataclass(frozen=True)
class StatedClaim:
    """A claim as data for the checks; nothing of its derivation is read."""

    claim: Claim

    @property
    def name(self) -> str:
        """Name, e.g. "A2.bound"."""
        return self.claim.name

    @property
    def op(self) -> str:
        """The relation claimed."""
        return self.claim.relation.op

    @property
    def bound(self) -> Any:
        """The right-hand side, a sympy expression."""
        return self.claim.relation.rhs

    @property
    def left(self) -> Any:
        """The left-hand side, for claims between two bounds."""
        return self.claim.relation.lhs

    def bound_at(self, **values: Fraction | int) -> Expression:
        """The bound at exact values of its parameters."""
        return at_values(self.bound, tuple((name, Fraction(value)) for name, value in values.items()))

    def bound_at_position(self, names: dict[str, str]) -> Any:
        """The bound of a claim about each position i, with f(i) replaced by the symbol names["f"]."""
        assert isinstance(self.claim.conclusion, Each)
        var = self.claim.conclusion.var
        here = {
            node: sp.Symbol(names[node.func.__name__])
            for node in self.bound.atoms(AppliedUndef)
            if node.args == (var,) and node.func.__name__ in names
        }
        return self.bound.xreplace(here)

    def bound_with_decay(self, name: str) -> Any:
        """The bound with the symbol `name` standing for exp(-gamma/tau)."""
        decay = sp.exp(-sp.Symbol("gamma") / sp.Symbol("tau"))
        return self.bound.xreplace({symbol: decay for symbol in self.bound.free_symbols if symbol.name == name})

    def new_value_on_the_right(self, name: str) -> bool:
        """Whether the changed parameter of a monotonicity claim is on its right-hand side."""
        return any(symbol.name == name for symbol in self.bound.free_symbols)

    def hypothesis(self, name: str, op: str) -> Any:
        """Right-hand side of the hypothesis `name op ...` on a parameter, e.g. the critical temperature of A3."""
        for prop in self.claim.hypotheses:
            if not isinstance(prop, Each) and prop.op == op and getattr(prop.lhs, "name", None) == name:
                return prop.rhs
        raise KeyError(f"{self.name} has no hypothesis {name} {op} ...")

    def with_total_variation(self, name: str = "TV") -> Any:
        """The bound with the total variation distance it contains replaced by a symbol."""
        distances = [node for node in self.bound.atoms(sp.Sum) if node.has(sp.Abs)]
        return self.bound.xreplace({node: 2 * sp.Symbol(name) for node in distances})
