"""Claims in TOML files: one claim as top-level fields, or several as [[claims]] tables; and the library of claims."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from checker.claims.model import Statement
from checker.claims.reader import read_assumption, read_claim
from checker.errors import InputError

FIELDS = ("claim", "assume", "name", "reference", "verdict")
VERDICTS = ("proved", "refuted", "undecided")
MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class Entry:
    """A claim of a file: the claim itself, where it comes from, and the verdict stated ("" if none)."""

    claim: Statement
    reference: str = ""
    verdict: str = ""

    @property
    def expected(self) -> str:
        """The verdict that it should get: "proved" unless another one is stated."""
        return self.verdict or "proved"


def read_text(claim: str, assume: Sequence[str] = (), name: str = "") -> Statement:
    """Read a claim with its assumptions; InputError says what is wrong and where."""
    return replace(read_claim(claim), assumptions=tuple(read_assumption(text) for text in assume), name=name)


def read_file(path: str | Path) -> list[Entry]:
    """Read the claims of a TOML file; InputError names the file."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    return _entries(data, str(path))


def library() -> dict[str, list[Entry]]:
    """The claims that come with the package, by topic."""
    folder = files("checker.claims").joinpath("library")
    found = sorted((item for item in folder.iterdir() if item.name.endswith(".toml")), key=lambda item: item.name)
    return {item.name.removesuffix(".toml"): _entries(item.read_bytes(), item.name) for item in found}


def _entries(data: bytes, where: str) -> list[Entry]:
    if len(data) > MAX_BYTES:
        raise InputError(f"{where} has {len(data)} bytes; at most {MAX_BYTES} are accepted")
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except RecursionError:
        raise InputError(f"{where} is nested too deeply") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{where} is not TOML: {error}") from None
    tables: Any = [document]
    if "claims" in document:
        tables = document["claims"]
        if set(document) != {"claims"} or not isinstance(tables, list) or not tables:
            raise InputError(f"{where}: a file of several claims consists of [[claims]] tables alone")
    return [_entry(table, where if len(tables) == 1 else f"{where}, claim {j}") for j, table in enumerate(tables, 1)]


def _entry(table: Mapping[str, Any], where: str) -> Entry:
    if not isinstance(table, dict):
        raise InputError(f"{where}: a claim is a table with the fields {', '.join(FIELDS)}")
    for field in table:
        if field not in FIELDS:
            raise InputError(f"{where}: unknown field {field!r}; the fields are {', '.join(FIELDS)}")
    if "claim" not in table:
        raise InputError(f'{where}: the field claim is missing; write claim = "l1 <= 2*n*exp(-gamma/tau)"')
    assume = table.get("assume", [])
    texts = [assume] if isinstance(assume, str) else assume
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f'{where}: assume is a list of texts, such as assume = ["gap >= gamma"]')
    others = {field: table.get(field, "") for field in ("claim", "name", "reference", "verdict")}
    for field, value in others.items():
        if not isinstance(value, str):
            raise InputError(f"{where}: the field {field} is a text in quotes")
    if others["verdict"] and others["verdict"] not in VERDICTS:
        raise InputError(f"{where}: verdict is one of {', '.join(VERDICTS)}, got {others['verdict']!r}")
    try:
        claim = read_text(others["claim"], texts, others["name"])
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    return Entry(claim, others["reference"], others["verdict"])
