"""The tables of the paper kit: for each statement that has one, a small grid of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from checker.formats import Table
from checker.parameters import ORDER, parse_values
from checker.tables import build_table
from proofs.statement import Statement

DIGITS = 3


@dataclass(frozen=True)
class Grid:
    """Values of the parameters, as on the command line of `hardsoft table`, and the parameter solved for."""

    values: Mapping[str, str]
    solve: str | None = None

    @property
    def options(self) -> str:
        """The options of `hardsoft table` that give this table."""
        flags = [f"--{name} {values}" for name, values in self.values.items()]
        return " ".join([*flags, *([f"--solve {self.solve}"] if self.solve else [])])


_LINEAR = Grid({"n": "10,100,10^6", "gamma": "1", "tau": "1/10,1/4,1/2,1"})

GRIDS: dict[str, Grid] = {
    "A2": Grid({"n": "10,100,10^4,10^6", "k": "1", "gamma": "1", "tau": "1/20,1/10,1/5"}),
    "A3": Grid({"n": "10,100,10^4,10^6,10^9", "k": "1", "gamma": "1", "eps": "1/10,1/100"}),
    "A4": Grid({"n": "10,100,10^4,10^6", "k": "1", "delta": "1", "tau": "1/10,1/2,1"}),
    "A5": Grid({"eta": "1/1000,1/100,1/10", "tau": "1/10,1/2,1"}),
    "A6": Grid({"n": "10,1000,10^6", "gamma": "1", "eta": "1/100,1/10", "tau": "1/20,1/10"}),
    "A8": Grid({"n": "100", "k": "2", "gamma": "1", "eta": "1/1000", "tau": "1/1000,1/200,1/50,1/20,1/10,1/5"}),
    "B1": _LINEAR,
    "B2": Grid({"l": "10,10^6", "r": "10,10^6", "gamma": "1", "tau": "1/10,1/4,1/2,1"}),
    "B3": Grid({"c": "1", "tau": "1/10,1/4,1/2,1"}),
    "B4": Grid({"c": "1", "noise": "1/100,1/10,1/4", "tau": "1/10,1/4,1/2"}),
    "B5": _LINEAR,
    "B6": Grid({"n": "10,100,10^6", "c": "1", "tau": "1/10,1/4,1/2,1"}),
    "C2": Grid({"n": "10,100,10^4,10^6", "delta": "1", "eps": "1/4,1/100"}),
    "C3": Grid({"n": "10,100,10^4,10^6", "delta": "1", "eps": "1/10,1/100"}),
}
"""One grid for each statement; those not listed depend on a whole row of scores and have no table."""


def table_of(statements: Mapping[str, Statement], identifier: str) -> Table | None:
    """The table of a statement; None if it has none, or one with parameters that tables do not know."""
    data, grid = statements[identifier].table, GRIDS.get(identifier)
    if data is None or grid is None or not {*data.parameters, *grid.values} <= set(ORDER):
        return None
    return build_table(statements, identifier, parse_values(grid.values), grid.solve, DIGITS)
