"""Formulas and normal forms as data: interning, checks, and no recursion at any depth."""

import copy
import gc
import pickle
import sys
import threading

import pytest
from hypothesis import Phase, find, given, settings

from checker.errors import InputError
from checker.logic import formula as logic
from checker.logic import normal as normal_module
from checker.logic.formula import Formula, Kind, Side, postorder, symbol, symbols, temporal_depth
from checker.logic.normal import FALSE, TRUE, Normal, Op
from checker.logic.normal import postorder as normal_postorder
from checker.logic.normal_semantics import evaluate_normal
from checker.logic.normalise import normal
from checker.logic.sampling import random_formula
from checker.logic.semantics import all_words, evaluate
from checker.logic.strategies import formulas, words
from checker.logic.text import parse_formula

N = 10**4
A, B = symbol("a"), symbol("b")


def chain(kind, length, right=True, inner=A):
    formula = inner
    for _ in range(length):
        if kind in logic.UNARY:
            formula = logic.unary(kind, formula)
        else:
            formula = logic.binary(kind, B, formula) if right else logic.binary(kind, formula, B)
    return formula


def test_equal_formulas_are_one_object():
    assert symbol("a") is A
    assert parse_formula("a S b & #[a] > 1") is parse_formula("((a)S(b))&(#[a]>1)")
    assert parse_formula("i % 2 == 1") is parse_formula("(i%2)==1")
    assert parse_formula("a & b") is not parse_formula("b & a")
    assert len({parse_formula("a & b"), parse_formula("a&b"), parse_formula("a | b")}) == 2


def test_nodes_are_built_by_functions_only_and_do_not_change():
    for kind in (Formula, Normal):
        with pytest.raises(TypeError, match="built by the functions"):
            kind()
    for node in (A, TRUE):
        with pytest.raises(AttributeError, match="immutable"):
            node.parts = ()


CHECKS = [
    (lambda: symbol(""), "a symbol is a non-empty printable string, got ''"),
    (lambda: symbol("a\n"), "printable"),
    (lambda: symbol(3), "got 3"),
    (lambda: logic.position("i == 1"), "expected a comparison of expressions in i and n, got 'i == 1'"),
    (lambda: logic.unary(Kind.AND, A), "AND is not a unary connective"),
    (lambda: logic.binary(Kind.NOT, A, B), "NOT is not a binary connective"),
    (lambda: logic.unary(Kind.NOT, "a"), "expected a formula, got str 'a'"),
    (lambda: logic.count((), ">", 1), "at least one counting term"),
    (lambda: logic.count(((1, Side.ALL, A),), "=", 1), "a relation is one of <, <=, ==, !=, >=, >, got '='"),
    (lambda: logic.count(((True, Side.ALL, A),), "<", 1), "coefficients of counts are integers, got True"),
    (lambda: logic.count(((1, Side.ALL, A),), "<", 1.0), "integers, got 1.0"),
    (lambda: logic.count(((1, Side.ALL, A),), "<", 2**1000), "at most 1000 bits"),
    (lambda: logic.remainder(Side.ALL, A, 0, 0), "0 <= residue < modulus, got 0 modulo 0"),
    (lambda: logic.remainder(Side.ALL, A, 2, -1), "got -1 modulo 2"),
    (lambda: logic.remainder(Side.ALL, A, 2**1000, 1), "a modulus has at most 1000 bits"),
]


@pytest.mark.parametrize(("build", "message"), CHECKS, ids=[message[:30] for _, message in CHECKS])
def test_checks(build, message):
    with pytest.raises(InputError, match=message.replace("(", "\\(")):
        build()


def test_measures():
    formula = parse_formula('a S b & Y (#[c & P "x"] > 1) | i == 1')
    assert symbols(formula) == {"a", "b", "c", "x"}
    assert temporal_depth(formula) == 3
    assert formula.size == 12
    assert temporal_depth(parse_formula("!(a & b) -> first")) == 0
    assert temporal_depth(parse_formula("#[a] % 2 == 1")) == 1
    order = list(postorder(parse_formula("(a S b) & (a S b | a)")))
    assert len(order) == len(set(order)) == 5
    places = {node: place for place, node in enumerate(order)}
    assert all(places[part] < places[node] for node in order for part in node.parts)


DEEP = {
    "not": (Kind.NOT, True), "yesterday": (Kind.YESTERDAY, True), "since": (Kind.SINCE, True),
    "since, to the left": (Kind.SINCE, False), "and": (Kind.AND, True), "and, to the left": (Kind.AND, False),
    "implies": (Kind.IMPLIES, True), "iff": (Kind.IFF, False), "weak until": (Kind.WEAK_UNTIL, True),
}  # fmt: skip


@pytest.mark.parametrize("name", DEEP)
def test_no_recursion_at_any_depth(name):
    formula = chain(DEEP[name][0], N, DEEP[name][1])
    assert sys.getrecursionlimit() < N
    assert pickle.loads(pickle.dumps(formula)) is formula
    assert copy.deepcopy(formula) is copy.copy(formula) is formula
    assert len(repr(formula)) < 250
    table = all_words(2, 3)
    expected = evaluate(formula, table, "ab")
    assert (evaluate_normal(normal(formula), table, "ab") == expected).all()
    assert temporal_depth(formula) in (0, N)


def test_wide_formulas_are_flattened_at_once():
    text = " & ".join(f'"s{k}"' for k in range(N))
    form = normal(parse_formula(text))
    assert form.op is Op.ALL
    assert len(form.parts) == N
    assert normal(parse_formula(f"!({text.replace('&', '|')})")).op is Op.ALL
    assert normal(parse_formula("a & (b & !(c | !(d & !(e -> f))))")) is normal(
        parse_formula("a & b & !c & d & e & !f")
    )
    shared = A
    for _ in range(200):  # 2^200 conjuncts when written out
        shared = logic.binary(Kind.AND, shared, logic.unary(Kind.NOT, logic.unary(Kind.NOT, shared)))
    assert normal(shared) is normal(A)


def test_what_is_not_used_is_forgotten_even_when_deep():
    gc.collect()
    before = len(logic._known), len(normal_module._known)
    for kind in (Kind.YESTERDAY, Kind.NOT, Kind.SINCE):
        formula = chain(kind, 3 * N, inner=symbol("used here only"))
        form = normal(formula)
        assert len(logic._known) >= before[0] + 3 * N
        del formula, form
        gc.collect()
        assert (len(logic._known), len(normal_module._known)) == before


def test_what_is_built_by_several_threads_is_one_object():
    found = []

    def build():
        found.append([parse_formula(f"Y (a S #[b] > {k})") for k in range(50)])

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one is other for row in found for one, other in zip(row, found[0], strict=True))


EQUAL = [
    ("!!a", "a"), ("a & true", "a"), ("a & false", "false"), ("a & !a", "false"), ("a | !a", "true"), ("a & a", "a"),
    ("a & b", "b & a"), ("(a & b) & c", "a & (b & c)"), ("a -> b", "b | !a"), ("P a", "true S a"), ("H a", "!P !a"),
    ("a T b", "!(!a S !b)"), ("a R b", "!(!a U !b)"), ("F a", "true U a"), ("G a", "!F !a"),
    ("#[a] > 1", "#[a] >= 2"), ("#[a] <= 1", "!(#[a] >= 2)"), ("#[a] + #[a] > 1", "2*#[a] > 1"),
    ("#[a] - #[a] >= 0", "true"), ("#[a] - #[a] > 0", "false"), ("0*#[a] == 0", "true"), ("0*#[a] != 0", "false"),
    ("#[a] % 1 == 0", "true"), ("#[b] + #[a] > 1", "#[a] + #[b] > 1"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_normal_forms_that_are_one_object(one, other):
    assert normal(parse_formula(one)) is normal(parse_formula(other))


def test_the_normal_form_knows_few_operations():
    assert normal(parse_formula("true")) is TRUE
    assert normal(parse_formula("false")) is FALSE
    form = normal(parse_formula("(a W b) & H (i == 1 | P X #[a] % 2 == 1) & Y (a <-> F (#<-[b] != #->[b]))"))
    order = list(normal_postorder(form))
    assert {node.op for node in order} == set(Op) - {Op.TRUE}
    assert len(order) == len(set(order))
    for node in order:
        if node.op is Op.ALL:
            numbers = [part.number for part in node.parts]
            assert numbers == sorted(set(numbers))
            assert all(part.op not in (Op.ALL, Op.TRUE) for part in node.parts)
        if node.op is Op.NOT:
            assert node.parts[0].op is not Op.NOT


search = settings(max_examples=2000, derandomize=True, database=None, phases=[Phase.generate])


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_drawn_formulas_reach_every_kind(kind):
    found = find(formulas("ab", 2), lambda formula: any(n.kind is kind for n in postorder(formula)), settings=search)
    assert kind in {node.kind for node in postorder(found)}
    only = formulas("ab", 3, {kind, Kind.SYMBOL})
    assert find(only, lambda formula: formula.kind is kind, settings=search).kind is kind


@settings(max_examples=200, derandomize=True, deadline=None)
@given(formulas("ab", 3, [Kind.SYMBOL, Kind.SINCE, Kind.COUNT]), words("ab", 2, 5))
def test_drawn_formulas_and_words_are_as_asked(formula, word):
    assert {node.kind for node in postorder(formula)} <= {Kind.SYMBOL, Kind.SINCE, Kind.COUNT}
    assert temporal_depth(formula) <= 3
    assert symbols(formula) <= {"a", "b"}
    assert 2 <= len(word) <= 5
    assert set(word) <= {"a", "b"}


def test_random_formulas_are_varied_and_as_asked():
    from random import Random

    found = {random_formula(Random(seed), "ab", 4) for seed in range(300)}
    assert len(found) > 200
    assert max(temporal_depth(formula) for formula in found) == 4
    assert random_formula(Random(7), "abc", 5) is random_formula(Random(7), "abc", 5)
    for seed in range(50):
        formula = random_formula(Random(seed), "a", 3, [Kind.TRUE, Kind.YESTERDAY], leaf=0)
        assert formula is parse_formula("Y Y Y true")
        assert random_formula(Random(seed), "ab", 0).parts == ()
    for arguments, message in (
        (("ab", -1), "the depth is an integer in 0..50, got -1"),
        (("ab", 51), "got 51"),
        (("", 2), "the alphabet is empty"),
        (("ab", 2, [Kind.NOT]), "allow no formula without parts"),
        (("ab", 2, ["!"]), "kinds are members of Kind, got '!'"),
    ):
        with pytest.raises(InputError, match=message):
            random_formula(Random(0), *arguments)
        with pytest.raises(InputError, match=message):
            formulas(*arguments)
