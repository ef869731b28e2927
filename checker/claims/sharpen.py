"""The least constant C for which a claim with C in its bound holds: bracketed by verdicts, then named exactly.

C ranges over numbers >= 0 at which the claim is checked as it stands, so each end of the enclosure carries a proof or a
witness. The claim must become weaker as C grows; that is a goal of its own, proved like any other inequality.
An exact value is stated when the claim is proved there and every smaller C is excluded by the limit of worst case/bound
along a path on which the parameters run to the ends of their ranges: the limit of a rational function in one variable,
found from its leading terms.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import sympy as sp

from checker.claims.alarm import OutOfTimeError, limited
from checker.claims.check import Outcome, Report, check
from checker.claims.expression import C, Condition, Term
from checker.claims.families import family
from checker.claims.limits import LARGEST, Limit, best_limit, known_goals
from checker.claims.model import Comparison, Statement
from checker.claims.prove import Goal, Proof, forget, prove
from checker.errors import InputError

MAX_UNDECIDED = 6
WIDTH = Fraction(1, 1000)
"""Relative width of the enclosure at which the search stops."""


@dataclass(frozen=True)
class Sharp:
    """The enclosure of the least constant: refuted at `low` (None: even C = 0 holds), proved at `high` (None: never).

    exact: the least constant itself, when it is known; limit: the path along which it is needed. undecided: some
    constants between low and high are neither proved nor refuted.
    """

    low: Fraction | None
    high: Fraction | None
    exact: Fraction | None
    limit: Limit | None
    proof: Report | None
    witness: Report | None
    undecided: bool
    timed_out: bool = False  # the search ended with the time, not with a narrow enclosure


def sharpen(claim: Statement, seconds: float) -> Sharp:
    """Enclose the least constant C within about `seconds`; InputError where C does not occur as a factor."""
    if claim.iff is not None or claim.op not in ("<=", "<"):
        raise InputError("sharpen takes a claim QUANTITY <= BOUND with the constant C in its bound")
    if C not in claim.bound.expr.free_symbols:
        raise InputError("the constant C does not occur in the bound; write for example l1 <= C*n*exp(-gamma/tau)")
    started = time.monotonic()
    _growing(claim, min(5.0, seconds / 2))

    def at(value: Fraction) -> Report:
        return check(fixed(claim, value), max(0.2, min(left() / 2, seconds / 5)))

    def left() -> float:
        return seconds - (time.monotonic() - started)

    limit = _best_limit(claim, max(0.2, left() / 3))
    low: Fraction | None = None
    high: Fraction | None = None
    proof: Report | None = None
    witness: Report | None = None
    if limit is not None:
        report = at(limit.needed)
        if report.outcome is Outcome.PROVED:
            return Sharp(None, limit.needed, limit.needed, limit, report, None, False)
        if report.outcome is Outcome.REFUTED:
            low, witness = limit.needed, report
    undecided: list[Fraction] = []
    for value in _outward(low):
        if left() <= 0:
            break
        report = at(value)
        if report.outcome is Outcome.PROVED:
            high, proof = value, report
            break
        if report.outcome is Outcome.REFUTED:
            low, witness = value, report
        else:
            undecided.append(value)
    # Constants that stay undecided lie between those refuted and those proved; each side is narrowed towards them.
    timed_out = high is None and left() <= 0
    while high is not None:
        gaps = [(low or Fraction(0), min([*undecided, high])), (max([*undecided, low or Fraction(0)]), high)]
        open_ = [(bottom, top) for bottom, top in gaps if top - bottom > WIDTH * high]
        if not open_ or len(undecided) > MAX_UNDECIDED:
            break
        if left() <= 0:
            timed_out = True
            break
        bottom, top = max(open_, key=lambda ends: ends[1] - ends[0])
        middle = simplest((3 * bottom + top) / 4, (bottom + 3 * top) / 4)
        report = at(middle)
        if report.outcome is Outcome.PROVED:
            high, proof = middle, report
        elif report.outcome is Outcome.REFUTED:
            low, witness = middle, report
        else:
            undecided.append(middle)
        undecided = [value for value in undecided if (low is None or value > low) and (high is None or value < high)]
    return Sharp(low, high, None, limit, proof, witness, bool(undecided), timed_out)


def _growing(claim: Statement, seconds: float) -> None:
    """The bound must be C times a term that is proved to be >= 0, plus a term, both without C."""
    expr = sp.expand(claim.bound.expr)
    slope = sp.diff(expr, C)
    conditions = [condition.expr for condition in claim.bound.conditions]
    sides = [side.expr for c in claim.comparisons for side in (c.lhs, c.rhs)]
    if C in slope.free_symbols or any(C in term.free_symbols for term in [*conditions, *sides]):
        raise InputError("the constant C must occur as a factor: bound = C*(...) + (...)")
    weaker = replace(claim, bound=Term(slope, claim.bound.conditions))
    fam = family(claim)
    for goal in known_goals(claim, fam):
        wanted = Goal(replace(goal.case, worst=sp.S.Zero, cites=()), "<=", weaker, goal.comparisons, "")
        try:
            shown = isinstance(limited(seconds, partial(prove, wanted, fam, seconds)), Proof)
        except OutOfTimeError:
            forget()
            shown = False
        if not shown:
            raise InputError(f"the factor {slope} of C is not shown to be >= 0, so there may be no least constant")


def _best_limit(claim: Statement, seconds: float) -> Limit | None:
    """The limit along the best path; None also when the time is over."""
    try:
        return limited(seconds, lambda: best_limit(claim))
    except OutOfTimeError:
        return None


def fixed(claim: Statement, value: Fraction) -> Statement:
    """The claim with a number for C."""
    number = sp.Rational(value.numerator, value.denominator)

    def term(old: Term) -> Term:
        conditions = tuple(Condition(c.expr.xreplace({C: number}), c.op, c.why) for c in old.conditions)
        return Term(old.expr.xreplace({C: number}), conditions)

    assumptions = tuple(
        replace(item, comparisons=tuple(Comparison(term(c.lhs), c.op, term(c.rhs)) for c in item.comparisons))
        for item in claim.assumptions
    )
    return replace(claim, bound=term(claim.bound), assumptions=assumptions, text=f"{claim.text} with C = {value}")


def _outward(low: Fraction | None) -> Iterator[Fraction]:
    """Constants to try, growing."""
    value = Fraction(0) if low is None else 2 * low if low > 0 else Fraction(1)
    while value <= LARGEST:
        yield value
        value = 2 * value if value > 0 else Fraction(1)


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in [low, high], 0 < low < high."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    base = low.numerator // low.denominator
    return base + 1 / simplest(1 / (high - base), 1 / (low - base))
