"""Powers of one exponential: scores that are integers over a common denominator need one table, and look-ups.

The table holds float64 numbers near q^j, q = exp(-unit), j = 0, 1, .., made from one enclosure of q by Arb.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from checker.ball import exp_ball, outer
from checker.bulk.exponential import LEAST, Floats
from checker.bulk.plain import blocks, depth, fold
from checker.bulk.rows import Bounds, sum_bounds
from checker.errors import InputError

ROUNDINGS = 1.0625
"""An entry differs from q^j by at most ROUNDINGS u q^j + 2^-1074."""

MOST = 1 << 16
"""Longest table worth making: one Python step per entry."""

_BITS = 128


def powers(unit: Fraction, most: int) -> Floats:
    """Return a read-only array P with |P[j] - exp(-j unit)| <= ROUNDINGS u exp(-j unit) + 2^-1074, j = 0..most.

    unit > 0, most >= 0. The array may be shorter, and then ends with a 0: from there on, exp(-j unit) < 2^-1076.
    Raises InputError when a table of more than MOST entries would be needed.
    """
    last = min(most, int(-LEAST) * unit.denominator // unit.numerator + 1) if unit > 0 else MOST
    if unit <= 0 or most < 0 or last >= MOST:
        raise InputError(f"powers exp(-j unit) are tabled for unit > 0 and j = 0, 1, ..., at most {MOST} of them")
    # Tables are made for powers of 2, so that few are made.
    return _table(unit, 1 << last.bit_length())[: last + 1]


@lru_cache(maxsize=64)
def _table(unit: Fraction, size: int) -> Floats:
    if unit >= -LEAST:
        return _read_only(np.array([1.0, 0.0]))
    (mantissa, exponent), (above, above_exponent) = outer(exp_ball(-unit, 2 * _BITS), 2 * _BITS)
    low, high = Fraction(mantissa) * Fraction(2) ** exponent, Fraction(above) * Fraction(2) ** above_exponent
    if high > low * (1 + Fraction(1, 1 << 200)):
        raise ArithmeticError(f"the enclosure of exp(-{unit}) is too wide")
    # q = m 2^e (1 + a), p = q^j (1 - b), with 0 <= a <= 2^-127 + 2^-200 and 0 <= b <= 2^-125 j for the numbers p below:
    # every step multiplies by m 2^e and cuts off less than 2^-127 of the product.
    shift = mantissa.bit_length() - _BITS
    m, e = (mantissa >> shift, exponent + shift) if shift > 0 else (mantissa, exponent)
    p, f = 1 << (_BITS - 1), 1 - _BITS
    numbers, exponents = [p], [f]
    while len(numbers) < size:
        product = p * m
        cut = product.bit_length() - _BITS
        p, f = (product >> cut, f + e + cut) if cut > 0 else (product, f + e)
        numbers.append(p)
        exponents.append(f)
    # Python rounds an int to the nearest float64; ldexp is exact unless the result is subnormal, then it rounds once.
    return _read_only(np.ldexp(np.array([float(number) for number in numbers]), np.array(exponents)))


def _read_only(table: Floats) -> Floats:
    table.setflags(write=False)
    return table


def integer_sums(below: NDArray[np.int64], unit: Fraction) -> Bounds:
    """Enclose the sums over rows of exp(-j unit), j in below (rows, n), an int64 array of numbers >= 0; negative: none.

    In the terms of `checker.bulk.rows`: below = (m - s) times the denominator, unit = 1/(denominator tau); entries of
    maxima and of masked scores are negative. Raises InputError as `powers` does.
    """
    rows, n = below.shape
    table = np.append(powers(unit, int(max(below.max(initial=0), 0))), 0.0)
    total = np.empty(rows)
    for part in blocks(rows, n):
        index = below[part]
        # What lies beyond the table is below 2^-1076; the entry appended stands for it and for what is not there.
        place = np.where(index < 0, len(table) - 1, np.minimum(index, len(table) - 1))
        total[part] = fold(np.take(table, place, mode="clip"))
    # ABSOLUTE = 4 * 2^-1074 covers an entry. The powers are those of the exact unit: no error of arguments.
    return sum_bounds(total, (below >= 0).sum(axis=1), ROUNDINGS + depth(n), 0.0)
