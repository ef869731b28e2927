"""Temperature schedules: the temperature tau(n) at which a head meets a target error, and the claims it rests on.

Two regimes. `unbounded`: embeddings grow with n at a fixed temperature, and the schedule is the least score scale c at
tau = 1. `scaled`: scores are divided by n (quadratic lookups: n^2) so that embeddings stay bounded, and the schedule is
the largest temperature tau(n) at c = 1. The target eps bounds the total variation distance: TV <= eps.

The closed formula is derived (checker/schedule_proof.py) when a schedule is made; its numbers, and those of a sharper
bound where there is one, are in checker/schedule_numbers.py, their verification from the definitions in
checker/schedule_check.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import sympy as sp

from checker.errors import InputError
from checker.exact import exact, show
from checker.schedule_heads import HEADS, Head, ratio
from checker.schedule_proof import prove
from proofs.a_softmax_gap.row import delta, eps, gamma, n
from proofs.b_positional.b6_predicate import c
from proofs.sequent import Theorem

_THETA_RANGE = (Fraction(1, 10**30), Fraction(999, 1000))
"""Where B3.theta is inverted: below, it gains nothing on B3.closed in 30 digits (relative gain q^6); above, its series
is long."""


class Regime(Enum):
    """Where the growth with n goes: into the embedding, or into the temperature."""

    UNBOUNDED = "unbounded"
    SCALED = "scaled"


@dataclass(frozen=True)
class Necessity:
    """What every head must satisfy: `expr` bounds tau from above (scaled), or c or the spread from below (unbounded).

    expr: None where it is the sharper value itself, rounded the other way. subject: "tau", "c" or "spread".
    """

    subject: str
    expr: sp.Expr | None
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Schedule:
    """A head, a regime, a target and the head's parameters; make one with make_schedule.

    options: gamma, k, noise, spread as far as the head takes them. theorem: the derived statement that tau <= self.tau
    implies bound <= eps (for a lookup about the root R of a cubic, see schedule_heads.CUBIC).
    """

    head: Head
    regime: Regime
    eps: Fraction
    options: Mapping[str, Fraction]
    theorem: Theorem

    @property
    def power(self) -> int:
        """Scores are divided by n^power."""
        return self.head.power if self.regime is Regime.SCALED else 0

    def _scale(self) -> sp.Expr:
        return c * self.head.rate / n**self.power

    @property
    def tau(self) -> sp.Expr:
        """The temperature, in the symbols n, eps, c and the head's parameters."""
        return self._scale() / sp.log(self.head.ratio)

    @property
    def short_tau(self) -> sp.Expr:
        """The temperature as printed: for a lookup in terms of the root R."""
        return self._scale() / sp.log(ratio) if self.head.cubic else self.tau

    @property
    def leading(self) -> sp.Expr:
        """The leading term of tau(n) as n tends to infinity; tau(n) itself, except at constant gap."""
        return c * gamma / sp.log(n) if self.head.name == "constant-gap" else self.short_tau

    @property
    def answer(self) -> sp.Expr:
        """The least c at tau = 1 (unbounded), or tau(n) at c = 1 (scaled)."""
        if self.regime is Regime.UNBOUNDED:
            return sp.log(self.head.ratio) / self.head.rate
        return self.tau.subs(c, 1)

    @property
    def subject(self) -> str:
        """What is solved for: "c" (rounded up) or "tau" (rounded down)."""
        return "c" if self.regime is Regime.UNBOUNDED else "tau"

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that the formula rests on."""
        own = ("C3.sufficient",) if self.head.name == "constant-gap" and self.options["k"] == 1 else ()
        return self.head.claims + own + (self.head.scaled_claims if self.regime is Regime.SCALED else ())

    @property
    def sharper_claims(self) -> tuple[str, ...]:
        """The claims that the sharper value rests on; empty if there is none."""
        if not self.has_sharper:
            return ()
        return self.head.sharper_claims + (("C1.transfer",) if self.regime is Regime.SCALED else ())

    @property
    def has_sharper(self) -> bool:
        """Whether there is a sharper value than that of the closed formula."""
        low, high = _THETA_RANGE
        theta = self.head.name == "lookup"
        return self.head.sharper is not None and (not theta or low <= self.eps <= high)

    @property
    def necessity(self) -> Necessity | None:
        """The matching necessary condition, where one is known."""
        if self.head.name == "constant-gap":
            if "spread" not in self.options:
                return Necessity(self.subject, self.answer, ("A3.necessary",))
            wide = {gamma: delta}
            claim = "C3.necessary" if self.options["k"] == 1 else "A4.distance"
            return Necessity(self.subject, self.answer.subs(wide), (claim,))
        if self.head.rate == gamma:
            return Necessity(self.subject, None, self.head.exact_claims)
        if self.head.name not in ("rightmost", "leftmost") or self.eps >= Fraction(1, 2):
            return None
        steps = (n - 1) * sp.log((1 - eps) / eps)
        if self.regime is Regime.UNBOUNDED:
            return Necessity("spread", steps, ("C2.chosen", "C2.pair", "C2.bound"))
        return Necessity("tau", delta / steps, ("C2.chosen", "C2.pair", "C2.bound", "C1.bounded"))

    def scalars(self, length: int) -> dict[str, Fraction]:
        """The values of the symbols at one length, c = 1 and tau = 1 among them."""
        left = (length - 1) // 2
        names = {"n": length, "l": left, "r": length - 1 - left, "c": 1, "tau": 1}
        values = {name: Fraction(value) for name, value in names.items()}
        values |= {name: value for name, value in self.options.items() if name != "spread"}
        return values | {"eps": self.eps, "delta": self.options.get("spread", Fraction(1))}

    def unit(self, number: Fraction, length: int) -> Fraction:
        """The c/tau at which the head's bounds are evaluated, for the score scale or temperature `number`."""
        rate = self.options["gamma"] if self.head.rate == gamma else Fraction(1)
        return rate * number if self.regime is Regime.UNBOUNDED else rate / (length**self.power * number)


def make_schedule(
    head: str, target: object, regime: Regime | str, options: Mapping[str, Fraction] | None = None
) -> Schedule:
    """Return the schedule of a head type for TV <= target in a regime.

    head: a name in HEADS. target: 0 < eps < 1, as an exact number. options: gamma > 0 (default 1; constant-gap needs
    it), k (integer >= 1, default 1), noise in [0, 1/2), spread > 0 (at constant gap at least gamma; default 3 for a
    scaled rightmost or leftmost head, by C1.bounded).
    Raises InputError in one line for anything else; ProofError if a rule rejects the head's formula.
    """
    if head not in HEADS:
        raise InputError(f"the head must be one of {', '.join(HEADS)}, got {head!r}")
    if isinstance(regime, str):
        if regime not in [known.value for known in Regime]:
            raise InputError(f"the regime must be unbounded or scaled, got {regime!r}")
        regime = Regime(regime)
    goal = exact(target, "eps")
    if not 0 < goal < 1:
        raise InputError(f"eps must satisfy 0 < eps < 1, got {show(goal)}")
    chosen = HEADS[head]
    values = _options(chosen, regime, dict(options or {}))
    power = chosen.power if regime is Regime.SCALED else 0
    return Schedule(chosen, regime, goal, values, prove(chosen, power))


def _options(head: Head, regime: Regime, values: dict[str, Fraction]) -> dict[str, Fraction]:
    known = [name for name in head.options if name != "spread" or head.rate == gamma or regime is Regime.SCALED]
    for name in values:
        if name not in known:
            uses = ", ".join(f"--{option}" for option in known)
            where = f"{head.name} ({regime.value})"
            raise InputError(f"{where} does not use --{name}; it uses {uses}" if uses else f"{where} takes no --{name}")
    for name in head.needed:
        if name not in values:
            raise InputError(f"{head.name} needs --{name}")
    if "gamma" in known:
        values.setdefault("gamma", Fraction(1))
    if "k" in known:
        values.setdefault("k", Fraction(1))
    if head.name in ("rightmost", "leftmost") and regime is Regime.SCALED:
        values.setdefault("spread", Fraction(3))
    for name, value in values.items():
        if name == "noise" and not 0 <= value < Fraction(1, 2):
            raise InputError(f"noise must satisfy 0 <= noise < 1/2, got {show(value)}")
        if name == "k" and (value.denominator != 1 or value < 1):
            raise InputError(f"k must be an integer >= 1, got {show(value)}")
        if name in ("gamma", "spread") and value <= 0:
            raise InputError(f"{name} must be > 0, got {show(value)}")
    if head.rate == gamma and values.get("spread", values["gamma"]) < values["gamma"]:
        raise InputError(f"spread must be at least gamma = {show(values['gamma'])}, got {show(values['spread'])}")
    return values
