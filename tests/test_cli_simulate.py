"""hardsoft simulate: what it prints is certified, exit codes, errors in one line, the note it belongs to."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import typer

from checker.cli_simulate import simulate as command
from checker.console import exit_code_of
from checker.errors import DisagreementError
from checker.exact import exact
from checker.general import growth
from checker.general.apriori import decide, ledger
from checker.general.gaps import measure
from checker.general.plain import constants, plain
from checker.general.profile import profile
from checker.general.simulate import Outcome, Simulation, simulate
from checker.general.simulatereport import exit_code
from checker.general.ties import has_ties
from checker.position import parse
from checker.transformer.examples import load
from checker.transformer.specfile import read, write
from checker.verdict import Verdict

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command()(command)
NOTE = Path(__file__).parent.parent / "notes" / "e-simulate.md"


@pytest.fixture
def run(capsys):
    def call(*arguments):
        code = exit_code_of(lambda: app(list(arguments), standalone_mode=False))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def test_every_temperature_printed_is_certified_where_it_is_printed(run):
    code, out, err = run("induction-head", "--n", "3,4", "--json")
    data = json.loads(out)
    assert (code, err, data["exit code"]) == (0, "", 0)
    for found in data["lengths"]:
        measured = measure(load("induction-head"), found["n"])
        target, known = decide(measured), profile(measured)
        taus = {name: exact(text) for name, text in found["tau"].items()}
        assert target.met(ledger(measured, taus["sharp"], "sharp", known).logit)
        assert target.met(ledger(measured, taus["E1"], "plain").logit)
        assert target.met(ledger(measured, taus["E5"], "tieless").logit)
        assert target.met(ledger(measured, taus["closed form"], "plain").logit)
        assert exact(found["gain, at least"]) <= taus["sharp"] / taus["E1"]
        shown = [exact(delta) for delta in found["ledger"]["delta, at most"]]
        true = ledger(measured, taus["sharp"], "sharp", known).delta
        assert all(a >= b for a, b in zip(shown, true, strict=True))
        assert exact(found["works at"]) < exact(found["fails at"]) <= exact(found["works at"]) * Fraction(65, 64)
        assert len(found["failing word"]) == found["n"]
        assert found["verdict"] == "HOLDS"


def test_text_and_json_agree(run):
    _, text, _ = run("first-a", "--n", "3")
    _, out, _ = run("first-a", "--n", "3", "--json")
    found = json.loads(out)["lengths"][0]
    for number in (*found["tau"].values(), found["works at"], found["fails at"], found["gain, at least"]):
        assert number in text
    assert "refused at tau" in text
    assert "leftmost, step" in text
    assert text.endswith("certified for n = 3\n")


def test_a_file_and_an_error_allowed(run, tmp_path):
    path = tmp_path / "model.json"
    write(path, load("first-symbol"))
    code, out, _ = run(str(path), "--n", "3", "--eps", "1/100")
    assert code == 0
    assert "logits off by at most 1/100" in out
    by_name = run("first-symbol", "--n", "3", "--eps", "0.01")[1]
    assert by_name == out


def test_ties_are_written_out(run, tmp_path):
    path = tmp_path / "broken.json"
    assert run("last-not-c", "--n", "3", "--write", str(path))[0] == 0
    broken = read(path)
    assert not has_ties(measure(broken, 3))
    code, _, err = run("induction-head", "--n", "2", "--write", str(path))
    assert code == 3
    assert "no unique-hard head" in err


def test_lengths_beyond_what_is_run(run):
    code, out, _ = run("strict-majority", "--n", "3,5", "--max-check", "3")
    assert code == 0
    assert re.search(r"^5 +- +-", out, re.MULTILINE)
    code, out, _ = run("strict-majority", "--n", "3", "--max-check", "0")
    assert code == 0
    assert "A posteriori" not in out


def test_declared_numbers_are_conditional(run):
    given = ("--gap", "1/(n + 1)", "--bound", "1", "--margin", "1/2")
    code, out, _ = run("induction-head", "--n", "10,1e6", *given)
    assert code == 0
    assert "IF the declared gap, bound and margin are right" in out
    assert "certified if the declared" in out
    data = json.loads(run("induction-head", "--n", "10,1e6", *given, "--json")[1])
    assert data["conditional"] is True
    for found in data["lengths"]:
        n = found["n"]
        numbers = constants(load("induction-head"), n, Fraction(1), parse("1/(n + 1)").at(0, n), Fraction(1, 2))
        for name in ("E1", "closed form"):
            assert plain(numbers, exact(found["tau"][name])).logit < Fraction(1, 2)
        assert found["tau"]["sharp"] is None


def test_a_margin_of_zero_is_undecided(run, tmp_path):
    model = load("first-symbol")
    path = tmp_path / "zero.json"
    write(path, replace(model, output=replace(model.output, bias=Fraction(0))))
    code, out, _ = run(str(path), "--n", "2")
    assert code == 2
    assert "the margin is 0" in out
    assert out.endswith("undecided for n = 2\n")


def test_a_run_that_contradicts_a_temperature_is_a_fault_of_the_program(monkeypatch, run):
    too_high = Fraction(2)
    monkeypatch.setattr(Simulation, "best", property(lambda _: too_high))
    with pytest.raises(DisagreementError, match="contradicts the temperature 2"):
        simulate(load("first-symbol"), 3)
    code, out, err = run("first-symbol", "--n", "3")
    assert (code, out) == (1, "")
    assert "contradicts" in err


def test_words_that_stay_undecided_are_not_certified():
    found = simulate(load("first-symbol"), 3)
    unclear = replace(found, at_tau=replace(found.at_tau, verdict=Verdict.UNDECIDED))
    assert unclear.outcome is Outcome.UNDECIDED
    assert exit_code([found, unclear]) == 2
    assert exit_code([found]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing-like-it",), "no example and no language is named"),
        (("missing.json",), "missing.json"),
        (("first-symbol", "--n", "0"), "lengths are at least 1"),
        (("first-symbol", "--n", "x"), "--n"),
        (("first-symbol", "--eps", "0"), "--eps must be > 0"),
        (("first-symbol", "--eps", "1/2", "--decide"), "exclude each other"),
        (("first-symbol", "--n", "60"), "too many to run"),
        (("first-symbol", "--gap", "1"), "--bound is missing"),
        (("first-symbol", "--gap", "1/", "--bound", "1", "--margin", "1"), "--gap: "),
        (("first-symbol", "--gap", "i", "--bound", "1", "--margin", "1"), "in n alone"),
        (("first-symbol", "--gap", "n - 4", "--bound", "1", "--margin", "1"), "a gap > 0"),
        (("first-symbol", "--gap", "1", "--bound", "1", "--margin", "0"), "margin must be > 0"),
        (("first-a", "--gap", "1", "--bound", "1", "--margin", "1"), "average-hard heads only"),
        (("first-symbol", "--gap", "1", "--bound", "1", "--margin", "1", "--write", "x.json"), "leave out --gap"),
    ],
)
def test_bad_input_is_one_line(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (3, "")
    assert err.count("\n") == 1
    assert message in err


# -- the note -------------------------------------------------------------------------------------------------------


def test_the_table_of_gaps_in_the_note_is_the_computed_one():
    assert growth.table() in NOTE.read_text(encoding="utf-8")


def test_the_table_of_gains_in_the_note_is_the_computed_one():
    assert growth.gains() in NOTE.read_text(encoding="utf-8")
