"""Formulas for frequent tasks: specification patterns, suffixes, subsequences and brackets of bounded depth.

The specification patterns are those of Dwyer, Avrunin and Corbett (1999), over the whole word or a scope of it; they
are to hold at the first position. The others are to hold at the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from checker.errors import InputError
from checker.exact import show
from checker.logic.formula import Formula, Kind, binary, symbol, true, unary

MAX_BOUND = 100


def absence(p: Formula) -> Formula:
    """p never holds: G !p."""
    return unary(Kind.ALWAYS, _not(p))


def existence(p: Formula) -> Formula:
    """p holds somewhere: F p."""
    return unary(Kind.EVENTUALLY, p)


def universality(p: Formula) -> Formula:
    """p holds everywhere: G p."""
    return unary(Kind.ALWAYS, p)


def absence_after(p: Formula, q: Formula) -> Formula:
    """From any q on, p never holds: G (q -> G !p)."""
    return universality(binary(Kind.IMPLIES, q, absence(p)))


def absence_between(p: Formula, q: Formula, r: Formula) -> Formula:
    """p does not hold between any q and the next r: G (q & F r -> !p U r)."""
    return universality(
        binary(Kind.IMPLIES, binary(Kind.AND, q, existence(r)), binary(Kind.UNTIL, _not(p), r))
    )  # fmt: skip


def universality_before(p: Formula, r: Formula) -> Formula:
    """p holds until the first r, which need not come: p W r."""
    return binary(Kind.WEAK_UNTIL, p, r)


def precedence(s: Formula, p: Formula) -> Formula:
    """p does not hold before the first s: !p W s."""
    return binary(Kind.WEAK_UNTIL, _not(p), s)


def response(s: Formula, p: Formula) -> Formula:
    """Every p is followed by s, there or later: G (p -> F s)."""
    return universality(binary(Kind.IMPLIES, p, existence(s)))


def response_chain(s: Formula, t: Formula, p: Formula) -> Formula:
    """Every p is followed by s, and then by t strictly later: G (p -> F (s & X F t))."""
    return response(binary(Kind.AND, s, unary(Kind.NEXT, existence(t))), p)


def bounded_response(s: Formula, p: Formula, within: int) -> Formula:
    """Every p is followed by s at one of the next `within` (1..100) positions: G (p -> X (s | X (s | ...)))."""
    _check(within, "within", 1)
    answer = unary(Kind.NEXT, s)
    for _ in range(within - 1):
        answer = unary(Kind.NEXT, binary(Kind.OR, s, answer))
    return universality(binary(Kind.IMPLIES, p, answer))


def bounded_existence(p: Formula, most: int) -> Formula:
    """p holds at no more than `most` (0..100) positions: !F (p & X F (p & ...))."""
    _check(most, "most", 0)
    more = existence(p)
    for _ in range(most):
        more = existence(binary(Kind.AND, p, unary(Kind.NEXT, more)))
    return _not(more)


def suffix(word: Sequence[str]) -> Formula:
    """The word ends with these symbols: b & Y (a & ...) for ... a b; true for no symbols."""
    return _chain(word, Kind.YESTERDAY)


def subsequence(word: Sequence[str]) -> Formula:
    """These symbols occur in this order, perhaps with others between: P (b & P (a & ...)); true for no symbols.

    P includes the present position, so no symbol may follow itself: InputError.
    """
    for place, (one, other) in enumerate(pairwise(word), start=1):
        if one == other:
            raise InputError(f"symbols {place} and {place + 1} of the subsequence are both {show(one)}; P cannot tell")
    return unary(Kind.ONCE, _chain(word, Kind.ONCE)) if word else true()


def bounded_dyck(depth: int, opening: str = "(", closing: str = ")") -> Formula:
    """Well-nested words of one kind of bracket, at most `depth` (1..20) levels deep, over these two symbols.

    Steps of level 1 are the brackets. An up-step of level k + 1 is one of level k whose last step of level k before it
    was up, too; a down-step of level k + 1 is one of level k before which the last was down, or there was none. The
    bracket depth is the number of levels whose last step was up; a step of level depth + 1 leaves 0..depth.
    """
    if type(depth) is not int or not 1 <= depth <= 20:
        raise InputError(f"the depth of brackets is an integer in 1..20, got {show(depth)}")
    up, down = symbol(opening), symbol(closing)
    inside = up  # after this position, the last step of this level was up
    levels = [inside]
    for _ in range(depth):
        before = unary(Kind.YESTERDAY, inside)
        up, down = binary(Kind.AND, up, before), binary(Kind.AND, down, _not(before))
        inside = binary(Kind.SINCE, _not(down), up)
        levels.append(inside)
    allowed = unary(Kind.HISTORICALLY, binary(Kind.AND, _not(up), _not(down)))
    for level in levels[:-1]:
        allowed = binary(Kind.AND, allowed, _not(level))
    return allowed


def _not(part: Formula) -> Formula:
    return unary(Kind.NOT, part)


def _chain(word: Sequence[str], kind: Kind) -> Formula:
    result: Formula | None = None
    for name in word:
        result = symbol(name) if result is None else binary(Kind.AND, symbol(name), unary(kind, result))
    return true() if result is None else result


def _check(number: int, name: str, least: int) -> None:
    if type(number) is not int or not least <= number <= MAX_BOUND:
        raise InputError(f"{name} is an integer in {least}..{MAX_BOUND}, got {show(number)}")
