"""The figures of the paper kit: one picture for each statement that has one, as PDF and CSV."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A picture: its caption in LaTeX, its PDF and its data as CSV."""

    caption: str
    pdf: bytes
    csv: bytes


class Unavailable(Exception):  # noqa: N818 (no error: the paper is written without figures)
    """Pictures cannot be made here; says why."""


def figure_of(identifier: str) -> Figure | None:
    """The picture of a statement; None if it has none. Raises Unavailable where pictures cannot be made at all."""
    try:
        import matplotlib  # noqa: F401 (asked for first: drawing fails with an error of its own)

        from checker import figures, picture, plots, plotstyle
    except ImportError:
        raise Unavailable("pictures need matplotlib") from None
    if identifier not in plots.PICTURES:
        return None
    data = plots.build(identifier)
    drawn = figures.render(data, ".pdf", plotstyle.WIDTHS["single"])
    return Figure(data.caption, drawn, picture.to_csv(data).encode())
