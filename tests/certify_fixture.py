"""Helpers of the tests of certificates: models from text, changes of single weights, and what certificates say."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from checker.certify.canonical import canonical
from checker.certify.ledger import Argument, ledger
from checker.certify.recognise import recognise
from checker.compile.compiler import compile_formula
from checker.logic.normal_semantics import evaluate_normal
from checker.logic.normalise import normal
from checker.logic.semantics import all_words
from checker.logic.text import parse_formula
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.softbatch import run_soft_batch


def model_of(text, alphabet="ab", regime="unbounded", **options):
    """The compiled model of a formula."""
    return compile_formula(parse_formula(text), tuple(alphabet), regime=regime, acceptance="last", **options)


def understood(model, tau0=None):
    """(argument, canonical formula or None, reason) of the recogniser and the ledger."""
    found = recognise(model)
    if tau0 is not None:
        found.scale = replace(found.scale, tau0=Fraction(tau0))
    judged = ledger(model, found)
    formula = None if found.formula is None else canonical(found.formula, model.alphabet)
    return judged.argument, formula, judged.reason


def claimed(text, alphabet="ab"):
    """The canonical form of a formula."""
    return canonical(normal(parse_formula(text)), tuple(alphabet))


def proves(model, text):
    """Whether the weights are proved to compute this formula."""
    argument, formula, _ = understood(model)
    return argument is Argument.PROVED and formula is claimed(text, model.alphabet)


def hard_answers(model, length):
    """The hard run's answers on all words of a length."""
    return run_hard_batch(model, all_words(len(model.alphabet), length)).logits.numerators > 0


def hard_agrees(model, formula, longest):
    """Whether the hard run computes this normal form on all words up to a length."""
    words = [all_words(len(model.alphabet), n) for n in range(1, longest + 1)]
    return all(
        np.array_equal(hard_answers(model, w.shape[1]), evaluate_normal(formula, w, model.alphabet)) for w in words
    )


def with_head(model, layer, number, **changes):
    """The model with fields of one head replaced."""
    heads = list(model.layers[layer].heads)
    heads[number] = replace(heads[number], **changes)
    return with_layer(model, layer, heads=tuple(heads))


def with_layer(model, layer, **changes):
    """The model with fields of one layer replaced."""
    layers = list(model.layers)
    layers[layer] = replace(layers[layer], **changes)
    return replace(model, layers=tuple(layers))


def with_unit(model, layer, part, number, **changes):
    """The model with fields of one hidden unit replaced."""
    parts = list(model.layers[layer].feed_forward)
    hidden = list(parts[part].hidden)
    hidden[number] = replace(hidden[number], **changes)
    parts[part] = replace(parts[part], hidden=tuple(hidden))
    return with_layer(model, layer, feed_forward=tuple(parts))


def with_positional(model, **changes):
    """The model with positional expressions replaced, given as name=expression."""
    return replace(model, positional={**model.positional, **changes})


def soft_agrees(model, formula, longest):
    """Whether the enclosed soft run is decided and computes this normal form on all words up to a length."""
    for n in range(1, longest + 1):
        words = all_words(len(model.alphabet), n)
        found = run_soft_batch(model, words)
        if not (
            found.decided.all() and np.array_equal(found.sign > 0, evaluate_normal(formula, words, model.alphabet))
        ):
            return False
    return True
