"""The exact hard run against dense matrices and rows of scores; dense matrices against the rigorous softmax run."""

import doctest
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spec_fixture import example

from checker.attention import Mask, Row, Tie
from checker.ball import Ball, ball
from checker.errors import InputError
from checker.position import parse
from checker.transformer import strategies
from checker.transformer.dense import dense, forward_float
from checker.transformer.hard import run_hard
from checker.transformer.model import FeedForward, Head, Layer, Transformer, Unit
from checker.transformer.soft import run_soft

F = Fraction


def dense_run(model: Transformer, word: tuple[str, ...]) -> tuple[Any, Any, Any, list[Any]]:
    """Streams, gaps, hard weights and logits, by matrix products of Fractions and checker.attention.Row."""
    matrices = dense(model, len(word), exact=True)
    tokens = [model.alphabet.index(symbol) for symbol in word]
    if matrices.begin is not None:
        tokens.insert(0, matrices.begin)
    if matrices.end is not None:
        tokens.append(matrices.end)
    x = matrices.embedding[tokens] + matrices.positional
    size = len(tokens)
    streams, gaps, choices = [x], [], []
    for spec, layer in zip(model.layers, matrices.layers, strict=True):
        added: Any = 0
        for given_head, head in zip(spec.heads, layer.heads, strict=True):
            scores = x @ head.query.T @ (x @ head.key.T).T if len(head.query) else np.zeros((size, size), dtype=int)
            weights = np.full((size, size), F(0))
            for i in range(size):
                row = Row.masked([F(score) for score in scores[i]], given_head.mask, i + 1)
                parts = iter([part.weight for part in row.hard(given_head.ties)])
                weights[i, head.seen[i]] = [next(parts) for _ in range(row.n)]
                gaps.append(row.gap if row.n else None)
            choices.append(weights)
            added = added + weights @ (x @ head.value.T)
        x = x + added
        for part in layer.feed_forward:
            hidden = np.maximum(x @ part.first.T + part.first_bias, F(0)) if part.first.size else None
            x = x + (0 if hidden is None else hidden @ part.second.T) + part.second_bias
        streams.append(x)
    logits = x @ matrices.output + matrices.output_bias
    first = int(matrices.begin is not None)
    return streams, gaps, choices, list(logits[first : first + len(word)])


@settings(max_examples=60, deadline=None)
@given(model=strategies.transformers(layers=2), data=st.data())
def test_against_dense_matrices(model: Transformer, data: st.DataObject) -> None:
    word = data.draw(strategies.words(model.alphabet, largest=4))
    run = run_hard(model, word)
    streams, gaps, choices, logits = dense_run(model, word)
    own = [run.embedded, *(layer.stream for layer in run.layers)]
    for mine, theirs in zip(own, streams, strict=True):
        assert [[x.get(d, 0) for d in model.directions] for x in mine] == theirs.tolist()
    heads = [head for layer in run.layers for head in layer.heads]
    assert [query.gap for head in heads for query in head.queries] == gaps
    for head, weights in zip(heads, choices, strict=True):
        for place, query in enumerate(head.queries):
            chosen = [run.positions[j] for j in range(len(run.positions)) if weights[place, j]]
            assert list(query.chosen) == chosen
            assert all(weights[place, j - run.positions.start] == F(1, len(chosen)) for j in chosen)
            assert query.position == run.positions[place]
    assert list(run.logits) == logits
    assert run.accepted == (logits[0 if model.output.position == "first" else -1] > 0)


def test_example_by_hand() -> None:
    """b, a: the newest position up to i is i itself; "mean" with leftmost ties and equal scores reads position 0."""
    run = run_hard(example(), "ba")
    assert run.positions == range(3)
    newest, mean = run.layers[0].heads
    assert [query.chosen for query in newest.queries] == [(0,), (1,), (2,)]
    assert newest.queries[2].visible == range(3)
    assert newest.queries[2].scores == (0, F(1, 3) * F(1, 2) * 3 * F(2, 3), F(2, 3) * F(1, 2) * 3 * F(2, 3))
    assert newest.queries[2].gap == F(1, 3)
    assert newest.queries[0].gap is None
    assert [query.chosen for query in mean.queries] == [(0,)] * 3
    assert newest.queries[1].output == {"read": 1}
    assert newest.queries[0].output == {"read": F(-2, 3)}
    assert run.logits == (F(1, 2), F(-1, 2))
    assert not run.accepted
    assert run.chosen == [[[[0], [1], [2]], [[0], [0], [0]]]]
    # position 1: read = 1, so unit 0 is ReLU(2 - 1) = 1 and unit 1 is ReLU(0) = 0; b: 1 + 1; place: 1/3 + 1
    assert run.layers[0].attended[1] == {"b": 1, "place": F(1, 3), "read": 1, "over 9": 0}
    assert run.layers[0].stream[1] == {"b": 2, "place": F(4, 3), "read": 1, "over 9": 0}


def test_strict_masks_may_see_nothing() -> None:
    one = F(1)
    heads = tuple(
        Head(mask.value, (), (), {"read": {"b": one}}, mask, Tie.AVERAGE)
        for mask in (Mask.STRICT_FUTURE, Mask.STRICT_PAST)
    )
    model = replace(example(), begin=None, layers=(Layer(heads, ()),))
    run = run_hard(model, "b")
    assert run.positions == range(1, 2)
    for head in run.layers[0].heads:
        assert (head.queries[0].chosen, head.queries[0].gap, head.queries[0].output) == ((), None, {"read": 0})
    assert run_hard(model, "bb").logits == (F(1, 2), F(1, 2))


def test_dense_matrices_by_hand() -> None:
    matrices = dense(example(), 2)
    assert matrices.tokens == ("a", "b", "begin")
    assert matrices.embedding.tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1 / 3]]
    assert matrices.positional.tolist() == [[0, 0, 0, 0], [0, 1 / 3, 0, 0], [0, 2 / 3, 0, 0]]
    head = matrices.layers[0].heads[0]
    assert head.query.tolist() == [[0, 0.5, 0, 0]]
    assert head.key.tolist() == [[0, 3, 0, 0]]
    assert head.value.tolist() == [[0] * 4, [0] * 4, [1, 0, 0, -2], [0] * 4]
    assert head.seen.tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    part = matrices.layers[0].feed_forward[0]
    assert part.first.tolist() == [[0, 0, 2, 0], [0, 0, 0, 0.25]]
    assert part.first_bias.tolist() == [-1, 0]
    assert part.second.tolist() == [[1, -5 / 7], [0, 0], [0, 0], [0, 0]]
    assert part.second_bias.tolist() == [0, 1, 0, 0]
    assert (matrices.output.tolist(), matrices.output_bias, matrices.temperature) == ([0, 0, 1, 0], -0.5, 0.25)
    exact = dense(example(), 2, exact=True)
    assert exact.embedding[2, 3] == F(1, 3)
    assert exact.temperature == F(1, 4)


@settings(max_examples=60, deadline=None)
@given(model=strategies.transformers(layers=2, size=2), tau=st.sampled_from([F(1, 2), F(2), F(9)]), n=st.integers(1, 3))
def test_float_forward_pass_is_near_the_rigorous_run(model: Transformer, tau: Fraction, n: int) -> None:
    source = random.Random(n)
    words = np.array([[source.randrange(2) for _ in range(n)] for _ in range(3)])
    logits = forward_float(model, words, float(tau))
    for row, word in zip(logits, words, strict=True):
        run = run_soft(model, [model.alphabet[k] for k in word], tau)
        streams = [abs(v if isinstance(v, Fraction) else F(float(v.abs_upper()))) for x in run.layers[-1:]
                   for y in x.stream for v in y.values()]  # fmt: skip
        scale = 1 + max(streams, default=F(0))
        for value, true in zip(row.tolist(), run.logits, strict=True):
            distance = abs(ball(F(value)) - (true if isinstance(true, Ball) else ball(true)))
            assert distance < ball(scale * F(1, 10**6))


def test_refused() -> None:
    model = example()
    for n in (0, True, 2.0):
        with pytest.raises(InputError, match="the length of a word is an integer >= 1"):
            dense(model, n)  # type: ignore[arg-type]
    huge = replace(model, output=replace(model.output, bias=F(10**400)))
    with pytest.raises(InputError, match="beyond the range of float64"):
        dense(huge, 2)
    assert dense(huge, 2, exact=True).output_bias == 10**400
    with pytest.raises(InputError, match="needs a temperature > 0, got None"):
        forward_float(replace(model, temperature=None), np.array([[0]]))
    with pytest.raises(InputError, match="needs a temperature > 0, got 0"):
        forward_float(model, np.array([[0]]), 0.0)
    with pytest.raises(InputError, match="shape"):
        forward_float(model, np.array([0]))
    with pytest.raises(InputError, match="division by zero"):
        run_hard(replace(model, positional={"place": parse("1/(n - 9)")}), "a" * 9)


def test_feed_forward_without_units() -> None:
    model = replace(example(), layers=(Layer((), (FeedForward((), {"read": {}}, {"read": F(2)}),)),))
    assert run_hard(model, "a").logits == (F(3, 2),)
    assert forward_float(model, np.array([[0]])).tolist() == [[1.5]]
    unused = FeedForward((Unit({"b": F(1)}, F(0)),), {}, {})
    assert run_hard(replace(model, layers=(Layer((), (unused,)),)), "b").logits == (F(-1, 2),)


def test_examples_in_docstrings() -> None:
    result = doctest.testmod(strategies)
    assert result.attempted >= 1
    assert result.failed == 0
