"""One comparison of an enumeration: a quantity from the definitions against a stated bound, and how to judge it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from checker import formal
from checker.decide import Side, agree, decide
from checker.errors import DisagreementError
from checker.verdict import Decision, Verdict


def at(**values: object) -> tuple[tuple[str, object], ...]:
    """What an item's witness is made of: names and values, printed only when needed."""
    return tuple(values.items())


class Mode(Enum):
    """What the case must show."""

    DECIDED = "decided"
    """The relation must be decided, as it stands."""

    EQUAL = "equal"
    """Both sides are claimed equal: proved exactly, and their enclosures must agree to 30 digits."""

    EITHER = "either"
    """Both sides may be equal here: decided by enclosures, or by an exact proof that they are equal."""


EQUALITY_DIGITS = 30
EQUALITY_BITS = 128  # the first precision that can show agreement to 30 digits: 10**30 < 2**100
QUICK_BITS = 256


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
            return self._equal(precision)
        if self.mode is Mode.EITHER:
            return self._either(precision)
        return decide(self.lhs, self.relation, self.rhs, maximum=precision)

    def _equal(self, precision: int) -> Decision:
        agreement = self._agreement(precision)
        if agreement.verdict is not Verdict.HOLDS or not formal.equal(self.lhs, self.rhs):
            # Enclosures that agree to 30 digits do not prove equality; only the formal comparison does.
            verdict = Verdict.FAILS if agreement.verdict is Verdict.FAILS else Verdict.UNDECIDED
            return Decision(verdict, agreement.precision)
        return agreement

    def _either(self, precision: int) -> Decision:
        first = decide(self.lhs, self.relation, self.rhs, maximum=min(QUICK_BITS, precision))
        if first.verdict is not Verdict.UNDECIDED:
            return first
        if formal.equal(self.lhs, self.rhs):
            agreement = self._agreement(precision)
            if agreement.verdict is Verdict.FAILS:
                raise DisagreementError(f"formally equal, but the enclosures are disjoint: {self.lhs}, {self.rhs}")
            return Decision(Verdict.FAILS if self.relation in ("<", ">") else Verdict.HOLDS, agreement.precision)
        return decide(self.lhs, self.relation, self.rhs, maximum=precision)

    def _agreement(self, precision: int) -> Decision:
        start = min(EQUALITY_BITS, precision)
        return agree(self.lhs, self.rhs, EQUALITY_DIGITS, start=start, maximum=precision)


Items = Iterator[Item]
