"""Every example against its decider on all short words; the shrinking gaps; compiled models without clean-up."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from checker.attention import Tie
from checker.compile.compiler import compile_formula
from checker.errors import InputError
from checker.general.cleanup import without_cleanup
from checker.general.gaps import measure
from checker.logic.semantics import all_words
from checker.logic.zoo import find as language
from checker.transformer import examples, shrinking
from checker.transformer.examples import EXAMPLES, find, load
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.specfile import dumps, loads
from checker.transformer.validate import validate

FILES = [name for name in EXAMPLES if not name.startswith("shrinking")]
COMPILED = {"subsequence-no-clean-up": "subsequence-abc", "parity-no-clean-up": "parity"}


def longest(example):
    """All words up to this length are tried: about 10^4 of them."""
    return {1: 10, 2: 10, 3: 8}[len(example.model().alphabet)]


def letters(words, alphabet):
    return ["".join(alphabet[symbol] for symbol in word) for word in words]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_decides_what_it_says(name):
    example, model = find(name), load(name)
    answers = set()
    for n in range(1, longest(example) + 1):
        words = all_words(len(model.alphabet), n)
        accepted = run_hard_batch(model, words).accepted
        expected = [example.decide(word) for word in letters(words, model.alphabet)]
        assert accepted.tolist() == expected
        answers.update(expected)
    assert answers == {False, True}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_valid_and_its_file_says_all_of_it(name):
    model = load(name)
    assert validate(model) is model
    assert loads(dumps(model)) == model
    assert model.temperature is None


def test_files_and_names_belong_together():
    assert sorted(path.stem for path in examples.FOLDER.glob("*.json")) == sorted(FILES)
    assert len(FILES) - len(COMPILED) >= 8
    titles = [example.title for example in EXAMPLES.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", EXAMPLES)
def test_kinds_of_attention_are_as_stated_and_no_logit_is_0(name):
    example = find(name)
    measured = measure(example.model(), 5)
    kinds = {head.kind for layer in measured.layers for head in layer.heads}
    rules = {head.ties for layer in example.model().layers for head in layer.heads}
    words = {"average": "average-hard", "unique": next(iter(rules)).value}
    assert set(example.attention.split(", ")) == {words.get(kind, kind) for kind in kinds}
    assert rules == ({Tie(example.attention)} if "unique" in kinds else {Tie.AVERAGE})
    assert measured.margin > 0
    assert measured.gap > 0


@pytest.mark.parametrize(
    ("name", "n", "gap", "margin"),
    [
        ("induction-head", 6, "1/7", "1/2"),
        ("most-frequent", 6, "1/6", "1/4"),
        ("first-symbol", 6, "1/6", "1/2"),
        ("strict-majority", 9, "1/20", "1/2"),
        ("lookup-chain", 6, "1", "1/2"),
        ("sorted-middle", 6, "1/343", "1/2"),
        ("first-a", 6, "1", "1/2"),
        ("last-not-c", 6, "1", "1/2"),
        *(("best-prefix", n, Fraction(1, n * n * (n - 1)), Fraction(1, 2 * n)) for n in range(3, 9)),
    ],
)
def test_gaps_and_margins(name, n, gap, margin):
    measured = measure(load(name), n)
    assert (measured.gap, measured.margin) == (Fraction(gap), Fraction(margin))
    assert measured.complete


def table():
    """The rows of the table in the docstring of checker.transformer.shrinking."""
    for line in shrinking.__doc__.splitlines():
        if line.startswith("    d = "):
            depth, *gaps = line.removeprefix("    d = ").split()
            yield int(depth), [Fraction(gap) for gap in gaps]


def test_shrinking_gaps_are_as_tabulated():
    rows = list(table())
    assert [depth for depth, _ in rows] == [1, 2, 3, 4]
    for depth, gaps in rows:
        assert len(gaps) == 8
        for n, gap in enumerate(gaps, start=1):
            measured = measure(shrinking.shrinking(depth), n)
            assert measured.gap == gap <= Fraction(1, (n + 1) ** depth)
            assert measured.margin == Fraction(1, 4)
    assert "31/3513510 at n = 12" in shrinking.__doc__
    assert measure(shrinking.shrinking(2), 12).gap == Fraction(31, 3513510)


@pytest.mark.parametrize("depth", [1, 3, 7])
@pytest.mark.parametrize("n", [2, 5])
def test_the_gap_of_one_late_a(depth, n):
    """On b ... b a the last head sees (n + 1)^-depth at the end and 0 elsewhere."""
    model, word = shrinking.shrinking(depth), np.array([[1] * (n - 1) + [0]])
    gap = run_hard_batch(model, word, gaps=True).gaps[-1].gap
    assert gap == Fraction(1, (n + 1) ** depth)


def test_denominators_of_means_of_means():
    """At depth 2 the least common multiple of 2 .. n + 1, squared, bounds how small the gap can be."""
    for n in range(2, 9):
        gap = measure(shrinking.shrinking(2), n).gap
        assert math.lcm(*range(1, n + 2)) ** 2 % gap.denominator == 0


@pytest.mark.parametrize("depth", [0, 21, True, "2"])
def test_depths_of_shrinking(depth):
    with pytest.raises(InputError, match=r"depth must be an integer in 1\.\.20"):
        shrinking.shrinking(depth)


def test_unknown_names():
    with pytest.raises(InputError, match="did you mean first-symbol"):
        find("first-symbl")
    with pytest.raises(InputError, match="there are induction-head, "):
        load("xyzxyz")


@pytest.mark.parametrize("regime", ["unbounded", "scaled"])
@pytest.mark.parametrize("name", ["subsequence-abc", "tomita-3", "plurality", "parity", "suffixes", "ahead-half"])
def test_without_cleanup_the_hard_run_is_the_same_but_nothing_is_cleaned(name, regime):
    entry = language(name)
    model = compile_formula(entry.formula, entry.alphabet, regime=regime, acceptance=entry.acceptance)
    plain = without_cleanup(model)
    assert validate(plain).temperature is None
    assert "threshold" not in plain.origin
    for n in range(1, 7 if len(entry.alphabet) == 2 else 5):
        words = all_words(len(entry.alphabet), n)
        before, after = run_hard_batch(model, words).logits, run_hard_batch(plain, words).logits
        assert (before.fractions() == after.fractions()).all()
    # Nothing is constant around the arguments that occur: every slope of a read bit is 1 there.
    units = [unit for layer in plain.layers for part in layer.feed_forward for unit in part.hidden]
    assert all(unit.bias.denominator == 1 for unit in units)
    assert any(unit not in units for layer in model.layers for part in layer.feed_forward for unit in part.hidden)


def test_a_clean_up_becomes_a_copy_and_a_conjunction_stays():
    model = compile_formula(language("trigram").formula, ("a", "b", "c"))
    before, after = (shown.layers[0].feed_forward for shown in (model, without_cleanup(model)))
    assert [len(part.hidden) for part in before] == [4, 2]
    assert [len(part.hidden) for part in after] == [2, 2]
    assert after[1] == before[1]
    unit = after[0].hidden[after[0].output["bit 1: Y b"].popitem()[0]]
    assert (unit.weights, unit.bias) == ({"read 1: Y b": 1, "word": 1}, -1)


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_examples_are_what_the_compiler_makes(name):
    entry = language(COMPILED[name])
    model = compile_formula(
        entry.formula, entry.alphabet, regime="scaled", acceptance=entry.acceptance, name=entry.name
    )
    assert load(name) == without_cleanup(model)


def test_without_cleanup_needs_a_threshold():
    with pytest.raises(InputError, match="induction head is not one that was compiled"):
        without_cleanup(load("induction-head"))
    model = compile_formula(language("since").formula, ("a", "b", "c"))
    with pytest.raises(InputError, match="below 1/2, got 1/2"):
        without_cleanup(replace(model, origin={**model.origin, "threshold": "1/2"}))
