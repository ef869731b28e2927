"""The command compile: summaries, model files, languages by name, and refusals in one line."""

import json
import re
from fractions import Fraction

import pytest
import typer

from checker.cli_compile import compile_
from checker.compile.compiler import compile_formula
from checker.compile.summary import summary, summary_text
from checker.console import exit_code_of
from checker.logic.text import parse_formula
from checker.logic.zoo import LANGUAGES
from checker.transformer.specfile import read

app = typer.Typer(add_completion=False)
app.command("compile")(compile_)


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = exit_code_of(lambda: app(args=list(arguments), prog_name="hardsoft", standalone_mode=False))
        out, err = capsys.readouterr()
        assert (code == 0) is (err == "") is bool(out)
        assert err.count("\n") == (code != 0)
        return code, out, err

    return command


def test_model_file_and_summary(run, tmp_path):
    path = tmp_path / "m.json"
    path.write_text("something else")
    code, out, _ = run("a S b", "--alphabet", "abc", "-o", str(path))
    assert code == 0
    assert read(path) == compile_formula(parse_formula("a S b"), ("a", "b", "c"))
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.json"]
    for line in (
        "alphabet     a, b, c; judged at the last position",
        "regime       unbounded: temperature 1/2",
        "tau_0        1/2; the largest admissible one is 0.721347 (rounded down)",
        "depth        1 (layers with heads)",
        "width        10 directions, 3 hidden units",
        "1      the last position without a & !b  D3, B6    q      0.1354   1/4      0.1146  0.721347",
        f"written to {path}",
    ):
        assert f"  {line}\n" in out


def test_json(run):
    _, out, _ = run("#<-[a] > #<-[b]", "--alphabet", "ab", "--regime", "scaled", "--threshold", "0.1", "--json")
    data = json.loads(out)
    assert (data["depth"], data["heads"], data["threshold"], data["guaranteed"]) == (3, 4, "1/10", True)
    assert data["temperature"] == f"{data['tau_0']}/(n + 2)^3"
    assert [layer["heads"] for layer in data["layers"]] == [1, 2, 1]
    assert data["file"] is None
    statements = [entry["statements"] for entry in data["ledger"]]
    assert statements == [["D4"], ["D4", "C1"], ["D4", "C1"], ["D4", "A2"]]
    for entry in data["ledger"][1:]:
        (required,) = entry["requirements"]
        assert 0 < Fraction(required["value"]) + Fraction(required["slack"]) <= Fraction(required["threshold"])


def test_languages_by_name(run, tmp_path):
    for name in ("parity", "until", "dyck-1-depth-2", "anbn"):
        path = tmp_path / f"{name}.json"
        run(name, "-o", str(path), "--regime", "scaled")
        model, language = read(path), LANGUAGES[name]
        assert (model.name, model.alphabet, model.output.position) == (
            name,
            language.alphabet,
            language.acceptance.value,
        )
        assert parse_formula(model.origin["formula"]) is language.formula
    _, out, _ = run("parity", "--alphabet", "xab", "--accept", "first")
    assert "x, a, b; judged at the first position" in out


def test_bounded_regime_claims_nothing(run):
    _, out, _ = run("P b", "--alphabet", "ab", "--regime", "bounded", "--tau", "7")
    assert "WITHOUT guarantee" in out
    assert "0.721347" not in out
    _, out, _ = run("P b", "--alphabet", "ab", "--regime", "bounded", "--json")
    data = json.loads(out)
    assert (data["guaranteed"], data["largest tau_0"]) == (False, None)
    assert data["ledger"][0]["requirements"][0]["value"] is None


def test_formulas_without_heads_and_with_many(run):
    _, out, _ = run("a & !b", "--alphabet", "ab")
    assert "every tau_0 will do" in out
    assert "rests on" not in out
    model = compile_formula(parse_formula("Y " * 60 + "a"), ("a", "b"))
    assert summary_text(model).endswith("... and 20 more heads (--json lists all)")
    assert len(summary(model)["ledger"]) == 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a"], "--alphabet is missing"),
        (["a &", "--alphabet", "ab"], "column"),
        (["F a", "--alphabet", "ab"], "state where it must hold"),
        (["a", "--alphabet", "ab", "--accept", "end"], "acceptance is first or last, got 'end'"),
        (["c", "--alphabet", "ab"], "'c' of the formula is not in the alphabet"),
        (["a", "--alphabet", "aa"], "occurs twice"),
        (["a", "--alphabet", ""], "alphabet is empty"),
        (["P a", "--alphabet", "ab", "--regime", "soft"], "one of unbounded, scaled, bounded"),
        (["P a", "--alphabet", "ab", "--threshold", "0.5"], "strictly between 0 and 1/2"),
        (["P a", "--alphabet", "ab", "--threshold", "x"], "--threshold"),
        (["P a", "--alphabet", "ab", "--tau", "0"], "tau_0 must be > 0"),
        (["P a", "--alphabet", "ab", "--tau", "1"], "'1.1 the last position with a' needs q <= 1/4, .* is 0.721347 "),
        (["partiy", "--alphabet", "ab"], "did you mean parity"),
        (["a S b", "--alphabet", "ab", "-o", "/nowhere/m.json"], "cannot write /nowhere/m.json"),
    ],
)
def test_bad_input_is_refused_in_one_line(run, arguments, message):
    code, _, err = run(*arguments)
    assert code == 3
    assert re.search(message, err)


def test_nothing_is_written_when_compiling_fails(run, tmp_path):
    path = tmp_path / "m.json"
    path.write_text("kept")
    assert run("P a", "--alphabet", "ab", "--tau", "1", "-o", str(path))[0] == 3
    assert path.read_text() == "kept"
