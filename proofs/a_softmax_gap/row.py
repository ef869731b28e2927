"""The row of scores that section A is about: symbols, definitions as hypotheses, and steps that recur.

Notation, for n >= 1 visible positions
    s(i)         score of position i; s2(i) a perturbed score
    mu(i)        1 if position i is maximal, else 0; k is the number of maximal positions, top the maximal score
    p(i), p2(i)  softmax weights at temperature tau of the scores s, s2
    h(i)         average-hard weights, mu(i)/k
    zp           Z' = sum over the non-maximal positions of exp(-(top - s)/tau)
Sums run over all positions; 0/1-valued functions select positions, so that no ordering of positions is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import ABS_NONNEGATIVE, ABS_NONPOSITIVE
from ..props import Each, ProofError, Rel, position, substitute, total
from ..sequent import Step
from ..sums import f, function, g
from ..sums import n as sum_n

n, k = sp.symbols("n k", integer=True)
tau, gamma, top, eta, delta, eps = sp.symbols("tau gamma top eta delta eps", real=True)
s, s2, p, p2, h, mu = (sp.Function(name, real=True) for name in ("s", "s2", "p", "p2", "h", "mu"))
i = position("i")
REAL_X = sp.Symbol("x", real=True)
REAL_Y = sp.Symbol("y", real=True)

At = Callable[[Step], Step]


def decay(j: sp.Expr) -> sp.Expr:
    """exp(-(top - s(j))/tau): the softmax weight of j relative to that of a maximal position."""
    return sp.exp(-(top - s(j)) / tau)


Z_PRIME = total(lambda j: (1 - mu(j)) * decay(j), n)


def l1(soft: Callable[[sp.Expr], sp.Expr], hard: Callable[[sp.Expr], sp.Expr]) -> sp.Expr:
    """L1 distance between two weight vectors."""
    return total(lambda j: sp.Abs(soft(j) - hard(j)), n)


def tv(soft: Callable[[sp.Expr], sp.Expr], hard: Callable[[sp.Expr], sp.Expr]) -> sp.Expr:
    """Total variation distance, half the L1 distance."""
    return l1(soft, hard) / 2


def softmax(weights: sp.Basic, scores: sp.Basic) -> Each:
    """The definition of softmax: weights(i) = exp(scores(i)/tau) / sum over j of exp(scores(j)/tau)."""
    return Each(i, 1, n, Rel(weights(i), "=", sp.exp(scores(i) / tau) / total(lambda j: sp.exp(scores(j) / tau), n)))


ONE_K = Rel(1, "<=", k)
K_N = Rel(k, "<=", n)
N_POSITIVE = Rel(1, "<=", n)
TAU = Rel(tau, ">", 0)
BOOLEAN = Each(i, 1, n, Rel(mu(i) * (1 - mu(i)), "=", 0))
COUNT = Rel(total(mu, n), "=", k)
ON_TOP = Each(i, 1, n, Rel(mu(i) * (top - s(i)), "=", 0))
SOFT = softmax(p, s)
HARD = Each(i, 1, n, Rel(h(i), "=", mu(i) / k))
GAP = Each(i, 1, n, Rel((1 - mu(i)) * (top - s(i) - gamma), ">=", 0))
GAMMA = Rel(gamma, ">", 0)
ROW = (ONE_K, K_N, TAU, BOOLEAN, COUNT, ON_TOP, SOFT)


def everywhere(d: Derivation, build: Callable[[sp.Symbol, At], Step], name: str = "i") -> Step:
    """Prove something at a generic position (build gets the position and a way to instantiate) and generalise."""
    where, lower, upper = d.generic(name, sp.S.One, n)
    return d.generalise(build(where, lambda each: d.at(each, where, lower, upper)), lower, upper)


def either(d: Derivation, boolean: Step, build: Callable[[Step, bool], Step]) -> Step:
    """Case analysis on a 0/1-valued expression f: `boolean` is f(1 - f) = 0; build gets f = 0 or f = 1 and which."""
    one = next(
        (
            a
            for a in sp.Mul.make_args(boolean.rel.lhs)
            if sp.expand(boolean.rel.lhs - a * (1 - a)) == 0 and a.is_Function
        ),
        None,
    )
    if one is None:
        raise ProofError(f"not of the form f(1 - f) = 0: {boolean.prop}")
    zero = d.assume(Rel(one, "=", 0))
    first = build(zero, False)
    other = d.assume(Rel(1 - one, "=", 0))
    second = build(d.polynomial(one, "=", 1, [other]), True)
    return d.cases(boolean, (zero, first), (other, second))


def sum_of(d: Derivation, rule: str, termwise: Step, natural: Step, why: str = "") -> Step:
    """S.order or S.equal for a step about every position; `natural` is n >= 0."""
    each = termwise.prop
    assert isinstance(each, Each)
    small = function(lambda j: substitute(each.rel.lhs, {each.var: j}))
    large = function(lambda j: substitute(each.rel.rhs, {each.var: j}))
    if each.rel.op == ">=":
        small, large = large, small
    return d.cite(rule, {f: small, g: large, sum_n: n}, [natural, termwise], why=why)


def absolute(d: Derivation, expr: sp.Expr, sign: Step) -> Step:
    """|expr| = expr or -expr, by a step expr >= 0 or expr <= 0."""
    fact = ABS_NONNEGATIVE if sign.rel.op == ">=" else ABS_NONPOSITIVE
    return d.analysis(fact, {REAL_X: expr}, [sign])


def natural(d: Derivation, bounds: Sequence[Step]) -> Step:
    """n >= 0."""
    return d.polynomial(n, ">=", 0, bounds)


def weaker(d: Derivation, equation: Step) -> Step:
    """x >= 0 from x = 0."""
    return d.polynomial(equation.rel.lhs, ">=", 0, [equation])
