"""Interval arrays and piecewise-linear functions of them: containment against fractions, exactness where claimed."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.floats import enclose
from checker.transformer.exactarray import ExactArray
from checker.transformer.interval import Interval, interval, linear
from checker.transformer.piecearray import ArrayFunction
from checker.transformer.piecewise import Piecewise

FLOATS = st.floats(-1e6, 1e6) | st.sampled_from(
    [0.0, -0.0, 1.0, 5e-324, 2.0**-1022, 1e308, -1.7e308, math.inf, -math.inf]
)
RATIONALS = st.fractions(min_value=-4, max_value=4, max_denominator=7)
LARGEST = np.finfo(np.float64).max


def point_or_wider(pair):
    low, high = sorted(pair)
    low, high = (-LARGEST if low == math.inf else low), (LARGEST if high == -math.inf else high)
    return Interval(np.array([[low]]), np.array([[high]]))


INTERVALS = st.tuples(FLOATS, FLOATS).map(point_or_wider) | st.floats(-9, 9).map(lambda x: point_or_wider((x, x)))


def inner(x):
    """Finite exact numbers inside the interval, its ends among them if finite."""
    low, high = float(x.low.min()), float(x.high.max())
    ends = [Fraction(e) for e in (low, high) if math.isfinite(e)]
    low, high = max(low, -LARGEST), min(high, LARGEST)
    return [*ends, Fraction(low) / 3 + Fraction(high) * 2 / 3]


def contains(x, value):
    return (x.low <= x.high).all() and all(
        (low == -math.inf or Fraction(float(low)) <= value) and (high == math.inf or value <= Fraction(float(high)))
        for low, high in zip(x.low.flat, x.high.flat, strict=True)
    )


@given(INTERVALS, INTERVALS)
def test_sums(x, y):
    total = x + y
    assert all(contains(total, a + b) for a in inner(x) for b in inner(y))


@given(INTERVALS, RATIONALS.filter(bool) | st.sampled_from([Fraction(10) ** 320, Fraction(-1, 10**320), Fraction(2)]))
def test_multiples(x, factor):
    assert all(contains(x.scaled(factor), factor * a) for a in inner(x))


def test_exact_sums_and_doubles_are_not_widened():
    x, y = (Interval(np.array([[v]]), np.array([[v]])) for v in (3.0, 2.0**50 + 1))
    assert (x + y).is_point
    assert x.scaled(Fraction(-4)).is_point
    assert not (x + Interval(np.array([[2.0**-60]]), np.array([[2.0**-60]]))).is_point


@pytest.mark.parametrize(
    "x", [Fraction(1, 3), Fraction(-1, 3), Fraction(7), Fraction(10) ** 400, -(Fraction(10) ** 400)]
)
def test_enclosure_of_a_fraction_is_the_narrowest(x):
    for value in (x, x / 10**800):
        low, high = enclose(value)
        assert low == -math.inf or Fraction(low) <= value
        assert high == math.inf or value <= Fraction(high)
        assert low == high or math.nextafter(low, math.inf) == high


@given(st.lists(st.tuples(RATIONALS, st.booleans(), RATIONALS), max_size=4), RATIONALS)
def test_linear_forms(terms, constant):
    coordinates, exact = [], constant
    for coefficient, is_exact, value in terms:
        array = ExactArray.fractions_array([value])[None]
        coordinates.append((coefficient, array if is_exact else interval(array)))
        exact += coefficient * value
    result = linear(coordinates, constant)
    if all(is_exact or not coefficient for coefficient, is_exact, _ in terms):
        assert result.at(0, 0) == exact
    else:
        assert contains(interval(result), exact)


PIECEWISE = st.builds(
    Piecewise.of_units,
    st.dictionaries(st.tuples(RATIONALS.filter(bool), RATIONALS), RATIONALS, max_size=5),
    RATIONALS | st.just(Fraction(0)),
)


@given(PIECEWISE, st.lists(st.tuples(st.floats(-6, 6), st.floats(0, 3)), min_size=1, max_size=6))
@settings(max_examples=70, deadline=None)
def test_ranges_of_piecewise_functions(function, pairs):
    low = np.array([[a for a, _ in pairs]])
    high = np.array([[a + b for a, b in pairs]])
    result = interval(ArrayFunction(function)(Interval(low, high)))
    for k in range(len(pairs)):
        a, b = Fraction(low[0, k]), Fraction(high[0, k])
        points = [a, b, (a + b) / 2, *(p for p in function.breakpoints if a <= p <= b)]
        truth = [function.at(p) for p in points]
        one = result[:, k : k + 1]
        assert contains(one, min(truth))
        assert contains(one, max(truth))
        slack = Fraction(1, 10**12)
        assert Fraction(float(one.low[0, 0])) >= min(truth) - slack
        assert Fraction(float(one.high[0, 0])) <= max(truth) + slack


@given(PIECEWISE, st.lists(RATIONALS, min_size=1, max_size=6))
@settings(max_examples=50, deadline=None)
def test_exact_arguments_have_exact_values(function, points):
    result = ArrayFunction(function)(ExactArray.fractions_array(points)[None])
    assert isinstance(result, ExactArray)
    values = np.broadcast_to(result.fractions(), (1, len(points)))
    assert values[0].tolist() == [function.at(u) for u in points]


@given(PIECEWISE, st.tuples(FLOATS, FLOATS).map(point_or_wider))
@settings(max_examples=50, deadline=None)
def test_unbounded_and_extreme_arguments(function, u):
    result = interval(ArrayFunction(function)(u))
    assert all(contains(result, function.at(x)) for x in inner(u))


def clean_up(a):
    units = {(Fraction(1), -a): 1 / (1 - 2 * a), (Fraction(1), a - 1): -1 / (1 - 2 * a)}
    return ArrayFunction(Piecewise.of_units(units, Fraction(0)))


@pytest.mark.parametrize("a", [Fraction(1, 4), Fraction(1, 3), Fraction(1, 10)])
def test_clean_up_beyond_the_threshold_is_exact(a):
    """D1 with a threshold that need not be a float64: exact up to the last float64 before it."""
    below, above = enclose(a)[0], enclose(1 - a)[1]
    x = Interval(np.array([[-1.0, 0.0, above, 1.0]]), np.array([[0.0, below, 1.5, 9.0]]))
    result = clean_up(a)(x)
    assert isinstance(result, ExactArray)
    assert result.fractions().tolist() == [[0, 0, 1, 1]]
    over = math.nextafter(enclose(a)[1], 1)
    result = clean_up(a)(Interval(np.array([[0.0]]), np.array([[over]])))
    assert isinstance(result, Interval)
    assert result.low[0, 0] == 0
    assert 0 < result.high[0, 0] < 1e-14
    everything = clean_up(a)(Interval(np.array([[-math.inf]]), np.array([[math.inf]])))
    assert (everything.low[0, 0], everything.high[0, 0]) == (0, 1)
