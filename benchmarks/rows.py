"""Rows per second: softmax weights and their L1 distance from average-hard attention, by five ways of computing.

    python -m benchmarks.rows [--sizes 4,16,64,256,1024] [--rounds 5] [--json FILE]

numpy is plain float64 and proves nothing; mpmath.iv, gmpy2 (directed rounding) and Arb go row by row at 53 bits and
enclose (iv's exp is known to miss the true value now and then); ours are the bulk kernels, compiled (numba) and not.
All contestants get the same rows; "error" means enclosures of the distance alone, "weights" of all weights as well.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import gmpy2
import mpmath
import numpy as np
from flint import arb, ctx

from benchmarks.measure import Timing, interleaved, parser, report, table
from checker.bulk import backend
from checker.bulk.rows import distance, evaluate, weights

TAU = Fraction(1, 2)
ENTRIES = 1 << 16
"""Scores of one batch for the ways that take many rows at once."""

SLOW_ROWS = 8
"""Rows of one batch for those that go row by row."""


def rows_of(count: int, n: int) -> np.ndarray:
    """Random float64 scores, shape (count, n)."""
    return np.random.default_rng(n).normal(0, 2, (count, n))


def plain(scores: np.ndarray) -> int:
    """Softmax weights and distances as a careful numpy user writes them, in place."""
    top = scores.max(axis=1, keepdims=True)
    p = scores - top
    p /= float(TAU)
    np.exp(p, out=p)
    p /= p.sum(axis=1, keepdims=True)
    2 * (1 - np.einsum("ij,ij->i", p, scores == top))
    return len(scores)


def by_arb(scores: np.ndarray) -> int:
    """Arb, one row at a time, 53 bits."""
    ctx.prec = 53
    tau = arb(float(TAU))
    for row in scores.tolist():
        top = arb(max(row))
        terms = [((arb(s) - top) / tau).exp() for s in row]
        total = sum(terms, arb(0))
        p = [term / total for term in terms]
        k = row.count(max(row))
        1 - k * p[row.index(max(row))]
    return len(scores)


def by_gmpy2(scores: np.ndarray) -> int:
    """gmpy2 with directed rounding, one row at a time, 53 bits."""
    down = gmpy2.context(precision=53, round=gmpy2.RoundDown)
    up = gmpy2.context(precision=53, round=gmpy2.RoundUp)
    tau = gmpy2.mpfr(float(TAU))
    for row in scores.tolist():
        top = max(row)
        low, high = gmpy2.mpfr(0), gmpy2.mpfr(0)
        lows, highs = [], []
        for s in row:
            a = down.exp(down.div(down.sub(s, top), tau))
            b = up.exp(up.div(up.sub(s, top), tau))
            low, high = down.add(low, a), up.add(high, b)
            lows.append(a)
            highs.append(b)
        [(down.div(a, high), up.div(b, low)) for a, b in zip(lows, highs, strict=True)]
    return len(scores)


def by_iv(scores: np.ndarray) -> int:
    """mpmath.iv, one row at a time, 53 bits."""
    iv = mpmath.iv
    iv.prec = 53
    tau = iv.mpf(float(TAU))
    for row in scores.tolist():
        top = iv.mpf(max(row))
        terms = [iv.exp((iv.mpf(s) - top) / tau) for s in row]
        total = sum(terms, iv.mpf(0))
        [term / total for term in terms]
    return len(scores)


def bulk(scores: np.ndarray, *, compiled: bool, all_weights: bool) -> int:
    """The bulk kernels, with numba's loops or numpy's."""
    os.environ[backend.VARIABLE] = "1" if compiled else "0"
    distance(weights(scores, TAU)[0] if all_weights else evaluate(scores, TAU))
    return len(scores)


OURS = {
    "ours, error": {"compiled": True, "all_weights": False},
    "ours, weights": {"compiled": True, "all_weights": True},
    "ours, error, no numba": {"compiled": False, "all_weights": False},
    "ours, weights, no numba": {"compiled": False, "all_weights": True},
}
PEERS = ("arb", "gmpy2", "mpmath.iv")


def contestants(n: int) -> dict[str, Callable[[], int]]:
    """All ways of computing, on rows of n scores."""
    many = rows_of(max(1, ENTRIES // n), n)
    few = many[:SLOW_ROWS]
    ours = {name: partial(bulk, many, **how) for name, how in OURS.items()}
    slow = {"arb": by_arb, "gmpy2": by_gmpy2, "mpmath.iv": by_iv}
    return {"numpy": partial(plain, many), **ours, **{name: partial(work, few) for name, work in slow.items()}}


def summary(found: Timing) -> dict[str, object]:
    """Rows per second of all, and ratios with their spread."""
    rates = {name: 1 / found.median(name) for name in found.seconds}
    slower = {f"{name} / numpy": found.ratio(name, "numpy") for name in OURS}
    faster = {f"{name} / ours, weights": found.ratio(name, "ours, weights") for name in PEERS}
    return {"rows/s": rates, "ratios": {**slower, **faster}}


def main() -> None:
    made = parser("Rows of softmax weights per second, plain and enclosed.")
    made.add_argument("--sizes", default="4,16,64,256,1024", help="scores in a row")
    options = made.parse_args()
    if backend._module() is None:
        raise SystemExit("this benchmark needs numba: pip install 'hardsoft[fast]'")
    found = {n: summary(interleaved(contestants(n), options.rounds)) for n in map(int, options.sizes.split(","))}
    text = []
    for part, title in (("rows/s", "rows per second"), ("ratios", "ratios of times: median (least-largest)")):
        names = list(next(iter(found.values()))[part])
        head = ["n", *map(str, found)]
        rows = [[name, *[found[n][part][name] for n in found]] for name in names]
        text += [title, "", table(head, rows), ""]
    report(options, "\n".join(text), {"rows": found})


if __name__ == "__main__":
    sys.exit(main())
