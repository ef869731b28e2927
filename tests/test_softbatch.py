"""Softmax runs in bulk: enclosures contain those of Arb, signs agree, words are independent of their company."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_fixture import DIRECTIONS, copy_model, naive_run, random_model

from checker.attention import Mask, Tie
from checker.ball import endpoints
from checker.errors import InputError
from checker.position import parse
from checker.transformer import strategies
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit
from checker.transformer.soft import run_soft
from checker.transformer.softbatch import run_soft_batch
from checker.verdict import Verdict

ONE = Fraction(1)


def all_words(n, size=2):
    return np.arange(size**n)[:, None] // size ** np.arange(n - 1, -1, -1) % size


def check(model, words, tau, **options):
    """Compare a batch with single runs; return its widths relative to the logits."""
    batch = run_soft_batch(model, words, tau, **options)
    assert batch.low.shape == batch.high.shape == batch.sign.shape == words.shape
    assert (batch.low <= batch.high).all()
    for row, word in enumerate(words):
        run = run_soft(model, [model.alphabet[k] for k in word], tau)
        for place, logit in enumerate(run.logits):
            low, high = (logit, logit) if isinstance(logit, Fraction) else endpoints(logit)
            slack = max(ONE, abs(low)) / 10**25  # of Arb's radius
            below, above = batch.low[row, place], batch.high[row, place]
            assert high - low <= slack
            assert below == -np.inf or Fraction(below) <= low + slack
            assert above == np.inf or high - slack <= Fraction(above)
            sign = batch.sign[row, place]
            assert sign != 1 or run.verdicts[place] is Verdict.HOLDS
            assert sign != -1 or run.verdicts[place] is Verdict.FAILS
    return (batch.high - batch.low) / np.maximum(1, np.abs(batch.low))


@pytest.mark.parametrize("seed", range(10))
def test_random_models_agree_with_single_runs(seed):
    rng = np.random.default_rng([7, seed])
    widths = []
    for _ in range(12):
        tau = Fraction(str(rng.choice(["1", "1/100", "1/1000000", "1000", "1/3", "1/7"])))
        model = random_model(rng, int(rng.integers(1, 4)), int(rng.choice([1, 2, 20, 1000])))
        words = rng.integers(0, 2, (int(rng.integers(1, 6)), int(rng.integers(1, 9))))
        widths += check(model, words, tau, refine=False).ravel().tolist()
    assert np.median(widths) < 1e-12


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_drawn_models_agree_with_single_runs(data):
    model = data.draw(strategies.transformers(temperature=parse("1/2")))
    words = data.draw(st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=3))
    try:
        check(model, np.array(words), None, refine=False)
    except InputError:  # a positional embedding that is undefined
        return


def test_long_words_agree_with_single_runs():
    rng = np.random.default_rng(3)
    check(random_model(rng, 2, 2), rng.integers(0, 2, (2, 45)), Fraction(1, 3), refine=False)
    check(copy_model(), rng.integers(0, 2, (1, 200)), None)


def test_batch_agrees_with_naive_arithmetic():
    rng = np.random.default_rng(11)
    for _ in range(10):
        model, words = random_model(rng, 2, 3), rng.integers(0, 2, (2, 4))
        batch = run_soft_batch(model, words, Fraction(1, 5), refine=False)
        for row, word in enumerate(words):
            for place, value in enumerate(naive_run(model, ["ab"[k] for k in word], Fraction(1, 5))):
                assert batch.low[row, place] - 1e-15 <= float(value) <= batch.high[row, place] + 1e-15


def test_cleaned_bits_are_exact_for_all_words():
    words = all_words(8)
    batch = run_soft_batch(copy_model(), words)
    expected = np.zeros(words.shape)
    expected[:, 2:] = words[:, :-2] == 0
    assert np.array_equal(batch.low, expected - 0.5)
    assert np.array_equal(batch.high, expected - 0.5)
    assert np.array_equal(batch.sign, np.where(expected, 1, -1))
    assert batch.decided.all()


def test_words_do_not_depend_on_their_company():
    rng = np.random.default_rng(5)
    for _ in range(5):
        model, words = random_model(rng, 2, 2), rng.integers(0, 2, (9, 6))
        whole = run_soft_batch(model, words, ONE, refine=False)
        for block in (1, 4):
            parts = run_soft_batch(model, words, ONE, refine=False, block=block)
            # Both enclose the same numbers; sums may be done in another order.
            assert (np.maximum(whole.low, parts.low) <= np.minimum(whole.high, parts.high)).all()
    assert run_soft_batch(copy_model(), np.zeros((0, 3), dtype=int)).low.shape == (0, 3)


def read_model(query, key, value, before=(), bias=Fraction(0), weights=None):
    head = Head("h", query, key, value, Mask.NONE, Tie.AVERAGE)
    return Transformer(
        name="one head",
        alphabet=("a", "b"),
        directions=DIRECTIONS,
        embedding={"a": {"a": ONE}, "b": {"b": ONE}},
        begin=None,
        end=None,
        positional={"p": parse("i"), "r": parse("1")},
        layers=(*before, Layer((head,), ())),
        output=Output({"u": ONE} if weights is None else weights, bias, "last"),
    )


def test_uniform_means_are_exact():
    """(1/3) (the number of a) - 1/3 at words of length 3: exactly 0 for one a, so the sign is known."""
    batch = run_soft_batch(read_model((), (), {"u": {"a": ONE}}, bias=-ONE / 3), all_words(3), ONE, refine=False)
    ones = (all_words(3) == 0).sum(axis=1)
    assert np.array_equal(batch.sign, np.repeat(np.where(ones > 1, 1, -1)[:, None], 3, axis=1))
    assert (batch.low[ones == 1] == 0).all()
    assert (batch.high[ones == 1] == 0).all()


def test_undecided_words_are_refined():
    """The logit is 10^-60 times a weight: intervals of float64 cannot tell, Arb can."""
    tiny = Fraction(1, 10**60)
    model = read_model(
        ({"r": ONE},), ({"a": ONE},), {"u": {"a": ONE}, "v": {"a": ONE - tiny}}, weights={"u": ONE, "v": -ONE}
    )
    words = np.array([[0, 1], [1, 1], [0, 0]])
    rough = run_soft_batch(model, words, ONE, refine=False)
    assert rough.sign[0].tolist() == [0, 0]
    fine = run_soft_batch(model, words, ONE)
    assert fine.sign.tolist() == [[1, 1], [-1, -1], [1, 1]]
    assert (fine.low[0] > 0).all()
    assert (fine.high[0] < 1e-59).all()
    assert run_soft_batch(model, words, ONE, maximum=128).sign.tolist()[0] == [0, 0]


def test_a_sign_below_float64_is_kept():
    """The logit is exp(-10^4) > 0: its float64 lower end is 0, its sign is known."""
    model = read_model(({"r": ONE},), ({"a": ONE},), {"u": {"b": ONE}})
    batch = run_soft_batch(model, np.array([[0, 1]]), Fraction(1, 10**4))
    assert batch.sign.tolist() == [[1, 1]]
    assert batch.low.tolist() == [[0, 0]]
    assert (batch.high > 0).all()


@pytest.mark.parametrize("size", [10**7, 10**20, 10**60])
@pytest.mark.parametrize("tau", [ONE, Fraction(1, 10**6), Fraction(10) ** 30, Fraction(1, 10**340)])
def test_large_weights(size, tau):
    """Scores beyond int64 and beyond float64, exact and not: no wrong enclosure."""
    big = Fraction(size)
    first = Layer(
        (Head("e", ({"r": ONE},), ({"a": ONE},), {"v": {"b": ONE, "a": -ONE}}, Mask.FUTURE, Tie.AVERAGE),), ()
    )
    second = Layer((), (FeedForward((Unit({"v": big}, -big / 3),), {"w": {0: big}}, {}),))
    model = read_model(({"p": big, "w": ONE},), ({"p": ONE, "v": big},), {"u": {"a": ONE, "v": big}}, (first, second))
    batch = run_soft_batch(model, all_words(3), tau, refine=False)
    for row, word in enumerate(all_words(3)):
        run = run_soft(model, ["ab"[k] for k in word], tau)
        for place, logit in enumerate(run.logits):
            low, high = (logit, logit) if isinstance(logit, Fraction) else endpoints(logit)
            assert batch.low[row, place] == -np.inf or Fraction(batch.low[row, place]) <= high
            assert batch.high[row, place] == np.inf or low <= Fraction(batch.high[row, place])


def test_the_models_own_temperature_is_used():
    model, words = copy_model("1/(4*n)"), all_words(4)
    own = run_soft_batch(model, words)
    assert np.array_equal(own.low, run_soft_batch(model, words, Fraction(1, 16)).low)


@pytest.mark.parametrize(
    ("words", "tau", "message"),
    [
        (np.array([[0, 2]]), ONE, "symbols must be indices in 0..1"),
        (np.zeros((2, 0), dtype=int), ONE, "words must be an integer array"),
        (np.zeros((2, 2)), ONE, "words must be an integer array"),
        (all_words(2), Fraction(-1), "temperature must be > 0"),
        (all_words(2), None, "has no temperature"),
    ],
)
def test_bad_input(words, tau, message):
    with pytest.raises(InputError, match=message):
        run_soft_batch(read_model((), (), {}), words, tau)
