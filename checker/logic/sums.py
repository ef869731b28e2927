"""Sums in comparisons: of expressions in i and n, and of counts; what the grammar of formulas calculates with.

A sum without counts is an expression in i and n. A sum with counts is linear with integer coefficients, where the
position i stands for #<-[true] and the length n for #[true].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from checker import position as exprs
from checker.errors import InputError
from checker.exact import show
from checker.logic.formula import Formula, Kind, Side, binary, count, position, remainder, true, unary
from checker.position import Comparison, Expression

LINEAR_ONLY = "beside counts, only integers, i, n and integer multiples of them may be added or subtracted"

Term = tuple[Fraction, Side, Formula]


@dataclass(frozen=True)
class Sum:
    """An expression (None once a count is in it), its linear form (None if it has none), and what % made of a count."""

    expression: Expression | None
    terms: list[Term] | None
    constant: Fraction = Fraction(0)
    rest: tuple[Side, Formula, int] | None = None


def number(text: str) -> Sum:
    """A number as written."""
    return _known(exprs.number(text))


def variable(name: str) -> Sum:
    """i or n."""
    return Sum(exprs.variable(name), [(Fraction(1), Side.LEFT if name == "i" else Side.ALL, true())])


def counted(side: Side, part: Formula) -> Sum:
    """The number of positions on that side where the formula holds."""
    return Sum(None, [(Fraction(1), side, part)])


def add(left: Sum, right: Sum) -> Sum:
    """left + right."""
    return _added(left, right, 1, exprs.add)


def sub(left: Sum, right: Sum) -> Sum:
    """left - right."""
    return _added(left, right, -1, exprs.sub)


def mul(left: Sum, right: Sum) -> Sum:
    """left * right; one of them must be a number if there are counts."""
    expression = _both(left, right, exprs.mul)
    for factor, other in ((left, right), (right, left)):
        if factor.terms == [] and other.terms is not None:
            terms = [(factor.constant * coefficient, side, part) for coefficient, side, part in other.terms]
            return Sum(expression, terms, factor.constant * other.constant)
    return _nonlinear(expression, "a count is multiplied by integers only")


def negative(part: Sum) -> Sum:
    """-part."""
    return mul(number("-1"), part)


def div(left: Sum, right: Sum) -> Sum:
    """left / right, of expressions in i and n."""
    expression = _both(left, right, exprs.div)
    if right.terms == [] and right.constant != 0 and left.terms is not None and expression is not None:
        terms = [(coefficient / right.constant, side, part) for coefficient, side, part in left.terms]
        return Sum(expression, terms, left.constant / right.constant)
    return _nonlinear(expression, "counts are not divided; multiply the other side instead")


def modulo(left: Sum, right: Sum) -> Sum:
    """left % right: of expressions, or one count modulo a positive integer."""
    if left.expression is not None and right.expression is not None:
        node = exprs.modulo(left.expression, right.expression)
        return _known(node) if left.terms == [] == right.terms else Sum(node, None)
    single = left.terms is not None and len(left.terms) == 1 and left.terms[0][0] == 1 and left.constant == 0
    if not single or left.rest or right.terms != [] or right.constant.denominator != 1 or right.constant < 1:
        raise InputError("a remainder of counts is written like #[a] % 3 == 1: one count modulo an integer >= 1")
    assert left.terms is not None
    return Sum(None, None, rest=(left.terms[0][1], left.terms[0][2], right.constant.numerator))


def power(base: Sum, exponent: int) -> Sum:
    """base ^ exponent, of expressions in i and n."""
    if base.expression is None:
        raise InputError("counts have no powers")
    node = exprs.power(base.expression, exponent)
    return _known(node) if base.terms == [] else Sum(node, None)


def bracket(comparisons: list[Comparison]) -> Sum:
    """[...]: 1 where the comparisons hold, 0 elsewhere."""
    return Sum(exprs.bracket(*comparisons), None)


def pure(left: Sum, relation: str, right: Sum) -> Comparison:
    """The comparison of two expressions in i and n; InputError for counts."""
    if left.expression is None or right.expression is None:
        raise InputError("a bracket [...] holds comparisons of expressions in i and n, without counts")
    return Comparison(left.expression, relation, right.expression)


def compare(left: Sum, relation: str, right: Sum) -> Formula:
    """The formula left `relation` right: a numerical predicate, a comparison of counts, or a remainder of a count."""
    if left.expression is not None and right.expression is not None:
        return position(Comparison(left.expression, relation, right.expression))
    for one, other in ((left, right), (right, left)):
        if one.rest is not None:
            return _remainder(one.rest, relation, other)
    if left.terms is None or right.terms is None:
        raise InputError(LINEAR_ONLY)
    terms = [*left.terms, *((-coefficient, side, part) for coefficient, side, part in right.terms)]
    whole = tuple((_integer(coefficient), side, part) for coefficient, side, part in terms)
    return count(whole, relation, _integer(right.constant - left.constant))


def _remainder(rest: tuple[Side, Formula, int], relation: str, right: Sum) -> Formula:
    if relation not in ("==", "!=") or right.terms != []:
        raise InputError("a remainder of counts is compared by == or != with an integer, as in #[a] % 3 == 1")
    side, part, modulus = rest
    node = remainder(side, part, modulus, _integer(right.constant))
    return node if relation == "==" else unary(Kind.NOT, node)


def member(left: Sum, numbers: list[int]) -> Formula:
    """left in {...}: equal to one of the numbers."""
    result: Formula | None = None
    for value in numbers:
        equal = compare(left, "==", number(str(value)))
        result = equal if result is None else binary(Kind.OR, result, equal)
    assert result is not None  # the grammar asks for at least one
    return result


def _known(node: Expression) -> Sum:
    assert isinstance(node.value, Fraction)  # arithmetic on numbers alone is done at once
    return Sum(node, [], node.value)


def _integer(value: Fraction) -> int:
    if value.denominator != 1:
        raise InputError(f"a comparison of counts has integer coefficients, got {show(value)}")
    return value.numerator


def _both(left: Sum, right: Sum, make: Callable[[Expression, Expression], Expression]) -> Expression | None:
    if left.expression is None or right.expression is None:
        return None
    return make(left.expression, right.expression)


def _added(left: Sum, right: Sum, sign: int, make: Callable[[Expression, Expression], Expression]) -> Sum:
    expression = _both(left, right, make)
    if left.terms is None or right.terms is None:
        return _nonlinear(expression, LINEAR_ONLY)
    terms = [*left.terms, *((sign * coefficient, side, part) for coefficient, side, part in right.terms)]
    return Sum(expression, terms, left.constant + sign * right.constant)


def _nonlinear(expression: Expression | None, message: str) -> Sum:
    if expression is None:
        raise InputError(message)
    return Sum(expression, None)
