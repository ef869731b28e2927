"""What every benchmark shares: interleaved timing, ratios with their spread, memory high-water marks, tables, JSON."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "python-flint", "mpmath", "gmpy2", "distributed")


@dataclass(frozen=True)
class Timing:
    """Seconds per unit of work of each contestant, one number per round; rounds are interleaved."""

    seconds: Mapping[str, Sequence[float]]

    def median(self, name: str) -> float:
        """The median number of seconds per unit."""
        return statistics.median(self.seconds[name])

    def ratio(self, ours: str, theirs: str) -> tuple[float, float, float]:
        """Median, least and largest ratio of the seconds of neighbouring runs, ours over theirs."""
        ratios = [a / b for a, b in zip(self.seconds[ours], self.seconds[theirs], strict=True)]
        return statistics.median(ratios), min(ratios), max(ratios)


def interleaved(contestants: Mapping[str, Callable[[], int]], rounds: int, least: float = 0.05) -> Timing:
    """Time contestants in turn, `rounds` times; each call returns how many units it did, and is repeated for `least` s.

    A first call of each, which may compile and fill caches, is not counted.
    """
    for work in contestants.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            units, start = 0, time.perf_counter()
            while time.perf_counter() - start < least or not units:
                units += work()
            seconds[name].append((time.perf_counter() - start) / units)
    return Timing(seconds)


def peak(work: Callable[..., object], *arguments: object) -> float:
    """High-water mark of memory, in MiB, of a new process that does nothing else."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (work, arguments))


def _peak(work: Callable[..., object], arguments: Sequence[object]) -> float:
    work(*arguments)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def machine() -> dict[str, object]:
    """The facts that a measurement depends on."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        **{name: _version(name) for name in PACKAGES},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Text in columns: the first one to the left, the others to the right."""
    cells = [list(head), *[[_cell(value) for value in row] for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = []
    for row in cells:
        first, *others = (
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, tuple):
        middle, low, high = value
        return f"{_short(middle)} ({_short(low)}-{_short(high)})"
    return _short(value) if isinstance(value, float) else str(value)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def parser(description: str) -> argparse.ArgumentParser:
    """The options that all benchmarks have."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--rounds", type=int, default=5, help="interleaved rounds")
    made.add_argument("--json", help="also write the results to this file")
    return made


def report(options: argparse.Namespace, text: str, results: Mapping[str, Any]) -> None:
    """Print the table, and write the results with the machine's facts if asked to."""
    sys.stdout.write(text + "\n")
    if options.json:
        document = {"machine": machine(), **results}
        Path(options.json).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
