"""Tasks run in processes that never outlive the main one: not an error, not Ctrl-C, not even its being killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from checker.errors import HardsoftError

T = TypeVar("T")


class Pool:
    """Processes that are started as tasks come, at most `jobs` >= 1 of them."""

    def __init__(self, jobs: int) -> None:
        self._others = set(multiprocessing.active_children())
        context = multiprocessing.get_context("spawn")
        self._executor = ProcessPoolExecutor(jobs, context, initializer=_end_with_parent)

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Have a picklable call carried out; calls start in the order given."""
        with self.guarded(), no_interrupts():
            return self._executor.submit(function, *arguments)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """HardsoftError for a process that died."""
        try:
            yield
        except BrokenProcessPool:
            raise HardsoftError(
                "a process ended unexpectedly, perhaps for lack of memory; fewer --jobs need less"
            ) from None

    def close(self, at_once: bool) -> None:
        """End the processes: at once, or when they have finished what they run."""
        if at_once:
            for process in set(multiprocessing.active_children()) - self._others:
                process.terminate()
        self._executor.shutdown(cancel_futures=True)


@contextmanager
def no_interrupts() -> Iterator[None]:
    """Block Ctrl-C: processes started meanwhile inherit this, so that it reaches the main process alone."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """In a process: end when the main process ends, however it ends."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
