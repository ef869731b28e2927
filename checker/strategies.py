"""Hypothesis strategies for exact rows of attention scores: chosen gap, ties, growth, spread, perturbations.

Needs the extra `hypothesis` (``pip install 'hardsoft[hypothesis]'``).  Every strategy yields exact numbers
(`fractions.Fraction`) or rows of them (`checker.attention.Row`, one group per position), shrinks towards short
rows of small numbers, and never filters.  Sizes are an int or a pair (least, largest), both included.
Impossible arguments raise InputError when the strategy is built, with the value in the message.

    from hypothesis import given
    from checker import strategies

    @given(row=strategies.rows_with_gap("1/2", n=(2, 6), k=1), tau=strategies.temperatures())
    def test_my_bound(row, tau): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from checker.attention import Row, Tie
from checker.errors import InputError
from checker.exact import exact, show

try:
    from hypothesis import strategies as st
except ImportError:
    message = "checker.strategies needs the extra 'hypothesis': pip install 'hardsoft[hypothesis]'"
    raise ImportError(message) from None

Size = int | tuple[int, int]
Number = int | str | Fraction
Side = Literal["left", "right", "both"]

MAX_DENOMINATOR = 64


def temperatures(least: Number = Fraction(1, 1000), largest: Number = 1000) -> st.SearchStrategy[Fraction]:
    """Temperatures m * 10^e (m of at most three digits) in [least, largest]; least > 0.

    >>> temperatures(0, 1)
    Traceback (most recent call last):
    checker.errors.InputError: least temperature must be positive, got 0
    """
    low, high = _positive(least, "least temperature"), _positive(largest, "largest temperature")
    if low > high:
        raise InputError(f"least temperature {show(low)} exceeds the largest, {show(high)}")
    exponents = range(_decade(low), _decade(high) + 1)

    def near(e: int) -> st.SearchStrategy[Fraction]:
        return st.integers(100, 999).map(lambda m: min(max(m * Fraction(10) ** (e - 2), low), high))

    return st.sampled_from(sorted(exponents, key=abs)).flatmap(near)


def ratio_grid(least: int = -6, largest: int = 3) -> st.SearchStrategy[Fraction]:
    """Ratios gap/tau of a fixed grid, 1, 2 and 5 times 10^least .. 10^largest.

    >>> ratio_grid(3, -6)
    Traceback (most recent call last):
    checker.errors.InputError: least exponent 3 exceeds the largest, -6
    """
    if least > largest:
        raise InputError(f"least exponent {least} exceeds the largest, {largest}")
    grid = [m * Fraction(10) ** e for e in range(least, largest + 1) for m in (1, 2, 5)]
    return st.sampled_from(sorted(grid, key=lambda x: max(x, 1 / x)))


def ties() -> st.SearchStrategy[Tie]:
    """The three tie rules; rows do not depend on one, so draw it beside them."""
    return st.sampled_from([Tie.AVERAGE, Tie.LEFTMOST, Tie.RIGHTMOST])


def rows(
    n: Size = (1, 8),
    k: Size | None = None,
    *,
    gap: Number | None = None,
    at_least: bool = False,
    spread: Number | None = None,
    tail: Number | None = None,
) -> st.SearchStrategy[Row]:
    """Rows of n scores with k maxima, in any order.

    n, k: sizes; k defaults to every possible one.  gap: the gap (or, with ``at_least``, a lower bound on it); given
    a gap, k < n.  spread: upper bound on max - min.  tail: how far below the gap scores may lie (default 8).

    >>> from hypothesis import find
    >>> row = find(rows(n=4, k=2, gap=1), lambda row: True)
    >>> row.n, row.k, row.gap
    (4, 2, Fraction(1, 1))
    >>> rows(n=(1, 3), k=4)
    Traceback (most recent call last):
    checker.errors.InputError: k = 4 maxima need n >= 4, got n = (1, 3)
    """
    (n_low, n_high), (k_low, k_high) = _size(n, "n"), _size(1 if k is None else k, "k")
    k_high = n_high if k is None else k_high
    needed = k_low if gap is None else k_low + 1
    if needed > n_high:
        finite = "" if gap is None else " with a finite gap"
        raise InputError(f"k = {1 if k is None else k} maxima{finite} need n >= {needed}, got n = {n}")
    step = None if gap is None else _positive(gap, "gap")
    limit = None if spread is None else _positive(spread, "spread", zero=step is None)
    if step is not None and limit is not None and step > limit:
        raise InputError(f"gap {show(step)} exceeds the spread {show(limit)}")
    depth = Fraction(8) if tail is None else _positive(tail, "tail", zero=True)

    @st.composite
    def build(draw: Any) -> Row:
        size = draw(st.integers(max(n_low, needed), n_high))
        maxima = draw(st.integers(k_low, min(k_high, size if step is None else size - 1)))
        top = draw(_fractions(Fraction(-8), Fraction(8)))
        below = [Fraction(0)] * maxima
        if maxima < size:
            if limit == 0:  # no room for a smaller score: all are maximal
                return Row.explicit([top] * size)
            first = step if step is not None else draw(_gaps(limit))
            room = depth if limit is None else min(depth, limit - first)
            more = st.lists(_fractions(Fraction(0), room), min_size=size - maxima, max_size=size - maxima)
            extra = draw(more)
            least = Fraction(0) if at_least else min(extra)
            below += [first + x - least for x in extra]
        return Row.explicit([top - x for x in draw(st.permutations(below))])

    if limit == 0 and k is not None and n_high != k_low:
        raise InputError(f"spread 0 makes all scores maximal, so k = n; got k = {k}, n = {n}")
    return build()


def rows_with_gap(
    gap: Number, n: Size = (2, 8), k: Size | None = None, *, at_least: bool = False, tail: Number | None = None
) -> st.SearchStrategy[Row]:
    """Rows whose gap is exactly ``gap`` (with ``at_least``: ``gap`` or more), so k < n.

    >>> rows_with_gap(1, n=1)
    Traceback (most recent call last):
    checker.errors.InputError: k = 1 maxima with a finite gap need n >= 2, got n = 1
    """
    return rows(n, k, gap=gap, at_least=at_least, tail=tail)


def tieless_rows(n: Size = (1, 8), *, gap: Number | None = None) -> st.SearchStrategy[Row]:
    """Rows with a single maximum (k = 1)."""
    return rows(n, 1, gap=gap)


def tied_rows(n: Size = (2, 8), k: Size | None = None, *, gap: Number | None = None) -> st.SearchStrategy[Row]:
    """Rows with at least two maxima; k = n occurs unless a gap is given.

    >>> tied_rows(n=6, k=1)
    Traceback (most recent call last):
    checker.errors.InputError: tied rows have k >= 2, got k = 1
    """
    if _size(n, "n")[1] < 2:
        raise InputError(f"tied rows need n >= 2, got n = {n}")
    low, high = (2, _size(n, "n")[1]) if k is None else _size(k, "k")
    if low < 2:
        raise InputError(f"tied rows have k >= 2, got k = {k}")
    return rows(n, (low, high), gap=gap)


def bounded_spread(spread: Number, n: Size = (1, 8)) -> st.SearchStrategy[Row]:
    """Rows with max - min <= spread (statement A4), every k.

    >>> bounded_spread(-1)
    Traceback (most recent call last):
    checker.errors.InputError: spread must be >= 0, got -1
    """
    limit = _positive(spread, "spread", zero=True)
    low, high = _size(n, "n")
    scores = st.lists(_fractions(Fraction(0), limit), min_size=low, max_size=high)
    return scores.map(lambda below: Row.explicit([-x for x in below]))


def linear_growth(
    gamma: Number, n: Size = (1, 8), side: Side = "both", *, tight: bool = False
) -> st.SearchStrategy[Row]:
    """Rows with one maximiser m and max - s_j >= gamma |j - m| for every position j (statements B1, B2).

    side: where the other positions are: "left" (m = n), "right" (m = 1) or "both".  tight: equality everywhere.

    >>> from hypothesis import find
    >>> find(linear_growth(1, n=3, side="left", tight=True), lambda row: row.top == 0).scores
    (Fraction(-2, 1), Fraction(-1, 1), Fraction(0, 1))
    """
    rate, (low, high) = _positive(gamma, "gamma"), _size(n, "n")
    if side not in ("left", "right", "both"):
        raise InputError(f"side must be 'left', 'right' or 'both', got {side!r}")

    @st.composite
    def build(draw: Any) -> Row:
        size = draw(st.integers(low, high))
        maximiser = {"left": size - 1, "right": 0}.get(side)
        if maximiser is None:
            maximiser = draw(st.integers(0, size - 1))
        top = draw(_fractions(Fraction(-8), Fraction(8)))
        slack = [Fraction(0)] * size if tight else draw(_lists(_fractions(Fraction(0), 4 * rate), size))
        below = [rate * abs(j - maximiser) + slack[j] * (j != maximiser) for j in range(size)]
        return Row.explicit([top - x for x in below])

    return build()


def perturbations(row: Row, eta: Number) -> st.SearchStrategy[Row]:
    """Rows with the same positions as ``row`` and every score moved by at most eta (statements A5, A6, A8).

    The extreme moves, -eta and +eta, are drawn often.

    >>> perturbations(Row.explicit([0, 1]), -1)
    Traceback (most recent call last):
    checker.errors.InputError: eta must be >= 0, got -1
    """
    size = _positive(eta, "eta", zero=True)
    move = st.one_of(st.sampled_from([Fraction(0), size, -size]), _fractions(-size, size))
    groups = len(row.scores)

    def moved(moves: Sequence[Fraction]) -> Row:
        scores = tuple(score + move for score, move in zip(row.scores, moves, strict=True))
        return Row(scores, row.multiplicities)

    return _lists(move, groups).map(moved)


def value_lists(size: int, spread: Number = 1) -> st.SearchStrategy[list[Fraction]]:
    """Lists of ``size`` values, one per group, with max - min <= spread (statement A7)."""
    if size < 0:
        raise InputError(f"size must be >= 0, got {size}")
    return _lists(_fractions(Fraction(0), _positive(spread, "spread", zero=True)), size)


def _lists(items: st.SearchStrategy[Fraction], size: int) -> st.SearchStrategy[list[Fraction]]:
    return st.lists(items, min_size=size, max_size=size)


def _fractions(low: Fraction, high: Fraction) -> st.SearchStrategy[Fraction]:
    """Fractions in [low, high]: the ends, and low + (high - low) * i/64; simplest first."""
    parts = st.integers(0, MAX_DENOMINATOR).map(lambda i: low + (high - low) * Fraction(i, MAX_DENOMINATOR))
    return st.one_of(st.just(Fraction(0)), parts) if low <= 0 <= high else parts


def _gaps(limit: Fraction | None) -> st.SearchStrategy[Fraction]:
    """Positive fractions, at most ``limit``."""
    unit = st.integers(1, MAX_DENOMINATOR).map(lambda i: Fraction(i, MAX_DENOMINATOR))
    return unit.map(lambda x: x * (4 if limit is None else limit))


def _size(size: Size, what: str) -> tuple[int, int]:
    low, high = size if isinstance(size, tuple) and len(size) == 2 else (size, size)
    if type(low) is not int or type(high) is not int or not 1 <= low <= high:
        raise InputError(f"{what} must be an integer >= 1 or a pair (least, largest) of such, got {size!r}")
    return low, high


def _positive(value: Number, what: str, *, zero: bool = False) -> Fraction:
    number = exact(value, what)
    if number < 0 or (number == 0 and not zero):
        raise InputError(f"{what} must be {'>= 0' if zero else 'positive'}, got {show(number)}")
    return number


def _decade(x: Fraction) -> int:
    """The exponent e with 10^e <= x < 10^(e+1)."""
    e = 0
    while Fraction(10) ** e > x:
        e -= 1
    while Fraction(10) ** (e + 1) <= x:
        e += 1
    return e
