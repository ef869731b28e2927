"""Claims that were once judged wrongly: value ranges of 0, equivalences, values in their interval, large powers."""

import pytest

from checker.claims.check import Outcome, check
from checker.claims.families import family
from checker.claims.files import read_file, read_text
from checker.claims.goals import goals, necessary
from checker.claims.prove import hypotheses, prove
from checker.claims.worst import UnknownWorstCaseError, cases
from checker.cli import run
from checker.errors import InputError
from proofs.props import Rel

LOOKUP = "2*exp(-gamma/tau)/(1+2*exp(-gamma/tau)-exp(-3*gamma/tau))"
CRITICAL = "l1 <= eps iff tau <= gamma/log((n-1)*(2-eps)/eps)"


def verdict(claim, *assume, seconds=20):
    return check(read_text(claim, assume), seconds)


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("value_error < D*(n-k)/n", ["k < n"]),
        (f"value_error < D*{LOOKUP}", ["lookup"]),
        ("value_error < 0", ["value range <= 0"]),
    ],
)
def test_where_the_range_of_the_values_is_0_a_strict_bound_fails(claim, assume):
    report = verdict(claim, *assume)
    assert report.outcome is Outcome.REFUTED
    assert report.witness.point.get("D", 0) == 0


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("value_error <= D*(n-k)/n", []),
        ("value_error < D*(n-k)/n", ["k < n", "D > 0"]),
        (f"value_error < D*{LOOKUP}", ["lookup", "D > 0"]),
        ("value_error < 1", ["value range <= 1"]),
        ("value_error <= 0", ["value range <= 0"]),
        ("value_error >= 0", ["growth two-sided >= gamma"]),
    ],
)
def test_bounds_of_value_errors_that_hold(claim, assume):
    assert verdict(claim, *assume).outcome is Outcome.PROVED


@pytest.mark.parametrize("claim", ["value_error >= 1", "value_error > 0"])
def test_a_range_of_values_that_no_assumption_bounds(claim):
    assert verdict(claim).outcome is Outcome.REFUTED
    assert verdict(claim, "growth one-sided >= 1").outcome is Outcome.REFUTED


def test_the_values_of_a_witness_lie_in_their_interval():
    report = verdict("value_error <= 1/4", "values in [2, 3]")
    assert report.outcome is Outcome.REFUTED
    assert set(report.witness.values) == {2, 3}


@pytest.mark.parametrize(
    ("claim", "assume", "label"),
    [
        (CRITICAL, ["gap >= gamma"], ["k = 1"]),
        ("l1 <= eps iff tau <= gamma", ["gap >= gamma", "hard = leftmost"], ["k = n"]),
        ("max_weight >= eps iff tau <= gamma", ["gap >= gamma"], ["k = n"]),
        ("winner_weight >= eps iff tau <= gamma", ["gap >= gamma"], ["k = 1"]),
    ],
)
def test_an_equivalence_that_does_not_mention_k_is_about_the_worst_number_of_maxima(claim, assume, label):
    read = read_text(claim, assume)
    found = necessary(family(read), read.op == "<=")
    assert [case.label for case in found] == label


def test_no_row_with_more_maxima_refutes_a_necessary_condition():
    # with k = n the error is 0 at every temperature, but rows with one maximum exceed eps
    assume = ["gap >= gamma", "eps < 2*(n-1)/n", "n >= 2"]
    assert verdict(CRITICAL, *assume, seconds=5).outcome is not Outcome.REFUTED
    # once k is mentioned, the equivalence is claimed for every k
    assert verdict(CRITICAL, *assume, "k >= 1", seconds=5).outcome is Outcome.REFUTED


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("tv <= 0 iff eta <= 0", ["gap >= gamma", "perturbation <= eta", "k = 2", "n = 2"]),  # a maximum over b
        ("tv <= eps iff tau <= gamma", ["growth two-sided >= gamma"]),  # the place of the maximum is not mentioned
        ("value_error <= eps iff tau <= gamma", ["gap >= gamma"]),  # nothing bounds the values
        ("l1 <= eps iff tau <= gamma", ["gap >= gamma", "spread <= delta"]),  # may be that all scores are equal
        ("value_error >= 0*k iff k <= 1", ["growth one-sided >= gamma"]),
    ],
)
def test_conditions_that_are_not_known_to_be_necessary(claim, assume):
    read = read_text(claim, assume)
    with pytest.raises(UnknownWorstCaseError):
        goals(read, family(read))
    assert check(read, 2).outcome is Outcome.UNDECIDED


def test_theorems_assume_no_more_than_the_claim():
    read = read_text("l1 <= 2*n*exp(-gamma/tau)", ["gap >= gamma", "n >= 2", "tau <= 3"])
    (goal,) = goals(read, family(read))
    proof = prove(goal, family(read), 10.0)
    inequality = proof.inequality or proof
    allowed = {"1 <= n", "n >= 2", "1 <= k", "k <= n", "tau > 0", "tau <= 3", "gamma > 0"}
    assert {str(prop) for prop in inequality.theorem.hypotheses} == allowed
    expected = Rel(goal.case.worst, "<=", read.bound.expr)
    assert inequality.theorem.conclusion == expected
    assert {f"{rel.lhs} {rel.op} {rel.rhs}" for rel in hypotheses(goal)} == allowed


def test_every_range_of_n_and_k_is_covered():
    assumptions = (
        [],
        ["gap >= gamma"],
        ["spread <= delta"],
        ["gap >= gamma", "spread <= delta"],
        ["gap >= 2", "spread <= 1"],
    )
    for quantity in ("l1", "tv", "max_weight", "winner_weight", "value_error"):
        for assume in assumptions:
            for upper in (True, False):
                found = cases(family(read_text(f"{quantity} <= 3", assume)), upper)
                for n, k in [(1, 1), (2, 1), (2, 2), (5, 3), (5, 5)]:
                    if k < n and assume == assumptions[-1]:  # a gap above the spread: no row
                        continue
                    assert any(_covers(case, n, k) for case in found)


def _covers(case, n, k):
    if case.replaced and not any(str(symbol) == "D" for symbol in case.replaced):
        return n == k
    values = {
        symbol: {"n": n, "k": k, "D": 1, "gamma": 1, "delta": 2}[symbol.name]
        for symbol in case.variables
        if symbol.name != "tau"
    }
    return all((rel.lhs - rel.rhs).xreplace(values) <= 0 for rel in case.ranges if rel.op == "<=")


@pytest.mark.parametrize(
    "bound",
    [
        "((((n^64)^64)^64)^64)^64",
        "((n+k+gamma+tau+eps)^64)^64",
        "(n+k+gamma+tau+eps)^64",
        "((10^64)^64)^64",
        "(n*k*tau)^-64*0 + (n^64)^5",
    ],
)
def test_powers_that_would_not_end_are_refused(bound):
    with pytest.raises(InputError) as error:
        read_text(f"l1 <= {bound}")
    assert "too l" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_nested_too_deeply(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("a = " + "[" * 5000)
    with pytest.raises(InputError) as error:
        read_file(path)
    assert "\n" not in str(error.value)


def test_a_variable_that_cancels_still_says_where_the_bound_is_defined():
    report = verdict("value_error < 0*(n/(k + exp(-gamma/tau)))", "value range <= 0")
    assert report.outcome is Outcome.REFUTED
    assert report.witness.point["gamma"] > 0
    assert verdict("l1 <= 2 + 0*log(gamma)").outcome is Outcome.PROVED
    assert verdict("l1 <= 2 + 0*log(n-1)", seconds=2).outcome is Outcome.UNDECIDED
    with pytest.raises(InputError):
        verdict("l1 <= 2 + 0*log(C)")


@pytest.mark.parametrize(
    ("bound", "number", "n"), [("tv <= 1/2", "n <= 22", 22), ("l1 <= n*exp(-gamma/tau)", "n = 10^30", 10**30)]
)
def test_lengths_at_the_ends_of_the_assumptions_are_tried(bound, number, n):
    extra = ["tau <= gamma/3"] if n == 22 else []
    report = check(read_text(bound, ["gap >= gamma", number, *extra]), 30)
    assert report.outcome is Outcome.REFUTED
    assert report.witness.point["n"] == n


def test_a_claim_of_a_file_without_a_verdict_is_expected_to_hold(tmp_path, capsys):
    path = tmp_path / "two.toml"
    path.write_text('[[claims]]\nclaim = "l1 <= 2"\n[[claims]]\nclaim = "l1 <= 1"\n', encoding="utf-8")
    assert run(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("l1 <= 2")
    assert lines[1].endswith("l1 <= 1  (expected proved)")
    assert lines[2] == "2 claims, 1 with the expected verdict"
