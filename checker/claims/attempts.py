"""What the reductions share: facts at hand, attempts by the rules within the time given, ranges, numbers enclosed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import sympy as sp

from checker.claims import boxes
from checker.claims.alarm import OutOfTimeError
from proofs.decide import Limits
from proofs.derivation import Derivation
from proofs.facts import EXP_INCREASING, LOG_INCREASING, X, Y
from proofs.intervals import LARGEST, exp_enclosure, log_enclosure
from proofs.programs import Program
from proofs.props import FLIPPED, ProofError, Rel, free_symbols
from proofs.sequent import Step

DIGITS = 30
"""Bits of the rational numbers that stand for logarithms and exponentials of numbers."""


@dataclass
class Attempts:
    """A derivation with facts in the variables in use, and the reasons why attempts failed."""

    d: Derivation
    facts: list[Step]
    deadline: float
    tried: list[str] = field(default_factory=list)
    effort: int = 1000  # milliseconds that one call of Z3 may take

    def left(self) -> float:
        """The seconds left; raises OutOfTimeError."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise OutOfTimeError
        return left

    def attempt(self, rel: Rel, using: Sequence[Step], milliseconds: int = 0) -> Step | None:
        """The step, if the rule `polynomial` accepts it; milliseconds: instead of `effort`."""
        try:
            self.left()
            limits = Limits(milliseconds or self.effort, self.deadline)
            return self.d.polynomial(rel.lhs, rel.op, rel.rhs, using, limits=limits)
        except ProofError:
            return None

    def box(self, rel: Rel, using: Sequence[Step], over: Sequence[sp.Symbol], cells: int = boxes.CELLS) -> Step | None:
        """The step, if the rule `box` accepts it; why not is noted."""
        self.left()
        step, why = boxes.boxed(self.d, rel, using, over, self.deadline, cells)
        if step is None and why not in self.tried:
            self.tried.append(why)
        return step

    def number(self, rel: Rel) -> Step:
        """A relation between numbers, by the rule `box`; raises ProofError."""
        return self.d.box(rel, [])

    def fresh(self, name: str) -> sp.Symbol:
        """A symbol that no step of the derivation mentions."""
        used = {str(s) for step in self.d.steps if isinstance(step.prop, Rel) for s in free_symbols(step.prop)}
        numbered = [name, *(f"{name}{i}" for i in range(2, len(used) + 3))]
        return sp.Symbol(next(other for other in numbered if other not in used), real=True)

    def with_facts(self, *more: Step) -> Attempts:
        """The same with further facts."""
        return Attempts(self.d, [*self.facts, *more], self.deadline, self.tried)

    def about(self, *terms: sp.Expr) -> list[Step]:
        """The facts about the symbols of some terms alone, and about what these symbols stand for."""
        symbols = set().union(*[term.free_symbols for term in terms])
        found: list[Step] = []
        for _ in range(4):
            for step in self.facts:
                free = step.rel.lhs.free_symbols | step.rel.rhs.free_symbols
                named = step.rel.op == "=" and step.rel.lhs.is_Symbol and step.rel.lhs in symbols
                if step not in found and (free <= symbols or named):
                    found.append(step)
                    symbols |= free
        return found

    def lower(self, symbol: sp.Symbol) -> Step | None:
        """A fact number <= symbol (or <), the best one."""
        return self._best(symbol, (">", ">="), 1)

    def upper(self, symbol: sp.Symbol) -> Step | None:
        """A fact symbol <= number (or <), the best one."""
        return self._best(symbol, ("<", "<="), -1)

    def _best(self, symbol: sp.Symbol, ops: tuple[str, str], sign: int) -> Step | None:
        best: tuple[sp.Rational, Step] | None = None
        for step in self.facts:
            end = end_of(step.rel, symbol)
            if end is not None and end[0] in (*ops, "=") and (best is None or sign * end[1] > sign * best[0]):
                best = (end[1], step)
        return best[1] if best else None


def free(rel: Rel) -> set[sp.Symbol]:
    """The symbols of a relation."""
    return set(rel.lhs.free_symbols | rel.rhs.free_symbols)


def end_of(rel: Rel, symbol: sp.Symbol) -> tuple[str, sp.Rational] | None:
    """(op, number) of a relation symbol op number."""
    if rel.lhs == symbol and rel.rhs.is_Rational:
        return rel.op, rel.rhs
    if rel.rhs == symbol and rel.lhs.is_Rational:
        return FLIPPED[rel.op], rel.lhs
    return None


def inputs(work: Attempts, terms: Sequence[sp.Expr]) -> list[sp.Symbol] | None:
    """Variables with finite ranges that determine the terms; None where there are none such."""
    relations = [step.rel for step in work.facts]
    waiting = sorted(set().union(*[term.free_symbols for term in terms]), key=str)
    over: list[sp.Symbol] = []
    while waiting:
        symbol = waiting.pop()
        if symbol in over:
            continue
        if work.lower(symbol) is not None and work.upper(symbol) is not None:
            over.append(symbol)
            continue
        try:
            Program(over, relations).resolve(symbol)
            continue
        except ProofError:
            pass
        meaning = [rel for rel in relations if rel.op == "=" and symbol in rel.lhs.free_symbols]
        inner = set().union(*[rel.lhs.free_symbols | rel.rhs.free_symbols for rel in meaning]) - {symbol, *over}
        inner = {other for other in inner if work.lower(other) is not None and work.upper(other) is not None}
        if not inner:
            return None
        waiting += [symbol, *sorted(inner, key=str)]
    return sorted(over, key=str)


def propagate(work: Attempts) -> None:
    """Finite ranges from linear facts such as k <= n and n <= 10, shown by the rule `polynomial`."""
    symbols = sorted(set().union(*[s.rel.lhs.free_symbols | s.rel.rhs.free_symbols for s in work.facts]), key=str)
    for _ in range(2):
        for symbol in symbols:
            for step in list(work.facts):
                difference = sp.expand(step.rel.lhs - step.rel.rhs)
                slope = difference.coeff(symbol, 1)
                others = difference.free_symbols - {symbol}
                if step.rel.op == "=" or not slope.is_Rational or slope == 0 or len(others) > 1:
                    continue
                rest = sp.expand(difference - slope * symbol)
                if not others and rest.is_Rational and end_of(step.rel, symbol) is None:
                    op = step.rel.op if slope > 0 else FLIPPED[step.rel.op]
                    alone = work.attempt(Rel(symbol, op, -rest / slope), [step])
                    if alone is not None and alone.rel not in [known.rel for known in work.facts]:
                        work.facts.append(alone)
                if not others:
                    continue
                (other,) = others
                if sp.expand(rest - rest.coeff(other, 1) * other).free_symbols or not rest.coeff(other, 1).is_Rational:
                    continue
                above = (step.rel.op in ("<", "<=")) == (slope > 0)
                if (work.upper(symbol) if above else work.lower(symbol)) is not None:
                    continue
                term = -rest / slope
                end = work.upper(other) if above == (term.coeff(other, 1) > 0) else work.lower(other)
                if end is None:
                    continue
                found = end_of(end.rel, other)
                assert found is not None
                limit = term.xreplace({other: found[1]})
                shown = work.attempt(Rel(symbol, "<=" if above else ">=", limit), [step, end])
                if shown is not None:
                    work.facts.append(shown)


def rational(x: Fraction) -> sp.Rational:
    """A fraction for sympy."""
    return sp.Rational(x.numerator, x.denominator)


def numbers(work: Attempts, terms: Sequence[sp.Expr]) -> None:
    """Enclose the exponentials of numbers in the terms, and the names of logarithms of numbers, by rationals."""
    for node in sorted(set().union(*[term.atoms(sp.exp) for term in terms]), key=str):
        argument = node.args[0] if node.args else sp.S.One
        if argument.is_Rational and abs(argument) <= LARGEST:
            low, high = exp_enclosure(Fraction(int(argument.p), int(argument.q)), DIGITS)
            work.facts += [work.number(Rel(rational(low), "<=", node)), work.number(Rel(node, "<=", rational(high)))]
    for step in list(work.facts):
        rel = step.rel
        if rel.op == "=" and rel.lhs.is_Symbol and isinstance(rel.rhs, sp.log) and rel.rhs.args[0].is_Rational:
            if work.lower(rel.lhs) is not None and work.upper(rel.lhs) is not None:
                continue
            argument = rel.rhs.args[0]
            if argument <= 0:
                continue
            low, high = log_enclosure(Fraction(int(argument.p), int(argument.q)), DIGITS)
            for side in (Rel(rational(low), "<=", rel.lhs), Rel(rel.lhs, "<=", rational(high))):
                work.facts.append(work.d.box(side, [step]))


def orders(work: Attempts, exponents: Sequence[sp.Expr], *, keep: bool = False) -> list[Step]:
    """exp(a) <= exp(b) for all pairs of exponents whose order follows from the facts about their symbols.

    keep: comparisons with exp(0) = 1 become facts.
    """
    made = []
    for i, a in enumerate(exponents):
        for b in exponents[i + 1 :]:
            for low, high in ((a, b), (b, a)):
                order = work.attempt(Rel(low, "<=", high), work.about(low, high), 300)
                if order is not None:
                    made.append(work.d.analysis(EXP_INCREASING, {X: low, Y: high}, [order]))
                    break
    if keep:
        rels = [step.rel for step in work.facts]
        work.facts += [step for step in made if sp.S.One in (step.rel.lhs, step.rel.rhs) and step.rel not in rels]
    return made


def logarithms(work: Attempts) -> None:
    """Numbers below the names of logarithms, from numbers above 0 below their arguments."""
    for step in list(work.facts):
        rel = step.rel
        if not (rel.op == "=" and rel.lhs.is_Symbol and isinstance(rel.rhs, sp.log)) or rel.rhs.args[0].is_Rational:
            continue
        argument = rel.rhs.args[0]
        end = work.lower(argument) if argument.is_Symbol else None
        found = end_of(end.rel, argument) if end else None
        least = found[1] if found and found[1] > 1 else sp.S.One
        order = work.attempt(Rel(least, "<=", argument), work.about(argument), 500)
        if order is None:
            continue
        logged = work.d.analysis(LOG_INCREASING, {X: least, Y: argument}, [order])
        low = rational(log_enclosure(Fraction(int(least.p), int(least.q)), DIGITS)[0])
        number = [] if least == 1 else [work.number(Rel(low, "<=", sp.log(least)))]
        shown = work.attempt(Rel(rel.lhs, ">=", low), [logged, step, *number])
        work.facts += [shown] if shown is not None else []
