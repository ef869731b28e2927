"""The facts of analysis, each evaluated with many digits on random points and at the edges of its hypotheses."""

import random

import mpmath
import pytest
import sympy as sp
from model_fixture import Model, symbols_of

from proofs import facts
from proofs.facts import FACTS, F, M
from proofs.props import Rel
from proofs.sequent import Theorem

TINY = sp.Rational(1, 10**12)
EDGES = [0, 1, -1, TINY, -TINY, 1 + TINY, sp.Rational(1, 30), 40, -40]
POINTS = 60


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(220):
        yield


def number(value):
    return mpmath.mpf(int(value.p)) / int(value.q)


def models(fact):
    """Models of a fact's hypotheses: every pair of edge points, equal pairs, values of one another, random points."""
    rng = random.Random(fact.name)
    symbols, functions = symbols_of(fact.conclusion, *fact.hypotheses)
    reals = sorted((symbol for symbol in symbols if not symbol.is_integer), key=str)
    points = [number(sp.Rational(edge)) for edge in EDGES]
    points += [mpmath.mpf(rng.randint(-3000, 3000)) / 997 for _ in range(POINTS)]
    for position, x in enumerate(points):
        log = mpmath.log(x) if x > 0 else mpmath.mpf(1) / 4
        others = [x, points[position - 1], *points[: len(EDGES)], mpmath.exp(x), log, abs(x)]
        for y in others:
            scalars = dict(zip(reals, (x, y), strict=False))
            scalars |= {M: rng.randint(-1, 2)}
            values = {function: {i: points[(position + i) % len(points)] for i in range(9)} for function in functions}
            model = Model(scalars, values, tolerance=mpmath.mpf(10) ** -200)
            if all(model.holds(hypothesis) for hypothesis in fact.hypotheses):
                yield model


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.name)
def test_a_fact_holds_wherever_its_hypotheses_do(fact):
    found = list(models(fact))
    assert len(found) >= 30
    assert all(model.holds(fact.conclusion) for model in found)


NATURAL = Rel(M, ">=", 0)
NEEDED = [fact for fact in FACTS if set(fact.hypotheses) - {NATURAL}]


@pytest.mark.parametrize("fact", NEEDED, ids=lambda fact: fact.name)
def test_a_fact_needs_each_hypothesis_on_a_real_number(fact):
    for dropped in set(fact.hypotheses) - {NATURAL}:
        weaker = Theorem(fact.name, tuple(h for h in fact.hypotheses if h is not dropped), fact.conclusion)
        assert any(not model.holds(fact.conclusion) for model in models(weaker)), f"{dropped} is not needed"


STRICTER = {"<=": "<", ">=": ">"}


@pytest.mark.parametrize("fact", [fact for fact in FACTS if fact.conclusion.op in STRICTER], ids=lambda fact: fact.name)
def test_a_fact_is_not_strict_where_it_does_not_say_so(fact):
    strict = Rel(fact.conclusion.lhs, STRICTER[fact.conclusion.op], fact.conclusion.rhs)
    assert any(model.fails(strict) for model in models(fact))


def test_every_fact_of_the_module_is_in_the_list():
    assert {id(fact) for fact in vars(facts).values() if isinstance(fact, Theorem)} == {id(fact) for fact in FACTS}
    assert len({fact.name for fact in FACTS}) == len(FACTS)


def test_unfolding_needs_a_natural_number():
    model = Model({M: -2}, {F: {i: mpmath.mpf(1) for i in range(-3, 3)}})
    assert not model.holds(facts.SUM_UNFOLD.conclusion)
