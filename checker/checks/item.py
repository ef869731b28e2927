"""One comparison of an enumeration: a quantity from the definitions against a stated bound, and how to judge it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from checker import mp as mpmath_side
from checker import mpinterval as iv
from checker.ball import Ball, ball, working
from checker.decide import Enclosable, Side, agree, decide
from checker.mpinterval import Interval
from checker.verdict import Decision, Verdict


def at(**values: object) -> tuple[tuple[str, object], ...]:
    """What an item's witness is made of: names and values, printed only when needed."""
    return tuple(values.items())


class Mode(Enum):
    """What the case must show."""

    DECIDED = "decided"
    """The relation must be decided, as it stands."""

    EQUAL = "equal"
    """Both sides are claimed equal: their enclosures must agree to 30 digits."""

    EITHER = "either"
    """The relation is not strict and may hold with equality here: decided, or agreement to 30 digits."""


EQUALITY_DIGITS = 30


@dataclass(frozen=True)
class Item:
    """`lhs relation rhs` on one case. `kind` groups cases in the report, `witness` says which case it is."""

    kind: str
    lhs: Side
    relation: str
    rhs: Side
    mode: Mode
    witness: tuple[tuple[str, object], ...]

    @property
    def case(self) -> str:
        """The case in words, e.g. "scores = [1, 0], tau = 1/2"."""
        return ", ".join(f"{name.replace('_', ' ')} = {value}" for name, value in self.witness)

    def judge(self, precision: int) -> Decision:
        """HOLDS, FAILS or UNDECIDED, with at most `precision` bits."""
        if self.mode is Mode.EQUAL:
            return agree(self.lhs, self.rhs, EQUALITY_DIGITS, maximum=precision)
        if self.mode is Mode.EITHER:
            return self._either(precision)
        return decide(self.lhs, self.relation, self.rhs, maximum=precision)

    def _either(self, precision: int) -> Decision:
        first = decide(self.lhs, self.relation, self.rhs, maximum=min(512, precision))
        if first.verdict is not Verdict.UNDECIDED:
            return first
        second = agree(self.lhs, self.rhs, EQUALITY_DIGITS, maximum=precision)
        # Disjoint enclosures decide the relation one way or the other: let decide() say which.
        return (
            second if second.verdict is Verdict.HOLDS else decide(self.lhs, self.relation, self.rhs, maximum=precision)
        )


Items = Iterator[Item]


@dataclass(frozen=True)
class Affine:
    """factor * side + offset, for exact numbers factor and offset."""

    side: Enclosable
    factor: Fraction
    offset: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"{self.factor} * ({self.side}) + {self.offset}"

    def ball(self, prec: int) -> Ball:
        """Arb's enclosure."""
        inner = self.side.ball(prec)
        with working(prec):
            return inner * ball(self.factor) + ball(self.offset)

    def mp(self, prec: int) -> Interval:
        """mpmath's enclosure."""
        bits = prec + mpmath_side.EXTRA
        scaled = iv.mul(self.side.mp(prec), iv.from_exact(self.factor, bits), bits)
        return iv.add(scaled, iv.from_exact(self.offset, bits), bits)


@dataclass(frozen=True)
class AbsoluteDifference:
    """|first - second|."""

    first: Enclosable
    second: Enclosable

    def __str__(self) -> str:
        return f"|{self.first} - {self.second}|"

    def ball(self, prec: int) -> Ball:
        """Arb's enclosure."""
        first, second = self.first.ball(prec), self.second.ball(prec)
        with working(prec):
            return abs(first - second)

    def mp(self, prec: int) -> Interval:
        """mpmath's enclosure."""
        bits = prec + mpmath_side.EXTRA
        return iv.absolute(iv.sub(self.first.mp(prec), self.second.mp(prec), bits))
