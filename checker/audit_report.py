"""The audit of attention scores as tables (text, Markdown, LaTeX, CSV) and as one JSON document.

What is printed is on the safe side: admissible temperatures and slacks are rounded down, distances (TV) up, gaps down.
Heads and rows are named by their indices in the array, counted from 0.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from checker.audit import Audit, Bounds, HeadAudit, RowAudit
from checker.errors import InputError
from checker.formats import FORMATS, Cell, Column, Table, render, to_text
from checker.numerals import exact_latex, exact_text
from checker.rounding import Scientific, decimal_down, decimal_up

DIGITS = 4
LOWEST = 10  # rows listed below the heads
WIDTH = 100  # of the text form
_CSV_DIGITS = 17
_LONGEST_SET = 6

_HEADS = (
    Column("head", "head", align="left"),
    Column("rows", "rows"),
    Column("least", "min tau", r"$\min \tau$"),
    Column("median", "median tau", r"median $\tau$"),
    Column("largest", "max tau", r"$\max \tau$"),
    Column("slack", "min slack"),
    Column("max_tv", "max TV", r"$\max \mathrm{TV}$"),
    Column("hardest", "hardest row", align="left"),
)
_ROWS = (
    Column("row", "row", align="left"),
    Column("hard", "hard set", align="left"),
    Column("n", "n", "$n$"),
    Column("k", "k", "$k$"),
    Column("gap", "gap"),
    Column("spread", "spread"),
    Column("tv", "TV", r"$\mathrm{TV}$"),
    Column("bound_tv", "TV by A2", r"$\mathrm{TV}$ by A2"),
    Column("critical", "tau", r"$\tau$"),
    Column("bound_critical", "tau by A2", r"$\tau$ by A2"),
    Column("slack", "slack"),
)


def report(audit: Audit, form: str = "text", *, every_row: bool = False, digits: int = DIGITS) -> str:
    """The whole report in one of FORMATS: the heads, hardest first, and the rows of lowest temperature.

    every_row: list all rows instead of the lowest ones; CSV has one table only, the rows if ``every_row``, else the
    heads.  JSON holds everything whatever ``every_row`` says.  InputError for another format or bad digits.
    """
    if form not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {form!r}")
    if form == "json":
        return _json(document(audit))
    rows = range(audit.rows) if every_row else audit.lowest(LOWEST)
    if form == "csv":
        return render(row_table(audit, rows, digits) if every_row else head_table(audit, digits), form)
    tables = [head_table(audit, digits), row_table(audit, rows, digits)]
    return "\n".join(to_text(table, WIDTH) if form == "text" else render(table, form) for table in tables)


def _json(data: dict[str, Any]) -> str:
    """One line per head and per row, so that the document can be read and compared line by line."""
    lines = []
    for name, value in data.items():
        if name in ("heads", "rows"):
            text = "[\n" + ",\n".join(f"  {_dump(item)}" for item in value) + "\n ]"
        else:
            text = _dump(value)
        lines.append(f" {_dump(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def head_table(audit: Audit, digits: int = DIGITS) -> Table:
    """One line per head, those that need the lowest temperature first."""
    heads = sorted(audit.heads(), key=lambda head: (head.least, head.index))
    empty = f", {audit.empty} of them empty under the mask (not counted below)" if audit.empty else ""
    eps, tau = exact_text(audit.eps), exact_text(audit.tau)
    return Table(
        _HEADS,
        [_head_cells(audit, head, digits) for head in heads],
        f"{audit.scores.name}: {_count(len(heads), 'head')}, {_count(audit.rows, 'row')} of "
        f"{_count(audit.scores.keys, 'key')}{empty}; mask: {audit.mask.value}",
        (
            f"tau: the largest temperature at which TV(softmax, average-hard) <= {eps}, rounded down; "
            "min, median and max over the rows of the head.",
            f"slack: tau divided by what the gap alone allows (A2), rounded down. max TV: at tau = {tau}, rounded up.",
            "hardest row: the row of min tau, by its query. Indices count from 0.",
        ),
    )


def row_table(audit: Audit, rows: Iterable[int], digits: int = DIGITS) -> Table:
    """One line per row of the given numbers (C order of the leading axes)."""
    chosen = [audit.row(row) for row in rows]
    eps, tau = exact_text(audit.eps), exact_text(audit.tau)
    return Table(
        _ROWS,
        [_row_cells(row, digits) for row in chosen],
        "Every row" if len(chosen) == audit.rows else f"{_count(len(chosen), 'row')} of lowest temperature",
        (f"TV at tau = {tau}, rounded up; tau with TV <= {eps}, slack, gap and spread rounded down.",),
    )


def document(audit: Audit) -> dict[str, Any]:
    """Everything as plain data: exact numbers as strings, enclosures as {"lower": x, "upper": y}, heads, rows.

    A temperature is "every" where every temperature will do; an end outside the range of float64 is null.
    """
    return {
        "scores": audit.scores.name,
        "shape": list(audit.scores.shape),
        "mask": audit.mask.value,
        "eps": exact_text(audit.eps),
        "tau": exact_text(audit.tau),
        "empty": audit.empty,
        "heads": [_head_data(audit, head) for head in audit.heads()],
        "rows": [_row_data(audit.row(row)) for row in range(audit.rows)],
    }


def _head_data(audit: Audit, head: HeadAudit) -> dict[str, Any]:
    return {
        "head": list(head.index),
        "rows": head.rows,
        "empty": head.empty,
        "unlimited": head.unlimited,
        "least": _temperature(head.least),
        "median": _temperature(head.median),
        "largest": _temperature(head.largest),
        "max_tv": _ends(head.max_tv),
        "slack": None if head.slack is None else {"least": _ends(head.slack[0]), "largest": _ends(head.slack[1])},
        "hardest": [list(audit.scores.index(row)) for row in head.hardest],
    }


def _row_data(row: RowAudit) -> dict[str, Any]:
    return {
        "row": list(row.index),
        "hard": list(row.hard),
        "n": row.n,
        "k": row.k,
        "gap": None if row.gap is None else exact_text(row.gap),
        "spread": exact_text(row.spread),
        "tv": _ends(row.tv),
        "bound_tv": _ends(row.bound_tv),
        "critical": _temperature(row.critical),
        "bound_critical": _temperature(row.bound_critical),
        "slack": None if row.slack is None else _ends(row.slack),
    }


def _temperature(bounds: Bounds) -> dict[str, float | None] | str:
    return "every" if bounds[0] == math.inf else _ends(bounds)


def _ends(bounds: Bounds) -> dict[str, float | None]:
    return {"lower": outward(bounds[0], -math.inf), "upper": outward(bounds[1], math.inf)}


def outward(x: float, towards: float) -> float | None:
    """A float64 whose shortest decimal (what JSON shows) lies between x and ``towards``; None for an infinity.

    repr(x) may differ from x by half a unit in the last place, to the wrong side.
    """
    if math.isinf(x):
        return None
    shown = Fraction(repr(x))
    wrong = shown < Fraction(x) if towards > 0 else shown > Fraction(x)
    # The decimal of the neighbour is at most half a unit away from the neighbour, so it does not pass x.
    return math.nextafter(x, towards) if wrong else x


def _head_cells(audit: Audit, head: HeadAudit, digits: int) -> list[Cell]:
    hardest = head.hardest[:1]
    more = f" +{len(head.hardest) - 1}" if len(head.hardest) > 1 else ""
    return [
        Cell(_name(head.index)),
        Cell(str(head.rows)),
        _down(head.least, digits),
        _down(head.median, digits),
        _down(head.largest, digits),
        Cell("-") if head.slack is None else _down(head.slack[0], digits),
        _up(head.max_tv, digits),
        Cell(_name(audit.scores.index(hardest[0])[-1:]) + more if hardest else "-"),
    ]


def _row_cells(row: RowAudit, digits: int) -> list[Cell]:
    return [
        Cell(_name(row.index)),
        Cell(_key_set(row.hard), csv=" ".join(map(str, row.hard))),
        Cell(str(row.n)),
        Cell(str(row.k)),
        Cell("-") if row.gap is None else _exact(row.gap, digits),
        _exact(row.spread, digits),
        _up(row.tv, digits),
        _up(row.bound_tv, digits),
        _down(row.critical, digits),
        _down(row.bound_critical, digits),
        Cell("-") if row.slack is None else _down(row.slack, digits),
    ]


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _name(index: Sequence[int]) -> str:
    return ",".join(map(str, index)) if index else "-"


def _key_set(keys: Sequence[int]) -> str:
    shown = ",".join(map(str, keys[:_LONGEST_SET])) or "-"
    return shown + (f" +{len(keys) - _LONGEST_SET}" if len(keys) > _LONGEST_SET else "")


def _exact(x: Fraction, digits: int) -> Cell:
    """An exact number, rounded down for reading where that is shorter; exact in CSV."""
    text = exact_text(x)
    if len(text) <= digits + 2:
        return Cell(text, exact_latex(x))
    return _decimal(decimal_down(x, digits), text)


def _down(bounds: Bounds, digits: int) -> Cell:
    if bounds[0] == math.inf:
        return Cell("every")
    lower = Fraction(bounds[0])
    return _decimal(decimal_down(lower, digits), decimal_down(lower, _CSV_DIGITS).text)


def _up(bounds: Bounds, digits: int) -> Cell:
    upper = Fraction(bounds[1])
    return _decimal(decimal_up(upper, digits), decimal_up(upper, _CSV_DIGITS).text)


def _decimal(number: Scientific, csv: str) -> Cell:
    return Cell(number.text, number.latex, csv=csv)
