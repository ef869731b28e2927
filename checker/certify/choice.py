"""Which positions a head attends to, for queries at word positions and every length, from its exact score.

Recognised:
    the same score everywhere            uniform: exact in soft attention
    kappa j (one-sided mask)             the nearest position, B1
    kappa (A chi_j + j), mirrored        the nearest position where chi holds, B6; A at least the visible positions
    kappa (2 C j - j^2)                  the position j = C, B3
    kappa L at the end marker, else 0    the end marker or all others, by the sign of a linear form of counts, A2
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from checker.attention import Mask, Tie
from checker.certify.feed import Contents
from checker.certify.form import Atom, Bit, Count, ReadCount
from checker.certify.rational import Coefficient, I, N, Region, least, nonnegative, over, plus, positive, times
from checker.certify.score import Base, Score, difference, score
from checker.logic.formula import Side
from checker.logic.normal import FALSE, TRUE, Normal, negation
from checker.transformer.model import Head

_ONE, _MINUS = Fraction(1), Fraction(-1)
_END = plus(N, _ONE)
_NONE = Count(Side.ALL, FALSE)  # a count that is 0 does not show in a score
STRICT = (Mask.STRICT_FUTURE, Mask.STRICT_PAST)
SIDE = {
    Mask.FUTURE: Side.LEFT,
    Mask.STRICT_FUTURE: Side.LEFT,
    Mask.PAST: Side.RIGHT,
    Mask.STRICT_PAST: Side.RIGHT,
    Mask.NONE: Side.ALL,
}


@dataclass(frozen=True)
class Choice:
    """Which positions a head attends to.

    kind: "uniform", "nearest", "lookup" or "comparison". ratio: the unit of its scores over that of the temperature, a
    function of i and n; gap: a constant below it, >= 0. chi: of "nearest", the predicate (TRUE: every word position).
    count: of "lookup". terms, bound: of "comparison", which asks whether the sum of weight * count is >= bound.
    """

    kind: str
    claims: tuple[str, ...]
    ratio: Coefficient = _ONE
    gap: Fraction = _ONE
    chi: Normal = TRUE
    count: Count | None = None
    terms: tuple[tuple[int, ReadCount], ...] = ()
    bound: int = 0


def choice(head: Head, contents: Contents, unit: Coefficient) -> Choice | str:
    """How the head chooses, or why that is not understood.

    unit: the temperature over tau_0, a positive function of n.
    """
    found = score(head, contents)
    if found is None:
        return "its score is not understood"
    if found.powers or found.pairs:
        if (None, 1) in found.powers:
            return _nearest(head, found, contents, unit)
        return _lookup(head, found, contents, unit)
    return _comparison(head, found, unit) if any(found.markers.values()) else _uniform(head)


def visible_count(mask: Mask, contents: Contents) -> Coefficient:
    """How many positions a query at word position i sees."""
    begin, end = (Fraction(region in contents) for region in (Region.BEGIN, Region.END))
    after = plus(N, times(_MINUS, I))
    return {
        Mask.NONE: plus(N, begin + end),
        Mask.FUTURE: plus(I, begin),
        Mask.STRICT_FUTURE: plus(I, begin - 1),
        Mask.PAST: plus(after, end + 1),
        Mask.STRICT_PAST: plus(after, end),
    }[mask]


def _uniform(head: Head) -> Choice | str:
    if head.mask in STRICT:
        return "its scores are all equal, under a strict mask"
    if head.ties is not Tie.AVERAGE:
        return f"its scores are all equal, and hard attention takes the {head.ties.value} position"
    return Choice("uniform", ("D4.uniform-hard", "D4.average"))


def _gap(kappa: Coefficient, unit: Coefficient) -> tuple[Coefficient, Fraction]:
    ratio = over(kappa, unit)
    return ratio, least(ratio, Region.WORD)


def _nearest(head: Head, found: Score, contents: Contents, unit: Coefficient) -> Choice | str:
    kappa, side = found.powers[None, 1], SIDE[head.mask]
    if len(found.powers) > 1 or side is Side.ALL:
        return "its score prefers positions in a way that matches no pattern"
    sign = _ONE if side is Side.LEFT else _MINUS
    growth = times(sign, kappa)
    if not positive(growth, Region.WORD):
        return f"its scores are not shown to grow towards the query (by {growth} per position)"
    chi, weight, offset = TRUE, Fraction(0), Fraction(0)
    if found.pairs:
        ((query, key), weight), *others = found.pairs.items()
        if others or query is not None or not isinstance(key, Bit):
            return "its score prefers keys by more than one exact truth value"
        chi = key.formula
        if not positive(weight, Region.WORD):
            # weight * [b] = weight + (-weight) * [not b]: the line of false positions is shifted by weight.
            chi, offset, weight = negation(chi), weight, times(_MINUS, weight)
        seen = visible_count(head.mask, contents)
        # B6 needs A >= the number of visible positions, A = weight / growth.
        if not nonnegative(plus(over(weight, growth), times(_MINUS, seen)), Region.WORD):
            return f"the weight of its predicate is not shown to be at least the {seen} visible positions"
    for region, marker in found.markers.items():
        line = plus(offset, times(kappa, _END) if region is Region.END else Fraction(0))
        above = difference(marker, {None: line})
        # A marker at or below the line of false positions is at least as far from the maximum as B1, B6 suppose.
        if above.keys() - {None} or not nonnegative(times(_MINUS, above.get(None, Fraction(0))), Region.WORD):
            return f"the score at {region.value} may exceed that of a false position"
    if chi is TRUE:
        claims: tuple[str, ...] = ("B1.left" if side is Side.LEFT else "B1.right",)
    else:
        one = "B6.rightmost" if side is Side.LEFT else "B6.leftmost"
        meaning = "D3.since" if side is Side.LEFT else "D3.until"
        claims = (one, f"{one}-none", meaning, f"{meaning}-none")
    ratio, gap = _gap(growth, unit)
    return Choice("nearest", claims, ratio, gap, chi)


def _lookup(head: Head, found: Score, contents: Contents, unit: Coefficient) -> Choice | str:
    square = found.powers.get((None, 2))
    others = [key for key in found.powers if key != (None, 2)]
    if square is None or len(others) > 1 or found.pairs:
        return "its score matches no pattern"
    kappa = times(_MINUS, square)
    twice = times(Fraction(2), kappa)
    count: Atom | None = _NONE
    if others:
        count, power = others[0]
        if power != 1 or difference({None: found.powers[others[0]]}, {None: twice}):
            count = None
    if not isinstance(count, Count):
        return "its score is quadratic, with its peak not shown to be at a count"
    if not positive(kappa, Region.WORD):
        return f"its quadratic score is not shown to have a maximum (factor {kappa})"
    if head.mask is not Mask.NONE or Region.BEGIN not in contents:
        return "it looks up a count, from 0 to n, but not all of these positions are visible"
    at_end: dict[Atom | None, Coefficient] = {None: times(square, times(_END, _END))}
    if count is not _NONE:
        at_end[count] = times(twice, _END)
    parabola: dict[Region, Base] = {Region.BEGIN: {}, Region.END: at_end}
    for region, marker in found.markers.items():
        if difference(marker, parabola[region]):
            return f"the score at {region.value} does not lie on the parabola"
    ratio, gap = _gap(kappa, unit)
    return Choice("lookup", (), ratio, gap, count=count)


def _comparison(head: Head, found: Score, unit: Coefficient) -> Choice | str:
    end = found.markers.get(Region.END)
    if head.mask is not Mask.NONE or not end or found.markers.get(Region.BEGIN):
        return "its scores differ between a marker and the word, in a way that matches no pattern"
    reads = [atom for atom in end if atom is not None]
    if not reads or not all(isinstance(atom, ReadCount) for atom in reads):
        return "the score of the end marker is not a linear form of counts"
    first = end[reads[0]]
    shares = {atom: over(x, first) for atom, x in end.items()}
    if not all(isinstance(x, Fraction) for x in shares.values()):
        return "the score of the end marker is not a linear form of counts with constant coefficients"
    common = math.lcm(*(shares[atom].denominator for atom in reads))
    factor = Fraction(common, math.gcd(*(int(shares[atom] * common) for atom in reads)))
    kappa = over(first, factor)
    if not positive(kappa, Region.WORD):
        factor, kappa = -factor, times(_MINUS, kappa)
        if not positive(kappa, Region.WORD):
            return f"the score of the end marker has a factor {kappa} of unclear sign"
    terms = tuple((int(shares[atom] * factor), cast(ReadCount, atom)) for atom in reads)
    shift = shares.get(None, Fraction(0)) * factor
    if shift.denominator != 2:
        return "the score of the end marker is not an odd multiple of half a unit, so it may be too close to 0"
    # The score is kappa/2 (2L + 2 shift), an odd integer times kappa/2; positive iff L >= bound.
    half = over(kappa, times(Fraction(2), plus(N, Fraction(2))))
    ratio, gap = _gap(half, unit)
    return Choice(
        "comparison",
        ("A2.bound", "D4.decide-true", "D4.decide-false"),
        ratio,
        gap,
        terms=terms,
        bound=math.ceil(-shift),
    )
