"""A transformer written by hand as a file, and ways to break it."""

import copy
import json
from typing import Any

from checker.transformer.model import Transformer
from checker.transformer.specfile import loads

EXAMPLE: dict[str, Any] = {
    "format": "hardsoft-transformer",
    "version": 1,
    "name": "example",
    "alphabet": ["a", "b"],
    "directions": ["b", "place", "read", "over 9"],
    "embedding": {"a": {}, "b": {"b": 1}},
    "begin": {"over 9": "1/3"},
    "positional": {"place": "i/(n + 1)"},
    "layers": [
        {
            "heads": [
                {
                    "name": "newest",
                    "mask": "future",
                    "ties": "average",
                    "query": [{"place": "1/2"}],
                    "key": [{"place": 3}],
                    "value": {"read": {"b": 1, "over 9": -2}},
                },
                {
                    "name": "mean",
                    "mask": "none",
                    "ties": "leftmost",
                    "query": [],
                    "key": [],
                    "value": {"over 9": {"b": 1}},
                },
            ],
            "feed_forward": [
                {
                    "hidden": [{"weights": {"read": 2}, "bias": -1}, {"weights": {"over 9": "0.25"}}],
                    "output": {"b": {"0": 1, "1": "-5/7"}},
                    "bias": {"place": 1},
                }
            ],
        }
    ],
    "output": {"weights": {"read": 1}, "bias": "-1/2", "position": "last"},
    "temperature": "1/(n + 2)",
    "origin": {"made by": ["hand", 1, None, True]},
}


def changed(path: tuple[str | int, ...], value: object) -> str:
    """The example with the entry at `path` replaced (or added), as text."""
    data: Any = copy.deepcopy(EXAMPLE)
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(data)


def without(path: tuple[str | int, ...]) -> str:
    """The example without the entry at `path`, as text."""
    data: Any = copy.deepcopy(EXAMPLE)
    place = data
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return json.dumps(data)


def example() -> Transformer:
    """The example as it is."""
    return loads(json.dumps(EXAMPLE))
