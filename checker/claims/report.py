"""What a check found, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from checker.attention import Row
from checker.claims.check import Outcome, Report
from checker.claims.files import Entry
from checker.claims.model import Assumption, Statement
from checker.claims.prove import Proof
from checker.claims.sharpen import Sharp
from checker.claims.witness import Witness
from checker.exact import show
from proofs.render import claim_text


def as_text(report: Report, *, steps: bool = False) -> str:
    """A few lines: the verdict first, then the proof or the witness."""
    lines = [f"{report.outcome.value}: {title(report.claim)}"]
    if report.claim.assumptions:
        lines.append("  assuming " + "; ".join(item.text for item in report.claim.assumptions))
    if report.outcome is Outcome.PROVED:
        lines += _proof_lines(report)
    elif report.witness is not None:
        lines += _witness_lines(report.witness, report.claim)
    else:
        lines += [f"  {reason}" for reason in report.reasons]
        lines.append(
            f"  no counterexample among {report.points} points; no proof found. This says nothing about the claim."
        )
    if steps:
        lines += [_steps(proof) for proof in report.proofs if proof.derivation is not None]
    return "\n".join(lines)


def title(claim: Statement) -> str:
    """The claim as it was written, with its name in front."""
    return f"{claim.name}: {claim.text}" if claim.name else claim.text


def _proof_lines(report: Report) -> list[str]:
    lines = []
    for proof in report.proofs:
        where = f" for {proof.goal.case.label}" if proof.goal.case.label else ""
        if proof.derivation is None:
            lines.append(f"  nothing to prove{where}: {proof.note}")
            continue
        about = "the quantity itself" if proof.about_rows else f"the worst case {proof.goal.case.worst}"
        sense = "" if proof.goal.quantity_op else " where the condition fails"
        lines.append(
            f"  {proof.goal.op} the bound{where}{sense}: {len(proof.derivation.steps)} checked steps about {about}"
        )
        lines.append(f"    rests on {', '.join(proof.cites)}; inequalities by {', '.join(proof.methods) or 'citation'}")
    if not report.admissible:
        lines.append("  note: no parameters were found that satisfy all assumptions; the claim may say nothing")
    return lines


def _witness_lines(witness: Witness, claim: Statement) -> list[str]:
    point = ", ".join(f"{name} = {show(value)}" for name, value in witness.point.items())
    lines = [f"  at {point}"]
    if witness.row is not None:
        lines.append(f"  scores {witness.row}")
    if witness.soft is not None:
        lines.append(f"  perturbed scores {witness.soft}")
    if witness.values is not None:
        lines.append("  values " + "[" + ", ".join(show(value) for value in witness.values[:12]) + "], one per group")
    name = claim.quantity if witness.row is not None else "the worst case"
    lines.append(f"  {name} = {enclosed(witness.left)} {witness.relation} {enclosed(witness.right)} = bound")
    lines.append(
        f"  checked {witness.how}" if witness.row is not None else f"  {witness.how}, though the condition fails"
    )
    return lines


def enclosed(ends: tuple[Fraction, Fraction]) -> str:
    """About 10 digits of an enclosure, for reading; the comparison itself is rigorous."""
    middle = (ends[0] + ends[1]) / 2
    try:
        return f"{float(middle):.10g}"
    except OverflowError:
        return "a number above 10^308"


def _steps(proof: Proof) -> str:
    assert proof.claim is not None
    assert proof.derivation is not None
    shown = "\n" + claim_text(proof.claim, proof.derivation)
    return (_steps(proof.inequality) + "\n" if proof.inequality is not None else "") + shown


def as_json(report: Report) -> dict[str, Any]:
    """The same as a JSON object; numbers are exact, as texts."""
    return {
        "claim": report.claim.text,
        "name": report.claim.name,
        "assume": [item.text for item in report.claim.assumptions],
        "verdict": report.outcome.value.lower(),
        "proofs": [_proof_json(proof) for proof in report.proofs],
        "witness": _witness_json(report.witness) if report.witness else None,
        "vacuous": bool(report.proofs) and all(proof.derivation is None for proof in report.proofs),
        "admissible_parameters_found": report.admissible,
        "reasons": report.reasons,
        "points": report.points,
    }


def _proof_json(proof: Proof) -> dict[str, Any]:
    steps = proof.derivation.steps if proof.derivation else []
    return {
        "range": proof.goal.case.label,
        "worst_case": str(proof.goal.case.worst),
        "relation": proof.goal.op,
        "about": "rows" if proof.about_rows else "worst case",
        "uses": list(proof.cites),
        "hypotheses": [str(prop) for prop in proof.theorem.hypotheses] if proof.theorem else [],
        "conclusion": str(proof.theorem.conclusion) if proof.theorem else "",
        "steps": [
            {
                "number": s.number,
                "prop": str(s.prop),
                "rule": s.rule,
                "how": s.how,
                "from": [p.number for p in s.premises],
            }
            for s in steps
        ],
        "note": proof.note,
        "inequality": _proof_json(proof.inequality) if proof.inequality is not None else None,
    }


def _witness_json(witness: Witness) -> dict[str, Any]:
    return {
        "parameters": {name: _number(value) for name, value in witness.point.items()},
        "scores": _row_json(witness.row),
        "perturbed_scores": _row_json(witness.soft),
        "values": [_number(value) for value in witness.values] if witness.values is not None else None,
        "relation": witness.relation,
        "quantity": [_number(end) for end in witness.left],
        "bound": [_number(end) for end in witness.right],
        "how": witness.how,
    }


def _number(value: Fraction) -> str:
    return str(value)


def _row_json(row: Row | None) -> list[dict[str, Any]] | None:
    if row is None:
        return None
    return [{"score": _number(s), "positions": m} for s, m in zip(row.scores, row.multiplicities, strict=True)]


def explained(found: Sequence[tuple[Assumption, Report]]) -> str:
    """What becomes of the claim without each assumption."""
    lines = []
    for item, report in found:
        lines.append(f"  without {item.text}: {report.outcome.value}")
        if report.witness is not None:
            lines += ["  " + line for line in _witness_lines(report.witness, report.claim)[:-1]]
    return "\n".join(lines)


def library_text(results: Sequence[tuple[str, Entry, Report]]) -> str:
    """One line per claim of the library, and the count."""
    lines, wrong = [], 0
    for topic, entry, report in results:
        agrees = report.outcome.value.lower() == entry.expected
        wrong += not agrees
        mark = "" if agrees else f"  (expected {entry.expected})"
        lines.append(f"{report.outcome.value:9}  {topic}: {title(entry.claim)}{mark}")
    lines.append(f"{len(results)} claims, {len(results) - wrong} with the expected verdict")
    return "\n".join(lines)


def sharp_text(claim: Statement, sharp: Sharp) -> str:
    """The least constant, or its enclosure, and what shows either side."""
    lines = []
    if sharp.exact is not None:
        lines.append(f"least C = {show(sharp.exact)}: {title(claim)}")
    elif sharp.high is None:
        lines.append(f"UNDECIDED: no constant up to the largest tried is proved: {title(claim)}")
    else:
        below = "0 <= C" if sharp.low is None else f"{show(sharp.low)} < least C"
        lines.append(f"{below} <= {show(sharp.high)} (about {float(sharp.high):.6g}): {title(claim)}")
    if claim.assumptions:
        lines.append("  assuming " + "; ".join(item.text for item in claim.assumptions))
    if sharp.limit is not None:
        path = ", ".join(f"{name} = {value}" for name, value in sharp.limit.path.items())
        lines.append(f"  at least {show(sharp.limit.needed)} is needed in the limit t -> 0 along {path}")
    if sharp.witness is not None and sharp.witness.witness is not None:
        lines.append(f"  refuted with C = {show(sharp.low or Fraction(0))}:")
        lines += ["  " + line for line in _witness_lines(sharp.witness.witness, sharp.witness.claim)]
    if sharp.proof is not None:
        lines.append(f"  proved with C = {show(sharp.high or Fraction(0))}:")
        lines += ["  " + line for line in _proof_lines(sharp.proof)]
    if sharp.timed_out:
        what = "before any constant was proved" if sharp.high is None else "before the enclosure was narrow"
        lines.append(f"  the time ran out {what}; a larger --time may say more")
    if sharp.undecided:
        lines.append("  some constants in between stay undecided")
    return "\n".join(lines)


def sharp_json(claim: Statement, sharp: Sharp) -> dict[str, Any]:
    """The same as a JSON object."""
    return {
        "claim": claim.text,
        "assume": [item.text for item in claim.assumptions],
        "exact": _number(sharp.exact) if sharp.exact is not None else None,
        "refuted_at": _number(sharp.low) if sharp.low is not None else None,
        "proved_at": _number(sharp.high) if sharp.high is not None else None,
        "limit": {"path": sharp.limit.path, "needed": _number(sharp.limit.needed)} if sharp.limit else None,
        "undecided_between": sharp.undecided,
        "timed_out": sharp.timed_out,
        "witness": as_json(sharp.witness)["witness"] if sharp.witness else None,
        "proof": as_json(sharp.proof) if sharp.proof else None,
    }
