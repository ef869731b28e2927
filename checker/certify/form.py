"""What a direction carries at a position: a linear form over atoms, with coefficients that depend on i and n.

An atom is a function of the word and the position: the truth value of a formula, a count, what a head read (a truth
value or a count, up to an error), or a number of which only a range is known. Equal atoms have equal values at equal
positions of one word; nothing else is assumed about atoms together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from checker.certify.bounds import Error
from checker.certify.rational import Coefficient, plus, times
from checker.logic.formula import Side
from checker.logic.normal import FALSE, TRUE, Normal, conjunction, negation


@dataclass(frozen=True)
class Bit:
    """The truth value of a formula, exactly; used at word positions only."""

    formula: Normal


@dataclass(frozen=True)
class Count:
    """The number of positions on a side where a formula holds; used at word positions only."""

    side: Side
    formula: Normal


@dataclass(frozen=True, eq=False)
class ReadBit:
    """What a head read: within [0, 1], equal to the formula's truth value in the hard run, within `error` of it else.

    head: the (layer, number) of the head, both counted from 0.
    """

    formula: Normal
    error: Error
    head: tuple[int, int]


@dataclass(frozen=True, eq=False)
class ReadCount:
    """What a head read: equal to the count in the hard run, within `error` of it else."""

    count: Count
    error: Error
    head: tuple[int, int]


@dataclass(frozen=True, eq=False)
class Ranged:
    """A number in [low, high] (None: unbounded), of which nothing else is known; and why."""

    low: Fraction | None
    high: Fraction | None
    reason: str


Atom: TypeAlias = Bit | Count | ReadBit | ReadCount | Ranged
Interval: TypeAlias = tuple[Fraction | None, Fraction | None]

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class Form:
    """The sum of coefficient * atom, the atom None standing for the constant 1; no coefficient is 0."""

    terms: Mapping[Atom | None, Coefficient]

    @property
    def constant(self) -> Coefficient:
        """The part without an atom."""
        return self.terms.get(None, _ZERO)

    @property
    def atoms(self) -> list[Atom]:
        """The atoms, in the order in which they were added."""
        return [atom for atom in self.terms if atom is not None]

    @property
    def unknown(self) -> Ranged | None:
        """An atom of which only a range is known, if there is one."""
        return next((atom for atom in self.terms if isinstance(atom, Ranged)), None)


ZERO = Form({})


def number(x: Coefficient) -> Form:
    """The form without atoms."""
    return Form({None: x}) if x != 0 else ZERO


def bit(formula: Normal) -> Form:
    """The truth value of a formula."""
    if formula is TRUE or formula is FALSE:
        return number(_ONE if formula is TRUE else _ZERO)
    return Form({Bit(formula): _ONE})


def total(parts: Iterable[tuple[Coefficient, Form]]) -> Form:
    """The sum of coefficient * form."""
    terms: dict[Atom | None, Coefficient] = {}
    for factor, form in parts:
        for atom, coefficient in form.terms.items():
            product = times(factor, coefficient)
            terms[atom] = plus(terms[atom], product) if atom in terms else product
    return Form({atom: coefficient for atom, coefficient in terms.items() if coefficient != 0})


def product(left: Form, right: Form) -> Form | None:
    """The product, exactly: of constants and truth values (whose product is the conjunction); else None."""
    if not left.terms or not right.terms:
        return ZERO
    if left.unknown or right.unknown:
        for one, other in ((left, right), (right, left)):
            if not one.atoms:
                return total([(one.constant, other)])
        return None
    parts = []
    for a, x in left.terms.items():
        for b, y in right.terms.items():
            factors = [atom.formula for atom in (a, b) if isinstance(atom, Bit)]
            if len(factors) != (a is not None) + (b is not None):
                return None
            parts.append((times(x, y), bit(conjunction(factors))))
    return total(parts)


def literal(form: Form) -> Normal | None:
    """The formula of which the form is the truth value: b, 1 - b, 0 or 1 with b a truth value; else None."""
    rest = [(atom, x) for atom, x in form.terms.items() if atom is not None]
    if not rest:
        return {_ZERO: FALSE, _ONE: TRUE}.get(form.constant)
    if len(rest) != 1 or not isinstance(rest[0][0], Bit):
        return None
    formula, shape = rest[0][0].formula, (form.constant, rest[0][1])
    if shape == (0, 1):
        return formula
    return negation(formula) if shape == (1, -1) else None


def limits(atom: Atom) -> Interval:
    """The range of an atom."""
    if isinstance(atom, Bit | ReadBit):
        return _ZERO, _ONE
    if isinstance(atom, Ranged):
        return atom.low, atom.high
    return (_ZERO, None) if isinstance(atom, Count) else (None, None)


def interval(form: Form) -> Interval:
    """A range of the form's values, by interval arithmetic."""
    low: Fraction | None = _ZERO
    high: Fraction | None = _ZERO
    for atom, x in form.terms.items():
        if not isinstance(x, Fraction):
            return None, None
        ends = (_ONE, _ONE) if atom is None else limits(atom)
        down, up = ends if x > 0 else (ends[1], ends[0])
        low = None if low is None or down is None else low + x * down
        high = None if high is None or up is None else high + x * up
    return low, high


def hull(parts: Iterable[Interval]) -> Interval:
    """The smallest interval that contains all of them (at least one)."""
    lows, highs = zip(*parts, strict=True)
    return (None if None in lows else min(lows)), (None if None in highs else max(highs))
