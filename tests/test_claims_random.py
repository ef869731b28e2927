"""Random claims: what is proved survives a search for counterexamples, what is refuted has a witness that checks."""

import random
from collections import Counter

import claims_bruteforce_fixture as brute
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.claims.check import Outcome, check
from checker.claims.files import read_text

EXAMPLES = 30
SECONDS = 8


def judged(claim, rng):
    """The outcome for a claim; an AssertionError where it is wrong."""
    report = check(read_text(claim.text, claim.assume), SECONDS)
    if report.outcome is Outcome.PROVED:
        found, _ = brute.counterexample(claim, rng, sizes=(1, 2, 3, 4), count=4)
        assert found is None, (claim.text, claim.assume, found)
    if report.outcome is Outcome.REFUTED and report.witness.row.n <= brute.LONGEST:
        assert brute.confirms(claim, report.witness), (claim.text, claim.assume, report.witness)
    return report.outcome


def test_random_claims_are_judged_rightly():
    seen = Counter()

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
    @given(st.integers(0, 10**6))
    def judge(seed):
        rng = random.Random(seed)
        seen[judged(brute.random_claim(rng), rng)] += 1

    judge()
    assert seen[Outcome.PROVED] >= 3
    assert seen[Outcome.REFUTED] >= 3


def test_the_search_finds_known_counterexamples():
    q = ("exp", "gamma")
    for claim in (
        brute.Claim(
            "tv", "<=", ("*", brute.Fraction(9, 10), ("/", q, ("+", brute.Fraction(1), q))), rows={"gap": "gamma"}
        ),
        brute.Claim("value_error", "<", ("*", "D", brute.Fraction(1)), rows={"values": "D"}),
        brute.Claim("l1_moved", "<=", ("-", brute.Fraction(1, 2), ("exp", "eta")), rows={"perturbation": "eta"}),
    ):
        found, fitting = brute.counterexample(claim, random.Random(1), sizes=(1, 2), count=8)
        assert found is not None
        assert fitting > 0
