"""The quantities that the theorems bound, from the definitions of softmax and hard attention alone.

Each quantity has two evaluations that share nothing but the row. With Arb, differences of weights are first
brought over a common denominator as formal sums of exponentials (`checker.expsum`). With mpmath
(`checker.mpquantity`), the weights exp(s_j / tau) / sum are computed and subtracted as they stand.
Over the empty row every weight vector is zero, so every quantity is 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import lcm

from checker import mpquantity
from checker.attention import Row, Tie
from checker.ball import Ball, ball, working
from checker.errors import InputError
from checker.exact import show
from checker.expsum import ExpSum, Ratio
from checker.mpinterval import Interval


@dataclass(frozen=True)
class Quantity:
    """A real number given by two independent enclosures; `name`, `row` and `tau` say which one in messages.

    ratio: the number as a quotient of formal sums of exponentials, exactly (for Arb and for `checker.formal`).
    """

    name: str
    row: Row
    tau: Fraction
    ratio: Callable[[], Ratio]
    with_arb: Callable[[int], Ball]
    with_mpmath: Callable[[int], Interval]

    def __str__(self) -> str:
        return f"{self.name} of the row {self.row} at tau = {show(self.tau)}"

    def ball(self, prec: int) -> Ball:
        """Return Arb's enclosure, computed with `prec` bits."""
        return self.with_arb(prec)

    def mp(self, prec: int) -> Interval:
        """Return mpmath's enclosure, computed with at least `prec` bits."""
        return self.with_mpmath(prec)


def l1(row: Row, tau: Fraction | int, tie: Tie = Tie.AVERAGE) -> Quantity:
    """Return E = sum of |p_j - h_j|, softmax of the row at tau > 0 against its hard attention; in [0, 2)."""
    return _distance("l1", row, row, tau, tie, Fraction(1))


def tv(row: Row, tau: Fraction | int, tie: Tie = Tie.AVERAGE) -> Quantity:
    """Return the total variation E / 2 between softmax of the row at tau > 0 and its hard attention."""
    return _distance("tv", row, row, tau, tie, Fraction(1, 2))


def tv_perturbed(row: Row, perturbed: Row, tau: Fraction | int, tie: Tie = Tie.AVERAGE) -> Quantity:
    """Return the total variation between softmax of the perturbed row and hard attention of the row.

    Both rows must have the same multiplicities (else InputError): group g holds the same positions.
    """
    return _distance("tv_perturbed", row, perturbed, tau, tie, Fraction(1, 2))


def tv_between(row_a: Row, row_b: Row, tau: Fraction | int) -> Quantity:
    """Return the total variation between the softmax weights of two rows over the same positions.

    Both rows must have the same multiplicities (else InputError).
    """
    tau = _temperature(tau)
    _same_positions(row_a, row_b)
    ratio = partial(_between, row_a, row_b)
    return _quantity("tv_between", row_a, tau, ratio, partial(mpquantity.between, row_a, row_b, tau))


def weight(row: Row, tau: Fraction | int, group: int) -> Quantity:
    """Return the softmax weight of ONE position of the group (0-based); InputError if there is no such group."""
    tau = _temperature(tau)
    if type(group) is not int or not 0 <= group < len(row.scores):
        raise InputError(f"there is no group {show(group)}; the row has {len(row.scores)} groups, from 0")
    ratio = partial(_weight, row, group)
    return _quantity("weight", row, tau, ratio, partial(mpquantity.weight, row, tau, group))


def max_weight(row: Row, tau: Fraction | int) -> Quantity:
    """Return the largest softmax weight of a position (0 for the empty row)."""
    tau = _temperature(tau)
    # exp is increasing, so the largest weight is that of a maximal score.
    ratio = (lambda: _weight(row, row.scores.index(row.top))) if row.scores else _nothing
    return _quantity("max_weight", row, tau, ratio, partial(mpquantity.max_weight, row, tau))


def attention_output(row: Row, tau: Fraction | int, values: Sequence[Fraction | int]) -> Quantity:
    """Return sum of p_j v_j; values: one exact number per group, the same at all its positions."""
    tau, exact_values = _temperature(tau), _values(row, values)
    ratio = partial(_output, row, exact_values)
    return _quantity("attention_output", row, tau, ratio, partial(mpquantity.output, row, tau, exact_values))


def value_error(row: Row, tau: Fraction | int, values: Sequence[Fraction | int], tie: Tie = Tie.AVERAGE) -> Quantity:
    """Return |sum p_j v_j - sum h_j v_j|, soft against hard attention; values: one per group."""
    return value_error_perturbed(row, tau, values, values, tie)


def value_error_perturbed(
    row: Row,
    tau: Fraction | int,
    values: Sequence[Fraction | int],
    perturbed_values: Sequence[Fraction | int],
    tie: Tie = Tie.AVERAGE,
) -> Quantity:
    """Return |sum p_j v'_j - sum h_j v_j|: perturbed values under softmax, the given ones under hard attention."""
    tau, hard_values, soft_values = _temperature(tau), _values(row, values), _values(row, perturbed_values)
    ratio = partial(_value_error, row, hard_values, soft_values, tie)
    mp = partial(mpquantity.value_error, row, tau, hard_values, soft_values, tie)
    return _quantity("value_error", row, tau, ratio, mp)


def _distance(name: str, row: Row, soft: Row, tau: Fraction | int, tie: Tie, factor: Fraction) -> Quantity:
    tau = _temperature(tau)
    _same_positions(row, soft)
    ratio = partial(_soft_against_hard, row, soft, tie, factor)
    return _quantity(name, row, tau, ratio, partial(mpquantity.distance, row, soft, tau, tie, factor))


def _quantity(
    name: str, row: Row, tau: Fraction, ratio: Callable[[], Ratio], mp: Callable[[int], Interval]
) -> Quantity:
    def with_arb(prec: int) -> Ball:
        if row.is_empty:
            with working(prec):
                return ball(0)
        return ratio().ball(tau, prec)

    return Quantity(name, row, tau, _nothing if row.is_empty else ratio, with_arb, mp)


# Formal sums: with w_j = exp((s_j - top) / tau), W = sum w_j and h_j = a_j / H, all exponents are <= 0 and
# p_j - h_j = (w_j H - a_j W) / (H W). Exponents are kept in units of score; tau enters with the enclosure.


def _total(row: Row) -> ExpSum:
    return ExpSum.total(
        (score - row.top, multiplicity) for score, multiplicity in zip(row.scores, row.multiplicities, strict=True)
    )


@lru_cache(maxsize=4096)
def _soft_against_hard(row: Row, soft: Row, tie: Tie, factor: Fraction) -> Ratio:
    """Return factor * sum of |p_j - h_j|, p from the scores of `soft`, h from those of `row`."""
    parts = row.hard(tie)
    scale = lcm(*(part.weight.denominator for part in parts))
    total = _total(soft)
    # Positions with the same soft score and hard weight have the same difference.
    counts: dict[tuple[Fraction, Fraction], int] = {}
    for part in parts:
        key = (soft.scores[part.group] - soft.top, part.weight)
        counts[key] = counts.get(key, 0) + part.multiplicity
    terms: list[tuple[int | Fraction, ExpSum]] = []
    for (x, hard_weight), count in counts.items():
        difference = ExpSum({x: scale})
        if hard_weight:
            difference -= total.scale(int(hard_weight * scale))
        terms.append((count * factor, difference))
    return Ratio.of_absolute(terms, total.scale(scale))


@lru_cache(maxsize=4096)
def _between(row_a: Row, row_b: Row) -> Ratio:
    """Return 1/2 sum of |a_j / A - b_j / B| = sum of |a_j B - b_j A| / (2 A B)."""
    total_a, total_b = _total(row_a), _total(row_b)
    counts: dict[tuple[Fraction, Fraction], int] = {}
    for a, b, multiplicity in zip(row_a.scores, row_b.scores, row_a.multiplicities, strict=True):
        key = (a - row_a.top, b - row_b.top)
        counts[key] = counts.get(key, 0) + multiplicity
    terms: list[tuple[int | Fraction, ExpSum]] = [
        (count, ExpSum({x: 1}) * total_b - ExpSum({y: 1}) * total_a) for (x, y), count in counts.items()
    ]
    return Ratio.of_absolute(terms, (total_a * total_b).scale(2))


def _weight(row: Row, group: int) -> Ratio:
    return Ratio(ExpSum({row.scores[group] - row.top: 1}), (), _total(row))


def _output(row: Row, values: tuple[Fraction, ...]) -> Ratio:
    return Ratio(_weighted(row, values), (), _total(row))


def _value_error(row: Row, hard_values: tuple[Fraction, ...], soft_values: tuple[Fraction, ...], tie: Tie) -> Ratio:
    hard_output = sum(
        (part.multiplicity * part.weight * hard_values[part.group] for part in row.hard(tie)), Fraction(0)
    )
    # sum p_j v'_j - h = (sum w_j v'_j - h W) / W, collected before the absolute value is taken.
    total = _total(row)
    return Ratio.of_absolute([(1, _weighted(row, soft_values) - total.scale(hard_output))], total)


def _weighted(row: Row, values: tuple[Fraction, ...]) -> ExpSum:
    return ExpSum.total(
        (score - row.top, multiplicity * value)
        for score, multiplicity, value in zip(row.scores, row.multiplicities, values, strict=True)
    )


def _nothing() -> Ratio:
    return Ratio(ExpSum({}), (), ExpSum({Fraction(0): 1}))


def _temperature(tau: object) -> Fraction:
    if type(tau) is int:
        tau = Fraction(tau)
    if type(tau) is not Fraction or tau <= 0:
        raise InputError(f"the temperature must be an int or a Fraction > 0, got {show(tau)}")
    return tau


def _same_positions(row: Row, other: Row) -> None:
    if row.multiplicities != other.multiplicities:
        raise InputError("the two rows must have the same groups of positions, with equal multiplicities")


def _values(row: Row, values: Sequence[Fraction | int]) -> tuple[Fraction, ...]:
    if len(values) != len(row.scores):
        raise InputError(f"one value per group is needed, got {len(values)} for {len(row.scores)} groups")
    for place, value in enumerate(values, start=1):
        if type(value) not in (int, Fraction):
            raise InputError(f"value {place} must be an int or a Fraction, got {show(value)}")
    return tuple(Fraction(value) for value in values)
