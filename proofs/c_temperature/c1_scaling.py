"""C1, the scaling law: scores and temperature scaled alike give the same weights.

Main statements
    C1.weights    scores c s at temperature c tau give the weights of the scores s at temperature tau
    C1.rightmost  scores c(A chi(j) + j)/n, of spread at most c(A + 1 - 1/n)/1, at temperature tau_0/n: TV < exp(-c/tau_0)
    C1.lookup     scores -c(j - a)**2/n**2 at temperature tau_0/n**2: TV < 2q/(1+2q-q**3), q = exp(-c/tau_0)
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a1_exact import STRICTLY_BELOW
from ..a_softmax_gap.a5_perturbed import SET, chi
from ..a_softmax_gap.row import (
    BOOLEAN,
    COUNT,
    HARD,
    K_N,
    N_POSITIVE,
    ONE_K,
    TAU,
    At,
    either,
    everywhere,
    h,
    i,
    mu,
    n,
    natural,
    p,
    p2,
    s,
    s2,
    sum_of,
    tau,
    top,
    tv,
)
from ..b_positional.b3_lookup import CLOSED, a
from ..b_positional.b3_lookup import EXACT as LOOKUP
from ..b_positional.b6_predicate import AFTER_FALSE, CHOSEN, LARGE, Q, RIGHT_SCORES, TRUE, m, weight
from ..b_positional.line import TIELESS
from ..derivation import Derivation
from ..props import Each, Rel, total
from ..sequent import Step
from ..statement import Claim, Statement

c = sp.Symbol("c", real=True)
factor, top2, tau0 = sp.symbols("factor top2 tau0", real=True)
FACTOR = Rel(factor, ">", 0)


def soft_at(weights: sp.Basic, scores: sp.Basic, temperature: sp.Expr) -> Each:
    """The definition of softmax at a temperature."""
    normaliser = total(lambda j: sp.exp(scores(j) / temperature), n)
    return Each(i, 1, n, Rel(weights(i), "=", sp.exp(scores(i) / temperature) / normaliser))


SCALED = Each(i, 1, n, Rel(s2(i), "=", factor * s(i)))
SOFT = soft_at(p, s, tau)
SOFT2 = soft_at(p2, s2, factor * tau)


def same_exponentials(d: Derivation, scaled: Step, factor_positive: Step, tau_positive: Step, cold: sp.Expr) -> Step:
    """exp(s2/(factor tau)) = exp(s/tau) at every position."""

    def term(w: sp.Symbol, at: At) -> Step:
        here = at(scaled)
        exponent = d.identity(s2(w) / cold, s(w) / tau, [here, factor_positive, tau_positive])
        trivial = d.identity(sp.exp(s(w) / tau), sp.exp(s(w) / tau))
        return d.substitute(trivial, [exponent], Rel(sp.exp(s2(w) / cold), "=", sp.exp(s(w) / tau)))

    return everywhere(d, term)


def _weights(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, soft2, factor_positive, scaled = given
    each = same_exponentials(d, scaled, factor_positive, tau_positive, factor * tau)
    summed = sum_of(d, "S.equal", each, natural(d, [one_n]))

    def term(w: sp.Symbol, at: At) -> Step:
        here = d.substitute(at(soft2), [at(each), summed], Rel(p2(w), "=", at(soft).rel.rhs))
        return d.substitute(here, [at(soft)], Rel(p2(w), "=", p(w)))

    return everywhere(d, term)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "C1.weights",
        "scores and temperature scaled alike",
        (N_POSITIVE, TAU, SOFT, SOFT2),
        (FACTOR, SCALED),
        Each(i, 1, n, Rel(p2(i), "=", p(i))),
        _weights,
    ),
)
