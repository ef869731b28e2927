"""C1, the scaling law: scores and temperature scaled alike give the same weights.

Main statements
    C1.weights    scores c s at temperature c tau give the weights of the scores s at temperature tau
    C1.transfer   so every distance to hard attention is unchanged
    C1.rightmost  scores c(A chi(j) + j)/n at temperature tau/n: TV < exp(-c/tau)
    C1.bounded    with A = 2n those scores lie in 0..3c
    C1.lookup     scores -c(j - a)**2/n**2 at temperature tau/n**2: TV < 2q/(1+2q-q**3), q = exp(-c/tau)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a5_sets import SET, chi
from ..a_softmax_gap.row import (
    N_POSITIVE,
    TAU,
    At,
    either,
    everywhere,
    h,
    i,
    n,
    natural,
    p,
    p2,
    s,
    s2,
    sum_of,
    tau,
    tv,
)
from ..b_positional.b3_lookup import CLOSED
from ..b_positional.b3_lookup import EXACT as LOOKUP
from ..b_positional.b3_lookup import WITHIN as LOOKUP_WITHIN
from ..b_positional.b6_predicate import AFTER_FALSE, LARGE, RIGHT_SCORES, TRUE, C, Q, c
from ..b_positional.b6_predicate import DEFINITIONS as RIGHTMOST_DEFINITIONS
from ..b_positional.line import BASE
from ..derivation import Derivation
from ..props import Each, Rel, total
from ..sequent import Step
from ..statement import Claim, Statement

factor = sp.Symbol("factor", real=True)
FACTOR = Rel(factor, ">", 0)


def soft_at(weights: sp.Basic, scores: sp.Basic, temperature: sp.Expr) -> Each:
    """The definition of softmax at a temperature."""
    normaliser = total(lambda j: sp.exp(scores(j) / temperature), n)
    return Each(i, 1, n, Rel(weights(i), "=", sp.exp(scores(i) / temperature) / normaliser))


SCALED = Each(i, 1, n, Rel(s2(i), "=", factor * s(i)))
SOFT = soft_at(p, s, tau)
SOFT2 = soft_at(p2, s2, factor * tau)
LOOKUP_DEFINITIONS = (*BASE, *LOOKUP_WITHIN)


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


def _transfer(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, *_ = given
    same = d.cite("C1.weights", {}, given)

    def term(w: sp.Symbol, at: At) -> Step:
        trivial = d.identity(sp.Abs(p(w) - h(w)), sp.Abs(p(w) - h(w)))
        return d.substitute(trivial, [at(same)], Rel(sp.Abs(p2(w) - h(w)), "=", sp.Abs(p(w) - h(w))))

    summed = sum_of(d, "S.equal", everywhere(d, term), natural(d, [one_n]))
    return d.identity(tv(p2, h), tv(p, h), [summed])


def _scaled(power: int, build: Callable[[Derivation, Sequence[Step], Step], Step]):  # type: ignore[no-untyped-def]
    """TV of the scaled head from TV of the unscaled one; `build` proves the bound on TV(p, h)."""

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *unscaled, soft2, scaled = given
        one_k, k_n, tau_positive = unscaled[:3]
        one_n = d.polynomial(1, "<=", n, [one_k, k_n])
        positive = d.polynomial(1 / n**power, ">", 0, [one_n])
        premises = [one_n, tau_positive, unscaled[6], soft2, positive, scaled]
        same = d.cite("C1.transfer", {factor: 1 / n**power}, premises)
        bound = build(d, unscaled, one_n)
        return d.transitive(tv(p2, h), "<", bound.rel.rhs, [same, bound])

    return derive


def _rightmost(d: Derivation, unscaled: Sequence[Step], one_n: Step) -> Step:
    first = d.cite("B6.rightmost", {}, unscaled)
    c_positive = next(step for step in unscaled if step.prop == C)
    limit = d.cite("B6.below", {}, [one_n, unscaled[2], c_positive])
    return d.transitive(tv(p, h), "<", Q, [first, limit])


def _lookup(d: Derivation, unscaled: Sequence[Step], one_n: Step) -> Step:
    del one_n
    return d.cite("B3.closed", {}, unscaled)


def _bounded(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, choice, c_positive, scores = given

    where, lower, upper = d.generic("i", sp.S.One, n)
    here = d.at(scores, where, lower, upper)
    boolean = d.at(choice, where, lower, upper)
    facts = [here, lower, upper, one_n, c_positive]
    least = either(d, boolean, lambda value, _: d.polynomial(s2(where) * (3 * c - s2(where)), ">=", 0, [*facts, value]))
    return d.generalise(least, lower, upper)


def _over(power: int) -> Each:
    return Each(i, 1, n, Rel(s2(i), "=", s(i) / n**power))


BOUNDED = Each(i, 1, n, Rel(s2(i), "=", c * (2 * chi(i) + i / n)))
CLAIMS = (
    Claim("C1.weights", "scores and temperature scaled alike", (N_POSITIVE, TAU, SOFT, SOFT2), (FACTOR, SCALED),
          Each(i, 1, n, Rel(p2(i), "=", p(i))), _weights),
    Claim("C1.transfer", "so every distance to hard attention is unchanged", (N_POSITIVE, TAU, SOFT, SOFT2),
          (FACTOR, SCALED), Rel(tv(p2, h), "=", tv(p, h)), _transfer),
    Claim("C1.rightmost", "the rightmost head with scores divided by n, at temperature tau/n",
          RIGHTMOST_DEFINITIONS, (C, LARGE, TRUE, AFTER_FALSE, RIGHT_SCORES, soft_at(p2, s2, tau / n), _over(1)),
          Rel(tv(p2, h), "<", Q), _scaled(1, _rightmost)),
    Claim("C1.bounded", "with A = 2n its scores c(2 chi + j/n) lie in 0..3c", (N_POSITIVE, SET), (C, BOUNDED),
          Each(i, 1, n, Rel(s2(i) * (3 * c - s2(i)), ">=", 0)), _bounded),
    Claim("C1.lookup", "the lookup with scores divided by n^2, at temperature tau/n^2", LOOKUP_DEFINITIONS,
          (C, LOOKUP, soft_at(p2, s2, tau / n**2), _over(2)), Rel(tv(p2, h), "<", CLOSED), _scaled(2, _lookup)),
)  # fmt: skip

STATEMENT = Statement(
    id="C1",
    title="Scaling law",
    section="C",
    kernel=True,
    summary="Softmax of c s at temperature c tau is softmax of s at tau; so bounded embeddings take tau/n or tau/n^2.",
    quantity="tv",
    direction="=",
    claims=CLAIMS,
    main="C1.rightmost",
    sharpness="an equality of weights (C1.weights)",
    used_for="every construction with bounded positional embeddings",
)
