"""Attacks on certificates: wrong masks, positions, markers, clean-ups, keys and temperatures are not certified."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from certify_fixture import (
    claimed,
    hard_agrees,
    model_of,
    proves,
    soft_agrees,
    understood,
    with_head,
    with_layer,
    with_positional,
    with_unit,
)  # fmt: skip
from mutation_fixture import mutate

from checker.attention import Mask, Tie
from checker.certify.certificate import Outcome, certify
from checker.certify.ledger import Argument
from checker.logic.text import parse_formula
from checker.position import parse
from checker.transformer.model import Unit

PAIR = "(a S b) & Y a"
LOOKUP = "#<-[a] - #[b] >= 0"
BOTH = pytest.mark.parametrize("regime", ["unbounded", "scaled"])


@cache
def compiled(text, regime="unbounded", alphabet="ab"):
    return model_of(text, alphabet, regime)


def head_of(model, words):
    """(layer, number) of the only head whose name contains these words."""
    found = [
        (layer, number)
        for layer, parts in enumerate(model.layers)
        for number, head in enumerate(parts.heads)
        if words in head.name
    ]
    assert len(found) == 1, (words, found)
    return found[0]


def refused(model, text, longest=4):
    """Not proved by the weights; and the outcome on all words up to a length."""
    assert not proves(model, text)
    found = certify(model, longest, claimed=parse_formula(text))
    assert found.outcome is not Outcome.CERTIFIED
    assert found.outcome is Outcome.REFUTED or found.reason
    return found.outcome is Outcome.REFUTED


@BOTH
def test_the_originals_are_certified(regime):
    for text in (PAIR, LOOKUP, "#[a] % 2 == 1", "X Y a", "a U b", "a & Y b & i % 2 == 1"):
        assert certify(compiled(text, regime), 4, claimed=parse_formula(text)).outcome is Outcome.CERTIFIED


@BOTH
@pytest.mark.parametrize(
    ("text", "head", "masks"),
    [
        ("Y a", "the position before", [Mask.NONE, Mask.FUTURE, Mask.PAST, Mask.STRICT_PAST]),
        ("X a", "the position after", [Mask.NONE, Mask.FUTURE, Mask.STRICT_FUTURE, Mask.PAST]),
        ("a S b", "the last position", [Mask.NONE, Mask.STRICT_FUTURE, Mask.PAST, Mask.STRICT_PAST]),
        ("a U b", "the next position", [Mask.NONE, Mask.STRICT_PAST, Mask.FUTURE, Mask.STRICT_FUTURE]),
        (LOOKUP, "all of #<-", [Mask.NONE, Mask.STRICT_FUTURE, Mask.PAST, Mask.STRICT_PAST]),
        ("#[a] % 2 == 1", "all of #", [Mask.FUTURE, Mask.STRICT_FUTURE, Mask.PAST, Mask.STRICT_PAST]),
        ("#[a] % 2 == 1", "position number", [Mask.STRICT_FUTURE, Mask.PAST, Mask.STRICT_PAST]),
    ],
)
def test_wrong_masks(text, head, masks, regime):
    model = compiled(text, regime)
    for mask in masks:
        assert refused(with_head(model, *head_of(model, head), mask=mask), text), mask


@BOTH
def test_off_by_one_positions(regime):
    n = "" if regime == "unbounded" else "/(n + 2)"
    model = compiled(LOOKUP, regime)
    # Both lookups read j + 1; the difference is the same, but for comparisons of one count it is not.
    shifted = parse(f"(i + 1){n}")
    assert understood(with_positional(model, position=shifted))[0] is Argument.UNCLEAR
    assert refused(with_positional(compiled("#<-[a] >= 2", regime), position=shifted), "#<-[a] >= 2")
    # C/(i + 1) over 1/(i + 2): the peak is not at C.
    model = compiled("#<-[a] % 2 == 1", regime)
    name = next(name for name in model.positional if name.startswith("1/"))
    assert refused(with_positional(model, **{name: parse("1/(i + 2)")}), "#<-[a] % 2 == 1")
    # The remainder of j + 1.
    name = next(name for name in model.positional if "%" in name)
    assert refused(with_positional(model, **{name: parse("[(i + 1) % 2 == 1]")}), "#<-[a] % 2 == 1")
    # -j^2 + j has its peak at C + 1/2.
    square = next(name for name in model.positional if "^2" in name)
    wrong = parse("(n + 2)*(i^2 - i)" if regime == "unbounded" else "(i^2 - i)/(n + 2)^2")
    assert refused(with_positional(model, **{square: wrong}), "#<-[a] % 2 == 1")


@BOTH
def test_a_predicate_weighed_less_than_the_visible_positions(regime):
    model = compiled("a S b", regime)
    name = "positions up to here"
    n = "" if regime == "unbounded" else "/(n + 2)"
    # The weight i is below the i + 1 visible positions: B6 does not apply, whether or not the head still works.
    refused(with_positional(model, **{name: parse(f"i{n}")}), "a S b")
    assert refused(with_positional(model, **{name: parse(f"1/2{n}")}), "a S b")
    assert proves(with_positional(model, **{name: parse(f"(2*i + 1){n}")}), "a S b")


@BOTH
def test_missing_markers(regime):
    assert refused(replace(compiled(LOOKUP, regime), begin=None), LOOKUP)
    assert refused(replace(compiled("#[a] % 2 == 1", regime), begin=None), "#[a] % 2 == 1")
    if regime == "scaled":
        assert refused(replace(compiled(LOOKUP, regime), end=None), LOOKUP)
    # A neighbour that is not there is false, marker or not, and so is one that satisfies a predicate.
    assert proves(replace(compiled("Y a", regime), begin=None, end=None), "Y a")
    assert proves(replace(compiled("a S b", regime), begin=None, end=None), "a S b")


@BOTH
def test_a_count_of_zero_needs_a_position_of_its_own(regime):
    """Without the begin marker the shares are C/i, so a peak at C is arranged easily, but there is no position 0."""
    model = replace(compiled("#<-[a] % 2 == 1", regime), begin=None)
    name = next(name for name in model.positional if name.startswith("1/"))
    assert refused(with_positional(model, **{name: parse("1/i")}), "#<-[a] % 2 == 1")
    # The table has to be right at the begin marker too.
    model = compiled("#<-[a] % 2 == 0", regime)
    name = next(name for name in model.positional if "%" in name)
    assert refused(with_positional(model, **{name: parse("[i % 2 == 0]*[1 <= i]")}), "#<-[a] % 2 == 0")
    assert proves(with_positional(model, **{name: parse("[i % 2 == 0]*[0 <= i]")}), "#<-[a] % 2 == 0")


@BOTH
def test_markers_off_the_parabola(regime):
    for text in ("#<-[a] % 2 == 1", LOOKUP):
        model = compiled(text, regime)
        for name in ("lookup j", "lookup j^2"):
            for factor in ("[i <= n]", "(1 + [n < i])"):
                changed = with_positional(model, **{name: parse(f"({model.positional[name]})*{factor}")})
                assert not proves(changed, text)
        cut = with_positional(model, **{"lookup j^2": parse(f"({model.positional['lookup j^2']})*[i <= n]")})
        assert refused(cut, text)


def test_comparisons_that_read_more_than_the_end_marker():
    model = compiled(LOOKUP, "scaled")
    place = head_of(model, "the end if")
    raw = next(iter(model.layers[place[0]].heads[place[1]].value))
    for where in ("[i < 1]", "[1 <= i]*[i <= n]"):
        marked = replace(
            with_head(model, *place, value={raw: {"end": Fraction(1), "mark": Fraction(1)}}),
            directions=(*model.directions, "mark"),
            positional={**model.positional, "mark": parse(where)},
        )
        assert refused(marked, LOOKUP)


def test_a_predicate_weighed_by_the_query():
    """At queries with the letter b the predicate counts nothing."""
    model = compiled("(i % 2 == 0) S (i % 2 == 1)")
    place = head_of(model, "the last position")
    head = model.layers[place[0]].heads[place[1]]
    changed = replace(
        with_head(
            model, *place, query=({'is "a"': Fraction(1)}, head.query[1]), key=({"odd": Fraction(1)}, head.key[1])
        ),
        directions=(*model.directions, "odd"),
        positional={**model.positional, "odd": parse("(n + 2)*[1 <= i & i <= n & i % 2 == 1]")},
    )
    assert refused(changed, "(i % 2 == 0) S (i % 2 == 1)")
    always = with_head(changed, *place, query=({"one": Fraction(1)}, head.query[1]))
    assert understood(always)[0] is Argument.PROVED


@BOTH
def test_every_clean_up_counts(regime):
    """tau_0 = 3/5 is admissible for Y and not for a lookup, whichever comes first."""
    for text in ("#[Y a] % 2 == 1", "Y (#[a] % 2 == 1)"):
        argument, formula, reason = understood(compiled(text, regime), Fraction(3, 5))
        assert argument is Argument.TOO_HOT
        assert formula is claimed(text)
        assert "position number" in reason
        assert "0.556" in reason
    assert understood(compiled("Y Y a", regime), Fraction(3, 5))[0] is Argument.PROVED


@BOTH
def test_markers_that_carry_truth_values(regime):
    assert refused(replace(compiled("Y a", regime), begin={'is "a"': Fraction(1)}), "Y a")
    refused(replace(compiled("a S b", regime), begin={"word": Fraction(1)}), "a S b")  # chosen where nothing is
    assert refused(replace(compiled("X a", regime), end={'is "a"': Fraction(1)}), "X a")
    assert refused(replace(compiled("#[a] % 2 == 1", regime), end={'is "a"': Fraction(1)}), "#[a] % 2 == 1")
    loose = with_positional(compiled("X (i % 2 == 1)", regime), **{"holds i % 2 == 1": parse("[i % 2 == 1]")})
    assert refused(loose, "X (i % 2 == 1)")


@BOTH
def test_clean_up_without_the_word_bit(regime):
    """X sees the end marker, at which Y a would be the truth value of a at the last position."""
    model = compiled("X Y a", regime)
    for number in (0, 1):
        unit = model.layers[0].feed_forward[0].hidden[number]
        raw = {d: w for d, w in unit.weights.items() if d != "word"}
        model = with_unit(model, 0, 0, number, weights=raw, bias=unit.bias + 1)
    assert refused(model, "X Y a")


@BOTH
def test_thresholds(regime):
    # Below the bound: the temperature is too high for this clean-up.
    for text in ("Y a", "#[a] % 2 == 1", LOOKUP):
        tight = model_of(text, "ab", regime, threshold=Fraction(1, 100))
        cool, hot = model_of(text, "ab", regime).temperature, tight.temperature
        assert proves(tight, text)
        assert hot != cool
        assert understood(replace(tight, temperature=cool))[0] is Argument.TOO_HOT
        refused(replace(tight, temperature=cool), text, 4)
    # From 1/2 on the two pieces overlap: ReLU(x - 1/2) - ReLU(x - 1/2) is 0, and x itself cleans nothing.
    model = compiled("Y a", regime)
    weights = {**model.layers[0].feed_forward[0].hidden[0].weights}
    for first, second, slope in (("3/2", "3/2", "2"), ("1", "2", "1")):
        part = model.layers[0].feed_forward[0]
        hidden = (Unit(weights, -Fraction(first)), Unit(weights, -Fraction(second)))
        output = {d: {0: Fraction(slope), 1: -Fraction(slope)} for d in part.output}
        changed = with_layer(model, 0, feed_forward=(replace(part, hidden=hidden, output=output),))
        refused(changed, "Y a")


@BOTH
def test_swapped_keys_and_signs(regime):
    model = compiled("a S b", regime, "abc")
    place = head_of(model, "the last position")
    head = model.layers[place[0]].heads[place[1]]
    # Divided by n + 2, chi counts as much as n + 2 positions after the swap: the hard run is still right.
    assert refused(with_head(model, *place, key=head.key[::-1]), "a S b") or regime == "scaled"
    negated = tuple({d: -w for d, w in row.items()} for row in head.key)
    assert refused(with_head(model, *place, key=negated), "a S b")
    for row in (0, 1):
        rows = tuple(negated[k] if k == row else head.key[k] for k in (0, 1))
        assert refused(with_head(model, *place, key=rows), "a S b")
    model = compiled("Y a", regime)
    place = head_of(model, "the position before")
    head = model.layers[0].heads[0]
    assert refused(with_head(model, *place, key=({d: -w for d, w in head.key[0].items()},)), "Y a")
    flipped = {d: {e: -w for e, w in v.items()} for d, v in head.value.items()}
    assert refused(with_head(model, *place, value=flipped), "Y a")
    model = compiled("#[a] % 2 == 1", regime)
    place = head_of(model, "position number")
    head = model.layers[place[0]].heads[place[1]]
    assert refused(with_head(model, *place, key=head.key[::-1]), "#[a] % 2 == 1")


@BOTH
def test_values_from_other_directions(regime):
    model = compiled("Y (a & Y b)", regime)
    for layer, parts in enumerate(model.layers):
        for number, head in enumerate(parts.heads):
            for direction in ('is "a"', 'is "b"', "word", "position"):
                value = {d: {direction: Fraction(1)} for d in head.value}
                if value != dict(head.value):
                    assert refused(with_head(model, layer, number, value=value), "Y (a & Y b)")


@BOTH
def test_changed_literals_of_a_conjunction(regime):
    text = "a & Y b & i % 2 == 1"
    model = compiled(text, regime)
    layer = len(model.layers) - 1
    part = len(model.layers[layer].feed_forward) - 1
    unit = model.layers[layer].feed_forward[part].hidden[0]
    assert len(unit.weights) == 3
    for direction in unit.weights:
        without = {d: w for d, w in unit.weights.items() if d != direction}
        flipped = {**unit.weights, direction: Fraction(-1)}
        assert refused(with_unit(model, layer, part, 0, weights=without, bias=Fraction(-1)), text)
        assert refused(with_unit(model, layer, part, 0, weights=flipped, bias=Fraction(-1)), text)
        assert refused(with_unit(model, layer, part, 0, weights=without), text)
    for bias in (-1, -3, 0):
        assert refused(with_unit(model, layer, part, 0, bias=Fraction(bias)), text)


@BOTH
@pytest.mark.parametrize("text", [PAIR, LOOKUP, "#[a] % 2 == 1"])
def test_biases_changed_by_a_millionth(text, regime):
    model = compiled(text, regime)
    for layer, parts in enumerate(model.layers):
        for number, part in enumerate(parts.feed_forward):
            for unit, hidden in enumerate(part.hidden):
                for sign in (1, -1):
                    changed = with_unit(model, layer, number, unit, bias=hidden.bias + Fraction(sign, 10**6))
                    assert not proves(changed, text)
    for sign in (1, -1):
        output = replace(model.output, bias=model.output.bias + Fraction(sign, 10**6))
        assert not proves(replace(model, output=output), text)


def test_temperatures():
    for text in (PAIR, LOOKUP):
        for regime in ("unbounded", "scaled"):
            model = compiled(text, regime)
            hotter = replace(model, temperature=parse(f"4*({model.temperature})"))
            assert understood(hotter)[0] is Argument.TOO_HOT
            refused(hotter, text, 4)
    for text, power in ((PAIR, 1), (LOOKUP, 3)):
        model = compiled(text, "scaled")
        wrong = replace(model, temperature=parse(f"1/3/(n + 2)^{power - 1}"))
        assert understood(wrong)[0] is Argument.TOO_HOT
        assert proves(replace(model, temperature=parse(f"1/3/(n + 2)^{power + 1}")), text)
    # The lookups of the scaled regime at a constant temperature fail on a short word.
    assert refused(replace(compiled(LOOKUP, "scaled"), temperature=parse("1/3")), LOOKUP)


@BOTH
def test_outputs(regime):
    model = compiled(PAIR, regime)
    output = model.output
    assert refused(replace(model, output=replace(output, bias=-output.bias)), PAIR)
    assert refused(replace(model, output=replace(output, bias=Fraction(0))), PAIR) is False
    negated = replace(output, weights={d: -w for d, w in output.weights.items()}, bias=-output.bias)
    assert understood(replace(model, output=negated))[1] is claimed(f"!({PAIR})")
    assert refused(replace(model, output=negated), PAIR)
    assert refused(replace(model, output=replace(output, weights={'is "a"': Fraction(1)})), PAIR)


@BOTH
def test_other_formulas_are_read_back_as_such(regime):
    """A changed constant, coefficient or literal gives another formula, which is proved and is not the one claimed."""
    assert understood(compiled("#<-[a] - #[b] >= 1", regime))[1] is not claimed(LOOKUP)
    for text, other in ((LOOKUP, "#<-[a] - #[b] >= 1"), ("a S b", "a S a"), ("Y a", "Y b"), ("a U b", "a S b")):
        model = compiled(other, regime)
        assert understood(model)[0] is Argument.PROVED
        assert refused(model, text)


def test_uniform_heads_need_average_ties():
    model = compiled("#[a] % 2 == 1")
    place = head_of(model, "all of #")
    for ties in (Tie.LEFTMOST, Tie.RIGHTMOST):
        assert refused(with_head(model, *place, ties=ties), "#[a] % 2 == 1")


def test_two_heads_that_write_the_same_direction():
    model = compiled("Y a")
    head = model.layers[0].heads[0]
    refused(
        with_layer(model, 0, heads=(head, replace(head, name="again"))), "Y a"
    )  # 2 is cleaned up to 1, so the answers are right


CAMPAIGN = (
    "Y a", "a S b", "X Y a", "(a S b) & Y a", "#<-[a] - #[b] >= 0", "#[a] % 2 == 1",
    "F (a & i % 2 == 1)", "a & !(b U a)",    "#->[Y a] >= 2",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_proved_of_a_mutant_is_true(seed):
    """Random changes of weights: the formula proved, if any, is what hard and soft runs compute on all short words."""
    rng = random.Random(seed)
    proved = unclear = 0
    for _ in range(40):
        model = compiled(rng.choice(CAMPAIGN), rng.choice(["unbounded", "scaled"]))
        for _ in range(rng.choice([1, 1, 2, 3])):
            model = mutate(rng, model)
        argument, formula, reason = understood(model)
        if argument is Argument.PROVED:
            proved += 1
            assert hard_agrees(model, formula, 5)
            assert soft_agrees(model, formula, 4)
        else:
            unclear += 1
            assert reason
            if formula is not None:  # too hot: the hard run is not concerned
                assert hard_agrees(model, formula, 4)
    assert proved >= 5
    assert unclear >= 5
