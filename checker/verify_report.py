"""The verification report: as JSON, and as text with a line per statement, counts of cases, and each failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checker.checks import Plan
from checker.formats import Cell, Column, Table, to_text
from checker.kernel import CHECKED, NOT_PLANNED, kernel_status
from checker.verdict import Verdict
from checker.verify import ClaimReport, StatementReport, exit_code

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
    caption = f"{len(reports)} statement{'s' * (len(reports) > 1)}, {claims} claims, {total} cases"
    return Table(_COLUMNS, [_cells(report) for report in reports], caption)


def _cells(report: StatementReport) -> list[Cell]:
    if report.proved:
        derivation = Cell(f"proved: {len(report.claims)} claims, {report.steps} steps", style="green")
    else:
        derivation = Cell("REJECTED", style="bold red")
    return [
        Cell(report.statement.id),
        Cell(report.statement.title),
        derivation,
        Cell(str(report.kinds.total())),
        Cell(str(report.verdict.name), style=_STYLES[report.verdict]),
        Cell(status := kernel_status(report.statement)[0], style="green" if status == CHECKED else ""),
        Cell(f"{report.seconds:.1f}"),
    ]


def as_text(reports: Sequence[StatementReport]) -> str:
    """The whole report as text."""
    lines = [to_text(summary(reports), _WIDTH).rstrip(), "", "Cases by kind:"]
    for report in reports:
        kinds = ", ".join(f"{kind} {count}" for kind, count in report.kinds.items())
        lines.append(f"  {report.statement.id}  {kinds}")
    lines += ["", "Kernel:", *_kernel(reports)] if any(report.statement.kernel for report in reports) else []
    lines += ["", *troubles] if (troubles := [line for report in reports for line in _troubles(report)]) else []
    return "\n".join(lines) + "\n"


def _kernel(reports: Sequence[StatementReport]) -> list[str]:
    """Why each status of the kernel column is what it is; equal reasons on one line."""
    reasons: dict[str, list[str]] = {}
    for report in reports:
        status, reason = kernel_status(report.statement)
        if status != NOT_PLANNED:
            reasons.setdefault(f"{status}: {reason}", []).append(report.statement.id)
    return [f"  {' '.join(ids)}  {reason}" for reason, ids in reasons.items()]


def without_kernel(reports: Sequence[StatementReport]) -> list[str]:
    """The statements marked for the kernel whose Coq proof is not checked in this checkout."""
    found = [report.statement for report in reports if report.statement.kernel]
    return [statement.id for statement in found if kernel_status(statement)[0] != CHECKED]


def _troubles(report: StatementReport) -> list[str]:
    found = []
    for claim in report.claims:
        if claim.derivation.rejected is not None:
            found.append(f"{claim.name}: derivation rejected: {claim.derivation.rejected}")
        if claim.enumeration is not None and claim.enumeration.verdict is not Verdict.HOLDS:
            found.append(f"{claim.name}: {claim.enumeration.verdict.name}: {claim.enumeration.witness}")
    return found


def as_json(reports: Sequence[StatementReport], plan: Plan) -> dict[str, Any]:
    """The whole report as one JSON document."""
    return {
        "max_n": plan.max_n,
        "precision": plan.precision,
        "statements": [_statement(report) for report in reports],
        "exit_code": exit_code(reports),
    }


def _statement(report: StatementReport) -> dict[str, Any]:
    status, reason = kernel_status(report.statement)
    return {
        "id": report.statement.id,
        "title": report.statement.title,
        "derivation": "proved" if report.proved else "rejected",
        "enumeration": report.verdict.name,
        "cases": report.kinds.total(),
        "kinds": dict(report.kinds),
        "kernel": status,
        "kernel_reason": reason,
        "uses": report.uses,
        "claims": [_claim(claim) for claim in report.claims],
        "seconds": round(report.seconds, 2),
    }


def _claim(claim: ClaimReport) -> dict[str, Any]:
    derivation, found = claim.derivation, claim.enumeration
    enumeration = found and {
        "verdict": found.verdict.name,
        "cases": found.cases,
        "precision": found.precision,
        "witness": found.witness,
    }
    return {
        "name": claim.name,
        "text": claim.text,
        "derivation": {
            "rejected": derivation.rejected,
            "steps": derivation.steps,
            "rules": derivation.rules,
            "uses": derivation.uses,
        },
        "enumeration": enumeration,
        "seconds": round(claim.seconds, 2),
    }
