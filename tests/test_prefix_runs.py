"""Runs of ranges of words against the same words in a batch: all activations, logits, verdicts; refusals."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_fixture import random_model

from checker.compile.compiler import compile_formula
from checker.errors import InputError
from checker.logic.semantics import evaluate, words_block
from checker.logic.zoo import LANGUAGES
from checker.position import parse
from checker.transformer import strategies
from checker.transformer.exactarray import ExactArray
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.prefix import take, widened
from checker.transformer.prefixhead import HardRun
from checker.transformer.prefixplan import plan
from checker.transformer.ranges import run_hard_range, run_soft_range
from checker.transformer.sharing import CELLS, Block, join
from checker.transformer.softbatch import run_soft_batch

ZERO = ExactArray.whole([[0]])


def words_of(model, n, start, stop):
    return words_block(len(model.alphabet), n, start, stop)


def whole_block(model, n, start, stop):
    """With cells at the markers, too, so that all activations can be compared."""
    return Block(len(model.alphabet), model.positions(n), n, start, stop, whole_begin=True, whole_end=True)


def everywhere(x, block):
    """An activation at all words and positions."""
    if x.kind in CELLS:
        return take(x.value, (block.cells(x.kind).index, 0))
    return widened(x.value, (block.count, block.size))


def same(one, two):
    """Whether two exact arrays hold equal numbers."""
    left, right = (x.objects() for x in (one, two))
    return bool((left * two.denominator == right * one.denominator).all())


def below(one, two):
    return join(one, two) is two


def check_streams(model, n, start, stop):
    """Every activation of the hard run, at all positions, is that of the batch."""
    known, seen = plan(model), []

    def observe(_start, embedded, layers):
        seen.append([embedded, *(layer.stream for layer in layers)])

    run_hard_batch(model, words_of(model, n, start, stop), observe=observe, block=stop - start)
    block = whole_block(model, n, start, stop)
    for kinds, expected, found in zip(known.kinds, seen[0], HardRun(known, block).streams(), strict=True):
        assert set(kinds) == set(found)
        for d in model.directions:
            one = everywhere(found[d], block) if d in found else ZERO
            assert same(one, expected.get(d, ZERO))
            assert one.shape in ((block.count, block.size), (1, 1))
            assert d not in found or below(found[d].kind, kinds[d])


def check_range(model, n, start, stop, tau):
    """Logits are equal, enclosures meet, verdicts agree and none is lost; returns what share of enclosures is equal."""
    words = words_of(model, n, start, stop)
    hard, expected = run_hard_range(model, n, start, stop), run_hard_batch(model, words)
    assert hard.logits.shape == words.shape
    assert same(hard.logits, expected.logits)
    assert (hard.accepted == expected.accepted).all()
    soft, batch = run_soft_range(model, n, start, stop, tau), run_soft_batch(model, words, tau, refine=False)
    assert soft.low.shape == soft.high.shape == soft.sign.shape == words.shape
    assert (np.maximum(soft.low, batch.low) <= np.minimum(soft.high, batch.high)).all()
    assert (soft.sign == (soft.low > 0).astype(int) - (soft.high <= 0)).all()
    assert (soft.sign[batch.decided] == batch.sign[batch.decided]).all()
    return float(np.mean((soft.low == batch.low) & (soft.high == batch.high)))


@pytest.mark.parametrize("name", LANGUAGES)
def test_languages(name):
    language = LANGUAGES[name]
    model = compile_formula(language.formula, language.alphabet, acceptance=language.acceptance)
    k = len(model.alphabet)
    for n in (1, 3) if k == 3 else (1, 2, 5):
        tau, total = model.temperature.at(0, n), k**n
        for temperature in (tau, tau * 20):
            check_range(model, n, 0, total, temperature)
        check_range(model, n, total // 3, total - total // 5, tau)
        truth = evaluate(language.formula, words_of(model, n, 0, total), model.alphabet)
        assert ((run_hard_range(model, n, 0, total).logits.numerators > 0) == truth).all()
        assert (run_soft_range(model, n, 0, total, tau).sign == np.where(truth, 1, -1)).all()
    check_streams(model, 3, 0, k**3)


@pytest.mark.parametrize("seed", range(6))
def test_random_models(seed):
    rng = np.random.default_rng([17, seed])
    equal = []
    for _ in range(12):
        model = random_model(rng, int(rng.integers(1, 4)), int(rng.choice([1, 2, 20, 1000])))
        n = int(rng.integers(1, 7))
        start, stop = sorted(rng.choice(2**n + 1, 2, replace=False).tolist())
        tau = Fraction(str(rng.choice(["1", "1/100", "1/1000000", "1000", "1/3", "1/7"])))
        equal.append(check_range(model, n, start, stop, tau))
        check_streams(model, n, start, stop)
    assert np.mean(equal) > 0.5


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_drawn_models(data):
    model = data.draw(strategies.transformers(layers=3, temperature=parse("1/2")))
    n = data.draw(st.integers(1, 4))
    start = data.draw(st.integers(0, 2**n - 1))
    stop = data.draw(st.integers(start + 1, 2**n))
    try:
        run_hard_batch(model, words_of(model, n, start, stop))
    except InputError as error:  # a positional embedding that is undefined
        with pytest.raises(InputError, match=f"^{re.escape(str(error))}$"):
            run_hard_range(model, n, start, stop)
        return
    check_range(model, n, start, stop, None)
    check_streams(model, n, start, stop)


@pytest.mark.parametrize("name", ["since", "dyck-1", "response", "tomita-3"])
def test_parts_of_a_range_are_those_of_the_whole(name):
    language = LANGUAGES[name]
    model = compile_formula(language.formula, language.alphabet, acceptance=language.acceptance)
    n = 5 if len(model.alphabet) == 3 else 8
    tau, total = model.temperature.at(0, n), len(model.alphabet) ** n
    hard, soft = run_hard_range(model, n, 0, total), run_soft_range(model, n, 0, total, tau)
    for start, stop in ((0, 1), (7, 64), (64, 128), (100, 243), (total - 1, total)):
        assert same(run_hard_range(model, n, start, stop).logits, hard.logits[start:stop])
        part = run_soft_range(model, n, start, stop, tau)
        assert (part.sign == soft.sign[start:stop]).all()
        assert (np.maximum(part.low, soft.low[start:stop]) <= np.minimum(part.high, soft.high[start:stop])).all()


def test_words_beyond_64_bits():
    language = LANGUAGES["since"]
    model = compile_formula(language.formula, language.alphabet)
    n, tau = 45, model.temperature.at(0, 45)
    assert 3**n > 2**64
    check_range(model, n, 3**44 - 2, 3**44 + 3, tau)
    check_range(model, n, 3**45 - 3, 3**45, tau)


def test_models_take_turns():
    """What is kept of one model is not used for another, even if it takes its place in memory."""
    models = [random_model(np.random.default_rng(seed), 2, 2) for seed in range(3)]
    for seed in range(6):
        check_range(random_model(np.random.default_rng(seed), 2, 2), 3, 0, 8, Fraction(1, 3))
        check_range(models[seed % 3], 3, 0, 8, Fraction(1, 3))


def test_nothing_to_run():
    model = random_model(np.random.default_rng(1))
    assert run_hard_range(model, 3, 5, 5).logits.shape == (0, 3)
    assert run_soft_range(model, 3, 0, 0, Fraction(1)).low.shape == (0, 3)


@pytest.mark.parametrize(("n", "start", "stop"), [(0, 0, 1), (3, -1, 2), (3, 4, 3), (3, 0, 9), (True, 0, 1)])
def test_ranges_that_are_none(n, start, stop):
    model = random_model(np.random.default_rng(1))
    for run in (run_hard_range, lambda *given: run_soft_range(*given, Fraction(1))):
        with pytest.raises(InputError, match=r"there is no range .* of the words of length .* over 2 symbols"):
            run(model, n, start, stop)


def test_temperatures_that_are_none():
    model = random_model(np.random.default_rng(1))
    with pytest.raises(InputError, match="temperature"):
        run_soft_range(model, 2, 0, 4, Fraction(0))
