"""The library of claims: its size, the verdicts of the false claims and of some true ones, and the witnesses."""

import pytest
from claims_fixture import checked_again

from checker.claims.check import Outcome, check
from checker.claims.files import library

ENTRIES = [(topic, entry) for topic, found in library().items() for entry in found]


def test_the_library_is_large_and_balanced():
    verdicts = [entry.verdict for _, entry in ENTRIES]
    assert len(verdicts) >= 40
    assert set(verdicts) == {"proved", "refuted"}
    assert 0.4 <= verdicts.count("proved") / len(verdicts) <= 0.6
    assert all(entry.reference and entry.claim.name for _, entry in ENTRIES)


REFUTED = [entry for _, entry in ENTRIES if entry.verdict == "refuted"]


@pytest.mark.parametrize("entry", REFUTED, ids=lambda entry: entry.claim.name)
def test_false_claims_of_the_library(entry):
    report = check(entry.claim)
    assert report.outcome is Outcome.REFUTED
    assert checked_again(report)


QUICK = ("usual bound", "maxima counted", "critical temperature for TV", "one side", "weights are O(1/n)", "lookup")


@pytest.mark.parametrize("name", QUICK)
def test_true_claims_of_the_library(name):
    (entry,) = (entry for _, entry in ENTRIES if entry.claim.name == name)
    report = check(entry.claim)
    assert report.outcome is Outcome.PROVED
    assert all(proof.theorem is not None and proof.cites for proof in report.proofs)
