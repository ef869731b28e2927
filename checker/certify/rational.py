"""Rational functions of the query position i, the length n and the key position j, with signs decided for all n.

A coefficient is a Fraction, or an element of the field Q(i, n, j) in lowest terms, so that equality is decided. A sign
is decided by substituting the region by nonnegative variables (i = 1 + s, n = 1 + s + t at a word position) and
finding no negative coefficient; where that fails, nothing is claimed.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from sympy import QQ
from sympy.polys.fields import field

Coefficient: TypeAlias = Any
"""A Fraction, or a non-constant element of FIELD."""

FIELD, I, N, J = field("i,n,j", QQ)  # noqa: E741

_RING = FIELD.ring
_X, _Y, _ = _RING.gens


class Region(Enum):
    """Which positions a content is about: i = 0, 1 <= i <= n, or i = n + 1; n >= 1 throughout."""

    BEGIN = "the begin marker"
    WORD = "word positions"
    END = "the end marker"


POSITION = {Region.BEGIN: Fraction(0), Region.WORD: I, Region.END: N + 1}
"""The position in each region, as a coefficient."""

# Nonnegative variables x, y reach every point of the region.
_PLACES = {
    Region.BEGIN: [(_X, _RING(0)), (_Y, 1 + _Y)],
    Region.WORD: [(_X, 1 + _X), (_Y, 1 + _X + _Y)],
    Region.END: [(_X, 2 + _Y), (_Y, 1 + _Y)],
}


def fraction(number: Any) -> Fraction:
    """A number of the ground field as a Fraction."""
    return Fraction(int(number.numerator), int(number.denominator))


def element(x: Coefficient) -> Any:
    """The coefficient as an element of the field."""
    return FIELD(QQ(x.numerator, x.denominator)) if isinstance(x, Fraction) else x


def tidy(x: Any) -> Coefficient:
    """A Fraction where the element is constant."""
    if isinstance(x, Fraction) or not (x.numer.is_ground and x.denom.is_ground):
        return x
    return fraction(x.numer.LC / x.denom.LC) if x.numer else Fraction(0)


def plus(x: Coefficient, y: Coefficient) -> Coefficient:
    """x + y."""
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x + y
    return _added(x, y)


def times(x: Coefficient, y: Coefficient) -> Coefficient:
    """x * y."""
    if isinstance(x, Fraction):
        if isinstance(y, Fraction):
            return x * y
        if x == 1 or x == 0:
            return y if x == 1 else x
    elif isinstance(y, Fraction) and (y == 1 or y == 0):
        return x if y == 1 else y
    return _multiplied(x, y)


@lru_cache(maxsize=1 << 14)  # few different coefficients occur, again and again
def _added(x: Coefficient, y: Coefficient) -> Coefficient:
    return tidy(element(x) + element(y))


@lru_cache(maxsize=1 << 14)
def _multiplied(x: Coefficient, y: Coefficient) -> Coefficient:
    return tidy(element(x) * element(y))


@lru_cache(maxsize=1 << 12)
def over(x: Coefficient, y: Coefficient) -> Coefficient:
    """x / y; y must not be 0."""
    return tidy(element(x) / element(y))


@lru_cache(maxsize=1 << 12)
def at_key(x: Coefficient) -> Coefficient:
    """The coefficient with j in place of i (x is free of j)."""
    if isinstance(x, Fraction):
        return x
    parts = [_RING.from_dict({(j, n, i): value for (i, n, j), value in part.items()}) for part in (x.numer, x.denom)]
    return tidy(FIELD(parts[0]) / FIELD(parts[1]))


def key_powers(x: Coefficient) -> dict[int, Coefficient] | None:
    """The coefficients of the powers of j, free of j; None when x is no polynomial in j."""
    if isinstance(x, Fraction):
        return {0: x} if x else {}
    if any(power[2] for power in x.denom):
        return None
    parts: dict[int, dict[tuple[int, int, int], Any]] = {}
    for (i, n, j), value in x.numer.items():
        parts.setdefault(j, {})[i, n, 0] = value
    return {j: tidy(FIELD(_RING.from_dict(part)) / FIELD(x.denom)) for j, part in parts.items()}


@lru_cache(maxsize=1 << 12)
def _on_region(x: Any, region: Region) -> tuple[dict[Any, Fraction], dict[Any, Fraction]] | None:
    """Numerator and denominator over the nonnegative variables, the denominator shown to be positive; else None."""
    above, below = x.numer.compose(_PLACES[region]), x.denom.compose(_PLACES[region])
    if any(power[2] for part in (above, below) for power in part):
        return None
    terms = {power: fraction(value) for power, value in below.items()}
    sign = -1 if all(value < 0 for value in terms.values()) else 1
    # A polynomial without negative coefficients and with a positive constant is positive for nonnegative variables.
    if not all(sign * value > 0 for value in terms.values()) or (0, 0, 0) not in terms:
        return None
    numerator = {power: sign * fraction(value) for power, value in above.items()}
    return numerator, {power: sign * value for power, value in terms.items()}


def defined(denominator: Coefficient, region: Region) -> bool:
    """Whether x is shown to vanish nowhere in the region."""
    return positive(denominator, region) or positive(times(Fraction(-1), denominator), region)


def positive(x: Coefficient, region: Region) -> bool:
    """Whether x > 0 is shown everywhere in the region; False claims nothing."""
    if isinstance(x, Fraction):
        return x > 0
    parts = _on_region(x, region)
    return parts is not None and all(value > 0 for value in parts[0].values()) and (0, 0, 0) in parts[0]


def nonnegative(x: Coefficient, region: Region) -> bool:
    """Whether x >= 0 is shown everywhere in the region; False claims nothing."""
    if isinstance(x, Fraction):
        return x >= 0
    parts = _on_region(x, region)
    return parts is not None and all(value > 0 for value in parts[0].values())


def least(x: Coefficient, region: Region) -> Fraction:
    """A constant g >= 0 with x >= g shown everywhere in the region, as large as this way of showing it allows.

    With x = A/B, B positive, g is the largest constant for which A - g B has no negative coefficient; 0 if there is
    none >= 0 (x may then take any value).
    """
    if isinstance(x, Fraction):
        return max(x, Fraction(0))
    parts = _on_region(x, region)
    if parts is None or any(value < 0 for value in parts[0].values()):
        return Fraction(0)
    above, below = parts
    return min(above.get(power, Fraction(0)) / value for power, value in below.items())


def value_at(x: Coefficient, i: int, n: int) -> Fraction:
    """The value at one position of one length; x is free of j and its denominator is not 0 there."""
    if isinstance(x, Fraction):
        return x
    place = (QQ(i), QQ(n), QQ(0))
    return fraction(x.numer.evaluate(list(zip(_RING.gens, place, strict=True)))) / fraction(
        x.denom.evaluate(list(zip(_RING.gens, place, strict=True)))
    )
