"""Audit of large arrays of attention scores by `hardsoft scores`: seconds and memory, against a plain float64 softmax.

    python -m benchmarks.audit [--heads 12] [--keys 1024] [--rounds 3] [--json FILE]

The audit encloses, for every row, TV at a temperature, the largest temperature for a target (both sides certified) and
the bounds of A2; the softmax proves nothing.
"""

from __future__ import annotations

import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measure import interleaved, parser, peak, report, table
from benchmarks.rows import plain
from checker.attention import Mask
from checker.scorefile import read
from checker.scores import audit


def write(path: Path, heads: int, keys: int) -> None:
    """Random float32 scores, shape (heads, keys, keys)."""
    generator = np.random.default_rng(heads)
    np.save(path, generator.normal(0, 3, (heads, keys, keys)).astype(np.float32))


def audited(path: str) -> int:
    """The audit of a file; returns its number of rows."""
    return audit(read(path), mask=Mask.NONE).rows


def softmax(path: str) -> int:
    """A plain softmax of the same file, head by head."""
    return sum(plain(head.astype(np.float64)) for head in np.load(path))


def main() -> None:
    made = parser("Audit of attention scores against a plain softmax.")
    made.add_argument("--heads", type=int, default=12)
    made.add_argument("--keys", type=int, default=1024)
    options = made.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.npy"
        write(path, options.heads, options.keys)
        rows = options.heads * options.keys
        timing = interleaved(
            {"audit": partial(audited, str(path)), "softmax": partial(softmax, str(path))}, options.rounds
        )
        results = {
            "rows": rows,
            "keys": options.keys,
            "audit s": timing.median("audit") * rows,
            "softmax s": timing.median("softmax") * rows,
            "ratio": timing.ratio("audit", "softmax"),
            "audit MiB": peak(audited, str(path)),
            "softmax MiB": peak(softmax, str(path)),
        }
    title = f"audit of {options.heads} x {options.keys} x {options.keys} float32 scores"
    report(options, f"{title}\n\n" + table(list(results), [list(results.values())]), results)


if __name__ == "__main__":
    sys.exit(main())
