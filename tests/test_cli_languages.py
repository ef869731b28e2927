"""The command `languages`: lists, one language, the table of classes, and refusals."""

import csv
import io
import json

import pytest
import typer

from checker.cli_languages import command, languages
from checker.console import exit_code_of
from checker.logic import report
from checker.logic.classes import LogicClass
from checker.logic.deciders import DECIDERS
from checker.logic.report import Measured
from checker.logic.text import parse_formula
from checker.logic.zoo import LANGUAGES


def run(capsys, *arguments, build=languages):
    app = typer.Typer(rich_markup_mode=None)
    app.command()(build)
    code = exit_code_of(lambda: app(args=list(arguments), prog_name="languages", standalone_mode=False))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_all_languages_are_listed(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert out.startswith(f"{len(LANGUAGES)} languages;")
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ")] == list(LANGUAGES)
    assert max(len(line) for line in out.splitlines()) <= 80


def test_json_holds_everything(capsys):
    code, out, _ = run(capsys, "--json")
    found = json.loads(out)["languages"]
    assert code == 0
    assert [entry["name"] for entry in found] == list(LANGUAGES)
    for entry in found:
        language = LANGUAGES[entry["name"]]
        assert parse_formula(entry["formula"]) is language.formula
        assert entry == json.loads(json.dumps(dict(language.data())))
    assert run(capsys, "--format", "json")[1] == out


def test_filters(capsys):
    for logic in LogicClass:
        _, out, _ = run(capsys, "--class", logic.value.lower(), "--json")
        names = [entry["name"] for entry in json.loads(out)["languages"]]
        assert names == [name for name, language in LANGUAGES.items() if language.logic is logic]
    _, out, _ = run(capsys, "tomita", "--format", "csv")
    assert [row["name"] for row in csv.DictReader(io.StringIO(out))] == [n for n in LANGUAGES if "tomita" in n]
    _, out, _ = run(capsys, "tomita", "--class", "P", "--json")
    assert [entry["name"] for entry in json.loads(out)["languages"]] == ["tomita-1", "tomita-7"]
    table = run(capsys, "parity", "--format", "markdown")[1]
    assert "| parity | PARITY: the number of a's is odd | LTL+count | #\\[a\\] % 2 == 1 | a b | last | 1 |" in table
    assert run(capsys, "tomita-1")[1].startswith("tomita-1: a*")
    assert run(capsys, "tomita-", "--class", "P")[1].splitlines()[2:] == [
        "P: languages of P alone (and H)",
        "  tomita-1             a*: no b",
        "  tomita-7             b*a*b*a*",
    ]


def test_one_language_is_shown_in_detail(capsys):
    code, out, _ = run(capsys, "dyck-1")
    assert code == 0
    assert out.splitlines() == [
        "dyck-1: well-nested brackets, of any depth",
        '  formula   H (#<-["("] >= #<-[")"]) & #["("] == #[")"]',
        "  alphabet  ( )",
        "  holds at  the last position",
        "  class     LTL+count (languages with counting terms and linear arithmetic)",
        "  words     the empty word, (), (()), ()(), ((())), (()()), ...",
        "  depth     2, with 6 subformulas",
        "  source    Bhattamishra, Ahuja, Goyal (2020)",
    ]


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_words_shown_belong_to_the_language(name):
    words = list(report.first_words(LANGUAGES[name]))
    assert 1 <= len(words) <= 5
    assert len(set(words)) == len(words)
    assert all(DECIDERS[name](word) for word in words)
    assert words == sorted(words, key=lambda word: (len(word), word))


def test_the_table_of_classes(capsys):
    code, out, _ = run(capsys, "--classes", "--json")
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [row["class"] for row in rows] == [logic.value for logic in LogicClass]
    assert set(rows[0]) == {"class", "logic", "model", "regime", "examples"}
    for row in rows:
        for example in row["examples"].split(", "):
            assert LANGUAGES[example].logic.value == row["class"]
    text = run(capsys, "--classes")[1]
    assert max(len(line) for line in text.splitlines()) <= 80
    assert text.startswith("Classes of languages")


def test_the_table_of_classes_with_compiled_models(capsys):
    asked = []

    def measure(language, regime):
        asked.append((language.name, regime))
        return Measured(f"of {language.name}", f"tau {regime}")

    code, out, _ = run(capsys, "--classes", "--json", build=command(lambda: measure))
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [(row["class"], row["regime"]) for row in rows] == [
        (logic.value, regime) for logic in LogicClass for regime in ("unbounded", "scaled")
    ]
    assert asked == [(row["examples"].split(", ")[0], row["regime"]) for row in rows]
    assert all(row["embedding"] == f"of {row['examples'].split(', ')[0]}" for row in rows)
    assert all(row["temperature"] == f"tau {row['regime']}" for row in rows)
    lines = run(capsys, "--classes", build=command(lambda: measure))[1].splitlines()
    assert "  softmax         unbounded: embeddings of majority, temperature tau unbounded" in lines
    assert "                  scaled: embeddings of majority, temperature tau scaled" in lines
    run(capsys, build=command(lambda: pytest.fail("not needed for the list")))


ERRORS = [
    (["precedenc3"], "no language is named 'precedenc3'; did you mean precedence?"),
    (["--class", "LTL+x"], "--class must be one of Y, P, LTL, LTL+mod, LTL+num, LTL+count, got 'LTL+x'"),
    (["parity", "--class", "P"], "no language with 'parity' in its name is of the class P"),
    (["--classes", "parity"], "--classes shows all classes; leave out NAME and --class"),
    (["--format", "pdf"], "--format must be one of text, markdown, latex, csv, json, got 'pdf'"),
    (["--json", "--format", "csv"], "--json and --format csv exclude each other"),
]


@pytest.mark.parametrize(("arguments", "message"), ERRORS)
def test_refusals(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out, err) == (3, "", f"hardsoft: {message}\n")
