"""How large a positional embedding grows with the length: the exponent d of a proved bound O(n^d)."""

from __future__ import annotations

from checker.position import Expression, Op
from checker.transformer.model import Transformer


def growth(expression: Expression) -> int | None:
    """An exponent d such that |expression| is O(n^d) at the positions 0 <= i <= n + 1; None when none is found.

    The exponent is an upper bound, read off the tree: no cancellation is looked for. Quotients are understood when
    the denominator is an integer polynomial that is at least 1 in absolute value wherever it is not 0 (a number, or
    such a polynomial in i and n), and n^m of them count when it is one in n + constant > 0 alone.
    """
    op, parts = expression.op, expression.parts
    if op is Op.NUMBER or op is Op.BRACKET:
        return 0
    if op is Op.VARIABLE:
        return 1
    if op is Op.DIV:
        above, below = growth(parts[0]), _least_growth(parts[1])
        return None if above is None or below is None else above - below
    if op is Op.POWER:
        inner = growth(parts[0])
        return None if inner is None or not isinstance(expression.value, int) else inner * expression.value
    found = [growth(part) for part in parts]
    if any(d is None for d in found):
        return None
    known = [d for d in found if d is not None]
    if op is Op.MODULO:  # 0 <= a % b < b, and a % b <= a for a >= 0 only
        return known[1]
    return sum(known) if op is Op.MUL else max(known)


def _least_growth(expression: Expression) -> int | None:
    """An exponent d such that |expression| is at least a constant times n^d wherever it is not 0; None if unknown."""
    op, parts = expression.op, expression.parts
    if op is Op.NUMBER:
        return 0
    if op is Op.VARIABLE:
        return 1 if expression.value == "n" else 0
    if op is Op.POWER and isinstance(expression.value, int):
        inner = _least_growth(parts[0])
        return None if inner is None else inner * expression.value
    if op is Op.MUL:
        left, right = _least_growth(parts[0]), _least_growth(parts[1])
        return None if left is None or right is None else left + right
    if op is Op.ADD and parts[0] == _N and parts[1].op is Op.NUMBER and parts[1].value >= 0:  # n + c >= n
        return 1
    return 0 if _is_integer(expression) else None


_N = Expression(Op.VARIABLE, (), "n")


def _is_integer(expression: Expression) -> bool:
    """Whether the expression is built from integers, i and n by operations that keep them integers."""
    op = expression.op
    if op is Op.NUMBER:
        return getattr(expression.value, "denominator", 0) == 1
    if op in (Op.VARIABLE, Op.BRACKET):
        return True
    return op is not Op.DIV and all(_is_integer(part) for part in expression.parts)


def embedding_size(model: Transformer) -> str:
    """The size of the positional embedding, largest direction, in words: "bounded", "O(n)", "O(n^3)", "unknown"."""
    exponents = [growth(expression) for expression in model.positional.values()]
    if any(d is None for d in exponents):
        return "unknown"
    largest = max((d for d in exponents if d is not None), default=0)
    return "bounded" if largest <= 0 else "O(n)" if largest == 1 else f"O(n^{largest})"
