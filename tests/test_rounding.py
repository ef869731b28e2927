"""Decimals rounded in a stated direction are on the safe side, and nothing nearer would be."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from checker.errors import InputError
from checker.exact import exact
from checker.numerals import decimal_parts, exact_latex, exact_text, integer_text
from checker.rounding import (
    Direction,
    Scientific,
    check_digits,
    decimal,
    decimal_down,
    decimal_up,
    floor_log10,
    power_of_ten,
    round_enclosed,
    scaled,
)

rationals = st.builds(
    lambda p, q, e: Fraction(p, q) * (Fraction(10) ** e),
    st.integers(-(10**12), 10**12),
    st.integers(1, 10**12),
    st.integers(-80, 80),
)
digit_counts = st.integers(1, 30)


@given(rationals, digit_counts)
@example(Fraction(9995), 3)
@example(Fraction(-9995), 3)
@example(Fraction(1, 3), 1)
@example(Fraction(10**30), 5)
def test_nearest_decimal_on_each_side(x: Fraction, digits: int) -> None:
    up, down = decimal_up(x, digits), decimal_down(x, digits)
    assert down.value <= x <= up.value
    if x == 0:
        assert up.text == down.text == "0"
        return
    unit = scaled(1, floor_log10(abs(x)) - digits + 1)
    assert (x / unit).denominator == 1 or up.value - down.value == unit  # neighbours: no safe decimal is nearer
    assert (x / unit).denominator != 1 or up.value == down.value == x
    assert len(str(abs(up.mantissa))) == len(str(abs(down.mantissa))) == digits


@given(rationals.filter(lambda x: x > 0))
def test_floor_log10_by_definition(x: Fraction) -> None:
    e = floor_log10(x)
    assert Fraction(10) ** e <= x < Fraction(10) ** (e + 1)


@pytest.mark.parametrize("e", [-300000, -1000, -23, -1, 0, 1, 22, 999, 300000])
def test_floor_log10_at_powers_of_ten(e: int) -> None:
    power = scaled(1, e)
    tiny = scaled(1, e - 40)
    assert [floor_log10(x) for x in (power - tiny, power, power + tiny)] == [e - 1, e, e]


def test_floor_log10_needs_a_positive_number() -> None:
    for x in (Fraction(0), Fraction(-1)):
        with pytest.raises(ValueError, match="positive"):
            floor_log10(x)


@pytest.mark.parametrize(
    ("x", "digits", "down", "up"),
    [
        ("1/3", 3, "0.333", "0.334"),
        ("-1/3", 3, "-0.334", "-0.333"),
        ("0.133501", 3, "0.133", "0.134"),
        ("0.13", 3, "0.130", "0.130"),
        ("999.5", 3, "999", "1.00e3"),
        ("123.4", 3, "123", "124"),
        ("12.34", 3, "12.3", "12.4"),
        ("1234", 3, "1.23e3", "1.24e3"),
        ("0.00012345", 3, "0.000123", "0.000124"),
        ("0.000012345", 3, "1.23e-5", "1.24e-5"),
        ("99.99e-6", 3, "9.99e-5", "0.000100"),
        ("1.2345e-300000", 3, "1.23e-300000", "1.24e-300000"),
        ("9.9999e300000", 3, "9.99e300000", "1.00e300001"),
        ("7", 1, "7", "7"),
        ("70", 1, "7e1", "7e1"),
        ("71", 1, "7e1", "8e1"),
    ],
)
def test_printed_form(x: str, digits: int, down: str, up: str) -> None:
    value = exact(x)
    assert (decimal_down(value, digits).text, decimal_up(value, digits).text) == (down, up)
    assert exact(down) <= value <= exact(up)


@pytest.mark.parametrize(
    ("number", "latex"),
    [
        (Scientific(123, -300002), r"$1.23 \times 10^{-300000}$"),
        (Scientific(-123, 5), r"$-1.23 \times 10^{7}$"),
        (Scientific(133, -3), "$0.133$"),
        (Scientific(7, 20), r"$7 \times 10^{20}$"),
        (Scientific(0, 0), "$0$"),
    ],
)
def test_latex_form(number: Scientific, latex: str) -> None:
    assert number.latex == latex


def test_an_enclosure_is_rounded_at_its_outer_end() -> None:
    enclosure = (Fraction(1234, 1000), Fraction(1251, 1000))
    assert decimal_up(enclosure, 3).text == decimal(enclosure, 3, Direction.UP).text == "1.26"
    assert decimal_down(enclosure, 3).text == decimal(enclosure, 3, Direction.DOWN).text == "1.23"


@pytest.mark.parametrize("direction", list(Direction))
def test_precision_is_raised_until_both_ends_agree(direction: Direction) -> None:
    true = Fraction(1, 3) + Fraction(1, 10**40)  # 0.333...: to 30 digits 2^-100 is needed, 2^-64 is not enough
    asked = []

    def enclose(precision: int) -> tuple[Fraction, Fraction]:
        asked.append(precision)
        return true - Fraction(1, 2**precision), true + Fraction(1, 2**precision)

    rounded = round_enclosed(enclose, 30, direction)
    assert asked == [64, 128]
    assert (rounded.best, rounded.precision) == (True, 128)
    assert rounded.decimal.text == "0." + "3" * 29 + ("4" if direction is Direction.UP else "3")


def test_the_safe_decimal_is_given_when_the_ends_never_agree() -> None:
    def enclose(precision: int) -> tuple[Fraction, Fraction]:  # around exactly 1
        return 1 - Fraction(1, 2**precision), 1 + Fraction(1, 2**precision)

    up = round_enclosed(enclose, 3, Direction.UP, maximum=300)
    down = round_enclosed(enclose, 3, Direction.DOWN, maximum=300)
    assert (up.decimal.text, up.best, up.precision) == ("1.01", False, 300)
    assert (down.decimal.text, down.best, down.precision) == ("0.999", False, 300)


def test_digits_are_checked() -> None:
    assert [check_digits(1), check_digits(30)] == [1, 30]
    for digits in (0, 31, -1):
        with pytest.raises(InputError, match=f"digits must be between 1 and 30, got {digits}"):
            check_digits(digits)
    with pytest.raises(InputError, match="at least 1"):
        decimal_up(Fraction(1, 3), 0)


@given(rationals)
def test_exact_text_reads_back_as_the_same_number(x: Fraction) -> None:
    assert exact(exact_text(x)) == x


@pytest.mark.parametrize(
    ("x", "text", "latex"),
    [
        ("0", "0", "$0$"),
        ("10", "10", "$10$"),
        ("-100000", "-100000", "$-100000$"),
        ("10^6", "10^6", "$10^{6}$"),
        ("1e300000", "10^300000", "$10^{300000}$"),
        ("1234567890123", "1234567890123", "$1234567890123$"),
        ("2.5e21", "2.5e21", r"$2.5 \times 10^{21}$"),
        ("123456789e5000", "1.23456789e5008", r"$1.23456789 \times 10^{5008}$"),
        ("64e5000", "6.4e5001", r"$6.4 \times 10^{5001}$"),
        ("625e5000", "6.25e5002", r"$6.25 \times 10^{5002}$"),
        ("0.01", "0.01", "$0.01$"),
        ("-0.5", "-0.5", "$-0.5$"),
        ("12.5", "12.5", "$12.5$"),
        ("1e-6", "1e-6", "$10^{-6}$"),
        ("-1e-6", "-1e-6", "$-10^{-6}$"),
        ("1.5e-9", "1.5e-9", r"$1.5 \times 10^{-9}$"),
        ("1e-300000", "1e-300000", "$10^{-300000}$"),
        ("1/3", "1/3", "$1/3$"),
        ("-22/7", "-22/7", "$-22/7$"),
    ],
)
def test_exact_numbers(x: str, text: str, latex: str) -> None:
    assert (exact_text(exact(x)), exact_latex(exact(x))) == (text, latex)


def test_a_float_with_many_digits_stays_exact() -> None:
    x = Fraction(0.1)
    assert exact(exact_text(x)) == x
    assert decimal_parts(Fraction(1, 2**1000 * 3)) is None
    assert decimal_parts(Fraction(1, 7)) is None
    assert decimal_parts(Fraction(3**9000)) == (3**9000, 0)
    assert [decimal_parts(Fraction(1, 5**b)) for b in (1, 2, 999)] == [(2**b, -b) for b in (1, 2, 999)]


def test_integers_longer_than_python_prints() -> None:
    n = power_of_ten(9000) + 7
    assert integer_text(n) == "1" + "0" * 8999 + "7"
    assert integer_text(-power_of_ten(4000)) == "-1" + "0" * 4000
    assert [integer_text(m) for m in (0, 9, -10)] == ["0", "9", "-10"]
