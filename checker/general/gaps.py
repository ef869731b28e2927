"""Exact facts of a hard-attention run over all words of one length: gaps, magnitudes, ranges of values, margin.

They are what the bounds of section E need: the least gap of every head, how large its queries, keys and values get,
what the feed-forward parts are applied to, and how far the logits stay from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from checker.errors import InputError
from checker.exact import show
from checker.general.collect import Collector
from checker.general.factdata import decoder, encode, merge
from checker.general.facts import Arguments, HeadFacts, LayerFacts, Measured
from checker.logic.semantics import words_block
from checker.transformer.model import Transformer
from checker.work.plain import Data
from checker.work.run import Work
from checker.work.tasks import Shared, Task, ranges, words_of_task

__all__ = ["Arguments", "HeadFacts", "LayerFacts", "Measured", "measure"]

MOST_WORDS = 2**26
"""More words than these are not enumerated; a sample is."""

MOST_ARGUMENTS = 256
"""More different arguments of a piecewise-linear function than these are kept as their least and largest only."""

MOST_POSITIONS = 2000
"""Longer words are not run: the scores of one of them would take too much memory."""

_BLOCK = 2**15
"""More words than these are not run in one task."""

Progress = Callable[[int, int], None]


def measure(
    model: Transformer,
    n: int,
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    work: Work | None = None,
    label: str = "",
) -> Measured:
    """The facts of the hard run on all words of length n >= 1, or on `sample` random words (with repetitions).

    progress: called with the words done and their number. work: who runs the tasks, blocks of words (default: this
    process); label: tells apart the tasks of several models in one ledger. Raises InputError when there are too many
    words to enumerate (more than MOST_WORDS) and no sample is asked for, or they are longer than MOST_POSITIONS.
    """
    if type(n) is not int or not 1 <= n <= MOST_POSITIONS:
        raise InputError(f"the length must be an integer in 1..{MOST_POSITIONS}, got {show(n)}")
    k = len(model.alphabet)
    if sample is None and k**n > MOST_WORDS:
        raise InputError(
            f"{k}^{n} words of length {n} are too many to run all; measure a sample, or declare gap, bound and margin"
        )
    if sample is not None and (type(sample) is not int or sample < 1):
        raise InputError(f"a sample has at least 1 word, got {show(sample)}")
    if type(seed) is not int or seed < 0:
        raise InputError(f"the seed must be an integer >= 0, got {show(seed)}")
    total = k**n if sample is None else sample
    work, shared = Work() if work is None else work, Shared(model)
    size = min(_BLOCK, words_of_task(n, work.scores))

    def tasks() -> Iterator[Task]:
        rng = np.random.default_rng([seed, n])
        for start, stop in ranges(total, size):
            words = None if sample is None else rng.integers(0, k, size=(stop - start, n))
            key = f"{label}gaps, length {n}, {'words' if sample is None else 'sampled words'} {start}..{stop}"
            yield Task(key, measure_block, (shared, n, start, stop, words, MOST_ARGUMENTS), stop - start)

    told = None if progress is None else lambda done, _task: progress(done, total)
    found: Measured | None = None
    for part in work.results(tasks(), decoder(model, n), told):
        found = part if found is None else merge(found, part, MOST_ARGUMENTS)
    assert found is not None
    return replace(found, complete=sample is None, seed=None if sample is None else seed)


def measure_block(
    shared: Shared[Transformer], n: int, start: int, stop: int, words: NDArray[np.integer] | None, most: int
) -> Data:
    """The facts of the words number start..stop - 1 of length n, or of these words; a task, see `factdata`.

    most: so many arguments of a piecewise-linear function are listed.
    """
    collector = Collector(shared.value, n, most)
    if words is None:
        collector.add(words_block(len(shared.value.alphabet), n, start, stop), start)
    else:
        collector.add(words, None)
    return encode(collector.result())
