"""The data of a picture: panels of curves, every point of which is a rigorous enclosure of the value drawn.

`enclose` is the only way a number gets into a picture: Arb's enclosure, narrower than any line can show and checked
against mpmath's. What is drawn is its midpoint; what is exported is rounded to the safe side.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from checker import ball
from checker.decide import Enclosable
from checker.errors import DisagreementError, HardsoftError, InputError
from checker.numerals import exact_text
from checker.rounding import Direction, Enclosure, decimal, scaled
from checker.verdict import Verdict

DIGITS = 8
"""Significant digits of an exported value."""

MAXIMUM_PRECISION = 2**13
_RESOLUTION = Fraction(1, 10**12)  # relative width; a pixel of a large screen is about 1/10^4 of an axis
_SMALLEST = -300  # powers of ten that a drawing (in floats) can place
_LARGEST = 300


class Role(Enum):
    """What a curve shows; the direction in which its values are rounded follows from it."""

    BOUND = "bound"  # an upper bound of a statement
    EXACT = "exact"  # from the definition of softmax and hard attention
    BEST = "exact best case"  # likewise, the least error of a class of rows
    LOWER = "lower bound"
    LIMIT = "limit"  # the bound for every n
    TERM = "term"  # one of the two effects that add up to a bound
    SUFFICIENT = "sufficient"  # a temperature: this or any lower one will do
    NECESSARY = "necessary"  # a temperature: no higher one will do

    @property
    def direction(self) -> Direction:
        """The safe side: errors at least so small, temperatures low enough, are never overstated."""
        down = self in (Role.BEST, Role.LOWER, Role.SUFFICIENT)
        return Direction.DOWN if down else Direction.UP


@dataclass(frozen=True)
class Point:
    """An exact abscissa, an enclosure of the value there, and its safe side where that is not the curve's."""

    x: Fraction
    lower: Fraction
    upper: Fraction
    direction: Direction | None = None

    @property
    def middle(self) -> float:
        """The value drawn: the midpoint of the enclosure, as a float."""
        return float((self.lower + self.upper) / 2)


@dataclass(frozen=True)
class Curve:
    """Points of one role. given: what distinguishes the curve from others of its role. group: place in Panel.groups
    (None: black). name: the words for its role in the legend. joined: whether exact points are joined by a line."""

    role: Role
    name: str
    points: Sequence[Point]
    given: Mapping[str, Fraction | str] = field(default_factory=dict)
    group: int | None = None
    joined: bool = False


@dataclass(frozen=True)
class Span:
    """An interval of the horizontal axis on which an error is at most `level`; left = None: all the way down."""

    name: str
    left: Enclosure | None
    right: Enclosure
    level: Fraction
    group: int
    given: Mapping[str, Fraction | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Axis:
    """key: CSV header; label: in LaTeX; log or linear; limits to show (default: those of the data)."""

    key: str
    label: str
    log: bool = False
    limits: tuple[Fraction, Fraction] | None = None


@dataclass(frozen=True)
class Panel:
    """One pair of axes. groups: legend texts of the colours. levels: horizontal lines (value, text). ticks: texts at
    whole abscissas 1, 2, ... in place of numbers."""

    x: Axis
    y: Axis
    curves: Sequence[Curve]
    groups: Sequence[str] = ()
    spans: Sequence[Span] = ()
    levels: Sequence[tuple[Fraction, str]] = ()
    ticks: Sequence[str] = ()


@dataclass(frozen=True)
class Picture:
    """Panels with a caption in LaTeX and the exact parameters; nothing of the caption is drawn."""

    id: str
    title: str
    caption: str
    panels: Sequence[Panel]
    parameters: Mapping[str, Sequence[Fraction]]


def enclose(side: Enclosable) -> Enclosure:
    """Enclose a number to a relative width of 10^-12 (0: exactly), Arb checked against mpmath.

    Raises HardsoftError if no such enclosure is found with 8192 bits, DisagreementError if the two are disjoint, and
    InputError for a value that no drawing can place: not 0, and outside 10^-300..10^300 in absolute value.
    """
    precision = 64
    while precision <= MAXIMUM_PRECISION:
        value = side.ball(precision)
        if value.is_finite() and _resolved(value, side):
            lower, upper = ball.endpoints(value)
            other = side.mp(precision)
            if other.is_finite and (other.upper < lower or other.lower > upper):
                raise DisagreementError(f"Arb and mpmath enclose {side} in disjoint intervals")
            return lower, upper
        precision *= 2
    raise HardsoftError(f"{side} has no enclosure narrow enough to be drawn at {MAXIMUM_PRECISION} bits")


def _resolved(value: ball.Ball, side: Enclosable) -> bool:
    with ball.working(64):
        least, most = ball.ball(scaled(1, _SMALLEST)), ball.ball(scaled(1, _LARGEST))
        size = abs(value)
        if ball.compare(value, "=", ball.ball(0)) is Verdict.HOLDS:
            return True
        if ball.compare(size, "<", least) is Verdict.HOLDS:
            raise InputError(f"{side} lies below 10^{_SMALLEST}, too small to draw; choose milder parameters")
        if ball.compare(size, ">", most) is Verdict.HOLDS:
            raise InputError(f"{side} lies above 10^{_LARGEST}, too large to draw; choose milder parameters")
        # |x - y| <= 2 rad for x, y in the ball, and |x| >= abs_lower.
        narrow = 2 * value.rad() <= value.abs_lower() * ball.ball(_RESOLUTION)
    return bool(narrow)


def point(x: Fraction | int, side: Enclosable) -> Point:
    """The point at x with the enclosed value of `side`."""
    return Point(Fraction(x), *enclose(side))


def _rows(panel: Panel) -> list[dict[str, str]]:
    rows = []
    x, y = panel.x.key, panel.y.key
    for curve in panel.curves:
        given = {name: _text(value) for name, value in curve.given.items()}
        for p in curve.points:
            side = p.direction or curve.role.direction
            value = decimal((p.lower, p.upper), DIGITS, side).text
            name = curve.name.translate({ord("$"): None, ord("\\"): None})
            rows.append({"curve": name, **given, x: exact_text(p.x), y: value, "rounded": side.value})
    for span in panel.spans:
        given = {name: _text(value) for name, value in span.given.items()}
        # A safe interval lies inside the true one: its left end is rounded up, its right end down.
        ends = [(span.left, "from", Direction.UP), (span.right, "to", Direction.DOWN)]
        for end, word, direction in ends:
            if end is not None:
                name = f"{span.name} {word}" if span.left is not None else span.name
                at = decimal(end, DIGITS, direction).text
                value = exact_text(span.level)
                rows.append({"curve": name, **given, x: at, y: value, "rounded": f"{x} {direction.value}"})
    return rows


def _text(value: Fraction | str) -> str:
    return value if isinstance(value, str) else exact_text(value)


def to_csv(picture: Picture) -> str:
    """The data as CSV: a header line naming the columns, then one line per point.

    Columns: curve, the parameters that distinguish the curves, abscissa, value, rounded. Values have 8 significant
    digits, rounded up or down as the last column says. Several panels: a first column "panel"; a cell is empty where
    the column is not the curve's.
    """
    rows = [
        ({"panel": chr(ord("a") + place)} if len(picture.panels) > 1 else {}) | row
        for place, panel in enumerate(picture.panels)
        for row in _rows(panel)
    ]
    header = [*dict.fromkeys(name for row in rows for name in row if name != "rounded"), "rounded"]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, header, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def to_json(picture: Picture) -> dict[str, Any]:
    """The data as one JSON document: parameters, caption, and per panel its axes and the rows of the CSV."""
    return {
        "picture": picture.id,
        "title": picture.title,
        "caption": picture.caption,
        "parameters": {name: [exact_text(x) for x in values] for name, values in picture.parameters.items()},
        "panels": [{"x": panel.x.key, "y": panel.y.key, "points": _rows(panel)} for panel in picture.panels],
    }
