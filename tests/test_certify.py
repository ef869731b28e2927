"""What compiled weights compute, read back from them alone, for all lengths."""

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
from certify_fixture import claimed, model_of, proves, understood

from checker.certify.canonical import as_formula, canonical
from checker.certify.ledger import Argument, ledger
from checker.certify.recognise import recognise
from checker.compile.compiler import compile_formula
from checker.logic.normalise import normal
from checker.logic.sampling import random_formula
from checker.position import parse
from proofs.registry import STATEMENTS

FORMULAS = (
    "a", "!a", "true", "false", "a & b", "a | b", "a S b", "(a | b) S c", "Y a", "Y Y a", "X a", "a U b", "P a", "H a",
    "F a", "G (a -> F b)", "b R a", "a W b", "first", "last", "i % 3 == 1", "2*i <= n", "#<-[a] >= 2",
    "#<-[a] - #[b] >= 0", "#->[a] == 1", "2*#<-[a] - 4*#<-[b] > 3",
    "#[a] % 3 == 1", "#<-[a & Y b] % 2 == 0", "#<-[true] % 2 == 0",
    "#<-[#<-[a] - #<-[b] >= 0] - #<-[true] == 0", "a & Y (b S (c | Y a))", "#->[F b] - 3*#<-[i % 2 == 0] + 2*#[c] >= 1",
    "#[i < 0] % 3 == 0", "i^2 % n == 1", "[1/i < 1/3] + i % 2 == 1",
)  # fmt: skip


@pytest.mark.parametrize("regime", ["unbounded", "scaled"])
@pytest.mark.parametrize("text", FORMULAS)
def test_the_formula_is_read_back_from_compiled_weights(text, regime):
    model = replace(model_of(text, "abc", regime), origin={})
    assert proves(model, text)
    hard = replace(model, temperature=None)
    assert proves(hard, text)


@pytest.mark.parametrize("seed", range(4))
def test_random_formulas_are_read_back(seed):
    rng = random.Random(seed)
    for _ in range(12):
        formula = random_formula(rng, ("a", "b"), rng.randint(1, 4))
        model = compile_formula(formula, ("a", "b"), regime=rng.choice(["unbounded", "scaled"]), acceptance="first")
        argument, found, reason = understood(model)
        assert (argument, reason) == (Argument.PROVED, None)
        assert found is canonical(normal(formula), ("a", "b"))
        assert canonical(normal(as_formula(found)), ("a", "b")) is found


def test_names_do_not_matter():
    """Every direction and head gets a meaningless name."""
    model = model_of("(a S b) & #<-[a] - #[Y b] >= 1", "abc", "scaled")
    names = {direction: f"d{number}" for number, direction in enumerate(reversed(model.directions))}

    def form(vector):
        return {names[direction]: x for direction, x in vector.items()}

    layers = tuple(
        replace(
            layer,
            heads=tuple(
                replace(
                    head, name="head", query=tuple(map(form, head.query)), key=tuple(map(form, head.key)),
                    value={names[d]: form(v) for d, v in head.value.items()},
                )
                for head in layer.heads
            ),
            feed_forward=tuple(
                replace(
                    part, hidden=tuple(replace(unit, weights=form(unit.weights)) for unit in part.hidden),
                    output={names[d]: units for d, units in part.output.items()}, bias=form(part.bias),
                )
                for part in layer.feed_forward
            ),
        )
        for layer in model.layers
    )  # fmt: skip
    renamed = replace(
        model, name="", directions=tuple(names[d] for d in model.directions), layers=layers, origin={},
        embedding={symbol: form(vector) for symbol, vector in model.embedding.items()}, begin=form(model.begin),
        end=form(model.end), positional={names[d]: e for d, e in model.positional.items()},
        output=replace(model.output, weights=form(model.output.weights)),
    )  # fmt: skip
    assert proves(renamed, "(a S b) & #<-[a] - #[Y b] >= 1")


def test_too_high_a_temperature_is_refused_and_the_largest_is_stated():
    model = model_of("Y a & (a S b)", regime="unbounded")
    argument, formula, reason = understood(model, Fraction(4, 5))
    assert argument is Argument.TOO_HOT
    assert formula is claimed("Y a & (a S b)")
    # tau_0 <= 1/log 4 = 0.7213475...
    assert "the largest admissible tau_0 is 0.721347" in reason
    assert "layer 1, head 1.1 the position before: the error bound 0.2866" in reason
    assert understood(model, Fraction("0.721347"))[0] is Argument.PROVED
    assert understood(model, Fraction("0.721348"))[0] is Argument.TOO_HOT


@pytest.mark.parametrize("text", ["#<-[a] - 2*#[b] >= 0", "#[a] % 2 == 1", "F a"])
@pytest.mark.parametrize("regime", ["unbounded", "scaled"])
def test_the_largest_temperature_is_admitted_and_a_larger_one_is_not(text, regime):
    model = model_of(text, regime=regime)
    largest = ledger(model, recognise(model)).largest.value
    assert understood(model, largest)[0] is Argument.PROVED
    assert understood(model, largest * Fraction(10001, 10000))[0] is Argument.TOO_HOT


@pytest.mark.parametrize(
    ("text", "weight"), [("#<-[a] >= 1", 1), ("#<-[a] - 2*#[b] >= 0", 3), ("5*#[a] - 7*#->[b] >= 2", 12)]
)
def test_errors_of_counts_add_up(text, weight):
    model = model_of(text)
    q = math.exp(-1 / float(ledger(model, recognise(model)).largest.value))
    assert weight * q / (1 - q**3) ** 2 == pytest.approx(0.25, abs=1e-4)


def test_bounded_scores_at_a_fixed_temperature_are_refused_from_some_length_on():
    argument, formula, reason = understood(model_of("Y a", regime="bounded"))
    assert argument is Argument.TOO_HOT
    assert formula is claimed("Y a")
    assert "do not stay a constant multiple of the temperature apart" in reason
    # Per position 1/(n + 2) at tau_0 = 1/2: exp(-2/(n + 2)) > 1/4 from n = 0 on, so already at length 1.
    assert "from length 1 on" in reason
    # At tau_0 = 1/16: exp(-16/(n + 2)) > 1/4 iff n + 2 > 16/log 4 = 11.54...
    reason = understood(model_of("Y a", regime="bounded", tau0=Fraction(1, 16)))[2]
    assert "from length 10 on" in reason


def test_a_temperature_of_another_form_is_compared_with_the_scores():
    model = model_of("Y a", regime="scaled")
    cooler = replace(model, temperature=parse("1/(4*n + 9)"))  # at most 1/(3 (n + 2)): as if tau_0 <= 1/3
    assert proves(cooler, "Y a")
    assert understood(replace(model, temperature=parse("1/(n + 2) + 1/100")))[0] is Argument.TOO_HOT
    assert understood(replace(model, temperature=parse("1/3 - 1/(n + 2)")))[0] is Argument.UNCLEAR


def test_the_ledger_names_what_each_head_rests_on():
    model = model_of("a S b & #<-[a] - #[b] >= 0 & Y a & #[a] % 2 == 0", regime="scaled")
    entries = ledger(model, recognise(model)).entries
    rests = {id_ for entry in entries for id_ in entry.rests}
    known = {claim.name for statement in STATEMENTS.values() for claim in statement.claims}
    assert rests <= known
    expected = {"B6.rightmost", "B1.left", "B3.closed", "A2.bound", "A7.bound", "D1.clean", "D3.since", "D4.error"}
    assert expected | {"C1.weights", "D4.uniform-hard"} <= rests
    sums = model_of("#<-[a] - #[b] >= 0")
    rests = {id_ for entry in ledger(sums, recognise(sums)).entries for id_ in entry.rests}
    assert rests == {"D4.uniform-hard", "D4.average", "D4.error", "D4.sum", "D1.integer-true", "D1.integer-false"}
    assert rests <= known
    assert all(entry.slack is None or entry.slack.value > 0 for entry in entries)
    uniform = next(entry for entry in entries if entry.selects == "all visible positions alike")
    assert (uniform.bound, uniform.note) == (None, "exact")
    cleaned = [entry for entry in entries if entry.threshold is not None]
    assert len(cleaned) == 4
    assert {entry.threshold for entry in cleaned} == {Fraction(1, 4)}
