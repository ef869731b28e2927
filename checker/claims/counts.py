"""Polynomials in counts: nonnegative if the coefficients in n - k, k - 1, ... are; the least values of n one by one."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from checker.claims import tails
from checker.claims.attempts import Attempts, end_of, free
from checker.claims.expression import INTEGERS, D, eps, k, n
from proofs.facts import TANH, X
from proofs.props import ProofError, Rel
from proofs.sequent import Step

SMALL = 4
"""How many values of n are taken one by one."""


def counted(work: Attempts, target: Rel) -> Step | None:
    """The target multiplied out, as a polynomial in the counts whose coefficients are nonnegative."""
    facts = [work.d.analysis(TANH, {X: node.args[0]}) for node in _tanhs(target)]
    if facts:
        values = {fact.rel.lhs: fact.rel.rhs for fact in facts}
        plain = Rel(target.lhs.xreplace(values), target.op, target.rhs.xreplace(values))
        proved = counted(work, plain)
        return None if proved is None else work.d.substitute(proved, facts, target)
    larger, smaller = (target.rhs, target.lhs) if target.op in ("<", "<=") else (target.lhs, target.rhs)
    numerator, denominator = tails.fraction(larger - smaller)
    strict = ">" if target.op in ("<", ">") else ">="
    if numerator is None or numerator.has(sp.zoo, sp.nan):
        return None
    using = [s for s in work.facts if not s.rel.lhs.has(sp.log) and not s.rel.rhs.has(sp.log)]
    signs = []
    for factor in sp.Mul.make_args(denominator):
        base = factor.as_base_exp()[0]
        if base.is_Rational or isinstance(factor, sp.exp) or isinstance(base, sp.exp):
            continue
        power = int(factor.as_base_exp()[1])
        for op in (">", "<"):
            sign = work.attempt(Rel(base, op, 0), work.about(base))
            if sign is not None:
                signs.append(sign)
                numerator *= -1 if op == "<" and power % 2 else 1
                break
        else:
            return None
    if denominator.as_coeff_Mul()[0] < 0:
        numerator = -numerator
    shown = _nonnegative(work, Rel(sp.expand(numerator), strict, 0), SMALL)
    if shown is None:
        return None
    return work.attempt(target, [shown, *signs], 5000) or work.attempt(target, [shown, *signs, *using], 5000)


def _tanhs(target: Rel) -> list[sp.Expr]:
    return sorted(target.lhs.atoms(sp.tanh) | target.rhs.atoms(sp.tanh), key=str)


def _nonnegative(work: Attempts, goal: Rel, small: int) -> Step | None:
    """goal: polynomial in counts, ratios and exponentials >= 0 (or > 0)."""
    work.left()
    easy = work.attempt(goal, work.about(goal.lhs), 300)
    if easy is not None:
        return easy
    shifts, signs = _shifts(work, goal.lhs)
    if not shifts:
        return tails.one_variable(work, goal)
    fresh = [sp.Symbol(f"c{i}", real=True) for i in range(len(shifts))]
    moved = goal.lhs
    for (symbol, end), name in zip(shifts, fresh, strict=True):
        moved = moved.xreplace({symbol: end + name})
    expanded = sp.expand(moved)
    try:
        terms = sp.Poly(expanded, *fresh).terms()
    except sp.PolynomialError:
        return None
    if any(set(coefficient.free_symbols) & set(fresh) for _, coefficient in terms):
        return None
    parts = []
    for powers, coefficient in sorted(terms, key=lambda term: sum(term[0])):
        lowest = not any(powers)
        try:
            part = _nonnegative(work, Rel(coefficient, goal.op if lowest else ">=", 0), 0)
        except tails.FailsError:
            part = None
        if part is None:
            return _one_by_one(work, goal, small) if small else None
        parts.append(_times(work, part, [(s - e) ** p for (s, e), p in zip(shifts, powers, strict=True)], signs))
    if goal.op == ">" and not any(not any(powers) for powers, _ in terms):
        return None
    return work.attempt(goal, parts, 5000)


def _shifts(work: Attempts, expr: sp.Expr) -> tuple[list[tuple[sp.Symbol, sp.Expr]], list[Step]]:
    """Variables in which the term is polynomial, each with an end below it, and the facts that say so."""
    outside = tails.outside(expr)
    inside = set().union(*[node.free_symbols for node in expr.atoms(sp.exp)])
    made: list[tuple[sp.Symbol, sp.Expr]] = []
    signs: list[Step] = []
    for symbol in sorted(outside - inside, key=str):
        if symbol not in (*INTEGERS, eps, D):
            continue
        end = work.lower(symbol)
        if symbol == n and k in outside - inside:
            above = _above(work)
            if above is not None:
                made.append((n, above.rel.lhs))
                signs.append(above)
                continue
        if end is not None:
            found = end_of(end.rel, symbol)
            assert found is not None
            made.append((symbol, found[1]))
            signs.append(end)
    # n is replaced by k + ... before k is
    made.sort(key=lambda pair: pair[0] != n)
    return made, signs


def _times(work: Attempts, part: Step, factors: Sequence[sp.Expr], signs: Sequence[Step]) -> Step:
    """The relation part times nonnegative factors."""
    product = sp.Mul(*factors)
    if product == 1:
        return part
    name = sp.Dummy("c", real=True)
    meaning = work.d.define(name, part.rel.lhs)
    sign = work.attempt(Rel(name, ">=", 0), [meaning, part])
    if sign is None:
        raise ProofError("a coefficient has no sign")
    shown = work.attempt(Rel(name * product, ">=", 0), [sign, *signs])
    if shown is None:
        raise ProofError("a product has no sign")
    return work.d.substitute(shown, [meaning], Rel(part.rel.lhs * product, ">=", 0))


def _above(work: Attempts) -> Step | None:
    """The best fact k + c <= n."""
    found = [s for s in work.facts if s.rel.op == "<=" and s.rel.rhs == n and (s.rel.lhs - k).is_Rational]
    return max(found, key=lambda step: step.rel.lhs - k, default=None)


def _one_by_one(work: Attempts, goal: Rel, small: int) -> Step | None:
    """The least value of n by itself, and the larger ones."""
    if n not in goal.lhs.free_symbols:
        return None
    end = _above(work) if k in goal.lhs.free_symbols else work.lower(n)
    if end is None:
        return None
    found = end_of(end.rel, n)
    least = found[1] if found else end.rel.lhs
    if not least.is_integer:
        return None
    at_most = work.d.assume(Rel(n, "<=", least))
    equal = work.attempt(Rel(n, "=", least), [at_most, end])
    if equal is None:
        return None
    value = goal.lhs.xreplace({n: least})
    fixed = Attempts(work.d, [s for s in work.facts if n not in free(s.rel)], work.deadline, work.tried)
    lost = [s for s in work.facts if n in free(s.rel) and free(s.rel) & (goal.lhs.free_symbols - {n, k})]
    try:
        first = _nonnegative(fixed, Rel(sp.expand(value), goal.op, 0), 0)
    except tails.FailsError:
        if not lost:  # this is a case of the goal, so nothing else can help
            raise
        first = None
    if first is None:
        return None
    low = work.d.substitute(first, [], Rel(value, goal.op, 0))
    low = work.d.substitute(low, [equal], goal)
    at_least = work.d.assume(Rel(least + 1, "<=", n))
    high = _nonnegative(work.with_facts(at_least), goal, small - 1)
    return None if high is None else work.d.split((at_most, low), (at_least, high))
