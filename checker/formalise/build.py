"""Has Coq check the development, and records what it accepted.

The record, build/coq/checked.json, holds for every file its key, the hash of the compiled file and the axioms of its
theorems, or Coq's complaint. A file whose key and compiled file are those of the record is not compiled again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path

from checker.errors import InputError
from checker.formalise.axioms import UnreadableError, forbidden, read_axioms
from checker.formalise.development import ASSUMPTIONS, CLAIMS, STATEMENTS, THEORY, Development, Unit

RECORD = "checked.json"
COMPLAINT_LINES = 12
SECONDS = 600
"""Longest time that Coq may take for one file."""

Progress = Callable[["Outcome", bool], None]
"""progress(outcome, whether it was taken from the record)."""


class NoCoqError(InputError):
    """coqc is not on the path."""


@dataclass(frozen=True)
class Outcome:
    """What Coq said of a file: key, hash of the compiled file, axioms (None if not asked for); error "" if accepted."""

    label: str
    key: str
    compiled: str = ""
    axioms: list[str] | None = None
    error: str = ""


@dataclass(frozen=True)
class Record:
    """The outcomes of a build, by label, and the version of Coq."""

    version: str
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    @property
    def failed(self) -> list[Outcome]:
        """Files that Coq did not accept."""
        return [outcome for outcome in self.outcomes.values() if outcome.error]


def coq_version() -> str:
    """The version of coqc, e.g. "8.16.1". Raises NoCoqError."""
    program = shutil.which("coqc")
    if program is None:
        raise NoCoqError("coqc is not there; install Coq 8.16 or later (Debian: apt-get install coq)")
    printed = subprocess.run([program, "--print-version"], capture_output=True, text=True, check=True, timeout=SECONDS)
    return printed.stdout.split()[0]


def file_hash(path: Path) -> str:
    """SHA-256 of a file, "" if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def read_record(out: Path) -> Record | None:
    """The record of an earlier build; None if there is none or it is not readable."""
    try:
        data = json.loads((out / RECORD).read_text(encoding="utf-8"))
        outcomes = {label: Outcome(**fields) for label, fields in data["outcomes"].items()}
        return Record(str(data["version"]), outcomes)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def compiled_file(out: Path, label: str) -> Path:
    """Where Coq puts the compiled file."""
    return out / f"{label}.vo"


def build(made: Development, out: Path, jobs: int = 2, progress: Progress | None = None) -> Record:
    """Compile what the record does not know yet, in at most `jobs` processes; the outcomes are added to the record.

    Files that need a file that was not accepted are not tried. Raises NoCoqError without coqc.
    """
    version = coq_version()
    keys = made.keys(version)
    old = read_record(out)
    known = old.outcomes if old is not None and old.version == version else {}
    outcomes: dict[str, Outcome] = {}
    waiting = list(made.units)
    running: dict[Future[Outcome], Unit] = {}
    out.mkdir(parents=True, exist_ok=True)
    for folder in (THEORY, ASSUMPTIONS, CLAIMS, STATEMENTS):
        (out / folder).mkdir(exist_ok=True)

    def finish(outcome: Outcome, reused: bool) -> None:
        outcomes[outcome.label] = outcome
        if progress is not None:
            progress(outcome, reused)

    with ThreadPoolExecutor(max(1, jobs)) as pool:
        while waiting or running:
            for unit in [unit for unit in waiting if all(need in outcomes for need in unit.needs)]:
                waiting.remove(unit)
                bad = [need for need in unit.needs if outcomes[need].error]
                before = known.get(unit.label)
                if bad:
                    finish(Outcome(unit.label, keys[unit.label], error=f"it needs {bad[0]}"), False)
                elif before is not None and _still_good(before, keys[unit.label], out):
                    finish(before, True)
                else:
                    running[pool.submit(_compile, unit, keys[unit.label], out)] = unit
            if running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    del running[future]
                    finish(future.result(), False)
    record = Record(version, {unit.label: outcomes[unit.label] for unit in made.units})
    written = {**known, **record.outcomes}  # what was built before and is not asked for now stays on record
    content = {"version": version, "outcomes": {label: asdict(found) for label, found in written.items()}}
    (out / RECORD).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return record


def _still_good(outcome: Outcome, key: str, out: Path) -> bool:
    same = outcome.key == key and not outcome.error and outcome.compiled != ""
    return same and file_hash(compiled_file(out, outcome.label)) == outcome.compiled


def _compile(unit: Unit, key: str, out: Path) -> Outcome:
    source = out / f"{unit.label}.v"
    compiled = compiled_file(out, unit.label)
    compiled.unlink(missing_ok=True)
    source.write_text(unit.text, encoding="utf-8")
    paths = [part for folder in (THEORY, CLAIMS) for part in ("-R", folder, folder)]
    if unit.folder in (ASSUMPTIONS, STATEMENTS):
        paths += ["-R", unit.folder, unit.folder]
    command = ["coqc", "-q", *paths, f"{unit.label}.v"]
    try:
        ran = subprocess.run(command, cwd=out, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Outcome(unit.label, key, error=f"Coq took longer than {SECONDS} s")
    if ran.returncode != 0 or not compiled.is_file():
        lines = (ran.stderr or ran.stdout).strip().splitlines()
        return Outcome(unit.label, key, error="\n".join(lines[:COMPLAINT_LINES]) or f"coqc ended with {ran.returncode}")
    axioms: list[str] | None = None
    if unit.covers:
        try:
            axioms = read_axioms(ran.stdout)
        except UnreadableError as error:
            return Outcome(unit.label, key, error=str(error))
        if forbidden(axioms):
            return Outcome(unit.label, key, axioms=axioms, error=f"it rests on {', '.join(forbidden(axioms))}")
    return Outcome(unit.label, key, file_hash(compiled), axioms)
