"""From text to claims and assumptions: the grammar claim.lark, what each of its rules builds, and errors in words."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from checker.attention import Tie
from checker.claims import expression as terms
from checker.claims.expression import Term
from checker.claims.faults import fault
from checker.claims.model import Assumption, Comparison, Statement
from checker.errors import InputError
from checker.grammar import PlacedError, placed

MAX_LENGTH = 2000
"""Longest claim or assumption, in characters."""

MAX_DEPTH = 40
"""Deepest nesting of parentheses."""

MAX_OPERATIONS = 200
"""Most operators and functions in a claim or assumption."""


def read_claim(text: str) -> Statement:
    """Read `QUANTITY RELATION BOUND`, or such a claim followed by `iff COMPARISON`; InputError names the column."""
    made: Statement = _read(text, "claim", "the claim")
    return replace(made, text=" ".join(text.split()))


def read_assumption(text: str) -> Assumption:
    """Read one assumption; InputError names the column."""
    made = _read(text, "assumption", f"the assumption {' '.join(str(text).split())[:60]!r}")
    if isinstance(made, list):
        made = Assumption("", "parameters", comparisons=tuple(made))
    return replace(made, text=" ".join(text.split()))


def read_number_expression(text: str, what: str) -> Term:
    """Read a term (no relation)."""
    return _read(text, "sum", what)


def _read(text: Any, start: str, what: str) -> Any:
    if not isinstance(text, str):
        raise InputError(f"{what}: expected text, got {type(text).__name__}")
    if not text.strip():
        raise InputError(f"{what} is empty; write for example l1 <= 2*n*exp(-gamma/tau), or gap >= gamma")
    if len(text) > MAX_LENGTH:
        raise InputError(f"{what} has {len(text)} characters; at most {MAX_LENGTH} are accepted")
    depth = deepest = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        deepest = max(deepest, depth)
    operations = len(re.findall(r"[-+*/^(]", text))
    if deepest > MAX_DEPTH or operations > MAX_OPERATIONS:
        raise InputError(
            f"{what} is too large; at most {MAX_OPERATIONS} operations, nested {MAX_DEPTH} deep, are accepted"
        )
    try:
        return _parser(start).parse(text)
    except UnexpectedInput as error:
        place, message = fault(text, _parser(start), error)
    except PlacedError as error:
        place, message = error.place, str(error)
    raise InputError(f"{what}, column {place + 1}: {message}")


class _Builder(Transformer[Token, Any]):
    """One method per rule of the grammar."""

    @placed
    def claim(self, items: list[Any]) -> Statement:
        return Statement("", str(items[0]), _relation(items[1]), items[2])

    @placed
    def equivalence(self, items: list[Any]) -> Statement:
        quantity, relation, bound, comparisons = items
        if len(comparisons) != 1 or comparisons[0].op == "=" or _relation(relation) == "=":
            raise InputError(
                "an equivalence is between two inequalities, such as l1 <= eps iff tau <= gamma/log(n/eps)"
            )
        return Statement("", str(quantity), _relation(relation), bound, comparisons[0])

    def comparison(self, items: list[Any]) -> list[Comparison]:
        return [Comparison(items[j], _relation(items[j + 1]), items[j + 2]) for j in range(0, len(items) - 2, 2)]

    @placed
    def row_bound(self, items: list[Any]) -> Assumption:
        kind = " ".join(str(items[0]).split()).replace("value range", "values")
        op, value = _relation(items[1]), items[2]
        if kind == "maxima":
            return Assumption("", "parameters", comparisons=(Comparison(Term(terms.k), op, value),))
        needed = ">=" if kind == "gap" else "<="
        if op != needed:
            raise InputError(f"the assumption about the {items[0]} is written {items[0]} {needed} ...")
        return Assumption("", kind, _size(kind, value))

    @placed
    def growth(self, items: list[Any]) -> Assumption:
        if _relation(items[2]) != ">=":
            raise InputError("the assumption about the growth is written growth one-sided >= gamma")
        return Assumption("", "growth", _size("growth", items[3]), sides=str(items[1]))

    def lookup(self, items: list[Any]) -> Assumption:
        del items
        return Assumption("", "lookup", terms.gamma)

    @placed
    def values(self, items: list[Any]) -> Assumption:
        low, high = items[1].expr, items[2].expr
        if not (low.is_Rational and high.is_Rational and low <= high):
            raise InputError("the values are in an interval of two numbers, such as values in [0, 1]")
        return Assumption("", "values", high - low, low=low)

    @placed
    def hard(self, items: list[Any]) -> Assumption:
        if _relation(items[1]) != "=":
            raise InputError("hard attention is chosen by hard = average, leftmost or rightmost")
        return Assumption("", "hard", tie=Tie(str(items[2])))

    @placed
    def add(self, items: list[Any]) -> Term:
        return terms.combine("+", items[0], items[2])

    @placed
    def sub(self, items: list[Any]) -> Term:
        return terms.combine("-", items[0], items[2])

    @placed
    def mul(self, items: list[Any]) -> Term:
        return terms.combine("*", items[0], items[2])

    @placed
    def div(self, items: list[Any]) -> Term:
        return terms.combine("/", items[0], items[2])

    def minus(self, items: list[Any]) -> Term:
        return terms.negative(items[1])

    @placed
    def power(self, items: list[Any]) -> Term:
        return terms.power(items[0], items[2])

    @placed
    def number(self, items: list[Any]) -> Term:
        return terms.number(str(items[0]))

    def variable(self, items: list[Any]) -> Term:
        return terms.variable(str(items[0]))

    @placed
    def function(self, items: list[Any]) -> Term:
        return terms.function(str(items[0]), items[1:])


def _relation(token: Any) -> str:
    return "=" if str(token) == "==" else str(token)


_SIZES = {
    "gap": (terms.gamma, terms.delta),
    "spread": (terms.delta, terms.gamma),
    "perturbation": (terms.eta, terms.gamma, terms.delta),
    "growth": (terms.gamma, terms.delta),
    "values": (terms.D,),
}


def _size(kind: str, value: Term) -> Any:
    """The bound of an assumption about the row: a variable that stands for it, or a number."""
    expr = value.expr
    if expr in _SIZES[kind]:
        return expr
    if expr.is_Rational and (expr > 0 or (expr == 0 and kind in ("perturbation", "values"))):
        return expr
    what = {"values": "value range"}.get(kind, kind)
    known = " or ".join(str(symbol) for symbol in _SIZES[kind])
    raise InputError(f"the {what} is bounded by the variable {known} or by a number > 0, got {expr}")


@lru_cache(maxsize=3)
def _parser(start: str) -> Lark:
    grammar = files("checker.claims").joinpath("claim.lark").read_text(encoding="utf-8")
    return Lark(grammar, start=start, parser="lalr", transformer=_Builder(), maybe_placeholders=False)
