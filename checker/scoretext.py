"""Attention scores written as text (CSV, JSON), each number kept as the exact decimal or fraction written."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from checker.errors import InputError
from checker.exact import exact
from checker.scorearray import Scores, from_exact

MASKED_WORDS = frozenset({"-inf", "-infinity"})
MAX_DIMENSIONS = 32


class _Masked:
    """The JSON constant -Infinity, or a string that says so."""


_MASKED = _Masked()


def read_csv(path: Path) -> Scores:
    """Scores of one matrix: one line per query, comma-separated cells, one per key; no header line.

    Lines that start with ``#`` and blank lines at the end are skipped.  A cell is a number (``0.1``, ``-3``,
    ``1e-6``, ``1/3``) or ``-inf``.  InputError names line and column (counted from 1) of a bad cell.
    """
    cells: list[Fraction | None] = []
    width = rows = blank = first = 0
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            for line in reader:
                where = f"{path.name}: line {reader.line_num}"
                if not line or line == [""]:
                    blank = blank or reader.line_num
                    continue
                if line[0].lstrip().startswith("#"):
                    continue
                if blank:
                    raise InputError(f"{path.name}: line {blank} is blank; one line per query, none left out")
                if rows and len(line) != width:
                    raise InputError(f"{where} has {len(line)} cells, line {first} has {width}; rows must be equal")
                first, width = first or reader.line_num, len(line)
                cells += [_cell(text.strip(), f"{where}, column {place}") for place, text in enumerate(line, 1)]
                rows += 1
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(f"{path.name}: not a comma-separated text file ({error})") from None
    if not rows:
        raise InputError(f"{path.name}: no rows; expected one line of comma-separated scores per query")
    return from_exact(path.name, cells, (rows, width))


def _cell(text: str, where: str) -> Fraction | None:
    if text.lower() in MASKED_WORDS:
        return None
    try:
        return exact(text, where)
    except InputError:
        raise InputError(f"{where}: {text!r} is not a score; expected a number, or -inf if masked") from None


def read_json(path: Path, array_name: str | None) -> Scores:
    """Scores from nested JSON arrays, or from an object {name: nested arrays}.

    Numbers are exact decimals; strings such as "1/3" are accepted; masked entries are -Infinity, "-inf" or
    "-Infinity".  InputError names the index of the first bad entry and of ragged lists.
    """
    try:
        loaded = json.loads(
            path.read_text(encoding="utf-8-sig"),
            parse_float=lambda text: exact(text, f"{path.name}: number"),
            parse_int=lambda text: exact(text, f"{path.name}: number"),
            parse_constant=_constant,
            object_pairs_hook=_unique_names,
        )
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"{path.name}: not JSON this program reads ({reason})") from None
    name = path.name
    if isinstance(loaded, dict):
        chosen = choose(path.name, list(loaded), array_name)
        loaded, name = loaded[chosen], f"{path.name}, array {chosen!r}"
    elif array_name is not None:
        raise InputError(f"{path.name}: array name {array_name!r} given, but the file holds one unnamed array")
    if not isinstance(loaded, list):
        raise InputError(f"{name}: {_kind(loaded)}, not an array; the last axis must be the keys")
    shape = _shape(loaded, name)
    cells: list[Fraction | None] = []
    _flatten(loaded, shape, [], name, cells)
    return from_exact(name, cells, shape)


def choose(where: str, names: Sequence[str], wanted: str | None) -> str:
    """The wanted name, or the only one; InputError listing the names otherwise."""
    listed = ", ".join(names)
    if wanted is None and len(names) == 1:
        return names[0]
    if not names:
        raise InputError(f"{where}: holds no array")
    if wanted is None:
        raise InputError(f"{where}: holds {len(names)} arrays ({listed}); name one of them")
    if wanted not in names:
        raise InputError(f"{where}: no array {wanted!r}; the arrays are: {listed}")
    return wanted


def _constant(text: str) -> _Masked:
    if text == "-Infinity":
        return _MASKED
    raise ValueError(f"{text}: a score is a finite number, or -Infinity if masked")


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError(f"name {next(x for x in names if names.count(x) > 1)!r} occurs twice")
    return dict(pairs)


def _shape(value: Any, name: str) -> tuple[int, ...]:
    shape: list[int] = []
    while isinstance(value, list):
        shape.append(len(value))
        if len(shape) > MAX_DIMENSIONS:
            raise InputError(f"{name}: more than {MAX_DIMENSIONS} dimensions")
        if not value:
            raise InputError(f"{name}: empty list at index {[0] * (len(shape) - 1)}; every row needs a key")
        value = value[0]
    return tuple(shape)


def _flatten(value: Any, shape: tuple[int, ...], index: list[int], name: str, cells: list[Fraction | None]) -> None:
    if not shape:
        cells.append(_entry(value, f"{name}: index {index}"))
        return
    if not isinstance(value, list):
        raise InputError(f"{name}: ragged, {_kind(value)} at index {index} where a list of {shape[0]} is due")
    if len(value) != shape[0]:
        raise InputError(f"{name}: ragged, index {index} has {len(value)} entries where {shape[0]} are due")
    for place, item in enumerate(value):
        _flatten(item, shape[1:], [*index, place], name, cells)


def _entry(value: Any, where: str) -> Fraction | None:
    if isinstance(value, Fraction):
        return value
    if value is _MASKED:
        return None
    if isinstance(value, str):
        return _cell(value.strip(), where)
    raise InputError(f"{where}: {_kind(value)} is not a score; expected a number, or -Infinity if masked")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "true or false", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
