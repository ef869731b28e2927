"""Inequalities that Z3 does not decide, proved by reductions and branch and bound, as steps of a derivation.

Each reduction is made of steps that the rules of derivations accept:

* here: variables fixed by the assumptions are replaced by numbers, gamma, delta and eta by their ratios to tau where
  tau cancels, and names of quotients by the quotients;
* checker/claims/reductions.py: order of exponents, k = 1 as the worst case, a compound variable, compact boxes;
* checker/claims/counts.py: polynomials in counts are nonnegative if their coefficients are; small n one by one;
* checker/claims/tails.py: one real variable on [c, infinity).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from checker.claims.alarm import OutOfTimeError
from checker.claims.attempts import Attempts, end_of, free, orders, propagate
from checker.claims.expression import tau
from checker.claims.reductions import solve
from checker.claims.settled import RATIOS, ratios
from proofs.derivation import Derivation
from proofs.props import ProofError, Rel
from proofs.sequent import Step


def settle(d: Derivation, hypotheses: Sequence[Step], goal: Rel, deadline: float) -> Step:
    """Prove `goal` from the hypotheses, which are steps of the derivation; ProofError says what was tried."""
    work = Attempts(d, list(hypotheses), deadline)
    try:
        fixed, target = _fixed(work, goal)
        meanings, target = _ratios(work, target)
        propagate(work)
        unquoted = target
        quotients, target = _quotients(work, target)
        proved = solve(work, target)
        if proved is None:
            raise ProofError(f"not proved: {goal}" + _tried(work))
        proved = work.d.substitute(proved, quotients, unquoted) if quotients else proved
        equations = [*meanings, *fixed]
        try:
            return d.substitute(proved, equations, goal) if equations else proved
        except ProofError:
            last = work.attempt(goal, [proved, *equations, *hypotheses], 5000)
            if last is None:
                raise
            return last
    except OutOfTimeError:
        raise ProofError("out of time" + _tried(work)) from None


def _tried(work: Attempts) -> str:
    """The last reasons why attempts failed."""
    return "".join(f"; {why}" for why in list(dict.fromkeys(work.tried))[-3:])


def _fixed(work: Attempts, goal: Rel) -> tuple[list[Step], Rel]:
    """Variables equal to numbers, replaced in the goal and in the facts."""
    fixed: dict[sp.Symbol, Step] = {}
    for step in work.facts:
        for symbol in step.rel.lhs.free_symbols | step.rel.rhs.free_symbols:
            end = end_of(step.rel, symbol)
            if end is not None and end[0] == "=" and symbol not in fixed:
                same = step if step.rel.lhs == symbol else work.attempt(Rel(symbol, "=", end[1]), [step])
                if same is not None:
                    fixed[symbol] = same
    if not fixed:
        return [], goal
    values = {symbol: step.rel.rhs for symbol, step in fixed.items()}
    facts = []
    for step in work.facts:
        rel = Rel(step.rel.lhs.xreplace(values), step.rel.op, step.rel.rhs.xreplace(values))
        if rel == step.rel:
            facts.append(step)
        elif (rel.lhs - rel.rhs).free_symbols:
            try:
                facts.append(work.d.substitute(step, [], step.rel) if rel == step.rel else _put(work, step, fixed, rel))
            except ProofError:
                continue
    work.facts = [*facts, *fixed.values()]
    return list(fixed.values()), Rel(goal.lhs.xreplace(values), goal.op, goal.rhs.xreplace(values))


def _put(work: Attempts, step: Step, fixed: dict[sp.Symbol, Step], rel: Rel) -> Step:
    return work.d.substitute(step, list(fixed.values()), rel)


def _ratios(work: Attempts, goal: Rel) -> tuple[list[Step], Rel]:
    """Ratios to tau where tau cancels in the goal; facts that can be restated are, the others are kept as they are."""
    positive = next((step for step in work.facts if step.rel == Rel(tau, ">", 0)), None)
    sides = [ratios(side) for side in (goal.lhs, goal.rhs)]
    used = (goal.lhs.free_symbols | goal.rhs.free_symbols) & set(RATIOS)
    named = {s for step in work.facts for s in (step.rel.lhs.free_symbols | step.rel.rhs.free_symbols)} & set(RATIOS)
    if positive is None or any(side.has(tau) for side in sides) or not used | named:
        return [], goal
    meanings = [work.d.define(RATIOS[symbol], symbol / tau) for symbol in RATIOS if symbol in used | named]
    facts: list[Step] = []
    for step in work.facts:
        if not (step.rel.lhs.free_symbols | step.rel.rhs.free_symbols) & {tau, *RATIOS}:
            facts.append(step)
            continue
        restated = _restated(work, step, positive, meanings, facts)
        if restated is not None:
            facts.append(restated)
    work.facts = facts
    return meanings, Rel(sides[0], goal.op, sides[1])


def _restated(
    work: Attempts, step: Step, positive: Step, meanings: Sequence[Step], facts: Sequence[Step]
) -> Step | None:
    rel = step.rel
    sides = [ratios(side) for side in (rel.lhs, rel.rhs)]
    try:
        if not any(side.has(tau) for side in sides):
            return work.d.substitute(step, meanings, Rel(sides[0], rel.op, sides[1]))
        over = [sp.expand(ratios(side / tau)) for side in (rel.lhs, rel.rhs)]
        if any(side.has(tau) for side in over):
            return None
        halves = [sp.expand(side / tau) for side in (rel.lhs, rel.rhs)]
        divided = work.attempt(Rel(halves[0], rel.op, halves[1]), [step, positive])
        if divided is None:
            counts = [s for s in facts if s.rel.op != "=" and not free(s.rel) & set(RATIOS.values())]
            divided = work.attempt(Rel(halves[0], rel.op, halves[1]), [step, positive, *counts])
        if divided is None or rel == Rel(tau, ">", 0):
            return None
        return work.d.substitute(divided, meanings, Rel(over[0], rel.op, over[1]))
    except ProofError:
        return None


def _quotients(work: Attempts, goal: Rel) -> tuple[list[Step], Rel]:
    """Names w of quotients, w * divisor = 1, replaced by 1/divisor in the goal."""
    found: list[Step] = []
    for step in list(work.facts):
        rel = step.rel
        for name in sorted(free(goal), key=str):
            if rel.op != "=" or rel.rhs != 1 or not rel.lhs.is_Mul or name not in rel.lhs.args:
                continue
            divisor = sp.Mul(*[arg for arg in rel.lhs.args if arg != name])
            orders(work, [sp.S.Zero, *[node.args[0] for node in divisor.atoms(sp.exp) if node.args]], keep=True)
            equal = work.attempt(Rel(name, "=", 1 / divisor), [step, *work.about(divisor)])
            if equal is not None:
                found.append(equal)
    values = {step.rel.lhs: step.rel.rhs for step in found}
    return found, Rel(goal.lhs.xreplace(values), goal.op, goal.rhs.xreplace(values))
