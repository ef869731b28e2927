"""The numbers of a schedule at one length, each rounded to its safe side and certified.

Sufficient numbers (a temperature rounded down, a score scale rounded up) are certified after rounding: the claim's
bound at the printed decimal is decided to be at most eps, by Arb with mpmath agreeing. Necessary numbers are rounded
the other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import sympy as sp

from checker.cells import every, solution_cell, value_cell
from checker.decide import Expression, decide
from checker.env import Env
from checker.errors import DisagreementError, HardsoftError, InputError
from checker.exact import exact, show
from checker.formats import Cell
from checker.query import Query
from checker.rounding import Direction, check_digits
from checker.schedule import Regime, Schedule
from checker.schedule_heads import HEADS
from checker.solve import Outcome, Solution, solve_real
from checker.verdict import Verdict

_GUARD_DIGITS = 3
_MAXIMUM_PRECISION = 2**16


@dataclass(frozen=True)
class Value:
    """A number of a schedule: its cell, and the exact decimal printed (None where the cell is no number)."""

    cell: Cell
    number: Fraction | None = None


def sufficient(schedule: Schedule, length: int, digits: int = 3) -> Value:
    """The number of the closed formula at one length: c rounded up, or tau rounded down; certified.

    "every tau" (or c) where eps is so large that nothing is asked of the head. Raises InputError for a length below 1
    or at most k, or digits outside 1..30.
    """
    _check(schedule, length, digits)
    if _always(schedule, length):
        return _any(schedule.subject, "A3.always: TV < 1 - k/n <= eps")
    cell = value_cell(schedule.answer, schedule.scalars(length), digits, _safe(schedule), None)
    return _certified(schedule, cell, schedule.head.bound, length)


def sharper(schedule: Schedule, length: int, digits: int = 3) -> Value | None:
    """The number of the sharper bound at one length, by certified bisection; None if there is none."""
    _check(schedule, length, digits)
    if not schedule.has_sharper:
        return None
    if _trivial(schedule, length):
        return _any(schedule.subject, "A3.always: TV < 1 - 1/n <= eps")
    cell = solution_cell(_threshold(schedule, length, digits), schedule.subject, digits, _safe(schedule))
    return _certified(schedule, cell, schedule.head.sharper, length)


def necessary(schedule: Schedule, length: int, digits: int = 3) -> Value | None:
    """The necessary value at one length: tau rounded up, c or the spread rounded down; None if none is known there."""
    _check(schedule, length, digits)
    needed = schedule.necessity
    if needed is None or _always(schedule, length):
        return None
    side = Direction.UP if needed.subject == "tau" else Direction.DOWN
    if needed.expr is None:
        if _trivial(schedule, length):
            return None
        return Value(solution_cell(_threshold(schedule, length, digits), schedule.subject, digits, side))
    if schedule.head.name != "constant-gap" and length < 2:
        return None  # C2 is about pairs of positions
    return Value(value_cell(needed.expr, schedule.scalars(length), digits, side, None))


def _always(schedule: Schedule, length: int) -> bool:
    """Whether every row with k maxima meets the target at every temperature: TV < 1 - k/n (A3.always)."""
    return schedule.head.name == "constant-gap" and schedule.eps >= 1 - schedule.options["k"] / length


def _trivial(schedule: Schedule, length: int) -> bool:
    """Whether every tieless row of this length meets the target: TV < 1 - 1/n (A3.always), or TV = 0 for n = 1."""
    return schedule.head.lengths and schedule.eps >= 1 - Fraction(1, length)


def _safe(schedule: Schedule) -> Direction:
    return Direction.UP if schedule.regime is Regime.UNBOUNDED else Direction.DOWN


def _check(schedule: Schedule, length: int, digits: int) -> None:
    check_digits(digits)
    if type(length) is not int or length < 1:
        raise InputError(f"n must be an integer >= 1, got {show(length)}")
    if "k" in schedule.options and length <= schedule.options["k"]:
        raise InputError(f"n must exceed k = {show(schedule.options['k'])}, got n = {show(length)}")


def _threshold(schedule: Schedule, length: int, digits: int) -> Solution:
    """The threshold of the sharper bound as a temperature or a score scale, enclosed."""
    noise = schedule.options.get("noise")
    at = length if schedule.head.lengths else 1
    found = _bisected(schedule.head.name, schedule.eps, noise, at, digits + _GUARD_DIGITS)
    if found.enclosure is None:
        raise HardsoftError(f"the sharper bound of {schedule.head.name} cannot be solved: {found.reason}")
    # c/tau = rate * c, or rate/(n^power tau): increasing and decreasing in the number asked for.
    rate = schedule.unit(Fraction(1), 1)
    low, high = found.enclosure
    if schedule.regime is Regime.UNBOUNDED:
        return Solution(Outcome.THRESHOLD, (low / rate, high / rate))
    scale = rate / length**schedule.power
    return Solution(Outcome.THRESHOLD, (scale / high, scale / low))


@lru_cache(maxsize=1024)
def _bisected(name: str, target: Fraction, noise: Fraction | None, length: int, digits: int) -> Solution:
    """The c/tau at which the sharper bound, which decreases in c/tau, reaches the target."""
    left = (length - 1) // 2
    scalars = {"tau": Fraction(1), "n": Fraction(length), "l": Fraction(left), "r": Fraction(length - 1 - left)}
    if noise is not None:
        scalars["noise"] = noise
    return solve_real(Query(HEADS[name].sharper, "c", -1, scalars, target), digits)


def _certified(schedule: Schedule, cell: Cell, bound: sp.Expr, length: int) -> Value:
    """Decide that the bound at the printed number is at most eps; DisagreementError where it is not."""
    # Beyond the printable range a cell is a comparison with a power of ten.
    if cell.text.startswith(("<", ">")):
        return Value(cell)
    number = exact(cell.text)
    env = Env({**schedule.scalars(length), "c": schedule.unit(number, length)})
    verdict = decide(Expression(bound, env), "<=", schedule.eps, maximum=_MAXIMUM_PRECISION).verdict
    if verdict is not Verdict.HOLDS:
        what = f"{schedule.subject} = {cell.text} at n = {show(length)}"
        raise DisagreementError(f"{schedule.head.name}: TV <= {show(schedule.eps)} for {what} {verdict}")
    return Value(cell, number)


def _any(subject: str, reason: str) -> Value:
    text, latex = every(subject), r"every $\tau$" if subject == "tau" else "every $c$"
    return Value(Cell(text, latex, {"printed": text, "rounded": None, "lower": None, "upper": None, "reason": reason}))
