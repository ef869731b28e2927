"""Exact hard attention: masks, rows of attention scores, and the hard choice under each tie rule."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from checker.errors import InputError
from checker.exact import show


class Tie(Enum):
    """How hard attention chooses among maximal scores: the first, the last, or all of them equally."""

    LEFTMOST = "leftmost"
    RIGHTMOST = "rightmost"
    AVERAGE = "average"


class Mask(Enum):
    """Which positions j a query at position i may attend to."""

    NONE = "none"
    FUTURE = "future"  # j <= i
    STRICT_FUTURE = "strict-future"  # j < i
    PAST = "past"  # j >= i
    STRICT_PAST = "strict-past"  # j > i


def visible(mask: Mask, i: int, n: int) -> range:
    """Return the positions j in 1..n that a query at position i (1 <= i <= n) may attend to; may be empty.

    Raises InputError when i is not in 1..n.

    >>> list(visible(Mask.STRICT_FUTURE, 3, 5)), list(visible(Mask.STRICT_PAST, 5, 5))
    ([1, 2], [])
    """
    if type(n) is not int or type(i) is not int or not 1 <= i <= n:
        raise InputError(f"the query position must be an integer in 1..n, got i = {show(i)}, n = {show(n)}")
    first = {Mask.PAST: i, Mask.STRICT_PAST: i + 1}.get(mask, 1)
    last = {Mask.FUTURE: i, Mask.STRICT_FUTURE: i - 1}.get(mask, n)
    return range(first, last + 1)


class Part(NamedTuple):
    """Positions of one group with one hard weight: each of the `multiplicity` positions has `weight`."""

    score: Fraction
    multiplicity: int
    weight: Fraction
    group: int


@dataclass(frozen=True)
class Row:
    """A row of attention scores: groups of consecutive positions, in position order, with equal scores.

    scores: one exact score per group (ints are converted). multiplicities: the number >= 1 of positions of
    each group, up to 10^30 and beyond. The empty row is allowed: its hard and soft weights are both empty.
    Raises InputError for inexact scores, multiplicities below 1 and unequal lengths.
    """

    scores: tuple[Fraction, ...]
    multiplicities: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.multiplicities):
            raise InputError(
                f"a row needs one multiplicity per score, "
                f"got {len(self.scores)} scores and {len(self.multiplicities)} multiplicities"
            )
        scores = tuple(_score(score, place) for place, score in enumerate(self.scores, start=1))
        object.__setattr__(self, "scores", scores)
        object.__setattr__(self, "multiplicities", tuple(self.multiplicities))
        for place, multiplicity in enumerate(self.multiplicities, start=1):
            if type(multiplicity) is not int or multiplicity < 1:
                raise InputError(f"multiplicity {place} must be an integer >= 1, got {show(multiplicity)}")

    @classmethod
    def explicit(cls, scores: Iterable[int | Fraction]) -> "Row":
        """Return the row with these scores at positions 1, 2, ..., each its own group."""
        scores = tuple(scores)
        return cls(scores, (1,) * len(scores))  # type: ignore[arg-type]

    @classmethod
    def multiset(cls, multiplicities: Mapping[Fraction, int] | Mapping[int, int]) -> "Row":
        """Return the row in which each score occurs with its multiplicity, in the mapping's order."""
        return cls(tuple(multiplicities.keys()), tuple(multiplicities.values()))  # type: ignore[arg-type]

    @classmethod
    def masked(cls, scores: Sequence[int | Fraction], mask: Mask, i: int) -> "Row":
        """Return the row that a query at position i sees of the scores of all positions 1..n; may be empty."""
        return cls.explicit(scores[j - 1] for j in visible(mask, i, len(scores)))

    def __str__(self) -> str:
        groups = [
            show(score) if multiplicity == 1 else f"{show(score)} x {show(multiplicity)}"
            for score, multiplicity in zip(self.scores[:12], self.multiplicities[:12], strict=True)
        ]
        return "[" + ", ".join(groups) + (", ...]" if len(self.scores) > 12 else "]")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.scores, self.multiplicities))

    @property
    def is_empty(self) -> bool:
        """Whether no position is visible."""
        return not self.scores

    @cached_property
    def n(self) -> int:
        """The number of visible positions."""
        return sum(self.multiplicities)

    @cached_property
    def top(self) -> Fraction:
        """The maximal score; raises InputError for the empty row."""
        if not self.scores:
            raise InputError("the empty row has no maximal score")
        return max(self.scores)

    @cached_property
    def k(self) -> int:
        """The number of positions of maximal score (0 for the empty row)."""
        return sum(
            multiplicity
            for score, multiplicity in zip(self.scores, self.multiplicities, strict=True)
            if score == self.top
        )

    @cached_property
    def gap(self) -> Fraction | None:
        """The maximal score minus the largest other one; None (infinite) when all scores are maximal."""
        others = [score for score in self.scores if score != self.top]
        return self.top - max(others) if others else None

    @cached_property
    def spread(self) -> Fraction:
        """The maximal minus the minimal score (0 for the empty row)."""
        return max(self.scores) - min(self.scores) if self.scores else Fraction(0)

    def hard(self, tie: Tie) -> list[Part]:
        """Return the hard attention weights, in position order; they sum to 1 (no parts for the empty row).

        Leftmost and rightmost choice split the group that holds the chosen position.
        """
        zero, one = Fraction(0), Fraction(1)
        maximal = [group for group, score in enumerate(self.scores) if score == self.top]
        parts = []
        for group, (score, multiplicity) in enumerate(zip(self.scores, self.multiplicities, strict=True)):
            if tie is Tie.AVERAGE:
                weight = Fraction(1, self.k) if score == self.top else zero
                parts.append(Part(score, multiplicity, weight, group))
                continue
            chosen = maximal[0] if tie is Tie.LEFTMOST else maximal[-1]
            if group != chosen:
                parts.append(Part(score, multiplicity, zero, group))
                continue
            split = [Part(score, 1, one, group)]
            if multiplicity > 1:
                split.append(Part(score, multiplicity - 1, zero, group))
            parts.extend(split if tie is Tie.LEFTMOST else reversed(split))
        return parts


def _score(score: object, place: int) -> Fraction:
    if type(score) is Fraction:
        return score
    if type(score) is int:
        return Fraction(score)
    raise InputError(f"score {place} must be an int or a Fraction, got {type(score).__name__} {show(score)}")
