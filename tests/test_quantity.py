"""The quantities, three ways: rational brute force over positions, multisets, and sympy at high precision."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import libmp
from reference import distance_bounds, exp_bounds, softmax_bounds

from checker import ball as arb
from checker import mpquantity
from checker.attention import Mask, Row, Tie
from checker.errors import InputError
from checker.expsum import ExpSum, Ratio
from checker.quantity import (
    attention_output,
    l1,
    max_weight,
    tv,
    tv_between,
    tv_perturbed,
    value_error,
    value_error_perturbed,
    weight,
)

TAU = Fraction(1, 3)
scores_lists = st.lists(st.integers(-3, 3), min_size=1, max_size=6)
temperatures = st.sampled_from([Fraction(1, 7), Fraction(1, 2), Fraction(1), Fraction(5, 3), Fraction(40)])
MODERATE = settings(deadline=None, max_examples=80)


def assert_encloses(quantity, low, high, prec=64, relative=Fraction(1, 2**40)):
    """Both enclosures are narrow and meet [low, high], which is about 2^-500 wide (they may be exact points)."""
    assert high - low < Fraction(1, 2**400)
    lower, upper = arb.endpoints(quantity.ball(prec))
    assert lower <= high
    assert low <= upper
    assert upper - lower <= relative * max(abs(high), abs(low))
    interval = quantity.mp(prec)
    assert interval.lower <= high
    assert low <= interval.upper
    assert interval.upper - interval.lower <= relative * max(abs(high), Fraction(1, 2**40))


def hard_weights(scores, tie):
    maximal = [j for j, score in enumerate(scores) if score == max(scores)]
    chosen = {Tie.LEFTMOST: maximal[:1], Tie.RIGHTMOST: maximal[-1:], Tie.AVERAGE: maximal}[tie]
    return [Fraction(j in chosen, len(chosen)) for j in range(len(scores))]


def absolute_bounds(low, high):
    return max(low, -high, Fraction(0)), max(-low, high)


def dot_bounds(weights, values):
    terms = [sorted([low * value, high * value]) for (low, high), value in zip(weights, values, strict=True)]
    return sum(low for low, _ in terms), sum(high for _, high in terms)


@MODERATE
@given(scores_lists, temperatures, st.sampled_from(Tie))
def test_distances_by_rational_brute_force(scores, tau, tie):
    row = Row.explicit(scores)
    low, high = distance_bounds(softmax_bounds(scores, tau), hard_weights(scores, tie))
    if row.k == row.n and (tie is Tie.AVERAGE or row.n == 1):
        assert arb.endpoints(l1(row, tau, tie).ball(64)) == (0, 0)
        assert l1(row, tau, tie).mp(64).upper < Fraction(1, 2**64)
        return
    assert_encloses(l1(row, tau, tie), low, high)
    assert_encloses(tv(row, tau, tie), low / 2, high / 2)


@MODERATE
@given(scores_lists, temperatures, st.data())
def test_weights_and_outputs_by_rational_brute_force(scores, tau, data):
    row, weights = Row.explicit(scores), softmax_bounds(scores, tau)
    assert_encloses(max_weight(row, tau), *max(weights))
    group = data.draw(st.integers(0, len(scores) - 1))
    assert_encloses(weight(row, tau, group), *weights[group])
    values = data.draw(st.lists(st.integers(1, 5), min_size=len(scores), max_size=len(scores)))
    assert_encloses(attention_output(row, tau, values), *dot_bounds(weights, values))


@MODERATE
@given(scores_lists, temperatures, st.sampled_from(Tie), st.data())
def test_value_errors_by_rational_brute_force(scores, tau, tie, data):
    row, weights = Row.explicit(scores), softmax_bounds(scores, tau)
    vectors = st.lists(st.integers(-3, 3), min_size=len(scores), max_size=len(scores))
    values, perturbed = data.draw(vectors), data.draw(vectors)
    hard = sum(h * v for h, v in zip(hard_weights(scores, tie), values, strict=True))
    for soft, quantity in (
        (values, value_error(row, tau, values, tie)),
        (perturbed, value_error_perturbed(row, tau, values, perturbed, tie)),
    ):
        low, high = dot_bounds(weights, soft)
        low, high = absolute_bounds(low - hard, high - hard)
        lower, upper = arb.endpoints(quantity.ball(64))
        assert lower <= high
        assert low <= upper
        assert upper - lower < Fraction(1, 2**50)
        interval = quantity.mp(64)
        assert interval.lower <= high
        assert low <= interval.upper
        assert interval.upper - interval.lower < Fraction(1, 2**50)


@MODERATE
@given(scores_lists, temperatures, st.sampled_from(Tie), st.data())
def test_perturbed_rows_by_rational_brute_force(scores, tau, tie, data):
    steps = st.lists(st.fractions(-1, 1, max_denominator=5), min_size=len(scores), max_size=len(scores))
    perturbed = [score + step for score, step in zip(scores, data.draw(steps), strict=True)]
    row, other = Row.explicit(scores), Row.explicit(perturbed)
    p, q = softmax_bounds(scores, tau), softmax_bounds(perturbed, tau)
    low, high = distance_bounds(q, hard_weights(scores, tie))
    lower, upper = arb.endpoints(tv_perturbed(row, other, tau, tie).ball(64))
    assert lower <= high / 2
    assert low / 2 <= upper
    assert upper - lower < Fraction(1, 2**45)
    low = sum(max(a - d, c - b, Fraction(0)) for (a, b), (c, d) in zip(p, q, strict=True)) / 2
    high = sum(max(abs(a - d), abs(c - b)) for (a, b), (c, d) in zip(p, q, strict=True)) / 2
    for quantity in (tv_between(row, other, tau), tv_between(other, row, tau)):
        lower, upper = arb.endpoints(quantity.ball(64))
        assert lower <= high
        assert low <= upper
        assert upper - lower < Fraction(1, 2**45)
        interval = quantity.mp(64)
        assert interval.lower <= high
        assert low <= interval.upper
    assert arb.endpoints(tv_between(row, row, tau).ball(64)) == (0, 0)


@MODERATE
@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 4)), min_size=1, max_size=4),
    temperatures,
    st.sampled_from(Tie),
)
def test_groups_and_explicit_rows_agree(groups, tau, tie):
    row = Row(tuple(Fraction(score) for score, _ in groups), tuple(count for _, count in groups))
    long = Row.explicit([score for score, count in groups for _ in range(count)])
    assert arb.close(l1(row, tau, tie).ball(128), l1(long, tau, tie).ball(128), 30).name == "HOLDS"
    assert l1(row, tau, tie).mp(128).lower <= l1(long, tau, tie).mp(128).upper
    assert l1(long, tau, tie).mp(128).lower <= l1(row, tau, tie).mp(128).upper
    assert arb.close(max_weight(row, tau).ball(128), max_weight(long, tau).ball(128), 30).name == "HOLDS"


@pytest.mark.parametrize("tie", Tie)
@pytest.mark.parametrize("scores", [[0, 1], [2, 0, 2, 1], [1, 1, 1], [5, 0, 0, 0, 4]])
def test_sympy_finds_the_same_distance(scores, tie):
    terms = [sp.exp(sp.Rational(score) / sp.Rational(TAU.numerator, TAU.denominator)) for score in scores]
    hard = [sp.Rational(h.numerator, h.denominator) for h in hard_weights(scores, tie)]
    total = sum(terms)
    value = sum(sp.Abs((t / total - h).evalf(60)) for t, h in zip(terms, hard, strict=True)) / 2
    truth = Fraction(str(value))
    quantity = tv(Row.explicit(scores), TAU, tie)
    lower, upper = arb.endpoints(quantity.ball(128))
    assert lower - Fraction(1, 10**50) <= truth <= upper + Fraction(1, 10**50)
    interval = quantity.mp(128)
    assert interval.lower - Fraction(1, 10**50) <= truth <= interval.upper + Fraction(1, 10**50)


@pytest.mark.parametrize("tie", Tie)
@pytest.mark.parametrize("mask", Mask)
def test_every_mask_also_where_it_leaves_nothing(mask, tie):
    scores = [1, 3, 0, 3]
    for i in range(1, 5):
        row = Row.masked(scores, mask, i)
        if row.is_empty:
            for quantity in (
                l1(row, TAU, tie),
                tv(row, TAU, tie),
                max_weight(row, TAU),
                attention_output(row, TAU, []),
                value_error(row, TAU, [], tie),
                value_error_perturbed(row, TAU, [], [], tie),
                tv_between(row, row, TAU),
                tv_perturbed(row, row, TAU, tie),
            ):
                assert arb.endpoints(quantity.ball(64)) == (0, 0)
                assert (quantity.mp(64).lower, quantity.mp(64).upper) == (0, 0)
            continue
        visible = [int(score) for score in row.scores]
        low, high = distance_bounds(softmax_bounds(visible, TAU), hard_weights(visible, tie))
        lower, upper = arb.endpoints(l1(row, TAU, tie).ball(64))
        assert lower <= high
        assert low <= upper
        assert upper - lower <= high / 2**40


# A1 for two groups: TV = (n - k) q / (k + (n - k) q), q = exp(-gap / tau).
@pytest.mark.parametrize("exponent", [Fraction(1, 10**30), Fraction(1, 2), Fraction(3), Fraction(700)])
@pytest.mark.parametrize(("k", "others"), [(1, 1), (3, 10**6), (1, 10**30), (10**30, 1), (10**15, 10**15)])
def test_multisets_up_to_huge_lengths(exponent, k, others):
    row = Row.multiset({Fraction(5): k, 5 - exponent: others})
    q_low, q_high = exp_bounds(-exponent)
    low, high = (others * q / (k + others * q) for q in (q_low, q_high))
    quantity = tv(row, Fraction(1))
    lower, upper = arb.endpoints(quantity.ball(64))
    assert lower <= low
    assert high <= upper
    assert upper - lower < high / 2**40
    interval = quantity.mp(64)
    assert interval.lower <= low
    assert high <= interval.upper
    assert interval.upper - interval.lower < high / 2**40


@pytest.mark.parametrize("scale", [10**6, 10**4, 16_000, 30_000])
@pytest.mark.parametrize("tie", Tie)
def test_tiny_errors_keep_their_relative_accuracy_at_64_bits(scale, tie):
    row = Row.explicit([0, 1, Fraction(-1, 2)])
    quantity = l1(row, Fraction(1, scale), tie)
    enclosure, interval = quantity.ball(64), quantity.mp(64)
    assert enclosure > 0
    assert enclosure.rel_accuracy_bits() > 50
    assert libmp.mpf_gt(interval.lo, libmp.fzero)
    width = libmp.mpf_sub(interval.hi, interval.lo, 20, "c")
    assert libmp.mpf_lt(width, libmp.mpf_shift(interval.lo, -50))
    low, high = (libmp.from_man_exp(*end) for end in arb.outer(enclosure, 64))
    assert libmp.mpf_le(low, interval.hi)
    assert libmp.mpf_le(interval.lo, high)


@settings(deadline=None, max_examples=60)
@given(scores_lists, temperatures, st.sampled_from(Tie), st.permutations(range(6)), st.booleans())
def test_the_positive_part_form_agrees_with_the_definition(scores, tau, tie, order, perturb):
    row = Row.explicit(scores)
    soft = Row.explicit([scores[j] for j in order if j < len(scores)]) if perturb else row
    short = mpquantity._positive_parts(row, soft, tau, tie, Fraction(1), 100)
    plain = mpquantity.distance(row, soft, tau, tie, Fraction(1), 100)
    assert short.lower <= plain.upper
    assert plain.lower <= short.upper
    assert short.upper - short.lower < Fraction(1, 2**80)


def test_perturbed_ties_at_a_tiny_temperature():
    """Hard attention averages three positions, softmax takes one of them: TV is 2/3 within exp(-10^6)."""
    row, soft = Row.explicit([1, 1, 1, 0]), Row.explicit([2, 1, 1, 0])
    quantity = tv_perturbed(row, soft, Fraction(1, 10**6))
    lower, upper = arb.endpoints(quantity.ball(64))
    assert lower <= Fraction(2, 3) <= upper
    interval = quantity.mp(64)
    assert interval.lower <= Fraction(2, 3) + Fraction(1, 2**1000)
    assert Fraction(2, 3) - Fraction(1, 2**1000) <= interval.upper
    assert max(upper - lower, interval.upper - interval.lower) < Fraction(1, 2**50)


def test_distances_lie_between_zero_and_their_maximum():
    row = Row.multiset({Fraction(1): 1, Fraction(0): 10**30})
    lower, upper = arb.endpoints(tv(row, Fraction(100)).ball(200))
    assert 0 < lower <= upper < 1


def test_formal_cancellation_is_exact():
    x = ExpSum({Fraction(0): 1, Fraction(-1): 2})
    assert (x - x).terms == {}
    assert (x * x).terms == {0: 1, -1: 4, -2: 4}
    assert (x + x.scale(-2)).terms == {0: -1, -1: -2}
    assert x.same_sign()
    assert x.scale(-1).same_sign()
    assert not ExpSum({Fraction(0): 1, Fraction(-1): -2}).same_sign()
    assert ExpSum({}).same_sign()
    assert x.scale(-1).coefficients_abs().terms == x.terms
    ratio = Ratio.of_absolute([(2, x.scale(-1)), (1, ExpSum({Fraction(0): 1, Fraction(-1): -2}))], x)
    assert ratio.numerator.terms == {0: 2, -1: 4}
    assert len(ratio.absolute) == 1


@pytest.mark.parametrize("tau", [0, -1, Fraction(-1, 2), 0.5, True, None, "1"])
def test_temperatures_are_checked(tau):
    row = Row.explicit([1, 0])
    for build in (
        lambda: tv(row, tau),
        lambda: l1(row, tau),
        lambda: max_weight(row, tau),
        lambda: weight(row, tau, 0),
        lambda: attention_output(row, tau, [1, 2]),
        lambda: value_error(row, tau, [1, 2]),
        lambda: tv_between(row, row, tau),
        lambda: tv_perturbed(row, row, tau),
    ):
        with pytest.raises(InputError, match="temperature must be an int or a Fraction > 0"):
            build()


def test_shapes_and_values_are_checked():
    row, other = Row.explicit([1, 0]), Row.multiset({1: 1, 0: 2})
    for build in (tv_between, tv_perturbed):
        with pytest.raises(InputError, match="same groups of positions"):
            build(row, other, 1)
    with pytest.raises(InputError, match="got 1 for 2 groups"):
        value_error(row, 1, [1])
    with pytest.raises(InputError, match=r"value 2 must be an int or a Fraction, got 0\.5"):
        attention_output(row, 1, [1, 0.5])
    with pytest.raises(InputError, match="value 1 must be an int or a Fraction, got True"):
        value_error_perturbed(row, 1, [0, 1], [True, 1])
    for group in (-1, 2, True, 0.0):
        with pytest.raises(InputError, match="there is no group"):
            weight(row, 1, group)


def test_quantities_name_themselves():
    assert str(tv(Row.multiset({1: 1, 0: 10}), Fraction(1, 2))) == "tv of the row [1, 0 x 10] at tau = 1/2"
