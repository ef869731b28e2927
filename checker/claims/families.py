"""The assumptions of a claim about the row, gathered: which of them are made, and whether they fit together."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from checker.attention import Tie
from checker.claims.expression import D, k, left, right
from checker.claims.model import Statement
from checker.errors import InputError

ONE = sp.S.One


@dataclass(frozen=True)
class Family:
    """The assumptions about the row: bounds of gap, spread and perturbation (None: not assumed), growth, values."""

    quantity: str
    tie: Tie
    gap: sp.Expr | None
    spread: sp.Expr | None
    perturbation: sp.Expr | None
    growth: str
    slope: sp.Expr | None
    width: sp.Expr
    tieless: bool
    mentions: frozenset[sp.Symbol]  # the variables that the claim and its assumptions mention
    lowest: sp.Expr = sp.S.Zero  # the lower end of the interval of the values


def family(claim: Statement) -> Family:
    """The assumptions about the row; InputError where they contradict or do not fit the quantity."""
    found = {kind: claim.only(kind) for kind in ("gap", "spread", "perturbation", "growth", "lookup", "values", "hard")}
    values = {kind: item.value if item else None for kind, item in found.items()}
    growth = found["growth"].sides if found["growth"] else "lookup" if found["lookup"] else ""
    if found["growth"] and found["lookup"]:
        raise InputError("growth and lookup exclude each other")
    if growth:
        for kind in ("gap", "spread", "perturbation"):
            if found[kind]:
                raise InputError(f"the assumption {found[kind].text} cannot be combined with {growth}")  # type: ignore[union-attr]
    if found["values"] and claim.quantity != "value_error":
        raise InputError(f"the range of the values says nothing about {claim.quantity}; it belongs to value_error")
    if claim.quantity.endswith("_moved") and not found["perturbation"]:
        raise InputError(f"{claim.quantity} compares the softmax of two rows; assume perturbation <= eta")
    if claim.quantity.endswith("_moved") and (found["hard"] or growth):
        raise InputError(f"{claim.quantity} does not depend on hard attention or growth; leave that assumption out")
    if growth != "two-sided" and claim.symbols & {left, right}:
        raise InputError("l and r, the positions left and right of the maximum, need growth two-sided >= gamma")
    width = values["values"] if values["values"] is not None else D
    slope = values["growth"] if values["growth"] is not None else values["lookup"]
    tieless = any(_is_one(c.lhs.expr, c.op, c.rhs.expr) for c in claim.comparisons)
    return Family(
        claim.quantity,
        claim.tie,
        values["gap"],
        values["spread"],
        values["perturbation"],
        growth,
        slope,
        width,
        tieless,
        frozenset(claim.symbols),
        found["values"].low if found["values"] else sp.S.Zero,
    )


def _is_one(lhs: sp.Expr, op: str, rhs: sp.Expr) -> bool:
    return op == "=" and {lhs, rhs} == {k, ONE}
