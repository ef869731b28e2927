"""The growth of positional embeddings: a bound that holds, and the sizes that the regimes promise."""

import pytest

from checker.compile.compiler import compile_formula
from checker.logic.text import parse_formula
from checker.position import parse
from checker.transformer.growth import embedding_size, growth


@pytest.mark.parametrize(
    ("text", "exponent"),
    [
        ("3", 0), ("i", 1), ("n*i^2", 3), ("(n + 2)*i^2", 3), ("i/(n + 2)", 0), ("i^2/(n + 2)^2", 0), ("1/(i + 1)", 0),
        ("n/(i + 1)", 1), ("[i % 2 == 1]", 0), ("i % 3", 0), ("1/(n + 2)", -1), ("i - n", 1), ("n/(1/2*i)", 1),
        ("n/(1/2*i - 1)", None),
        ("1/(n - 5)", 0), ("n % (n + 1)", 1), ("(i + 1)/(n + 2)^3", -2),
    ],
)  # fmt: skip
def test_growth(text, exponent):
    assert growth(parse(text)) == exponent


@pytest.mark.parametrize("text", ["(n + 2)*i^2", "i/(n + 2)", "n/(i + 1)", "1/(n - 5)", "i*(n + 2) - i^2", "(i % 7)*n"])
def test_the_bound_holds(text):
    expression = parse(text)
    d = growth(expression)
    for n in (10, 100, 1000):
        assert all(abs(value) <= 10 * n**d for value in expression.along(range(n + 2), n))


@pytest.mark.parametrize(
    ("formula", "regime", "size"),
    [
        ("a S b", "unbounded", "O(n)"), ("a S b", "scaled", "bounded"), ("#[a] >= #[b]", "unbounded", "O(n^3)"),
        ("#[a] >= #[b] & Y a", "scaled", "bounded"), ("#<-[a] % 2 == 1", "scaled", "bounded"),
    ],
)  # fmt: skip
def test_size_of_compiled_embeddings(formula, regime, size):
    assert embedding_size(compile_formula(parse_formula(formula), ("a", "b"), regime=regime)) == size
