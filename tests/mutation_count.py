"""Counts of mutants killed, printed at the end of the test run."""

from collections import Counter

KILLED: Counter[str] = Counter()
TOTAL: Counter[str] = Counter()


def record(kind: str, *, killed: bool) -> None:
    """Count one mutant of a kind ("bounds", "derivations")."""
    TOTAL[kind] += 1
    KILLED[kind] += killed


def lines() -> list[str]:
    """One line per kind, e.g. "mutants of bounds: 61/61 killed"."""
    return [f"mutants of {kind}: {KILLED[kind]}/{TOTAL[kind]} killed" for kind in sorted(TOTAL)]


def counts() -> dict[str, list[int]]:
    """[killed, total] by kind."""
    return {kind: [KILLED[kind], TOTAL[kind]] for kind in TOTAL}


def add(other: dict[str, list[int]]) -> None:
    """Add the counts of another process."""
    for kind, (killed, total) in other.items():
        KILLED[kind] += killed
        TOTAL[kind] += total
