"""The registry: every statement by id, and one library in which their claims are proved."""

from __future__ import annotations

from .a_softmax_gap import (
    a1_exact,
    a2_gap,
    a3_temperature,
    a4_dispersion,
    a5_perturbed,
    a6_tieless,
    a7_values,
    a8_window,
)
from .statement import Claim, Library, Statement
from .series import CLAIMS as SERIES_LEMMAS
from .sums import CLAIMS as SUM_LEMMAS

_MODULES = (a1_exact, a2_gap, a3_temperature, a4_dispersion, a5_perturbed, a6_tieless, a7_values, a8_window)

STATEMENTS: dict[str, Statement] = {module.STATEMENT.id: module.STATEMENT for module in _MODULES}


def claims() -> list[Claim]:
    """Every claim of the registry, lemmas on finite sums first."""
    return [*SUM_LEMMAS, *SERIES_LEMMAS, *(claim for statement in STATEMENTS.values() for claim in statement.claims)]


def library() -> Library:
    """A fresh library: nothing in it is proved yet."""
    return Library(claims())


def uses(statement: Statement, proved: Library) -> list[str]:
    """Names of the claims outside `statement` that its derivations cite, directly, in order of first use."""
    found: list[str] = []
    own = {claim.name for claim in statement.claims}
    for claim in statement.claims:
        _, derivation = proved.prove(claim.name)
        found += [name for name in derivation.uses if name not in own and name not in found]
    return found
