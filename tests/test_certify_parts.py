"""The parts of the recogniser against brute force: signs, positional contents, piecewise-linear functions, units."""

import itertools
import random
from fractions import Fraction

import pytest
from certify_fixture import claimed, understood
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.attention import Mask, Tie
from checker.certify import rational
from checker.certify.bounds import integer, linear
from checker.certify.feed import written
from checker.certify.form import (
    Bit,
    Count,
    Form,
    Ranged,
    ReadBit,
    ReadCount,
    bit,
    interval,
    literal,
    number,
    product,
    total,
)
from checker.certify.ledger import Argument
from checker.certify.piecewise import combine
from checker.certify.place import UnclearError, content, decided
from checker.certify.rational import Region, least, nonnegative, positive, value_at
from checker.certify.values import nearest
from checker.errors import InputError
from checker.logic import normal
from checker.logic.formula import Side
from checker.logic.normal import FALSE, TRUE, conjunction, negation
from checker.logic.normal_semantics import evaluate_normal
from checker.logic.semantics import all_words
from checker.position import parse, parse_comparison
from checker.position_strategies import expressions
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit

ONE = Fraction(1)
A, B, C = (normal.symbol(name) for name in "abc")


def places(region, longest=7):
    """(i, n) in a region."""
    for n in range(1, longest + 1):
        yield from {
            Region.BEGIN: [(0, n)],
            Region.WORD: [(i, n) for i in range(1, n + 1)],
            Region.END: [(n + 1, n)],
        }[region]


def value_of(form, i, n):
    """The value of a form over numerical predicates; None when it has unknown parts, then within its range."""
    result = Fraction(0)
    for atom, x in form.terms.items():
        if isinstance(atom, Ranged):
            return None
        factor = 1 if atom is None else holds(atom.formula, i, n)
        result += value_at(x, i, n) * factor
    return result


def holds(formula, i, n):
    if formula.op is normal.Op.POSITION:
        return formula.data.at(i, n)
    if formula.op is normal.Op.ALL:
        return all(holds(part, i, n) for part in formula.parts)
    assert formula.op is normal.Op.NOT
    return not holds(formula.parts[0], i, n)


@given(expressions())
@settings(max_examples=300, deadline=None)
def test_contents_of_positional_expressions(expression):
    for region in Region:
        try:
            form = content(expression, region)
        except UnclearError:
            continue
        low, high = interval(form)
        for i, n in places(region):
            true = expression.at(i, n)  # and it is defined, or this raises
            value = value_of(form, i, n)
            assert value is None or value == true
            assert low is None or low <= true
            assert high is None or true <= high


def test_contents_where_something_is_undefined():
    for text, region in (
        ("1/i", Region.BEGIN),
        ("1/(i - 1)", Region.WORD),
        ("i % (i - 3)", Region.WORD),
        ("(i/2) % 2", Region.END),
    ):
        with pytest.raises(UnclearError):
            content(parse(text), region)
    assert content(parse("[1 <= i & 1/i <= 1]"), Region.BEGIN).terms == {}
    assert literal(content(parse("[1 <= i]*[i <= n]"), Region.WORD)) is TRUE
    assert literal(content(parse("[1 <= i]*[i <= n]*[i % 2 == 1]"), Region.END)) is FALSE


@pytest.mark.parametrize(
    ("text", "known"),
    [("i >= 1", True), ("i > n", False), ("i == 1", None), ("i <= n", True), ("2*i <= n", None), ("i != i + 1", True),
     ("i/(n + 1) < 1", True), ("i*i < 1", False), ("n + 1 == i", False), ("i % 2 == 1", None)],
)  # fmt: skip
def test_comparisons_that_hold_everywhere(text, known):
    comparison = parse_comparison(text)
    assert decided(comparison, Region.WORD) is known
    values = {comparison.at(i, n) for i, n in places(Region.WORD)}
    assert known is None or values == {known}


def polynomial(rng):
    form = Fraction(0)
    for _ in range(rng.randint(1, 4)):
        term = Fraction(rng.randint(-3, 6), rng.randint(1, 3))
        for factor in rng.choices([rational.I, rational.N], k=rng.randint(0, 3)):
            term = rational.times(term, factor)
        form = rational.plus(form, term)
    return form


@pytest.mark.parametrize("seed", range(5))
def test_signs_of_rational_functions(seed):
    rng = random.Random(seed)
    shown = 0
    for _ in range(150):
        above, below = polynomial(rng), polynomial(rng)
        if below == 0 or not rational.defined(below, Region.WORD):
            continue
        x = rational.over(above, below)
        for region in Region:
            values = [value_at(x, i, n) for i, n in places(region)] if rational.defined(below, region) else []
            if values and positive(x, region):
                assert min(values) > 0
                shown += 1
            if values and nonnegative(x, region):
                assert min(values) >= 0
                assert min(values) >= least(x, region) >= 0
            if values and min(values) < 0:
                assert least(x, region) == 0
    assert shown > 20


def test_least_values():
    n, i = rational.N, rational.I
    plus, over = rational.plus, rational.over
    assert least(over(plus(n, Fraction(2)), plus(i, ONE)), Region.WORD) == 1
    assert least(over(ONE, n), Region.WORD) == 0
    assert least(n, Region.WORD) == 1
    assert least(plus(n, Fraction(2)), Region.END) == 3


@st.composite
def piecewise(draw):
    numbers = st.fractions(-3, 3, max_denominator=4)
    units = draw(st.lists(st.tuples(numbers.filter(bool), numbers, numbers), min_size=1, max_size=4))
    return combine(units)


ENDS = st.one_of(st.none(), st.fractions(-4, 4, max_denominator=2))


@given(piecewise(), ENDS, ENDS)
@settings(max_examples=120, deadline=None)
def test_piecewise_linear_functions(g, low, high):
    if not g.units or (low is not None and high is not None and low > high):
        return
    left = Fraction(-60) if low is None else low
    right = Fraction(60) if high is None else high
    grid = sorted({left + (right - left) * Fraction(k, 40) for k in range(41)} | set(g.inside(low, high)))
    values = {t: g(t) for t in grid}
    bottom, top = g.range(low, high)
    assert bottom is None or min(values.values()) == bottom
    assert top is None or max(values.values()) == top
    if bottom is None or top is None:
        assert low is None or high is None
    flat, steep = g.flat_until(low, high), g.flat_from(low, high)
    assert flat is None or all(values[t] == values[left] for t in grid if t <= flat)
    assert steep is None or all(values[t] == values[right] for t in grid if t >= steep)
    line = g.linear_on(low, high)
    if line is not None:
        assert all(values[t] == line[0] + line[1] * t for t in grid)


@pytest.mark.parametrize("seed", range(4))
def test_units_over_truth_values(seed):
    """Whatever a form claims to be written is what the units write, for all values of the bits."""
    rng = random.Random(seed)
    names = ("x", "y", "z")
    bits = dict(zip(names, (A, B, C), strict=True))
    carried = {Region.WORD: {name: bit(formula) for name, formula in bits.items()}}
    understood_parts = 0
    for _ in range(150):
        hidden = tuple(
            Unit({name: Fraction(rng.choice([-2, -1, 1, 1, 2])) for name in rng.sample(names, rng.randint(0, 3))},
                 Fraction(rng.choice([-4, -3, -2, -1, 0, 1, 2]), rng.choice([1, 1, 2])))
            for _ in range(rng.randint(1, 3))
        )  # fmt: skip
        part = FeedForward(
            hidden, {"out": {k: Fraction(rng.choice([-1, 1, 2])) for k in range(len(hidden))}}, {"out": ONE}
        )
        result, checks = written(part, carried, "here")
        form = result[Region.WORD]["out"]
        assert checks == []
        low, high = interval(form)
        understood_parts += form.unknown is None
        for values in itertools.product([0, 1], repeat=3):
            x = dict(zip(names, values, strict=True))
            units = [max(Fraction(0), sum((w * x[d] for d, w in u.weights.items()), u.bias)) for u in hidden]
            true = 1 + sum(c * units[k] for k, c in part.output["out"].items())
            assert (low is None or low <= true) and (high is None or true <= high)  # noqa: PT018
            if form.unknown is None:
                truth = dict(zip((A, B, C), values, strict=True))
                assert true == sum(
                    c * (1 if atom is None else evaluate(atom.formula, truth)) for atom, c in form.terms.items()
                )
    assert understood_parts > 50


def evaluate(formula, truth):
    if formula in truth:
        return truth[formula]
    if formula.op is normal.Op.NOT:
        return 1 - evaluate(formula.parts[0], truth)
    assert formula.op is normal.Op.ALL
    return min(evaluate(part, truth) for part in formula.parts)


@pytest.mark.parametrize(
    ("first", "second", "threshold"), [("1/4", "3/4", "1/4"), ("1/10", "3/5", "1/10"), ("2/5", "1/2", "2/5")]
)
def test_the_threshold_of_a_clean_up_is_read_from_its_units(first, second, threshold):
    low, high = Fraction(first), Fraction(second)
    slope = 1 / (high - low)
    read = Form({ReadBit(A, linear(ONE), (0, 0)): ONE})
    part = FeedForward((Unit({"x": ONE}, -low), Unit({"x": ONE}, -high)), {"out": {0: slope, 1: -slope}}, {})
    outside = Form({Ranged(Fraction(0), ONE, "whatever"): ONE})
    result, checks = written(part, {Region.WORD: {"x": read}, Region.END: {"x": outside}}, "here")
    assert literal(result[Region.WORD]["out"]) is A
    assert [check.threshold for check in checks] == [Fraction(threshold)]
    assert interval(result[Region.END]["out"]) == (0, 1)
    assert result[Region.END]["out"].unknown is not None


@pytest.mark.parametrize(
    ("first", "second", "threshold"), [("-1/4", "-1/5", "1/5"), ("-4/5", "-2/3", "1/5"), ("1/10", "1/4", None)]
)
def test_the_threshold_of_a_sign_is_read_from_its_units(first, second, threshold):
    """Constant up to the first and from the second number: the count is compared with 3, with the lesser slack."""
    low, high = Fraction(first) + 3, Fraction(second) + 3
    slope = 1 / (high - low)
    count = ReadCount(Count(Side.LEFT, A), integer(ONE), (0, 0))
    for scale in (1, 2):
        units = (Unit({"x": ONE / scale}, -low / scale), Unit({"x": ONE / scale}, -high / scale))
        part = FeedForward(units, {"out": {0: slope * scale, 1: -slope * scale}}, {})
        result, checks = written(part, {Region.WORD: {"x": Form({count: ONE})}}, "here")
        if threshold is None:  # 3 + 1/10 .. 3 + 1/4: at least 4, of which 3 + 1/10 is far away
            assert literal(result[Region.WORD]["out"]) is normal.at_least([(1, Side.LEFT, A)], -4)
            assert [check.threshold for check in checks] == [Fraction(1, 10)]
        else:
            assert literal(result[Region.WORD]["out"]) is normal.at_least([(1, Side.LEFT, A)], -3)
            assert [check.threshold for check in checks] == [Fraction(threshold)]


FORMULAS = [A, B, negation(A), conjunction([A, negation(B)]), negation(conjunction([A, B])), TRUE, normal.yesterday(A)]


@pytest.mark.parametrize("side", [Side.LEFT, Side.RIGHT])
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("chi", FORMULAS)
@pytest.mark.parametrize("value", FORMULAS)
def test_the_value_at_the_nearest_position(side, strict, chi, value):
    """Against its definition, on all words of length 4 over three letters."""
    words = all_words(3, 4)
    here, there = (evaluate_normal(f, words, "abc") for f in (chi, value))
    found = evaluate_normal(nearest(chi, value, side, strict), words, "abc")
    for row in range(len(words)):
        for i in range(4):
            if side is Side.LEFT:
                seen = range(i - 1 if strict else i, -1, -1)
            else:
                seen = range(i + 1 if strict else i, 4)
            chosen = next((j for j in seen if here[row, j]), seen[0] if seen else None)
            assert found[row, i] == (chosen is not None and there[row, chosen])


def test_products_of_contents():
    known = total([(Fraction(2), number(ONE)), (Fraction(-1), bit(A))])
    assert product(known, bit(A)).terms == bit(A).terms
    assert product(bit(A), bit(negation(A))).terms == {}
    assert product(bit(A), Form({Ranged(None, None, ""): ONE})) is None
    assert isinstance(product(bit(A), bit(B)).atoms[0], Bit)


def hand_made(head, part, output, **fields):
    """A model with one layer over the letters a and b, written by hand; both letters and the position are embedded."""
    defaults = {
        "name": "by hand", "alphabet": ("a", "b"), "directions": ("a", "b", "j", "half", "raw", "out"),
        "embedding": {"a": {"a": ONE}, "b": {"b": ONE}}, "begin": None, "end": None,
        "positional": {"j": parse("i"), "half": parse("1/2")}, "layers": (Layer((head,), part),),
        "output": output, "temperature": parse("1/2"),
    }  # fmt: skip
    return Transformer(**{**defaults, **fields})


def test_models_written_by_hand():
    clean = FeedForward(
        (Unit({"raw": ONE}, Fraction(-1, 3)), Unit({"raw": ONE}, Fraction(-2, 3))),
        {"out": {0: Fraction(3), 1: Fraction(-3)}}, {},
    )  # fmt: skip
    output = Output({"out": ONE}, Fraction(-1, 2), "last")
    # Scores 3 j / 2, without markers; the value is the letter b, that is not a.
    head = Head("h", ({"half": Fraction(3)},), ({"j": ONE},), {"raw": {"b": ONE}}, Mask.STRICT_FUTURE, Tie.RIGHTMOST)
    model = hand_made(head, (clean,), output)
    assert understood(model) == (Argument.PROVED, claimed("Y b"), None)
    # A letter weighs 2 (n + 1) positions: the last a, or else the position itself, whose letter is b.
    weigh = {"positional": {"j": parse("i"), "half": parse("1/2"), "out": parse("2*(n + 1)")}}
    head = Head(
        "h",
        ({"half": Fraction(2)}, {"out": ONE}),
        ({"j": ONE}, {"a": ONE}),
        {"raw": {"a": ONE}},
        Mask.FUTURE,
        Tie.AVERAGE,
    )
    other = FeedForward(clean.hidden, {"a": clean.output["out"]}, {})
    found = understood(hand_made(head, (other,), Output({"a": ONE}, Fraction(-1, 2), "last"), **weigh))
    assert found[0] is Argument.UNCLEAR  # the clean-up is added to the letter
    wide = {"directions": ("a", "b", "j", "half", "raw", "out", "fresh"), **weigh}
    fresh = FeedForward(clean.hidden, {"fresh": clean.output["out"]}, {})
    found = understood(hand_made(head, (fresh,), Output({"fresh": ONE}, Fraction(-1, 2), "last"), **wide))
    assert found == (Argument.PROVED, claimed("P a"), None)


def test_positional_expressions_that_are_undefined_are_named():
    argument, formula, reason = understood(undefined_model())
    assert (argument, formula) == (Argument.UNCLEAR, None)
    assert reason.startswith("positional embedding j: 1/i")
    with pytest.raises(InputError):
        undefined_model().positional["j"].at(0, 1)


def undefined_model():
    head = Head("h", (), (), {}, Mask.NONE, Tie.AVERAGE)
    return hand_made(head, (), Output({"a": ONE}, Fraction(-1, 2), "last"), begin={}, positional={"j": parse("1/i")})
