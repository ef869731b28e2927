"""Enclosures of rows in bulk: against Arb, both loops bit for bit, and what the proof demands of every constant."""

import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bulk_fixture import adversarial_rows, encloses, random_rows, truth, truth_of_weights

from checker.ball import working
from checker.bulk import backend, compiled, plain, rows
from checker.errors import InputError

U = Fraction(1, 2**53)
TEMPERATURES = [Fraction(1), Fraction(1, 3), Fraction(1, 7), Fraction(37, 100), Fraction(5), Fraction(1, 2**20)]
LENGTHS = [1, 2, 3, 7, 16, 33]
DTYPES = [np.float32, np.float64]


def check_against_arb(scores, tau):
    """No enclosure of any quantity of any row misses; returns how many rows were known."""
    found, weights = rows.weights(scores, tau)
    distance, largest = rows.distance(found), rows.max_weight(found)
    for i, row in enumerate(scores):
        here = tau if isinstance(tau, Fraction) else Fraction(float(tau[i]))
        n, k, z, tv, most = truth(row, here)
        assert (found.n[i], found.k[i], found.top[i]) == (n, k, row.max())
        for bounds, number in ((found.z, z), (distance, tv), (largest, most)):
            assert encloses(bounds.low[i], bounds.high[i], number), (row, here, bounds.low[i], bounds.high[i], number)
        for j, weight in enumerate(truth_of_weights(row, here, z, k)):
            assert encloses(weights.low[i, j], weights.high[i, j], weight), (row, here, j)
        assert (weights.high[i][row == -np.inf] == 0).all() or not found.known[i]
    return int(found.known.sum())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", LENGTHS)
def test_no_enclosure_misses_on_random_rows(n, dtype):
    for seed, tau in enumerate(TEMPERATURES):
        scores = random_rows(40, n, dtype, 100 * seed + n)
        assert check_against_arb(scores, tau) == len(scores)
    taus = 10 ** np.random.default_rng(n).uniform(-3, 3, 40)
    assert check_against_arb(random_rows(40, n, dtype, n), taus) == 40


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("tau", [*TEMPERATURES, Fraction(10) ** 30, Fraction(1, 10**40), Fraction(1, 10**290)])
def test_no_enclosure_misses_on_adversarial_rows(tau, dtype):
    known = check_against_arb(adversarial_rows(16, dtype), tau)
    assert known >= 22
    check_against_arb(adversarial_rows(2, dtype), tau)
    check_against_arb(adversarial_rows(1, dtype), tau)


def test_many_rows_of_small_length():
    """20,000 rows, sums only."""
    for seed in range(20):
        scores = random_rows(1000, 4, DTYPES[seed % 2], seed)
        tau = TEMPERATURES[seed % len(TEMPERATURES)]
        found = rows.evaluate(scores, tau)
        for i, row in enumerate(scores):
            z = truth(row, tau)[2]
            assert encloses(found.z.low[i], found.z.high[i], z), (row, tau)


def test_enclosures_are_narrow():
    for n in (16, 1024):
        found, weights = rows.weights(np.random.default_rng(n).normal(0, 2, (50, n)), Fraction(1))
        assert ((found.z.high - found.z.low) / found.z.low).max() < 60 * 2.0**-53
        assert (rows.distance(found).high - rows.distance(found).low).max() < 16 * 2.0**-53
        assert ((weights.high - weights.low) / weights.low).max() < 2e-14


def test_one_element_equal_scores_and_points():
    found, weights = rows.weights(np.array([[3.0], [-5e-324]]), Fraction(1, 3))
    assert found.z.high.tolist() == rows.distance(found).high.tolist() == [0, 0]
    assert weights.high.tolist() == [[1], [1]]
    found = rows.evaluate(np.full((2, 5), 0.25), Fraction(1))
    assert (found.k.tolist(), rows.distance(found).high.tolist()) == ([5, 5], [0, 0])


def bits(array):
    return np.ascontiguousarray(array).view(np.int64 if array.dtype == np.float64 else array.dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numba_and_numpy_give_the_same_bits(dtype, monkeypatch):
    """On rows with more than 10^6 entries altogether, of every kind."""
    entries = 0
    for n in (1, 2, 5, 8, 16, 31, 257, 1024, 2500):
        count = max(24, 150_000 // n)
        scores = np.concatenate([random_rows(count, n, dtype, n), adversarial_rows(n, dtype)])
        entries += scores.size
        for tau in (Fraction(37, 100), 10 ** np.random.default_rng(n).uniform(-5, 5, len(scores))):
            results = []
            for wish in ("0", "1"):
                monkeypatch.setenv(backend.VARIABLE, wish)
                found, weights = rows.weights(scores, tau)
                alone = rows.evaluate(scores, tau)
                arrays = [weights.low, weights.high]
                for one in (found, alone):
                    arrays += [one.n, one.k, one.top, one.known, one.z.low, one.z.high]
                results.append(arrays)
            for one, other in zip(*results, strict=True):
                assert np.array_equal(bits(one), bits(other)), (n, tau)
    assert entries > 10**6


def test_moments_of_numba_and_numpy_have_the_same_bits():
    rng = np.random.default_rng(3)
    for n in (1, 7, 1500):
        d = rng.random((200, n)) * 10.0 ** rng.integers(-9, 9, (200, 1))
        d[rng.random(d.shape) < 0.2] = np.inf
        rate = 10 ** rng.uniform(-9, 9, 200)
        pairs = [(np.empty(200), np.empty(200)) for _ in range(2)]
        for loops, (total, moment) in zip((plain, compiled), pairs, strict=True):
            loops.moments(d, rate, rows.table(), total, moment)
        for one, other in zip(*pairs, strict=True):
            assert np.array_equal(bits(one), bits(other))
        y = np.exp(-d * rate[:, None])
        assert pairs[0][0] == pytest.approx(y.sum(axis=1), rel=1e-10, abs=1e-290)


def test_fold_is_a_sum_in_ceil_log2_rounds():
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 4, 5, 17, 64, 1000):
        y = rng.random((20, n))
        exact = [sum(map(Fraction, row), Fraction(0)) for row in y.tolist()]
        bound = (1 + U) ** plain.depth(n) - 1
        assert 2 ** plain.depth(n) >= n > 2 ** plain.depth(n) // 2
        for total, true in zip(plain.fold(y.copy()).tolist(), exact, strict=True):
            assert abs(Fraction(total) - true) <= bound * true


@pytest.mark.parametrize(("module", "name"), [(plain, "TINY"), (plain, "fold")])
def test_changed_loops_are_noticed(module, name, monkeypatch):
    """No absolute part of weights; a sum that leaves out the last column."""
    monkeypatch.setattr(module, name, 0.0 if name == "TINY" else lambda y: FOLD(y[:, :-1]))
    monkeypatch.setenv(backend.VARIABLE, "0")
    scores = adversarial_rows(4, np.float64) if name == "TINY" else random_rows(40, 3, np.float64, 1)
    with pytest.raises(AssertionError):
        check_against_arb(scores, Fraction(1))


FOLD = plain.fold


def test_temperatures_and_how_often_they_round():
    expected = {"1": 1, "1/4": 1, "1/3": 2, "3": 3, "37/100": 3, "8": 1}
    for text, error in expected.items():
        found = rows.rates(Fraction(text), 2)
        assert found.error.tolist() == [error] * 2
        assert found.known.all()
    for text in ("1e400", "1e-400", "1e-302"):
        assert not rows.rates(Fraction(text), 1).known.any()
    assert rows.rates(np.array([1.0, 1e308, 5e-324]), 3).known.tolist() == [True, False, False]


def test_rows_beyond_float64_are_not_known():
    scores = np.array([[1.7e308, -1.7e308, 0], [1, 0, 0]])
    found, weights = rows.weights(scores, Fraction(10) ** 300)
    assert found.known.tolist() == [False, True]
    assert (found.z.low[0], found.z.high[0], found.n[0]) == (0, 2, 3)
    assert (weights.low[0].tolist(), weights.high[0].tolist()) == ([0] * 3, [1] * 3)
    assert not rows.evaluate(scores, Fraction(1, 10**400)).known.any()


@pytest.mark.parametrize(
    ("scores", "tau", "message"),
    [
        (np.array([[1, 2]]), Fraction(1), "dtype int64"),
        (np.array([1.0]), Fraction(1), "two axes"),
        (np.empty((2, 0)), Fraction(1), "two axes"),
        (np.array([[1.0, np.nan]]), Fraction(1), "finite or -inf"),
        (np.array([[1.0, np.inf]]), Fraction(1), "finite or -inf"),
        (np.array([[-np.inf, -np.inf]]), Fraction(1), "finite or -inf"),
        (np.array([[1.0]]), Fraction(0), "must be positive"),
        (np.array([[1.0]]), np.array([0.0]), "not positive"),
        (np.array([[1.0]]), np.array([np.nan]), "not positive"),
        (np.array([[1.0]]), np.array([1.0, 1.0]), "shape"),
    ],
)
@pytest.mark.parametrize("wish", ["0", "1"])
def test_bad_arguments(scores, tau, message, wish, monkeypatch):
    monkeypatch.setenv(backend.VARIABLE, wish)
    with np.errstate(invalid="ignore"), pytest.raises(InputError, match=message):
        rows.evaluate(scores, tau)


def test_no_rows():
    found, weights = rows.weights(np.empty((0, 3)), Fraction(1))
    assert (len(found.n), weights.low.shape) == (0, (0, 3))


CAMPAIGN = runpy.run_path(str(Path(__file__).parent.parent / "benchmarks" / "enclosures.py"))


@pytest.mark.parametrize("kind", CAMPAIGN["KINDS"])
def test_the_campaign_against_arb(kind, monkeypatch):
    rng = np.random.default_rng(4)
    with working(CAMPAIGN["BITS"]):
        for n in CAMPAIGN["LENGTHS"]:
            scores, tau = CAMPAIGN["scores_of"](kind, 60, n, rng), CAMPAIGN["temperature_of"](60, rng)
            compared, missed, _ = CAMPAIGN["compare"](scores, tau, rng)
            assert (compared, missed) == (240, 0)
        monkeypatch.setattr(rows, "log_quotient", lambda _, total: 0.0 * total - 30)
        missed = [
            CAMPAIGN["compare"](CAMPAIGN["scores_of"](kind, 60, 9, rng), Fraction(3, 7), rng)[1] for _ in range(5)
        ]
        assert sum(missed) > 0 or kind == "equal"
