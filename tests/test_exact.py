"""Exact numbers in: every accepted spelling, and one test per refusal."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.errors import HardsoftError, InputError
from checker.exact import exact, exact_int, exact_int_list, exact_list, show


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("-3", Fraction(-3)),
        ("+3", Fraction(3)),
        ("1/3", Fraction(1, 3)),
        ("-2/6", Fraction(-1, 3)),
        ("1e-6", Fraction(1, 10**6)),
        ("1E+2", Fraction(100)),
        ("10^12", Fraction(10**12)),
        ("10^-6", Fraction(1, 10**6)),
        ("-10^2", Fraction(-100)),
        ("2^10", Fraction(1024)),
        ("0^0", Fraction(1)),
        ("2.5e3", Fraction(2500)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        (" 7 ", Fraction(7)),
        ("-0.25", Fraction(-1, 4)),
    ],
)
def test_strings(text, value):
    assert exact(text) == value
    assert type(exact(text)) is Fraction


@pytest.mark.parametrize(
    ("number", "value"),
    [
        (3, Fraction(3)),
        (Fraction(1, 3), Fraction(1, 3)),
        (0.5, Fraction(1, 2)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        (np.int64(-7), Fraction(-7)),
        (np.uint8(200), Fraction(200)),
        (np.float32(0.1), Fraction(13421773, 134217728)),
        (np.float16(0.5), Fraction(1, 2)),
        (np.float64(2.0), Fraction(2)),
    ],
)
def test_numbers_are_what_they_are(number, value):
    result = exact(number)
    assert result == value
    assert type(result) is Fraction
    assert type(result.numerator) is int
    assert type(result.denominator) is int


def test_extreme_exponents_are_exact():
    assert exact("1e300000") == 10**300000
    assert exact("1e-300000") == Fraction(1, 10**300000)
    assert exact("10^1000000") == 10**1000000


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "is not a number"),
        ("abc", "is not a number"),
        ("1e", "is not a number"),
        ("1//2", "is not a number"),
        ("1/2/3", "is not a number"),
        ("0x10", "is not a number"),
        ("1_000", "is not a number"),
        ("nan", "is not a number"),
        ("inf", "is not a number"),
        ("10**3", "is not a number"),
        ("１", "is not a number"),
        ("1/0", "denominator 0"),
        ("0^-1", "division by 0"),
        ("1e1000001", "exceeds 1000000"),
        ("1e-1000001", "exceeds 1000000"),
        ("10^1000001", "exceeds 1000000"),
        ("1e" + "9" * 5000, "exceeds 1000000"),
        ("9" * 4001, "4001 digits"),
        ("99999999999^900000", "too large"),
        (True, "truth value True"),
        (np.bool_(False), "truth value False"),
        (float("nan"), "finite number, got nan"),
        (float("-inf"), "finite number, got -inf"),
        (np.float32("inf"), "finite number, got inf"),
        (None, "NoneType"),
        (1j, "complex"),
        ([1], "list"),
    ],
)
def test_refusals_name_the_number_and_what_is_wrong(value, message):
    with pytest.raises(InputError, match=message) as caught:
        exact(value, "tau")
    assert str(caught.value).startswith("tau: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250
    assert isinstance(caught.value, HardsoftError)


def test_lists():
    assert exact_list("10, 100 ,10^6,1e12") == [10, 100, 10**6, 10**12]
    assert exact_int_list("1e12,10^6, 3") == [10**12, 10**6, 3]
    assert all(type(number) is int for number in exact_int_list("1e12,10^6"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "n: the list is empty"),
        ("  ", "n: the list is empty"),
        ("1,,2", "n: item 2 of '1,,2' is empty"),
        ("1,2,", "n: item 3 of '1,2,' is empty"),
        ("1,x", "n, item 2: 'x' is not a number"),
        (7, "comma-separated list, got int 7"),
    ],
)
def test_list_refusals_name_the_place(text, message):
    with pytest.raises(InputError) as caught:
        exact_list(text, "n")
    assert message in str(caught.value)


def test_integers():
    assert exact_int("1e3", "n") == 1000
    assert exact_int(2.0, "n") == 2
    with pytest.raises(InputError, match=r"n: expected an integer, got '1\.5'"):
        exact_int("1.5", "n")
    with pytest.raises(InputError, match="n, item 2: expected an integer, got 1/2"):
        exact_int_list("1,0.5", "n")


def test_show_never_fails_on_long_integers():
    assert show(10**30) == str(10**30)
    assert show(10**10000) == "an integer of 33220 bits"
    assert show(Fraction(1, 10**10000)) == "1/an integer of 33220 bits"
    assert show(Fraction(3, 1)) == "3"


@settings(deadline=None, max_examples=200)
@given(st.fractions(), st.integers(-50, 50))
def test_every_spelling_is_read_back(number, exponent):
    assert exact(f"{number.numerator}/{number.denominator}") == number
    assert exact(f"{number.numerator}e{exponent}") == number.numerator * Fraction(10) ** exponent


@settings(deadline=None, max_examples=200)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_the_binary_rationals_they_are(number):
    assert float(exact(number)) == number
    denominator = exact(number).denominator
    assert denominator & (denominator - 1) == 0
