"""Checks of A7: from weights to values."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import sympy as sp

from checker.attention import Row
from checker.decide import Enclosable
from checker.quantity import tv, value_error_perturbed
from checker.sides import Affine

from .claims import StatedClaim
from .exact_error import giant_rows
from .grids import FEW_RATIOS, GIANT_RATIOS, Plan, explicit_multisets, reordered
from .item import Item, Items, Mode, at

LO, HI = Fraction(-1), Fraction(2)
NU = Fraction(1, 7)
EVERY_ORDER = 3
"""Rows of more positions are taken in one order of their scores and values."""


def a7(claim: StatedClaim, plan: Plan) -> Items:
    """The value error against TV times the range: every choice of extreme and middle values on small rows.

    No order of the positions matters. Of rows of four positions, every multiset of scores with values is taken once.
    """
    perturbed, tight = "perturbed" in claim.name, "tight" in claim.name
    shifts = (NU, -NU, Fraction(0)) if perturbed else (Fraction(0),)
    for kind, row, ratios, choices in _rows(plan, perturbed):
        for values in itertools.product(choices, repeat=len(row.scores)):
            if kind == "lattice" and row.n > EVERY_ORDER and reordered(row.scores, values):
                continue
            for shift in shifts:
                attained, may_be_equal = _attained(row, values, shift, perturbed)
                if tight and not attained:
                    continue
                for ratio in ratios:
                    tau = 1 / ratio
                    mode = Mode.EQUAL if tight else (Mode.EITHER if may_be_equal else Mode.DECIDED)
                    error = value_error_perturbed(row, tau, values, [value + shift for value in values])
                    witness = at(scores=row, values=", ".join(map(str, values)), shift=shift, tau=tau)
                    yield Item(kind, error, claim.op, _bound(claim, row, tau), mode, witness)


def _rows(plan: Plan, perturbed: bool) -> list[tuple[str, Row, tuple[Fraction, ...], tuple[Fraction, ...]]]:
    """(kind, row, ratios, values to choose from)."""
    small = min(plan.max_n, 3 if perturbed else 4)
    choices: tuple[Fraction, ...] = (LO, HI) if perturbed else (LO, Fraction(1, 2), HI)
    rows = [("lattice", row, FEW_RATIOS, choices) for row in explicit_multisets(small)]
    giant = GIANT_RATIOS[1:4]
    return rows + [("giant n", row, giant, (LO, HI)) for row in giant_rows()]


def _attained(row: Row, values: tuple[Fraction, ...], shift: Fraction, perturbed: bool) -> tuple[bool, bool]:
    """Whether A7.tight (or A7.perturbed-tight) names this case, and whether both sides may be equal.

    Soft weights are below the average-hard ones exactly on the maximal positions, and equal to them when k = n.
    """
    if row.k == row.n:
        return False, not perturbed or abs(shift) == NU
    pairs = list(zip(values, row.scores, strict=True))
    attains = all(value == (LO if score == row.top else HI) for value, score in pairs)
    mirrored = all(value == (HI if score == row.top else LO) for value, score in pairs)
    if not perturbed:
        return attains, attains or mirrored
    return attains and shift == NU, (attains and shift == NU) or (mirrored and shift == -NU)


def _bound(claim: StatedClaim, row: Row, tau: Fraction) -> Enclosable:
    """The bound, affine in TV with exact coefficients; TV from its definition."""
    expr: Any = claim.with_total_variation()
    numbers = {"lo": LO, "hi": HI, "nu": NU}
    exact = {
        symbol: sp.Rational(numbers[symbol.name].numerator, numbers[symbol.name].denominator)
        for symbol in expr.free_symbols
        if symbol.name in numbers
    }
    variable = sp.Symbol("TV")
    polynomial = sp.Poly(expr.xreplace(exact), variable)
    if polynomial.degree() > 1:
        raise ValueError(f"the bound of {claim.name} is not affine in TV")
    factor, offset = polynomial.coeff_monomial(variable), polynomial.coeff_monomial(1)
    return Affine(tv(row, tau), Fraction(int(factor.p), int(factor.q)), Fraction(int(offset.p), int(offset.q)))
