"""A campaign: a million rows in bulk, random and adversarial, every enclosure compared with Arb. No time is measured.

    python -m benchmarks.enclosures [--rows 1000000] [--seed 1]

Prints how many enclosures (of Z, of the distance, of the largest weight and of one weight per row) were compared, how
many missed, and how narrow they are. Exit code 1 if one missed.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from checker.bulk import rows

LENGTHS = (1, 2, 3, 5, 9, 17)
BITS = 110


def scores_of(kind: str, count: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Rows of one kind, float32 or float64."""
    s = rng.normal(0, 1, (count, n))
    if kind == "scales":
        s *= 10.0 ** rng.integers(-8, 4, (count, 1))
    elif kind == "near":  # neighbours of the maximum, and of each other
        s = 1 + rng.integers(0, 4, (count, n)) * 2.0 ** -rng.integers(23, 53, (count, 1))
    elif kind == "edges":  # arguments at the ends of the pieces of the exponential
        s = -(rng.integers(0, 24000, (count, n)) + 0.5) / 32
        s = np.where(rng.random(s.shape) < 0.5, s, np.nextafter(s, rng.choice([-np.inf, 0.0], s.shape)))
        s[:, 0] = 0
    elif kind == "far":
        s = -rng.uniform(690, 750, (count, n))
        s[:, 0] = 0
    elif kind == "tiny":
        s = rng.integers(0, 50, (count, n)) * 2.0**-1074
    elif kind == "equal":
        s = np.repeat(s, n, axis=1)[:, :n]
        s[:, 1:] = s[:, 1:2] if n > 1 else s[:, 1:]
    s[rng.random(s.shape) < 0.1] = -np.inf
    s[:, 0] = np.where(np.isneginf(s).all(axis=1), 0, s[:, 0])
    with np.errstate(under="ignore"):
        return s.astype(np.float32) if rng.random() < 0.3 else s


KINDS = ("plain", "scales", "near", "edges", "far", "tiny", "equal")


def temperature_of(count: int, rng: np.random.Generator) -> Fraction | np.ndarray:
    """An exact temperature, or one for each row."""
    choice = rng.integers(4)
    if choice == 0:
        return Fraction(1, 2 ** int(rng.integers(0, 4)))
    if choice == 1:
        return Fraction(int(rng.integers(1, 50)), int(rng.integers(1, 50)))
    return 10.0 ** rng.uniform(-2, 2, count)


def compare(scores: np.ndarray, tau: Fraction | np.ndarray, rng: np.random.Generator) -> tuple[int, int, float]:
    """Enclosures compared, enclosures missed, largest width of a distance in units of 2^-53."""
    found, weights = rows.weights(scores, tau)
    distance, largest = rows.distance(found), rows.max_weight(found)
    compared = missed = 0
    exact = arb(tau.numerator) / tau.denominator if isinstance(tau, Fraction) else None
    for i, row in enumerate(scores.tolist()):
        here = arb(float(tau[i])) if exact is None else exact
        m = arb(max(row))
        terms = {s: ((arb(s) - m) / here).exp() if s != -np.inf else arb(0) for s in set(row)}
        top = max(row)
        k = row.count(top)
        z = sum((terms[s] for s in row if s != top), arb(0))
        j = int(rng.integers(len(row)))
        for number, bounds, place in (
            (z, found.z, i),
            (z / (k + z), distance, i),
            (1 / (k + z), largest, i),
            (terms[row[j]] / (k + z), weights, (i, j)),
        ):
            compared += 1
            missed += bool(arb(float(bounds.low[place])) > number or arb(float(bounds.high[place])) < number)
    return compared, missed, float((distance.high - distance.low)[found.known].max(initial=0) * 2.0**53)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare enclosures of many rows with Arb.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ctx.prec = BITS
    rng = np.random.default_rng(options.seed)
    total, missed, widest, done = 0, 0, 0.0, Counter[str]()
    block = 2000
    while done.total() < options.rows:
        for kind in KINDS:
            scores = scores_of(kind, block, int(rng.choice(LENGTHS)), rng)
            results = compare(scores, temperature_of(block, rng), rng)
            total, missed, widest = total + results[0], missed + results[1], max(widest, results[2])
            done[kind] += block
    sys.stdout.write(f"{done.total()} rows, {total} enclosures compared with Arb at {BITS} bits, {missed} missed\n")
    sys.stdout.write(", ".join(f"{kind} {count}" for kind, count in done.items()) + "\n")
    sys.stdout.write(f"largest width of a distance: {widest:.1f} * 2^-53\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
