"""Verification: what it finds, what it makes of false claims and rejected derivations, and that jobs do not matter."""

import copy
import dataclasses
import json
from fractions import Fraction

import pytest
import sympy as sp

from checker import verify
from checker.checks import CHECKS, ONLY_DERIVED, Item, Mode, Plan
from checker.checks.item import at
from checker.cli import run
from checker.decide import Exact
from checker.enumeration import cases_of, enumerate_claim, enumerate_part, merge
from checker.errors import HardsoftError, InputError
from checker.quantity import tv
from checker.verdict import Verdict
from checker.verify import exit_code, replay, select, verify_all
from checker.verify_report import as_json, as_text
from checker.work.engines import Processes
from checker.work.run import Work
from checker.work.tasks import Task
from proofs.props import ProofError, Rel
from proofs.registry import STATEMENTS, library
from proofs.statement import Statement

PLAN = Plan(max_n=2)


@pytest.fixture(scope="module")
def everything():
    """All statements, checked by two processes."""
    return verify_all([], PLAN, jobs=2)


@pytest.fixture(scope="module")
def proved():
    return library()


@pytest.fixture
def proved_once(monkeypatch, proved):
    """Derivations are replayed once for all tests that do not alter one."""
    monkeypatch.setattr(verify, "library", lambda: proved)


def without_seconds(document):
    if isinstance(document, dict):
        return {key: without_seconds(value) for key, value in document.items() if key != "seconds"}
    return [without_seconds(value) for value in document] if isinstance(document, list) else document


def with_claim(monkeypatch, name, **changes) -> Statement:
    """Put a statement with one claim altered into the registry, for this test."""
    identifier = name.partition(".")[0]
    old = STATEMENTS[identifier]
    claims = tuple(dataclasses.replace(claim, **changes) if claim.name == name else claim for claim in old.claims)
    new = dataclasses.replace(old, claims=claims)
    monkeypatch.setitem(STATEMENTS, identifier, new)
    return new


def test_every_statement_is_proved_and_holds(everything):
    assert [report.statement.id for report in everything] == list(STATEMENTS)
    for report in everything:
        assert report.proved
        assert report.verdict is Verdict.HOLDS
        assert report.exit_code == 0
        assert report.steps > 0
        assert report.seconds > 0
        for claim in report.claims:
            assert claim.derivation.rejected is None
            assert (claim.enumeration is None) is (claim.name in ONLY_DERIVED)
            assert claim.enumeration is None or claim.enumeration.witness is None
    assert exit_code(everything) == 0


@pytest.mark.usefixtures("proved_once")
def test_the_report_does_not_depend_on_the_number_of_processes(everything):
    ids = ["A3", "A6"]
    alone = as_json(verify_all(ids, PLAN, jobs=1), PLAN)
    shared = [part for part in as_json(everything, PLAN)["statements"] if part["id"] in ids]
    assert json.dumps(without_seconds(alone["statements"])) == json.dumps(without_seconds(shared))


@pytest.mark.parametrize(("status", "code"), [("checked", 0), ("not run", 2)])
def test_the_kernel_can_be_required(status, code, monkeypatch, capsys):
    def stated(statement):
        return (status, "a reason") if statement.kernel else ("not planned", "")

    monkeypatch.setattr("checker.verify_report.kernel_status", stated)
    assert run(["verify", "A2", "--max-n", "2", "--jobs", "1"]) == 0
    printed = capsys.readouterr()
    assert f"  A2  {status}: a reason\n" in printed.out
    assert not printed.err
    assert run(["verify", "A2", "C2", "--max-n", "2", "--jobs", "1", "--require-kernel", "--json"]) == code
    printed = capsys.readouterr()
    assert json.loads(printed.out)["exit_code"] == code
    assert [part["kernel"] for part in json.loads(printed.out)["statements"]] == [status, "not planned"]
    assert ("Coq has not checked A2 in this checkout" in printed.err) == (code == 2)


def test_the_reports(everything):
    document = json.loads(json.dumps(as_json(everything, PLAN)))
    assert (document["max_n"], document["precision"], document["exit_code"]) == (2, 8192, 0)
    by_id = {part["id"]: part for part in document["statements"]}
    assert by_id["A2"]["kinds"]["lattice"] == 1320
    assert by_id["A2"]["cases"] == sum(by_id["A2"]["kinds"].values())
    assert "A1.exact" in by_id["A2"]["uses"]
    assert all(not name.startswith("A2.") for name in by_id["A2"]["uses"])
    assert by_id["A8"]["kernel"] == "not planned"
    assert all(part["kernel"] in ("checked", "not run") for part in by_id.values() if STATEMENTS[part["id"]].kernel)
    text = as_text(everything)
    assert text.startswith(f"{len(STATEMENTS)} statements, ")
    assert "A2  lattice 1320, giant n 180" in text
    assert "FAILS" not in text
    assert max(map(len, text.partition("Cases by kind")[0].splitlines())) <= 100
    assert as_text(everything[:1]).startswith("1 statement, ")


def test_selection():
    assert [statement.id for statement in select(["a3", " A1 ", "A3"])] == ["A1", "A3"]
    assert len(select([])) == len(STATEMENTS)
    for wrong in ("", "A", "A9", "A2.bound", "A²"):
        with pytest.raises(InputError, match=r"no statement .*; there are A1, A2, "):
            select(["A1", wrong])


# A wrong bound


def test_a_wrong_bound_fails_with_a_witness(monkeypatch):
    old = STATEMENTS["A6"].claim("A6.bound")
    relation = Rel(old.relation.lhs, "<=", old.relation.rhs * sp.Rational(999999, 1000000))
    with_claim(monkeypatch, "A6.bound", conclusion=relation)
    (report,) = reports = verify_all(["A6"], PLAN)
    assert report.verdict is Verdict.FAILS
    assert exit_code(reports) == report.exit_code == 1
    wrong = next(claim for claim in report.claims if claim.name == "A6.bound")
    assert wrong.enumeration.witness.startswith("<= fails at scores = [")
    assert wrong.enumeration.witness in as_text(reports)
    # The derivation does not conclude the altered claim either; the claims beside it stand.
    assert wrong.derivation.rejected
    assert not report.proved
    document = as_json(reports, PLAN)
    assert document["exit_code"] == 1
    assert document["statements"][0]["derivation"] == "rejected"
    assert document["statements"][0]["enumeration"] == "FAILS"
    assert document["statements"][0]["uses"]


def test_the_witness_is_the_same_however_the_cases_are_dealt(monkeypatch):
    old = STATEMENTS["A6"].claim("A6.bound")
    with_claim(monkeypatch, "A6.bound", conclusion=Rel(old.relation.lhs, "<=", old.relation.rhs / 2))
    claim = STATEMENTS["A6"].claim("A6.bound")
    alone = dataclasses.replace(enumerate_claim(claim, PLAN), seconds=0.0)
    assert alone.verdict is Verdict.FAILS
    for parts in (2, 3, 5):
        dealt = [enumerate_part(claim, PLAN, part, parts) for part in range(parts)]
        assert dataclasses.replace(merge(claim, PLAN, dealt), seconds=0.0) == alone
    judged = list(cases_of(claim, PLAN))[: sum(alone.cases.values())]
    assert f"<= fails at {judged[-1].case}" == alone.witness


# Undecided cases


def fake_check(verdicts):
    """A check with one case per verdict: TV of (0, -1) at temperature 1 is 1/(1+e), about 0.2689."""
    row = tv(_row(), Fraction(1))
    bounds = {Verdict.HOLDS: Fraction(1, 2), Verdict.FAILS: Fraction(1, 5)}

    def check(_claim, _plan):
        for place, verdict in enumerate(verdicts):
            rhs = row if verdict is Verdict.UNDECIDED else Exact(bounds[verdict])
            yield Item(f"kind {place % 2}", row, "<=", rhs, Mode.DECIDED, at(place=place))

    return check


def _row():
    from checker.attention import Row

    return Row.explicit([Fraction(0), Fraction(-1)])


H, U, X = Verdict.HOLDS, Verdict.UNDECIDED, Verdict.FAILS


@pytest.mark.parametrize(
    ("verdicts", "verdict", "cases", "witness", "precision"),
    [
        ([H, H, H], H, {"kind 0": 2, "kind 1": 1}, None, 64),
        ([H, U, H, U], U, {"kind 0": 2, "kind 1": 2}, "<= undecided at place = 1, 512 bits", 512),
        ([H, U, X, X, H], X, {"kind 0": 2, "kind 1": 1}, "<= fails at place = 2", 64),
        ([X], X, {"kind 0": 1}, "<= fails at place = 0", 64),
    ],
)
def test_verdict_of_an_enumeration(monkeypatch, verdicts, verdict, cases, witness, precision):
    monkeypatch.setitem(CHECKS, "A2.bound", fake_check(verdicts))
    claim, plan = STATEMENTS["A2"].claim("A2.bound"), Plan(2, 512)
    for parts in (1, 2, 3, 8):
        found = merge(claim, plan, [enumerate_part(claim, plan, part, parts) for part in range(parts)])
        assert (found.verdict, found.cases, found.witness, found.precision) == (verdict, cases, witness, precision)
        assert list(found.cases) == list(cases)


@pytest.mark.usefixtures("proved_once")
def test_an_undecided_case_gives_exit_code_2(monkeypatch):
    monkeypatch.setitem(CHECKS, "A6.bound", fake_check([H, U]))
    (report,) = reports = verify_all(["A6"], Plan(1, 256))
    assert report.verdict is Verdict.UNDECIDED
    assert exit_code(reports) == 2
    assert "A6.bound: UNDECIDED: <= undecided at place = 1, 256 bits" in as_text(reports)


@pytest.mark.usefixtures("proved_once")
def test_too_low_a_precision_is_undecided_not_wrong():
    (report,) = verify_all(["A6"], Plan(2, 64))
    assert report.proved
    assert report.exit_code == 2
    verdicts = {claim.name: claim.enumeration.verdict for claim in report.claims}
    assert verdicts["A6.choice"] is Verdict.HOLDS
    assert verdicts["A6.tight"] is Verdict.UNDECIDED


def test_no_case_and_no_check_are_errors(monkeypatch):
    claim = STATEMENTS["A2"].claim("A2.bound")
    monkeypatch.setitem(CHECKS, "A2.bound", fake_check([]))
    with pytest.raises(HardsoftError, match=r"no case was enumerated for A2\.bound"):
        enumerate_claim(claim, PLAN)
    monkeypatch.delitem(CHECKS, "A2.bound")
    with pytest.raises(HardsoftError, match=r"A2\.bound has no check"):
        enumerate_claim(claim, PLAN)
    assert enumerate_claim(STATEMENTS["A1"].claim(ONLY_DERIVED[0]), PLAN) is None


# Derivations


def test_a_rejected_derivation_gives_exit_code_1(monkeypatch):
    def refuse(_derivation, _given):
        raise ProofError("no such step")

    with_claim(monkeypatch, "A6.choice", derive=refuse)
    (report,) = reports = verify_all(["A6"], Plan(1))
    assert report.verdict is Verdict.HOLDS
    assert not report.proved
    assert exit_code(reports) == 1
    rejected = {claim.name for claim in report.claims if claim.derivation.rejected is not None}
    assert "A6.choice" in rejected
    text = as_text(reports)
    assert "REJECTED" in text
    assert "A6.choice: derivation rejected: no such step" in text
    assert isinstance(report.uses, list)


def test_a_proof_error_without_a_message_is_a_rejection_too(monkeypatch):
    def refuse(_derivation, _given):
        raise ProofError

    with_claim(monkeypatch, "A5.tight", derive=refuse)
    (found,) = replay(["A5.tight"], library())
    assert found.rejected == ""
    (report,) = verify_all(["A5"], Plan(1))
    assert report.exit_code == 1


def test_exit_codes_of_several_statements(everything):
    good = everything[0]
    bad = copy.copy(good)
    object.__setattr__(bad, "claims", [dataclasses.replace(good.claims[0], enumeration=None)])
    assert bad.verdict is Verdict.UNDECIDED
    assert exit_code([good, bad]) == 2
    assert exit_code([good]) == 0


# Processes


def square(number):
    if number < 0:
        raise InputError(f"{number} is negative")
    return number * number


def die():
    import os

    os._exit(7)


def test_errors_and_deaths_of_processes():
    tasks = [Task(str(number), square, (number,)) for number in (0, 1, 2, 3, 4, -1)]
    with Work(Processes(2)) as work:
        results = work.results(tasks, int)
        assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
        with pytest.raises(InputError, match="-1 is negative"):
            next(results)
    with Work(Processes(2)) as work, pytest.raises(HardsoftError, match="a process ended unexpectedly"):
        list(work.results([Task("death", die, ())], int))


@pytest.mark.usefixtures("proved_once")
def test_progress_counts_tasks(monkeypatch):
    for name in ("choice", "bound", "tight"):
        monkeypatch.setitem(CHECKS, f"A6.{name}", fake_check([H]))
    seen = []
    verify_all(["A6"], Plan(1), progress=lambda done, total, what: seen.append((done, total, what)))
    assert seen == [(0, 4, ""), (1, 4, "A6 derived"), (2, 4, "A6.choice"), (3, 4, "A6.bound"), (4, 4, "A6.tight")]
