"""Formulas as text: precedence, the round trip through the printer, and errors that name column and expectation."""

import doctest
import importlib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.errors import InputError
from checker.logic import formula as logic
from checker.logic.alphabet import check_alphabet, parse_alphabet, parse_word, word_text
from checker.logic.formula import BINARY, RELATIONS, UNARY, Kind, Side, symbol
from checker.logic.sampling import random_formula
from checker.logic.strategies import formulas
from checker.logic.text import parse_formula, short_text, to_text

A, B, C = symbol("a"), symbol("b"), symbol("c")
N = 10**4


def un(kind, part):
    return logic.unary(Kind(kind), part)


def bi(left, kind, right):
    return logic.binary(Kind(kind), left, right)


def at(text):
    return logic.position(logic.Comparison(*_sides(text)))


def _sides(text):
    from checker import position

    left, relation, right = text.split("  ")
    return position.parse(left), relation, position.parse(right)


READ = {
    "a": A,
    '"a"': A,
    '"begin"': symbol("begin"),
    '"say \\"a\\\\b\\""': symbol('say "a\\b"'),
    '"Y"': symbol("Y"),
    '"i"': symbol("i"),
    "é": symbol("é"),
    "true": logic.true(),
    "false": logic.false(),
    "first": at("i  ==  1"),
    "last": at("i  ==  n"),
    "O a": un("P", A),
    "GFa": un("G", un("F", A)),
    "!Ya": un("!", un("Y", A)),
    "Y a S b": bi(un("Y", A), "S", B),
    "a S b U c": bi(A, "S", bi(B, "U", C)),
    "(a S b) U c": bi(bi(A, "S", B), "U", C),
    "a & b S c": bi(A, "&", bi(B, "S", C)),
    "a & b & c": bi(bi(A, "&", B), "&", C),
    "a & (b & c)": bi(A, "&", bi(B, "&", C)),
    "a | b & c": bi(A, "|", bi(B, "&", C)),
    "a | b | c": bi(bi(A, "|", B), "|", C),
    "a -> b | c": bi(A, "->", bi(B, "|", C)),
    "a -> b -> c": bi(A, "->", bi(B, "->", C)),
    "(a -> b) -> c": bi(bi(A, "->", B), "->", C),
    "a <-> b -> c": bi(A, "<->", bi(B, "->", C)),
    "a <-> b <-> c": bi(bi(A, "<->", B), "<->", C),
    "a T b R c W a": bi(A, "T", bi(B, "R", bi(C, "W", A))),
    "X H a": un("X", un("H", A)),
    "!i == 1": un("!", at("i  ==  1")),
    "Y i % 2 == 1 & a": bi(un("Y", at("i % 2  ==  1")), "&", A),
    "(i + 1)*2 <= n": at("(i + 1)*2  <=  n"),
    "((i)) < (n)": at("i  <  n"),
    "-i^2 + 1/2 != n % 3": at("-i^2 + 1/2  !=  n % 3"),
    "[1 <= i & i <= n]*2 > 1": at("[1 <= i & i <= n]*2  >  1"),
    "1 < i < n": bi(at("1  <  i"), "&", at("i  <  n")),
    "i in {1, -4, 9}": bi(bi(at("i  ==  1"), "|", at("i  ==  -4")), "|", at("i  ==  9")),
    "#[a] > 2": logic.count(((1, Side.ALL, A),), ">", 2),
    "2 < #[a]": logic.count(((-1, Side.ALL, A),), "<", -2),
    "#[a] in {2}": logic.count(((1, Side.ALL, A),), "==", 2),
    "#<-[a] - 2*#[b] + 1 >= #->[c]": logic.count(((1, Side.LEFT, A), (-2, Side.ALL, B), (-1, Side.RIGHT, C)), ">=", -1),
    "-(#[a] - 3)*2 < 0*#[b]": logic.count(((-2, Side.ALL, A), (0, Side.ALL, B)), "<", -6),
    "#[a] == i + 2*n": logic.count(
        ((1, Side.ALL, A), (-1, Side.LEFT, logic.true()), (-2, Side.ALL, logic.true())), "==", 0
    ),
    "4/2*#[a] > 2^3": logic.count(((2, Side.ALL, A),), ">", 8),
    "#->[a] % 3 == 1": logic.remainder(Side.RIGHT, A, 3, 1),
    "1 == (#->[a] % 3)": logic.remainder(Side.RIGHT, A, 3, 1),
    "#<-[a] % 3 != 2": un("!", logic.remainder(Side.LEFT, A, 3, 2)),
    "#<-[#[a] == #->[a S b]] % 2 == 0": logic.remainder(
        Side.LEFT, logic.count(((1, Side.ALL, A), (-1, Side.RIGHT, bi(A, "S", B))), "==", 0), 2, 0
    ),
    "a\n  & b": bi(A, "&", B),
}


@pytest.mark.parametrize("text", READ)
def test_reading_and_printing(text):
    assert parse_formula(text) is READ[text]
    assert parse_formula(to_text(READ[text])) is READ[text]


PRINTED = [
    "a S b S c", "(a S b) S c", "!(a & b)", "! !a".replace(" ", ""), "Y Y a", "!(i == 2) & first", "(i < 2) S last",
    "a & i < 2", "(a -> b) -> c", "a -> b -> c", "a <-> b <-> c", "a <-> (b <-> c)", "a & (b | c)", "a & (b & c)",
    "-#[a] + 2*#<-[b | c] - #->[true] == 0", "#[a & b] % 2 == 1", '"S" S "begin"', "0*#[a] < 1", "!(#[a] > 1)",
]  # fmt: skip


@pytest.mark.parametrize("text", PRINTED)
def test_printing_gives_the_usual_form(text):
    assert to_text(parse_formula(text)) == text


@settings(max_examples=80, deadline=None, derandomize=True)
@given(formulas(["a", "Y", "i", 'x"y\\', "begin", "é", "₂", " "], max_depth=4))
def test_round_trip_of_drawn_formulas(formula):
    assert parse_formula(to_text(formula)) is formula


def test_round_trip_of_random_formulas_of_every_kind():
    seen = set()
    for seed in range(600):
        formula = random_formula(Random(seed), "abc", 1 + seed % 5)
        assert parse_formula(to_text(formula)) is formula
        seen |= {node.kind for node in logic.postorder(formula)}
    assert seen == set(Kind)


printable = st.text(max_size=8).map(lambda text: "".join(filter(str.isprintable, text)) or "'")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(printable)
def test_every_symbol_can_be_written(name):
    assert parse_formula(to_text(symbol(name))) is symbol(name)


def test_every_relation_and_connective_is_read():
    for relation in RELATIONS:
        assert parse_formula(f"#[a] {relation} 3") is logic.count(((1, Side.ALL, A),), relation, 3)
        assert parse_formula(f"i {relation} 3") is at(f"i  {relation}  3")
    for kind in UNARY:
        assert parse_formula(f"{kind.value} a") is logic.unary(kind, A)
    for kind in BINARY:
        assert parse_formula(f"a {kind.value} b") is logic.binary(kind, A, B)


OPERATOR = "expected an operator (S T U R W & | -> <->)"
SUM = "expected a number, i, n or a count such as #[a]"
ERRORS = {
    "": "column 1: found the end, expected a formula",
    "a &": "column 4: found the end, expected a formula",
    "a b": f"column 3: found 'b', {OPERATOR} or the end",
    "begin": f"column 2: found 'e', {OPERATOR} or the end; names of several letters are quoted",
    "(a": f"column 3: found the end, {OPERATOR} or )",
    "a)": f"column 2: found ')', {OPERATOR} or the end",
    "(a) == 1": f"column 5: found '=', {OPERATOR} or the end",
    "a $ b": f"column 3: found '$', {OPERATOR} or the end",
    "$": "column 1: found '$', expected a formula",
    "a\n& &": "line 2, column 3: found '&', expected a formula",
    "i": "column 2: found the end, expected a relation (<, <=, ==, !=, >=, >) or in {...} or an operation "
    "(+ - * / % ^)",
    "i = 2": "column 3: found '=', expected a relation (<, <=, ==, !=, >=, >) or in {...} or an operation "
    "(+ - * / % ^)",
    "i ==": f"column 5: found the end, {SUM}",
    "i + a": f"column 5: found 'a', {SUM}",
    "i^i == 1": "column 3: found 'i', expected a number",
    "i^101 == 1": "column 2: an exponent is an integer in 0..100, got 101",
    "i in {}": "column 7: found '}', expected a number",
    "i in {1": "column 8: found the end, expected a comma or }",
    "i in 3": "column 6: found '3', expected {",
    "i in {1, 1.5}": "column 10: a member of a set: expected an integer, got '1.5'",
    "#a": "column 2: found 'a', expected [",
    "#[a": f"column 4: found the end, {OPERATOR} or ]",
    "b & #[a]*#[b] > 1": "column 9: a count is multiplied by integers only",
    "#[a]/2 > 1": "column 5: counts are not divided; multiply the other side instead",
    "#[a]^2 > 1": "column 5: counts have no powers",
    "1/2*#[a] > 1": "column 10: a comparison of counts has integer coefficients, got 1/2",
    "#[a] > 1/2": "column 6: a comparison of counts has integer coefficients, got 1/2",
    "#[a] + i*n > 2": "column 6: beside counts, only integers, i, n and integer multiples of them may be added or "
    "subtracted",
    "i % 2 > #[a]": "column 7: beside counts, only integers, i, n and integer multiples of them may be added or "
    "subtracted",
    "#[a] % 0 == 0": "column 6: a remainder of counts is written like #[a] % 3 == 1: one count modulo an integer >= 1",
    "2*#[a] % 3 == 0": "column 8: a remainder of counts is written like #[a] % 3 == 1: one count modulo an integer "
    ">= 1",
    "#[a] % 3 == 3": "column 10: a remainder needs 0 <= residue < modulus, got 3 modulo 3",
    "#[a] % 3 < 2": "column 10: a remainder of counts is compared by == or != with an integer, as in #[a] % 3 == 1",
    "[#[a] > 1] == 1": "column 7: a bracket [...] holds comparisons of expressions in i and n, without counts",
    'a & "x': 'column 5: this quote does not begin a name; names are written like "begin", with \\" for a quote',
    'a "x"': f"column 3: found '\"', {OPERATOR} or the end",
    '""': "column 1: a symbol is a non-empty printable string, got ''",
    "#[a] > " + "9" * 400: "column 8: a number in an expression has at most 1000 bits, got an integer of 1329 bits",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_name_the_column_and_what_was_expected(text):
    with pytest.raises(InputError) as caught:
        parse_formula(text)
    assert str(caught.value) == f"the formula, {ERRORS[text]}"


def test_other_input_is_refused():
    with pytest.raises(InputError, match="expected the text of a formula, got int 3"):
        parse_formula(3)
    with pytest.raises(InputError, match="has 1000001 characters; at most 1000000 are accepted"):
        parse_formula(" " * (10**6 + 1))
    formula = A
    for _ in range(40):
        formula = bi(formula, "&", formula)
    assert formula.size == 41
    with pytest.raises(InputError, match="text of the formula has more than 1000000 characters"):
        to_text(formula)
    assert repr(formula) == f"<formula {short_text(formula)}>"
    assert len(short_text(formula)) == 200


LONG = {
    "parentheses": "(" * N + "a" + ")" * N,
    "right": "a S " * N + "b",
    "left": "(" * N + "a" + " S b)" * N,
    "unary": "! Y " * N + "a",
    "conjunction": " & ".join(["a", "Y a"] * N),
    "implication": "a -> " * N + "b",
    "counts": "#[" * N + "a" + "] > 0" * N,
    "sum": " + ".join(["#[a]"] * N) + " > 3",
    "minus": "-" * N + "#[a] > 3",
    "alternating": "a & (b | " * N + "a" + ")" * N,
}


@pytest.mark.parametrize("name", LONG)
def test_long_and_deep_text(name):
    formula = parse_formula(LONG[name])
    assert parse_formula(to_text(formula)) is formula
    assert len(repr(formula)) < 250


@pytest.mark.parametrize("text", ["(" * N, "#[" * N + "a", "! " * N, "a & (" * N + "b"])
def test_errors_at_any_depth(text):
    with pytest.raises(InputError, match=f"column {len(text.rstrip()) + 1}: found the end|found the end"):
        parse_formula(text)


def test_alphabets():
    assert parse_alphabet("abc") == ("a", "b", "c")
    assert parse_alphabet(" a , begin,( ") == ("a", "begin", "(")
    for text, message in {
        "": "the alphabet is empty",
        "aba": "symbol 'a' occurs twice in the alphabet, as number 1 and 3",
        "a,,b": "symbol 2 of the alphabet 'a,,b' is empty",
        "a\tb": "symbol 2 of the alphabet is not a non-empty printable string: '\\\\t'",
    }.items():
        with pytest.raises(InputError, match=message):
            parse_alphabet(text)
    with pytest.raises(InputError, match="has 257 symbols; at most 256"):
        check_alphabet(str(k) for k in range(257))


def test_words():
    names = ("a", "b", "begin")
    assert parse_word("abba", "ab") == parse_word("a,b,b,a", "ab") == parse_word("a b b a", "ab") == (0, 1, 1, 0)
    assert parse_word("a,begin , b", names) == parse_word("a begin b", names) == (0, 2, 1)
    assert parse_word("begin", names) == (2,)
    assert parse_word("", names) == parse_word(" ", "ab") == ()
    assert parse_word("a b", (" ", "a", "b")) == (1, 0, 2)
    assert parse_word(",a", (",", "a")) == (0, 1)
    for text, alphabet, message in (
        ("abc", "ab", "symbol 3 of the word, 'c', is not in the alphabet a, b$"),
        ("a,,b", "ab", "symbol 2 of the word, '', is not in the alphabet a, b$"),
        ("ab", names, "symbol 1 of the word, 'ab', is not in the alphabet a, b, begin; separate symbols by commas"),
        ("x", "abcdefghijkl", "a, b, c, d, e, f, g, h, i, j, ... \\(12 symbols\\)"),
    ):
        with pytest.raises(InputError, match=message):
            parse_word(text, alphabet)
    for alphabet in (("a", "b"), names):
        assert parse_word(word_text((1, 0, 1), alphabet), alphabet) == (1, 0, 1)


@pytest.mark.parametrize("name", ["acceptance", "alphabet", "sampling", "strategies", "text"])
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(f"checker.logic.{name}"))
    assert result.attempted >= 1
    assert result.failed == 0
