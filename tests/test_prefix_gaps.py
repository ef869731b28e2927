"""Gaps and all that is measured of hard runs, by cells of prefixes or suffixes, against the same by words."""

import numpy as np
import pytest
from soft_fixture import random_model

from checker.attention import Mask
from checker.compile.compiler import compile_formula
from checker.errors import InputError
from checker.logic.semantics import words_block
from checker.logic.zoo import LANGUAGES
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.model import Head, Layer, Transformer
from checker.transformer.observed import observe_hard_range

CELLS = (
    "tomita-4",
    "since",
    "sorted",
    "dyck-1-depth-2",
    "first-is-last",
    "prime-length",
    "response",
    "until",
    "a-at-odd",
)
OTHERS = ("majority", "tomita-3", "even-by-counts")


def compiled(name):
    language = LANGUAGES[name]
    return compile_formula(language.formula, language.alphabet, acceptance=language.acceptance)


def one_sided(model, forward):
    """The model with every head restricted to one side."""
    masks = (Mask.FUTURE, Mask.STRICT_FUTURE) if forward else (Mask.PAST, Mask.STRICT_PAST)
    layers = []
    for number, layer in enumerate(model.layers):
        heads = [
            Head(h.name, h.query, h.key, h.value, masks[(number + place) % 2], h.ties)
            for place, h in enumerate(layer.heads)
        ]
        layers.append(Layer(tuple(heads), layer.feed_forward))
    return Transformer(
        model.name, model.alphabet, model.directions, model.embedding, model.begin, model.end, model.positional,
        tuple(layers), model.output, model.temperature,
    )  # fmt: skip


class Facts:
    """What an observer can see that does not depend on how arrays are laid out."""

    def __init__(self):
        self.values, self.heads, self.shapes = {}, {}, set()

    def __call__(self, start, embedded, layers):
        assert start >= 0
        self.take(0, embedded)
        for number, layer in enumerate(layers, start=1):
            self.take((number, "attended"), layer.attended)
            self.take(number, layer.stream)
            for place, head in enumerate(layer.heads):
                seen = self.heads.setdefault((number, place), set())
                shape = head.chosen.shape
                self.shapes.add(shape[1])
                visible = np.broadcast_to(head.seen, shape)
                chosen, maximal = np.count_nonzero(head.chosen, axis=2), np.count_nonzero(head.maximal, axis=2)
                gaps, have = head.gaps
                rows = zip(
                    np.count_nonzero(visible, axis=2).ravel(), chosen.ravel(), maximal.ravel(),
                    np.broadcast_to(gaps.fractions(), shape[:2]).ravel(), np.broadcast_to(have, shape[:2]).ravel(),
                    strict=True,
                )  # fmt: skip
                seen |= {tuple(row) for row in rows}

    def take(self, place, stream):
        for d, array in stream.items():
            self.values.setdefault((place, d), set()).update(array.fractions().ravel().tolist())


def check(model, n, start, stop):
    """Logits, gaps with their witnesses and counts, and all facts agree; returns the observer's shapes."""
    by_cells, by_words = Facts(), Facts()
    found = observe_hard_range(model, n, start, stop, by_cells)
    expected = run_hard_batch(
        model, words_block(len(model.alphabet), n, start, stop), gaps=True, observe=by_words, block=stop - start
    )
    assert (found.logits.fractions() == expected.logits.fractions()).all()
    assert (found.accepted == expected.accepted).all()
    assert found.gaps == expected.gaps
    assert by_cells.heads == by_words.heads
    nonzero = [{key: v for key, v in facts.values.items() if v != {0}} for facts in (by_cells, by_words)]
    assert nonzero[0] == nonzero[1]
    return by_cells.shapes


@pytest.mark.parametrize("name", [*CELLS, *OTHERS])
def test_languages(name):
    model = compiled(name)
    k = len(model.alphabet)
    for n in (1, 2, 4):
        shapes = check(model, n, 0, k**n)
        check(model, n, k**n // 3, k**n - k**n // 5)
    assert (shapes <= {1}) is (name in CELLS)  # every query by itself, or all queries of a word together


@pytest.mark.parametrize("seed", range(4))
def test_random_models(seed):
    rng = np.random.default_rng([29, seed])
    for _ in range(8):
        model = random_model(rng, int(rng.integers(1, 4)), int(rng.choice([1, 2, 20])))
        n = int(rng.integers(1, 6))
        start, stop = sorted(rng.choice(2**n + 1, 2, replace=False).tolist())
        check(model, n, start, stop)
        for forward in (True, False):
            assert check(one_sided(model, forward), n, start, stop) <= {1}


def test_long_ranges_are_observed_block_by_block():
    model, starts = compiled("tomita-4"), []
    observe_hard_range(model, 14, 0, 2**14, lambda start, _embedded, _layers: starts.append(start))
    assert starts[0] == 0
    assert len(starts) > 1
    assert starts == sorted(set(starts))
    whole = observe_hard_range(model, 14, 0, 2**14)
    assert whole.gaps == run_hard_batch(model, words_block(2, 14, 0, 2**14), gaps=True).gaps


def test_without_gaps_and_without_words():
    model = compiled("tomita-4")
    assert observe_hard_range(model, 3, 0, 8, gaps=False).gaps == ()
    none = observe_hard_range(model, 3, 4, 4)
    assert none.logits.shape == (0, 3)
    assert all(gaps.gap is None for gaps in none.gaps)
    with pytest.raises(InputError, match="there is no range"):
        observe_hard_range(model, 3, 0, 9)
