"""What a feed-forward part writes: conjunctions of truth values, clean-up of what heads read, and linear functions.

Hidden units whose weights are proportional act along one line; the sum of what they write to a direction is a
piecewise-linear function g of one number t, a linear form over atoms with coprime integer coefficients. g is read off
exactly: linear on the range of t; or different only at the largest (least) value of a sum of truth values, which is a
conjunction; or constant near 0 and near 1 (D1), or constant up to and from neighbouring integers (D1, D4).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from checker.certify.bounds import Error, weighted
from checker.certify.form import (
    Atom,
    Bit,
    Form,
    Ranged,
    ReadBit,
    ReadCount,
    bit,
    interval,
    number,
    total,
)
from checker.certify.piecewise import Piecewise, combine
from checker.certify.rational import Region, nonnegative, times
from checker.logic.normal import at_least, conjunction, negation
from checker.transformer.model import FeedForward

Contents = Mapping[Region, Mapping[str, Form]]
"""What each direction carries in each region; directions that are left out carry 0."""

_ONE, _MINUS = Fraction(1), Fraction(-1)


@dataclass(frozen=True)
class Check:
    """A clean-up: `direction` is exact if `error` is at most the threshold, 0 < threshold < 1/2.

    reads: what it cleans, with integer weights.
    """

    direction: str
    threshold: Fraction
    error: Error
    reads: tuple[tuple[int, ReadBit | ReadCount], ...]


def written(part: FeedForward, contents: Contents, where: str) -> tuple[dict[Region, dict[str, Form]], list[Check]]:
    """What the part adds to each direction in each region of `contents`, and the clean-ups this rests on.

    where: names the part in messages.
    """
    checks: list[Check] = []
    result: dict[Region, dict[str, Form]] = {}
    for region, carried in contents.items():
        inputs = [
            total([*((w, carried[d]) for d, w in unit.weights.items() if d in carried), (_ONE, number(unit.bias))])
            for unit in part.hidden
        ]
        lines = [_line(form) for form in inputs]
        result[region] = {}
        for direction in {**part.output, **part.bias}:
            pieces = [(_ONE, number(part.bias.get(direction, Fraction(0))))]
            groups: dict[tuple[tuple[Atom, int], ...], list[tuple[Fraction, Fraction, Fraction]]] = {}
            for hidden, coefficient in part.output.get(direction, {}).items():
                line = lines[hidden]
                if line is None:
                    pieces.append((coefficient, _single(inputs[hidden], region, f"{where}, unit {hidden}")))
                elif not line[0]:
                    pieces.append((coefficient, number(max(line[2], Fraction(0)))))
                else:
                    groups.setdefault(line[0], []).append((line[1], line[2], coefficient))
            for vector, units in groups.items():
                pieces.append((_ONE, _along(vector, combine(units), direction, f"{where}, {direction}", checks)))
            result[region][direction] = total(pieces)
    return result, checks


def _line(form: Form) -> tuple[tuple[tuple[Atom, int], ...], Fraction, Fraction] | None:
    """(vector of coprime integers over atoms, scale, bias) with form = scale * vector + bias; None if not constant."""
    if not all(isinstance(x, Fraction) for x in form.terms.values()):
        return None
    atoms = sorted(form.atoms, key=_order)
    if not atoms:
        return (), _ONE, form.constant
    weights = [cast(Fraction, form.terms[atom]) for atom in atoms]
    common = math.lcm(*(w.denominator for w in weights))
    scale = Fraction(math.gcd(*(int(w * common) for w in weights)), common)
    if weights[0] < 0:
        scale = -scale
    return tuple((atom, int(w / scale)) for atom, w in zip(atoms, weights, strict=True)), scale, form.constant


def _order(atom: Atom) -> tuple[int, int]:
    """Any order of atoms will do, if it is the same for all units."""
    return (0, atom.formula.number) if isinstance(atom, Bit) else (1, id(atom))


def _single(form: Form, region: Region, where: str) -> Form:
    """ReLU of a form whose coefficients depend on the position or the length."""
    if not form.atoms:
        if nonnegative(form.constant, region):
            return form
        if nonnegative(times(_MINUS, form.constant), region):
            return number(Fraction(0))
    reason = form.unknown.reason if form.unknown else f"{where}: its sign depends on the position or the length"
    return Form({Ranged(Fraction(0), None, reason): _ONE})


def _along(vector: tuple[tuple[Atom, int], ...], g: Piecewise, direction: str, where: str, checks: list[Check]) -> Form:
    """g(t) as a form, where t is the sum of weight * atom."""
    if not g.units:
        return number(Fraction(0))
    t = Form({atom: Fraction(w) for atom, w in vector})
    low, high = interval(t)
    linear = g.linear_on(low, high)
    if linear is not None:
        return total([(_ONE, number(linear[0])), (linear[1], t)])
    bottom, top = g.range(low, high)
    if bottom is not None and bottom == top:
        return number(bottom)
    atoms = [atom for atom, _ in vector]
    found: Form | None = None
    if all(isinstance(atom, Bit) for atom in atoms):
        found = _bits(cast(list[tuple[Bit, int]], vector), g, cast(Fraction, low), cast(Fraction, high))
    elif len(atoms) == 1 and isinstance(atoms[0], ReadBit):
        found = _clean_bit(atoms[0], g, direction, checks)
    elif all(isinstance(atom, ReadCount) for atom in atoms):
        found = _clean_counts(cast(list[tuple[ReadCount, int]], vector), g, direction, checks)
    if found is not None:
        return found
    reason = t.unknown.reason if t.unknown else f"{where}: its hidden units match no known use"
    return Form({Ranged(bottom, top, reason): _ONE})


def _bits(vector: list[tuple[Bit, int]], g: Piecewise, low: Fraction, high: Fraction) -> Form | None:
    """A function of a sum of truth values that differs from a constant only at the sum's largest, or least, value."""
    step = min(abs(w) for _, w in vector)
    literals = [bit_atom.formula if w > 0 else negation(bit_atom.formula) for bit_atom, w in vector]
    # The largest value is taken iff all literals hold; every other one is smaller by at least the least weight.
    if g.range(low, high - step) == (g(low), g(low)):
        return total([(_ONE, number(g(low))), (g(high) - g(low), bit(conjunction(literals)))])
    # The least value is taken iff no literal holds.
    if g.range(low + step, high) == (g(high), g(high)):
        none = conjunction([negation(part) for part in literals])
        return total([(_ONE, number(g(high))), (g(low) - g(high), bit(none))])
    return None


def _clean_bit(read: ReadBit, g: Piecewise, direction: str, checks: list[Check]) -> Form | None:
    """D1: constant on [0, a] and on [1 - a, 1], so exact where the error is at most a (the threshold)."""
    zero, one = Fraction(0), _ONE
    until, since = g.flat_until(zero, one), g.flat_from(zero, one)
    if until is None or since is None:
        return None
    # x <= error <= until where the formula is false, x >= 1 - error >= since where it is true.
    threshold = min(until, 1 - since)
    checks.append(Check(direction, threshold, read.error, ((1, read),)))
    return total([(_ONE, number(g(zero))), (g(one) - g(zero), bit(read.formula))])


def _clean_counts(
    vector: list[tuple[ReadCount, int]], g: Piecewise, direction: str, checks: list[Check]
) -> Form | None:
    """D1, D4: constant up to T - 1 + e and from T - e on, T an integer: so it decides whether the sum is >= T."""
    until, since = g.flat_until(None, None), g.flat_from(None, None)
    if until is None or since is None or until >= since:
        return None
    bound = math.ceil(since)
    # sum >= T implies t >= T - e >= since; sum <= T - 1 implies t <= T - 1 + e <= until.
    threshold = min(bound - since, until - (bound - 1))
    if threshold <= 0:
        return None
    error = weighted((w, read.error) for read, w in vector)
    checks.append(Check(direction, threshold, error, tuple((w, read) for read, w in vector)))
    below, above = g(until), g(since)
    # Written as the comparison that makes the direction larger: sum >= T, or -sum >= 1 - T.
    sign = 1 if above >= below else -1
    terms = [(sign * w, read.count.side, read.count.formula) for read, w in vector]
    holds = bit(at_least(terms, -bound if sign == 1 else bound - 1))
    return total([(_ONE, number(min(below, above))), (abs(above - below), holds)])
