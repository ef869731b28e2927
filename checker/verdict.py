"""The three answers of a rigorous comparison."""

from dataclasses import dataclass
from enum import Enum
from typing import NoReturn


class Verdict(Enum):
    """HOLDS and FAILS are proved; UNDECIDED claims nothing.

    A verdict has no truth value, because both ``if verdict`` and ``if not verdict`` would silently
    turn UNDECIDED into an answer: compare with ``is``.
    """

    HOLDS = "HOLDS"
    FAILS = "FAILS"
    UNDECIDED = "UNDECIDED"

    def __bool__(self) -> NoReturn:
        raise TypeError(f"a verdict has no truth value; write `verdict is Verdict.{self.name}` instead")

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Decision:
    """A verdict and the precision in bits at which it was reached (for UNDECIDED: the last one tried)."""

    verdict: Verdict
    precision: int
