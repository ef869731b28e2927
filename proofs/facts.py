"""Elementary facts of analysis that derivations may use, by name; each is tested numerically.

Notation: x, y real; every fact is an implication from its hypotheses to its conclusion.
"""

from __future__ import annotations

import sympy as sp

from .language import Theta as Theta
from .props import INDEX, Rel
from .sequent import Theorem

X, Y = sp.symbols("x y", real=True)
M = sp.Symbol("m", integer=True)
F = sp.Function("f", real=True)


EXP_POSITIVE = Theorem("exp x > 0", (), Rel(sp.exp(X), ">", 0))
EXP_INCREASING = Theorem("exp is increasing", (Rel(X, "<=", Y),), Rel(sp.exp(X), "<=", sp.exp(Y)))
EXP_STRICTLY_INCREASING = Theorem("exp is strictly increasing", (Rel(X, "<", Y),), Rel(sp.exp(X), "<", sp.exp(Y)))
LOG_INCREASING = Theorem("log is increasing", (Rel(X, ">", 0), Rel(X, "<=", Y)), Rel(sp.log(X), "<=", sp.log(Y)))
LOG_STRICTLY_INCREASING = Theorem(
    "log is strictly increasing", (Rel(X, ">", 0), Rel(X, "<", Y)), Rel(sp.log(X), "<", sp.log(Y))
)
LOG_POSITIVE = Theorem("log x > 0 for x > 1", (Rel(X, ">", 1),), Rel(sp.log(X), ">", 0))
EXP_LOG = Theorem("exp(log x) = x", (Rel(X, ">", 0), Rel(Y, "=", sp.log(X))), Rel(sp.exp(Y), "=", X))
LOG_EXP = Theorem("log(exp x) = x", (Rel(Y, "=", sp.exp(X)),), Rel(sp.log(Y), "=", X))
ABS_NONNEGATIVE = Theorem("|x| = x for x >= 0", (Rel(X, ">=", 0),), Rel(sp.Abs(X), "=", X))
ABS_NONPOSITIVE = Theorem("|x| = -x for x <= 0", (Rel(X, "<=", 0),), Rel(sp.Abs(X), "=", -X))
ABS_ABOVE = Theorem("x <= |x|", (), Rel(X, "<=", sp.Abs(X)))
ABS_BELOW = Theorem("-x <= |x|", (), Rel(-X, "<=", sp.Abs(X)))
ABS_BOUND = Theorem("|x| <= y for -y <= x <= y", (Rel(X, "<=", Y), Rel(-X, "<=", Y)), Rel(sp.Abs(X), "<=", Y))
TANH = Theorem(
    "tanh x = (exp(2x) - 1)/(exp(2x) + 1)", (), Rel(sp.tanh(X), "=", (sp.exp(2 * X) - 1) / (sp.exp(2 * X) + 1))
)
SUM_EMPTY = Theorem("an empty sum is 0", (), Rel(sp.Sum(F(INDEX), (INDEX, 1, 0)), "=", 0))
SUM_UNFOLD = Theorem(
    "the sum up to m + 1 is the sum up to m and term m + 1",
    (Rel(M, ">=", 0),),
    Rel(sp.Sum(F(INDEX), (INDEX, 1, M + 1)), "=", sp.Sum(F(INDEX), (INDEX, 1, M)) + F(M + 1)),
)
CONSECUTIVE = Theorem("m(m + 1) >= 0 for an integer m", (), Rel(M * (M + 1), ">=", 0))
THETA_PARTIAL = Theorem(
    "1 + 2(e^-x + e^-4x + ... + e^-(m^2)x) < Theta(x) for x > 0",
    (Rel(M, ">=", 0), Rel(X, ">", 0)),
    Rel(1 + 2 * sp.Sum(sp.exp(-X * INDEX**2), (INDEX, 1, M)), "<", Theta(X)),
)

FACTS = (
    EXP_POSITIVE,
    EXP_INCREASING,
    EXP_STRICTLY_INCREASING,
    LOG_INCREASING,
    LOG_STRICTLY_INCREASING,
    LOG_POSITIVE,
    EXP_LOG,
    LOG_EXP,
    ABS_NONNEGATIVE,
    ABS_NONPOSITIVE,
    ABS_ABOVE,
    ABS_BELOW,
    ABS_BOUND,
    TANH,
    SUM_EMPTY,
    SUM_UNFOLD,
    CONSECUTIVE,
    THETA_PARTIAL,
)
