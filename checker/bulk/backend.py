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

from checker.errors import HardsoftError, InputError

VARIABLE = "HARDSOFT_NUMBA"
ENOUGH = 1 << 27
"""Entries, some 20 ns each in numpy."""

_treated = 0
_ONE, _UNIT, _NORMAL = 1.0, 2.0**-53, 2.0**-1022


def compiled(entries: int) -> ModuleType | None:
    """The module of compiled loops for a task of so many entries, None for numpy.

    Raises InputError when the variable is none of 0, 1, auto, HardsoftError when float64 is not what the proofs assume.
    """
    global _treated
    if not ieee():
        raise HardsoftError("float64 arithmetic of this thread does not follow IEEE 754: see notes/bulk.md")
    wish = os.environ.get(VARIABLE, "auto") or "auto"
    if wish not in ("0", "1", "auto"):
        raise InputError(f"{VARIABLE} is {wish!r}; it must be 0 (numpy), 1 (numba) or auto")
    if wish == "0":
        return None
    _treated += entries
    return _module() if wish == "1" or _treated > ENOUGH else None


def ieee() -> bool:
    """Whether sums are rounded once, to nearest and to even, and subnormal numbers are not flushed to 0.

    The processor's modes belong to a thread, and some libraries change them.
    """
    up, even = _ONE + (_UNIT + 2 * _UNIT * _UNIT) > _ONE, _ONE + _UNIT == _ONE
    return up and even and _NORMAL / 2 > 0 and _NORMAL / 2 + _NORMAL / 2 == _NORMAL


@cache
def _module() -> ModuleType | None:
    try:
        return importlib.import_module("checker.bulk.compiled")
    except ImportError:
        return None
