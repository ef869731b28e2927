"""The enumeration of one claim: its cases judged one after another, or in parts that several processes share.

Part p of m judges the cases number p, p + m, p + 2m, ...; `merge` gives what one process would have found, whatever m.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from checker.checks import CHECKS, ONLY_DERIVED, Items, Plan, StatedClaim
from checker.errors import HardsoftError
from checker.verdict import Verdict
from checker.work import plain
from checker.work.plain import Data, of_optional, of_pairs
from proofs.statement import Claim


@dataclass(frozen=True)
class Enumeration:
    """What the enumeration of one claim showed.

    cases: number of cases of each kind, in order of first appearance, up to the first failure. verdict: HOLDS if every
    case does, FAILS with the first failure as witness, else UNDECIDED with the first undecided case as witness.
    precision: most bits used; those of the witness if there is one.
    """

    cases: dict[str, int]
    verdict: Verdict
    precision: int
    witness: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Finding:
    """A case that does not hold: its number in the enumeration, what it shows, and the bits used."""

    place: int
    text: str
    precision: int


@dataclass(frozen=True)
class Part:
    """What one part showed: cases and number of the first case by kind, most bits used, first failure, first undecided.

    A part ends at its first failure; an undecided case does not end it.
    """

    cases: dict[str, int]
    first: dict[str, int]
    precision: int
    failure: Finding | None
    undecided: Finding | None
    seconds: float


def is_enumerated(claim: Claim) -> bool:
    """Whether the claim is checked on cases; else it is a lemma of a derivation."""
    return claim.name not in ONLY_DERIVED


def cases_of(claim: Claim, plan: Plan) -> Items:
    """Every case of a claim; raises HardsoftError for a claim without a check."""
    if claim.name not in CHECKS:
        raise HardsoftError(f"{claim.name} has no check: add one to checker.checks, or list it in ONLY_DERIVED")
    return CHECKS[claim.name](StatedClaim(claim), plan)


def enumerate_part(claim: Claim, plan: Plan, part: int = 0, parts: int = 1) -> Part:
    """Judge the cases of one part, 0 <= part < parts."""
    start = time.perf_counter()
    cases, first, precision = Counter[str](), dict[str, int](), 0
    failure, undecided = None, None
    for place, item in enumerate(cases_of(claim, plan)):
        if place % parts != part:
            continue
        decision = item.judge(plan.precision)
        cases[item.kind] += 1
        first.setdefault(item.kind, place)
        precision = max(precision, decision.precision)
        if decision.verdict is Verdict.FAILS:
            failure = Finding(place, f"{item.relation} fails at {item.case}", decision.precision)
            break
        if decision.verdict is Verdict.UNDECIDED and undecided is None:
            text = f"{item.relation} undecided at {item.case}, {decision.precision} bits"
            undecided = Finding(place, text, decision.precision)
    return Part(dict(cases), first, precision, failure, undecided, time.perf_counter() - start)


def merge(claim: Claim, plan: Plan, parts: Sequence[Part]) -> Enumeration:
    """All parts of an enumeration as one; raises HardsoftError if there was no case at all."""
    seconds = sum(part.seconds for part in parts)
    failures = [part.failure for part in parts if part.failure]
    if failures:
        # Each part ended at its own first failure, so the least of these is the first of all; what other parts
        # judged beyond it does not count.
        worst = min(failures, key=lambda finding: finding.place)
        judged = itertools.islice(cases_of(claim, plan), worst.place + 1)
        cases = dict(Counter(item.kind for item in judged))
        return Enumeration(cases, Verdict.FAILS, worst.precision, worst.text, seconds)
    kinds = sorted((place, kind) for part in parts for kind, place in part.first.items())
    if not kinds:
        raise HardsoftError(f"no case was enumerated for {claim.name}")
    cases = {kind: sum(part.cases.get(kind, 0) for part in parts) for _, kind in kinds}
    open_cases = [part.undecided for part in parts if part.undecided]
    if open_cases:
        earliest = min(open_cases, key=lambda finding: finding.place)
        return Enumeration(cases, Verdict.UNDECIDED, earliest.precision, earliest.text, seconds)
    return Enumeration(cases, Verdict.HOLDS, max(part.precision for part in parts), None, seconds)


def enumerate_claim(claim: Claim, plan: Plan) -> Enumeration | None:
    """Check a claim on its enumerated cases; None for a lemma of a derivation."""
    return merge(claim, plan, [enumerate_part(claim, plan)]) if is_enumerated(claim) else None


def of_part(found: Part) -> Data:
    """A part as plain data."""
    return {
        "cases": of_pairs(found.cases, int),
        "first": of_pairs(found.first, int),
        "precision": found.precision,
        "failure": of_optional(_of_finding, found.failure),
        "undecided": of_optional(_of_finding, found.undecided),
        "seconds": found.seconds,
    }


def to_part(data: Data) -> Part:
    """A part from plain data."""
    cases, first, precision, failure, undecided, seconds = plain.fields(
        data, ("cases", "first", "precision", "failure", "undecided", "seconds")
    )
    return Part(
        plain.pairs(cases, plain.text, plain.natural),
        plain.pairs(first, plain.text, plain.natural),
        plain.natural(precision),
        plain.optional(failure, _to_finding),
        plain.optional(undecided, _to_finding),
        plain.number(seconds),
    )


def _of_finding(found: Finding) -> Data:
    return [found.place, found.text, found.precision]


def _to_finding(data: Data) -> Finding:
    place, text, precision = plain.items(data, lambda value: value, 3)
    return Finding(plain.natural(place), plain.text(text), plain.natural(precision))
