"""Five formats of one table: nothing is lost, everything special is escaped."""

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from checker.errors import InputError
from checker.formats import FORMATS, TEXT_WIDTH, Cell, Column, Table, escape_latex, render, to_text

TABLE = Table(
    [Column("n", "n", "$n$"), Column("tau", "largest tau", r"largest $\tau$"), Column("note", "a_note", align="left")],
    [
        [
            Cell("10^12", "$10^{12}$", "1000000000000", "1000000000000"),
            Cell("0.133", "$0.133$", {"printed": "0.133"}),
            Cell("[50%]|x"),
        ],
        [Cell("7"), Cell("none"), Cell('a, "b" & c_d^2 <= #1 ~ {x} \\y $z')],
    ],
    "A_3: 100% & more",
    ["first <note>", "second"],
    {"statement": "A3"},
)


def test_text() -> None:
    lines = render(TABLE, "text").splitlines()
    assert lines[0] == "A_3: 100% & more"
    assert re.fullmatch(r" +n +largest tau +a_note", lines[2])
    assert re.fullmatch(r"10\^12 +0\.133 +\[50%\]\|x", lines[4])
    assert lines[-2:] == ["first <note>", "second"]


def test_text_fits_and_loses_no_digit() -> None:
    digits = "".join(str(i % 10) for i in range(300))
    wide = Table([Column("n", "n"), Column("x", "x")], [[Cell(digits), Cell("1.5")]], "c" * 100, ["w " * 80])
    text = to_text(wide)
    assert max(map(len, text.splitlines())) <= TEXT_WIDTH
    body = text.split("─\n", 1)[1].split("w w")[0].replace("1.5", "", 1)
    assert re.sub(r"\s", "", body) == digits


def test_text_has_no_markup_or_colour() -> None:
    styled = Table([Column("x", "[bold]x")], [[Cell("[red]1[/red]", style="red")]], notes=["[dim]"])
    text = to_text(styled)
    assert "\x1b" not in text
    for literal in ("[bold]x", "[red]1[/red]", "[dim]"):
        assert literal in text


def test_markdown() -> None:
    assert render(TABLE, "markdown").splitlines() == [
        r"**A\_3: 100% & more**",
        "",
        r"| n | largest tau | a\_note |",
        "| ---: | ---: | :--- |",
        r"| 10^12 | 0.133 | \[50%\]\|x |",
        r"| 7 | none | a, \"b\" & c\_d^2 \<= #1 ~ {x} \\y $z |".replace(r"\"", '"'),
        "",
        r"- first \<note\>",
        "- second",
    ]


def test_latex() -> None:
    latex = render(TABLE, "latex")
    lines = latex.splitlines()
    assert lines[:4] == ["% A_3: 100% & more", "% first <note>", "% second", r"% Needs \usepackage{booktabs}."]
    assert lines[4:8] == [r"\begin{tabular}{@{}rrl@{}}", r"\toprule", r"$n$ & largest $\tau$ & a\_note \\", r"\midrule"]
    assert lines[8] == r"$10^{12}$ & $0.133$ & [50\%]$|$x \\"
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]


def test_latex_row_that_starts_with_a_bracket() -> None:
    latex = render(Table([Column("x", "x")], [[Cell("[1]")], [Cell("*2")]]), "latex")
    assert "{}[1] \\\\\n{}*2 \\\\" in latex  # \\[1] would be read as extra space, \\* as a page-break rule


def test_escape_latex() -> None:
    assert escape_latex("50% a_b & #1 $x$ {y} ~ ^ \\") == (
        r"50\% a\_b \& \#1 \$x\$ \{y\} \textasciitilde{} \textasciicircum{} \textbackslash{}"
    )


def test_a_comment_in_latex_stays_one_line() -> None:
    latex = render(Table([Column("x", "x")], [], "two\nlines"), "latex")
    assert latex.startswith("% two lines\n% Needs")


def test_csv_is_pure_and_reads_back() -> None:
    rows = list(csv.reader(io.StringIO(render(TABLE, "csv"))))
    assert rows == [
        ["n", "tau", "note"],
        ["1000000000000", "0.133", "[50%]|x"],
        ["7", "none", 'a, "b" & c_d^2 <= #1 ~ {x} \\y $z'],
    ]


def test_json_reads_back() -> None:
    document = json.loads(render(TABLE, "json"))
    assert document["statement"] == "A3"
    assert document["columns"] == ["n", "tau", "note"]
    assert document["rows"][0] == {"n": "1000000000000", "tau": {"printed": "0.133"}, "note": "[50%]|x"}
    assert document["notes"] == ["first <note>", "second"]


def test_unknown_format() -> None:
    with pytest.raises(InputError, match="format must be one of text, markdown, latex, csv, json, got 'html'"):
        render(TABLE, "html")
    for form in FORMATS:
        assert render(TABLE, form).endswith("\n")


def test_malformed_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="distinct keys"):
        Table([], [])
    with pytest.raises(ValueError, match="distinct keys"):
        Table([Column("x", "x"), Column("x", "y")], [])
    with pytest.raises(ValueError, match="row 2 has 2 cells for 1 columns"):
        Table([Column("x", "x")], [[Cell("1")], [Cell("1"), Cell("2")]])


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    (tmp_path / "table.tex").write_text(render(TABLE, "latex"), encoding="utf-8")
    (tmp_path / "paper.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\begin{document}"
        r"\begin{table}\caption{Bounds}\input{table}\end{table}\end{document}",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
