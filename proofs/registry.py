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
from .b_positional import b1_linear, b2_both_sides, b3_lookup, b5_distances, b6_predicate
from .b_positional.line import CLAIMS as LINE_LEMMAS
from .c_temperature import c1_scaling, c2_necessity, c3_log
from .d_logic import d1_cleanup, d2_neighbour, d3_since, d4_counting, d5_predicates, d6_composition
from .d_logic.d4_error import LEMMAS as SERIES_OF_D
from .d_logic.head import CLAIMS as HEAD_LEMMAS
from .e_general import STATEMENTS as GENERAL
from .series import CLAIMS as SERIES_LEMMAS
from .statement import Claim, Library, Statement
from .sums import CLAIMS as SUM_LEMMAS

_STATEMENTS = (
    a1_exact.STATEMENT,
    a2_gap.STATEMENT,
    a3_temperature.STATEMENT,
    a4_dispersion.STATEMENT,
    a5_perturbed.STATEMENT,
    a6_tieless.STATEMENT,
    a7_values.STATEMENT,
    a8_window.STATEMENT,
    b1_linear.STATEMENT,
    b2_both_sides.STATEMENT,
    b3_lookup.B3,
    b3_lookup.B4,
    b5_distances.STATEMENT,
    b6_predicate.STATEMENT,
    c1_scaling.STATEMENT,
    c2_necessity.STATEMENT,
    c3_log.STATEMENT,
    d1_cleanup.STATEMENT,
    d2_neighbour.STATEMENT,
    d3_since.STATEMENT,
    d4_counting.STATEMENT,
    d5_predicates.STATEMENT,
    d6_composition.STATEMENT,
    *GENERAL,
)

STATEMENTS: dict[str, Statement] = {statement.id: statement for statement in _STATEMENTS}
LEMMAS = (*SUM_LEMMAS, *SERIES_LEMMAS, *LINE_LEMMAS, *HEAD_LEMMAS, *SERIES_OF_D)


def claims() -> list[Claim]:
    """Every claim of the registry, lemmas first."""
    return [*LEMMAS, *(claim for statement in STATEMENTS.values() for claim in statement.claims)]


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
