"""Altered claims of sections B and C that the enumeration must refute."""

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import sympy as sp
from bound_mutants import LITTLE, Mutant, altered, claim, eps, gamma, n, tau, with_relation

from checker.attention import Row
from checker.checks import CHECKS, Item, Items, Mode, Plan, StatedClaim
from checker.checks.item import at
from checker.quantity import tv
from proofs.props import Rel

ONE = Fraction(1)
left, right = sp.symbols("l r", integer=True)
c, noise, delta = sp.symbols("c noise delta", real=True)

SMALLER = (
    "B1.arranged", "B1.mirrored", "B1.left", "B1.right", "B1.tight", "B2.bound", "B2.tight", "B3.theta",
    "B5.listed", "B5.distinct", "B5.tight", "B6.rightmost", "B6.rightmost-none", "B6.leftmost", "B6.leftmost-none",
    "C1.weights", "C1.transfer", "C2.chosen",
)  # fmt: skip
STRICT = ("B1.arranged", "B1.mirrored", "B1.left", "B1.right", "B2.bound", "B5.listed", "B5.distinct", "B6.rightmost")
CHANGES: dict[str, dict[str, dict[str, sp.Expr]]] = {
    "B1.left": {"n down by 1e-6": {"n": n * (1 - LITTLE)}, "gamma up by 1e-6": {"gamma": gamma * (1 + LITTLE)}},
    "B1.tight": {"n + 1 for n": {"n": n + 1}, "tau down by 1e-6": {"tau": tau * (1 - LITTLE)}},
    "B2.bound": {"r - 1 for r": {"r": right - 1}, "l - 1 for l": {"l": left - 1},
                 "gamma up by 1e-6": {"gamma": gamma * (1 + LITTLE)}},
    "B3.theta": {"c up by 1e-3": {"c": c * (1 + sp.Rational(1, 1000))}},
    "B3.closed": {"2c for c": {"c": 2 * c}},
    "B4.bound": {"noise/2 for noise": {"noise": noise / 2}, "3c/2 for c": {"c": c * sp.Rational(3, 2)}},
    "B5.listed": {"n down by 1e-6": {"n": n * (1 - LITTLE)}, "tau down by 1e-6": {"tau": tau * (1 - LITTLE)}},
    "B6.rightmost": {"n down by 1e-6": {"n": n * (1 - LITTLE)}, "c up by 1e-6": {"c": c * (1 + LITTLE)}},
    "C1.rightmost": {"3c/2 for c": {"c": c * sp.Rational(3, 2)}},
    "C1.lookup": {"2c for c": {"c": 2 * c}},
}  # fmt: skip
REVERSED = {"B1.increasing-n": ">", "B1.decreasing-gamma": ">", "B1.increasing-tau": ">", "B6.choice": "<",
            "C2.positive": "<", "C3.below": "<"}  # fmt: skip


def mutants() -> Iterator[Mutant]:
    """All of them."""
    for name in SMALLER:
        old = claim(name)
        check = _scaled_quantity(name) if name in ("C1.weights", "C1.transfer", "C2.chosen") else CHECKS[name]
        yield Mutant(f"{name}: bound times 1 - 1e-6", with_relation(old, bound=old.bound * (1 - LITTLE)), check)
    for name in STRICT:
        yield Mutant(f"{name}: strict", with_relation(claim(name), op="<"), CHECKS[name])
    for name, changes in CHANGES.items():
        for change, values in changes.items():
            old = claim(name)
            yield Mutant(f"{name}: {change}", with_relation(old, bound=altered(old.bound, values)), CHECKS[name])
    for name, op in REVERSED.items():
        if name != "C3.below":
            yield Mutant(f"{name}: reversed", with_relation(claim(name), op=op), CHECKS[name])
    yield from _of_limits()
    yield from _of_temperatures()
    for name, check in DROPPED.items():
        yield Mutant(name, claim(name.split(":")[0]), check)


def _of_limits() -> Iterator[Mutant]:
    """Limits that hold for every n, a little too small."""
    for name in ("B1.below", "B2.below", "B5.strict", "B6.below"):
        old = claim(name)
        yield Mutant(f"{name}: limit times 1 - 1e-6", with_relation(old, bound=old.bound * (1 - LITTLE)), _long(name))
    old = claim("B3.closed")
    without_cube = old.bound.xreplace({sp.exp(-3 * c / tau): 2 * sp.exp(-3 * c / tau)})
    assert without_cube != old.bound
    yield Mutant("B3.closed: 1 + 2q - 2q^3 for 1 + 2q - q^3 reversed", with_relation(old, op=">", bound=without_cube),
                 CHECKS["B3.closed"])  # fmt: skip
    old = claim("C1.bounded")
    yield Mutant("C1.bounded: 1e-6 for 0", with_relation(old, bound=old.bound + LITTLE), CHECKS["C1.bounded"])


def _of_temperatures() -> Iterator[Mutant]:
    """Thresholds of C2 and C3 that are off."""
    for name, bound in (
        ("C2.bound: n for n - 1", lambda b: altered(b, {"n": n + 1})),
        ("C2.bound: half", lambda b: b / 4),
        ("C2.pair: 1 + 1e-6 times the step", lambda b: b * (1 + LITTLE)),
        ("C3.necessary: times 1 - 1e-6", lambda b: b * (1 - LITTLE)),
        ("C3.necessary: n for n - 1", lambda b: altered(b, {"n": n + 1})),
        ("C3.below: log(n/(2 eps)) for log(2n/eps)", lambda _: gamma / sp.log(n / eps / 2)),
        ("C3.above: times 1/2", lambda b: b / 2),
    ):
        old = claim(name.split(":")[0])
        yield Mutant(name, with_relation(old, bound=bound(old.bound)), CHECKS[old.name])
    old = claim("C3.sufficient")
    for change in (1 + LITTLE, sp.Rational(3, 2)):
        hypotheses = tuple(
            Rel(h.lhs, h.op, h.rhs * change) if isinstance(h, Rel) and h.lhs == tau else h for h in old.hypotheses
        )
        yield Mutant(f"C3.sufficient: times {change}", dataclasses.replace(old, hypotheses=hypotheses),
                     CHECKS["C3.sufficient"])  # fmt: skip


def _scaled_quantity(name: str):
    """Claims between two quantities: the second at a temperature that is off by 1e-6."""

    def check(stated: StatedClaim, plan: Plan) -> Items:
        del plan
        row = Row.explicit([0, 1])
        warm = ONE * (1 + Fraction(1, 10**6))
        yield Item(name, tv(row, ONE), stated.op, tv(row, warm), Mode.EQUAL, at(scores=row, tau=1, other_tau=warm))

    return check


def _long(name: str):
    """Long worst rows, whose error is within 1e-6 of the limit."""

    def check(stated: StatedClaim, plan: Plan) -> Items:
        del plan
        for length in (60, 200):
            distances = [abs(j - length // 2) if name.startswith("B2") else j for j in range(length)]
            row = Row.explicit([Fraction(-distance) for distance in distances])
            values = {"c" if name.startswith("B6") else "gamma": 1, "tau": 1, "n": length}
            if name.startswith("B2"):
                del values["n"]
            yield Item(name, tv(row, ONE), stated.op, stated.bound_at(**values), Mode.DECIDED, at(n=length, tau=1))

    return check


def _item(stated: StatedClaim, row: Row, bound: object) -> Item:
    return Item("hypothesis dropped", tv(row, ONE), stated.op, bound, Mode.DECIDED, at(scores=row, tau=1))


def _slow(stated: StatedClaim, plan: Plan) -> Items:
    """B1.left with growth of gamma/2 per position."""
    del plan
    yield _item(stated, Row.explicit([-1, Fraction(-1, 2), 0]), stated.bound_at(n=3, gamma=1, tau=1))


def _other_side(stated: StatedClaim, plan: Plan) -> Items:
    """B1.left with positions on both sides."""
    del plan
    yield _item(stated, Row.explicit([-1, 0, -1]), stated.bound_at(n=3, gamma=1, tau=1))


def _equal_distances(stated: StatedClaim, plan: Plan) -> Items:
    """B5.distinct with two equal distances."""
    del plan
    yield _item(stated, Row.explicit([0, -1, -1]), stated.bound_at(n=3, gamma=1, tau=1))


def _far_noise(stated: StatedClaim, plan: Plan) -> Items:
    """B4.bound with more noise than stated."""
    del plan
    row = Row.explicit([-((j - 2 - Fraction(2, 5)) ** 2) for j in range(1, 4)])
    yield _item(stated, row, stated.bound_at(c=1, noise=0, tau=1))


def _light(stated: StatedClaim, plan: Plan) -> Items:
    """B6.rightmost with a weight that is too small: a later false position wins or comes near."""
    del plan
    row = Row.explicit([Fraction(2), Fraction(2), Fraction(3), Fraction(4)])
    yield _item(stated, row, stated.bound_at(n=4, c=1, tau=1))


DROPPED = {
    "B1.left: growth gamma/2": _slow,
    "B1.left: both sides": _other_side,
    "B5.distinct: equal distances": _equal_distances,
    "B4.bound: more noise": _far_noise,
    "B6.rightmost: weight too small": _light,
}
MUTANTS = tuple(mutants())
