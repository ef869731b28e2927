"""The notes say what the code does: names exist, lists are complete, quoted commands print what is quoted."""

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from checker import cli
from checker.checks import ONLY_DERIVED
from checker.claims.check import check
from checker.claims.expression import VARIABLES
from checker.claims.files import library as library_of_claims
from checker.claims.files import read_file
from checker.claims.model import QUANTITIES
from checker.claims.reader import read_assumption
from proofs import decide
from proofs.facts import FACTS
from proofs.registry import STATEMENTS, claims, library
from proofs.text_terms import prop_text

NOTES = {path.name: path.read_text(encoding="utf-8") for path in (Path(__file__).parent.parent / "notes").glob("*.md")}
NAMES = {claim.name for claim in claims()}
SECTION_A = [name for name, statement in STATEMENTS.items() if statement.section == "A"]
# a statement or claim; a claim's name may end in small letters and hyphens ("A2.others-equal", "A2.increasing-n")
MENTIONED = re.compile(r"\b(?:[A-F][1-9]|S)\.[a-z]+(?:-[a-z]+)*|\b[A-F][1-9]\b")
COMMANDS = [
    pytest.param(command, output, id=f"{name}: {command}")
    for name, text in sorted(NOTES.items())
    for command, output in re.findall(r"^```text\n\$ (hardsoft [^\n]+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
]


def section(note, heading):
    """The text of a note from `heading` to the next bold heading or section."""
    _, found, rest = NOTES[note].partition(heading)
    assert found, f"{note} has no {heading!r}"
    return re.split(r"^(?:\*\*|## )", rest, maxsplit=1, flags=re.MULTILINE)[0]


def test_all_notes_are_there():
    assert {"conventions.md", "a-softmax-gap.md", "paper-map.md", "trust.md"} <= set(NOTES)


@pytest.mark.parametrize("note", sorted(NOTES))
def test_every_name_mentioned_exists(note):
    assert set(MENTIONED.findall(NOTES[note])) <= NAMES | set(STATEMENTS) | {"D7"}  # D7 is a table


def test_every_claim_of_section_a_is_explained():
    mentioned = set(MENTIONED.findall(NOTES["a-softmax-gap.md"]))
    wanted = {claim.name for name in SECTION_A for claim in STATEMENTS[name].claims}
    assert wanted - set(ONLY_DERIVED) <= mentioned
    listed = NOTES["a-softmax-gap.md"].partition("Not enumerated")[2].partition("and the lemmas")[0]
    assert set(MENTIONED.findall(listed)) == wanted & set(ONLY_DERIVED)


def test_facts_are_listed_with_their_statements():
    expected = []
    for fact in FACTS:
        given = " and ".join(f"`{prop_text(prop)}`" for prop in fact.hypotheses)
        expected.append(f"* *{fact.name}*: {f'if {given} then ' if given else ''}`{prop_text(fact.conclusion)}`")
    bullets = re.split(r"^(?=\* )", section("trust.md", "**To be believed: elementary facts**"), flags=re.MULTILINE)
    listed = [" ".join(bullet.split()) for bullet in bullets[1:]]
    assert listed == expected, "the list of facts in notes/trust.md should read\n" + "\n".join(expected)


def test_steps_that_rest_on_z3_are_counted(monkeypatch):
    asked = []
    ask = decide._z3_unsat

    def counting(*given):
        asked.append(ask(*given))
        return asked[-1]

    monkeypatch.setattr(decide, "_z3_unsat", counting)
    proved, goals, denominators = library(), Counter(), Counter()
    for claim in claims():
        if claim.name.startswith(("S.", "A")):
            before = sum(asked)
            goals[claim.name] = sum("Z3" in step.how for step in proved.prove(claim.name)[1].steps)
            denominators[claim.name] = sum(asked) - before - goals[claim.name]
    text = section("trust.md", "**To be believed: Z3**")
    table = dict(re.findall(r"(A[1-8]\.[a-z-]+) (\d+)", text.partition("For section A")[2].partition("Signs of")[0]))
    found = {name: str(count) for name, count in goals.items() if count and name.startswith("A")}
    assert table == found
    signs = dict(re.findall(r"(A[1-8]\.[a-z-]+) (\d+)", text.partition("Signs of")[2]))
    assert signs == {name: str(count) for name, count in denominators.items() if count}


def test_commands_are_quoted():
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize(("command", "output"), COMMANDS)
def test_a_quoted_command_prints_what_is_quoted(command, output, capsys):
    expected = {"REFUTED": 1, "UNDECIDED": 2}.get(output.partition(":")[0], 0)
    assert cli.run(shlex.split(command)[1:]) == expected
    printed = capsys.readouterr()
    assert printed.out == output
    assert not printed.err


def test_the_claim_file_of_the_note_is_read_and_right(tmp_path):
    found = re.findall(r"^```toml\n(.*?)^```$", NOTES["check.md"], re.DOTALL | re.MULTILINE)
    assert len(found) == 1
    path = tmp_path / "claims.toml"
    path.write_text(found[0], encoding="utf-8")
    for entry in read_file(path):
        assert check(entry.claim).outcome.value.lower() == entry.verdict


def test_the_library_of_claims_is_counted():
    expected = {}
    for topic, entries in library_of_claims().items():
        true = sum(entry.verdict == "proved" for entry in entries)
        expected[topic] = (len(entries), true, len(entries) - true)
    expected["all"] = tuple(map(sum, zip(*expected.values(), strict=True)))
    rows = re.findall(r"^\| ([a-z]+) \| (\d+) \| (\d+) \| (\d+) \|$", NOTES["check.md"], re.MULTILINE)
    assert {topic: tuple(map(int, numbers)) for topic, *numbers in rows} == expected


def test_claims_and_assumptions_named_in_the_note_are_read():
    """Every word of the grammar that a claim may use is in the note, and the assumptions of its table are read."""
    note = NOTES["check.md"]
    for word in (*QUANTITIES, *VARIABLES, "exp", "log", "sqrt", "tanh", "floor", "ceil", "abs", "min", "max"):
        assert f"`{word}`" in note, word
    table = note.partition("| assumption | meaning |")[2].partition("\n\n")[0]
    listed = [
        text for row in re.findall(r"^\| (`.*?`) \| ", table, re.MULTILINE) for text in re.findall("`(.*?)`", row)
    ]
    assert len(listed) >= 12
    for text in listed:
        assert read_assumption(text).text == text


def test_references_of_the_library_name_statements():
    for entries in library_of_claims().values():
        for entry in entries:
            assert set(MENTIONED.findall(entry.reference)) <= NAMES | set(STATEMENTS), entry.claim.name


@pytest.mark.parametrize("note", sorted(NOTES))
def test_no_path_of_a_machine_and_no_broken_link(note):
    text = NOTES[note]
    assert not re.search(r"(?<![\w.])(?:~|/(?:tmp|home|root|usr|work|var|opt|mnt|Users))/|\.\./|[A-Z]:\\", text)
    root = Path(__file__).parent.parent
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (root / "notes" / target).exists(), target
    for path in re.findall(r"`((?:checker|proofs|tests)/[\w./]*)`", text):
        assert (root / path).exists(), path


@pytest.mark.parametrize("note", sorted(NOTES))
def test_mathematics_survives_markdown(note):
    """Markdown takes a backslash before punctuation away, also inside $...$; delimiters and fences come in pairs."""
    prose = re.sub(r"^```.*?^```$", "", NOTES[note], flags=re.DOTALL | re.MULTILINE)
    assert NOTES[note].count("```") % 2 == 0
    prose = re.sub(r"`[^`\n]*`", "", prose)
    assert not re.search(r"\\[,;:!{}|_]", prose)
    for paragraph in prose.split("\n\n"):
        assert paragraph.count("$") % 2 == 0, paragraph
