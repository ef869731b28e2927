"""B5, distinct distances: any arrangement of distances that are at least 1, 2, 3, ... in increasing order.

The positions are listed by increasing distance from the maximal score, the maximal position first; softmax and hard
attention do not depend on the order of the positions, so any row can be listed so.

Main statements, with q = exp(-gamma/tau) and B = q(1-q**(n-1))/(1-q**n)
    B5.listed    the r-th smallest distance is at least gamma r: TV <= B;  B5.strict: TV < q
    B5.distinct  the distances are distinct positive multiples of gamma: TV <= B
    B5.tight     distances exactly gamma, 2 gamma, ...: TV = B
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.row import gamma, h, i, n, p, s, tau, top, tv
from ..derivation import Derivation
from ..props import Each, Rel
from ..sequent import Step
from ..statement import Claim, Statement, TableData
from ..sums import c, f, function
from ..sums import n as sum_n
from .b1_linear import BOUND, GAMMA, RIGHT, below, finish, geometric, powers_below_one, q_range
from .line import BASE, Q, S, q_to

e = sp.Function("e", real=True)
MULTIPLES = Each(i, 1, n, Rel(top - s(i), "=", gamma * e(i)))
DISTINCT = Each(i, 1, n - 1, Rel(e(i + 1) - e(i), ">=", 1))


def _strict(d: Derivation, given: Sequence[Step]) -> Step:
    *base, gamma_positive, terms = given
    bound = d.cite("B1.right", {}, [*base, gamma_positive, terms])
    one_n = d.polynomial(1, "<=", n, [base[0], base[1]])
    limit = d.cite("B1.below", {}, [one_n, gamma_positive, base[2]])
    return d.transitive(tv(p, h), "<", Q, [bound, limit])


def _distinct(d: Derivation, given: Sequence[Step]) -> Step:
    *base, gamma_positive, multiples, start, distinct = given
    where, lower, upper = d.generic("i", sp.S.One, n)
    # e(i) - e(1) >= i - 1, by adding up i - 1 steps
    inner, low, high = d.generic("k2", sp.S.One, where - 1)
    within = d.polynomial(inner, "<=", n - 1, [high, upper])
    steps = d.generalise(d.at(distinct, inner, low, within), low, high)
    natural = d.polynomial(where - 1, ">=", 0, [lower])
    grown = d.cite("S.telescope", {f: function(e), c: sp.S.One, sum_n: where - 1}, [natural, steps])
    here = d.at(multiples, where, lower, upper)
    far = d.polynomial(top - s(where), ">=", gamma * (where - 1), [here, grown, start, gamma_positive])
    return d.cite("B1.right", {}, [*base, gamma_positive, d.generalise(far, lower, upper)])


def _tight(d: Derivation, given: Sequence[Step]) -> Step:
    *base, gamma_positive, terms = given
    one_k, k_n, tau_positive = base[:3]
    n_natural = d.polynomial(n, ">=", 0, [one_k, k_n])
    summed = below(d, terms, n, n_natural, tau_positive, exact=True)
    _up, down, e_large, q_small = q_range(d, gamma_positive, tau_positive)
    falling = geometric(d, -gamma / tau, n, n_natural, down)
    whole = d.polynomial(S, "=", q_to(-1) * falling.rel.lhs, [summed])
    closed = q_to(-1) * falling.rel.rhs
    in_powers = d.substitute(whole, [falling], Rel(S, "=", closed))
    same = d.identity(closed, (1 - q_to(n)) / (1 - Q), [e_large, q_small])
    order = d.transitive(S, "=", (1 - q_to(n)) / (1 - Q), [in_powers, same])
    positive = d.polynomial(n, ">", 0, [one_k, k_n])
    facts = [q_small, powers_below_one(d, n, positive, gamma_positive, tau_positive)]
    return finish(d, base, order, BOUND, facts)


CLAIMS = (
    Claim("B5.listed", "the r-th smallest distance is at least gamma r", BASE, (GAMMA, RIGHT),
          Rel(tv(p, h), "<=", BOUND), lambda d, given: d.cite("B1.right", {}, given)),
    Claim("B5.strict", "below q for every n", BASE, (GAMMA, RIGHT), Rel(tv(p, h), "<", Q), _strict),
    Claim("B5.distinct", "distinct positive multiples of gamma", BASE,
          (GAMMA, MULTIPLES, Rel(e(1), "=", 0), DISTINCT), Rel(tv(p, h), "<=", BOUND), _distinct),
    Claim("B5.tight", "equality at distances gamma, 2 gamma, ...", BASE,
          (GAMMA, Each(i, 1, n, Rel(top - s(i), "=", gamma * (i - 1)))), Rel(tv(p, h), "=", BOUND), _tight),
)  # fmt: skip

STATEMENT = Statement(
    id="B5",
    title="Distinct distances",
    section="B",
    kernel=True,
    summary="If the r-th smallest distance from the maximum is at least gamma r, TV <= q(1-q^(n-1))/(1-q^n) < q.",
    quantity="tv",
    direction="<=",
    claims=CLAIMS,
    main="B5.listed",
    sharpness="equality for distances gamma, 2 gamma, ..., (n-1) gamma (B5.tight)",
    used_for="B6, and any head whose scores are distinct multiples of gamma",
    table=TableData(("n", "gamma", "tau"), {"n": 1, "gamma": -1, "tau": 1}, "TV"),
)
