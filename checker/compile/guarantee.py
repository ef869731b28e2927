"""What the temperature guarantees: the error bound of each kind of read, for every length, against its threshold.

Scores are in units in which the least gap is 1 and the temperature is the constant tau_0 (C1), q = exp(-1/tau_0). Each
bound increases with tau_0, so the temperatures that meet a threshold are those below one number, which is enclosed.
Nothing here looks at formulas or weights; every comparison is decided by Arb with mpmath as a witness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any

from checker import mpinterval as iv
from checker.ball import Ball, ball, ends, working
from checker.decide import decide
from checker.errors import InputError
from checker.exact import show
from checker.mp import EXTRA
from checker.mpinterval import Interval
from checker.rounding import Scientific, decimal_down, decimal_up, scaled
from checker.verdict import Verdict

PRECISION = 128
"""Bits of the enclosures that are printed, rounded to the safe side."""

LARGEST_M = 2**40
"""tau_0 = 1/m is looked for up to this m."""


class Bound(Enum):
    """How the error of a read is bounded; the value is the bound as text, A being the sum of |coefficients|."""

    NEAREST = "q"  # Y, X (B1), S, U (B6): the distances from the maximum are 1, 2, 3, ... or more
    LOOKUP = "2q/(1 + 2q - q^3)"  # a bit read by table lookup (B3)
    SUM = "A q/(1 - q^3)^2"  # a linear combination of counts, each read by lookup (D4)
    SIGN = "q^(1 - 2A q/(1 - q^3)^2)"  # such a sum, as a score against the end marker (D4)


STATEMENTS = {Bound.NEAREST: ("B1", "B6"), Bound.LOOKUP: ("B3",), Bound.SUM: ("D4",), Bound.SIGN: ("D4", "A2")}
"""The statements behind each bound."""


@dataclass(frozen=True)
class Requirement:
    """`bound` (with A = weight) must be at most the clean-up threshold, 0 < threshold < 1/2.

    Raises InputError for other thresholds and for weights below 1.
    """

    bound: Bound
    threshold: Fraction
    weight: int = 1

    def __post_init__(self) -> None:
        check_threshold(self.threshold)
        if self.weight < 1:
            raise InputError(f"the sum of the absolute coefficients is at least 1, got {show(self.weight)}")

    @property
    def closed_form(self) -> str | None:
        """The largest admissible tau_0 in closed form, where there is one."""
        return f"1/log({show(1 / self.threshold)})" if self.bound is Bound.NEAREST else None


def check_threshold(threshold: Fraction) -> None:
    """Raise InputError unless 0 < threshold < 1/2."""
    # At 0 no softmax is exact enough; at 1/2 and above a bit and its negation are not told apart (D1).
    if not 0 < threshold < Fraction(1, 2):
        raise InputError(f"a clean-up threshold lies strictly between 0 and 1/2, got {show(threshold)}")


@dataclass(frozen=True)
class Value:
    """A bound at one temperature, with two independent enclosures."""

    requirement: Requirement
    tau0: Fraction

    def __str__(self) -> str:
        return f"{self.requirement.bound.value} with A = {self.requirement.weight} at tau_0 = {show(self.tau0)}"

    def ball(self, prec: int) -> Ball:
        """Arb's enclosure."""
        with working(prec + _extra(self.tau0)):
            result = _value(self.requirement, ball(1 / self.tau0), lambda x: x.exp())
        with working(prec):
            return +result

    def mp(self, prec: int) -> Interval:
        """mpmath's enclosure."""
        bits = prec + EXTRA + _extra(self.tau0)
        rate = _Wide(iv.from_exact(1 / self.tau0, bits), bits)
        result: _Wide = _value(self.requirement, rate, lambda x: _Wide(iv.exp(x.interval, bits), bits))
        return result.interval


def _extra(tau0: Fraction) -> int:
    # exp(-x) is known to a relative error of about |x' - x|: as many more bits as x = 1/tau_0 has before the point.
    return max(0, tau0.denominator.bit_length() - tau0.numerator.bit_length() + 2)


def _value(requirement: Requirement, rate: Any, exp: Callable[[Any], Any]) -> Any:
    """The bound as a function of rate = 1/tau_0, in either arithmetic."""
    q = exp(rate * -1)
    if requirement.bound is Bound.NEAREST:
        # B1.below, B6.below: TV < q, for every number of visible positions.
        return q
    if requirement.bound is Bound.LOOKUP:
        # B3.closed: TV <= 2q/(1 + 2q - q^3), for every length and every maximum.
        return q * 2 / (q * 2 - q * q * q + 1)
    # D4: |read - C| <= sum over d >= 1 of d q^(d^2) <= q/(1 - q^3)^2, so a sum is off by at most A times that.
    complement = q * q * q * -1 + 1
    noise = q * requirement.weight / (complement * complement)
    if requirement.bound is Bound.SUM:
        return noise
    # SIGN: the end marker's score is 2D + 1 times N^2 for an integer D, read with an error of at most 2 * noise, and 0
    # at the other N - 1 >= 2 positions. With Q = q^(1 - 2 noise), the end marker has weight <= Q^(N^2) <= Q if D < 0;
    # if D >= 0 the others have at most (N - 1) Q^(N^2) (A2.bound), which is <= Q for Q <= 1/2 as N - 1 <= 2^(N^2 - 1).
    # Thresholds are < 1/2, and for 2 noise >= 1 the value is >= 1, so no temperature is admitted wrongly.
    return exp((noise * 2 - 1) * rate)


@dataclass(frozen=True)
class _Wide:
    """mpmath's interval with operators."""

    interval: Interval
    bits: int

    def _other(self, other: Any) -> Interval:
        return other.interval if isinstance(other, _Wide) else iv.from_exact(other, self.bits)

    def __add__(self, other: Any) -> _Wide:
        return _Wide(iv.add(self.interval, self._other(other), self.bits), self.bits)

    def __sub__(self, other: Any) -> _Wide:
        return _Wide(iv.sub(self.interval, self._other(other), self.bits), self.bits)

    def __mul__(self, other: Any) -> _Wide:
        return _Wide(iv.mul(self.interval, self._other(other), self.bits), self.bits)

    def __truediv__(self, other: Any) -> _Wide:
        return _Wide(iv.divide(self.interval, self._other(other), self.bits), self.bits)


@lru_cache(maxsize=1 << 14)
def meets(requirement: Requirement, tau0: Fraction) -> Verdict:
    """Whether the bound at tau_0 > 0 is at most the threshold: HOLDS, FAILS or (never seen) UNDECIDED."""
    if tau0 <= 0:
        raise InputError(f"tau_0 must be > 0, got {show(tau0)}")
    # The bound increases with tau_0 as long as it is < 1 (SIGN: both 1 - 2 noise > 0 and -log q decrease), and once it
    # is >= 1 it stays so. Hence one number separates the temperatures that meet the requirement from the others.
    return decide(Value(requirement, tau0), "<=", requirement.threshold).verdict


def bound_at(requirement: Requirement, tau0: Fraction, digits: int = 4) -> Scientific:
    """The bound at tau_0, rounded up."""
    return decimal_up(ends(Value(requirement, tau0).ball(PRECISION)), digits)


def slack(requirement: Requirement, tau0: Fraction, digits: int = 4) -> Scientific:
    """threshold - bound at tau_0, rounded down (negative when the bound is exceeded)."""
    low, high = ends(Value(requirement, tau0).ball(PRECISION))
    return decimal_down((requirement.threshold - high, requirement.threshold - low), digits)


@lru_cache(maxsize=1 << 12)
def least_m(requirement: Requirement) -> int:
    """The least m >= 1 such that tau_0 = 1/m meets the requirement; InputError beyond LARGEST_M."""
    high = 1
    while meets(requirement, Fraction(1, high)) is not Verdict.HOLDS:
        high *= 2
        if high > LARGEST_M:
            raise InputError(
                f"no tau_0 >= 1/{LARGEST_M} keeps {requirement.bound.value} with A = {show(requirement.weight)} "
                f"below {show(requirement.threshold)}"
            )
    low = high // 2  # fails, or is 0
    while high - low > 1:
        middle = (low + high) // 2
        if meets(requirement, Fraction(1, middle)) is Verdict.HOLDS:
            high = middle
        else:
            low = middle
    return high


@lru_cache(maxsize=1 << 12)
def largest_tau0(requirement: Requirement, digits: int = 6) -> tuple[Scientific, Scientific]:
    """The largest admissible tau_0 between two neighbouring decimals: the requirement HOLDS at the first one.

    At the second one, a unit of the last place larger, it does not (it FAILS, unless undecided).
    """
    above = 1 / Fraction(least_m(requirement))  # HOLDS
    start = above
    while meets(requirement, above) is Verdict.HOLDS:
        start, above = above, 2 * above
    exponent = 1 - digits
    while scaled(10**digits, exponent) <= start:
        exponent += 1
    while scaled(10 ** (digits - 1), exponent) > start:
        exponent -= 1
    low = int(start / scaled(1, exponent))  # rounded down, so HOLDS
    high = int(above / scaled(1, exponent)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if meets(requirement, scaled(middle, exponent)) is Verdict.HOLDS:
            low = middle
        else:
            high = middle
    return Scientific(low, exponent), Scientific(high, exponent)
