"""Search for the cells with which the rule `box` shows an inequality on a compact box; Arb evaluates them.

The rule checks every cell again in rational arithmetic, so that nothing here has to be believed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from checker.ball import Ball, ball, working
from proofs.boxes import BITS, Cell, Question, Tree
from proofs.derivation import Derivation
from proofs.intervals import LARGEST, End, Ends, Interval, UndefinedError
from proofs.programs import EmptyCellError
from proofs.props import ProofError, Rel
from proofs.sequent import Step

CELLS = 3000
"""Most cells that a search visits."""

SMALLEST = Fraction(1, 2**24)
"""A cell whose sides all are below this part of the box's is not cut further."""


class BallEnds(Ends):
    """Arb numbers of radius 0 as ends, at the precision in force."""

    def __init__(self) -> None:
        self.zero, self.one = ball(0), ball(1)

    def down(self, x: End) -> End:
        """The lower end of a ball."""
        return x.lower()

    def up(self, x: End) -> End:
        """The upper end of a ball."""
        return x.upper()

    def exact(self, x: Fraction) -> Interval:
        """The ends of a ball around a rational number."""
        return self._ends(ball(x))

    def quotient(self, x: End) -> Interval:
        """The ends of a ball around 1/x."""
        return self._ends(1 / x)

    def exp_of(self, x: End) -> Interval:
        """The ends of a ball around exp(x)."""
        if x > LARGEST:
            raise UndefinedError("the argument of exp is too large")
        return self._ends(x.exp()) if x > -LARGEST else (self.zero, ball(-LARGEST).exp().upper())

    def log_of(self, x: End) -> Interval:
        """The ends of a ball around log(x)."""
        return self._ends(x.log())

    def tanh_of(self, x: End) -> Interval:
        """The ends of a ball around tanh(x)."""
        return self._ends(x.tanh())

    def root_of(self, x: End, q: int) -> Interval:
        """The ends of a ball around the q-th root of x >= 0."""
        return (self.zero, self.zero) if x == 0 else self._ends(x.root(q))

    def _ends(self, x: Ball) -> Interval:
        if not x.is_finite():
            raise UndefinedError("a term is not defined")
        return x.lower(), x.upper()


@dataclass
class Found:
    """A tree of cells, or None and why: the cells visited, the cell that was left and what failed there."""

    tree: Tree
    complete: bool
    cells: int
    left: str = ""


class _Node:
    """A cell, and what became of it."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.cut: tuple[sp.Symbol, Fraction] | None = None
        self.parts: tuple[_Node, _Node] | None = None


def search(question: Question, deadline: float, cells: int = CELLS, bits: int = BITS) -> Found:
    """Cut the box until every cell is settled, a point with the opposite sign turns up, or the effort is spent."""
    with working(bits):
        ends = BallEnds()
        root = _Node(question.whole)
        waiting, visited = [root], 0
        while waiting:
            node = waiting.pop()
            visited += 1
            if question.settled(ends, node.cell):
                continue
            where = question.text(node.cell) or "the numbers"
            if time.monotonic() > deadline:
                return Found(None, False, visited, f"out of time at {where}")
            if visited >= cells:
                return Found(None, False, visited, f"{cells} cells were not enough; left was {where}")
            if _fails(question, ends, node.cell):
                return Found(None, False, visited, f"the inequality fails in the middle of {where}")
            node.cut = _cut(question, ends, node.cell)
            if node.cut is None:
                return Found(None, False, visited, f"the smallest cell left was {where}")
            low, high = question.halves(node.cell, *node.cut)
            node.parts = (_Node(low), _Node(high))
            waiting += reversed(node.parts)
        return Found(_tree(root), True, visited)


def _tree(root: _Node) -> Tree:
    made: dict[int, Tree] = {}
    waiting = [root]
    order = []
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += node.parts or ()
    for node in reversed(order):
        if node.parts is None or node.cut is None:
            made[id(node)] = None
        else:
            made[id(node)] = (*node.cut, made[id(node.parts[0])], made[id(node.parts[1])])
    return made[id(root)]


def _fails(question: Question, ends: Ends, cell: Cell) -> bool:
    """Whether the goal is certainly false in the middle of a cell, where the relations known are not false."""
    try:
        middle = [ends.exact(_middle(symbol, side)) for symbol, side in zip(question.over, cell, strict=True)]
        values = question.program.values(ends, middle)
    except (EmptyCellError, UndefinedError):
        return False
    value = values[question.wanted]
    if value is None or not (value[1] < 0):
        return False
    for op, node in question.filters:
        known = values[node]
        if known is None or (op != "=" and known[0] < 0) or (op == "=" and not known[0] <= 0 <= known[1]):
            return False
    return True


def fails_at(goal: Rel, known: Sequence[Rel], x: sp.Symbol, points: Sequence[Fraction]) -> Fraction | None:
    """A point among `points` at which the goal is certainly false, x being the only variable; None if there is none."""
    limits = [Rel(x, ">=", sp.Rational(*min(points).as_integer_ratio()))]
    limits += [Rel(x, "<=", sp.Rational(*max(points).as_integer_ratio()))]
    try:
        question = Question(goal, [*known, *limits], [x])
    except ProofError:
        return None
    with working(BITS):
        ends = BallEnds()
        return next((point for point in points if _fails(question, ends, ((point, point),))), None)


def _middle(symbol: sp.Symbol, side: tuple[Fraction, Fraction]) -> Fraction:
    middle = (side[0] + side[1]) / 2
    return Fraction(middle.numerator // middle.denominator) if symbol.is_integer else middle


def _cut(question: Question, ends: Ends, cell: Cell) -> tuple[sp.Symbol, Fraction] | None:
    """Where to cut: the side along which the difference varies most, or which is longest where that is unknown."""
    sizes: list[float] = []
    for symbol, (low, high), side in zip(question.over, cell, question.ranges, strict=True):
        whole = side.hi - side.lo
        small = high <= low or (high - low < SMALLEST * whole and not symbol.is_integer)
        sizes.append(0.0 if small else float((high - low) / whole))
    if not any(sizes):
        return None
    if sum(size > 0 for size in sizes) > 1:
        sizes = _variation(question, ends, cell, sizes)
    i = sizes.index(max(sizes))
    return question.over[i], _middle(question.over[i], cell[i])


def _variation(question: Question, ends: Ends, cell: Cell, sizes: Sequence[float]) -> list[float]:
    try:
        sides = [(ends.exact(low)[0], ends.exact(high)[1]) for low, high in cell]
        values = question.program.values(ends, sides)
        slopes = question.program.gradient(ends, values, question.wanted)
    except (UndefinedError, EmptyCellError):
        slopes = None
    if slopes is None:
        return list(sizes)
    varied = []
    for size, (low, high), slope in zip(sizes, cell, slopes, strict=True):
        steep = float(max(abs(slope[0]), abs(slope[1])).mid()) * float(high - low)
        varied.append(steep * (size > 0) + 1e-9 * size)
    # no side is left much longer than the others
    return varied if max(sizes) < 64 * sizes[varied.index(max(varied))] else list(sizes)


def boxed(
    d: Derivation,
    goal: Rel,
    using: Sequence[Step],
    over: Sequence[sp.Symbol],
    deadline: float,
    cells: int = CELLS,
) -> tuple[Step | None, str]:
    """The step by the rule `box`, or None and what was tried."""
    try:
        question = Question(goal, [step.rel for step in using], over)
    except ProofError as error:
        return None, str(error)
    found = search(question, deadline, cells)
    if not found.complete:
        return None, f"branch and bound on {question.text(question.whole) or 'numbers'}: {found.left} ({BITS} bits)"
    for bits in (BITS, 2 * BITS):
        try:
            return d.box(goal, using, over, found.tree, bits=bits), ""
        except ProofError as error:
            why = str(error)
    return None, why
