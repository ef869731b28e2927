"""A6, a tieless head with perturbed scores.

The maximal position is unique (k = 1), the gap is at least gamma, every score moves by at most eta < gamma/2; top2 is
the perturbed score of the maximal position.

Main statements, with q' = exp(-(gamma - 2 eta)/tau)
    A6.choice  the perturbed scores have the same maximal position, with gap >= gamma - 2 eta > 0
    A6.bound   TV(softmax(s2), hard(s)) <= (n-1)q'/(1+(n-1)q')
    A6.tight   equality when the maximal score falls by eta and the others, exactly gamma below, rise by eta
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..props import Each, Rel
from ..sequent import Step
from ..statement import Claim, Statement, TableData
from .a1_exact import STRICTLY_BELOW
from .a2_gap import bound
from .a5_sets import NEAR, SOFT2
from .row import (
    BOOLEAN,
    COUNT,
    GAP,
    HARD,
    K_N,
    ON_TOP,
    ONE_K,
    TAU,
    At,
    either,
    eta,
    everywhere,
    gamma,
    h,
    i,
    k,
    mu,
    n,
    natural,
    p,
    p2,
    s,
    s2,
    sum_of,
    top,
    tv,
    weaker,
)

top2 = sp.Symbol("top2", real=True)
BOUND = bound(k_=sp.S.One, gamma_=gamma - 2 * eta)
TOP2 = Each(i, 1, n, Rel(mu(i) * (top2 - s2(i)), "=", 0))
TIELESS = Rel(k, "=", 1)
SMALL = Rel(2 * eta, "<", gamma)
BASE = (ONE_K, K_N, TAU, BOOLEAN, COUNT, ON_TOP, SOFT2, STRICTLY_BELOW, HARD, TOP2, TIELESS)
OTHER = {s: s2, p: p2, top: top2, gamma: gamma - 2 * eta}


def _top_order(
    d: Derivation, boolean: Step, count: Step, tieless: Step, on_top: Step, top_is: Step, below: Step
) -> Step:
    """top2 >= top - eta: the maximal position keeps at least that."""

    def term(w: sp.Symbol, at: At) -> Step:
        old, new, near = at(on_top), at(top_is), at(below)
        goal = mu(w) * (top2 - top + eta)
        return either(d, at(boolean), lambda value, _: d.polynomial(0, "<=", goal, [old, new, near, value]))

    n_natural = natural(d, [d.steps[0], d.steps[1]])
    summed = sum_of(d, "S.order", everywhere(d, term), n_natural)
    return d.polynomial(top2, ">=", top - eta, [summed, count, tieless])


def _choice(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, _tau, boolean, count, on_top, _soft2, _below, _hard, top_is, tieless, gap, above, below = given
    del one_k, k_n
    order = _top_order(d, boolean, count, tieless, on_top, top_is, below)

    def term(w: sp.Symbol, at: At) -> Step:
        far, near = at(gap), at(above)
        goal = (1 - mu(w)) * (top2 - s2(w) - (gamma - 2 * eta))
        return either(d, at(boolean), lambda value, _: d.polynomial(goal, ">=", 0, [far, near, value, order]))

    return everywhere(d, term)


def _strictly_below(d: Derivation, boolean: Step, top_is: Step, gap2: Step, positive: Step) -> Step:
    """top2 - s2 + mu > 0: the non-maximal positions stay strictly below."""

    def term(w: sp.Symbol, at: At) -> Step:
        here, far = at(top_is), at(gap2)
        goal = top2 - s2(w) + mu(w)
        return either(d, at(boolean), lambda value, _: d.polynomial(goal, ">", 0, [here, far, value, positive]))

    return everywhere(d, term)


def _bound(d: Derivation, given: Sequence[Step]) -> Step:
    (one_k, k_n, tau_positive, boolean, count, _on_top, soft2, _below, hard, top_is, tieless, *hypotheses) = given
    gap, above, below, small = hypotheses
    gap2 = d.cite("A6.choice", {}, [*given[:11], gap, above, below])
    positive = d.polynomial(gamma - 2 * eta, ">", 0, [small])
    strictly = _strictly_below(d, boolean, top_is, gap2, positive)
    row = [one_k, k_n, tau_positive, boolean, count, top_is, soft2, strictly, hard, gap2]
    result = d.cite("A2.bound", OTHER, row)
    return d.substitute(result, [tieless], Rel(tv(p2, h), "<=", BOUND))


def _tight(d: Derivation, given: Sequence[Step]) -> Step:
    (one_k, k_n, tau_positive, boolean, count, on_top, soft2, _below, hard, top_is, tieless, *hypotheses) = given
    at_gap, moved, small = hypotheses

    def top_term(w: sp.Symbol, at: At) -> Step:
        old, new, shift = at(on_top), at(top_is), at(moved)
        return either(
            d,
            at(boolean),
            lambda value, _: d.identity(mu(w) * (top2 - top + eta), 0, [old, new, shift, value]),
        )

    summed = sum_of(d, "S.equal", everywhere(d, top_term), natural(d, [one_k, k_n]))
    order = d.identity(top2, top - eta, [summed, count, tieless])
    positive = d.polynomial(gamma - 2 * eta, ">", 0, [small])

    def exactly(w: sp.Symbol, at: At) -> Step:
        far, shift = at(at_gap), at(moved)
        goal = (1 - mu(w)) * (top2 - s2(w) - (gamma - 2 * eta))
        return either(d, at(boolean), lambda value, _: d.identity(goal, 0, [far, shift, value, order]))

    all_at_gap = everywhere(d, exactly)
    gap2 = everywhere(d, lambda _, at: weaker(d, at(all_at_gap)))
    strictly = _strictly_below(d, boolean, top_is, gap2, positive)
    row = [one_k, k_n, tau_positive, boolean, count, top_is, soft2, strictly, hard, all_at_gap]
    result = d.cite("A2.equality", OTHER, row)
    return d.substitute(result, [tieless], Rel(tv(p2, h), "=", BOUND))


CLAIMS = (
    Claim(
        "A6.choice",
        "the hard choice does not change",
        BASE,
        (GAP, *NEAR),
        Each(i, 1, n, Rel((1 - mu(i)) * (top2 - s2(i) - (gamma - 2 * eta)), ">=", 0)),
        _choice,
    ),
    Claim(
        "A6.bound",
        "perturbed scores against the unperturbed hard choice",
        BASE,
        (GAP, *NEAR, SMALL),
        Rel(tv(p2, h), "<=", BOUND),
        _bound,
    ),
    Claim(
        "A6.tight",
        "the bound is attained",
        BASE,
        (
            Each(i, 1, n, Rel((1 - mu(i)) * (top - s(i) - gamma), "=", 0)),
            Each(i, 1, n, Rel(s2(i), "=", s(i) + eta * (1 - 2 * mu(i)))),
            SMALL,
        ),
        Rel(tv(p2, h), "=", BOUND),
        _tight,
    ),
)

STATEMENT = Statement(
    id="A6",
    title="Tieless and perturbed",
    section="A",
    kernel=True,
    summary="k = 1, gap >= gamma, scores off by eta < gamma/2: the gap bound with gamma - 2 eta, and the same choice.",
    quantity="tv_perturbed",
    direction="<=",
    claims=CLAIMS,
    main="A6.bound",
    sharpness="equality when the maximal score falls by eta and the others, at the gap, rise by eta (A6.tight)",
    used_for="E1 and E5 for tieless heads: no eta/tau term",
    table=TableData(("n", "gamma", "eta", "tau"), {"n": 1, "gamma": -1, "eta": 1, "tau": 1}, "TV"),
)
