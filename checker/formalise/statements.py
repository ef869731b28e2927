"""Coq files of a statement: its claims with their hand-written proofs, and their bare statements to compare with.

The proofs are in proofs/coq/claims/<section>.v.in, in blocks

    Claim A2.bound.
      row. ...
    Qed.

What stands before the first block is copied into the file of every statement; only Require Import, Open Scope and
comments are allowed there. A block `Omit B3.theta: why.` says that a claim has no proof in Coq, and why.

The second file states every claim once more, where only the definitions are known, and takes the proof from the first:
so nothing that a proof does to its surroundings can change what the claim says.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from checker.errors import InputError
from checker.formalise.terms import NotInCoqError, binders, proposition
from proofs.props import Each, Prop
from proofs.statement import Claim, Statement

SOURCES = Path(__file__).resolve().parents[2] / "proofs" / "coq"
"""The hand-written development."""

WIDTH = 110
_BLOCK = re.compile(r"^Claim (?P<name>\S+)\.\n(?P<proof>.*?)^Qed\.$", re.MULTILINE | re.DOTALL)
_OMIT = re.compile(r"^Omit (?P<name>[^\s:]+): (?P<why>.*?)\.$", re.MULTILINE | re.DOTALL)
_HEADER = re.compile(r"(From [\w.]+ Require Import [\w\s]+|Open Scope R_scope)\.\s*")
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
STATEMENT_IMPORTS = """From Coq Require Import Reals ZArith.
From HardSoft Require Import Definitions.
Open Scope R_scope."""


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
    imports = _OMIT.sub("", _BLOCK.sub("", text)).strip()
    if len(re.findall(r"^Claim ", text, re.MULTILINE)) != len(proofs):
        raise InputError(f"{path}: a block is not of the form `Claim NAME.` ... `Qed.`, or a claim is proved twice")
    other = _HEADER.sub("", _COMMENT.sub("", imports)).strip()
    if other:
        first = other.splitlines()[0]
        raise InputError(f"{path}: {first!r} stands outside the blocks; only Require Import and Open Scope may")
    return Proofs(imports, proofs, omitted)


def theorem_name(claim: Claim) -> str:
    """The name of a claim's theorem in Coq: A2.others-equal is claim_A2_others_equal."""
    return "claim_" + re.sub(r"[^A-Za-z0-9]", "_", claim.name)


def statement_lines(claim: Claim) -> str:
    """The proposition that a claim states, closed. Raises NotInCoqError if a term has no counterpart."""
    hypotheses: list[Prop] = [*claim.definitions, *claim.hypotheses]
    bound = binders([*hypotheses, claim.conclusion])
    lines = [f"forall {bound},"] if bound else []
    for prop in hypotheses:
        text = proposition(prop)
        lines.append(f"({text}) ->" if isinstance(prop, Each) else f"{text} ->")
    lines.append(proposition(claim.conclusion))
    return "\n".join(_folded(line) for line in lines)


def _folded(line: str) -> str:
    return textwrap.fill(
        line, WIDTH, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


@dataclass(frozen=True)
class StatementFiles:
    """proof: the claims with their proofs; check: the claims alone; proved: their names; missing: reason by claim."""

    proof: str
    check: str
    proved: tuple[str, ...]
    missing: dict[str, str]
    omitted: dict[str, str]


def statement_files(statement: Statement, proofs: Proofs, module: str) -> StatementFiles:
    """The Coq files of a statement; `module` is the qualified name under which the second file finds the first."""
    title = f"(* {statement.id}, {statement.title}: generated from the claims that the Python derivations prove. *)"
    proof, check = [title, proofs.imports], [title, f"{STATEMENT_IMPORTS}\nRequire {module}."]
    proved: list[str] = []
    missing: dict[str, str] = {}
    omitted: dict[str, str] = {}
    for claim in statement.claims:
        if claim.name in proofs.omitted:
            omitted[claim.name] = proofs.omitted[claim.name]
            continue
        if claim.name not in proofs.proofs:
            missing[claim.name] = "there is no proof of it in Coq"
            continue
        try:
            stated = statement_lines(claim)
        except NotInCoqError as error:
            missing[claim.name] = str(error)
            continue
        name = theorem_name(claim)
        proof.append(f"(* {claim.text} *)\nTheorem {name} :\n{stated}.\nProof.\n{proofs.proofs[claim.name]}Qed.")
        check.append(f"(* {claim.text} *)\nDefinition {name} :\n{stated}\n  := {module}.{name}.")
        proved.append(claim.name)
    if proved:
        check.append(assumptions([theorem_name(statement.claim(name)) for name in proved]))
    return StatementFiles("\n\n".join(proof) + "\n", "\n\n".join(check) + "\n", tuple(proved), missing, omitted)


def assumptions(names: list[str]) -> str:
    """The command that prints what some theorems rest on, together: one traversal of the library instead of many."""
    return f"Definition all_of_them := ({', '.join(names)}, tt).\nPrint Assumptions all_of_them."
