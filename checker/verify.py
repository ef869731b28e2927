"""Verification of statements: their derivations replayed, and their claims checked on enumerated cases.

A statement's status is computed from what happened in this run; nothing is looked up.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from checker.checks import Plan
from checker.enumeration import Enumeration, Part, enumerate_part, is_enumerated, merge, of_part, to_part
from checker.errors import InputError
from checker.exact import show
from checker.verdict import Verdict
from checker.work import plain
from checker.work.engines import Processes, Serial
from checker.work.plain import Data, of_pairs
from checker.work.run import Work
from checker.work.tasks import Task
from proofs.props import ProofError
from proofs.registry import STATEMENTS, library
from proofs.statement import Claim, Library, Statement

MOST_PARTS = 8
"""Into how many parts the cases of a claim are dealt at most; each part goes through the whole enumeration."""

Progress = Callable[[int, int, str], None]
"""progress(tasks done, tasks in all, what was done last)."""


@dataclass(frozen=True)
class Replay:
    """A derivation replayed: number of steps, how often each rule is used, claims cited; or why it is rejected."""

    steps: int
    rules: dict[str, int]
    uses: list[str]
    rejected: str | None
    seconds: float


@dataclass(frozen=True)
class ClaimReport:
    """One claim: its derivation and its enumeration (None for a lemma of a derivation)."""

    name: str
    text: str
    derivation: Replay
    enumeration: Enumeration | None

    @property
    def seconds(self) -> float:
        """Time spent on the claim, added up over processes."""
        return self.derivation.seconds + (self.enumeration.seconds if self.enumeration else 0.0)


@dataclass(frozen=True)
class StatementReport:
    """One statement with its claims."""

    statement: Statement
    claims: list[ClaimReport]

    @property
    def uses(self) -> list[str]:
        """Claims of other statements that the accepted derivations cite, in order of first use."""
        own = {claim.name for claim in self.claims}
        cited = (name for claim in self.claims for name in claim.derivation.uses)
        return list(dict.fromkeys(name for name in cited if name not in own))

    @property
    def kinds(self) -> Counter[str]:
        """Number of cases of each kind."""
        found: Counter[str] = Counter()
        for claim in self.claims:
            if claim.enumeration is not None:
                found.update(claim.enumeration.cases)
        return found

    @property
    def steps(self) -> int:
        """Number of derivation steps."""
        return sum(claim.derivation.steps for claim in self.claims)

    @property
    def seconds(self) -> float:
        """Time spent on the derivations and the enumerations, added up over processes."""
        return sum(claim.seconds for claim in self.claims)

    @property
    def proved(self) -> bool:
        """Whether every claim's derivation was accepted."""
        return all(claim.derivation.rejected is None for claim in self.claims)

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


def select(ids: Iterable[str]) -> list[Statement]:
    """The statements with these ids, in the order of the registry; all of them if none is named.

    Ids may be in lower case. Raises InputError naming the ids that do not exist.
    """
    wanted = {name.strip().upper(): name for name in ids}
    unknown = [show(name) for found, name in wanted.items() if found not in STATEMENTS]
    if unknown:
        raise InputError(f"no statement {', '.join(unknown)}; there are {', '.join(STATEMENTS)}")
    return [statement for name, statement in STATEMENTS.items() if not wanted or name in wanted]


def replay(names: Sequence[str], proved: Library) -> list[Replay]:
    """Replay the derivations of the claims with these names, unless that was done in this library."""
    return [_replay(name, proved) for name in names]


@lru_cache(maxsize=1)
def _library_of_process() -> Library:
    return library()


def replay_task(names: Sequence[str], proved: Library | None = None) -> Data:
    """As `replay`, in a library that this process keeps for its next task if none is given; a task."""
    return [
        [one.steps, of_pairs(one.rules, int), one.uses, one.rejected, one.seconds]
        for one in replay(names, _library_of_process() if proved is None else proved)
    ]


def _replays(data: Data) -> list[Replay]:
    def one(item: Data) -> Replay:
        steps, rules, uses, rejected, seconds = plain.items(item, lambda value: value, 5)
        return Replay(
            plain.natural(steps),
            plain.pairs(rules, plain.text, plain.natural),
            list(plain.items(uses, plain.text)),
            plain.optional(rejected, plain.text),
            plain.number(seconds),
        )

    return list(plain.items(data, one))


def _replay(name: str, proved: Library) -> Replay:
    start = time.perf_counter()
    try:
        _, derivation = proved.prove(name)
    except ProofError as error:
        return Replay(0, {}, [], str(error), time.perf_counter() - start)
    rules = Counter(step.rule for step in derivation.steps)
    return Replay(len(derivation.steps), dict(rules), list(derivation.uses), None, time.perf_counter() - start)


def part_task(name: str, plan: Plan, part: int, parts: int) -> Data:
    """A part of the enumeration of the claim with this name; a task."""
    return of_part(enumerate_part(STATEMENTS[name.partition(".")[0]].claim(name), plan, part, parts))


def verify_all(
    ids: Iterable[str], plan: Plan, jobs: int = 1, progress: Progress | None = None, work: Work | None = None
) -> list[StatementReport]:
    """Verify the statements named (all if none) in `jobs` >= 1 processes, on which the report does not depend.

    Each claim's cases are dealt out to the processes, so that none is left alone with the slowest claim; a statement's
    derivations are replayed in one process. work: who carries this out instead; a ledger keeps the parts of the
    enumerations, while derivations are always replayed. Raises InputError for an unknown id, and whatever a check
    raises.
    """
    statements = select(ids)
    if work is None:
        with Work(Processes(jobs) if jobs > 1 else Serial()) as work:
            return _verify(statements, plan, jobs, progress, work)
    return _verify(statements, plan, MOST_PARTS, progress, work)


def _verify(
    statements: Sequence[Statement], plan: Plan, deal: int, progress: Progress | None, work: Work
) -> list[StatementReport]:
    claims = [claim for statement in statements for claim in statement.claims]
    enumerated = [claim for claim in claims if is_enumerated(claim)]
    deal = min(deal, MOST_PARTS)
    names = [[claim.name for claim in statement.claims] for statement in statements]
    given = (library(),) if work.engine.here else ()
    tasks = [
        Task(f"{statement.id} derived", replay_task, (own, *given), label=f"{statement.id} derived", kept=False)
        for statement, own in zip(statements, names, strict=True)
    ]
    tasks += [
        Task(f"{claim.name}, part {part} of {deal}", part_task, (claim.name, plan, part, deal), label=claim.name)
        for claim in enumerated
        for part in range(deal)
    ]
    if progress is not None:
        progress(0, len(tasks), "")
    told = None if progress is None else lambda done, task: progress(done, len(tasks), task.label)
    results = list(work.results(tasks, lambda data: _replays(data) if isinstance(data, list) else to_part(data), told))
    derivations: dict[str, Replay] = {}
    for number, own in enumerate(names):
        derivations.update(zip(own, cast(list[Replay], results[number]), strict=True))
    parts = [cast(Part, part) for part in results[len(names) :]]
    found = {
        claim.name: merge(claim, plan, parts[place * deal : (place + 1) * deal])
        for place, claim in enumerate(enumerated)
    }
    return [
        StatementReport(statement, [_report(claim, derivations, found) for claim in statement.claims])
        for statement in statements
    ]


def _report(claim: Claim, derivations: dict[str, Replay], found: dict[str, Enumeration]) -> ClaimReport:
    return ClaimReport(claim.name, claim.text, derivations[claim.name], found.get(claim.name))


def exit_code(reports: Sequence[StatementReport]) -> int:
    """1 if anything was rejected or refuted, else 2 if anything is undecided, else 0."""
    codes = {report.exit_code for report in reports}
    return 1 if 1 in codes else max(codes)
