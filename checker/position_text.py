"""Expressions in i and n as text: the grammar, and the printer whose output parses to the same expression.

Text is parsed bottom-up, every node being built as soon as it is complete, so nesting needs no recursion.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

from checker import position
from checker.errors import InputError
from checker.exact import exact_int, show
from checker.position import Comparison, Expression, Op

MAX_TEXT = 10**6

GRAMMAR = r"""
    expression: sum
    comparison: sum RELATION sum

    ?sum: product
        | sum "+" product               -> add
        | sum "-" product               -> sub
    ?product: unary
        | product "*" unary             -> mul
        | product "/" unary             -> div
        | product "%" unary             -> modulo
    ?unary: power
        | "-" unary                     -> negative
    ?power: atom
        | atom "^" NUMBER               -> power
    ?atom: NUMBER                       -> number
        | NAME                          -> variable
        | "(" sum ")"
        | "[" chain ("&" chain)* "]"    -> bracket
    chain: sum (RELATION sum)+

    RELATION: "<=" | ">=" | "==" | "!=" | "<" | ">"
    NUMBER: /[0-9]+(\.[0-9]+)?/
    NAME: /[^\W\d]\w*/
    %ignore /[ \t\r\n]+/
"""

_WORDS = {
    "NUMBER": "a number",
    "NAME": "i or n",
    "RELATION": "a relation (<, <=, ==, !=, >=, >)",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "STAR": "'*'",
    "SLASH": "'/'",
    "PERCENT": "'%'",
    "CIRCUMFLEX": "'^'",
    "AMPERSAND": "'&'",
    "$END": "the end",
}


_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(5)
_LEVEL = {Op.ADD: _SUM, Op.SUB: _SUM, Op.MUL: _PRODUCT, Op.DIV: _PRODUCT, Op.MODULO: _PRODUCT}


class _Builder(Transformer[Token, Any]):
    add = v_args(inline=True)(staticmethod(position.add))
    sub = v_args(inline=True)(staticmethod(position.sub))
    mul = v_args(inline=True)(staticmethod(position.mul))
    div = v_args(inline=True)(staticmethod(position.div))
    modulo = v_args(inline=True)(staticmethod(position.modulo))
    negative = v_args(inline=True)(staticmethod(position.negative))

    def expression(self, items: list[Any]) -> Any:
        return items[0]

    def comparison(self, items: list[Any]) -> Comparison:
        return Comparison(items[0], str(items[1]), items[2])

    def number(self, items: list[Any]) -> Expression:
        return position.number(str(items[0]))

    def variable(self, items: list[Any]) -> Expression:
        try:
            return position.variable(str(items[0]))
        except InputError as error:
            raise InputError(f"column {items[0].start_pos + 1}: {error}") from None

    def power(self, items: list[Any]) -> Expression:
        try:
            return position.power(items[0], exact_int(str(items[1]), "the exponent"))
        except InputError as error:
            raise InputError(f"column {items[1].start_pos + 1}: {error}") from None

    def chain(self, items: list[Any]) -> list[Comparison]:
        return [Comparison(items[k], str(items[k + 1]), items[k + 2]) for k in range(0, len(items) - 2, 2)]

    def bracket(self, items: list[Any]) -> Expression:
        return position.bracket(*(comparison for chain in items for comparison in chain))


@lru_cache(maxsize=1)
def _parser() -> Lark:
    starts = ["expression", "comparison"]
    return Lark(
        GRAMMAR, parser="lalr", lexer="contextual", start=starts, transformer=_Builder(), maybe_placeholders=False
    )


def parse_expression(text: str) -> Expression:
    """See checker.position.parse."""
    result: Expression = _parse(text, "expression")
    return result


def parse_comparison(text: str) -> Comparison:
    """See checker.position.parse_comparison."""
    result: Comparison = _parse(text, "comparison")
    return result


def _parse(text: str, start: str) -> Any:
    if not isinstance(text, str):
        raise InputError(f"expected text, the {start} in i and n, got {type(text).__name__} {show(text)}")
    if len(text) > MAX_TEXT:
        raise InputError(f"the {start} in i and n has {len(text)} characters; at most {MAX_TEXT} are accepted")
    try:
        return _parser().parse(text, start=start)
    except UnexpectedInput as error:
        raise InputError(f"{show(text)}, {_fault(text, start, error)}") from None
    except VisitError as error:
        if isinstance(error.orig_exc, InputError):
            raise InputError(f"{show(text)}: {error.orig_exc}") from None
        raise
    except InputError as error:
        raise InputError(f"{show(text)}: {error}") from None


def _fault(text: str, start: str, error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedCharacters):
        place = error.pos_in_stream or 0
        found = show(text[place])
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        place = error.token.start_pos or 0
        found = show(str(error.token))
    else:
        place, found = len(text), "the end"
    before = _parser().parse_interactive(text[:place], start=start)
    before.exhaust_lexer()
    accepted = before.accepts()
    names = [word for name, word in _WORDS.items() if name in accepted]
    return f"column {place + 1}: found {found}, expected {' or '.join(names)}"


def to_text(expression: Expression) -> str:
    """The text of an expression, as str() gives it."""
    return _text(expression, _SUM)


def _text(node: Expression, least: int) -> str:
    """The text of the node, in brackets when it binds less tightly than `least`."""
    level = _LEVEL.get(node.op, _ATOM)
    if node.op is Op.NUMBER:
        value: Any = node.value
        text = str(value)
        level = _PRODUCT if value.denominator != 1 else _UNARY if value < 0 else _ATOM
    elif node.op is Op.VARIABLE:
        text = str(node.value)
    elif node.op is Op.BRACKET:
        text = _conditions(node.parts)
    elif node.op is Op.POWER:
        text, level = f"{_text(node.parts[0], _ATOM)}^{node.value}", _POWER
    elif node.op is Op.MUL and node.parts[0].op is Op.NUMBER and node.parts[0].value == -1:
        text, level = f"-{_text(node.parts[1], _UNARY)}", _UNARY
    else:
        space = "" if node.op in (Op.MUL, Op.DIV) else " "
        mixed = level == _PRODUCT and node.parts[0].op is Op.MODULO  # (i % 2)*n, which needs no brackets, gets them
        left, right = _text(node.parts[0], _ATOM if mixed else level), _text(node.parts[1], level + 1)
        text = f"{left}{space}{node.op.value}{space}{right}"
    return text if level >= least else f"({text})"


def _conditions(comparisons: tuple[Comparison, ...]) -> str:
    text, before = "", None
    for item in comparisons:
        if item.left == before:
            text += f" {item.relation} {_text(item.right, _SUM)}"
        else:
            text += f"{' & ' if text else ''}{_text(item.left, _SUM)} {item.relation} {_text(item.right, _SUM)}"
        before = item.right
    return f"[{text}]"
