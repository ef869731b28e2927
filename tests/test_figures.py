"""Drawn pictures: equal bytes every time, legible, fonts embedded; the command and its one-line refusals."""

import csv
import io
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from plot_fixture import made

from checker import plotfile
from checker.cli_plot import plot
from checker.console import exit_code_of
from checker.errors import HardsoftError, InputError
from checker.figures import FORMATS, figure_of, render
from checker.picture import to_json
from checker.plots import PICTURES
from checker.plotstyle import COLOURS, MARKERS, STYLES, WIDTHS, style

app = typer.Typer()
app.command()(plot)


def run(*arguments: str) -> int:
    return exit_code_of(lambda: app(args=list(arguments), standalone_mode=False))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("identifier", ["A2", "A8", "B6", "C1", "schedule"])
def test_legends_and_labels_are_inside_the_picture_and_off_the_data(identifier: str, width: str) -> None:
    from matplotlib.legend import Legend

    with style():
        figure = figure_of(made(identifier), WIDTHS[width])
        figure.canvas.draw()
        renderer = figure.canvas.get_renderer()
        page = figure.bbox.padded(1)
        assert figure.get_size_inches()[0] == WIDTHS[width]
        for ax in figure.axes:
            assert ax.get_title() == ""
            assert ax.bbox.height / figure.dpi > 1.4
            assert ax.bbox.width / figure.dpi > 2.4
            legends = [child for child in ax.get_children() if isinstance(child, Legend)]
            boxes = [legend.get_window_extent(renderer) for legend in legends]
            assert boxes
            assert all(box.y0 > ax.bbox.y1 and page.contains(box.x0, box.y1) for box in boxes)
            assert all(not a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
            for label in (ax.xaxis.label, ax.yaxis.label):
                box = label.get_window_extent(renderer)
                assert page.contains(box.x0, box.y0)
                assert page.contains(box.x1, box.y1)
                assert label.get_size() >= 8
            sizes = {text.get_fontsize() for legend in legends for text in legend.get_texts()}
            assert min(sizes | {tick.get_size() for tick in ax.get_xticklabels()}) >= 8
            shown = [tick for tick in ax.get_xticklabels() if tick.get_text()]
            inside = [
                t.get_window_extent(renderer) for t in shown if ax.bbox.x0 - 1 <= t.get_window_extent(renderer).x1
            ]
            assert all(not a.overlaps(b) for a, b in itertools.pairwise(inside))


def test_groups_and_roles_differ_without_colour() -> None:
    assert len(set(COLOURS)) == len(COLOURS) == len(set(MARKERS)) == 6
    for identifier in PICTURES:
        for panel in made(identifier).panels:
            assert len(panel.groups) <= len(COLOURS)
            roles = {curve.role for curve in panel.curves if curve.role in STYLES}
            assert len({str(STYLES[role]) for role in roles}) == len(roles)


SCRIPT = """
import hashlib, sys
from checker.figures import render
from checker.plots import build
import checker.cli_plot
assert "matplotlib" not in sys.modules
from pathlib import Path
picture = build("A5")
for suffix in (".pdf", ".svg", ".png"):
    print(hashlib.sha256(render(picture, suffix, 3.35)).hexdigest())
"""


def test_the_same_bytes_in_another_process_and_under_other_settings() -> None:
    import hashlib

    import matplotlib

    environment = os.environ | {"PYTHONHASHSEED": "7"}
    result = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=environment, check=True)
    assert result.stderr == ""
    with matplotlib.rc_context({"lines.linewidth": 7, "axes.grid": True, "axes.labelpad": 20}):
        here = [hashlib.sha256(render(made("A5"), suffix, 3.35)).hexdigest() for suffix in FORMATS]
        assert matplotlib.rcParams["lines.linewidth"] == 7
    assert result.stdout.split() == here


def test_files_have_embedded_fonts_no_dates_and_their_width() -> None:
    pdf = render(made("B6"), ".pdf", WIDTHS["double"])
    assert pdf.startswith(b"%PDF")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"/FontFile3" not in pdf
    assert b"CreationDate" not in pdf
    assert b"/MediaBox [ 0 0 496.8 " in pdf
    svg = render(made("A5"), ".svg", WIDTHS["single"]).decode()
    assert "<text" not in svg
    assert "dc:date" not in svg
    assert "<path" in svg
    assert 'width="241.2pt"' in svg
    png = render(made("A5"), ".png", WIDTHS["single"])
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20]) == 1005


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "error.pdf"
    assert run("A2", "--n", "2,100", "--tau", "1/2,1/4", "-o", str(out), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["error.csv", "error.pdf"]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "error.csv").read_text())))
    assert document["panels"][0]["points"] == rows
    assert document["parameters"]["tau"] == ["0.25", "0.5"]
    assert list(rows[0]) == ["curve", "tau", "n", "TV", "rounded"]
    first = out.read_bytes()
    assert run("a2", "--tau", "1/4,1/2", "--n", "100,2", "-o", str(out)) == 0
    assert out.read_bytes() == first
    assert capsys.readouterr().out == f"wrote {out}\nwrote {tmp_path / 'error.csv'}\n"
    assert run("schedule", "linear", "--n", "4,8", "--json") == 0
    assert {row["head"] for row in json.loads(capsys.readouterr().out)["panels"][0]["points"]} == {"linear"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("A1 -o x.pdf", "A1 has no picture: it holds for every row"),
        ("A7 -o x.pdf", "times the range of the values"),
        ("Z9 -o x.pdf", "no picture 'Z9'; there are A2"),
        ("A2", "-o FILE.pdf"),
        ("A2 -o x.gif", "must end in .pdf, .svg, .png, got 'x.gif'"),
        ("A2 -o nowhere/x.pdf", "cannot write nowhere/x.pdf: No such file"),
        ("A2 A3 -o x.pdf", "one picture at a time"),
        ("A2 -o x.pdf --width wide", "--width must be one of single, double"),
        ("A2 -o x.pdf --noise 1/4", "does not use --noise; it uses --gamma, --n, --tau, --k, --delta"),
        ("A2 -o x.pdf --n 10", "at least 2 values"),
        ("A2 -o x.pdf --n 10,x", "--n, item 2"),
        ("A2 -o x.pdf --n 2,3 --k 2", "1 <= k <= n - 1"),
        ("A2 -o x.pdf --n 2,1e400", "10^300"),
        ("A2 -o x.pdf --gamma 1,2", "one value of --gamma"),
        ("A2 -o x.pdf --gamma 0", "gamma must be > 0"),
        ("A2 -o x.pdf --delta 1/2", "at least gamma = 1"),
        ("A2 -o x.pdf --tau 1,2,3,4,5,6,7", "at most 6 values of --tau"),
        ("A2 -o x.pdf --tau 1e-6", "too small to draw"),
        ("A3 -o x.pdf --eps 3", "0 < eps <= 2"),
        ("A6 -o x.pdf --eta 0,1", "2*eta < gamma"),
        ("B1 -o x.pdf --n 2,5000", "up to n = 1024"),
        ("B1 -o x.pdf --n 1,3", "n must be >= 2"),
        ("B4 -o x.pdf --noise 1/2", "0 <= noise < 1/2"),
        ("B6 -o x.pdf --chi 01x", "--chi must be"),
        ("B1 -o x.pdf --chi 01", "predicate of B6"),
        ("C2 -o x.pdf --eps 1/2", "below 1/2"),
        ("C3 -o x.pdf --eps 2", "2(n-1)/n"),
        ("schedule foo -o x.pdf", "no head 'foo'; there are constant-gap"),
        ("schedule -o x.pdf --eps 1/2", "below 1/2"),
    ],
)
def test_refusals_are_one_line_and_leave_nothing(
    arguments: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments.split()) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert message in printed.err
    assert not list(tmp_path.iterdir())


def test_writing_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotfile, "render", lambda *_: b"picture")
    foreign = tmp_path / "mine.csv"
    foreign.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="is not the data of a picture"):
        plotfile.save(made("A5"), tmp_path / "mine.pdf")
    assert [p.name for p in tmp_path.iterdir()] == ["mine.csv"]
    (tmp_path / "dir.csv").mkdir()
    with pytest.raises(InputError, match="directory"):
        plotfile.save(made("A5"), tmp_path / "dir.pdf")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dir.csv", "mine.csv"]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(InputError, match="No space left"):
            plotfile.save(made("A5"), tmp_path / "a.pdf")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["dir.csv", "mine.csv"]
    assert plotfile.save(made("A5"), tmp_path / "A.PDF") == [tmp_path / "A.PDF", tmp_path / "A.csv"]
    assert (tmp_path / "A.PDF").stat().st_mode & 0o777 == 0o666 & ~plotfile._umask()


def test_without_matplotlib_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(HardsoftError, match="pip install 'matplotlib"):
        render(made("A5"), ".pdf", 3.35)


def test_captions_and_json_hold_the_parameters() -> None:
    for identifier in PICTURES:
        picture = made(identifier)
        document = to_json(picture)
        assert document["picture"] == identifier
        assert document["caption"].count("$") % 2 == 0
        assert document["caption"].endswith(".")
        assert document["parameters"]
        json.dumps(document)
