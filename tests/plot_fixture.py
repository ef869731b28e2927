"""The pictures with their default parameters, each made once."""

from functools import cache

from checker.picture import Picture
from checker.plots import build


@cache
def made(identifier: str) -> Picture:
    """The picture of an id."""
    return build(identifier)
