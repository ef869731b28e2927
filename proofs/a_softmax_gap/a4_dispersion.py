"""A4, dispersion: scores of bounded spread cannot be hard.

Main statements, with spread <= delta, D = exp(-delta/tau)
    A4.distance     TV >= (n-k)D/(k+(n-k)D)
    A4.tight        all non-maximal scores exactly delta below: equality
    A4.maximum      every weight is at most 1/(1+(n-1)D)
    A4.temperature  k = 1, n >= 2, 0 < eps < 2 and L1 <= eps imply delta/tau >= log((n-1)(2-eps)/eps)
    A4.weight       every weight is at most exp(delta/tau)/n
    A4.one-symbol   changing the score and the value of one position moves the attention output by at most
                    (hi - lo) exp(delta/tau)/n, for values in lo..hi

References: M. Hahn, Theoretical limitations of self-attention in neural sequence models, TACL 2020 (O(1/n)).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import EXP_POSITIVE, LOG_EXP, LOG_INCREASING
from ..props import Each, Rel, total
from ..sequent import Step
from ..statement import Claim, Statement, TableData
from .a1_exact import z
from .a2_gap import DEFINITIONS, exp_increasing, name_q
from .a4_one_symbol import CLAIMS as ONE_SYMBOL
from .row import (
    N_POSITIVE,
    REAL_X,
    REAL_Y,
    SOFT,
    TAU,
    Z_PRIME,
    At,
    decay,
    delta,
    either,
    eps,
    everywhere,
    gamma,
    h,
    i,
    k,
    l1,
    mu,
    n,
    natural,
    p,
    s,
    sum_of,
    tau,
    top,
    tv,
)

D = sp.exp(-delta / tau)
d_ = sp.Symbol("D", real=True)
BOUND = (n - k) * D / (k + (n - k) * D)
SPREAD = Each(i, 1, n, Rel(top - s(i), "<=", delta))
BELOW_TOP = Each(i, 1, n, Rel(top - s(i), ">=", 0))
NONNEGATIVE = Rel(delta, ">=", 0)


def _z_at_least(d: Derivation, row: Sequence[Step], spread: Step) -> Step:
    """Z' >= (n - k) D."""
    one_k, k_n, tau_positive, boolean, count = row[:5]
    n_natural = natural(d, [one_k, k_n])

    def term(w: sp.Symbol, at: At) -> Step:
        near = at(spread)

        def case(value: Step, is_one: bool) -> Step:
            goal = Rel((1 - mu(w)) * D, "<=", (1 - mu(w)) * decay(w))
            if is_one:
                return d.polynomial(goal.lhs, "<=", goal.rhs, [value])
            order = d.polynomial(-delta / tau, "<=", -(top - s(w)) / tau, [near, tau_positive])
            return d.polynomial(goal.lhs, "<=", goal.rhs, [exp_increasing(d, order), value])

        return either(d, at(boolean), case)

    summed = sum_of(d, "S.order", everywhere(d, term), n_natural)
    return d.polynomial(Z_PRIME, ">=", (n - k) * D, [summed, count, n_natural])


def _distance(d: Derivation, given: Sequence[Step]) -> Step:
    *row, spread = given
    one_k, k_n = row[:2]
    exact = d.cite("A1.exact", {}, row)
    z_order = _z_at_least(d, row, spread)
    meaning = d.define(z, Z_PRIME)
    d_is, d_positive = name_q(d, D, d_)
    named = d.substitute(z_order, [meaning, d_is], Rel(z, ">=", (n - k) * d_))
    using = [named, d_positive, one_k, k_n]
    grown = d.polynomial(z / (k + z), ">=", (n - k) * d_ / (k + (n - k) * d_), using, "z/(k + z) increases in z")
    return d.substitute(grown, [meaning, d_is, exact], Rel(tv(p, h), ">=", BOUND))


def _maximum(d: Derivation, given: Sequence[Step]) -> Step:
    *row, spread, delta_nonnegative = given
    one_k, k_n, tau_positive, boolean, _count, on_top, _soft, below, _hard = row
    weights = d.cite("A1.weights", {}, row[:7])
    z_order = _z_at_least(d, row, spread)
    meaning = d.define(z, Z_PRIME)
    d_is, d_positive = name_q(d, D, d_)
    named = d.substitute(z_order, [meaning, d_is], Rel(z, ">=", (n - k) * d_))
    exponent = d.polynomial(-delta / tau, "<=", 0, [delta_nonnegative, tau_positive])
    at_most_one = d.substitute(exp_increasing(d, exponent), [d_is], Rel(d_, "<=", 1))
    named_weights = d.substitute(weights, [meaning], Each(i, 1, n, Rel(p(i), "=", decay(i) / (k + z))))
    bound = 1 / (1 + (n - 1) * d_)

    def term(w: sp.Symbol, at: At) -> Step:
        maximal, strictly = at(on_top), at(below)
        not_above = either(d, at(boolean), lambda value, _: d.polynomial(s(w), "<=", top, [value, maximal, strictly]))
        order = d.polynomial(-(top - s(w)) / tau, "<=", 0, [not_above, tau_positive])
        at_most = exp_increasing(d, order)
        using = [at(named_weights), at_most, named, at_most_one, d_positive, one_k, k_n]
        room = d.polynomial(k + z, ">=", 1 + (n - 1) * d_, using[2:])
        room_positive = d.polynomial(1 + (n - 1) * d_, ">", 0, [d_positive, one_k, k_n])
        smaller = d.polynomial(1 / (k + z), "<=", bound, [room, room_positive])
        z_room = d.polynomial(k + z, ">", 0, [room, room_positive])
        share = d.polynomial(p(w), "<=", 1 / (k + z), [at(named_weights), at_most, z_room])
        result = d.transitive(p(w), "<=", bound, [share, smaller])
        return d.substitute(result, [d_is], Rel(p(w), "<=", 1 / (1 + (n - 1) * D)))

    return everywhere(d, term)


def _temperature(d: Derivation, given: Sequence[Step]) -> Step:
    *row, spread, tieless, two, eps_positive, eps_below, accurate = given
    distance = d.cite("A4.distance", {}, [*row, spread])
    d_is, d_positive = name_q(d, D, d_)
    in_d = d.substitute(distance, [d_is, tieless], Rel(tv(p, h), ">=", (n - 1) * d_ / (1 + (n - 1) * d_)))
    small = d.polynomial((n - 1) * d_ / (1 + (n - 1) * d_), "<=", eps / 2, [in_d, accurate, two, d_positive])
    ratio = (n - 1) * (2 - eps) / eps
    order = d.polynomial(ratio, "<=", 1 / d_, [small, d_positive, two, eps_positive, eps_below])
    below = d.substitute(order, [d_is], Rel(ratio, "<=", sp.exp(delta / tau)))
    ratio_positive = d.polynomial(ratio, ">", 0, [two, eps_positive, eps_below])
    power = sp.exp(delta / tau)
    logs = d.analysis(LOG_INCREASING, {REAL_X: ratio, REAL_Y: power}, [ratio_positive, below])
    log_power = d.analysis(LOG_EXP, {REAL_X: delta / tau, REAL_Y: power}, [d.identity(power, power)])
    return d.substitute(logs, [log_power], Rel(delta / tau, ">=", sp.log(ratio)))


def _tight(d: Derivation, given: Sequence[Step]) -> Step:
    return d.cite("A2.equality", {gamma: delta}, given)


def _weight(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, below_top, spread = given
    n_natural = natural(d, [one_n])
    low = sp.exp((top - delta) / tau)
    low_positive = d.analysis(EXP_POSITIVE, {REAL_X: (top - delta) / tau})

    def floor(w: sp.Symbol, at: At) -> Step:
        order = d.polynomial((top - delta) / tau, "<=", s(w) / tau, [at(spread), tau_positive])
        return exp_increasing(d, order)

    normaliser = total(lambda j: sp.exp(s(j) / tau), n)
    summed = sum_of(d, "S.order", everywhere(d, floor), n_natural)
    y, low_name = sp.symbols("W low", real=True)
    w_is, low_is = d.define(y, normaliser), d.define(low_name, low)
    at_least = d.polynomial(normaliser, ">=", n * low, [summed, n_natural], "each of n terms is at least the least")
    w_order = d.substitute(at_least, [w_is, low_is], Rel(y, ">=", n * low_name))
    w_low = d.substitute(low_positive, [low_is], Rel(low_name, ">", 0))
    top_name = sp.Symbol("high", real=True)
    high_is = d.define(top_name, sp.exp(top / tau))

    def term(w: sp.Symbol, at: At) -> Step:
        order = d.polynomial(s(w) / tau, "<=", top / tau, [at(below_top), tau_positive])
        at_most = d.substitute(exp_increasing(d, order), [high_is], Rel(sp.exp(s(w) / tau), "<=", top_name))
        by_definition = d.substitute(at(soft), [w_is], Rel(p(w), "=", sp.exp(s(w) / tau) / y))
        w_positive = d.polynomial(y, ">", 0, [w_order, w_low, one_n])
        first = d.polynomial(p(w), "<=", top_name / y, [by_definition, at_most, w_positive])
        high_positive = d.substitute(d.analysis(EXP_POSITIVE, {REAL_X: top / tau}), [high_is], Rel(top_name, ">", 0))
        second = d.polynomial(top_name / y, "<=", top_name / (n * low_name), [w_order, w_low, one_n, high_positive])
        both = d.transitive(p(w), "<=", top_name / (n * low_name), [first, second])
        quotient = d.identity(sp.exp(top / tau) / (n * low), sp.exp(delta / tau) / n, [one_n])
        full = d.substitute(both, [high_is, low_is], Rel(p(w), "<=", sp.exp(top / tau) / (n * low)))
        return d.polynomial(p(w), "<=", sp.exp(delta / tau) / n, [full, quotient, one_n])

    return everywhere(d, term)


CLAIMS = (
    Claim(
        "A4.distance",
        "bounded spread keeps the distance up",
        DEFINITIONS,
        (SPREAD,),
        Rel(tv(p, h), ">=", BOUND),
        _distance,
    ),
    Claim(
        "A4.tight",
        "equality if all others are delta below",
        DEFINITIONS,
        (Each(i, 1, n, Rel((1 - mu(i)) * (top - s(i) - delta), "=", 0)),),
        Rel(tv(p, h), "=", BOUND),
        _tight,
    ),
    Claim(
        "A4.maximum",
        "no weight is near 1",
        DEFINITIONS,
        (SPREAD, NONNEGATIVE),
        Each(i, 1, n, Rel(p(i), "<=", 1 / (1 + (n - 1) * D))),
        _maximum,
    ),
    Claim(
        "A4.temperature",
        "a tieless head with error eps needs a low temperature or a large spread",
        DEFINITIONS,
        (
            SPREAD,
            Rel(k, "=", 1),
            Rel(2, "<=", n),
            Rel(eps, ">", 0),
            Rel(eps, "<", 2),
            Rel(l1(p, h), "<=", eps),
        ),
        Rel(delta / tau, ">=", sp.log((n - 1) * (2 - eps) / eps)),
        _temperature,
    ),
    Claim(
        "A4.weight",
        "every weight is O(1/n)",
        (N_POSITIVE, TAU, SOFT),
        (BELOW_TOP, SPREAD),
        Each(i, 1, n, Rel(p(i), "<=", sp.exp(delta / tau) / n)),
        _weight,
    ),
)

STATEMENT = Statement(
    id="A4",
    title="Dispersion (converse)",
    section="A",
    kernel=True,
    summary="With spread <= delta, TV >= (n-k)D/(k+(n-k)D), D = exp(-delta/tau); weights are <= exp(delta/tau)/n.",
    quantity="tv",
    direction=">=",
    claims=(*CLAIMS, *ONE_SYMBOL),
    main="A4.distance",
    sharpness="equality for every row whose non-maximal scores all lie exactly delta below the maximum (A4.tight)",
    used_for="C2, C3: bounded scores at a fixed temperature cannot simulate hard attention as n grows",
    table=TableData(("n", "k", "delta", "tau"), {"n": 1, "k": -1, "delta": -1, "tau": 1}, "TV"),
)
