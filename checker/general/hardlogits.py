"""The exact logits of all words of one length at the accepting position, run as they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker.errors import InputError
from checker.exact import show
from checker.transformer.interval import interval
from checker.transformer.model import Transformer
from checker.transformer.ranges import run_hard_range
from checker.work.tasks import Shared

MOST_WORDS = 2**20
"""More words than these are not run."""

Floats = NDArray[np.float64]


class HardLogits:
    """The exact logits of all words of one length at the accepting position, as float64 enclosures and decisions.

    They are run when they are asked for. A process that gets a `shared` one runs its own.
    """

    def __init__(self, model: Transformer, n: int) -> None:
        if type(n) is not int or n < 1:
            raise InputError(f"the length must be an integer >= 1, got {show(n)}")
        total = len(model.alphabet) ** n
        if total > MOST_WORDS:
            raise InputError(f"{len(model.alphabet)}^{n} words of length {n} are too many to run")
        self.model, self.n, self.total = model, n, total
        self.shared = Shared(self)
        self.column = 0 if model.output.position == "first" else n - 1
        self._blocks: dict[tuple[int, int], tuple[Floats, Floats, NDArray[np.bool_]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return HardLogits, (self.model, self.n)

    def block(self, start: int, stop: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Lower and upper ends, and which are > 0, of the words number start..stop - 1; they are kept."""
        if (start, stop) not in self._blocks:
            batch = run_hard_range(self.model, self.n, start, stop)
            logits = interval(batch.logits[:, self.column])
            self._blocks[start, stop] = logits.low, logits.high, batch.accepted
        return self._blocks[start, stop]
