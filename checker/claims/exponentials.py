"""Relations between exponentials, from facts that are linear in ratios and logarithms: exp is increasing."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from checker.claims.expression import INTEGERS
from checker.claims.settled import INVERSE_TAU, RATIO, Settled, has_log, signs, state_expr
from proofs.facts import EXP_INCREASING, EXP_STRICTLY_INCREASING, TANH, X, Y
from proofs.props import Rel
from proofs.sequent import Step


def exponentials(state: Settled, target: Rel) -> None:
    """Relations between exponentials, from every fact that is linear in ratios and logarithms."""
    _tanh(state, target)
    _cleared_inverses(state)
    logs = {name for name, _ in state.names.logs}
    exponents = _exponents(target)
    for step in list(state.facts):
        rel = step.rel
        if rel.op == "=" or has_log(rel):
            continue
        difference = sp.expand(rel.lhs - rel.rhs)
        symbols = difference.free_symbols
        if symbols & (RATIO | {INVERSE_TAU} | logs) and _linear(difference, RATIO | {INVERSE_TAU} | logs):
            _exponentiate(state, step, difference)
    _powers(state, exponents)


def _linear(expr: sp.Expr, symbols: set[sp.Symbol]) -> bool:
    """Whether every term is a rational number times at most one of the symbols."""
    for term in sp.Add.make_args(expr):
        _, rest = term.as_coeff_Mul(rational=True)
        if rest != 1 and rest not in symbols:
            return False
    return True


def _exponentiate(state: Settled, step: Step, difference: sp.Expr) -> None:
    """exp(a) <= exp(b) from a <= b (or strictly), the difference being multiplied by a common denominator."""
    scale = sp.ilcm(*[term.as_coeff_Mul(rational=True)[0].q for term in sp.Add.make_args(difference)], 1)
    scaled = sp.expand(scale * difference)
    if step.rel.op in (">", ">="):
        scaled = -scaled
    parts = sp.Add.make_args(scaled)
    low = sp.Add(*[term for term in parts if term.as_coeff_Mul(rational=True)[0] > 0])
    high = -sp.Add(*[term for term in parts if term.as_coeff_Mul(rational=True)[0] < 0])
    _ordered(state, low, high, step.rel.op in ("<", ">"), [step])


def _ordered(state: Settled, low: sp.Expr, high: sp.Expr, strict: bool, using: Sequence[Step]) -> None:
    low, high = sp.expand(low), sp.expand(high)
    order = state.attempt(Rel(low, "<" if strict else "<=", high), using)
    if order is None:
        return
    fact = EXP_STRICTLY_INCREASING if strict else EXP_INCREASING
    state.exps.append(state.d.analysis(fact, {X: low, Y: high}, [order]))


def _cleared_inverses(state: Settled) -> None:
    """From a fact linear in w, where w * divisor = 1, the same without w."""
    for name, divisor in state.names.inverses:
        inverse = state_expr(divisor, state)
        meaning = [s for s in state.facts if sp.expand(s.rel.lhs - name * inverse) == 0 and s.rel.rhs == 1]
        for step in list(state.facts):
            difference = sp.expand(step.rel.lhs - step.rel.rhs)
            if step in meaning or step.rel.op == "=" or name not in difference.free_symbols:
                continue
            if sp.degree(difference, name) != 1:
                continue
            slope = difference.coeff(name, 1)
            rest = difference.coeff(name, 0)
            cleared = sp.expand(rest * inverse + slope)
            using = [step, *meaning, *signs(state)]
            for op in dict.fromkeys((step.rel.op, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[step.rel.op])):
                made = state.attempt(Rel(cleared, op, 0), using, 1000)
                if made is not None:
                    state.facts.append(made)
                    break


def _exponents(target: Rel) -> set[sp.Expr]:
    found = {node.args[0] for side in (target.lhs, target.rhs) for node in side.atoms(sp.exp)}
    return found


def _powers(state: Settled, exponents: set[sp.Expr]) -> None:
    """exp(-n x) against exp(-c x) for the least value c of n, and the like for other products of count and ratio."""
    products = {
        term.as_coeff_Mul(rational=True)[1] for exponent in exponents for term in sp.Add.make_args(sp.expand(exponent))
    }
    for product in sorted(products, key=str):
        counts = product.free_symbols & set(INTEGERS)
        if len(counts) != 1 or product in RATIO:
            continue
        (count,) = counts
        ratio = product / count
        if ratio not in RATIO | {INVERSE_TAU}:
            continue
        known = signs(state)
        for step in list(state.facts):
            low = _least(step.rel, count)
            if low is not None:
                _ordered(state, low * ratio, product, False, [step, *known])


def _least(rel: Rel, count: sp.Symbol) -> sp.Expr | None:
    """The number c of a relation c <= count."""
    if rel.op == "<=" and rel.rhs == count and rel.lhs.is_Rational:
        return rel.lhs
    if rel.op == ">=" and rel.lhs == count and rel.rhs.is_Rational:
        return rel.rhs
    return None


def _tanh(state: Settled, target: Rel) -> None:
    """tanh in terms of exp, and tanh x <= x where x >= 0."""
    for node in sorted(target.lhs.atoms(sp.tanh) | target.rhs.atoms(sp.tanh), key=str):
        argument = node.args[0]
        state.exps.append(state.d.analysis(TANH, {X: argument}))
        positive = state.attempt(Rel(argument, ">=", 0), signs(state))
        if positive is not None:
            state.exps.append(state.d.cite("S.tanh", {X: argument}, [positive]))
