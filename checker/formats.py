"""One table, five formats: text (rich), Markdown, LaTeX (booktabs), CSV and JSON, from the same cells.

A cell carries its own text, LaTeX and JSON forms, so that a number rounded once is printed the same way everywhere.
Nothing is ever shortened with an ellipsis: text that is too wide is folded, because a digit left out would change a
bound. Used by the bound tables, the audit of attention scores and the verification report.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rich import box
from rich.console import Console, Group
from rich.table import Table as RichTable
from rich.text import Text

from checker.errors import InputError

FORMATS = ("text", "markdown", "latex", "csv", "json")
TEXT_WIDTH = 80

Align = Literal["left", "right"]

_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"$|$",
    '"': "''",
    "\n": " ",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "∞": r"$\infty$",
    "×": r"$\times$",
    "—": "---",
    "–": "--",
}
_MARKDOWN_SPECIAL = "\\|*_`<>[]"


def escape_latex(text: str) -> str:
    """Return text in which every character special to LaTeX is escaped ("100%" becomes "100\\%")."""
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


def escape_markdown(text: str) -> str:
    """Return text in which every character special to a Markdown table cell is escaped."""
    escaped = "".join("\\" + character if character in _MARKDOWN_SPECIAL else character for character in text)
    return escaped.replace("\n", " ")


@dataclass(frozen=True)
class Cell:
    """One entry: the text printed, and where they differ from it its LaTeX, JSON and CSV forms; a rich style."""

    text: str
    latex: str | None = None
    data: Any = None
    csv: str | None = None
    style: str = ""

    @property
    def tex(self) -> str:
        """The entry in LaTeX."""
        return escape_latex(self.text) if self.latex is None else self.latex

    @property
    def json(self) -> Any:
        """The entry for JSON."""
        return self.text if self.data is None else self.data


@dataclass(frozen=True)
class Column:
    """A column: key (CSV header and JSON name), header text, its LaTeX (default: escaped text), alignment."""

    key: str
    header: str
    latex: str | None = None
    align: Align = "right"

    @property
    def tex(self) -> str:
        """The header in LaTeX."""
        return escape_latex(self.header) if self.latex is None else self.latex


@dataclass(frozen=True)
class Table:
    """Columns, rows of as many cells, a caption, notes below, and further fields for JSON only.

    Raises ValueError if there is no column, two columns share a key, or a row's length is not the number of columns.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = ()
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if not keys or len(set(keys)) != len(keys):
            raise ValueError(f"a table needs columns with distinct keys, got {keys}")
        for place, row in enumerate(self.rows, start=1):
            if len(row) != len(keys):
                raise ValueError(f"row {place} has {len(row)} cells for {len(keys)} columns")


def to_rich(table: Table) -> Group:
    """Return the table as a rich renderable: caption, table, notes."""
    grid = RichTable(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False)
    for column in table.columns:
        grid.add_column(Text(column.header), justify=column.align, overflow="fold")
    for row in table.rows:
        grid.add_row(*(Text(cell.text, style=cell.style) for cell in row))
    parts: list[Any] = []
    if table.caption:
        parts += [Text(table.caption, style="bold"), Text("")]
    parts.append(grid)
    if table.notes:
        parts.append(Text(""))
        parts += [Text(note, style="dim") for note in table.notes]
    return Group(*parts)


def to_text(table: Table, width: int = TEXT_WIDTH) -> str:
    """Return the table as plain text of at most `width` columns, without colours; nothing is cut off."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(to_rich(table))
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().splitlines()) + "\n"


def to_markdown(table: Table) -> str:
    """Return a GitHub-flavoured Markdown table with the caption above and the notes as a list below."""
    lines = [f"**{escape_markdown(table.caption)}**", ""] if table.caption else []
    lines.append(_pipe([escape_markdown(column.header) for column in table.columns]))
    lines.append(_pipe(["---:" if column.align == "right" else ":---" for column in table.columns]))
    lines += [_pipe([escape_markdown(cell.text) for cell in row]) for row in table.rows]
    if table.notes:
        lines += ["", *(f"- {escape_markdown(note)}" for note in table.notes)]
    return "\n".join(lines) + "\n"


def _pipe(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def to_latex(table: Table) -> str:
    r"""Return a `tabular` with booktabs rules, ready to \input into a table environment.

    Caption and notes stand above it as comments: a float, its caption and its label are the document's business.
    """
    comments = [table.caption, *table.notes, r"Needs \usepackage{booktabs}."]
    lines = [f"% {' '.join(comment.split())}" for comment in comments if comment]
    lines.append(r"\begin{tabular}{@{}" + "".join(column.align[0] for column in table.columns) + "@{}}")
    lines.append(r"\toprule")
    lines.append(" & ".join(column.tex for column in table.columns) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(_protected(cell.tex, at == 0) for at, cell in enumerate(row)) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _protected(tex: str, first: bool) -> str:
    r"""Keep a leading "[" from being read as the optional argument of the preceding \\ ."""
    return "{}" + tex if first and tex.startswith(("[", "*")) else tex


def to_csv(table: Table) -> str:
    """Return pure CSV (RFC 4180, no comments): one header line of column keys, then the rows as text."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    writer.writerows([cell.text if cell.csv is None else cell.csv for cell in row] for row in table.rows)
    return stream.getvalue()


def to_json(table: Table) -> str:
    """Return one JSON object: the table's fields, "caption", "columns", "rows" (an object each) and "notes"."""
    keys = [column.key for column in table.columns]
    document = {
        **table.fields,
        "caption": table.caption,
        "columns": keys,
        "rows": [dict(zip(keys, (cell.json for cell in row), strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def render(table: Table, form: str) -> str:
    """Return the table in one of FORMATS; InputError for any other format."""
    if form == "text":
        return to_text(table)
    if form == "markdown":
        return to_markdown(table)
    if form == "latex":
        return to_latex(table)
    if form == "csv":
        return to_csv(table)
    if form == "json":
        return to_json(table)
    raise InputError(f"format must be one of {', '.join(FORMATS)}, got {form!r}")
