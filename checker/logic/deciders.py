"""A second, independent decision procedure for every language of the zoo: regular expressions, automata, plain Python.

Nothing here knows formulas. Each decider takes a word as a string, one letter per symbol, the empty word included.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate

Decider = Callable[[str], bool]


@dataclass(frozen=True)
class Automaton:
    """A deterministic finite automaton: one row of next states per state; missing letters reject."""

    steps: Mapping[int, Mapping[str, int]]
    accepting: frozenset[int]
    start: int = 0

    def __call__(self, word: str) -> bool:
        """Whether the word leads from the start to an accepting state."""
        state = self.start
        for letter in word:
            following = self.steps[state].get(letter)
            if following is None:
                return False
            state = following
        return state in self.accepting


def _regular(pattern: str) -> Decider:
    compiled = re.compile(pattern)
    return lambda word: compiled.fullmatch(word) is not None


def _not(decider: Decider) -> Decider:
    return lambda word: not decider(word)


def _brackets(depth: int) -> Automaton:
    """Counts the open brackets, 0..depth."""
    steps = {k: {"(": k + 1} if k == 0 else {")": k - 1} if k == depth else {"(": k + 1, ")": k - 1}
             for k in range(depth + 1)}  # fmt: skip
    return Automaton(steps, frozenset({0}))


def _heights(word: str, up: str) -> list[int]:
    return list(accumulate((1 if letter == up else -1) for letter in word))


def _subsequence(word: str) -> bool:
    letters = iter(word)
    return all(letter in letters for letter in "abc")


def _absent_between(word: str) -> bool:
    """Between an a and the next b, there is no c: cut the word at the b's and look behind the first a."""
    *closed, _ = word.split("b")
    return not any("c" in part.partition("a")[2] for part in closed)


def _answered(word: str) -> bool:
    return all("b" in word[place + 1 : place + 3] for place, letter in enumerate(word) if letter == "a")


def _chain_answered(word: str) -> bool:
    """Every a has a b, and a c behind that b: so after the last a."""
    return "a" not in word or _regular("[^b]*b.*c.*")(word[word.rindex("a") + 1 :])


def _odd_after_odd(word: str) -> bool:
    blocks = [match.group() for match in re.finditer("a+|b+", word)]
    odd_a = False
    for block in blocks:
        if block[0] == "a":
            odd_a = odd_a or len(block) % 2 == 1
        elif odd_a and len(block) % 2 == 1:
            return True
    return False


def _prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))


def _squares(word: str) -> bool:
    return all((letter == "a") == (math.isqrt(place) ** 2 == place <= 144) for place, letter in enumerate(word, 1))


def _a_then_b(word: str) -> bool:
    half = len(word) // 2
    return word == "a" * half + "b" * half


def _a_then_b_then_c(word: str) -> bool:
    third = len(word) // 3
    return word == "a" * third + "b" * third + "c" * third


def _nested(word: str) -> bool:
    while "()" in word:
        word = word.replace("()", "")
    return not word


def _ahead(word: str) -> bool:
    leads = sum(word[: place + 1].count("a") > word[: place + 1].count("b") for place in range(len(word)))
    return leads >= len(word) / 2


_PARITIES = Automaton({0: {"a": 1, "b": 2}, 1: {"a": 0, "b": 3}, 2: {"a": 3, "b": 0}, 3: {"a": 2, "b": 1}},
                      frozenset({0}))  # fmt: skip
_DIFFERENCE = Automaton({k: {"a": (k + 1) % 3, "b": (k - 1) % 3} for k in range(3)}, frozenset({0}))
_PARITY = Automaton({0: {"a": 1, "b": 0}, 1: {"a": 0, "b": 1}}, frozenset({1}))

DECIDERS: dict[str, Decider] = {
    "ends-with-ab": _regular("[ab]*ab"),
    "second-last-a": lambda word: word[-2:-1] == "a",
    "last-two-equal": _regular("[ab]*(aa|bb)"),
    "trigram": lambda word: word[-3:] in ("abc", "bac"),
    "tomita-1": _regular("a*"),
    "tomita-7": _regular("b*a*b*a*"),
    "sorted": _regular("a*b*"),
    "subsequence-abc": _subsequence,
    "every-symbol": lambda word: set(word) == set("abc"),
    "tomita-2": _regular("(ab)*"),
    "tomita-4": lambda word: "bbb" not in word,
    "aa-but-not-bb": lambda word: "aa" in word and "bb" not in word,
    "one-b": _regular("a*ba*"),
    "first-is-last": lambda word: word != "" and word[0] == word[-1],
    "since": _regular("[abc]*ba*"),
    "until": _regular("a*b[abc]*"),
    "begins-with-ab": lambda word: word.startswith("ab"),
    "dyck-1-depth-1": _brackets(1),
    "dyck-1-depth-2": _brackets(2),
    "dyck-1-depth-3": _brackets(3),
    "absence": _regular("[ab]*"),
    "absence-after": _regular("[ac]*(b[ab]*)?"),
    "absence-between": _absent_between,
    "existence": lambda word: "c" in word,
    "universality-before": _regular("a*(b[abc]*)?"),
    "precedence": _regular("c*(a[abc]*)?"),
    "response": _regular("([bc]|a[ac]*b)*"),
    "bounded-response": _answered,
    "response-chain": _chain_answered,
    "bounded-existence": lambda word: word.count("a") <= 2,
    "even-a": _regular("(aa)*"),
    "even-length": lambda word: len(word) % 2 == 0,
    "a-at-odd": _regular("(ab)*a?"),
    "aab-star": _regular("(aab)*"),
    "tomita-3": _not(_odd_after_odd),
    "a-at-squares": _squares,
    "first-half": lambda word: word == "a" * (len(word) // 2) + "b" * ((len(word) + 1) // 2),
    "middle-a": lambda word: word != "" and word[(len(word) - 1) // 2] == "a",
    "anbn-by-position": _a_then_b,
    "prime-length": lambda word: _prime(len(word)) and len(word) < 100,
    "majority": lambda word: sum(_heights(word, "a")[-1:]) > 0,
    "plurality": lambda word: word.count("a") > max(word.count("b"), word.count("c")),
    "a-third": lambda word: 3 * len(word.replace("b", "")) >= len(word),
    "parity": _PARITY,
    "even-by-counts": _not(_PARITY),
    "tomita-5": _PARITIES,
    "tomita-6": _DIFFERENCE,
    "three-a": _regular("(b*ab*){3}"),
    "equal-numbers": lambda word: sum(_heights(word, "a")[-1:]) == 0,
    "anbn": _a_then_b,
    "anbncn": _a_then_b_then_c,
    "dyck-1": _nested,
    "ahead-half": _ahead,
    "suffixes": lambda word: all(height >= 0 for height in _heights(word[::-1], "a")),
}
