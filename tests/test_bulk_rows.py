"""Enclosures of rows in bulk: against Arb, both loops bit for bit, and what the proof demands of every constant."""

import runpy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from bulk_fixture import BITS, adversarial_rows, encloses, random_rows, truth, truth_of_weights

from checker.ball import Ball, ball, endpoints, working
from checker.bulk import backend, compiled, plain, rows, verdicts
from checker.bulk.rows import Bounds
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
        bound = (1 + U) ** (n - 1).bit_length() - 1
        for total, true in zip(plain.fold(y.copy()).tolist(), exact, strict=True):
            assert abs(Fraction(total) - true) <= bound * true


RHO = Fraction(22, 10) * U  # what the proof of the exponential gives
A = Fraction(1, 2**1072)


def demanded(captured):
    """Whether sum_bounds, called as captured, returned ends outside of what the theorem on sums demands."""
    (total, count, _, error), n, found = captured
    for z, others, e, low, high in zip(
        total.tolist(), count.tolist(), np.broadcast_to(error, total.shape).tolist(), found.low, found.high, strict=True
    ):
        if others == 0:
            continue
        z, e = Fraction(z), int(e)
        theta = (1 + U) ** e - 1
        theta = theta / (1 - theta)
        sigma = RHO + (n - 1).bit_length() * U
        if z >= 4 * others * A:
            with working(BITS):
                log = max(endpoints(ball(others / z).log())[0], Fraction(0))
            lower, upper = z * (1 - sigma - theta * log) - others * A, z * (1 + sigma + theta * log) + others * A
        else:
            lower, upper = Fraction(0), z * (1 + sigma) + Fraction(101, 100) * others * A
        if Fraction(float(low)) > max(lower, 0) or Fraction(float(high)) < upper:
            return False
    return True


def capture(monkeypatch):
    """Sums of rows from one column on, at several temperatures, by numpy."""
    found = []
    real = rows.sum_bounds

    def caught(total, count, roundings, error):
        result = real(total, count, roundings, error)
        found.append(((total, count, roundings, error), n, result))
        return result

    monkeypatch.setenv(backend.VARIABLE, "0")
    with monkeypatch.context() as patched:
        patched.setattr(rows, "sum_bounds", caught)
        for n in (2, 3, 9, 70):
            for tau in (Fraction(1), Fraction(1, 3), Fraction(1, 7)):
                rows.evaluate(np.concatenate([random_rows(60, n, np.float64, n), adversarial_rows(n, np.float64)]), tau)
            scores = np.linspace(0, -745, 40 * n).reshape(n, 40).T.copy()
            scores[:, 0] = 0
            rows.evaluate(scores, np.full(40, 1.1))
    return found


def test_ends_are_those_that_the_theorem_demands(monkeypatch):
    found = capture(monkeypatch)
    assert len(found) == 16
    assert all(demanded(one) for one in found)


def halved_log(count, total):
    return LOG(count, total) * 0.5


LOG = rows.log_quotient
MUTANTS = {
    "exponential taken to be exact": {"RELATIVE": 0.0},
    "half the error of the exponential": {"RELATIVE": rows.RELATIVE / 2 - 2.5 * rows.U},
    "no absolute error": {"ABSOLUTE": 0.0},
    "half of the absolute error": {"ABSOLUTE": rows.ABSOLUTE / 8},
    "arguments taken to be exact": {"log_quotient": lambda count, total: 0.0 * total + 0.0 * count},
    "half the error of arguments": {"log_quotient": halved_log},
    "half a unit": {"U": rows.U / 2},
}


@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_noticed(name, monkeypatch):
    for attribute, value in MUTANTS[name].items():
        monkeypatch.setattr(rows, attribute, value)
    assert not all(demanded(one) for one in capture(monkeypatch))


def test_log_quotient_is_a_close_upper_bound():
    rng = np.random.default_rng(5)
    count = rng.integers(1, 10**6, 3000)
    total = count * 2.0 ** rng.uniform(-1060, 0, 3000)
    total[:4] = [5e-324, 2.2e-308, 1.0, 0.5]
    bound = LOG(count, total)
    with working(BITS):
        for n, z, b in zip(count.tolist(), total.tolist(), bound.tolist(), strict=True):
            true = ball(n / Fraction(z)).log()
            assert true <= b + Ball(2) ** -100
            assert b <= true + 0.15
    assert LOG(np.array([1]), np.array([1.5])) >= 0


def test_quotients_are_outward_and_close():
    rng = np.random.default_rng(6)
    k = rng.integers(1, 50, 4000)
    z = 10 ** rng.uniform(-300, 4, 4000)
    for side in (-1, 1):
        found = rows.quotient(z, z, k, side)
        for a, b, q in zip(k.tolist(), z.tolist(), found.tolist(), strict=True):
            true = Fraction(b) / (a + Fraction(b))
            assert (Fraction(q) - true) * side >= 0
            assert abs(Fraction(q) - true) <= true * 5 * U + Fraction(1, 2**1073)


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


RELATIONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@pytest.mark.parametrize("relation", RELATIONS)
def test_verdicts_on_intervals(relation):
    ends = [0.0, 0.25, 1 / 3, float(np.nextafter(1 / 3, 1)), 0.5]
    pairs = [(a, b) for a in ends for b in ends if a <= b]
    bounds = Bounds(np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]))
    for threshold in (Fraction(1, 4), Fraction(1, 3), Fraction(0), 1, Fraction(10) ** 400, -(Fraction(10) ** 400)):
        for (a, b), verdict in zip(pairs, verdicts.compare(bounds, relation, threshold).tolist(), strict=True):
            sides = {RELATIONS[relation](Fraction(x), threshold) for x in (a, b)}
            # Both ends on one side decide; an end may be attained.
            assert verdict == (0 if len(sides) == 2 else 1 if True in sides else -1), (a, b, threshold)
    same = verdicts.compare(bounds, relation, np.full(len(pairs), 0.25))
    assert same.tolist() == verdicts.compare(bounds, relation, Fraction(1, 4)).tolist()


def test_only_open_rows_go_to_arb(monkeypatch):
    """Thresholds inside the enclosure of one row each: exactly these rows are decided by Arb, and rightly."""
    scores, tau = random_rows(60, 5, np.float64, 9), Fraction(1, 3)
    asked = []
    real = verdicts.decide

    def counted(*args, **named):
        asked.append(args)
        return real(*args, **named)

    monkeypatch.setattr(verdicts, "decide", counted)
    for quantity in ("tv", "l1", "max_weight"):
        bounds = verdicts.enclose(quantity, rows.evaluate(scores, tau))
        chosen = [i for i in range(60) if bounds.low[i] < bounds.high[i] and bounds.low[i] > 1e-300][:10]
        for i in chosen:
            level = Fraction(bounds.low[i]) / 2 + Fraction(bounds.high[i]) / 2
            asked.clear()
            found = verdicts.decide_rows(quantity, scores, tau, "<=", level)
            assert 1 <= len(asked) <= (20 if quantity == "max_weight" else 3)  # many weights are next to 1
            assert (found != verdicts.UNDECIDED).all()
            for j, row in enumerate(scores):
                _, _, _, tv, most = truth(row, tau)
                with working(BITS):
                    true = {"tv": tv, "l1": 2 * tv, "max_weight": most}[quantity]
                    holds = true <= ball(level)
                    assert holds or true > ball(level), (row, level, true)
                    assert found[j] == (verdicts.HOLDS if holds else verdicts.FAILS), (row, level)


def test_thresholds_and_temperatures_for_each_row():
    scores = np.array([[1.0, 0.0], [1.0, 0.0], [1.7e308, -1.7e308], [2.0, 2.0]])
    taus, levels = np.array([1.0, 2.0, 1e308, 1.0]), np.array([0.3, 0.3, 0.04, 0.0])
    # TV = 1/(1 + e), 1/(1 + sqrt e), 1/(1 + exp 3.4), 0
    assert verdicts.decide_rows("tv", scores, taus, "<=", levels).tolist() == [1, -1, 1, 1]
    assert verdicts.decide_rows("tv", scores, taus, ">", levels).tolist() == [-1, 1, -1, -1]
    found = rows.evaluate(scores, taus)
    assert verdicts.distance_at_most(found, Fraction(3, 10)).tolist() == [1, -1, 0, 1]


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


def test_names_and_relations():
    found = rows.evaluate(np.array([[1.0, 0.0]]), Fraction(1))
    with pytest.raises(InputError, match="the quantity must be one of tv, l1, max_weight, got 'l2'"):
        verdicts.enclose("l2", found)
    with pytest.raises(InputError, match="relation must be one of"):
        verdicts.compare(found.z, "=", 1)
