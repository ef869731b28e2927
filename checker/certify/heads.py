"""What a head reads: the value at the positions that it chooses, as a formula or a count with an error bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from checker.certify import bounds
from checker.certify.bounds import Error
from checker.certify.choice import SIDE, STRICT, Choice, choice, visible_count
from checker.certify.feed import Contents
from checker.certify.form import Bit, Count, Form, Ranged, ReadBit, ReadCount, hull, interval, literal
from checker.certify.rational import Coefficient, N, Region, at_key, key_powers, over, plus, times
from checker.certify.score import applied, difference, visible_regions
from checker.certify.values import modulus, nearest
from checker.logic import normal
from checker.logic.normal import Normal
from checker.transformer.model import Head

_ONE = Fraction(1)


@dataclass
class Reading:
    """What a head does; layer and number count from 0, `where` names both.

    choice: which positions it attends to; None when it writes nothing, or when that is not understood.
    written: what is understood, by direction, at word positions. problems: what is not.
    """

    layer: int
    number: int
    where: str
    choice: Choice | None = None
    written: dict[str, Form] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def error(self) -> Error | None:
        """The error bound; None when what is read is exact, or nothing is."""
        atoms = [atom for form in self.written.values() for atom in form.atoms]
        errors = [atom.error for atom in atoms if isinstance(atom, ReadBit | ReadCount)]
        return errors[0] if errors else None


def read(
    head: Head, layer: int, number: int, contents: Contents, unit: Coefficient, where: str
) -> tuple[dict[Region, dict[str, Form]], Reading]:
    """What the head writes in each region, and the record of it. unit: the temperature over tau_0."""
    record = Reading(layer, number, where)
    result: dict[Region, dict[str, Form]] = {region: {} for region in contents}
    values = {d: {r: applied(vector, contents[r]) for r in contents} for d, vector in head.value.items()}
    values = {d: value for d, value in values.items() if any(form.terms for form in value.values())}
    if not values:  # all values are 0, so whatever the weights are, it reads 0
        return result, record
    chosen = choice(head, contents, unit)
    if isinstance(chosen, str):
        chosen = _root(head, contents) or f"{where}: {chosen}"
    record.choice = None if isinstance(chosen, str) else chosen
    for direction, value in values.items():
        seen = {region: value[region] for region in visible_regions(head.mask, contents)}
        found = chosen if isinstance(chosen, str) else _value(head, chosen, seen, contents, (layer, number))
        if isinstance(found, str):
            why = found if found is chosen else f"{where}: {found}"
            record.problems.append(why)
            found = _mixture(seen.values(), why)
        else:
            record.written[direction] = found
        for region in contents:
            other = f"{where}: what it reads at {region.value}"
            result[region][direction] = found if region is Region.WORD else _mixture(value.values(), other)
    return result, record


def _root(head: Head, contents: Contents) -> str | None:
    """Why a score is not understood, if that is because of what it is computed from."""
    word = contents[Region.WORD]
    unknown = (applied(vector, word).unknown for vector in (*head.query, *head.key))
    return next((atom.reason for atom in unknown if atom), None)


def _mixture(values: Iterable[Form], reason: str) -> Form:
    """Weights that sum to 1, or no position at all: a number in the hull of the values and 0."""
    unknown = next((form.unknown for form in values if form.unknown), None)
    low, high = hull([(Fraction(0), Fraction(0)), *(interval(form) for form in values)])
    return Form({Ranged(low, high, unknown.reason if unknown else reason): _ONE})


def _value(
    head: Head, chosen: Choice, seen: Mapping[Region, Form], contents: Contents, place: tuple[int, int]
) -> Form | str:
    """What is read at word positions. seen: the value at the visible regions."""
    word = seen[Region.WORD]
    markers: dict[Region, Form] = {region: form for region, form in seen.items() if region is not Region.WORD}
    formula = literal(word)
    if chosen.kind == "lookup":
        return _looked_up(chosen, word, markers, place)
    if chosen.kind == "comparison":
        end = literal(markers.pop(Region.END))
        if word.terms or any(form.terms for form in markers.values()) or end is not normal.TRUE:
            return "it compares counts, but its value is not 1 at the end marker and 0 elsewhere"
        noise = [(w, atom.error) for w, atom in chosen.terms]
        terms = [(w, atom.count.side, atom.count.formula) for w, atom in chosen.terms]
        return _bit(normal.at_least(terms, -chosen.bound), bounds.against_end(chosen.gap, noise), place)
    if formula is None:
        return "its value is not an exact truth value at word positions"
    if any(form.terms for form in markers.values()):
        return "its value is not 0 at the markers"
    side = SIDE[head.mask]
    if chosen.kind == "uniform":
        # Equal scores: soft and average-hard attention both put 1/(visible positions) on every one.
        return Form({Count(side, formula): over(_ONE, visible_count(head.mask, contents))})
    return _bit(nearest(chosen.chi, formula, side, head.mask in STRICT), bounds.linear(chosen.gap), place)


def _bit(formula: Normal, error: Error, place: tuple[int, int]) -> Form:
    return Form({ReadBit(formula, error, place): _ONE})


def _looked_up(chosen: Choice, word: Form, markers: Mapping[Region, Form], place: tuple[int, int]) -> Form | str:
    """The value at position C, for a count C in 0..n: a multiple of C, or the truth value of C % m == r."""
    count, end = chosen.count, markers.get(Region.END)
    if count is None:
        raise AssertionError("a lookup has a count")
    if not word.atoms:
        powers = key_powers(at_key(word.constant)) or {}
        if powers.keys() != {1}:
            return "it looks up a count, but its value is not a multiple of the position"
        scale = powers[1]
        expected = Form({None: times(scale, plus(N, _ONE))})
        if markers[Region.BEGIN].terms or (end is not None and difference(end.terms, expected.terms)):
            return "it looks up a count, but its value at the markers is not the same multiple of the position"
        return Form({ReadCount(count, bounds.integer(chosen.gap), place): scale})
    found = modulus(word.atoms[0].formula) if isinstance(word.atoms[0], Bit) and literal(word) is not None else None
    if found is None or word.constant != 0:
        return "it looks up a count, but its value is neither a multiple of the position nor a remainder"
    m, r = found
    if literal(markers[Region.BEGIN]) is not (normal.TRUE if r == 0 else normal.FALSE):
        return f"its value at the begin marker is not [0 % {m} == {r}]"
    low, high = interval(end) if end is not None else (Fraction(0), Fraction(0))
    # |out - value at C| <= TV * (max - min of the values) <= TV by A7, for values in [0, 1].
    if low is None or high is None or low < 0 or high > 1:
        return "it looks up a remainder, but its value at the end marker may leave [0, 1]"
    return _bit(normal.remainder(count.side, count.formula, m, r), bounds.lookup(chosen.gap), place)
