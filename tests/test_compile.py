"""The compiler, pass by pass: weights, layers, shared heads, markers, temperatures, refusals."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from checker.attention import Mask, Tie
from checker.compile.clean import clean, masked
from checker.compile.compiler import compile_formula
from checker.compile.names import names
from checker.compile.plan import Pattern, Share, Time, Total, plan
from checker.compile.regime import Regime, embedding, predicate, residue, temperature
from checker.compile.signals import signal
from checker.errors import InputError
from checker.logic.formula import FUTURE, PAST, Kind, Side, binary, count, postorder, symbol, unary
from checker.logic.normalise import normal
from checker.logic.sampling import random_formula
from checker.logic.semantics import evaluate, words_block
from checker.logic.text import parse_formula
from checker.position import parse_comparison
from checker.transformer.hard import run_hard
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.model import FeedForward, Head, Layer, Unit
from checker.transformer.soft import run_soft
from checker.transformer.specfile import dumps, loads
from checker.transformer.validate import validate
from checker.verdict import Verdict

AB = ("a", "b")
HALF = Fraction(1, 2)
REGIMES = ("unbounded", "scaled")


def compiled(text, alphabet=AB, **options):
    return validate(compile_formula(parse_formula(text), alphabet, **{"acceptance": "last", **options}))


def agrees(model, formula, lengths=(1, 2, 3, 4)):
    """Whether the hard run's logits are 1/2 where the formula holds and -1/2 elsewhere, at all word positions."""
    for n in lengths:
        words = words_block(len(model.alphabet), n, 0, len(model.alphabet) ** n)
        logits = run_hard_batch(model, words).logits.fractions()
        truth = evaluate(formula, words, model.alphabet)
        if not all(x == (HALF if y else -HALF) for x, y in zip(logits.ravel(), truth.ravel(), strict=True)):
            return False
    return True


def nesting(formula, counts):
    """Temporal nesting depth, with `counts` for a comparison of counts and 2 for a remainder."""
    weight = {Kind.COUNT: counts, Kind.REMAINDER: 2, **dict.fromkeys((*PAST, *FUTURE), 1)}
    depth = {}
    for node in postorder(formula):
        depth[node] = weight.get(node.kind, 0) + max((depth[part] for part in node.parts), default=0)
    return depth[formula]


def test_every_weight_of_since():
    model = compiled("a S b", ("a", "b", "c"), threshold=Fraction(1, 8), tau0=Fraction(1, 3))
    one, word = Fraction(1), "word"
    between, read, bit = "bit 1: a & !b", "read 2: (a & !b) S b", "bit 2: (a & !b) S b"
    assert model.directions == ('is "a"', 'is "b"', 'is "c"', word, "one", "position", "positions up to here", between,
                                read, bit)  # fmt: skip
    assert model.embedding == {name: {f'is "{name}"': one, word: one} for name in "abc"}
    assert (model.begin, model.end) == ({}, {})
    assert {name: str(e) for name, e in model.positional.items()} == {
        "one": "1", "position": "i", "positions up to here": "i + 1"
    }  # fmt: skip
    first, second = model.layers
    part = FeedForward((Unit({'is "a"': one, word: one, 'is "b"': -one}, -one),), {between: {0: one}}, {})
    assert first == Layer((), (part,))
    assert second.heads == (
        Head(
            "1.1 the last position without a & !b",
            ({"positions up to here": one}, {"one": one}),
            ({word: one, between: -one}, {"position": one}),
            {read: {'is "b"': one}},
            Mask.FUTURE,
            Tie.AVERAGE,
        ),
    )
    raw = {read: one, word: one}
    slope = Fraction(4, 3)
    assert second.feed_forward == (
        FeedForward((Unit(raw, Fraction(-9, 8)), Unit(raw, Fraction(-15, 8))), {bit: {0: slope, 1: -slope}}, {}),
    )
    assert (dict(model.output.weights), model.output.bias, model.output.position) == ({bit: one}, -HALF, "last")
    assert str(model.temperature) == "1/3"


@pytest.mark.parametrize("regime", REGIMES)
@pytest.mark.parametrize(
    "text",
    ["true", "false", "a", "!a", "a & b", "a | !b", "!(a <-> b)", "i == 1", "a & i % 2 == 1 | i == n", "n % i == 0"],
)
def test_without_temporal_operators_there_are_no_heads(text, regime):
    model = compiled(text, regime=regime)
    assert model.origin["depth"] == 0
    assert not any(layer.heads for layer in model.layers)
    assert agrees(model, parse_formula(text))


@pytest.mark.parametrize("regime", REGIMES)
@pytest.mark.parametrize(
    "text",
    [
        "Y a", "X b", "a S b", "b U a", "P a", "H a", "F b", "G b", "b T a", "a R b", "a W b", "Y true", "X true",
        "#<-[a] >= 2", "#->[a] - #[b] < 0", "#[a] == 1", "2*#<-[a] - 3*#->[b] + 1 != 0", "#<-[a] % 2 == 1",
        "#->[b] % 3 == 0", "#[a] % 3 != 1", "#<-[true] >= 2", "Y (a S (b & X a))", "#[Y a & i % 2 == 1] > #<-[b]",
        "P (#<-[a] == #<-[b])", "i % 3 == 1 U X X a",
    ],
)  # fmt: skip
def test_operators_alone(text, regime):
    formula = parse_formula(text)
    model = compiled(text, regime=regime)
    assert agrees(model, formula, (1, 2, 3, 4, 5))
    assert loads(dumps(model)) == model
    for word in ("b", "ab", "abbab"):
        expected = evaluate(formula, [[AB.index(letter) for letter in word]], AB)[0]
        verdicts = run_soft(model, word).verdicts
        assert [verdict is Verdict.HOLDS for verdict in verdicts] == list(expected)
        assert Verdict.UNDECIDED not in verdicts
    assert model.origin["depth"] == nesting(formula, 2 if regime == "unbounded" else 3)


@pytest.mark.parametrize("regime", REGIMES)
def test_depth_is_at_most_the_nesting_of_the_formula(regime):
    rng = Random(41)
    deepest = 0
    for _ in range(150):
        formula = random_formula(rng, AB, 5)
        model = compile_formula(formula, AB, regime=regime, acceptance="first")
        depth = sum(bool(layer.heads) for layer in model.layers)
        assert depth == model.origin["depth"] <= nesting(formula, 2 if regime == "unbounded" else 3)
        deepest = max(deepest, depth)
    assert deepest >= 5


@pytest.mark.parametrize("regime", REGIMES)
def test_bits_are_bits_and_zero_at_the_markers(regime):
    rng = Random(7)
    for _ in range(40):
        model = compile_formula(random_formula(rng, AB, 4), AB, regime=regime, acceptance="last")
        bits = [d for d in model.directions if d.startswith(("bit ", "is ", "holds ")) or d == "word"]
        for word in ("a", "ba", "abab"):
            stream = run_hard(model, word).layers[-1].stream if model.layers else ()
            for place, x in enumerate(stream):
                values = {x.get(direction, 0) for direction in bits}
                assert values <= ({0} if place in (0, len(stream) - 1) else {0, 1})


def test_plan_of_counts():
    root = normal(parse_formula("#<-[Y a] + #[a] >= 2"))
    a, y = normal(symbol("a")), normal(parse_formula("Y a"))
    by_feed_forward, by_head = plan(root, False), plan(root, True)
    assert by_feed_forward.when[a] == Time(0, 0)
    assert by_feed_forward.when[y] == Time(1, 1)
    assert by_feed_forward.when[Share(Side.LEFT, y)] == Time(2, 0)
    assert by_feed_forward.when[Total(Side.LEFT, y)] == Time(3, 0)
    assert by_feed_forward.when[Total(Side.ALL, a)] == Time(2, 0)
    assert (by_feed_forward.when[root], by_head.when[root]) == (Time(3, 2), Time(4, 1))
    assert (by_feed_forward.depth, by_head.depth) == (3, 4)
    assert [attention.pattern for attention in by_head.heads] == [
        Pattern.YESTERDAY, Pattern.COUNT, Pattern.LOOKUP, Pattern.COUNT, Pattern.LOOKUP, Pattern.SIGN
    ]  # fmt: skip
    assert by_head.has_lookup
    assert not plan(y, True).has_lookup


def heads_of(model):
    return [head for layer in model.layers for head in layer.heads]


def test_equal_subformulas_and_equal_attention_are_shared():
    once, twice = compiled("Y (a S b)"), compiled("Y (a S b) & (Y (a S b) | a) | Y (a S b)")
    assert [len(layer.heads) for layer in once.layers] == [0, 1, 1]
    assert len(heads_of(twice)) == 2
    (neighbours,) = heads_of(compiled("Y a | Y b | Y (a <-> i == 1)"))
    assert len(neighbours.value) == 3
    assert len(heads_of(compiled("#<-[a] > #<-[b] | #<-[a] + #<-[b] > 3 | #<-[a] % 2 == 1"))) == 1 + 2
    assert len(heads_of(compiled("#<-[a] > #->[a] | #<-[a] + #->[a] > 3 & #[a] < 1"))) == 3 + 3


def test_only_what_is_needed_is_embedded():
    assert set(compiled("Y a").positional) == {"one", "position"}
    assert set(compiled("Y a & #[a] > 1", regime="scaled").positional) == {
        "position", "unit", "1/positions", "lookup j", "lookup j^2"
    }  # fmt: skip
    assert "end" not in compiled("#[a] > 1").directions
    assert compiled("#[a] > 1", regime="scaled").end == {"end": 1}


def test_embeddings_of_the_regimes():
    unbounded, linear, cubic = (
        {name: e.at(2, 3) for name, e in embedding(regime, lookup).items()}
        for regime, lookup in ((Regime.UNBOUNDED, True), (Regime.SCALED, False), (Regime.BOUNDED, True))
    )
    assert unbounded["position"] == 2
    assert [unbounded[f"positions {side} here"] for side in ("up to", "from")] == [3, 3]
    assert [unbounded[f"1/{side}"] for side in ("positions up to here", "positions from here", "positions")] == [
        Fraction(1, 3), Fraction(1, 3), Fraction(1, 5)
    ]  # fmt: skip
    assert (unbounded["lookup j"], unbounded["lookup j^2"]) == (10, 20)
    assert (linear["position"], linear["positions up to here"]) == (Fraction(2, 5), Fraction(3, 5))
    assert (cubic["unit"], cubic["position"], cubic["positions up to here"]) == (
        Fraction(1, 25), Fraction(2, 5), Fraction(3, 125)
    )  # fmt: skip
    assert (cubic["lookup j"], cubic["lookup j^2"]) == (Fraction(2, 25), Fraction(4, 25))


def test_temperatures_of_the_regimes():
    third = Fraction(1, 3)
    assert [
        temperature(regime, lookup, third).at(0, 8)
        for regime in (Regime.UNBOUNDED, Regime.SCALED, Regime.BOUNDED)
        for lookup in (False, True)
    ] == [third, third, third / 10, third / 1000, third, third]


@pytest.mark.parametrize("text", ["Y (a S b)", "#<-[a] % 3 == 1 & X a U b", "H (#->[a] % 2 == 0)"])
def test_scaled_scores_are_those_of_unbounded_divided(text):
    plain, scaled = compiled(text), compiled(text, regime="scaled")
    power = 3 if "#" in text else 1
    for word in ("a", "ba", "abba"):
        first, second = run_hard(plain, word), run_hard(scaled, word)
        for one, other in zip(first.layers, second.layers, strict=True):
            for head, mate in zip(one.heads, other.heads, strict=True):
                for query, answer in zip(head.queries, mate.queries, strict=True):
                    assert query.scores == tuple(score * (len(word) + 2) ** power for score in answer.scores)


@pytest.mark.parametrize("regime", REGIMES)
def test_gaps_of_hard_runs_are_at_least_one_unit(regime):
    rng = Random(3)
    for _ in range(30):
        formula = random_formula(rng, AB, 4)
        model = compile_formula(formula, AB, regime=regime, acceptance="last")
        for word in ("b", "aab"):
            layers = run_hard(model, word).layers
            unit = model.temperature.at(0, len(word)) / Fraction(model.origin["tau_0"])
            gaps = [q.gap for layer in layers for head in layer.heads for q in head.queries if q.gap is not None]
            assert all(gap >= unit for gap in gaps)


def test_predicates_are_not_looked_at_beside_the_word():
    inside = predicate(parse_comparison("n % i == 0"))
    assert inside.along(range(6), 4) == [0, 1, 1, 0, 1, 0]
    assert predicate(parse_comparison("i >= 0")).along(range(4), 2) == [0, 1, 1, 0]
    assert residue(3, 0).along(range(5), 3) == [1, 0, 0, 1, 0]


def relu(units, values):
    hidden, output = units
    sums = [sum(c * values[d] for d, c in unit.weights.items()) + unit.bias for unit in hidden]
    return sum(c * max(x, 0) for c, x in zip(output, sums, strict=True))


@pytest.mark.parametrize("threshold", [Fraction(1, 100), Fraction(1, 4), Fraction(49, 100)])
def test_clean_up(threshold):
    units = clean("x", threshold)
    for tenth in range(11):
        error = threshold * tenth / 10
        assert relu(units, {"x": error, "word": 1}) == 0
        assert relu(units, {"x": 1 - error, "word": 1}) == 1
        assert relu(units, {"x": Fraction(tenth, 10), "word": 0}) == 0
        assert relu(masked("x"), {"x": Fraction(tenth, 10), "word": 0}) == 0
    assert 0 < relu(units, {"x": HALF, "word": 1}) < 1
    assert [relu(masked("x"), {"x": x, "word": 1}) for x in (0, 1)] == [0, 1]


def test_signals_negate_for_nothing():
    root = normal(parse_formula("a & !b & !(a & Y b)"))
    named = names(plan(root, False), AB)
    assert signal(normal(parse_formula("true")), named) == {"word": 1}
    assert signal(normal(parse_formula("false")), named) == {}
    assert signal(normal(parse_formula("!b")), named) == {"word": 1, 'is "b"': -1}


def test_names_say_what_directions_carry():
    directions = compiled("(Y a -> #<-[b] - 2*#[a] >= 3) & i % 2 == 1", ("a", "b", '"')).directions
    for name in ('is "\\""', "holds i % 2 == 1", "bit 1: Y a", "read 1: Y a", "share 1: #[a]", "count 4: #<-[b]",
                 "bit 2: -2*#[a] + #<-[b] - 3 >= 0"):  # fmt: skip
        assert name in directions
    long = "x" * 900
    assert compiled(f'P "{long}"', ("a", long)).directions[1] == "is symbol 1"


@pytest.mark.parametrize("regime", REGIMES)
@pytest.mark.parametrize("text", ["P a", "#<-[a] > 1", "#<-[a] - 3*#[b] > 1 | Y a", "#<-[a] % 2 == 1"])
def test_the_largest_temperature_is_admitted_and_the_next_one_refused(text, regime):
    largest = Fraction(compiled(text, regime=regime).origin["largest tau_0"])
    model = compiled(text, regime=regime, tau0=largest)
    for entry in model.origin["ledger"]:
        assert all(Fraction(item["slack"]) >= 0 for item in entry["requirements"])
    with pytest.raises(
        InputError, match=r"tau_0 = .* is too high: head '\d\.\d .*the largest admissible tau_0 is 0\.\d+"
    ):
        compiled(text, regime=regime, tau0=largest + largest / 10**5)


def test_the_refusal_names_the_head_that_needs_least():
    with pytest.raises(InputError, match=r"head '2\.\d position number #->\[b\]' needs A q.* with A = 8 <= 1/4"):
        compiled("P a & 7*#->[b] > i & #[a] % 2 == 1 | 2*#[b] + 3*#[a] > 3", tau0=Fraction(1, 2))


def test_the_ledger_names_statements_and_bounds():
    text = "Y a & (X b | a S b | a U b | #<-[a] % 2 == 1 | #[b] - 2*#<-[a] > 0)"
    reads = [(("D2", "B1"), ["q"]), (("D2", "B1"), ["q"]), (("D3", "B6"), ["q"]), (("D3", "B6"), ["q"])]
    uniform, bit = (("D4",), []), "2q/(1 + 2q - q^3)"
    total, sign = "A q/(1 - q^3)^2 with A = 3", "q^(1 - 2A q/(1 - q^3)^2) with A = 3"
    expected = {
        "unbounded": [*reads, uniform, uniform, (("D4", "D5", "B3"), [bit, total]), (("D4",), [total])],
        "scaled": [
            *(((*statements, "C1"), bounds) for statements, bounds in reads),
            *(uniform, uniform, (("D4", "D5", "B3", "C1"), [bit, sign]), (("D4", "C1"), [sign])),
            (("D4", "A2"), [sign]),
        ],
    }
    for regime in REGIMES:
        entries = compiled(text, regime=regime).origin["ledger"]
        found = [(tuple(e["statements"]), sorted(r["bound"] for r in e["requirements"])) for e in entries]
        assert sorted(found) == sorted((statements, sorted(bounds)) for statements, bounds in expected[regime])


@pytest.mark.parametrize("threshold", [Fraction(1, 100), Fraction(49, 100)])
@pytest.mark.parametrize("regime", REGIMES)
def test_other_thresholds(regime, threshold):
    text = "(Y a) S b | #<-[a] - #->[b] >= 0 | #[a] % 2 == 1"
    model = compiled(text, regime=regime, threshold=threshold)
    word = "abbab"
    expected = evaluate(parse_formula(text), [[AB.index(letter) for letter in word]], AB)[0]
    assert [verdict is Verdict.HOLDS for verdict in run_soft(model, word).verdicts] == list(expected)


def test_bounded_models_fail_from_some_length_on():
    scaled, bounded = compiled("P b", regime="scaled"), compiled("P b", regime="bounded")
    assert bounded.origin["guaranteed"] is False
    assert scaled.origin["guaranteed"] is True
    right = [run_soft(bounded, "b" + "a" * n).verdicts[-1] is Verdict.HOLDS for n in (0, 30)]
    assert right == [True, False]
    assert run_soft(scaled, "b" + "a" * 30).verdicts[-1] is Verdict.HOLDS
    compiled("P b", regime="bounded", tau0=Fraction(100))


MUTANTS = {
    "mask": lambda head: replace(head, mask=Mask.FUTURE if head.mask is Mask.STRICT_FUTURE else Mask.NONE),
    "value": lambda head: replace(head, value={name: {"word": Fraction(1)} for name in head.value}),
    "key": lambda head: replace(head, key=tuple({d: -x for d, x in row.items()} for row in head.key)),
}


@pytest.mark.parametrize("name", MUTANTS)
@pytest.mark.parametrize("text", ["Y a", "a S b", "X b", "b U a"])
def test_wrong_weights_are_noticed(text, name):
    model = compiled(text)
    *before, last = model.layers
    (head,) = last.heads
    wrong = replace(model, layers=(*before, replace(last, heads=(MUTANTS[name](head),))))
    assert agrees(model, parse_formula(text))
    assert not agrees(wrong, parse_formula(text))


def test_large_formulas():
    a, b = symbol("a"), symbol("b")
    deep = since = flat = alternating = a
    for k in range(1000):
        deep = unary(Kind.YESTERDAY, deep)
        since = binary(Kind.SINCE if k % 2 else Kind.UNTIL, since, b)
    for k in range(3000):
        flat = binary(Kind.OR, flat, symbol(f"s{k % 200}") if k % 3 else unary(Kind.YESTERDAY, symbol(f"s{k % 200}")))
        alternating = binary(Kind.AND if k % 2 else Kind.OR, alternating, b if k % 3 else unary(Kind.NOT, a))
    assert len(compile_formula(deep, AB).layers) == 1000
    assert compile_formula(since, AB, acceptance="first").origin["depth"] == 1000
    model = compile_formula(flat, ("a", *(f"s{k}" for k in range(200))))
    assert [len(part.hidden) for part in model.layers[0].feed_forward] == [400, 1]  # clean-up, one conjunction
    assert compile_formula(alternating, AB).origin["depth"] == 0
    many = count(tuple((k, Side.LEFT, unary(Kind.YESTERDAY, b)) for k in range(1, 100)), ">=", 4)
    assert len(heads_of(compile_formula(many, AB))) == 3


def test_formulas_whose_text_is_too_long_are_compiled():
    formula = symbol("a")
    for _ in range(60):
        formula = binary(Kind.IFF, unary(Kind.YESTERDAY, formula), formula)
    model = compile_formula(formula, AB)
    assert model.origin["formula"] is None
    assert model.origin["depth"] == 60


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("c", {}, "the symbol 'c' of the formula is not in the alphabet a, b"),
        ("c & !c", {}, "'c'"),
        ("F a", {"acceptance": None}, "future operators"),
        ("a", {"acceptance": "middle"}, "acceptance is first or last, got 'middle'"),
        ("a", {"regime": "cold"}, "the regime is one of unbounded, scaled, bounded, got 'cold'"),
        ("P a", {"threshold": HALF}, "strictly between 0 and 1/2, got 1/2"),
        ("a", {"threshold": Fraction(0)}, "strictly between 0 and 1/2, got 0"),
        ("P a", {"tau0": Fraction(0)}, "tau_0 must be > 0, got 0"),
        ("P a", {"tau0": Fraction(-1), "regime": "bounded"}, "tau_0 must be > 0, got -1"),
    ],
)
def test_refusals(text, options, message):
    with pytest.raises(InputError, match=message):
        compiled(text, **options)
