"""Claims proved for all values of the parameters: one theorem per range of the parameters, by a checked derivation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import sympy as sp

from checker.claims import engine, reduce, taylor
from checker.claims.alarm import OutOfTimeError
from checker.claims.expression import INTEGERS
from checker.claims.families import Family
from checker.claims.model import Comparison, Statement
from checker.claims.naming import Names, UnsupportedTermError
from checker.claims.rows import row_derivation
from checker.claims.worst import Case, domain
from proofs.derivation import Derivation
from proofs.props import ProofError, Rel
from proofs.registry import claims as registry_claims
from proofs.sequent import Step, Theorem
from proofs.statement import Claim, Library

UNDEFINED = (sp.zoo, sp.nan, sp.oo, sp.S.NegativeInfinity)
WHOLE = "the assumptions exclude this range"


@dataclass(frozen=True)
class Goal:
    """What is to be proved in one range: `case.worst op bound` under the assumptions `comparisons`."""

    case: Case
    op: str
    claim: Statement
    comparisons: tuple[Comparison, ...]
    quantity_op: str  # the relation of the quantity itself to the bound; "" where the goal is only about the worst case


@dataclass(frozen=True)
class Proof:
    """A goal that is proved: the theorem, its derivation, and the claims of the registry that it rests on."""

    goal: Goal
    claim: Claim | None
    theorem: Theorem | None
    derivation: Derivation | None
    cites: tuple[str, ...]
    about_rows: bool
    note: str = ""
    inequality: Proof | None = None  # for a theorem about rows: the inequality between worst case and bound

    @property
    def methods(self) -> list[str]:
        """How the rational inequalities were decided, each once."""
        steps = [*(self.derivation.steps if self.derivation else [])]
        if self.inequality is not None and self.inequality.derivation is not None:
            steps += self.inequality.derivation.steps
        return list(dict.fromkeys(s.how.split(":")[0] for s in steps if s.rule == "polynomial"))


@dataclass(frozen=True)
class NotProved:
    """A goal that is not proved, and why."""

    goal: Goal
    why: str


class ImpossibleError(Exception):
    """The assumptions exclude this range of the parameters."""


def replaced(expr: sp.Expr, case: Case) -> sp.Expr:
    """A term of the claim in a range of the parameters."""
    return expr.xreplace(case.replaced) if case.replaced else expr


def undefined(expr: sp.Expr) -> bool:
    """Whether a term contains a division by zero or the like."""
    return bool(expr.has(*UNDEFINED))


def hypotheses(goal: Goal) -> list[Rel]:
    """The ranges of the parameters and the assumptions, in the range of the case; ImpossibleError if none is left."""
    case = goal.case
    variables = goal.claim.symbols | case.variables
    rels = [_moved(rel, case) for rel in domain(variables)]
    rels += [_moved(rel, case) for rel in case.ranges]
    for comparison in goal.comparisons:
        rels.append(_rel(replaced(comparison.lhs.expr, case), comparison.op, replaced(comparison.rhs.expr, case)))
        for condition in comparison.conditions:
            expr = replaced(condition.expr, case)
            if undefined(expr):
                raise ImpossibleError
            if condition.op in (">", ">="):
                rels.append(_rel(expr, condition.op, sp.S.Zero))
            elif expr == 0:
                raise ImpossibleError
    kept: list[Rel] = []
    for rel in rels:
        difference = sp.expand(rel.lhs - rel.rhs)
        if difference.is_Rational:
            if not {"<": difference < 0, "<=": difference <= 0, ">": difference > 0, ">=": difference >= 0}.get(
                rel.op, difference == 0
            ):
                raise ImpossibleError
        elif rel not in kept:
            kept.append(rel)
    return kept


class _Loose:
    """A relation between terms that need not be in the language of proofs."""

    def __init__(self, lhs: sp.Expr, op: str, rhs: sp.Expr) -> None:
        self.lhs, self.op, self.rhs = lhs, op, rhs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Loose) and (self.lhs, self.op, self.rhs) == (other.lhs, other.op, other.rhs)

    def __hash__(self) -> int:
        return hash((self.lhs, self.op, self.rhs))


def _moved(rel: Rel, case: Case) -> Rel:
    return _rel(replaced(rel.lhs, case), rel.op, replaced(rel.rhs, case))


def _rel(lhs: sp.Expr, op: str, rhs: sp.Expr) -> Rel:
    """The relation; between integers a < b is written a + 1 <= b."""
    if undefined(lhs) or undefined(rhs):
        raise ImpossibleError
    if op in ("<", ">") and _whole(lhs) and _whole(rhs):
        return _Loose(lhs + 1, "<=", rhs) if op == "<" else _Loose(rhs + 1, "<=", lhs)  # type: ignore[return-value]
    return _Loose(lhs, op, rhs)  # type: ignore[return-value]


def _whole(expr: sp.Expr) -> bool:
    """Whether a term is a polynomial with integer coefficients in integer variables."""
    if isinstance(expr, (sp.Add, sp.Mul)):
        return all(_whole(arg) for arg in expr.args)
    if isinstance(expr, sp.Pow):
        return _whole(expr.args[0]) and expr.args[1].is_Integer and expr.args[1] >= 0
    return bool(expr.is_Integer) or expr in INTEGERS


def prove(goal: Goal, family: Family, seconds: float, effort: int = 3000) -> Proof | NotProved:
    """Prove a goal within about `seconds`; `effort` is the time in ms that one call of Z3 may take."""
    case = goal.case
    try:
        given = hypotheses(goal)
    except ImpossibleError:
        return Proof(goal, None, None, None, (), False, WHOLE)
    bound = replaced(goal.claim.bound.expr, case)
    conditions = [replace(c, expr=replaced(c.expr, case)) for c in goal.claim.bound.conditions]
    if undefined(bound) or any(undefined(c.expr) or (c.op == "!=" and c.expr == 0) for c in conditions):
        return NotProved(goal, f"the bound is not defined{' for ' + case.label if case.label else ''}")
    names = Names()
    try:
        hyps = [Rel(names(rel.lhs), rel.op, names(rel.rhs)) for rel in given]
        # Naming a root or a quotient assumes that it is defined. The parts of a condition are defined by the conditions
        # before it, so that each may use the definitions made so far, and no later one.
        wanted = [(names(c.expr), c.op, tuple(names.definitions)) for c in conditions]
        target = Rel(names(case.worst), goal.op, names(bound))
    except (UnsupportedTermError, ProofError) as error:
        return NotProved(goal, str(error))
    deadline = time.monotonic() + seconds
    try:
        for expr, op, definitions in wanted:
            if not _defined(expr, op, definitions, hyps, names, deadline):
                return NotProved(goal, f"the bound is not shown to be defined: {expr} {op} 0")
        return _derive(goal, family, names, hyps, target, deadline, effort)
    except OutOfTimeError:
        return NotProved(goal, "out of time")


def _defined(
    expr: sp.Expr, op: str, definitions: Sequence[Rel], hyps: Sequence[Rel], names: Names, deadline: float
) -> bool:
    """Whether a condition for the bound to be defined is proved, from the assumptions alone."""

    def shown(sign: str) -> bool:
        goal = Rel(expr, sign, 0)

        def derive(d: Derivation, given: Sequence[Step]) -> Step:
            return engine.settle(d, names, given, goal, deadline, 1000)

        try:
            claim = Claim("DEFINED", "the bound is defined", tuple(definitions), tuple(hyps), goal, derive)
            _registry().extended([claim]).prove("DEFINED")
        except ProofError:
            return False
        return True

    return any(shown(sign) for sign in ((">", "<") if op == "!=" else (op,)))


def forget() -> None:
    """Forget the registry's library, which an interruption may have left in the middle of a proof."""
    _registry.cache_clear()


@lru_cache(maxsize=1)
def _registry() -> Library:
    return Library([*registry_claims(), *taylor.CLAIMS])


def _derive(
    goal: Goal,
    family: Family,
    names: Names,
    hyps: list[Rel],
    target: Rel,
    deadline: float,
    effort: int,
) -> Proof | NotProved:
    first = time.monotonic() + 0.6 * (deadline - time.monotonic())

    def inequality(d: Derivation, given: Sequence[Step]) -> Step:
        return engine.settle(d, names, given, target, first, effort)

    def reduced(d: Derivation, given: Sequence[Step]) -> Step:
        return reduce.settle(d, given, target, deadline)

    name = "CLAIM" + (f" ({goal.case.label})" if goal.case.label else "")
    parameters = Claim(name, goal.claim.text, tuple(names.definitions), tuple(hyps), target, inequality)
    try:
        alone = _registry().extended([parameters])
        theorem, derivation = alone.prove(name)
    except (ProofError, UnsupportedTermError, OutOfTimeError):
        parameters = replace(parameters, derive=reduced)
        alone = _registry().extended([parameters])
        try:
            theorem, derivation = alone.prove(name)
        except ProofError as error:
            return NotProved(goal, str(error))
    for cited in goal.case.cites:
        _registry().prove(cited)  # replayed in this process; raises ProofError if the registry's derivation is rejected
    plain: Proof = Proof(goal, parameters, theorem, derivation, goal.case.cites, False)
    about_rows = row_derivation(goal, family, parameters, target) if goal.quantity_op else None
    if about_rows is None:
        return plain
    try:
        theorem, derivation = alone.extended([about_rows]).prove(about_rows.name)
    except (ProofError, OutOfTimeError):
        return plain
    uses = (*(used for used in derivation.uses if used != name), *(plain.derivation.uses if plain.derivation else ()))
    return Proof(goal, about_rows, theorem, derivation, tuple(dict.fromkeys(uses)), True, inequality=plain)
