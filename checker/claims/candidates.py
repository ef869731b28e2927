"""Numbers that the search for a witness tries: simple ones, and those close to where an assumption is an equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from checker import ball as arb
from checker.claims.expression import D, eps, eta, gamma, k, left, n, right, tau
from checker.env import Env
from checker.verdict import Verdict
from proofs.a_softmax_gap.a8_window import b

Point = Mapping[sp.Symbol, Fraction]

BITS = 64


def _numbers(texts: str) -> tuple[Fraction, ...]:
    return tuple(Fraction(text) for text in texts.split())


TAU_GRID = "1 2 1/2 3 1/3 3/2 2/3 4 1/4 5 1/5 1/6 1/7 1/8 1/10 10 1/12 1/15 1/20 1/25 1/30 1/40 1/50 20 1/100 100 1000"
GRID: dict[sp.Symbol, tuple[Fraction, ...]] = {
    tau: _numbers(TAU_GRID),
    gamma: _numbers("1 2 1/2 3 1/4 10 1/10"),
    eps: _numbers("1 1/2 3/2 1/4 3/4 1/10 19/10 2 3 1/100 1/1000 1/1000000"),
    eta: _numbers("1 1/2 1/4 2 3/4 1/10 49/100 1/100 5 0"),
    D: _numbers("1 2 1/2 10 0"),
}
DEFAULT = _numbers("1 2 1/2 3 1/3 10 1/10")


def candidates(symbol: sp.Symbol, point: Point, ready: Sequence[Any], count: int) -> list[Fraction]:
    """Numbers to try for a variable, given those before it; `ready`: the relations that it decides."""
    size = Fraction(count)
    if symbol == n:
        found = [size]
    elif symbol == left:
        found = [Fraction(j) for j in sorted({0, 1, (count - 1) // 2, count - 1})]
    elif symbol == right:
        found = [size - 1 - point.get(left, Fraction(0))]
    elif symbol in (k, b):
        top = int(point.get(n, size) if symbol == k else point.get(k, Fraction(1)))
        low = 1 if symbol == k else 0
        found = [Fraction(j) for j in sorted({low, low + 1, low + 2, top // 2, top - 1, top}) if low <= j <= top]
    else:
        found = list(GRID.get(symbol, DEFAULT))
    extra: list[Fraction] = []
    for rel in ready:
        for side, other in ((rel.lhs, rel.rhs), (rel.rhs, rel.lhs)):
            if side == symbol and other.free_symbols and symbol not in other.free_symbols:
                extra += _near(other, point, rel.op)
    if symbol.is_integer:
        extra = [Fraction(part) for value in extra for part in (value.__floor__(), value.__ceil__())]
    return list(dict.fromkeys([*found, *extra]))


def _near(expr: sp.Expr, point: Point, op: str) -> list[Fraction]:
    """Simple numbers at and around the value of a term; only the value itself for an equation."""
    value = expr.xreplace({s: sp.Rational(v.numerator, v.denominator) for s, v in point.items()})
    if value.is_Rational:
        exact = Fraction(int(value.p), int(value.q))
        if op == "=":
            return [exact]
        near = [exact * (1 + sign * Fraction(1, scale)) for scale in (10**6, 100) for sign in (1, -1)]
        return [exact, *near]
    enclosed = enclosure(expr, point)
    if enclosed is None or not enclosed.is_finite():
        return []
    try:
        low, high = arb.endpoints(enclosed)
    except ValueError:
        return []
    middle = (low + high) / 2
    if middle == 0 or op == "=":
        return []
    found = []
    for places in (10, 100, 10**4, 10**8):
        unit = abs(middle) / places
        scale = Fraction(10) ** (len(str(int(1 / unit))) if unit < 1 else 0)
        found += [Fraction((middle * scale).__floor__()) / scale, Fraction((middle * scale).__ceil__()) / scale]
    return list(dict.fromkeys(found))


def enclosure(expr: sp.Expr, point: Point) -> Any:
    """Arb's enclosure of a term; None where it is not defined or too large."""
    try:
        return arb.evaluate(expr, Env({symbol.name: value for symbol, value in point.items()}), BITS)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None


def may_hold(rel: Any, point: Point) -> bool:
    """Whether a relation is not refuted at a point."""
    lhs, rhs = enclosure(rel.lhs, point), enclosure(rel.rhs, point)
    return lhs is not None and rhs is not None and arb.compare(lhs, rel.op, rhs) is not Verdict.FAILS
