"""The score of a head as an exact expression, in the contents of a query at a word position and of a key anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from checker.attention import Mask
from checker.certify.feed import Contents
from checker.certify.form import Atom, Form, total
from checker.certify.rational import Coefficient, Region, at_key, key_powers, plus, times
from checker.transformer.model import Head, Vector

Base = Mapping[Atom | None, Coefficient]
"""A form over atoms at the query, None standing for 1."""

_MINUS = Fraction(-1)


def visible_regions(mask: Mask, regions: Iterable[Region]) -> tuple[Region, ...]:
    """The regions of which a query at a word position may see positions."""
    hidden = {
        Mask.NONE: None,
        Mask.FUTURE: Region.END,
        Mask.STRICT_FUTURE: Region.END,
        Mask.PAST: Region.BEGIN,
        Mask.STRICT_PAST: Region.BEGIN,
    }[mask]
    return tuple(region for region in regions if region is not hidden)


def applied(vector: Vector, carried: Mapping[str, Form]) -> Form:
    """A linear form over directions, applied to what they carry."""
    return total((weight, carried[d]) for d, weight in vector.items() if d in carried)


@dataclass(frozen=True)
class Score:
    """The score of a query at a word position i and a key at j.

    At word positions j: the sum of base[q] q(x_i), powers[q, r] j^r q(x_i) for r >= 1, and pairs[q, k] q(x_i) k(x_j).
    At a marker, base[q] q(x_i) and marker[q] q(x_i). All coefficients are free of j.
    """

    base: Base
    powers: Mapping[tuple[Atom | None, int], Coefficient]
    pairs: Mapping[tuple[Atom | None, Atom], Coefficient]
    markers: Mapping[Region, Base]


def _forms(head: Head, contents: Contents, region: Region) -> dict[tuple[Atom | None, Atom | None], Coefficient]:
    """The score over pairs (query atom, key atom), keys in the region."""
    terms: dict[tuple[Atom | None, Atom | None], Coefficient] = {}
    for query, key in zip(head.query, head.key, strict=True):
        q, k = applied(query, contents[Region.WORD]), applied(key, contents[region])
        for a, x in q.terms.items():
            for b, y in k.terms.items():
                value = times(x, at_key(y) if region is Region.WORD else y)
                terms[a, b] = plus(terms.get((a, b), Fraction(0)), value)
    return {pair: value for pair, value in terms.items() if value != 0}


def difference(left: Base, right: Base) -> dict[Atom | None, Coefficient]:
    """left - right."""
    result = dict(left)
    for atom, x in right.items():
        result[atom] = plus(result.get(atom, Fraction(0)), times(_MINUS, x))
    return {atom: x for atom, x in result.items() if x != 0}


def score(head: Head, contents: Contents) -> Score | None:
    """The score, or None when it is no polynomial in j, or depends on unknown contents of a visible marker."""
    base: dict[Atom | None, Coefficient] = {}
    powers: dict[tuple[Atom | None, int], Coefficient] = {}
    pairs: dict[tuple[Atom | None, Atom], Coefficient] = {}
    for (q, k), value in _forms(head, contents, Region.WORD).items():
        by_power = key_powers(value)
        if by_power is None or (k is not None and by_power.keys() != {0}):
            return None
        if k is not None:
            pairs[q, k] = by_power[0]
            continue
        for power, coefficient in by_power.items():
            if power == 0:
                base[q] = coefficient
            else:
                powers[q, power] = coefficient
    markers: dict[Region, Base] = {}
    for region in visible_regions(head.mask, contents):
        if region is Region.WORD:
            continue
        found = _forms(head, contents, region)
        if any(k is not None for _, k in found):
            return None
        markers[region] = difference({q: value for (q, _), value in found.items()}, base)
    return Score(base, powers, pairs, markers)
