"""The closed form of E2: a temperature by the lower branch of the Lambert function, certified where it is printed.

With L layers on N positions it suffices for an error below mu <= B that
    L c0 N exp(-gamma/tau) r^(L-1) <= mu,  r = A0 + D0/tau, at least 1 (E2.sufficient).
For L >= 2 equality holds at 1/tau = (L-1) z/gamma - A0/D0, z = -W_(-1)(-b) (E2.lambert-needed), and every lower
temperature will do (E2.lambert); if b >= 1/e, every temperature at all (E2.always). For L = 1, tau = gamma/log(c0 N/mu)
(E2.one-layer). That value is rounded down to a decimal, and there the inequality itself is decided, by Arb and mpmath.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from checker.ball import Ball, ball, endpoints, lambert_lower, working
from checker.decide import Expression, decide
from checker.env import Env
from checker.general.apriori import DIGITS, DOUBLINGS, Target
from checker.general.plain import Constants
from checker.rounding import decimal_down
from checker.verdict import Verdict
from proofs.a_softmax_gap.row import gamma as gamma_symbol
from proofs.a_softmax_gap.row import n as n_symbol
from proofs.a_softmax_gap.row import tau as tau_symbol
from proofs.e_general import e2_recurrence

PRECISION = 192
_STEPS = 64


@dataclass(frozen=True)
class Closed:
    """A temperature that satisfies the inequality of E2; every: so does every other one that was computed with
    (`tau` is then 2^DOUBLINGS times the gap). margin: the mu of the inequality, for errors of the residual stream."""

    tau: Fraction
    margin: Fraction
    every: bool


def closed_form(numbers: Constants, target: Target) -> Closed | None:
    """The largest decimal of five digits that the closed form yields; None where E2 says nothing (mu = 0).

    The error of the logit is at most the norm of the output weights times that of the stream; mu <= B is kept to.
    """
    if target.limit <= 0:
        return None
    margin = target.limit / numbers.output if numbers.output else numbers.bound
    margin = min(margin, numbers.bound)
    gap = Fraction(1) if numbers.gap is None else numbers.gap
    largest = _decimal(gap * 2**DOUBLINGS)
    if numbers.gap is None or numbers.layers == 0 or numbers.c0 == 0:
        # Without rivals all weights are exact; without layers, or with c0 = 0, L c0 (N-1) q r^(L-1) = 0 (E2.iterate).
        return Closed(largest, margin, True)
    tau, every = _rounded(_inverse(numbers, gap, margin), largest)
    if numbers.a0 + numbers.d0 / tau < 1:
        # Only for K < 1. There P = 0, and L c0 N exp(-gamma/tau) <= mu is what E2.sufficient asks for.
        tau, every = _rounded(_inverse_at_rate(numbers, gap, margin, Fraction(1)), largest)
    for _ in range(_STEPS):
        if suffices(numbers, margin, tau):
            return Closed(tau, margin, every)
        tau, every = _decimal(tau * (1 - Fraction(1, 10 ** (DIGITS - 1)))), False
    return None


def suffices(numbers: Constants, margin: Fraction, tau: Fraction) -> bool:
    """Whether L c0 N exp(-gamma/tau) max(1, A0 + D0/tau)^(L-1) <= margin for certain: what E2.sufficient asks for."""
    if numbers.gap is None or not 0 < margin <= numbers.bound:
        return numbers.gap is None
    rate = max(Fraction(1), numbers.a0 + numbers.d0 / tau)  # P = log(rate) >= 0 and A0 + D0/tau <= exp(P)
    exact = {
        e2_recurrence.L: sp.Integer(numbers.layers),
        e2_recurrence.P: sp.log(sp.Rational(rate.numerator, rate.denominator)),
    }
    values = {
        e2_recurrence.c0.name: numbers.c0,
        n_symbol.name: Fraction(numbers.positions),
        gamma_symbol.name: numbers.gap,
        tau_symbol.name: tau,
    }
    side = Expression(e2_recurrence.SUFFICIENT.xreplace(exact), Env(values))
    return decide(side, "<=", margin).verdict is Verdict.HOLDS


def _inverse(numbers: Constants, gap: Fraction, margin: Fraction) -> Fraction | None:
    """1/tau of the closed form, rounded up; None if every temperature satisfies the inequality."""
    layers, a0, d0 = numbers.layers, numbers.a0, numbers.d0
    if layers == 1 or d0 == 0:
        return _inverse_at_rate(numbers, gap, margin, max(a0, Fraction(1)))
    with working(PRECISION):
        wide = _log(numbers, margin)
        slope = gap / ((layers - 1) * d0)
        b = ball(slope) * (-ball(slope * a0) - wide / (layers - 1)).exp()
        if b * ball(1).exp() >= 1:
            return None
        z: Ball = -lambert_lower(-b)
        if not z.is_finite():  # b is 1/e up to rounding, and so z is 1; the inequality is decided afterwards
            z = ball(1)
        return endpoints((layers - 1) * z / ball(gap) - ball(a0 / d0))[1]


def _inverse_at_rate(numbers: Constants, gap: Fraction, margin: Fraction, rate: Fraction) -> Fraction:
    """1/tau, rounded up, at which L c0 N exp(-gamma/tau) rate^(L-1) = margin."""
    with working(PRECISION):
        return endpoints((_log(numbers, margin) + (numbers.layers - 1) * ball(rate).log()) / ball(gap))[1]


def _log(numbers: Constants, margin: Fraction) -> Ball:
    """log(L c0 N/mu)."""
    return ball(numbers.layers * numbers.c0 * numbers.positions / margin).log()


def _rounded(inverse: Fraction | None, largest: Fraction) -> tuple[Fraction, bool]:
    if inverse is None or inverse <= 0:
        return largest, True
    return _decimal(1 / inverse), False


def _decimal(x: Fraction) -> Fraction:
    return decimal_down(x, DIGITS).value
