"""Complete check of a transformer: every fault is found and named by its path, such as layers[2].heads[0].key[1].foo.

The paths are those of the JSON file (checker.transformer.specfile); numbers of layers, heads, rows and units from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.exact import show
from checker.position import Expression
from checker.transformer.model import FeedForward, Head, Layer, Output, Transformer, Unit

MAX_BITS = 10_000
"""Bits of the numerator or the denominator of a weight."""

MAX_NAME = 1000
"""Characters of a name."""

MAX_DEPTH = 50
"""Nesting of `origin`."""

_LENGTHS = range(1, 5)  # expressions are evaluated at all positions of words of these lengths

Fault = tuple[str, str]


def validate(model: Transformer) -> Transformer:
    """Return the model if it is a valid transformer.

    Raises InputError, one line, naming the path of the first fault and the number of further ones.
    """
    found = list(faults(model))
    if found:
        path, what = found[0]
        more = f" (and {len(found) - 1} more fault{'s' * (len(found) > 2)})" if len(found) > 1 else ""
        raise InputError(f"{path}: {what}{more}")
    return model


def faults(model: Transformer) -> Iterator[Fault]:
    """Every fault of the model, as its path and what is wrong there; nothing for a valid one."""
    if not isinstance(model, Transformer):
        yield "model", f"expected a Transformer, got {type(model).__name__}"
        return
    if not isinstance(model.name, str) or len(model.name) > MAX_NAME or not model.name.isprintable():
        yield "name", f"expected a printable text of at most {MAX_NAME} characters, got {show(model.name)}"
    yield from _names("alphabet", model.alphabet, "symbol")
    yield from _names("directions", model.directions, "direction")
    if not isinstance(model.alphabet, tuple) or not isinstance(model.directions, tuple):
        return
    known = frozenset(name for name in model.directions if isinstance(name, str))
    yield from _embeddings(model, known)
    yield from _expressions(model, known)
    if not isinstance(model.layers, tuple):
        yield "layers", f"expected a tuple of layers, got {type(model.layers).__name__}"
    else:
        for number, layer in enumerate(model.layers):
            yield from _layer(f"layers[{number}]", layer, known)
    yield from _output(model.output, known)
    yield from _json("origin", model.origin, 0)


def entry(path: str, key: str) -> str:
    """The path of an entry of a mapping: path.key, or path["key"] when the key is not a plain name."""
    key = key if len(key) <= 80 else key[:77] + "..."
    return f"{path}.{key}" if key.isidentifier() else f"{path}[{key!r}]"


def _names(path: str, names: object, kind: str) -> Iterator[Fault]:
    if not isinstance(names, tuple) or not names:
        yield path, f"expected at least one {kind}, got {show(names)}"
        return
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name or not name.isprintable() or len(name) > MAX_NAME:
            yield (
                f"{path}[{number}]",
                f"a {kind} is a printable text of 1 to {MAX_NAME} characters, got {show(name)}",
            )
        elif name in seen:
            yield f"{path}[{number}]", f"the {kind} {show(name)} is already at {path}[{seen[name]}]"
        else:
            seen[name] = number


def _embeddings(model: Transformer, known: frozenset[str]) -> Iterator[Fault]:
    if not isinstance(model.embedding, Mapping):
        yield "embedding", f"expected one vector for every symbol, got {show(model.embedding)}"
    else:
        for symbol in model.alphabet:
            if isinstance(symbol, str) and symbol not in model.embedding:
                yield "embedding", f"the symbol {show(symbol)} has no vector"
        for symbol, vector in model.embedding.items():
            path = entry("embedding", str(symbol))
            if symbol not in model.alphabet:
                yield path, "not a symbol of the alphabet"
            yield from _vector(path, vector, known)
    for name in ("begin", "end"):
        if (vector := getattr(model, name)) is not None:
            yield from _vector(name, vector, known)


def _expressions(model: Transformer, known: frozenset[str]) -> Iterator[Fault]:
    if not isinstance(model.positional, Mapping):
        yield "positional", f"expected one expression per direction, got {show(model.positional)}"
    else:
        for direction, expression in model.positional.items():
            path = entry("positional", str(direction))
            if direction not in known:
                yield path, "not one of the directions"
            if not isinstance(expression, Expression):
                yield path, f"expected an expression in i and n, got {show(expression)}"
                continue
            try:
                for n in _LENGTHS:
                    expression.along(model.positions(n), n)
            except InputError as error:
                yield path, str(error)
    if model.temperature is None:
        return
    if not isinstance(model.temperature, Expression):
        yield "temperature", f"expected an expression in n or none, got {show(model.temperature)}"
    elif "i" in model.temperature.variables:
        yield "temperature", f"the temperature depends on the length n only, got {model.temperature}"
    else:
        try:
            for n in _LENGTHS:
                if (value := model.temperature.at(0, n)) <= 0:
                    yield "temperature", f"must be positive, is {show(value)} for n = {n}"
                    return
        except InputError as error:
            yield "temperature", str(error)


def _layer(path: str, layer: object, known: frozenset[str]) -> Iterator[Fault]:
    if not isinstance(layer, Layer) or not isinstance(layer.heads, tuple) or not isinstance(layer.feed_forward, tuple):
        yield path, f"expected a Layer with a tuple of heads and a tuple of feed-forward parts, got {show(layer)}"
        return
    names: dict[object, int] = {}
    for number, head in enumerate(layer.heads):
        place = f"{path}.heads[{number}]"
        if not isinstance(head, Head):
            yield place, f"expected a Head, got {show(head)}"
            continue
        if not isinstance(head.name, str) or not head.name or not head.name.isprintable() or len(head.name) > MAX_NAME:
            yield (
                f"{place}.name",
                f"a name is a printable text of 1 to {MAX_NAME} characters, got {show(head.name)}",
            )
        elif head.name in names:
            yield f"{place}.name", f"{show(head.name)} is already the name of {path}.heads[{names[head.name]}]"
        else:
            names[head.name] = number
        yield from _head(place, head, known)
    for number, part in enumerate(layer.feed_forward):
        yield from _feed_forward(f"{path}.feed_forward[{number}]", part, known)


def _head(path: str, head: Head, known: frozenset[str]) -> Iterator[Fault]:
    if not isinstance(head.query, tuple) or not isinstance(head.key, tuple):
        yield path, "query and key must be tuples of rows"
        return
    if len(head.query) != len(head.key):
        yield path, f"query and key need equally many rows, got {len(head.query)} and {len(head.key)}"
    for name, rows in (("query", head.query), ("key", head.key)):
        for number, row in enumerate(rows):
            yield from _vector(f"{path}.{name}[{number}]", row, known)
    if not isinstance(head.value, Mapping):
        yield f"{path}.value", f"expected one linear form per direction that is written, got {show(head.value)}"
    else:
        for direction, form in head.value.items():
            if direction not in known:
                yield entry(f"{path}.value", str(direction)), "not one of the directions"
            yield from _vector(entry(f"{path}.value", str(direction)), form, known)
    if not isinstance(head.mask, Mask):
        yield f"{path}.mask", f"expected one of {', '.join(mask.value for mask in Mask)}, got {show(head.mask)}"
    if not isinstance(head.ties, Tie):
        yield f"{path}.ties", f"expected one of {', '.join(tie.value for tie in Tie)}, got {show(head.ties)}"


def _feed_forward(path: str, part: object, known: frozenset[str]) -> Iterator[Fault]:
    if not isinstance(part, FeedForward) or not isinstance(part.hidden, tuple) or not isinstance(part.output, Mapping):
        yield path, f"expected a FeedForward with a tuple of hidden units and an output mapping, got {show(part)}"
        return
    for number, unit in enumerate(part.hidden):
        place = f"{path}.hidden[{number}]"
        if not isinstance(unit, Unit):
            yield place, f"expected a Unit, got {show(unit)}"
            continue
        yield from _vector(f"{place}.weights", unit.weights, known)
        yield from _number(f"{place}.bias", unit.bias)
    for direction, units in part.output.items():
        place = entry(f"{path}.output", str(direction))
        if direction not in known:
            yield place, "not one of the directions"
        if not isinstance(units, Mapping):
            yield place, f"expected coefficients by the number of the unit, got {show(units)}"
            continue
        for number, coefficient in units.items():
            if type(number) is not int or not 0 <= number < len(part.hidden):
                last = len(part.hidden) - 1
                yield (
                    place,
                    f"no hidden unit {show(number)}; " + (f"they are 0..{last}" if last >= 0 else "there is none"),
                )
            yield from _number(f"{place}[{show(number)}]", coefficient)
    yield from _vector(f"{path}.bias", part.bias, known)


def _output(output: object, known: frozenset[str]) -> Iterator[Fault]:
    if not isinstance(output, Output):
        yield "output", f"expected an Output, got {show(output)}"
        return
    yield from _vector("output.weights", output.weights, known)
    yield from _number("output.bias", output.bias)
    if output.position not in ("first", "last"):
        yield "output.position", f"expected first or last, got {show(output.position)}"


def _vector(path: str, vector: object, known: frozenset[str]) -> Iterator[Fault]:
    if not isinstance(vector, Mapping):
        yield path, f"expected numbers by direction, got {show(vector)}"
        return
    for direction, number in vector.items():
        place = entry(path, str(direction))
        if direction not in known:
            yield place, "not one of the directions"
        yield from _number(place, number)


def _number(path: str, number: object) -> Iterator[Fault]:
    if type(number) is not Fraction:
        yield path, f"expected a Fraction, got {type(number).__name__} {show(number)}"
    elif max(number.numerator.bit_length(), number.denominator.bit_length()) > MAX_BITS:
        yield path, f"a weight has at most {MAX_BITS} bits above and below the line, got {show(number)}"


def _json(path: str, value: Any, depth: int) -> Iterator[Fault]:
    """JSON-like data with integers as the only numbers; `origin` itself is an object."""
    if depth > MAX_DEPTH:
        yield path, f"nested more than {MAX_DEPTH} deep"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str) or not _encodable(key):
                yield path, f"keys are texts, got {show(key)}"
            else:
                yield from _json(entry(path, key), item, depth + 1)
    elif depth == 0:
        yield path, f"expected an object, got {show(value)}"
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _json(f"{path}[{number}]", item, depth + 1)
    elif isinstance(value, str):
        if not _encodable(value):
            yield path, f"not a text that UTF-8 can hold: {show(value)}"
    elif isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            yield path, f"an integer has at most {MAX_BITS} bits, got {show(value)}"
    elif value is not None:
        yield path, f"expected text, an integer, true, false, null, a list or an object, got {show(value)}"


def _encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
