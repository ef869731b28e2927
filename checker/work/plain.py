"""Results of tasks as plain data with one canonical text: exact numbers as "p/q", nothing that has to be evaluated.

Plain data are None, booleans, integers, finite floats, texts, lists, and dictionaries with texts as keys. What depends
on the order of a dictionary is written as a list of pairs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from checker.errors import InputError

T = TypeVar("T")
Data = Any
"""Plain data."""

_DECIMAL = 8192
"""Integers of more bits are written in hexadecimal: Python limits the decimal digits that it converts."""


class FormError(InputError):
    """Plain data that are not of the form expected."""


def canonical(data: Data) -> str:
    """The one text of plain data: keys sorted, no blanks, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def parsed(text: str) -> Data:
    """The data of a text; FormError for a text that is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormError(f"not JSON: {error}") from None


def of_fraction(x: Fraction) -> str:
    """A rational number as "p/q"."""
    return f"{_of_integer(x.numerator)}/{_of_integer(x.denominator)}"


def _of_integer(x: int) -> str:
    return str(x) if x.bit_length() <= _DECIMAL else hex(x)


def of_optional(write: Callable[[T], Data], x: T | None) -> Data:
    """None, or what `write` makes of x."""
    return None if x is None else write(x)


def of_pairs(mapping: Mapping[Any, T], write: Callable[[T], Data]) -> Data:
    """A mapping as a list of pairs, in its order."""
    return [[key, write(value)] for key, value in mapping.items()]


def fraction(data: Data) -> Fraction:
    """The rational number "p/q", in lowest terms and q > 0."""
    numerator, slash, denominator = text(data).partition("/")
    try:
        found = Fraction(int(numerator, 0), int(denominator, 0))
    except (ValueError, ZeroDivisionError):
        raise FormError(f"expected a fraction, got {data[:40]!r}") from None
    if not slash or of_fraction(found) != data:
        raise FormError(f"expected a fraction in lowest terms, got {data[:40]!r}")
    return found


def integer(data: Data) -> int:
    """An integer."""
    if type(data) is not int:
        raise FormError(f"expected an integer, got {_kind(data)}")
    return data


def natural(data: Data) -> int:
    """An integer >= 0."""
    if integer(data) < 0:
        raise FormError(f"expected an integer >= 0, got {data}")
    return int(data)


def number(data: Data) -> float:
    """A float."""
    if type(data) is not float:
        raise FormError(f"expected a float, got {_kind(data)}")
    return data


def boolean(data: Data) -> bool:
    """True or False."""
    if type(data) is not bool:
        raise FormError(f"expected true or false, got {_kind(data)}")
    return data


def text(data: Data) -> str:
    """A text."""
    if type(data) is not str:
        raise FormError(f"expected a text, got {_kind(data)}")
    return data


def items(data: Data, read: Callable[[Data], T], length: int | None = None) -> tuple[T, ...]:
    """A list (of this length), read item by item."""
    if type(data) is not list or length not in (None, len(data)):
        raise FormError(f"expected a list{'' if length is None else f' of {length}'}, got {_kind(data)}")
    return tuple(read(item) for item in data)


def optional(data: Data, read: Callable[[Data], T]) -> T | None:
    """None, or what `read` makes of it."""
    return None if data is None else read(data)


def pair(data: Data, first: Callable[[Data], Any], second: Callable[[Data], T]) -> tuple[Any, T]:
    """A list of two."""
    one, other = items(data, lambda item: item, 2)
    return first(one), second(other)


def pairs(data: Data, key: Callable[[Data], Any], read: Callable[[Data], T]) -> dict[Any, T]:
    """A list of pairs with different keys as a mapping."""
    found = items(data, lambda item: pair(item, key, read))
    mapping = dict(found)
    if len(mapping) != len(found):
        raise FormError("a key occurs twice")
    return mapping


def fields(data: Data, names: Iterable[str]) -> list[Data]:
    """The values of a dictionary with exactly these keys, in their order."""
    wanted = list(names)
    if type(data) is not dict or set(data) != set(wanted):
        raise FormError(f"expected a record of {', '.join(wanted)}, got {_kind(data)}")
    return [data[name] for name in wanted]


def word(data: Data) -> tuple[int, ...]:
    """A word, as numbers of symbols."""
    return items(data, natural)


def _kind(data: Data) -> str:
    return f"a {type(data).__name__} of {len(data)}" if isinstance(data, list | dict) else type(data).__name__
