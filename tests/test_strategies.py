"""The Hypothesis strategies yield what they promise, reach the cases that matter, and refuse the impossible."""

import builtins
import doctest
import importlib
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from checker import strategies
from checker.attention import Row, Tie
from checker.errors import InputError

HALF = Fraction(1, 2)
search = settings(max_examples=2000, derandomize=True, database=None, phases=[Phase.generate])
few = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def reaches(strategy: st.SearchStrategy[Any], condition: Callable[[Any], bool]) -> bool:
    """Whether some drawn example satisfies the condition."""
    try:
        find(strategy, condition, settings=search)
    except NoSuchExample:
        return False
    return True


@few
@given(strategies.rows(n=(2, 6)))
def test_rows(row: Row) -> None:
    assert 2 <= row.n <= 6
    assert row.multiplicities == (1,) * row.n


def test_rows_reach_every_size_and_number_of_maxima() -> None:
    for n in range(1, 4):
        for k in range(1, n + 1):
            assert reaches(strategies.rows(n=(1, 3)), lambda row, n=n, k=k: (row.n, row.k) == (n, k))
    assert reaches(strategies.rows(n=4, k=1), lambda row: row.scores[2] == row.top)


@few
@given(st.data())
def test_gap_maxima_and_spread_are_as_chosen(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 7))
    k = data.draw(st.integers(1, n - 1))
    row = data.draw(strategies.rows(n, k, gap=HALF, spread=2))
    assert (row.n, row.k, row.gap) == (n, k, HALF)
    assert row.spread <= 2
    exact = data.draw(strategies.rows_with_gap("1/3", n, k))
    assert (exact.n, exact.k, exact.gap) == (n, k, Fraction(1, 3))
    more = data.draw(strategies.rows_with_gap("1/3", n, k, at_least=True))
    assert more.gap is not None
    assert more.gap >= Fraction(1, 3)


def test_at_least_reaches_equality_and_more() -> None:
    strategy = strategies.rows_with_gap(1, n=4, at_least=True)
    assert reaches(strategy, lambda row: row.gap == 1)
    assert reaches(strategy, lambda row: row.gap > 1)
    assert reaches(strategies.rows_with_gap(1, n=4, k=1), lambda row: row.spread == 1)
    assert reaches(strategies.rows_with_gap(1, n=4, k=1), lambda row: row.spread > 4)


@few
@given(strategies.tied_rows(), strategies.tieless_rows(), strategies.tied_rows(n=5, k=(2, 4), gap=1))
def test_tied_and_tieless(tied: Row, tieless: Row, gapped: Row) -> None:
    assert tied.k >= 2
    assert tieless.k == 1
    assert 2 <= gapped.k <= 4
    assert gapped.gap == 1


@few
@given(strategies.bounded_spread("3/2", n=(1, 6)), strategies.rows(n=4, spread=0))
def test_bounded_spread(row: Row, flat: Row) -> None:
    assert row.spread <= Fraction(3, 2)
    assert flat.k == flat.n == 4


def test_bounded_spread_reaches_its_bound_and_all_maximal() -> None:
    assert reaches(strategies.bounded_spread(2, n=3), lambda row: row.spread == 2)
    assert reaches(strategies.bounded_spread(2, n=3), lambda row: row.k == 3)


@few
@given(st.data(), st.sampled_from(["left", "right", "both"]), st.booleans())
def test_linear_growth(data: st.DataObject, side: strategies.Side, tight: bool) -> None:
    row = data.draw(strategies.linear_growth("1/3", n=(1, 7), side=side, tight=tight))
    assert row.k == 1
    m = row.scores.index(row.top)
    assert side != "left" or m == row.n - 1
    assert side != "right" or m == 0
    for j, score in enumerate(row.scores):
        least = Fraction(1, 3) * abs(j - m)
        assert row.top - score == least if tight else row.top - score >= least


def test_linear_growth_reaches_both_sides() -> None:
    assert reaches(strategies.linear_growth(1, n=5), lambda row: 0 < row.scores.index(row.top) < 4)


@few
@given(st.data(), strategies.rows(), st.sampled_from([Fraction(0), HALF, Fraction(3)]))
def test_perturbations(data: st.DataObject, row: Row, eta: Fraction) -> None:
    other = data.draw(strategies.perturbations(row, eta))
    assert other.multiplicities == row.multiplicities
    assert max(abs(a - b) for a, b in zip(row.scores, other.scores, strict=True)) <= eta


def test_perturbations_reach_the_extremes() -> None:
    row = Row.explicit([0, 1, 1])
    extreme = Row.explicit([HALF, HALF, Fraction(3, 2)])
    assert reaches(strategies.perturbations(row, HALF), lambda other: other == extreme)
    big = Row.multiset({Fraction(0): 10**30})
    assert reaches(strategies.perturbations(big, 1), lambda other: other.n == 10**30)


@few
@given(strategies.temperatures("1/50", 20), strategies.ratio_grid(-2, 1), strategies.value_lists(4, 3))
def test_numbers(tau: Fraction, ratio: Fraction, values: list[Fraction]) -> None:
    assert Fraction(1, 50) <= tau <= 20
    assert Fraction(1, 100) <= ratio <= 50
    assert len(values) == 4
    assert max(values) - min(values) <= 3


def test_numbers_reach_their_ends() -> None:
    assert reaches(strategies.temperatures("1/50", 20), lambda tau: tau == 20)
    assert reaches(strategies.temperatures("1/50", 20), lambda tau: tau < Fraction(3, 100))
    assert reaches(strategies.ratio_grid(), lambda x: x == Fraction(1, 10**6))
    assert reaches(strategies.ratio_grid(), lambda x: x == 5000)
    for rule in Tie:
        assert reaches(strategies.ties(), lambda tie, rule=rule: tie is rule)


@pytest.mark.parametrize(
    ("build", "part"),
    [
        (lambda: strategies.rows(n=0), "n must be an integer >= 1 or a pair (least, largest) of such, got 0"),
        (lambda: strategies.rows(n=(3, 2)), "got (3, 2)"),
        (lambda: strategies.rows(n=True), "got True"),
        (lambda: strategies.rows(n=3, k=0), "k must be an integer >= 1"),
        (lambda: strategies.rows(n=3, k=4), "k = 4 maxima need n >= 4, got n = 3"),
        (lambda: strategies.rows(n=3, k=3, gap=1), "k = 3 maxima with a finite gap need n >= 4, got n = 3"),
        (lambda: strategies.rows(gap=0), "gap must be positive, got 0"),
        (lambda: strategies.rows(gap=2, spread=1), "gap 2 exceeds the spread 1"),
        (lambda: strategies.rows(gap="x"), "'x' is not a number"),
        (lambda: strategies.rows(tail=-1), "tail must be >= 0, got -1"),
        (lambda: strategies.rows(n=3, k=1, spread=0), "spread 0 makes all scores maximal"),
        (lambda: strategies.rows_with_gap(-1), "gap must be positive, got -1"),
        (lambda: strategies.tied_rows(n=1), "tied rows need n >= 2, got n = 1"),
        (lambda: strategies.tied_rows(k=1), "tied rows have k >= 2, got k = 1"),
        (lambda: strategies.bounded_spread(-1), "spread must be >= 0, got -1"),
        (lambda: strategies.linear_growth(0), "gamma must be positive, got 0"),
        (lambda: strategies.linear_growth(1, side="up"), "side must be 'left', 'right' or 'both', got 'up'"),
        (lambda: strategies.perturbations(Row.explicit([0]), -1), "eta must be >= 0, got -1"),
        (lambda: strategies.temperatures(0), "least temperature must be positive, got 0"),
        (lambda: strategies.temperatures(2, 1), "least temperature 2 exceeds the largest, 1"),
        (lambda: strategies.ratio_grid(1, 0), "least exponent 1 exceeds the largest, 0"),
        (lambda: strategies.value_lists(-1), "size must be >= 0, got -1"),
    ],
)
def test_impossible_arguments_raise_at_once(build: Callable[[], object], part: str) -> None:
    with pytest.raises(InputError) as caught:
        build()
    assert part in str(caught.value)


def test_without_hypothesis_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.split(".")[0] == "hypothesis":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "checker.strategies")
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"needs the extra 'hypothesis': pip install 'hardsoft\[hypothesis\]'$"):
        importlib.import_module("checker.strategies")


def test_examples_in_the_documentation() -> None:
    result = doctest.testmod(strategies)
    assert result.attempted >= 10
    assert result.failed == 0
