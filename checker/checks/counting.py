"""Checks of D4 and D5: uniform attention, the lookup of a count on every query and count, parity; and linear sums.

The lookup head sees BOS, a word of length n and EOS at numbers 0..n+1; query i has seen w = i + 1 positions. Its scores
are the products of the query (C/w, 1/w) and the keys c (n + 2) (2j, -j**2).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from checker.attention import Row, Tie
from checker.decide import Exact, Expression
from checker.env import Env
from checker.quantity import attention_output, tv, weight
from checker.sides import AbsoluteDifference

from .claims import StatedClaim
from .grids import FEW_RATIOS, GIANT_LENGTHS, Plan
from .item import Item, Items, Mode, at
from .logic import RATES, bit_rows, text
from .rational import row, value

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
SCALES = (ONE, Fraction(3, 2))
LONG = (41, 21)
COEFFICIENTS = (-2, 0, 1, 3)


def uniform(claim: StatedClaim, plan: Plan) -> Items:
    """D4.uniform, D4.uniform-hard: every weight of a row of equal scores."""
    for n in [*range(1, plan.max_n + 1), *GIANT_LENGTHS]:
        scores = Row.multiset({Fraction(-7, 3): n})
        if claim.name == "D4.uniform":
            bound = value(claim.bound, {"n": n})
        else:
            bound = scores.hard(Tie.AVERAGE)[0].weight
        for ratio in FEW_RATIOS:
            witness = at(n=n, score="-7/3", tau=1 / ratio)
            yield Item("equal scores", weight(scores, 1 / ratio, 0), claim.op, bound, Mode.EQUAL, witness)


def average(claim: StatedClaim, plan: Plan) -> Items:
    """D4.average: every row of bits, counted by a head whose scores are all equal."""
    for bits in bit_rows(plan.max_n):
        bound = value(claim.bound, {"n": len(bits)}, {"v": row(bits)})
        output = attention_output(Row.explicit([HALF] * len(bits)), ONE, bits)
        yield Item("every row of bits", output, claim.op, bound, Mode.EQUAL, at(values=text(bits), tau=1))


def queries(longest: int) -> Iterator[tuple[int, int, int]]:
    """(n, w, C): words of length n, queries that see w of the n + 2 positions, counts 0..w - 1 (BOS is not counted)."""
    for n in range(1, longest + 1):
        for width in range(1, n + 3):
            for count in range(width):
                yield n, width, count


def lookup_scores(n: int, width: int, count: int, scale: Fraction) -> list[Fraction]:
    """Query times key at the numbers 0..n+1."""
    query = (Fraction(count, width), Fraction(1, width))
    keys = [(scale * (n + 2) * 2 * j, -scale * (n + 2) * j * j) for j in range(n + 2)]
    return [query[0] * key[0] + query[1] * key[1] for key in keys]


def gap(claim: StatedClaim, plan: Plan) -> Items:
    """D4.gap, D4.size: the scores of the head at every place, exactly."""
    for (n, width, count), scale in itertools.product(queries(plan.max_n), SCALES):
        scores = lookup_scores(n, width, count, scale)
        for place, score in enumerate(scores, start=1):
            names: dict[str, Fraction | int] = {"n": n + 2, "i": place, "C": count, "c": scale}
            found = scores[count] - score if claim.name == "D4.gap" else abs(score)
            bound = value(claim.bound, names)
            mode = Mode.EITHER if found == bound else Mode.DECIDED
            yield Item("every query", found, claim.op, bound, mode, at(**{**names, "w": width}))


def series(claim: StatedClaim, plan: Plan) -> Items:
    """D4.series: partial sums against the closed form."""
    for length in [*range(plan.max_n + 1), 30]:
        for rate in ("0.01", "0.1", "0.7", "2", "30"):
            # at tau = 1
            c = sp.Rational(rate)
            terms = sp.Add(*[d * sp.exp(-c * d**2) for d in range(1, length + 1)])
            bound = claim.bound_at(c=Fraction(rate), tau=1)
            yield Item("partial sums", Expression(terms, Env({})), claim.op, bound, Mode.DECIDED,
                       at(L=length, c=rate, tau=1))  # fmt: skip


def _off(claim: StatedClaim, kind: str, scores: Row, place: int, first: int, witness: dict[str, object]) -> Items:
    """The output for the values first, first + 1, ... against the value of the maximal place."""
    values = range(first, first + scores.n)
    for rate in RATES:
        tau = ONE / rate
        off = AbsoluteDifference(attention_output(scores, tau, list(values)), Exact(values[place - 1]))
        bound = claim.bound_at(c=1, tau=tau)
        yield Item(kind, off, claim.op, bound, Mode.DECIDED, at(**witness, tau=tau))


def error(claim: StatedClaim, plan: Plan) -> Items:
    """D4.error: distances (i - a)**2 and more, at every place; on one side the two first terms are attained."""
    for n in range(1, plan.max_n + 3):
        for place in range(1, n + 1):
            for name, excess in (("none", ZERO), ("right", HALF), ("left", Fraction(3))):
                distances = [
                    (j - place) ** 2 + (excess if (name == "right") is (j > place) and j != place else ZERO)
                    for j in range(1, n + 1)
                ]
                scores = Row.explicit([-distance for distance in distances])
                witness: dict[str, object] = {"n": n, "a": place, "excess": name, "c": 1}
                yield from _off(claim, "every place", scores, place, 1, witness)
    scores = Row.explicit([-((j - 1) ** 2) for j in range(1, 41)])
    yield from _off(claim, "one side", scores, 1, 1, {"n": 40, "a": 1, "c": 1})


def count(claim: StatedClaim, plan: Plan) -> Items:
    """D4.count: both heads, the count read from every query."""
    for n, width, found in queries(plan.max_n):
        scores = Row.explicit(lookup_scores(n, width, found, ONE))
        yield from _off(claim, "every query", scores, found + 1, 0, {"n": n + 2, "w": width, "C": found, "c": 1})


def linear(claim: StatedClaim, plan: Plan) -> Items:
    """D4.sum, D4.sum-tight: combinations of counts that are off by nu, in every pattern of signs."""
    tight = claim.name == "D4.sum-tight"
    for terms in range(min(plan.max_n, 3) + 1):
        counts = [Fraction(3 * j + 1) for j in range(terms)]
        for weights, signs, nu in itertools.product(
            itertools.product(COEFFICIENTS, repeat=terms),
            itertools.product((-1, 1), repeat=terms),
            (Fraction(1, 7), Fraction(2)),
        ):
            farthest = all(a * sign == abs(a) for a, sign in zip(weights, signs, strict=True))
            if tight and not farthest:
                continue
            outputs = [known + sign * nu for known, sign in zip(counts, signs, strict=True)]
            off = abs(sum((a * (g - f) for a, g, f in zip(weights, outputs, counts, strict=True)), ZERO))
            bound = value(claim.bound, {"n": terms, "nu": nu}, {"a": row(weights)})
            mode = Mode.EQUAL if tight else (Mode.EITHER if off == bound else Mode.DECIDED)
            witness = at(coefficients=list(weights), signs=list(signs), nu=nu)
            yield Item("every pattern", off, claim.op, bound, mode, witness)


def comparison(claim: StatedClaim, plan: Plan) -> Items:
    """D4.decide-true, D4.decide-false: 2x + 1 for numbers within e of an integer."""
    for whole in range(-plan.max_n, plan.max_n + 1):
        if (whole >= 0) is not (claim.name == "D4.decide-true"):
            continue
        for e in (Fraction(1, 7), Fraction(2, 5)):
            for x in (whole - e, Fraction(whole), whole + e):
                bound = value(claim.bound, {"e": e})
                mode = Mode.EITHER if 2 * x + 1 == bound else Mode.DECIDED
                yield Item("every integer", 2 * x + 1, claim.op, bound, mode, at(D=whole, e=e, x=x))


def lookup(claim: StatedClaim, plan: Plan) -> Items:
    """D5.lookup, D5.table: TV of the lookup of a count, and a table of bits read by it."""
    for n, width, found in queries(plan.max_n):
        scores = Row.explicit(lookup_scores(n, width, found, ONE))
        for rate in RATES:
            tau = ONE / rate
            bound = claim.bound_at(c=1, tau=tau)
            names = {"n": n + 2, "w": width, "C": found, "c": 1, "tau": tau}
            if claim.name == "D5.lookup":
                yield Item("every query", tv(scores, tau), claim.op, bound, Mode.DECIDED, at(**names))
                continue
            for table in tables(n + 2):
                off = AbsoluteDifference(attention_output(scores, tau, table), Exact(table[found]))
                witness = at(**names, table=text(table))
                yield Item("every query, several tables", off, claim.op, bound, Mode.DECIDED, witness)


def tables(size: int) -> list[tuple[int, ...]]:
    """Tables of bits: odd numbers, their complement, multiples of 3, one entry, all but one."""
    every = (
        tuple(j % 2 for j in range(size)),
        tuple(1 - j % 2 for j in range(size)),
        tuple(int(j % 3 == 0) for j in range(size)),
        tuple(int(j == size // 2) for j in range(size)),
        tuple(int(j != size // 2) for j in range(size)),
    )
    return list(dict.fromkeys(every))


def increasing(claim: StatedClaim, plan: Plan) -> Items:
    """D5.increasing: the bound at two rates."""
    del plan
    rates = [Fraction(j, 10) for j in range(1, 10)]
    for low, high in itertools.combinations_with_replacement(rates, 2):
        small, large = value(claim.left, {"q": low}), value(claim.bound, {"q2": high})
        mode = Mode.EITHER if small == large else Mode.DECIDED
        yield Item("pairs", small, claim.op, large, mode, at(q=low, larger_q=high))


def parity(claim: StatedClaim, plan: Plan) -> Items:
    """D5.parity: the alternating table at every count."""
    table = [0]
    for found in range(3 * plan.max_n):
        bound = value(claim.bound, {"b": found % 2})
        yield Item("every count", Fraction(table[found]), claim.op, bound, Mode.EQUAL, at(C=found))
        table.append(1 - table[found])
