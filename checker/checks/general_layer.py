"""Checks of E1 and E5 about a whole head or layer: attention over two-dimensional inputs, each moved by delta."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from checker.attention import Row
from checker.decide import Enclosable, Exact
from checker.quantity import attention_output
from checker.sides import AbsoluteDifference, Affine

from .claims import StatedClaim
from .general_heads import Pair, change, hard_output
from .general_inputs import listed
from .grids import Plan
from .item import Item, Items, Mode, at

ONE, HALF = Fraction(1), Fraction(1, 2)
Vector = tuple[Fraction, Fraction]
FORMS = (((ONE, Fraction(0)), (Fraction(0), Fraction(2))), ((Fraction(0), -ONE), (HALF, ONE)))
VALUE_ROW = (ONE, Fraction(-1, 2))
POINTS = tuple((Fraction(a), Fraction(b)) for a, b in ((1, 1), (1, -1), (0, 1), (-1, 0)))
DELTAS = (Fraction(1, 50), Fraction(1, 10))
TAUS = (Fraction(1, 10), ONE)
LIPSCHITZ, HEADS = Fraction(2), 2


class Case(NamedTuple):
    """A head on inputs of size 1: query i's scores and values in the hard run and in the soft run."""

    pair: Pair
    values: list[Fraction]
    soft_values: list[Fraction]
    first: tuple[Fraction, Fraction]
    delta: Fraction
    w: Fraction
    name: str


def _score(form: tuple[Vector, Vector], x: Vector, y: Vector) -> Fraction:
    return sum((x[a] * form[a][b] * y[b] for a in (0, 1) for b in (0, 1)), Fraction(0))


def _value(y: Vector) -> Fraction:
    return VALUE_ROW[0] * y[0] + VALUE_ROW[1] * y[1]


def _cases(plan: Plan, tieless: bool) -> Iterator[Case]:
    """Every choice of up to three inputs among POINTS, moved by a few patterns of signs."""
    for n in range(1, min(plan.max_n, 3) + 1):
        for inputs, form in itertools.product(itertools.product(POINTS, repeat=n), FORMS):
            for delta, shift in itertools.product(DELTAS, range(2)):
                signs = [((-1) ** (j + shift), (-1) ** (j // 2)) for j in range(n)]
                moved = [(x[0] + a * delta, x[1] + b * delta) for x, (a, b) in zip(inputs, signs, strict=True)]
                case = _case(form, list(inputs), moved, delta)
                eta = case.pair.eta
                if not tieless or (case.pair.row.k == 1 and 2 * eta < case.pair.gamma):
                    yield case


def _case(form: tuple[Vector, Vector], inputs: list[Vector], moved: list[Vector], delta: Fraction) -> Case:
    row = Row.explicit([_score(form, inputs[0], y) for y in inputs])
    other = Row.explicit([_score(form, moved[0], y) for y in moved])
    w = sum((abs(entry) for line in form for entry in line), Fraction(0))
    gamma = row.gap if row.gap is not None else ONE
    pair = Pair("inputs", row, other, gamma, w * (2 * delta + delta**2), ONE)
    values, soft_values = [_value(y) for y in inputs], [_value(y) for y in moved]
    name = "; ".join(listed(x) for x in inputs)
    return Case(pair, values, soft_values, (inputs[0][0], moved[0][0]), delta, w, name)


def _bound(claim: StatedClaim, case: Case) -> Enclosable:
    vmap = sum((abs(entry) for entry in VALUE_ROW), Fraction(0))
    pair = case.pair
    return claim.bound_at(n=pair.row.n, gamma=pair.gamma, tau=pair.tau, w=case.w, B=ONE, delta=case.delta,
                          vmap=vmap, K=LIPSCHITZ, H=HEADS)  # fmt: skip


def _witness(case: Case) -> tuple[tuple[str, object], ...]:
    return at(inputs=case.name, scores=case.pair.row, perturbed=case.pair.other, delta=case.delta, tau=case.pair.tau)


def attention(claim: StatedClaim, plan: Plan) -> Items:
    """E1.attention: the output of a head, from the inputs of both runs."""
    for case, tau in itertools.product(_cases(plan, tieless=False), TAUS):
        here = case._replace(pair=case.pair._replace(tau=tau))
        error = change(here.pair, here.values, here.soft_values)
        yield Item("inputs", error, claim.op, _bound(claim, here), Mode.EITHER, _witness(here))


def layer(claim: StatedClaim, plan: Plan) -> Items:
    """E1.layer, E5.layer: two equal heads added to the first coordinate, then a linear map with constant K = 2."""
    for case, tau in itertools.product(_cases(plan, tieless=claim.name.startswith("E5")), TAUS):
        here = case._replace(pair=case.pair._replace(tau=tau))
        soft = attention_output(here.pair.other, tau, here.soft_values)
        hard = hard_output(here.pair.row, here.values)
        outputs = (Affine(soft, Fraction(HEADS), here.first[1]), Exact(here.first[0] + HEADS * hard))
        error = Affine(AbsoluteDifference(*outputs), LIPSCHITZ)
        yield Item("inputs", error, claim.op, _bound(claim, here), Mode.EITHER, _witness(here))
