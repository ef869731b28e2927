"""Exact expressions in the position i and the length n: positional embeddings, temperatures, numerical predicates.

    1/2*i - 3    i/(n + 1)    (i % 2)*n^3    [1 <= i <= n]*[i % 3 == 1]    1/(n + 2)^3

Numbers are rational (3, 0.25, 1/3). Precedence, tightest first: ^ (natural exponent), unary -, then * / %, then + -,
operators of one level from left to right. a % b is the remainder of integers, 0 <= a % b < b. A bracket [...] is 1
where its comparisons, joined by & or chained, hold and 0 elsewhere. Arithmetic on numbers alone is done at once, so
that 1/3 is a number; nothing else is simplified. parse(str(e)) == e for every expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from checker.errors import InputError
from checker.exact import exact, show

MAX_DEPTH = 200
MAX_SIZE = 2000
MAX_EXPONENT = 100
MAX_BITS = 1000
"""Bits of the numerator or the denominator of a number that is written down."""

_MAX_VALUE_BITS = 10**5

RELATIONS = ("<", "<=", "==", "!=", ">=", ">")


class Op(Enum):
    """What a node of an expression is."""

    NUMBER = "number"
    VARIABLE = "variable"
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    MODULO = "%"
    POWER = "^"
    BRACKET = "[]"


@dataclass(frozen=True, eq=False, repr=False)
class Expression:
    """A node: operation, parts, and its number, name or exponent. Build it with the functions below, or `parse`."""

    op: Op
    parts: tuple[Any, ...]  # of Expression; of Comparison for a bracket
    value: Fraction | str | int | None = None
    depth: int = field(init=False, compare=False)
    size: int = field(init=False, compare=False)
    variables: frozenset[str] = field(init=False, compare=False)
    _hash: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        depth = 1 + max((part.depth for part in self.parts), default=0)
        size = 1 + sum(part.size for part in self.parts)
        if depth > MAX_DEPTH or size > MAX_SIZE:
            raise InputError(
                f"the expression in i and n is too large: nested {depth} deep with {size} parts; "
                f"at most {MAX_DEPTH} deep and {MAX_SIZE} parts are accepted"
            )
        own = {self.value} if self.op is Op.VARIABLE else set()
        for name, value in (
            ("depth", depth),
            ("size", size),
            ("variables", frozenset(own).union(*(part.variables for part in self.parts))),
            ("_hash", hash((self.op, self.parts, self.value))),
        ):
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:  # without recursion, which would need several Python frames per level
        if not isinstance(other, Expression):
            return NotImplemented
        pending = [(self, other)]
        while pending:
            one, two = pending.pop()
            if one is two:
                continue
            if (one._hash, one.op, one.value, len(one.parts)) != (two._hash, two.op, two.value, len(two.parts)):
                return False
            for part, match in zip(one.parts, two.parts, strict=True):
                if one.op is not Op.BRACKET:
                    pending.append((part, match))
                elif part.relation != match.relation:
                    return False
                else:
                    pending += [(part.left, match.left), (part.right, match.right)]
        return True

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:  # hashes differ from process to process
        return Expression, (self.op, self.parts, self.value)

    def __repr__(self) -> str:
        return f"<expression {self}>"

    def __str__(self) -> str:
        from checker.position_text import to_text

        return to_text(self)

    def at(self, i: int, n: int) -> Fraction:
        """The exact value at position i of a word of length n (any integers).

        Raises InputError, naming i and n, for a division by zero, a remainder that is not one of an integer by an
        integer >= 1, and powers of more than 10^5 bits.

        >>> parse("[i % 2 == 1]*i/(n + 1)").at(3, 5)
        Fraction(1, 2)
        """
        if type(i) is not int or type(n) is not int:
            raise InputError(f"the position and the length are integers, got i = {show(i)}, n = {show(n)}")
        try:
            return Fraction(_value(self, i, n))
        except _UndefinedError as error:
            raise InputError(f"{show_expression(self)} at i = {show(i)}, n = {show(n)}: {error}") from None

    def along(self, positions: Iterable[int], n: int) -> list[Fraction]:
        """The values at several positions of one word; raises InputError as `at` does."""
        if "i" in self.variables:
            return [self.at(i, n) for i in positions]
        places = list(positions)
        return [self.at(places[0], n)] * len(places) if places else []

    def rational(self) -> Any:
        """The expression over the symbols i and n for sympy, or None when it contains a remainder or a bracket."""
        return _sympy(self)


@dataclass(frozen=True, repr=False)
class Comparison:
    """left `relation` right, the relation being one of RELATIONS."""

    left: Expression
    relation: str
    right: Expression

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise InputError(f"a relation is one of {', '.join(RELATIONS)}, got {show(self.relation)}")
        _check(self.left, self.right)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Comparison, (self.left, self.relation, self.right)

    def __repr__(self) -> str:
        return f"<comparison {self}>"

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"

    @property
    def depth(self) -> int:
        """Levels of nesting of the deeper side."""
        return max(self.left.depth, self.right.depth)

    @property
    def size(self) -> int:
        """The number of parts of both sides."""
        return self.left.size + self.right.size

    @property
    def variables(self) -> frozenset[str]:
        """Which of "i" and "n" occur."""
        return self.left.variables | self.right.variables

    def at(self, i: int, n: int) -> bool:
        """Whether it holds at position i of a word of length n; raises InputError as Expression.at does.

        >>> parse_comparison("2*i <= n").at(3, 6)
        True
        """
        return _holds(self.left.at(i, n), self.relation, self.right.at(i, n))


def number(value: object) -> Expression:
    """A number, read by checker.exact.exact: at most MAX_BITS bits above and below the line."""
    fraction = exact(value, "number")
    if max(fraction.numerator.bit_length(), fraction.denominator.bit_length()) > MAX_BITS:
        raise InputError(f"a number in an expression has at most {MAX_BITS} bits, got {show(fraction)}")
    return Expression(Op.NUMBER, (), fraction)


def variable(name: str) -> Expression:
    """The position "i" or the length "n"."""
    if name not in ("i", "n"):
        raise InputError(f"unknown name {show(name)}; the variables are i (the position) and n (the length)")
    return Expression(Op.VARIABLE, (), name)


def add(left: Expression, right: Expression) -> Expression:
    """left + right."""
    return _node(Op.ADD, left, right)


def sub(left: Expression, right: Expression) -> Expression:
    """left - right."""
    return _node(Op.SUB, left, right)


def mul(left: Expression, right: Expression) -> Expression:
    """left * right."""
    return _node(Op.MUL, left, right)


def div(left: Expression, right: Expression) -> Expression:
    """left / right; InputError when right is the number 0."""
    return _node(Op.DIV, left, right)


def modulo(left: Expression, right: Expression) -> Expression:
    """The remainder left % right; InputError for numbers of which it is undefined."""
    return _node(Op.MODULO, left, right)


def negative(part: Expression) -> Expression:
    """-part, which is the number -1 times part."""
    return mul(number(-1), part)


def power(base: Expression, exponent: int) -> Expression:
    """base ^ exponent, 0 <= exponent <= MAX_EXPONENT; x^0 is 1."""
    _check(base)
    if type(exponent) is not int or not 0 <= exponent <= MAX_EXPONENT:
        raise InputError(f"an exponent is an integer in 0..{MAX_EXPONENT}, got {show(exponent)}")
    node = Expression(Op.POWER, (base,), exponent)
    return number(_value(node, 0, 0)) if base.op is Op.NUMBER else node


def bracket(*comparisons: Comparison) -> Expression:
    """1 where all the comparisons (at least one) hold, 0 elsewhere."""
    if not comparisons or not all(isinstance(comparison, Comparison) for comparison in comparisons):
        raise InputError(f"a bracket holds comparisons of expressions in i and n, got {show(comparisons)}")
    return Expression(Op.BRACKET, comparisons)


def parse(text: str) -> Expression:
    """The expression written; InputError with the column (from 1) and what was expected there."""
    from checker.position_text import parse_expression

    return parse_expression(text)


def parse_comparison(text: str) -> Comparison:
    """The comparison written, such as "i % 2 == 1"; InputError with the column and what was expected there."""
    from checker.position_text import parse_comparison

    return parse_comparison(text)


def show_expression(expression: Expression) -> str:
    """The expression as text, shortened in the middle when it is long; for messages."""
    text = str(expression)
    return text if len(text) <= 80 else f"{text[:50]} ... {text[-20:]}"


class _UndefinedError(Exception):
    pass


def _check(*parts: object) -> None:
    for part in parts:
        if not isinstance(part, Expression):
            raise InputError(f"expected an expression in i and n, got {type(part).__name__} {show(part)}")


def _node(op: Op, left: Expression, right: Expression) -> Expression:
    _check(left, right)
    node = Expression(op, (left, right))
    if left.op is Op.NUMBER and right.op is Op.NUMBER:
        try:
            return number(_value(node, 0, 0))
        except _UndefinedError as error:
            raise InputError(f"{show_expression(node)}: {error}") from None
    return node


def _holds(left: Fraction | int, relation: str, right: Fraction | int) -> bool:
    if relation in ("==", "!="):
        return (left == right) is (relation == "==")
    if relation in ("<", ">="):
        return (left < right) is (relation == "<")
    return (left <= right) is (relation == "<=")


def _value(node: Expression, i: int, n: int) -> Fraction | int:
    """The value as an int where it is known to be one, since ints are much faster."""
    if node.op is Op.NUMBER:
        value: Any = node.value
        return value.numerator if value.denominator == 1 else value
    if node.op is Op.VARIABLE:
        return i if node.value == "i" else n
    if node.op is Op.BRACKET:
        for item in node.parts:
            if not _holds(_value(item.left, i, n), item.relation, _value(item.right, i, n)):
                return 0
        return 1
    left = _value(node.parts[0], i, n)
    if node.op is Op.POWER:
        exponent: Any = node.value
        if max(left.numerator.bit_length(), left.denominator.bit_length()) * exponent > _MAX_VALUE_BITS:
            raise _UndefinedError(f"a power of more than {_MAX_VALUE_BITS} bits")
        return left**exponent
    return _BINARY[node.op](left, _value(node.parts[1], i, n))


def _quotient(left: Fraction | int, right: Fraction | int) -> Fraction | int:
    if right == 0:
        raise _UndefinedError("division by zero")
    result = Fraction(left) / right
    return result.numerator if result.denominator == 1 else result


def _remainder(left: Fraction | int, right: Fraction | int) -> Fraction | int:
    if left.denominator != 1 or right.denominator != 1 or right < 1:
        raise _UndefinedError(f"{show(left)} % {show(right)} is not a remainder of an integer by an integer >= 1")
    return left % right


_BINARY: dict[Op, Callable[[Any, Any], Fraction | int]] = {
    Op.ADD: lambda left, right: left + right,
    Op.SUB: lambda left, right: left - right,
    Op.MUL: lambda left, right: left * right,
    Op.DIV: _quotient,
    Op.MODULO: _remainder,
}


def _sympy(node: Expression) -> Any:
    import sympy  # slow to load, and needed by certificates only

    if node.op in (Op.MODULO, Op.BRACKET):
        return None
    if node.op is Op.VARIABLE:
        return sympy.Symbol(str(node.value))
    if node.op is Op.NUMBER:
        value: Any = node.value
        return sympy.Rational(value.numerator, value.denominator)
    parts = [_sympy(part) for part in node.parts]
    if None in parts:
        return None
    return parts[0] ** node.value if node.op is Op.POWER else _SYMPY[node.op](*parts)


_SYMPY: dict[Op, Callable[[Any, Any], Any]] = {
    **_BINARY,
    Op.DIV: lambda left, right: left / right,
}
