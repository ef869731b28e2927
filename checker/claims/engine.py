"""Inequalities between terms in the parameters, proved for all values of the parameters by a checked derivation.

`settle` works inside a derivation whose steps give the ranges of the parameters. It replaces gamma, delta and eta by
their ratios to tau, turns hypotheses linear in those ratios and in logarithms into relations between exponentials
(exp is increasing, exp(log x) = x), adds bounds by Taylor polynomials where a ratio also occurs outside exp, and leaves
the rest, rational in named atoms, to the rule `polynomial` (coefficient certificate or Z3). Every line it adds is a
step that the derivation's own rules accept; where none of the attempts is accepted it raises ProofError.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from checker.claims import taylor
from checker.claims.attempts import free
from checker.claims.exponentials import exponentials
from checker.claims.expression import tau
from checker.claims.naming import Names
from checker.claims.restated import in_ratios, logarithms
from checker.claims.settled import INVERSE_TAU, RATIO, Settled, plain, signs, state_expr
from proofs.derivation import Derivation
from proofs.props import ProofError, Rel
from proofs.sequent import Step


def settle(
    d: Derivation,
    names: Names,
    hypotheses: Sequence[Step],
    goal: Rel,
    deadline: float,
    effort: int = 3000,
) -> Step:
    """Prove `goal` from the hypotheses, which are steps of the derivation.

    Raises ProofError when no attempt is accepted, OutOfTimeError at the deadline.
    """
    if not goal.lhs.has(sp.exp, sp.tanh) and not goal.rhs.has(sp.exp, sp.tanh):
        unchanged = Settled(d, list(hypotheses), deadline, effort=effort, names=names)
        direct = unchanged.attempt(goal, plain(unchanged), 1000)
        if direct is not None:
            return direct
    state = in_ratios(d, names, hypotheses, goal, deadline, effort)
    logarithms(state)
    target = Rel(state_expr(goal.lhs, state), goal.op, state_expr(goal.rhs, state))
    exponentials(state, target)
    proved = _attempts(state, target)
    if proved is None:
        raise ProofError(f"not proved: {goal}")
    if not state.meanings:
        return proved
    try:
        return d.substitute(proved, list(state.meanings.values()), goal)
    except ProofError:
        using = [proved, *state.meanings.values(), *[step for step in hypotheses if step.rel == Rel(tau, ">", 0)]]
        last = state.attempt(goal, using)
        if last is None:
            raise
        return last


def _attempts(state: Settled, target: Rel) -> Step | None:
    """The goal, from fewer facts first."""
    seen: list[set[Step]] = []
    for using in _selections(state, target):
        if set(using) in seen:
            continue
        seen.append(set(using))
        proved = state.attempt(target, using)
        if proved is not None:
            return proved
    return None


def _selections(state: Settled, target: Rel) -> Iterator[list[Step]]:
    names = free(target)
    ratios_here = RATIO | {INVERSE_TAU}
    outside = _outside(target) & (ratios_here | {name for name, _ in state.names.logs})
    exps = state.exps
    near = [step for step in plain(state) if free(step.rel) <= names]
    if not outside:
        # the ratios themselves are of no use: exponentials carry them
        yield [*[step for step in near if not free(step.rel) & ratios_here], *exps]
    yield [*near, *exps]
    yield [*state.facts, *exps]
    everywhere: set[sp.Symbol] = set().union(*[free(step.rel) for step in state.facts]) & ratios_here
    for symbols, degree in ((outside, 1), (outside, 2), (outside, 3), (everywhere, 1), (everywhere, 2), (outside, 7)):
        bounds = _taylor(state, symbols, degree)
        if bounds:
            yield [*near, *exps, *bounds]
            yield [*state.facts, *exps, *bounds]


def _outside(target: Rel) -> set[sp.Symbol]:
    """The symbols that occur outside exponentials."""
    hidden = {node: sp.Dummy() for side in (target.lhs, target.rhs) for node in side.atoms(sp.exp, sp.tanh)}
    return set((target.lhs.xreplace(hidden) - target.rhs.xreplace(hidden)).free_symbols)


def _taylor(state: Settled, symbols: set[sp.Symbol], degree: int) -> list[Step]:
    """Taylor bounds of exp(x) and exp(-x) for the ratios x >= 0 that occur outside exponentials."""
    made = []
    for symbol in sorted(symbols, key=str):
        shown = next((s for s in signs(state) if s.rel.lhs == symbol and s.rel.op in (">", ">=")), None)
        at_least = state.attempt(Rel(symbol, ">=", 0), [shown]) if shown else None
        if at_least is not None:
            made += taylor.bounds(state.d, symbol, at_least, degree)
    return made
