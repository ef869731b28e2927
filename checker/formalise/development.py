"""The Coq files in the order in which they depend on each other, each with a key of its content.

Three kinds: the hand-written theory (proofs/coq/*.v), the claims of each statement with their proofs, and the bare
statements. The key of a file is a hash of its text, of the keys of the files it needs and of Coq's version: equal keys
mean that Coq would do the same again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from checker.errors import InputError
from checker.formalise.statements import SOURCES, StatementFiles, assumptions, read_proofs, statement_files
from proofs.statement import Statement

THEORY, CLAIMS, STATEMENTS, ASSUMPTIONS = "HardSoft", "Claims", "Statements", "Assumptions"
"""Logical names of the folders."""

_NEEDS = re.compile(r"From HardSoft Require Import ([\w\s]+)\.")
_THEOREM = re.compile(r"^Theorem (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Unit:
    """One Coq file: folder, name, text, the units it needs (folder/name), of how many theorems it prints the axioms."""

    folder: str
    name: str
    text: str
    needs: tuple[str, ...]
    covers: int = 0

    @property
    def label(self) -> str:
        """folder/name."""
        return f"{self.folder}/{self.name}"


@dataclass(frozen=True)
class Development:
    """All units, each after those it needs, and the generated files by statement."""

    units: tuple[Unit, ...]
    files: Mapping[str, StatementFiles] = field(default_factory=dict)

    def keys(self, version: str) -> dict[str, str]:
        """The key of every unit for a version of Coq."""
        keys: dict[str, str] = {}
        for unit in self.units:
            parts = [version, unit.folder, unit.name, unit.text, *(keys[need] for need in unit.needs)]
            keys[unit.label] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return keys

    def only(self, *labels: str) -> Development:
        """These units and those that they need."""
        wanted = {found for label in labels for found in self.below(label)}
        return Development(tuple(unit for unit in self.units if unit.label in wanted), self.files)

    def below(self, label: str) -> list[str]:
        """A unit and all that it needs, directly or not."""
        units = {unit.label: unit for unit in self.units}
        found: list[str] = []
        todo = [label]
        while todo:
            here = todo.pop()
            if here not in found:
                found.append(here)
                todo.extend(units[here].needs)
        return found


def development(statements: Iterable[Statement], sources: Path = SOURCES) -> Development:
    """The theory and the files of the statements that are marked for the kernel.

    Raises InputError if there is no theory in `sources`, or if its files need each other in a circle.
    """
    theory = _theory(sources)
    units = list(theory)
    for unit in theory:
        theorems = _THEOREM.findall(unit.text)
        if theorems:
            names = [f"{THEORY}.{unit.name}.{theorem}" for theorem in theorems]
            text = f"From {THEORY} Require {unit.name}.\n{assumptions(names)}\n"
            units.append(Unit(ASSUMPTIONS, unit.name, text, (unit.label,), len(theorems)))
    known = {unit.name for unit in theory}
    files: dict[str, StatementFiles] = {}
    for statement in statements:
        if not statement.kernel:
            continue
        made = statement_files(statement, read_proofs(statement.section, sources), f"{CLAIMS}.{statement.id}")
        files[statement.id] = made
        needs = tuple(f"{THEORY}/{name}" for name in _needs(made.proof) if name in known)
        units.append(Unit(CLAIMS, statement.id, made.proof, needs))
        needed = (f"{CLAIMS}/{statement.id}", f"{THEORY}/Definitions")
        units.append(Unit(STATEMENTS, statement.id, made.check, needed, len(made.proved)))
    return Development(tuple(units), files)


def _needs(text: str) -> list[str]:
    return [name for match in _NEEDS.finditer(text) for name in match[1].split()]


def _theory(sources: Path) -> list[Unit]:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(sources.glob("*.v"))}
    if "Definitions" not in texts:
        raise InputError(f"{sources}: there is no Definitions.v, so the Coq development is not here")
    waiting = {name: [need for need in _needs(text) if need in texts] for name, text in texts.items()}
    ordered: list[Unit] = []
    while waiting:
        placed = {unit.name for unit in ordered}
        ready = [name for name, needs in waiting.items() if placed.issuperset(needs)]
        if not ready:
            raise InputError(f"{sources}: {', '.join(waiting)} need each other in a circle")
        for name in ready:
            needs = tuple(f"{THEORY}/{need}" for need in waiting.pop(name))
            ordered.append(Unit(THEORY, name, texts[name], needs))
    return ordered
