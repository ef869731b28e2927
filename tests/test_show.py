"""What `show` says about a statement, a claim, a lemma; as text, LaTeX and data; and what it refuses."""

from __future__ import annotations

import json
import re

import pytest
import sympy as sp
from steps_fixture import undecided

from checker.errors import InputError
from checker.show import known_ids, show, show_json
from proofs.props import ProofError, Rel
from proofs.registry import STATEMENTS, library
from proofs.statement import Claim, Library


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_shown_whole(name: str) -> None:
    statement = STATEMENTS[name]
    text = show(name, latex=False, proved=undecided())
    flat = re.sub(r"\s+", " ", text)
    assert text.startswith(f"{name}  {statement.title}\n")
    for part in (statement.summary, statement.sharpness, statement.used_for):
        assert part in flat
    for label in ("main claim", "bound", "hypotheses", "uses", "used for", "Notation"):
        assert re.search(rf"^  {label}", text, re.MULTILINE)
    assert re.findall(r"^([A-Z]\d\.[\w-]+): ", text, re.MULTILINE) == [claim.name for claim in statement.claims]


def test_uses_are_those_of_the_derivations() -> None:
    assert show_json("A2", proved=undecided())["uses"][:2] == ["S.order", "S.equal"]
    assert "A1.exact" in show_json("A2", proved=undecided())["uses"]
    assert not [used for used in show_json("A2", proved=undecided())["uses"] if used.startswith("A2")]
    assert show_json("A2.bound", proved=undecided())["uses"] == ["A2.others", "A1.exact", "A1.nonnegative"]


def test_a_claim_and_a_lemma_are_shown_alone() -> None:
    claim = show("A2.bound", latex=False, proved=library())
    assert claim.startswith("A2.bound  Gap bound, tight\n\n  uses  A2.others, A1.exact, A1.nonnegative\n")
    assert "\nA2.bound: the gap bound\n" in claim
    assert "A2.strict" not in claim
    lemma = show("S.order", latex=False, proved=library())
    assert lemma.startswith("S.order  Lemmas on finite sums\n")
    assert "[induction: on u; from " in lemma


@pytest.mark.parametrize("name", ["A2.bound", "A7", "S.term"])
def test_latex_is_a_complete_document(name: str) -> None:
    tex = show(name, latex=True, proved=undecided())
    assert tex.startswith(r"\documentclass")
    assert tex.rstrip().endswith(r"\end{document}")
    assert tex.count(r"\begin{claim}") == tex.count(r"\begin{proof}") == len(_claims(name))


def _claims(name: str) -> list[str]:
    return [claim.name for claim in STATEMENTS[name].claims] if name in STATEMENTS else [name]


@pytest.mark.parametrize("width", [40, 72, 140])
def test_the_width_is_kept(width: int) -> None:
    for name in ("A8", "A2.bound"):
        assert max(map(len, show(name, latex=False, proved=undecided(), width=width).splitlines())) <= width
    assert show("A2", latex=False, proved=undecided(), width=1) == show("A2", latex=False, proved=undecided(), width=40)


def test_data_of_a_statement() -> None:
    data = show_json("A2", proved=undecided())
    assert json.loads(json.dumps(data)) == data
    assert (data["id"], data["kernel"], data["quantity"], data["direction"]) == ("A2", True, "tv", "<=")
    assert data["bound"]["text"] == "(n - k)*exp(-gamma/tau)/(k + (n - k)*exp(-gamma/tau))"
    assert data["bound"]["latex"] == r"\frac{(n - k) \, e^{-\gamma / \tau}}{k + (n - k) \, e^{-\gamma / \tau}}"
    assert [claim["id"] for claim in data["claims"]] == [claim.name for claim in STATEMENTS["A2"].claims]


@pytest.mark.parametrize("name", ["A1", "A5", "S.weighted"])
def test_data_of_the_steps_agree_with_the_derivation(name: str) -> None:
    data = show_json(name, proved=undecided())
    for claim in data.get("claims", [data]):
        steps = undecided().prove(claim["id"])[1].steps
        assert [step["number"] for step in claim["steps"]] == list(range(1, len(steps) + 1))
        stated = [prop["text"] for prop in (*claim["definitions"], *claim["hypotheses"])]
        assert [step["prop"]["text"] for step in claim["steps"] if step["rule"] == "given"] == stated
        for shown, step in zip(claim["steps"], steps, strict=True):
            assert (shown["rule"], shown["how"], shown["why"]) == (step.rule, step.how, step.why)
            assert shown["premises"] == [premise.number for premise in step.premises]
            assert set(shown["depends"]) == {other.number for other in step.depends}
            assert all(number < shown["number"] for number in shown["premises"]) or step.rule == "induction"


@pytest.mark.parametrize("latex", [True, False])
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("a2", "did you mean A2 "),
        ("A2.bond", "did you mean A2.bound "),
        ("S.ordre", "did you mean S.order"),
        ("nothing like it", "; known ids: A1, A2, "),
        ("", "; known ids: A1, A2, "),
    ],
)
def test_unknown_ids(name: str, hint: str, latex: bool) -> None:
    with pytest.raises(InputError) as caught:
        show(name, latex=latex, proved=library())
    message = str(caught.value)
    assert hint in message
    assert "\n" not in message
    assert repr(name) in message
    with pytest.raises(InputError):
        show_json(name, proved=library())


def test_an_id_with_a_newline_gives_one_line() -> None:
    with pytest.raises(InputError) as caught:
        show("A2\nA3", latex=False, proved=library())
    assert "\n" not in str(caught.value)


def test_known_ids() -> None:
    ids = known_ids()
    assert ids[:8] == [f"A{number}" for number in range(1, 9)]
    assert {"A2.bound", "A8.attained", "S.order"} <= set(ids)
    assert len(set(ids)) == len(ids)


def test_derivations_are_checked_by_the_library_given() -> None:
    n = sp.Symbol("n", integer=True)
    false = Claim("A2.bound", "false", (), (), Rel(n, "<", n), lambda d, _: d.polynomial(n, "<", n))
    with pytest.raises(ProofError):
        show("A2.bound", latex=False, proved=Library([false]))
