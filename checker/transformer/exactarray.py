"""Arrays of exact rationals: integer numerators over one common denominator, in int64 wherever that cannot overflow.

Before an operation is done in int64, a bound on every number that can arise in it is computed from the largest
numerators; if it could reach 2^62, the operation is done with Python integers (object arrays) instead. Results that
fit are stored as int64 again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

LIMIT = 2**62
"""int64 arrays hold numbers below this in magnitude."""

_SAMPLE = 64

Integers = NDArray[Any]
Booleans = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ExactArray:
    """The rationals numerators/denominator; numerators: int64 below LIMIT in magnitude, or objects (Python ints).

    Build one with `of`, `whole` or `fractions_array`. Shapes broadcast as in numpy.
    """

    numerators: Integers
    denominator: int = 1

    @classmethod
    def of(cls, numerators: Integers, denominator: int) -> ExactArray:
        """In lowest common terms, and in int64 if possible; denominator >= 1."""
        common = denominator
        if common > 1 and numerators.size:
            flat = numerators.ravel()
            # A sample rarely has more factors in common with the denominator than the whole array has.
            for part in (flat[:_SAMPLE], flat[_SAMPLE:]):
                if common > 1 and part.size:
                    common = math.gcd(common, int(np.gcd.reduce(part)))
        elif common > 1:
            return cls(numerators, 1)
        if common > 1:
            if common < LIMIT or numerators.dtype == object:
                numerators = numerators // common
            else:  # it divides int64 numerators, so they are all 0
                numerators = np.zeros_like(numerators)
        return cls(_narrow(numerators), denominator // common)

    @classmethod
    def whole(cls, numbers: Any) -> ExactArray:
        """Of an array of booleans or of integers (of any size)."""
        array = np.asarray(numbers)
        return cls(_narrow(array.astype(np.int64) if array.dtype.kind in "bu" and array.itemsize < 8 else array))

    @classmethod
    def fractions_array(cls, numbers: Sequence[Fraction]) -> ExactArray:
        """Of a sequence of fractions, as an array of one axis."""
        denominator = math.lcm(*(number.denominator for number in numbers))
        numerators = [number.numerator * (denominator // number.denominator) for number in numbers]
        array = np.empty(len(numerators), dtype=object)
        array[:] = numerators
        return cls(_narrow(array), denominator)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.numerators.shape

    @cached_property
    def largest(self) -> int:
        """The largest magnitude of a numerator."""
        if not self.numerators.size:
            return 0
        return max(int(self.numerators.max()), -int(self.numerators.min()))

    @property
    def magnitude(self) -> Fraction:
        """The largest magnitude."""
        return Fraction(self.largest, self.denominator)

    def __getitem__(self, index: Any) -> ExactArray:
        return ExactArray(self.numerators[index], self.denominator)

    def repeated(self, index: Any) -> ExactArray:
        """The entries at an index that meets every entry at least once."""
        result = ExactArray(self.numerators[index], self.denominator)
        result.__dict__["largest"] = self.largest  # so it need not be looked for again
        return result

    def relu(self) -> ExactArray:
        """max(x, 0) of every number x."""
        return ExactArray.of(np.maximum(self.numerators, 0), self.denominator)

    def scaled(self, factor: int) -> Integers:
        """numerators * factor, in int64 if that cannot overflow."""
        if factor == 1:
            return self.numerators
        if self.largest * abs(factor) < LIMIT and abs(factor) < LIMIT:
            return self.numerators * factor
        return self.objects() * factor

    def objects(self) -> Integers:
        """The numerators as Python integers."""
        return self.numerators.astype(object)

    def fractions(self) -> NDArray[Any]:
        """The numbers as an array of Fraction objects."""
        result = np.empty(self.shape, dtype=object)
        result.ravel()[:] = [Fraction(int(number), self.denominator) for number in self.numerators.ravel()]
        return result

    def at(self, *index: int) -> Fraction:
        """One number."""
        return Fraction(int(self.numerators[index]), self.denominator)

    def float_enclosure(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Arrays lo <= x <= hi of float64, equal where the denominator is a power of 2 and no rounding is needed.

        Numbers beyond the range of float64 are enclosed by its largest number and infinity.
        """
        small, bits = 2**53, self.denominator.bit_length()
        if self.numerators.dtype != object and bits < 900:
            middle = self.numerators.astype(np.float64) / float(self.denominator)
            if self.largest <= small and self.denominator == 1 << (bits - 1):
                return middle, middle.copy()  # |x| >= 2^-900: division by a power of 2 is exact
            if self.largest <= small and self.denominator <= small:
                # one rounding to nearest, so the true quotient is between the neighbours of the rounded one
                low, high = np.nextafter(middle, -np.inf), np.nextafter(middle, np.inf)
            else:
                # three roundings, each of relative error <= u = 2^-53, so |x - middle| < 4 u |middle|
                margin = np.abs(middle) * 2.0**-51
                low, high = np.nextafter(middle - margin, -np.inf), np.nextafter(middle + margin, np.inf)
            zero = self.numerators == 0
            low[zero] = high[zero] = 0.0
            return low, high
        pairs = [_enclose(int(number), self.denominator) for number in self.numerators.ravel()]
        both = np.array(pairs, dtype=np.float64).reshape(*self.shape, 2)
        return both[..., 0].copy(), both[..., 1].copy()


def linear(terms: Iterable[tuple[Fraction, ExactArray]], constant: Fraction = Fraction(0)) -> ExactArray:
    """The sum of coefficient * array, plus a constant; no terms give an array of shape (1, 1)."""
    terms = [(coefficient, array) for coefficient, array in terms if coefficient]
    denominator = math.lcm(
        constant.denominator, *(coefficient.denominator * array.denominator for coefficient, array in terms)
    )
    factors = [
        coefficient.numerator * (denominator // (coefficient.denominator * array.denominator))
        for coefficient, array in terms
    ]
    shift = constant.numerator * (denominator // constant.denominator)
    # Every partial sum is at most the sum of |factor| * largest, plus |shift|.
    fits = _fits(factors, [array.largest for _, array in terms], shift)
    total: Any = None
    for factor, (_, array) in zip(factors, terms, strict=True):
        numerators = array.numerators if fits else array.objects()
        term = numerators if factor == 1 else numerators * factor
        total = term if total is None else total + term
    if total is None:
        return ExactArray.of(_narrow(np.full((1, 1), shift, dtype=object)), denominator)
    return ExactArray.of(total + shift if shift else total, denominator)


def bilinear(rows: Sequence[tuple[ExactArray, ExactArray]]) -> ExactArray:
    """The scores sum over rows (q, k) of q[..., i] * k[..., j], of shape (..., I, J); at least one row.

    They are not brought into lowest terms.
    """
    denominator = math.lcm(*(q.denominator * k.denominator for q, k in rows))
    factors = [denominator // (q.denominator * k.denominator) for q, k in rows]
    fits = _fits(factors, [q.largest * k.largest for q, k in rows], 0)
    # factor * q can be larger than the product only if k = 0 everywhere
    fits = fits and all(factor * q.largest < LIMIT for factor, (q, _) in zip(factors, rows, strict=True))
    total: Any = None
    for factor, (q, k) in zip(factors, rows, strict=True):
        left, right = (q.numerators, k.numerators) if fits else (q.objects(), k.objects())
        left = left if factor == 1 else left * factor
        term = left[..., :, None] * right[..., None, :]
        total = term if total is None else total + term
    return ExactArray(total, denominator)


def concatenate(arrays: Sequence[ExactArray]) -> ExactArray:
    """The arrays one after the other along the first axis."""
    if len(arrays) == 1:
        return arrays[0]
    denominator = math.lcm(*(array.denominator for array in arrays))
    return ExactArray(np.concatenate([array.scaled(denominator // array.denominator) for array in arrays]), denominator)


def _fits(factors: Sequence[int], largest: Sequence[int], shift: int) -> bool:
    total = abs(shift) + sum(abs(factor) * size for factor, size in zip(factors, largest, strict=True))
    return total < LIMIT and all(abs(factor) < LIMIT for factor in factors)


def _narrow(numerators: Integers) -> Integers:
    """The same integers in int64 if they are below LIMIT in magnitude, as objects otherwise."""
    if not numerators.size:
        return numerators.astype(np.int64)
    if numerators.dtype != object and numerators.dtype != np.int64:
        numerators = numerators.astype(object) if numerators.dtype.kind == "u" else numerators.astype(np.int64)
    if int(numerators.min()) > -LIMIT and int(numerators.max()) < LIMIT:
        return numerators.astype(np.int64, copy=False)
    return numerators.astype(object, copy=False)


def _enclose(numerator: int, denominator: int) -> tuple[float, float]:
    try:
        middle = numerator / denominator  # correctly rounded
    except OverflowError:
        largest = float(np.finfo(np.float64).max)
        return (largest, math.inf) if numerator > 0 else (-math.inf, -largest)
    exact = Fraction(middle) if math.isfinite(middle) else None
    if exact is not None and exact * denominator == numerator:
        return middle, middle
    return math.nextafter(middle, -math.inf), math.nextafter(middle, math.inf)
