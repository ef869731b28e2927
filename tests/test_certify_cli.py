"""The commands `hardsoft certify` and `hardsoft run`."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from certify_fixture import model_of

from checker.cli import run
from checker.transformer.specfile import write


@pytest.fixture
def model_file(tmp_path):
    def make(text="a S b", **options):
        path = tmp_path / "model.json"
        write(path, model_of(text, options.pop("alphabet", "abc"), **options))
        return str(path)

    return make


def command(capsys, *arguments):
    code = run([*arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_model_is_certified(capsys, model_file):
    code, out, err = command(capsys, "certify", model_file(), "--max-length", "4")
    assert (code, err) == (0, "")
    assert out.startswith("CERTIFIED: computes the formula at every position, for all words of all lengths\n")
    assert "read back    (a & !b) S b" in out
    assert "claimed      a S b" in out
    assert "Largest admissible tau_0: 0.721347" in out
    assert "agree on 120 words of length 1..4, 426 positions" in out


def test_a_formula_and_a_language_are_certified(capsys):
    code, out, _ = command(capsys, "certify", "#<-[a] - #[b] >= 0", "--alphabet", "ab", "--max-length", "4",
                           "--regime", "scaled", "--json")  # fmt: skip
    data = json.loads(out)
    assert (code, data["outcome"], data["same_normal_form"]) == (0, "CERTIFIED", True)
    assert data["all_lengths"]["exponent"] == 3
    assert [head["threshold"] for head in data["all_lengths"]["heads"]][-1] == "1/4"
    assert data["exhaustive"]["disagreement"] is None
    assert command(capsys, "certify", "majority", "--max-length", "4")[0] == 0


def test_a_temperature_that_is_too_high(capsys, model_file):
    code, out, _ = command(capsys, "certify", model_file(), "--max-length", "3", "--tau", "1")
    assert code == 2
    assert out.startswith("UNDECIDED (temperature too high): no failure up to length 3\n")
    assert "head 1.1 the last position" in out
    assert "the largest admissible tau_0 is 0.721347" in out
    assert command(capsys, "certify", model_file(), "--max-length", "3", "--tau", "0.721347")[0] == 0


def test_failure_is_shown(capsys, model_file):
    path = model_file("Y a", alphabet="ab", regime="bounded")
    code, out, _ = command(capsys, "certify", path, "--max-length", "6")
    assert code == 1
    assert out.startswith("REFUTED: fails on a word of length 3, and on no shorter one\n")
    assert "word         baa" in out
    assert "soft run     fails, logit in [-0.0564476, -0.0564475] at temperature 1/2" in out
    code, out, _ = command(capsys, "certify", path, "--max-length", "2")
    assert code == 2
    code, out, _ = command(capsys, "certify", path, "--max-length", "6", "--json")
    assert json.loads(out)["exhaustive"]["disagreement"]["word"] == ["b", "a", "a"]


def test_another_formula_is_a_mismatch(capsys, model_file):
    code, out, _ = command(capsys, "certify", model_file(), "--formula", "P b", "--max-length", "3")
    assert code == 1
    assert "word         bc" in out
    # Equivalent, but of another normal form: nothing is claimed for all lengths.
    code, out, _ = command(capsys, "certify", model_file(), "--formula", "b | a & Y (a S b)", "--max-length", "4")
    assert code == 2
    assert "UNDECIDED (the formula read back is another one): no failure up to length 4" in out


def test_a_model_that_says_nothing_is_only_read_back(capsys, tmp_path):
    path = tmp_path / "model.json"
    write(path, replace(model_of("Y a"), origin={}))
    code, out, _ = command(capsys, "certify", str(path), "--max-length", "3")
    assert code == 0
    assert "computes the formula read back" in out
    assert "read back    Y a" in out
    assert "claimed" not in out


def test_what_is_not_understood_is_named(capsys, tmp_path):
    model = model_of("Y a")
    path = tmp_path / "model.json"
    write(path, replace(model, output=replace(model.output, bias=Fraction(-1, 3))))
    code, out, _ = command(capsys, "certify", str(path), "--max-length", "3")
    assert code == 2
    assert out.startswith("UNDECIDED (not understood): no failure up to length 3\n")
    assert "the output is not a truth value minus 1/2" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certify", "a S b"], "--alphabet is missing"),
        (["certify", "a S", "--alphabet", "ab"], "column"),
        (["certify", "missing.json"], "missing.json"),
        (["certify", "a", "--alphabet", "ab", "--formula", "b"], "--formula is for a model"),
        (["certify", "a", "--alphabet", "ab", "--max-length", "0"], "at least 1"),
        (["certify", "a", "--alphabet", "ab", "--max-length", "60"], "more than"),
        (["certify", "a", "--alphabet", "ab", "--tau", "0"], "--tau must be > 0"),
        (["certify", "a", "--alphabet", "ab", "--tau", "x"], "--tau"),
        (["run", "missing.json", "--word", "a"], "missing.json"),
        (["run", "missing.json", "--word", "a", "--hard", "--soft"], "exclude each other"),
        (["run", "missing.json", "--word", "a", "--hard", "--tau", "1"], "exclude each other"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, message):
    code, out, err = command(capsys, *arguments)
    assert (code, out) == (3, "")
    assert message in err
    assert err.count("\n") == 1


def test_bad_input_with_a_model(capsys, model_file):
    path = model_file()
    for arguments in (["--alphabet", "ab"], ["--regime", "scaled"], ["--accept", "last"]):
        code, _, err = command(capsys, "certify", path, *arguments)
        assert code == 3
        assert "is for a formula" in err
    assert command(capsys, "run", path, "--word", "")[0] == 3
    assert command(capsys, "run", path, "--word", "axa")[0] == 3
    assert command(capsys, "certify", path, "--formula", "z", "--max-length", "2")[0] == 3


def test_a_word_is_run(capsys, model_file):
    path = model_file()
    code, out, _ = command(capsys, "run", path, "--word", "abac")
    assert code == 0
    assert "hard attention: rejected (at the last position)" in out
    assert "soft attention: rejected (at the last position, temperature 1/2)" in out
    answers = [line.split()[2] for line in out.splitlines() if line.strip()[:1].isdigit()]
    assert answers == ["fails", "holds", "holds", "fails"]
    assert "soft" not in command(capsys, "run", path, "--word", "ab", "--hard")[1]
    assert "hard" not in command(capsys, "run", path, "--word", "ab", "--soft")[1]


def test_the_trace_is_an_error_ledger(capsys, model_file):
    path = model_file()
    out = command(capsys, "run", path, "--word", "abac", "--trace")[1]
    assert "layer 1, head 1.1 the last position without a & !b" in out
    assert "for every length: error <= 0.1354, threshold 1/4, slack >= 0.1146" in out
    # At position 3 (a after b): chi holds at b, 4 + 1 points above a; scores 4*1 + 2 against 3: gap 3.
    row = next(line.split() for line in out.splitlines() if line.strip().startswith("3:a"))
    assert row[1:3] == ["2:b", "3"]
    data = json.loads(command(capsys, "run", path, "--word", "abac", "--trace", "--json")[1])
    queries = data["heads"][0]["queries"]
    assert [query["query"] for query in queries] == ["begin", "1:a", "2:b", "3:a", "4:c", "end"]
    assert [query["attends"] for query in queries] == ["begin", "1:a", "2:b", "2:b", "4:c", "4:c"]
    assert all(query["slack"] is None or Fraction(query["slack"]) > 0 for query in queries)
    assert data["hard"]["holds"] == [False, True, True, False]


def test_a_hotter_run_may_be_wrong(capsys, model_file):
    path = model_file("Y a", alphabet="ab")
    assert "soft attention: accepted" in command(capsys, "run", path, "--word", "baab")[1]
    out = command(capsys, "run", path, "--word", "bbab", "--tau", "100")[1]
    assert "hard attention: accepted" in out
    assert "soft attention: rejected (at the last position, temperature 100)" in out
