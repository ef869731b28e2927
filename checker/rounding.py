"""Decimal printing of exact rationals and rigorous enclosures, rounded in a stated direction.

A printed upper bound must not lie below the true value, nor a printed lower bound above it. Everything here is
integer arithmetic on exact rationals, so that the decimal printed is proved to be on the safe side; there is no
floating-point number in a result. Sizes from 1e-1000000 to 1e1000000 cost milliseconds: decimal exponents are estimated
from bit lengths and then corrected exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache

from checker.errors import InputError

LARGEST_EXPONENT = 10**6
"""Values beyond 10^(+-LARGEST_EXPONENT) are printed as a comparison with that power of ten."""

MOST_DIGITS = 30
"""Most significant digits of a table."""

_LOG10_OF_2 = math.log10(2)

Enclosure = tuple[Fraction, Fraction]


class Direction(Enum):
    """The side on which a printed decimal may differ from the true value."""

    UP = "up"
    DOWN = "down"


@lru_cache(maxsize=256)
def power_of_ten(exponent: int) -> int:
    """Return 10**exponent for exponent >= 0 (cached: large powers are reused by a whole table)."""
    return int(5**exponent) << exponent


def power_of_two(exponent: int) -> Fraction:
    """Return 2**exponent exactly, for an exponent of either sign."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def scaled(value: int, exponent: int) -> Fraction:
    """Return value * 10**exponent exactly, for an exponent of either sign."""
    if exponent >= 0:
        return Fraction(value * power_of_ten(exponent))
    return Fraction(value, power_of_ten(-exponent))


def floor_log10(x: Fraction) -> int:
    """Return the integer e with 10**e <= x < 10**(e+1), for x > 0; ValueError otherwise."""
    if x <= 0:
        raise ValueError(f"floor_log10 needs a positive number, got one of sign {0 if x == 0 else -1}")
    p, q = x.numerator, x.denominator
    # With d = bits(p) - bits(q):  2^(d-1) < p/q < 2^(d+1), so the estimate is off by at most one; the loops correct it.
    e = math.floor((p.bit_length() - q.bit_length() - 1) * _LOG10_OF_2)
    while not _reaches(p, q, e):
        e -= 1
    while _reaches(p, q, e + 1):
        e += 1
    return e


def _reaches(p: int, q: int, e: int) -> bool:
    """Whether p/q >= 10**e, by integers alone."""
    return p >= q * power_of_ten(e) if e >= 0 else p * power_of_ten(-e) >= q


@dataclass(frozen=True)
class Scientific:
    """The number mantissa * 10**exponent, printed with all digits of its mantissa (they are all significant)."""

    mantissa: int
    exponent: int

    @property
    def value(self) -> Fraction:
        """The number itself, exactly."""
        return scaled(self.mantissa, self.exponent)

    def _parts(self) -> tuple[str, str, int]:
        """Sign, digits of the mantissa, and decimal exponent of the leading digit."""
        digits = str(abs(self.mantissa))
        return "-" if self.mantissa < 0 else "", digits, self.exponent + len(digits) - 1

    def _plain(self) -> str | None:
        """Positional notation where it shows exactly the significant digits and is short, else None."""
        sign, digits, lead = self._parts()
        if self.mantissa == 0:
            return "0"
        if -4 <= lead < 0:
            return f"{sign}0.{'0' * (-lead - 1)}{digits}"
        if 0 <= lead < len(digits):
            whole, rest = digits[: lead + 1], digits[lead + 1 :]
            return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"
        return None

    @property
    def text(self) -> str:
        """The number as text: "0.133", "12.3", "1.23e-300000"."""
        sign, digits, lead = self._parts()
        plain = self._plain()
        return plain if plain is not None else f"{sign}{_point(digits)}e{lead}"

    @property
    def latex(self) -> str:
        r"""The number in LaTeX: "$0.133$", "$1.23 \times 10^{-300000}$"."""
        sign, digits, lead = self._parts()
        plain = self._plain()
        return f"${plain}$" if plain is not None else rf"${sign}{_point(digits)} \times 10^{{{lead}}}$"


def _point(digits: str) -> str:
    return f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits


def check_digits(digits: int) -> int:
    """Return digits if 1 <= digits <= MOST_DIGITS, else InputError."""
    if not 1 <= digits <= MOST_DIGITS:
        raise InputError(f"digits must be between 1 and {MOST_DIGITS}, got {digits}")
    return digits


def _round(x: Fraction, digits: int, direction: Direction) -> Scientific:
    if digits < 1:
        raise InputError(f"digits must be at least 1, got {digits}")
    if x == 0:
        return Scientific(0, 0)
    exponent = floor_log10(abs(x)) - digits + 1
    if exponent >= 0:
        quotient, rest = divmod(x.numerator, x.denominator * power_of_ten(exponent))
    else:
        quotient, rest = divmod(x.numerator * power_of_ten(-exponent), x.denominator)
    # quotient <= x / 10^exponent < quotient + 1 (divmod rounds towards minus infinity), with equality iff rest = 0.
    mantissa = quotient + 1 if direction is Direction.UP and rest else quotient
    if abs(mantissa) == power_of_ten(digits):  # rounded across a power of ten: the same value with one digit less
        mantissa, exponent = mantissa // 10, exponent + 1
    return Scientific(mantissa, exponent)


def decimal_up(x: Fraction | Enclosure, digits: int) -> Scientific:
    """Return the least decimal of `digits` significant digits that is >= x.

    x: an exact rational, or the (lower, upper) ends of an enclosure, of which the upper one is rounded.
    digits: >= 1. InputError otherwise.
    """
    return _round(x[1] if isinstance(x, tuple) else x, digits, Direction.UP)


def decimal_down(x: Fraction | Enclosure, digits: int) -> Scientific:
    """Return the greatest decimal of `digits` significant digits that is <= x.

    x: an exact rational, or the (lower, upper) ends of an enclosure, of which the lower one is rounded.
    digits: >= 1. InputError otherwise.
    """
    return _round(x[0] if isinstance(x, tuple) else x, digits, Direction.DOWN)


def decimal(x: Fraction | Enclosure, digits: int, direction: Direction) -> Scientific:
    """Round x up or down as `direction` says; see decimal_up and decimal_down."""
    return decimal_up(x, digits) if direction is Direction.UP else decimal_down(x, digits)


@dataclass(frozen=True)
class Rounded:
    """A decimal rounded in a stated direction, the enclosure it came from, and whether it is the best one.

    best: the decimal is the correctly rounded one, not only a safe one. precision: bits used.
    """

    decimal: Scientific
    direction: Direction
    enclosure: Enclosure
    precision: int
    best: bool


def round_enclosed(
    enclose: Callable[[int], Enclosure],
    digits: int,
    direction: Direction,
    *,
    start: int = 64,
    maximum: int = 8192,
) -> Rounded:
    """Round a number given by ever finer enclosures, `enclose(precision)`, to `digits` significant digits.

    The precision doubles from `start` until both ends of the enclosure round to the same decimal, which is then
    the correctly rounded one. At `maximum` bits the safe one of the two is returned, with best = False.
    InputError if digits < 1.
    """
    precision = start
    while True:
        lower, upper = enclose(precision)
        # lower <= true <= upper, and rounding is monotone: round(lower) <= round(true) <= round(upper).
        low, high = decimal(lower, digits, direction), decimal(upper, digits, direction)
        best = low.value == high.value
        if best or precision >= maximum:
            safe = high if direction is Direction.UP else low
            return Rounded(safe, direction, (lower, upper), precision, best)
        precision = min(2 * precision, maximum)
