"""A temperature from the recurrences alone: the largest one found at which the ledger certifies what is wanted.

An error need not grow with the temperature (A8 has a window), so nothing is claimed between the temperatures tried: the
one returned is a decimal of five digits at which the ledger itself, in exact upper bounds, meets the target.

    measured = measure(model, 6)
    best_tau(measured, decide(measured)).tau          # Fraction, exactly the decimal printed
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from checker.attention import Tie
from checker.errors import InputError
from checker.exact import show
from checker.general.gaps import Measured
from checker.general.plain import Constants, constants, measured_constants, plain, plain_tieless, tieless
from checker.general.profile import Profile
from checker.general.recurrence import Ledger, sharp
from checker.position import Expression
from checker.rounding import decimal_down
from checker.transformer.model import Transformer

DIGITS = 5
RATIO = Fraction(2**10 + 1, 2**10)
DOUBLINGS = 40
HALVINGS = 400
"""The search starts near the gap, and goes up and down by so many factors of 2."""

MODES = ("sharp", "plain", "tieless")


@dataclass(frozen=True)
class Target:
    """What the error of the logit at the accepting position is to be: < limit (decisions kept), or <= limit."""

    limit: Fraction
    strict: bool

    def met(self, error: Fraction) -> bool:
        """Whether an error is small enough."""
        return error < self.limit if self.strict else error <= self.limit

    def __str__(self) -> str:
        return "every decision is that of hard attention" if self.strict else f"logits off by at most {self.limit}"


@dataclass(frozen=True)
class Found:
    """A temperature at which `ledger` meets the target; refused: a slightly larger one at which it does not (None: it
    met the target at every temperature tried, up to 2^DOUBLINGS times the gap)."""

    tau: Fraction
    refused: Fraction | None
    ledger: Ledger


def decide(measured: Measured) -> Target:
    """Every decision is kept: by E2.decision, an error below the least |logit| does not change it."""
    return Target(measured.margin, True)


def within(eps: Fraction) -> Target:
    """Logits are off by at most eps > 0; InputError for another eps."""
    if eps <= 0:
        raise InputError(f"the error allowed must be > 0, got {show(eps)}")
    return Target(eps, False)


def ledger(measured: Measured, tau: Fraction, mode: str = "sharp", profile: Profile | None = None) -> Ledger:
    """Upper bounds of the errors of the softmax run at tau > 0 against the hard run, layer by layer.

    mode: "sharp"; "plain" (E1 as stated); "tieless" (E5 as stated, only where it applies). They hold for the words that
    were measured. profile: of the heads on the same words, which makes "sharp" sharper. Raises InputError for other
    modes, for a temperature <= 0, and in the last two modes for unique-hard heads that meet ties (see
    checker.general.ties).
    """
    return _ledgers(measured, mode, profile)(_positive(tau))


def best_tau(measured: Measured, target: Target, mode: str = "sharp", profile: Profile | None = None) -> Found | None:
    """The largest temperature found at which the ledger meets the target; None if there is none.

    Raises InputError as `ledger` does.
    """
    return search(_ledgers(measured, mode, profile), target, measured.gap)


def _ledgers(measured: Measured, mode: str, profile: Profile | None) -> Callable[[Fraction], Ledger]:
    if mode == "sharp":
        return lambda tau: sharp(measured, tau, profile)
    if mode not in MODES:
        raise InputError(f"the mode is one of {', '.join(MODES)}, got {show(mode)}")
    for layer, facts in zip(measured.model.layers, measured.layers, strict=True):
        for head, found in zip(layer.heads, facts.heads, strict=True):
            if head.ties is not Tie.AVERAGE and found.tied:
                raise InputError(f"the head {head.name} chooses among ties at n = {measured.n}: break them first (E3)")
    numbers = measured_constants(measured)
    if mode == "plain":
        return lambda tau: plain(numbers, tau)
    if not tieless(measured):
        raise InputError(
            "E5 is about heads that are uniform whatever their inputs, or never tie; this model has others"
        )
    return lambda tau: plain_tieless(numbers, tau)


def declared(model: Transformer, n: int, gap: Expression, bound: Expression, margin: Expression) -> Constants:
    """The constants of E1 and E2 for words of length n, if the gap, the bound B and the margin there are as declared.

    Expressions in n. What follows from them is conditional on them. Raises InputError for expressions that mention i,
    for values that are none, and for unique-hard heads (whose ties would have to be excluded).
    """
    for name, expression in (("gap", gap), ("bound", bound), ("margin", margin)):
        if "i" in expression.variables:
            raise InputError(f"the declared {name} is an expression in n alone, got {expression}")
    for layer in model.layers:
        for head in layer.heads:
            if head.ties is not Tie.AVERAGE:
                raise InputError(
                    f"the head {head.name} is {head.ties.value}-hard; declared gaps are about average-hard heads only"
                )
    if margin.at(0, n) <= 0:
        raise InputError(f"the declared margin must be > 0, got {show(margin.at(0, n))} at n = {n}")
    return constants(model, n, bound.at(0, n), gap.at(0, n), margin.at(0, n))


def best_plain(numbers: Constants, target: Target, mode: str = "plain") -> Found | None:
    """The largest temperature found at which the recurrence of E1 ("plain") or of E5 ("tieless") meets the target."""
    recurrence = plain if mode == "plain" else plain_tieless
    return search(lambda tau: recurrence(numbers, tau), target, numbers.gap)


def search(ledgers: Callable[[Fraction], Ledger], target: Target, gap: Fraction | None) -> Found | None:
    """The largest temperature found, from the neighbourhood of the gap upwards and downwards, then by bisection."""
    if target.limit <= 0 and (target.strict or target.limit < 0):
        return None

    def good(tau: Fraction) -> Ledger | None:
        found = ledgers(tau)
        return found if target.met(found.logit) else None

    tau = _decimal(Fraction(1) if gap is None else gap)
    best, refused = good(tau), None
    if best is not None:
        for _ in range(DOUBLINGS):
            larger = _decimal(2 * tau)
            found = good(larger)
            if found is None:
                refused = larger
                break
            tau, best = larger, found
    else:
        for _ in range(HALVINGS):
            refused, tau = tau, _decimal(tau / 2)
            best = good(tau)
            if best is not None:
                break
    if best is None:
        return None
    while refused is not None and refused > tau * RATIO:
        middle = _decimal((tau + refused) / 2)
        found = good(middle)
        if found is None:
            refused = middle
        else:
            tau, best = middle, found
    return Found(tau, refused, best)


def _decimal(x: Fraction) -> Fraction:
    return decimal_down(x, DIGITS).value


def _positive(tau: Fraction) -> Fraction:
    if tau <= 0:
        raise InputError(f"the temperature must be > 0, got {show(tau)}")
    return tau
