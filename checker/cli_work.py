"""The flags of long runs: --jobs, --ledger, --engine, --scheduler; and what happens when such a run is interrupted."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from checker.errors import InputError

if TYPE_CHECKING:
    from checker.work.engines import Engine
    from checker.work.run import Work

ENGINES = ("local", "dask")


def _option(flag: str, metavar: str, text: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=text)


_JOBS = "Processes, 1 to 1024, but never more than there are processors; auto or 0: that many. Left out: {}."
JobsOption = Annotated[str | None, _option("--jobs", "N|auto", _JOBS.format("1"))]
AllJobsOption = Annotated[str | None, _option("--jobs", "N|auto", _JOBS.format("auto"))]
LedgerOption = Annotated[
    str | None, _option("--ledger", "FILE", "Keep results in FILE; started again after any end, the run goes on there.")
]
EngineOption = Annotated[str, _option("--engine", "ENGINE", "local, or dask (extra cluster).")]
SchedulerOption = Annotated[
    str | None, _option("--scheduler", "ADDRESS", "For dask: tcp://HOST:PORT; left out: --jobs workers here.")
]


@dataclass(frozen=True)
class Flags:
    """The flags as they are written."""

    jobs: str | None
    ledger: str | None
    engine: str
    scheduler: str | None

    def processes(self, default: str = "1") -> int:
        """The number of processes; InputError for bad flags."""
        from checker.exact import exact_int, show
        from checker.work.engines import processors

        if self.engine not in ENGINES:
            raise InputError(f"--engine must be one of {', '.join(ENGINES)}, got {show(self.engine)}")
        if self.scheduler is not None and self.engine != "dask":
            raise InputError("--scheduler is for --engine dask")
        if self.scheduler is not None and self.jobs is not None:
            raise InputError("--jobs and --scheduler exclude each other: the workers are those of the scheduler")
        if self.ledger is not None and not self.ledger:
            raise InputError("--ledger: the name of the file is empty")
        wanted = default if self.jobs is None else self.jobs.strip()
        number = 0 if wanted == "auto" else exact_int(wanted, "--jobs")
        if not 0 <= number <= 1024:
            raise InputError(f"--jobs must be between 0 and 1024, got {show(number)}")
        return min(number or processors(), processors())

    @property
    def plain(self) -> bool:
        """Whether there is neither a ledger nor a cluster."""
        return self.ledger is None and self.engine == "local"


@contextmanager
def working(
    flags: Flags, command: str, about: Mapping[str, Any], parameters: Mapping[str, Any], default: str = "1"
) -> Iterator[Work]:
    """Who carries out the tasks of a command about these values, with these parameters. Raises InputError."""
    from checker.work import tasks
    from checker.work.identity import identity
    from checker.work.ledger import Ledger
    from checker.work.run import Work

    jobs = flags.processes(default)
    ledger = None
    if flags.ledger is not None:
        ledger = Ledger(flags.ledger, identity(command, about, {**parameters, "scores of a task": tasks.SCORES}))
    try:
        engine = _engine(flags, jobs)
    except BaseException:
        if ledger is not None:
            ledger.close()
        raise
    with Work(engine, ledger, scores=tasks.SCORES) as work:
        try:
            yield work
        except KeyboardInterrupt:
            if ledger is not None and sys.stderr is not None:
                sys.stderr.write(
                    f"hardsoft: {len(ledger)} results are kept in {flags.ledger}; the same command goes on from there\n"
                )
            raise


def _engine(flags: Flags, jobs: int) -> Engine:
    from checker.work.engines import Processes, Serial

    if flags.engine == "dask":
        from checker.work.clusters import Cluster

        return Cluster(flags.scheduler, jobs)
    return Processes(jobs) if jobs > 1 else Serial()
