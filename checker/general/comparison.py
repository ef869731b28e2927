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
from checker.errors import InputError
from checker.exact import show
from checker.general.apriori import Target
from checker.logic.semantics import words_block
from checker.transformer.hardbatch import run_hard_batch
from checker.transformer.interval import interval
from checker.transformer.model import Transformer
from checker.transformer.number import Number
from checker.transformer.ranges import run_hard_range, run_soft_range
from checker.transformer.soft import run_soft
from checker.verdict import Verdict

MOST_WORDS = 2**20
"""More words than these are not run."""

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


class HardLogits:
    """The exact logits of all words of one length at the accepting position, as float64 enclosures and decisions."""

    def __init__(self, model: Transformer, n: int) -> None:
        if type(n) is not int or n < 1:
            raise InputError(f"the length must be an integer >= 1, got {show(n)}")
        total = len(model.alphabet) ** n
        if total > MOST_WORDS:
            raise InputError(f"{len(model.alphabet)}^{n} words of length {n} are too many to run")
        self.model, self.n, self.total = model, n, total
        self.column = 0 if model.output.position == "first" else n - 1
        low, high, accepted = [], [], []
        for start in range(0, total, _BLOCK):
            batch = run_hard_range(model, n, start, min(total, start + _BLOCK))
            logits = interval(batch.logits[:, self.column])
            low.append(logits.low)
            high.append(logits.high)
            accepted.append(batch.accepted)
        self.low, self.high = np.concatenate(low), np.concatenate(high)
        self.accepted: NDArray[np.bool_] = np.concatenate(accepted)

    def _blocks(self) -> Iterator[NDArray[np.integer]]:
        for start in range(0, self.total, _BLOCK):
            yield words_block(len(self.model.alphabet), self.n, start, min(self.total, start + _BLOCK))

    def blocks(self) -> Iterator[tuple[int, NDArray[np.integer]]]:
        """(index of the first word, words), in lexicographic order."""
        start = 0
        for words in self._blocks():
            yield start, words
            start += len(words)


def compare(
    model: Transformer,
    n: int,
    tau: Fraction,
    target: Target,
    *,
    logits: HardLogits | None = None,
    early: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Run all words of length n with softmax attention at tau > 0 against hard attention.

    The target decides what is wanted of every word: the same decision (strict), or an error of the logit <= its limit.
    logits: those of the model for n, if they are at hand. early: stop at the first block with a word that fails.
    Raises InputError for too many words, and as `run_soft` does.
    """
    hard = HardLogits(model, n) if logits is None else logits
    low, high = Fraction(0), Fraction(0)
    worst: Word = (0,) * n
    witness: Word | None = None
    undecided = done = 0
    unbounded = False
    for start, words in hard.blocks():
        block = _Block(hard, start, words, tau, target)
        if block.best[0] > low or start == 0:
            low, worst = max(low, block.best[0]), block.best[1]
        if block.high is None:
            unbounded = True
        else:
            high = max(high, block.high)
        undecided += block.undecided
        witness = block.witness if witness is None else witness
        done = start + len(words)
        if progress is not None:
            progress(done, hard.total)
        if witness is not None and early:
            break
    verdict = Verdict.FAILS if witness is not None else Verdict.UNDECIDED if undecided else Verdict.HOLDS
    return Comparison(n, tau, verdict, low, None if unbounded else high, worst, witness, undecided, done)


class _Block:
    """Some words: an upper bound of their errors, a word with a lower bound, one that fails, how many are undecided."""

    def __init__(self, hard: HardLogits, start: int, words: NDArray[np.integer], tau: Fraction, target: Target) -> None:
        rows = slice(start, start + len(words))
        soft = run_soft_range(hard.model, hard.n, start, start + len(words), tau)
        low, high = soft.low[:, hard.column].copy(), soft.high[:, hard.column].copy()
        sign = soft.sign[:, hard.column].copy()
        accepted = hard.accepted[rows]
        with np.errstate(invalid="ignore"):
            # |x' - x| for x' in low..high and x in the enclosure of the hard logit; differences rounded outward.
            # A difference of floats is rounded to 0 only if it is 0.
            most = np.maximum(high - hard.low[rows], hard.high[rows] - low)
            most = np.where(most == 0, 0, np.nextafter(most, np.inf))
            least = np.nextafter(np.maximum(low - hard.high[rows], hard.low[rows] - high), -np.inf)
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
