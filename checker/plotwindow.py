"""The window of temperatures of A8, its ends certified, and the row at which A8's worst case is attained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from checker import quantity
from checker.attention import Row
from checker.ball import ball, compare, endpoints, working
from checker.decide import Enclosable
from checker.errors import HardsoftError, InputError
from checker.rounding import Enclosure
from checker.verdict import Verdict

MOST_K = 1000
"""Largest k for which the attaining row of A8 is searched."""

_DIGITS = Fraction(1, 10**9)


def at_most(side: Enclosable, target: Fraction) -> bool:
    """Decide side <= target by Arb, precision doubling to 8192 bits; HardsoftError if undecided."""
    precision = 64
    while precision <= 2**13:
        value = side.ball(precision)
        with working(precision):
            verdict = compare(value, "<=", ball(target))
        if verdict is not Verdict.UNDECIDED:
            return verdict is Verdict.HOLDS
        precision *= 2
    raise HardsoftError(f"{side} <= {target} is undecided at 8192 bits")


def window(
    error: Callable[[Fraction], Enclosable], grid: Sequence[Fraction], eps: Fraction
) -> tuple[Enclosure | None, Enclosure] | None:
    """Where on the increasing grid error <= eps: enclosures of the two ends, to 9 digits; None if nowhere.

    error <= eps is decided at the inner end of each enclosure and error > eps at the outer one. That the error is
    at most eps throughout is decided at the grid points between them only. An end beyond the grid: the left end is
    None, the right one the last grid point.
    """
    inside = [at_most(error(tau), eps) for tau in grid]
    if True not in inside:
        return None
    first, last = inside.index(True), len(inside) - 1 - inside[::-1].index(True)
    if not all(inside[first : last + 1]):
        raise HardsoftError("the temperatures with error at most eps are no interval here; choose another eps")
    left = _crossing(error, grid[first], grid[first - 1], eps) if first else None
    right = _crossing(error, grid[last], grid[last + 1], eps) if last + 1 < len(grid) else (grid[-1], grid[-1])
    return left, right


def _crossing(error: Callable[[Fraction], Enclosable], good: Fraction, bad: Fraction, eps: Fraction) -> Enclosure:
    while abs(bad - good) > _DIGITS * good:
        middle = (good + bad) / 2
        middle = middle.limit_denominator(10**15)
        if at_most(error(middle), eps):
            good = middle
        else:
            bad = middle
    return min(good, bad), max(good, bad)


def attained(n: int, k: int, gamma: Fraction, eta: Fraction, tau: Fraction) -> quantity.Quantity:
    """The TV of A8's worst row (A8.attained): all others and b of the k maxima rise by eta, the rest falls.

    b is the number that gives the largest midpoint; any b gives a row that A8 bounds, so the choice needs no proof.
    Raises InputError for k > 1000.
    """
    if k > MOST_K:
        raise InputError(f"the rows that attain A8 are drawn up to k = {MOST_K}, got {k}")
    return max((_raised(n, k, gamma, eta, tau, b) for b in range(k + 1)), key=_size)


def _size(side: Enclosable) -> Fraction:
    lower, upper = endpoints(side.ball(128))
    return lower + upper


def _raised(n: int, k: int, gamma: Fraction, eta: Fraction, tau: Fraction, b: int) -> quantity.Quantity:
    groups = [(Fraction(0), eta, b), (Fraction(0), -eta, k - b), (-gamma, eta - gamma, n - k)]
    held = [(score, moved, count) for score, moved, count in groups if count]
    counts = tuple(count for _, _, count in held)
    row, moved_row = Row(tuple(s for s, _, _ in held), counts), Row(tuple(m for _, m, _ in held), counts)
    return quantity.tv_perturbed(row, moved_row, tau)
