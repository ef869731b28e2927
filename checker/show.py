"""Shows a statement, or one of its claims, with its derivation: as text, as a LaTeX document, or as plain data.

Everything about what is proved and used is computed now, by replaying the derivations in the library given.
"""

from __future__ import annotations

import difflib
from typing import Any

from checker.errors import InputError
from proofs.derivation import Derivation
from proofs.latex_terms import expr_latex, prop_latex
from proofs.props import Prop
from proofs.registry import STATEMENTS, claims, uses
from proofs.render import LEGEND, claim_text, statement_text, wrapped
from proofs.render_latex import claim_latex, document, statement_latex
from proofs.sequent import Step
from proofs.statement import Claim, Library, Statement
from proofs.text_terms import expr_text, prop_text

LEMMAS = "Lemmas on finite sums"


def known_ids() -> list[str]:
    """Everything that can be shown: statements (A1, ...), then claims (S.order, ..., A1.exact, ...)."""
    return [*STATEMENTS, *(claim.name for claim in claims())]


def show(statement_id: str, *, latex: bool, proved: Library, width: int = 100) -> str:
    """A statement ("A2"), claim ("A2.bound") or lemma on sums ("S.order") with its derivations, checked now.

    latex: a complete LaTeX document, else plain text in lines of at most `width` characters (at least 40).
    Raises InputError for an unknown id, proofs.props.ProofError if a derivation is rejected.
    """
    found = _find(statement_id)
    if isinstance(found, Statement):
        cited = uses(found, proved)
        if latex:
            return document([statement_latex(found, proved, cited)])
        return statement_text(found, proved, cited, max(width, 40))
    _, derivation = proved.prove(found.name)
    if latex:
        return document([claim_latex(found, derivation)])
    width = max(width, 40)
    heading = [f"{found.name}  {_home(found)}", ""]
    heading += wrapped(", ".join(derivation.uses) or "nothing", width, "  uses  ", " " * 8)
    heading += ["", *wrapped(LEGEND, width, "  ", "  ")]
    return "\n".join(heading) + "\n\n" + claim_text(found, derivation, width)


def show_json(statement_id: str, *, proved: Library) -> dict[str, Any]:
    """The content of `show` as data: every formula as {"text": ..., "latex": ...}, step numbers as integers.

    Keys of a statement: id, title, section, kernel (whether a kernel proof is meant to exist), summary, quantity,
    direction, main, bound, sharpness, used_for, uses, claims. Of a claim: id, text, of (title of its statement), uses,
    definitions, hypotheses, conclusion, steps; of a step: number, prop, rule, how, why, premises, depends.
    """
    found = _find(statement_id)
    if isinstance(found, Claim):
        return _claim_data(found, proved)
    return {
        "id": found.id,
        "title": found.title,
        "section": found.section,
        "kernel": found.kernel,
        "summary": found.summary,
        "quantity": found.quantity,
        "direction": found.direction,
        "main": found.main,
        "bound": {"text": expr_text(found.bound), "latex": expr_latex(found.bound)},
        "sharpness": found.sharpness,
        "used_for": found.used_for,
        "uses": uses(found, proved),
        "claims": [_claim_data(claim, proved) for claim in found.claims],
    }


def _find(name: str) -> Statement | Claim:
    if name in STATEMENTS:
        return STATEMENTS[name]
    for claim in claims():
        if claim.name == name:
            return claim
    by_fold = {known.casefold(): known for known in known_ids()}
    close = [by_fold[match] for match in difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=0.5)]
    hint = f"; did you mean {' or '.join(close)}?" if close else ";"
    lemmas = ", ".join(known for known in known_ids() if known.startswith("S."))
    known = f"known ids: {', '.join(STATEMENTS)}, their claims (such as A2.bound), {lemmas}"
    raise InputError(f"no statement {name!r}{hint} {known}")


def _home(claim: Claim) -> str:
    """Title of the statement that a claim belongs to."""
    prefix = claim.name.partition(".")[0]
    return STATEMENTS[prefix].title if prefix in STATEMENTS else LEMMAS


def _prop_data(prop: Prop) -> dict[str, str]:
    return {"text": prop_text(prop), "latex": prop_latex(prop)}


def _step_data(step: Step) -> dict[str, Any]:
    return {
        "number": step.number,
        "prop": _prop_data(step.prop),
        "rule": step.rule,
        "how": step.how,
        "why": step.why,
        "premises": [premise.number for premise in step.premises],
        "depends": sorted(other.number for other in step.depends),
    }


def _claim_data(claim: Claim, proved: Library) -> dict[str, Any]:
    derivation: Derivation = proved.prove(claim.name)[1]
    return {
        "id": claim.name,
        "text": claim.text,
        "of": _home(claim),
        "uses": list(derivation.uses),
        "definitions": [_prop_data(prop) for prop in claim.definitions],
        "hypotheses": [_prop_data(prop) for prop in claim.hypotheses],
        "conclusion": _prop_data(claim.conclusion),
        "steps": [_step_data(step) for step in derivation.steps],
    }
