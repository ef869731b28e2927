r"""Words with formulas in them, "TV <= (n-k)q, q = exp(-gamma/tau)", as LaTeX with the formulas as mathematics.

Statements describe themselves in plain text, so that a terminal can show them. Here the parts of such a text that are
formulas are recognised (single letters, Greek names, numbers, operators, exp, log, tanh, max, TV) and set in math mode
on one line: a slash stays a slash. Names of claims become references. For display only.
"""

from __future__ import annotations

import re

from .latex_names import GREEK, words

NAME = re.compile(r"\b(?:[A-F]\d+|[ABDS])\.[a-z][a-z0-9-]*\b")
"""The name of a claim, such as A2.bound or S.order."""
STATEMENT = re.compile(r"\b[A-F]\d\b(?!\.[a-z])")
"""The id of a statement, such as A2."""

_FUNCTIONS = {"exp": r"\exp", "log": r"\log", "tanh": r"\tanh", "max": r"\max", "min": r"\min", "sum": r"\sum"}
_NAMES = {
    **GREEK,
    "eps": r"\varepsilon",
    "lam": r"\lambda",
    "theta": r"\theta",
    "theta_3": r"\theta_3",
    "Theta": r"\Theta",
    "TV": r"\mathrm{TV}",
    "L1": "L_1",
}
_SIGNS = {"<=": r"\le ", ">=": r"\ge ", "**": "^", "*": r"\cdot ", "->": r"\to ", "...": r"\dots ", "..": r"\dots "}
_TOKEN = re.compile(r"\.\.\.?|<=|>=|->|\*\*|theta_3|L1\b|[A-Za-z]+|\d+(?:\.\d+)?|[-+*/^()<>=|',]")
_OPERATOR = re.compile(r"<=|>=|->|[-+*/<>=]")
_ARTICLES = ("a", "A", "I")


def prose(text: str) -> str:
    """Plain text in LaTeX's text mode, its formulas as mathematics and the names of claims as references."""
    chunks = text.split()
    kinds = [_is_formula(chunks, place) for place in range(len(chunks))]
    parts: list[str] = []
    place = 0
    while place < len(chunks):
        if not kinds[place]:
            parts.append(_plain(chunks[place]))
            place += 1
            continue
        run = [chunks[place]]
        while place + 1 < len(chunks) and kinds[place + 1] and not _ends(run, chunks[place + 1]):
            place += 1
            run.append(chunks[place])
        parts.append(_formula(" ".join(run)))
        place += 1
    return " ".join(parts)


def _plain(chunk: str) -> str:
    """A word, or punctuation; the name of a claim or the id of a statement becomes a reference."""
    found = NAME.search(chunk) or STATEMENT.search(chunk)
    if found is None:
        return words(chunk).replace("...", r"\dots{}")
    before, after = chunk[: found.start()], chunk[found.end() :]
    macro = "claimref" if "." in found.group(0) else "statementref"
    return words(before) + rf"\{macro}{{{found.group(0)}}}" + words(after)


def _ends(run: list[str], following: str) -> bool:
    """Whether a formula ends here: with punctuation, or before a remark, outside all parentheses."""
    text = " ".join(run)
    if text.count("(") > text.count(")"):
        return False
    opens = following.startswith("(") and following.count("(") > following.count(")")
    remark = opens and not _OPERATOR.fullmatch(run[-1])
    return remark or (text[-1] in ",;:." and not text.endswith("..."))


def _is_formula(chunks: list[str], place: int) -> bool:
    chunk = chunks[place]
    if NAME.search(chunk) or STATEMENT.search(chunk):
        return False
    bare = chunk.strip(",;:.()") if "..." not in chunk else chunk.strip(",;:()")
    if not bare:
        return False
    near = [other for other in (place - 1, place + 1) if 0 <= other < len(chunks)]
    beside = any(_OPERATOR.fullmatch(chunks[other]) for other in near)
    before = chunks[place - 1] if place else ""
    if bare in _ARTICLES:
        return beside or before.endswith("sum") or (chunk.endswith(")") and "(" in before)
    if bare == "sum":
        return _OPERATOR.fullmatch(before) is not None
    if bare.isdigit():
        factor = bare == chunk and place + 1 < len(chunks) and chunks[place + 1].strip(",;:.()") in _NAMES
        return beside or factor
    return _tokens(bare) is not None


def _tokens(text: str) -> list[str] | None:
    """The tokens of a formula; None if a part of the text is a word."""
    found: list[str] = []
    end = 0
    for match in _TOKEN.finditer(text):
        if text[end : match.start()].strip():
            return None
        token = match.group(0)
        end = match.end()
        if token.isalpha() and len(token) > 1 and token not in _NAMES and token not in _FUNCTIONS:
            letters = len(token) <= 2 and found and (found[-1].isdigit() or found[-1] in (")", "/", "("))
            if not letters:
                return None
            found += list(token)
        else:
            found.append(token)
    return None if text[end:].strip() else found


def _formula(text: str) -> str:
    """A run of formula chunks in math mode; punctuation and unmatched parentheses at its ends stay outside."""
    before = after = ""
    while text and text[-1] in ",;:." and not text.endswith("..."):
        text, after = text[:-1], text[-1] + after
    while text.endswith(")") and text.count(")") > text.count("("):
        text, after = text[:-1], ")" + after
    while text.startswith("(") and text.count("(") > text.count(")"):
        text, before = text[1:], before + "("
    while text and text[-1] in ",;:." and not text.endswith("..."):
        text, after = text[:-1], text[-1] + after
    tokens = _tokens(text)
    if tokens is None:
        return words(before + text + after)
    return f"{before}${_typeset(tokens)}${after}"


def _typeset(tokens: list[str]) -> str:
    tex = ""
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token in ("^", "**"):
            exponent, place = _exponent(tokens, place + 1)
            tex += f"^{{{exponent}}}"
            continue
        previous = tokens[place - 1] if place else ""
        if token in _FUNCTIONS:
            after = tokens[place + 1] if place + 1 < len(tokens) else ""
            tex += _FUNCTIONS[token] + ("" if after == "(" else " ")
        elif token in _NAMES:
            tex += (r"\," if previous.isalnum() and previous not in _FUNCTIONS else "") + _NAMES[token] + " "
        else:
            tex += _SIGNS.get(token, token) + (" " if token == "," else "")
        place += 1
    return re.sub(r" (?=[)}^,']|$)", "", tex)


def _exponent(tokens: list[str], place: int) -> tuple[str, int]:
    """The exponent that starts here, without its parentheses, and the place after it."""
    if place < len(tokens) and tokens[place] == "(":
        depth, end = 0, place
        while end < len(tokens):
            depth += (tokens[end] == "(") - (tokens[end] == ")")
            if depth == 0:
                break
            end += 1
        return _typeset(tokens[place + 1 : end]), end + 1
    if place < len(tokens) and tokens[place] != "-":
        return _typeset(tokens[place : place + 1]), place + 1
    end, depth = place + 1, 0  # e^-(m^2)x: all the factors that follow the sign
    while end < len(tokens) and (depth or tokens[end].isalnum() or tokens[end] == "("):
        depth += (tokens[end] == "(") - (tokens[end] == ")")
        end += 1
    return _typeset(tokens[place:end]), end
