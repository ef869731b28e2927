"""JSON read strictly and exactly, every value knowing its path; and JSON printed with short objects on one line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from checker.errors import InputError
from checker.exact import MAX_DIGITS, exact, show
from checker.position import Expression, parse
from checker.transformer.validate import entry

WIDTH = 110


@dataclass(frozen=True)
class Item:
    """A value in a JSON text, and its path in it; every method raises InputError, naming the path."""

    path: str
    value: Any

    def only(self, required: Sequence[str], optional: Sequence[str] = ()) -> None:
        """It is an object with all required keys, and no others than these and the optional ones."""
        keys = [key for key, _ in self.entries()]
        if unknown := [key for key in keys if key not in required and key not in optional]:
            known = ", ".join((*required, *optional))
            raise InputError(f"{self._at(unknown[0])}: unknown key; known here: {known}")
        if missing := [key for key in required if key not in keys]:
            raise InputError(f"{self.path or 'the file'}: the key {missing[0]!r} is missing")

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def __getitem__(self, key: str) -> Item:
        return Item(self._at(key), self.value[key])

    def has(self, key: str) -> bool:
        """The key is there, and not null."""
        return self.value.get(key) is not None

    def entries(self) -> Iterator[tuple[str, Item]]:
        """The entries of an object."""
        if not isinstance(self.value, dict):
            raise self._unexpected("an object {...}")
        if isinstance(self.value, _Repeating):
            raise InputError(f"{self._at(self.value.key)}: the key occurs twice")
        return ((key, self[key]) for key in self.value)

    def items(self) -> Iterator[Item]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self._unexpected("a list [...]")
        return (Item(f"{self.path}[{number}]", value) for number, value in enumerate(self.value))

    def entries_of(self, key: str) -> Iterator[tuple[str, Item]]:
        """The entries of an object at an optional key."""
        return self[key].entries() if key in self.value else iter(())

    def items_of(self, key: str) -> Iterator[Item]:
        """The items of a list at an optional key."""
        return self[key].items() if key in self.value else iter(())

    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            raise self._unexpected("a text")
        return self.value

    def choice(self, words: Sequence[str]) -> str:
        """One of these words."""
        if self.value not in words:
            raise self._unexpected(f"one of {', '.join(words)}")
        return str(self.value)

    def number(self) -> Fraction:
        """An exact number: an integer, a decimal as written, or a text."""
        if isinstance(self.value, _Decimal):
            return exact(self.value.literal, self.path)
        if type(self.value) is not int and not isinstance(self.value, str):
            raise self._unexpected('a number such as 3 or "1/3"')
        return exact(self.value, self.path)

    def vector(self) -> dict[str, Fraction]:
        """Numbers by direction."""
        return {direction: part.number() for direction, part in self.entries()}

    def expression(self) -> Expression:
        """An expression in i and n, as a text or an integer."""
        if type(self.value) is not int and not isinstance(self.value, str):
            raise self._unexpected('an expression in i and n such as "i/(n + 1)"')
        try:
            return parse(str(self.value))
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from None

    def plain(self) -> dict[str, Any]:
        """The object as it is, for data that are only kept; integers are its only numbers."""
        for _, part in self.entries():
            part._plain()
        return dict(self.value)

    def _plain(self) -> None:
        if isinstance(self.value, dict):
            for _, part in self.entries():
                part._plain()
        elif isinstance(self.value, list):
            for part in self.items():
                part._plain()
        elif isinstance(self.value, _Decimal):
            raise self._unexpected("an integer, or the number as a text")

    def _at(self, key: str) -> str:
        return entry(self.path, key).removeprefix(".")

    def _unexpected(self, expected: str) -> InputError:
        return InputError(f"{self.path or 'the file'}: expected {expected}, got {_kind(self.value)}")


class _Repeating(dict[str, Any]):
    """An object in which `key` occurs twice."""

    key: str


@dataclass(frozen=True)
class _Decimal:
    literal: str


def parse_json(text: str) -> Item:
    """The value of a JSON text; InputError for text that is not JSON, NaN, infinities and excessive nesting."""
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_Decimal, parse_constant=_constant
        )
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise InputError("not a file of this format: nested too deeply") from None
    return Item("", value)


def render(value: Any, indent: int = 0) -> str:
    """JSON in which everything that fits into a line is on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        keys = {key: json.dumps(key, ensure_ascii=False) for key in value}
        parts = [f"{inner}{keys[key]}: {render(item, indent + 2)}" for key, item in value.items()]
    else:
        parts = [inner + render(item, indent + 2) for item in value]
    left, right = "{}" if isinstance(value, dict) else "[]"
    return f"{left}\n" + ",\n".join(parts) + f"\n{' ' * indent}{right}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) == len(pairs):
        return result
    repeating = _Repeating(result)
    keys = [key for key, _ in pairs]
    repeating.key = next(key for place, key in enumerate(keys) if key in keys[:place])
    return repeating


def _integer(literal: str) -> int:
    if len(literal) > MAX_DIGITS:
        raise InputError(f"an integer of {len(literal)} digits; at most {MAX_DIGITS} are accepted")
    return int(literal)


def _constant(literal: str) -> Any:
    raise InputError(f"{literal} is not a number of a transformer")


def _kind(value: Any) -> str:
    if isinstance(value, _Decimal):
        return value.literal[:80]
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else show(value)
