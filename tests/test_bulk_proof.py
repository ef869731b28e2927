"""The bounds of notes/bulk.md in exact arithmetic: what the theorems demand is kept, and mutants do not keep it."""

from fractions import Fraction

import numpy as np
import pytest
from bulk_fixture import BITS, adversarial_rows, random_rows

from checker.ball import Ball, ball, endpoints, working
from checker.bulk import backend, plain, rows

U = Fraction(1, 2**53)
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
    "ends that need no rounding": {"ENDS": 0.0},
    "sums that are exact": {"plain.depth": lambda _: 0},
    "sums in one round less": {"plain.depth": lambda n: (n - 1).bit_length() - 1, "ENDS": 2.1},
}


@pytest.mark.parametrize("name", MUTANTS)
def test_changed_constants_are_noticed(name, monkeypatch):
    for attribute, value in MUTANTS[name].items():
        module = plain if attribute.startswith("plain.") else rows
        monkeypatch.setattr(module, attribute.removeprefix("plain."), value)
    assert not all(demanded(one) for one in capture(monkeypatch))


def weights_demanded(monkeypatch):
    """Whether the ends of weights lie outside of what the theorem demands, given y, x and the ends of 1/(k + Z)."""
    monkeypatch.setenv(backend.VARIABLE, "0")
    real_loop, real_most, right, largest = plain.weights, rows.max_weight, [], []

    def most(found):
        largest.append(real_most(found))
        return largest[-1]

    def loop(scores, slack, centre, low, high):
        y, x = low.copy(), high.copy()
        real_loop(scores, slack, centre, low, high)
        for i in range(len(scores)):
            below, above = Fraction(float(largest[-1].low[i])), Fraction(float(largest[-1].high[i]))
            for j in np.flatnonzero(scores[i] != -np.inf):
                here, argument = Fraction(float(y[i, j])), -Fraction(float(x[i, j]))
                part = RHO + theta * argument
                right.append(Fraction(float(low[i, j])) <= max(here * below * (1 - part) - A, 0))
                right.append(Fraction(float(high[i, j])) >= min(here * above * (1 + part) + A, 1))

    with monkeypatch.context() as patched:
        patched.setattr(plain, "weights", loop)
        patched.setattr(rows, "max_weight", most)
        for tau, error in ((Fraction(1), 1), (Fraction(1, 3), 2), (Fraction(37, 100), 3)):
            theta = (1 + U) ** error - 1
            theta /= 1 - theta
            for n in (2, 16):
                rows.weights(np.concatenate([random_rows(40, n, np.float64, n), adversarial_rows(n, np.float64)]), tau)
    assert len(right) > 2000
    return all(right)


def test_ends_of_weights_are_those_that_the_theorem_demands(monkeypatch):
    assert weights_demanded(monkeypatch)


WEIGHT_MUTANTS = {
    "half the error of the exponential": ("RELATIVE", rows.RELATIVE / 2 - 2 * rows.U),
    "ends that need no rounding": ("ENDS", 0.0),
    "half a unit": ("U", rows.U / 2),
}


@pytest.mark.parametrize("name", WEIGHT_MUTANTS)
def test_changed_constants_of_weights_are_noticed(name, monkeypatch):
    monkeypatch.setattr(rows, *WEIGHT_MUTANTS[name])
    assert not weights_demanded(monkeypatch)


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
