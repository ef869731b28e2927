"""The facts of hard runs against a loop over single exact runs; samples, limits, progress, blocks."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.general import gaps
from checker.general.gaps import measure
from checker.position import parse
from checker.transformer.examples import load
from checker.transformer.hard import feed_forward, linear, run_hard
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit
from checker.transformer.piecewise import decompose
from checker.transformer.strategies import transformers

ZERO = Fraction(0)


def largest(numbers: Iterable[Fraction]) -> Fraction:
    return max((abs(number) for number in numbers), default=ZERO)


def naive_head(model, words, runs, layer, place):
    """What HeadFacts says, from the queries of all runs one after the other."""
    head = model.layers[layer].heads[place]
    best, rivals, tied, counts = (None, None, None), 0, 0, set()
    streams = [x for run in runs for x in (run.layers[layer - 1].stream if layer else run.embedded)]
    for word, run in zip(words, runs, strict=True):
        for query in run.layers[layer].heads[place].queries:
            if query.scores:
                counts.add((len(query.scores), len(query.chosen)))
                tied += query.scores.count(max(query.scores)) > 1
            if query.gap is not None:
                rivals += 1
                if best[0] is None or query.gap < best[0]:
                    best = (query.gap, word, query.position)
    values = {d: [linear(form, x) for x in streams] for d, form in head.value.items()}
    return {
        "gap": best[0], "word": best[1], "position": best[2], "rivals": rivals, "tied": tied, "counts": counts,
        "query": tuple(largest(linear(row, x) for x in streams) for row in head.query),
        "key": tuple(largest(linear(row, x) for x in streams) for row in head.key),
        "value": {d: (min(found), max(found)) for d, found in values.items()},
    }  # fmt: skip


def naive_arguments(model, runs, layer):
    """Per feed-forward part and form of its decomposition: all values that it takes, sorted."""
    streams = [dict(x) for run in runs for x in run.layers[layer].attended]
    result = []
    for part in model.layers[layer].feed_forward:
        forms = [dict(one.form) for one in decompose(part).parts]
        result.append([sorted({linear(form, x) for x in streams}) for form in forms])
        for x in streams:
            for d, added in feed_forward(part, x).items():
                x[d] = x.get(d, ZERO) + added
    return result


def check(model, n):
    """Compare all facts of the words of length n."""
    words = list(product(range(len(model.alphabet)), repeat=n))
    runs = [run_hard(model, [model.alphabet[symbol] for symbol in word]) for word in words]
    measured = measure(model, n)
    assert (measured.n, measured.words, measured.complete, measured.seed) == (n, len(words), True, None)
    for layer, facts in enumerate(measured.layers):
        for place, head in enumerate(facts.heads):
            expected = naive_head(model, words, runs, layer, place)
            assert {name: getattr(head, name) for name in expected} == expected
            assert head.name == model.layers[layer].heads[place].name
        streams = [x for run in runs for x in (run.layers[layer - 1].stream if layer else run.embedded)]
        for shown, rows in (
            (facts.entering, streams),
            (facts.leaving, [x for r in runs for x in r.layers[layer].stream]),
        ):
            for d in model.directions:
                assert shown.get(d, ZERO) == largest(x.get(d, ZERO) for x in rows)
        for (found, taken), values in zip(facts.parts, naive_arguments(model, runs, layer), strict=True):
            assert len(found.parts) == len(taken) == len(values)
            for one, all_values in zip(taken, values, strict=True):
                assert one.range == (all_values[0], all_values[-1])
                assert one.values == tuple(all_values)
    embedded = [x for run in runs for x in run.embedded]
    streams = [x for run in runs for layer in run.layers for x in layer.stream]
    assert measured.bound == largest(value for x in (*embedded, *streams) for value in x.values())
    judged = [abs(run.logits[0 if model.output.position == "first" else -1]) for run in runs]
    assert measured.margin == min(judged)
    assert measured.margin_word == words[judged.index(min(judged))]
    assert measured.zeros == judged.count(0)
    assert measured.margin_everywhere == min(abs(logit) for run in runs for logit in run.logits)
    least = [head.gap for facts in measured.layers for head in facts.heads if head.gap is not None]
    assert measured.gap == (min(least) if least else None)
    return measured


@settings(max_examples=40, deadline=None)
@given(model=transformers(), n=st.integers(1, 3))
def test_random_models(model, n):
    check(model, n)


@settings(max_examples=15, deadline=None)
@given(model=transformers(size=10**12), n=st.integers(1, 3))
def test_random_models_with_numbers_beyond_64_bits(model, n):
    check(model, n)


@pytest.mark.parametrize("name", ["first-a", "last-not-c", "sorted-middle", "best-prefix", "parity-no-clean-up"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_examples(name, n):
    check(load(name), n)


def one_head(mask, ties, key="a", **options):
    """A head that scores 2^70 [a] + i/3^50, or nothing, and no markers unless they are given."""
    head = Head(
        "head",
        ({"one": Fraction(1)},) if key else (),
        ({"a": Fraction(2**70), "place": Fraction(1, 3**50)},) if key else (),
        {"read": {"a": Fraction(1)}},
        mask,
        ties,
    )
    return Transformer(
        name="one head",
        alphabet=("a", "b"),
        directions=("a", "one", "place", "read"),
        embedding={"a": {"a": Fraction(1)}, "b": {}},
        begin=options.get("begin"),
        end=options.get("end"),
        positional={"one": parse("1"), "place": parse(options.get("place", "i"))},
        layers=(Layer((head,), ()),),
        output=Output({"read": Fraction(1)}, Fraction(-1, 2), options.get("judged", "last")),
    )


@pytest.mark.parametrize("mask", Mask)
@pytest.mark.parametrize("ties", Tie)
@pytest.mark.parametrize("place", ["i", "0"])
@pytest.mark.parametrize("marker", [None, {}])
def test_masks_and_ties_with_large_numbers(mask, ties, place, marker):
    facts = check(one_head(mask, ties, place=place, begin=marker, end=marker), 4).layers[0].heads[0]
    expected = Fraction(2**70) if place == "0" else Fraction(1, 3**50)
    assert facts.gap == expected
    assert facts.kind == ("tieless" if place == "i" else "average" if ties is Tie.AVERAGE else "unique")


@pytest.mark.parametrize("mask", Mask)
@pytest.mark.parametrize("ties", Tie)
def test_heads_without_rows_never_have_a_rival(mask, ties):
    facts = check(one_head(mask, ties, key=""), 3).layers[0].heads[0]
    assert (facts.gap, facts.word, facts.position, facts.rivals) == (None, None, None, 0)
    assert facts.kind == ("uniform" if ties is Tie.AVERAGE else "unique")


def test_an_empty_set_of_positions_is_neither_a_tie_nor_a_rival():
    measured = check(one_head(Mask.STRICT_FUTURE, Tie.LEFTMOST, place="0"), 1)
    facts = measured.layers[0].heads[0]
    assert (facts.rivals, facts.tied, facts.counts, facts.kind) == (0, 0, frozenset(), "uniform")
    assert facts.value["read"] == (0, 1)


def test_logits_of_0_are_counted():
    model = one_head(Mask.FUTURE, Tie.AVERAGE, key="")
    measured = check(model, 4)
    assert (measured.margin, measured.zeros, measured.margin_word) == (0, 6, (0, 0, 1, 1))
    measured = check(replace(model, output=replace(model.output, position="first")), 4)
    assert (measured.margin, measured.zeros, measured.margin_everywhere) == (Fraction(1, 2), 0, 0)


def test_the_bound_counts_what_a_layer_erases():
    """x = 7 is embedded and removed again; between the layer's parts it is 21, which the bound leaves out."""
    add = FeedForward((Unit({"x": Fraction(1)}, ZERO),), {"x": {0: Fraction(2)}}, {})
    erase = FeedForward((Unit({"x": Fraction(1)}, ZERO),), {"x": {0: Fraction(-1)}}, {})
    model = Transformer("", ("a",), ("x",), {"a": {"x": Fraction(7)}}, None, None, {}, (Layer((), (add, erase)),),
                        Output({"x": Fraction(1)}, Fraction(1), "last"))  # fmt: skip
    measured = check(model, 2)
    assert (measured.bound, measured.layers[0].leaving["x"], measured.gap) == (7, 0, None)


def test_many_different_arguments_are_kept_as_their_range():
    model = load("sorted-middle")
    scaled = replace(model, embedding={**model.embedding, "c": {"c": Fraction(1), "rank": Fraction(1, 10**9)}})
    narrow = measure(scaled, 5)
    assert all(taken.values is not None for _, part in narrow.layers[1].parts for taken in part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaps, "MOST_ARGUMENTS", 3)
        cut = measure(scaled, 5)
    for (_, few), (_, many) in zip(cut.layers[1].parts, narrow.layers[1].parts, strict=True):
        for one, other in zip(few, many, strict=True):
            assert one.range == other.range
            assert one.values == (other.values if len(other.values) <= 3 else None)


@pytest.mark.parametrize("name", ["best-prefix", "strict-majority"])
@pytest.mark.parametrize("block", [1, 7, 50])
def test_the_facts_do_not_depend_on_the_blocks(monkeypatch, name, block):
    """Also not the word and the position that are named: strict-majority attains its gap and its margin often."""
    model = load(name)
    expected = measure(model, 6)
    monkeypatch.setattr(gaps, "_BLOCK", block)
    assert measure(model, 6) == expected


def test_progress_ends_with_all_words(monkeypatch):
    monkeypatch.setattr(gaps, "_BLOCK", 50)
    seen = []
    measure(load("best-prefix"), 7, progress=lambda done, total: seen.append((done, total)))
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[0][0] <= 50
    assert seen[-1] == (128, 128)
    assert {total for _, total in seen} == {128}


def test_samples():
    model = load("best-prefix")
    first, again, other = (measure(model, 12, sample=40, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.margin_word != other.margin_word
    assert (first.words, first.complete, first.seed) == (40, False, 1)
    everything = measure(model, 6)
    sample = measure(model, 6, sample=500)
    assert sample.gap == everything.gap
    few = measure(model, 6, sample=3)
    assert few.gap >= everything.gap
    assert few.margin >= everything.margin
    assert few.bound <= everything.bound


def test_a_sample_of_long_words():
    measured = measure(load("induction-head"), 150, sample=3)
    assert measured.gap == Fraction(1, 151)
    assert len(measured.margin_word) == 150


@pytest.mark.parametrize(
    ("n", "options", "message"),
    [
        (0, {}, r"length must be an integer in 1\.\.2000, got 0"),
        (2001, {"sample": 1}, r"length must be an integer in 1\.\.2000, got 2001"),
        (True, {}, "got True"),
        (2.0, {}, r"got 2\.0"),
        (27, {}, r"2\^27 words of length 27 are too many to run all; measure a sample"),
        (3, {"sample": 0}, "a sample has at least 1 word, got 0"),
        (3, {"sample": True}, "got True"),
        (3, {"seed": -1}, "seed must be an integer >= 0, got -1"),
    ],
)
def test_bad_requests(n, options, message):
    with pytest.raises(InputError, match=message):
        measure(load("best-prefix"), n, **options)
