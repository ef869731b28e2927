"""Which changes of a claim's numbers would Coq not notice?  python tests/coq_mutants.py A2 A7   (after make formal)

Every number in the conclusion of every claim is multiplied by 11/10 and by 10/11, and so is the right-hand side. The
changed claim is given to Coq with the proof of the unchanged one. Prints the changes that are accepted: there should be
none, although some of the changed claims are true (a weaker bound). Takes about a minute for a statement.
"""

import dataclasses
import re
import subprocess
import sys

import sympy as sp

from checker.formalise.statements import read_proofs, statement_lines
from checker.formalise.terms import NotInCoqError
from checker.kernel import BUILD
from proofs.props import Each, ProofError, Rel
from proofs.registry import STATEMENTS

FACTORS = (sp.Rational(11, 10), sp.Rational(10, 11))
SHIFTS = (sp.Rational(1, 10), -sp.Rational(1, 10))
MARK = re.compile(r"\(1729(?:%nat)?, \d+(?:%nat)?\)")
"""What Coq prints after each variant."""


def mutants(claim):
    """(what was changed, the changed claim), unchanged first."""
    rel = claim.relation
    sides = [(f"right-hand side * {factor}", rel.lhs, rel.rhs * factor) for factor in FACTORS if rel.rhs != 0]
    sides += [(f"right-hand side + {shift}", rel.lhs, rel.rhs + shift) for shift in SHIFTS if rel.rhs == 0]
    for factor in FACTORS:
        for number in sorted(rel.lhs.atoms(sp.Number), key=str):
            sides.append((f"{number} * {factor} on the left", rel.lhs.xreplace({number: number * factor}), rel.rhs))
        for number in sorted(rel.rhs.atoms(sp.Number), key=str):
            sides.append((f"{number} * {factor} on the right", rel.lhs, rel.rhs.xreplace({number: number * factor})))
    yield "nothing", claim
    for what, lhs, rhs in sides:
        if (lhs, rhs) == (rel.lhs, rel.rhs):
            continue
        try:
            changed = Rel(lhs, rel.op, rhs)
        except ProofError:  # a power with a fractional exponent
            continue
        prop = dataclasses.replace(claim.conclusion, rel=changed) if isinstance(claim.conclusion, Each) else changed
        yield what, dataclasses.replace(claim, conclusion=prop)


def accepted(statement):
    """(claim, change, whether Coq accepted it) for every mutant."""
    proofs = read_proofs(statement.section)
    text, tried = [proofs.imports], []
    for claim in statement.claims:
        if claim.name not in proofs.proofs:
            continue
        for what, mutant in mutants(claim):
            try:
                stated = statement_lines(mutant)
            except NotInCoqError:
                continue
            proof = proofs.proofs[claim.name]
            number = len(tried)
            text.append(
                f"Theorem mutant{number} :\n{stated}.\nProof.\n{proof}Qed.\nAbort All.\nCheck (1729%nat, {number}%nat)."
            )
            tried.append((claim.name, what))
    ran = subprocess.run(
        ["coqtop", "-q", "-R", "HardSoft", "HardSoft"],
        input="\n".join(text),
        cwd=BUILD,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    printed = MARK.split(ran.stdout)
    assert len(printed) == len(tried) + 1, "Coq's output could not be read"
    return [(name, what, "Error" not in part) for (name, what), part in zip(tried, printed, strict=False)]


def main(ids):
    for name in ids or [statement.id for statement in STATEMENTS.values() if statement.kernel]:
        found = accepted(STATEMENTS[name])
        wrong = [(claim, what) for claim, what, good in found if good != (what == "nothing")]
        print(f"{name}: {len(found)} variants, {len(wrong)} with an unexpected answer", flush=True)
        for claim, what in wrong:
            print(f"  {claim}: {what}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
