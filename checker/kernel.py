"""Whether the Coq kernel has accepted a statement: read from the record of the last build in this checkout."""

from __future__ import annotations

from pathlib import Path

from checker.errors import InputError
from checker.formalise.axioms import forbidden
from checker.formalise.build import Record, compiled_file, file_hash, read_record
from checker.formalise.development import STATEMENTS as FOLDER
from checker.formalise.development import Development, development
from checker.formalise.statements import SOURCES
from proofs.statement import Statement

BUILD = Path(__file__).resolve().parents[1] / "build" / "coq"
CHECKED, NOT_RUN, NOT_PLANNED = "checked", "not run", "not planned"


def kernel_status(statement: Statement, out: Path = BUILD, sources: Path = SOURCES) -> tuple[str, str]:
    """(status, reason) of a statement: "checked", "not run", or "not planned" if it is not marked for the kernel.

    "checked" means: Coq compiled the claims of this very statement, with the proofs and the theory as they are in
    `sources` now, the compiled files in `out` are still those, and the axioms it printed are allowed ones. Nothing is
    compiled here.
    """
    if not statement.kernel:
        return NOT_PLANNED, "no proof in Coq is planned"
    record = read_record(out)
    if record is None:
        return NOT_RUN, "there is no record of a build; run make formal"
    try:
        made = development([statement], sources)
    except InputError as error:
        return NOT_RUN, str(error)
    return _status(statement, made, record, out)


def _status(statement: Statement, made: Development, record: Record, out: Path) -> tuple[str, str]:
    files = made.files[statement.id]
    if files.missing:
        name, why = next(iter(files.missing.items()))
        return NOT_RUN, f"{name}: {why}"
    if statement.main not in files.proved:
        return NOT_RUN, f"{statement.main}, the main claim, is left out"
    label = f"{FOLDER}/{statement.id}"
    keys = made.keys(record.version)
    below = set(made.below(label))
    for part in (unit.label for unit in made.units if unit.label in below):
        outcome = record.outcomes.get(part)
        if outcome is None or outcome.key != keys[part]:
            return NOT_RUN, f"{part} has changed since it was built; run make formal"
        if outcome.error:
            return NOT_RUN, f"Coq did not accept {part}: {outcome.error.splitlines()[-1]}"
        if not outcome.compiled or file_hash(compiled_file(out, part)) != outcome.compiled:
            return NOT_RUN, f"the compiled file of {part} is not the one that was built; run make formal"
    axioms = record.outcomes[label].axioms
    if axioms is None or forbidden(axioms):
        return NOT_RUN, f"it rests on {', '.join(forbidden(axioms or [])) or 'unknown axioms'}"
    left_out = "".join(f"; {name} is left out: {why}" for name, why in files.omitted.items())
    of = f" of {len(statement.claims)}" if files.omitted else ""
    return CHECKED, f"{len(files.proved)}{of} claims accepted by Coq {record.version}{left_out}"
