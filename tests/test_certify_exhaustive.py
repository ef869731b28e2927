"""Agreement on all short words: every word is looked at, and the first disagreement is the shortest, first word."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from certify_fixture import model_of, with_head

from checker.certify import exhaustive
from checker.certify.certificate import Outcome, certify, claim_of, with_temperature
from checker.certify.exhaustive import compare_all, number_of_words
from checker.errors import DisagreementError, InputError
from checker.logic.semantics import holds
from checker.logic.text import parse_formula
from checker.position import parse
from checker.transformer.hard import run_hard
from checker.transformer.soft import run_soft
from checker.verdict import Verdict


def first_by_single_runs(model, formula, longest):
    """(word, position) of the first disagreement, by single runs; and the number of words looked at."""
    count = 0
    for n in range(1, longest + 1):
        for word in product(model.alphabet, repeat=n):
            count += 1
            truth = holds(formula, word, model.alphabet)
            hard = [x > 0 for x in run_hard(model, word).logits]
            soft = [v is Verdict.HOLDS for v in run_soft(model, word).verdicts]
            for place, answers in enumerate(zip(truth, hard, soft, strict=True), start=1):
                if len(set(answers)) > 1:
                    return word, place, count
    return None, None, count


@pytest.mark.parametrize(
    ("compiled", "claimed", "longest"),
    [
        ("a S b", "P b", 3), ("a S b", "(a S b) & !(Y Y c)", 3), ("Y a", "Y a | first", 2),
        ("#[a] % 2 == 0", "true", 2), ("X a", "X a & i != 2", 4), ("a U b", "F b", 3),
        ("#<-[a] - #<-[b] >= 0", "#<-[a] - #<-[b] >= 1", 3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("block", [1, 5, 4096])
def test_the_first_disagreement_is_the_shortest_first_word(monkeypatch, compiled, claimed, longest, block):
    monkeypatch.setattr(exhaustive, "BLOCK", block)
    model = model_of(compiled, "abc")
    formula = parse_formula(claimed)
    word, place, count = first_by_single_runs(model, formula, longest)
    assert word is not None
    found = compare_all(model, formula, longest, with_temperature(model, None)[1])
    assert (found.disagreement.word, found.disagreement.position, found.words) == (word, place, count)
    assert found.disagreement.formula is holds(formula, word, model.alphabet)[place - 1]


def test_disagreement_of_the_soft_run_alone():
    model = model_of("Y a", "ab", "bounded")
    formula = parse_formula("Y a")
    word, place, count = first_by_single_runs(model, formula, 5)
    assert (word, place) == (("b", "a", "a"), 3)
    found = compare_all(model, formula, 5, with_temperature(model, None)[1])
    first = found.disagreement
    assert (first.word, first.position, found.words, first.formula) == (word, place, count, True)
    assert first.hard == Fraction(1, 2)
    assert first.soft[1] < 0
    assert first.tau == Fraction(1, 2)
    assert compare_all(model, formula, 5, None).disagreement is None
    # Without a formula, the soft run is compared with the hard run.
    assert compare_all(model, None, 5, with_temperature(model, None)[1]).disagreement.word == word


def test_all_words_and_positions_are_counted():
    model = model_of("Y a", "abc")
    seen = []
    found = compare_all(model, parse_formula("Y a"), 4, lambda _n: Fraction(1, 2), lambda *state: seen.append(state))
    assert (found.words, found.positions, found.lengths) == (3 + 9 + 27 + 81, 3 + 18 + 81 + 324, 4)
    assert seen[-1][:2] == (120, 120)
    assert number_of_words(3, 4) == 120
    assert number_of_words(1, 10**6) == 10**6
    assert number_of_words(2, 38) == 2**39 - 2


@pytest.mark.parametrize(("symbols", "longest"), [(2, 0), (2, -1), (2, 39), (256, 5), (3, 10**9), (1, 10**13)])
def test_lengths_that_are_refused(symbols, longest):
    with pytest.raises(InputError, match=r"at least 1|more than 10\^12 words"):
        number_of_words(symbols, longest)


def test_a_logit_of_zero_is_not_positive_and_is_decided():
    model = model_of("a")
    flat = replace(model, output=replace(model.output, weights={}, bias=Fraction(0)))
    assert compare_all(flat, parse_formula("false"), 3, lambda _n: Fraction(1)).disagreement is None
    assert compare_all(flat, parse_formula("true"), 3, lambda _n: Fraction(1)).disagreement.word == ("a",)


def test_undecided_words_are_counted_and_never_certified(monkeypatch):
    """A soft logit that is 0 only in the limit of precision: Y a minus its own weight, mixed."""
    model = model_of("Y a", "ab")
    head = model.layers[0].heads[0]
    # Two heads of equal scores read a and -a: the sum is 0, and no ball around it ever excludes a sign.
    minus = {d: {e: -w for e, w in v.items()} for d, v in head.value.items()}
    layer = replace(model.layers[0], heads=(head, replace(head, name="minus", value=minus)), feed_forward=())
    raw = next(iter(head.value))
    output = replace(model.output, weights={raw: Fraction(1)}, bias=Fraction(0))
    model = replace(model, layers=(layer,), output=output)
    monkeypatch.setattr(exhaustive, "run_soft", lambda m, w, t: run_soft(m, w, t, precision=64, maximum=64))
    found = certify(model, 3, claimed=parse_formula("false"))
    assert found.outcome is Outcome.UNDECIDED
    assert found.agreement.undecided
    assert ("a", "a", "b") in found.agreement.undecided or ("a", "b") in found.agreement.undecided


def test_a_proof_for_all_lengths_does_not_cover_words_whose_runs_are_undecided(monkeypatch):
    import checker.certify.certificate as module

    model = model_of("Y a")
    assert certify(model, 2).outcome is Outcome.CERTIFIED
    original = module.compare_all
    monkeypatch.setattr(
        module, "compare_all", lambda *given, **options: replace(original(*given, **options), undecided=(("a", "b"),))
    )
    found = certify(model, 2)
    assert found.outcome is Outcome.UNDECIDED
    assert found.reason == "the soft run is undecided on 1 words"


def test_a_run_that_contradicts_the_argument_is_a_fault(monkeypatch):
    """If the recogniser were wrong about a model, the exhaustive part would say so, loudly."""
    import checker.certify.certificate as module

    honest = model_of("Y a")
    wrong = with_head(honest, 0, 0, value={d: {'is "b"': Fraction(1)} for d in honest.layers[0].heads[0].value})
    original = module.recognise
    monkeypatch.setattr(module, "recognise", lambda _model: original(honest))
    with pytest.raises(DisagreementError, match="contradict the argument"):
        certify(wrong, 3, claimed=parse_formula("Y a"))
    with pytest.raises(DisagreementError, match="contradict the argument"):
        certify(wrong, 3)


def test_a_model_without_temperature_is_certified_for_hard_attention():
    model = replace(model_of("a S b"), temperature=None)
    found = certify(model, 3, claimed=parse_formula("a S b"))
    assert found.outcome is Outcome.CERTIFIED
    assert not found.agreement.soft
    assert certify(model, 3, claimed=parse_formula("a S b"), tau0=Fraction(1, 2)).agreement.soft
    assert certify(model, 3, claimed=parse_formula("a S b"), tau0=Fraction(1)).outcome is Outcome.UNDECIDED


def test_the_temperature_is_replaced_within_its_power_law():
    model = model_of("#[a] % 2 == 0", regime="scaled")
    assert with_temperature(model, Fraction(1, 7))[1](4) == Fraction(1, 7 * 6**3)
    assert with_temperature(model, None)[1](4) == model.temperature.at(0, 4)
    with pytest.raises(InputError, match="not of the form"):
        with_temperature(replace(model, temperature=parse("1/(n + 3)")), Fraction(1))
    with pytest.raises(InputError, match="must be > 0"):
        with_temperature(model, Fraction(0))


def test_a_formula_that_cannot_be_read_in_the_origin_is_an_error():
    model = model_of("Y a")
    assert claim_of(model) is parse_formula("Y a")
    assert claim_of(replace(model, origin={})) is None
    assert claim_of(replace(model, origin={"formula": 3})) is None
    with pytest.raises(InputError, match=r"^origin\.formula: "):
        claim_of(replace(model, origin={"formula": "a S"}))
