"""Which run it is: versions, the code itself, the command, what it is about, and its parameters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from checker import __version__
from checker.work.plain import canonical

FORMAT = 1
"""Of ledgers: how results are written."""

_PACKAGES = ("checker", "proofs")
_SUFFIXES = (".py", ".lark", ".toml", ".json")
_LIBRARIES = ("numpy", "python-flint", "sympy", "mpmath", "gmpy2")


@lru_cache(maxsize=1)
def code() -> Mapping[str, str]:
    """Of the program as it runs: its version, a hash of all its files, the libraries that compute."""
    folder = Path(__file__).parent.parent.parent
    total = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((folder / package).rglob("*")):
            if path.suffix in _SUFFIXES and path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                total.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    libraries = ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    return {"hardsoft": __version__, "source": total.hexdigest(), "libraries": libraries}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


@dataclass(frozen=True)
class Identity:
    """A run: its command, hashes of what it is about, and its parameters, as texts by name."""

    command: str
    entries: Mapping[str, str]

    @property
    def header(self) -> dict[str, str]:
        """All that must be the same for results to be used again, in the order in which it is compared."""
        return {"format": str(FORMAT), **code(), "command": self.command, **self.entries}

    @property
    def digest(self) -> str:
        """A hash of the header."""
        return hashlib.sha256(canonical(self.header).encode()).hexdigest()


def identity(command: str, about: Mapping[str, Any], parameters: Mapping[str, Any]) -> Identity:
    """The identity of a run about values that `digest_of` reads, with parameters that are plain data."""
    hashes = {name: digest_of(value) for name, value in about.items()}
    return Identity(command, {**hashes, **{name: canonical(value) for name, value in parameters.items()}})


def digest_of(value: Any) -> str:
    """A hash of a model (its file's text), of a formula (its nodes), or "none" for None."""
    from checker.logic.formula import Formula, postorder
    from checker.transformer.model import Transformer
    from checker.transformer.specfile import dumps

    if value is None:
        return "none"
    if isinstance(value, Transformer):
        return hashlib.sha256(dumps(value).encode()).hexdigest()
    if isinstance(value, Formula):
        order = list(postorder(value))
        place = {node: number for number, node in enumerate(order)}
        nodes = [[node.kind.name, [place[part] for part in node.parts], repr(node.data)] for node in order]
        return hashlib.sha256(canonical(nodes).encode()).hexdigest()
    raise TypeError(f"{type(value).__name__} has no hash")
