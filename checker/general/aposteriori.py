"""The temperatures at which a softmax transformer still decides like hard attention, by running all words.

Nothing is claimed about temperatures that were not run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from checker.general.apriori import Target
from checker.general.comparison import Comparison, compare
from checker.general.hardlogits import HardLogits
from checker.rounding import decimal_down
from checker.transformer.model import Transformer
from checker.verdict import Verdict
from checker.work.run import Work

__all__ = ["Bracket", "Comparison", "HardLogits", "compare", "largest"]

DIGITS = 5
RATIO = Fraction(65, 64)
STEPS = 60
"""The bracket of `largest` ends within this ratio; it goes up or down by at most so many factors of 2 before."""


@dataclass(frozen=True)
class Bracket:
    """works: a temperature at which all words meet the target, certified (None: none was found); fails: a larger one
    at which a word provably does not (None: none was found, up to 2^STEPS times the start)."""

    works: Comparison | None
    fails: Comparison | None

    @property
    def tight(self) -> bool:
        """Whether the two are within RATIO."""
        return self.works is not None and self.fails is not None and self.fails.tau <= self.works.tau * RATIO


def largest(
    model: Transformer,
    n: int,
    target: Target,
    start: Fraction,
    *,
    logits: HardLogits | None = None,
    progress: Callable[[Fraction], None] | None = None,
    work: Work | None = None,
    label: str = "",
) -> Bracket:
    """Bracket a temperature up to which softmax attention works, on all words of length n, from `start` > 0 on.

    Its ends are certified, and within the ratio 65/64 unless a run in between stays undecided. Between them, and
    elsewhere, nothing is claimed. progress: called with every temperature that is tried. work, label: as of `compare`.
    """
    hard = HardLogits(model, n) if logits is None else logits

    def run(tau: Fraction) -> Comparison:
        if progress is not None:
            progress(tau)
        return compare(model, n, tau, target, logits=hard, early=True, work=work, label=label)

    works, fails = None, None
    tau = _decimal(start)
    for _ in range(STEPS):
        found = run(tau)
        if found.verdict is Verdict.HOLDS:
            works = found
            if fails is not None:
                break
            tau = _decimal(2 * tau)
        else:
            if found.verdict is Verdict.FAILS:
                fails = found
            if works is not None:
                break
            tau = _decimal(tau / 2)
    while works is not None and fails is not None and fails.tau > works.tau * RATIO:
        found = run(_decimal((works.tau + fails.tau) / 2))
        if found.verdict is Verdict.HOLDS:
            works = found
        elif found.verdict is Verdict.FAILS:
            fails = found
        else:
            break
    return Bracket(works, fails)


def _decimal(x: Fraction) -> Fraction:
    return decimal_down(x, DIGITS).value
