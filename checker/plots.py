"""Pictures by id: the data of every picture that `hardsoft plot` draws.

`build` returns the data, rigorously enclosed (`checker.picture`); `checker.figures` draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from checker import plots_gap, plots_perturbed, plots_position, plots_schedule
from checker.errors import InputError
from checker.picture import Picture

SCHEDULE = "schedule"

PICTURES: dict[str, Callable[[Mapping[str, Sequence[Fraction]]], Picture]] = {
    "A2": plots_gap.a2,
    "A3": plots_gap.a3,
    "A4": plots_gap.a4,
    "A5": plots_perturbed.a5,
    "A6": plots_perturbed.a6,
    "A8": plots_perturbed.a8,
    "B1": plots_position.b1,
    "B2": plots_position.b2,
    "B3": plots_position.b3,
    "B4": plots_position.b4,
    "B5": plots_position.b5,
    "B6": plots_position.b6,
    "C1": plots_schedule.c1,
    "C2": plots_schedule.c2,
    "C3": plots_schedule.c3,
    SCHEDULE: plots_schedule.schedule,
}

INSTEAD = {
    "A1": "it holds for every row, with no parameter to vary; plot A2, its worst case over all rows with a given gap",
    "A7": "its bound is the TV of A2, A5, A6 or A8 times the range of the values; plot one of those",
    "D1": "its clean-up is exact at every length; plot B3 for the errors that it removes",
    "D2": "its worst case is that of B1; plot B1",
    "D3": "its worst case is that of B6; plot B6",
    "D4": "its error is that of a lookup with unbounded values; plot B3 for the distance of the weights",
    "D5": "its worst case is that of B3; plot B3",
    "D6": "it is exact wherever the error is below the threshold; plot B1, B3 or B6 for that error",
    "E1": "its heads are those of A8 and A6; plot A8 for the window of temperatures, A6 for tieless heads",
    "E2": "its error is that of A8, layer after layer; plot A8",
    "E3": "its worst case is A2 with gap gamma/n; plot A2",
    "E4": "it bounds gaps, not errors; plot A3 for the temperature that a gap allows",
    "E5": "its heads are those of A6; plot A6",
}


def build(
    identifier: str,
    given: Mapping[str, Sequence[Fraction]] | None = None,
    heads: Sequence[str] = (),
    chi: str | None = None,
) -> Picture:
    """Return the data of a picture: an id of PICTURES, in any case.

    given: parameters by name, as `checker.parameters.parse_values` reads them; defaults for the rest. heads: of
    "schedule" only. chi: of B6 only. Raises InputError, in one line, for anything that cannot be drawn;
    HardsoftError where a value cannot be enclosed; DisagreementError as `checker.picture.enclose` does.
    """
    name = identifier.lower() if identifier.lower() == SCHEDULE else identifier.upper()
    if name in INSTEAD:
        raise InputError(f"{name} has no picture: {INSTEAD[name]}")
    if name not in PICTURES:
        raise InputError(f"no picture {identifier!r}; there are {', '.join(PICTURES)}")
    if heads and name != SCHEDULE:
        raise InputError(f"one picture at a time: {name} is followed by {heads[0]!r}; only schedule takes heads")
    if chi is not None and name != "B6":
        raise InputError(f"--chi is the predicate of B6; the picture of {name} does not use it")
    given = given or {}
    if name == SCHEDULE:
        return plots_schedule.schedule(given, heads)
    return plots_position.b6(given, chi) if chi is not None else PICTURES[name](given)
