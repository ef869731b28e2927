"""Tables of the stated bounds, and of inverse queries, every number rounded to its safe side.

A table evaluates a statement's bound, or solves it for one parameter, at every combination of the given values.
An upper bound is rounded up and a lower bound down; a sufficient temperature is rounded down and a sufficient
gap up; for a statement that is a lower bound the solved value is necessary, and is rounded the other way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Literal

from checker.cells import every, solution_cell, value_cell
from checker.errors import DisagreementError, InputError
from checker.exact import show
from checker.formats import Cell, Column, Table
from checker.numerals import exact_latex, exact_text, integer_text
from checker.parameters import LATEX, ORDER, check_range, check_row
from checker.plan import Plan, Statement, header, make_plan, subject
from checker.query import Query, holds, names
from checker.rounding import check_digits
from checker.solve import Solution, solve_integer, solve_real

MOST_ROWS = 10**4
GUARD_DIGITS = 3

_ABOUT = {
    "TV": "TV is the total variation distance between the two weight vectors, half their L1 distance E.",
    "L1": "E is the L1 distance between the soft and the hard weight vector, twice their total variation TV.",
}


def build_table(
    statements: Mapping[str, Statement],
    identifier: str,
    values: Mapping[str, Sequence[Fraction]],
    solve: str | None = None,
    digits: int = 3,
) -> Table:
    """Return the table of a statement's bound, or of one parameter solved for, at every combination of the values.

    statements: by id; A3 also reads A2. values: the numbers of each parameter given (k = 1 if not given, all others are
    required). solve: a real parameter of the statement, "n", "eps", or None (the bound; for A3 the same as "tau").
    digits: significant digits, 1..30. Raises InputError, in one line, for a statement without a table, a missing,
    unused or inadmissible parameter, or a parameter in which the bound is not monotone; HardsoftError where a
    comparison stays undecided.
    """
    check_digits(digits)
    plan = make_plan(statements, identifier, solve)
    rows = _rows(plan, values)
    cells = [[*(_given(row[name]) for name in plan.parameters), _answer(plan, row, digits)] for row in rows]
    columns = [Column(name, name, LATEX[name]) for name in plan.parameters]
    key = plan.solve or "bound"
    title, latex = header(plan)
    fields = {"statement": identifier, "title": plan.statement.title, "solve": plan.solve, "digits": digits}
    caption = f"{identifier} {plan.statement.title}: {subject(plan)}"
    notes = _notes(plan, digits, "k" in values, cells)
    return Table([*columns, Column(key, title, latex)], cells, caption, notes, fields)


def _rows(plan: Plan, values: Mapping[str, Sequence[Fraction]]) -> list[dict[str, Fraction]]:
    what = f"{plan.statement.id} solved for {plan.solve}" if plan.solve else plan.statement.id
    flags = ", ".join(f"--{name}" for name in plan.parameters)
    for name in values:
        if name not in plan.parameters:
            raise InputError(f"{what} does not use --{name}; it uses {flags}")
    lists: list[Sequence[Fraction]] = []
    for name in plan.parameters:
        numbers = values.get(name, [Fraction(1)] if name == "k" else [])
        if not numbers:
            raise InputError(f"{what} needs --{name}; it uses {flags}")
        check_range(name, numbers, plan.cap or 1)
        lists.append(numbers)
    count = math.prod(len(numbers) for numbers in lists)
    if count > MOST_ROWS:
        raise InputError(f"the table would have {count} rows; at most {MOST_ROWS} are made")
    rows = [dict(zip(plan.parameters, numbers, strict=True)) for numbers in itertools.product(*lists)]
    for row in rows:
        check_row(row)
        for condition in plan.conditions:
            if names(condition) <= set(row) and not holds(condition, row):
                given = ", ".join(f"{name} = {show(row[name])}" for name in ORDER if name in names(condition))
                needed = f"{condition.lhs} {condition.op} {condition.rhs}"
                raise InputError(f"{plan.statement.id} needs {needed}, got {given}")
    return rows


def _given(x: Fraction) -> Cell:
    if x.denominator == 1:
        digits = integer_text(x.numerator) if x.numerator.bit_length() < 140 else exact_text(x)
        return Cell(exact_text(x), exact_latex(x), digits, digits.replace("10^", "1e"))
    text = exact_text(x)
    return Cell(text, exact_latex(x), text)


def _answer(plan: Plan, row: Mapping[str, Fraction], digits: int) -> Cell:
    """The last cell of a row. InputError where the bound cannot be evaluated there (say, k too large for A8)."""
    cap = Fraction(plan.cap) if plan.cap else None
    try:
        if plan.solve in (None, "eps"):
            return value_cell(plan.bound, row, digits, plan.direction, cap)
        cell = solution_cell(_solve(plan, row, digits, cap), str(plan.solve), digits, plan.direction)
        if plan.critical is None or plan.solve != "tau" or cell.text == every("tau"):
            return cell
        # A3 (iff): the closed form is the threshold of the worst case; two independent ways to the same decimal.
        closed = value_cell(plan.critical, row, digits, plan.direction, None)
    except ValueError as error:
        raise InputError(f"{plan.statement.id}: {error}") from None
    if closed.text != cell.text:
        raise DisagreementError(f"{plan.statement.id} gives {closed.text}, solving its worst case gives {cell.text}")
    return closed


def _solve(plan: Plan, row: Mapping[str, Fraction], digits: int, cap: Fraction | None) -> Solution:
    name = str(plan.solve)
    sign: Literal[1, -1] = 1 if plan.monotone[name] == 1 else -1
    scalars = {other: value for other, value in row.items() if other != "eps"}
    query = Query(plan.bound, name, sign, scalars, row["eps"], plan.conditions, cap)
    if name == "n":
        least = row["k"].numerator + 1 if "k" in row else 2
        return solve_integer(query, least, digits + GUARD_DIGITS)
    return solve_real(query, digits + GUARD_DIGITS)


def _notes(plan: Plan, digits: int, k_given: bool, cells: Sequence[Sequence[Cell]]) -> list[str]:
    about = _ABOUT.get(plan.data.target, plan.data.target)
    notes = [about] if about else []
    what = plan.solve or "the bound"
    if any(isinstance(row[-1].data, dict) and row[-1].data.get("rounded") for row in cells):
        notes.append(f"{what} is rounded {plan.direction.value} to {digits} significant digits, the safe side.")
    if "k" in plan.parameters and not k_given:
        notes.append("k = 1 (one maximal score), since --k was not given.")
    for row in cells:
        data = row[-1].data
        if isinstance(data, dict) and data.get("reason"):
            note = f"{row[-1].text}: {data['reason']}."
            if note not in notes:
                notes.append(note)
    return notes
