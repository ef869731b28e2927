"""The loops of this package in numpy: what `checker.bulk.compiled` does, operation by operation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from checker.bulk import exponential
from checker.bulk.exponential import Floats

TINY, HUGE = 2.0**-1060, 2.0**1000
_BLOCK = 1 << 15  # entries treated together


def blocks(rows: int, n: int, block: int = _BLOCK) -> list[slice]:
    """Slices of rows, about so many entries each."""
    step = max(1, block // n)
    return [slice(start, start + step) for start in range(0, rows, step)]


def fold(y: Floats) -> Floats:
    """The sums of rows, shape (rows, n): the second half is added to the first until one column is left; y is lost.

    Each sum is a sum of entries times products of at most depth(n) factors 1 + d, |d| <= 2^-53.
    """
    size = y.shape[1]
    while size > 1:
        half = (size + 1) // 2
        y[:, : size - half] += y[:, half:size]
        size = half
    return y[:, 0]


def depth(n: int) -> int:
    """The number of rounds in which `fold` adds n numbers: log2 n, rounded up."""
    return (n - 1).bit_length()


def sums(
    scores: NDArray[np.floating],
    rate: Floats,
    powers: Floats,
    top: Floats,
    visible: NDArray[np.int64],
    maxima: NDArray[np.int64],
    total: Floats,
    overflow: NDArray[np.bool_],
    keep: bool,
    kept: Floats,
    arguments: Floats,
) -> None:
    """Fill in, for each row of scores (rows, n): the maximum, how many scores are above -inf, how many are maximal,
    the sum over the others of y = exp_near(-(top - s) rate), in the order of `fold`, and whether some top - s
    overflows; if `keep`, also all y, and max(-(top - s) rate, LEAST), both of shape (rows, n).

    rate: shape (rows,), positive, finite. powers: the table of the exponential. No score is NaN or +inf; a row all
    -inf has top -inf, and then other results mean nothing.
    """
    rows, n = scores.shape
    for part in blocks(rows, n):
        s = scores[part].astype(np.float64)
        m = s.max(axis=1)
        if m.min() == -np.inf:
            top[part] = m
            continue
        with np.errstate(over="ignore"):
            x = m[:, None] - s
            if np.isinf(x).any():
                hidden = np.count_nonzero(s == -np.inf, axis=1)
                visible[part], overflow[part] = n - hidden, np.count_nonzero(np.isinf(x), axis=1) != hidden
            else:
                visible[part], overflow[part] = n, False
            x *= -rate[part, None]
        y = kept[part] if keep else np.empty_like(x)
        exponential._loop(x.reshape(-1), powers, y.reshape(-1))
        others = s != m[:, None]
        top[part], maxima[part] = m, n - np.count_nonzero(others, axis=1)
        if keep:
            np.maximum(x, exponential.LEAST, out=arguments[part])
        total[part] = fold(y * others)


def weights(scores: NDArray[np.floating], slack: Floats, centre: Floats, low: Floats, high: Floats) -> None:
    """Turn low = y and high = x into ends of weights: y centre (1 -+ (slack[:, 0] + slack[:, 1] |x|)) -+ TINY.

    y, x: what `sums` keeps, shape (rows, n). slack: shape (rows, 2); centre: (rows,). Scores -inf have weight 0.
    """
    for part in blocks(*scores.shape):
        s, y, radius = scores[part], low[part], high[part]
        e = np.where(s == -np.inf, 0.0, TINY) if s.min() == -np.inf else TINY
        y *= centre[part, None]
        radius *= -slack[part, 1:]
        radius += slack[part, :1]
        radius *= y
        radius += e
        above = y + radius
        y -= radius
        np.maximum(y, 0, out=y)
        np.minimum(above, 1, out=radius)


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
