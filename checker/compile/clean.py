"""Feed-forward units: clean-up of what heads read (D1), signs of sums of counts, and conjunctions.

Each function returns hidden units, and the combination of them that is written to one direction.
"""

from __future__ import annotations

from fractions import Fraction

from checker.compile.names import WORD, Names
from checker.compile.plan import totals
from checker.compile.signals import combine, signal
from checker.logic.normal import Normal
from checker.transformer.model import Unit

_ONE = Fraction(1)

Units = tuple[tuple[Unit, ...], tuple[Fraction, ...]]


def clean(raw: str, threshold: Fraction) -> Units:
    """The bit of which `raw` is within the threshold at word positions; 0 at markers, where 0 <= raw <= 1.

    f(raw + word - 1) with the f_a of D1. At markers the argument is <= 0, so that f is 0.
    """
    weights = {raw: _ONE, WORD: _ONE}
    slope = 1 / (1 - 2 * threshold)
    return (Unit(weights, -1 - threshold), Unit(weights, threshold - 2)), (slope, -slope)


def sign(node: Normal, names: Names, threshold: Fraction) -> Units:
    """[D >= 0] for the linear combination D of counts of which the stream's is within e = threshold.

    ReLU(y) - ReLU(y - 1) with y = (D + 1 - e)/(1 - 2e): y >= 1 if D >= 0 and y <= 0 if D <= -1 (D1).
    """
    terms, constant = node.data
    slope = 1 / (1 - 2 * threshold)
    weights = combine([(c * slope, {names.item[t]: _ONE}) for (c, _), t in zip(terms, totals(node), strict=True)])
    bias = (constant + 1 - threshold) * slope
    return (Unit(weights, bias), Unit(weights, bias - 1)), (_ONE, -_ONE)


def masked(raw: str) -> Units:
    """A bit at word positions, and 0 at markers, where 0 <= raw <= 1."""
    return (Unit({raw: _ONE, WORD: _ONE}, -_ONE),), (_ONE,)


def conjunction(node: Normal, names: Names) -> Units:
    """The conjunction of m >= 2 truth values: ReLU(sum - (m - 1)), which is 0 at markers."""
    weights = combine([(_ONE, signal(part, names)) for part in node.parts])
    return (Unit(weights, Fraction(1 - len(node.parts))),), (_ONE,)
