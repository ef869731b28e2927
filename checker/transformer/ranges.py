"""Runs of all words of one length in a range of the lexicographic order, sharing what words have in common."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from weakref import ref

import numpy as np

from checker.errors import InputError
from checker.exact import show
from checker.transformer.exactarray import ExactArray
from checker.transformer.hardbatch import HardBatch, hard_batch
from checker.transformer.interval import interval
from checker.transformer.model import Transformer
from checker.transformer.prefixhead import HardRun, SoftRun
from checker.transformer.prefixplan import Plan, plan
from checker.transformer.sharing import Block
from checker.transformer.soft import temperature_of
from checker.transformer.softbatch import SoftBatch

BLOCK = 1 << 18
"""About so many scores of one head are held at once."""


def run_hard_range(model: Transformer, n: int, start: int, stop: int) -> HardBatch:
    """The exact hard run of words number start..stop - 1 of length n >= 1: that of `run_hard_batch` on `words_block`.

    Raises InputError unless 0 <= start <= stop <= |alphabet|^n.
    """
    check_range(model, n, start, stop)
    known = plan_of(model)
    logits = []
    for block in blocks(known, n, start, stop):
        logit = HardRun(known, block).logits()
        assert isinstance(logit, ExactArray)
        logits.append(logit)
    return hard_batch(model, n, logits, ())


def run_soft_range(model: Transformer, n: int, start: int, stop: int, tau: Fraction | None = None) -> SoftBatch:
    """Enclosures for the same words at temperature tau (default: the model's own), as of `run_soft_batch`, unrefined.

    Raises InputError as `run_hard_range`, and as `run_soft` for the temperature.
    """
    check_range(model, n, start, stop)
    known, temperature = plan_of(model), temperature_of(model, n, tau)
    low, high = np.empty((stop - start, n)), np.empty((stop - start, n))
    for block in blocks(known, n, start, stop):
        logit = interval(SoftRun(known, block, temperature).logits())
        rows = slice(block.start - start, block.start - start + block.count)
        low[rows], high[rows] = logit.low, logit.high
    return SoftBatch(low, high, (low > 0).astype(np.int8) - (high <= 0))


_PLANS: dict[int, tuple[ref[Transformer], Plan]] = {}
"""The plan of the model that was run last."""


def plan_of(model: Transformer) -> Plan:
    """The plan for a model, kept for the next run of the same model."""
    known = _PLANS.get(id(model))
    if known is None or known[0]() is not model:
        _PLANS.clear()
        _PLANS[id(model)] = known = ref(model), plan(model)
    return known[1]


def check_range(model: Transformer, n: int, start: int, stop: int) -> None:
    """Raise InputError unless there are words number start..stop - 1 of length n >= 1."""
    k = len(model.alphabet)
    if type(n) is not int or n < 1 or not 0 <= start <= stop <= k**n:
        raise InputError(
            f"there is no range {show(start)}..{show(stop)} of the words of length {show(n)} over {k} symbols"
        )


def blocks(known: Plan, n: int, start: int, stop: int) -> Iterator[Block]:
    """The range cut at multiples of a power of the alphabet's size, so that words of a block share a long prefix."""
    k, positions = len(known.model.alphabet), known.model.positions(n)
    size, scores = 1, known.scores(n)
    while k > 1 and size * k * scores <= BLOCK and size < stop - start:
        size *= k
    while start < stop:
        end = min(stop, (start // size + 1) * size)
        yield Block(k, positions, n, start, end, whole_begin=known.whole_begin, whole_end=known.whole_end)
        start = end
