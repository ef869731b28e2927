"""Every altered bound is refuted by the enumeration with a concrete rational witness."""

import mutation_count
import pytest
from bound_mutants import MUTANTS as OF_A
from general_mutants import MUTANTS as OF_E
from logic_mutants import MUTANTS as OF_D
from positional_mutants import MUTANTS as OF_B_AND_C

from checker.checks import Plan, StatedClaim
from checker.verdict import Verdict
from proofs.registry import STATEMENTS

MUTANTS = (*OF_A, *OF_B_AND_C, *OF_D, *OF_E)
PLAN = Plan(max_n=4, precision=2048)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_mutant_is_refuted(mutant):
    refuted = None
    for item in mutant.check(StatedClaim(mutant.claim), PLAN):
        if item.judge(PLAN.precision).verdict is Verdict.FAILS:
            refuted = item
            break
    mutation_count.record("bounds", killed=refuted is not None)
    assert refuted is not None, f"no case refutes {mutant.name}: {mutant.claim.conclusion}"
    # The witness is concrete: exact values, printed, and refuted again at another precision.
    assert refuted.case
    assert "Fraction(" not in refuted.case
    assert refuted.judge(4 * PLAN.precision).verdict is Verdict.FAILS


def test_there_are_enough_mutants_of_every_statement():
    assert len(MUTANTS) >= 40
    assert {mutant.name.split(".")[0] for mutant in MUTANTS} == set(STATEMENTS)
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
