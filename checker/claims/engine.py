"""Inequalities between terms in the parameters, proved for all values of the parameters by a checked derivation.

`settle` works inside a derivation whose steps give the ranges of the parameters. It replaces gamma, delta and eta by
their ratios to tau, turns hypotheses linear in those ratios and in logarithms into relations between exponentials
(exp is increasing, exp(log x) = x), adds bounds by Taylor polynomials where a ratio also occurs outside exp, and leaves
the rest, rational in named atoms, to the rule `polynomial` (coefficient certificate or Z3). Every line it adds is a
step that the derivation's own rules accept; where none of the attempts is accepted it raises ProofError.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import sympy as sp

from checker.claims import taylor
from checker.claims.alarm import OutOfTimeError as OutOfTimeError
from checker.claims.expression import INTEGERS, delta, eta, gamma, tau
from checker.claims.naming import Names
from proofs.decide import Limits
from proofs.derivation import Derivation
from proofs.facts import EXP_INCREASING, EXP_LOG, EXP_STRICTLY_INCREASING, LOG_INCREASING, LOG_POSITIVE, TANH, X, Y
from proofs.props import ProofError, Rel
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
class Settled:
    """The facts at hand during a proof: `facts` in ratios, `exps` relations between exponentials."""

    d: Derivation
    names: Names
    meanings: dict[sp.Symbol, Step]
    facts: list[Step]
    deadline: float
    z3: int = 3000
    exps: list[Step] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)

    def attempt(self, rel: Rel, using: Sequence[Step], milliseconds: int = 0) -> Step | None:
        """The step, if the rule `polynomial` accepts it."""
        if time.monotonic() >= self.deadline:
            raise OutOfTimeError
        limits = Limits(milliseconds or self.z3, self.deadline)
        try:
            return self.d.polynomial(rel.lhs, rel.op, rel.rhs, using, limits=limits)
        except ProofError:
            return None


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
        plain = Settled(d, names, {}, list(hypotheses), deadline, effort)
        direct = plain.attempt(goal, _plain(plain), 1000)
        if direct is not None:
            return direct
    state = _in_ratios(d, names, hypotheses, goal, deadline, effort)
    _logarithms(state)
    target = Rel(state_expr(goal.lhs, state), goal.op, state_expr(goal.rhs, state))
    _exponentials(state, target)
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


def state_expr(expr: sp.Expr, state: Settled) -> sp.Expr:
    """The term in the ratios in use."""
    return inverse_tau(expr) if INVERSE_TAU in state.meanings else ratios(expr) if state.meanings else expr


def _in_ratios(
    d: Derivation, names: Names, hypotheses: Sequence[Step], goal: Rel, deadline: float, effort: int
) -> Settled:
    """Define the ratios and restate each hypothesis in them."""
    state = Settled(d, names, {}, [], deadline, effort)
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
        for step in sorted(hypotheses, key=lambda step: tau in _all(step.rel)):
            _restate(state, step, inverse_tau, positive)
        return state
    for symbol, ratio in RATIOS.items():
        if symbol in used:
            state.meanings[ratio] = d.define(ratio, symbol / tau)
    for step in sorted(hypotheses, key=lambda step: bool(_all(step.rel) & {tau, *RATIOS})):
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
            counts = [known for known in state.facts if not _all(known.rel) & {tau, *RATIO, INVERSE_TAU}]
            divided = state.attempt(Rel(halves[0], rel.op, halves[1]), [step, positive, *counts])
        if divided is None or rel == Rel(tau, ">", 0):
            return
        state.facts.append(d.substitute(divided, list(state.meanings.values()), Rel(over[0], rel.op, over[1])))
    except ProofError:
        return


def _logarithms(state: Settled) -> None:
    """exp(u) = X, and u > 0 where X > 1 is provable, for every name u of log X."""
    for name, argument in state.names.logs:
        meaning = next((s for s in state.facts if s.rel.lhs == name and s.rel.rhs == sp.log(argument)), None)
        if meaning is None:
            continue
        plain = _plain(state)
        positive = state.attempt(Rel(argument, ">", 0), plain)
        if positive is None:
            continue
        state.exps.append(state.d.analysis(EXP_LOG, {X: argument, Y: name}, [positive, meaning]))
        one = state.attempt(Rel(1, "<=", argument), plain)
        if one is None:
            continue
        # log 1 = 0 <= log X for X >= 1
        logged = state.d.analysis(LOG_INCREASING, {X: sp.S.One, Y: argument}, [one])
        state.facts.append(state.d.polynomial(name, ">=", 0, [logged, meaning]))
        above = state.attempt(Rel(argument, ">", 1), plain)
        if above is not None:
            logged = state.d.analysis(LOG_POSITIVE, {X: argument}, [above])
            state.facts.append(state.d.substitute(logged, [], Rel(sp.log(argument), ">", 0)))
            state.facts.append(state.d.polynomial(name, ">", 0, [state.facts[-1], meaning]))


def _plain(state: Settled) -> list[Step]:
    """The facts that mention no logarithm."""
    logs = {name for name, _ in state.names.logs} | {name for name, _ in state.names.inverses}
    return [
        step for step in state.facts if not (step.rel.lhs - step.rel.rhs).free_symbols & logs and not _has_log(step.rel)
    ]


def _has_log(rel: Rel) -> bool:
    return bool(rel.lhs.has(sp.log) or rel.rhs.has(sp.log))


def _exponentials(state: Settled, target: Rel) -> None:
    """Relations between exponentials, from every fact that is linear in ratios and logarithms."""
    _tanh(state, target)
    _cleared_inverses(state)
    logs = {name for name, _ in state.names.logs}
    exponents = _exponents(target)
    for step in list(state.facts):
        rel = step.rel
        if rel.op == "=" or _has_log(rel):
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
            using = [step, *meaning, *_signs(state)]
            for op in dict.fromkeys((step.rel.op, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[step.rel.op])):
                made = state.attempt(Rel(cleared, op, 0), using, 1000)
                if made is not None:
                    state.facts.append(made)
                    break


def _signs(state: Settled) -> list[Step]:
    """Facts that give the sign of one symbol."""
    return [s for s in state.facts if s.rel.op != "=" and s.rel.rhs == 0 and s.rel.lhs.is_Symbol]


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
        signs = _signs(state)
        for step in list(state.facts):
            low = _least(step.rel, count)
            if low is not None:
                _ordered(state, low * ratio, product, False, [step, *signs])


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
        positive = state.attempt(Rel(argument, ">=", 0), _signs(state))
        if positive is not None:
            state.exps.append(state.d.cite("S.tanh", {X: argument}, [positive]))


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
    free = _all(target)
    ratios_here = RATIO | {INVERSE_TAU}
    outside = _outside(target) & (ratios_here | {name for name, _ in state.names.logs})
    exps = state.exps
    near = [step for step in _plain(state) if _all(step.rel) <= free]
    if not outside:
        # the ratios themselves are of no use: exponentials carry them
        yield [*[step for step in near if not _all(step.rel) & ratios_here], *exps]
    yield [*near, *exps]
    yield [*state.facts, *exps]
    everywhere: set[sp.Symbol] = set().union(*[_all(step.rel) for step in state.facts]) & ratios_here
    for symbols, degree in ((outside, 1), (outside, 2), (outside, 3), (everywhere, 1), (everywhere, 2), (outside, 7)):
        bounds = _taylor(state, symbols, degree)
        if bounds:
            yield [*near, *exps, *bounds]
            yield [*state.facts, *exps, *bounds]


def _all(rel: Rel) -> set[sp.Symbol]:
    return set(rel.lhs.free_symbols | rel.rhs.free_symbols)


def _outside(target: Rel) -> set[sp.Symbol]:
    """The symbols that occur outside exponentials."""
    hidden = {node: sp.Dummy() for side in (target.lhs, target.rhs) for node in side.atoms(sp.exp, sp.tanh)}
    return set((target.lhs.xreplace(hidden) - target.rhs.xreplace(hidden)).free_symbols)


def _taylor(state: Settled, symbols: set[sp.Symbol], degree: int) -> list[Step]:
    """Taylor bounds of exp(x) and exp(-x) for the ratios x >= 0 that occur outside exponentials."""
    made = []
    for symbol in sorted(symbols, key=str):
        shown = next((s for s in _signs(state) if s.rel.lhs == symbol and s.rel.op in (">", ">=")), None)
        at_least = state.attempt(Rel(symbol, ">=", 0), [shown]) if shown else None
        if at_least is not None:
            made += taylor.bounds(state.d, symbol, at_least, degree)
    return made
