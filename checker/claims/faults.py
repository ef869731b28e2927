"""What is wrong with a text that is no claim: the place of the fault, what was expected, and what is probably meant."""

from __future__ import annotations

import re

from lark import Lark
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from checker.claims import expression as terms

HINTS = {"e": "write exp(...) for powers of e", "N": "the number of positions is n", "T": "the temperature is tau"}
FUNCTIONS = ("exp", "log", "sqrt", "tanh", "min", "max", "floor", "ceil", "abs")
SYMBOLS = {"\u2264": "<=", "\u2265": ">=", "\u00b7": "*", "\u00d7": "*", "\u03c4": "tau", "\u03b3": "gamma"}

_EXPECTED = {  # names of tokens that may follow; a name stands for those after it, too
    "QUANTITY": "a quantity (l1, tv, max_weight, winner_weight, value_error, l1_moved, tv_moved)",
    "GAP": "gap, spread, perturbation, maxima, growth, lookup, values, hard, or a comparison",
    "VARIABLE": "a number, a variable or a function",
    "RELATION": "a relation (<=, <, >=, >, =)",
    "TIE": "average, leftmost or rightmost",
    "SIDES": "one-sided or two-sided",
    "IN": "in [...]",
    "IFF": "iff",
    "PLUS": "an operation (+ - * / ^)",
    "STAR": "an operation (+ - * / ^)",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "COMMA": "a comma",
    "$END": "the end",
}


def fault(text: str, parser: Lark, error: UnexpectedInput) -> tuple[int, str]:
    """The place of a syntax error, from 0, and what is wrong there."""
    place = len(text)
    if isinstance(error, UnexpectedCharacters):
        place = error.pos_in_stream or 0
    elif isinstance(error, UnexpectedToken) and error.token.type != "$END":
        place = error.token.start_pos or 0
    tokens: set[str] = set()
    state = parser.parse_interactive(text[:place])
    try:
        state.exhaust_lexer()
        tokens = set(state.accepts())
    except UnexpectedInput:  # the text before that place ends inside a word
        pass
    names = []
    for token, name in _EXPECTED.items():
        if token in tokens and name not in names and not (token == "LPAR" and "VARIABLE" in tokens):
            names.append(name)
    if "GAP" in tokens:
        names = [name for name in names if name != _EXPECTED["VARIABLE"]]
    word = re.match(r"[^\W\d]\w*", text[place:])
    if word and word[0] not in terms.VARIABLES and "VARIABLE" in tokens and "QUANTITY" not in tokens:
        known = ", ".join(terms.VARIABLES)
        hint = f" ({HINTS[word[0]]})" if word[0] in HINTS else ""
        return place, f"unknown name {word[0][:40]!r}{hint}; the variables are {known}"
    found = "the end" if place >= len(text) else repr(word[0][:40] if word else text[place])
    expected = f", expected {' or '.join(names)}" if names else ""
    hint = _hint(text[place : place + 1], word[0] if word else "", operation=_EXPECTED["STAR"] in names)
    return place, f"found {found}{hint}{expected}"


def _hint(character: str, word: str, *, operation: bool) -> str:
    """What is probably meant, in parentheses, for what readers of papers write."""
    if character in SYMBOLS:
        return f" (write {SYMBOLS[character]})"
    factor = word in terms.VARIABLES or word in FUNCTIONS or character == "("
    return " (products are written with *)" if operation and factor else ""
