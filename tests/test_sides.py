"""Affine functions and absolute differences of sides: both enclosures hold the value, and exclude its neighbours."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checker.attention import Row
from checker.ball import endpoints
from checker.decide import Exact, decide
from checker.quantity import attention_output, tv
from checker.sides import AbsoluteDifference, Affine
from checker.verdict import Verdict

F = Fraction
ROW = Row.explicit([F(0), F(-1)])
numbers = st.fractions(-1000, 1000, max_denominator=1000)


def enclosures(side, prec=80):
    """[lower, upper] by Arb and by mpmath, exact."""
    interval = side.mp(prec)
    return [endpoints(side.ball(prec)), (interval.lower, interval.upper)]


def logistic(digits=60):
    """TV of the row (0, -1) at temperature 1: 1/(1 + e)."""
    with mpmath.workdps(digits + 10):
        return F(mpmath.nstr(1 / (1 + mpmath.e), digits))


@given(numbers, numbers, numbers)
def test_affine_of_an_exact_number(value, factor, offset):
    for low, high in enclosures(Affine(Exact(value), factor, offset)):
        assert low <= factor * value + offset <= high
        assert high - low <= F(1, 2**40)


@given(numbers, numbers)
def test_absolute_difference_of_exact_numbers(first, second):
    for low, high in enclosures(AbsoluteDifference(Exact(first), Exact(second))):
        assert low <= abs(first - second) <= high
        assert high - low <= F(1, 2**40)


@pytest.mark.parametrize(("factor", "offset"), [(F(1), F(0)), (F(-3), F(1, 7)), (F(10**30), F(-1)), (F(0), F(5))])
def test_affine_of_a_quantity(factor, offset):
    expected = factor * logistic() + offset
    size = max(abs(factor), 1)
    for low, high in enclosures(Affine(tv(ROW, 1), factor, offset), 160):
        assert low - size / 10**45 <= expected <= high + size / 10**45
        assert high - low <= size / 10**40


def test_absolute_difference_of_quantities_in_either_order():
    first, second = attention_output(ROW, 1, [F(0), F(1)]), attention_output(ROW, 1, [F(1), F(0)])
    expected = 1 - 2 * logistic()
    for side in (AbsoluteDifference(first, second), AbsoluteDifference(second, first)):
        for low, high in enclosures(side, 160):
            assert low - F(1, 10**45) <= expected <= high + F(1, 10**45)
            assert high - low <= F(1, 10**40)
    nothing = AbsoluteDifference(first, first)
    assert all(low <= 0 <= high for low, high in enclosures(nothing))


def test_decisions():
    half = Affine(tv(ROW, 1), F(1, 2), F(1))
    assert decide(half, ">", 1).verdict is Verdict.HOLDS
    assert decide(half, "<", 1).verdict is Verdict.FAILS
    assert decide(half, "<", 1 + logistic() / 2 + F(1, 10**40)).verdict is Verdict.HOLDS
    assert decide(half, "<", 1 + logistic() / 2 - F(1, 10**40)).verdict is Verdict.FAILS
    assert decide(AbsoluteDifference(Exact(1), Exact(3)), "=", 2).verdict is Verdict.HOLDS


def test_names():
    assert str(Affine(Exact(2), F(1, 3), F(-1))) == "1/3 * (2) + -1"
    assert str(AbsoluteDifference(Exact(1), Exact(F(1, 2)))) == "|1 - 1/2|"
