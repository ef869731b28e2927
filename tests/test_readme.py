"""The README's quoted outputs are what the commands print ("..." stands for lines left out)."""

import os
import re
import shlex
from pathlib import Path

import pytest

from checker.cli import run
from proofs.registry import STATEMENTS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUOTED = dict(re.findall(r"^```\n\$ hardsoft ([^\n]+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL))


def squeezed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the README's commands run: with the model file it shows, and the one that its first command writes."""
    path = tmp_path_factory.mktemp("readme")
    os.symlink(ROOT / "tests", path / "tests")
    (model,) = re.findall(r"^```json\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    (path / "mine.json").write_text(model, encoding="utf-8")
    (command,) = (command for command in QUOTED if command.startswith("compile"))
    before = Path.cwd()
    os.chdir(path)
    try:
        assert run(shlex.split(command)) == 0
    finally:
        os.chdir(before)
    return path


@pytest.mark.parametrize("command", [command for command in QUOTED if command != "verify"])
def test_quoted_output_is_printed(command, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")
    assert run(shlex.split(command)) == (1 if QUOTED[command].startswith("REFUTED") else 0)
    printed = squeezed(capsys.readouterr().out)
    place = 0
    for part in re.split(r"^\.\.\.$", QUOTED[command], flags=re.MULTILINE):
        part = squeezed(part)
        found = printed.find(part, place)
        assert found >= 0, f"{command}: not printed any more:\n{part}\n\nprinted:\n{printed}"
        place = found + len(part)


def test_quoted_verification_names_every_statement_and_claim():
    quoted = QUOTED["verify"]
    claims = sum(len(statement.claims) for statement in STATEMENTS.values())
    assert quoted.startswith(f"{len(STATEMENTS)} statements, {claims} claims, ")
    for name, statement in STATEMENTS.items():
        row = next(line for line in quoted.splitlines() if line.startswith(f"{name} "))
        assert f"proved: {len(statement.claims)} claims, " in row
        assert " HOLDS " in row


def test_the_python_examples_run():
    examples = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    assert len(examples) == 3
    tests = []
    for example in examples:
        assert "assert " in example
        names: dict[str, object] = {}
        exec(compile(example, "README.md", "exec"), names)
        tests += [value for name, value in names.items() if name.startswith("test_")]
    (test,) = tests
    assert callable(test)
    test()


def test_tables_audits_and_schedules_are_shown():
    assert any(command.startswith("table A3") for command in QUOTED)
    assert any(command.startswith("scores ") for command in QUOTED)
    assert any(command.startswith("schedule rightmost") for command in QUOTED)
