"""Tasks run in processes that never outlive the main one: not an error, not Ctrl-C, not even its being killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from checker.errors import HardsoftError

T = TypeVar("T")


def in_processes(tasks: Sequence[Callable[[], T]], jobs: int) -> Iterator[tuple[int, T]]:
    """Run picklable tasks in `jobs` >= 2 processes; yields (number of the task, result) as they end.

    Tasks start in the order given. A task's exception is raised here, and a process that dies raises HardsoftError;
    then, and when the iterator is closed early, the processes are stopped.
    """
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), context, initializer=_end_with_parent)
    finished = False
    try:
        with _no_interrupts():
            futures = {pool.submit(task): number for number, task in enumerate(tasks)}
        for future in as_completed(futures):
            yield futures[future], future.result()
        finished = True
    except BrokenProcessPool:
        raise HardsoftError(
            "a process ended unexpectedly, perhaps for lack of memory; fewer --jobs need less"
        ) from None
    finally:
        if not finished:
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
        pool.shutdown(cancel_futures=True)


@contextmanager
def _no_interrupts() -> Iterator[None]:
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
