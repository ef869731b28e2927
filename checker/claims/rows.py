"""The theorem about rows: the quantity itself against the bound, from the registry's claims and the inequality."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.claims.naming import Names
from checker.claims.worst import Family
from proofs.props import Rel
from proofs.statement import Claim

if TYPE_CHECKING:
    from checker.claims.prove import Goal


def row_derivation(goal: Goal, family: Family, names: Names, parameters: Claim, target: Rel) -> Claim | None:
    """The claim about rows with its derivation, which cites `parameters`; None where there is no direct one."""
    del goal, family, names, parameters, target
    return None
