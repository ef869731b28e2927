"""Ledgers: what they are refused for, that damage is never believed, and the errors of a disk, each in one line."""

import os
import random
import sqlite3
from dataclasses import replace

import pytest
from certify_fixture import model_of

from checker import cli
from checker.certify.exhaustive import compare_all
from checker.errors import HardsoftError, InputError
from checker.logic.text import parse_formula
from checker.work import identity as identities
from checker.work import tasks
from checker.work.identity import digest_of, identity
from checker.work.ledger import Ledger
from checker.work.run import Work
from checker.work.tasks import Task

HERE = identity("test", {"formula": parse_formula("a S b")}, {"n": 3})
ROWS = {f"task {k}": f'{{"value":{k}}}' for k in range(40)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.ledger"


@pytest.fixture
def filled(path):
    ledger = Ledger(path, HERE)
    for key, text in ROWS.items():
        ledger.put(key, text)
    ledger.close()
    return path


def refusal(path, wanted=HERE):
    """The one line for which a ledger is refused."""
    with pytest.raises(InputError) as caught:
        Ledger(path, wanted)
    line = str(caught.value)
    assert line.startswith("--ledger: ")
    assert str(path.name) in line or str(path.parent.name) in line
    assert "\n" not in line
    return line


def edit(path, statement, *values):
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)
    connection.close()


def test_what_is_put_is_found_again(filled):
    ledger = Ledger(filled, HERE)
    assert {key: ledger.get(key) for key in ROWS} == ROWS
    assert ledger.get("another") is None
    assert len(ledger) == len(ROWS)
    ledger.close()
    assert [p.name for p in filled.parent.iterdir()] == [filled.name]


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (identity("gap", {"formula": parse_formula("a S b")}, {"n": 3}), "command is test there and gap here"),
        (identity("test", {"formula": parse_formula("a S b")}, {"n": 4}), "n is 3 there and 4 here"),
        (identity("test", {"formula": parse_formula("a S b")}, {}), "n is 3 there and missing here"),
        (identity("test", {"formula": parse_formula("b S a")}, {"n": 3}), "formula is "),
    ],
)
def test_another_run_is_refused(filled, other, says):
    line = refusal(filled, other)
    assert says in line
    assert line.endswith("; name another file")
    Ledger(filled, HERE).close()


@pytest.mark.parametrize("name", ["hardsoft", "source", "libraries"])
def test_another_program_is_refused(filled, monkeypatch, name):
    known = {**identities.code(), name: "9.9"}
    monkeypatch.setattr(identities, "code", lambda: known)
    assert f"another run: {name} is " in refusal(filled)


def test_another_format_is_refused(filled):
    edit(filled, "PRAGMA user_version = 7")
    assert "has format 7; this program reads format 1" in refusal(filled)


def test_models_and_formulas_have_hashes_of_their_own():
    model = model_of("Y a")
    found = [model, replace(model, name="another"), model_of("Y b"), parse_formula("Y a"), parse_formula("Y b"), None]
    assert len({digest_of(one) for one in found}) == len(found)
    assert digest_of(model) == digest_of(model_of("Y a"))
    with pytest.raises(TypeError, match="int has no hash"):
        digest_of(3)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE results SET text = '{}' WHERE key = 'task 7'", "the checksum of the result task 7 is wrong"),
        ("UPDATE results SET text = x'00ff' WHERE key = 'task 7'", "the checksum of the result task 7 is wrong"),
        ("UPDATE results SET text = CAST(x'00ff' AS TEXT) WHERE key = 'task 7'", "decode"),
        ("UPDATE results SET key = 'task 99' WHERE key = 'task 7'", "the checksum of the result task 99 is wrong"),
        ("UPDATE results SET checksum = 'a' WHERE key = 'task 7'", "the checksum of the result task 7 is wrong"),
        ("DELETE FROM results WHERE key = 'task 7'", "39 results where there should be 40"),
        ("DELETE FROM extent", "40 results where there should be some"),
        ("UPDATE header SET value = '4' WHERE name = 'n'", "the checksum of its header is wrong"),
        ("DELETE FROM header", "the checksum of its header is wrong"),
        ("DROP TABLE results", "its tables are not those of a ledger"),
        ("CREATE VIEW extra AS SELECT 1", "its tables are not those of a ledger"),
    ],
)
def test_edited_rows_are_found(filled, statement, says):
    edit(filled, statement)
    line = refusal(filled)
    assert "is damaged (" in line
    assert says in line
    assert line.endswith("; remove it to start afresh")


def test_rows_of_another_ledger_are_found(filled, tmp_path):
    other = Ledger(tmp_path / "other", identity("test", {}, {}))
    other.put("task 77", "{}")
    other.close()
    edit(filled, f"ATTACH '{tmp_path / 'other'}' AS other")
    connection = sqlite3.connect(filled)
    connection.execute("ATTACH ? AS other", (str(tmp_path / "other"),))
    connection.execute("INSERT INTO results SELECT * FROM other.results")
    connection.execute("UPDATE extent SET count = count + 1")
    connection.commit()
    connection.close()
    assert "the checksum of the result task 77 is wrong" in refusal(filled)


def test_a_row_that_is_changed_while_the_ledger_is_open(filled):
    ledger = Ledger(filled, HERE)
    ledger._connection.execute("UPDATE results SET text = 'x' WHERE key = 'task 3'")
    with pytest.raises(InputError, match="the checksum of the result task 3 is wrong"):
        ledger.get("task 3")
    ledger.close()


def test_bit_flips_and_truncations_are_found_or_harmless(filled):
    """Every result that a damaged ledger still gives is right."""
    whole, rng, refusals = filled.read_bytes(), random.Random(5), []
    for trial in range(300):
        content = bytearray(whole)
        if trial % 10 == 0:
            del content[rng.randrange(1, len(content)) :]
        else:
            place = rng.randrange(len(content))
            content[place] ^= 1 << rng.randrange(8)
        filled.write_bytes(bytes(content))
        for more in ("-wal", "-shm"):
            filled.with_name(filled.name + more).unlink(missing_ok=True)
        try:
            ledger = Ledger(filled, HERE)
        except InputError as error:
            refusals.append(str(error))
            continue
        assert all(ledger.get(key) in (text, None) for key, text in ROWS.items())
        ledger.close()
    assert len(refusals) > 100
    assert not any("\n" in line for line in refusals)


def test_files_that_are_no_ledgers(path, tmp_path):
    path.write_text("n = 3\n" * 1000)
    assert "is not a ledger (not an SQLite file); name another file" in refusal(path)
    assert path.read_text() == "n = 3\n" * 1000
    path.unlink()
    edit(path, "CREATE TABLE mine (x)")
    assert "is a database of another program; name another file" in refusal(path)
    assert "there is no directory" in refusal(tmp_path / "none" / "run.ledger")
    assert "is a directory; name a file" in refusal(tmp_path)


def test_a_file_that_cannot_be_written(filled, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda place, _mode: place != filled)
        assert f"{filled} cannot be written; change its permissions" in refusal(filled)
        patch.setattr(os, "access", lambda place, _mode: place == filled)
        assert f"{filled.parent} cannot be written; change its permissions" in refusal(filled)
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **more: connect(f"file:{path}?mode=ro", uri=True, **more))
    assert f"writing to {filled} failed (" in refusal(filled)


def test_a_disk_that_is_full(path):
    ledger, kept, line = Ledger(path, HERE), 0, None
    (pages,) = ledger._connection.execute("PRAGMA page_count").fetchone()
    ledger._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    while line is None:
        try:
            ledger.put(f"task {kept}", '"' + "x" * 1000 + '"')
            kept += 1
        except InputError as error:
            line = str(error)
    assert line == f"--ledger: writing to {path} failed (database or disk is full); what it holds is kept"
    ledger.close()
    again = Ledger(path, HERE)
    assert len(again) == kept >= 2
    again.close()


def test_a_ledger_that_is_in_use(filled):
    first = Ledger(filled, HERE)
    assert "is in use by another process; wait for it, or name another file" in refusal(filled)
    first.close()
    Ledger(filled, HERE).close()


def test_a_result_of_another_form_is_damage(path):
    model, formula = model_of("Y a"), parse_formula("Y a")
    negative, broken = '{"n":1,"undecided":[],"words":-2,"wrong":null}', '{"n":1,"undecided":[],"words":2.0}'
    for text in ('{"n":1}', "[", "7", negative, broken):
        ledger = Ledger(path, HERE)
        ledger.put("length 1, words 0..2", text)
        with Work(ledger=ledger) as work, pytest.raises(InputError, match=r"damaged \(the result length 1, words 0"):
            compare_all(model, formula, 2, None, work=work)
        path.unlink()


def test_tasks_that_are_not_kept(path):
    with Work(ledger=Ledger(path, HERE)) as work:
        assert list(work.results([Task("a", int, ("3",)), Task("b", int, ("4",), kept=False)], int)) == [3, 4]
        assert work.ledger.get("a") == "3"
        assert work.ledger.get("b") is None


def test_two_runs_in_one_ledger_are_a_fault(path):
    with Work(ledger=Ledger(path, HERE)) as work:
        compare_all(model_of("Y a"), parse_formula("Y a"), 2, None, work=work)
        with pytest.raises(HardsoftError, match="a ledger is for one run"):
            compare_all(model_of("Y a"), parse_formula("Y b"), 2, None, work=work)


def test_the_command_line_refuses_in_one_line(path, capsys, monkeypatch):
    monkeypatch.setattr(tasks, "SCORES", 100)
    arguments = ["certify", "Y a", "--alphabet", "ab", "--max-length", "5", "--ledger", str(path)]
    assert cli.run(arguments) == 0
    first = capsys.readouterr()
    assert cli.run(arguments) == 0
    assert capsys.readouterr() == first
    for changed, says in (
        (["--tau", "1/3"], "--tau is null there and "),
        (["--regime", "scaled"], "model is "),
        (["--max-length", "4"], "--max-length is 5 there and 4 here"),
    ):
        assert cli.run([*arguments, *changed]) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"hardsoft: --ledger: {path} is of another run: ")
        assert says in err
        assert err.count("\n") == 1
    edit(path, "UPDATE results SET text = replace(text, '2', '3')")
    assert cli.run(arguments) == 3
    assert "is damaged (the checksum of the result " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--jobs", "x"], "--jobs"),
        (["--jobs", "-1"], "--jobs must be between 0 and 1024, got -1"),
        (["--jobs", "1025"], "--jobs must be between 0 and 1024, got 1025"),
        (["--engine", "spark"], "--engine must be one of local, dask, got 'spark'"),
        (["--scheduler", "tcp://x:1"], "--scheduler is for --engine dask"),
        (["--engine", "dask", "--scheduler", "tcp://x:1", "--jobs", "2"], "--jobs and --scheduler exclude each other"),
        (["--ledger", ""], "--ledger: the name of the file is empty"),
    ],
)
@pytest.mark.parametrize("command", [["certify", "majority"], ["gap", "first-a"], ["simulate", "first-a"], ["verify"]])
def test_bad_flags(command, arguments, says, capsys):
    assert cli.run([*command, *arguments]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1


def test_declared_numbers_have_no_ledger(path, capsys):
    given = ["--gap", "1/n", "--bound", "1", "--margin", "1/2"]
    assert cli.run(["simulate", "induction-head", *given, "--ledger", str(path)]) == 3
    assert "are about words that are run; leave out --gap" in capsys.readouterr().err
    assert not path.exists()
