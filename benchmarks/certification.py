"""Exhaustive certification of formulas against a plain float64 forward pass over the same words, as a ratio.

    python benchmarks/certification.py [--length 15] [--repeats 3] [--json FILE]

Both sides take all words of lengths 1 to the length given. The certification compares the formula, the exact hard run
and the enclosed softmax run at every position; the forward pass (numpy, float64, in batches, weights converted once per
batch) computes the softmax logits and proves nothing. Runs are interleaved; the ratio is the median of the ratios of
neighbouring runs, with the least and the largest one. Memory is the high-water mark of a process of its own.
"""

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

import numpy as np

from checker.certify.exhaustive import compare_all
from checker.compile.compiler import compile_formula
from checker.logic.formula import temporal_depth
from checker.logic.semantics import words_block
from checker.logic.text import parse_formula
from checker.transformer.dense import forward_float

FORMULAS = {
    "since, nested 3 deep": "a S (b & Y (a S (b & !Y b)))",
    "dyck-1, 2 levels deep": "!P ((a & Y a & Y Y a) | (b & Y b & Y Y b))",
    "majority": "#<-[a] > #<-[b]",
}
ALPHABET = ("a", "b")
BLOCK = 4096
MEBI = 2**20


def model_of(text: str):
    """The formula and its model at a fixed temperature."""
    formula = parse_formula(text)
    return formula, compile_formula(formula, ALPHABET)


def plain(text: str, longest: int) -> float:
    """Seconds of the float64 forward pass over all words."""
    _, model = model_of(text)
    start = time.perf_counter()
    for n in range(1, longest + 1):
        tau, total = float(model.temperature.at(0, n)), 2**n
        for first in range(0, total, BLOCK):
            forward_float(model, words_block(2, n, first, min(total, first + BLOCK)), tau)
    return time.perf_counter() - start


def certified(text: str, longest: int) -> float:
    """Seconds of the three-way comparison over the same words; raises if anything disagrees or stays undecided."""
    formula, model = model_of(text)
    start = time.perf_counter()
    found = compare_all(model, formula, longest, lambda n: model.temperature.at(0, n))
    seconds = time.perf_counter() - start
    if found.disagreement is not None or found.undecided or found.words != 2 ** (longest + 1) - 2:
        raise RuntimeError(f"{text}: the certification did not go through")
    return seconds


def memory(work, text: str, longest: int) -> float:
    """High-water mark, in MiB, of a process that does nothing else."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_peak, (work, text, longest))


def _peak(work, text: str, longest: int) -> float:
    work(text, longest)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(longest: int, repeats: int) -> list[dict[str, object]]:
    """One row per formula."""
    rows = []
    for name, text in FORMULAS.items():
        pairs = [(plain(text, longest), certified(text, longest)) for _ in range(repeats)]
        ratios = [ours / theirs for theirs, ours in pairs]
        rows.append(
            {
                "name": name,
                "formula": text,
                "depth": temporal_depth(parse_formula(text)),
                "words": 2 ** (longest + 1) - 2,
                "plain seconds": statistics.median(theirs for theirs, _ in pairs),
                "certified seconds": statistics.median(ours for _, ours in pairs),
                "ratio": statistics.median(ratios),
                "ratios": [min(ratios), max(ratios)],
                "plain MiB": memory(plain, text, longest),
                "certified MiB": memory(certified, text, longest),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Certification against a plain float64 forward pass.")
    parser.add_argument("--length", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = measure(options.length, options.repeats)
    machine = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": platform.machine(),
        "processors": os.cpu_count(),
    }
    print(f"all words of length 1 to {options.length} over {len(ALPHABET)} symbols; {machine}")
    print(f"{'formula':<24}{'words':>8}{'plain':>10}{'certified':>11}{'ratio':>8}{'(range)':>16}{'MiB':>8}")
    for row in rows:
        low, high = row["ratios"]
        print(
            f"{row['name']:<24}{row['words']:>8}{row['plain seconds']:>9.2f}s{row['certified seconds']:>10.2f}s"
            f"{row['ratio']:>8.2f}{f'({low:.2f} to {high:.2f})':>16}{row['certified MiB']:>8.0f}"
        )
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "length": options.length, "rows": rows}, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
