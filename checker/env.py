"""The exact values at which a stated bound is evaluated: scalars by name, and rows by position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from checker.errors import InputError
from checker.exact import show


@dataclass(frozen=True)
class Env:
    """Exact values for the symbols and row functions of an expression.

    scalars: the value of each symbol, by the symbol's NAME (int or Fraction; ints are converted).
    rows: functions of the position. `rows["s"][g]` is s(j) for every position j of group g.
    multiplicities: group g holds `multiplicities[g] >= 1` consecutive positions, so there are
    n = sum(multiplicities) positions, and `Sum(body, (j, 1, n))` means the sum over the groups g of
    multiplicities[g] * body(g).

    Raises InputError for a value that is not exact or a row whose length is not the number of groups.
    """

    scalars: Mapping[str, Fraction]
    rows: Mapping[str, Sequence[Fraction]] = field(default_factory=dict)
    multiplicities: Sequence[int] = ()

    def __post_init__(self) -> None:
        scalars = {name: _fraction(value, name) for name, value in self.scalars.items()}
        object.__setattr__(self, "scalars", scalars)
        if not self.rows and not self.multiplicities:
            return
        for group, multiplicity in enumerate(self.multiplicities, start=1):
            if type(multiplicity) is not int or multiplicity < 1:
                raise InputError(f"multiplicity {group} must be an integer >= 1, got {show(multiplicity)}")
        rows = {}
        for name, row in self.rows.items():
            if len(row) != len(self.multiplicities):
                raise InputError(f"row {name} has {len(row)} values for {len(self.multiplicities)} groups of positions")
            rows[name] = tuple(_fraction(value, f"{name}[{group}]") for group, value in enumerate(row))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "multiplicities", tuple(self.multiplicities))

    @property
    def n(self) -> int:
        """The number of positions."""
        return sum(self.multiplicities)


def _fraction(value: object, name: str) -> Fraction:
    if type(value) is Fraction:
        return value
    # A float or a sympy number would make later arithmetic inexact without a trace: only ints are converted.
    if type(value) is int:
        return Fraction(value)
    raise InputError(f"{name} must be an int or a Fraction, got {type(value).__name__} {show(value)}")
