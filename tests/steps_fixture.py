"""Derivations for tests of printing, and values of expressions to compare printed formulas with.

Printing needs the steps, not the decisions, so `derivations` replays every derivation with the decision procedure
switched off: that takes seconds instead of a minute.
"""

from __future__ import annotations

import functools
import hashlib
import math
from unittest import mock

import sympy as sp

from proofs.props import Each, MaxOver, Prop
from proofs.registry import library
from proofs.statement import Library

VALUES = {"n": 5, "k": 2, "i": 3, "p": 2, "q": 0.31, "u": 3, "m": 2, "eps": 0.3, "r": 1.7, "a": 1, "b": 1, "L": 3}
"""Values of symbols; the others get a value from their name."""


@functools.cache
def undecided() -> Library:
    """A library in which every claim is proved but for the rational (in)equalities, which are taken for granted."""
    everything = library()
    with mock.patch("proofs.derivation.decide", return_value=("not decided here", False)):
        for name in everything.claims:
            everything.prove(name)
    return everything


def all_props() -> list[tuple[str, Prop]]:
    """(place, proposition) of every step of every derivation, each proposition once."""
    found: dict[Prop, str] = {}
    for name in undecided().claims:
        for step in undecided().prove(name)[1].steps:
            found.setdefault(step.prop, f"{name}, step {step.number}")
    return [(place, prop) for prop, place in found.items()]


def sides(prop: Prop) -> tuple[sp.Expr, sp.Expr]:
    """Left and right of a proposition's relation."""
    rel = prop.rel if isinstance(prop, Each) else prop
    return rel.lhs, rel.rhs


def value_of_name(name: str) -> float:
    """A value for a symbol."""
    return VALUES.get(name) or _digest(name)


def value_at(name: str, position: float) -> float:
    """A value for a function at a position."""
    return _digest(f"{name}({position:.6f})")


def _digest(text: str) -> float:
    return 0.2 + int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32


def value(expr: sp.Expr, bound: dict[str, float] | None = None) -> float:
    """The value of an expression at those values, straight from its definition."""
    bound = bound or {}
    if expr.is_Rational:
        return int(expr.p) / int(expr.q)
    if expr is sp.E:
        return math.e
    if expr.is_Symbol:
        return bound[expr.name] if expr.name in bound else value_of_name(expr.name)
    if isinstance(expr, sp.Sum):
        *inner, (var, lo, hi) = expr.limits
        body = sp.Sum(expr.function, *inner) if inner else expr.function
        places = range(int(value(lo, bound)), int(value(hi, bound)) + 1)
        return math.fsum(value(body, {**bound, var.name: place}) for place in places)
    if expr.func == MaxOver:
        body, var, lo, hi = expr.args
        places = range(int(value(lo, bound)), int(value(hi, bound)) + 1)
        return max(value(body, {**bound, var.name: place}) for place in places)
    arguments = [value(arg, bound) for arg in expr.args]
    if expr.is_Add:
        return math.fsum(arguments)
    if expr.is_Mul:
        return math.prod(arguments)
    if expr.is_Pow:
        return arguments[0] ** arguments[1]
    known = {"exp": math.exp, "log": math.log, "tanh": math.tanh, "Abs": abs}
    name = expr.func.__name__
    return known[name](arguments[0]) if name in known else value_at(name, arguments[0])
