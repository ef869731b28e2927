"""What has to be proved for a claim: one goal per range of the parameters and direction."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from checker.attention import Tie
from checker.claims.expression import D, k, left, n, right
from checker.claims.families import Family
from checker.claims.model import Statement
from checker.claims.prove import Goal
from checker.claims.worst import ONE, Case, UnknownWorstCaseError, cases
from proofs.props import Rel


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
    for case in necessary(family, upper):
        # not (Q <= B for every row): the supremum exceeds B.  not (Q < B for every row): some Q >= B.
        beyond = ">" if upper else "<"
        needed = beyond + "=" if claim.op in ("<", ">") and case.attained else beyond
        made.append(Goal(case, needed, claim, (*claim.comparisons, claim.iff.negated()), ""))
    return made


def necessary(family: Family, upper: bool) -> list[Case]:
    """The ranges for which some row must break the bound where the condition of an equivalence fails.

    A claim that does not mention k speaks of rows with any number of maxima: the worst of them has one maximum, or
    only maxima. Raises UnknownWorstCaseError where the worst case is not known exactly.
    """
    found = cases(family, upper)
    moved = family.quantity.endswith("_moved")
    hidden = family.growth == "two-sided" and not family.mentions & {left, right}
    hidden = hidden or (family.quantity == "value_error" and family.width == D and D not in family.mentions)
    several = family.perturbation is not None and not moved and not family.tieless
    if hidden or several or not all(case.exact for case in found):
        raise UnknownWorstCaseError("the worst case is not known exactly, so no condition is known to be necessary")
    if k in family.mentions or family.growth or moved or family.perturbation is not None:
        return found
    if len(found) == 1 and found[0].replaced:  # gap > spread, so that all scores are equal
        return found
    ordered = {symbol for case in found for rel in case.ranges for symbol in (rel.lhs - rel.rhs).free_symbols}
    if ordered - {n, k, D}:
        raise UnknownWorstCaseError("whether scores may differ depends on the parameters; state the number of maxima")
    # k + Z' with Z' <= (n - k) q or >= (n - k) Q grows with k, since q, Q <= 1: so does the distance to a unique
    # choice, 1 - 1/(k + Z'), while the distance to the average, Z'/(k + Z'), falls.
    grows = family.tie is not Tie.AVERAGE and family.quantity in ("l1", "tv", "value_error")
    grows = grows or (family.tie is Tie.AVERAGE and family.quantity == "winner_weight")
    if grows is upper:
        return [_with_count(found[-1], "k = n", {k: n})]
    ends: list[dict[sp.Symbol, sp.Expr]] = [
        {k: ONE, n: ONE} if case.replaced.get(k) == n else {k: ONE} for case in found
    ]
    return [_with_count(case, "k = 1", end) for case, end in zip(found, ends, strict=True)]


def _with_count(case: Case, label: str, fixed: dict[sp.Symbol, sp.Expr]) -> Case:
    """The case for a given number of maxima."""
    ranges = tuple(Rel(rel.lhs.xreplace(fixed), rel.op, rel.rhs.xreplace(fixed)) for rel in case.ranges)
    worst = case.worst.xreplace(fixed)
    return replace(case, label=label, ranges=ranges, worst=worst, replaced={**case.replaced, **fixed})
