"""2,000 random formulas, half in each regime: the semantics, the exact hard run and the enclosed soft run agree.

Every formula is compared at all positions of all words of length 1 to 4, and of length 5 for every fourth formula; the
soft run, enclosed rigorously at the model's temperature, gives the logits 1/2 and -1/2 exactly.
"""

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from checker.compile.compiler import compile_formula
from checker.logic.formula import Kind, postorder
from checker.logic.sampling import random_formula
from checker.logic.semantics import evaluate, words_block
from checker.logic.text import parse_formula, to_text
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.softbatch import run_soft_batch

GROUPS, PER_GROUP = 20, 100
ALPHABET = ("a", "b")
HALF = Fraction(1, 2)


def formulas(group):
    """The formulas of a group: operators nested 1 to 6 deep."""
    rng = Random(1000 + group)
    return [random_formula(rng, ALPHABET, 1 + number % 6) for number in range(PER_GROUP)]


@pytest.mark.parametrize("group", range(GROUPS))
def test_three_ways_agree(group):
    regime = ("unbounded", "scaled")[group % 2]
    for number, formula in enumerate(formulas(group)):
        model = compile_formula(formula, ALPHABET, regime=regime, acceptance="last")
        assert parse_formula(model.origin["formula"]) is formula
        for n in range(1, 6 if number % 4 == 0 else 5):
            words = words_block(2, n, 0, 2**n)
            truth = evaluate(formula, words, ALPHABET)
            where = (to_text(formula), regime, n)
            logits = run_hard_batch(model, words).logits
            assert np.array_equal(2 * logits.numerators, np.where(truth, 1, -1) * logits.denominator), where
            soft = run_soft_batch(model, words)
            assert np.array_equal(soft.sign, np.where(truth, 1, -1)), where
            exact = np.where(truth, 0.5, -0.5)  # the clean-up leaves no error at all (D1)
            assert np.array_equal(soft.low, exact), where
            assert np.array_equal(soft.high, exact), where


def test_the_formulas_are_many_and_various():
    every = [formula for group in range(GROUPS) for formula in formulas(group)]
    kinds = Counter(node.kind for formula in every for node in postorder(formula))
    assert len(every) == 2000
    assert len(set(every)) > 1600
    assert min(kinds[kind] for kind in Kind) > 100
    depths = Counter(compile_formula(formula, ALPHABET, acceptance="last").origin["depth"] for formula in every[:400])
    assert sum(count for depth, count in depths.items() if depth >= 4) > 50
