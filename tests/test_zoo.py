"""Every language of the zoo, by its formula and by an independent decider, on all short words."""

import ast
import inspect
import re

import numpy as np
import pytest

from checker.errors import InputError
from checker.logic import deciders, patterns
from checker.logic.acceptance import Acceptance, default_acceptance
from checker.logic.classes import LogicClass, is_modular, least_class
from checker.logic.deciders import DECIDERS, Automaton
from checker.logic.formula import Kind, Side, symbol, symbols, temporal_depth
from checker.logic.language import Language
from checker.logic.semantics import accepted, all_words, evaluate
from checker.logic.text import parse_formula
from checker.logic.zoo import LANGUAGES, find
from checker.position import parse_comparison

LENGTHS = {1: range(1, 31), 2: range(1, 13), 3: range(1, 9)}
A, B, C = symbol("a"), symbol("b"), symbol("c")


def strings(alphabet: tuple[str, ...], n: int) -> list[str]:
    """All words of length n in the order of all_words, as strings."""
    letters = np.array(alphabet, dtype="U1")[all_words(len(alphabet), n)]
    return ["".join(row) for row in letters]


WORDS = {
    alphabet: {n: strings(alphabet, n) for n in LENGTHS[len(alphabet)]}
    for alphabet in sorted({language.alphabet for language in LANGUAGES.values()})
}


def by_formula(formula, alphabet, acceptance, n):
    return accepted(formula, all_words(len(alphabet), n), alphabet, acceptance).tolist()


@pytest.mark.parametrize("name", LANGUAGES)
def test_formula_and_decider_agree_on_all_short_words(name):
    language, decide = LANGUAGES[name], DECIDERS[name]
    accepting = total = 0
    for n, words in WORDS[language.alphabet].items():
        values = by_formula(language.formula, language.alphabet, language.acceptance, n)
        wrong = [word for word, value in zip(words, values, strict=True) if value != decide(word)]
        assert not wrong, f"{len(wrong)} words of length {n}, such as {wrong[0]}"
        accepting, total = accepting + sum(values), total + len(values)
    assert 0 < accepting < total
    assert decide("") == language.empty


def test_no_two_languages_of_an_alphabet_are_equal_unless_they_are_meant_to_be():
    same = {frozenset({"anbn", "anbn-by-position"})}
    seen: dict[tuple, str] = {}
    found = set()
    for name, language in LANGUAGES.items():
        key = (language.alphabet, *(DECIDERS[name](word) for n in range(1, 9) if n in WORDS[language.alphabet]
                                    for word in WORDS[language.alphabet][n]))  # fmt: skip
        if key in seen:
            found.add(frozenset({name, seen[key]}))
        seen[key] = name
    assert found == same


def test_the_zoo_has_what_the_theory_asks_for():
    assert len(LANGUAGES) >= 28
    assert set(LANGUAGES) == set(DECIDERS)
    classes = [language.logic for language in LANGUAGES.values()]
    assert all(classes.count(logic) >= 3 for logic in LogicClass)
    tomita = {f"tomita-{k}": LANGUAGES[f"tomita-{k}"].logic for k in range(1, 8)}
    regular_star_free = {LogicClass.ONCE, LogicClass.STAR_FREE}
    assert {name for name, logic in tomita.items() if logic in regular_star_free} == {
        f"tomita-{k}" for k in (1, 2, 4, 7)
    }


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_entries_are_consistent(language: Language):
    formula = language.formula
    assert least_class(formula) is language.logic
    assert symbols(formula) <= set(language.alphabet)
    assert default_acceptance(formula) in (None, language.acceptance)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", language.name)
    assert re.search(r"\(\d{4}\)", language.reference)
    data = language.data()
    assert parse_formula(data["formula"]) is formula
    assert data["depth"] == temporal_depth(formula)
    assert (data["class"], data["acceptance"]) == (language.logic.value, language.acceptance.value)
    assert data["empty_word"] is language.empty


def test_deciders_do_not_know_the_logic():
    tree = ast.parse(inspect.getsource(deciders))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(str(module).startswith("checker") for module in modules)
    assert Automaton({0: {"a": 0}}, frozenset({0}))("aab") is False


def test_a_wrong_formula_is_noticed():
    for name, text in {
        "ends-with-ab": "b & P a",
        "tomita-3": LANGUAGES["tomita-3"].text.replace("!Y b", "true"),
        "dyck-1": LANGUAGES["dyck-1"].text.replace(">=", ">"),
        "dyck-1-depth-3": LANGUAGES["dyck-1-depth-2"].text,
        "majority": "#[a] >= #[b]",
        "first-half": "G (a <-> 2*i < n)",
        "precedence": "!b U a",
    }.items():
        language = LANGUAGES[name]
        differs = False
        for n, words in WORDS[language.alphabet].items():
            values = by_formula(parse_formula(text), language.alphabet, language.acceptance, n)
            differs = differs or values != [DECIDERS[name](word) for word in words]
        assert differs, name


def test_finding_a_language():
    assert find("parity") is LANGUAGES["parity"]
    with pytest.raises(InputError, match="no language is named 'pariti'; did you mean parity"):
        find("pariti")
    with pytest.raises(InputError, match="no language is named 'zzz'; see the list"):
        find("zzz")


CLASSES = {
    "true": LogicClass.DEFINITE,
    "a & !Y Y b | first": LogicClass.DEFINITE,
    "P a & H b": LogicClass.ONCE,
    "P (a & Y b)": LogicClass.STAR_FREE,
    "P (a & first)": LogicClass.STAR_FREE,
    "last": LogicClass.STAR_FREE,
    "X a": LogicClass.STAR_FREE,
    "a T b": LogicClass.STAR_FREE,
    "1 == (i*i + 2*n - 1) % 3": LogicClass.MODULAR,
    "Y n % 2 != 0": LogicClass.MODULAR,
    "i % n == 0": LogicClass.NUMERICAL,
    "(i/2) % 2 == 0": LogicClass.NUMERICAL,
    "i % 2 == n % 2": LogicClass.NUMERICAL,
    "i == 2": LogicClass.NUMERICAL,
    "i % 2 == 0 & i < n": LogicClass.NUMERICAL,
    "Y #[a] % 2 == 0": LogicClass.COUNTING,
    "i < n & #[a] > 1": LogicClass.COUNTING,
}


@pytest.mark.parametrize("text", CLASSES)
def test_least_class(text):
    assert least_class(parse_formula(text)) is CLASSES[text]


def test_modular_predicates_are_periodic():
    for text in ("1 == (i*i + 2*n - 1) % 3", "n % 3 != 0", "(i^2 - i) % 3 < 2"):
        comparison = parse_comparison(text)
        assert is_modular(comparison)
        for i in range(1, 8):
            assert comparison.at(i, 20) == comparison.at(i + 3, 20) == comparison.at(i, 23)


PATTERNS = {
    "absence": (patterns.absence(C), "absence"),
    "absence_after": (patterns.absence_after(C, B), "absence-after"),
    "absence_between": (patterns.absence_between(C, A, B), "absence-between"),
    "existence": (patterns.existence(C), "existence"),
    "universality_before": (patterns.universality_before(A, B), "universality-before"),
    "precedence": (patterns.precedence(A, B), "precedence"),
    "response": (patterns.response(B, A), "response"),
    "bounded_response": (patterns.bounded_response(B, A, 2), "bounded-response"),
    "response_chain": (patterns.response_chain(B, C, A), "response-chain"),
    "bounded_existence": (patterns.bounded_existence(A, 2), "bounded-existence"),
    "suffix": (patterns.suffix("ab"), "ends-with-ab"),
    "subsequence": (patterns.subsequence("abc"), "subsequence-abc"),
    "bounded_dyck": (patterns.bounded_dyck(2), "dyck-1-depth-2"),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns(name):
    formula, language = PATTERNS[name]
    assert formula is LANGUAGES[language].formula


def test_patterns_at_other_sizes():
    deep = patterns.bounded_dyck(4, "a", "b")
    for n in range(1, 13):
        values = by_formula(deep, ("a", "b"), Acceptance.LAST, n)
        for word, value in zip(strings(("a", "b"), n), values, strict=True):
            heights = np.cumsum([1 if letter == "a" else -1 for letter in word])
            assert value == (heights.min() >= 0 and heights.max() <= 4 and heights[-1] == 0), word
    table = all_words(2, 7)
    for most in range(4):
        within = evaluate(patterns.bounded_existence(B, most), table, "ab")[:, 0]
        assert (within == (table.sum(axis=1) <= most)).all()
    suffix = evaluate(patterns.suffix("babb"), table, "ab")[:, -1]
    assert (suffix == (table[:, -4:] == [1, 0, 1, 1]).all(axis=1)).all()
    assert patterns.suffix("") is patterns.subsequence("") is parse_formula("true")
    assert patterns.universality(A) is parse_formula("G a")


def test_patterns_refuse_the_impossible():
    for build, message in (
        (lambda: patterns.subsequence("abb"), "symbols 2 and 3 of the subsequence are both 'b'"),
        (lambda: patterns.bounded_dyck(0), "the depth of brackets is an integer in 1..20, got 0"),
        (lambda: patterns.bounded_response(A, B, 0), "within is an integer in 1..100, got 0"),
        (lambda: patterns.bounded_existence(A, 101), "most is an integer in 0..100, got 101"),
    ):
        with pytest.raises(InputError, match=message):
            build()


def test_counting_languages_use_every_side():
    sides = set()
    for language in LANGUAGES.values():
        from checker.logic.formula import postorder

        for node in postorder(language.formula):
            if node.kind is Kind.COUNT:
                sides |= set(node.data.sides)
    assert sides == set(Side)
