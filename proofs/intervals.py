"""Interval arithmetic with exact ends: sums, products, powers, exp, log, tanh and roots, all ends rounded outward.

An interval is a pair (lo, hi) of ends, lo <= hi. `Ends` holds what does not depend on the kind of number, and
`RationalEnds` is the kind that the rule `box` uses: fractions, rounded outward to dyadic numbers of `bits` bits. The
functions are computed in integers: exp from its Taylor polynomial after halving the argument, log from the series of
atanh, each with a proved remainder. No floating point is used.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

End: TypeAlias = Any  # a number of the kind in use, compared and added with the usual operators
Interval: TypeAlias = tuple[End, End]

LARGEST = 4096
"""exp of larger arguments is not computed, and powers and numbers beyond 2^(8 LARGEST) are not represented."""

FURTHEST = 8 * LARGEST


class UndefinedError(ArithmeticError):
    """A term that is not shown to be defined on a whole cell, or a number out of range."""


class Ends:
    """Interval arithmetic over one kind of ends; `down` and `up` round an end, or enclose what stands for it."""

    zero: End
    one: End

    def down(self, x: End) -> End:
        """An end at or below x."""
        raise NotImplementedError

    def up(self, x: End) -> End:
        """An end at or above x."""
        raise NotImplementedError

    def exact(self, x: Fraction) -> Interval:
        """An interval around a rational number."""
        raise NotImplementedError

    def quotient(self, x: End) -> Interval:
        """An interval around 1/x, x != 0."""
        raise NotImplementedError

    def exp_of(self, x: End) -> Interval:
        """An interval around exp(x)."""
        raise NotImplementedError

    def log_of(self, x: End) -> Interval:
        """An interval around log(x), x > 0."""
        raise NotImplementedError

    def tanh_of(self, x: End) -> Interval:
        """An interval around tanh(x)."""
        raise NotImplementedError

    def root_of(self, x: End, q: int) -> Interval:
        """An interval around the q-th root of x >= 0."""
        raise NotImplementedError

    def add(self, a: Interval, b: Interval) -> Interval:
        """All x + y."""
        return self.down(a[0] + b[0]), self.up(a[1] + b[1])

    def negative(self, a: Interval) -> Interval:
        """All -x."""
        return -a[1], -a[0]

    def multiply(self, a: Interval, b: Interval) -> Interval:
        """All x y."""
        if a[0] >= 0 and b[0] >= 0:
            return self.down(a[0] * b[0]), self.up(a[1] * b[1])
        if a[1] <= 0 and b[1] <= 0:
            return self.down(a[1] * b[1]), self.up(a[0] * b[0])
        if a[0] >= 0 and b[1] <= 0:
            return self.down(a[1] * b[0]), self.up(a[0] * b[1])
        if a[1] <= 0 and b[0] >= 0:
            return self.down(a[0] * b[1]), self.up(a[1] * b[0])
        products = [x * y for x in a for y in b]
        return min(self.down(p) for p in products), max(self.up(p) for p in products)

    def reciprocal(self, a: Interval) -> Interval:
        """All 1/x; UndefinedError where 0 is among the x."""
        if a[0] <= 0 <= a[1]:
            raise UndefinedError("a divisor may be 0")
        return self.quotient(a[1])[0], self.quotient(a[0])[1]

    def power(self, a: Interval, k: int) -> Interval:
        """All x^k for an integer k."""
        if k < 0:
            return self.power(self.reciprocal(a), -k)
        if k % 2 == 0 and a[0] < 0:
            a = (-a[1], -a[0]) if a[1] <= 0 else (self.zero, max(-a[0], a[1]))
        # x^k increases on the reals for odd k, and for x >= 0 for even k
        return self._power_of(a[0], k)[0], self._power_of(a[1], k)[1]

    def _power_of(self, x: End, k: int) -> Interval:
        result: Interval = (self.one, self.one)
        square: Interval = (x, x)
        while k:
            if k & 1:
                result = self.multiply(result, square)
            k >>= 1
            if k:
                square = self.multiply(square, square)
        return result

    def exp(self, a: Interval) -> Interval:
        """All exp(x)."""
        return self.exp_of(a[0])[0], self.exp_of(a[1])[1]

    def log(self, a: Interval) -> Interval:
        """All log(x); UndefinedError unless every x > 0."""
        if a[0] <= 0:
            raise UndefinedError("the argument of a logarithm may be <= 0")
        return self.log_of(a[0])[0], self.log_of(a[1])[1]

    def tanh(self, a: Interval) -> Interval:
        """All tanh(x)."""
        return self.tanh_of(a[0])[0], self.tanh_of(a[1])[1]

    def absolute(self, a: Interval) -> Interval:
        """All |x|."""
        if a[0] >= 0:
            return a
        return (-a[1], -a[0]) if a[1] <= 0 else (self.zero, max(-a[0], a[1]))

    def root(self, a: Interval, q: int) -> Interval:
        """All q-th roots of the x >= 0; UndefinedError where there is none."""
        if a[1] < 0:
            raise UndefinedError("the argument of a root is < 0")
        return self.root_of(max(a[0], self.zero), q)[0], self.root_of(a[1], q)[1]


class RationalEnds(Ends):
    """Fractions as ends; `bits` is the number of bits of a rounded end."""

    zero = Fraction(0)
    one = Fraction(1)

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def down(self, x: End) -> End:
        """The largest dyadic number of `bits` bits at or below x, or x itself where it is short."""
        return down(x, self.bits)

    def up(self, x: End) -> End:
        """The least dyadic number of `bits` bits at or above x, or x itself where it is short."""
        return -down(-x, self.bits)

    def exact(self, x: Fraction) -> Interval:
        """An interval around a rational number."""
        return self.down(x), self.up(x)

    def quotient(self, x: End) -> Interval:
        """An interval around 1/x, x != 0."""
        inverse = 1 / x
        return self.down(inverse), self.up(inverse)

    def exp_of(self, x: End) -> Interval:
        """An interval around exp(x)."""
        return exp_enclosure(x, self.bits)

    def log_of(self, x: End) -> Interval:
        """An interval around log(x), x > 0."""
        return log_enclosure(x, self.bits)

    def tanh_of(self, x: End) -> Interval:
        """An interval around tanh(x)."""
        return tanh_enclosure(x, self.bits)

    def root_of(self, x: End, q: int) -> Interval:
        """An interval around the q-th root of x >= 0."""
        return root_enclosure(x, q, self.bits)


def down(x: Fraction, bits: int) -> Fraction:
    """A dyadic number of at most `bits` bits at or below x, or x itself if it is one; UndefinedError if |x| is huge."""
    n, d = x.numerator, x.denominator
    size = n.bit_length() - d.bit_length()  # 2^(size - 1) < |x| < 2^(size + 1)
    if size > FURTHEST:
        raise UndefinedError("a number is too large")
    if n == 0 or (d & (d - 1) == 0 and n.bit_length() <= bits and size >= -FURTHEST):
        return x
    if size < -FURTHEST:
        return Fraction(0) if n > 0 else Fraction(-1, 1 << (FURTHEST - 1))
    shift = bits - size
    # the floor of x 2^shift, over 2^shift, is at most x
    return Fraction((n << shift) // d, 1 << shift) if shift >= 0 else Fraction((n // (d << -shift)) << -shift)


def _outward(lo: Fraction, hi: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    return down(lo, bits), -down(-hi, bits)


@lru_cache(maxsize=1 << 14)
def exp_enclosure(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals around exp(x), about 2^-bits apart relatively; 0 is the lower one for x < -LARGEST.

    Raises UndefinedError for x > LARGEST.
    """
    if x == 0:
        return Fraction(1), Fraction(1)
    if x < 0:
        # exp(x) <= exp(-LARGEST) for x < -LARGEST
        lo, hi = exp_enclosure(min(-x, Fraction(LARGEST)), bits + 4)
        return _outward(1 / hi if -x <= LARGEST else Fraction(0), 1 / lo, bits)
    if x > LARGEST:
        raise UndefinedError("the argument of exp is too large")
    halvings = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 5)
    # r = x/2^halvings < 1/16, since x < 2^(numerator bits - denominator bits + 1)
    wide = bits + 16 + 2 * halvings
    scale = x.denominator << halvings
    low_r, high_r = (x.numerator << wide) // scale, -((-x.numerator << wide) // scale)
    low_term = high_term = 1 << wide
    low_sum = high_sum = 1 << wide
    j = 1
    while high_term > 1:
        low_term = (low_term * low_r >> wide) // j
        high_term = -((-high_term * high_r >> wide) // j)
        low_sum += low_term
        high_sum += high_term
        j += 1
    # exp(r) = sum up to r^N/N! plus a rest of at most r^N/N! (r/(N+1)) / (1 - r/(N+2)) <= r^N/N! for r <= 1/2
    high_sum += high_term
    lo, hi = Fraction(low_sum, 1 << wide), Fraction(high_sum, 1 << wide)
    for _ in range(halvings):
        # 0 < lo <= exp(y) <= hi gives lo^2 <= exp(2y) <= hi^2
        lo, hi = down(lo * lo, wide), -down(-hi * hi, wide)
    return _outward(lo, hi, bits)


def _atanh_series(p: int, q: int, wide: int) -> tuple[int, int]:
    """Integers around 2^wide atanh(p/q) for 0 <= p/q <= 1/3."""
    low_z, high_z = (p << wide) // q, -((-p << wide) // q)
    low_square, high_square = low_z * low_z >> wide, -(-high_z * high_z >> wide)
    low_power, high_power = low_z, high_z
    low, high, j = 0, 0, 1
    while high_power > 1:
        low += low_power // j
        high += -(-high_power // j)
        low_power = low_power * low_square >> wide
        high_power = -(-high_power * high_square >> wide)
        j += 2
    # atanh z = z + z^3/3 + ...; from z^j/j on the sum is at most z^j (1 + z^2 + z^4 + ...) <= (9/8) z^j <= 2 z^j
    return low, high + 2 * high_power


@lru_cache(maxsize=64)
def _log_two(wide: int) -> tuple[int, int]:
    """Integers around 2^wide log 2."""
    # log 2 = 2 atanh(1/3)
    low, high = _atanh_series(1, 3, wide)
    return 2 * low, 2 * high


@lru_cache(maxsize=1 << 14)
def log_enclosure(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals around log(x) for a rational x > 0, about 2^-bits apart relatively; exact for x = 1."""
    if x <= 0:
        raise UndefinedError("the argument of a logarithm may be <= 0")
    if x == 1:
        return Fraction(0), Fraction(0)
    if x < 1:
        lo, hi = log_enclosure(1 / x, bits)
        return -hi, -lo
    power = x.numerator.bit_length() - x.denominator.bit_length()
    if power > FURTHEST:
        raise UndefinedError("a number is too large")
    m = x / (1 << power)  # 1/2 < m < 2
    if m < 1:
        m, power = 2 * m, power - 1  # now 1 <= m < 2 and power >= 0, since x > 1
    z = (m - 1) / (m + 1)  # 0 <= z < 1/3 and log m = 2 atanh z
    small = 0 if power or z == 0 else max(0, z.denominator.bit_length() - z.numerator.bit_length())
    wide = bits + 24 + small
    low, high = _atanh_series(z.numerator, z.denominator, wide)
    low_two, high_two = _log_two(wide)
    return _outward(
        Fraction(2 * low + power * low_two, 1 << wide), Fraction(2 * high + power * high_two, 1 << wide), bits
    )


@lru_cache(maxsize=1 << 14)
def tanh_enclosure(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals around tanh(x), about 2^-bits apart relatively."""
    if x == 0:
        return Fraction(0), Fraction(0)
    if x < 0:
        lo, hi = tanh_enclosure(-x, bits)
        return -hi, -lo
    small = max(0, x.denominator.bit_length() - x.numerator.bit_length())
    lo, hi = exp_enclosure(-2 * x, bits + 8 + small)
    # tanh x = (1 - e)/(1 + e) decreases in e = exp(-2x) >= 0; |tanh| < 1
    return _outward((1 - hi) / (1 + hi), (1 - lo) / (1 + lo), bits)


def root_enclosure(x: Fraction, q: int, bits: int) -> tuple[Fraction, Fraction]:
    """Rationals around the q-th root of x >= 0, about 2^-bits apart relatively; exact where the root is."""
    if x < 0 or q < 1:
        raise UndefinedError("the argument of a root is < 0")
    shift = max(0, bits + 2 - (x.numerator.bit_length() - x.denominator.bit_length()) // q)
    # r <= root(floor(x 2^(q shift))) < r + 1, so r/2^shift <= root(x) < (r + 1)/2^shift
    whole, rest = divmod(x.numerator << (q * shift), x.denominator)
    r = integer_root(whole, q)
    exact = rest == 0 and r**q == whole
    return _outward(Fraction(r, 1 << shift), Fraction(r if exact else r + 1, 1 << shift), bits)


def integer_root(n: int, q: int) -> int:
    """The largest r with r^q <= n, for n >= 0."""
    if q == 2:
        return math.isqrt(n)
    low, high = 0, 1 << (n.bit_length() // q + 1)  # low^q <= n < high^q
    while high - low > 1:
        middle = (low + high) // 2
        if middle**q <= n:
            low = middle
        else:
            high = middle
    return low
