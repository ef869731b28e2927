"""Exact numbers in: integers, fractions, decimal strings, and floats as the binary rationals they are."""

import re
from fractions import Fraction

import numpy as np

from checker.errors import InputError

MAX_EXPONENT = 10**6
"""Largest exponent (in absolute value) in "1e300000" or "10^300000"."""

MAX_DIGITS = 4000
"""Longest run of digits in a number."""

_MAX_BITS = 4_000_000  # 10^(10^6) has 3,321,929 bits

_DECIMAL = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
_RATIONAL = re.compile(r"([+-]?)([0-9]+)/([0-9]+)")
_POWER = re.compile(r"([+-]?)([0-9]+)\^([+-]?[0-9]+)")


def show(value: object) -> str:
    """Return a short printable form of `value`, also of integers too long for Python to print."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return show(value.numerator)
        return f"{show(value.numerator)}/{show(value.denominator)}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return f"an integer of {value.bit_length()} bits"
    text = str(value) if isinstance(value, int) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def exact(value: object, what: str = "number") -> Fraction:
    """Return `value` as an exact fraction.

    Accepts int, Fraction, numpy integers, finite floats and numpy floats (the binary rational they are), and
    strings: integers and decimals with an optional exponent ("-3", "0.1", "2.5e3"), rationals ("1/3") and
    powers of an integer ("10^12", "10^-6"); "-10^2" is -100. Exponents up to 10^6 in absolute value.
    `what` names the number in messages. Raises InputError for anything else (bool, nan, inf, other types).

    >>> exact("0.1"), exact("10^-2"), exact(0.5)
    (Fraction(1, 10), Fraction(1, 100), Fraction(1, 2))
    """
    if isinstance(value, str):
        return _parse(value, what)
    if isinstance(value, Fraction):
        return value
    if isinstance(value, (bool, np.bool_)):
        raise InputError(f"{what}: expected a number, got the truth value {value}")
    if isinstance(value, (int, np.integer)):
        return Fraction(int(value))
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise InputError(f"{what}: expected a finite number, got {value}")
        numerator, denominator = value.as_integer_ratio()
        return Fraction(int(numerator), int(denominator))
    kind = type(value).__name__
    raise InputError(f"{what}: expected an integer, a fraction, a decimal string or a float, got {kind} {show(value)}")


def _parse(text: str, what: str) -> Fraction:
    stripped = text.strip()
    if match := _DECIMAL.fullmatch(stripped):
        sign, mantissa, exponent = match.groups()
        whole, _, part = mantissa.partition(".")
        power = _exponent(exponent or "0", text, what)
        digits = Fraction(_digits(whole + part, text, what), 10 ** len(part))
        value = digits * 10**power if power >= 0 else digits / 10**-power
    elif match := _RATIONAL.fullmatch(stripped):
        sign, numerator, denominator = match.groups()
        bottom = _digits(denominator, text, what)
        if bottom == 0:
            raise InputError(f"{what}: {show(text)} has denominator 0")
        value = Fraction(_digits(numerator, text, what), bottom)
    elif match := _POWER.fullmatch(stripped):
        sign, base_text, exponent = match.groups()
        base, power = _digits(base_text, text, what), _exponent(exponent, text, what)
        if base.bit_length() * abs(power) > _MAX_BITS:
            raise InputError(f"{what}: {show(text)} is too large; at most {_MAX_BITS} bits are accepted")
        if base == 0 and power < 0:
            raise InputError(f"{what}: {show(text)} is a division by 0")
        value = Fraction(base**power) if power >= 0 else Fraction(1, base**-power)
    else:
        raise InputError(f"{what}: {show(text)} is not a number; write it like 3, 0.1, 1/3, 1e-6 or 10^12")
    return -value if sign == "-" else value


def _digits(digits: str, text: str, what: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InputError(f"{what}: {show(text)} has {len(digits)} digits; at most {MAX_DIGITS} are accepted")
    return int(digits)


def _exponent(digits: str, text: str, what: str) -> int:
    if len(digits) > MAX_DIGITS or abs(int(digits)) > MAX_EXPONENT:
        raise InputError(f"{what}: the exponent of {show(text)} exceeds {MAX_EXPONENT} in absolute value")
    return int(digits)


def exact_list(text: str, what: str = "list") -> list[Fraction]:
    """Return the numbers of a comma-separated list ("10, 100, 10^6, 1e12"), each read by `exact`.

    Raises InputError for an empty list, an empty item, or an item that is not a number; the message
    names the item's place, counted from 1.
    """
    if not isinstance(text, str):
        raise InputError(f"{what}: expected a comma-separated list, got {type(text).__name__} {show(text)}")
    if not text.strip():
        raise InputError(f"{what}: the list is empty; write numbers separated by commas, like 10,100,10^6")
    numbers = []
    for place, item in enumerate(text.split(","), start=1):
        if not item.strip():
            raise InputError(f"{what}: item {place} of {show(text)} is empty")
        numbers.append(exact(item, f"{what}, item {place}"))
    return numbers


def exact_int(value: object, what: str = "integer") -> int:
    """Return `value`, read by `exact`, as an integer ("1e12" and "10^6" are integers).

    Raises InputError when it is not one.
    """
    number = exact(value, what)
    if number.denominator != 1:
        raise InputError(f"{what}: expected an integer, got {show(value)}")
    return number.numerator


def exact_int_list(text: str, what: str = "list") -> list[int]:
    """Return the integers of a comma-separated list; raises InputError as `exact_list` and `exact_int` do."""
    return [exact_int(number, f"{what}, item {place}") for place, number in enumerate(exact_list(text, what), start=1)]
