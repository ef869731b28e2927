"""From text to formulas: the grammar formula.lark, what each of its rules builds, and its errors in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from checker import position as exprs
from checker.errors import InputError
from checker.exact import exact_int
from checker.grammar import PlacedError, placed
from checker.logic import formula as logic
from checker.logic import sums
from checker.logic.formula import Formula, Kind, Side
from checker.logic.sums import Sum
from checker.position import Comparison

_LETTER = re.compile(r"(?![YPOHXFGSURWTin])[^\W\d_]")
_KINDS = {kind.value: kind for kind in (*logic.UNARY, *logic.BINARY)} | {"O": Kind.ONCE}
_CONSTANTS: dict[str, Callable[[], Formula]] = {
    "true": logic.true,
    "false": logic.false,
    "first": lambda: logic.position(exprs.parse_comparison("i == 1")),
    "last": lambda: logic.position(exprs.parse_comparison("i == n")),
}


def is_letter(name: str) -> bool:
    """Whether the symbol is written without quotes."""
    return _LETTER.fullmatch(name) is not None


def read(text: str) -> Formula:
    """See checker.logic.text.parse_formula."""
    try:
        result: Any = _parser().parse(text)  # the formula that the rules have built
    except UnexpectedInput as error:
        place, message = _fault(text, error)
    except PlacedError as error:
        place, message = error.place, str(error)
    else:
        assert isinstance(result, Formula)
        return result
    line = text.count("\n", 0, place)
    column = place - text.rfind("\n", 0, place)
    where = f"line {line + 1}, column {column}" if "\n" in text else f"column {column}"
    raise InputError(f"the formula, {where}: {message}")


def _operation(build: Callable[[Sum, Sum], Sum]) -> Callable[[Any, list[Any]], Any]:
    return placed(lambda _, items: build(items[0], items[2]))


class _Builder(Transformer[Token, Any]):
    """One method per rule of the grammar; the items are what the rule's parts built, and its named tokens."""

    def iff(self, items: list[Any]) -> Formula:
        return logic.binary(Kind.IFF, *items)

    def implies(self, items: list[Any]) -> Formula:
        return logic.binary(Kind.IMPLIES, *items)

    def either(self, items: list[Any]) -> Formula:
        return logic.binary(Kind.OR, *items)

    def both(self, items: list[Any]) -> Formula:
        return logic.binary(Kind.AND, *items)

    def binary(self, items: list[Any]) -> Formula:
        return logic.binary(_KINDS[str(items[1])], items[0], items[2])

    def unary(self, items: list[Any]) -> Formula:
        return logic.unary(_KINDS[str(items[0])], items[1])

    def letter(self, items: list[Any]) -> Formula:
        return logic.symbol(str(items[0]))

    @placed
    def quoted(self, items: list[Any]) -> Formula:
        return logic.symbol(re.sub(r"\\(.)", r"\1", str(items[0])[1:-1]))

    def constant(self, items: list[Any]) -> Formula:
        return _CONSTANTS[str(items[0])]()

    @placed
    def comparison(self, items: list[Any]) -> Formula:
        found = [sums.compare(*items[k : k + 3]) for k in range(0, len(items) - 2, 2)]
        result = found[0]
        for item in found[1:]:
            result = logic.binary(Kind.AND, result, item)
        return result

    @placed
    def member(self, items: list[Any]) -> Formula:
        return sums.member(items[0], items[2:])

    @placed
    def integer(self, items: list[Any]) -> int:
        return exact_int("".join(items), "a member of a set")

    add = _operation(sums.add)
    sub = _operation(sums.sub)
    mul = _operation(sums.mul)
    div = _operation(sums.div)
    modulo = _operation(sums.modulo)

    @placed
    def negative(self, items: list[Any]) -> Sum:
        return sums.negative(items[1])

    @placed
    def power(self, items: list[Any]) -> Sum:
        return sums.power(items[0], exact_int(str(items[2]), "the exponent"))

    @placed
    def number(self, items: list[Any]) -> Sum:
        return sums.number(str(items[0]))

    def variable(self, items: list[Any]) -> Sum:
        return sums.variable(str(items[0]))

    def count(self, items: list[Any]) -> Sum:
        return sums.counted(Side(str(items[0])), items[1])

    @placed
    def chain(self, items: list[Any]) -> list[Comparison]:
        return [sums.pure(*items[k : k + 3]) for k in range(0, len(items) - 2, 2)]

    @placed
    def bracket(self, items: list[Any]) -> Sum:
        return sums.bracket([comparison for chain in items[1:] for comparison in chain])


@lru_cache(maxsize=1)
def _parser() -> Lark:
    grammar = files("checker.logic").joinpath("formula.lark").read_text(encoding="utf-8")
    return Lark(grammar, start="formula", parser="lalr", transformer=_Builder(), maybe_placeholders=False)


_OPERATORS = "an operator (S T U R W & | -> <->)"
_EXPECTED = {  # names of tokens that may follow; a name stands for those after it, too
    "UNARY": "a formula",
    "SIDE": "a number, i, n or a count such as #[a]",
    "NUMBER": "a number",
    "VARIABLE": "i or n",
    "RELATION": "a relation (<, <=, ==, !=, >=, >)",
    "IN": "in {...}",
    "STAR": "an operation (+ - * / % ^)",
    "PLUS": "+ or -",
    "VBAR": _OPERATORS,
    "AMPERSAND": "&",
    "LSQB": "[",
    "LBRACE": "{",
    "COMMA": "a comma",
    "RPAR": ")",
    "RSQB": "]",
    "RBRACE": "}",
    "$END": "the end",
}
_IMPLIED = {
    "UNARY": {"SIDE", "NUMBER", "VARIABLE", "LSQB"},
    "SIDE": {"NUMBER", "VARIABLE", "LSQB"},
    "STAR": {"PLUS"},
    "VBAR": {"AMPERSAND"},
}


def _fault(text: str, error: UnexpectedInput) -> tuple[int, str]:
    """The place of a syntax error, from 0, and what is wrong there."""
    place = len(text)
    if isinstance(error, UnexpectedCharacters):
        place = error.pos_in_stream or 0
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        place = error.token.start_pos or 0
    # Read the text before that place again: the parser then knows exactly what may follow.
    parser = _parser().parse_interactive(text[:place])
    parser.exhaust_lexer()
    tokens = parser.accepts()
    names = []
    for token, name in _EXPECTED.items():
        if token in tokens:
            names.append(name)
            tokens = tokens - _IMPLIED.get(token, set())
    if text[place : place + 1] == '"' and "a formula" in names:
        return place, 'this quote does not begin a name; names are written like "begin", with \\" for a quote'
    found = "the end" if place >= len(text) else repr(text[place])
    message = f"found {found}, expected {' or '.join(names)}"
    if text[place : place + 1].isalnum() and text[:place][-1:].isalpha():
        message += "; names of several letters are quoted"
    return place, message
