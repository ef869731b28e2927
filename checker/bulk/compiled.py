"""The loops of this package for numba: entry by entry the same IEEE operations, in the same order, as in numpy.

Numba is optional; only `checker.bulk.backend` imports this module. Floating-point operations are compiled as written:
fastmath is off, so LLVM may neither reorder a sum nor fuse a product with a sum, and vectorises only what is
independent. Loops that look up the table are separate, so that the arithmetic around them is vectorised.

Callers see to it that no argument is NaN or positive: a look-up in the table does not check its index.
Everything compiled is in this one file, with its constants, since numba's cache on disk is keyed by the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

LEAST = -746.0
STEPS = 32.0
C7, C6, C5, C4, C3 = 1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6  # 1/m!
TINY = 2.0**-1060
HUGE = 2.0**1000
CHUNK = 1024  # entries between two passes: the scratch arrays stay in the cache


def _jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile on first use; keep the machine code on disk where numba finds a directory that it may write to."""
    try:
        return numba.njit(function, cache=True, nogil=True, error_model="numpy")
    except RuntimeError:  # no such directory
        return numba.njit(function, nogil=True, error_model="numpy")


@_jit
def exp_near(x: Any, table: Any, y: Any) -> None:
    """y := the exponential of `checker.bulk.exponential`; one axis, x <= 0."""
    z, k = np.empty(CHUNK), np.empty(CHUNK, np.int32)
    for start in range(0, x.size, CHUNK):
        size = min(CHUNK, x.size - start)
        for j in range(size):
            r = max(x[start + j], LEAST)
            q = np.rint(r * -STEPS)
            k[j] = np.int32(q)
            r += q * (1 / STEPS)
            p = ((((r * C7 + C6) * r + C5) * r + C4) * r + C3) * r + 0.5
            z[j] = (p * r + 1.0) * r
        for j in range(size):
            t = table[np.uintp(k[j])]
            y[start + j] = t * z[j] + t


@_jit
def sums(
    scores: Any,
    rate: Any,
    table: Any,
    top: Any,
    visible: Any,
    maxima: Any,
    total: Any,
    overflow: Any,
    keep: Any,
    kept: Any,
    arguments: Any,
) -> None:
    """`checker.bulk.plain.sums`, into the arrays after the first three."""
    rows, n = scores.shape
    y, z, k = np.empty(n), np.empty(CHUNK), np.empty(CHUNK, np.int32)
    whole = n - n % 8
    for i in range(rows):
        s, c = scores[i], -rate[i]
        m0 = m1 = m2 = m3 = m4 = m5 = m6 = m7 = -np.inf
        for j in range(0, whole, 8):
            m0, m1, m2, m3 = max(m0, s[j]), max(m1, s[j + 1]), max(m2, s[j + 2]), max(m3, s[j + 3])
            m4, m5, m6, m7 = max(m4, s[j + 4]), max(m5, s[j + 5]), max(m6, s[j + 6]), max(m7, s[j + 7])
        m = max(max(max(m0, m1), max(m2, m3)), max(max(m4, m5), max(m6, m7)))
        for j in range(whole, n):
            m = max(m, s[j])
        if m == -np.inf:
            top[i], visible[i], maxima[i], total[i], overflow[i] = m, 0, 0, 0.0, False
            continue
        hidden, ties, infinite = 0, 0, 0
        for start in range(0, n, CHUNK):
            size = min(CHUNK, n - start)
            for j in range(size):
                d = m - s[start + j]
                r = max(d * c, LEAST)
                q = np.rint(r * -STEPS)
                k[j] = np.int32(q)
                r += q * (1 / STEPS)
                p = ((((r * C7 + C6) * r + C5) * r + C4) * r + C3) * r + 0.5
                z[j] = (p * r + 1.0) * r
                hidden += s[start + j] == -np.inf
                infinite += d == np.inf
                ties += d == 0
            for j in range(size):
                t = table[np.uintp(k[j])]
                y[start + j] = t * z[j] + t
            if keep:
                for j in range(size):
                    kept[i, start + j] = y[start + j]
                    arguments[i, start + j] = max((m - s[start + j]) * c, LEAST)
            for j in range(size):
                if s[start + j] == m:
                    y[start + j] = 0.0
        size = n
        while size > 1:
            half = (size + 1) // 2
            for j in range(size - half):
                y[j] += y[half + j]
            size = half
        top[i], visible[i], maxima[i], total[i], overflow[i] = m, n - hidden, ties, y[0], infinite != hidden


@_jit
def weights(scores: Any, slack: Any, centre: Any, low: Any, high: Any) -> None:
    """`checker.bulk.plain.weights`, in the last two arrays."""
    rows, n = scores.shape
    for i in range(rows):
        s, y, x, fixed, growing, c = scores[i], low[i], high[i], slack[i, 0], -slack[i, 1], centre[i]
        for j in range(n):
            e = 0.0 if s[j] == -np.inf else TINY
            middle = y[j] * c
            radius = (x[j] * growing + fixed) * middle + e
            y[j] = max(middle - radius, 0.0)
            x[j] = min(middle + radius, 1.0)


@_jit
def moments(differences: Any, rate: Any, table: Any, total: Any, moment: Any) -> None:
    """`checker.bulk.plain.moments`, into the last two arrays."""
    rows, n = differences.shape
    y, w, z, k = np.empty(n), np.empty(n), np.empty(CHUNK), np.empty(CHUNK, np.int32)
    for i in range(rows):
        d, c = differences[i], -rate[i]
        for start in range(0, n, CHUNK):
            size = min(CHUNK, n - start)
            for j in range(size):
                r = max(d[start + j] * c, LEAST)
                q = np.rint(r * -STEPS)
                k[j] = np.int32(q)
                r += q * (1 / STEPS)
                p = ((((r * C7 + C6) * r + C5) * r + C4) * r + C3) * r + 0.5
                z[j] = (p * r + 1.0) * r
            for j in range(size):
                t = table[np.uintp(k[j])]
                y[start + j] = t * z[j] + t
            for j in range(size):
                w[start + j] = min(d[start + j], HUGE) * y[start + j]
        size = n
        while size > 1:
            half = (size + 1) // 2
            for j in range(size - half):
                y[j] += y[half + j]
                w[j] += w[half + j]
            size = half
        total[i], moment[i] = y[0], w[0]
