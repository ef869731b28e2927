"""The rigorous softmax run of one word: against naive high-precision arithmetic, exact cases, total variations."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_fixture import DIRECTIONS, copy_model, naive_run, random_model

from checker.attention import Mask, Tie
from checker.ball import Ball, ball, endpoints, working
from checker.errors import InputError
from checker.position import parse
from checker.transformer import strategies
from checker.transformer.hard import run_hard
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit
from checker.transformer.number import combine, softmax, total_variation
from checker.transformer.soft import run_soft
from checker.verdict import Verdict

ONE, HALF = Fraction(1), Fraction(1, 2)


def ends(x):
    return (x, x) if isinstance(x, Fraction) else endpoints(x)


def assert_contains(run, reference, digits):
    """Each enclosure contains the reference up to the reference's own error, and no verdict contradicts it."""
    for logit, verdict, value in zip(run.logits, run.verdicts, reference, strict=True):
        sign, mantissa, exponent, _ = value._mpf_
        exact = Fraction((-1) ** int(sign) * int(mantissa)) * Fraction(2) ** int(exponent)
        slack = max(ONE, abs(exact)) / 10**digits
        low, high = ends(logit)
        assert low - slack <= exact <= high + slack
        assert verdict is not Verdict.HOLDS or exact > -slack
        assert verdict is not Verdict.FAILS or exact <= slack


@pytest.mark.parametrize("seed", range(8))
def test_random_models_agree_with_naive_arithmetic(seed):
    rng = np.random.default_rng(seed)
    balls = 0
    for _ in range(12):
        tau = Fraction(str(rng.choice(["1", "1/100", "1/1000000", "1000", "1/3"])))
        model = random_model(rng, int(rng.integers(1, 4)), int(rng.choice([1, 2, 20])))
        word = ["ab"[k] for k in rng.integers(0, 2, int(rng.integers(1, 7)))]
        run = run_soft(model, word, tau)
        assert_contains(run, naive_run(model, word, tau, 100), 50)
        balls += sum(not isinstance(logit, Fraction) for logit in run.logits)
    assert balls


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_drawn_models_agree_with_naive_arithmetic(data):
    model = data.draw(strategies.transformers(temperature=parse("1/2")))
    word = data.draw(strategies.words(model.alphabet, largest=4))
    try:
        run = run_soft(model, word)
    except InputError:  # a positional embedding that is undefined
        return
    assert_contains(run, naive_run(model, word, HALF, 100), 50)


@pytest.mark.parametrize("word", ["a", "ba", "abaab", "abbab" * 6])
def test_cleaned_bits_are_exact(word):
    run = run_soft(copy_model(), word, chosen=run_hard(copy_model(), word).chosen)
    expected = [HALF if i >= 2 and word[i - 2] == "a" else -HALF for i in range(len(word))]
    assert list(run.logits) == expected
    assert run.verdicts == tuple(Verdict.HOLDS if x > 0 else Verdict.FAILS for x in expected)
    assert run.accepted is run.verdicts[-1]
    for layer in run.layers:
        for x in layer.stream:
            assert all(isinstance(x[d], Fraction) for d in ("U", "V") if d in x)


@pytest.mark.parametrize("tau", ["1/4", "1", "1/100", "1/1000000"])
def test_total_variation_is_b1s(tau):
    """Scores 0, 1, .., i - 1 under a strict future mask: TV = q (1 - q^(m-1)) / (1 - q^m) (B1), to 10 digits."""
    model, word = copy_model(tau), "abab"
    run = run_soft(model, word, chosen=run_hard(model, word).chosen)
    queries = run.layers[0].heads[0].queries
    assert [len(query.visible) for query in queries] == [0, 1, 2, 3, 4, 5]
    assert queries[0].tv == queries[1].tv == 0
    for query in queries[2:]:
        m = len(query.visible)
        with working(200):
            q = (-1 / ball(Fraction(tau))).exp()
            exact = q * (1 - q ** (m - 1)) / (1 - q**m)
            assert query.tv.overlaps(exact)
            assert query.tv.rel_accuracy_bits() >= 40
            assert abs(query.tv / exact - 1) < 1e-10


def head_model(query, key, value, ties=Tie.AVERAGE, mask=Mask.NONE, before=(), weights=None, bias=-HALF):
    """One head over words in {a, b} without markers, after the layers `before`."""
    head = Head("h", query, key, value, mask, ties)
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


def test_equal_exact_scores_have_exact_weights():
    model = head_model((), (), {"u": {"a": ONE}}, mask=Mask.FUTURE)
    run = run_soft(model, "aab", Fraction(1, 7), chosen=run_hard(model, "aab").chosen)
    assert run.logits == (HALF, HALF, Fraction(2, 3) - HALF)
    assert [query.tv for query in run.layers[0].heads[0].queries] == [0, 0, 0]
    assert run.layers[0].heads[0].queries[2].weights == (Fraction(1, 3),) * 3


@pytest.mark.parametrize("ties", list(Tie))
def test_total_variation_with_ties(ties):
    """Scores 1, 1, 0: weights 1/(2 + q), 1/(2 + q), q/(2 + q)."""
    model = head_model(({"r": ONE},), ({"a": ONE},), {"u": {"a": ONE}}, ties)
    run = run_soft(model, "aab", ONE / 100, chosen=run_hard(model, "aab").chosen)
    with working(300):
        q = Ball(-100).exp()
        exact = q / (2 + q) if ties is Tie.AVERAGE else (1 + q) / (2 + q)
        for query in run.layers[0].heads[0].queries:
            assert query.tv.overlaps(exact)
            assert abs(query.tv / exact - 1) < 1e-10


def test_total_variation_of_a_perturbed_tie():
    """The scores of two hard maxima differ by a soft error of about e^-100: TV is enclosed to 10 digits."""
    error = Layer((Head("e", ({"r": ONE},), ({"a": ONE},), {"v": {"b": ONE}}, Mask.FUTURE, Tie.AVERAGE),), ())
    model = head_model(({"r": ONE},), ({"v": ONE, "a": ONE},), {"u": {"p": ONE}}, before=(error,))
    word, tau = "aba", ONE / 100
    run = run_soft(model, word, tau, chosen=run_hard(model, word).chosen)
    assert run.layers[1].heads[0].queries[0].tv.rel_accuracy_bits() >= 40
    with mpmath.workdps(200):
        e = mpmath.exp(-100)
        v = [0, e / (1 + e), e / (2 + e)]
        scores = [1 + v[0], v[1], 1 + v[2]]
        powers = [mpmath.exp(100 * s) for s in scores]
        p = [x / sum(powers) for x in powers]
        exact = (abs(p[0] - mpmath.mpf(1) / 2) + p[1] + abs(p[2] - mpmath.mpf(1) / 2)) / 2
        for query in run.layers[1].heads[0].queries:
            low, high = ends(query.tv)
            assert low <= Fraction(str(exact)) * (1 + Fraction(1, 10**100))
            assert Fraction(str(exact)) * (1 - Fraction(1, 10**100)) <= high
    assert run.precision > 128


def test_total_variation_is_half_the_l1_distance():
    rng = np.random.default_rng(3)
    with working(256):
        for _ in range(50):
            scores = [Fraction(int(s), 2) for s in rng.integers(-4, 5, int(rng.integers(2, 7)))]
            inexact = [ball(s) for s in scores]
            chosen = [j for j, s in enumerate(scores) if s == max(scores)]
            for given_scores in (scores, inexact):
                weights = softmax(given_scores, Fraction(1, 3), 256)
                hard = [Fraction(1, len(chosen)) if j in chosen else Fraction(0) for j in range(len(scores))]
                half = (
                    sum(
                        (
                            abs(ball(a) - p if isinstance(p, Ball) else ball(abs(a - p)))
                            for a, p in zip(hard, weights, strict=True)
                        ),
                        Ball(0),
                    )
                    / 2
                )
                tv = total_variation(weights, chosen)
                assert half.overlaps(tv if isinstance(tv, Ball) else ball(tv))


def test_a_zero_logit_is_undecided_unless_it_is_known_to_be_zero():
    """u = (e^s a-part) - 1/2 where two inexact scores agree only in value: no sign is invented."""
    known = head_model((), (), {"u": {"a": ONE}})
    assert run_soft(known, "ab", ONE).verdicts == (Verdict.FAILS, Verdict.FAILS)
    error = Layer((Head("e", ({"r": ONE},), ({"a": ONE},), {"v": {"p": ONE}}, Mask.NONE, Tie.AVERAGE),), ())
    model = head_model(({"r": ONE},), ({"v": ONE},), {"u": {"a": ONE}}, before=(error,))
    run = run_soft(model, "ab", ONE, maximum=512)
    assert run.verdicts == (Verdict.UNDECIDED, Verdict.UNDECIDED)
    assert run.accepted is Verdict.UNDECIDED
    assert run.precision == 512
    for logit in run.logits:
        assert logit.contains(Ball(0))


def test_precision_is_raised_until_the_sign_is_known():
    """The logit is e^-s - e^-s (1 - 10^-60) > 0, in a form whose cancellation 128 bits do not see."""
    tiny = Fraction(1, 10**60)
    model = head_model(
        ({"r": ONE},),
        ({"a": ONE},),
        {"u": {"a": ONE}, "v": {"a": ONE - tiny}},
        weights={"u": ONE, "v": -ONE},
        bias=Fraction(0),
    )
    run = run_soft(model, "ab", ONE)
    assert run.verdicts == (Verdict.HOLDS, Verdict.HOLDS)
    assert run.precision > 128
    assert run_soft(model, "ab", ONE, maximum=128).verdicts == (Verdict.UNDECIDED,) * 2


def test_a_mean_lies_in_the_range_of_the_values():
    """Weights known to 1/5, or not at all: what is read is between the values nevertheless, and exact if they agree."""
    with working(64):
        rough = [Ball(mid).union(Ball(mid + 0.4)) for mid in (0.7, -0.1)]
        unknown = [Ball(0) / Ball(0)] * 2
        for weights in (rough, unknown):
            for values in ([ONE, HALF], [ball(ONE), HALF]):
                mean = combine(weights, values)
                assert mean.contains(Ball(0.9))
                assert mean < Ball(1) + Ball(2) ** -20
                assert mean > Ball(0.5) - Ball(2) ** -20
            assert combine(weights, [HALF, HALF]) == HALF
            assert isinstance(combine(weights, [HALF, HALF]), Fraction)
    assert combine([], []) == 0


def test_only_the_accepting_logit_when_asked():
    model = copy_model()
    assert run_soft(model, "aba", accepting_only=True).accepted is Verdict.HOLDS


def test_huge_scores_and_tiny_temperatures():
    big = Fraction(10**9)
    model = head_model(({"p": big},), ({"p": big},), {"u": {"a": ONE}})
    run = run_soft(model, "ba", Fraction(1, 10**9), chosen=run_hard(model, "ba").chosen)
    assert run.verdicts == (Verdict.HOLDS, Verdict.HOLDS)
    tv = run.layers[0].heads[0].queries[0].tv
    with working(64):
        assert tv > 0
        assert tv < (Ball(-(10**20))).exp()
        assert tv.rel_accuracy_bits() >= 40


def test_a_constant_unit_and_the_residual():
    unit = Unit({}, Fraction(3))
    part = FeedForward((unit, Unit({"a": ONE}, Fraction(0))), {"u": {0: ONE}, "a": {1: -ONE}}, {"u": Fraction(1, 3)})
    model = head_model((), (), {}, before=(Layer((), (part,)),), weights={"u": ONE, "a": ONE})
    assert run_soft(model, "ab", ONE).logits == (Fraction(10, 3) - HALF,) * 2


@pytest.mark.parametrize(
    ("word", "tau", "message"),
    [
        ("", None, "the word is empty"),
        ("ac", ONE, "symbol 2 of the word is 'c'"),
        ("a", Fraction(0), "temperature must be > 0, got 0"),
        ("a", None, "has no temperature"),
    ],
)
def test_bad_input(word, tau, message):
    with pytest.raises(InputError, match=message):
        run_soft(head_model((), (), {}), word, tau)
