"""The verification report: one line per statement, counts by kind of case, and each failure with its witness."""

from __future__ import annotations

from collections.abc import Sequence

from checker.formats import Cell, Column, Table, to_text
from checker.verdict import Verdict
from checker.verify import KERNEL, StatementReport

_STYLES = {Verdict.HOLDS: "green", Verdict.FAILS: "bold red", Verdict.UNDECIDED: "yellow"}
_WIDTH = 100
_COLUMNS = (
    Column("id", "id", align="left"),
    Column("title", "statement", align="left"),
    Column("derivation", "derivation", align="left"),
    Column("cases", "cases"),
    Column("verdict", "enumeration", align="left"),
    Column("kernel", "kernel", align="left"),
    Column("seconds", "seconds"),
)


def summary(reports: Sequence[StatementReport]) -> Table:
    """The table of statements."""
    total = sum(report.kinds.total() for report in reports)
    claims = sum(len(report.claims) for report in reports)
    caption = f"{len(reports)} statements, {claims} claims, {total} cases"
    return Table(_COLUMNS, [_cells(report) for report in reports], caption)


def _cells(report: StatementReport) -> list[Cell]:
    if report.proved:
        steps = sum(claim.steps for claim in report.claims)
        derivation = Cell(f"proved: {len(report.claims)} claims, {steps} steps", style="green")
    else:
        derivation = Cell("REJECTED", style="bold red")
    return [
        Cell(report.statement.id),
        Cell(report.statement.title),
        derivation,
        Cell(str(report.kinds.total())),
        Cell(str(report.verdict.name), style=_STYLES[report.verdict]),
        Cell(KERNEL if report.statement.kernel else "not planned"),
        Cell(f"{report.seconds:.1f}"),
    ]


def as_text(reports: Sequence[StatementReport]) -> str:
    """The whole report as text."""
    lines = [to_text(summary(reports), _WIDTH).rstrip(), "", "Cases by kind:"]
    for report in reports:
        kinds = ", ".join(f"{kind} {count}" for kind, count in report.kinds.items())
        lines.append(f"  {report.statement.id}  {kinds}")
    troubles = [line for report in reports for line in _troubles(report)]
    if troubles:
        lines += ["", *troubles]
    return "\n".join(lines) + "\n"


def _troubles(report: StatementReport) -> list[str]:
    found = []
    for claim in report.claims:
        if claim.rejected is not None:
            found.append(f"{claim.name}: derivation rejected: {claim.rejected}")
        if claim.enumeration is not None and claim.enumeration.verdict is not Verdict.HOLDS:
            found.append(f"{claim.name}: {claim.enumeration.verdict.name}: {claim.enumeration.witness}")
    return found
