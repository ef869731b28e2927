"""What a value amounts to at the position that a head chooses, as a formula at the query."""

from __future__ import annotations

from typing import Any

from checker.logic import normal
from checker.logic.formula import Side
from checker.logic.normal import TRUE, Normal, Op, conjunction, disjunction, negation
from checker.position import Comparison
from checker.position import Op as Operation


def conjuncts(formula: Normal) -> frozenset[Normal]:
    """The parts of a conjunction; a formula of another kind is the only part."""
    return frozenset(formula.parts if formula.op is Op.ALL else (formula,))


def nearest(chi: Normal, value: Normal, side: Side, strict: bool) -> Normal:
    """`value` at the nearest position on the side (the query included) where chi holds; at the query if nowhere.

    strict: the query position is not visible, so all this holds at its neighbour; false where there is none.
    """
    # D3: with not chi = phi and not value, this is phi S value (phi U value on the right).
    back = side is Side.LEFT
    reach = normal.since if back else normal.until
    blocked, absent = negation(chi), conjuncts(negation(value))
    if chi is TRUE:
        inner = value
    elif absent <= conjuncts(blocked):
        inner = reach(blocked, value)
    else:
        nowhere = negation(reach(TRUE, chi))
        inner = disjunction([reach(blocked, conjunction([chi, value])), conjunction([nowhere, value])])
    return (normal.yesterday if back else normal.tomorrow)(inner) if strict else inner


def modulus(formula: Normal) -> tuple[int, int] | None:
    """(m, r) when the formula is the predicate i % m == r of the position alone, 0 <= r < m; else None."""
    if formula.op is not Op.POSITION:
        return None
    comparison: Comparison = formula.data
    left, right = comparison.left, comparison.right
    if comparison.relation != "==" or left.op is not Operation.MODULO or right.op is not Operation.NUMBER:
        return None
    place, by = left.parts
    if place.op is not Operation.VARIABLE or place.value != "i" or by.op is not Operation.NUMBER:
        return None
    m: Any = by.value
    r: Any = right.value
    if m.denominator != 1 or r.denominator != 1 or not 0 <= r < m:
        return None
    return int(m), int(r)
