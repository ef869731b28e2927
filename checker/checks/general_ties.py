"""Checks of E3: ties broken by offsets, on every order of lattice scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from checker.attention import Row, Tie
from checker.quantity import tv_perturbed
from proofs.props import Each

from .claims import StatedClaim
from .general_inputs import exact, listed
from .grids import FEW_RATIOS, Plan, orders
from .item import Item, Items, Mode, at
from .rational import value

Names = dict[str, Fraction | int]
ONE = Fraction(1)
PARTS = (Fraction(1, 3), ONE, Fraction(11, 10))
"""The step, in units of gamma/n."""


def limits(claim: StatedClaim, name: str) -> list[Any]:
    """Right-hand sides of the hypotheses `name <= ...`."""
    found = [prop for prop in claim.claim.hypotheses if not isinstance(prop, Each) and prop.op == "<="]
    return [prop.rhs for prop in found if getattr(prop.lhs, "name", None) == name]


def _tied(plan: Plan) -> Iterator[tuple[Row, Fraction]]:
    """(row, gamma): every order of at most four scores; rows without a gap count as having gap 1."""
    for row in orders(min(plan.max_n, 4)):
        yield row, row.gap if row.gap is not None else ONE


def _offset(claim: StatedClaim, names: Names, position: int) -> Fraction:
    """s2(i) - s(i) as stated."""
    for prop in claim.claim.hypotheses:
        if isinstance(prop, Each) and prop.rel.op == "=" and getattr(prop.rel.lhs.func, "__name__", "") == "s2":
            place = {prop.var.name: position}
            return value(prop.rel.rhs, {**names, **place}, {"s": lambda _: 0})
    raise KeyError(claim.name)


def choice(claim: StatedClaim, plan: Plan) -> Items:
    """E3.leftmost, E3.rightmost: the new gap at every other position, for steps below, at and above the best one."""
    right = claim.name.endswith("rightmost")
    for row, gamma in _tied(plan):
        maximal = [j for j, score in enumerate(row.scores) if score == row.top]
        m = maximal[-1] if right else maximal[0]
        for part in PARTS:
            step = part * gamma / row.n
            names: Names = {"n": row.n, "gamma": gamma, "step": step}
            least = min(value(bound, names) for bound in limits(claim, "t"))
            if least <= 0:
                continue
            moved = [score + _offset(claim, names, j) for j, score in enumerate(row.scores, start=1)]
            for j, score in enumerate(moved):
                if j != m:
                    apart = moved[m] - score - least
                    witness = {"scores": row, "gamma": gamma, "step": step, "position": j + 1, "t": least}
                    yield exact("every order", apart, claim.op, value(claim.bound, {}), **witness)


def attention(claim: StatedClaim, plan: Plan) -> Items:
    """E3.attention, E3.attention-right: TV of the shifted row against unique-hard attention of the row."""
    tie = Tie.RIGHTMOST if claim.name.endswith("right") else Tie.LEFTMOST
    for row, gamma in _tied(plan):
        for ratio in FEW_RATIOS:
            tau = gamma / row.n / ratio
            names: Names = {"n": row.n, "gamma": gamma}
            moved = Row.explicit([score + _offset(claim, names, j) for j, score in enumerate(row.scores, start=1)])
            bound = claim.bound_at(n=row.n, gamma=gamma, tau=tau)
            witness = at(scores=row, gamma=gamma, tau=tau)
            yield Item("every order", tv_perturbed(row, moved, tau, tie), claim.op, bound, Mode.EITHER, witness)


def best(claim: StatedClaim, plan: Plan) -> Items:
    """E3.best: the guaranteed gap of many steps; the best one attains the bound."""
    for n in range(1, plan.max_n + 3):
        for gamma, part in itertools.product((ONE, Fraction(2, 7)), (*PARTS, Fraction(99, 100), Fraction(2))):
            names: Names = {"n": n, "gamma": gamma, "step": part * gamma / n}
            least = min(value(bound, names) for bound in limits(claim, "t"))
            yield exact("every step", least, claim.op, value(claim.bound, names), **names)


def offsets(claim: StatedClaim, plan: Plan) -> Items:
    """E3.optimal: the largest t that given offsets guarantee, from the rows that need it."""
    for n in range(1, min(plan.max_n, 5) + 1):
        for steps in itertools.product((Fraction(1, 10), Fraction(1, n), Fraction(1, 2)), repeat=n - 1):
            rise = sum(steps, Fraction(0))
            least = min([*steps, ONE - rise])
            bound = value(claim.bound, {"n": n, "gamma": ONE})
            yield exact("every offset", least, claim.op, bound, n=n, gamma=ONE, steps=listed(steps))
