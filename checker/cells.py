"""Table cells from rigorous numbers: a bound enclosed and rounded to its safe side, or the answer of a query."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy

from checker import ball
from checker.decide import Expression
from checker.env import Env
from checker.errors import DisagreementError, HardsoftError
from checker.formats import Cell
from checker.numerals import exact_latex, exact_text
from checker.parameters import LATEX
from checker.rounding import (
    LARGEST_EXPONENT,
    Direction,
    Enclosure,
    Rounded,
    decimal,
    decimal_down,
    decimal_up,
    power_of_two,
    round_enclosed,
    scaled,
)
from checker.solve import Outcome, Solution
from checker.verdict import Verdict

MAXIMUM_PRECISION = 2**13
_ENCLOSURE_DIGITS = 20


class _Beyond(Exception):  # noqa: N818 - control flow, not an error
    """The value is positive and lies above or below the printable range."""

    def __init__(self, above: bool) -> None:
        super().__init__(above)
        self.above = above


def value_cell(
    bound: sympy.Expr,
    row: Mapping[str, Fraction],
    digits: int,
    direction: Direction,
    cap: Fraction | None,
) -> Cell:
    """Return the value of a non-negative bound at a row of parameters, rounded to `digits` digits in `direction`.

    cap: a number the bounded quantity never exceeds; an upper bound is not printed above it.
    Arb's enclosure is compared with mpmath's: DisagreementError if they are disjoint.
    HardsoftError if no finite enclosure is found and there is no cap.
    """
    expression = Expression(bound, Env(row))
    reasons: list[str] = []

    def enclose(precision: int) -> Enclosure:
        value = expression.ball(precision)
        if not value.is_finite():
            if cap is not None and direction is Direction.UP:
                # The quantity lies in [0, cap] whatever the bound says.
                reasons[:] = ["only the trivial bound, since the parameters are too extreme to enclose a better one"]
                return Fraction(0), cap
            if precision < MAXIMUM_PRECISION:
                return enclose(2 * precision)
            raise HardsoftError(
                f"the bound has no finite enclosure at {precision} bits; its parameters are too extreme"
            )
        reasons.clear()
        _check_printable(value)
        (low, low_power), (high, high_power) = ball.outer(value, precision)
        lower, upper = low * power_of_two(low_power), high * power_of_two(high_power)
        # Table bounds are >= 0; the quantity is <= cap, so min(bound, cap) bounds it too (upper bounds only).
        lower = max(lower, Fraction(0))
        return (lower, min(upper, cap)) if cap is not None and direction is Direction.UP else (lower, upper)

    try:
        rounded = round_enclosed(enclose, digits, direction, start=64 + 4 * digits, maximum=MAXIMUM_PRECISION)
    except _Beyond as beyond:
        cell = _beyond_cell(beyond.above, direction)
        # "bound >= < 1e-1000000" would say nothing: a lower bound below the range is printed as 0.
        return Cell("0", "$0$", {**cell.data, "printed": "0"}) if cell.csv == "0" else cell
    _cross_check(expression, rounded)
    if reasons:
        trivial = exact_text(rounded.enclosure[1])  # without decimals, to tell it from a bound that rounds to 1.00
        return _decimal_cell(trivial, f"${trivial}$", rounded.enclosure, direction, reasons[0])
    return _decimal_cell(rounded.decimal.text, rounded.decimal.latex, rounded.enclosure, direction)


def _check_printable(value: ball.Ball) -> None:
    """Raise _Beyond where a ball is proved to lie outside 10^(+-LARGEST_EXPONENT), exact zero excepted."""
    with ball.working(64):
        least, most = ball.ball(scaled(1, -LARGEST_EXPONENT)), ball.ball(scaled(1, LARGEST_EXPONENT))
        zero = ball.compare(value, "=", ball.ball(0)) is Verdict.HOLDS
    if not zero and ball.compare(value, "<", least) is Verdict.HOLDS:
        raise _Beyond(above=False)
    if ball.compare(value, ">", most) is Verdict.HOLDS:
        raise _Beyond(above=True)


def _cross_check(expression: Expression, rounded: Rounded) -> None:
    """Arb and mpmath both enclose the value, so their enclosures meet; DisagreementError if not."""
    other = expression.mp(rounded.precision)
    lower, upper = rounded.enclosure
    if not other.is_finite:
        return
    if other.upper < lower or other.lower > upper:
        raise DisagreementError(f"Arb and mpmath enclose {expression.expr} in disjoint intervals")


def _decimal_cell(text: str, latex: str, enclosure: Enclosure, direction: Direction | None, reason: str = "") -> Cell:
    data = {
        "printed": text,
        "rounded": direction.value if direction else None,
        "lower": decimal_down(enclosure, _ENCLOSURE_DIGITS).text,
        "upper": decimal_up(enclosure, _ENCLOSURE_DIGITS).text,
    }
    if reason:
        data["reason"] = reason
    return Cell(text, latex, data)


def _beyond_cell(above: bool, direction: Direction, reason: str = "") -> Cell:
    power = LARGEST_EXPONENT if above else -LARGEST_EXPONENT
    sign = ">" if above else "<"
    # The safe number: at the side of the range for one direction, at 0 or infinity for the other.
    inward = (direction is Direction.DOWN) is above
    safe = f"1e{power}" if inward else ("inf" if above else "0")
    text = f"{sign} 1e{power}"
    data = {
        "printed": text,
        "rounded": None,
        "lower": f"1e{power}" if above else "0",
        "upper": "inf" if above else f"1e{power}",
    }
    if reason:
        data["reason"] = reason
    return Cell(text, f"${sign} 10^{{{power}}}$", data, safe)


def solution_cell(solution: Solution, name: str, digits: int, direction: Direction) -> Cell:
    """Return the answer of a query for the parameter `name` as a cell, its threshold rounded in `direction`."""
    if solution.enclosure is not None:
        lower, upper = solution.enclosure
        if lower == upper and lower.denominator == 1:
            cell = _decimal_cell(exact_text(lower), exact_latex(lower), solution.enclosure, None, solution.reason)
            return Cell(cell.text, cell.latex, {**cell.data, "exact": True})
        # A threshold strictly inside two neighbouring decimals rounds to fewer digits as the outer of them does.
        rounded = decimal(upper if direction is Direction.UP else lower, digits, direction)
        return _decimal_cell(rounded.text, rounded.latex, solution.enclosure, direction, solution.reason)
    if solution.outcome in (Outcome.ABOVE, Outcome.BELOW):
        return _beyond_cell(solution.outcome is Outcome.ABOVE, direction, solution.reason)
    reason = {"reason": solution.reason} if solution.reason else {}
    if solution.outcome is Outcome.NONE:
        return Cell("none", "none", {"printed": "none", "rounded": None, "lower": None, "upper": None, **reason})
    text = every(name)
    latex = "unbounded" if name == "n" else f"every {LATEX[name]}"
    return Cell(text, latex, {"printed": text, "rounded": None, "lower": None, "upper": None, **reason})


def every(name: str) -> str:
    """The text of a cell whose target is met by every admissible value of the parameter."""
    return "unbounded" if name == "n" else f"every {name}"
