"""A reader of the Coq terms that the generator prints, with Coq's own precedences, and their value in floating point.

Written from Coq's reference manual, not from the printer: unary minus binds more tightly than * and /, ^ more tightly
than unary minus, application most tightly of all; + - and * / associate to the left.
"""

import math
import re

TOKEN = re.compile(r"\s*(%Z|[A-Za-z_][\w']*|\d+|=>|<=|[-+*/^():<=,])")
CALLS = {"exp": math.exp, "ln": math.log, "tanh": math.tanh, "Rabs": abs, "IZR": float}


class CoqTerm:
    """Evaluates one real term: names gives the numbers and the functions of the position."""

    def __init__(self, text, names):
        self.tokens, end = [], 0
        for match in TOKEN.finditer(text):
            assert match.start() == end, text[end:]
            self.tokens.append(match.group(1))
            end = match.end()
        assert not text[end:].strip()
        self.next, self.names = 0, dict(names)

    def value(self):
        result = self.sum()
        assert self.next == len(self.tokens), self.tokens[self.next :]
        return result

    def peek(self):
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        assert expected is None or token == expected, (expected, token, self.tokens)
        self.next += 1
        return token

    def sum(self):
        result = self.product()
        while self.peek() in ("+", "-"):
            result = result + self.product() if self.take() == "+" else result - self.product()
        return result

    def product(self):
        result = self.minus()
        while self.peek() in ("*", "/"):
            result = result * self.minus() if self.take() == "*" else result / self.minus()
        return result

    def minus(self):
        if self.peek() == "-":
            self.take()
            return -self.minus()
        return self.power()

    def power(self):
        base = self.application()
        if self.peek() == "^":
            self.take()
            return base ** int(self.take())
        return base

    def application(self):
        token = self.peek()
        if token == "sum":
            return self.finite_sum()
        if token in CALLS:
            self.take()
            return CALLS[token](self.atom())
        if callable(self.names.get(token)):
            self.take()
            return self.names[token](self.atom())
        return self.atom()

    def finite_sum(self):
        for token in ("sum", "(", "positions"):
            self.take(token)
        last = self.atom()
        self.take(")")
        self.take("(")
        self.take("fun")
        var = self.take()
        self.take("=>")
        start, total = self.next, 0.0
        for place in range(1, int(last) + 1):
            self.next, self.names[var] = start, place
            total += self.sum()
        if int(last) < 1:
            depth = 1
            while depth:
                depth += {"(": 1, ")": -1}.get(self.take(), 0)
            return 0.0
        self.take(")")
        return total

    def atom(self):
        token = self.take()
        if token == "(":
            result = self.sum()
            self.take(")")
        else:
            result = int(token) if token.isdigit() else self.names[token]
        if self.peek() == "%Z":
            self.take()
            assert int(result) == result
            return int(result)
        return result
