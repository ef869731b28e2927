"""Reads the equations of a coefficient certificate back from the words in which the decision procedure reports it.

`coefficients: no negative one after n = k + n', |..|' = ...` names, for each eliminated variable x, its value in terms
of new variables x' >= 0. The words are those of str(): names, calls, numbers, + - * / **, Sum(f, (j, 1, n)), and a
prime after the name of a new variable. For display only; words of another shape are left as they are.
"""

from __future__ import annotations

import re

import sympy as sp

from .props import MaxOver

Primed = sp.Function("Primed", real=True)
"""Primed(x): the new variable that replaces the atom x."""

Equation = tuple[sp.Expr, sp.Expr]

OPENING = "coefficients: no negative one after "
TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|\*\*|[-+*/(),='])")
CALLS = {"Abs": sp.Abs, "exp": sp.exp, "log": sp.log, "tanh": sp.tanh, "sqrt": sp.sqrt, "MaxOver": MaxOver}


def split_how(how: str) -> tuple[str, list[Equation], str]:
    """(words before, equations, words after): no equations, and all words in front, unless it is a certificate."""
    if not how.startswith(OPENING):
        return how, [], ""
    text, semicolon, rest = how.removeprefix(OPENING).partition(";")
    try:
        return OPENING, _Reader(text).equations(), semicolon + rest
    except ValueError:
        return how, [], ""


class _Reader:
    """Recursive descent over the tokens of a list of equations."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        end = 0
        for match in TOKEN.finditer(text):
            if match.start() != end:
                break
            self.tokens.append(match.group(1))
            end = match.end()
        if text[end:].strip():
            raise ValueError(f"unexpected {text[end:]!r}")
        self.tokens.append("")
        self.next = 0

    def _accept(self, *tokens: str) -> str:
        token = self.tokens[self.next]
        if token and token in tokens:
            self.next += 1
            return token
        return ""

    def _expect(self, token: str) -> None:
        if not self._accept(token):
            raise ValueError(f"expected {token!r}, found {self.tokens[self.next]!r}")

    def equations(self) -> list[Equation]:
        found = [self._equation()]
        while self._accept(","):
            found.append(self._equation())
        if self.tokens[self.next]:
            raise ValueError(f"unexpected {self.tokens[self.next]!r}")
        return found

    def _equation(self) -> Equation:
        left = self._sum()
        self._expect("=")
        return left, self._sum()

    def _sum(self) -> sp.Expr:
        negative = self._accept("-")
        value = -self._product() if negative else self._product()
        while operator := self._accept("+", "-"):
            term = self._product()
            value = value + term if operator == "+" else value - term
        return value

    def _product(self) -> sp.Expr:
        value = self._power()
        while operator := self._accept("*", "/"):
            factor = self._power()
            value = value * factor if operator == "*" else value / factor
        return value

    def _power(self) -> sp.Expr:
        base = self._atom()
        if self._accept("**"):
            exponent = -self._power() if self._accept("-") else self._power()
            return base**exponent
        return base

    def _atom(self) -> sp.Expr:
        token = self.tokens[self.next]
        self.next += 1
        if token.isdigit():
            return sp.Integer(int(token))
        if token == "(":
            value = self._sum()
            self._expect(")")
        elif re.fullmatch(r"[A-Za-z_]\w*", token):
            value = self._call(token) if self._accept("(") else sp.Symbol(token, real=True)
        else:
            raise ValueError(f"unexpected {token!r}")
        while self._accept("'"):
            value = Primed(value)
        return value

    def _call(self, name: str) -> sp.Expr:
        if name == "Sum":
            return self._finite_sum()
        arguments = [self._sum()]
        while self._accept(","):
            arguments.append(self._sum())
        self._expect(")")
        return CALLS.get(name, sp.Function(name, real=True))(*arguments)

    def _finite_sum(self) -> sp.Expr:
        body = self._sum()
        self._expect(",")
        self._expect("(")
        limits = [self._sum()]
        while self._accept(","):
            limits.append(self._sum())
        self._expect(")")
        self._expect(")")
        if len(limits) != 3 or not limits[0].is_Symbol:
            raise ValueError("a sum without its range")
        return sp.Sum(body, tuple(limits))
