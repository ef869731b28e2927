"""Semantics over batches of words, against the definitions word by word; and the normal form against both."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from logic_fixture import truth

from checker.errors import InputError
from checker.logic import formula as logic
from checker.logic.acceptance import Acceptance, choose_acceptance, default_acceptance
from checker.logic.formula import Kind, Side, postorder, symbol
from checker.logic.normal_semantics import evaluate_normal
from checker.logic.normalise import normal
from checker.logic.sampling import random_formula
from checker.logic.semantics import accepted, all_words, evaluate, holds, words_block
from checker.logic.strategies import formulas, words
from checker.logic.text import parse_formula

WORDS = {n: ["".join("ab"[(w >> (n - 1 - j)) & 1] for j in range(n)) for w in range(2**n)] for n in range(1, 6)}

BY_HAND = {  # formula, word: the positions where it holds
    ("Y a", "aab"): [0, 1, 1],
    ("X a", "baa"): [1, 1, 0],
    ("a S b", "abaaba"): [0, 1, 1, 1, 1, 1],
    ("a S b", "abcba"): [0, 1, 0, 1, 1],
    ("a U b", "aacab"): [0, 0, 0, 1, 1],
    ("P b", "aba"): [0, 1, 1],
    ("F b", "aba"): [1, 1, 0],
    ("H a", "aba"): [1, 0, 0],
    ("G a", "aba"): [0, 0, 1],
    ("b T a", "aab"): [1, 1, 0],
    ("b T (a | b)", "cab"): [0, 0, 1],
    ("b R a", "baa"): [0, 1, 1],
    ("(a & b) R a", "baa"): [0, 1, 1],
    ("a W b", "aca"): [0, 0, 1],
    ("a W b", "aba"): [1, 1, 1],
    ("first | last", "aaaa"): [1, 0, 0, 1],
    ("#<-[a] >= 2", "aba"): [0, 0, 1],
    ("#->[a] >= 2", "aba"): [1, 0, 0],
    ("#[a] >= 2", "aba"): [1, 1, 1],
    ("#<-[a] % 2 == 1", "aab"): [1, 0, 0],
    ("#<-[b] == i", "bba"): [1, 1, 0],
    ("#[a] == n", "aa"): [1, 1],
}


@pytest.mark.parametrize(("text", "word"), BY_HAND)
def test_examples_by_hand(text, word):
    formula = parse_formula(text)
    expected = [bool(value) for value in BY_HAND[text, word]]
    assert holds(formula, word, "abc") == expected
    assert truth(formula, word) == expected


@pytest.mark.parametrize("kind", [*logic.UNARY, *logic.BINARY], ids=lambda kind: kind.name)
def test_each_operator_on_every_pair_of_truth_tables(kind):
    # Symbols 0..3 stand for the truth values of two parts, p (odd) and q (2 or 3).
    p = parse_formula('"1" | "3"')
    q = parse_formula('"2" | "3"')
    formula = logic.unary(kind, p) if kind in logic.UNARY else logic.binary(kind, p, q)
    for n in range(1, 6):
        table = all_words(4, n)
        values = evaluate(formula, table, "0123")
        again = evaluate_normal(normal(formula), table, "0123")
        for row, word in enumerate("".join(map(str, word)) for word in table):
            expected = truth(formula, word)
            assert values[row].tolist() == expected
            assert again[row].tolist() == expected


def test_random_formulas_of_every_kind_have_the_defined_meaning():
    seen = set()
    for seed in range(500):
        formula = random_formula(Random(seed), "ab", 1 + seed % 5)
        seen |= {node.kind for node in postorder(formula)}
        form = normal(formula)
        for n in (1, 2, 4, 5) if seed % 10 == 0 else (1, 3):
            table = all_words(2, n)
            expected = np.array([truth(formula, word) for word in WORDS[n]])
            assert (evaluate(formula, table, "ab") == expected).all(), (formula, n)
            assert (evaluate_normal(form, table, "ab") == expected).all(), (formula, n)
    assert seen == set(Kind)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(formulas("abc", 4), words("abc", 1, 7))
def test_drawn_formulas_and_words(formula, word):
    expected = truth(formula, "".join(word))
    assert holds(formula, word, "abc") == expected
    indices = [["abc".index(name) for name in word]]
    assert evaluate_normal(normal(formula), indices, "abc")[0].tolist() == expected


def test_dualities():
    for text, same in {
        "a T b": "!(!a S !b)",
        "a R b": "!(!a U !b)",
        "a W b": "(a U b) | G a",
        "P a": "true S a",
        "H a": "!P !a",
        "F a": "true U a",
        "G a": "!F !a",
        "first": "!Y true",
        "last": "!X true",
        "#<-[a] + #->[a] == #[a]": "!a",
        "i == #<-[true]": "true",
        "#<-[a] % 2 == 0": "!(#<-[a] % 2 == 1)",
        "#[a] == 2": "#[a] >= 2 & #[a] <= 2",
        "#[a] != 2": "#[a] > 2 | #[a] < 2",
    }.items():
        table = all_words(2, 6)
        one, other = parse_formula(text), parse_formula(same)
        assert (evaluate(one, table, "ab") == evaluate(other, table, "ab")).all(), text


def test_integers_of_any_size():
    table = all_words(2, 6)
    huge = 10**299
    count = table.sum(axis=1) == 2  # two of symbol b
    for text in (f"{huge}*#[b] == {2 * huge}", f"#[b] + {huge}*#[b] - {2 * huge} - 2 == 0"):
        for values in (evaluate(parse_formula(text), table, "ab"),
                       evaluate_normal(normal(parse_formula(text)), table, "ab")):  # fmt: skip
            assert (values == count[:, None]).all()
    edge = 2**61
    assert evaluate(parse_formula(f"{edge}*#[a] + {edge}*#[a] > 0"), all_words(1, 9), "a").all()
    assert evaluate(parse_formula(f"#[b] % {huge} == 2"), table, "ab").tolist() == [[x] * 6 for x in count.tolist()]
    assert not evaluate(parse_formula(f"#[b] % {huge} == {huge - 1}"), table, "ab").any()


def test_shapes_and_refusals():
    formula = parse_formula("a S b")
    assert evaluate(formula, np.empty((0, 4), dtype=np.uint8), "ab").shape == (0, 4)
    assert evaluate(formula, np.empty((3, 0), dtype=np.int64), "ab").shape == (3, 0)
    assert evaluate(formula, [[1, 0, 0]], "ab").tolist() == [[True] * 3]
    result = evaluate(parse_formula("first"), all_words(2, 3), "ab")
    assert result.flags.writeable
    assert result.flags.c_contiguous
    for words_given, alphabet, message in (
        ([0, 1], "ab", "integer array \\(words, length\\), got shape \\(2,\\)"),
        ([[0.5]], "ab", "of float64"),
        ([[2]], "ab", "indices 0..1 of symbols, got 2..2"),
        ([[-1]], "ab", "got -1..-1"),
        ([[0]], "ac", "the symbol 'b' of the formula is not in the alphabet a, c"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(formula, words_given, alphabet)
        with pytest.raises(InputError, match=message):
            evaluate_normal(normal(formula), words_given, alphabet)
    with pytest.raises(InputError, match="symbol 2 of the word, 'x', is not in the alphabet a, b"):
        holds(formula, "ax", "ab")
    with pytest.raises(InputError, match="at i = 2, n = 3: division by zero"):
        evaluate(parse_formula("1/(i - 2) < 1"), all_words(2, 3), "ab")


def test_acceptance():
    future, past = parse_formula("G (a -> F b)"), parse_formula("a S b & #->[a] > 1 & last")
    assert default_acceptance(past) is choose_acceptance(past) is Acceptance.LAST
    assert default_acceptance(future) is None
    assert choose_acceptance(future, "last") is Acceptance.LAST
    assert choose_acceptance(past, Acceptance.FIRST) is Acceptance.FIRST
    for kind in logic.FUTURE:
        node = logic.unary(kind, symbol("a")) if kind in logic.UNARY else logic.binary(kind, *[symbol("a")] * 2)
        assert default_acceptance(logic.unary(Kind.NOT, node)) is None
    with pytest.raises(InputError, match="future operators, so state where it must hold: acceptance first or last"):
        choose_acceptance(future)
    with pytest.raises(InputError, match="acceptance is first or last, got 'end'"):
        choose_acceptance(future, "end")
    table = all_words(2, 3)
    assert accepted(symbol("b"), table, "ab", Acceptance.FIRST).tolist() == [False] * 4 + [True] * 4
    assert accepted(symbol("b"), table, "ab", Acceptance.LAST).tolist() == [False, True] * 4
    with pytest.raises(InputError, match="membership of the empty word is declared"):
        accepted(symbol("b"), all_words(2, 0), "ab", Acceptance.LAST)


def test_enumeration_of_words():
    for k, n in ((1, 4), (2, 5), (3, 4), (5, 2), (2, 0)):
        table = all_words(k, n)
        assert table.dtype == np.uint8
        assert table.tolist() == sorted(table.tolist())
        assert len({tuple(word) for word in table.tolist()}) == k**n == len(table)
        for start in range(0, k**n, 7):
            stop = min(start + 7, k**n)
            assert (words_block(k, n, start, stop) == table[start:stop]).all()
        assert words_block(k, n, 1, 1).shape == (0, n)
    far = words_block(2, 100, 2**100 - 2, 2**100)
    assert far.tolist() == [[1] * 99 + [0], [1] * 100]
    for arguments, message in (
        ((0, 2, 0, 1), "1 to 256 symbols"),
        ((2, -1, 0, 1), "length -1"),
        ((2, 2, 3, 5), "no block 3..5"),
        ((2, 40, 0, 2**40), "take smaller blocks"),
    ):
        with pytest.raises(InputError, match=message):
            words_block(*arguments)


def test_counts_on_one_side():
    word = "abbab"
    for side in Side:
        formula = [logic.count(((1, side, symbol("b")),), "==", c) for c in range(6)]
        counted = [[c for c in range(6) if holds(formula[c], word, "ab")[i]] for i in range(5)]
        seen = {Side.LEFT: [0, 1, 2, 2, 3], Side.RIGHT: [3, 3, 2, 1, 1], Side.ALL: [3] * 5}[side]
        assert counted == [[c] for c in seen]
