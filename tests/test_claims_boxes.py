"""Transcendental claims by reductions and branch and bound: true ones are proved, near misses are not, and why not."""

import re
import time
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from checker.ball import working
from checker.claims import attempts, boxes, engine, prove, reduce, tails, taylor
from checker.claims.expression import k, n
from checker.claims.families import family
from checker.claims.goals import goals
from checker.claims.reader import read_assumption, read_claim
from proofs.boxes import Question
from proofs.derivation import Derivation
from proofs.intervals import RationalEnds, UndefinedError
from proofs.props import ProofError, Rel
from proofs.statement import Library

x, y, s = sp.symbols("x y s", real=True)
GAP = ["gap >= gamma"]
ONE = [*GAP, "maxima = 1"]
MOVED = ["perturbation <= eta"]
SPREAD = ["spread <= delta"]

# (claim, assumptions, a near miss of the claim, its assumptions where they differ)
PAIRS = [
    ("tv <= n*2^(-gamma/tau)", GAP, "tv <= n*3^(-gamma/tau)", GAP),
    ("tv <= n*exp(-gamma/tau)^(9/10)", GAP, "tv <= n*exp(-gamma/tau)^(11/10)", GAP),
    ("l1 <= 2*n*exp(-gamma/(2*tau))", GAP, "l1 <= 2*n*exp(-2*gamma/tau)", GAP),
    ("l1 <= 2*n*exp(-gamma/tau)*(1+log(n))", GAP, "l1 <= n*exp(-gamma/tau)*(1+log(n))", GAP),
    ("l1 <= 2*n*exp(-gamma/tau)*(1+gamma/tau)", GAP, "l1 <= n*exp(-gamma/tau)*(1+gamma/tau)", GAP),
    ("l1 <= 2*sqrt(n)*exp(-gamma/(2*tau))", GAP, "l1 <= 0.9*sqrt(n)*exp(-gamma/(2*tau))", GAP),
    ("tv <= 1/(1+exp(gamma/tau)/n)", GAP, "tv <= 1/(1+2*exp(gamma/tau)/n)", GAP),
    ("tv <= log(1+(n-1)*exp(-gamma/tau))", ONE, "tv <= log(1+(n-1)*exp(-gamma/tau)/2)", ONE),
    ("tv <= tanh((n-1)*exp(-gamma/tau))", ONE, "tv <= tanh((n-1)*exp(-gamma/tau)/2)", ONE),
    ("tv <= 0.31", [*GAP, "n <= 10", "gamma >= 3*tau"], "tv <= 0.3", [*GAP, "n <= 10", "gamma >= 3*tau"]),
    ("tv <= n*0.0000454", [*GAP, "gamma >= 10*tau"], "tv <= n*0.000044", [*GAP, "gamma >= 10*tau"]),
    ("l1 <= 0.0001*n", ["gap >= 10", "tau = 1"], "l1 <= 0.000089*n", ["gap >= 10", "tau = 1"]),
    ("tv <= 1/2", [*GAP, "n <= 20", "tau <= gamma/3"], "tv <= 1/2", [*GAP, "n <= 22", "tau <= gamma/3"]),
    ("tv <= 0.0068*n", [*GAP, "tau <= 1/5*gamma"], "tv <= 0.0057*n", [*GAP, "tau <= 1/5*gamma"]),
    ("tv_moved <= 0.55*sqrt(eta/tau)", [*MOVED, "eta > 0"], "tv_moved <= 0.53*sqrt(eta/tau)", [*MOVED, "eta > 0"]),
    ("l1_moved <= 1.4*log(1+eta/tau)", [*MOVED, "eta <= tau"],
     "l1_moved <= 1.3*log(1+eta/tau)", [*MOVED, "eta <= tau"]),
    ("tv <= n*exp(-gamma)", [*GAP, "tau <= 1"], "tv <= n*exp(-gamma)", [*GAP, "tau <= 1.1"]),
    ("tv <= n*exp(-gamma/2)", [*GAP, "1/4 <= tau", "tau <= 2"], "tv <= n*exp(-0.6*gamma)", [*GAP, "tau <= 2"]),
    ("tv <= log(n)*exp(-gamma/(2*tau))", [*ONE, "10 <= n", "n <= 50", "gamma >= 2*tau", "gamma <= 10*tau"],
     "tv <= 0.5*log(n)*exp(-gamma/(2*tau))", [*ONE, "10 <= n", "n <= 50", "gamma >= 2*tau", "gamma <= 10*tau"]),
    ("tv >= 1-1.1*exp(delta/tau)/n", [*SPREAD, "maxima = 1"], "tv >= 1-0.9*exp(delta/tau)/n", [*SPREAD, "maxima = 1"]),
    ("max_weight <= 3^(delta/tau)/n", SPREAD, "max_weight <= 2^(delta/tau)/n", SPREAD),
    ("max_weight <= 1/(1+(n-1)*3^(-delta/tau))", SPREAD, "max_weight <= 1/(1+(n-1)*2^(-delta/tau))", SPREAD),
    ("tv <= 0.6*sqrt((n-1)*exp(-gamma/tau))", ONE, "tv <= 0.4*sqrt((n-1)*exp(-gamma/tau))", ONE),
    ("tv <= (n-1)*exp(-gamma/tau)*exp(-exp(-gamma/tau)/2)", [*ONE, "n >= 2"],
     "tv <= (n-1)*exp(-gamma/tau)*exp(-exp(-gamma/tau))", [*ONE, "n >= 2"]),
    ("max_weight >= 1-0.28*(n-1)*tau/gamma", ONE, "max_weight >= 1-0.27*(n-1)*tau/gamma", ONE),
    ("l1 <= 0.967*(n-1)*(tau/gamma)^2", ONE, "l1 <= 0.96*(n-1)*(tau/gamma)^2", ONE),
]  # fmt: skip
TRUE = [(claim, assumed) for claim, assumed, _, _ in PAIRS]
FALSE = [(claim, assumed) for _, _, claim, assumed in PAIRS]


def results(text, assumed, seconds, monkeypatch, *, engine_too=False):
    """What the reductions alone make of every goal of a claim."""
    monkeypatch.setattr(prove, "row_derivation", lambda *_: None)
    if not engine_too:
        monkeypatch.setattr(
            engine,
            "settle",
            lambda d, _names, given, goal, deadline, _effort=0: reduce.settle(d, given, goal, deadline),
        )
    claim = replace(read_claim(text), assumptions=tuple(read_assumption(item) for item in assumed))
    found = family(claim)
    wanted = [replace(goal, case=replace(goal.case, cites=())) for goal in goals(claim, found)]
    return [prove.prove(goal, found, seconds) for goal in wanted]


@pytest.mark.parametrize(("text", "assumed"), TRUE, ids=str)
def test_a_true_claim_is_proved(text, assumed, monkeypatch):
    for proof in results(text, assumed, 60, monkeypatch):
        assert isinstance(proof, prove.Proof), proof.why


@pytest.mark.parametrize(("text", "assumed"), FALSE, ids=str)
def test_a_near_miss_is_not_proved(text, assumed, monkeypatch):
    proofs = results(text, assumed, 0.15, monkeypatch)
    assert any(isinstance(proof, prove.NotProved) for proof in proofs)


def test_the_reductions_come_after_what_is_decided_at_once(monkeypatch):
    (proof,) = results("tv <= 0.31", [*GAP, "n <= 10", "gamma >= 3*tau"], 60, monkeypatch, engine_too=True)
    assert "box" in {step.rule for step in proof.derivation.steps}


@pytest.mark.parametrize(
    ("text", "assumed", "why"),
    [
        ("tv_moved <= 0.53*sqrt(eta/tau)", [*MOVED, "eta > 0"], "fails at s1 = 11/8"),
        ("l1 <= 0.96*(n-1)*(tau/gamma)^2", ONE, "fails at xg = 17/8"),
    ],
)
def test_what_was_tried_is_said(text, assumed, why, monkeypatch):
    reasons = [proof.why for proof in results(text, assumed, 60, monkeypatch) if isinstance(proof, prove.NotProved)]
    assert any(re.search(why, reason) for reason in reasons), reasons


def test_time_is_respected(monkeypatch):
    started = time.monotonic()
    (proof,) = results("l1 <= 0.9656*(n-1)*(tau/gamma)^2", GAP, 0.5, monkeypatch)
    assert isinstance(proof, prove.NotProved)
    assert time.monotonic() - started < 20


# -- the search for cells ----------------------------------------------------------------------------------------------


def given(*rels):
    library = Library(taylor.CLAIMS)
    d = Derivation(lambda name: library.prove(name)[0])
    return d, [d.given(rel) for rel in rels]


def boxed(goal, *rels, over=(x,), cells=boxes.CELLS, seconds=30):
    d, steps = given(*rels)
    return boxes.boxed(d, goal, steps, over, time.monotonic() + seconds, cells)


UNIT = (Rel(0, "<=", x), Rel(x, "<=", 1))


def test_a_search_finds_cells():
    step, why = boxed(Rel(x * (1 - x), "<", sp.Rational(2501, 10000)), *UNIT)
    assert step is not None
    assert not why
    assert "cells" in step.how


@pytest.mark.parametrize(
    ("goal", "options", "why"),
    [
        (Rel(x * (1 - x), "<", sp.Rational(1, 4)), {}, "smallest cell left was x in"),
        (Rel(x * (1 - x), "<=", sp.Rational(1, 5)), {}, "fails in the middle of x in"),
        (Rel(sp.exp(x) * (1 - x), "<", sp.Rational(10001, 10**4)), {"cells": 4}, "4 cells were not enough"),
        (Rel(x * (1 - x), "<", sp.Rational(250001, 10**6)), {"seconds": -1}, "out of time"),
        (Rel(x + y, ">=", 0), {}, "y has no range"),
        (Rel(sp.log(x), "<=", 0), {}, "smallest cell left was x in [0, "),
    ],
)
def test_a_search_that_ends_without_cells_says_why(goal, options, why):
    step, reason = boxed(goal, *UNIT, **options)
    assert step is None
    assert why in reason


def test_the_longest_side_is_not_forgotten():
    step, _ = boxed(Rel(x * y, "<", 3), *UNIT, Rel(y, ">=", 0), Rel(y, "<=", 2), over=(x, y))
    assert step is not None


def test_arb_and_fractions_enclose_alike():
    """The ends that search and those that prove enclose the same numbers."""
    rational = RationalEnds(64)
    with working(64):
        arb = boxes.BallEnds()
        for number in (Fraction(3, 8), Fraction(-7, 2), Fraction(50), Fraction(-5000), Fraction(0)):
            for name in ("exp_of", "tanh_of", "log_of", "quotient"):
                if number <= 0 and name in ("log_of", "quotient"):
                    continue
                low, high = getattr(rational, name)(number)
                below, above = getattr(arb, name)(arb.exact(number)[0])
                assert arb.exact(low)[0] <= above
                assert below <= arb.exact(high)[1]
        assert arb.root_of(arb.exact(Fraction(0))[0], 2) == (0, 0)
        low, high = arb.root_of(arb.exact(Fraction(2))[0], 2)
        assert (low * low).lower() <= 2 <= (high * high).upper()
        with pytest.raises(UndefinedError):
            arb.exp_of(arb.exact(Fraction(5000))[0])
        with pytest.raises(UndefinedError):
            arb.log_of(arb.exact(Fraction(-1))[0])


def test_a_point_where_a_goal_fails():
    points = [Fraction(1, 4), Fraction(1), Fraction(4)]
    assert boxes.fails_at(Rel(x, "<=", 2), [], x, points) == 4
    assert boxes.fails_at(Rel(x, "<=", 5), [], x, points) is None
    assert boxes.fails_at(Rel(x, "<=", 2), [Rel(x, "<=", 3)], x, points) is None
    assert boxes.fails_at(Rel(x, "<=", y), [], x, points) is None


# -- parts of the reductions -------------------------------------------------------------------------------------------


def worked(*rels):
    d, steps = given(*rels)
    return attempts.Attempts(d, steps, time.monotonic() + 60)


def test_ranges_follow_from_linear_facts():
    found = worked(Rel(1, "<=", k), Rel(k, "<=", n), Rel(2 * n, "<=", 20), Rel(x - 3, ">", 0))
    attempts.propagate(found)
    assert found.upper(k).rel == Rel(k, "<=", 10)
    assert found.lower(x).rel == Rel(x, ">", 3)
    assert found.lower(n).rel == Rel(n, ">=", 1)


def test_inputs_determine_a_term():
    found = worked(Rel(s, ">=", 0), Rel(s, "<=", 2), Rel(s**2, "=", y))
    assert attempts.inputs(found, [y * s]) == [s]
    assert attempts.inputs(worked(Rel(x, ">=", 0)), [x]) is None


def test_numbers_are_enclosed():
    found = worked(Rel(y, "=", sp.log(2)))
    attempts.numbers(found, [sp.exp(-3) * x])
    rels = [step.rel for step in found.facts]
    assert any(rel.rhs == sp.exp(-3) and rel.lhs.is_Rational for rel in rels)
    assert any(rel.rhs == y and rel.lhs.is_Rational for rel in rels)


def test_a_fraction_names_exponentials():
    numerator, denominator = tails.fraction(x / (1 + sp.exp(-x)) - sp.exp(-x / 2))
    assert sp.expand(numerator - (x - sp.exp(-x / 2) - sp.exp(-3 * x / 2))) == 0
    assert sp.expand(denominator - (1 + sp.exp(-x))) == 0


def test_the_end_of_a_relation():
    assert attempts.end_of(Rel(2, "<", x), x) == (">", 2)
    assert attempts.end_of(Rel(x, "<=", 2), x) == ("<=", 2)
    assert attempts.end_of(Rel(x, "<=", y), x) is None


def test_fresh_names():
    found = worked(Rel(sp.Symbol("xz", real=True), ">=", 0))
    assert str(found.fresh("xz")) == "xz2"
    assert str(found.fresh("xw")) == "xw"


@pytest.mark.parametrize(
    "goal",
    [
        Rel(x - 2 + sp.exp(-x) * 3, ">=", 0),
        Rel(1 + x**2 - 3 * x * sp.exp(-x), ">", 0),
        Rel(sp.exp(-x) - sp.exp(-2 * x) * (1 - x), ">=", 0),
        Rel(2 - 5 * x * sp.exp(-x), ">", 0),
        Rel(sp.exp(-x) * x - sp.exp(-3 * x) * x**2, ">=", 0),
    ],
    ids=str,
)
def test_a_half_line(goal):
    found = worked(Rel(x, ">=", 0))
    assert tails.one_variable(found, goal).prop == goal


@pytest.mark.parametrize(
    "goal",
    [
        Rel(2 - 6 * x * sp.exp(-x), ">", 0),
        Rel(1 - x * sp.exp(-x / 100), ">=", 0),
        Rel(sp.exp(-x) - sp.Rational(1, 100), ">", 0),
    ],
    ids=str,
)
def test_a_half_line_on_which_the_goal_fails(goal):
    with pytest.raises(tails.FailsError, match="fails at x = "):
        tails.one_variable(worked(Rel(x, ">=", 0)), goal)


def test_a_question_needs_an_order():
    with pytest.raises(ProofError):
        Question(Rel(x, "=", x), UNIT, (x,))
