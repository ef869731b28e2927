"""What has to be proved for a claim: one goal per range of the parameters and direction."""

from __future__ import annotations

from checker.claims.model import Statement
from checker.claims.prove import Goal
from checker.claims.worst import Family, UnknownWorstCaseError, cases

_NOT = {"<=": ">", "<": ">="}


def goals(claim: Statement, family: Family) -> list[Goal]:
    """The goals whose conjunction is the claim; raises UnknownWorstCaseError."""
    if claim.iff is not None:
        return [*_one(claim, family, claim.op, assumed=True), *_only_if(claim, family)]
    if claim.op == "=":
        return [*_one(claim, family, "<="), *_one(claim, family, ">=")]
    return _one(claim, family, claim.op)


def _one(claim: Statement, family: Family, op: str, *, assumed: bool = False) -> list[Goal]:
    comparisons = (*claim.comparisons, claim.iff) if assumed and claim.iff else claim.comparisons
    made = []
    for case in cases(family, upper=op in ("<=", "<")):
        # quantity < supremum where no row attains it, so that supremum <= bound suffices for quantity < bound.
        needed = op if case.attained else op.rstrip("=") + "="
        made.append(Goal(case, needed, claim, comparisons, op))
    return made


def _only_if(claim: Statement, family: Family) -> list[Goal]:
    """Where the condition fails, some row breaks the bound: the worst case lies beyond it."""
    assert claim.iff is not None
    upper = claim.op in ("<=", "<")
    made = []
    for case in cases(family, upper):
        if not case.exact:
            raise UnknownWorstCaseError("the worst case is not known exactly, so no condition is known to be necessary")
        # not (Q <= B for every row): the supremum exceeds B.  not (Q < B for every row): some Q >= B.
        beyond = ">" if upper else "<"
        needed = beyond + "=" if claim.op in ("<", ">") and case.attained else beyond
        made.append(Goal(case, needed, claim, (*claim.comparisons, claim.iff.negated()), ""))
    return made
