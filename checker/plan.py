"""What a table is asked for: the statement's bound, the parameter solved for, its safe side, and the words for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import sympy
from sympy.core.function import AppliedUndef

from checker.errors import InputError
from checker.parameters import LATEX, ORDER
from checker.query import Condition, names
from checker.rounding import Direction

_TV = ("TV", r"\mathrm{TV}", 1)
# The name of a quantity in text and in LaTeX, and a number it never exceeds.
_QUANTITIES = {
    "tv": _TV,
    "tv_between": _TV,
    "tv_perturbed": _TV,
    "l1": ("E", "E", 2),
    "max_weight": ("weight", r"\max p", 1),
}
_INSTEAD = {
    "A1": "use A2, its worst case over all rows with a given gap",
    "A7": "multiply the range of the values by the TV of A2, A5, A6 or A8",
}


class TableData(Protocol):
    """What a statement says about its table."""

    @property
    def parameters(self) -> tuple[str, ...]: ...
    @property
    def monotone(self) -> Mapping[str, int]: ...
    @property
    def target(self) -> str: ...


class Claim(Protocol):
    """A claim of a statement; a table reads its hypotheses: `Condition`s, and others that it leaves alone."""

    @property
    def hypotheses(self) -> Sequence[object]: ...


class Statement(Protocol):
    """The part of a statement that a table reads."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def bound(self) -> sympy.Expr: ...
    @property
    def quantity(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def table(self) -> TableData | None: ...
    @property
    def main(self) -> str: ...
    def claim(self, name: str) -> Claim: ...


@dataclass(frozen=True)
class Plan:
    """One table to be made: the bound, what is asked of it, and the parameters each row must give."""

    statement: Statement
    data: TableData
    bound: sympy.Expr  # the error bound (of A3: the worst-case L1 error)
    critical: sympy.Expr | None  # the critical temperature, of A3 alone
    solve: str | None  # the parameter solved for; "eps" and None: the bound itself
    parameters: tuple[str, ...]  # given in each row
    monotone: Mapping[str, int]
    conditions: Sequence[Condition]
    symbol: tuple[str, str]
    cap: int
    upper: bool  # an upper bound on the error: what is solved for is sufficient; else necessary

    @property
    def direction(self) -> Direction:
        """The safe side of the number in the last column."""
        increasing = self.solve not in (None, "eps") and self.monotone[str(self.solve)] == 1
        # Sufficient: error <= bound, so the bound goes up, and so does a least value; a largest value goes down.
        # Necessary: error >= bound, so everything is the other way round.
        return Direction.UP if self.upper is not increasing else Direction.DOWN


def make_plan(statements: Mapping[str, Statement], identifier: str, solve: str | None) -> Plan:
    statement = _statement(statements, identifier)
    data = statement.table
    if data is None:
        with_table = ", ".join(name for name, other in statements.items() if other.table is not None)
        hint = _INSTEAD.get(identifier, f"tables exist for {with_table}")
        raise InputError(f"{identifier} has no table, since it depends on the whole row of scores; {hint}")
    parameters = set(data.parameters)
    monotone = data.monotone
    bound, critical = statement.bound, None
    label, label_latex, cap = _QUANTITIES.get(statement.quantity, (statement.quantity, statement.quantity, 0))
    if "eps" in {symbol.name for symbol in bound.free_symbols}:
        # A3: worst-case E <= eps iff tau <= bound, and worst-case E = 2 * bound of A2, attained by A2.
        critical, bound, monotone = bound, 2 * statements["A2"].bound, _table(statements["A2"]).monotone
        label, label_latex, cap = _QUANTITIES["l1"]
        parameters = (parameters | {"tau"}) - {"eps"}
        solve = solve or "tau"
    if solve is not None:
        solvable = {name for name in parameters if monotone.get(name) and name != "k"}
        if solve != "eps" and solve not in parameters:
            raise InputError(f"{identifier} cannot be solved for {solve!r}; choose {_listed(solvable | {'eps'})}")
        if solve != "eps" and not monotone.get(solve):
            raise InputError(
                f"{identifier} is not monotone in {solve}: the admissible values form a window;"
                f" give --{solve} and solve for {_listed(solvable | {'eps'})}"
            )
        if solve == "k" or (solve == "n" and monotone["n"] != 1):
            raise InputError(f"{identifier} cannot be solved for {solve!r}")
        parameters = (parameters | {"eps"}) - {solve}
    return Plan(
        statement,
        data,
        bound,
        critical,
        solve,
        tuple(name for name in ORDER if name in parameters),
        monotone,
        _conditions(statement),
        (label, label_latex),
        cap,
        critical is not None or statement.direction not in (">=", ">"),
    )


def _statement(statements: Mapping[str, Statement], identifier: str) -> Statement:
    if identifier not in statements:
        raise InputError(f"no statement {identifier!r}; there are {', '.join(statements)}")
    return statements[identifier]


def _conditions(statement: Statement) -> tuple[Condition, ...]:
    """Hypotheses that relate real parameters to each other, such as 2 eta < gamma (ranges of one are checked apart)."""
    reals = set(ORDER) - {"n", "k"}
    found: list[Condition] = []
    for hypothesis in statement.claim(statement.main).hypotheses:
        sides = [getattr(hypothesis, side, None) for side in ("lhs", "rhs")]
        if hasattr(hypothesis, "op") and not any(side is None or side.atoms(AppliedUndef, sympy.Sum) for side in sides):
            condition = cast(Condition, hypothesis)
            if len(names(condition)) >= 2 and names(condition) <= reals:
                found.append(condition)
    return tuple(found)


def _table(statement: Statement) -> TableData:
    if statement.table is None:
        raise InputError(f"{statement.id} has no table")
    return statement.table


def _listed(chosen: set[str]) -> str:
    return ", ".join(name for name in ORDER if name in chosen)


def adjective(plan: Plan) -> str:
    largest = plan.monotone[str(plan.solve)] == 1
    if plan.upper:
        return "largest" if largest else "least"
    return "at most" if largest else "at least"


def header(plan: Plan) -> tuple[str, str]:
    label, latex = plan.symbol
    if plan.solve is None:
        return (f"{label} <=", rf"${latex} \le$") if plan.upper else (f"{label} >=", rf"${latex} \ge$")
    if plan.solve == "eps":
        return ("least eps", r"least $\varepsilon$") if plan.upper else ("eps at least", r"$\varepsilon$ at least")
    word, name = adjective(plan), plan.solve
    return (f"{word} {name}", f"{word} {LATEX[name]}") if plan.upper else (f"{name} {word}", f"{LATEX[name]} {word}")


def subject(plan: Plan) -> str:
    label = plan.symbol[0]
    if plan.solve is None:
        return f"{'upper' if plan.upper else 'lower'} bound on {label}"
    if plan.solve == "eps":
        return f"{'least' if plan.upper else 'necessary'} eps for {label} <= eps"
    if plan.upper:
        return f"{adjective(plan)} {plan.solve} that guarantees {label} <= eps"
    return f"values of {plan.solve} necessary for {label} <= eps"
