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
