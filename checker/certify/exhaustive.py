"""Agreement of a formula, the exact hard run and the enclosed soft run on all short words, at every position."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.ball import ends
from checker.errors import InputError
from checker.exact import show
from checker.logic.formula import Formula
from checker.logic.semantics import evaluate, words_block
from checker.transformer.hard import run_hard
from checker.transformer.model import Transformer
from checker.transformer.ranges import run_hard_range, run_soft_range
from checker.transformer.soft import run_soft
from checker.verdict import Verdict
from checker.work import plain
from checker.work.plain import Data
from checker.work.run import Work
from checker.work.tasks import Shared, Task, ranges, words_of_task

MOST_WORDS = 10**12
"""A day of some 100 workers."""
BLOCK = 2**12
"""Words taken at once."""

Bits = NDArray[np.bool_]
Temperature = Callable[[int], Fraction] | None
"""The temperature as a function of the length; None: no soft run."""
Update = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Disagreement:
    """The first word, by length and then in the order of the alphabet, and its first position, on which they differ.

    word: the symbols. position: from 1. formula: its truth value (None: there was none to compare with). hard: the
    exact logit. soft: an enclosure of the logit at temperature tau; None when it was not run.
    """

    word: tuple[str, ...]
    position: int
    formula: bool | None
    hard: Fraction
    soft: tuple[Fraction, Fraction] | None
    tau: Fraction | None


@dataclass(frozen=True)
class Agreement:
    """What was compared, up to the first disagreement if there is one.

    lengths: the longest length looked at. undecided: words on which the sign of a soft logit stayed unknown.
    """

    words: int
    positions: int
    lengths: int
    soft: bool
    undecided: tuple[tuple[str, ...], ...]
    disagreement: Disagreement | None


def number_of_words(symbols: int, longest: int) -> int:
    """The number of words of length 1..longest; InputError when it exceeds MOST_WORDS."""
    if longest < 1:
        raise InputError(f"the greatest length must be at least 1, got {show(longest)}")
    total, n = longest if symbols == 1 else 0, 0
    while total <= MOST_WORDS and symbols > 1 and n < longest:
        n += 1
        total += symbols**n
    if total > MOST_WORDS:
        raise InputError(f"there are more than 10^12 words of length 1..{show(longest)} over {symbols} symbols")
    return total


def compare_all(
    model: Transformer,
    formula: Formula | None,
    longest: int,
    tau: Temperature,
    update: Update | None = None,
    work: Work | None = None,
) -> Agreement:
    """Compare on all words of length 1..longest, shortest first and in lexicographic order, at all positions.

    Stops at the first disagreement. Words whose soft logits have unknown signs are counted as undecided, after single
    runs at up to 4096 bits; they do not disagree. Memory is bounded: words are taken in blocks. work: who carries out
    the tasks, ranges of words (default: this process); what is found does not depend on it.
    """
    k, total = len(model.alphabet), number_of_words(len(model.alphabet), longest)
    work = Work() if work is None else work
    shared, words, positions = Shared((model, formula)), 0, 0
    undecided: list[tuple[str, ...]] = []

    def tasks() -> Iterator[Task]:
        for n in range(1, longest + 1):
            at = None if tau is None else tau(n)
            size = words_of_task(n, work.scores)
            for start, stop in ranges(k**n, size - size % BLOCK if size > BLOCK else size):
                key = f"length {n}, words {start}..{stop}"
                yield Task(key, compare_range, (shared, n, start, stop, at), stop - start, f"words, length {n}")

    told = None if update is None else lambda done, task: update(done, total, task.label)
    for part in work.results(tasks(), _part, told):
        words, positions = words + part.words, positions + part.words * part.n
        undecided += [tuple(model.alphabet[s] for s in word) for word in part.undecided]
        if part.wrong is not None:
            at = None if tau is None else tau(part.n)
            found = _describe(model, formula, np.array(part.wrong), at)
            return Agreement(words, positions, part.n, at is not None, tuple(undecided), found)
    return Agreement(words, positions, longest, tau is not None, tuple(undecided), None)


@dataclass(frozen=True)
class _Part:
    """What a range of the words of length n shows: how many were looked at, which stay undecided, the first wrong."""

    n: int
    words: int
    undecided: tuple[tuple[int, ...], ...]
    wrong: tuple[int, ...] | None


def compare_range(
    shared: Shared[tuple[Transformer, Formula | None]], n: int, start: int, stop: int, tau: Fraction | None
) -> Data:
    """Compare on the words number start..stop - 1 of length n, up to the first wrong one; a task, see `_Part`."""
    model, formula = shared.value
    done, undecided = 0, list[list[int]]()
    for first, last in ((first + start, last + start) for first, last in ranges(stop - start, BLOCK)):
        words = words_block(len(model.alphabet), n, first, last)
        wrong, unclear = _differences(model, formula, words, first, tau)
        undecided += [words[row].tolist() for row in unclear if wrong is None or row < wrong]
        if wrong is not None:
            return {"n": n, "words": done + wrong + 1, "undecided": undecided, "wrong": words[wrong].tolist()}
        done += len(words)
    return {"n": n, "words": done, "undecided": undecided, "wrong": None}


def _part(data: Data) -> _Part:
    n, words, undecided, wrong = plain.fields(data, ("n", "words", "undecided", "wrong"))
    return _Part(
        plain.natural(n), plain.natural(words), plain.items(undecided, plain.word), plain.optional(wrong, plain.word)
    )


def _differences(
    model: Transformer, formula: Formula | None, words: NDArray[Any], start: int, tau: Fraction | None
) -> tuple[int | None, list[int]]:
    """The first row on which the three differ, and the rows (up to there) that stay undecided.

    words: those number start, start + 1, .. of their length, in lexicographic order.
    """
    count, n = words.shape
    hard = run_hard_range(model, n, start, start + count).logits.numerators > 0
    expected = hard if formula is None else evaluate(formula, words, model.alphabet)
    different = (expected != hard).any(axis=1)
    if tau is None:
        return (int(different.argmax()) if different.any() else None), []
    soft = run_soft_range(model, n, start, start + count, tau)  # single runs below, up to the first disagreement
    different |= (soft.decided & ((soft.sign > 0) != expected)).any(axis=1)
    undecided: list[int] = []
    unclear = ~soft.decided.all(axis=1)
    for row in np.flatnonzero(unclear | different):
        if different[row]:
            return int(row), undecided
        verdicts = run_soft(model, [model.alphabet[s] for s in words[row]], tau).verdicts
        answers = [v if v is Verdict.UNDECIDED else v is Verdict.HOLDS for v in verdicts]
        if any(a is not Verdict.UNDECIDED and a != e for a, e in zip(answers, expected[row], strict=True)):
            return int(row), undecided
        if Verdict.UNDECIDED in verdicts:
            undecided.append(int(row))
    return None, undecided


def _describe(model: Transformer, formula: Formula | None, word: NDArray[Any], tau: Fraction | None) -> Disagreement:
    """The disagreement on one word, by single runs."""
    symbols = tuple(model.alphabet[s] for s in word)
    hard = run_hard(model, symbols).logits
    soft = None if tau is None else run_soft(model, symbols, tau)
    expected = None if formula is None else evaluate(formula, word[None, :], model.alphabet)[0]
    for place, logit in enumerate(hard):
        truth = logit > 0 if expected is None else bool(expected[place])
        verdict = Verdict.UNDECIDED if soft is None else soft.verdicts[place]
        if truth != (logit > 0) or (verdict is not Verdict.UNDECIDED and (verdict is Verdict.HOLDS) != truth):
            enclosure = None if soft is None else _ends(soft.logits[place])
            return Disagreement(symbols, place + 1, None if expected is None else truth, logit, enclosure, tau)
    raise AssertionError("the single runs do not confirm a disagreement found in bulk")


def _ends(x: Any) -> tuple[Fraction, Fraction]:
    return (x, x) if isinstance(x, Fraction) else ends(x)
