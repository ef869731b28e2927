"""Feed-forward parts as piecewise-linear functions: exact identity with the units, ranges, exact clean-up."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from checker.ball import Ball, ball, endpoints, working
from checker.transformer.model import FeedForward, Unit
from checker.transformer.piecewise import Piecewise, decompose

RATIONALS = st.fractions(min_value=-4, max_value=4, max_denominator=6)
DIRECTIONS = ("a", "b", "c")


@st.composite
def feed_forwards(draw):
    forms = draw(st.lists(st.dictionaries(st.sampled_from(DIRECTIONS), RATIONALS), min_size=1, max_size=2))
    hidden = []
    for _ in range(draw(st.integers(1, 6))):
        form, factor = draw(st.sampled_from(forms)), draw(RATIONALS)
        hidden.append(Unit({d: factor * c for d, c in form.items()}, draw(RATIONALS)))
    combination = st.dictionaries(st.integers(0, len(hidden) - 1), RATIONALS)
    output = draw(st.dictionaries(st.sampled_from(DIRECTIONS), combination))
    return FeedForward(tuple(hidden), output, draw(st.dictionaries(st.sampled_from(DIRECTIONS), RATIONALS)))


def direct(part, x):
    """The definition: x + W_2 ReLU(W_1 x + b_1) + b_2."""
    units = [max(Fraction(0), sum((c * x[d] for d, c in u.weights.items()), u.bias)) for u in part.hidden]
    return {
        d: x[d] + part.bias.get(d, 0) + sum((c * units[k] for k, c in part.output.get(d, {}).items()), Fraction(0))
        for d in DIRECTIONS
    }


def decomposed(parts, x):
    result = {d: (0 if d in parts.absorbed else x[d]) + parts.constant.get(d, 0) for d in DIRECTIONS}
    for part in parts.parts:
        u = sum((c * x[d] for d, c in part.form), Fraction(0))
        for d, function in part.functions.items():
            result[d] += function.at(u)
    return result


@given(feed_forwards(), st.lists(st.tuples(RATIONALS, RATIONALS, RATIONALS), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_decomposition_is_the_feed_forward_part(part, points):
    parts = decompose(part)
    for point in points:
        x = dict(zip(DIRECTIONS, point, strict=True))
        assert decomposed(parts, x) == direct(part, x)
        assert all(direct(part, x)[d] == x[d] for d in DIRECTIONS if d not in parts.written)


def test_multiples_of_one_form_are_one_function():
    units = (Unit({"a": Fraction(1)}, Fraction(0)), Unit({"a": Fraction(-2)}, Fraction(0)))
    parts = decompose(FeedForward(units, {"b": {0: Fraction(1), 1: Fraction(1, 2)}}, {}))
    assert [part.form for part in parts.parts] == [(("a", 1),)]
    assert parts.parts[0].functions["b"] == Piecewise((Fraction(0),), (Fraction(-1), Fraction(1)), (Fraction(0),) * 2)


def test_erasing_a_coordinate_leaves_exactly_nothing():
    """x - ReLU(x) + ReLU(-x) = 0, also for an enclosure."""
    units = (Unit({"a": Fraction(1)}, Fraction(0)), Unit({"a": Fraction(-1)}, Fraction(0)))
    parts = decompose(FeedForward(units, {"a": {0: Fraction(-1), 1: Fraction(1)}}, {}))
    assert parts.absorbed == {"a"}
    function = parts.parts[0].functions["a"]
    assert function == Piecewise((), (Fraction(0),), (Fraction(0),))
    with working(64):
        assert function.enclose(ball(Fraction(1, 3))) == 0


def clean_up(a):
    """D1: (ReLU(x - a) - ReLU(x - 1 + a)) / (1 - 2a)."""
    units = {(Fraction(1), -a): 1 / (1 - 2 * a), (Fraction(1), a - 1): -1 / (1 - 2 * a)}
    return Piecewise.of_units(units, Fraction(0))


def test_clean_up_of_a_ball_beyond_the_threshold_is_exact():
    function = clean_up(Fraction(1, 4))
    with working(64):
        for u, value in ((Ball(0).union(Ball(0.24)), 0), (Ball(0.76).union(Ball(1.5)), 1), (ball(Fraction(1, 10)), 0)):
            assert function.enclose(u) == value
            assert isinstance(function.enclose(u), Fraction)
        middle = function.enclose(Ball(0.1).union(Ball(0.9)))
        assert isinstance(middle, Ball)
        assert middle <= Ball(1) + Ball(2) ** -20
        assert middle.contains(Ball(0))
        assert middle.contains(Ball(1))


@given(
    st.dictionaries(st.tuples(RATIONALS.filter(bool), RATIONALS), RATIONALS, max_size=5),
    RATIONALS,
    RATIONALS,
    st.fractions(min_value=0, max_value=3, max_denominator=6),
    st.sampled_from([30, 64, 200]),
)
@settings(max_examples=150, deadline=None)
def test_range_over_a_ball_is_enclosed_and_tight(units, slope, left, width, prec):
    function = Piecewise.of_units(units, slope)
    inside = [left, left + width, *(left + width * Fraction(k, 7) for k in range(8))]
    inside += [point for point in function.breakpoints if left <= point <= left + width]
    truth = [function.at(u) for u in inside]
    with working(prec):
        enclosed = function.enclose(ball(left).union(ball(left + width)))
        low, high = (enclosed, enclosed) if isinstance(enclosed, Fraction) else endpoints(enclosed)
    assert low <= min(truth)
    assert max(truth) <= high
    slack = Fraction(1000, 2 ** min(prec, 25))  # radii have 30 bits
    assert min(truth) - low <= slack
    assert high - max(truth) <= slack


@given(st.dictionaries(st.tuples(RATIONALS.filter(bool), RATIONALS), RATIONALS, max_size=5), RATIONALS)
@settings(max_examples=60, deadline=None)
def test_pieces_join(units, slope):
    function = Piecewise.of_units(units, slope)
    assert list(function.breakpoints) == sorted(set(function.breakpoints))
    assert all(s != t for s, t in pairwise(function.slopes))
    for p, point in enumerate(function.breakpoints):
        assert function.piece(p, point) == function.piece(p + 1, point)
    for u in (Fraction(-100), Fraction(1, 7), Fraction(100)):
        assert function.at(u) == slope * u + sum(c * max(Fraction(0), a * u + b) for (a, b), c in units.items())
