"""`python -m checker.formalise [ids]`: has Coq check the theory and the claims of the statements named (default: all).

Prints a line per file with the axioms its theorems rest on. Exit code 0 if everything was accepted, 1 if not, 3 if
Coq is not installed.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from checker.errors import InputError
from checker.formalise.axioms import ALLOWED
from checker.formalise.build import RECORD, Outcome, build
from checker.formalise.development import Development, development
from checker.kernel import BUILD
from checker.verify import select


def main(arguments: list[str] | None = None) -> int:
    """Run the build and report; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m checker.formalise", description="Check the Coq development.")
    parser.add_argument("ids", nargs="*", help="statements whose claims are checked (default: all)")
    parser.add_argument("--out", type=Path, default=BUILD, help="folder of the compiled files")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="processes of Coq")
    options = parser.parse_args(arguments)
    try:
        made = development(select(options.ids))
        covered = {unit.label: unit.covers for unit in made.units}
        record = build(made, options.out, options.jobs, lambda outcome, reused: _say(outcome, reused, covered))
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    return _report(made, [outcome.label for outcome in record.failed], options.out, record.version)


def _say(outcome: Outcome, reused: bool, covered: dict[str, int]) -> None:
    if outcome.error:
        print(f"{outcome.label}: NOT ACCEPTED\n{outcome.error}", flush=True)
        return
    text = "as before" if reused else "accepted"
    if outcome.axioms is not None:
        rests = ", ".join(outcome.axioms) or "no axiom"
        text += f"; its {covered[outcome.label]} theorems rest on {rests}"
    print(f"{outcome.label}: {text}", flush=True)


def _report(made: Development, failed: list[str], out: Path, version: str) -> int:
    claims = sum(len(files.proved) for files in made.files.values())
    missing = [f"{name}: {why}" for files in made.files.values() for name, why in files.missing.items()]
    for files in made.files.values():
        for name, why in files.omitted.items():
            print(f"{name} is left out: {why}")
    for line in missing:
        print(line)
    print(f"axioms allowed: {', '.join(ALLOWED)}")
    print(f"Coq {version}: {len(made.files)} statements, {claims} claims, {len(made.units)} files; {out / RECORD}")
    if failed or missing:
        print(f"not accepted: {', '.join(failed) or 'claims without a proof'}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
