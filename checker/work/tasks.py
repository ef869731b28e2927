"""What a task is: a module-level function, plain arguments, a key that says which task of the run it is."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from checker.work.plain import Data, canonical

T = TypeVar("T")

SCORES = 2**21
"""A task that runs words computes about so many scores of every head, which takes about a second."""


@dataclass(frozen=True)
class Task:
    """One task of a run.

    key: no other task of the run has it, and it is the same whenever and wherever the run is made. function: of a
    module, pure, returns plain data. arguments: picklable. size: what progress counts. label: what it shows. kept:
    whether a ledger keeps the result.
    """

    key: str
    function: Callable[..., Data]
    arguments: tuple[Any, ...]
    size: int = 1
    label: str = ""
    kept: bool = True

    def text(self) -> str:
        """Carry the task out; the canonical text of its result."""
        return canonical(self.function(*self.arguments))


class Shared(Generic[T]):
    """An argument of many tasks, such as a model: a process that gets it twice keeps one object of it."""

    def __init__(self, value: T) -> None:
        self.value = value
        self._pickled: bytes | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._pickled is None:
            self._pickled = pickle.dumps(self.value)
        return _shared, (self._pickled,)


@lru_cache(maxsize=8)
def _shared(pickled: bytes) -> Shared[Any]:
    # Pickled by the main process of this run, and sent as an argument of a task; never read from a file.
    return Shared(pickle.loads(pickled))


def words_of_task(n: int, scores: int = SCORES, multiple: int = 1) -> int:
    """How many words of length n >= 1 a task runs: a multiple of `multiple`, whose heads have about `scores` scores."""
    return max(1, scores // n**2 // multiple) * multiple


def ranges(total: int, size: int) -> Iterator[tuple[int, int]]:
    """The ranges (start, stop) of `size` numbers each, the last perhaps of fewer, that make up 0..total - 1."""
    return ((start, min(start + size, total)) for start in range(0, total, size))
