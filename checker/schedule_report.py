"""A schedule as a table: its formulas and the claims they rest on, or its numbers at given lengths.

Both are `formats.Table`s, so they print as text, Markdown, LaTeX, CSV and JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from checker.errors import DisagreementError, InputError
from checker.exact import show
from checker.formats import Cell, Column, Table
from checker.numerals import exact_latex, exact_text, integer_text
from checker.rounding import check_digits
from checker.schedule import Regime, Schedule
from checker.schedule_check import check
from checker.schedule_numbers import Value, necessary, sharper, sufficient
from checker.verdict import Verdict
from proofs.a_softmax_gap.row import gamma, n, tau
from proofs.b_positional.b6_predicate import c
from proofs.latex_terms import expr_latex
from proofs.text_terms import expr_text

MOST_LENGTHS = 1000

_ROOT_TEXT = "the root > 1 of eps*R^3 = 2*(1 - eps)*R^2 + eps"
_ROOT_LATEX = r"the root $R > 1$ of $\varepsilon R^3 = 2 (1 - \varepsilon) R^2 + \varepsilon$"


@dataclass(frozen=True)
class Line:
    """One formula: key, what it is, the formula in text and LaTeX, its value if it has one, the claims behind it."""

    key: str
    what: str
    text: str
    latex: str
    claims: tuple[str, ...] = ()
    value: Value | None = None


def schedule_table(schedule: Schedule, lengths: Sequence[int] = (), digits: int = 3) -> Table:
    """Return the schedule's numbers at the lengths, or its formulas if there are none.

    digits: significant digits, 1..30. Raises InputError for an inadmissible length or number of digits, and
    DisagreementError if the definition refutes a printed number.
    """
    check_digits(digits)
    if len(lengths) > MOST_LENGTHS:
        raise InputError(f"at most {MOST_LENGTHS} lengths are tabulated, got {len(lengths)}")
    lines = formulas(schedule, digits)
    fields: dict[str, Any] = {
        "head": schedule.head.name,
        "regime": schedule.regime.value,
        "eps": exact_text(schedule.eps),
        "options": {name: exact_text(value) for name, value in schedule.options.items()},
        "digits": digits,
        "formulas": {line.key: _line_json(line) for line in lines},
        "tau_sympy": sp.sstr(schedule.tau),
    }
    if lengths:
        return _numbers(schedule, lengths, digits, lines, fields)
    columns = [Column("what", "", "", "left"), Column("formula", "formula", None, "left"), Column("value", "value"),
               Column("claims", "rests on", None, "left")]  # fmt: skip
    rows = [
        [
            Cell(line.what),
            Cell(line.text, line.latex),
            line.value.cell if line.value else Cell(""),
            Cell(", ".join(line.claims)),
        ]
        for line in lines
    ]
    notes = [_subject(schedule), *_sides(schedule, digits)]
    return Table(columns, rows, _caption(schedule), notes, fields)


def formulas(schedule: Schedule, digits: int) -> list[Line]:
    """The formulas of a schedule, in the order in which they are printed."""
    scaled, constant = schedule.regime is Regime.SCALED, schedule.head.name == "constant-gap"
    lines = [_math("tau", "tau(n)", schedule.short_tau, schedule.claims)]
    if schedule.head.cubic:
        lines.append(Line("root", "R", _ROOT_TEXT, _ROOT_LATEX))
    lines.append(_leading(schedule, lines[0]))
    if constant and scaled:
        lines.append(_math("answer", "largest tau_0 in tau(n) = tau_0/log(...), c = 1", gamma, ()))
    else:
        over = f"n^{schedule.power}" if schedule.power > 1 else "n"
        what = f"largest tau_0 in tau(n) = tau_0/{over}, c = 1" if scaled else "least c at tau = 1"
        answer = (schedule.short_tau * n**schedule.power).subs(c, 1) if scaled else c * tau / schedule.short_tau
        shown = _math("answer", what, answer.subs(tau, 1), ())
        uniform = None if constant else sufficient(schedule, 1, digits)
        lines.append(Line(shown.key, what, shown.text, shown.latex, (), uniform))
    if schedule.has_sharper:
        lines.append(_sharper(schedule, digits))
    needed = _necessary(schedule)
    return [*lines, needed] if needed else lines


def _math(key: str, what: str, expr: sp.Expr, claims: tuple[str, ...]) -> Line:
    return Line(key, what, expr_text(expr), f"${expr_latex(expr)}$", claims)


def _leading(schedule: Schedule, first: Line) -> Line:
    what = "as n -> infinity"
    if schedule.head.name != "constant-gap":
        latex = rf"$\tau(n) = {first.latex[1:]} for every $n$"
        return Line("leading", what, f"tau(n) = {first.text} for every n", latex)
    text, latex = expr_text(schedule.leading), expr_latex(schedule.leading)
    claims = schedule.claims[:1]
    tail, tail_latex = "", ""
    # C3.below and C3.above are about k = 1; the latter needs E <= 1, that is eps <= 1/2.
    if schedule.options["k"] == 1 and 2 * schedule.eps <= 1:
        tail = "; between c*gamma/log(n/eps) and c*gamma/log(n - 1) for n >= 3"
        tail_latex = r"; between $c \gamma / \log(n/\varepsilon)$ and $c \gamma / \log(n - 1)$ for $n \ge 3$"
        claims = ("C3.below", "C3.above")
    return Line("leading", what, f"tau(n) ~ {text}{tail}", rf"$\tau(n) \sim {latex}${tail_latex}", claims)


def _sharper(schedule: Schedule, digits: int) -> Line:
    head = schedule.head
    exponent = c * (gamma if head.rate == gamma else 1) / (n**schedule.power * tau)
    what = "sharper, at each n" if head.lengths else "sharper, for every n"
    (bound, where), (bound_latex, where_latex) = head.sharper_text, head.sharper_latex
    text = f"{bound} <= eps, {where}q = exp({expr_text(-exponent)})"
    latex = rf"${bound_latex} \le \varepsilon$, ${where_latex}q = {expr_latex(sp.exp(-exponent))}$"
    value = None if head.lengths else sharper(schedule, 1, digits)
    return Line("sharper", what, text, latex, schedule.sharper_claims + head.exact_claims, value)


def _necessary(schedule: Schedule) -> Line | None:
    needed = schedule.necessity
    if needed is None:
        return None
    subject, latex_subject = {"tau": ("tau <=", r"\tau \le"), "c": ("c >=", r"c \ge")}.get(
        needed.subject, ("spread >=", r"\mathrm{spread} \ge")
    )
    if needed.expr is None:
        text = "the sharper value itself: rows that fall by exactly c*gamma per position"
        latex = r"the sharper value itself: rows that fall by exactly $c \gamma$ per position"
    else:
        text, latex = f"{subject} {expr_text(needed.expr)}", f"${latex_subject} {expr_latex(needed.expr)}$"
    if needed.subject == "spread":  # scores c (2n chi_j + j), or their mirror image, for j = 1..n
        text, latex = f"{text}; here it is c*(3*n - 1)", rf"{latex}; here it is $c (3n - 1)$"
    return Line("necessary", "necessary", text, latex, needed.claims)


def _numbers(
    schedule: Schedule, lengths: Sequence[int], digits: int, lines: Sequence[Line], fields: dict[str, Any]
) -> Table:
    tau_asked = schedule.regime is Regime.SCALED
    columns = [Column("n", "n", "$n$")]
    columns.append(Column("tau", "tau(n)", r"$\tau(n)$") if tau_asked else Column("c", "least c", "least $c$"))
    if schedule.has_sharper:
        columns.append(Column("sharper", "sharper"))
    needed = schedule.necessity
    if needed:
        header = "spread needed" if needed.subject == "spread" else "necessary"
        columns.append(Column("necessary", header))
    columns.append(Column("checked", "checked", None, "left"))
    rows = []
    for length in lengths:
        values = [sufficient(schedule, length, digits)]
        if schedule.has_sharper:
            values.append(sharper(schedule, length, digits) or Value(Cell("")))
        cells = [_exact(length), *(value.cell for value in values)]
        if needed:
            required = necessary(schedule, length, digits)
            cells.append(required.cell if required else Cell("", None, {"printed": None}))
        rows.append([*cells, _checked(schedule, length, values)])
    notes = [_subject(schedule)]
    notes += [_note(schedule, line) for line in lines]
    notes += _sides(schedule, digits)
    notes.append("checked: TV <= eps decided from the definition on the worst rows (blank: rows too long).")
    return Table(columns, rows, _caption(schedule), notes, fields)


def _note(schedule: Schedule, line: Line) -> str:
    text = f"{line.what} = {line.text}" if line.key == "tau" else f"{line.what}: {line.text}"
    if line.value:
        # The value is rounded down where it is a temperature, up where it is a score scale.
        name, side = ("tau_0", ">=") if schedule.regime is Regime.SCALED else ("c", "<=")
        text += (
            f"; {name} {side} {line.value.cell.text}" if line.key == "sharper" else f" {side} {line.value.cell.text}"
        )
    return text + (f" ({', '.join(line.claims)})" if line.claims else "")


def _checked(schedule: Schedule, length: int, values: Sequence[Value]) -> Cell:
    verdicts = [check(schedule, length, value.number) for value in values if value.number is not None]
    if Verdict.FAILS in verdicts:
        printed = ", ".join(value.cell.text for value in values)
        raise DisagreementError(f"{schedule.head.name}: the definition refutes {printed} at n = {show(length)}")
    if not verdicts or None in verdicts:
        return Cell("", None, False)
    return Cell("undecided", None, "undecided") if Verdict.UNDECIDED in verdicts else Cell("yes", None, True)


def _caption(schedule: Schedule) -> str:
    what = "largest tau(n)" if schedule.regime is Regime.SCALED else "least score scale c at tau = 1"
    return f"{schedule.head.name}, {schedule.regime.value}: {what} that guarantees TV <= {exact_text(schedule.eps)}"


def _subject(schedule: Schedule) -> str:
    parts = [f"{name} = {exact_text(value)}" for name, value in schedule.options.items() if name != "spread"]
    if "spread" in schedule.options:
        parts.append(f"delta = {exact_text(schedule.options['spread'])} (spread)")
    if schedule.power:
        parts.append("scores divided by n" + (f"^{schedule.power}" if schedule.power > 1 else ""))
    parts.append("c = 1" if schedule.regime is Regime.SCALED else "tau = 1")
    return f"{schedule.head.name}: {schedule.head.text}. Here " + ", ".join(parts) + "."


def _sides(schedule: Schedule, digits: int) -> list[str]:
    subject, side = ("tau", "down") if schedule.regime is Regime.SCALED else ("c", "up")
    notes = [f"{subject} is rounded {side} to {digits} significant digits, the safe side"]
    if schedule.necessity:
        notes[0] += f"; necessary values are rounded {'up' if subject == 'tau' else 'down'}"
    notes[0] += "."
    if schedule.head.name == "constant-gap":
        notes.append("A3 and C3 are about E = 2 TV: their eps is twice the one here.")
    return notes


def _exact(number: Any) -> Cell:
    text = exact_text(number)
    plain = integer_text(number) if isinstance(number, int) and number.bit_length() < 140 else text
    return Cell(text, exact_latex(number), plain, plain.replace("10^", "1e"))


def _line_json(line: Line) -> dict[str, Any]:
    value = line.value.cell.json if line.value else None
    return {"text": line.text, "latex": line.latex, "claims": list(line.claims), "value": value}
