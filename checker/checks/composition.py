"""Checks of D6: attention and clean-up give exactly the truth value, at the temperatures that the claims name."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from checker.attention import Row
from checker.decide import Exact, Expression, Side, decide
from checker.env import Env
from checker.exact import show
from checker.quantity import Quantity, attention_output, tv, weight
from checker.sides import Affine
from checker.verdict import Verdict

from .claims import StatedClaim
from .cleanup import sign
from .counting import COEFFICIENTS, lookup_scores, queries, tables
from .grids import FEW_RATIOS, Plan, explicit_multisets, multisets
from .item import Item, Items, Mode, at
from .logic import bit_rows, head_scores, operands, text
from .rational import value
from .temperature import around

ZERO, ONE = Fraction(0), Fraction(1)
THRESHOLDS = tuple(Fraction(text) for text in ("1e-6", "0.1", "0.4", "0.499"))
ALL_THRESHOLDS = (*THRESHOLDS, Fraction(9, 10))


def cleaned(output: Quantity, a: Fraction, plan: Plan) -> Side:
    """The clean-up with threshold a at an output: a Boolean where Arb decides that it is one, else the middle part."""
    if decide(output, "<=", a, maximum=plan.precision).verdict is Verdict.HOLDS:
        return Exact(0)
    if decide(output, ">=", 1 - a, maximum=plan.precision).verdict is Verdict.HOLDS:
        return Exact(1)
    return Affine(output, 1 / (1 - 2 * a), -a / (1 - 2 * a))


def cold(a: Fraction) -> Fraction:
    """A temperature just below 1/log(1/a), where exp(-1/tau) <= a."""
    return around(1 / sp.log(1 / sp.Rational(a.numerator, a.denominator)), Env({}))[0]


def _exact_bit(
    claim: StatedClaim, scores: Row, values: Sequence[int], truth: int, a: Fraction, plan: Plan, **more: object
) -> Items:
    """The clean-up of the output against a Boolean, at the threshold a and a temperature with q <= a."""
    tau = cold(a)
    found = cleaned(attention_output(scores, tau, values), a, plan)
    witness = at(scores=scores, values=text(tuple(values)), a=a, tau=show(tau), **more)
    yield Item("every row of values", found, claim.op, Fraction(truth), Mode.EQUAL, witness)


def boolean(claim: StatedClaim, plan: Plan) -> Items:
    """D6.boolean: every tieless lattice row and row of bits whose TV is at most the threshold."""
    for scores in explicit_multisets(min(plan.max_n, 4)):
        if scores.k != 1:
            continue
        for ratio, a in itertools.product(FEW_RATIOS, THRESHOLDS[1:]):
            if decide(tv(scores, 1 / ratio), "<=", a, maximum=plan.precision).verdict is not Verdict.HOLDS:
                continue
            for values in itertools.product((0, 1), repeat=scores.n):
                found = cleaned(attention_output(scores, 1 / ratio, values), a, plan)
                truth = Fraction(values[scores.scores.index(scores.top)])
                witness = at(scores=scores, values=text(values), a=a, tau=1 / ratio)
                yield Item("lattice", found, claim.op, truth, Mode.EQUAL, witness)


def neighbour(claim: StatedClaim, plan: Plan) -> Items:
    """D6.previous, D6.next: every row of values."""
    previous = claim.name == "D6.previous"
    for values in bit_rows(min(plan.max_n, 5)):
        places = range(len(values))
        scores = Row.explicit([Fraction(j if previous else -j) for j in places])
        for a in THRESHOLDS:
            yield from _exact_bit(claim, scores, values, values[-1 if previous else 0], a, plan)


def temporal(claim: StatedClaim, plan: Plan) -> Items:
    """D6.since, D6.until: every word with BOS or EOS, against the meaning of the operator."""
    right = claim.name == "D6.since"
    for phi, psi, chi, _m, truth in operands(claim.name, plan):
        for a in THRESHOLDS:
            yield from _exact_bit(claim, head_scores(chi, len(chi), right), psi, truth, a, plan, phi=text(phi))


def table(claim: StatedClaim, plan: Plan) -> Items:
    """D6.table: tables read at every count, q being at most half the threshold (D6.temperature-table)."""
    for n, width, count in queries(min(plan.max_n, 4)):
        scores = Row.explicit(lookup_scores(n, width, count, ONE))
        for entries, a in itertools.product(tables(n + 2), THRESHOLDS):
            found = cleaned(attention_output(scores, cold(a / 2), entries), a, plan)
            witness = at(n=n + 2, w=width, C=count, table=text(entries), a=a, tau=show(cold(a / 2)))
            yield Item("every query, several tables", found, claim.op, Fraction(entries[count]), Mode.EQUAL, witness)


def integer(claim: StatedClaim, plan: Plan) -> Items:
    """D6.integer-true, D6.integer-false: linear inequalities whose counts are off by nu with the worst signs."""
    true = claim.name == "D6.integer-true"
    for terms in range(1, min(plan.max_n, 3) + 1):
        for weights in itertools.product(COEFFICIENTS, repeat=terms):
            total = sum(abs(a) for a in weights)
            e = Fraction(499, 1000)
            nu = e / total if total else ONE
            for offset, direction in itertools.product(range(-3, 4), (-1, 1)):
                counts = [2 * j + 1 for j in range(terms)]
                whole = sum(a * f for a, f in zip(weights, counts, strict=True)) + offset
                if (whole >= 0) is not true:
                    continue
                outputs = [f + direction * nu * (1 if a > 0 else -1) for a, f in zip(weights, counts, strict=True)]
                x = sum((a * g for a, g in zip(weights, outputs, strict=True)), Fraction(offset))
                witness = at(coefficients=list(weights), b=offset, D=whole, nu=nu, e=e, direction=direction)
                bound = value(claim.bound, {})
                yield Item("every pattern", sign(x, e), claim.op, bound, Mode.EQUAL, witness)


def temperature(claim: StatedClaim, plan: Plan) -> Items:
    """D6.temperature, D6.temperature-needed: q just below and just above the temperature stated."""
    del plan
    needed = claim.name == "D6.temperature-needed"
    expr = claim.bound if needed else claim.hypothesis("tau", "<=")
    for c, a in itertools.product((ONE, Fraction(3, 2)), ALL_THRESHOLDS):
        low, high = around(expr, Env({"c": c, "eps": a}))
        tau = high if needed else low
        q = Expression(sp.exp(-sp.Symbol("c") / sp.Symbol("tau")), Env({"c": c, "tau": tau}))
        yield Item("every threshold", q, ">" if needed else "<=", a, Mode.DECIDED, at(c=c, eps=a, tau=show(tau)))


def rate(claim: StatedClaim, plan: Plan) -> Items:
    """D6.temperature-table, D6.temperature-count: the closed forms at and below the largest q stated."""
    del plan
    hypothesis = claim.hypothesis("q", "<=")
    tabled = claim.name == "D6.temperature-table"
    for limit, size in itertools.product((*THRESHOLDS, Fraction(1, 2)), (ONE,) if tabled else (ONE, Fraction(7))):
        given = {"a": limit, "e": limit, "K": size}
        for share in (ONE, Fraction(1, 2)):
            q = share * value(hypothesis, given)
            found, bound = value(claim.left, {**given, "q": q}), value(claim.bound, given)
            yield Item("every threshold", found, claim.op, bound, Mode.DECIDED, at(limit=limit, K=size, q=q))


def bounded(claim: StatedClaim, plan: Plan) -> Items:
    """D6.bounded: weights of s/n**3 at tau/n**3 against those of s at tau."""
    for scores in multisets(min(plan.max_n, 4)):
        cube = Fraction(scores.n) ** 3
        scaled = Row(tuple(score / cube for score in scores.scores), scores.multiplicities)
        for ratio, group in itertools.product(FEW_RATIOS, range(len(scores.scores))):
            both = weight(scaled, 1 / ratio / cube, group), weight(scores, 1 / ratio, group)
            witness = at(scores=scores, tau=1 / ratio, group=group)
            yield Item("lattice", both[0], claim.op, both[1], Mode.EQUAL, witness)
