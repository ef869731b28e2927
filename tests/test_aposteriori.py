"""All words run with softmax attention: the errors enclosed, the bracket of temperatures, where the error escapes."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulate_fixture import NEWEST_A, F, all_words, cleanup, head, model, models, true_errors, vector

from checker.attention import Mask
from checker.ball import endpoints, working
from checker.errors import InputError
from checker.general import comparison
from checker.general.aposteriori import HardLogits, compare, largest
from checker.general.apriori import best_tau, decide, within
from checker.general.escape import escape
from checker.general.gaps import measure
from checker.general.simulate import Outcome, simulate
from checker.transformer.examples import load
from checker.transformer.hard import run_hard
from checker.transformer.model import Layer
from checker.transformer.soft import run_soft
from checker.transformer.strategies import transformers
from checker.verdict import Verdict

TAUS = (F(1, 8), F(1), F(5))


def decisions(small, n, tau):
    """Per word: whether soft and hard decide alike (None: undecided)."""
    result = {}
    for word in all_words(small, n):
        soft = run_soft(small, word, tau, accepting_only=True, maximum=1024)
        accepted = run_hard(small, word).accepted
        undecided = soft.accepted is Verdict.UNDECIDED
        result[word] = None if undecided else (soft.accepted is Verdict.HOLDS) == accepted
    return result


@settings(max_examples=30, deadline=None)
@given(small=transformers(), n=st.integers(1, 3), tau=st.sampled_from(TAUS))
def test_comparisons_are_those_of_single_runs(small, n, tau):
    measured = measure(small, n)
    found = compare(small, n, tau, decide(measured))
    single = decisions(small, n, tau)
    if found.verdict is Verdict.HOLDS:
        assert all(single.values())
    elif found.verdict is Verdict.FAILS:
        assert single[tuple(small.alphabet[s] for s in found.witness)] is False
    else:
        assert None in single.values()
        assert False not in single.values()
    true = true_errors(small, n, tau)[1]
    assert found.high is None or found.high >= true
    assert found.low <= true + F(1, 10**40)


@settings(max_examples=20, deadline=None)
@given(small=transformers(), n=st.integers(1, 3), tau=st.sampled_from(TAUS), eps=st.sampled_from((F(1, 100), F(1, 3))))
def test_errors_against_a_limit(small, n, tau, eps):
    found = compare(small, n, tau, within(eps))
    true = true_errors(small, n, tau)[1]  # up to 2^-100 or so
    if found.verdict is Verdict.HOLDS:
        assert true <= eps
    if found.verdict is Verdict.FAILS:
        assert true >= eps - F(1, 10**30)
        word = [small.alphabet[s] for s in found.witness]
        place = 0 if small.output.position == "first" else -1
        logit = run_soft(small, word, tau, precision=256).logits[place]
        with working(256):
            ends = (logit, logit) if isinstance(logit, Fraction) else endpoints(logit)
        exact = run_hard(small, word).logits[place]
        assert max(exact - ends[0], ends[1] - exact) > eps


def test_the_bracket_is_certified_at_both_ends_and_tight():
    for small in list(models())[:9]:
        measured = measure(small, 2)
        start = best_tau(measured, decide(measured)).tau
        found = largest(small, 2, decide(measured), start)
        assert all(decisions(small, 2, found.works.tau).values()), small.name
        if found.fails is not None:
            assert found.tight
            assert found.works.tau < found.fails.tau <= found.works.tau * F(65, 64)
            word = tuple(small.alphabet[s] for s in found.fails.witness)
            assert decisions(small, 2, found.fails.tau)[word] is False
        assert found.works.tau >= start  # what is certified a priori does work


def test_errors_that_are_too_small_for_floats():
    small = next(models())
    measured = measure(small, 3)
    found = compare(small, 3, F(1, 1000), decide(measured))
    assert found.verdict is Verdict.HOLDS
    assert 0 <= found.low <= found.high < F(1, 10**13)


def test_a_logit_of_exactly_zero():
    """Hard attention rejects at 0; a soft logit that is a positive number, however small, accepts."""
    a = head("all", [], {"x": vector(a=1)})
    exact = model(Layer((a,), ()), output=vector(x=1, one="-2/3"))  # bias -1/3: 0 for words of a's alone
    found = compare(exact, 2, F(1), decide(measure(exact, 2)))
    assert found.verdict is Verdict.HOLDS
    assert found.high == 0
    b = head("not quite", [(vector(one=1), vector(place=1, b=-9))], {"x": vector(a=-1, b=1)})
    shifted = model(Layer((b,), ()), output=vector(x=1, one="4/3"))
    found = compare(shifted, 2, F(1), decide(measure(shifted, 2)), early=True)
    assert found.verdict is Verdict.FAILS
    assert sorted(found.witness) == [0, 1]


def test_words_that_stay_undecided_are_not_claimed(monkeypatch):
    small = next(models())
    monkeypatch.setattr(comparison, "_MAXIMUM", 2)
    monkeypatch.setattr(comparison, "run_soft_range", lambda *given, **more: vague(ORIGINAL_BATCH(*given, **more)))
    monkeypatch.setattr(comparison, "_single", lambda *_: (Verdict.UNDECIDED, (F(0), None)))
    found = compare(small, 2, F(1), decide(measure(small, 2)))
    assert found.verdict is Verdict.UNDECIDED
    assert found.undecided == 4
    bracket = largest(small, 2, decide(measure(small, 2)), F(1))
    assert bracket.works is None
    assert bracket.fails is None
    assert not bracket.tight


ORIGINAL_BATCH = comparison.run_soft_range


def vague(batch):
    batch.sign[:] = 0
    return batch


# -- where it escapes -----------------------------------------------------------------------------------------------


def test_a_clean_up_that_no_longer_absorbs():
    small = model(Layer((NEWEST_A,), (cleanup("x", "y", "1/8"),)), output=vector(y=1))
    word = ("b", "a")
    assert escape(small, word, F(1, 100)).place == "the last, and reaches the output"
    found = escape(small, word, F(2))
    assert found.layer == 1
    assert "no longer absorbs the error of y" in found.place
    assert len(found.errors) == 1


def test_a_score_that_overtakes():
    second = head("the nearer", [(vector(one=1), vector(x=4, place=5))], {"y": vector(a=1)}, Mask.FUTURE)
    small = model(Layer((NEWEST_A,), ()), Layer((second,), ()), output=vector(y=1))
    found = escape(small, ("a", "b"), F(3))
    assert found.layer == 1
    assert "for the head the nearer of layer 2 at position" in found.place
    assert escape(small, ("a", "b"), F(1, 100)).layer == 2


def test_errors_per_layer_are_those_of_the_run():
    small = list(models())[5]
    for tau in TAUS:
        worst = [max(layer.values()) for layer in true_errors(small, 2, tau)[0]]
        runs = [escape(small, word, tau).errors for word in all_words(small, 2)]
        # lower bounds from balls of two precisions
        assert all(abs(max(found) - true) < F(1, 10**50) for found, true in zip(zip(*runs, strict=True), worst))  # noqa: B905


# -- the examples ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["induction-head", "most-frequent", "first-a", "last-not-c", "best-prefix"])
def test_an_example_is_simulated_and_refused_just_above(name):
    found = simulate(load(name), 4)
    assert found.outcome is Outcome.CERTIFIED
    assert found.at_tau.verdict is Verdict.HOLDS
    assert found.at_tau.low <= found.sharp.ledger.logit
    assert found.at_tau.high <= found.sharp.ledger.logit + F(1, 10**12)
    assert all(low <= bound for low, bound in zip(found.true_errors, found.sharp.ledger.delta[1:], strict=True))
    assert found.bracket.tight
    assert found.best <= found.bracket.works.tau
    assert 1 <= found.escaped.layer <= len(found.model.layers)
    assert found.gain >= 1
    assert found.closed.tau <= found.plain.tau


def test_lengths_and_numbers_of_words():
    small = next(models())
    with pytest.raises(InputError, match="integer >= 1"):
        HardLogits(small, 0)
    with pytest.raises(InputError, match=r"2\^40 words"):
        HardLogits(small, 40)
