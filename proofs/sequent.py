"""Sequents and the ledger of a derivation: steps, what they rest on, hypotheses and definitions.

A step is a sequent: a proposition together with the hypotheses it rests on (`depends`). Hypotheses are *given* (they
belong to the statement) or *assumed* (local, discharged by induction, cases, generalisation or specialisation). A
definition of a fresh name is a hypothesis too: it may mention no generic variable that is discharged later, and its
name may not occur in the conclusion, so replacing the name by what it stands for removes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import sympy as sp

from .language import CONSTANTS
from .props import (
    INDEX,
    Each,
    ProofError,
    Prop,
    Rel,
    free_symbols,
    functions_of,
    position,
    same,
    substitute,
    total,
)

Tamper = Callable[[int, Prop], Prop]


@dataclass(frozen=True)
class Theorem:
    """A proved proposition: `conclusion` holds whenever `hypotheses` do, for all values of the other variables."""

    name: str
    hypotheses: tuple[Prop, ...]
    conclusion: Prop


@dataclass(frozen=True, eq=False)
class Step:
    """One line of a derivation; equality is identity."""

    number: int
    prop: Prop
    rule: str
    how: str
    why: str
    premises: tuple[Step, ...]
    depends: frozenset[Step] = field(repr=False)

    @property
    def rel(self) -> Rel:
        """The relation, for steps that are not of the form `for each`."""
        if isinstance(self.prop, Each):
            raise ProofError(f"step {self.number} is about every position; use at(): {self.prop}")
        return self.prop


class Ledger:
    """Steps in order. `tamper` alters the claim of a step before its rule sees it (mutation tests)."""

    def __init__(self, theorem: Callable[[str], Theorem], tamper: Tamper | None = None) -> None:
        self.steps: list[Step] = []
        self.uses: list[str] = []
        self.last: Step | None = None  # the step that was concluded
        self._theorem = theorem
        self._tamper = tamper
        self._defined: set[sp.Basic] = set()

    # -- bookkeeping ---------------------------------------------------------------------------------------------

    def _claim(self, prop: Prop) -> Prop:
        return self._tamper(len(self.steps) + 1, prop) if self._tamper else prop

    def _add(
        self,
        prop: Prop,
        rule: str,
        how: str,
        why: str,
        premises: Sequence[Step],
        depends: frozenset[Step] | None = None,
    ) -> Step:
        for premise in premises:
            self._own(premise)
        if depends is None:
            depends = frozenset().union(*[p.depends for p in premises])
        step = Step(len(self.steps) + 1, prop, rule, how, why, tuple(premises), depends)
        self.steps.append(step)
        return step

    def _own(self, step: Step) -> None:
        if not (0 < step.number <= len(self.steps) and self.steps[step.number - 1] is step):
            raise ProofError(f"not a step of this derivation: {step.prop}")

    def _reject(self, rule: str, prop: object, reason: object) -> ProofError:
        return ProofError(f"step {len(self.steps) + 1} ({rule}) is rejected: {prop}: {reason}")

    def _hypothesis(self, prop: Prop, rule: str, why: str) -> Step:
        step = self._add(prop, rule, "", why, (), frozenset())
        object.__setattr__(step, "depends", frozenset({step}))
        return step

    # -- hypotheses and definitions --------------------------------------------------------------------------------

    def given(self, prop: Prop, why: str = "") -> Step:
        """A hypothesis of the statement."""
        return self._hypothesis(prop, "given", why)

    def assume(self, prop: Prop, why: str = "") -> Step:
        """A local hypothesis, to be discharged by induction or cases."""
        return self._hypothesis(prop, "assume", why)

    def generic(self, name: str, lo: sp.Expr, hi: sp.Expr) -> tuple[sp.Symbol, Step, Step]:
        """A generic position lo <= i <= hi, to be discharged by generalise."""
        i = position(name)
        if any(i in free_symbols(step.prop) for step in self.steps if step.rule == "given"):
            raise self._reject("generic", i, "the symbol occurs in a hypothesis")
        return i, self.assume(Rel(lo, "<=", i)), self.assume(Rel(i, "<=", hi))

    def _fresh(self, new: sp.Basic, meaning: sp.Expr, *, function: bool = False) -> None:
        kind = sp.core.function.UndefinedFunction if function else sp.Symbol
        if not isinstance(new, kind) or new in (INDEX, *CONSTANTS):
            raise self._reject("define", new, f"is not a {'function ' if function else ''}symbol")
        mentioned = [step.prop for step in self.steps] + [Rel(meaning, "=", 0)]
        if any(new in free_symbols(prop) or new in functions_of(prop) for prop in mentioned):
            raise self._reject("define", new, "the name is not new")
        if INDEX in free_symbols(mentioned[-1]):
            raise self._reject("define", new, "the bound variable of sums is free in the definition")
        self._defined.add(new)

    def define(self, name: sp.Symbol, expr: sp.Expr, why: str = "") -> Step:
        """name = expr for a new symbol; for an integer symbol, expr has to be an integer."""
        self._fresh(name, expr)
        if name.is_integer and not sp.S(expr).is_integer:
            raise self._reject("define", name, f"is an integer symbol, and {expr} need not be an integer")
        return self._hypothesis(Rel(name, "=", expr), "define", why)

    def define_function(self, name: sp.Basic, i: sp.Symbol, expr: sp.Expr, n: sp.Expr, why: str = "") -> Step:
        """name(i) = expr for every i = 1..n, for a new function symbol."""
        self._fresh(name, expr, function=True)
        return self._hypothesis(Each(i, sp.S.One, n, Rel(name(i), "=", expr)), "define", why)

    def sign_indicator(self, name: sp.Basic, i: sp.Symbol, expr: sp.Expr, n: sp.Expr) -> tuple[Step, Step]:
        """A new function with values 0 and 1: 1 where expr >= 0 and 0 where expr < 0.

        Gives chi(i)(1 - chi(i)) = 0 and (2 chi(i) - 1) expr = |expr| at every position.
        """
        self._fresh(name, expr, function=True)
        chi, why = name(i), f"{name}({i}) is 1 where {expr} >= 0, else 0"
        boolean = self._hypothesis(Each(i, sp.S.One, n, Rel(chi * (1 - chi), "=", 0)), "define", why)
        signed = Rel((2 * chi - 1) * expr, "=", sp.Abs(expr))
        return boolean, self._hypothesis(Each(i, sp.S.One, n, signed), "define", why)

    def count(self, name: sp.Symbol, f: sp.Expr, boolean: Step) -> tuple[Step, Step]:
        """A new integer symbol for the number of positions 1..n where a 0/1-valued f is 1.

        `boolean` is f(1 - f) = 0 for every i = 1..n, f an expression in i; gives (sum of f = name, name >= 0).
        """
        self._own(boolean)
        self._fresh(name, f)
        each = boolean.prop
        if not (isinstance(each, Each) and same(each, Each(each.var, sp.S.One, each.hi, Rel(f * (1 - f), "=", 0)))):
            raise self._reject("count", each, "needs f(i)(1 - f(i)) = 0 for every i = 1..n")
        if not name.is_integer or each.var in each.hi.free_symbols:
            raise self._reject("count", name, "is not an integer symbol")
        summed = total(lambda j: substitute(f, {each.var: j}), each.hi)
        why = "a sum of zeros and ones is a natural number"
        first = self._hypothesis(Rel(summed, "=", name), "define", why)
        second = self._hypothesis(Rel(name, ">=", 0), "define", why)
        for step in (first, second):
            object.__setattr__(step, "premises", (boolean,))
            object.__setattr__(step, "depends", step.depends | boolean.depends)
        return first, second
