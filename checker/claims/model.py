"""Claims as data: the quantity, its relation to a bound, and what is assumed of the row and of the parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from checker.attention import Tie
from checker.claims.expression import Condition, Term
from checker.errors import InputError

QUANTITIES = ("l1", "tv", "max_weight", "winner_weight", "value_error", "l1_moved", "tv_moved")
NEGATED = {"<=": ">", "<": ">=", ">=": "<", ">": "<="}


@dataclass(frozen=True)
class Comparison:
    """`lhs op rhs` between two terms, op one of < <= > >= =."""

    lhs: Term
    op: str
    rhs: Term

    def __str__(self) -> str:
        return f"{self.lhs.expr} {self.op} {self.rhs.expr}"

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Where both sides are defined."""
        return (*self.lhs.conditions, *self.rhs.conditions)

    def negated(self) -> Comparison:
        """The comparison that holds where this one fails (both sides being defined)."""
        return Comparison(self.lhs, NEGATED[self.op], self.rhs)


@dataclass(frozen=True)
class Assumption:
    """One assumption: of the row (kind gap, spread, perturbation, growth, lookup, values, hard) or of the parameters.

    kind "parameters": `comparisons` hold. Else `value` is the bound, `sides` one-sided or two-sided growth, `tie` the
    hard attention, `low` the lower end of the interval of the values. text: as the user wrote it.
    """

    text: str
    kind: str
    value: sp.Expr | None = None
    comparisons: tuple[Comparison, ...] = ()
    sides: str = ""
    tie: Tie | None = None
    low: sp.Expr = sp.S.Zero


@dataclass(frozen=True)
class Statement:
    """A claim as it was read: quantity, relation, bound, an equivalent condition (iff), and assumptions."""

    text: str
    quantity: str
    op: str
    bound: Term
    iff: Comparison | None = None
    assumptions: tuple[Assumption, ...] = ()
    name: str = ""

    def only(self, kind: str) -> Assumption | None:
        """The assumption of this kind, if there is one; InputError if there are two."""
        found = [item for item in self.assumptions if item.kind == kind]
        if len(found) > 1:
            raise InputError(f"{found[1].text}: there is already the assumption {found[0].text}")
        return found[0] if found else None

    @property
    def tie(self) -> Tie:
        """The hard attention that the soft one is compared with (average-hard unless said otherwise)."""
        found = self.only("hard")
        return found.tie if found and found.tie else Tie.AVERAGE

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """All assumptions about the parameters."""
        return tuple(comparison for item in self.assumptions for comparison in item.comparisons)

    def without(self, dropped: Assumption) -> Statement:
        """The claim without one of its assumptions."""
        return replace(self, assumptions=tuple(item for item in self.assumptions if item is not dropped))

    @property
    def symbols(self) -> set[sp.Symbol]:
        """The variables that occur in the claim."""
        found: set[sp.Symbol] = set()
        comparisons = [*self.comparisons, *([self.iff] if self.iff else [])]
        for term in (self.bound, *[side for c in comparisons for side in (c.lhs, c.rhs)]):
            # sympy cancels, but a variable that only says where the term is defined is mentioned, too
            found = found.union(term.expr.free_symbols, *[condition.expr.free_symbols for condition in term.conditions])
        for item in self.assumptions:
            found |= item.value.free_symbols if item.value is not None else set()
        return found
