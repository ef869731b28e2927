"""The mpmath intervals: every operation contains the exact result, checked with fractions and with Arb."""

import random
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import libmp

from checker import ball as arb
from checker import mp
from checker import mpinterval as iv
from checker.env import Env
from checker.mpinterval import ONE, WHOLE, ZERO, Interval

precisions = st.sampled_from([2, 5, 24, 53, 64, 200])
numbers = st.one_of(
    st.fractions(),
    st.integers(-(10**40), 10**40).map(Fraction),
    st.builds(lambda m, e: m * Fraction(2) ** e, st.integers(-999, 999), st.integers(-400, 400)),
)


@st.composite
def intervals_with_a_point(draw):
    low, high = sorted([draw(numbers), draw(numbers)])
    p = draw(precisions)
    interval = Interval(iv.from_exact(low, p).lo, iv.from_exact(high, p).hi)
    return interval, draw(st.sampled_from([low, high, (low + high) / 2]))


def contains(interval, value):
    return not interval.is_finite or interval.lower <= value <= interval.upper


@settings(deadline=None, max_examples=120)
@given(intervals_with_a_point(), intervals_with_a_point(), precisions)
def test_arithmetic_contains_the_exact_result(first, second, p):
    (a, x), (b, y) = first, second
    assert contains(a, x)
    assert contains(iv.add(a, b, p), x + y)
    assert contains(iv.sub(a, b, p), x - y)
    assert contains(iv.mul(a, b, p), x * y)
    assert contains(iv.maximum(a, b), max(x, y))
    assert contains(iv.absolute(a), abs(x))
    assert iv.absolute(a).lower >= 0
    assert contains(iv.neg(a), -x)
    if b.lower <= 0 <= b.upper:
        assert iv.divide(a, b, p) == iv.reciprocal(b, p) == WHOLE
    else:
        assert contains(iv.divide(a, b, p), x / y)
        assert contains(iv.reciprocal(b, p), 1 / y)


@settings(deadline=None, max_examples=80)
@given(intervals_with_a_point(), st.integers(-9, 9), precisions)
def test_powers_contain_the_exact_result(pair, exponent, p):
    a, x = pair
    if x or exponent >= 0:
        assert contains(iv.power(a, exponent, p), x**exponent)


@settings(deadline=None, max_examples=80)
@given(intervals_with_a_point(), precisions)
def test_roots_contain_the_exact_result(pair, p):
    a, x = pair
    if a.lower < 0:
        assert iv.root(a, p) == WHOLE
    else:
        result = iv.root(a, p)
        assert result.lower >= 0
        assert result.lower**2 <= x <= result.upper**2


def test_results_are_as_narrow_as_the_precision_allows():
    third = iv.from_exact(Fraction(1, 3), 64)
    assert third.lower < Fraction(1, 3) < third.upper
    assert third.upper - third.lower < Fraction(1, 2**64)
    assert iv.from_exact(12, 64) == Interval(libmp.from_int(12), libmp.from_int(12))
    for f in (iv.exp, iv.log, iv.tanh, iv.atanh):
        result = f(third, 64)
        assert abs((result.upper - result.lower) / result.lower) < Fraction(1, 2**58)


def _random_points(count, lowest, highest, seed):
    rng = random.Random(seed)
    for _ in range(count):
        yield Fraction(rng.uniform(lowest, highest))
        yield rng.choice([1, -1]) * Fraction(rng.getrandbits(60) + 1, 2 ** rng.randint(56, 300))


@pytest.mark.parametrize("p", [53, 64, 96, 700])
def test_exp_and_log_keep_the_assumed_accuracy(p):
    """The margin 2^-p rests on relative errors below 2^(-12 - p) at p + 32 bits; measured against Arb."""
    for x in _random_points(60 if p == 700 else 400, -40, 40, p):
        raw = libmp.from_rational(x.numerator, x.denominator, 2000, "n")
        computed = [(libmp.mpf_exp(raw, p + iv.GUARD, "n"), arb.ball)]
        with arb.working(p + 300):
            truths = [arb.ball(x).exp()]
            if x > 0:
                computed.append((libmp.mpf_log(raw, p + iv.GUARD, "n"), arb.ball))
                truths.append(arb.ball(x).log())
            for (value, _), truth in zip(computed, truths, strict=True):
                as_ball = arb.ball(Interval(value, value).lower)
                assert abs(as_ball - truth) < abs(truth) * arb.ball(Fraction(1, 2 ** (p + 12)))


def test_the_stated_margin_is_applied():
    value = libmp.from_rational(1, 3, 96, "n")
    exact = Interval(value, value).lower
    for x in (value, libmp.mpf_neg(value)):
        widened = iv._widened(x, 64)
        assert widened.lower <= Interval(x, x).lower - exact / 2**64
        assert widened.upper >= Interval(x, x).lower + exact / 2**64


@pytest.mark.parametrize("p", [32, 64, 150])
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "atanh"])
def test_functions_contain_what_arb_finds_at_high_precision(name, p):
    expr = getattr(sp, name)(sp.Symbol("x"))
    points = [
        *_random_points(100, -0.999, 0.999, 7),
        *(Fraction(1, 2**m) for m in (p - 1, p, p + 1, 2 * p, 1000)),
        *(1 + sign * Fraction(1, 2**m) for m in (2, p - 2, p + 20, 500) for sign in (1, -1)),
    ]
    for x in points:
        if (name == "log" and x <= 0) or (name == "atanh" and abs(x) >= 1):
            continue
        env = Env({"x": x})
        interval = mp.evaluate(expr, env, p)
        low, high = arb.endpoints(arb.evaluate(expr, env, 1500))
        assert not interval.is_finite or (interval.lower <= high and low <= interval.upper)
        if interval.is_finite:
            slack = (high - low) * 2
            assert interval.lower <= low + slack
            assert high - slack <= interval.upper


def test_odd_functions_of_tiny_numbers_keep_their_relative_accuracy():
    for exponent in (20, 200, 5000):
        x = Fraction(1, 2**exponent)
        for f in (iv.tanh, iv.atanh):
            result = f(iv.from_exact(x, 64), 64)
            assert (result.upper - result.lower) / x < Fraction(1, 2**50)
            assert f(iv.from_exact(-x, 64), 64) == iv.neg(result)
            # x - x^3/3 <= tanh x <= x <= atanh x <= x + x^3/2 for 0 <= x <= 1/2.
            low, high = (x - x**3 / 3, x) if f is iv.tanh else (x, x + x**3 / 2)
            assert result.lower <= high
            assert low <= result.upper
    assert iv.tanh(ZERO, 64) == iv.atanh(ZERO, 64) == ZERO


def test_huge_arguments():
    tiny = iv.exp_exact(Fraction(-(10**30)), 64)
    assert libmp.mpf_gt(tiny.lo, libmp.fzero)
    assert tiny.hi[2] < -(10**29)
    beyond = iv.exp_exact(Fraction(-(2**5000)), 64)
    assert beyond.lo == libmp.fzero
    assert libmp.mpf_gt(beyond.hi, libmp.fzero)
    assert iv.exp_exact(Fraction(2**5000), 64) == WHOLE
    assert iv.tanh(iv.from_exact(2**5000, 64), 64).upper == 1
    with pytest.raises(ValueError, match="cannot be written as a fraction"):
        _ = tiny.lower


def test_the_whole_line_stays_the_whole_line():
    for result in (
        iv.add(WHOLE, ONE, 64),
        iv.sub(ONE, WHOLE, 64),
        iv.mul(WHOLE, ZERO, 64),
        iv.mul(ONE, WHOLE, 64),
        iv.divide(ONE, WHOLE, 64),
        iv.divide(WHOLE, ONE, 64),
        iv.reciprocal(ZERO, 64),
        iv.absolute(WHOLE),
        iv.maximum(ONE, WHOLE),
        iv.power(WHOLE, 2, 64),
        iv.power(ZERO, -1, 64),
        iv.root(WHOLE, 64),
        iv.exp(WHOLE, 64),
        iv.log(ZERO, 64),
        iv.log(WHOLE, 64),
        iv.tanh(WHOLE, 64),
        iv.atanh(ONE, 64),
        iv.atanh(iv.neg(ONE), 64),
        iv.atanh(WHOLE, 64),
    ):
        assert result == WHOLE
    with pytest.raises(ValueError, match="infinite"):
        _ = WHOLE.lower


@pytest.mark.parametrize("x", [0.5, "1", True, None, sp.Integer(1)])
def test_intervals_are_built_from_exact_numbers_only(x):
    with pytest.raises(TypeError, match="int or a Fraction"):
        iv.from_exact(x, 64)


def test_no_global_state_is_changed():
    before = mpmath.mp.prec
    env = Env({"x": Fraction(1, 3)})
    with mpmath.workprec(17):
        inside = mp.evaluate(sp.exp(sp.Symbol("x")), env, 64)
        assert mpmath.mp.prec == 17
    assert mpmath.mp.prec == before
    iv.exp_exact.cache_clear()
    assert mp.evaluate(sp.exp(sp.Symbol("x")), env, 64) == inside
