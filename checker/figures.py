"""Drawing of pictures with matplotlib: vector output for one or two columns of a paper, the same bytes every time.

Legends stand above the axes, never on the data. No title is drawn: captions belong to the document. matplotlib is
imported on first use.
"""

from __future__ import annotations

import io
from typing import Any

from checker.picture import Curve, Panel, Picture, Role, Span
from checker.plotstyle import LINE, STYLES, look, style

FORMATS = (".pdf", ".svg", ".png")

# Without dates, so that the same data give the same bytes.
_METADATA: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "Creator": "hardsoft"},
    ".svg": {"Date": None, "Creator": "hardsoft"},
    ".png": {},
}


def render(picture: Picture, suffix: str, width: float) -> bytes:
    """Return the drawing as the bytes of a file of the format `suffix` (of FORMATS), `width` inches wide.

    Equal pictures give equal bytes. Raises HardsoftError if matplotlib is missing.
    """
    with style():
        stream = io.BytesIO()
        figure_of(picture, width).savefig(stream, format=suffix[1:], metadata=_METADATA[suffix])
    return stream.getvalue()


def figure_of(picture: Picture, width: float) -> Any:
    """Return the matplotlib figure of a picture, `width` inches wide; to be made and drawn within `style`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    panels = picture.panels
    beside = len(panels) if width > 5 else 1
    stacked = -(-len(panels) // beside)
    layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.04, hspace=0.06)
    figure = Figure(figsize=(width, width), layout=layout)
    FigureCanvasAgg(figure)
    axes = figure.subplots(stacked, beside, squeeze=False).flat
    heights = []
    for place, (ax, panel) in enumerate(zip(axes, panels, strict=True)):
        _draw(ax, panel)
        new = place == 0 or beside > 1 or panel.groups != panels[place - 1].groups
        heights.append(_legends(ax, _entries(panel, new), width / beside))
        if len(panels) > 1:
            ax.annotate(f"({chr(ord('a') + place)})", (0, 1), (-28, 4), "axes fraction", "offset points")
    legends = max(heights) if beside > 1 else sum(heights)
    figure.set_size_inches(width, stacked * min(0.72 * width / beside, 2.8) + legends / 72)
    return figure


def _draw(ax: Any, panel: Panel) -> None:
    ax.set_xscale("log" if panel.x.log else "linear")
    ax.set_yscale("log" if panel.y.log else "linear")
    for place, (level, text) in enumerate(panel.levels):
        ax.axhline(float(level), color="black", linewidth=0.6, linestyle=(0, (3, 2)), zorder=1 + place)
        ax.annotate(text, (1, float(level)), (3, 0), ax.get_yaxis_transform(), "offset points", va="center")
    for curve in panel.curves:
        _curve(ax, panel, curve)
    _limits(ax, panel)
    for span in panel.spans:
        _span(ax, panel, span)
    ax.set_xlabel(panel.x.label)
    ax.set_ylabel(panel.y.label)
    _ticks(ax, panel)


def _curve(ax: Any, panel: Panel, curve: Curve) -> None:
    # Points outside the limits of a logarithmic axis, zeros among them, are left to the exported data.
    kept = [p for p in curve.points if not panel.y.log or p.lower > 0]
    xs, ys = [float(p.x) for p in kept], [p.middle for p in kept]
    colour, marker = look(curve.group)
    if curve.role in (Role.EXACT, Role.BEST):
        if panel.ticks and curve.group is not None:  # one stem per position and group, side by side
            xs = [x + 0.16 * (curve.group - (len(panel.groups) - 1) / 2) for x in xs]
            ax.vlines(xs, 0, ys, color=colour, linewidth=0.8, zorder=3)
        line, size = ("none", 2.8) if panel.ticks else ("-" if curve.joined else "none", 3.8)
        ax.plot(xs, ys, color=colour, marker=marker, markersize=size, linestyle=line, linewidth=0.8, zorder=4)
        return
    ax.plot(xs, ys, color=colour, linestyle=STYLES[curve.role], zorder=3)
    on_it = Role.LOWER is curve.role and any(c.role is Role.BEST for c in panel.curves)
    if curve.role in (Role.LOWER, Role.SUFFICIENT, Role.NECESSARY) and curve.group is not None and not on_it:
        # Hollow markers tell the curves apart in grey where no exact values are marked.
        step = max(1, len(xs) // 6)
        ax.plot(xs[step // 2 :: step], ys[step // 2 :: step], color=colour, marker=marker, linestyle="none",
                markerfacecolor="white", markeredgewidth=0.8, zorder=3.5)  # fmt: skip


def _limits(ax: Any, panel: Panel) -> None:
    if panel.y.limits is not None:
        ax.set_ylim(*(float(x) for x in panel.y.limits))
    xs = [float(p.x) for curve in panel.curves for p in curve.points]
    low, high = min(xs), max(xs)
    if panel.x.log:
        margin = (high / low) ** 0.03
        ax.set_xlim(low / margin, high * margin)
    elif panel.ticks:
        ax.set_xlim(low - 0.6, high + 0.6)
    else:
        ax.set_xlim(low - 0.03 * (high - low), high + 0.03 * (high - low))


def _span(ax: Any, panel: Panel, span: Span) -> None:
    """Vertical lines from the level down at the ends of a span, and a light area between its curve and the level."""
    colour, _ = look(span.group)
    bottom, level = ax.get_ylim()[0], float(span.level)
    for end in (span.left, span.right):
        if end is not None:
            x = float((end[0] + end[1]) / 2)
            ax.plot([x, x], [bottom, level], color=colour, linewidth=0.8, linestyle=(0, (2, 1.5)), zorder=2)
    if span.left is None:
        return
    left, right = float(span.left[0]), float(span.right[1])
    curve = next(c for c in panel.curves if c.role is Role.BOUND and c.group == span.group)
    inner = [(float(p.x), p.middle) for p in curve.points if left <= p.x <= right]
    points = [(left, level), *inner, (right, level)]
    ax.fill_between([x for x, _ in points], [y for _, y in points], level, color=colour, alpha=0.15, linewidth=0)


def _ticks(ax: Any, panel: Panel) -> None:
    from matplotlib import ticker

    if panel.ticks:
        ax.set_xticks(range(1, len(panel.ticks) + 1), panel.ticks)
    for axis, scale, (low, high) in ((ax.xaxis, panel.x, ax.get_xlim()), (ax.yaxis, panel.y, ax.get_ylim())):
        if not scale.log:
            continue
        if high / low < 100:  # too few powers of ten: label 1, 2, 5 as numbers
            axis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
            axis.set_major_formatter(ticker.FuncFormatter(lambda x, _: f"${x:g}$"))
            axis.set_minor_formatter(ticker.NullFormatter())
        else:
            axis.set_major_locator(ticker.LogLocator(numticks=7))
            axis.set_minor_locator(ticker.LogLocator(subs=range(1, 10), numticks=200 if high / low < 1e8 else 7))
            axis.set_minor_formatter(ticker.NullFormatter())


def _entries(panel: Panel, with_groups: bool) -> list[list[Any]]:
    """Legend entries: what the line styles mean, then what the colours and markers mean."""
    from matplotlib.lines import Line2D

    marked = {c.group for c in panel.curves if c.role not in (Role.BOUND, Role.LIMIT, Role.TERM)}
    lined = {c.group for c in panel.curves if c.joined or c.role not in (Role.EXACT, Role.BEST)}
    groups = []
    for group, text in enumerate(panel.groups if with_groups else ()):
        colour, marker = look(group)
        line, marker = "-" if group in lined else "none", marker if group in marked else "none"
        groups.append(Line2D([], [], color=colour, linestyle=line, marker=marker, label=text))
    roles: dict[str, Any] = {}
    for curve in panel.curves:
        exact = curve.role in (Role.EXACT, Role.BEST)
        if not curve.points or curve.name in roles or (curve.joined and panel.groups):
            continue
        roles[curve.name] = Line2D([], [], color="black", linestyle="none" if exact else STYLES[curve.role],
                                   marker="o" if exact else "none", label=curve.name)  # fmt: skip
    return [row for row in (list(roles.values()), groups) if row]


def _legends(ax: Any, rows: list[list[Any]], width: float) -> float:
    """Draw the legends above the axes, one over the other, none wider than the axes; return their height in points."""
    from matplotlib.legend import Legend
    from matplotlib.transforms import ScaledTranslation

    figure, height = ax.figure, 0.0
    renderer = figure.canvas.get_renderer()
    for row in rows:
        for lines in range(1, len(row) + 1):
            columns = -(-len(row) // lines)
            order = [handle for column in range(columns) for handle in row[column::columns]]  # read line by line
            raised = ax.transAxes + ScaledTranslation(0, (height + 4) / 72, figure.dpi_scale_trans)
            legend = Legend(ax, order, [handle.get_label() for handle in order], loc="lower center", ncols=columns,
                            bbox_to_anchor=(0.5, 1), bbox_transform=raised)  # fmt: skip
            if legend.get_window_extent(renderer).width <= (width - 0.5) * figure.dpi:
                break
        ax.add_artist(legend)
        legend.set_clip_on(False)  # it stands outside the axes, and the layout makes room for it
        height += LINE * lines
    return height
