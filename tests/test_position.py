"""Expressions in i and n: values against Python's own arithmetic, round trip, and one test per refusal."""

import doctest
import pickle
import random
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from checker import position
from checker.errors import InputError
from checker.position import Comparison, Expression, Op, parse, parse_comparison
from checker.position_strategies import comparisons, expressions

VALUES = {
    "1/2*i - 3": lambda i, _: Fraction(i, 2) - 3,
    "i/(n + 1)": lambda i, n: Fraction(i, n + 1),
    "-i^2": lambda i, _: -(i**2),
    "(-i)^2*n": lambda i, n: i * i * n,
    "2 - i - n": lambda i, n: 2 - i - n,
    "2 - (i - n)": lambda i, n: 2 - i + n,
    "12/i/2*n": lambda i, n: Fraction(12, i) / 2 * n,
    "-7 % 3 + (-i) % 3": lambda i, _: 2 + (-i) % 3,
    "n % 2*i": lambda i, n: (n % 2) * i,
    "0.25*i + 1/3": lambda i, _: Fraction(i, 4) + Fraction(1, 3),
    "[1 < i <= n]*[i % 3 == 1]": lambda i, n: int(1 < i <= n and i % 3 == 1),
    "[i >= 2 & n != 3 & i < n]": lambda i, n: int(i >= 2 and n != 3 and i < n),
    "[[i > 1] == 1]^0": lambda *_: 1,
}


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str) -> None:
    expression = parse(text)
    for n in range(1, 6):
        positions = range(1, n + 2)
        expected = [VALUES[text](i, n) for i in positions]
        assert expression.along(positions, n) == expected
        assert all(type(value) is Fraction for value in expression.along(positions, n))


def recalculated(e: Expression, i: int, n: int) -> Fraction:
    """The value straight from the definition, in Fractions throughout."""
    if e.op is Op.NUMBER:
        return e.value  # type: ignore[return-value]
    if e.op is Op.VARIABLE:
        return Fraction({"i": i, "n": n}[str(e.value)])
    if e.op is Op.BRACKET:
        signs = {"<": (-1,), "<=": (-1, 0), "==": (0,), "!=": (-1, 1), ">=": (0, 1), ">": (1,)}
        values = ((recalculated(c.left, i, n), recalculated(c.right, i, n), c.relation) for c in e.parts)
        return Fraction(all((x > y) - (x < y) in signs[r] for x, y, r in values))
    parts = [recalculated(part, i, n) for part in e.parts]
    if e.op is Op.POWER:
        product = Fraction(1)
        for _ in range(e.value):  # type: ignore[arg-type]
            product *= parts[0]
        return product
    x, y = parts
    if e.op is Op.MODULO:
        return x - y * (x / y).__floor__()
    return {Op.ADD: x + y, Op.SUB: x - y, Op.MUL: x * y}.get(e.op) if e.op is not Op.DIV else x / y  # type: ignore


@settings(max_examples=200, deadline=None)
@given(e=expressions(8), i=st.integers(0, 9), n=st.integers(1, 9))
def test_round_trip_and_value(e: Expression, i: int, n: int) -> None:
    assert parse(str(e)) == e
    assert hash(parse(str(e))) == hash(e)
    assert e.at(i, n) == recalculated(e, i, n)
    assert pickle.loads(pickle.dumps(e)) == e
    if (closed := e.rational()) is not None:
        value = sympy.sympify(closed).subs({sympy.Symbol("i"): i, sympy.Symbol("n"): n})
        assert Fraction(int(value.p), int(value.q)) == e.at(i, n)
    else:
        assert "%" in str(e) or "[" in str(e)


@settings(max_examples=100, deadline=None)
@given(c=comparisons(), i=st.integers(0, 9), n=st.integers(1, 9))
def test_comparisons(c: Comparison, i: int, n: int) -> None:
    assert parse_comparison(str(c)) == c
    assert hash(parse_comparison(str(c))) == hash(c)
    assert position.bracket(c).at(i, n) == int(c.at(i, n))
    opposite = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">=": "<", ">": "<="}
    assert Comparison(c.left, opposite[c.relation], c.right).at(i, n) is not c.at(i, n)
    assert c.variables == c.left.variables | c.right.variables


def test_different_expressions_differ() -> None:
    texts = ["i", "n", "1", "i + n", "n + i", "i - n", "i*n", "i/n", "i % n", "i^2", "i^3", "[i < n]", "[i <= n]", "-i"]
    assert len({parse(text) for text in texts}) == len(texts)
    assert parse("i*n").variables == {"i", "n"}
    assert parse("[n > 2]").variables == {"n"}
    assert parse("2^10/3") == position.number(Fraction(1024, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i +", "column 4: found the end, expected a number or i or n or '('"),
        ("2i", "column 2: found 'i', expected '+'"),
        ("(i", "column 3: found the end, expected ')'"),
        ("2 + kk", "column 5: unknown name 'kk'; the variables are i (the position) and n (the length)"),
        ("i^n", "column 3: found 'n', expected a number"),
        ("i^2.5", "column 3: the exponent: expected an integer"),
        ("i^101", "column 3: an exponent is an integer in 0..100, got 101"),
        ("i^2^3", "column 4: found '^'"),
        ("i $ 2", "column 3: found '$', expected '+' or '-' or '*' or '/' or '%' or '^' or the end"),
        ("", "column 1: found the end"),
        ("1/0", "division by zero"),
        ("5 % 0", "not a remainder of an integer by an integer >= 1"),
        ("[i]", "column 3: found ']', expected a relation"),
        ("i < n", "column 3: found '<'"),
        ("9" * 400, "at most 1000 bits"),
        ("2^100^2", "column 6"),
        ("+".join("i" * 201), "nested 201 deep"),
        ("-" * 100000 + "i", "at most 200 deep"),
        ("(" * 100000 + "i", "column 100002: found the end"),
        ("[1 <" * 500 + "i" + "]" * 500, "at most 200 deep"),
        ("i" * (10**6 + 1), "at most 1000000 are accepted"),
    ],
)
def test_refused_text(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("text", "message"), [("i", "a relation"), ("1 < i < n", "column 7: found '<'"), ("i = 2", "column 3")]
)
def test_refused_comparisons(text: str, message: str) -> None:
    with pytest.raises(InputError, match="column") as caught:
        parse_comparison(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "i", "n", "message"),
    [
        ("1/(i - 2)", 2, 5, "1/(i - 2) at i = 2, n = 5: division by zero"),
        ("i/2 % 3", 3, 4, "3/2 % 3 is not a remainder"),
        ("i % (n - 4)", 3, 4, "3 % 0 is not a remainder"),
        ("i % (n - 5)", 3, 4, "3 % -1 is not a remainder"),
        ("((i^100)^100)^100", 3, 4, "more than 100000 bits"),
    ],
)
def test_undefined_values(text: str, i: int, n: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text).at(i, n)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "build",
    [
        lambda: position.number(True),
        lambda: position.variable("k"),
        lambda: position.add(parse("i"), 2),  # type: ignore[arg-type]
        lambda: position.power(parse("i"), -1),
        lambda: position.bracket(),
        lambda: position.bracket(parse("i")),  # type: ignore[arg-type]
        lambda: Comparison(parse("i"), "=", parse("n")),
        lambda: Comparison(parse("i"), "<", 3),  # type: ignore[arg-type]
        lambda: parse(3),  # type: ignore[arg-type]
        lambda: parse("i").at(1.0, 2),  # type: ignore[arg-type]
    ],
)
def test_refused_parts(build: object) -> None:
    with pytest.raises(InputError):
        build()  # type: ignore[operator]


def test_deepest_expression() -> None:
    deep = parse("[1 <" * 199 + "i" + "]" * 199)
    assert deep.depth == 200
    assert parse(str(deep)) == deep
    assert deep.at(3, 4) == 0


def test_shared_parts_do_not_explode() -> None:
    e = parse("i")
    for _ in range(9):
        e = position.mul(e, e)
    assert e.size == 1023
    with pytest.raises(InputError, match=r"nested 11 deep with 2047 parts; at most 200 deep and 2000 parts"):
        position.mul(e, e)


def test_random_text_never_escapes() -> None:
    source = random.Random(1)
    parsed = 0
    for _ in range(3000):
        text = "".join(source.choice("in 0123.+-*/%^()[]<>=!&$é\n") for _ in range(source.randrange(12)))
        try:
            e = parse(text)
        except InputError:
            continue
        parsed += 1
        assert parse(str(e)) == e
    assert parsed >= 50


def test_examples_in_docstrings() -> None:
    result = doctest.testmod(position)
    assert result.attempted >= 1
    assert result.failed == 0
