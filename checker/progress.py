"""Progress bars on stderr, and only when stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Update = Callable[[int, int, str], None]
"""update(done, total, detail)"""


@contextmanager
def bar(what: str) -> Iterator[Update]:
    """A progress bar as a function update(done, total, detail); it draws nothing when stderr is not a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _done, _total, _detail: None
        return
    columns = (
        TextColumn(what),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} {task.fields[detail]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None, detail="")
        yield lambda done, total, detail: progress.update(task, completed=done, total=total, detail=detail)
