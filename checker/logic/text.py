"""Formulas as text: the parser, and the printer whose output parses to the same formula.

From the tightest to the loosest, with parentheses wherever something else is meant:

    a  "begin"  true  false  first  last          a letter, a quoted name, constants; first is i == 1, last is i == n
    i % 2 == 1   2*i <= n   i in {1, 4, 9}        comparisons of expressions in i and n (see checker.position)
    #<-[a] - 2*#[b] >= 1   #->[a S b] % 3 == 2    comparisons of counts of the positions j <= i, j >= i, or all j
    ! Y P O H X F G                               not; yesterday, once (P or O), historically; next, eventually, always
    S T U R W                                     since and its dual; until, its dual, weak until: right to left
    &                                             and: left to right
    |                                             or: left to right
    ->                                            implies: right to left
    <->                                           if and only if: left to right

A symbol is one letter, other than the letters of operators (Y P O H X F G S U R W T) and i and n; all other names are
quoted, with \\" and \\\\ for " and \\. Comparisons may be chained: 1 < i < n is 1 < i & i < n. Beside counts, i stands
for #<-[true] and n for #[true], and everything must be linear with integer coefficients.
Text is read from left to right, each formula being built as soon as it is complete: nesting needs no recursion.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from checker.errors import InputError
from checker.exact import show
from checker.logic.formula import BINARY, UNARY, Formula, Kind, Side

MAX_TEXT = 10**6
"""Most characters of the text of a formula."""

_IFF, _IMPLIES, _OR, _AND, _COMPARISON, _BINARY, _UNARY, _ATOM = range(8)
_LEVEL = {Kind.IFF: _IFF, Kind.IMPLIES: _IMPLIES, Kind.OR: _OR, Kind.AND: _AND}
# A comparison binds tighter than all connectives, but `Y (i == 1)` is easier to read than `Y i == 1`.
_SIDES = {
    Kind.IFF: (_IFF, _IMPLIES),
    Kind.IMPLIES: (_OR, _IMPLIES),
    Kind.OR: (_OR, _AND),
    Kind.AND: (_AND, _COMPARISON),
}


def parse_formula(text: str) -> Formula:
    """The formula written; see the module for the syntax.

    Raises InputError, with the column (from 1) and what was expected there, for anything else.

    >>> parse_formula("a S b & !(i in {1, 4})")
    <formula a S b & !(first | i == 4)>
    """
    from checker.logic.reader import read

    if not isinstance(text, str):
        raise InputError(f"expected the text of a formula, got {type(text).__name__} {show(text)}")
    if len(text) > MAX_TEXT:
        raise InputError(f"the formula has {len(text)} characters; at most {MAX_TEXT} are accepted")
    return read(text)


def to_text(formula: Formula) -> str:
    """The text of a formula, with no more parentheses than needed or helpful: parse_formula(to_text(f)) is f.

    Raises InputError if it has more than MAX_TEXT characters, as formulas with many repeated parts may.

    >>> to_text(parse_formula("((a)->(b->(a&b)))"))
    'a -> b -> a & b'
    """
    length, found = 0, []
    for piece in pieces(formula):
        length += len(piece)
        found.append(piece)
        if length > MAX_TEXT:
            raise InputError(f"the text of the formula has more than {MAX_TEXT} characters")
    return "".join(found)


def short_text(formula: Formula, most: int = 200) -> str:
    """The text of a formula, cut after about `most` characters; for messages."""
    text = "".join(islice(pieces(formula), most))
    return text if len(text) <= most else text[: most - 3] + "..."


def pieces(formula: Formula) -> Iterator[str]:
    """The text of a formula, piece by piece; without recursion."""
    stack: list[str | tuple[Formula, int]] = [(formula, _IFF)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        node, least = item
        level, written = _written(node)
        stack.extend(reversed(written if level >= least else ["(", *written, ")"]))


def _written(node: Formula) -> tuple[int, list[str | tuple[Formula, int]]]:
    """How tightly the node binds, and its text: strings, and parts with how tightly they must bind."""
    kind, data = node.kind, node.data
    if kind in UNARY:
        return _UNARY, [kind.value, "" if kind is Kind.NOT else " ", (node.parts[0], _UNARY)]
    if kind in BINARY:
        left, right = _SIDES.get(kind, (_UNARY, _BINARY))
        return _LEVEL.get(kind, _BINARY), [(node.parts[0], left), f" {kind.value} ", (node.parts[1], right)]
    if kind is Kind.SYMBOL:
        return _ATOM, [_symbol(data)]
    if kind in (Kind.TRUE, Kind.FALSE):
        return _ATOM, [kind.value]
    if kind is Kind.POSITION:
        text = str(data)
        named = {"i == 1": "first", "i == n": "last"}.get(text)
        return (_COMPARISON, [text]) if named is None else (_ATOM, [named])
    if kind is Kind.REMAINDER:
        return _COMPARISON, [*_count(data.side, node.parts[0]), f" % {data.modulus} == {data.residue}"]
    assert kind is Kind.COUNT
    written: list[str | tuple[Formula, int]] = []
    for coefficient, side, part in zip(data.coefficients, data.sides, node.parts, strict=True):
        sign = ("-" if coefficient < 0 else "") if not written else (" - " if coefficient < 0 else " + ")
        size = "" if abs(coefficient) == 1 else f"{abs(coefficient)}*"
        written += [sign + size, *_count(side, part)]
    return _COMPARISON, [*written, f" {data.relation} {data.constant}"]


def _count(side: Side, part: Formula) -> list[str | tuple[Formula, int]]:
    return [f"{side.value}[", (part, _IFF), "]"]


def _symbol(name: str) -> str:
    from checker.logic.reader import is_letter

    if is_letter(name):
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
