"""The enumerations: which cases there are, how each is judged, and that a printed witness can be checked again."""

import itertools
from collections import Counter
from fractions import Fraction
from math import comb

import mpmath
import pytest
import sympy as sp

from checker.attention import Row
from checker.checks import CHECKS, ONLY_DERIVED, Item, Mode, Plan, StatedClaim
from checker.checks.item import at
from checker.decide import Exact
from checker.quantity import tv
from checker.sides import Affine
from checker.verdict import Verdict
from proofs.registry import STATEMENTS

CLAIMS = {claim.name: claim for statement in STATEMENTS.values() for claim in statement.claims}
F = Fraction

# Cases of each kind for max_n = 2 and max_n = 3.
COUNTS = {
    "A1.weights": ({"lattice": 90}, {"lattice": 315}),
    "A1.exact": ({"lattice": 220, "giant n": 60}, {"lattice": 605, "giant n": 60}),
    "A1.unique": ({"lattice, every order": 180, "giant n": 120}, {"lattice, every order": 930, "giant n": 120}),
    "A2.bound": ({"lattice": 440, "giant n": 60}, {"lattice": 1210, "giant n": 60}),
    "A2.equality": ({"lattice": 330, "giant n": 30}, {"lattice": 660, "giant n": 30}),
    "A2.strict": ({"lattice": 110, "giant n": 30}, {"lattice": 550, "giant n": 30}),
    "A2.decreasing-k": ({"worst case": 11, "worst case, giant n": 60}, {"worst case": 33, "worst case, giant n": 60}),
    "A2.linear": ({"worst case": 11, "worst case, giant n": 15}, {"worst case": 22, "worst case, giant n": 15}),
    "A2.constant": ({"worst case": 1, "worst case, giant n": 3}, {"worst case": 2, "worst case, giant n": 3}),
    "A3.sufficient": (
        {"worst case": 4, "worst case, giant n": 52, "lattice": 40},
        {"worst case": 14, "worst case, giant n": 52, "lattice": 200},
    ),
    "A3.necessary": ({"worst case": 4, "worst case, giant n": 52}, {"worst case": 14, "worst case, giant n": 52}),
    "A4.distance": ({"lattice": 330, "giant n": 60}, {"lattice": 1045, "giant n": 60}),
    "A4.temperature": (
        {"worst case": 4, "worst case, sharp": 4, "worst case, giant n": 18, "worst case, giant n, sharp": 18},
        {"worst case": 10, "worst case, sharp": 10, "worst case, giant n": 18, "worst case, giant n, sharp": 18},
    ),
    "A4.one-symbol": ({"lattice": 450, "giant n": 9}, {"lattice": 1800, "giant n": 9}),
    "A5.bound": (
        {"lattice, every pattern": 900, "giant n": 18, "worst case": 27, "worst case, giant n": 27},
        {"lattice, every pattern": 6570, "giant n": 18, "worst case": 27, "worst case, giant n": 27},
    ),
    "A5.tight": ({"worst case": 27, "worst case, giant n": 27}, {"worst case": 27, "worst case, giant n": 27}),
    "A6.choice": ({"lattice, every pattern": 180, "giant n": 9}, {"lattice, every pattern": 1260, "giant n": 9}),
    "A6.tight": ({"lattice, every pattern": 60, "giant n": 15}, {"lattice, every pattern": 120, "giant n": 15}),
    "A7.bound": ({"lattice": 450, "giant n": 216}, {"lattice": 3285, "giant n": 216}),
    "A7.perturbed-tight": ({"lattice": 30, "giant n": 36}, {"lattice": 120, "giant n": 36}),
    "A8.bound": (
        {"lattice, every pattern": 405, "adversarial": 12, "adversarial, giant n": 420},
        {"lattice, every pattern": 3240, "adversarial": 42, "adversarial, giant n": 420},
    ),
    "A8.attained": ({"worst case": 6, "worst case, giant n": 120}, {"worst case": 18, "worst case, giant n": 120}),
}


def cases(name: str, max_n: int) -> list[Item]:
    return list(CHECKS[name](StatedClaim(CLAIMS[name]), Plan(max_n)))


def test_every_claim_is_enumerated_or_a_lemma_and_not_both():
    assert set(CHECKS) | set(ONLY_DERIVED) == set(CLAIMS)
    assert not set(CHECKS) & set(ONLY_DERIVED)


@pytest.mark.parametrize("name", COUNTS)
def test_number_of_cases_of_each_kind(name):
    for max_n, expected in zip((2, 3), COUNTS[name], strict=True):
        assert dict(Counter(item.kind for item in cases(name, max_n))) == expected


def test_the_lattice_is_complete():
    """Multisets of n of 5 scores: C(n+4, n); orders: 5^n; each with 11 ratios, or 3 ratios and 2 ways to break ties."""
    for place, max_n in enumerate((2, 3)):
        lengths = range(1, max_n + 1)
        assert COUNTS["A1.exact"][place]["lattice"] == 11 * sum(comb(n + 4, n) for n in lengths)
        assert COUNTS["A1.unique"][place]["lattice, every order"] == 6 * sum(5**n for n in lengths)
    rows = {str(dict(item.witness)["scores"]) for item in cases("A1.unique", 3)}
    for levels in itertools.product(range(5), repeat=3):
        assert str(Row.explicit([F(level, 2) for level in levels])) in rows


@pytest.mark.parametrize("name", CHECKS)
def test_modes(name):
    """An equality is proved case by case; a strict relation is decided; only <= and >= may be equal."""
    relation = CLAIMS[name].relation.op
    found = cases(name, 2)
    assert found
    for item in found:
        assert item.relation in ("<", "<=", ">", ">=", "=")
        assert (item.mode is Mode.EQUAL) is (item.relation == "=")
        assert (item.relation == "=") is (relation == "=")
        if item.mode is Mode.EITHER:
            assert item.relation in ("<=", ">=")


@pytest.mark.parametrize("name", [name for name in CHECKS if name.startswith("A")])
def test_the_witness_text_tells_cases_apart(name):
    found = cases(name, 2)
    texts = Counter((item.relation, item.case) for item in found)
    assert max(texts.values()) == 1
    assert not any("Fraction(" in item.case or "bits" in item.case for item in found)


@pytest.mark.parametrize("name", ["A2.bound", "A2.literature", "A4.distance", "A4.maximum"])
def test_a_witness_can_be_checked_again_by_hand(name):
    """From the printed values alone: softmax written out with mpmath, and the claim's own formula by sympy."""
    bound = CLAIMS[name].relation.rhs
    with mpmath.workdps(60):
        for item in [item for item in cases(name, 2) if item.kind == "lattice"][::7]:
            values = dict(item.witness)
            scores = read_scores(item.case)
            tau = mpmath.mpf(values["tau"].numerator) / values["tau"].denominator
            weights = [mpmath.exp(mpmath.mpf(s.numerator) / s.denominator / tau) for s in scores]
            soft = [w / mpmath.fsum(weights) for w in weights]
            k = scores.count(max(scores))
            hard = [mpmath.mpf(s == max(scores)) / k for s in scores]
            l1 = mpmath.fsum(abs(p - h) for p, h in zip(soft, hard, strict=True))
            left = {"A2.literature": l1, "A4.maximum": max(soft)}.get(name, l1 / 2)
            known = {"n": len(scores), "k": k, **{key: value for key, value in values.items() if key != "scores"}}
            exact = {symbol: sp.Rational(known[symbol.name]) for symbol in bound.free_symbols}
            right = mpmath.mpf(sp.N(bound.xreplace(exact), 60))
            sign = -1 if item.relation in (">", ">=") else 1
            assert sign * (right - left) > (-(mpmath.mpf(10) ** -50) if item.mode is Mode.EITHER else 0)


def read_scores(case: str) -> list[Fraction]:
    """The scores in a witness like "scores = [1, 1/2 x 3], gamma = 1"."""
    inside = case.partition("[")[2].partition("]")[0]
    scores = []
    for group in inside.split(", "):
        score, _, count = group.partition(" x ")
        scores += [F(score)] * int(count or 1)
    return scores


HALF = Row.explicit([F(0), F(0)])
TWO = Row.explicit([F(0), F(-1)])
TRUE = tv(TWO, F(1))
ABOVE = Affine(TRUE, F(1), F(1, 10**40))
SAME = Affine(Affine(TRUE, F(2)), F(1, 2))


@pytest.mark.parametrize(
    ("mode", "lhs", "relation", "rhs", "verdict"),
    [
        (Mode.DECIDED, TRUE, "<", ABOVE, Verdict.HOLDS),
        (Mode.DECIDED, TRUE, ">=", ABOVE, Verdict.FAILS),
        (Mode.DECIDED, TRUE, "<=", SAME, Verdict.UNDECIDED),
        (Mode.EITHER, TRUE, "<=", SAME, Verdict.HOLDS),
        (Mode.EITHER, TRUE, "<=", ABOVE, Verdict.HOLDS),
        (Mode.EITHER, ABOVE, "<=", TRUE, Verdict.FAILS),
        (Mode.EITHER, TRUE, "<", SAME, Verdict.FAILS),
        (Mode.EQUAL, TRUE, "=", SAME, Verdict.HOLDS),
        (Mode.EQUAL, TRUE, "=", Affine(TRUE, F(1), F(1, 10**9)), Verdict.FAILS),
        # Equal to 30 digits, and no more: not a proof of equality, and not a refutation at the first precision.
        (Mode.EQUAL, TRUE, "=", ABOVE, Verdict.UNDECIDED),
        (Mode.EQUAL, Exact(0), "=", tv(HALF, F(1)), Verdict.HOLDS),
    ],
)
def test_judgement(mode, lhs, relation, rhs, verdict):
    item = Item("test", lhs, relation, rhs, mode, at(scores=TWO, tau=1))
    assert item.judge(2048).verdict is verdict


@pytest.mark.parametrize("mode", Mode)
def test_too_low_a_precision_is_undecided(mode):
    item = Item("test", TRUE, "=" if mode is Mode.EQUAL else "<=", ABOVE, mode, at(tau=1))
    decision = item.judge(64)
    assert decision.verdict is Verdict.UNDECIDED
    assert decision.precision == 64


def test_the_case_in_words():
    item = Item("test", TRUE, "<", ABOVE, Mode.DECIDED, at(scores=TWO, others_below=F(1, 2), tau=F(3)))
    assert item.case == "scores = [0, -1], others below = 1/2, tau = 3"
