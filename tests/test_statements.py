"""The statements: every claim is proved from hypotheses that are all used, and holds on random instances.

The instances are an independent check that the statements say what they should: they are drawn from the definitions of
softmax and of hard attention, evaluated with many digits, and no derivation is looked at.
"""

import dataclasses

import mpmath
import mutation_count
import pytest
from rows_fixture import instances

from proofs.props import ProofError, Rel
from proofs.registry import STATEMENTS, claims, library, uses
from proofs.statement import Library
from proofs.sums import CLAIMS as SUM_LEMMAS

CLAIMS = {claim.name: claim for claim in claims()}
SECTION_A = [claim for statement in STATEMENTS.values() if statement.section == "A" for claim in statement.claims]
SAMPLED = [claim.name for claim in (*SUM_LEMMAS, *SECTION_A)]
WANTED, TRIES = 12, 1500


@pytest.fixture(scope="module")
def proved():
    """One library for all tests here: each claim is proved once."""
    return library()


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(40):
        yield


@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_is_proved_as_stated(proved, name):
    theorem, derivation = proved.prove(name)
    claim = CLAIMS[name]
    assert theorem.conclusion == claim.conclusion
    assert theorem.hypotheses == (*claim.definitions, *claim.hypotheses)
    assert {step.rule for step in derivation.last.depends} <= {"given", "define"}


@pytest.mark.parametrize("name", CLAIMS)
def test_no_hypothesis_can_be_dropped(proved, name):
    claim = CLAIMS[name]
    _, derivation = proved.prove(name)
    assert proved.unused(name) == []
    stated = (*claim.definitions, *claim.hypotheses)
    for hypothesis in claim.hypotheses:
        rest = [prop for prop in stated if prop != hypothesis]
        with pytest.raises(ProofError, match="which is not a hypothesis of the statement"):
            derivation.conclude(derivation.last, name, rest, claim.conclusion)
        mutation_count.record("derivations", killed=True)


@pytest.mark.parametrize("name", SAMPLED)
def test_a_claim_holds_on_random_instances(name):
    claim = CLAIMS[name]
    found = instances(claim, WANTED, TRIES)
    assert len(found) == WANTED, f"only {len(found)} instances satisfy the hypotheses"
    for model in found:
        assert model.holds(claim.conclusion), {str(symbol): value for symbol, value in model.scalars.items()}


def test_statements_and_kernel_flags_are_those_of_the_theory():
    section_a = {name: statement for name, statement in STATEMENTS.items() if statement.section == "A"}
    assert list(section_a) == [f"A{number}" for number in range(1, 9)]
    assert {name for name, statement in section_a.items() if not statement.kernel} == {"A8"}
    for name, statement in STATEMENTS.items():
        assert statement.id == name
        assert statement.main in {claim.name for claim in statement.claims}
        assert all(claim.name.startswith(f"{name}.") for claim in statement.claims)
    assert list(STATEMENTS) == [
        *(f"A{number}" for number in range(1, 9)),
        *(f"B{number}" for number in range(1, 7)),
        *(f"C{number}" for number in range(1, 4)),
        *(f"D{number}" for number in range(1, 7)),
        *(f"E{number}" for number in range(1, 6)),
    ]
    assert {name for name, statement in STATEMENTS.items() if not statement.kernel} == {
        *("A8", "B4", "C2"),
        *("D2", "D3", "D5", "D6"),
        *("E2", "E3", "E4", "E5"),
    }


def test_names_of_claims_are_unique():
    assert len(CLAIMS) == len(claims())


def test_uses_are_citations_outside_the_statement(proved):
    for name, statement in STATEMENTS.items():
        cited = uses(statement, proved)
        assert cited, name
        assert not [claim for claim in cited if claim.startswith(f"{name}.")]
        assert set(cited) <= set(CLAIMS)


def test_a_library_refuses_cycles_missing_citations_and_names_stated_twice():
    constant = CLAIMS["S.constant"]
    circular = dataclasses.replace(constant, derive=lambda d, given: d.cite("S.constant", {}, given))
    with pytest.raises(ProofError, match=r"cyclic citation: S\.constant -> S\.constant"):
        Library([circular]).prove("S.constant")
    missing = dataclasses.replace(constant, derive=lambda d, given: d.cite("S.none", {}, given))
    with pytest.raises(ProofError, match=r"S\.none is cited but not stated"):
        Library([missing]).prove("S.constant")
    with pytest.raises(ProofError, match=r"S\.constant is stated twice"):
        Library([constant, constant])


def test_a_library_is_extended_by_new_claims_and_keeps_what_was_proved():
    constant = CLAIMS["S.constant"]
    known = Library([constant])
    proved = known.prove("S.constant")
    again = dataclasses.replace(constant, name="AGAIN")
    larger = known.extended([again])
    assert larger.prove("S.constant")[1] is proved[1]  # the same derivation, not another one
    assert larger.prove("AGAIN")[0].conclusion == constant.conclusion
    assert "AGAIN" not in known.claims
    with pytest.raises(ProofError, match="AGAIN is cited but not stated"):
        known.prove("AGAIN")
    with pytest.raises(ProofError, match=r"S\.constant is stated twice"):
        known.extended([dataclasses.replace(constant, conclusion=Rel(0, "<=", 1))])


def test_an_unused_hypothesis_is_reported():
    constant = CLAIMS["S.constant"]
    extra = Rel(constant.conclusion.lhs, ">=", 0)
    padded = dataclasses.replace(constant, hypotheses=(*constant.hypotheses, extra))
    assert Library([padded]).unused("S.constant") == [extra]
