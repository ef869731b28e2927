"""The rules `box`, an inequality on a compact box by exact interval arithmetic, and `split`, cases of an order.

The certificate of `box` is a bisection tree: None for a cell, (symbol, where, low, high) for a cell cut in two. The
cells of a tree cover the box by construction. A cell is settled where the difference of the two sides, enclosed in an
interval, has the right sign, or where some relation given is certainly false. The enclosure is that of the term
itself, or one by derivatives: where a derivative has one sign the least value is at an end, and the mean value theorem
serves for the other variables. Nothing is decided where some part of the term is not shown to be defined on the whole
cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp

from .intervals import Ends, Interval, RationalEnds, UndefinedError
from .programs import EmptyCellError, Program, Values
from .props import FLIPPED, Each, ProofError, Rel, same
from .sequent import Ledger, Step

Tree: TypeAlias = Any
"""None, or (symbol, rational number, tree for symbol <= number, tree for symbol >= number)."""

Cell: TypeAlias = tuple[tuple[Fraction, Fraction], ...]

MOST_CELLS = 10_000
MOST_BITS = 1024
BITS = 64


@dataclass(frozen=True)
class Range:
    """lo <= x <= hi; open_lo (open_hi): the end itself is excluded."""

    lo: Fraction
    hi: Fraction
    open_lo: bool
    open_hi: bool


class Question:
    """A goal `lhs op rhs` over a box, and what is known there."""

    def __init__(self, goal: Rel, known: Sequence[Rel], over: Sequence[sp.Symbol]) -> None:
        if goal.op == "=":
            raise ProofError("an equation cannot be shown by intervals")
        if len(set(over)) < len(over):
            raise ProofError("a variable is listed twice")
        self.goal, self.over = goal, tuple(over)
        self.ranges = tuple(range_of(symbol, known) for symbol in over)
        self.strict = goal.op in ("<", ">")
        self.program = Program(over, known)
        larger, smaller = (goal.lhs, goal.rhs) if goal.op in (">", ">=") else (goal.rhs, goal.lhs)
        self.wanted = self.program.difference(larger, smaller)
        self.filters = [found for rel in known if (found := self._filter(rel)) is not None]

    def _filter(self, rel: Rel) -> tuple[str, int] | None:
        larger, smaller = (rel.lhs, rel.rhs) if rel.op in ("=", ">", ">=") else (rel.rhs, rel.lhs)
        try:
            return {"<": ">", "<=": ">="}.get(rel.op, rel.op), self.program.difference(larger, smaller)
        except ProofError:
            return None

    @property
    def whole(self) -> Cell:
        """The box itself."""
        return tuple((side.lo, side.hi) for side in self.ranges)

    def halves(self, cell: Cell, symbol: sp.Symbol, where: Fraction) -> tuple[Cell, Cell]:
        """The two parts of a cell; for an integer symbol, up to `where` and from the next integer on."""
        if symbol not in self.over:
            raise ProofError(f"{symbol} is not a variable of the box")
        i = self.over.index(symbol)
        low, high = cell[i]
        first, second = where, where
        if symbol.is_integer:
            first = Fraction(where.numerator // where.denominator)
            second = first + 1
        if not (low <= first < high and low < second <= high and (low < where or symbol.is_integer)):
            raise ProofError(f"{symbol} = {where} does not cut {self.text(cell)} in two")
        return (
            (*cell[:i], (low, first), *cell[i + 1 :]),
            (*cell[:i], (second, high), *cell[i + 1 :]),
        )

    def text(self, cell: Cell) -> str:
        """A cell, to be printed."""
        return ", ".join(f"{symbol} in [{low}, {high}]" for symbol, (low, high) in zip(self.over, cell, strict=True))

    def settled(self, ends: Ends, cell: Cell) -> bool:
        """Whether the goal is shown at every point of the cell that satisfies the relations known."""
        try:
            sides = [(ends.exact(low)[0], ends.exact(high)[1]) for low, high in cell]
            values = self.program.values(ends, sides)
        except EmptyCellError:
            return True
        except UndefinedError:  # an end of the cell is too large
            return False
        for op, node in self.filters:
            if (value := values[node]) is not None and _false(op, value):
                return True
        value = values[self.wanted]
        if value is None:
            return False
        return value[0] > 0 or (value[0] == 0 and not self.strict) or self._by_derivatives(ends, cell, sides, values)

    def _by_derivatives(self, ends: Ends, cell: Cell, sides: Sequence[Interval], values: Values) -> bool:
        if not cell:
            return False
        try:
            slopes = self.program.gradient(ends, values, self.wanted)
            if slopes is None:
                return False
            # Moving each variable of known slope to the end where the difference is less does not increase it; this
            # holds along the segment, on which all derivatives lie in their enclosures.
            face = list(sides)
            grows = False  # whether the difference is larger, strictly, at every point that satisfies the relations
            free = []
            for i, ((lo, hi), (low, high), side) in enumerate(zip(slopes, cell, self.ranges, strict=True)):
                if lo >= 0:
                    face[i] = ends.exact(low)
                    grows = grows or (lo > 0 and low == side.lo and side.open_lo)
                elif hi <= 0:
                    face[i] = ends.exact(high)
                    grows = grows or (hi < 0 and high == side.hi and side.open_hi)
                else:
                    free.append(i)
            least = []
            if len(free) < len(cell):
                least.append(self.program.values(ends, face)[self.wanted])
            if free:
                # f(x) = f(middle) + the sum of slopes times (x - middle), by the mean value theorem
                for i in free:
                    face[i] = ends.exact((cell[i][0] + cell[i][1]) / 2)
                total = self.program.values(ends, face)[self.wanted]
                for i in free:
                    radius = ends.exact((cell[i][1] - cell[i][0]) / 2)[1]
                    if total is not None:
                        total = ends.add(total, ends.multiply(slopes[i], (-radius, radius)))
                least.append(total)
        except (UndefinedError, EmptyCellError):
            return False
        return any(
            value is not None and (value[0] > 0 or (value[0] == 0 and (grows or not self.strict))) for value in least
        )


def _false(op: str, value: Interval) -> bool:
    """Whether `x op 0` fails for every x of an interval; op one of = >= >."""
    return bool((value[1] < 0) or (op == ">" and value[1] <= 0) or (op == "=" and value[0] > 0))


def range_of(symbol: sp.Symbol, known: Sequence[Rel]) -> Range:
    """The range of a variable by the relations c <= x and x <= d with rational numbers; ProofError without one."""
    low: tuple[Fraction, bool] | None = None
    high: tuple[Fraction, bool] | None = None
    for rel in known:
        if rel.lhs == symbol and rel.rhs.is_Rational:
            op, number = rel.op, rel.rhs
        elif rel.rhs == symbol and rel.lhs.is_Rational:
            op, number = FLIPPED[rel.op], rel.lhs
        else:
            continue
        end = Fraction(int(number.p), int(number.q))
        if op in (">", ">=", "="):
            low = max(low or (end, False), (end, op == ">"))
        if op in ("<", "<=", "="):
            high = min(high or (end, True), (end, op != "<"))
    if low is None or high is None:
        raise ProofError(f"{symbol} has no range with rational ends")
    found = Range(low[0], high[0], low[1], not high[1])
    if symbol.is_integer:
        found = _whole(found)
    if found.lo > found.hi:
        raise ProofError(f"the range of {symbol} is empty")
    return found


def _whole(found: Range) -> Range:
    """The range of the integers in a range."""
    least = -(-found.lo.numerator // found.lo.denominator)
    most = found.hi.numerator // found.hi.denominator
    least += int(found.open_lo and least == found.lo)
    most -= int(found.open_hi and most == found.hi)
    return Range(Fraction(least), Fraction(most), False, False)


def check(question: Question, ends: Ends, tree: Tree) -> int:
    """The number of cells of a tree, if every one of them is settled; ProofError otherwise."""
    cells = 0
    waiting: list[tuple[Tree, Cell]] = [(tree, question.whole)]
    while waiting:
        part, cell = waiting.pop()
        if part is None:
            cells += 1
            if cells > MOST_CELLS:
                raise ProofError(f"there are more than {MOST_CELLS} cells")
            if not question.settled(ends, cell):
                where = f" for {question.text(cell)}" if cell else ""
                raise ProofError(f"not separated{where}")
            continue
        if not (isinstance(part, tuple) and len(part) == 4 and isinstance(part[1], Fraction)):
            raise ProofError(f"{part} is not a tree of cells")
        low, high = question.halves(cell, part[0], part[1])
        waiting += [(part[3], high), (part[2], low)]
    return cells


class Regions(Ledger):
    """A ledger with the rules `box` and `split`."""

    def box(
        self,
        goal: Rel,
        using: Sequence[Step],
        over: Sequence[sp.Symbol] = (),
        tree: Tree = None,
        *,
        bits: int = BITS,
        why: str = "",
    ) -> Step:
        """`goal` on the box of the variables `over`, from relations that give their ranges, cell by cell.

        tree: the cells, as in the docstring of the module; every other symbol must be determined, or bounded, by
        relations among `using`.
        """
        claim = self._claim(goal)
        try:
            if isinstance(claim, Each):
                raise ProofError("is about every position")
            if not 8 <= bits <= MOST_BITS:
                raise ProofError(f"the precision is not between 8 and {MOST_BITS} bits")
            # a relation between functions of the position has no interval, but is no obstacle
            question = Question(claim, [step.prop for step in using if isinstance(step.prop, Rel)], over)
            cells = check(question, RationalEnds(bits), tree)
        except ProofError as error:
            raise self._reject("box", claim, error) from None
        sides = zip(question.over, question.whole, strict=True)
        ranges = "".join(f", {low} <= {symbol} <= {high}" for symbol, (low, high) in sides)
        how = f"intervals of {bits} bits{ranges}" + (f", {cells} cells" if cells > 1 else "")
        return self._add(claim, "box", how, why, using)

    def split(self, low: tuple[Step, Step], high: tuple[Step, Step], why: str = "") -> Step:
        """`low` = (assumption a <= b, conclusion), `high` = (assumption a >= b, same conclusion).

        For integers a and b the second assumption may be a >= b + 1; one of the two may be strict.
        """
        (first, one), (second, two) = low, high
        claim = self._claim(one.prop)
        a, b = first.rel.lhs, first.rel.rhs
        if not (first.rule == second.rule == "assume" and first.rel.op in ("<", "<=")):
            raise self._reject("split", claim, "the cases must assume a <= b and a >= b")
        alternatives = [Rel(a, ">=", b), *([Rel(a, ">", b)] if first.rel.op == "<=" else [])]
        if first.rel.op == "<=" and a.is_integer and b.is_integer:
            alternatives.append(Rel(a, ">=", b + 1))
        if not any(same(second.prop, rel) for rel in alternatives):
            raise self._reject("split", claim, f"{first.prop} and {second.prop} are not all the cases")
        if not (same(claim, one.prop) and same(one.prop, two.prop)):
            raise self._reject("split", claim, f"the cases end differently: {one.prop}; {two.prop}")
        rest = (one.depends - {first}) | (two.depends - {second})
        how = f"{first.prop} or {second.prop}"
        return self._add(claim, "split", how, why, (first, one, second, two), rest)
