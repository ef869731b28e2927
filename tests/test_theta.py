"""Jacobi's theta function at q = exp(-x): Arb, the series with mpmath intervals, and mpmath's own jtheta."""

from fractions import Fraction

import mpmath
import pytest
import sympy as sp

from checker import ball, mp
from checker.env import Env

X = sp.Symbol("x")
THETA = sp.Function("Theta")(X)


@pytest.mark.parametrize("text", ["1e-6", "1e-3", "0.1", "1", "3", "40", "1000"])
@pytest.mark.parametrize("prec", [53, 200])
def test_three_evaluations_agree(text, prec):
    x = Fraction(text)
    env = Env({"x": x})
    low, high = ball.endpoints(ball.evaluate(THETA, env, prec))
    interval = mp.evaluate(THETA, env, prec)
    assert interval.is_finite
    assert low <= interval.upper
    assert interval.lower <= high
    with mpmath.workprec(prec + 200):
        exact = mpmath.mpf(x.numerator) / x.denominator
        # jtheta needs more digits as q nears 1; the modular identity theta(x) = sqrt(pi/x) theta(pi^2/x) avoids that.
        if x < 1:
            value = mpmath.sqrt(mpmath.pi / exact) * mpmath.jtheta(3, 0, mpmath.exp(-(mpmath.pi**2) / exact))
        else:
            value = mpmath.jtheta(3, 0, mpmath.exp(-exact))
        slack = mpmath.mpf(2) ** (-prec - 60) * value
        assert mpmath.mpf(interval.lower.numerator) / interval.lower.denominator <= value + slack
        assert mpmath.mpf(interval.upper.numerator) / interval.upper.denominator >= value - slack
        assert mpmath.mpf(low.numerator) / low.denominator <= value + slack
        assert mpmath.mpf(high.numerator) / high.denominator >= value - slack


def test_the_enclosures_are_narrow():
    interval = mp.evaluate(THETA, Env({"x": Fraction(1, 1000)}), 100)
    assert interval.upper - interval.lower < Fraction(1, 2**80)
    low, high = ball.endpoints(ball.evaluate(THETA, Env({"x": Fraction(1, 1000)}), 100))
    assert high - low < Fraction(1, 2**80)


@pytest.mark.parametrize("x", [Fraction(0), Fraction(-1)])
def test_theta_is_not_finite_outside_its_domain(x):
    env = Env({"x": x})
    assert not ball.evaluate(THETA, env, 64).is_finite()
    assert not mp.evaluate(THETA, env, 64).is_finite
