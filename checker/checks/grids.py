"""Rows, temperatures and perturbations that the enumerations run over.

Everything is exact. Scores lie on the lattice {0, ..., 4} * gamma/2 with gamma = 1; a quantity that depends only on
how often each score occurs is enumerated over multisets, one that depends on positions over all orders.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from checker.attention import Row

LEVELS = 5
HALF = Fraction(1, 2)

RATIOS = tuple(Fraction(text) for text in ("1e-6", "1e-3", "0.1", "0.5", "0.7", "1", "2", "5", "30", "200", "1000"))
"""gamma/tau; 0.7 is near log 2, where an error of 1/2 is decided at n = 3."""

FEW_RATIOS = tuple(Fraction(text) for text in ("0.1", "1", "6"))
GIANT_LENGTHS = (10**3, 10**12, 10**30)
GIANT_RATIOS = tuple(Fraction(text) for text in ("1e-3", "6.9", "27.6", "69.1", "300"))
"""gamma/tau; 6.9, 27.6 and 69.1 are near the logarithms of the giant lengths, where errors turn."""

EPSILONS = tuple(Fraction(text) for text in ("1e-30", "1e-6", "0.01", "0.5", "1", "1.3"))


@dataclass(frozen=True)
class Plan:
    """How far to enumerate: rows of at most `max_n` positions, decisions with at most `precision` bits."""

    max_n: int = 6
    precision: int = 8192


def multisets(max_n: int, smallest: int = 1) -> Iterator[Row]:
    """Every multiset of at most max_n lattice scores, shortest first."""
    for n in range(smallest, max_n + 1):
        for levels in itertools.combinations_with_replacement(range(LEVELS), n):
            counts = {level * HALF: levels.count(level) for level in sorted(set(levels), reverse=True)}
            yield Row.multiset(counts)


def orders(max_n: int, smallest: int = 1) -> Iterator[Row]:
    """Every sequence of at most max_n lattice scores, shortest first."""
    for n in range(smallest, max_n + 1):
        for levels in itertools.product(range(LEVELS), repeat=n):
            yield Row.explicit([level * HALF for level in levels])


def explicit_multisets(max_n: int, smallest: int = 1) -> Iterator[Row]:
    """As multisets, but with one group per position (highest score first), so that positions can be told apart."""
    for n in range(smallest, max_n + 1):
        for levels in itertools.combinations_with_replacement(range(LEVELS - 1, -1, -1), n):
            yield Row.explicit([level * HALF for level in levels])


def reordered(scores: Sequence[Fraction], values: Sequence[Fraction]) -> bool:
    """Whether values of positions with equal neighbouring scores ascend: another order of the same pairs."""
    pairs = list(zip(scores, values, strict=True))
    return any(one[0] == two[0] and one[1] < two[1] for one, two in itertools.pairwise(pairs))


def worst(n: int, k: int, drop: Fraction) -> Row:
    """k maximal positions, the other n - k exactly `drop` below."""
    return Row.multiset({Fraction(0): k, -drop: n - k} if n > k else {Fraction(0): k})


def lengths_and_ties(max_n: int) -> Iterator[tuple[int, int]]:
    """(n, k) with 1 <= k < n: small ones up to max_n, and giant ones."""
    for n in range(2, max_n + 1):
        for k in range(1, n):
            yield n, k
    for n in GIANT_LENGTHS:
        for k in (1, 2, n // 2, n - 1):
            yield n, k


def kind_of(n: int) -> str:
    """Kind of a worst case, for the report."""
    return "worst case" if n <= 100 else "worst case, giant n"


def sign_patterns(n: int) -> Iterator[tuple[int, ...]]:
    """Perturbation patterns in {-1, 0, 1}^n: all for n <= 3, else monotone sign changes along the row."""
    if n <= 3:
        yield from itertools.product((-1, 0, 1), repeat=n)
        return
    for cut in range(n + 1):
        yield (1,) * cut + (-1,) * (n - cut)
        if 0 < cut < n:
            yield (-1,) * cut + (1,) * (n - cut)


def moved(row: Row, pattern: Sequence[int], eta: Fraction) -> Row:
    """The row with eta * pattern added, group by group."""
    scores = tuple(score + sign * eta for score, sign in zip(row.scores, pattern, strict=True))
    return Row(scores, row.multiplicities)
