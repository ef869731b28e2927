"""Exact equality: proved of equal pairs, never claimed of pairs that differ by 1e-9 or that it cannot read."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from checker import formal
from checker.attention import Row, Tie
from checker.decide import Exact, Expression, agree
from checker.env import Env
from checker.formal import UnsupportedError, equal
from checker.quantity import attention_output, l1, max_weight, tv, tv_between, tv_perturbed, value_error, weight
from checker.sides import AbsoluteDifference, Affine
from checker.verdict import Verdict
from proofs.registry import STATEMENTS

F = Fraction
x, y, n, a = sp.symbols("x y n a")
j = sp.Symbol("j")
s = sp.Function("s")
MaxOver = sp.Function("MaxOver")
SLIGHTLY = F(10**9 + 1, 10**9)


def at(expr, **values):
    return Expression(sp.sympify(expr), Env({name: F(value) for name, value in values.items()}))


ROW = Row.explicit([F(2), F(2), F(1), F(0), F(-3, 2)])
E1 = {"x": F(1, 3)}
PAIRS = {
    "numbers": (F(1, 3), Exact(F(2, 6))),
    "expanded": (at((1 + sp.exp(x)) ** 2, **E1), at(1 + 2 * sp.exp(x) + sp.exp(2 * x), **E1)),
    "reciprocal": (at(sp.exp(x) / (1 + sp.exp(x)), **E1), at(1 / (1 + sp.exp(-x)), **E1)),
    "tanh": (at(sp.tanh(x / 2), **E1), at((sp.exp(x) - 1) / (sp.exp(x) + 1), **E1)),
    "tv is half of l1": (tv(ROW, F(1, 2)), Affine(l1(ROW, F(1, 2)), F(1, 2))),
    "leftmost and rightmost": (tv(ROW, F(3), Tie.LEFTMOST), tv(ROW, F(3), Tie.RIGHTMOST)),
    "largest weight": (max_weight(ROW, F(2)), weight(ROW, F(2), 1)),
    "shifted scores": (tv(ROW, F(1)), tv(Row.explicit([score + 7 for score in ROW.scores]), F(1))),
    "scaled scores": (tv(ROW, F(1)), tv(Row.explicit([3 * score for score in ROW.scores]), F(3))),
    "multiset": (tv(ROW, F(1)), tv(Row.multiset({F(2): 2, F(1): 1, F(0): 1, F(-3, 2): 1}), F(1))),
    "nothing perturbed": (tv_perturbed(ROW, ROW, F(1)), tv(ROW, F(1))),
    "the same softmax": (tv_between(ROW, ROW, F(1)), 0),
    "symmetric": (
        tv_between(Row.explicit([F(0), F(1)]), Row.explicit([F(2), F(0)]), F(1)),
        tv_between(Row.explicit([F(2), F(0)]), Row.explicit([F(0), F(1)]), F(1)),
    ),
    "output of a constant": (attention_output(ROW, F(1), [F(5, 7)] * 5), F(5, 7)),
    "absolute difference": (
        AbsoluteDifference(attention_output(ROW, F(1), [F(0), F(0), F(1), F(1), F(1)]), Exact(0)),
        tv(ROW, F(1)),
    ),
    "value error": (value_error(ROW, F(1), [F(0), F(0), F(-2), F(-2), F(-2)]), Affine(tv(ROW, F(1)), F(2))),
}


@pytest.mark.parametrize("name", PAIRS)
def test_equal_pairs_are_proved_equal(name):
    lhs, rhs = PAIRS[name]
    assert equal(lhs, rhs)
    assert equal(rhs, lhs)
    assert agree(lhs, rhs).verdict is not Verdict.FAILS


@pytest.mark.parametrize("name", [name for name in PAIRS if name != "the same softmax"])
def test_a_factor_of_one_billionth_is_seen(name):
    lhs, rhs = PAIRS[name]
    rhs = rhs if not isinstance(rhs, (int, Fraction)) else Exact(rhs)
    assert not equal(lhs, Affine(rhs, SLIGHTLY))
    assert agree(lhs, Affine(rhs, SLIGHTLY)).verdict is Verdict.FAILS


@given(
    st.lists(st.fractions(-4, 4, max_denominator=4), min_size=1, max_size=5),
    st.sampled_from([F(1, 7), F(1), F(5, 2)]),
)
def test_the_exact_error_of_every_row(scores, tau):
    """A1: TV = Z'/(k + Z'), written here as a sum over the scores below the maximum."""
    row = Row.explicit(scores)
    below = sum((sp.exp(sp.Rational((score - row.top) / tau)) for score in scores if score < row.top), sp.Integer(0))
    assert equal(tv(row, tau), at(below / (row.k + below)))
    assert not equal(tv(row, tau), at(below / (row.k + below) + sp.Rational(1, 10**9)))


def test_the_gap_bound_is_attained_and_its_neighbours_are_not():
    bound = STATEMENTS["A2"].bound
    worst = tv(Row.multiset({F(0): 3, F(-1, 2): 10**30}), F(1, 10))
    values = {"n": 10**30 + 3, "k": 3, "gamma": F(1, 2), "tau": F(1, 10)}
    assert equal(worst, at(bound, **values))
    for name in values:
        assert not equal(worst, at(bound, **{**values, name: values[name] * SLIGHTLY}))


def test_sums_over_positions():
    rows = {"s": [F(1), F(3)], "mu": [F(0), F(2)]}
    env = Env({"n": F(5), "x": F(1)}, rows, [4, 1])
    total = Expression(sp.Sum(sp.exp(s(j) * x), (j, 1, n)), env)
    assert equal(total, at(4 * sp.exp(x) + sp.exp(3 * x), x=1))
    mu = sp.Function("mu")
    assert equal(Expression(sp.Sum(mu(j) * s(j), (j, 1, n)), env), 6)
    for refused in (sp.Sum(s(j), (j, 2, n)), sp.Sum(s(j), (j, 1, x)), sp.Sum(s(j) * s(a), (j, 1, n)), s(j)):
        assert not equal(Expression(refused, env), 6)


def test_maximum_over_integers():
    parabola = MaxOver(a * (10 - a) * sp.exp(x), a, 0, 10)
    assert equal(at(parabola, x=1), at(25 * sp.exp(x), x=1))
    assert not equal(at(parabola, x=1), at(24 * sp.exp(x), x=1))
    assert equal(at(MaxOver(a * x, a, n, n), x=-2, n=3), -6)
    assert equal(at(MaxOver(1 / (1 + a * sp.exp(x)), a, 0, n), x=1, n=1000), 1)
    for low, high in ((1, 0), (0, 1001), (F(1, 2), F(5, 2))):
        assert not equal(at(MaxOver(a * 0 + x, a, n, y), x=1, n=low, y=high), 1)


UNSUPPORTED = {
    "logarithm": at(sp.log(x), x=2),
    "root": at(sp.sqrt(x), x=4),
    "maximum": at(sp.Max(x, y), x=1, y=2),
    "exponential of an exponential": at(sp.exp(sp.exp(x)), x=1),
    "no value": at(x),
    "division by zero": at(1 / (x - y), x=1, y=1),
    "hidden division by zero": at(1 / (sp.exp(x) * sp.exp(-y) - 1), x=1, y=1),
    "float": at(x * sp.Float("0.5"), x=1),
    "unknown side": object(),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_understood_is_not_equal_even_to_itself(name):
    side = UNSUPPORTED[name]
    assert not equal(side, side)
    assert not equal(0, side)
    with pytest.raises(UnsupportedError):
        formal.formal(side)


def test_the_sign_of_a_tiny_difference_is_found():
    """exp(-2000) is decided at 8192 bits beside 1; a difference below that is refused, never guessed."""
    tiny = at(1 + sp.exp(-x), x=2000)
    assert equal(AbsoluteDifference(tiny, Exact(1)), at(sp.exp(-x), x=2000))
    assert equal(AbsoluteDifference(Exact(1), tiny), at(sp.exp(-x), x=2000))
    almost = AbsoluteDifference(at(sp.exp(x), x=F(1, 10**3000)), Exact(1))
    assert not equal(almost, almost)
