"""The commands check and sharpen: files of several claims, interruptions, and messages that say what to write."""

import json

import pytest

from checker.claims import check as checking
from checker.claims.files import read_text
from checker.cli import app
from checker.console import BAD_INPUT, INTERRUPTED, REFUTED, exit_code_of
from checker.errors import InputError

TWO = '[[claims]]\nclaim = "l1 <= 2"\n\n[[claims]]\nname = "too small"\nclaim = "l1 <= 1"\n'


@pytest.fixture
def run(capsys):
    def command(*arguments):
        code = exit_code_of(lambda: app(args=list(arguments), prog_name="hardsoft", standalone_mode=False))
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def two(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(TWO)
    return str(path)


def test_a_file_of_two_claims(run, two):
    code, out, err = run("check", two)
    assert (code, err) == (REFUTED, "")
    assert out.splitlines() == [
        f"PROVED     {two}: l1 <= 2",
        f"REFUTED    {two}: too small: l1 <= 1  (expected proved)",
        "2 claims, 1 with the expected verdict",
    ]


@pytest.mark.parametrize("json_", [False, True])
def test_an_interrupted_file_prints_what_is_decided(run, two, monkeypatch, json_):
    decide = checking.check

    def interrupted(claim, seconds):
        if claim.name:
            raise KeyboardInterrupt
        return decide(claim, seconds)

    monkeypatch.setattr(checking, "check", interrupted)
    code, out, err = run("check", two, *(["--json"] if json_ else []))
    assert code == INTERRUPTED
    assert err == "hardsoft: interrupted\n"
    if json_:
        assert [found["verdict"] for found in json.loads(out)["claims"]] == ["proved"]
    else:
        assert out.splitlines()[0] == f"PROVED     {two}: l1 <= 2"
        assert len(out.splitlines()) == 2


def test_a_claim_that_cannot_be_checked_is_refused_before_the_others_are_decided(run, two, monkeypatch):
    with open(two, "a") as file:
        file.write('\n[[claims]]\nclaim = "l1 <= C*n"\n')
    monkeypatch.setattr(checking, "check", lambda *_: pytest.fail("a claim was decided"))
    code, out, err = run("check", two)
    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith(f"hardsoft: {two}, claim 3: C is the constant")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--library", "--steps"], "--explain and --steps out"),
        (["sharpen", "claims.toml"], "and no file"),
        (["sharpen", "l1 <= B*n", "--constant", "B"], "write C for B in the claim"),
        (["check"], "name a claim"),
    ],
)
def test_arguments_that_do_not_fit(run, arguments, message, monkeypatch):
    monkeypatch.setattr(checking, "check", lambda *_: pytest.fail("a claim was decided"))
    code, out, err = run(*arguments)
    assert (code, out) == (BAD_INPUT, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("l1 <= 2n*exp(-gamma/tau)", "column 8: found 'n' (products are written with *), expected"),
        ("l1 <= 2 exp(-n)", "found 'exp' (products are written with *), expected"),
        ("l1 <= n k", "column 9: found 'k' (products are written with *), expected"),
        ("l1 <= (n)(k)", "column 10: found '(' (products are written with *), expected"),
        ("l1 \u2264 2", "found '\u2264' (write <=)"),
        ("l1 <= 2*n*e^(-gamma/tau)", "unknown name 'e' (write exp(...) for powers of e)"),
        ("l1 <= N", "unknown name 'N' (the number of positions is n)"),
        ("l1 <= 1e400", "this number is too long"),
    ],
)
def test_messages_say_what_to_write(text, message):
    with pytest.raises(InputError) as error:
        read_text(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text", ["l1 3", "l1 n <= 2", "l1 <= 2 if n >= 2", "l1 <= foo", "l1 <= (3", "l1 <= 2 )", "l1 <= 2 iff"]
)
def test_no_hint_where_none_fits(text):
    with pytest.raises(InputError) as error:
        read_text(text)
    assert "(products" not in str(error.value)
    assert "(write" not in str(error.value)
