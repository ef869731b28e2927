"""B2, scores that fall by gamma per position on both sides.

l positions lie left of the maximal one and r right, n = l + r + 1, q = exp(-gamma/tau), x = q(2-q**l-q**r)/(1-q).

Main statements
    B2.bound  top - s >= gamma per position on both sides: TV <= x/(1+x)
    B2.tight  equality at exactly gamma per position
    B2.below  x/(1+x) < 2q/(1+q), for every l and r
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import exp_increasing
from ..a_softmax_gap.row import decay, gamma, h, i, n, p, s, tau, top, tv
from ..derivation import Derivation
from ..facts import EXP_POSITIVE
from ..props import Each, Rel
from ..sequent import Step
from ..series import a, b
from ..statement import Claim, Statement
from ..sums import f, function
from .b1_linear import GAMMA, REAL_X, TAU, below, finish, geometric, powers_below_one, q_range
from .line import BASE, Q, S, q_to

left, right = sp.symbols("l r", integer=True)
N = left + right + 1
X = Q * (2 - q_to(left) - q_to(right)) / (1 - Q)
BOUND = X / (1 + X)
LIMIT = 2 * Q / (1 + Q)
SIDES = (Rel(left, ">=", 0), Rel(right, ">=", 0), Rel(n, "=", N))


def _bound(op: str) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, l_natural, r_natural, n_is, gamma_positive, before, after = given
        tau_positive = base[2]
        m_natural = d.polynomial(left + 1, ">=", 0, [l_natural])
        split = d.cite("S.split", {f: function(decay), a: left + 1, b: right}, [m_natural, r_natural])
        whole = d.substitute(split, [n_is], Rel(S, "=", split.rel.rhs))
        exact = op == "="
        low = below(d, before, left + 1, m_natural, tau_positive, exact)
        high = below(d, after, right, r_natural, tau_positive, exact)
        up, down, e_large, q_small = q_range(d, gamma_positive, tau_positive)
        growing = geometric(d, gamma / tau, left + 1, m_natural, up)
        falling = geometric(d, -gamma / tau, right, r_natural, down)
        head = d.polynomial(low.rel.lhs, op, q_to(left + 1) * growing.rel.lhs, [low])
        tail = d.polynomial(high.rel.lhs, op, falling.rel.lhs, [high])
        added = d.polynomial(S, op, q_to(left + 1) * growing.rel.lhs + falling.rel.lhs, [whole, head, tail])
        closed = q_to(left + 1) * growing.rel.rhs + falling.rel.rhs
        in_powers = d.substitute(added, [growing, falling], Rel(S, op, closed))
        same = d.identity(closed, 1 + X, [e_large, q_small])
        order = d.transitive(S, op, 1 + X, [in_powers, same])
        return finish(d, base, order, BOUND, _facts(d, l_natural, r_natural, gamma_positive, tau_positive))

    return derive


def _facts(d: Derivation, l_natural: Step, r_natural: Step, gamma_positive: Step, tau_positive: Step) -> list[Step]:
    """1 + x > 0, as 1 + x = (1 + q - q**(l+1) - q**(r+1))/(1 - q) with powers below 1."""
    *_, q_small = q_range(d, gamma_positive, tau_positive)
    facts = [q_small]
    for side, shown in ((left, l_natural), (right, r_natural)):
        positive = d.polynomial(side + 1, ">", 0, [shown])
        facts.append(powers_below_one(d, side + 1, positive, gamma_positive, tau_positive))
        at_most = d.polynomial(-gamma * side / tau, "<=", 0, [shown, gamma_positive, tau_positive])
        facts.append(exp_increasing(d, at_most))
    positive = d.polynomial(X, ">=", 0, facts)
    return [q_small, positive]


def _below(d: Derivation, given: Sequence[Step]) -> Step:
    l_natural, r_natural, gamma_positive, tau_positive = given
    facts = _facts(d, l_natural, r_natural, gamma_positive, tau_positive)
    q_small = facts[0]
    powers = [d.analysis(EXP_POSITIVE, {REAL_X: -gamma * e / tau}) for e in (1, left, right)]
    x = sp.Symbol("x", real=True)
    less = d.polynomial(X, "<", 2 * Q / (1 - Q), [q_small, *powers])
    x_is = d.define(x, X)
    named = d.substitute(less, [x_is], Rel(x, "<", 2 * Q / (1 - Q)))
    bound = d.substitute(facts[1], [x_is], Rel(x, ">=", 0))
    result = d.polynomial(x / (1 + x), "<", LIMIT, [named, bound, q_small, powers[0]])
    return d.substitute(result, [x_is], Rel(BOUND, "<", LIMIT))


def _terms(op: str) -> tuple[Each, Each]:
    return (
        Each(i, 1, left + 1, Rel(top - s(i), op, gamma * (left + 1 - i))),
        Each(i, 1, right, Rel(top - s(left + 1 + i), op, gamma * i)),
    )


CLAIMS = (
    Claim("B2.bound", "growth of gamma per position on both sides", (*BASE, *SIDES), (GAMMA, *_terms(">=")),
          Rel(tv(p, h), "<=", BOUND), _bound("<=")),
    Claim("B2.tight", "equality at exactly gamma per position", (*BASE, *SIDES), (GAMMA, *_terms("=")),
          Rel(tv(p, h), "=", BOUND), _bound("=")),
    Claim("B2.below", "below 2q/(1+q) for every l and r", SIDES[:2], (GAMMA, TAU), Rel(BOUND, "<", LIMIT), _below),
)  # fmt: skip

STATEMENT = Statement(
    id="B2",
    title="Linear growth, both sides",
    section="B",
    kernel=True,
    summary="Scores that fall by gamma per position on both sides: TV <= x/(1+x) < 2q/(1+q), x = q(2-q^l-q^r)/(1-q).",
    quantity="tv",
    direction="<=",
    claims=CLAIMS,
    main="B2.bound",
    sharpness="equality for scores that fall by exactly gamma per position (B2.tight)",
    used_for="heads without a mask that look for one position",
)
