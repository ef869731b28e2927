"""Simulating a hard-attention transformer by softmax attention, length by length: a priori, then a posteriori.

from checker.general.simulate import simulate
found = simulate(model, 5)
found.sharp.tau, found.bracket.works.tau, found.bracket.fails.witness
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from checker.errors import DisagreementError
from checker.general.aposteriori import Bracket, Comparison, HardLogits, compare, largest
from checker.general.apriori import Found, Target, best_plain, best_tau, decide, declared, within
from checker.general.escape import Escape, escape
from checker.general.gaps import Measured, measure
from checker.general.lambert import Closed, closed_form
from checker.general.plain import Constants, measured_constants, tieless
from checker.general.profile import profile
from checker.general.ties import TieFree, break_ties, has_ties
from checker.position import Expression
from checker.transformer.model import Transformer
from checker.verdict import Verdict
from checker.work.run import Work

Progress = Callable[[int, int, str], None]


class Outcome(Enum):
    """What is known for one length."""

    CERTIFIED = "certified"
    CONDITIONAL = "certified if the declared gap, bound and margin are right"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Declared:
    """Expressions in n for the least gap, the bound B of the residual stream, and the margin of the logit."""

    gap: Expression
    bound: Expression
    margin: Expression


@dataclass(frozen=True)
class Simulation:
    """One length. model: the transformer that is simulated, without unique-hard ties (ties: how they were broken).

    measured: None for declared numbers. sharp, plain, tieless, closed: temperatures by the refined recurrence, by E1
    and E5 as stated, by the closed form of E2; None where there is none (tieless: also where E5 does not apply).
    at_tau: all words run at the best of them; true_errors: of the worst of them, per layer; bracket, escaped: the
    largest temperature that works, and where the error escapes on the word that fails just above it. None unless words
    were run.
    """

    model: Transformer
    n: int
    target: Target
    numbers: Constants
    measured: Measured | None
    ties: TieFree | None
    sharp: Found | None
    plain: Found | None
    tieless: Found | None
    closed: Closed | None
    at_tau: Comparison | None
    bracket: Bracket | None
    escaped: Escape | None
    true_errors: tuple[Fraction, ...] | None

    @property
    def best(self) -> Fraction | None:
        """The largest temperature certified a priori."""
        found = [f.tau for f in (self.sharp, self.plain, self.tieless, self.closed) if f is not None]
        return max(found, default=None)

    @property
    def outcome(self) -> Outcome:
        """CERTIFIED needs a temperature a priori and, where words were run at it, that all of them were decided."""
        if self.best is None or (self.at_tau is not None and self.at_tau.verdict is not Verdict.HOLDS):
            return Outcome.UNDECIDED
        return Outcome.CONDITIONAL if self.measured is None else Outcome.CERTIFIED

    @property
    def gain(self) -> Fraction | None:
        """How many times larger the refined temperature is than that of E1 as stated."""
        return None if self.sharp is None or self.plain is None else self.sharp.tau / self.plain.tau

    @property
    def slack(self) -> Fraction | None:
        """How many times larger the temperature is that works a posteriori."""
        if self.best is None or self.bracket is None or self.bracket.works is None:
            return None
        return self.bracket.works.tau / self.best


def simulate(
    model: Transformer,
    n: int,
    *,
    eps: Fraction | None = None,
    check: bool = True,
    update: Progress | None = None,
    work: Work | None = None,
) -> Simulation:
    """Temperatures for all words of length n >= 1: every decision kept, or (eps) logits off by at most eps.

    Ties of unique-hard heads are broken first, as in E3. check: also run all words with softmax attention. work:
    who runs the words. Raises InputError for words that are too many to enumerate, and DisagreementError if a run
    contradicts a temperature found.
    """

    def told(what: str) -> Callable[[int, int], None]:
        return lambda done, total: None if update is None else update(done, total, what)

    label = "as given: "
    measured, ties = measure(model, n, progress=told(f"n = {n}: hard run"), work=work, label=label), None
    if has_ties(measured):
        ties, label = break_ties(measured), "ties broken: "
        measured = measure(ties.model, n, progress=told(f"n = {n}: ties broken"), work=work, label=label)
    subject = measured.model
    target = decide(measured) if eps is None else within(eps)
    numbers = measured_constants(measured)
    known = profile(measured, progress=told(f"n = {n}: profiles"), work=work, label=label)
    sharp, plain = best_tau(measured, target, profile=known), best_tau(measured, target, "plain")
    third = best_tau(measured, target, "tieless") if tieless(measured) else None
    found = Simulation(
        subject, n, target, numbers, measured, ties, sharp, plain, third, closed_form(numbers, target),
        None, None, None, None,
    )  # fmt: skip
    return _checked(found, told(f"n = {n}: softmax run"), work, label) if check else found


def simulate_declared(model: Transformer, n: int, given: Declared, *, eps: Fraction | None = None) -> Simulation:
    """The same for lengths that nobody enumerates, by E1 and E2 as stated, if the declared expressions are right."""
    numbers = declared(model, n, given.gap, given.bound, given.margin)
    target = Target(numbers.margin, True) if eps is None else within(eps)
    plain = best_plain(numbers, target)
    return Simulation(
        model, n, target, numbers, None, None, None, plain, None, closed_form(numbers, target), None, None, None, None
    )


def _checked(found: Simulation, progress: Callable[[int, int], None], work: Work | None, label: str) -> Simulation:
    model, n, target = found.model, found.n, found.target
    logits = HardLogits(model, n)
    best = found.best
    at_tau = None
    if best is not None:
        at_tau = compare(model, n, best, target, logits=logits, progress=progress, work=work, label=label)
    if at_tau is not None and at_tau.verdict is Verdict.FAILS:
        raise DisagreementError(
            f"{model.name}: a word of length {n} contradicts the temperature {best} found a priori: please report this"
        )
    start = best if best is not None else found.numbers.gap or Fraction(1)
    bracket = largest(model, n, target, start, logits=logits, work=work, label=label)
    escaped = errors = None
    if bracket.fails is not None and bracket.fails.witness is not None:
        escaped = escape(model, _symbols(model, bracket.fails.witness), bracket.fails.tau)
    if at_tau is not None and best is not None:
        errors = escape(model, _symbols(model, at_tau.worst), best).errors
    return Simulation(
        model, n, target, found.numbers, found.measured, found.ties, found.sharp, found.plain, found.tieless,
        found.closed, at_tau, bracket, escaped, errors,
    )  # fmt: skip


def _symbols(model: Transformer, word: tuple[int, ...]) -> list[str]:
    return [model.alphabet[symbol] for symbol in word]
