"""B1 and B5: scores that fall by gamma per position on one side, or whose distances are distinct.

Main statements, with q = exp(-gamma/tau) and B = q(1-q**(n-1))/(1-q**n); m is the maximal position
    B1.arranged  top - s(j) >= gamma (m - j) for j <= m and >= gamma (n + m - j) for j > m imply TV <= B
    B1.mirrored  top - s(j) >= gamma (n - m + j) for j < m and >= gamma (j - m) for j >= m imply TV <= B
    B1.left      maximal position last, top - s(j) >= gamma (n - j): TV <= B;  B1.right: first, >= gamma (j - 1)
    B1.tight     equality on the left side;  B1.below: B < q
    B1.increasing-n, B1.decreasing-gamma, B1.increasing-tau  monotonicity of B

B1.arranged: the positions before m have distances at least 1, ..., m-1, those after it at least n-1, ..., m.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a2_gap import exp_increasing
from ..a_softmax_gap.row import At, decay, gamma, h, i, n, natural, p, s, tau, top, tv
from ..derivation import Derivation
from ..facts import EXP_POSITIVE
from ..props import Each, Rel, total
from ..sequent import Step
from ..series import a, b, rate
from ..statement import Claim, Statement, TableData
from ..sums import f, function
from ..sums import n as sum_n
from .line import BASE, Q, S, big, m, ordered_sum, over, q_to

BOUND = Q * (1 - q_to(n - 1)) / (1 - q_to(n))
SUM = (1 - q_to(n)) / (1 - Q)
GAMMA = Rel(gamma, ">", 0)
WITHIN = (Rel(1, "<=", m), Rel(m, "<=", n))
REAL_X = sp.Symbol("x", real=True)
n2 = sp.Symbol("n2", integer=True)
gamma2, tau2 = sp.symbols("gamma2 tau2", real=True)
BEFORE = Each(i, 1, m, Rel(top - s(i), ">=", gamma * (m - i)))
AFTER = Each(i, 1, n - m, Rel(top - s(m + i), ">=", gamma * (n - i)))


def geometric(d: Derivation, x: sp.Expr, length: sp.Expr, shown: Step, sign: Step) -> Step:
    """The closed form of sum over d = 1..length of exp(x d); `sign` is x > 0 or x < 0."""
    name = "B.up" if sign.rel.op == ">" else "B.down"
    return d.cite(name, {rate: x, sum_n: length}, [shown, sign])


def q_range(d: Derivation, gamma_positive: Step, tau_positive: Step) -> tuple[Step, Step, Step, Step]:
    """gamma/tau > 0, -gamma/tau < 0, exp(gamma/tau) > 1 and q < 1."""
    up = d.polynomial(gamma / tau, ">", 0, [gamma_positive, tau_positive])
    down = d.polynomial(-gamma / tau, "<", 0, [gamma_positive, tau_positive])
    one = d.polynomial(0, "<", gamma / tau, [up, tau_positive])
    return up, down, exp_increasing(d, one, strict=True), exp_increasing(d, down, strict=True)


def below(d: Derivation, terms: Step, length: sp.Expr, shown: Step, tau_positive: Step, exact: bool = False) -> Step:
    """exp(-(top - s)/tau) <= exp(-distance/tau), summed, from top - s >= distance at 1..length (or equal)."""
    each = terms.prop
    assert isinstance(each, Each)

    def term(_: sp.Symbol, at: At) -> Step:
        here = at(terms)
        if exact:
            exponent = d.identity(-here.rel.lhs / tau, -here.rel.rhs / tau, [here, tau_positive])
            same = d.identity(sp.exp(-here.rel.rhs / tau), sp.exp(-here.rel.rhs / tau))
            return d.substitute(same, [exponent], Rel(sp.exp(-here.rel.lhs / tau), "=", sp.exp(-here.rel.rhs / tau)))
        order = d.polynomial(-here.rel.lhs / tau, "<=", -here.rel.rhs / tau, [here, tau_positive])
        return exp_increasing(d, order)

    return ordered_sum(d, "S.equal" if exact else "S.order", over(d, length, term), length, shown)


def _sum_bound(d: Derivation, first: Step, second: Step, given: Sequence[Step], op: str) -> Step:
    """S op (1 - q**n)/(1 - q) from the distances before and after m."""
    one_m, m_n, gamma_positive, tau_positive = given
    m_natural = d.polynomial(m, ">=", 0, [one_m])
    rest_natural = d.polynomial(n - m, ">=", 0, [m_n])
    split = d.cite("S.split", {f: function(decay), a: m, b: n - m}, [m_natural, rest_natural])
    exact = op == "="
    low = below(d, first, m, m_natural, tau_positive, exact)
    high = below(d, second, n - m, rest_natural, tau_positive, exact)
    up, _down, e_large, q_small = q_range(d, gamma_positive, tau_positive)
    first_part = geometric(d, gamma / tau, m, m_natural, up)
    second_part = geometric(d, gamma / tau, n - m, rest_natural, up)
    g1, g2 = first_part.rel.lhs, second_part.rel.lhs
    head = d.polynomial(low.rel.lhs, op, q_to(m) * g1, [low])
    tail = d.polynomial(high.rel.lhs, op, q_to(n) * g2, [high])
    whole = d.polynomial(S, op, q_to(m) * g1 + q_to(n) * g2, [split, head, tail])
    closed = q_to(m) * first_part.rel.rhs + q_to(n) * second_part.rel.rhs
    in_powers = d.substitute(whole, [first_part, second_part], Rel(S, op, closed))
    same = d.identity(closed, SUM, [e_large, q_small])
    return d.transitive(S, op, SUM, [in_powers, same])


def finish(d: Derivation, base: Sequence[Step], order: Step, bound: sp.Expr, facts: Sequence[Step]) -> Step:
    """TV op `bound` = 1 - 1/G from S op G; `facts` show that G and its denominators are positive."""
    op = order.rel.op
    name = {"<=": "B.at-most", "=": "B.equal", "<": "B.below"}[op]
    reached = d.cite(name, {big: order.rel.rhs}, [*base, order])
    same = d.identity(reached.rel.rhs, bound, facts)
    return d.transitive(tv(p, h), op, bound, [reached, same])


def powers_below_one(
    d: Derivation, exponent: sp.Expr, positive: Step, gamma_positive: Step, tau_positive: Step
) -> Step:
    """q**exponent < 1 for exponent > 0."""
    negative = d.polynomial(-gamma * exponent / tau, "<", 0, [positive, gamma_positive, tau_positive])
    return exp_increasing(d, negative, strict=True)


def _arranged(d: Derivation, given: Sequence[Step]) -> Step:
    *base, one_m, m_n, gamma_positive, before, after = given
    tau_positive = base[2]
    order = _sum_bound(d, before, after, [one_m, m_n, gamma_positive, tau_positive], "<=")
    return finish(d, base, order, BOUND, _sum_facts(d, base, gamma_positive))


def _sum_facts(d: Derivation, base: Sequence[Step], gamma_positive: Step) -> list[Step]:
    """1 - q > 0 and 1 - q**n > 0."""
    one_k, k_n, tau_positive = base[:3]
    *_, q_small = q_range(d, gamma_positive, tau_positive)
    n_positive = d.polynomial(n, ">", 0, [one_k, k_n])
    return [q_small, powers_below_one(d, n, n_positive, gamma_positive, tau_positive)]


def _mirrored(d: Derivation, given: Sequence[Step]) -> Step:
    *base, one_m, m_n, gamma_positive, before, after = given
    tau_positive = base[2]
    low_natural = d.polynomial(m - 1, ">=", 0, [one_m])
    high_natural = d.polynomial(n - m + 1, ">=", 0, [m_n])
    split = d.cite("S.split", {f: function(decay), a: m - 1, b: n - m + 1}, [low_natural, high_natural])
    low = below(d, before, m - 1, low_natural, tau_positive)
    high = below(d, after, n - m + 1, high_natural, tau_positive)
    _up, down, e_large, q_small = q_range(d, gamma_positive, tau_positive)
    first_part = geometric(d, -gamma / tau, m - 1, low_natural, down)
    second_part = geometric(d, -gamma / tau, n - m + 1, high_natural, down)
    head = d.polynomial(low.rel.lhs, "<=", q_to(n - m) * first_part.rel.lhs, [low])
    tail = d.polynomial(high.rel.lhs, "<=", q_to(-1) * second_part.rel.lhs, [high])
    whole = d.polynomial(
        S, "<=", q_to(n - m) * first_part.rel.lhs + q_to(-1) * second_part.rel.lhs, [split, head, tail]
    )
    closed = q_to(n - m) * first_part.rel.rhs + q_to(-1) * second_part.rel.rhs
    in_powers = d.substitute(whole, [first_part, second_part], Rel(S, "<=", closed))
    same = d.identity(closed, SUM, [e_large, q_small])
    order = d.transitive(S, "<=", SUM, [in_powers, same])
    return finish(d, base, order, BOUND, _sum_facts(d, base, gamma_positive))


def _left(op: str):  # type: ignore[no-untyped-def]
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, gamma_positive, terms = given
        one_k, k_n, tau_positive = base[:3]
        n_natural = natural(d, [one_k, k_n])
        summed = below(d, terms, n, n_natural, tau_positive, op == "=")
        up, _down, e_large, q_small = q_range(d, gamma_positive, tau_positive)
        growing = geometric(d, gamma / tau, n, n_natural, up)
        whole = d.polynomial(S, op, q_to(n) * growing.rel.lhs, [summed])
        closed = q_to(n) * growing.rel.rhs
        in_powers = d.substitute(whole, [growing], Rel(S, op, closed))
        same = d.identity(closed, SUM, [e_large, q_small])
        order = d.transitive(S, op, SUM, [in_powers, same])
        return finish(d, base, order, BOUND, _sum_facts(d, base, gamma_positive))

    return derive


def _right(d: Derivation, given: Sequence[Step]) -> Step:
    *base, gamma_positive, terms = given
    one_k, k_n, tau_positive = base[:3]
    n_natural = natural(d, [one_k, k_n])
    summed = below(d, terms, n, n_natural, tau_positive)
    _up, down, e_large, q_small = q_range(d, gamma_positive, tau_positive)
    falling = geometric(d, -gamma / tau, n, n_natural, down)
    whole = d.polynomial(S, "<=", q_to(-1) * falling.rel.lhs, [summed])
    closed = q_to(-1) * falling.rel.rhs
    in_powers = d.substitute(whole, [falling], Rel(S, "<=", closed))
    same = d.identity(closed, SUM, [e_large, q_small])
    order = d.transitive(S, "<=", SUM, [in_powers, same])
    return finish(d, base, order, BOUND, _sum_facts(d, base, gamma_positive))


def _below(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, gamma_positive, tau_positive = given
    *_, q_small = q_range(d, gamma_positive, tau_positive)
    n_positive = d.polynomial(n, ">", 0, [one_n])
    power_small = powers_below_one(d, n, n_positive, gamma_positive, tau_positive)
    powers = [d.analysis(EXP_POSITIVE, {REAL_X: -gamma * e / tau}) for e in (1, n, n - 1)]
    return d.polynomial(BOUND, "<", Q, [q_small, power_small, *powers])


def at_rate(expr: sp.Expr, gamma_: sp.Expr, tau_: sp.Expr, n_: sp.Expr = n) -> sp.Expr:
    """An expression in n, gamma, tau at other values."""
    return expr.subs({gamma: gamma_, tau: tau_, n: n_}, simultaneous=True)


def _closed_sum(d: Derivation, gamma_: sp.Expr, tau_: sp.Expr, facts: Sequence[Step]) -> tuple[Step, Step]:
    """sum over j = 1..n of q**(j-1) = (1-q**n)/(1-q) at q = exp(-gamma_/tau_), and that this is positive."""
    one_n, n_natural, gamma_positive, tau_positive = facts
    down = d.polynomial(-gamma_ / tau_, "<", 0, [gamma_positive, tau_positive])
    falling = geometric(d, -gamma_ / tau_, n, n_natural, down)
    small = exp_increasing(d, down, strict=True)
    closed = at_rate(SUM, gamma_, tau_)
    powers = total(lambda j: sp.exp(-gamma_ * (j - 1) / tau_), n)
    shifted = d.identity(powers, sp.exp(gamma_ / tau_) * falling.rel.lhs)
    in_powers = d.substitute(shifted, [falling], Rel(powers, "=", sp.exp(gamma_ / tau_) * falling.rel.rhs))
    same = d.identity(sp.exp(gamma_ / tau_) * falling.rel.rhs, closed, [small])
    negative = d.polynomial(-gamma_ * n / tau_, "<", 0, [one_n, gamma_positive, tau_positive])
    below_one = exp_increasing(d, negative, strict=True)
    positive = d.polynomial(closed, ">", 0, [small, below_one])
    return d.transitive(powers, "=", closed, [in_powers, same]), positive


def _monotone(changed: str) -> Callable[[Derivation, Sequence[Step]], Step]:
    """B at the smaller rate q' is at most B at q, for q' = exp(-gamma2/tau) or q = exp(-gamma/tau2)."""
    low, high = ((gamma2, tau), (gamma, tau)) if changed == "gamma" else ((gamma, tau), (gamma, tau2))

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        one_n, gamma_positive, tau_positive, larger = given
        n_natural = d.polynomial(n, ">=", 0, [one_n])
        if changed == "gamma":
            also = d.polynomial(gamma2, ">", 0, [gamma_positive, larger])
            facts_low, facts_high = (also, tau_positive), (gamma_positive, tau_positive)
        else:
            also = d.polynomial(tau2, ">", 0, [tau_positive, larger])
            facts_low, facts_high = (gamma_positive, tau_positive), (gamma_positive, also)
        index, lower, upper = d.generic("i", sp.S.One, n)
        order = d.polynomial(
            -low[0] * (index - 1) / low[1], "<=", -high[0] * (index - 1) / high[1],
            [lower, larger, also, gamma_positive, tau_positive],
        )  # fmt: skip
        each = d.generalise(exp_increasing(d, order), lower, upper)
        summed = ordered_sum(d, "S.order", each, n, n_natural)
        low_sum, low_positive = _closed_sum(d, *low, [one_n, n_natural, *facts_low])
        high_sum, _ = _closed_sum(d, *high, [one_n, n_natural, *facts_high])
        closed = d.substitute(summed, [low_sum, high_sum], Rel(low_sum.rel.rhs, "<=", high_sum.rel.rhs))
        a_name, b_name = sp.symbols("Sa Sb", real=True)
        a_is, b_is = d.define(a_name, low_sum.rel.rhs), d.define(b_name, high_sum.rel.rhs)
        named = d.substitute(closed, [a_is, b_is], Rel(a_name, "<=", b_name))
        positive = d.substitute(low_positive, [a_is], Rel(a_name, ">", 0))
        result = d.polynomial(1 - 1 / a_name, "<=", 1 - 1 / b_name, [named, positive])
        full = d.substitute(result, [a_is, b_is], Rel(1 - 1 / a_is.rel.rhs, "<=", 1 - 1 / b_is.rel.rhs))
        ends: list[Step] = []
        for (gamma_, tau_), (g_positive, t_positive) in ((low, facts_low), (high, facts_high)):
            down = d.polynomial(-gamma_ / tau_, "<", 0, [g_positive, t_positive])
            negative = d.polynomial(-gamma_ * n / tau_, "<", 0, [one_n, g_positive, t_positive])
            facts = [exp_increasing(d, down, strict=True), exp_increasing(d, negative, strict=True)]
            sides = [at_rate(BOUND, gamma_, tau_), 1 - 1 / at_rate(SUM, gamma_, tau_)]
            first, second = sides if not ends else reversed(sides)
            ends.append(d.identity(first, second, facts))
        return d.transitive(ends[0].rel.lhs, "<=", ends[1].rel.rhs, [ends[0], full, ends[1]])

    return derive


def _increasing_n(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, gamma_positive, tau_positive, longer = given
    *_, q_small = q_range(d, gamma_positive, tau_positive)
    n_positive = d.polynomial(n, ">", 0, [one_n])
    n2_positive = d.polynomial(n2, ">", 0, [one_n, longer])
    small = powers_below_one(d, n, n_positive, gamma_positive, tau_positive)
    small2 = powers_below_one(d, n2, n2_positive, gamma_positive, tau_positive)
    order = d.polynomial(-gamma * n2 / tau, "<", -gamma * n / tau, [longer, gamma_positive, tau_positive])
    falls = exp_increasing(d, order, strict=True)
    # in y = q**n: B = (q - y)/(1 - y) falls as y grows
    q, y, y2 = sp.symbols("q y y2", real=True)
    names = [d.define(q, Q), d.define(y, q_to(n)), d.define(y2, q_to(n2))]
    facts = [
        d.substitute(q_small, names, Rel(q, "<", 1)),
        d.substitute(small, names, Rel(y, "<", 1)),
        d.substitute(small2, names, Rel(y2, "<", 1)),
        d.substitute(falls, names, Rel(y2, "<", y)),
    ]
    named = d.polynomial((q - y) / (1 - y), "<", (q - y2) / (1 - y2), facts)
    full = d.substitute(named, names, Rel((Q - q_to(n)) / (1 - q_to(n)), "<", (Q - q_to(n2)) / (1 - q_to(n2))))
    left = d.identity(BOUND, (Q - q_to(n)) / (1 - q_to(n)), [small])
    right = d.identity((Q - q_to(n2)) / (1 - q_to(n2)), at_rate(BOUND, gamma, tau, n2), [small2])
    return d.transitive(BOUND, "<", at_rate(BOUND, gamma, tau, n2), [left, full, right])


N_POSITIVE = Rel(1, "<=", n)
TAU = Rel(tau, ">", 0)
LEFT = Each(i, 1, n, Rel(top - s(i), ">=", gamma * (n - i)))
RIGHT = Each(i, 1, n, Rel(top - s(i), ">=", gamma * (i - 1)))
CLAIMS = (
    Claim("B1.arranged", "distances at least 1, ..., n-1 in the order before m, after m", (*BASE, *WITHIN),
          (GAMMA, BEFORE, AFTER), Rel(tv(p, h), "<=", BOUND), _arranged),
    Claim("B1.mirrored", "the mirror image", (*BASE, *WITHIN),
          (GAMMA, Each(i, 1, m - 1, Rel(top - s(i), ">=", gamma * (n - m + i))),
           Each(i, 1, n - m + 1, Rel(top - s(m - 1 + i), ">=", gamma * (i - 1)))),
          Rel(tv(p, h), "<=", BOUND), _mirrored),
    Claim("B1.left", "all positions on the left of the maximal one", BASE, (GAMMA, LEFT),
          Rel(tv(p, h), "<=", BOUND), _left("<=")),
    Claim("B1.right", "all positions on the right of the maximal one", BASE, (GAMMA, RIGHT),
          Rel(tv(p, h), "<=", BOUND), _right),
    Claim("B1.tight", "equality at exactly gamma per position", BASE,
          (GAMMA, Each(i, 1, n, Rel(top - s(i), "=", gamma * (n - i)))), Rel(tv(p, h), "=", BOUND), _left("=")),
    Claim("B1.increasing-n", "the bound increases in n", (N_POSITIVE, GAMMA, TAU), (Rel(n, "<", n2),),
          Rel(BOUND, "<", at_rate(BOUND, gamma, tau, n2)), _increasing_n),
    Claim("B1.decreasing-gamma", "the bound does not increase with gamma", (N_POSITIVE, GAMMA, TAU),
          (Rel(gamma, "<=", gamma2),), Rel(at_rate(BOUND, gamma2, tau), "<=", BOUND), _monotone("gamma")),
    Claim("B1.increasing-tau", "nor does it decrease with tau", (N_POSITIVE, GAMMA, TAU),
          (Rel(tau, "<=", tau2),), Rel(BOUND, "<=", at_rate(BOUND, gamma, tau2)), _monotone("tau")),
    Claim("B1.below", "below q for every n", (), (N_POSITIVE, GAMMA, TAU), Rel(BOUND, "<", Q), _below),
)  # fmt: skip

STATEMENT = Statement(
    id="B1",
    title="Linear growth, one side",
    section="B",
    kernel=True,
    summary="Scores that fall by gamma per position on one side: TV <= q(1-q^(n-1))/(1-q^n) < q for every n.",
    quantity="tv",
    direction="<=",
    claims=CLAIMS,
    main="B1.left",
    sharpness="equality for scores that fall by exactly gamma per position (B1.tight)",
    used_for="B5, B6 and the heads for Y, X, S and U: a fixed temperature serves every length",
    table=TableData(("n", "gamma", "tau"), {"n": 1, "gamma": -1, "tau": 1}, "TV"),
)
