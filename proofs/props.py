"""Propositions: relations between real expressions, and relations that hold at every position of a range.

Notation
    Rel(lhs, op, rhs)        lhs op rhs with op one of = < <= > >=
    Each(i, lo, hi, rel)     rel holds for every integer i with lo <= i <= hi
    MaxOver(f, a, lo, hi)    the maximum of f over the integers a = lo..hi
    total(f, n)              the finite sum f(1) + ... + f(n); its bound variable is always the symbol INDEX
    position("i")            an integer symbol for a generic position

The terms are those of proofs/language.py: all of them denote real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from .language import (
    INDEX,
    MaxOver,
    ProofError,
    Substitution,
    bound_variables,
    check,
    free_of,
    substitute,
)
from .naming import equal_terms

__all__ = [
    "INDEX",
    "Each",
    "MaxOver",
    "ProofError",
    "Prop",
    "Rel",
    "Substitution",
    "bound_variables",
    "equal_terms",
    "free_symbols",
    "functions_of",
    "instantiate",
    "position",
    "same",
    "substitute",
    "total",
]

OPERATORS = ("=", "<", "<=", ">", ">=")
FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Rel:
    """`lhs op rhs` between real-valued SymPy expressions."""

    lhs: sp.Expr
    op: str
    rhs: sp.Expr

    def __post_init__(self) -> None:
        if self.op not in OPERATORS:
            raise ProofError(f"relation {self.op!r} is not one of {' '.join(OPERATORS)}")
        object.__setattr__(self, "lhs", sp.S(self.lhs))
        object.__setattr__(self, "rhs", sp.S(self.rhs))
        check(self.lhs)
        check(self.rhs)

    def __str__(self) -> str:
        return f"{self.lhs} {self.op} {self.rhs}"


@dataclass(frozen=True)
class Each:
    """`rel` for every integer `var` with `lo <= var <= hi` (vacuous when lo > hi)."""

    var: sp.Symbol
    lo: sp.Expr
    hi: sp.Expr
    rel: Rel

    def __post_init__(self) -> None:
        object.__setattr__(self, "lo", sp.S(self.lo))
        object.__setattr__(self, "hi", sp.S(self.hi))
        check(self.lo)
        check(self.hi)
        check(self.var)
        if not isinstance(self.var, sp.Symbol) or not self.var.is_integer:
            raise ProofError(f"{self.var} is not an integer symbol")
        if self.var == INDEX or self.var in (self.lo.free_symbols | self.hi.free_symbols):
            raise ProofError(f"{self.var} cannot range over {self.lo}..{self.hi}")

    def __str__(self) -> str:
        return f"{self.rel} for every {self.var} = {self.lo}..{self.hi}"


Prop = Rel | Each


def position(name: str) -> sp.Symbol:
    """An integer symbol for a generic position (never the bound variable of sums)."""
    if name == INDEX.name:
        raise ProofError(f"{name} is reserved for the bound variable of sums")
    return sp.Symbol(name, integer=True)


def total(term: Callable[[sp.Symbol], sp.Expr], n: sp.Expr) -> sp.Expr:
    """The finite sum term(1) + ... + term(n)."""
    return sp.Sum(term(INDEX), (INDEX, 1, n))


def instantiate(prop: Prop, mapping: Substitution) -> Prop:
    """`prop` under `mapping`; the variable of an Each is bound and must not occur in the mapping."""
    if isinstance(prop, Each):
        free: set[sp.Basic] = set()
        for new in mapping.values():
            free |= free_of(new)
        if prop.var in mapping:
            raise ProofError(f"{prop.var} is bound in: {prop}")
        if prop.var in free:
            fresh = sp.Dummy(prop.var.name, integer=True)
            prop = Each(fresh, prop.lo, prop.hi, _rel(prop.rel, {prop.var: fresh}))
        lo, hi = substitute(prop.lo, mapping), substitute(prop.hi, mapping)
        return Each(prop.var, lo, hi, _rel(prop.rel, mapping))
    return _rel(prop, mapping)


def _rel(rel: Rel, mapping: Substitution) -> Rel:
    return Rel(substitute(rel.lhs, mapping), rel.op, substitute(rel.rhs, mapping))


def free_symbols(prop: Prop) -> set[sp.Symbol]:
    """Free symbols of a proposition (the variable of an Each is bound)."""
    if isinstance(prop, Each):
        return (free_symbols(prop.rel) - {prop.var}) | prop.lo.free_symbols | prop.hi.free_symbols
    return set(prop.lhs.free_symbols | prop.rhs.free_symbols)


def functions_of(prop: Prop) -> set[sp.Basic]:
    """Undefined function symbols occurring in a proposition."""
    rel = prop.rel if isinstance(prop, Each) else prop
    return {node.func for side in (rel.lhs, rel.rhs) for node in side.atoms(sp.core.function.AppliedUndef)}


def same(a: Prop, b: Prop) -> bool:
    """Whether two propositions are the same up to orientation, ring axioms and the name of a bound variable."""
    if isinstance(a, Each) or isinstance(b, Each):
        if not (isinstance(a, Each) and isinstance(b, Each)):
            return False
        fresh = sp.Dummy("i", integer=True)
        if not (equal_terms(a.lo, b.lo) and equal_terms(a.hi, b.hi)):
            return False
        return same(_rel(a.rel, {a.var: fresh}), _rel(b.rel, {b.var: fresh}))
    if a.op == b.op and equal_terms(a.lhs, b.lhs) and equal_terms(a.rhs, b.rhs):
        return True
    return a.op == FLIPPED[b.op] and equal_terms(a.lhs, b.rhs) and equal_terms(a.rhs, b.lhs)
