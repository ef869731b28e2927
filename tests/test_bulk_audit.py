"""The audit of blocks of rows against the audit row by row with Arb, with and without numba."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from bulk_fixture import adversarial_rows, encloses, random_rows, truth

from checker import audit_report, critical, scores
from checker.bulk import auditing, backend, temperature
from checker.scorearray import Scores

FIELDS = ("tv", "critical", "bound_tv", "bound_critical", "slack")


def both(array, **options):
    """The audit in bulk, and by Arb row by row."""
    data = Scores("a", array)
    bulk = scores.audit(data, **options)
    single = scores.audit(data, **options)
    for row in range(data.rows):
        scores._audit_exact_row(single, row, False)
    return bulk, single


def agree(bulk, single):
    """Equal counts, overlapping enclosures, and the same rows for which every temperature will do."""
    assert np.array_equal(bulk.n, single.n)
    assert np.array_equal(bulk.k, single.k)
    for name in FIELDS:
        one, other = getattr(bulk, name), getattr(single, name)
        assert np.array_equal(np.isnan(one), np.isnan(other)), name
        assert np.array_equal(np.isinf(one[:, 0]), np.isinf(other[:, 0])), name
        there = ~np.isnan(one[:, 0])
        assert (one[there, 0] <= one[there, 1]).all()
        assert (one[there, 0] <= other[there, 1]).all(), name
        assert (other[there, 0] <= one[there, 1]).all(), name


def test_ten_thousand_rows(monkeypatch):
    asked = []
    real = critical.certify
    monkeypatch.setattr(critical, "certify", lambda *args: asked.append(args) or real(*args))
    rows = 0
    for seed in range(12):
        n = (2, 3, 5, 8)[seed % 4]
        array = random_rows(850, n, (np.float32, np.float64)[seed % 2], seed)
        asked.clear()
        data = Scores("a", array)
        options = {"eps": Fraction((1, 30, 300)[seed % 3], 1000), "tau": Fraction(1, seed + 1)}
        bulk = scores.audit(data, **options)
        assert len(asked) <= 3
        single = replace(bulk, **{name: getattr(bulk, name).copy() for name in ("n", "k", *FIELDS)})
        for row in range(data.rows):
            scores._audit_exact_row(single, row, False)
        agree(bulk, single)
        rows += len(array)
    assert rows > 10**4


def test_long_rows():
    bulk, single = both(np.random.default_rng(1).normal(0, 3, (60, 500)), eps=Fraction(1, 100))
    agree(bulk, single)
    limited = np.isfinite(bulk.critical[:, 0])
    assert limited.all()
    assert ((bulk.critical[:, 1] - bulk.critical[:, 0]) <= 2.1 * temperature.WIDTHS[0] * bulk.critical[:, 0]).all()
    assert (bulk.bound_critical[:, 1] <= bulk.bound_critical[:, 0] * (1 + 1e-14)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("eps", ["1/100", "1/2", "999/1000", "1/10000000000000000000000"])
def test_adversarial_rows(eps, dtype):
    for tau in (Fraction(1), Fraction(3, 10**9), Fraction(10) ** 305):
        bulk, single = both(adversarial_rows(16, dtype), eps=Fraction(eps), tau=tau)
        agree(bulk, single)


def test_results_do_not_depend_on_numba_or_on_the_block(monkeypatch):
    array = np.concatenate([random_rows(300, 40, np.float32, 4), adversarial_rows(40, np.float32)])
    texts = []
    for wish in ("0", "1"):
        monkeypatch.setenv(backend.VARIABLE, wish)
        texts.append(audit_report.report(scores.audit(Scores("a", array)), "json"))
    assert texts[0] == texts[1]
    whole = scores.audit(Scores("a", array))
    for row in (0, 7, 150, 310):
        alone = scores.audit(Scores("a", array[row : row + 1]))
        for name in FIELDS:
            assert np.array_equal(getattr(whole, name)[row], getattr(alone, name)[0], equal_nan=True)


def test_proposals_are_close():
    """Within 2^-41 of the temperature where TV = eps, also for rows far from the case of equality."""
    rng = np.random.default_rng(8)
    for spread in (1e-3, 1.0, 100.0):
        values = np.sort(rng.normal(0, spread, (30, 20)), axis=1)[:, ::-1]
        top = values[:, :1]
        differences = np.where(values == top, np.inf, top - values)
        target = critical.log_target(1, Fraction(1, 100))
        found = temperature.propose(
            differences, differences[:, 1], np.full(30, 19, dtype=np.int64), np.full(30, target)
        )
        for row, tau in zip(values, found.tolist(), strict=True):
            assert truth(row, Fraction(tau * (1 - 2.0**-41)))[3] * 100 < 1
            assert truth(row, Fraction(tau * (1 + 2.0**-41)))[3] * 100 > 1


def test_wrong_proposals_are_left_open():
    values = np.sort(np.random.default_rng(9).normal(0, 1, (5, 6)), axis=1)[:, ::-1].copy()
    for wrong in (math.nan, 0.0, math.inf, 1e-300, 1e300, 3.0, 1e-3):
        ends, good = temperature.verify(values, Fraction(1, 100), np.full(5, wrong))
        assert not good.any()
        assert np.isnan(ends.low).all()


def test_wider_enclosures_are_tried_before_arb():
    values = np.sort(np.random.default_rng(9).normal(0, 1, (5, 6)), axis=1)[:, ::-1].copy()
    block = auditing.audit_block(values, Fraction(1, 100), Fraction(1))
    middle = block.critical.mean(axis=1)
    for off, width in ((2.0**-38, 2.0**-36), (2.0**-34, 2.0**-32)):
        ends, good = temperature.verify(values, Fraction(1, 100), middle * (1 + off))
        assert good.all()
        assert ends.high / ends.low - 1 == pytest.approx(2 * width, rel=0.01)


def test_differences_and_the_bound_of_the_gap():
    rng = np.random.default_rng(10)
    top, below = rng.normal(0, 1, 2000), rng.normal(0, 1, 2000) * 10.0 ** rng.integers(-20, 1, 2000)
    top, below = np.maximum(top, below), np.minimum(top, below)
    found = auditing._differences(top, below)
    for a, b, low, high in zip(top.tolist(), below.tolist(), found.low.tolist(), found.high.tolist(), strict=True):
        true = Fraction(a) - Fraction(b)
        assert Fraction(low) <= true <= Fraction(high)
        assert low == high or (math.nextafter(low, math.inf) == high and true not in (Fraction(low), Fraction(high)))


@pytest.mark.parametrize("tau", ["1", "1/3", "1/500", "1000"])
def test_the_gap_bound_encloses(tau):
    """The bound of A2 is TV of the row whose other scores are all at the gap."""
    rng = np.random.default_rng(12)
    for n in (2, 5):
        rows = np.repeat(-rng.random((50, 1)), n, axis=1)
        rows[:, 0] = 0
        block = auditing.audit_block(rows, Fraction(1, 100), Fraction(tau))
        for row, (low, high) in zip(rows, block.bound_tv, strict=True):
            assert encloses(low, high, truth(row, Fraction(tau))[3])
        assert (block.slack[~block.open] == 1).all() or Fraction(1, 100) >= Fraction(n - 1, n)
