"""Tables of powers of one exponential, and sums over rows of integers read off them."""

from fractions import Fraction

import numpy as np
import pytest
from bulk_fixture import BITS, encloses

from checker.ball import Ball, ball, exp_ball, working
from checker.bulk import powers, rows
from checker.bulk.exponential import ABSOLUTE
from checker.errors import InputError

U = Fraction(1, 2**53)
UNITS = ["1", "1/3", "7/1000", "1/1000000", "1000/7", "746", "745.9", "1e300", "1e-300", "1e400"]


@pytest.mark.parametrize("unit", UNITS)
def test_powers_are_as_close_as_stated(unit):
    unit = Fraction(unit)
    most = 5000
    table = powers.powers(unit, most)
    assert table[0] == 1
    assert len(table) == most + 1 or (table[-1] == 0 and (len(table) - 1) * unit >= 746)
    with working(160):
        for j in {*range(0, len(table), 13), *range(max(0, len(table) - 40), len(table))}:
            if j * unit > 10**4:
                assert table[j] == 0
                continue
            true = exp_ball(-unit * j, 160)
            bound = ball(Fraction(powers.ROUNDINGS) * U) * true + ball(Fraction(1, 2**1074))
            assert abs(Ball(float(table[j])) - true) <= bound, j
    assert ABSOLUTE >= 2.0**-1074


def test_tables_do_not_depend_on_what_was_asked_before():
    unit = Fraction(1, 77)
    long = powers.powers(unit, 3000)
    for most in (0, 1, 2, 255, 256, 257):
        powers._table.cache_clear()
        assert np.array_equal(powers.powers(unit, most), long[: most + 1])


@pytest.mark.parametrize(("unit", "most"), [("0", 3), ("-1", 3), ("1", -1), ("1/1000000", powers.MOST)])
def test_bad_arguments(unit, most):
    with pytest.raises(InputError, match="are tabled for unit > 0"):
        powers.powers(Fraction(unit), most)


def test_a_long_row_needs_no_long_table_if_powers_vanish():
    assert len(powers.powers(Fraction(1), 10**12)) == 748


def integer_rows(count, n, largest, seed):
    rng = np.random.default_rng(seed)
    below = rng.integers(0, largest + 1, (count, n))
    below[rng.random(below.shape) < 0.3] = -1
    below[0] = -1
    return below


def sum_by_arb(row, unit):
    with working(BITS):
        return sum((exp_ball(-unit * j, BITS) for j in row.tolist() if j >= 0), Ball(0))


@pytest.mark.parametrize("unit", ["1", "1/3", "1/512", "7/1000", "41/2", "746"])
def test_sums_enclose(unit):
    unit = Fraction(unit)
    for n, largest in ((1, 5), (4, 40), (17, 4000)):
        below = integer_rows(60, n, largest, n)
        found = powers.integer_sums(below, unit)
        assert (found.low[0], found.high[0]) == (0, 0)
        for row, low, high in zip(below, found.low, found.high, strict=True):
            assert encloses(low, high, sum_by_arb(row, unit)), row


def test_tables_and_the_exponential_agree_and_tables_are_narrower():
    below = integer_rows(200, 33, 300, 5)
    unit = Fraction(7, 100)
    table = powers.integer_sums(below, unit)
    scores = np.where(below < 0, -np.inf, -7.0 * below)
    scores = np.hstack([np.full((200, 1), 0.0), np.where(below == 0, -1e-9, scores)])
    found = rows.evaluate(scores, Fraction(100))
    # Where no entry is 0, Z is that of a row of scores with one maximum above.
    clear = (below != 0).all(axis=1)
    assert clear.sum() > 100
    low, high = np.maximum(table.low, found.z.low), np.minimum(table.high, found.z.high)
    assert (low <= high)[clear].all()
    some = clear & (table.low > 0)
    assert ((table.high - table.low) < (found.z.high - found.z.low))[some].all()


def test_a_lost_roundings_constant_is_noticed(monkeypatch):
    """Sums of one entry are wrong by up to u; without any slack some enclosure misses."""
    monkeypatch.setattr(powers, "ROUNDINGS", -2.75)
    below = np.arange(400)[:, None]
    found = powers.integer_sums(below, Fraction(1, 7))
    ends = zip(below, found.low, found.high, strict=True)
    missed = [not encloses(low, high, sum_by_arb(row, Fraction(1, 7))) for row, low, high in ends]
    assert any(missed)
