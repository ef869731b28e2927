"""The loops of this package in numpy: what `checker.bulk.compiled` does, operation by operation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.bulk import exponential
from checker.bulk.exponential import Floats

TINY, HUGE = 2.0**-1060, 2.0**1000
_BLOCK = 1 << 13  # entries treated together


def blocks(rows: int, n: int, block: int = _BLOCK) -> list[slice]:
    """Slices of rows, about so many entries each."""
    step = max(1, block // n)
    return [slice(start, start + step) for start in range(0, rows, step)]


def fold(y: Floats) -> Floats:
    """The sums of rows, shape (rows, n): the second half is added to the first until one column is left; y is lost.

    Each sum is a sum of entries times products of at most (n - 1).bit_length() factors 1 + d, |d| <= 2^-53.
    """
    size = y.shape[1]
    while size > 1:
        half = (size + 1) // 2
        y[:, : size - half] += y[:, half:size]
        size = half
    return y[:, 0]


def sums(
    scores: NDArray[np.floating],
    rate: Floats,
    powers: Floats,
    top: Floats,
    visible: NDArray[np.int64],
    maxima: NDArray[np.int64],
    total: Floats,
    overflow: NDArray[np.bool_],
) -> None:
    """Fill in, for each row of scores (rows, n): the maximum, how many scores are above -inf, how many are maximal,
    the sum over the others of exp_near(-(top - s) rate), in the order of `fold`, and whether some top - s overflows.

    rate: shape (rows,), positive, finite. powers: the table of the exponential. Every row has a number above -inf.
    """
    rows, n = scores.shape
    for part in blocks(rows, n):
        s = scores[part].astype(np.float64)
        m = s.max(axis=1)
        with np.errstate(over="ignore"):
            d = m[:, None] - s
            x = d * -rate[part, None]
        y = np.empty_like(x)
        exponential._loop(x.reshape(-1), powers, y.reshape(-1))
        is_top = s == m[:, None]
        y[is_top] = 0
        hidden = (s == -np.inf).sum(axis=1)
        top[part], visible[part], maxima[part] = m, n - hidden, is_top.sum(axis=1)
        overflow[part] = np.isinf(d).sum(axis=1) != hidden
        total[part] = fold(y)


def weights(
    scores: NDArray[np.floating],
    top: Floats,
    rate: Floats,
    slack: Floats,
    inverse_low: Floats,
    inverse_high: Floats,
    powers: Floats,
    low: Floats,
    high: Floats,
) -> None:
    """Fill in ends of weights: y inverse (1 -+ (slack[:, 0] + slack[:, 1] |x|)), widened by TINY; 0 for -inf.

    y = exp_near(x), x = max(-(top - s) rate, LEAST). slack: shape (rows, 2); the other factors: shape (rows,).
    """
    for part in blocks(*scores.shape):
        s = scores[part].astype(np.float64)
        with np.errstate(over="ignore"):
            x = (top[part, None] - s) * -rate[part, None]
        y = np.empty_like(x)
        exponential._loop(x.reshape(-1), powers, y.reshape(-1))
        a = slack[part, :1] - slack[part, 1:] * np.maximum(x, exponential.LEAST)
        e = np.where(s == -np.inf, 0.0, TINY)
        low[part] = np.maximum(y * inverse_low[part, None] * (1 - a) - e, 0)
        high[part] = np.minimum(y * inverse_high[part, None] * (1 + a) + e, 1)


def moments(differences: Floats, rate: Floats, powers: Floats, total: Floats, moment: Floats) -> None:
    """Fill in the sums of y = exp_near(-d rate) and of min(d, 2^1000) y, over rows of differences 0 <= d <= inf."""
    for part in blocks(*differences.shape):
        d = differences[part]
        with np.errstate(over="ignore"):
            x = d * -rate[part, None]
        y = np.empty_like(x)
        exponential._loop(x.reshape(-1), powers, y.reshape(-1))
        moment[part] = fold(np.minimum(d, HUGE) * y)
        total[part] = fold(y)
