"""Exact rationals as text and LaTeX: what a user typed is printed back exactly, however large or small it is.

Integers longer than Python converts by default (4300 digits) are converted in pieces, so no interpreter-wide limit is
touched.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from checker.rounding import power_of_ten

_PIECE = 4000
_LONGEST_MANTISSA = 40
_LOG2_OF_5 = math.log2(5)


def integer_text(n: int) -> str:
    """Return all decimal digits of n."""
    if n < 0:
        return "-" + integer_text(-n)
    # 2^b > n implies fewer than b * log10(2) + 1 digits, and log10(2) < 0.30103.
    size = int(n.bit_length() * 0.30103) + 1
    if size <= _PIECE:
        return str(n)
    half = size // 2
    high, low = divmod(n, power_of_ten(half))
    if high == 0:
        return integer_text(low)
    return integer_text(high) + integer_text(low).zfill(half)


def _strip_tens(n: int) -> tuple[int, int]:
    """Return (m, e) with n = m * 10**e and e as large as possible, for n > 0."""
    twos = (n & -n).bit_length() - 1
    step, exponent = 1, 0
    while step <= twos:
        step *= 2
    while step:
        if exponent + step <= twos:
            quotient, rest = divmod(n, power_of_ten(step))
            if rest == 0:
                n, exponent = quotient, exponent + step
        step //= 2
    return n, exponent


@lru_cache(maxsize=256)
def decimal_parts(x: Fraction) -> tuple[int, int] | None:
    """Return (m, e) with x = m * 10**e exactly and m not divisible by 10, or None if x is no finite decimal."""
    if x == 0:
        return 0, 0
    sign, p, q = (-1 if x < 0 else 1), abs(x.numerator), x.denominator
    if q == 1:
        mantissa, exponent = _strip_tens(p)
        return sign * mantissa, exponent
    twos = (q & -q).bit_length() - 1
    odd = q >> twos
    fives = round((odd.bit_length() - 0.5) / _LOG2_OF_5) if odd > 1 else 0
    fives = next((b for b in (fives - 1, fives, fives + 1) if b >= 0 and 5**b == odd), -1)
    if fives < 0:
        return None
    places = max(twos, fives)
    return sign * p * 2 ** (places - twos) * 5 ** (places - fives), -places


def exact_text(x: Fraction | int) -> str:
    """Return x exactly and briefly: "0.01", "1e-6", "10^12", "1/3", and every digit where nothing is shorter."""
    x = Fraction(x)
    parts = decimal_parts(x)
    if parts is None:
        return f"{integer_text(x.numerator)}/{integer_text(x.denominator)}"
    mantissa, exponent = parts
    digits = integer_text(abs(mantissa))
    sign, lead = "-" if x < 0 else "", exponent + len(digits) - 1
    if mantissa == 1 and exponent >= 6:
        return f"10^{exponent}"
    if exponent >= 0 and (lead < 15 or exponent < 4):
        return sign + digits + "0" * exponent
    if exponent >= 0:
        return f"{sign}{_scientific(digits)}e{lead}"
    if -4 <= lead < 15 and len(digits) <= _LONGEST_MANTISSA:
        padded = digits.zfill(1 - exponent)
        return f"{sign}{padded[:exponent]}.{padded[exponent:]}"
    if len(digits) <= _LONGEST_MANTISSA:
        return f"{sign}{_scientific(digits)}e{lead}"
    return f"{integer_text(x.numerator)}/{integer_text(x.denominator)}"


def _scientific(digits: str) -> str:
    return f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits


def exact_latex(x: Fraction | int) -> str:
    """Return x exactly in LaTeX: "$0.01$", "$10^{-6}$", "$10^{12}$", "$1.5 \\times 10^{-9}$", "$1/3$"."""
    text = exact_text(x)
    if text.startswith("10^"):
        return f"$10^{{{text[3:]}}}$"
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return f"${text}$"
    power = f"10^{{{exponent}}}"
    if mantissa in ("1", "-1"):
        return f"${mantissa.replace('1', '')}{power}$"
    return rf"${mantissa} \times {power}$"
