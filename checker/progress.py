"""Progress bars on stderr, and only when stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def bar(what: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """A progress bar as a function update(done, detail); it draws nothing when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _detail: None
        return
    columns = (
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.fields[detail]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, detail="")
        yield lambda done, detail: progress.update(task, completed=done, detail=detail)
