"""The driver of long runs: deals tasks out, keeps their results in a ledger, and hands them on in the order of tasks.

    with Work(Processes(2), Ledger(path, identity)) as work:
        for partial in work.results(tasks, decode):
            ...

What is handed on does not depend on the engine, on the order in which tasks end, or on what the ledger held before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TypeVar

from checker.errors import HardsoftError
from checker.work.engines import Engine, Serial
from checker.work.ledger import Ledger
from checker.work.plain import Data, FormError, parsed
from checker.work.tasks import SCORES, Task

T = TypeVar("T")
Told = Callable[[int, Task], None]
"""told(sum of the sizes of the tasks done, the task that was done last)."""


class Work:
    """An engine, and perhaps a ledger, for all runs of one command. scores: how large tasks are, about."""

    def __init__(self, engine: Engine | None = None, ledger: Ledger | None = None, *, scores: int = SCORES) -> None:
        self.engine: Engine = Serial() if engine is None else engine
        self.ledger = ledger
        self.scores = scores
        self._keys: set[str] = set()

    def __enter__(self) -> Work:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.engine.close()
        finally:
            if self.ledger is not None:
                self.ledger.close()

    def results(self, tasks: Iterable[Task], decode: Callable[[Data], T], told: Told | None = None) -> Iterator[T]:
        """The results of all tasks, decoded, in the order of the tasks; closing the iterator ends the run.

        Tasks are taken one after the other, as they are needed. An exception of a task is raised when it is its turn.
        """
        pending, ended = dict[int, Task](), dict[int, tuple[Task, str | Exception]]()
        turn = taken = size = 0
        source = iter(tasks)
        more = True

        def end(number: int, task: Task, outcome: str | Exception) -> None:
            nonlocal size
            ended[number] = (task, outcome)
            size += task.size
            if told is not None:
                told(size, task)

        try:
            while more or pending:
                while more and len(pending) < self.engine.window and turn not in ended:
                    task = next(source, None)
                    if task is None:
                        more = False
                        continue
                    known = self._kept(task)
                    if known is not None:
                        end(taken, task, known)
                    else:
                        pending[taken] = task
                        self.engine.submit(taken, task)
                    taken += 1
                if turn not in ended and pending:
                    number, outcome = self.engine.wait()
                    task = pending.pop(number)
                    if self.ledger is not None and task.kept and isinstance(outcome, str):
                        self.ledger.put(task.key, outcome)
                    end(number, task, outcome)
                while turn in ended:
                    task, outcome = ended.pop(turn)
                    turn += 1
                    yield self._decoded(task, outcome, decode)
        finally:
            if pending:
                self.engine.cancel()

    def _kept(self, task: Task) -> str | None:
        if self.ledger is None or not task.kept:
            return None
        if task.key in self._keys:
            raise HardsoftError(f"a ledger is for one run, and two tasks are called {task.key}: please report this")
        self._keys.add(task.key)
        return self.ledger.get(task.key)

    def _decoded(self, task: Task, outcome: str | Exception, decode: Callable[[Data], T]) -> T:
        if isinstance(outcome, Exception):
            raise outcome
        try:
            return decode(parsed(outcome))
        except FormError as error:
            if self.ledger is None:
                raise
            raise self.ledger.damaged(f"the result {task.key}: {error}") from None
