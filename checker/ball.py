"""Rigorous arithmetic with Arb balls; the only module that imports FLINT.

A ball is a set [mid - rad, mid + rad] of real numbers. Every function returns a ball that contains the exact
result for every choice of points of its arguments (Arb's contract); an undefined operation gives a ball
that is not finite, of which no comparison is ever decided. Purely rational subexpressions are computed with
fractions, so that cancellation in them is exact.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

import flint
import sympy

from checker.env import Env
from checker.errors import HardsoftError
from checker.exact import show
from checker.formula import State, compiled
from checker.verdict import Verdict

Ball: TypeAlias = flint.arb

_FRACTION_BITS = 2**27  # `endpoints` refuses dyadic numbers longer than this

_arb = flint.arb
_ctx = flint.ctx


@contextmanager
def working(prec: int) -> Iterator[None]:
    """Set Arb's precision to `prec` bits inside the block; restored on exit, also after an exception."""
    if type(prec) is not int or prec < 2:
        raise ValueError(f"precision must be an integer >= 2, got {prec!r}")
    saved = _ctx.prec
    _ctx.prec = prec
    try:
        yield
    finally:
        _ctx.prec = saved


def ball(x: int | Fraction) -> Ball:
    """Return a ball around the exact number x at the working precision (radius 0 when representable).

    Raises TypeError for a float or any other type: a float would enter as the binary number it is.
    """
    if isinstance(x, Fraction):
        return _arb(flint.fmpq(x.numerator, x.denominator))
    if type(x) is int:
        return _arb(x)
    raise TypeError(f"a ball is built from an int or a Fraction, got {type(x).__name__} {show(x)}")


@lru_cache(maxsize=1 << 16)
def exp_ball(x: Fraction, prec: int) -> Ball:
    """Return a ball of relative radius about 2^-prec around exp(x).

    |exp(x') / exp(x) - 1| is about |x' - x|, so the argument gets as many extra bits as |x| has before
    the point.
    """
    extra = max(0, x.numerator.bit_length() - x.denominator.bit_length() + 2)
    with working(prec + extra):
        argument = ball(x)
    with working(prec):
        return argument.exp()


def endpoints(b: Ball) -> tuple[Fraction, Fraction]:
    """Return the exact lower and upper end of a ball.

    Raises ValueError when the ball is not finite or its ends are too long to write as fractions.
    """
    if not b.is_finite():
        raise ValueError(f"the ball {b} is not finite")
    mid, rad = _dyadic(b.mid()), _dyadic(b.rad())
    return mid - rad, mid + rad


def _dyadic(b: Ball) -> Fraction:
    mantissa, exponent = (int(part) for part in b.man_exp())
    if abs(exponent) > _FRACTION_BITS:
        raise ValueError(f"the dyadic number {b} is too long to write as a fraction")
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def ends(b: Ball, bits: int = 2**17) -> tuple[Fraction, Fraction]:
    """Return rational numbers at or below, and at or above, all points of a ball, for printing.

    They have 64 significant bits; ends below 2^-bits in magnitude are moved outward to 0 or to that power.
    Raises HardsoftError when the ball is not finite, or reaches beyond 2^bits.
    """
    if not b.is_finite():
        raise HardsoftError("the enclosure of a number is unbounded: the temperature or a weight is too extreme")
    (low, low_exponent), (high, high_exponent) = outer(b, 64)
    upper = _upper(high, high_exponent, bits)
    return -_upper(-low, low_exponent, bits), upper


def _upper(mantissa: int, exponent: int, bits: int) -> Fraction:
    size = exponent + mantissa.bit_length()  # 2^(size - 1) <= |number| < 2^size
    if mantissa and size > bits:
        raise HardsoftError(f"a number is beyond 2^{bits}: the temperature or a weight is too extreme")
    if mantissa and size <= -bits:
        return Fraction(1, 1 << bits) if mantissa > 0 else Fraction(0)
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def outer(b: Ball, prec: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return ((m, e), (m', e')) with m 2^e <= lower end, upper end <= m' 2^e', mantissas of `prec` bits.

    Raises ValueError when the ball is not finite.
    """
    if not b.is_finite():
        raise ValueError(f"the ball {b} is not finite")
    with working(prec):
        low, high = b.lower().man_exp(), b.upper().man_exp()
    return (int(low[0]), int(low[1])), (int(high[0]), int(high[1]))


def compare(lhs: Ball, relation: str, rhs: Ball) -> Verdict:
    """Compare two balls: HOLDS (FAILS) when the relation holds (fails) for all their points, else UNDECIDED.

    relation: one of "<", "<=", ">", ">=", "=". Equality HOLDS only between equal exact points.
    Raises ValueError for another relation.
    """
    if relation not in ("<", "<=", ">", ">=", "="):
        raise ValueError(f"relation must be one of < <= > >= =, got {relation!r}")
    if not (lhs.is_finite() and rhs.is_finite()):
        return Verdict.UNDECIDED
    if relation in (">", ">="):
        lhs, rhs, relation = rhs, lhs, {">": "<", ">=": "<="}[relation]
    # Arb's comparisons are True only when they hold for all points of the two balls.
    if relation == "<":
        holds, fails = lhs < rhs, lhs >= rhs
    elif relation == "<=":
        holds, fails = lhs <= rhs, lhs > rhs
    else:
        holds, fails = lhs.is_exact() and rhs.is_exact() and lhs == rhs, lhs < rhs or lhs > rhs
    if holds:
        return Verdict.HOLDS
    return Verdict.FAILS if fails else Verdict.UNDECIDED


def close(lhs: Ball, rhs: Ball, digits: int) -> Verdict:
    """FAILS when the balls are disjoint, HOLDS when all points agree to `digits` digits, else UNDECIDED."""
    if not (lhs.is_finite() and rhs.is_finite()):
        return Verdict.UNDECIDED
    if lhs < rhs or lhs > rhs:
        return Verdict.FAILS
    with working(64 + 4 * digits):
        hull = lhs.union(rhs)
        # |x - y| <= 2 rad(hull) for x in lhs, y in rhs, and |x|, |y| >= abs_lower(hull).
        near = 2 * hull.rad() * 10**digits < hull.abs_lower()
    return Verdict.HOLDS if near or compare(lhs, "=", rhs) is Verdict.HOLDS else Verdict.UNDECIDED


def theta(x: Ball) -> Ball:
    """Enclose Theta(x) = theta_3(0, exp(-x)) = 1 + 2 (e^-x + e^-4x + e^-9x + ...); not finite unless x > 0."""
    # theta_3(0, q) with q = exp(pi i tau), so tau = i x/pi.
    return flint.acb(0).modular_theta(flint.acb(0, x / flint.arb.pi()))[2].real


def lambert_lower(x: Ball) -> Ball:
    """Enclose W_(-1)(x), the solution w <= -1 of w exp(w) = x, for -1/e <= x < 0; not finite unless x lies there."""
    return x.lambertw(-1)


def evaluate(expr: sympy.Expr, env: Env, prec: int) -> Ball:
    """Return a ball containing the exact value of `expr` at `env`, computed with `prec` bits.

    Supports rational numbers, E, symbols, Add, Mul, Pow, exp, log, tanh, atanh, sqrt, Abs, Max, Min, floor,
    ceiling, row functions s(j), Sum(body, (j, 1, n)) over all positions, and MaxOver(body, a, lo, hi): the
    largest value of the body over the integers a = lo..hi, at most 10^5 of them.
    Raises ValueError, naming it, for anything unsupported or unknown (floats among it) and for a provably
    undefined operation; one that is not provably defined at this precision gives a ball that is not finite.
    """
    program = compiled(expr)
    with working(prec):
        value = program(State(env, prec, ball, exp_ball, theta))
        return ball(value) if isinstance(value, (int, Fraction)) else value
