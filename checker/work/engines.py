"""Who carries tasks out: this process, or several; a cluster is in checker.work.clusters.

The driver submits tasks by number and waits for any of them to end; how they are dealt out shows in nothing but time.
"""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Protocol

from checker.processes import Pool
from checker.work.tasks import Task

Ended = tuple[int, str | Exception]
"""The number of a task that ended, and the text of its result or its exception."""


class Engine(Protocol):
    """Something that carries tasks out."""

    @property
    def window(self) -> int:
        """How many tasks to hold at once."""

    @property
    def here(self) -> bool:
        """Whether tasks are carried out in this process."""

    def submit(self, number: int, task: Task) -> None:
        """Take a task."""

    def wait(self) -> Ended:
        """Wait until one of the tasks taken ends; HardsoftError if that cannot be."""

    def cancel(self) -> None:
        """Forget all tasks taken."""

    def close(self) -> None:
        """Stop at once; nothing is left running."""


class Serial:
    """Tasks one after the other, in this process."""

    window, here = 1, True

    def __init__(self) -> None:
        self._tasks: list[tuple[int, Task]] = []

    def submit(self, number: int, task: Task) -> None:
        """Take a task."""
        self._tasks.append((number, task))

    def wait(self) -> Ended:
        """Carry the first task out."""
        number, task = self._tasks.pop(0)
        return number, outcome(task)

    def cancel(self) -> None:
        """Forget all tasks."""
        self._tasks.clear()

    def close(self) -> None:
        """Forget all tasks."""
        self._tasks.clear()


class Processes:
    """Tasks in `jobs` >= 1 processes, which end with this one however it ends."""

    here = False

    def __init__(self, jobs: int) -> None:
        self._pool = Pool(jobs)
        self._numbers: dict[Future[str | Exception], int] = {}
        self._left: set[Future[str | Exception]] = set()
        self.window = 2 * jobs

    def submit(self, number: int, task: Task) -> None:
        """Take a task."""
        self._numbers[self._pool.submit(outcome, task)] = number

    def wait(self) -> Ended:
        """Wait until a task ends; HardsoftError when a process died."""
        with self._pool.guarded():
            done, _ = wait(self._numbers, return_when=FIRST_COMPLETED)
            future = min(done, key=self._numbers.__getitem__)
            return self._numbers.pop(future), future.result()

    def cancel(self) -> None:
        """Forget all tasks; they go on, for a second or so, and nobody waits for them.

        They are not cancelled: the executor of Python 3.11 fails on cancelled ones when its processes are stopped.
        """
        self._left = {future for future in (*self._left, *self._numbers) if not future.done()}
        self._numbers.clear()

    def close(self) -> None:
        """Stop the processes."""
        self.cancel()
        self._pool.close(at_once=any(not future.done() for future in self._left))


def outcome(task: Task) -> str | Exception:
    """The text of the result of a task, or the exception that it raised."""
    try:
        return task.text()
    except Exception as error:
        return error


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
