"""Intervals of mpmath numbers, rounded outward: the second, independent arithmetic beside Arb.

An interval is a pair of raw mpmath numbers lo <= hi; every operation returns an interval that contains the
exact result for all points of its arguments. Precision is an argument everywhere: only mpmath's low-level
functions are called, which have no global state, and never mpmath.iv (its exp can miss the true value).

Why the enclosures are correct:

* +, -, *, / and sqrt of mpmath are computed from exact integers with a sticky bit and then rounded in the
  direction asked for, so the lower end is rounded down and the upper end up. No margin is needed.
* exp and log are not rounded correctly in mpmath. They are computed to nearest with GUARD = 32 more bits
  than the precision p, and each end is moved outward by the relative margin 2^-p. Assumption: at P = p + 32
  bits their relative error is below 2^(20 - P) = 2^(-12 - p) (mpmath works with 14 and 20 more bits than P and
  loses a few of them). The margin is 2^12 times that.
* Everything else follows from these by monotonicity; see the comments at each function.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from mpmath import libmp

from checker.exact import show

Raw: TypeAlias = Any  # a raw mpmath number (sign, mantissa, exponent, bits)

GUARD = 32
"""Extra bits with which exp and log are computed before the margin 2^-p is applied."""

_HUGE = 4096  # exp(x) for |x| >= 2^_HUGE is only bounded, not computed
_FRACTION_BITS = 2**27

_zero, _one = libmp.fzero, libmp.fone


class Interval(NamedTuple):
    """The real numbers between two raw mpmath numbers; WHOLE when nothing is known."""

    lo: Raw
    hi: Raw

    @property
    def lower(self) -> Fraction:
        """The exact lower end; raises ValueError when it is infinite or too long to write as a fraction."""
        return _fraction(self.lo)

    @property
    def upper(self) -> Fraction:
        """The exact upper end; raises ValueError when it is infinite or too long to write as a fraction."""
        return _fraction(self.hi)

    @property
    def is_finite(self) -> bool:
        """Whether both ends are finite."""
        return not _special(self.lo) and not _special(self.hi)


WHOLE = Interval(libmp.fninf, libmp.finf)
ZERO = Interval(_zero, _zero)
ONE = Interval(_one, _one)


def _special(x: Raw) -> bool:
    return not x[1] and bool(x[2])  # infinities and nan have mantissa 0 and a nonzero exponent


def _fraction(x: Raw) -> Fraction:
    if _special(x) or abs(x[2]) > _FRACTION_BITS:
        raise ValueError("an infinite or extremely small or large end cannot be written as a fraction")
    mantissa = -int(x[1]) if x[0] else int(x[1])
    return Fraction(mantissa << x[2]) if x[2] >= 0 else Fraction(mantissa, 1 << -x[2])


def _checked(lo: Raw, hi: Raw) -> Interval:
    return WHOLE if _special(lo) or _special(hi) else Interval(lo, hi)


def compare_ends(x: Raw, y: Raw) -> int:
    """Return -1, 0 or 1 as x < y, x = y or x > y (exact)."""
    return int(libmp.mpf_cmp(x, y))


def from_exact(x: int | Fraction, p: int) -> Interval:
    """Return the interval of p-bit numbers around an exact number; raises TypeError for any other type."""
    if not isinstance(x, (int, Fraction)) or isinstance(x, bool):
        raise TypeError(f"an interval is built from an int or a Fraction, got {type(x).__name__} {show(x)}")
    a, b = x.numerator, x.denominator
    if b == 1:
        return Interval(libmp.from_int(a, p, "f"), libmp.from_int(a, p, "c"))
    return Interval(libmp.from_rational(a, b, p, "f"), libmp.from_rational(a, b, p, "c"))


def add(x: Interval, y: Interval, p: int) -> Interval:
    """Return an enclosure of x + y."""
    return _checked(libmp.mpf_add(x.lo, y.lo, p, "f"), libmp.mpf_add(x.hi, y.hi, p, "c"))


def neg(x: Interval) -> Interval:
    """Return -x, exactly."""
    return Interval(libmp.mpf_neg(x.hi), libmp.mpf_neg(x.lo))


def sub(x: Interval, y: Interval, p: int) -> Interval:
    """Return an enclosure of x - y."""
    return _checked(libmp.mpf_sub(x.lo, y.hi, p, "f"), libmp.mpf_sub(x.hi, y.lo, p, "c"))


def mul(x: Interval, y: Interval, p: int) -> Interval:
    """Return an enclosure of x y."""
    if not x.lo[0] and not y.lo[0]:  # 0 <= x, 0 <= y (and both finite: the lower end of WHOLE is negative)
        return Interval(libmp.mpf_mul(x.lo, y.lo, p, "f"), libmp.mpf_mul(x.hi, y.hi, p, "c"))
    if not (x.is_finite and y.is_finite):
        return WHOLE
    # The product of two intervals is spanned by the products of their ends.
    ends = [libmp.mpf_mul(a, b) for a in x for b in y]
    return Interval(libmp.mpf_pos(_least(ends), p, "f"), libmp.mpf_pos(_greatest(ends), p, "c"))


def reciprocal(x: Interval, p: int) -> Interval:
    """Return an enclosure of 1 / x; WHOLE when x is not known to be nonzero."""
    positive = not x.lo[0] and x.lo != _zero
    negative = bool(x.hi[0])
    if not x.is_finite or not (positive or negative):
        return WHOLE
    # 1/x is decreasing on either side of 0.
    return Interval(libmp.mpf_div(_one, x.hi, p, "f"), libmp.mpf_div(_one, x.lo, p, "c"))


def divide(x: Interval, y: Interval, p: int) -> Interval:
    """Return an enclosure of x / y; WHOLE when y is not known to be nonzero."""
    if not x.lo[0] and not y.lo[0] and y.lo != _zero:
        # 0 <= x, 0 < y: the quotient increases with x and decreases with y.
        return Interval(libmp.mpf_div(x.lo, y.hi, p, "f"), libmp.mpf_div(x.hi, y.lo, p, "c"))
    return mul(x, reciprocal(y, p + 4), p)


def absolute(x: Interval) -> Interval:
    """Return |x|, exactly."""
    if not x.is_finite or not x.lo[0]:
        return x if x.is_finite else WHOLE
    if x.hi[0]:
        return neg(x)
    return Interval(_zero, _greatest([libmp.mpf_neg(x.lo), x.hi]))


def maximum(x: Interval, y: Interval) -> Interval:
    """Return max(x, y), exactly; WHOLE when either is."""
    if not (x.is_finite and y.is_finite):
        return WHOLE
    return Interval(_greatest([x.lo, y.lo]), _greatest([x.hi, y.hi]))


def _least(ends: list[Raw]) -> Raw:
    least = ends[0]
    for end in ends[1:]:
        if libmp.mpf_lt(end, least):
            least = end
    return least


def _greatest(ends: list[Raw]) -> Raw:
    greatest = ends[0]
    for end in ends[1:]:
        if libmp.mpf_gt(end, greatest):
            greatest = end
    return greatest


def power(x: Interval, exponent: int, p: int) -> Interval:
    """Return an enclosure of x^exponent for an integer exponent of any sign (x^0 = 1)."""
    if exponent < 0:
        return reciprocal(power(x, -exponent, p), p)
    if not x.is_finite:
        return WHOLE if exponent else ONE
    if exponent % 2 == 0:
        # Even powers depend on |x| only and increase with it.
        x = absolute(x)
        return _checked(_end_power(x.lo, exponent, p, "f"), _end_power(x.hi, exponent, p, "c"))
    # Odd powers are increasing.
    return _checked(_end_power(x.lo, exponent, p, "f"), _end_power(x.hi, exponent, p, "c"))


def _end_power(end: Raw, exponent: int, p: int, direction: str) -> Raw:
    """Return |end|^exponent with the sign of end (odd exponents) rounded in the direction "f" or "c".

    All factors are >= 0, so rounding each product in one direction rounds the result in that direction.
    """
    negative = bool(end[0])
    if negative:
        direction = "c" if direction == "f" else "f"
    base, result = libmp.mpf_abs(end), _one
    while exponent:
        if exponent & 1:
            result = libmp.mpf_mul(result, base, p, direction)
        exponent >>= 1
        if exponent:
            base = libmp.mpf_mul(base, base, p, direction)
    return libmp.mpf_neg(result) if negative else result


def root(x: Interval, p: int) -> Interval:
    """Return an enclosure of the square root; WHOLE when x is not known to be >= 0."""
    if not x.is_finite or x.lo[0]:
        return WHOLE
    return Interval(libmp.mpf_sqrt(x.lo, p, "f"), libmp.mpf_sqrt(x.hi, p, "c"))


def _widened(value: Raw, p: int) -> Interval:
    """Return value - |value| 2^-p .. value + |value| 2^-p, rounded outward."""
    margin = libmp.mpf_shift(libmp.mpf_abs(value), -p)
    q = p + GUARD
    return Interval(libmp.mpf_sub(value, margin, q, "f"), libmp.mpf_add(value, margin, q, "c"))


def _exp_end(x: Raw, p: int) -> Interval:
    if x == _zero:
        return ONE
    if x[2] + x[3] > _HUGE:  # |x| >= 2^_HUGE
        # exp(x) <= 2^x < 2^(-2^64) for x <= -2^_HUGE; the value must not collapse to 0, nor is more known.
        return Interval(_zero, libmp.from_man_exp(1, -(2**64))) if x[0] else WHOLE
    return _widened(libmp.mpf_exp(x, p + GUARD, "n"), p)


def exp(x: Interval, p: int) -> Interval:
    """Return an enclosure of exp(x) (increasing)."""
    if not x.is_finite:
        return WHOLE
    low, high = _exp_end(x.lo, p), _exp_end(x.hi, p)
    return _checked(low.lo, high.hi)


@lru_cache(maxsize=1 << 16)
def exp_exact(x: int | Fraction, p: int) -> Interval:
    """Return an enclosure of exp(x) for an exact number x.

    x is enclosed with as many extra bits as it has before the point, so the width stays near 2^-p.
    """
    extra = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 2)
    return exp(from_exact(x, p + extra), p)


def log(x: Interval, p: int) -> Interval:
    """Return an enclosure of the natural logarithm (increasing); WHOLE when x is not known to be > 0."""
    if not x.is_finite or x.lo[0] or x.lo == _zero:
        return WHOLE
    low = _widened(libmp.mpf_log(x.lo, p + GUARD, "n"), p)
    high = low if x.lo == x.hi else _widened(libmp.mpf_log(x.hi, p + GUARD, "n"), p)
    return Interval(low.lo, high.hi)


def tanh(x: Interval, p: int) -> Interval:
    """Return an enclosure of tanh(x) (increasing, odd)."""
    if not x.is_finite:
        return WHOLE
    return Interval(_tanh_end(x.lo, p).lo, _tanh_end(x.hi, p).hi)


def _tanh_end(x: Raw, p: int) -> Interval:
    if x[0]:
        return neg(_tanh_end(libmp.mpf_neg(x), p))
    if x == _zero:
        return ZERO
    magnitude = x[2] + x[3]  # 2^(magnitude - 1) <= x < 2^magnitude
    if magnitude < -p:
        # x - x^3/3 <= tanh x <= x for x >= 0, and x^2/3 < 2^(-2p) < 2^-p.
        return Interval(_widened(x, p).lo, x)
    q = p + max(0, -magnitude) + 8
    # tanh x = (1 - e)/(1 + e), e = exp(-2x); 1 - e is about 2x for small x, hence the -magnitude extra bits.
    e = exp(Interval(libmp.mpf_shift(libmp.mpf_neg(x), 1), libmp.mpf_shift(libmp.mpf_neg(x), 1)), q)
    return divide(sub(ONE, e, q), add(ONE, e, q), p)


def atanh(x: Interval, p: int) -> Interval:
    """Return an enclosure of atanh(x) (increasing, odd); WHOLE when x is not known to be inside (-1, 1)."""
    if not x.is_finite or compare_ends(libmp.mpf_neg(x.lo), _one) >= 0 or compare_ends(x.hi, _one) >= 0:
        return WHOLE
    return Interval(_atanh_end(x.lo, p).lo, _atanh_end(x.hi, p).hi)


def _atanh_end(x: Raw, p: int) -> Interval:
    if x[0]:
        return neg(_atanh_end(libmp.mpf_neg(x), p))
    if x == _zero:
        return ZERO
    magnitude = x[2] + x[3]
    if magnitude < -p:
        # x <= atanh x <= x/(1 - x^2) <= x (1 + 2 x^2) for 0 <= x <= 1/2, and 2 x^2 < 2^(1 - 2p) < 2^-p.
        return Interval(x, _widened(x, p).hi)
    q = p + max(0, -magnitude) + 8
    point = Interval(x, x)
    # atanh x = log((1 + x)/(1 - x))/2; the argument is 1 + about 2x for small x, hence the extra bits.
    value = log(divide(add(ONE, point, q), sub(ONE, point, q), q), q)
    return _checked(libmp.mpf_shift(value.lo, -1), libmp.mpf_shift(value.hi, -1))
