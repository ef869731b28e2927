"""Attention heads: one for each attention pattern of the plan, with exact rational weights.

Scores below are in the unbounded regime; the others divide them by N^d (checker.compile.regime), N = n + 2.
"""

from __future__ import annotations

from fractions import Fraction

from checker.attention import Mask, Tie
from checker.compile.names import END, POSITION, Names
from checker.compile.plan import Attention, Item, Pattern, Plan, Share, Total, totals
from checker.compile.regime import LINEAR, SHARE, SQUARE, VISIBLE
from checker.compile.signals import combine, opposite, signal
from checker.logic.formula import Side
from checker.logic.normal import Normal, Op
from checker.transformer.model import Head, Vector

_ONE, _TWO = Fraction(1), Fraction(2)
_MASKS = {Side.LEFT: Mask.FUTURE, Side.RIGHT: Mask.PAST, Side.ALL: Mask.NONE}


def heads(plan: Plan, names: Names, unit: str) -> dict[Attention, Head]:
    """Build every head of the plan, in its order; `unit` is the direction that multiplies `position` in scores."""
    result: dict[Attention, Head] = {}
    numbers: dict[int, int] = {}
    for attention, items in plan.heads.items():
        numbers[attention.layer] = numbers.get(attention.layer, 0) + 1
        mask, query, key = _attention(attention, names, unit)
        value = dict(_written(item, names) for item in items)
        name = f"{attention.layer}.{numbers[attention.layer]} {_name(attention, names)}"
        result[attention] = Head(name, query, key, value, mask, Tie.AVERAGE)
    return result


def _attention(attention: Attention, names: Names, unit: str) -> tuple[Mask, tuple[Vector, ...], tuple[Vector, ...]]:
    """Mask and the rows of query and key."""
    pattern, side, subject = attention.pattern, attention.side, attention.subject
    later, earlier = {POSITION: _ONE}, {POSITION: -_ONE}
    if pattern is Pattern.YESTERDAY:  # j: the last position before i
        return Mask.STRICT_FUTURE, ({unit: _ONE},), (later,)
    if pattern is Pattern.NEXT:  # -j: the first position after i
        return Mask.STRICT_PAST, ({unit: _ONE},), (earlier,)
    if pattern is Pattern.COUNT:
        assert side is not None
        return _MASKS[side], (), ()
    assert subject is not None
    if pattern is Pattern.LOOKUP:  # N/(number of positions) * (2 C j - j^2)
        assert side is not None
        query = ({names.item[Share(side, subject)]: _ONE}, {SHARE[side]: _ONE})
        return Mask.NONE, query, ({LINEAR: _TWO}, {SQUARE: -_ONE})
    if pattern is Pattern.SIGN:  # 2D + 1 at the end marker, 0 elsewhere, D being the linear combination; times N^2
        terms, constant = subject.data
        parts = [
            (Fraction(2 * c), {names.item[total]: _ONE}) for (c, _), total in zip(terms, totals(subject), strict=True)
        ]
        query_row = combine([*parts, (Fraction(2 * constant + 1), {SHARE[Side.ALL]: _ONE})])
        return Mask.NONE, (query_row,), ({END: _ONE},)
    # S: (i + 1) chi_j + j, with i + 1 visible positions; U: (n + 2 - i) chi_j - j, with n + 2 - i (B6).
    past = pattern is Pattern.SINCE
    visible = {VISIBLE[Side.LEFT if past else Side.RIGHT]: _ONE}
    chi = opposite(subject, names)
    return (Mask.FUTURE if past else Mask.PAST), (visible, {unit: _ONE}), (chi, later if past else earlier)


def _written(item: Item, names: Names) -> tuple[str, Vector]:
    """The direction that a head writes for an item, and the linear form that it reads."""
    if isinstance(item, Share):
        return names.item[item], signal(item.part, names)
    if isinstance(item, Total):
        return names.item[item], {POSITION: _ONE}
    raw = names.raw[item]
    if item.op is Op.REMAINDER:
        return raw, {table(item): _ONE}
    if item.op is Op.AT_LEAST:
        return raw, {END: _ONE}
    return raw, signal(item.parts[-1], names)


def table(node: Normal) -> str:
    """The positional direction with the table of a remainder."""
    _, modulus, residue = node.data
    return f"[i % {modulus} == {residue}]"


def _name(attention: Attention, names: Names) -> str:
    side = attention.side.value if attention.side is not None else ""
    match attention.pattern:
        case Pattern.YESTERDAY:
            return "the position before"
        case Pattern.NEXT:
            return "the position after"
        case Pattern.COUNT:
            return f"all of {side}"
    subject = attention.subject
    assert subject is not None
    chosen = subject.parts[0] if subject.op is Op.NOT else subject
    text = names.text[chosen]
    text = text if len(text) <= 60 else text[:57] + "..."
    match attention.pattern:
        case Pattern.LOOKUP:
            return f"position number {side}[{names.text[subject][:60]}]"
        case Pattern.SIGN:
            return f"the end if {text}"
    which = "last" if attention.pattern is Pattern.SINCE else "next"
    return f"the {which} position {'without' if chosen is subject else 'with'} {text}"
