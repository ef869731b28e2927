"""Hard attention in bulk against the run of single words, over random models, in int64 and in Python integers."""

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spec_fixture import example

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.position import parse
from checker.transformer import exactarray, strategies
from checker.transformer.batchhead import Stream
from checker.transformer.hard import HardRun, run_hard
from checker.transformer.hardbatch import BatchLayer, HardBatch, run_hard_batch
from checker.transformer.model import Head, Layer, Output, Transformer


def all_words(symbols: int, n: int) -> Any:
    return np.array(list(itertools.product(range(symbols), repeat=n)))


def compare(model: Transformer, words: Any, block: int | None = None) -> tuple[HardBatch, list[HardRun]]:
    """Run both ways and compare everything."""
    runs = [run_hard(model, [model.alphabet[k] for k in word]) for word in words]
    seen: list[int] = []

    def observe(start: int, embedded: Stream, layers: list[BatchLayer]) -> None:
        size = len(words) if block is None else min(block, len(words) - start)
        for run, row in zip(runs[start : start + size], range(size), strict=True):
            seen.append(start + row)
            same_stream(run.embedded, embedded, row)
            for exact, layer in zip(run.layers, layers, strict=True):
                same_stream(exact.attended, layer.attended, row)
                same_stream(exact.stream, layer.stream, row)
                for single, head in zip(exact.heads, layer.heads, strict=True):
                    assert single.name == head.name
                    for place, query in enumerate(single.queries):
                        chosen = head.chosen[row % len(head.chosen), place]
                        assert (np.flatnonzero(chosen) + run.positions.start).tolist() == list(query.chosen)

    batch = run_hard_batch(model, words, gaps=True, observe=observe, block=block)
    assert seen == list(range(len(words)))
    assert batch.logits.fractions().tolist() == [list(run.logits) for run in runs]
    assert batch.accepted.tolist() == [run.accepted for run in runs]
    for found in batch.gaps:
        rows = [(w, q) for w, run in enumerate(runs) for q in run.layers[found.layer].heads[found.head].queries]
        rivals = [(query.gap, word, query.position) for word, query in rows if query.gap is not None]
        assert found.rivals == len(rivals)
        assert found.tied == sum(len(q.scores) - len({*q.scores}) > 0 and tied(q.scores) for _, q in rows)
        if rivals:
            assert (found.gap, found.word, found.position) == min(rivals)
        else:
            assert (found.gap, found.word, found.position) == (None, None, None)
        assert found.name == model.layers[found.layer].heads[found.head].name
    assert len(batch.gaps) == sum(len(layer.heads) for layer in model.layers)
    return batch, runs


def tied(scores: tuple[Fraction, ...]) -> bool:
    return scores.count(max(scores)) > 1


def same_stream(single: Any, batch: Stream, row: int) -> None:
    for direction in {*batch, *(name for x in single for name in x)}:
        values = [x.get(direction, 0) for x in single]
        if direction not in batch:
            assert not any(values)
            continue
        array = batch[direction]
        found = np.broadcast_to(array.numerators, (max(array.shape[0], row + 1), len(single)))[row]
        assert [Fraction(int(number), array.denominator) for number in found] == values


@settings(max_examples=60, deadline=None)
@given(model=strategies.transformers(layers=3), n=st.integers(1, 3), block=st.sampled_from([None, 1, 3]))
def test_against_single_words(model: Transformer, n: int, block: int | None) -> None:
    compare(model, all_words(len(model.alphabet), n), block)


@settings(max_examples=40, deadline=None)
@given(model=strategies.transformers(layers=2, size=10**7), n=st.integers(1, 3))
def test_large_numbers(model: Transformer, n: int) -> None:
    compare(model, all_words(len(model.alphabet), n))


@pytest.mark.parametrize("limit", [1, 2**4, 2**12])
def test_python_integers_give_the_same(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a lower limit, most operations fall back to Python integers, at different places."""
    monkeypatch.setattr(exactarray, "LIMIT", limit)

    @settings(max_examples=25, deadline=None, database=None)
    @given(model=strategies.transformers(layers=2), n=st.integers(1, 3))
    def check(model: Transformer, n: int) -> None:
        compare(model, all_words(len(model.alphabet), n))

    check()


@pytest.mark.parametrize("ties", Tie)
@pytest.mark.parametrize("mask", Mask)
def test_masks_and_ties(mask: Mask, ties: Tie) -> None:
    """Every mask with every tie rule, on a head whose scores tie often, and longer words."""
    one, model = Fraction(1), example()
    head = Head(
        "h", ({"b": one}, {"place": one}), ({"b": one}, {"b": one}), {"read": {"b": one, "place": one}}, mask, ties
    )
    layer = Layer((head,), model.layers[0].feed_forward)
    changed = Transformer(**{**vars(model), "layers": (layer, layer)})
    source = random.Random(mask.value + ties.value)
    words = np.array([[source.randrange(2) for _ in range(6)] for _ in range(12)])
    compare(changed, words)


def test_longer_words_of_a_deep_model() -> None:
    """Three layers of means: denominators grow until Python integers are needed."""
    third, model = Fraction(1, 3), example()
    score = ({"b": third, "read": Fraction(1)},)
    value = {"b": {"b": Fraction(1, 7), "place": Fraction(1)}, "read": {"b": third}}
    mean = Head("mean", (), (), value, Mask.FUTURE, Tie.AVERAGE)
    scored = Head("scored", score, score, value, Mask.PAST, Tie.AVERAGE)
    deep = Transformer(**{**vars(model), "layers": (Layer((mean, scored), ()),) * 3})
    source = random.Random(5)
    words = np.array([[source.randrange(2) for _ in range(11)] for _ in range(6)])
    kinds: set[str] = set()
    run_hard_batch(
        deep, words, observe=lambda *a: kinds.update(h.scores.numerators.dtype.kind for x in a[2] for h in x.heads)
    )
    assert kinds == {"i", "O"}
    compare(deep, words)


@pytest.mark.parametrize("block", [1, 3, None])
def test_where_the_least_gap_is(block: int | None) -> None:
    """Words 2, 3 of four attain the least gap of the first head; the second head scores by position alone."""
    one = Fraction(1)
    score = {"b": one, "place": Fraction(6)}
    heads = (
        Head("both", ({"one": one},), (score,), {}, Mask.NONE, Tie.AVERAGE),
        Head("place", ({"one": one},), ({"place": one},), {}, Mask.FUTURE, Tie.AVERAGE),
    )
    changes = {"directions": ("b", "place", "one"), "layers": (Layer(heads, ()),), "begin": None}
    changes |= {"positional": {"place": parse("i/(n + 1)"), "one": parse("1")}}
    changes |= {"output": Output({}, one, "last")}
    model = Transformer(**{**vars(example()), **changes})
    batch, _ = compare(model, np.array([[0, 0], [0, 1], [1, 0], [1, 0]]), block)
    both, place = batch.gaps
    assert (both.gap, both.word, both.position, both.rivals, both.tied) == (1, 2, 1, 8, 0)  # scores 3, 4 in words 2, 3
    assert (place.gap, place.word, place.position, place.rivals, place.tied) == (Fraction(1, 3), 0, 2, 4, 0)


def test_common_multiple_beyond_int64() -> None:
    """Means over 1..47 positions, whose least common multiple needs 64 bits, of zeros and of others."""
    value = {"b": {"read": Fraction(1)}, "read": {"b": Fraction(1)}}
    layer = Layer((Head("mean", (), (), value, Mask.FUTURE, Tie.AVERAGE),), ())
    model = Transformer(**{**vars(example()), "layers": (layer,)})
    batch, _ = compare(model, np.array([[1] * 46]))
    assert batch.logits.at(0, 45) == Fraction(46, 47) - Fraction(1, 2)


def test_refused() -> None:
    model = example()
    for words, message in [
        (np.zeros(3, dtype=int), r"shape \(words, n\)"),
        (np.zeros((3, 0), dtype=int), "n >= 1"),
        (np.zeros((3, 2)), "got float64"),
        (np.full((3, 2), 2), r"indices in 0..1, got 2 to 2"),
        (np.full((3, 2), -1), r"got -1 to -1"),
    ]:
        with pytest.raises(InputError, match=message):
            run_hard_batch(model, words)
    assert run_hard_batch(model, np.zeros((0, 2), dtype=np.uint8), gaps=True).logits.shape == (0, 2)
    with pytest.raises(InputError, match="the word is empty"):
        run_hard(model, "")
    with pytest.raises(InputError, match="symbol 2 of the word is 'c'; the alphabet is a b"):
        run_hard(model, "ac")
