"""The question an inverse query asks, "is bound <= target?", decided at one value or at the ends of the range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, Protocol

import sympy

from checker import ball
from checker.decide import Expression, decide
from checker.env import Env
from checker.errors import HardsoftError
from checker.verdict import Verdict

MAXIMUM_PRECISION = 2**16


class Condition(Protocol):
    """A relation `lhs op rhs` between rational expressions in the parameters."""

    @property
    def lhs(self) -> sympy.Expr: ...
    @property
    def op(self) -> str: ...
    @property
    def rhs(self) -> sympy.Expr: ...


@dataclass(frozen=True)
class Query:
    """For which values of `parameter` is bound <= target?

    bound: an expression in `parameter` and the names in scalars. sign: +1 if the bound increases with the parameter,
    -1 if it decreases. conditions: relations that must hold too; with them the set must stay one-sided.
    cap: a number the bounded quantity never exceeds (1 for TV, 2 for L1), or None.
    """

    bound: sympy.Expr
    parameter: str
    sign: Literal[1, -1]
    scalars: Mapping[str, Fraction]
    target: Fraction
    conditions: Sequence[Condition] = ()
    cap: Fraction | None = None

    def env(self, value: Fraction) -> Env:
        """The environment with the parameter at `value`."""
        return Env({**self.scalars, self.parameter: value})


def names(condition: Condition) -> set[str]:
    """The names of the symbols of a condition."""
    return {symbol.name for side in (condition.lhs, condition.rhs) for symbol in side.free_symbols}


def holds(condition: Condition, scalars: Mapping[str, Fraction]) -> bool:
    """Decide a relation between rational expressions exactly; HardsoftError if it is not decided."""
    difference = ball.evaluate(condition.lhs - condition.rhs, Env(scalars), 64)
    verdict = ball.compare(difference, condition.op, ball.ball(0))
    if verdict is Verdict.UNDECIDED:
        raise HardsoftError(f"{condition.lhs} {condition.op} {condition.rhs} is not decided")
    return verdict is Verdict.HOLDS


def end_value(
    bound: sympy.Expr, parameter: str, end: Literal["zero", "infinity"], scalars: Mapping[str, Fraction]
) -> sympy.Expr | None:
    """Return the limit of the bound as the positive parameter tends to 0 or to infinity, None if not found.

    By substitution in extended real arithmetic: valid because exp(-x), tanh(x) and rational functions are continuous
    on [0, oo], and an undefined form (oo/oo, 0*oo) gives None. Parameters whose value is 0 are set to 0 first.
    """
    return _end_value(bound, parameter, end, frozenset(name for name, value in scalars.items() if value == 0))


@lru_cache(maxsize=256)
def _end_value(
    bound: sympy.Expr, parameter: str, end: Literal["zero", "infinity"], zeros: frozenset[str]
) -> sympy.Expr | None:
    positive: dict[sympy.Basic, sympy.Basic] = {}
    for symbol in bound.free_symbols:
        zero = symbol.name in zeros
        positive[symbol] = sympy.Integer(0) if zero else sympy.Symbol(symbol.name, positive=True)
    inverse, variable = sympy.Symbol("inverse", positive=True), sympy.Symbol(parameter, positive=True)
    value = bound.subs(positive, simultaneous=True)
    value = (
        value.subs(variable, 1 / inverse).subs(inverse, sympy.oo) if end == "zero" else value.subs(variable, sympy.oo)
    )
    if value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo, sympy.AccumBounds):
        return None
    return value


def at_most(query: Query, value: Fraction) -> bool:
    """Decide bound <= target (and the conditions) at one value by Arb; HardsoftError if undecided at the maximum."""
    if not all(holds(condition, query.env(value).scalars) for condition in query.conditions):
        return False
    precision = 64
    while precision <= MAXIMUM_PRECISION:
        with ball.working(precision):
            target = ball.ball(query.target)
        verdict = ball.compare(ball.evaluate(query.bound, query.env(value), precision), "<=", target)
        if verdict is not Verdict.UNDECIDED:
            return verdict is Verdict.HOLDS
        precision *= 2
    raise _undecided(query)


def _undecided(query: Query) -> HardsoftError:
    return HardsoftError(
        f"solving for {query.parameter} is undecided at {MAXIMUM_PRECISION} bits: eps is too close to the bound's limit"
    )


def certify(query: Query, value: Fraction, expected: bool) -> None:
    """Decide bound <= target at one value by Arb and mpmath together; DisagreementError if they exclude each other."""
    if not all(holds(condition, query.env(value).scalars) for condition in query.conditions):
        verdict = Verdict.FAILS
    else:
        target = Expression(sympy.Symbol("target"), Env({"target": query.target}))
        verdict = decide(Expression(query.bound, query.env(value)), "<=", target, maximum=MAXIMUM_PRECISION).verdict
    if verdict is not (Verdict.HOLDS if expected else Verdict.FAILS):
        raise _undecided(query)


def compare_end(value: sympy.Expr, relation: str, query: Query) -> Verdict:
    """Compare an end value with the target; exact when it is rational, since the difference then is."""
    precision = 64
    while precision <= MAXIMUM_PRECISION:
        env = Env({**query.scalars, "target": query.target})
        difference = ball.evaluate(value - sympy.Symbol("target"), env, precision)
        verdict = ball.compare(difference, relation, ball.ball(0))
        if verdict is not Verdict.UNDECIDED:
            return verdict
        precision *= 2
    return Verdict.UNDECIDED
