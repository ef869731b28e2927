"""Verdicts have no truth value."""

import pytest

from checker.verdict import Decision, Verdict


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_has_no_truth_value(verdict):
    for use in (bool, lambda v: not v, lambda v: v and 1, lambda v: 1 if v else 0):
        with pytest.raises(TypeError, match=f"`verdict is Verdict.{verdict.name}`"):
            use(verdict)


def test_verdicts_compare_by_identity_and_print_their_name():
    assert Verdict("HOLDS") is Verdict.HOLDS
    assert [str(verdict) for verdict in Verdict] == ["HOLDS", "FAILS", "UNDECIDED"]


def test_decisions_are_immutable():
    decision = Decision(Verdict.UNDECIDED, 8192)
    assert decision == Decision(Verdict.UNDECIDED, 8192)
    with pytest.raises(AttributeError):
        decision.precision = 64
