"""Mutants of derivations: a step that claims something false is rejected by its rule.

A mutant of a step alters its claim: a side times 1 +- 10^-6 (or +- 10^-6 where the side is 0), <= made <, the relation
reversed. It is made only if it is refuted by a model: numbers for all names at which everything the step rests on
holds - hypotheses, definitions, open assumptions - and the altered claim fails. So a rule that accepts it is unsound.
(Lost hypotheses: tests/test_statements.py.)
"""

import dataclasses
import math
import random

import mutation_count
import pytest
import sympy as sp
from model_fixture import symbols_of
from rows_fixture import instances

from proofs import decide, statement
from proofs.derivation import Derivation
from proofs.props import Each, ProofError, Rel, bound_variables
from proofs.registry import STATEMENTS, claims, library

CLAIMS = {claim.name: claim for claim in claims()}
SECTION_A = [claim.name for s in STATEMENTS.values() if s.section == "A" for claim in s.claims]
RULES = (
    "polynomial", "substitute", "transitive", "generalise", "below_maximum", "cases", "induction", "specialise",
    "monotone", "cite", "analysis",
)  # fmt: skip
PERTURBED = sp.Rational(1, 10**6)
SHARE = 0.2  # of the steps are attacked
MODELS = 6
TRIES = 8  # choices of generic positions in a model
STRICT = {"<=": "<", ">=": ">"}
REVERSED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def mutants(prop):
    """Altered claims, as (kind, proposition)."""
    rel = prop.rel if isinstance(prop, Each) else prop
    altered = []
    for sign in (-1, 1):
        factor = 1 + sign * PERTURBED
        altered.append(("right side", Rel(rel.lhs, rel.op, rel.rhs * factor if rel.rhs != 0 else sign * PERTURBED)))
        altered.append(("left side", Rel(rel.lhs * factor if rel.lhs != 0 else sign * PERTURBED, rel.op, rel.rhs)))
    if rel.op in STRICT:
        altered.append(("strict", Rel(rel.lhs, STRICT[rel.op], rel.rhs)))
    if rel.op in REVERSED:
        altered.append(("reversed", Rel(rel.lhs, REVERSED[rel.op], rel.rhs)))
    if isinstance(prop, Each):
        return [(kind, dataclasses.replace(prop, rel=new)) for kind, new in altered]
    return altered


class Universe:
    """Models of a claim's hypotheses, with values for the names that its derivation introduces."""

    def __init__(self, claim):
        self.models = instances(claim, MODELS, 4000, lib=math)
        assert self.models, f"no model of the hypotheses of {claim.name}"
        self.random = random.Random(claim.name)

    def name(self, symbol, expr):
        """symbol = expr in every model (unless expr mentions a generic position)."""
        for model in self.models:
            if expr.free_symbols - bound_variables(expr) <= set(model.scalars):
                model.scalars[symbol] = model.value(expr)

    def name_function(self, function, i, n, value):
        """function(i) = value(model, i) for i = 1..n in every model."""
        for model in self.models:
            places = range(1, int(model.value(n)) + 1)
            model.functions[function] = {place: value(model, {i: place}) for place in places}

    def refutes(self, step, prop):
        """Whether some model satisfies all that `step` rests on and refutes `prop`."""
        hypotheses = [hypothesis.prop for hypothesis in step.depends]
        symbols, functions = symbols_of(prop, *hypotheses)
        for model in self.models:
            if any(function not in model.functions for function in functions):
                continue
            generic = [symbol for symbol in symbols if symbol not in model.scalars]
            for _ in range(TRIES if generic else 1):
                chosen = {symbol: self.random.randint(0, 4 if symbol.is_integer else 2) for symbol in generic}
                here = dataclasses.replace(model, scalars={**model.scalars, **chosen})
                if all(here.holds(hypothesis) for hypothesis in hypotheses) and here.fails(prop):
                    return True
        return False


class Mutated(Derivation):
    """A derivation in which each rule is asked, after each chosen step, to accept the mutants of that step too."""

    def __init__(self, theorem, universe, chosen):
        super().__init__(theorem)
        self.universe, self.chosen, self.survivors, self.killed = universe, chosen, [], 0

    def attack(self, rule, call):
        """Call a rule, then again for every refuted mutant of its result."""
        before = len(self.steps)
        step = call()
        if step.number not in self.chosen:
            return step
        after = self.steps
        for kind, altered in mutants(step.prop):
            if not self.universe.refutes(step, altered):
                continue
            self.steps = after[:before]
            self._tamper = lambda _number, _prop, altered=altered: altered
            try:
                call()
                self.survivors.append(f"step {step.number} ({rule}, {kind}): {altered}")
            except ProofError:
                self.killed += 1
            self._tamper, self.steps = None, after
        return step

    def define(self, name, expr, why=""):
        self.universe.name(name, sp.S(expr))
        return super().define(name, expr, why)

    def define_function(self, name, i, expr, n, why=""):
        self.universe.name_function(name, i, n, lambda model, at: model.value(expr, at))
        return super().define_function(name, i, expr, n, why)

    def sign_indicator(self, name, i, expr, n):
        self.universe.name_function(name, i, n, lambda model, at: int(model.value(expr, at) >= 0))
        return super().sign_indicator(name, i, expr, n)

    def count(self, name, f, boolean):
        meaning, natural = super().count(name, f, boolean)
        self.universe.name(name, meaning.rel.lhs)
        return meaning, natural


def _attacked(rule):
    def method(self, *args, **kwargs):
        return self.attack(rule, lambda: getattr(Derivation, rule)(self, *args, **kwargs))

    return method


for _rule in RULES:
    setattr(Mutated, _rule, _attacked(_rule))


@pytest.fixture(scope="module")
def proved():
    """One library for all tests here: each claim is proved once, while it is attacked."""
    return library()


@pytest.mark.parametrize("name", SECTION_A)
def test_no_rule_accepts_a_false_step(proved, name, monkeypatch):
    monkeypatch.setattr(decide, "Z3_TIMEOUT_MS", 500)
    rng = random.Random(name)
    made = []

    def derivation(theorem, tamper):
        if made:  # a claim that this one cites
            return Derivation(theorem, tamper)
        chosen = {number for number in range(1, 400) if rng.random() < SHARE}
        made.append(Mutated(theorem, Universe(CLAIMS[name]), chosen))
        return made[0]

    monkeypatch.setattr(statement, "Derivation", derivation)
    proved.prove(name)
    if made:
        for _ in range(made[0].killed):
            mutation_count.record("derivations", killed=True)
        for _ in made[0].survivors:
            mutation_count.record("derivations", killed=False)
        assert made[0].survivors == []


@pytest.mark.parametrize("name", ["S.constant", "S.order", "A2.linear", "A3.positive", "A5.linear"])
def test_a_library_rejects_a_derivation_with_an_altered_step(name):
    last = len(library().prove(name)[1].steps)
    for number in range(1, last + 1):
        reached = []

        def tamper(step, prop, number=number, reached=reached):
            if step != number:
                return prop
            reached.append(prop)
            rel = prop.rel if isinstance(prop, Each) else prop
            altered = Rel(rel.lhs, "<" if rel.op in ("=", ">", ">=") else ">", rel.rhs)
            return dataclasses.replace(prop, rel=altered) if isinstance(prop, Each) else altered

        fresh = library()
        if tampered_is_rejected(fresh, name, tamper):
            mutation_count.record("derivations", killed=True)
        else:
            assert not reached  # an hypothesis or definition, which no rule claims


def tampered_is_rejected(fresh, name, tamper):
    """Whether the library rejects the derivation with a step altered."""
    try:
        fresh.prove(name, tamper)
    except ProofError:
        return True
    return False
