"""Terms in the ratios of scores to tau, and what is known during a proof of an inequality: facts, and exponentials."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp

from checker.claims.attempts import Attempts
from checker.claims.expression import delta, eta, gamma, tau
from checker.claims.naming import Names
from proofs.props import Rel
from proofs.sequent import Step

RATIOS = {gamma: sp.Symbol("xg", real=True), delta: sp.Symbol("xd", real=True), eta: sp.Symbol("xe", real=True)}
RATIO = set(RATIOS.values())
INVERSE_TAU = sp.Symbol("xt", real=True)


def ratios(expr: sp.Expr) -> sp.Expr:
    """The term with gamma = xg tau and so on, tau cancelled wherever it does."""
    replaced = expr.xreplace({symbol: ratio * tau for symbol, ratio in RATIOS.items()})
    return _cancel_tau(replaced)


def _cancel_tau(expr: sp.Expr) -> sp.Expr:
    if not expr.has(tau):
        return expr
    if isinstance(expr, (sp.exp, sp.tanh, sp.log)):
        return expr.func(_cancel_tau(sp.expand(expr.args[0])))
    if expr.args:
        expr = expr.func(*[_cancel_tau(arg) for arg in expr.args])
    if expr.has(tau) and isinstance(expr, (sp.Add, sp.Mul)):
        expanded = sp.expand(expr)
        return expanded if not expanded.has(tau) else expr
    return expr


def inverse_tau(expr: sp.Expr) -> sp.Expr:
    """The term with 1/tau written as xt."""
    return expr.xreplace({tau: 1 / INVERSE_TAU})


@dataclass
class Settled(Attempts):
    """Facts in ratios, what the ratios and the names stand for, and relations between exponentials (`exps`)."""

    names: Names = field(kw_only=True)
    meanings: dict[sp.Symbol, Step] = field(default_factory=dict, kw_only=True)
    exps: list[Step] = field(default_factory=list, kw_only=True)


def state_expr(expr: sp.Expr, state: Settled) -> sp.Expr:
    """The term in the ratios in use."""
    return inverse_tau(expr) if INVERSE_TAU in state.meanings else ratios(expr) if state.meanings else expr


def plain(state: Settled) -> list[Step]:
    """The facts that mention no logarithm."""
    logs = {name for name, _ in state.names.logs} | {name for name, _ in state.names.inverses}
    return [
        step for step in state.facts if not (step.rel.lhs - step.rel.rhs).free_symbols & logs and not has_log(step.rel)
    ]


def has_log(rel: Rel) -> bool:
    return bool(rel.lhs.has(sp.log) or rel.rhs.has(sp.log))


def signs(state: Settled) -> list[Step]:
    """Facts that give the sign of one symbol."""
    return [s for s in state.facts if s.rel.op != "=" and s.rel.rhs == 0 and s.rel.lhs.is_Symbol]
