"""Verification of statements: their derivations replayed, and their claims checked on enumerated cases.

A statement's status is computed from what happened in this run; nothing is looked up.
"""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from checker.checks import CHECKS, ONLY_DERIVED, Plan, StatedClaim
from checker.errors import HardsoftError, InputError
from checker.verdict import Verdict
from proofs.props import ProofError
from proofs.registry import STATEMENTS, library, uses
from proofs.statement import Claim, Library, Statement

KERNEL = "not built yet"
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Enumeration:
    """What the enumeration of one claim showed.

    cases: number of cases of each kind, up to the first failure. verdict: HOLDS if every case does, FAILS with the
    witness of the first failure, else UNDECIDED with the first undecided case. precision: most bits used.
    """

    cases: dict[str, int]
    verdict: Verdict
    precision: int
    witness: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class ClaimReport:
    """One claim: its derivation (or why it is rejected) and its enumeration (None for a lemma of a derivation)."""

    name: str
    text: str
    steps: int
    rules: dict[str, int]
    uses: list[str]
    rejected: str | None
    enumeration: Enumeration | None
    seconds: float


@dataclass(frozen=True)
class StatementReport:
    """One statement with its claims, and the claims of other statements that their derivations cite."""

    statement: Statement
    claims: list[ClaimReport]
    uses: list[str]

    @property
    def kinds(self) -> Counter[str]:
        """Number of cases of each kind."""
        found: Counter[str] = Counter()
        for claim in self.claims:
            if claim.enumeration is not None:
                found.update(claim.enumeration.cases)
        return found

    @property
    def seconds(self) -> float:
        """Time spent on the derivations and the enumerations, added up over processes."""
        return sum(claim.seconds for claim in self.claims)

    @property
    def proved(self) -> bool:
        """Whether every claim's derivation was accepted."""
        return all(claim.rejected is None for claim in self.claims)

    @property
    def verdict(self) -> Verdict:
        """FAILS if a case failed, else UNDECIDED if one is undecided, else HOLDS."""
        verdicts = [claim.enumeration.verdict for claim in self.claims if claim.enumeration]
        if Verdict.FAILS in verdicts:
            return Verdict.FAILS
        return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts or not verdicts else Verdict.HOLDS

    @property
    def exit_code(self) -> int:
        """0 proved and holds, 1 rejected or refuted, 2 undecided."""
        if not self.proved or self.verdict is Verdict.FAILS:
            return 1
        return 2 if self.verdict is Verdict.UNDECIDED else 0


def select(ids: Sequence[str]) -> list[Statement]:
    """The statements with these ids, in the order of the registry; all of them if none is named.

    Raises InputError naming the ids that do not exist.
    """
    wanted = {name.upper() for name in ids}
    unknown = sorted(wanted - set(STATEMENTS))
    if unknown:
        raise InputError(f"no statement {', '.join(unknown)}; known: {', '.join(STATEMENTS)}")
    return [statement for name, statement in STATEMENTS.items() if not wanted or name in wanted]


def enumerate_claim(claim: Claim, plan: Plan, progress: Progress | None = None) -> Enumeration | None:
    """Check a claim on its enumerated cases; None for a lemma of a derivation.

    Stops at the first case that fails. An undecided case does not stop it.
    """
    if claim.name in ONLY_DERIVED:
        return None
    start = time.perf_counter()
    check = CHECKS[claim.name]
    cases: Counter[str] = Counter()
    precision, undecided = 0, None
    for item in check(StatedClaim(claim), plan):
        decision = item.judge(plan.precision)
        cases[item.kind] += 1
        precision = max(precision, decision.precision)
        if progress is not None and cases.total() % 100 == 0:
            progress(claim.name, cases.total())
        if decision.verdict is Verdict.FAILS:
            witness = f"{item.relation} fails at {item.case}"
            return Enumeration(dict(cases), Verdict.FAILS, precision, witness, time.perf_counter() - start)
        if decision.verdict is Verdict.UNDECIDED and undecided is None:
            undecided = f"{item.relation} undecided at {item.case}, {decision.precision} bits"
    if not cases:
        raise HardsoftError(f"no case was enumerated for {claim.name}")
    verdict = Verdict.HOLDS if undecided is None else Verdict.UNDECIDED
    return Enumeration(dict(cases), verdict, precision, undecided, time.perf_counter() - start)


def replay(claim: Claim, proved: Library, enumeration: Enumeration | None) -> ClaimReport:
    """Replay the derivation of a claim and report it with its enumeration."""
    start = time.perf_counter()
    steps, rules, cited, rejected = 0, Counter[str](), [], None
    try:
        _, derivation = proved.prove(claim.name)
    except ProofError as error:
        rejected = str(error)
    else:
        steps, cited = len(derivation.steps), list(derivation.uses)
        rules = Counter(step.rule for step in derivation.steps)
    seconds = time.perf_counter() - start + (enumeration.seconds if enumeration else 0.0)
    return ClaimReport(claim.name, claim.text, steps, dict(rules), cited, rejected, enumeration, seconds)


def _enumerate_named(name: str, plan: Plan) -> Enumeration | None:
    """Enumeration of the claim with this name, in a worker process."""
    return enumerate_claim(STATEMENTS[name.split(".")[0]].claim(name), plan)


def verify_all(
    ids: Sequence[str], plan: Plan, jobs: int = 1, progress: Progress | None = None
) -> list[StatementReport]:
    """Verify the statements named (all if none); the report does not depend on `jobs`, the number of processes.

    progress(name, cases) is called as claims are worked on. A worker's error is raised here.
    """
    statements = select(ids)
    claims = [claim for statement in statements for claim in statement.claims]
    proved = library()
    reports: dict[str, ClaimReport] = {}
    if jobs == 1:
        for claim in claims:
            if progress is not None:
                progress(claim.name, 0)
            reports[claim.name] = replay(claim, proved, enumerate_claim(claim, plan, progress))
    else:
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
            futures = {claim.name: pool.submit(_enumerate_named, claim.name, plan) for claim in claims}
            try:
                for claim in claims:
                    found = futures[claim.name].result()
                    reports[claim.name] = replay(claim, proved, found)
                    if progress is not None:
                        progress(claim.name, sum(found.cases.values()) if found else 0)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [_statement_report(statement, reports, proved) for statement in statements]


def _statement_report(statement: Statement, reports: dict[str, ClaimReport], proved: Library) -> StatementReport:
    own = [reports[claim.name] for claim in statement.claims]
    cited = [] if any(report.rejected for report in own) else uses(statement, proved)
    return StatementReport(statement, own, cited)


def exit_code(reports: Sequence[StatementReport]) -> int:
    """1 if anything was rejected or refuted, else 2 if anything is undecided, else 0."""
    codes = {report.exit_code for report in reports}
    return 1 if 1 in codes else max(codes)


def as_json(reports: Sequence[StatementReport], plan: Plan) -> dict[str, Any]:
    """The reports as one JSON document."""
    return {
        "max_n": plan.max_n,
        "precision": plan.precision,
        "statements": [_statement_json(report) for report in reports],
        "exit_code": exit_code(reports),
    }


def _statement_json(report: StatementReport) -> dict[str, Any]:
    return {
        "id": report.statement.id,
        "title": report.statement.title,
        "derivation": "proved" if report.proved else "rejected",
        "enumeration": report.verdict.name,
        "cases": report.kinds.total(),
        "kinds": dict(report.kinds),
        "kernel": KERNEL,
        "uses": report.uses,
        "claims": [_claim_json(claim) for claim in report.claims],
        "seconds": round(report.seconds, 2),
    }


def _claim_json(claim: ClaimReport) -> dict[str, Any]:
    found = claim.enumeration
    return {
        "name": claim.name,
        "text": claim.text,
        "derivation": {"rejected": claim.rejected, "steps": claim.steps, "rules": claim.rules, "uses": claim.uses},
        "enumeration": None
        if found is None
        else {
            "verdict": found.verdict.name,
            "cases": found.cases,
            "precision": found.precision,
            "witness": found.witness,
        },
    }
