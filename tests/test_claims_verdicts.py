"""Verdicts on single claims: strictness, undefined bounds, UNDECIDED, assumptions, witnesses, least constants."""

from fractions import Fraction

import pytest
from claims_fixture import GAP, outcome
from hypothesis import given
from hypothesis import strategies as st

from checker.claims import check as checking
from checker.claims.check import Outcome, check, explain
from checker.claims.files import read_text
from checker.claims.prove import NotProved
from checker.claims.report import as_json, as_text
from checker.claims.sharpen import sharpen, simplest
from checker.errors import InputError


def test_strict_and_equality():
    exact = "2*(n-k)*exp(-gamma/tau)/(k+(n-k)*exp(-gamma/tau))"
    assert outcome(f"l1 <= {exact}", GAP) is Outcome.PROVED
    assert outcome(f"l1 < {exact}", GAP) is Outcome.REFUTED
    assert outcome(f"l1 = {exact}", GAP) is Outcome.REFUTED
    assert outcome("l1 < 2*(1 - k/n)", "k < n") is Outcome.PROVED  # a limit that no row attains
    assert outcome("l1 <= 2*(1 - k/n) - 1/1000", "k < n") is Outcome.REFUTED


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("l1 <= 2 + 1/log(n)", []),  # not defined at n = 1
        ("l1 <= 2 + sqrt(n - 2)", []),
        ("l1 <= 2 + 1/(n - 1)", []),
        ("l1 <= 2 + log(n - k)", ["n >= 3"]),
    ],
)
def test_a_bound_that_is_not_defined_is_never_proved(claim, assume):
    assert outcome(claim, *assume, seconds=3) is not Outcome.PROVED


def test_defined_bounds_with_roots_logarithms_and_minima():
    assert outcome("l1 <= 2 + 1/log(n)", "n >= 2") is Outcome.PROVED
    assert outcome("l1 <= 2 + sqrt(n - 2)", "n >= 2") is Outcome.PROVED
    assert outcome("tv <= n^(1/2)*exp(-gamma/(2*tau))/2", GAP) is Outcome.PROVED
    assert outcome("l1 <= 2*min(1, n*exp(-gamma/tau))", GAP) is Outcome.PROVED
    assert outcome("l1 <= max(1, n*exp(-gamma/tau))", GAP) is Outcome.PROVED
    assert outcome("l1 <= max(1/2, n*exp(-gamma/tau))", GAP) is Outcome.REFUTED


def test_undecided_says_what_was_tried(monkeypatch):
    monkeypatch.setattr(checking, "prove", lambda goal, *_: NotProved(goal, "not proved on [0, 1] at 64 bits"))
    report = check(read_text("tv <= n*2^(-gamma/tau)", [GAP]), 2)
    assert report.outcome is Outcome.UNDECIDED
    assert report.points > 100
    assert "not proved on [0, 1] at 64 bits" in as_text(report)


def test_unknown_worst_case():
    report = check(read_text("max_weight <= 1", ["perturbation <= eta"]), 2)
    assert report.outcome is Outcome.UNDECIDED
    assert "not in the registry" in report.reasons[0]


def test_necessity_needs_the_exact_worst_case():
    claim = read_text("tv <= eps iff tau <= gamma/log(1/eps)", ["lookup", "eps < 1"])
    assert check(claim, 3).outcome is not Outcome.PROVED


def test_explain_drops_each_assumption():
    claim = read_text("l1 <= 2*n*exp(-gamma/tau)", [GAP, "n >= 2"])
    found = {item.text: report.outcome for item, report in explain(claim, 20)}
    assert found == {GAP: Outcome.REFUTED, "n >= 2": Outcome.PROVED}


def test_the_witness_has_the_least_length():
    report = check(read_text("l1 <= n*exp(-gamma/tau)", [GAP]))
    assert report.witness.point["n"] == 3  # for n = 2: 2q/(1+q) <= 2q
    document = as_json(report)
    assert document["verdict"] == "refuted"
    assert document["witness"]["parameters"]["n"] == "3"


def test_sharpen():
    found = sharpen(read_text("l1 <= C*n*exp(-gamma/tau)", [GAP]), 30)
    assert found.exact == 2
    found = sharpen(read_text("tv <= C*n*exp(-gamma/tau)", [GAP, "n <= 10"]), 30)
    assert found.exact == Fraction(9, 10)
    with pytest.raises(InputError, match="does not occur"):
        sharpen(read_text("l1 <= n", [GAP]), 5)
    with pytest.raises(InputError, match="is not shown to be >= 0"):
        sharpen(read_text("l1 <= 2 - C*n", [GAP]), 5)


@given(st.fractions(0, 10), st.fractions(Fraction(1, 100), 5))
def test_the_simplest_fraction(low, width):
    low += Fraction(1, 1000)
    found = simplest(low, low + width)
    assert low <= found <= low + width
    assert not any(
        low <= Fraction(top, bottom) <= low + width
        for bottom in range(1, min(found.denominator, 30))
        for top in range(int(low * bottom), int((low + width) * bottom) + 1)
    )
