"""All words of one length with softmax attention against hard attention: the true error, and which decisions agree.

Everything is enclosed: float64 intervals for all words at once, Arb for those whose decision they leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker.ball import endpoints
from checker.general.apriori import Target
from checker.general.hardlogits import HardLogits
from checker.logic.semantics import words_block
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.model import Transformer
from checker.transformer.number import Number
from checker.transformer.ranges import run_soft_range
from checker.transformer.soft import run_soft
from checker.verdict import Verdict
from checker.work import plain
from checker.work.plain import Data, of_fraction, of_optional
from checker.work.run import Work
from checker.work.tasks import Shared, Task, ranges, words_of_task

_BLOCK = 2**12
_MAXIMUM = 2048
_PATIENCE = 8
"""Bits for one word; after so many undecided words of a block, the others that are open count as undecided."""

Word = tuple[int, ...]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Comparison:
    """All words of length n at the temperature tau.

    verdict: HOLDS if every word meets the target, FAILS if `witness` does not, else UNDECIDED (for `undecided` words).
    low, high: enclosure of the largest error of the logit at the accepting position, of the words that were run; worst:
    a word with error >= low. words: how many were run (fewer than all only for FAILS).
    """

    n: int
    tau: Fraction
    verdict: Verdict
    low: Fraction
    high: Fraction | None
    worst: Word
    witness: Word | None
    undecided: int
    words: int


def compare(
    model: Transformer,
    n: int,
    tau: Fraction,
    target: Target,
    *,
    logits: HardLogits | None = None,
    early: bool = False,
    progress: Progress | None = None,
    work: Work | None = None,
    label: str = "",
) -> Comparison:
    """Run all words of length n with softmax attention at tau > 0 against hard attention.

    The target decides what is wanted of every word: the same decision (strict), or an error of the logit <= its limit.
    logits: those of the model for n, if they are at hand. early: stop at the first block with a word that fails. work,
    label: as of checker.general.gaps.measure. Raises InputError for too many words, and as `run_soft` does.
    """
    hard = HardLogits(model, n) if logits is None else logits
    work, shared = Work() if work is None else work, hard.shared

    def tasks() -> Iterator[Task]:
        for start, stop in ranges(hard.total, words_of_task(n, work.scores, _BLOCK)):
            wanted = f"{'decisions' if target.strict else of_fraction(target.limit)}{', to the first' if early else ''}"
            key = f"{label}softmax at {of_fraction(tau)}, {wanted}, length {n}, words {start}..{stop}"
            yield Task(key, compare_range, (shared, start, stop, tau, target, early), stop - start)

    told = None if progress is None else lambda done, _task: progress(done, hard.total)
    found: Comparison | None = None
    for part in work.results(tasks(), lambda data: _decode(data, n, tau), told):
        found = part if found is None else _merge(found, part)
        if early and found.witness is not None:
            break
    assert found is not None
    return found


def compare_range(
    shared: Shared[HardLogits], start: int, stop: int, tau: Fraction, target: Target, early: bool
) -> Data:
    """Compare on the words number start..stop - 1, block by block (early: up to one with a word that fails); a task."""
    hard = shared.value
    found: Comparison | None = None
    for first, last in ((start + first, start + last) for first, last in ranges(stop - start, _BLOCK)):
        words = words_block(len(hard.model.alphabet), hard.n, first, last)
        block = _Block(hard, first, words, tau, target)
        part = Comparison(
            hard.n, tau, _verdict(block.witness, block.undecided), block.best[0], block.high, block.best[1],
            block.witness, block.undecided, len(words),
        )  # fmt: skip
        found = part if found is None else _merge(found, part)
        if early and found.witness is not None:
            break
    assert found is not None
    return {
        "low": of_fraction(found.low),
        "high": of_optional(of_fraction, found.high),
        "worst": list(found.worst),
        "witness": of_optional(list, found.witness),
        "undecided": found.undecided,
        "words": found.words,
    }


def _decode(data: Data, n: int, tau: Fraction) -> Comparison:
    low, high, worst, witness, undecided, words = plain.fields(
        data, ("low", "high", "worst", "witness", "undecided", "words")
    )
    failing, unclear = plain.optional(witness, plain.word), plain.natural(undecided)
    largest = plain.optional(high, plain.fraction)
    return Comparison(
        n, tau, _verdict(failing, unclear), plain.fraction(low), largest, plain.word(worst), failing, unclear,
        plain.natural(words),
    )  # fmt: skip


def _merge(first: Comparison, second: Comparison) -> Comparison:
    """Two ranges as one, of which the words of the first come first."""
    witness = second.witness if first.witness is None else first.witness
    undecided = first.undecided + second.undecided
    worse = second if second.low > first.low else first
    high = None if first.high is None or second.high is None else max(first.high, second.high)
    return Comparison(
        first.n, first.tau, _verdict(witness, undecided), worse.low, high, worse.worst, witness, undecided,
        first.words + second.words,
    )  # fmt: skip


def _verdict(witness: Word | None, undecided: int) -> Verdict:
    return Verdict.FAILS if witness is not None else Verdict.UNDECIDED if undecided else Verdict.HOLDS


class _Block:
    """Some words: an upper bound of their errors, a word with a lower bound, one that fails, how many are undecided."""

    def __init__(self, hard: HardLogits, start: int, words: NDArray[np.integer], tau: Fraction, target: Target) -> None:
        exact_low, exact_high, accepted = hard.block(start, start + len(words))
        soft = run_soft_range(hard.model, hard.n, start, start + len(words), tau)
        low, high = soft.low[:, hard.column].copy(), soft.high[:, hard.column].copy()
        sign = soft.sign[:, hard.column].copy()
        with np.errstate(invalid="ignore"):
            # |x' - x| for x' in low..high and x in the enclosure of the hard logit; differences rounded outward.
            # A difference of floats is rounded to 0 only if it is 0.
            most = np.maximum(high - exact_low, exact_high - low)
            most = np.where(most == 0, 0, np.nextafter(most, np.inf))
            least = np.nextafter(np.maximum(low - exact_high, exact_low - high), -np.inf)
        most = np.where(np.isnan(most), np.inf, np.maximum(most, 0))
        least = np.where(np.isnan(least), 0, np.maximum(least, 0))
        if target.strict:
            good, bad = (sign == 1) == accepted, (sign != 0) & ((sign == 1) != accepted)
            good &= sign != 0
        else:
            limit = _below(target.limit), _above(target.limit)
            good, bad = most <= limit[0], least > limit[1]
        self.witness: Word | None = _word(words, int(np.flatnonzero(bad)[0])) if bad.any() else None
        self.undecided = 0
        self.best = (Fraction(0), _word(words, 0))
        # The words left open, and one with a large error, are run with Arb.
        extra = (int(most.argmax()), int(least.argmax()))
        for row in dict.fromkeys((*np.flatnonzero(~(good | bad)).tolist(), *extra)):
            if self.undecided >= _PATIENCE:
                self.undecided += not (good[row] | bad[row])
                continue
            verdict, (lower, upper) = _single(hard, words[row], bool(accepted[row]), tau, target)
            if verdict is Verdict.FAILS and self.witness is None:
                self.witness = _word(words, int(row))
            if not (good[row] | bad[row]):
                self.undecided += verdict is Verdict.UNDECIDED
            if lower >= self.best[0]:
                self.best = (lower, _word(words, int(row)))
            if upper is not None:
                most[row] = min(most[row], _above(upper))
        largest_error = float(most.max())
        self.high = Fraction(largest_error) if np.isfinite(largest_error) else None


def _single(
    hard: HardLogits, word: NDArray[np.integer], accepted: bool, tau: Fraction, target: Target
) -> tuple[Verdict, tuple[Fraction, Fraction | None]]:
    """Whether one word meets the target, and an enclosure of its error, with Arb."""
    symbols = [hard.model.alphabet[symbol] for symbol in word]
    exact = run_hard_batch(hard.model, word[None, :]).logits.at(0, hard.column)
    precision = 128
    while True:
        run = run_soft(hard.model, symbols, tau, precision=precision, accepting_only=True, maximum=_MAXIMUM)
        logit = run.logits[hard.column]
        error = _error(logit, exact)
        if target.strict:
            wanted = Verdict.HOLDS if accepted else Verdict.FAILS
            if run.accepted is Verdict.UNDECIDED:
                return Verdict.UNDECIDED, error
            return (Verdict.HOLDS if run.accepted is wanted else Verdict.FAILS), error
        if error[1] is not None and error[1] <= target.limit:
            return Verdict.HOLDS, error
        if error[0] > target.limit:
            return Verdict.FAILS, error
        if precision >= _MAXIMUM:
            return Verdict.UNDECIDED, error
        precision *= 2


def _error(logit: Number, exact: Fraction) -> tuple[Fraction, Fraction | None]:
    if isinstance(logit, Fraction):
        return abs(logit - exact), abs(logit - exact)
    if not logit.is_finite():
        return Fraction(0), None
    low, high = endpoints(logit)
    return max(low - exact, exact - high, Fraction(0)), max(high - exact, exact - low)


def _word(words: NDArray[np.integer], row: int) -> Word:
    return tuple(int(symbol) for symbol in words[row])


def _below(x: Fraction) -> float:
    nearest = float(x)
    return nearest if Fraction(nearest) <= x else float(np.nextafter(nearest, -np.inf))


def _above(x: Fraction) -> float:
    nearest = float(x)
    return nearest if Fraction(nearest) >= x else float(np.nextafter(nearest, np.inf))
