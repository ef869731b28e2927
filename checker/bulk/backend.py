"""Which loops do the work: numpy's, or those that numba compiles. Both give the same bits, so it is a matter of speed.

The environment variable HARDSOFT_NUMBA decides: "0" never, "1" from the first entry on, "auto" (the default) once a
process has treated so many entries that loading the compiled loops (half a second, the first time on a machine some
seconds more) is worth it. Without numba (the extra `fast`), numpy does everything.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from types import ModuleType

from checker.errors import InputError

VARIABLE = "HARDSOFT_NUMBA"
ENOUGH = 1 << 27
"""Entries, some 20 ns each in numpy."""

_treated = 0


def compiled(entries: int) -> ModuleType | None:
    """The module of compiled loops for a task of so many entries, None for numpy.

    Raises InputError when the variable is none of 0, 1, auto.
    """
    global _treated
    wish = os.environ.get(VARIABLE, "auto") or "auto"
    if wish not in ("0", "1", "auto"):
        raise InputError(f"{VARIABLE} is {wish!r}; it must be 0 (numpy), 1 (numba) or auto")
    if wish == "0":
        return None
    _treated += entries
    return _module() if wish == "1" or _treated > ENOUGH else None


@cache
def _module() -> ModuleType | None:
    try:
        return importlib.import_module("checker.bulk.compiled")
    except ImportError:
        return None
