"""How pictures look: sizes, colours, line styles and fonts, and the settings of matplotlib, which is imported here.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; every colour has its own marker and every role
its own line style, so that nothing is lost in grey.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from checker.errors import HardsoftError
from checker.picture import Role

WIDTHS: Mapping[str, float] = MappingProxyType({"single": 3.35, "double": 6.9})
"""Widths in inches: one column, and the full text width of a two-column page."""

# Okabe and Ito (2008), in an order in which neighbours also differ in lightness; yellow is too light for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
STYLES = {
    Role.BOUND: "-",
    Role.LOWER: (0, (4, 2)),
    Role.LIMIT: (0, (1, 1.5)),
    Role.TERM: (0, (5, 1.5, 1, 1.5)),
    Role.SUFFICIENT: "-",
    Role.NECESSARY: (0, (4, 2)),
}
LINE = 11.5  # points between the lines of a legend
SETTINGS = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "axes.linewidth": 0.6,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.8,
    "legend.frameon": False,
    "legend.handlelength": 1.7,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.0,
    "legend.borderpad": 0.0,
    "legend.borderaxespad": 0.0,
    "pdf.fonttype": 42,  # TrueType, embedded: journals refuse Type 3
    "svg.fonttype": "path",  # an SVG cannot embed a font that every viewer reads; outlines are the same everywhere
    "svg.hashsalt": "hardsoft",
    "savefig.dpi": 300,
}


def look(group: int | None) -> tuple[str, str]:
    """The colour and the marker of a group of curves."""
    return ("black", "o") if group is None else (COLOURS[group], MARKERS[group])


@contextmanager
def style() -> Iterator[None]:
    """The settings in which pictures are drawn, matplotlib's own afterwards; a user's matplotlibrc changes nothing.

    Raises HardsoftError if matplotlib is missing.
    """
    matplotlib = _matplotlib()
    with matplotlib.rc_context():
        defaults = {name: value for name, value in matplotlib.rcParamsDefault.items() if name != "backend"}
        matplotlib.rcParams.update(defaults | SETTINGS)
        yield


def _matplotlib() -> Any:
    try:
        logging.getLogger("matplotlib").setLevel(logging.ERROR)  # "building the font cache" is no news to a user
        import matplotlib
    except ImportError:
        raise HardsoftError("pictures need matplotlib: pip install 'matplotlib>=3.8'") from None
    return matplotlib
