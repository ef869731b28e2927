"""What a picture is drawn for: its parameters with their defaults and ranges, and the grids of its axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from checker.decide import Expression
from checker.env import Env
from checker.errors import InputError
from checker.exact import exact_list, show
from checker.numerals import exact_latex
from checker.parameters import LATEX, check_range
from checker.rounding import floor_log10, scaled

MOST_CURVES = 6
"""Most values of the parameter that distinguishes the curves: colours and markers for more cannot be told apart."""

MOST_MARKED = 60
"""Most exact points of one curve."""

LONGEST_ROW = 1024
"""Longest row whose scores are all distinct, evaluated from the definition."""

SYMBOLS = {**LATEX, "c": "$c$", "noise": "$h$"}

# Ten to the power i/12, to three digits: a grid even on a logarithmic axis, and exact.
_TWELFTHS = (100, 121, 147, 178, 215, 261, 316, 383, 464, 562, 681, 825)


def stated(name: str, **scalars: Fraction | int) -> Expression:
    """The right-hand side of a claim ("B1.below") at exact values of its symbols; further ones are left aside."""
    from proofs.registry import STATEMENTS

    bound = STATEMENTS[name.partition(".")[0]].claim(name).bound
    symbols = {symbol.name for symbol in bound.free_symbols}
    return Expression(bound, Env({key: Fraction(x) for key, x in scalars.items() if key in symbols}))


@dataclass(frozen=True)
class Choice:
    """The values of each parameter of a picture, sorted and without repetitions."""

    id: str
    values: Mapping[str, Sequence[Fraction]]

    def many(self, name: str) -> list[Fraction]:
        """The values of a parameter whose every value is one curve or one row of marks."""
        return list(self.values[name])

    def ends(self, name: str) -> tuple[Fraction, Fraction]:
        """The least and the largest value of a parameter."""
        return self.values[name][0], self.values[name][-1]

    def grid(self, name: str, *, even: bool = False) -> list[Fraction]:
        """The points of a curve along a marked parameter: its values and many between, evenly spaced or by factors."""
        least, most = self.ends(name)
        between = evenly(least, most) if even else reals(least, most)
        return sorted({*self.values[name], *between})

    def lengths(self) -> list[int]:
        """The points of a curve along n: the given lengths and many between."""
        least, most = self.ends("n")
        return sorted({*self.whole("n"), *integers(int(least), int(most))})

    def labels(self, name: str) -> list[str]:
        """The legend texts of the values of a parameter."""
        return [label(name, x) for x in self.values[name]]

    def whole(self, name: str) -> list[int]:
        """The values of an integer parameter."""
        return [int(x) for x in self.values[name]]

    def one(self, name: str) -> Fraction:
        """The value of a parameter that has one."""
        return self.values[name][0]


def choose(
    identifier: str,
    given: Mapping[str, Sequence[Fraction]],
    defaults: Mapping[str, str],
    curves: Sequence[str] = (),
    marked: Sequence[str] = (),
    largest_eps: int = 1,
) -> Choice:
    """Fill in the defaults and check what is given: curves and marked may have several values, all others one.

    A marked parameter is that of the horizontal axis: its values are the points at which exact values are shown, and
    the least and the largest of them the ends of the curves. Raises InputError for a parameter the picture does not
    have, one out of range, and too many or too few values.
    """
    flags = ", ".join(f"--{name}" for name in defaults)
    for name in given:
        if name not in defaults:
            raise InputError(f"the picture of {identifier} does not use --{name}; it uses {flags}")
    values: dict[str, list[Fraction]] = {}
    for name, default in defaults.items():
        numbers = sorted(set(given.get(name) or exact_list(default)))
        _check(name, numbers, largest_eps)
        most = MOST_MARKED if name in marked else (MOST_CURVES if name in curves else 1)
        if len(numbers) > most:
            room = "one value" if most == 1 else f"at most {most} values"
            raise InputError(f"the picture of {identifier} takes {room} of --{name}, got {len(numbers)}")
        if name in marked and len(numbers) < 2:
            raise InputError(f"--{name} spans the horizontal axis of {identifier}: at least 2 values are needed")
        values[name] = numbers
    return Choice(identifier, values)


def _check(name: str, numbers: Sequence[Fraction], largest_eps: int) -> None:
    if name == "noise":
        for x in numbers:
            if not 0 <= x < Fraction(1, 2):
                raise InputError(f"noise must satisfy 0 <= noise < 1/2, got {show(x)}")
        return
    check_range(name, numbers, largest_eps)
    for x in numbers:
        if x and not scaled(1, -300) <= x <= scaled(1, 300):
            raise InputError(f"{name} must lie within 10^-300..10^300 to be drawn")


def label(name: str, value: Fraction) -> str:
    r"""The legend text of a value: "$\tau=1/4$"."""
    return f"{SYMBOLS[name][:-1]}={exact_latex(value)[1:]}"


def caption_of(choice: Choice, *names: str) -> str:
    """The fixed parameters in words: "$\\gamma=1$, $k=1$"."""
    return ", ".join(label(name, choice.one(name)) for name in names)


def integers(least: int, most: int) -> list[int]:
    """Whole numbers from least to most: all of them if few, else about twelve per decade; both ends included."""
    if most - least <= 60:
        return list(range(least, most + 1))
    inside = {int(x) for x in _grid(Fraction(least), Fraction(most))}
    return sorted({least, most} | {n for n in inside if n >= least})


def reals(least: Fraction, most: Fraction) -> list[Fraction]:
    """Decimals from least to most, even on a logarithmic axis, at least 48 of them; both ends included."""
    points = _grid(least, most)
    if len(points) >= 48:
        return sorted({least, most, *points})
    # Less than four decades: evenly spaced factors would be irrational, so every step is cut into equal parts.
    ends = sorted({least, most, *points})
    parts = -(-48 // (len(ends) - 1))
    return sorted({a + (b - a) * i / parts for a, b in pairwise(ends) for i in range(parts + 1)})


def evenly(least: Fraction, most: Fraction, parts: int = 60) -> list[Fraction]:
    """parts + 1 equally spaced numbers from least to most."""
    return [least + (most - least) * i / parts for i in range(parts + 1)]


def _grid(least: Fraction, most: Fraction) -> list[Fraction]:
    first, last = floor_log10(least), floor_log10(most)
    step = 1 if last - first <= 12 else 12  # one point per decade on a very long axis
    points = [scaled(m, e - 2) for e in range(first, last + 1) for m in _TWELFTHS[::step]]
    return [x for x in points if least < x < most]


def check_length(lengths: Sequence[int]) -> None:
    """InputError for a row too long to be evaluated from the definition, all its scores being distinct."""
    for n in lengths:
        if n > LONGEST_ROW:
            raise InputError(f"exact rows of n distinct scores are drawn up to n = {LONGEST_ROW}, got {show(n)}")


def first(given: Mapping[str, Sequence[Fraction]], name: str, default: str = "1") -> Fraction:
    """The value of a parameter on which the defaults of others depend; `choose` checks it."""
    return given[name][0] if given.get(name) else Fraction(default)
