"""Truth values as linear forms over the residual stream: 0 at the markers, and negation is free."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from checker.compile.names import WORD, Names
from checker.logic.normal import Normal, Op
from checker.transformer.model import Vector

ONE_, HALF = Fraction(1), Fraction(1, 2)


def signal(node: Normal, names: Names) -> dict[str, Fraction]:
    """The form with the truth value of a formula at word positions and 0 at the markers: b, word - b or word."""
    if node.op is Op.TRUE:
        return {WORD: ONE_}
    if node.op is Op.NOT:
        return combine([(ONE_, {WORD: ONE_}), (-ONE_, signal(node.parts[0], names))])
    return {names.bit[node]: ONE_}


def opposite(node: Normal, names: Names) -> dict[str, Fraction]:
    """The same for the negation of the formula."""
    return combine([(ONE_, {WORD: ONE_}), (-ONE_, signal(node, names))])


def combine(parts: Iterable[tuple[Fraction, Vector]]) -> dict[str, Fraction]:
    """The sum of coefficient * form, without zeros."""
    result: dict[str, Fraction] = {}
    for coefficient, form in parts:
        for direction, x in form.items():
            result[direction] = result.get(direction, Fraction(0)) + coefficient * x
    return {direction: x for direction, x in result.items() if x}
