"""Average-hard transformers whose least gap shrinks exponentially with the depth, and from depth 2 on with the length.

`shrinking(d)` takes running means d times over: x_0 is 1 at every a and 0 elsewhere, and layer l gives every position
the mean x_l of x_(l-1) over the positions up to it, the begin marker included. One more head attends to the largest
x_d, and a word is accepted iff that is at the last position alone.

Why the gap shrinks with the depth: in the word b ... b a of length n only position n ever has a positive value, and
each mean divides it by n + 1. So the last head has the gap (n + 1)^-d there, and the least gap is no larger. All its
other scores are 0, and softmax attention puts more than 3/4 on position n, as accepting this word takes, only if
exp((n + 1)^-d / tau) > 3 n: so tau < (n + 1)^-d / log(3 n). The first d layers are uniform and exact at every
temperature; no bound on the temperature that leaves out the gap can be right.

Why it shrinks with the length, from d = 2 on: x_2 is a mean of rationals with the denominators 2 .. n + 1, and their
least common multiple grows like e^n; nothing else separates means of means. Least gaps over all words of length n:

    n       1     2      3      4       5       6               7               8
    d = 1   1/2   1/6    1/12   1/20    1/30    1/42            1/56            1/72
    d = 2   1/4   1/36   1/144  1/300   1/1800  1/8820          1/11760         11/181440
    d = 3   1/8   1/27   1/64   1/125   1/216   12059/7408800   15079/39513600  15079/39513600
    d = 4   1/16  1/81   1/256  1/625   1/1296  1/2401          1/4096          1/6561

For d = 2 it is 31/3513510 at n = 12 and 1/6406400 at n = 16.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from checker.attention import Mask, Tie
from checker.errors import InputError
from checker.exact import show
from checker.position import parse
from checker.transformer.model import Head, Layer, Output, Transformer

MOST_LAYERS = 20
_ONE = Fraction(1)


def shrinking(depth: int) -> Transformer:
    """The transformer with 1 <= depth <= MOST_LAYERS layers of running means; see the module. Raises InputError."""
    if type(depth) is not int or not 1 <= depth <= MOST_LAYERS:
        raise InputError(f"the depth must be an integer in 1..{MOST_LAYERS}, got {show(depth)}")
    means = ["a", *(f"mean {number}" for number in range(1, depth + 1))]
    uniform = (
        Head("all up to here", (), (), {mean: {before: _ONE}}, Mask.FUTURE, Tie.AVERAGE)
        for before, mean in pairwise(means)
    )
    largest = Head(
        "the largest mean", ({"one": _ONE},), ({means[-1]: _ONE},), {"last alone": {"last": _ONE}},
        Mask.FUTURE, Tie.AVERAGE,
    )  # fmt: skip
    return Transformer(
        name=f"means of means, depth {depth}",
        alphabet=("a", "b"),
        directions=("one", "last", *means, "last alone"),
        embedding={"a": {"a": _ONE}, "b": {}},
        begin={},
        end=None,
        positional={"one": parse("1"), "last": parse("[i == n]")},
        layers=tuple(Layer((head,), ()) for head in (*uniform, largest)),
        output=Output({"last alone": _ONE}, Fraction(-3, 4), "last"),
    )


def decide(word: str, depth: int) -> bool:
    """Whether the transformer `shrinking(depth)` accepts a word over ab, from the definition."""
    values = [Fraction(0), *(Fraction(letter == "a") for letter in word)]
    for _ in range(depth):
        values = [sum(values[: place + 1], Fraction(0)) / (place + 1) for place in range(len(values))]
    return all(value < values[-1] for value in values[:-1])
