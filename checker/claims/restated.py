"""Hypotheses restated in the ratios of scores to tau, and what they say of the logarithms that were named."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from checker.claims.attempts import free
from checker.claims.expression import tau
from checker.claims.naming import Names
from checker.claims.settled import INVERSE_TAU, RATIO, RATIOS, Settled, inverse_tau, plain, ratios
from proofs.derivation import Derivation
from proofs.facts import EXP_LOG, LOG_INCREASING, LOG_POSITIVE, X, Y
from proofs.props import ProofError, Rel
from proofs.sequent import Step


def in_ratios(
    d: Derivation, names: Names, hypotheses: Sequence[Step], goal: Rel, deadline: float, effort: int
) -> Settled:
    """Define the ratios and restate each hypothesis in them."""
    state = Settled(d, [], deadline, effort=effort, names=names)
    everything = [goal.lhs, goal.rhs, *[side for step in hypotheses for side in (step.rel.lhs, step.rel.rhs)]]
    positive = next((step for step in hypotheses if step.rel == Rel(tau, ">", 0)), None)
    used = set().union(*[expr.free_symbols for expr in everything])
    if positive is None or tau not in used:
        state.facts = list(hypotheses)
        return state
    scale_free = not any(ratios(side).has(tau) for side in (goal.lhs, goal.rhs)) and used & set(RATIOS)
    if not scale_free:
        if used & set(RATIOS):
            state.facts = list(hypotheses)
            return state
        step = d.define(INVERSE_TAU, 1 / tau)
        state.meanings = {INVERSE_TAU: step}
        positive_ratio = d.polynomial(INVERSE_TAU, ">", 0, [step, positive])
        state.facts = [positive_ratio]
        for step in sorted(hypotheses, key=lambda step: tau in free(step.rel)):
            _restate(state, step, inverse_tau, positive)
        return state
    for symbol, ratio in RATIOS.items():
        if symbol in used:
            state.meanings[ratio] = d.define(ratio, symbol / tau)
    for step in sorted(hypotheses, key=lambda step: bool(free(step.rel) & {tau, *RATIOS})):
        _restate(state, step, ratios, positive)
    return state


def _restate(state: Settled, step: Step, change: object, positive: Step) -> None:
    """Add the hypothesis in ratios (divided by tau where it is in units of score); leave it out if that fails."""
    rel, d = step.rel, state.d
    assert callable(change)
    sides = [change(side) for side in (rel.lhs, rel.rhs)]
    if not (rel.lhs.free_symbols | rel.rhs.free_symbols) & {tau, *RATIOS}:
        state.facts.append(step)
        return
    try:
        if not any(side.has(tau, 1 / INVERSE_TAU) for side in sides):
            state.facts.append(d.substitute(step, list(state.meanings.values()), Rel(sides[0], rel.op, sides[1])))
            return
        over = [sp.expand(change(side / tau)) for side in (rel.lhs, rel.rhs)]
        if any(side.has(tau, 1 / INVERSE_TAU) for side in over):
            return
        halves = [sp.expand(side / tau) for side in (rel.lhs, rel.rhs)]
        divided = state.attempt(Rel(halves[0], rel.op, halves[1]), [step, positive])
        if divided is None:  # a denominator has to be positive
            counts = [known for known in state.facts if not free(known.rel) & {tau, *RATIO, INVERSE_TAU}]
            divided = state.attempt(Rel(halves[0], rel.op, halves[1]), [step, positive, *counts])
        if divided is None or rel == Rel(tau, ">", 0):
            return
        state.facts.append(d.substitute(divided, list(state.meanings.values()), Rel(over[0], rel.op, over[1])))
    except ProofError:
        return


def logarithms(state: Settled) -> None:
    """exp(u) = X, and u > 0 where X > 1 is provable, for every name u of log X."""
    for name, argument in state.names.logs:
        meaning = next((s for s in state.facts if s.rel.lhs == name and s.rel.rhs == sp.log(argument)), None)
        if meaning is None:
            continue
        known = plain(state)
        positive = state.attempt(Rel(argument, ">", 0), known)
        if positive is None:
            continue
        state.exps.append(state.d.analysis(EXP_LOG, {X: argument, Y: name}, [positive, meaning]))
        one = state.attempt(Rel(1, "<=", argument), known)
        if one is None:
            continue
        # log 1 = 0 <= log X for X >= 1
        logged = state.d.analysis(LOG_INCREASING, {X: sp.S.One, Y: argument}, [one])
        state.facts.append(state.d.polynomial(name, ">=", 0, [logged, meaning]))
        above = state.attempt(Rel(argument, ">", 1), known)
        if above is not None:
            logged = state.d.analysis(LOG_POSITIVE, {X: argument}, [above])
            state.facts.append(state.d.substitute(logged, [], Rel(sp.log(argument), ">", 0)))
            state.facts.append(state.d.polynomial(name, ">", 0, [state.facts[-1], meaning]))
