"""Two small readers, of printed text and of printed LaTeX, that compute the value of what a reader would see."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from steps_fixture import value_at, value_of_name

from proofs.latex_names import LETTERS, PRIMED, WORDS, symbol_name

Bound = dict[str, float]
Meaning = Callable[[Bound], float]
CALLS = {"exp": math.exp, "log": math.log, "tanh": math.tanh}


class Reader:
    """Recursive descent: sum := ['-'] product (('+'|'-') product)*, product := power (('*'|'/') power)*."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.next = [*tokens, ""], 0

    def peek(self) -> str:
        return self.tokens[self.next]

    def take(self, *expected: str) -> str:
        token = self.peek()
        assert not expected or token in expected, f"{token!r} at {self.tokens[: self.next]}, not one of {expected}"
        self.next += 1
        return token

    def whole(self) -> Meaning:
        meaning = self.sum()
        assert self.peek() == "", self.tokens[self.next :]
        return meaning

    def sum(self) -> Meaning:
        negative = self.peek() == "-" and self.take()
        first = self.product()
        terms = [(-1 if negative else 1, first)]
        while self.peek() in ("+", "-"):
            terms.append((1 if self.take() == "+" else -1, self.product()))
        return lambda bound: math.fsum(sign * term(bound) for sign, term in terms)

    def product(self) -> Meaning:
        factors = [(1, self.power())]
        while True:
            if self.peek() in ("*", "/"):
                factors.append((1 if self.take() == "*" else -1, self.power()))
            elif self.starts_factor():
                factors.append((1, self.power()))
            else:
                return lambda bound: math.prod(factor(bound) ** exponent for exponent, factor in factors)

    def starts_factor(self) -> bool:
        return False

    def power(self) -> Meaning:
        base = self.atom()
        if self.peek() == "^":
            self.take()
            exponent = self.exponent()
            return lambda bound: base(bound) ** exponent(bound)
        return base

    def exponent(self) -> Meaning:
        return self.atom()

    def atom(self) -> Meaning:
        raise NotImplementedError

    def bracketed(self, closing: str) -> Meaning:
        meaning = self.sum()
        self.take(closing)
        return meaning


def number(token: str) -> Meaning:
    return lambda _: int(token)


def name(token: str) -> Meaning:
    return lambda bound: bound[token] if token in bound else value_of_name(token)


def ranged(fold: Callable[[list[float]], float], var: str, lo: Meaning, hi: Meaning, body: Meaning) -> Meaning:
    def meaning(bound: Bound) -> float:
        return fold([body({**bound, var: place}) for place in range(int(lo(bound)), int(hi(bound)) + 1)])

    return meaning


class TextReader(Reader):
    """Reads what proofs/text_terms.py prints."""

    TOKEN = re.compile(r"\d+|sum_|max_|[A-Za-z]\w*'?|\.\.|[-+*/^(){}|=,]")

    def __init__(self, text: str) -> None:
        assert self.TOKEN.sub("", text).strip() == "", text
        super().__init__(self.TOKEN.findall(text))

    def atom(self) -> Meaning:
        token = self.take()
        if token.isdigit():
            return number(token)
        if token == "(":
            return self.bracketed(")")
        if token == "|":
            inside = self.bracketed("|")
            return lambda bound: abs(inside(bound))
        if token in ("sum_", "max_"):
            lo, hi = number("1"), name("n")
            if self.peek() == "{":
                self.take()
                var = self.take()
                self.take("=")
                lo = self.sum()
                self.take("..")
                hi = self.sum()
                self.take("}")
            else:
                var = self.take()
            return ranged(math.fsum if token == "sum_" else max, var, lo, hi, self.product())
        if self.peek() == "(":
            self.take()
            inside = self.bracketed(")")
            if token in CALLS:
                return lambda bound: CALLS[token](inside(bound))
            return lambda bound: value_at(token, inside(bound))
        return name("zp" if token == "Z'" else token)


NAMES = {symbol_name(known)[0]: known for known in (*LETTERS, *PRIMED, *WORDS)}
STOPS = (r"\rvert", r"\le")


class LatexReader(Reader):
    """Reads what proofs/latex_terms.py prints, but for the small circles of certificates."""

    TOKEN = re.compile(r"\\mathrm\{[^}]*\}|\\[A-Za-z]+|\d+|[A-Za-z]|[-+/^_(){}='*,]")

    def __init__(self, tex: str) -> None:
        tex = re.sub(r"\\[bB]ig+[lr]|\\,", " ", tex)
        assert self.TOKEN.sub("", tex).strip() == "", tex
        super().__init__(self.TOKEN.findall(tex))

    def starts_factor(self) -> bool:
        token = self.peek()
        return token in ("(", "{", r"\lvert") or token[:1].isalnum() or (token[:1] == "\\" and token not in STOPS)

    def group(self) -> Meaning:
        self.take("{")
        return self.bracketed("}")

    def exponent(self) -> Meaning:
        return self.group()

    def atom(self) -> Meaning:
        token = self.take()
        if token.isdigit():
            return number(token)
        if token in ("(", "{", r"\lvert"):
            inside = self.bracketed({"(": ")", "{": "}", r"\lvert": r"\rvert"}[token])
            return (lambda bound: abs(inside(bound))) if token == r"\lvert" else inside
        if token == r"\frac":
            above, below = self.group(), self.group()
            return lambda bound: above(bound) / below(bound)
        if token == "e" and self.peek() == "^":
            self.take()
            exponent = self.group()
            return lambda bound: math.exp(exponent(bound))
        if token in (r"\exp", r"\log", r"\tanh"):
            self.take("(")
            argument = self.bracketed(")")
            return lambda bound: CALLS[token[1:]](argument(bound))
        if token == r"\Theta":
            self.take("(")
            inside = self.bracketed(")")
            return lambda bound: value_at("Theta", inside(bound))
        if token in (r"\sum", r"\max"):
            return self.over_range(token)
        return self.named(token)

    def over_range(self, token: str) -> Meaning:
        self.take("_")
        self.take("{")
        if token == r"\sum":
            var = self.take()
            self.take("=")
            lo = self.bracketed("}")
            self.take("^")
            return ranged(math.fsum, var, lo, self.group(), self.product())
        lo = self.sum()
        self.take(r"\le")
        var = self.take()
        self.take(r"\le")
        return ranged(max, var, lo, self.bracketed("}"), self.product())

    def named(self, token: str) -> Meaning:
        while self.peek() == "'":
            token += self.take()
        if self.peek() == "_" and self.tokens[self.next + 1] != "{":
            token += self.take() + self.take()
        known = NAMES[token]
        if self.peek() == "_":
            self.take()
            index = self.group()
            return lambda bound: value_at(known, index(bound))
        return name(known)
