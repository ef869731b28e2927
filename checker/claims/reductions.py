"""Reductions of an inequality in ratios and counts: exponents in order, k = 1, a compound variable, compact boxes."""

from __future__ import annotations

import sympy as sp

from checker.claims import tails
from checker.claims.attempts import Attempts, end_of, free, inputs, logarithms, numbers, orders
from checker.claims.counts import counted
from checker.claims.expression import k, n
from checker.claims.settled import RATIOS
from proofs.facts import EXP_INCREASING, EXP_POSITIVE, X, Y
from proofs.props import ProofError, Rel
from proofs.sequent import Step


def solve(work: Attempts, target: Rel) -> Step | None:
    """The target by one reduction after the other."""
    numbers(work, (target.lhs, target.rhs))
    logarithms(work)
    for reduction in (_ordered, _boxed, _one_maximum, _compound, _decaying, counted):
        try:
            proved = reduction(work, target)
        except tails.FailsError:
            if reduction in (counted, _one_maximum):
                raise
            continue
        if proved is not None:
            return proved
    return None


def _one_maximum(work: Attempts, target: Rel) -> Step | None:
    """The target for k = 1, where its left-hand side is largest and the right-hand side does not depend on k."""
    if k not in target.lhs.free_symbols or k in target.rhs.free_symbols or target.op not in ("<", "<="):
        return None
    one = target.lhs.xreplace({k: sp.S.One})
    larger = work.attempt(Rel(target.lhs, "<=", one), work.about(n, k, *target.lhs.free_symbols))
    if larger is None:
        return None
    inner = Attempts(work.d, [s for s in work.facts if k not in free(s.rel)], work.deadline, work.tried)
    proved: Step | None = None
    for reduction in (_ordered, _boxed, _compound, _decaying, counted):
        try:
            proved = reduction(inner, Rel(one, target.op, target.rhs))
        except tails.FailsError:
            if reduction is counted and not any({k} < free(s.rel) - {n} for s in work.facts):
                raise
            continue
        if proved is not None:
            return work.d.transitive(target.lhs, target.op, target.rhs, [larger, proved])
    return None


def _decaying(work: Attempts, target: Rel) -> Step | None:
    """The target with q = exp(-x) < 1 in place of x, where x then disappears."""
    for ratio in sorted(free(target) & set(RATIOS.values()), key=str):
        q, decay = work.fresh("xq"), sp.exp(-ratio)
        new = [side.xreplace({decay: q}) for side in (target.lhs, target.rhs)]
        if any(ratio in side.free_symbols for side in new) or not any(side.atoms(sp.exp) for side in new):
            continue
        meaning = work.d.define(q, decay)
        above = work.d.analysis(EXP_POSITIVE, {X: -ratio})
        sign = work.attempt(Rel(-ratio, "<=", 0), work.about(ratio))
        if sign is None:
            return None
        below = work.d.analysis(EXP_INCREASING, {X: -ratio, Y: sp.S.Zero}, [sign])
        ends = [work.attempt(Rel(q, ">", 0), [meaning, above]), work.attempt(Rel(q, "<=", 1), [meaning, below])]
        inner = Attempts(work.d, [s for s in work.facts if ratio not in free(s.rel)], work.deadline, work.tried)
        inner.facts += [end for end in ends if end is not None]
        proved = counted(inner, Rel(new[0], target.op, new[1]))
        return None if proved is None else work.d.substitute(proved, [meaning], target)
    return None


def _boxed(work: Attempts, target: Rel) -> Step | None:
    over = inputs(work, (target.lhs, target.rhs))
    return None if over is None else work.box(target, work.about(target.lhs, target.rhs), over)


def _ordered(work: Attempts, target: Rel) -> Step | None:
    """The target from the order of its exponents, with the values of exp at the ends of ratios enclosed."""
    exponents = {
        node.args[0] if node.args else sp.S.One for side in (target.lhs, target.rhs) for node in side.atoms(sp.exp)
    }
    ends: set[sp.Expr] = {sp.S.Zero} if exponents else set()
    for exponent in exponents:
        free = exponent.free_symbols
        if len(free) == 1:
            (symbol,) = free
            for bound in (work.lower(symbol), work.upper(symbol)):
                found = end_of(bound.rel, symbol) if bound else None
                if found and abs(found[1]) < 1000:
                    ends.add(exponent.xreplace({symbol: found[1]}))
    ends = {end for end in ends if end.is_Rational}
    everything = sorted(exponents | ends, key=sp.default_sort_key)
    if len(exponents) == 2:
        everything += [-exponent for exponent in exponents if -exponent not in exponents]
    if not everything or len(everything) > 8:
        return None
    known = work.with_facts()
    known.facts += orders(work, everything, keep=True)
    numbers(known, [sp.exp(end) for end in ends])
    return known.attempt(
        target, [s for s in known.facts if not s.rel.lhs.has(sp.log) and not s.rel.rhs.has(sp.log)], 3000
    )


# -- one variable for a product of a count and an exponential ----------------------------------------------------------


def _compound(work: Attempts, target: Rel) -> Step | None:
    """The target with z = (n - 1) exp(-x) in place of n and x, where both then disappear."""
    ratio = sorted(free(target) & set(RATIOS.values()), key=str)
    if len(ratio) != 1 or n not in free(target) | {s for step in work.facts for s in free(step.rel)}:
        return None
    decay = sp.exp(-ratio[0])
    for base in (sp.S.One, k):
        compound = work.fresh("xz")
        meaning = (n - base) * decay
        values = {n: base + compound / decay}
        named = [s for s in work.facts if s.rel.op == "=" and s.rel.lhs in free(target) and s.rel.lhs.is_Symbol]
        new = [_simplified(side.subs(values)) for side in (target.lhs, target.rhs)]
        hidden = [(step, _simplified(step.rel.rhs.subs(values))) for step in named]
        left = set().union(*[side.free_symbols for side in (*new, *[rhs for _, rhs in hidden])])
        if left & {n, ratio[0]} or compound not in left:
            continue
        z = work.d.define(compound, meaning)
        try:
            positive = work.d.analysis(EXP_POSITIVE, {X: -ratio[0]})
            sign = work.attempt(Rel(compound, ">=", 0), [z, positive, *work.about(n, k)])
            if sign is None:
                continue
            facts = [sign, *[s for s in work.facts if not free(s.rel) & {n, ratio[0]}]]
            facts += [work.d.substitute(step, [z], Rel(step.rel.lhs, "=", rhs)) for step, rhs in hidden]
            inner = Attempts(work.d, facts, work.deadline, work.tried)
            proved = counted(inner, Rel(new[0], target.op, new[1]))
            if proved is None:
                continue
            return work.attempt(target, [proved, z, positive, *work.about(n, k)], 3000) or work.d.substitute(
                proved, [z], target
            )
        except ProofError:
            continue
    return None


def _simplified(expr: sp.Expr) -> sp.Expr:
    """The term with products of exponentials multiplied out, in arguments as well."""
    if expr.args and not expr.is_Rational:
        expr = expr.func(*[_simplified(arg) for arg in expr.args])
    return sp.expand(expr) if expr.is_Mul or expr.is_Add else expr
