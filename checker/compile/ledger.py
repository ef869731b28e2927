"""The ledger of a compiled formula: for every head the statements it rests on, its error bound, threshold and slack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from checker.compile.guarantee import Bound, Requirement, bound_at, largest_tau0, least_m, meets, slack
from checker.compile.plan import Attention, Item, Pattern, Plan, totals
from checker.errors import InputError
from checker.exact import show
from checker.logic.normal import Normal, Op
from checker.rounding import Scientific
from checker.transformer.model import Head
from checker.verdict import Verdict

_STATEMENTS = {
    Pattern.YESTERDAY: ("D2", "B1"),
    Pattern.NEXT: ("D2", "B1"),
    Pattern.SINCE: ("D3", "B6"),
    Pattern.UNTIL: ("D3", "B6"),
    Pattern.COUNT: ("D4",),
    Pattern.SIGN: ("D4", "A2"),
}


def _statements(pattern: Pattern, items: list[Item], scaled: bool) -> tuple[str, ...]:
    """What a head rests on: in the unbounded regime, and C1 where scores and temperature are scaled alike."""
    if pattern is Pattern.LOOKUP:
        bits = any(isinstance(item, Normal) for item in items)
        counts = any(not isinstance(item, Normal) for item in items)
        found = (*(("D4",) if counts else ()), *(("D5", "B3") if bits else ()))
    else:
        found = _STATEMENTS[pattern]
    return (*found, "C1") if scaled and pattern not in (Pattern.COUNT, Pattern.SIGN) else found


@dataclass(frozen=True)
class Entry:
    """A head and what is required of it.

    requirements: bounds against clean-up thresholds, without repetition; none for heads that are exact at every
    temperature (uniform ones). Integer lookups carry those of the sums of counts that use them.
    """

    layer: int
    head: str
    statements: tuple[str, ...]
    requirements: tuple[Requirement, ...]


def ledger(plan: Plan, heads: dict[Attention, Head], threshold: Fraction) -> list[Entry]:
    """The entries of all heads, in order."""
    users: dict[Item, dict[Requirement, None]] = {}
    for node in plan.when:
        if isinstance(node, Normal) and node.op is Op.AT_LEAST:
            for total in totals(node):
                users.setdefault(total, {})[_comparison(node, plan, threshold)] = None
    result = []
    for attention, head in heads.items():
        needed = dict.fromkeys(r for item in plan.heads[attention] for r in _required(item, plan, threshold, users))
        statements = _statements(attention.pattern, plan.heads[attention], plan.signs_by_head)
        result.append(Entry(attention.layer, head.name, statements, tuple(needed)))
    return result


def _comparison(node: Normal, plan: Plan, threshold: Fraction) -> Requirement:
    weight = sum(abs(c) for c, _ in node.data[0])
    return Requirement(Bound.SIGN if plan.signs_by_head else Bound.SUM, threshold, weight)


def _required(
    item: Item, plan: Plan, threshold: Fraction, users: dict[Item, dict[Requirement, None]]
) -> Iterator[Requirement]:
    if not isinstance(item, Normal):
        yield from users.get(item, ())
    elif item.op is Op.AT_LEAST:
        yield _comparison(item, plan, threshold)
    else:
        yield Requirement(Bound.LOOKUP if item.op is Op.REMAINDER else Bound.NEAREST, threshold)


def choose_tau0(entries: list[Entry]) -> Fraction:
    """1/m for the least m >= 1 that meets every requirement."""
    return Fraction(1, max((least_m(r) for entry in entries for r in entry.requirements), default=1))


def largest(entries: list[Entry]) -> Scientific | None:
    """The largest tau_0, rounded down to six digits, that meets every requirement; None if there is none to meet."""
    limits = (largest_tau0(requirement)[0] for entry in entries for requirement in entry.requirements)
    return min(limits, key=lambda limit: limit.value, default=None)


def check_tau0(entries: list[Entry], tau0: Fraction) -> None:
    """Raise InputError, naming the head that needs the least temperature, unless tau_0 meets every requirement."""
    if tau0 <= 0:
        raise InputError(f"tau_0 must be > 0, got {show(tau0)}")
    every = [(requirement, entry) for entry in entries for requirement in entry.requirements]
    missed = [pair for pair in every if meets(pair[0], tau0) is not Verdict.HOLDS]
    if missed:
        requirement, entry = min(missed, key=lambda pair: largest_tau0(pair[0])[0].value)
        raise InputError(
            f"tau_0 = {show(tau0)} is too high: head {entry.head!r} needs {_named(requirement)} <= "
            f"{show(requirement.threshold)}, and its bound is {bound_at(requirement, tau0).text}; "
            f"the largest admissible tau_0 is {largest_tau0(requirement)[0].text} (rounded down)"
        )


def _named(requirement: Requirement) -> str:
    weighted = requirement.bound in (Bound.SUM, Bound.SIGN)
    return requirement.bound.value + (f" with A = {show(requirement.weight)}" if weighted else "")


def as_data(entries: list[Entry], tau0: Fraction | None) -> list[dict[str, Any]]:
    """The ledger as JSON-like data; numbers as text, bounds rounded up, slacks and temperatures down.

    tau0 None: without values of the bounds, which do not apply.
    """
    return [
        {
            "layer": entry.layer,
            "head": entry.head,
            "statements": list(entry.statements),
            "requirements": [_requirement(requirement, tau0) for requirement in entry.requirements],
        }
        for entry in entries
    ]


def _requirement(requirement: Requirement, tau0: Fraction | None) -> dict[str, Any]:
    return {
        "bound": _named(requirement),
        "value": None if tau0 is None else bound_at(requirement, tau0).text,
        "threshold": show(requirement.threshold),
        "slack": None if tau0 is None else slack(requirement, tau0).text,
        "largest tau_0": None if tau0 is None else largest_tau0(requirement)[0].text,
        **({"in closed form": requirement.closed_form} if tau0 is not None and requirement.closed_form else {}),
    }
