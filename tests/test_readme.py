"""The README's quoted outputs are what the commands print ("..." stands for lines left out)."""

import re
from pathlib import Path

import pytest

from checker.cli import run
from proofs.registry import STATEMENTS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUOTED = dict(re.findall(r"^```\n\$ hardsoft ([^\n]+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL))


def squeezed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@pytest.mark.parametrize("command", [command for command in QUOTED if command != "verify"])
def test_quoted_output_is_printed(command, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    assert run(command.split()) == 0
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


def test_the_python_example_runs():
    (example,) = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, "README.md", "exec"), names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    assert callable(test)
    test()


def test_tables_audits_and_schedules_are_shown():
    assert any(command.startswith("table A3") for command in QUOTED)
    assert any(command.startswith("scores ") for command in QUOTED)
    assert any(command.startswith("schedule rightmost") for command in QUOTED)
