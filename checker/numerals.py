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
_SHORT = 4000  # bits
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
    """Return (m, e) with n = m * 10**e, for n > 0; e is as large as possible, unless m has more than 40 digits."""
    twos = (n & -n).bit_length() - 1
    cofactor, fives = n >> twos, 0
    if cofactor.bit_length() > _SHORT:
        # If m has at most 40 digits, all but some 64 of the fives that fit are there; the quotient is short, so fast.
        most = int(cofactor.bit_length() / _LOG2_OF_5) - 64
        quotient, rest = divmod(cofactor, 5**most)
        if rest:
            return n, 0
        cofactor, fives = quotient, most
    while cofactor % 5 == 0:
        cofactor, fives = cofactor // 5, fives + 1
    exponent = min(twos, fives)
    return int(cofactor * 5 ** (fives - exponent)) << (twos - exponent), exponent


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
    # 5^b has floor(b log2(5)) + 1 bits, so b is the only candidate.
    fives = int(odd.bit_length() / _LOG2_OF_5)
    if 5**fives != odd:
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
