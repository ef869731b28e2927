"""Exact arrays against Fractions, at and around the size where int64 would overflow, and their float enclosures."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from checker.transformer.exactarray import LIMIT, ExactArray, bilinear, concatenate, linear

SIZES = st.sampled_from([3, 2**20, 2**31, 2**53, 2**61, 2**62, 2**63, 2**64, 2**130])
NUMBERS = SIZES.flatmap(
    lambda size: st.one_of(st.integers(-size, size), st.sampled_from([size, -size, size - 1, 1 - size]))
)
RATIONALS = st.builds(Fraction, NUMBERS, NUMBERS.map(lambda x: abs(x) or 1))


def build(numbers: list[Fraction]) -> ExactArray:
    return ExactArray.fractions_array(numbers)


def sound(array: ExactArray) -> ExactArray:
    """The array, whose storage is as promised."""
    if array.numerators.dtype == object:
        assert all(type(number) is int for number in array.numerators.ravel())
    else:
        assert array.numerators.dtype == np.int64
        assert array.largest < LIMIT
    return array


ROWS = st.lists(RATIONALS, min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(numbers=ROWS)
def test_numbers_come_back(numbers: list[Fraction]) -> None:
    array = sound(build(numbers))
    assert array.fractions().tolist() == numbers
    assert array.magnitude == max(map(abs, numbers))
    assert [array.at(k) for k in range(len(numbers))] == numbers
    assert sound(array.relu()).fractions().tolist() == [max(x, Fraction(0)) for x in numbers]
    same = sound(ExactArray.of(array.objects() * 360360, array.denominator * 360360))
    assert same.fractions().tolist() == numbers
    assert same.denominator == math.lcm(*(x.denominator for x in numbers))
    assert (same.numerators.dtype == object) == (same.largest >= LIMIT)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), size=st.integers(1, 3), terms=st.integers(0, 3), constant=RATIONALS)
def test_linear(data: st.DataObject, size: int, terms: int, constant: Fraction) -> None:
    row = st.lists(RATIONALS, min_size=size, max_size=size)
    rows = [data.draw(row) for _ in range(terms)]
    coefficients = [data.draw(RATIONALS) for _ in range(terms)]
    result = sound(linear(((c, build(row)[None, :]) for c, row in zip(coefficients, rows, strict=True)), constant))
    for place in range(result.shape[1]):
        assert result.at(0, place) == constant + sum(c * row[place] for c, row in zip(coefficients, rows, strict=True))


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(st.tuples(ROWS, ROWS), min_size=1, max_size=3))
def test_bilinear(rows: list[tuple[list[Fraction], list[Fraction]]]) -> None:
    wide, high = min(len(q) for q, _ in rows), min(len(k) for _, k in rows)
    rows = [(q[:wide], k[:high]) for q, k in rows]
    result = sound(bilinear([(build(q)[None, :], build(k)[None, :]) for q, k in rows]))
    assert result.shape == (1, wide, high)
    for i in range(wide):
        for j in range(high):
            assert result.at(0, i, j) == sum(q[i] * k[j] for q, k in rows)


@settings(max_examples=150, deadline=None)
@given(numbers=ROWS)
@example(numbers=[Fraction(2**53 + 1)])
@example(numbers=[Fraction(2**61 - 1, 3**38)])
@example(numbers=[Fraction(10**400), Fraction(-(10**400))])
@example(numbers=[Fraction(1, 10**400), Fraction(-1, 10**400)])
@example(numbers=[Fraction(5, 2**1000), Fraction(0)])
@example(numbers=[Fraction(0), Fraction(1, 3), Fraction(-2, 3)])
def test_float_enclosure(numbers: list[Fraction]) -> None:
    array = build(numbers)
    low, high = array.float_enclosure()
    for x, a, b in zip(numbers, low.tolist(), high.tolist(), strict=True):
        assert a <= b
        assert a == -math.inf or Fraction(a) <= x
        assert b == math.inf or x <= Fraction(b)
        if x == 0:
            assert a == b == 0
        if math.isfinite(a) and math.isfinite(b):
            assert Fraction(b) - Fraction(a) <= abs(x) * Fraction(1, 2**49) + Fraction(1, 2**1073)


def test_enclosures_of_many_large_quotients() -> None:
    """Numerators and denominators are rounded before they are divided: three errors may add up."""
    source = random.Random(4)
    for bits in (54, 57, 62, 200, 800):
        array = ExactArray(np.array([source.randrange(2**61, 2**62) for _ in range(500)]), source.getrandbits(bits) | 1)
        for number, low, high in zip(array.numerators.tolist(), *array.float_enclosure(), strict=True):
            assert Fraction(float(low)) <= Fraction(number, array.denominator) <= Fraction(float(high))


def test_enclosure_is_exact_where_it_can_be() -> None:
    low, high = build([Fraction(3, 8), Fraction(-5, 2)]).float_enclosure()
    assert low.tolist() == high.tolist() == [0.375, -2.5]
    low, high = build([Fraction(2**53 - 1, 2**60)]).float_enclosure()
    assert low.tolist() == high.tolist() == [float(Fraction(2**53 - 1, 2**60))]
    low, high = build([Fraction(1, 3)]).float_enclosure()
    assert Fraction(low[0]) < Fraction(1, 3) < Fraction(high[0])


@settings(max_examples=50, deadline=None)
@given(first=ROWS, second=ROWS)
def test_concatenate(first: list[Fraction], second: list[Fraction]) -> None:
    assert sound(concatenate([build(first), build(second)])).fractions().tolist() == first + second
    assert concatenate([build(first)]).fractions().tolist() == first


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int32, np.int64, np.uint64, object])
def test_whole(kind: type) -> None:
    array = sound(ExactArray.whole(np.array([[0, 1], [1, 1]], dtype=kind)))
    assert array.fractions().tolist() == [[0, 1], [1, 1]]
    assert array.denominator == 1


def test_large_whole_numbers() -> None:
    array = sound(ExactArray.whole(np.array([2**63, 1], dtype=np.uint64)))
    assert array.fractions().tolist() == [2**63, 1]
    assert sound(ExactArray.whole(np.array([-(2**63)]))).at(0) == -(2**63)
    assert sound(ExactArray.whole(np.array([LIMIT]))).numerators.dtype == object
    assert sound(ExactArray.whole(np.array([LIMIT - 1]))).numerators.dtype == np.int64


def test_zeros_lose_any_denominator() -> None:
    zeros = np.zeros((2, 100), dtype=np.int64)
    assert ExactArray.of(zeros, 2**100).denominator == 1
    zeros[1, 99] = 6
    assert ExactArray.of(zeros, 4).denominator == 2
    assert ExactArray.of(np.zeros((0, 3), dtype=np.int64), 7).denominator == 1
    assert ExactArray.of(np.zeros((0, 3), dtype=np.int64), 7).magnitude == 0
