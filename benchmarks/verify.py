"""Wall time of `hardsoft verify` by statement, and of its parts: the derivations and the enumerations.

    python -m benchmarks.verify [--jobs 1] [--json FILE]

Seconds of a statement are added up over processes; the wall time is that of the whole command.
"""

from __future__ import annotations

import sys
import time

from benchmarks.measure import parser, report, table
from checker.checks import Plan
from checker.verify import exit_code, verify_all


def main() -> None:
    made = parser("Wall time of verify by part.")
    made.add_argument("--jobs", type=int, default=1)
    made.add_argument("--ids", default="", help="statements, such as A1,A2; all if left out")
    options = made.parse_args()
    start = time.perf_counter()
    found = verify_all([name for name in options.ids.split(",") if name], Plan(), options.jobs)
    wall = time.perf_counter() - start
    if exit_code(found):
        raise RuntimeError("not everything holds")
    rows: list[list[object]] = []
    for one in found:
        checks = [claim.enumeration.seconds for claim in one.claims if claim.enumeration]
        rows.append([one.statement.id, sum(claim.derivation.seconds for claim in one.claims), sum(checks)])
    rows.append(["all", sum(row[1] for row in rows), sum(row[2] for row in rows)])
    title = f"verify with --jobs {options.jobs}: {wall:.0f} s"
    head = ["", "derivations s", "enumerations s"]
    report(options, f"{title}\n\n{table(head, rows)}", {"jobs": options.jobs, "wall seconds": wall, "parts": rows})


if __name__ == "__main__":
    sys.exit(main())
