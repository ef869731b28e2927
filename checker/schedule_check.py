"""Schedules verified from the definitions: worst rows at the scheduled temperature, TV <= eps decided for each.

Nothing here uses a bound: scores are written down from the description of the head, the hard choice is found among
them, and the distance is that of `checker.quantity`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from checker.attention import Row
from checker.decide import decide
from checker.quantity import tv
from checker.schedule import Regime, Schedule
from checker.schedule_numbers import sufficient
from checker.verdict import Verdict

LARGEST_EXPLICIT = 200
"""Longest row written out position by position."""

_LARGEST_MULTISET = 2**4000
_ALL_PATTERNS = 6
_FEW_PATTERNS = 50

Case = tuple[Row, int]
"""A row and the index of the group that hard attention must choose."""


def check(schedule: Schedule, length: int, number: Fraction | None = None, digits: int = 3) -> Verdict | None:
    """Whether TV <= eps on the worst rows of `length` positions; None where these rows are too long to write down.

    number: the score scale (unbounded regime, tau = 1) or the temperature (scaled regime, c = 1); by default the one
    that the schedule prints with this many digits. FAILS also if hard attention chooses another position than the head
    is meant to find.
    """
    if number is None:
        number = sufficient(schedule, length, digits).number
    if number is None or not in_reach(schedule, length):
        return None
    unbounded = schedule.regime is Regime.UNBOUNDED
    scale = number if unbounded else Fraction(1, length**schedule.power)
    tau = Fraction(1) if unbounded else number
    worst = Verdict.HOLDS
    for row, chosen in rows(schedule, length, scale):
        if schedule.head.name != "constant-gap" and (row.k != 1 or row.scores[chosen] != row.top):
            return Verdict.FAILS
        verdict = decide(tv(row, tau), "<=", schedule.eps).verdict
        if verdict is Verdict.FAILS:
            return verdict
        worst = verdict if verdict is Verdict.UNDECIDED else worst
    return worst


def in_reach(schedule: Schedule, length: int) -> bool:
    """Whether the worst rows of this length can be written down."""
    return length <= (_LARGEST_MULTISET if schedule.head.name == "constant-gap" else LARGEST_EXPLICIT)


def rows(schedule: Schedule, length: int, scale: Fraction) -> Iterator[Case]:
    """The worst rows of the head with scores of the given scale, and for each the group that must be chosen."""
    name, options = schedule.head.name, schedule.options
    if name == "constant-gap":
        k = int(options["k"])
        yield Row.multiset({scale * options["gamma"]: k, Fraction(0): length - k}), 0
    elif name in ("rightmost", "leftmost"):
        for chi in _predicates(length):
            yield _temporal(chi, name == "rightmost", scale)
    elif name in ("linear", "linear-both"):
        step = scale * options["gamma"]
        # On both sides the middle is worst: q^l + q^r with l + r fixed is least for |l - r| <= 1.
        for m in (1, length) if name == "linear" else ((length + 1) // 2, length // 2 + 1):
            yield Row.explicit([-step * abs(j - m) for j in range(1, length + 1)]), m - 1
    else:
        h = options.get("noise", Fraction(0))
        for a, eta in itertools.product(((length + 1) // 2, length // 2 + 1), (h, -h)):
            yield Row.explicit([-scale * (j - a - eta) ** 2 for j in range(1, length + 1)]), a - 1


def _temporal(chi: Sequence[int], rightmost: bool, scale: Fraction) -> Case:
    """The head of B6 at the query that sees every position, and the position that it must find."""
    length = len(chi)
    true = [j for j, value in enumerate(chi) if value]
    sign = 1 if rightmost else -1
    scores = [scale * (2 * length * value + sign * j) for j, value in enumerate(chi, start=1)]
    if rightmost:
        return Row.explicit(scores), true[-1] if true else length - 1
    return Row.explicit(scores), true[0] if true else 0


def _predicates(length: int) -> Iterable[Sequence[int]]:
    """Every predicate on few positions; on many the empty one (the worst, by B1.tight) and a few others."""
    if length <= _ALL_PATTERNS:
        return itertools.product((0, 1), repeat=length)
    nothing, everything = [0] * length, [1] * length
    first, last = [1, *nothing[1:]], [*nothing[1:], 1]
    alternating = [j % 2 for j in range(length)]
    return [nothing, first] if length > _FEW_PATTERNS else [nothing, everything, first, last, alternating]
