"""What the audit of attention scores found: rigorous enclosures per row, and a summary per head.

Indices count from 0, as in the array.  Every enclosure is a pair of float64 numbers that the true value lies
between; (inf, inf) as a temperature means that every temperature will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from checker.attention import Mask
from checker.scorearray import Scores

Bounds = tuple[float, float]
Enclosures = NDArray[np.float64]  # shape (rows, 2): lower and upper ends


def shown(mask: Mask, queries: NDArray[np.int64], keys: int) -> NDArray[np.bool_]:
    """Which keys each query sees, shape (len(queries), keys); queries and keys count from 0."""
    i, j = queries[:, None], np.arange(keys)[None, :]
    if mask is Mask.NONE:
        return np.ones((len(queries), keys), dtype=np.bool_)
    if mask is Mask.FUTURE:
        return j <= i
    if mask is Mask.STRICT_FUTURE:
        return j < i
    return j >= i if mask is Mask.PAST else j > i


@dataclass(frozen=True)
class RowAudit:
    """One row.  ``hard`` are the keys of maximal score; gap is None if all visible scores are equal.

    n, k: visible and maximal keys.  tv: TV at the audit's tau.  critical: the largest temperature at which
    TV <= eps.  bound_tv, bound_critical: the same by statement A2, from n, k and the gap alone.
    slack: critical / bound_critical, at least 1; None where every temperature will do.
    """

    index: tuple[int, ...]
    hard: tuple[int, ...]
    n: int
    k: int
    gap: Fraction | None
    spread: Fraction
    tv: Bounds
    critical: Bounds
    bound_tv: Bounds
    bound_critical: Bounds
    slack: Bounds | None


@dataclass(frozen=True)
class HeadAudit:
    """One head (index: all dimensions but queries and keys), over its rows that see at least one key.

    least, median, largest: critical temperatures (the median of an even number of rows is the lower of the two
    middle ones).  hardest: numbers of the rows that may have the least one, given the enclosures.
    unlimited: rows for which every temperature will do.  slack: least and largest slack over the other rows.
    """

    index: tuple[int, ...]
    rows: int
    empty: int
    unlimited: int
    least: Bounds
    median: Bounds
    largest: Bounds
    max_tv: Bounds
    slack: tuple[Bounds, Bounds] | None
    hardest: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Audit:
    """Audit of all rows at target eps and temperature tau; row arrays are in C order of the leading axes.

    Rows that a strict mask leaves without keys have n = 0: both weight vectors are zero, TV = 0 by convention.
    """

    scores: Scores
    mask: Mask
    eps: Fraction
    tau: Fraction
    n: NDArray[np.int64]
    k: NDArray[np.int64]
    tv: Enclosures
    critical: Enclosures
    bound_tv: Enclosures
    bound_critical: Enclosures
    slack: Enclosures

    @property
    def rows(self) -> int:
        """Number of rows, empty ones included."""
        return len(self.n)

    @property
    def empty(self) -> int:
        """Number of rows without a visible key."""
        return int((self.n == 0).sum())

    def row(self, row: int) -> RowAudit:
        """Everything about row number ``row`` (C order); its gap and spread are exact."""
        hard, levels = _levels(self.scores, self.mask, row)
        slack = _pair(self.slack, row)
        return RowAudit(
            index=self.scores.index(row),
            hard=hard,
            n=int(self.n[row]),
            k=int(self.k[row]),
            gap=levels[0] - levels[1] if len(levels) > 1 else None,
            spread=levels[0] - levels[-1] if levels else Fraction(0),
            tv=_pair(self.tv, row),
            critical=_pair(self.critical, row),
            bound_tv=_pair(self.bound_tv, row),
            bound_critical=_pair(self.bound_critical, row),
            slack=None if np.isnan(slack[0]) else slack,
        )

    def heads(self) -> list[HeadAudit]:
        """The summary of every head, in C order."""
        shape = self.scores.shape
        queries = shape[-2] if len(shape) > 1 else 1
        return [self._head(start, start + queries) for start in range(0, self.rows, queries)]

    def lowest(self, count: int) -> list[int]:
        """Numbers of the ``count`` rows of lowest critical temperature, lowest first."""
        rows = np.flatnonzero((self.n > 0) & np.isfinite(self.critical[:, 0]))
        return [int(r) for r in rows[np.argsort(self.critical[rows, 0], kind="stable")][:count]]

    def _head(self, start: int, stop: int) -> HeadAudit:
        some = start + np.flatnonzero(self.n[start:stop] > 0)
        critical, slack = self.critical[some], self.slack[some]
        slack = slack[~np.isnan(slack[:, 0])]
        # The j-th smallest of numbers in [lo, hi] lies between the j-th smallest lo and the j-th smallest hi.
        ordered = np.sort(critical, axis=0)
        least, largest = _pair(ordered, 0), _pair(ordered, -1)
        finite = critical[:, 0] < np.inf
        return HeadAudit(
            index=self.scores.index(start)[:-1],
            rows=len(some),
            empty=stop - start - len(some),
            unlimited=int((~finite).sum()),
            least=least,
            median=_pair(ordered, (len(some) - 1) // 2),
            largest=largest,
            max_tv=(float(self.tv[some, 0].max()), float(self.tv[some, 1].max())),
            slack=(_pair(np.sort(slack, axis=0), 0), _pair(np.sort(slack, axis=0), -1)) if len(slack) else None,
            # A row can have the least temperature iff its lower end is below every upper end.
            hardest=tuple(int(r) for r in some[finite & (critical[:, 0] <= least[1])]),
        )


def visible_scores(scores: Scores, mask: Mask, row: int) -> dict[int, Fraction]:
    """The exact scores of the row's visible keys (not hidden by the mask, not -inf), by key."""
    seen = _seen(scores, mask, row)
    return {key: score for key, score in enumerate(scores.exact_row(row)) if score is not None and seen[key]}


def _seen(scores: Scores, mask: Mask, row: int) -> NDArray[np.bool_]:
    query = scores.index(row)[-1] if len(scores.shape) > 1 else 0
    return shown(mask, np.array([query]), scores.keys)[0]


def _levels(scores: Scores, mask: Mask, row: int) -> tuple[tuple[int, ...], list[Fraction]]:
    """The hard set, and the largest, second largest and least of the distinct visible scores (fewer if fewer)."""
    if scores.inexact(row, row + 1)[0]:
        exact = visible_scores(scores, mask, row)
        distinct = sorted(set(exact.values()), reverse=True)
        return tuple(key for key, score in exact.items() if score == distinct[0]), distinct[:2] + distinct[2:][-1:]
    # The row consists of float64 numbers, so comparing them as such is exact.
    values = scores.floats(row, row + 1)[0]
    keys = np.flatnonzero(_seen(scores, mask, row) & (values != -np.inf))
    if not len(keys):
        return (), []
    seen = values[keys]
    top, rest = seen.max(), seen[seen < seen.max()]
    levels = [top, rest.max(), rest.min()] if len(rest) else [top]
    return tuple(keys[seen == top].tolist()), [Fraction(float(x)) for x in levels]


def _pair(enclosures: Enclosures, row: int) -> Bounds:
    return float(enclosures[row, 0]), float(enclosures[row, 1])
