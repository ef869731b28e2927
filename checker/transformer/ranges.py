"""Runs of all words of one length in a range of the lexicographic order."""

from __future__ import annotations

from fractions import Fraction

from checker.logic.semantics import words_block
from checker.transformer.hardbatch import HardBatch, run_hard_batch
from checker.transformer.model import Transformer
from checker.transformer.softbatch import SoftBatch, run_soft_batch


def run_hard_range(model: Transformer, n: int, start: int, stop: int) -> HardBatch:
    """The exact hard run of words number start..stop - 1 of length n >= 1: that of `run_hard_batch` on `words_block`.

    Raises InputError unless 0 <= start <= stop <= |alphabet|^n, and for blocks of more than 2^31 bytes.
    """
    return run_hard_batch(model, words_block(len(model.alphabet), n, start, stop))


def run_soft_range(model: Transformer, n: int, start: int, stop: int, tau: Fraction | None = None) -> SoftBatch:
    """The enclosed softmax run of the same words at temperature tau (default: the model's own), nothing refined.

    Raises InputError as `run_hard_range`, and as `run_soft` for the temperature.
    """
    return run_soft_batch(model, words_block(len(model.alphabet), n, start, stop), tau, refine=False)
