"""The regimes: which positional embedding the heads use, and the temperature as a function of the length.

With N = n + 2 positions, markers included, all scores of the `scaled` and the `bounded` regime are those of `unbounded`
divided by N^d, d = 1 without table lookups and d = 3 with. At the temperature tau_0/N^d the weights are therefore those
of `unbounded` at tau_0 (C1), although the embedding is bounded; `bounded` keeps tau_0 constant nevertheless, and so
fails from some length on (A4).
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from checker.compile.names import ONE, POSITION
from checker.logic.formula import Side
from checker.position import Comparison, Expression, add, bracket, div, modulo, mul, number, power, sub, variable

HERE, LENGTH = variable("i"), variable("n")
POSITIONS = add(LENGTH, number(2))


class Regime(Enum):
    """How scores grow with the length, and the temperature with them."""

    UNBOUNDED = "unbounded"  # embedding of size O(n), or O(n^3) with lookups; constant temperature
    SCALED = "scaled"  # embedding bounded; temperature tau_0/(n + 2)^d
    BOUNDED = "bounded"  # embedding bounded; constant temperature: without guarantee


UNIT = "unit"
VISIBLE = {Side.LEFT: "positions up to here", Side.RIGHT: "positions from here"}
SHARE = {side: f"1/{name}" for side, name in (*VISIBLE.items(), (Side.ALL, "positions"))}
LINEAR, SQUARE = "lookup j", "lookup j^2"


def power_of(regime: Regime, has_lookup: bool) -> int:
    """The d above; 0 for `unbounded`."""
    return 0 if regime is Regime.UNBOUNDED else 3 if has_lookup else 1


def embedding(regime: Regime, has_lookup: bool) -> dict[str, Expression]:
    """The positional directions that heads may use, for all positions 0 .. n + 1.

    one: 1. unit: what `position` is multiplied by in scores. positions up to here, from here: their number, in the
    same units. 1/...: its reciprocal. position: i, divided by N unless `unbounded`. lookup j, lookup j^2: the linear
    and the quadratic part of the score of a lookup.
    """
    d = power_of(regime, has_lookup)
    here = {Side.LEFT: add(HERE, number(1)), Side.RIGHT: sub(POSITIONS, HERE), Side.ALL: POSITIONS}
    result = {ONE: number(1), POSITION: _over(HERE, min(d, 1))}
    if d == 3:
        result[UNIT] = _over(number(1), 2)
    for side, name in VISIBLE.items():
        result[name] = _over(here[side], d)
    for side, name in SHARE.items():
        result[name] = div(number(1), here[side])
    squared = power(HERE, 2)
    result[LINEAR] = _over(HERE, 2) if d else mul(POSITIONS, HERE)
    result[SQUARE] = _over(squared, 2) if d else mul(POSITIONS, squared)
    return result


def unit(regime: Regime, has_lookup: bool) -> str:
    """The direction that multiplies `position` in the scores of Y, X, S and U."""
    return UNIT if power_of(regime, has_lookup) == 3 else ONE


def temperature(regime: Regime, has_lookup: bool, tau0: Fraction) -> Expression:
    """The temperature at length n."""
    return _over(number(tau0), 0 if regime is Regime.BOUNDED else power_of(regime, has_lookup))


def predicate(comparison: Comparison) -> Expression:
    """1 at the word positions where the comparison holds, else 0; the comparison is not looked at elsewhere."""
    first, last = Comparison(number(1), "<=", HERE), Comparison(HERE, "<=", LENGTH)
    return bracket(first, last, comparison)


def residue(modulus: int, remainder: int) -> Expression:
    """1 at the positions 0 .. n + 1 that leave this remainder, else 0."""
    return bracket(Comparison(modulo(HERE, number(modulus)), "==", number(remainder)))


def _over(x: Expression, exponent: int) -> Expression:
    if exponent == 0:
        return x
    return div(x, POSITIONS if exponent == 1 else power(POSITIONS, exponent))
