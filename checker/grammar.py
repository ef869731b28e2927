"""What grammars of lark share: errors in what a rule builds name the place of its first token."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from lark import Token

from checker.errors import InputError


class PlacedError(Exception):
    """What is wrong with a part of a text that begins at `place`, from 0."""

    def __init__(self, place: int, message: str) -> None:
        super().__init__(message)
        self.place = place


def placed(build: Callable[[Any, list[Any]], Any]) -> Callable[[Any, list[Any]], Any]:
    """A method of a Transformer whose InputErrors become PlacedErrors, at the first token of the rule."""

    @wraps(build)
    def at_its_place(self: Any, items: list[Any]) -> Any:
        try:
            return build(self, items)
        except InputError as error:
            place = next((item.start_pos or 0 for item in items if isinstance(item, Token)), 0)
            raise PlacedError(place, str(error)) from None

    return at_its_place
