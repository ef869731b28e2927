"""Taylor polynomials of exp, as claims with derivations of their own: exp is above them for x >= 0."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from proofs.derivation import Derivation
from proofs.facts import EXP_INCREASING, X, Y
from proofs.props import Rel
from proofs.sequent import Step
from proofs.statement import Claim, Deriver

x = sp.Symbol("x", real=True)
t = sp.Symbol("t", real=True)
FEW = 3
ORDER = 7
"""Highest degree of the Taylor polynomials."""


def polynomial(degree: int, at: sp.Expr) -> sp.Expr:
    """1 + at + ... + at^degree/degree!."""
    return sp.Add(*[at**j / sp.factorial(j) for j in range(degree + 1)])


def _grows(sign: int, degree: int, lower: bool) -> Deriver:
    """exp(sign x) against its Taylor polynomial, from the derivative, which is the statement of one degree less."""
    side = 1 if lower else -1
    body = side * (sp.exp(sign * t) - polynomial(degree, sign * t))

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        (start,) = given
        domain = d.assume(Rel(t, ">=", 0))
        rate = sp.diff(body, t)
        if degree == 0:
            order = d.polynomial(0, "<=", x, [start]) if sign > 0 else d.polynomial(-x, "<=", 0, [start])
            return d.analysis(EXP_INCREASING, {X: order.rel.lhs, Y: order.rel.rhs}, [order])
        cited = d.cite(_name(sign, degree - 1), {x: t}, [domain])
        derivative = d.polynomial(rate, ">=", 0, [cited])
        zero = d.polynomial(0, ">=", 0)
        order = d.polynomial(0, "<=", x, [start])
        grown = d.monotone(sp.Lambda(t, body), derivative, domain, sp.S.Zero, x, zero, order)
        goal = _conclusion(sign, degree)
        return d.polynomial(goal.lhs, goal.op, goal.rhs, [grown])

    return derive


def _name(sign: int, degree: int) -> str:
    return f"T.{'up' if sign > 0 else 'down'}-{degree}"


def _conclusion(sign: int, degree: int) -> Rel:
    # exp(x) >= every Taylor polynomial; exp(-x) is above those of odd and below those of even degree (x >= 0)
    lower = sign > 0 or degree % 2 == 1
    return Rel(sp.exp(sign * x), ">=" if lower else "<=", polynomial(degree, sign * x))


def _claim(sign: int, degree: int) -> Claim:
    conclusion = _conclusion(sign, degree)
    text = f"exp({'' if sign > 0 else '-'}x) against its Taylor polynomial of degree {degree}"
    derive = _grows(sign, degree, conclusion.op == ">=")
    return Claim(_name(sign, degree), text, (), (Rel(x, ">=", 0),), conclusion, derive)


CLAIMS = tuple(_claim(sign, degree) for degree in range(ORDER + 1) for sign in (1, -1))


def bounds(d: Derivation, at: sp.Expr, shown: Step, degree: int) -> list[Step]:
    """exp(at) and exp(-at) against their Taylor polynomials up to `degree`; `shown` is at >= 0."""
    if degree > FEW:  # one sharp bound is of more use to Z3 than many
        return [d.cite(_name(1, degree), {x: at}, [shown])]
    return [d.cite(_name(sign, j), {x: at}, [shown]) for j in range(1, degree + 1) for sign in (1, -1)]
