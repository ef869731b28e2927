"""The paper kit: same bytes every time, complete, refused where files of others are, written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import typer
from steps_fixture import undecided

from checker import __version__, paper_files
from checker import paper as kit
from checker.cli_paper import paper as command
from checker.console import exit_code_of
from checker.errors import InputError
from checker.paper_figures import Unavailable, figure_of
from checker.paper_files import MARK, README, check_target, write
from checker.paper_tables import GRIDS, table_of
from proofs.latex_prose import prose
from proofs.props import Each, ProofError
from proofs.registry import STATEMENTS, claims, library
from proofs.sequent import Step
from proofs.text_terms import prop_text
from proofs.wording import MEANINGS, meaning

FEW = ("A7", "C1")
ROOT = Path(__file__).parent.parent
FILES = {
    "appendix.tex": b"one",
    "tables/A2.tex": b"two",
    README: f"{MARK}.\n  appendix.tex\n  tables/A2.tex\n".encode(),
}


@cache
def few() -> kit.Paper:
    return kit.build(FEW, library(), figures=False)


@cache
def everything() -> str:
    """All statements; the polynomial inequalities are taken for granted, which leaves the text as it is otherwise."""
    patched = pytest.MonkeyPatch()
    patched.setattr(kit, "table_of", lambda *_: None)
    try:
        return kit.build([], undecided(), figures=False).files["appendix.tex"].decode()
    finally:
        patched.undo()


def run(*arguments: str) -> int:
    app = typer.Typer()
    app.command()(command)
    return exit_code_of(lambda: app(args=list(arguments), standalone_mode=False))


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# -- content ---------------------------------------------------------------------------------------------------------


def test_a_second_run_writes_the_same_bytes(tmp_path: Path) -> None:
    code = "import sys; from checker.cli_paper import paper; from pathlib import Path; "
    code += "paper(['A7'], Path(sys.argv[1]), None, False, False, False)"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": f"UTC+{seed}", "HOME": str(tmp_path / seed)}
        arguments = [sys.executable, "-c", code, str(tmp_path / f"out{seed}")]
        subprocess.run(arguments, cwd=ROOT, env=environment, check=True, capture_output=True, timeout=60)
    first = snapshot(tmp_path / "out1")
    assert first == snapshot(tmp_path / "out2")
    assert set(first) == {"appendix.tex", README}


def test_every_statement_and_claim_is_there_once() -> None:
    tex = everything()
    for name in STATEMENTS:
        assert tex.count(rf"\label{{statement:{name}}}") == 1
    shown = re.findall(r"\\label\{claim:(.*?)\}", tex)
    assert len(shown) == len(set(shown))
    own = [claim.name for statement in STATEMENTS.values() for claim in statement.claims]
    assert [name for name in shown if name in own] == own
    assert set(shown) <= {claim.name for claim in claims()}


def test_references_are_resolved_and_labels_unique() -> None:
    linearity = {"claim:S.add", "claim:S.scale", "claim:S.constant"}  # cited where inequalities are decided
    for tex, elsewhere in ((everything(), linearity), (few().files["appendix.tex"].decode(), set())):
        labels = re.findall(r"\\label\{(.*?)\}", tex)
        assert len(labels) == len(set(labels))
        body = tex.split(r"\begin{document}")[1]
        assert {f"claim:{name}" for name in re.findall(r"\\claimref\{(.*?)\}", body)} <= {*labels, *elsewhere}
        assert set(re.findall(r"\\ref\{(.*?)\}", body)) <= set(labels)
        cited = set(re.findall(r"\\cite\{(.*?)\}", body))
        assert cited == set(re.findall(r"\\bibitem\{(.*?)\}", body))
        known = {name for name in re.findall(r"\\statementref\{(.*?)\}", body) if name in STATEMENTS}
        assert tex != everything() or {f"statement:{name}" for name in known} <= set(labels)


def test_every_claim_cited_is_derived_in_the_document() -> None:
    tex = few().files["appendix.tex"].decode()
    shown = set(re.findall(r"\\label\{claim:(.*?)\}", tex))
    proved = library()
    for name in shown:
        assert set(proved.prove(name)[1].uses) <= shown
    assert len(shown) == few().claims
    assert few().steps == sum(len(proved.prove(name)[1].steps) for name in shown)
    assert "B3.closed" in shown


def test_every_step_is_there() -> None:
    tex = everything()
    proved = undecided()
    for name in ("A8.bound", "B1.arranged", "C2.bound"):
        block = tex.split(rf"\label{{claim:{name}}}")[1].split(r"\end{proof}")[0]
        numbers = [int(number) for number in re.findall(r"\\(?:given|step|also)\{(\d+)\}", block)]
        assert numbers == [step.number for step in proved.prove(name)[1].steps]


def test_braces_fences_and_environments_balance() -> None:
    tex = everything()
    plain = re.sub(r"\\[{}]", "", tex)
    assert plain.count("{") == plain.count("}")
    assert tex.count("$") % 2 == 0
    assert sorted(re.findall(r"\\begin\{(.*?)\}", tex)) == sorted(re.findall(r"\\end\{(.*?)\}", tex))
    assert tex.isascii()


def test_provenance_names_version_inputs_and_command_but_no_place_or_date() -> None:
    tex = few().files["appendix.tex"].decode()
    assert few().command == "hardsoft paper --out DIR --ids A7,C1 --no-figures"
    assert tex.splitlines()[0] == f"% {MARK}, hardsoft {__version__}: {few().command}"
    end = tex.split(r"\section{Provenance}")[1]
    assert rf"\entry{{Program}}{{hardsoft {__version__}}}" in end
    assert r"\entry{Statements}{A7, C1}" in end
    assert r"hardsoft paper --out DIR --ids A7,\allowbreak{}C1 --no-figures" in end
    for content in few().files.values():
        text = content.decode()
        assert str(ROOT) not in text
        assert os.uname().nodename not in text.split()
        assert not re.search(r"/(?:home|root|tmp|usr)\b|\b20\d\d-\d\d-\d\d\b|\\today", text)
    assert re.search(r"[Tt]heorem \d", tex) is None


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("gap >= gamma, TV <= (n-k)q", r"gap $\ge \gamma$, $\mathrm{TV} \le (n-k)q$"),
        ("for every n (A2.bound); see A3.", r"for every $n$ (\claimref{A2.bound}); see \statementref{A3}."),
        ("a true j <= i (i if none)", r"a true $j\le i$ ($i$ if none)"),
        ("|sum p v - sum a v| <= TV(p, a) D", r"$|\sum pv-\sum av|\le \mathrm{TV} (p, a)D$"),
        ("q^(n-1) and e^-4x", r"$q^{n-1}$ and $e^{-4x}$"),
        ("50% of a_b, 2 gamma, ...", r"50\% of a\_b, $2\,\gamma$, $\dots$"),
    ],
)  # fmt: skip
def test_formulas_in_words(text: str, tex: str) -> None:
    assert prose(text) == tex


def test_hypotheses_about_positions_are_put_into_words() -> None:
    props = [prop for one in STATEMENTS.values() for c in one.claims for prop in (*c.definitions, *c.hypotheses)]
    in_a = [
        p for s in STATEMENTS.values() if s.section == "A" for c in s.claims for p in (*c.definitions, *c.hypotheses)
    ]
    assert [prop_text(prop) for prop in in_a if isinstance(prop, Each) and not meaning(prop)] == []
    assert set(MEANINGS) <= {prop_text(prop) for prop in props}


# -- tables and figures ----------------------------------------------------------------------------------------------


def test_every_table_has_a_grid() -> None:
    assert {name for name, statement in STATEMENTS.items() if statement.table is not None} <= set(GRIDS)
    assert table_of(STATEMENTS, "A7") is None
    table = table_of(STATEMENTS, "A3")
    assert table is not None
    assert len(table.rows) == 10


def test_figures_are_part_or_their_absence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> None:
        raise Unavailable("pictures need matplotlib")

    monkeypatch.setattr(kit, "figure_of", missing)
    made = kit.build(["A7"], undecided(), figures=True)
    assert "% No figure: pictures need matplotlib." in made.files["appendix.tex"].decode()
    assert (made.figures, made.without_figures) == ([], "pictures need matplotlib")
    monkeypatch.setattr(kit, "figure_of", lambda _: kit.Figure("The caption.", b"%PDF", b"n,tv\n"))
    made = kit.build(["A7"], undecided(), figures=True)
    assert made.files["figures/A7.pdf"] == b"%PDF"
    assert made.files["figures/A7.csv"] == b"n,tv\n"
    assert r"\includegraphics{figures/A7.pdf}" in made.files["appendix.tex"].decode()
    assert made.command == "hardsoft paper --out DIR --ids A7"


def test_the_figure_of_a_statement() -> None:
    pytest.importorskip("matplotlib")
    figure = figure_of("A5")
    assert figure is not None
    assert figure.pdf.startswith(b"%PDF")
    assert b"/CreationDate" not in figure.pdf
    assert figure.csv.count(b"\n") > 10
    assert figure == figure_of("A5")
    assert figure_of("A7") is None


# -- selection -------------------------------------------------------------------------------------------------------


def test_selection() -> None:
    assert [one.id for one in kit.select(["c1,A2", "a2"])] == ["A2", "C1"]
    assert [one.id for one in kit.select(["C"])] == ["C1", "C2", "C3"]
    assert [one.id for one in kit.select([])] == list(STATEMENTS)


@pytest.mark.parametrize("ids", ["A99", "A2,", "", "A2.bound"])
def test_unknown_ids_are_one_line(ids: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--out", str(tmp_path / "p"), "--ids", ids) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert "no statement or section" in shown.err
    assert not any(tmp_path.iterdir())


def test_out_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("A2") == 3
    assert "--out" in capsys.readouterr().err


def test_a_rejected_derivation_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def rejected(*_: object) -> Step:
        raise ProofError("step 3 (polynomial) is rejected")

    monkeypatch.setattr("proofs.statement.Derivation.conclude", rejected)
    assert run("A7", "--out", str(tmp_path / "p"), "--no-figures") == 1
    assert "step 3 (polynomial) is rejected" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_json_is_the_only_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kit, "build", lambda *_: few())
    assert run(*FEW, "--out", str(tmp_path / "p"), "--json", "--no-figures") == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["files"] == sorted(snapshot(tmp_path / "p"))
    assert shown.err == ""
    assert snapshot(tmp_path / "p") == few().files


# -- the directory ---------------------------------------------------------------------------------------------------


def test_writes_again_over_its_own_files_and_leaves_others(tmp_path: Path) -> None:
    write(tmp_path / "p", {**FILES, "figures/A2.pdf": b"", README: FILES[README] + b"  figures/A2.pdf\n"})
    (tmp_path / "p" / "appendix.pdf").write_bytes(b"compiled")
    write(tmp_path / "p", FILES)
    assert snapshot(tmp_path / "p") == {**FILES, "appendix.pdf": b"compiled"}
    assert not (tmp_path / "p" / "figures").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


@pytest.mark.parametrize("existing", ["thesis.tex", "appendix.tex", README])
def test_refuses_a_directory_of_others_unless_forced(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).write_text("mine")
    with pytest.raises(InputError, match="not empty and was not written by hardsoft paper"):
        write(tmp_path, FILES)
    assert snapshot(tmp_path) == {existing: b"mine"}
    write(tmp_path, FILES, force=True)
    assert snapshot(tmp_path) == {existing: b"mine", **FILES}


def test_refuses_before_anything_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    monkeypatch.setattr(kit, "build", lambda *_: pytest.fail("computed"))
    assert run("A2", "--out", str(tmp_path)) == 3
    assert run("A2", "--out", str(tmp_path / "thesis.tex")) == 3


def test_an_empty_directory_is_fine_and_a_readme_cannot_name_files_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "kept").write_text("kept")
    write(tmp_path / "p", FILES)
    (tmp_path / "p" / README).write_text(f"{MARK}.\n  ../kept\n  tables/../../kept\n  appendix.tex\n")
    assert check_target(tmp_path / "p", False) == ["appendix.tex"]


def _failing_rename(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    real: Callable[..., None] = os.rename
    calls = 0

    def rename(source: Path, target: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == after:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(paper_files.os, "rename", rename)


@pytest.mark.parametrize("after", range(1, 8))
def test_a_failure_leaves_the_directory_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    old = {**FILES, "tables/A3.tex": b"three", README: FILES[README] + b"  tables/A3.tex\n"}
    write(tmp_path / "p", old)
    _failing_rename(monkeypatch, after)
    with pytest.raises(InputError, match="No space left"):
        write(tmp_path / "p", {name: b"new " + content for name, content in FILES.items()})
    assert snapshot(tmp_path / "p") == old


@pytest.mark.parametrize("exists", [True, False])
def test_a_failure_while_files_are_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    if exists:
        (tmp_path / "p").mkdir()
    real = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if path.name == "A2.tex":
            raise OSError(28, "No space left on device")
        return real(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match=r"cannot write .*: No space left on device"):
        write(tmp_path / "p", FILES)
    assert list(tmp_path.rglob("*")) == ([tmp_path / "p"] if exists else [])


# -- LaTeX -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_compiles(tmp_path: Path) -> None:
    made = kit.build(("A7", "B3", "C1"), undecided(), figures=False)
    files = {**made.files, "all.tex": everything().encode()}
    for name in ("appendix.tex", "all.tex"):
        (tmp_path / name).write_bytes(files[name])
        for _ in range(3):  # the table of contents is longer than a page
            command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", name]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, done.stdout[-2000:]
        log = (tmp_path / name).with_suffix(".log").read_text(errors="replace")
        assert not re.search("undefined|multiply.defined|Rerun to get", log)
        assert [x for x in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(x) > 2] == []
