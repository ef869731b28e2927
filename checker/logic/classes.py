"""The classes of languages of statement D7, as fragments of the logic, and the least fragment of a formula."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction

from checker.logic.formula import FUTURE, PAST, Formula, Kind, postorder
from checker.position import Comparison, Expression, Op


class LogicClass(Enum):
    """The fragments, by the operators they have besides symbols and Boolean connectives."""

    DEFINITE = "Y"
    ONCE = "P"
    STAR_FREE = "LTL"
    MODULAR = "LTL+mod"
    NUMERICAL = "LTL+num"
    COUNTING = "LTL+count"


def least_class(formula: Formula) -> LogicClass:
    """The first fragment, in the order of LogicClass, to which the formula belongs as it is written.

    H and O count as P, `first` (which is !Y true) as Y and `last` (!X true) as X. Equivalent formulas may get
    different fragments: this looks at the text of the formula, not at the language.
    """
    temporal: set[Kind] = set()
    modular = numerical = False
    for node in postorder(formula):
        if node.kind in (Kind.COUNT, Kind.REMAINDER):
            return LogicClass.COUNTING
        if node.kind in PAST or node.kind in FUTURE:
            temporal.add(node.kind)
        elif node.kind is Kind.POSITION:
            text = str(node.data)
            if text in ("i == 1", "i == n"):
                temporal.add(Kind.YESTERDAY if text == "i == 1" else Kind.NEXT)
            elif is_modular(node.data):
                modular = True
            else:
                numerical = True
    if numerical:
        return LogicClass.NUMERICAL
    if modular:
        return LogicClass.MODULAR
    if temporal <= {Kind.YESTERDAY}:
        return LogicClass.DEFINITE
    if temporal <= {Kind.ONCE, Kind.HISTORICALLY}:
        return LogicClass.ONCE
    return LogicClass.STAR_FREE


def is_modular(comparison: Comparison) -> bool:
    """Whether it compares a number with e % m, m a number and e a polynomial with integer coefficients in i and n."""
    for one, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
        if one.op is Op.MODULO and other.op is Op.NUMBER:
            inner, modulus = one.parts
            return modulus.op is Op.NUMBER and _integral(inner)
    return False


def _integral(node: Expression) -> bool:
    """Whether the expression is built from integers, i and n by + - * ^ (nested at most MAX_DEPTH deep)."""
    if node.op is Op.NUMBER:
        return isinstance(node.value, Fraction) and node.value.denominator == 1
    return node.op in (Op.VARIABLE, Op.ADD, Op.SUB, Op.MUL, Op.POWER) and all(_integral(part) for part in node.parts)
