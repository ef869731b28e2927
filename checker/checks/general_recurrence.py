"""Checks of E2 and E5 about all layers: the recurrence run layer by layer, against its closed forms and temperatures.

The error after L layers is the recurrence written down here anew (`step`), applied L times from 0; nothing of the
stated bounds enters it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any

import sympy as sp

from checker.decide import Expression, decide
from checker.env import Env
from checker.verdict import Verdict
from proofs.a_softmax_gap.row import tau as tau_
from proofs.e_general import e2_recurrence
from proofs.props import Each

from .claims import StatedClaim, at_values
from .grids import Plan
from .item import Item, Items, Mode, at

Numbers = Mapping[str, Fraction]
F = Fraction
GRID: tuple[dict[str, Fraction], ...] = tuple(
    {"n": F(n), "K": k, "H": F(1), "vmap": F(1, 4), "w": F(1, 2), "B": F(b), "gamma": gamma}
    for n, k, b, gamma in itertools.product((2, 50, 10**6), (F(1), F(3, 2)), (1, 2), (F(1), F(1, 8)))
)
NEARLY = F(10**9 - 1, 10**9)
THETA = F(1, 2)


def constants(numbers: Numbers) -> dict[str, Fraction]:
    """A0, D0 and c0 from their definitions."""
    product = numbers["K"] * numbers["H"] * numbers["vmap"]
    return {
        **numbers, "A0": numbers["K"] + product, "D0": 3 * product * numbers["w"] * numbers["B"] ** 2,
        "c0": 2 * product * numbers["B"],
    }  # fmt: skip


def step(error: Any, tieless: bool) -> Any:
    """One layer: K (d + H v (d + B rho)), d the error before it, over symbols with the names of the numbers above."""
    n, lipschitz, heads, vmap, w, bound, gamma, tau = sp.symbols("n K H vmap w B gamma tau")
    eta = w * (2 * bound * error + error**2)
    q = sp.exp(-(gamma - 2 * eta) / tau) if tieless else sp.exp(-gamma / tau)
    rho = 2 * (n - 1) * q / (1 + (n - 1) * q)
    if not tieless:
        rho += 2 * sp.tanh(eta / (2 * tau))
    return lipschitz * (error + heads * vmap * (error + bound * rho))


@lru_cache(maxsize=64)
def _error(tieless: bool, layers: int) -> Any:
    """The error after some layers, from the recurrence."""
    error: Any = sp.S.Zero
    for _ in range(layers):
        error = step(error, tieless)
    return error


def with_rate(expr: Any, layers: int, rate: Fraction) -> Any:
    """The expression with L layers and exp(P) = rate, which is the least rate admitted."""
    exact = sp.Rational(rate.numerator, rate.denominator)
    length = next((s for s in expr.free_symbols if s.name == "L"), e2_recurrence.L)
    factors = {e2_recurrence.P: sp.log(exact), length: sp.Integer(layers)}
    return expr.subs(length, layers).subs(factors)


def evaluated(expr: Any, numbers: Numbers) -> Expression:
    """An expression at exact values."""
    return Expression(expr, Env({s.name: numbers[s.name] for s in expr.free_symbols}))


def approximately(side: Expression) -> Fraction:
    """A rational number close to the value."""
    low, high = (F(*_fraction(end)) for end in (side.mp(200).lo, side.mp(200).hi))
    return (low + high) / 2


def _fraction(end: Any) -> tuple[int, int]:
    sign, mantissa, exponent, _ = end
    signed = -int(mantissa) if sign else int(mantissa)
    return (signed * 2**exponent, 1) if exponent >= 0 else (signed, 2**-exponent)


def _runs(tieless: bool) -> Iterator[tuple[dict[str, Fraction], int, Fraction]]:
    """(numbers with tau, L, rate)."""
    for numbers, layers, part in itertools.product(GRID, (1, 2, 3), (F(1, 30), F(1, 60))):
        full = constants({**numbers, "tau": numbers["gamma"] * part, "theta": THETA})
        rate = full["A0"] if tieless else full["A0"] + full["D0"] / full["tau"]
        full["M"] = min(full["B"], THETA * full["gamma"] / (6 * full["w"] * full["B"]))
        yield full, layers, rate


def _case(numbers: Numbers, layers: int) -> tuple[tuple[str, object], ...]:
    names = ("n", "K", "vmap", "w", "B", "gamma", "tau", "mu", "M")
    return at(L=layers, **{name: numbers[name] for name in names if name in numbers})


def linear(claim: StatedClaim, plan: Plan) -> Items:
    """E2.linear, E5.linear: the recurrence once, from errors up to the largest admitted."""
    del plan
    tieless = claim.name.startswith("E5")
    for numbers, layers, _ in _runs(tieless):
        if layers > 1:
            continue
        largest = numbers["M"] if tieless else numbers["B"]
        for part in (F(0), F(1, 100), F(1, 2), F(1)):
            here = {**numbers, "delta": part * largest}
            bound = at_values(claim.bound, tuple((s.name, here[s.name]) for s in claim.bound.free_symbols))
            witness = (*_case(numbers, 1), ("delta", part * largest))
            error = step(sp.Symbol("delta"), tieless)
            yield Item("one layer", evaluated(error, here), claim.op, bound, Mode.EITHER, witness)


def iterated(claim: StatedClaim, plan: Plan) -> Items:
    """E2.iterate, E2.geometric, E5.iterate: wherever the stated bound is within the cap."""
    del plan
    tieless = claim.name.startswith("E5")
    for numbers, layers, rate in _runs(tieless):
        if claim.name == "E2.geometric" and rate <= 1:
            continue
        bound = evaluated(with_rate(claim.bound, layers, rate), numbers)
        if decide(bound, "<=", numbers["M"] if tieless else numbers["B"]).verdict is Verdict.HOLDS:
            error = evaluated(_error(tieless, layers), numbers)
            yield Item("run", error, claim.op, bound, Mode.EITHER, _case(numbers, layers))


def _condition(claim: StatedClaim) -> Any:
    """The left-hand side of the last hypothesis, ... <= mu."""
    last = claim.claim.hypotheses[-1]
    assert not isinstance(last, Each)
    return last.lhs


def sufficient(claim: StatedClaim, plan: Plan) -> Items:
    """E2.sufficient, E5.sufficient: the margin just above what the stated condition asks for."""
    del plan
    tieless = claim.name.startswith("E5")
    name = "M" if tieless else "mu"
    for numbers, layers, rate in _runs(tieless):
        asked = approximately(evaluated(with_rate(_condition(claim), layers, rate), numbers)) / NEARLY
        largest = numbers["M"] if tieless else numbers["B"]
        if 0 < asked <= largest:
            here = {**numbers, name: asked}
            error, margin = evaluated(_error(tieless, layers), here), evaluated(claim.bound, here)
            yield Item("run", error, claim.op, margin, Mode.DECIDED, _case(here, layers))


# -- temperatures --------------------------------------------------------------------------------------------------


def _targets(tieless: bool) -> Iterator[tuple[dict[str, Fraction], int]]:
    """(numbers without a temperature, L)."""
    for numbers, layers, part in itertools.product(GRID, (2, 3), (F(1), F(1, 1000))):
        full = constants({**numbers, "theta": THETA, "L": F(layers)})
        room = min(full["B"], THETA * full["gamma"] / (6 * full["w"] * full["B"])) if tieless else full["B"]
        full["M" if tieless else "mu"] = part * room
        yield full, layers


def _inverse(claim: StatedClaim, numbers: Numbers) -> Fraction:
    """tau a little below 1/x, for the hypothesis 1/tau >= x (or = x)."""
    last = [prop for prop in claim.claim.hypotheses if not isinstance(prop, Each) and prop.lhs == 1 / tau_][-1]
    return NEARLY / approximately(evaluated(last.rhs, numbers))


def _lambert(claim: StatedClaim, numbers: Numbers) -> Fraction | None:
    """The solution z >= 1 of the stated equation z exp(-z) = b, a little above; None if there is none."""
    stated = next(p for p in claim.claim.hypotheses if not isinstance(p, Each) and p.lhs.has(sp.exp) and p.op == "=")
    ell = next(p.rhs for p in claim.claim.hypotheses if not isinstance(p, Each) and getattr(p.lhs, "name", "") == "ell")
    value = evaluated(stated.rhs, {**numbers, "ell": approximately(evaluated(ell, numbers))})
    b = approximately(value)
    z = sp.Symbol("z")
    if decide(Expression(z * sp.exp(-z), Env({"z": F(1)})), "<=", b).verdict is Verdict.HOLDS:
        return None
    low, high = F(1), F(2)
    while approximately(Expression(z * sp.exp(-z), Env({"z": high}))) > b:
        high *= 2
    for _ in range(100):
        middle = F(ceil((low + high) / 2 * 2**120), 2**120)
        if approximately(Expression(z * sp.exp(-z), Env({"z": middle}))) > b:
            low = middle
        else:
            high = middle
    return high


def closed_form(claim: StatedClaim, plan: Plan) -> Items:
    """E2.lambert, E2.lambert-needed, E2.order: the inequality there (needed: its converse just above)."""
    del plan
    for numbers, layers in _targets(tieless=False):
        here = dict(numbers)
        if "lambert" in claim.name:
            z = _lambert(claim, here)
            if z is None:
                continue
            here["z"] = z
        tau = _inverse(claim, here)
        if tau <= 0:
            continue
        # needed: a little above the temperature, and not so far that z exp(-z) rises
        temperature = tau / NEARLY**3 if claim.op == ">=" else tau
        at_tau = {**here, "tau": temperature}
        rate = here["A0"] + here["D0"] / temperature
        if claim.op == ">=" and here["gamma"] * rate < here["D0"] * (layers - 1):
            continue
        asked = evaluated(with_rate(claim.left, layers, rate), at_tau)
        yield Item("closed form", asked, claim.op, evaluated(claim.bound, at_tau), Mode.DECIDED, _case(at_tau, layers))


def any_temperature(claim: StatedClaim, plan: Plan) -> Items:
    """E2.always: margins for which there is no condition, at many temperatures."""
    del plan
    stated = next(p for p in claim.claim.hypotheses if not isinstance(p, Each) and p.lhs.has(sp.E, sp.exp))
    ell = next(p.rhs for p in claim.claim.hypotheses if not isinstance(p, Each) and getattr(p.lhs, "name", "") == "ell")
    for numbers, layers in _targets(tieless=False):
        for raised in (1, 10**3, 10**8):
            here = {**numbers, "mu": numbers["mu"] * raised, "gamma": numbers["gamma"] * 10}
            ell_value = approximately(evaluated(ell, here))
            limit = evaluated(stated.rhs, {**here, "ell": ell_value})
            if decide(evaluated(stated.lhs, here), "<=", limit).verdict is not Verdict.HOLDS:
                continue
            for tau in (F(1, 100), F(1), F(7), F(1000)):
                at_tau = {**here, "tau": tau}
                asked = evaluated(with_rate(claim.left, layers, here["A0"] + here["D0"] / tau), at_tau)
                yield Item("every temperature", asked, claim.op, evaluated(claim.bound, at_tau), Mode.DECIDED,
                           _case(at_tau, layers))  # fmt: skip


def run_at_temperature(claim: StatedClaim, plan: Plan) -> Items:
    """E2.temperature, E5.temperature: the recurrence run at the stated temperature stays below the margin."""
    del plan
    tieless = claim.name.startswith("E5")
    for numbers, layers in _targets(tieless):
        tau = _product_form(claim, numbers) if tieless else _inverse(claim, numbers)
        if tau <= 0:
            continue
        here = {**numbers, "tau": tau}
        error = evaluated(_error(tieless, layers), here)
        yield Item("run", error, claim.op, evaluated(claim.bound, here), Mode.DECIDED, _case(here, layers))


def _product_form(claim: StatedClaim, numbers: Numbers) -> Fraction:
    """tau a little below g/f, for the hypothesis tau * f <= g; 0 unless f > 0."""
    last = claim.claim.hypotheses[-1]
    assert not isinstance(last, Each)
    tau = next(s for s in last.lhs.free_symbols if s.name == "tau")
    factor = evaluated(last.lhs / tau, numbers)
    if decide(factor, ">", F(0)).verdict is not Verdict.HOLDS:
        return F(0)
    return NEARLY * approximately(evaluated(last.rhs, numbers)) / approximately(factor)


def one_layer(claim: StatedClaim, plan: Plan) -> Items:
    """E2.one-layer: the inequality at the stated temperature, which it attains, and a little below."""
    del plan
    for numbers, _ in _targets(tieless=False):
        tau = _product_form(claim, numbers)
        for temperature in (tau, tau / 2) if tau > 0 else ():
            here = {**numbers, "tau": temperature}
            yield Item("closed form", evaluated(claim.left, here), claim.op, evaluated(claim.bound, here), Mode.DECIDED,
                       _case(here, 1))  # fmt: skip


def tangent(claim: StatedClaim, plan: Plan) -> Items:
    """E2.line: the exponential and its tangent."""
    del plan
    for x in (F(-40), F(-1), F(-1, 10**6), F(0), F(1, 10**6), F(1, 2), F(1), F(30)):
        here = {"x": x}
        yield Item("line", evaluated(claim.left, here), claim.op, evaluated(claim.bound, here), Mode.EITHER, at(x=x))
