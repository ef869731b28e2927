"""Checks of E1 and E5 about one head or layer: soft outputs of perturbed rows against hard outputs, by definition."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from checker.attention import Row, Tie
from checker.decide import Enclosable, Exact, decide
from checker.quantity import attention_output, tv_perturbed, weight
from checker.sides import AbsoluteDifference, Affine
from checker.verdict import Verdict

from .claims import StatedClaim
from .general_inputs import listed
from .grids import FEW_RATIOS, GIANT_LENGTHS, Plan, explicit_multisets, moved, sign_patterns
from .item import Item, Items, Mode, at

ONE = Fraction(1)
LO, HI, NU = Fraction(-1), Fraction(2), Fraction(1, 7)
ETA = Fraction(1, 5)


class Pair(NamedTuple):
    """A row and its perturbed copy, scores off by at most eta; gap at least gamma."""

    kind: str
    row: Row
    other: Row
    gamma: Fraction
    eta: Fraction
    tau: Fraction


def _pairs(plan: Plan, tieless: bool) -> Iterator[Pair]:
    """Lattice rows with perturbations of every sign (up to three positions) or one change of sign; long rows."""
    for row in explicit_multisets(min(plan.max_n, 3), smallest=2 if tieless else 1):
        if tieless and (row.k != 1 or row.gap is None):
            continue
        gamma = row.gap if row.gap is not None else ONE
        eta = gamma * Fraction(2, 5) if tieless else ETA
        for pattern in sign_patterns(row.n):
            if row.n > 2 and 0 in pattern:
                continue
            for ratio in FEW_RATIOS if row.n <= 2 else FEW_RATIOS[1:2]:
                yield Pair("lattice", row, moved(row, pattern, eta), gamma, eta, gamma / ratio)
    for n in GIANT_LENGTHS[:2]:
        for k in (1,) if tieless else (1, 3):
            row = Row((Fraction(0), -ONE), (k, n - k))
            for pattern in ((1, -1), (-1, 1)):
                yield Pair("giant n", row, moved(row, pattern, ETA), ONE, ETA, ONE / 20)


def hard_output(row: Row, values: Sequence[Fraction]) -> Fraction:
    """Average-hard attention: the mean of the values at the maximal positions."""
    return sum((part.multiplicity * part.weight * values[part.group] for part in row.hard(Tie.AVERAGE)), Fraction(0))


def change(pair: Pair, values: Sequence[Fraction], soft_values: Sequence[Fraction]) -> Enclosable:
    """|sum p2 v2 - sum h v|: softmax of the perturbed row against average-hard attention of the row."""
    soft = attention_output(pair.other, pair.tau, soft_values)
    return AbsoluteDifference(soft, Exact(hard_output(pair.row, values)))


def _ends(pair: Pair, lo: Fraction, hi: Fraction) -> Iterator[tuple[Fraction, ...]]:
    """Values at the ends of their range: every choice for up to two groups; else by maximality, by movement, mixed."""
    rows = list(zip(pair.row.scores, pair.other.scores, strict=True))
    if len(rows) <= 2:
        yield from itertools.product((lo, hi), repeat=len(rows))
        return
    yield tuple(hi if score == pair.row.top else lo for score, _ in rows)
    yield tuple(lo if score == pair.row.top else hi for score, _ in rows)
    yield tuple(hi if moved_to > score else lo for score, moved_to in rows)
    yield tuple(hi if index % 2 else lo for index in range(len(rows)))


def _witness(pair: Pair, values: Sequence[Fraction], **more: object) -> tuple[tuple[str, object], ...]:
    return at(scores=pair.row, perturbed=pair.other, gamma=pair.gamma, eta=pair.eta, tau=pair.tau,
              values=listed(values), **more)  # fmt: skip


def _bound(claim: StatedClaim, pair: Pair, **more: Fraction | int) -> Enclosable:
    numbers: dict[str, Fraction | int] = {
        "n": pair.row.n,
        "k": pair.row.k,
        "gamma": pair.gamma,
        "eta": pair.eta,
        "tau": pair.tau,
    }
    return claim.bound_at(**{**numbers, **more})


def weights(claim: StatedClaim, plan: Plan) -> Items:
    """E1.ties, E1.weights: the L1 distance of perturbed soft and unperturbed hard weights."""
    for pair in _pairs(plan, tieless=False):
        distance = Affine(tv_perturbed(pair.row, pair.other, pair.tau), Fraction(2))
        yield Item(pair.kind, distance, claim.op, _bound(claim, pair), Mode.DECIDED, _witness(pair, ()))


def _is_tieless(claim: StatedClaim) -> bool:
    return "tieless" in claim.name or claim.name.startswith("E5")


def outputs(claim: StatedClaim, plan: Plan) -> Items:
    """E1.diameter, E1.window, E1.tieless: values at both ends of their range, moved by up to nu."""
    for pair in _pairs(plan, _is_tieless(claim)):
        bound = _bound(claim, pair, lo=LO, hi=HI, nu=NU)
        for values in _ends(pair, LO, HI):
            for shift in (-NU, NU):
                soft_values = [value + shift for value in values]
                witness = _witness(pair, values, shift=shift)
                yield Item(pair.kind, change(pair, values, soft_values), claim.op, bound, Mode.EITHER, witness)


def sized_values(claim: StatedClaim, plan: Plan) -> Items:
    """E1.head, E5.head: values of size vmap B, moved by vmap delta."""
    vmap, b, delta = Fraction(3, 2), Fraction(2), Fraction(1, 4)
    for pair in _pairs(plan, _is_tieless(claim)):
        bound = _bound(claim, pair, vmap=vmap, B=b, delta=delta)
        for values in _ends(pair, -vmap * b, vmap * b):
            for shift in (-vmap * delta, vmap * delta):
                soft_values = [value + shift for value in values]
                witness = _witness(pair, values, shift=shift)
                yield Item(pair.kind, change(pair, values, soft_values), claim.op, bound, Mode.EITHER, witness)


def from_weights(claim: StatedClaim, plan: Plan) -> Items:
    """E1.value: |v| <= 1 and the distance from its definition; sharp for values 1 where p exceeds a, -1 elsewhere."""
    factor = Fraction(1)
    for pair in _pairs(plan, tieless=False):
        distance = tv_perturbed(pair.row, pair.other, pair.tau)
        bound = _affine(claim, distance, {"size": factor, "nu": NU})
        for values in _ends(pair, -factor, factor):
            soft_values = [value + NU for value in values]
            yield Item(pair.kind, change(pair, values, soft_values), claim.op, bound, Mode.EITHER,
                       _witness(pair, values, shift=NU))  # fmt: skip


def _affine(claim: StatedClaim, distance: Enclosable, numbers: dict[str, Fraction]) -> Enclosable:
    """The bound, affine in the total variation distance it contains."""
    expr = claim.with_total_variation()
    here = {symbol: numbers[symbol.name] for symbol in expr.free_symbols if symbol.name in numbers}
    at_zero, at_one = (expr.subs({**here, "TV": place}) for place in (0, 1))
    offset = Fraction(int(at_zero.p), int(at_zero.q))
    return Affine(distance, Fraction(int(at_one.p), int(at_one.q)) - offset, offset)


def window_tight(claim: StatedClaim, plan: Plan) -> Items:
    """E1.window-tight: the raised row with the largest distance, values at the end that pulls, all moved by nu."""
    for n in (*range(2, plan.max_n + 1), GIANT_LENGTHS[0]):
        for k in range(1, min(n, 4)):
            for ratio in FEW_RATIOS[1:]:
                pairs = [_raised(n, k, raised, 1 / ratio) for raised in range(k + 1)]
                # The largest by its midpoint; a wrong choice could only make the check fail.
                pair = max(pairs, key=lambda p: tv_perturbed(p.row, p.other, p.tau).ball(256).mid())
                yield _extreme(claim, pair)


def _raised(n: int, k: int, raised: int, tau: Fraction) -> Pair:
    groups = [(Fraction(0), raised, 1), (Fraction(0), k - raised, -1), (-ONE, n - k, 1)]
    kept = [group for group in groups if group[1]]
    row = Row(tuple(g[0] for g in kept), tuple(g[1] for g in kept))
    return Pair("worst case", row, moved(row, [g[2] for g in kept], ETA), ONE, ETA, tau)


def _extreme(claim: StatedClaim, pair: Pair) -> Item:
    """Values hi where the soft weight exceeds the hard one, lo elsewhere, all moved by nu."""
    values = []
    for part in pair.row.hard(Tie.AVERAGE):
        above = decide(weight(pair.other, pair.tau, part.group), ">", part.weight)
        values.append(HI if above.verdict is Verdict.HOLDS else LO)
    soft_values = [value + NU for value in values]
    bound = _bound(claim, pair, lo=LO, hi=HI, nu=NU)
    return Item(pair.kind, change(pair, values, soft_values), claim.op, bound, Mode.EQUAL, _witness(pair, values))


def tieless_tight(claim: StatedClaim, plan: Plan) -> Items:
    """E1.tieless-tight: the maximum falls by eta, the others, at the gap, rise by eta."""
    for n in (*range(2, plan.max_n + 1), *GIANT_LENGTHS[:2]):
        for eta, ratio in itertools.product((ETA, Fraction(49, 100)), FEW_RATIOS):
            row = Row((Fraction(0), -ONE), (1, n - 1))
            pair = Pair("worst case", row, moved(row, (-1, 1), eta), ONE, eta, 1 / ratio)
            values, soft_values = (LO, HI), (LO + NU, HI + NU)
            bound = _bound(claim, pair, lo=LO, hi=HI, nu=NU)
            yield Item(pair.kind, change(pair, values, soft_values), claim.op, bound, Mode.EQUAL,
                       _witness(pair, values))  # fmt: skip


def uniform(claim: StatedClaim, plan: Plan) -> Items:
    """E5.uniform: the softmax weights of rows of equal scores."""
    for n in (*range(1, plan.max_n + 1), *GIANT_LENGTHS):
        for score, tau in itertools.product((Fraction(0), Fraction(-7, 3)), (ONE, Fraction(1, 100))):
            row = Row((score,), (n,))
            bound = claim.bound_at(n=n)
            yield Item("every n", weight(row, tau, 0), claim.op, bound, Mode.EQUAL, at(scores=row, tau=tau))
