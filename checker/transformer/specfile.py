"""Transformers as JSON files, format "hardsoft-transformer" version 1: exact, checked completely, pleasant to write.

    {"format": "hardsoft-transformer", "version": 1, "name": "the last symbol is b",
     "alphabet": ["a", "b"], "directions": ["b", "place", "read"],
     "embedding": {"a": {}, "b": {"b": 1}}, "begin": {}, "positional": {"place": "i/(n + 1)"},
     "layers": [{"heads": [{"name": "newest", "mask": "future", "ties": "average",
                            "query": [{"place": "1/2"}], "key": [{"place": 3}], "value": {"read": {"b": 1}}}],
                 "feed_forward": [{"hidden": [{"weights": {"read": 2}, "bias": -1}], "output": {"b": {"0": 1}}}]}],
     "output": {"weights": {"read": 1}, "bias": "-1/2", "position": "last"}}

A number is an integer or a text that checker.exact.exact reads ("1/3", "0.1", "10^-6"); a decimal number is taken as
written. Vectors list the directions that are not 0. Left out: begin and end (no marker), positional, heads,
feed_forward, bias, temperature (none: hard attention only), origin and name (empty).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.exact import show
from checker.transformer.jsontext import Item, parse_json, render
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit, Vector
from checker.transformer.validate import validate

FORMAT = "hardsoft-transformer"
VERSION = 1
MAX_BYTES = 64 * 2**20


def loads(text: str) -> Transformer:
    """The transformer that a text holds; InputError, one line, naming the path of what is wrong."""
    item = parse_json(text)
    item.only(_REQUIRED, _OPTIONAL)
    if (found := item["format"].text()) != FORMAT:
        raise InputError(f"format: expected {FORMAT!r}, got {show(found)}")
    if (version := item["version"].value) != VERSION or type(version) is not int:
        raise InputError(f"version: this program reads version {VERSION}, got {show(version)}")
    model = Transformer(
        name=item["name"].text() if "name" in item else "",
        alphabet=tuple(part.text() for part in item["alphabet"].items()),
        directions=tuple(part.text() for part in item["directions"].items()),
        embedding={symbol: part.vector() for symbol, part in item["embedding"].entries()},
        begin=_marker(item, "begin"),
        end=_marker(item, "end"),
        positional={key: part.expression() for key, part in item.entries_of("positional")},
        layers=tuple(_layer(part) for part in item["layers"].items()),
        output=_output(item["output"]),
        temperature=item["temperature"].expression() if item.has("temperature") else None,
        origin=item["origin"].plain() if "origin" in item else {},
    )
    return validate(model)


def dumps(model: Transformer) -> str:
    """The text of a valid transformer: loads(dumps(model)) == model. Raises InputError as `validate` does."""
    validate(model)
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": model.name,
        "alphabet": list(model.alphabet),
        "directions": list(model.directions),
        "embedding": {symbol: _vector(vector) for symbol, vector in model.embedding.items()},
        "begin": None if model.begin is None else _vector(model.begin),
        "end": None if model.end is None else _vector(model.end),
        "positional": {direction: str(expression) for direction, expression in model.positional.items()},
        "layers": [
            {"heads": [_head_data(head) for head in layer.heads],
             "feed_forward": [_feed_forward_data(part) for part in layer.feed_forward]}
            for layer in model.layers
        ],
        "output": {
            "weights": _vector(model.output.weights),
            "bias": _number(model.output.bias),
            "position": model.output.position,
        },
        "temperature": None if model.temperature is None else str(model.temperature),
        "origin": model.origin,
    }  # fmt: skip
    return render(data) + "\n"


def read(path: str | Path) -> Transformer:
    """The transformer in a file; InputError, one line, names the file and the path of what is wrong in it."""
    path = Path(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InputError(f"more than {MAX_BYTES} bytes")
        return loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not a UTF-8 text (byte {error.start})") from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def write(path: str | Path, model: Transformer) -> None:
    """Write a valid transformer to a file, whole or not at all; an old file is replaced. Raises InputError."""
    path = Path(path)
    content = dumps(model).encode()
    if len(content) > MAX_BYTES:
        raise InputError(f"cannot write {path}: the transformer takes more than {MAX_BYTES} bytes")
    beside = None
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".hardsoft-")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
        beside = None
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)


_REQUIRED = ("format", "version", "alphabet", "directions", "embedding", "layers", "output")
_OPTIONAL = ("name", "begin", "end", "positional", "temperature", "origin")


def _marker(item: Item, name: str) -> Vector | None:
    return item[name].vector() if item.has(name) else None


def _layer(item: Item) -> Layer:
    item.only((), ("heads", "feed_forward"))
    return Layer(
        tuple(_head(part) for part in item.items_of("heads")),
        tuple(_feed_forward(part) for part in item.items_of("feed_forward")),
    )


def _head(item: Item) -> Head:
    item.only(("name", "mask", "ties", "query", "key", "value"))
    return Head(
        name=item["name"].text(),
        query=tuple(row.vector() for row in item["query"].items()),
        key=tuple(row.vector() for row in item["key"].items()),
        value={direction: form.vector() for direction, form in item["value"].entries()},
        mask=Mask(item["mask"].choice([mask.value for mask in Mask])),
        ties=Tie(item["ties"].choice([tie.value for tie in Tie])),
    )


def _feed_forward(item: Item) -> FeedForward:
    item.only(("hidden", "output"), ("bias",))
    hidden = tuple(_unit(part) for part in item["hidden"].items())
    output = {direction: _coefficients(part, len(hidden)) for direction, part in item["output"].entries()}
    return FeedForward(hidden, output, item["bias"].vector() if "bias" in item else {})


def _unit(item: Item) -> Unit:
    item.only(("weights",), ("bias",))
    return Unit(item["weights"].vector(), item["bias"].number() if "bias" in item else Fraction(0))


def _coefficients(item: Item, units: int) -> dict[int, Fraction]:
    result = {}
    for key, part in item.entries():
        if not (key.isascii() and key.isdigit() and (key == "0" or key[0] != "0") and len(key) < 10):
            raise InputError(f"{part.path}: keys are the numbers of hidden units, 0..{units - 1}, got {show(key)}")
        result[int(key)] = part.number()
    return result


def _output(item: Item) -> Output:
    item.only(("weights", "position"), ("bias",))
    bias = item["bias"].number() if "bias" in item else Fraction(0)
    return Output(item["weights"].vector(), bias, item["position"].choice(["first", "last"]))


def _number(number: Fraction) -> int | str:
    """An integer that every JSON reader keeps exactly, or a text."""
    return number.numerator if number.denominator == 1 and abs(number.numerator) < 2**53 else str(number)


def _vector(vector: Mapping[str, Fraction]) -> dict[str, int | str]:
    return {direction: _number(number) for direction, number in vector.items()}


def _head_data(head: Head) -> dict[str, Any]:
    return {
        "name": head.name,
        "mask": head.mask.value,
        "ties": head.ties.value,
        "query": [_vector(row) for row in head.query],
        "key": [_vector(row) for row in head.key],
        "value": {direction: _vector(form) for direction, form in head.value.items()},
    }


def _feed_forward_data(part: FeedForward) -> dict[str, Any]:
    return {
        "hidden": [{"weights": _vector(unit.weights), "bias": _number(unit.bias)} for unit in part.hidden],
        "output": {
            direction: {str(number): _number(coefficient) for number, coefficient in units.items()}
            for direction, units in part.output.items()
        },
        "bias": _vector(part.bias),
    }
