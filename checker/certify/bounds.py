"""Error bounds of heads, which hold for every length, and the clean-ups that must absorb them.

The bounds as functions of the temperature are those of `checker.compile.guarantee`, for scores whose least distance is
1; a head whose least distance is `gap` at tau_0 has the bound of one with distance 1 at tau_0/gap (C1). tau_0 = 0
stands for hard attention alone, which makes no error.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from checker.ball import ends
from checker.compile.guarantee import PRECISION, Bound, Requirement, Value, largest_tau0, meets
from checker.errors import HardsoftError
from checker.rounding import Scientific, decimal_down
from checker.verdict import Verdict

_ANY = Fraction(1, 4)  # a bound does not depend on its threshold


@dataclass(frozen=True)
class Error:
    """`bound` with A = weight at tau_0/gap; gap = 0: no bound holds for all lengths."""

    bound: Bound
    gap: Fraction
    weight: int = 1

    def upper(self, tau0: Fraction) -> Fraction | None:
        """A rational number at or above the bound, for tau_0 >= 0; None when there is none."""
        if tau0 == 0:
            return Fraction(0)
        if self.gap == 0:
            return None
        value = Value(Requirement(self.bound, _ANY, self.weight), tau0 / self.gap).ball(PRECISION)
        try:
            return ends(value)[1]
        except HardsoftError:  # unbounded, or too large to be of use
            return None

    def within(self, threshold: Fraction, tau0: Fraction) -> bool:
        """Whether the bound is shown to be at most the threshold."""
        if tau0 == 0:
            return True
        if self.gap == 0:
            return False
        return meets(Requirement(self.bound, threshold, self.weight), tau0 / self.gap) is Verdict.HOLDS

    def largest(self, threshold: Fraction, digits: int = 6) -> Scientific | None:
        """The largest tau_0, rounded down, at which the bound is at most the threshold; None when there is none."""
        if self.gap == 0:
            return None
        low, _ = largest_tau0(Requirement(self.bound, threshold, self.weight), digits)
        return low if self.gap == 1 else decimal_down(low.value * self.gap, digits)


def linear(gap: Fraction) -> Error:
    """B1, B5, B6: TV < q."""
    return Error(Bound.NEAREST, gap)


def lookup(gap: Fraction) -> Error:
    """B3: TV < 2q/(1 + 2q - q^3)."""
    return Error(Bound.LOOKUP, gap)


def integer(gap: Fraction) -> Error:
    """D4: a count read by lookup is off by at most q/(1 - q^3)^2."""
    return Error(Bound.SUM, gap)


def weighted(reads: Iterable[tuple[int, Error]]) -> Error:
    """A sum of integer * count is off by at most the sum of |integer| * error; errors taken at the least gap."""
    # D4's bound decreases with the gap, so the least gap bounds all of them.
    weights, errors = zip(*reads, strict=True)
    return Error(Bound.SUM, min(error.gap for error in errors), sum(abs(w) for w in weights))


def against_end(gap: Fraction, reads: Iterable[tuple[int, Error]]) -> Error:
    """What is read off by comparing with the end marker, whose score is at least g N (1 - 2 e) away from the others.

    g is the gap, N = n + 2 at least the number of positions, and e the sum of |integer| * error; the other scores are
    equal. With Q = q^(1 - 2e): below them, the end marker has weight at most Q^N; above, the others have at most
    (N - 1) Q^N (A2.bound), which is at most Q for Q <= 1/2, as N - 1 <= 2^(N - 1). Thresholds are below 1/2, so a
    clean-up that admits Q has Q <= 1/2.
    """
    noise = weighted(reads)
    # q^(1 - 2e) increases as either gap gets smaller.
    return Error(Bound.SIGN, min(gap, noise.gap), noise.weight)
