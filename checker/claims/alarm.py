"""The end of the time for a claim, also within a long computation that does not look at the clock."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

AGAIN = 0.2
"""Seconds after which the signal is sent again, should a library have swallowed the exception."""


class OutOfTimeError(Exception):
    """The time given for a claim is used up."""


def limited(seconds: float, work: Callable[[], T]) -> T:
    """The result of `work`; OutOfTimeError after `seconds` of wall time, by a signal to the main thread.

    In other threads, on systems without setitimer, and inside work that is limited already, nothing is interrupted;
    what looks at the clock itself still stops. A call into a C library is interrupted only when it returns.
    """
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not usable or signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        return work()
    active = True

    def ring(*_: object) -> None:
        if active:
            raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, seconds), AGAIN)
            return work()
        finally:
            active = False
    finally:  # reached even if the signal came just before the line above; the next one is AGAIN seconds away
        active = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
