"""Decision procedures for rational (in)equalities: coefficient certificates first, then Z3.

A goal `lhs op rhs` under hypotheses is reduced to a polynomial goal once the sign of each denominator is decided.

Coefficient certificate: eliminate variables by nonnegative ones (x = L + x' for a hypothesis x >= L, x = U - x' for
x <= U, x = 1/(1 + x') for 0 < x < 1) until no coefficient of the goal is negative; anyone can check the result by
expansion. Otherwise Z3's nonlinear real arithmetic must report `unsat` for the negated goal; integers are treated as
reals, which only weakens the hypotheses. Nothing is decided by sampling or by `simplify`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp
import z3

from .normal import Atoms, Prepared, split
from .props import ProofError, Rel

Z3_TIMEOUT_MS = 20_000
SEARCH_NODES = 60


@dataclass(frozen=True)
class Limits:
    """Milliseconds for one call of Z3, and the time (of time.monotonic) at which the search stops."""

    milliseconds: int
    until: float


@dataclass(frozen=True)
class Bound:
    """`poly op 0` with op one of = >= > (a hypothesis or a goal in named atoms)."""

    poly: sp.Expr
    op: str


@dataclass(frozen=True)
class Quotient:
    """`numerator/denominator op 0`, by its source if no factor of the denominator and no divisor is 0.

    `lengths` are the n whose n >= 0 is supposed as well.
    """

    numerator: sp.Expr
    factors: list[sp.Expr]
    divisors: list[sp.Expr]
    op: str
    source: Rel
    lengths: frozenset[sp.Expr]


def decide(
    goal: Rel, hypotheses: Sequence[Rel], *, linear: bool = True, limits: Limits | None = None
) -> tuple[str, bool]:
    """Prove `goal` from `hypotheses`: (how it was decided, whether sums were made linear). Raises ProofError else.

    Without `limits`, one call of Z3 may take Z3_TIMEOUT_MS and nothing else is limited.
    """
    atoms = Atoms(linear)
    relations = [goal, *hypotheses]
    ready = atoms.prepare([side for rel in relations for side in (rel.lhs, rel.rhs)])
    claim, *given = [
        _as_quotient(rel, atoms, lhs, rhs) for rel, lhs, rhs in zip(relations, ready[::2], ready[1::2], strict=True)
    ]
    known = [Bound(symbol, ">") for symbol in sorted(atoms.positive, key=str)]
    # hypotheses that suppose n >= 0 are of no use until n >= 0 is known without them
    blocked = _clear_denominators([quotient for quotient in given if not quotient.lengths], known, limits)
    for length in sorted(set().union(*[quotient.lengths for quotient in (claim, *given)]), key=str):
        if _prove(Bound(sp.expand(atoms.rational(length, [])), ">="), known, limits) is None:
            raise ProofError(f"S.constant needs {atoms.meaning(length)} >= 0")
    blocked = _clear_denominators([*blocked, *[quotient for quotient in given if quotient.lengths]], known, limits)
    if blocked:
        raise ProofError(f"a denominator of the hypothesis {blocked[0].source} is not known to be non-zero")
    polynomial = _cleared(claim, known, limits)
    if polynomial is None:
        raise ProofError(f"a denominator of {goal} is not known to be non-zero")
    how = _prove(polynomial, known, limits)
    if how is None:
        raise ProofError(f"not proved: {goal}")
    return how, atoms.sums_used


def _as_quotient(rel: Rel, atoms: Atoms, lhs: Prepared, rhs: Prepared) -> Quotient:
    """A relation as a quotient compared with 0."""
    divisors: list[sp.Expr] = []
    sides = [atoms.rational(side.polynomial, divisors) for side in (lhs, rhs)]
    difference, op = _difference(sides[0], rel.op, sides[1])
    numerator, factors = split(difference)
    return Quotient(numerator, factors, divisors, op, rel, lhs.lengths | rhs.lengths)


def _clear_denominators(quotients: list[Quotient], known: list[Bound], limits: Limits | None) -> list[Quotient]:
    """Add each quotient to `known` once its denominators are known to be non-zero; those that never are, are left."""
    while quotients:
        blocked = []
        for quotient in quotients:
            bound = _cleared(quotient, known, limits)
            if bound is None:
                blocked.append(quotient)
            else:
                known.append(bound)
        if len(blocked) == len(quotients):
            break
        quotients = blocked
    return quotients


def _cleared(quotient: Quotient, known: Sequence[Bound], limits: Limits | None) -> Bound | None:
    """The relation times its denominators, if these are known to be non-zero."""
    sign = 1
    shown: set[sp.Expr] = set()
    for factor in quotient.factors:
        expanded = sp.expand(factor)
        one = _sign(expanded, known, limits)
        if one is None:
            return None
        shown |= {expanded, sp.expand(-expanded)}
        sign *= one
    for divisor in quotient.divisors:
        for factor in sp.Mul.make_args(sp.factor_terms(split(divisor)[0])):
            expanded = sp.expand(factor.as_base_exp()[0])
            if expanded not in shown and _sign(expanded, known, limits) is None:
                return None
            shown |= {expanded, sp.expand(-expanded)}
    return Bound(sp.expand(sign * quotient.numerator), quotient.op)


def _difference(lhs: sp.Expr, op: str, rhs: sp.Expr) -> tuple[sp.Expr, str]:
    """`lhs op rhs` as (expression, op) with op one of = >= >."""
    if op in ("=", ">=", ">"):
        return lhs - rhs, op
    return rhs - lhs, ">=" if op == "<=" else ">"


def _sign(polynomial: sp.Expr, known: Sequence[Bound], limits: Limits | None) -> int | None:
    """The sign of a polynomial proved to be positive or to be negative."""
    if polynomial.is_Rational:
        return int(sp.sign(polynomial)) or None
    if _prove(Bound(polynomial, ">"), known, limits) is not None:
        return 1
    return -1 if _prove(Bound(-polynomial, ">"), known, limits) is not None else None


def _prove(goal: Bound, known: Sequence[Bound], limits: Limits | None = None) -> str | None:
    if goal.poly == 0:
        return "rational identity" if goal.op == "=" else ("trivial" if goal.op == ">=" else None)
    goal, known = _eliminate(goal, list(known))
    if goal.poly == 0:
        return "rational identity" if goal.op == "=" else ("trivial" if goal.op == ">=" else None)
    if goal.op != "=":
        budget = [SEARCH_NODES]
        certificate = _certificate(goal, known, frozenset(), frozenset(), [], budget, limits)
        if certificate is not None:
            return certificate
    return "Z3: the negation is unsatisfiable" if _z3_unsat(goal, known, limits) else None


def _eliminate(goal: Bound, known: list[Bound]) -> tuple[Bound, list[Bound]]:
    """Use equations x = e (x with a constant coefficient, not in e) to eliminate x everywhere."""
    for bound in known:
        if bound.op != "=" or bound.poly == 0:
            continue
        for symbol in sorted(bound.poly.free_symbols, key=str):
            coefficient = sp.diff(bound.poly, symbol)
            if coefficient.is_Rational and coefficient != 0:
                value = sp.expand(symbol - bound.poly / coefficient)
                rest = [
                    Bound(sp.expand(other.poly.xreplace({symbol: value})), other.op)
                    for other in known
                    if other is not bound
                ]
                return _eliminate(Bound(sp.expand(goal.poly.xreplace({symbol: value})), goal.op), rest)
    return goal, known


def _certificate(
    goal: Bound,
    known: Sequence[Bound],
    nonnegative: frozenset[sp.Symbol],
    positive: frozenset[sp.Symbol],
    used: list[str],
    budget: list[int],
    limits: Limits | None = None,
) -> str | None:
    """Search for substitutions by nonnegative variables after which every coefficient of the goal is >= 0."""
    budget[0] -= 1
    if budget[0] < 0 or (limits is not None and time.monotonic() > limits.until):
        return None
    open_symbols = sorted(goal.poly.free_symbols - nonnegative, key=str)
    if not open_symbols:
        if _coefficients_show(goal, positive):
            return "coefficients: no negative one after " + (", ".join(used) if used else "expansion")
        return None
    for symbol in open_symbols:
        for new, value, strict, denominator, remaining in _substitutions(symbol, known):
            rewritten = [Bound(_clear(b.poly, symbol, value, denominator), b.op) for b in remaining]
            step = f"{symbol.name} = {_plain(value)}"
            found = _certificate(
                Bound(_clear(goal.poly, symbol, value, denominator), goal.op),
                rewritten,
                nonnegative | {new},
                positive | {new} if strict else positive,
                [*used, step],
                budget,
                limits,
            )
            if found is not None:
                return found
    return None


def _substitutions(
    symbol: sp.Symbol, known: Sequence[Bound]
) -> Iterator[tuple[sp.Symbol, sp.Expr, bool, sp.Expr, list[Bound]]]:
    """(new variable >= 0, value of symbol, strict, denominator, hypotheses left) for each usable hypothesis."""
    lower = [b for b in known if b.op == ">" and b.poly == symbol]
    upper = [b for b in known if b.op == ">" and sp.expand(b.poly + symbol) == 1]
    new = sp.Dummy(f"{symbol.name}'", real=True)
    if lower and upper:  # 0 < x < 1 iff x = 1/(1 + x') with x' > 0
        rest = [b for b in known if b is not lower[0] and b is not upper[0]]
        yield new, 1 / (1 + new), True, 1 + new, rest
    for bound in known:
        if bound.op == "=" or symbol not in bound.poly.free_symbols:
            continue
        coefficient = sp.diff(bound.poly, symbol)
        if not coefficient.is_Rational:
            continue
        # bound.poly = coefficient*symbol + rest >= 0; the new variable is bound.poly/|coefficient|
        rest_value = sp.expand(bound.poly / abs(coefficient) - sp.sign(coefficient) * symbol)
        value = sp.expand(sp.sign(coefficient) * (new - rest_value))
        yield new, value, bound.op == ">", sp.S.One, [b for b in known if b is not bound]


def _clear(poly: sp.Expr, symbol: sp.Symbol, value: sp.Expr, denominator: sp.Expr) -> sp.Expr:
    """poly with symbol := value, times the positive power of `denominator` that makes it a polynomial."""
    if symbol not in poly.free_symbols:
        return poly
    degree = sp.degree(poly, symbol) if denominator != 1 else 0
    replaced = poly.xreplace({symbol: value})
    return sp.expand(sp.cancel(replaced * denominator**degree) if degree else replaced)


def _coefficients_show(goal: Bound, positive: frozenset[sp.Symbol]) -> bool:
    """Whether no coefficient is negative and, for a strict goal, some term is positive."""
    strict = False
    for term in sp.Add.make_args(goal.poly):
        coefficient, monomial = term.as_coeff_Mul(rational=True)
        if not coefficient.is_Rational or coefficient < 0:
            return False
        strict = strict or (coefficient > 0 and monomial.free_symbols <= positive)
    return strict or goal.op == ">="


def _z3_unsat(goal: Bound, known: Sequence[Bound], limits: Limits | None = None) -> bool:
    milliseconds = Z3_TIMEOUT_MS
    if limits is not None:
        milliseconds = min(limits.milliseconds, int(1000 * (limits.until - time.monotonic())))
        if milliseconds < 1:
            return False
    symbols = sorted(goal.poly.free_symbols.union(*[b.poly.free_symbols for b in known]), key=str)
    names = {symbol: z3.Real(f"v{index}") for index, symbol in enumerate(symbols)}
    solver = z3.SolverFor("QF_NRA")
    solver.set("timeout", milliseconds)
    for bound in known:
        solver.add(_z3_relation(bound, names))
    solver.add(z3.Not(_z3_relation(goal, names)))
    return bool(solver.check() == z3.unsat)


def _z3_relation(bound: Bound, names: dict[sp.Symbol, z3.ArithRef]) -> z3.BoolRef:
    term = _z3_term(bound.poly, names)
    zero = z3.RealVal(0)
    return {"=": term == zero, ">=": term >= zero, ">": term > zero}[bound.op]


def _z3_term(expr: sp.Expr, names: dict[sp.Symbol, z3.ArithRef]) -> z3.ArithRef:
    if expr in names:
        return names[expr]
    if expr.is_Rational:
        return z3.Q(expr.p, expr.q)
    if expr.is_Add:
        return z3.Sum([_z3_term(arg, names) for arg in expr.args])
    if expr.is_Mul:
        return z3.Product([_z3_term(arg, names) for arg in expr.args])
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return z3.Product([_z3_term(expr.base, names)] * int(expr.exp))
    raise ProofError(f"{expr} is not a polynomial")


def _plain(expr: sp.Expr) -> str:
    """`expr` with dummies printed by their names alone."""
    return str(expr.xreplace({d: sp.Symbol(d.name) for d in expr.atoms(sp.Dummy)}))
