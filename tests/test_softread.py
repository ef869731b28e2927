"""What heads read, in bulk: every realisation of uncertain queries, keys and values lies in the enclosure."""

from fractions import Fraction

import flint
import numpy as np
import pytest

from checker.attention import Mask
from checker.ball import working
from checker.transformer.batchhead import seen_from
from checker.transformer.exactarray import ExactArray, bilinear
from checker.transformer.interval import Interval
from checker.transformer.softread import exact_weights, inexact_weights, read, uniform_weights


def truth(scores, values, seen, tau):
    """Softmax means with Arb at 300 bits from lists of fractions; None where nothing is visible."""
    means = []
    with working(300):
        for i, row in enumerate(scores):
            visible = [j for j in range(len(row)) if seen[i, j]]
            if not visible:
                means.append(None)
                continue
            top = max(row[j] for j in visible)
            powers = {j: flint.arb(flint.fmpq(*((row[j] - top) / tau).as_integer_ratio())).exp() for j in visible}
            total = sum(powers.values(), flint.arb(0))
            weighted = (powers[j] * flint.arb(flint.fmpq(*values[j].as_integer_ratio())) for j in visible)
            means.append(sum(weighted, flint.arb(0)) / total)
    return means


def assert_inside(result, means, word):
    with working(300):
        for i, mean in enumerate(means):
            low, high = float(result.low[word, i]), float(result.high[word, i])
            if mean is None:
                assert low == high == 0
                continue
            # A proved miss by more than the width of the 300-bit ball.
            assert not low > mean
            assert not mean > high


def exact_case(rng, size, magnitude):
    words = int(rng.integers(1, 4))
    q = ExactArray.whole(rng.integers(-magnitude, magnitude + 1, (int(rng.choice([1, words])), size)))
    k = ExactArray.of(rng.integers(-magnitude, magnitude + 1, (words, size)), int(rng.integers(1, 4)))
    return bilinear([(q, k)])


@pytest.mark.parametrize("tau", ["1", "1/7", "1/1024", "1/1000000", "1000000", "1e-330", "1e330"])
@pytest.mark.parametrize("magnitude", [1, 5, 1000, 10**8])
def test_exact_scores(tau, magnitude):
    rng = np.random.default_rng([magnitude, len(tau)])
    tau = Fraction(tau)
    for mask in Mask:
        size = int(rng.integers(2, 7))
        seen = seen_from(mask, range(size))
        scores = exact_case(rng, size, magnitude)
        values = rng.choice([0.0, 1.0, -3.0, 0.3, 1e-300, 5e-324, 1e9], (len(scores.numerators), size))
        weights = exact_weights(scores, seen, tau) or uniform_weights(seen)
        result = read(weights, Interval(values, values), mask)
        for word in range(len(values)):
            means = truth(scores.fractions()[word].tolist(), [Fraction(v) for v in values[word]], seen, tau)
            assert_inside(result, means, word)
            for i in range(size):
                if seen[i].any():
                    assert result.low[word, i] >= values[word][seen[i]].min()
                    assert result.high[word, i] <= values[word][seen[i]].max()


def test_a_table_of_powers_and_elementwise_powers_agree():
    """Many words of few distinct scores go through a table."""
    rng = np.random.default_rng(1)
    seen = seen_from(Mask.FUTURE, range(6))
    scores = ExactArray.whole(rng.integers(0, 5, (50, 6, 6)))
    both = exact_weights(scores, seen, Fraction(1, 3)), exact_weights(scores[:1], seen, Fraction(1, 3))
    assert np.array_equal(both[0].base[0], both[1].base[0])
    assert (both[0].base[:, ~seen] == 0).all()


def test_equal_scores_are_uniform():
    seen = seen_from(Mask.STRICT_FUTURE, range(3))
    scores = ExactArray.whole(np.array([[[1, 2, 3], [4, 5, 6], [7, 7, 9]]]))
    assert exact_weights(scores, seen, Fraction(1)) is None
    values = np.array([[1.0, 0.0, 5.0]])
    result = read(uniform_weights(seen), Interval(values, values), Mask.STRICT_FUTURE)
    assert result.low[0, :2].tolist() == result.high[0, :2].tolist() == [0, 1]
    assert result.low[0, 2] <= 0.5 <= result.high[0, 2]


def realise(rng, x):
    """Points of an interval array, its ends preferred, as fractions."""
    share = rng.choice([0.0, 1.0, -1.0], x.low.shape)
    share = np.where(share < 0, rng.random(x.low.shape), share)
    point = np.clip(x.low + share * (x.high - x.low), x.low, x.high)
    return [[Fraction(v) for v in row] for row in point.tolist()]


def uncertain(rng, shape, magnitude, width):
    low = np.round(rng.uniform(-magnitude, magnitude, shape), 2)
    radius = width * rng.random(shape) * rng.choice([0, 1], shape)
    return Interval(low, low + radius) if rng.random() < 0.8 else Interval(low, low)


@pytest.mark.parametrize("width", [0.0, 1e-14, 1e-9, 1e-4, 0.1, 3.0])
@pytest.mark.parametrize("tau", ["1", "1/50", "1/1000000", "1000", "1e-330", "1e330"])
def test_uncertain_scores(width, tau):
    rng = np.random.default_rng([int(width * 1e14), len(tau)])
    tau = Fraction(tau)
    for mask in Mask:
        size, words, rows = int(rng.integers(2, 6)), int(rng.integers(1, 3)), int(rng.integers(1, 4))
        seen = seen_from(mask, range(size))
        magnitude = float(rng.choice([1.0, 30.0]))
        queries = [uncertain(rng, (words, size), magnitude, width) for _ in range(rows)]
        keys = [uncertain(rng, (words, size), magnitude, width) for _ in range(rows)]
        values = uncertain(rng, (words, size), 2.0, float(rng.choice([0.0, width])))
        result = read(inexact_weights(queries, keys, seen, tau), values, mask)
        for _ in range(6):
            q, k, v = ([realise(rng, x) for x in queries], [realise(rng, x) for x in keys], realise(rng, values))
            for word in range(words):
                scores = [
                    [sum(q[r][word][i] * k[r][word][j] for r in range(rows)) for j in range(size)] for i in range(size)
                ]
                assert_inside(result, truth(scores, v[word], seen, tau), word)


def test_uncertainty_common_to_all_keys_does_not_count():
    """A query known to 1e-6, keys 1000, 1001, ..: differences of scores are known to 1e-6, not to 1e-3."""
    q = np.array([[1.0, 1.0, 1.0]])
    k = np.array([[1000.0, 1001.0, 1002.0]])
    seen = seen_from(Mask.NONE, range(3))
    values = np.array([[0.0, 0.0, 1.0]])
    query = Interval(q - 1e-6, q + 1e-6)
    result = read(inexact_weights([query], [Interval(k, k)], seen, Fraction(1)), Interval(values, values), Mask.NONE)
    assert (result.high - result.low).max() < 4e-6


def test_uncertain_weights_count_as_far_as_values_differ():
    """All visible values equal to within 1e-9: so is what is read, whatever the weights."""
    rng = np.random.default_rng(2)
    values = 1 + rng.random((1, 5)) * 1e-9
    query = Interval(np.full((1, 5), -50.0), np.full((1, 5), 50.0))
    weights = inexact_weights([query], [query], seen_from(Mask.NONE, range(5)), Fraction(1))
    result = read(weights, Interval(values, values), Mask.NONE)
    assert (result.high - result.low).max() <= 1.0001e-9


@pytest.mark.parametrize("bad", [(-np.inf, np.inf), (-1e308, 1e308), (1e200, 1.1e200)])
def test_overflow_leaves_the_range_of_the_values(bad):
    x = Interval(np.full((1, 3), bad[0]), np.full((1, 3), bad[1]))
    values = np.array([[0.0, 0.5, 1.0]])
    weights = inexact_weights([x], [x], seen_from(Mask.NONE, range(3)), Fraction(1))
    result = read(weights, Interval(values, values), Mask.NONE)
    assert result.low.tolist() == [[0.0] * 3]
    assert result.high.tolist() == [[1.0] * 3]


def test_infinite_values_are_enclosed():
    x = Interval(np.zeros((1, 2)), np.zeros((1, 2)))
    values = Interval(np.array([[-np.inf, 0.0]]), np.array([[1.0, 0.0]]))
    result = read(uniform_weights(seen_from(Mask.NONE, range(2))), values, Mask.NONE)
    assert (result.low == -np.inf).all()
    assert (result.high >= 0.5).all()
    weights = inexact_weights([x], [x], seen_from(Mask.FUTURE, range(2)), Fraction(1))
    assert (read(weights, values, Mask.FUTURE).low == -np.inf).all()


@pytest.mark.parametrize("tau", ["1/7", "3/700", "1/1000", "997/1000"])
def test_small_weights_of_exact_scores_have_a_small_relative_error(tau):
    """The value read is exp(-s / tau) / (1 + exp(-s / tau)), down to 10^-300."""
    tau, seen = Fraction(tau), seen_from(Mask.NONE, range(2))
    values = np.array([[0.0, 1.0]])
    for scaled in range(1, 690, 23):
        score = round(scaled * tau * 1000)
        scores = ExactArray(np.array([[[0, -score]] * 2]), 1000)
        result = read(exact_weights(scores, seen, tau), Interval(values, values), Mask.NONE)
        assert_inside(result, truth(scores.fractions()[0].tolist(), [Fraction(0), Fraction(1)], seen, tau), 0)
        assert (result.high - result.low).max() <= 2e-12 * result.high.min()


@pytest.mark.parametrize("tau", ["1/7", "1/1000", "997/1000"])
def test_small_weights_of_inexact_scores_have_a_small_relative_error(tau):
    tau, seen = Fraction(tau), seen_from(Mask.NONE, range(2))
    values = np.array([[0.0, 1.0]])
    for scaled in range(1, 690, 23):
        query, key = np.array([[float(tau) / 3] * 2]), np.array([[0.0, -3.0 * scaled]])
        scores = [[Fraction(query[0, i]) * Fraction(key[0, j]) for j in range(2)] for i in range(2)]
        weights = inexact_weights([Interval(query, query)], [Interval(key, key)], seen, tau)
        result = read(weights, Interval(values, values), Mask.NONE)
        assert_inside(result, truth(scores, [Fraction(0), Fraction(1)], seen, tau), 0)
        assert (result.high - result.low).max() <= 4e-12 * result.high.min()


def test_scores_that_cancel():
    """Sums of three products of size 10^8 whose sum is of order 1."""
    rng = np.random.default_rng(8)
    seen = seen_from(Mask.NONE, range(3))
    values = np.array([[0.0, 1.0, -1.0]])
    for _ in range(40):
        a, b = rng.uniform(1e3, 1e4, (1, 3)), rng.uniform(1e3, 1e4, (1, 3))
        q, k = [a, -a, np.ones((1, 3))], [b, b * (1 + 1e-8 * rng.random((1, 3))), rng.random((1, 3))]
        scores = [
            [sum(Fraction(x[0, i]) * Fraction(y[0, j]) for x, y in zip(q, k, strict=True)) for j in range(3)]
            for i in range(3)
        ]
        weights = inexact_weights([Interval(x, x) for x in q], [Interval(x, x) for x in k], seen, Fraction(1))
        result = read(weights, Interval(values, values), Mask.NONE)
        assert_inside(result, truth(scores, [Fraction(v) for v in values[0]], seen, Fraction(1)), 0)
        assert (result.high - result.low).max() < 1e-5


@pytest.mark.parametrize(
    "tau", [Fraction(3, 700), Fraction(2**45, 2**52 + 1), Fraction(2**44, 2**51 + 3), Fraction(1, 99)]
)
@pytest.mark.parametrize("score", [1, 2, 3, 5, 7])
def test_arguments_of_exp_that_are_rounded_or_not(tau, score):
    """Integer scores over temperatures for which score / tau is a float64, nearly one, or none."""
    seen, values = seen_from(Mask.NONE, range(2)), np.array([[0.0, 1.0]])
    scores = ExactArray(np.array([[[0, -score]] * 2]))
    result = read(exact_weights(scores, seen, tau), Interval(values, values), Mask.NONE)
    assert_inside(result, truth(scores.fractions()[0].tolist(), [Fraction(0), Fraction(1)], seen, tau), 0)
