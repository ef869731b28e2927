"""Tasks on a dask cluster: that of a scheduler's address, or processes of this machine (extra `cluster`).

Results come back as tasks end. A worker that dies loses nothing: its tasks are run again by others. dask sends tasks as
pickles, so a scheduler and its workers must be trusted, and so must the network between.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from checker.errors import HardsoftError, InputError
from checker.processes import no_interrupts
from checker.work.engines import Ended, outcome
from checker.work.identity import code
from checker.work.tasks import Task

DEATHS = 30
"""A task during which so many times three workers died is given up."""

_JOINING = 30
_COUNTED = 5.0
"""Seconds: how long to wait for a scheduler and a first worker, and how often to count the workers."""


class Cluster:
    """Tasks on the workers of a scheduler, or (scheduler None) in `jobs` >= 1 processes of this machine."""

    here = False

    def __init__(self, scheduler: str | None = None, jobs: int = 1) -> None:
        """Start or join it; InputError if dask is not installed, or nobody answers."""
        self._dask = _distributed()
        self._cluster: Any = None
        # Started now: whoever starts it lets Ctrl-C through again, and processes started after that would die of it.
        resource_tracker.ensure_running()
        try:
            with no_interrupts():
                self._client = self._start(scheduler, jobs)
        except BaseException:
            if self._cluster is not None:
                self._cluster.close()
            raise
        self._run = f"hardsoft-{os.getpid()}-{time.time_ns()}"
        self._futures: dict[Any, tuple[int, Task, int]] = {}
        self._ending = self._dask.as_completed(loop=self._client.loop)
        self._started, self._counted, self._threads = 0, 0.0, 1

    def _start(self, scheduler: str | None, jobs: int) -> Any:
        if scheduler is None:
            self._cluster = self._dask.LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        client = None
        try:
            client = self._dask.Client(self._cluster or scheduler, timeout=_JOINING, set_as_default=False)
            client.wait_for_workers(1, timeout=_JOINING)
            return client
        except TimeoutError:
            if client is not None:
                client.close()
            raise InputError(f"--scheduler: no scheduler with a worker answers at {scheduler}; start both") from None
        except (OSError, ValueError, TypeError) as error:
            says = " ".join(str(error).split())[:80]
            raise InputError(f"--scheduler: {scheduler} cannot be reached ({says}); write tcp://HOST:PORT") from None

    @property
    def window(self) -> int:
        """Twice as many tasks as there are threads."""
        if time.monotonic() - self._counted > _COUNTED:
            with self._clear():
                self._threads = sum(self._client.nthreads().values())
            self._counted = time.monotonic()
        return 2 * self._threads + 2

    def submit(self, number: int, task: Task, deaths: int = 0) -> None:
        """Take a task."""
        self._started += 1
        with self._clear():
            future = self._client.submit(
                on_worker, task, dict(code()), key=f"{self._run}-{self._started}", pure=False, priority=-number
            )
        self._futures[future] = number, task, deaths
        self._ending.add(future)

    def wait(self) -> Ended:
        """Wait until a task ends; HardsoftError when the scheduler is gone."""
        while True:
            with self._clear():
                future = next(self._ending)
                while future not in self._futures:  # of a run that was ended early
                    future = next(self._ending)
                number, task, deaths = self._futures.pop(future)
                error = future.exception()
                if error is None:
                    return number, future.result()
            if not isinstance(error, self._dask.KilledWorker):
                raise HardsoftError(f"a task failed on a worker: {type(error).__name__}: {error}") from None
            if deaths == DEATHS:
                raise HardsoftError(f"workers die whenever they run the task {task.key}, perhaps for lack of memory")
            self.submit(number, task, deaths + 1)

    def cancel(self) -> None:
        """Forget all tasks."""
        futures = list(self._futures)
        self._futures.clear()
        if futures:
            with self._clear():
                self._client.cancel(futures, force=True)
            self._ending = self._dask.as_completed(loop=self._client.loop)

    def close(self) -> None:
        """Leave the cluster, and stop it if it was started here."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    @contextmanager
    def _clear(self) -> Iterator[None]:
        """What dask raises when it has lost the scheduler, as one line."""
        try:
            yield
        except (OSError, TimeoutError, RuntimeError, self._dask.CancelledError, self._dask.CommClosedError) as error:
            raise HardsoftError(
                f"the dask scheduler is gone ({type(error).__name__}); what a ledger holds is kept"
            ) from None


def on_worker(task: Task, wanted: dict[str, str]) -> str | Exception:
    """Carry a task out on a worker, if that runs the same program as the main process."""
    here = code()
    for name, value in wanted.items():
        if here[name] != value:
            return InputError(
                f"a worker runs another program: {name} is {here[name][:40]} there and {value[:40]} here; install the "
                "same versions"
            )
    return outcome(task)


class _Names:
    """What is used of dask."""

    def __init__(self) -> None:
        import dask
        import distributed
        from distributed.client import CancelledError
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        dask.config.set({"distributed.worker.daemon": True})
        self.Client, self.LocalCluster, self.as_completed = (
            distributed.Client, distributed.LocalCluster, distributed.as_completed,
        )  # fmt: skip
        self.CancelledError, self.CommClosedError, self.KilledWorker = CancelledError, CommClosedError, KilledWorker


def _distributed() -> _Names:
    try:
        return _Names()
    except ImportError as error:
        raise InputError(
            f'--engine dask needs the extra "cluster" ({error.name} is missing): pip install "hardsoft[cluster]"'
        ) from None
