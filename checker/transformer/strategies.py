"""Hypothesis strategies for small transformers with rational weights. Needs the extra `hypothesis`.

from hypothesis import given
from checker.transformer import strategies

@given(model=strategies.transformers(), data=st.data())
def test_my_bound(model, data):
    word = data.draw(strategies.words(model.alphabet))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.position import Expression, parse
from checker.position_strategies import expressions, rationals
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit, Vector

try:
    from hypothesis import strategies as st
except ImportError:
    message = "checker.transformer.strategies needs the extra 'hypothesis': pip install 'hardsoft[hypothesis]'"
    raise ImportError(message) from None


def words(alphabet: Sequence[str], least: int = 1, largest: int = 5) -> st.SearchStrategy[tuple[str, ...]]:
    """Words of `least` to `largest` symbols.

    >>> words("ab", 0)
    Traceback (most recent call last):
    checker.errors.InputError: lengths of words need 1 <= least <= largest, got 0 and 5
    """
    if not 1 <= least <= largest:
        raise InputError(f"lengths of words need 1 <= least <= largest, got {least} and {largest}")
    return st.lists(st.sampled_from(tuple(alphabet)), min_size=least, max_size=largest).map(tuple)


def vectors(directions: Sequence[str], size: int = 3) -> st.SearchStrategy[Vector]:
    """Sparse vectors: up to three directions, numerators and denominators up to `size`."""
    return st.dictionaries(st.sampled_from(tuple(directions)), rationals(size), max_size=3)


def heads(directions: Sequence[str], name: str = "head", size: int = 3) -> st.SearchStrategy[Head]:
    """Heads of up to two rows of W_Q and W_K, every mask and tie rule."""
    vector = vectors(directions, size)
    rows = st.lists(st.tuples(vector, vector), max_size=2)
    written = st.dictionaries(st.sampled_from(tuple(directions)), vector, max_size=2)

    def build(pairs: list[tuple[Vector, Vector]], value: dict[str, Vector], mask: Mask, ties: Tie) -> Head:
        return Head(name, tuple(query for query, _ in pairs), tuple(key for _, key in pairs), value, mask, ties)

    return st.builds(build, rows, written, st.sampled_from(Mask), st.sampled_from(Tie))


def feed_forwards(directions: Sequence[str], size: int = 3) -> st.SearchStrategy[FeedForward]:
    """Feed-forward parts of up to three hidden units."""
    vector = vectors(directions, size)
    units = st.lists(st.builds(Unit, vector, rationals(size)), max_size=3)

    @st.composite
    def build(draw: Any) -> FeedForward:
        hidden = tuple(draw(units))
        chosen = (
            st.dictionaries(st.integers(0, len(hidden) - 1), rationals(size), max_size=3) if hidden else st.just({})
        )
        return FeedForward(
            hidden, draw(st.dictionaries(st.sampled_from(tuple(directions)), chosen, max_size=2)), draw(vector)
        )

    return build()


def transformers(
    layers: int = 2,
    alphabet: Sequence[str] = ("a", "b"),
    directions: Sequence[str] = ("a", "b", "x", "y"),
    size: int = 3,
    temperature: Expression | None = None,
) -> st.SearchStrategy[Transformer]:
    """Valid transformers of at most `layers` layers with up to two heads each; numbers as `vectors` draws them.

    temperature: of every model (default: 1).
    """
    vector = vectors(directions, size)
    tau = parse("1") if temperature is None else temperature

    @st.composite
    def build(draw: Any) -> Transformer:
        built = []
        for _ in range(draw(st.integers(0, layers))):
            names = [f"head {number}" for number in range(draw(st.integers(0, 2)))]
            parts = st.lists(feed_forwards(directions, size), max_size=2)
            built.append(Layer(tuple(draw(heads(directions, name, size)) for name in names), tuple(draw(parts))))
        return Transformer(
            name=draw(st.sampled_from(["", "m", "a model"])),
            alphabet=tuple(alphabet),
            directions=tuple(directions),
            embedding={symbol: draw(vector) for symbol in alphabet},
            begin=draw(st.none() | vector),
            end=draw(st.none() | vector),
            positional=draw(st.dictionaries(st.sampled_from(tuple(directions)), expressions(4), max_size=2)),
            layers=tuple(built),
            output=Output(draw(vector), draw(rationals(size)), draw(st.sampled_from(["first", "last"]))),
            temperature=tau,
        )

    return build()
