"""Formal sums of exponentials with exact rational coefficients: sum over x of c_x exp(x / tau).

Numerators of differences of softmax weights are of this form. Coefficients of equal exponents are collected
exactly, so cancellations such as k - k leave nothing behind, and a quantity of size exp(-10^6) costs no
extra precision.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from checker.ball import Ball, ball, exp_ball, working

Coefficient: TypeAlias = int | Fraction


class ExpSum:
    """An immutable sum of c_x exp(x / tau) over exact rational x; tau > 0 is given when it is enclosed.

    terms: coefficients by exponent, none of them 0.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Fraction, Coefficient]) -> None:
        self.terms = {x: c for x, c in terms.items() if c}

    @classmethod
    def total(cls, terms: Iterable[tuple[Fraction, Coefficient]]) -> "ExpSum":
        """Return the sum of c exp(x / tau) over the pairs (x, c), equal exponents collected."""
        collected: dict[Fraction, Coefficient] = {}
        for x, c in terms:
            collected[x] = collected.get(x, 0) + c
        return cls(collected)

    def __add__(self, other: "ExpSum") -> "ExpSum":
        return ExpSum.total([*self.terms.items(), *other.terms.items()])

    def __sub__(self, other: "ExpSum") -> "ExpSum":
        return self + other.scale(-1)

    def __mul__(self, other: "ExpSum") -> "ExpSum":
        return ExpSum.total((x + y, c * d) for x, c in self.terms.items() for y, d in other.terms.items())

    def scale(self, factor: Coefficient) -> "ExpSum":
        """Return the sum with every coefficient multiplied by an exact factor."""
        return ExpSum({x: factor * c for x, c in self.terms.items()})

    def same_sign(self) -> bool:
        """Whether all coefficients have one sign, so that the sign of the sum is known for every tau."""
        return all(c > 0 for c in self.terms.values()) or all(c < 0 for c in self.terms.values())

    def coefficients_abs(self) -> "ExpSum":
        """Return the sum with absolute coefficients; it is the absolute value when `same_sign` holds."""
        return ExpSum({x: c if c > 0 else -c for x, c in self.terms.items()})

    def ball(self, tau: Fraction, prec: int) -> Ball:
        """Return an enclosure of the sum at the temperature tau > 0, computed with `prec` bits."""
        with working(prec):
            result = ball(0)
            for x, c in self.terms.items():
                term = exp_ball(x / tau, prec) if x else 1
                result += term * (c if type(c) is int else ball(c))
            return result


@dataclass(frozen=True)
class Ratio:
    """(numerator + sum of c |S| over (c, S) in absolute) / denominator, all coefficients of the denominator > 0."""

    numerator: ExpSum
    absolute: tuple[tuple[Coefficient, ExpSum], ...]
    denominator: ExpSum

    @classmethod
    def of_absolute(cls, terms: Iterable[tuple[Coefficient, ExpSum]], denominator: ExpSum) -> "Ratio":
        """Return (sum of c |S|) / denominator; where the sign of S is known formally, |S| is exact."""
        known: list[tuple[Fraction, Coefficient]] = []
        unknown = []
        for c, part in terms:
            if part.same_sign():
                known += part.coefficients_abs().scale(c).terms.items()
            else:
                unknown.append((c, part))
        return cls(ExpSum.total(known), tuple(unknown), denominator)

    def ball(self, tau: Fraction, prec: int) -> Ball:
        """Return an enclosure of the ratio at the temperature tau > 0, computed with `prec` bits."""
        with working(prec):
            numerator = self.numerator.ball(tau, prec)
            for c, part in self.absolute:
                numerator += abs(part.ball(tau, prec)) * ball(c)
            return numerator / self.denominator.ball(tau, prec)
