"""Section E: every claim is proved from hypotheses that are all used."""

import mutation_count
import pytest

from proofs.e_general import STATEMENTS
from proofs.props import ProofError
from proofs.registry import claims
from proofs.statement import Library

STATED = {statement.id: statement for statement in STATEMENTS}
CLAIMS = {claim.name: claim for statement in STATEMENTS for claim in statement.claims}
KNOWN = {claim.name for claim in claims()}


@pytest.fixture(scope="module")
def proved():
    """One library for all tests here: each claim is proved once."""
    return Library([*claims(), *(claim for name, claim in CLAIMS.items() if name not in KNOWN)])


@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_is_proved_and_no_hypothesis_can_be_dropped(proved, name):
    theorem, derivation = proved.prove(name)
    claim = CLAIMS[name]
    stated = (*claim.definitions, *claim.hypotheses)
    assert theorem.conclusion == claim.conclusion
    assert theorem.hypotheses == stated
    assert {step.rule for step in derivation.last.depends} <= {"given", "define"}
    assert proved.unused(name) == []
    for hypothesis in claim.hypotheses:
        rest = [prop for prop in stated if prop != hypothesis]
        with pytest.raises(ProofError, match="which is not a hypothesis of the statement"):
            derivation.conclude(derivation.last, name, rest, claim.conclusion)
        mutation_count.record("derivations", killed=True)


def test_statements_and_kernel_flags_are_those_of_the_theory():
    assert {name for name, statement in STATED.items() if statement.kernel} == {"E1"}
    for name, statement in STATED.items():
        assert statement.section == "E"
        assert statement.main in {claim.name for claim in statement.claims}
        assert all(claim.name.startswith(f"{name}.") for claim in statement.claims)
