"""Hard-attention transformers to start from: each with what it decides, and a decider in plain Python beside it.

    model = load("induction-head")
    find("induction-head").decide("abca")         # True: b followed the a before

All but the `shrinking` ones are JSON files beside this module (checker.transformer.specfile); the ones without clean-up
were compiled (checker.general.cleanup), the others were written by hand.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

from checker.errors import InputError
from checker.exact import show
from checker.transformer import shrinking
from checker.transformer.model import Transformer
from checker.transformer.specfile import read

FOLDER = Path(__file__).parent / "examples"
"""The folder with the JSON files."""


@dataclass(frozen=True)
class Example:
    """A transformer with a name.

    title: the words that it accepts. attention: the kinds of its heads. note: what it is an example of.
    decide: whether a word of length >= 1, one letter per symbol, is accepted; knows nothing of the transformer.
    """

    name: str
    title: str
    attention: str
    note: str
    decide: Callable[[str], bool]

    def model(self) -> Transformer:
        """The transformer."""
        family, _, depth = self.name.rpartition("-")
        if family == "shrinking":
            return shrinking.shrinking(int(depth))
        return read(FOLDER / f"{self.name}.json")


def find(name: str) -> Example:
    """The example of that name; InputError, with the nearest names, if there is none."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    close = difflib.get_close_matches(name, EXAMPLES, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(EXAMPLES)}"
    raise InputError(f"no example is named {show(name)}; {hint}")


def load(name: str) -> Transformer:
    """The transformer of the example of that name; InputError if there is none."""
    return find(name).model()


def _induction(word: str) -> bool:
    before = word.rfind(word[-1], 0, len(word) - 1)
    return before >= 0 and word[before + 1] == "b"


def _chain(word: str) -> bool:
    place = len(word)
    for _ in range(3):
        place -= int(word[place - 1])
        if place <= 0:
            return False
    return word[place - 1] == "1"


def _best_prefix(word: str) -> bool:
    shares = [Fraction(word[:length].count("a"), length) for length in range(1, len(word) + 1)]
    return shares[-1] == max(shares)


def _behind_first_a(word: str) -> bool:
    return word.partition("a")[2].startswith("b")


def _subsequence(word: str) -> bool:
    letters = iter(word)
    return all(letter in letters for letter in "abc")


_LIST = (
    Example("induction-head", "the last symbol occurred before, and was followed by b the last time",
            "tieless", "two layers that continue a pattern seen before", _induction),
    Example("most-frequent", "a is the only most frequent symbol of abc",
            "uniform, average-hard", "all positions of the most frequent symbols tie",
            lambda word: word.count("a") > max(word.count("b"), word.count("c"))),
    Example("first-symbol", "the last symbol is the first one again",
            "tieless", "agreement of two positions, however far apart", lambda word: word[0] == word[-1]),
    Example("strict-majority", "more a's than b's; equal numbers are not enough",
            "uniform, average-hard", "counting, and a comparison with 0 by a head",
            lambda word: 2 * word.count("a") > len(word)),
    Example("lookup-chain", "three jumps to the left from the end, each as far as the symbol says, lead to a 1",
            "tieless", "three lookups, each in the result of the one before; embeddings of size n^2", _chain),
    Example("sorted-middle", "the middle symbol of the sorted word (of two, the left one) is b",
            "uniform, tieless", "each position counts its rank in the sorted word",
            lambda word: sorted(word)[(len(word) - 1) // 2] == "b"),
    Example("best-prefix", "no prefix has a larger share of a's than the whole word",
            "uniform, average-hard", "products of means: the least gap is 1/(n^2 (n - 1)), cf. E4", _best_prefix),
    Example("first-a", "the first a is followed by b",
            "leftmost", "ties that only the position breaks (E3)", _behind_first_a),
    Example("last-not-c", "the last symbol but for c's is an a",
            "rightmost", "ties that only the position breaks (E3)", lambda word: word.rstrip("c").endswith("a")),
    Example("subsequence-no-clean-up", "an a, later a b, later a c; compiled, without clean-up",
            "tieless", "errors of softmax attention are not removed layer by layer", _subsequence),
    Example("parity-no-clean-up", "an odd number of a's; compiled, without clean-up",
            "uniform, tieless", "errors of softmax attention are not removed layer by layer",
            lambda word: word.count("a") % 2 == 1),
    *(Example(f"shrinking-{depth}", f"the mean of means of a's, {depth} deep, is largest at the end alone",
              "uniform, average-hard", "the least gap shrinks exponentially with the depth",
              partial(shrinking.decide, depth=depth))
      for depth in range(1, 5)),
)  # fmt: skip

EXAMPLES: dict[str, Example] = {example.name: example for example in _LIST}
