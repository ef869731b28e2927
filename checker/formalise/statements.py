"""Coq files of statements: the generated theorem of each claim, followed by its hand-written proof.

The proofs are in proofs/coq/claims/<section>.v.in, in blocks

    Claim A2.bound.
      row. ...
    Qed.

What stands before the first block (imports) is copied into the file of every statement. A block `Omit B3.theta: why.`
says that a claim has no proof in Coq, and why.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from checker.errors import InputError
from checker.formalise.terms import binders, proposition
from proofs.props import Each, Prop
from proofs.statement import Claim, Statement

SOURCES = Path(__file__).resolve().parents[2] / "proofs" / "coq"
"""The hand-written development."""

WIDTH = 110
_BLOCK = re.compile(r"^Claim (?P<name>\S+)\.\n(?P<proof>.*?)^Qed\.$", re.MULTILINE | re.DOTALL)
_OMIT = re.compile(r"^Omit (?P<name>[^\s:]+): (?P<why>.*?)\.$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Proofs:
    """The hand-written proofs for the claims of a section: imports, proof by claim, reason by omitted claim."""

    imports: str = ""
    proofs: dict[str, str] = field(default_factory=dict)
    omitted: dict[str, str] = field(default_factory=dict)


def read_proofs(section: str, sources: Path = SOURCES) -> Proofs:
    """The proofs of a section ("A"); none if the file does not exist. Raises InputError for a malformed file."""
    path = sources / "claims" / f"{section}.v.in"
    if not path.exists():
        return Proofs()
    text = path.read_text(encoding="utf-8")
    proofs = {match["name"]: match["proof"] for match in _BLOCK.finditer(text)}
    omitted = {match["name"]: " ".join(match["why"].split()) for match in _OMIT.finditer(text)}
    left = _OMIT.sub("", _BLOCK.sub("", text))
    stated = len(re.findall(r"^Claim ", text, re.MULTILINE))
    if stated != len(proofs) or re.search(r"^(Claim|Qed|Omit)\b", left, re.MULTILINE):
        raise InputError(f"{path}: a block is not of the form `Claim NAME.` ... `Qed.`, or a claim is proved twice")
    return Proofs(left.strip(), proofs, omitted)


def theorem_name(claim: Claim) -> str:
    """The name of a claim's theorem in Coq: A2.others-equal is claim_A2_others_equal."""
    return "claim_" + re.sub(r"[^A-Za-z0-9]", "_", claim.name)


def theorem(claim: Claim) -> str:
    """The generated theorem of a claim, without its proof. Raises NotInCoqError if a term has no counterpart."""
    hypotheses: list[Prop] = [*claim.definitions, *claim.hypotheses]
    bound = binders([*hypotheses, claim.conclusion])
    lines = [f"Theorem {theorem_name(claim)} : forall {bound}," if bound else f"Theorem {theorem_name(claim)} :"]
    for prop in hypotheses:
        text = proposition(prop)
        lines.append(f"({text}) ->" if isinstance(prop, Each) else f"{text} ->")
    lines.append(f"{proposition(claim.conclusion)}.")
    first, *rest = lines
    return "\n".join([_folded(first, ""), *(_folded(line, "  ") for line in rest)]) + "\n"


def _folded(line: str, indent: str) -> str:
    return textwrap.fill(
        line, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def statement_file(statement: Statement, proofs: Proofs) -> tuple[str, list[str], dict[str, str]]:
    """(Coq file, claims proved in it, reason by claim that has no proof) of a statement."""
    parts = [f"(* {statement.id}, {statement.title}: generated from the claims that the Python derivations prove. *)"]
    parts.append(proofs.imports)
    proved: list[str] = []
    missing: dict[str, str] = {}
    for claim in statement.claims:
        if claim.name in proofs.omitted:
            missing[claim.name] = proofs.omitted[claim.name]
        elif claim.name not in proofs.proofs:
            missing[claim.name] = "there is no proof of it in Coq"
        else:
            parts.append(f"(* {claim.text} *)\n{theorem(claim)}Proof.\n{proofs.proofs[claim.name]}Qed.")
            proved.append(claim.name)
    return "\n\n".join(parts) + "\n", proved, missing
