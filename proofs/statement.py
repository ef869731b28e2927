"""Statements of the theory as data: claims with their hypotheses, and the derivation that proves each.

A Statement (A1, A2, ...) is a list of Claims (A2.bound, A2.equality, ...). A claim is a proposition under hypotheses
together with a function that derives it; `prove` replays the derivation and returns the theorem, or raises. Nothing
here records that a claim is proved: that is computed by running the derivation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from .derivation import Derivation
from .props import Each, ProofError, Prop, Rel
from .sequent import Step, Tamper, Theorem

Deriver = Callable[[Derivation, Sequence[Step]], Step]


@dataclass(frozen=True)
class Claim:
    """One proposition of a statement.

    name         e.g. "A2.bound"
    text         the claim in words
    definitions  hypotheses that say what the symbols are (soft and hard weights, maximisers); may be unused
    hypotheses   hypotheses proper; each must be used by the derivation
    conclusion   the proposition
    derive       builds the derivation: derive(d, given) with the given steps in the order definitions, hypotheses
    """

    name: str
    text: str
    definitions: tuple[Prop, ...]
    hypotheses: tuple[Prop, ...]
    conclusion: Prop
    derive: Deriver = field(compare=False, repr=False)

    @property
    def relation(self) -> Rel:
        """The relation that the claim makes (at every position, for a claim about each position)."""
        return self.conclusion.rel if isinstance(self.conclusion, Each) else self.conclusion

    @property
    def bound(self) -> sp.Expr:
        """Right-hand side of the claimed relation."""
        return self.relation.rhs


@dataclass(frozen=True)
class TableData:
    """What a bound table needs: parameters by name, +1/-1 where the bound is monotone in one, what eps bounds."""

    parameters: tuple[str, ...]
    monotone: Mapping[str, int]
    target: str


@dataclass(frozen=True)
class Statement:
    """A numbered statement; `main` names the claim whose right-hand side is tabulated and shown as the bound."""

    id: str
    title: str
    section: str
    kernel: bool
    summary: str
    quantity: str
    direction: str
    claims: tuple[Claim, ...]
    main: str
    sharpness: str
    used_for: str
    table: TableData | None = None

    def claim(self, name: str) -> Claim:
        """The claim with this name; raises KeyError when there is none."""
        for claim in self.claims:
            if claim.name == name:
                return claim
        raise KeyError(name)

    @property
    def bound(self) -> sp.Expr:
        """Right-hand side of the main claim."""
        return self.claim(self.main).bound


class Library:
    """Claims by name, proved on demand; a claim that cites itself, directly or not, or a missing one, raises."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.claims: dict[str, Claim] = {}
        for claim in claims:
            if claim.name in self.claims:
                raise ProofError(f"{claim.name} is stated twice")
            self.claims[claim.name] = claim
        self._proved: dict[str, tuple[Theorem, Derivation]] = {}
        self._open: list[str] = []

    def prove(self, name: str, tamper: Tamper | None = None) -> tuple[Theorem, Derivation]:
        """The theorem `name` with its derivation, checked now (or earlier in this run, unless tampered with)."""
        if tamper is None and name in self._proved:
            return self._proved[name]
        if name not in self.claims:
            raise ProofError(f"{name} is cited but not stated")
        if name in self._open:
            raise ProofError(f"cyclic citation: {' -> '.join([*self._open, name])}")
        claim = self.claims[name]
        self._open.append(name)
        try:
            derivation = Derivation(lambda cited: self.prove(cited)[0], tamper)
            given = [derivation.given(prop) for prop in (*claim.definitions, *claim.hypotheses)]
            last = claim.derive(derivation, given)
            stated = (*claim.definitions, *claim.hypotheses)
            theorem = derivation.conclude(last, name, stated, claim.conclusion)
        finally:
            self._open.pop()
        if tamper is None:
            self._proved[name] = (theorem, derivation)
        return theorem, derivation

    def extended(self, claims: Sequence[Claim]) -> Library:
        """A library with further claims, whose names must be new; what was proved here is not proved again.

        A claim that is proved here cites only claims that are stated here, so that no further claim can change it.
        """
        made = Library([*self.claims.values(), *claims])
        made._proved.update(self._proved)
        return made

    def unused(self, name: str) -> list[Prop]:
        """Hypotheses proper that the derivation does not rest on."""
        claim = self.claims[name]
        _, derivation = self.prove(name)
        given = derivation.steps[len(claim.definitions) : len(claim.definitions) + len(claim.hypotheses)]
        assert derivation.last is not None
        return [step.prop for step in given if step not in derivation.last.depends]
