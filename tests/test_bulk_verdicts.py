"""Verdict arrays: against exact comparisons, and only what stays open goes to Arb."""

from fractions import Fraction

import numpy as np
import pytest
from bulk_fixture import BITS, random_rows, truth

from checker.ball import ball, working
from checker.bulk import rows, verdicts
from checker.bulk.rows import Bounds
from checker.errors import InputError

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


def test_names_and_relations():
    found = rows.evaluate(np.array([[1.0, 0.0]]), Fraction(1))
    with pytest.raises(InputError, match="the quantity must be one of tv, l1, max_weight, got 'l2'"):
        verdicts.enclose("l2", found)
    with pytest.raises(InputError, match="relation must be one of"):
        verdicts.compare(found.z, "=", 1)
