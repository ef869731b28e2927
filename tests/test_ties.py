"""E3 written out: the transformed model is average-hard, has no ties, and chooses as the given one does."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate_fixture import F, all_words, head, model, true_errors, vector

from checker.attention import Mask, Tie
from checker.general import ties
from checker.general.apriori import best_tau, decide, ledger
from checker.general.gaps import measure
from checker.general.ties import break_ties, has_ties
from checker.transformer.examples import load
from checker.transformer.hard import run_hard
from checker.transformer.specfile import dumps, loads
from checker.transformer.strategies import transformers
from checker.transformer.validate import validate

UNIQUE = ("first-a", "last-not-c")


def same_runs(given, changed, n):
    """Whether the hard runs agree on all words of length n: choices, logits, and streams on the given directions."""
    for word in all_words(given, n):
        one, two = run_hard(given, word), run_hard(changed, word)
        if one.chosen != two.chosen or one.logits != two.logits:
            return False
        for a, b in zip(one.layers, two.layers, strict=True):
            for x, y in zip(a.stream, b.stream, strict=True):
                if any(x.get(d, F(0)) != y.get(d, F(0)) for d in given.directions):
                    return False
    return True


@settings(max_examples=40, deadline=None)
@given(small=transformers(), n=st.integers(1, 3))
def test_the_transformed_model_is_valid_average_hard_and_the_same(small, n):
    found = break_ties(measure(small, n))
    validate(found.model)
    heads = [h for layer in found.model.layers for h in layer.heads]
    assert all(h.ties is Tie.AVERAGE for h in heads)
    assert same_runs(small, found.model, n)
    again = measure(found.model, n)
    assert not has_ties(again)
    for broken in found.heads:
        facts = again.layers[broken.layer].heads[broken.head]
        assert facts.tied == 0
        # E3: the gap is at least gamma/m, and what is promised
        if facts.gap is not None:
            assert facts.gap >= broken.gap
    assert len(found.heads) == sum(h.ties is not Tie.AVERAGE for layer in small.layers for h in layer.heads)


@pytest.mark.parametrize("name", UNIQUE)
@pytest.mark.parametrize("n", [1, 3, 5])
def test_examples(name, n):
    given = load(name)
    measured = measure(given, n)
    found = break_ties(measured)
    assert same_runs(given, found.model, n)
    assert loads(dumps(found.model)) == found.model
    again = measure(found.model, n)
    assert again.margin == measured.margin
    assert again.bound == max(measured.bound, 1)
    target = decide(again)
    tau = best_tau(again, target).tau
    assert ledger(again, tau).logit >= true_errors(found.model, n, tau)[1]


def test_steps_are_the_best_of_e3():
    rows = [(vector(one=1), vector(a=3))]
    for rule, slope in ((Tie.LEFTMOST, F(-3)), (Tie.RIGHTMOST, F(3))):
        small = model(Layer_of(head("choice", rows, {"x": vector(place=1)}, ties=rule)))
        found = break_ties(measure(small, 4))
        assert found.heads[0].step == F(3, 4)  # gamma/m, m = 4 positions
        added = found.model.layers[0].heads[0]
        assert added.query[1] == {"one'": F(1)}
        assert added.key[1] == {"place'": slope}  # 3/4 per position, place' = i/4
        assert str(found.model.positional["place'"]) == "i/4"
        assert measure(found.model, 4).gap == F(3, 4)


def test_masks_shorten_what_is_visible():
    small = model(Layer_of(head("before", [(vector(one=1), vector(a=1))], {"x": vector(a=1)}, Mask.STRICT_FUTURE,
                                Tie.LEFTMOST)))  # fmt: skip
    assert break_ties(measure(small, 4)).heads[0].step == F(1, 3)


def test_heads_that_never_tie_or_never_have_a_rival():
    unique = head("last", [(vector(one=1), vector(place=1))], {"x": vector(a=1)}, ties=Tie.RIGHTMOST)
    equal = head("first", [], {"y": vector(a=1)}, ties=Tie.LEFTMOST)
    found = break_ties(measure(model(Layer_of(unique, equal)), 3))
    assert found.heads[0].step is None
    assert found.heads[0].gap == F(1, 2)
    assert found.model.layers[0].heads[0] == replace(unique, ties=Tie.AVERAGE)
    assert found.heads[1].step == F(1, 2)  # any step will do: that of the least gap of the model
    alone = break_ties(measure(model(Layer_of(equal)), 3))
    assert alone.heads[0].step == 1
    assert same_runs(model(Layer_of(equal)), alone.model, 3)


@pytest.mark.parametrize("factor", [F(-1), F(0), F(4)])
def test_another_step_is_refuted(factor, monkeypatch):
    """The wrong direction, no step, and one that overtakes the gap."""
    step_of = ties.step_of
    monkeypatch.setattr(ties, "step_of", lambda facts, least: scaled(step_of(facts, least), factor))
    rows = [(vector(one=1), vector(a=1))]
    small = model(Layer_of(head("choice", rows, {"x": vector(place=1)}, ties=Tie.LEFTMOST)))
    assert not same_runs(small, break_ties(measure(small, 4)).model, 4)


def scaled(found, factor):
    return found[0] * factor, found[1]


def Layer_of(*heads):  # noqa: N802
    from checker.transformer.model import Layer

    return Layer(heads, ())
