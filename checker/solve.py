"""Certified inverse queries: the extreme value of one parameter at which a monotone bound still meets a target.

The bound is monotone in the parameter, so the values with `bound <= target` are all those below (or above) one
threshold. The search runs over powers of two and then over the decimals of `digits` significant digits; each
comparison is decided by Arb, and the two neighbouring decimals returned are decided once more with mpmath checking
Arb. Hence the threshold is proved to lie between them, and nothing is assumed about the search itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import sympy

from checker.query import Query, at_most, certify, compare_end, end_value, holds, names
from checker.rounding import LARGEST_EXPONENT, Enclosure, decimal_down, power_of_ten, power_of_two, scaled
from checker.verdict import Verdict

EXACT_INTEGER_DIGITS = 40
"""Integer thresholds of at most this many digits are found exactly; larger ones as decimals of `digits` digits."""

_LAST_POWER = 3321928  # 2^3321928 < 10^LARGEST_EXPONENT < 2^3321929


class Outcome(Enum):
    """What an inverse query found."""

    THRESHOLD = "threshold"  # lower and upper enclose it
    EVERY = "every"  # the target is met by every admissible value
    NONE = "none"  # ... by no admissible value
    ABOVE = "above"  # the threshold exceeds 10^LARGEST_EXPONENT
    BELOW = "below"  # the threshold is less than 10^-LARGEST_EXPONENT


@dataclass(frozen=True)
class Solution:
    """The outcome; for THRESHOLD its proved enclosure (an exact integer threshold: lower = upper); the reason.

    For a query with sign +1, `bound <= target` is proved at lower and refuted at upper (for an exact integer: at
    lower + 1); with sign -1 the other way round.
    """

    outcome: Outcome
    enclosure: Enclosure | None = None
    reason: str = ""


def _trivial(query: Query) -> Solution | None:
    """The answer where the target lies outside the bound's range over all values of the parameter, else None."""
    name = query.parameter
    if query.cap is not None and query.target >= query.cap:
        return Solution(Outcome.EVERY, reason="the quantity never exceeds eps")
    # A monotone bound lies between its limits at the two ends of (0, oo), so it meets every target >= sup (and does so
    # all the more where conditions leave only part of the range).
    top = end_value(query.bound, name, "infinity" if query.sign == 1 else "zero", query.scalars)
    if top is not None and compare_end(top, "<=", query) is Verdict.HOLDS:
        limits = [f"{c.lhs} {c.op} {c.rhs}" for c in query.conditions if name in names(c)]
        subject = f" (subject to {' and '.join(limits)})" if limits else ""
        return Solution(Outcome.EVERY, reason=f"eps is at least {_brief(top)}the supremum over {name}{subject}")
    # Being strictly monotone, it does not attain its infimum on (0, oo) and meets no target <= inf, under whatever
    # condition. Only eta = 0 is admissible too: there the infimum is attained, and the target must lie below it.
    bottom = end_value(query.bound, name, "zero" if query.sign == 1 else "infinity", query.scalars)
    relation = ">" if name == "eta" else ">="
    if bottom is not None and compare_end(bottom, relation, query) is Verdict.HOLDS:
        return Solution(Outcome.NONE, reason=f"eps is at most {_brief(bottom)}the infimum over {name}")
    return None


def _brief(value: sympy.Expr) -> str:
    text = sympy.sstr(value, order="rev-lex")
    return f"{text}, " if len(text) <= 40 else ""


def _last(inside: Callable[[int], bool], low: int, high: int) -> int:
    """Return the last integer i in low..high-1 with inside(i), given inside(low) and not inside(high)."""
    while high - low > 1:
        middle = (low + high) // 2
        if inside(middle):
            low = middle
        else:
            high = middle
    return low


def _point(power: int) -> Fraction:
    """2^power, and at the ends of the range 10^(+-LARGEST_EXPONENT)."""
    if abs(power) > _LAST_POWER:
        return scaled(1, LARGEST_EXPONENT if power > 0 else -LARGEST_EXPONENT)
    return power_of_two(power)


def solve_real(query: Query, digits: int) -> Solution:
    """Find the threshold of a positive real parameter to `digits` significant digits.

    The enclosure's ends are decimals of `digits` (or one more) digits that differ by one unit of the last, so
    that rounding either way to fewer digits gives the correctly rounded threshold. HardsoftError if a comparison
    stays undecided.
    """
    # The bounds depend on ratios of gamma, eta, delta and tau: the search starts at the size of the most extreme one.
    scales = [x for name, x in query.scalars.items() if name in ("gamma", "eta", "delta", "tau") and x > 0]
    sizes = [x.numerator.bit_length() - x.denominator.bit_length() for x in scales]
    start = max(-_LAST_POWER, min(_LAST_POWER, max(sizes, key=abs, default=0)))
    return _trivial(query) or _search(query, digits, start)


def _search(query: Query, digits: int, start: int) -> Solution:
    def below(value: Fraction) -> bool:  # below the threshold: the side that meets the target iff sign = +1
        return at_most(query, value) is (query.sign == 1)

    bracket = _powers(lambda power: below(_point(power)), start)
    if isinstance(bracket, Outcome):
        return Solution(bracket, reason=f"the threshold lies {bracket.value} the printable range")
    lower, upper = _point(bracket), _point(bracket + 1)
    unit = decimal_down(lower, digits).exponent
    first = decimal_down(lower, digits).mantissa
    last = -(-upper // scaled(1, unit))
    low = _last(lambda mantissa: below(scaled(mantissa, unit)), first, int(last))
    enclosure = scaled(low, unit), scaled(low + 1, unit)
    certify(query, enclosure[0], query.sign == 1)
    certify(query, enclosure[1], query.sign != 1)
    outer = query.env(enclosure[1 if query.sign == 1 else 0]).scalars
    broken = [f"{c.lhs} {c.op} {c.rhs}" for c in query.conditions if not holds(c, outer)]
    return Solution(Outcome.THRESHOLD, enclosure, f"limited by {broken[0]}" if broken else "")


def _powers(below: Callable[[int], bool], start: int) -> int | Outcome:
    """Return the last power of two below the threshold, searching outward from 2^start in doubling steps."""
    end = _LAST_POWER + 1
    step = 1
    if below(start):
        low = start
        while low < end:
            high = min(start + step, end)
            if not below(high):
                return _last(below, low, high)
            low, step = high, 2 * step
        return Outcome.ABOVE
    high = start
    while high > -end:
        low = max(start - step, -end)
        if below(low):
            return _last(below, low, high)
        high, step = low, 2 * step
    return Outcome.BELOW


def solve_integer(query: Query, least: int, digits: int) -> Solution:
    """Find the largest integer >= least that meets the target, for a bound increasing in the parameter.

    Exactly up to EXACT_INTEGER_DIGITS digits or twice `least`; larger thresholds as by solve_real, between integers.
    NONE if `least` fails.
    """
    if query.sign != 1:
        raise ValueError("solve_integer needs a bound increasing in the parameter")
    if query.cap is not None and query.target >= query.cap:
        return Solution(Outcome.EVERY, reason="the quantity never exceeds eps")
    if not at_most(query, Fraction(least)):
        certify(query, Fraction(least), False)
        return Solution(Outcome.NONE, reason=f"{query.parameter} = {least} already exceeds eps")
    # Beyond a limit >= 2 least, rounding down to even one digit loses less than half and so stays >= least.
    limit = max(power_of_ten(EXACT_INTEGER_DIGITS), 2 * least)
    if at_most(query, Fraction(limit)):
        return _search(query, digits, limit.bit_length() - 1)
    high, step = least + 1, 1
    while at_most(query, Fraction(high)):
        step *= 2
        high = min(least + step, limit)  # at_most(limit) is refuted, so this ends
    largest = _last(lambda n: at_most(query, Fraction(n)), least, high)
    certify(query, Fraction(largest), True)
    certify(query, Fraction(largest + 1), False)
    return Solution(Outcome.THRESHOLD, (Fraction(largest), Fraction(largest)))
