"""Check a claim: look for a small witness, prove it for all values, look further, or say that it is undecided."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from checker.claims.alarm import OutOfTimeError, limited
from checker.claims.expression import C
from checker.claims.families import Family, family
from checker.claims.goals import goals
from checker.claims.model import Assumption, Statement
from checker.claims.prove import Goal, NotProved, Proof, forget, prove
from checker.claims.refute import make, run
from checker.claims.witness import Witness
from checker.claims.worst import UnknownWorstCaseError
from checker.errors import InputError

DEFAULT_SECONDS = 30


class Outcome(Enum):
    """What is known of a claim."""

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    UNDECIDED = "UNDECIDED"


@dataclass
class Report:
    """The outcome for a claim, with its proofs or its witness, and what was tried."""

    claim: Statement
    outcome: Outcome
    proofs: list[Proof] = field(default_factory=list)
    witness: Witness | None = None
    reasons: list[str] = field(default_factory=list)
    points: int = 0
    admissible: bool = True  # whether some parameters satisfying the assumptions were seen


def check(claim: Statement, seconds: float = DEFAULT_SECONDS) -> Report:
    """Decide a claim within about `seconds`; InputError where the assumptions do not fit together."""
    started = time.monotonic()
    fam = fitting(claim)
    try:
        wanted = goals(claim, fam)
    except UnknownWorstCaseError as error:
        return Report(claim, Outcome.UNDECIDED, reasons=[str(error)])
    report = Report(claim, Outcome.UNDECIDED, admissible=False)
    try:
        limited(seconds - (time.monotonic() - started), lambda: _decide(report, wanted, fam, started + seconds))
    except OutOfTimeError:
        forget()
        done = {id(proof.goal) for proof in report.proofs}
        late = [goal for goal in wanted if id(goal) not in done]
        report.reasons = report.reasons or [_where(goal) + "out of time" for goal in late]
    # An interruption may come anywhere, so that the outcome is read off what is complete.
    if report.witness is not None:
        report.outcome, report.proofs, report.reasons = Outcome.REFUTED, [], []
    elif wanted and len(report.proofs) == len(wanted):
        report.outcome, report.reasons = Outcome.PROVED, []
    return report


def fitting(claim: Statement) -> Family:
    """What the assumptions are about; InputError where they do not fit together, or where C is left in the claim."""
    if C in claim.symbols:
        raise InputError("C is the constant that hardsoft sharpen looks for; write a number in its place")
    return family(claim)


def _decide(report: Report, wanted: Sequence[Goal], fam: Family, deadline: float) -> None:
    """Search and prove in turn, until the report has a witness or a proof of every goal."""
    seconds = deadline - time.monotonic()

    def left() -> float:
        return deadline - time.monotonic()

    for share, largest in ((0.2, False), (0.3, True)):
        if _search(report, wanted, fam, min(share * seconds, left()), largest):
            return
        if largest is False:
            _prove(report, wanted, fam, max(0.1, min(0.4 * seconds, left())), 1500)
            if len(report.proofs) == len(wanted):
                return
    # a little earlier than the end, so that what was tried can be told
    _prove(report, wanted, fam, max(0.1, 0.9 * left()), 20000)


def _search(report: Report, wanted: Sequence[Goal], fam: Family, seconds: float, largest: bool) -> bool:
    """Look for a witness; only lengths up to 8 at first."""
    best: Witness | None = None
    for goal in wanted:
        only_if = report.claim.iff is not None and goal.quantity_op == ""
        state = make(goal, fam, seconds / len(wanted))
        if state is None:
            continue
        found = run(state, only_if, largest)
        report.points += state.visited
        report.admissible |= state.admissible > 0
        if found is not None and (best is None or found.point["n"] < best.point["n"]):
            best = found
    report.witness = best
    return best is not None


def _prove(report: Report, wanted: Sequence[Goal], fam: Family, seconds: float, effort: int) -> None:
    done, reasons = {id(proof.goal) for proof in report.proofs}, []
    deadline = time.monotonic() + seconds
    for goal in wanted:
        if id(goal) in done:
            continue
        result = prove(goal, fam, deadline - time.monotonic(), effort)
        if isinstance(result, NotProved):
            reasons.append(_where(goal) + result.why)
        else:
            report.proofs.append(result)
    report.reasons = reasons  # those of an earlier attempt stay when this one is interrupted


def _where(goal: Goal) -> str:
    return f"{goal.case.label}: " if goal.case.label else ""


def explain(claim: Statement, seconds: float) -> list[tuple[Assumption, Report]]:
    """The claim without each of its assumptions in turn."""
    return [(item, check(claim.without(item), seconds)) for item in claim.assumptions]
