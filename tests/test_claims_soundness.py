"""Soundness of claims: worst cases against enumerated rows; random claims against rows and their own witnesses."""

import itertools
from fractions import Fraction

import pytest
from claims_fixture import ASSUMPTIONS, TEMPERATURES, checked_again, enumerated
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.attention import Tie
from checker.claims import witness as witnesses
from checker.claims.check import Outcome, check
from checker.claims.families import family
from checker.claims.files import read_text
from checker.claims.goals import goals
from checker.decide import Expression, decide
from checker.env import Env
from checker.verdict import Verdict

QUANTITIES = ("l1", "tv", "max_weight", "winner_weight")
TERMS = (
    "{c}",
    "{c}*n*q",
    "{c}*(n-k)*q/k",
    "{c}/n",
    "{c}*k/n",
    "{c}*q",
    "{c}*n*q/(1+n*q)",
    "1-{c}*q",
    "{c}/(k+(n-k)*q)",
)
COEFFICIENTS = ("1/2", "1", "3/2", "2", "3")


@st.composite
def random_claims(draw):
    bound = draw(st.sampled_from(TERMS)).format(c=draw(st.sampled_from(COEFFICIENTS)))
    text = f"{draw(st.sampled_from(QUANTITIES))} {draw(st.sampled_from(['<=', '<', '>=', '>']))} {bound}"
    return text.replace("q", "exp(-gamma/tau)"), draw(st.sampled_from(ASSUMPTIONS))


@settings(max_examples=25, deadline=None)
@given(random_claims())
def test_proved_claims_survive_and_witnesses_check(drawn):
    text, assume = drawn
    claim = read_text(text, assume)
    report = check(claim, 3)
    if report.outcome is Outcome.REFUTED:
        assert checked_again(report)
    if report.outcome is not Outcome.PROVED:
        return
    fam, gamma = family(claim), Fraction(1)
    for rows in enumerated(gamma):
        point = {"n": Fraction(rows.row.n), "k": Fraction(rows.row.k), "gamma": gamma}
        for tau in TEMPERATURES:
            point["tau"] = tau
            if not (witnesses.fits(fam, rows, point) and witnesses.admissible(claim, fam, point)):
                continue
            value = witnesses.quantity_of(fam, rows, tau)
            bound = Expression(claim.bound.expr, Env(point))
            verdict = decide(value, claim.op, bound, maximum=256).verdict
            assert verdict is not Verdict.FAILS, f"{text} {assume} at {rows.row}, tau = {tau}"


@pytest.mark.parametrize("quantity", ["l1", "tv", "max_weight", "winner_weight"])
@pytest.mark.parametrize("tie", list(Tie))
@pytest.mark.parametrize("assume", ASSUMPTIONS[:4])
def test_worst_cases_bound_every_enumerated_row(quantity, tie, assume):
    for op in ("<=", ">="):
        claim = read_text(f"{quantity} {op} gamma", [*assume, f"hard = {tie.value}"])
        fam = family(claim)
        wanted = goals(claim, fam)
        for rows, tau in itertools.product(enumerated(Fraction(1)), TEMPERATURES[:2]):
            point = {"n": Fraction(rows.row.n), "k": Fraction(rows.row.k), "gamma": Fraction(1), "tau": tau}
            if not witnesses.fits(fam, rows, point):
                continue
            value = witnesses.quantity_of(fam, rows, tau)
            env = Env(point)
            bounds = [
                goal.case.worst
                for goal in wanted
                if (goal.case.label != "k = n") or rows.row.k == rows.row.n
                if not (goal.case.label == "k < n" and rows.row.k == rows.row.n)
            ]
            assert bounds
            for worst in bounds:
                assert decide(value, op, Expression(worst, env), maximum=256).verdict is not Verdict.FAILS
