"""The lemmas on finite sums: their conclusions on random rows, the empty row, and without each hypothesis."""

import dataclasses
import random

import mpmath
import pytest
import sympy as sp
from model_fixture import Model
from rows_fixture import instances

from proofs.props import Each
from proofs.statement import Library
from proofs.sums import CLAIMS, ZERO, c, f, function, g, lo, m, n, v, x

LEMMAS = {claim.name: claim for claim in CLAIMS}


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(50):
        yield


@pytest.mark.parametrize("name", LEMMAS)
def test_a_lemma_holds_on_random_rows(name):
    found = instances(LEMMAS[name], 40, 2000)
    assert len(found) == 40
    assert all(model.holds(LEMMAS[name].conclusion) for model in found)


@pytest.mark.parametrize(
    "name", [name for name, claim in LEMMAS.items() if not name.endswith(("strict", "term", "tanh"))]
)
def test_a_lemma_holds_on_the_empty_row(name):
    empty = Model({n: 0, c: mpmath.mpf(3), m: 1, lo: mpmath.mpf(2)}, {f: {}, g: {}, v: {}})
    claim = LEMMAS[name]
    assert all(empty.holds(hypothesis) for hypothesis in claim.hypotheses)
    assert empty.holds(claim.conclusion)


def arbitrary(rng):
    """A model that need not satisfy anything."""
    places = range(-3, 6)

    def row():
        return {j: mpmath.mpf(rng.randint(-8, 8)) / 4 for j in places}

    scalars = {n: rng.randint(-3, 5), m: rng.randint(-3, 6)}
    scalars |= {symbol: mpmath.mpf(rng.randint(-8, 8)) / 4 for symbol in (c, lo, sp.Symbol("x", real=True))}
    return Model(scalars, {f: row(), g: row(), v: row()})


REFUTABLE = [
    (claim.name, position)
    for claim in CLAIMS
    for position, hypothesis in enumerate(claim.hypotheses)
    if isinstance(hypothesis, Each) or claim.name in ("S.constant", "S.term", "S.strict", "S.tanh")
]


@pytest.mark.parametrize(("name", "position"), REFUTABLE)
def test_a_lemma_fails_without_a_hypothesis(name, position):
    claim = LEMMAS[name]
    rest = [hypothesis for place, hypothesis in enumerate(claim.hypotheses) if place != position]
    rng = random.Random(name)
    models = (arbitrary(rng) for _ in range(20_000))
    assert any(model.fails(claim.conclusion) for model in models if all(model.holds(h) for h in rest))


@pytest.mark.parametrize("name", LEMMAS)
def test_a_lemma_is_proved_from_the_lemmas_alone(name):
    theorem, _ = Library(CLAIMS).prove(name)
    assert theorem.conclusion == LEMMAS[name].conclusion


@pytest.mark.parametrize("name", ["S.add", "S.scale", "S.constant"])
def test_linearity_is_not_proved_by_itself(name):
    _, derivation = Library(CLAIMS).prove(name)
    assert derivation.uses == []
    assert not [step for step in derivation.steps if "made linear" in step.how]


def test_terms_become_functions_for_citing():
    assert function(lambda j: c * f(j)) == sp.Lambda(x, c * f(x))
    assert ZERO(x) == 0
    assert dataclasses.is_dataclass(CLAIMS[0])
