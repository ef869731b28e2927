"""Attention scores read from .npy, .npz, .csv and .json files, kept exactly as written, never unpickled.

Conventions of the files:

* last axis = keys, the axis before it = queries, everything before = heads (layers, heads, batches);
* a score is a finite number, or -inf for a masked entry: ``-inf`` in arrays and in CSV cells, ``-Infinity``,
  ``"-inf"`` or ``"-Infinity"`` in JSON.  JSON ``null`` and an empty CSV cell are refused, since many programs
  write a NaN that way;
* numbers in arrays are the binary rationals they are, numbers in text the decimals (or fractions) written.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from checker import scoretext
from checker.errors import InputError
from checker.scorearray import Scores

SUFFIXES = (".npy", ".npz", ".csv", ".json")

__all__ = ["SUFFIXES", "Scores", "read"]


def read(path: str | Path, array_name: str | None = None) -> Scores:
    """The scores in a .npy, .npz, .csv or .json file.

    ``array_name`` selects the array of an .npz file or of a JSON object; it may be left out when there is
    only one.  Raises InputError, one clear line, on anything that is not an array of scores.  Nothing is
    unpickled.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if not path.is_file():
        raise InputError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    if suffix not in SUFFIXES:
        raise InputError(f"{path}: unknown extension {path.suffix!r}; expected one of {', '.join(SUFFIXES)}")
    if array_name is not None and suffix in (".npy", ".csv"):
        raise InputError(f"{path}: array name {array_name!r} given, but a {suffix} file holds one unnamed array")
    try:
        if suffix == ".npy":
            return Scores(path.name, _load_npy(path))
        if suffix == ".npz":
            return _read_npz(path, array_name)
        if suffix == ".csv":
            return scoretext.read_csv(path)
        return scoretext.read_json(path, array_name)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except MemoryError:
        raise InputError(f"{path}: the array does not fit into memory") from None


def _load_npy(path: Path) -> NDArray[Any]:
    with path.open("rb") as stream:
        start = stream.read(6)
    if start != b"\x93NUMPY":
        raise InputError(f"{path.name}: {_not_numpy(start)}")
    try:
        loaded: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, OverflowError) as error:
        raise InputError(f"{path.name}: {_why(error)}") from None
    return loaded


def _read_npz(path: Path, wanted: str | None) -> Scores:
    if not zipfile.is_zipfile(path):
        with path.open("rb") as stream:
            raise InputError(f"{path.name}: {_not_numpy(stream.read(6))}")
    damage = (ValueError, EOFError, SyntaxError, OverflowError, KeyError, NotImplementedError, RuntimeError)
    try:
        with np.load(path, allow_pickle=False) as archive:
            name = scoretext.choose(path.name, list(archive.files), wanted)
            loaded = archive[name]
    except (*damage, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path.name}: {_why(error)}") from None
    if not isinstance(loaded, np.ndarray):
        raise InputError(f"{path.name}: member {name!r} is not a NumPy array")
    return Scores(f"{path.name}, array {name!r}", loaded)


def _not_numpy(start: bytes) -> str:
    if start[:1] == b"\x80":
        return "a pickle, which is never loaded (it can run code); save the array with numpy.save or numpy.savez"
    return "not a NumPy file, or damaged; save the array with numpy.save or numpy.savez"


def _why(error: Exception) -> str:
    text = str(error)
    if "allow_pickle" in text or "Python objects" in text or "object arrays" in text.lower():
        return "holds Python objects, which are never unpickled; save an array of float32 or float64"
    return f"truncated or damaged NumPy file ({' '.join(text.split()) or type(error).__name__})"
