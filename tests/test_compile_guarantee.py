"""Guarantees of temperatures: against softmax computed from the definition, and against closed forms."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest

from checker.ball import endpoints
from checker.compile.guarantee import (
    Bound,
    Requirement,
    Value,
    bound_at,
    largest_tau0,
    least_m,
    meets,
    slack,
)
from checker.decide import decide
from checker.errors import InputError
from checker.verdict import Verdict

QUARTER = Fraction(1, 4)
REQUIREMENTS = [
    *(Requirement(bound, a) for bound in (Bound.NEAREST, Bound.LOOKUP) for a in (QUARTER, Fraction(1, 100))),
    *(Requirement(bound, QUARTER, weight) for bound in (Bound.SUM, Bound.SIGN) for weight in (1, 2, 7, 10**6)),
    Requirement(Bound.SIGN, Fraction(49, 100), 3),
]
TAUS = [Fraction(1, 5), Fraction(1, 2), Fraction(7, 10)]


def softmax(scores, tau):
    """Weights, with 60 digits."""
    with mpmath.workdps(60):
        weights = [
            mpmath.exp(mpmath.mpf(s.numerator) / s.denominator / tau.numerator * tau.denominator) for s in scores
        ]
        total = mpmath.fsum(weights)
        return [weight / total for weight in weights]


def upper(requirement, tau):
    with mpmath.workdps(60):
        end = endpoints(Value(requirement, tau).ball(200))[1]
        return mpmath.mpf(end.numerator) / end.denominator


@pytest.mark.parametrize("tau", TAUS)
def test_nearest_bounds_the_rows_of_y_and_s(tau):
    limit = upper(Requirement(Bound.NEAREST, QUARTER), tau)
    largest = 0
    for visible in range(1, 9):
        rows = [[Fraction(j) for j in range(visible)]]  # Y: scores j
        rows += [  # S at position i = visible - 1: (i + 1) chi_j + j for every chi
            [Fraction(visible * (chi >> j & 1) + j) for j in range(visible)] for chi in range(2**visible)
        ]
        for row in rows:
            weights = softmax(row, tau)
            error = 1 - weights[row.index(max(row))]
            assert error < limit
            largest = max(largest, error)
    assert largest > limit * mpmath.mpf("0.9")


@pytest.mark.parametrize("tau", TAUS)
def test_lookups_and_sums_of_counts(tau):
    bit, total = upper(Requirement(Bound.LOOKUP, QUARTER), tau), upper(Requirement(Bound.SUM, QUARTER), tau)
    seen = [0, 0]
    for n in range(1, 8):
        for i in range(n + 2):
            for count in range(n + 1):
                row = [Fraction(n + 2, i + 1) * (2 * count * j - j * j) for j in range(n + 2)]
                weights = softmax(row, tau)
                seen[0] = max(seen[0], 1 - weights[count])
                off = abs(mpmath.fsum(weight * (j - count) for j, weight in enumerate(weights)))
                seen[1] = max(seen[1], off)
    assert seen[0] <= bit
    assert seen[1] <= total
    assert min(seen) > min(bit, total) / 3


@pytest.mark.parametrize("weight", [1, 3])
@pytest.mark.parametrize("tau", [Fraction(1, 5), Fraction(1, 3)])
def test_signs_read_from_the_end_marker(tau, weight):
    noise = endpoints(Value(Requirement(Bound.SUM, QUARTER, weight), tau).ball(100))[1]
    limit = upper(Requirement(Bound.SIGN, QUARTER, weight), tau)
    assert limit <= 0.5
    for positions in range(3, 12):
        for value in range(-4, 5):
            for error in (-noise, noise):
                score = (2 * (value + error) + 1) * positions**2
                weights = softmax([Fraction(0)] * (positions - 1) + [score], tau)
                assert abs(weights[-1] - (value >= 0)) <= limit


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_the_temperatures_that_meet_a_threshold(requirement):
    m, (low, high) = least_m(requirement), largest_tau0(requirement)
    assert meets(requirement, Fraction(1, m)) is Verdict.HOLDS
    assert m == 1 or meets(requirement, Fraction(1, m - 1)) is Verdict.FAILS
    assert meets(requirement, low.value) is Verdict.HOLDS
    assert meets(requirement, high.value) is Verdict.FAILS
    assert high.value - low.value <= low.value / 10**5
    assert Fraction(1, m) <= low.value
    for tau in (low.value, low.value / 2, Fraction(1, m), high.value):
        bound, rest = bound_at(requirement, tau).value, slack(requirement, tau).value
        assert decide(Value(requirement, tau), "<=", bound).verdict is Verdict.HOLDS
        assert rest <= requirement.threshold - endpoints(Value(requirement, tau).ball(200))[1]
        assert (rest >= 0) is (tau <= low.value)


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_bounds_increase_with_the_temperature_while_they_matter(requirement):
    taus = [Fraction(k, 40) for k in range(1, 60)]
    ends = [endpoints(Value(requirement, tau).ball(200)) for tau in taus]
    below = [pair for pair in ends if pair[1] < 1]
    assert below == ends[: len(below)]
    assert all(first[1] < second[0] for first, second in pairwise(below))
    assert all(pair[0] > requirement.threshold for pair in ends[len(below) :])


@pytest.mark.parametrize("weight", [1, 5])
@pytest.mark.parametrize("tau", [Fraction(1, 7), Fraction(1, 3)])
def test_each_bound_is_the_stated_function_of_q(tau, weight):
    with mpmath.workdps(60):
        q = mpmath.exp(mpmath.mpf(-tau.denominator) / tau.numerator)
        noise = weight * q / (1 - q**3) ** 2
        stated = {
            Bound.NEAREST: q,
            Bound.LOOKUP: 2 * q / (1 + 2 * q - q**3),
            Bound.SUM: noise,
            Bound.SIGN: q ** (1 - 2 * noise),
        }
        for bound, value in stated.items():
            assert abs(upper(Requirement(bound, QUARTER, weight), tau) / value - 1) < mpmath.mpf("1e-50")


def test_closed_form_of_reads():
    requirement = Requirement(Bound.NEAREST, Fraction(1, 10))
    low, high = largest_tau0(requirement)
    with mpmath.workdps(30):
        exact = Fraction(str(1 / mpmath.log(10)))  # to 30 digits
    assert low.value < exact < high.value
    assert requirement.closed_form == "1/log(10)"
    assert Requirement(Bound.LOOKUP, QUARTER).closed_form is None


def test_extreme_weights_and_thresholds():
    assert 600 < least_m(Requirement(Bound.SUM, QUARTER, 10**300)) < 800
    assert least_m(Requirement(Bound.NEAREST, Fraction(1, 10**1000))) == 2303  # 1000 log 10 = 2302.585
    low, high = largest_tau0(Requirement(Bound.NEAREST, Fraction(49, 100)), digits=3)
    assert (low.text, high.text) == ("1.40", "1.41")


@pytest.mark.parametrize("threshold", [Fraction(0), Fraction(1, 2), Fraction(-1), Fraction(3, 4)])
def test_thresholds_that_tell_nothing_apart_are_refused(threshold):
    with pytest.raises(InputError, match="strictly between 0 and 1/2"):
        Requirement(Bound.NEAREST, threshold)


def test_other_arguments_that_are_refused():
    with pytest.raises(InputError, match="at least 1, got 0"):
        Requirement(Bound.SUM, QUARTER, 0)
    with pytest.raises(InputError, match="tau_0 must be > 0, got 0"):
        meets(Requirement(Bound.NEAREST, QUARTER), Fraction(0))
