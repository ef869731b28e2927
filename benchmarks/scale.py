"""What certification costs per word as length, alphabet and depth grow, and what a cluster reaches in a day.

    python -m benchmarks.scale [--seconds 0.5] [--json FILE]

Each number is the time of the three-way comparison (formula, exact hard run, enclosed softmax run, all positions) on
ranges of consecutive words in the middle of all words of a length, on one core. A day of a cluster is arithmetic from
these, with so many workers that do nothing else; what the driver adds per task is measured, too.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from benchmarks.certification import FORMULAS
from benchmarks.measure import parser, report, table
from checker.certify.exhaustive import compare_all, compare_range
from checker.compile.compiler import compile_formula
from checker.logic.formula import Formula
from checker.logic.text import parse_formula
from checker.transformer.model import Transformer
from checker.work.engines import Processes, processors
from checker.work.identity import Identity
from checker.work.ledger import Ledger
from checker.work.run import Work
from checker.work.tasks import Shared, Task, words_of_task

LENGTHS = (8, 12, 16, 20, 24, 32)
LETTERS = "abcdefgh"
WORKERS, DAY = 100, 86400
NESTED = ("a S b", "a S (b & Y (a S b))", "a S (b & Y (a S (b & Y (a S b))))")
COMPARED = ("#<-[a] > #<-[b]", "#<-[a] > #<-[b] & #<-[a] < 2*#<-[b]")


def per_word(formula: Formula, model: Transformer, n: int, seconds: float) -> float:
    """Seconds per word of length n, tasks of the usual size being repeated for so many seconds."""
    k, shared = len(model.alphabet), Shared((model, formula))
    tau: Fraction = model.temperature.at(0, n)
    size = min(words_of_task(n), k**n)
    start = (k**n - size) // 2
    compare_range(shared, n, start, start + size, tau)
    begin, words = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds or not words:
        found = compare_range(shared, n, start, start + size, tau)
        assert isinstance(found, dict)
        if found["wrong"] is not None or found["undecided"]:
            raise RuntimeError(f"{model.name}: the comparison did not go through")
        words += size
    return (time.perf_counter() - begin) / words


def compiled(text: str, letters: str) -> tuple[Formula, Transformer]:
    """A formula and its model."""
    formula = parse_formula(text)
    return formula, compile_formula(formula, tuple(letters))


def longest(cost: Callable[[int], float], k: int, seconds: float) -> int:
    """The greatest length up to which all words fit into so many seconds of one core."""
    n, used = 0, 0.0
    while (used := used + k ** (n + 1) * cost(n + 1)) <= seconds:
        n += 1
    return n


def between(found: dict[int, float]) -> Callable[[int], float]:
    """The cost at a length that was not measured: that of the next one that was (of the last one: growing as n^2)."""
    last = max(found)

    def cost(n: int) -> float:
        known = next((length for length in sorted(found) if length >= n), None)
        return found[known] if known is not None else found[last] * (n / last) ** 2

    return cost


def nothing(number: int) -> int:
    """A task that does nothing."""
    return number


def per_task(tasks: int = 2000) -> float:
    """Seconds that the driver adds to a task, with a ledger."""
    identity = Identity("benchmark", {})
    with tempfile.TemporaryDirectory() as folder, Work(None, Ledger(Path(folder) / "ledger", identity)) as work:
        begin = time.perf_counter()
        for _ in work.results((Task(str(j), nothing, (j,)) for j in range(tasks)), int):
            pass
        return (time.perf_counter() - begin) / tasks


def speed_up() -> float:
    """The time of one process over that of all processors, for the same certification."""
    formula, model = compiled("a S b", "ab")
    tau = model.temperature
    times = []
    for jobs in (1, processors()):
        with Work(Processes(jobs)) as work:
            compare_all(model, formula, 8, lambda n: tau.at(0, n), work=work)  # processes start
            begin = time.perf_counter()
            compare_all(model, formula, 18, lambda n: tau.at(0, n), work=work)
            times.append(time.perf_counter() - begin)
    return times[0] / times[1]


def main() -> None:
    made = parser("Cost of certification per word, and what a cluster reaches in a day.")
    made.add_argument("--seconds", type=float, default=0.5, help="for each number")
    options = made.parse_args()
    seconds = options.seconds
    by_length = {
        name: {n: per_word(*compiled(text, "ab"), n, seconds) for n in LENGTHS} for name, text in FORMULAS.items()
    }
    by_letters = {k: per_word(*compiled("a S b", LETTERS[:k]), 12, seconds) for k in (2, 3, 4, 8)}
    by_depth = {text: per_word(*compiled(text, "ab"), 16, seconds) for text in (*NESTED, *COMPARED)}
    reached = {
        name: {workers: longest(between(found), 2, workers * DAY) for workers in (1, WORKERS)}
        for name, found in by_length.items()
    }
    task, speedup = per_task(), speed_up()
    micro = 1e6
    text = ["microseconds per word of length n, two letters", ""]
    text.append(
        table(
            ["n", *map(str, LENGTHS)], [[name, *[micro * x for x in row.values()]] for name, row in by_length.items()]
        )
    )
    text += ["", "microseconds per word, n = 12, a S b, by number of letters", ""]
    text.append(table(["letters", *map(str, by_letters)], [["", *[micro * x for x in by_letters.values()]]]))
    text += ["", "microseconds per word, n = 16, two letters, by formula", ""]
    text.append(table(["formula", "us"], [[name, micro * x] for name, x in by_depth.items()]))
    text += ["", f"all words over two letters up to length n in a day, with 1 and {WORKERS} workers", ""]
    text.append(table(["", "1", str(WORKERS)], [[name, *row.values()] for name, row in reached.items()]))
    text += [
        "",
        f"the driver adds {micro * task:.0f} us to a task, with a ledger; {processors()} processes: {speedup:.2f} x",
    ]
    results = {
        "by length": by_length, "by letters": by_letters, "by formula": by_depth, "reached": reached,
        "task seconds": task, "speed-up": speedup,
    }  # fmt: skip
    report(options, "\n".join(text), results)


if __name__ == "__main__":
    sys.exit(main())
