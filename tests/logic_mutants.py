"""Altered claims of section D that the enumeration must refute."""

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import sympy as sp
from bound_mutants import LITTLE, Mutant, altered, claim, n, with_relation

from checker.attention import Row
from checker.checks import CHECKS, Item, Items, Mode, Plan, StatedClaim
from checker.checks.cleanup import clean, sign
from checker.checks.composition import cleaned, cold
from checker.checks.counting import lookup_scores
from checker.checks.item import at
from checker.checks.logic import head_scores
from checker.decide import Exact
from checker.quantity import attention_output, tv, weight
from checker.sides import AbsoluteDifference
from proofs.d_logic.d1_cleanup import clean as clean_term
from proofs.d_logic.d1_cleanup import f, relu, x
from proofs.props import Rel, total
from proofs.statement import Claim

ONE = Fraction(1)
c, tau = sp.symbols("c tau", real=True)
Q = sp.exp(-c / tau)

SMALLER = (
    "D1.one", "D1.at-most-one", "D1.clean", "D1.masked", "D1.limit", "D1.integer-true", "D1.integer-limit",
    "D1.and-true", "D2.previous", "D2.next", "D3.since", "D3.until", "D3.dual", "D4.uniform", "D4.average", "D4.sum",
    "D4.sum-tight", "D5.increasing", "D5.parity", "D6.integer-true", "D6.temperature-needed",
)  # fmt: skip
LARGER = (
    "D1.zero", "D1.masked-zero", "D1.integer-false", "D1.and-false", "D1.nonnegative", "D3.since-none",
    "D3.until-none", "D3.since-head-none", "D3.until-head-none", "D4.gap", "D4.decide-true", "D6.integer-false",
)  # fmt: skip
STRICT = {"D1.nonnegative": ">", "D1.at-most-one": "<", "D1.limit": "<", "D1.integer-limit": "<", "D4.gap": ">",
          "D4.sum": "<", "D4.decide-true": ">", "D4.decide-false": "<", "D5.increasing": "<"}  # fmt: skip
FASTER = {
    "D2.previous-output": sp.Rational(3, 2), "D2.next-output": sp.Rational(3, 2), "D3.rightmost": sp.Rational(3, 2),
    "D3.rightmost-none": sp.Rational(3, 2), "D3.leftmost": sp.Rational(3, 2), "D3.leftmost-none": sp.Rational(3, 2),
    "D3.since-head": sp.Rational(3, 2), "D3.until-head": sp.Rational(3, 2),
    "D4.series": 1 + LITTLE, "D4.error": sp.Rational(3, 2),
    "D4.count": sp.Rational(3, 2), "D5.lookup": sp.Rational(3, 2), "D5.table": sp.Rational(3, 2),
}  # fmt: skip
# Claim, parameter, relation of the hypothesis, what it becomes.
LOOSER = {
    "D1.zero: x <= a + 1e-6": ("x", "<=", lambda bound: bound + LITTLE),
    "D1.one: x >= 1 - a - 1e-6": ("x", ">=", lambda bound: bound - LITTLE),
    "D1.masked-zero: x <= 1 + a + 1e-6": ("x", "<=", lambda bound: bound + LITTLE),
    "D1.limit: a >= 1/2 - 1e-6": ("a", ">=", lambda bound: bound - LITTLE),
    "D1.integer-limit: e >= 1/2 - 1e-6": ("e", ">=", lambda bound: bound - LITTLE),
    "D6.temperature: tau up by 1e-6": ("tau", "<=", lambda bound: bound * (1 + LITTLE)),
    "D6.temperature-table: q <= a": ("q", "<=", lambda bound: 2 * bound),
    "D6.temperature-count: q <= e/K": ("q", "<=", lambda bound: bound * sp.Rational(6, 5)),
}


def mutants() -> Iterator[Mutant]:
    """All of them."""
    for name in SMALLER:
        old = claim(name)
        yield Mutant(f"{name}: bound times 1 - 1e-6", with_relation(old, bound=old.bound * (1 - LITTLE)), CHECKS[name])
    for name in LARGER:
        old = claim(name)
        yield Mutant(f"{name}: bound plus 1e-6", with_relation(old, bound=old.bound + LITTLE), CHECKS[name])
    for name, op in STRICT.items():
        yield Mutant(f"{name}: strict", with_relation(claim(name), op=op), CHECKS[name])
    for name, factor in FASTER.items():
        old = claim(name)
        yield Mutant(f"{name}: {factor} c for c", with_relation(old, bound=altered(old.bound, {"c": c * factor})),
                     CHECKS[name])  # fmt: skip
    for name, (parameter, op, change) in LOOSER.items():
        old = claim(name.split(":")[0])
        yield Mutant(name, _with_hypothesis(old, parameter, op, change), CHECKS[old.name])
    yield from _of_forms()
    for name, check in DROPPED.items():
        yield Mutant(name, claim(name.split(":")[0]), check)


def _with_hypothesis(old: Claim, parameter: str, op: str, change) -> Claim:
    hypotheses = tuple(
        Rel(prop.lhs, op, change(prop.rhs))
        if isinstance(prop, Rel) and prop.op == op and getattr(prop.lhs, "name", None) == parameter
        else prop
        for prop in old.hypotheses
    )
    assert hypotheses != old.hypotheses
    return dataclasses.replace(old, hypotheses=hypotheses)


def _of_forms() -> Iterator[Mutant]:
    """Other formulas: a smaller closed form, cubes for squares, a conjunction that counts one bit too many."""
    old = claim("D4.series")
    for name, power in (("q/(1-q^3) for q/(1-q^3)^2", Q / (1 - Q**3)), ("q/(1-q^4)^2", Q / (1 - Q**4) ** 2)):
        yield Mutant(f"D4.series: {name}", with_relation(old, bound=power), CHECKS["D4.series"])
    old = claim("D4.size")
    yield Mutant("D4.size: c n^2 for c n^3", with_relation(old, bound=c * n**2), CHECKS["D4.size"])
    for name, left in (("D1.and-true", relu(total(f, n) - n)), ("D1.one", clean_term(x - LITTLE)),
                       ("D1.zero", clean_term(x + LITTLE))):  # fmt: skip
        yield Mutant(f"{name}: another function", _with_left(claim(name), left), CHECKS[name])


def _with_left(old: Claim, left: sp.Expr) -> Claim:
    return dataclasses.replace(old, conclusion=Rel(left, old.relation.op, old.bound))


def _distance(stated: StatedClaim, row: Row, **more: object) -> Item:
    bound = stated.bound_at(c=1, tau=1)
    return Item("hypothesis dropped", tv(row, ONE), stated.op, bound, Mode.DECIDED, at(scores=row, tau=1, **more))


def _choice(scores: Row, m: int, **more: object) -> Item:
    """Whether the position m is the only maximal one, as the hypotheses imply."""
    chosen = [j for j, score in enumerate(scores.scores, start=1) if score == scores.top]
    return Item("hypothesis dropped", Fraction(chosen != [m]), "<=", Fraction(0), Mode.DECIDED,
                at(scores=scores, choice=m, **more))  # fmt: skip


def _light(stated: StatedClaim, plan: Plan) -> Items:
    """Weight A = i for the i + 1 visible positions 0..i: BOS, where chi holds, ties with the false position i."""
    del stated, plan
    yield _choice(head_scores((1, 0, 0, 0), 3, right=True), 1, A=3)


def _light_mirrored(stated: StatedClaim, plan: Plan) -> Items:
    """The same for the leftmost position."""
    del stated, plan
    yield _choice(head_scores((0, 0, 0, 1), 3, right=False), 4, A=3)


def _light_head(stated: StatedClaim, plan: Plan) -> Items:
    """Since with that weight: phi everywhere, psi at position 1 only, so that it is true at position 3."""
    del plan
    scores, psi = head_scores((0, 1, 0, 0), 1, right=True), (0, 1, 0, 0)
    off = AbsoluteDifference(attention_output(scores, ONE, psi), Exact(1))
    yield Item("hypothesis dropped", off, stated.op, stated.bound_at(c=1, tau=1), Mode.DECIDED, at(A=1, tau=1))


def _without_bos(stated: StatedClaim, plan: Plan) -> Items:
    """The first head of a count averages over i positions, the query says 1/(i + 1): without BOS in one of the two."""
    del plan
    count, width, size = 3, 4, 6
    scores = Row.explicit([size * (2 * Fraction(count, width - 1) * j - Fraction(j * j, width)) for j in range(size)])
    off = AbsoluteDifference(attention_output(scores, ONE / 2, range(size)), Exact(count))
    bound = stated.bound_at(c=1, tau=ONE / 2)
    yield Item("BOS is missing", off, stated.op, bound, Mode.DECIDED, at(C=count, i=width - 1, n=size, tau="1/2"))


def _without_word_bit(stated: StatedClaim, plan: Plan) -> Items:
    """The clean-up of x instead of x + w - 1, outside the word."""
    del plan
    threshold = Fraction(1, 7)
    found = clean(ONE, threshold)
    yield Item("no word bit", found, stated.op, Fraction(0), Mode.EQUAL, at(x=1, w=0, a=threshold))


def _slow(stated: StatedClaim, plan: Plan) -> Items:
    """D4.error with scores that fall by c d^2/4."""
    del plan
    row = Row.explicit([Fraction(-(j**2), 4) for j in range(8)])
    off = AbsoluteDifference(attention_output(row, ONE / 2, range(1, 9)), Exact(1))
    yield Item("slow", off, stated.op, stated.bound_at(c=1, tau=ONE / 2), Mode.DECIDED, at(scores=row, tau="1/2"))


def _wide(stated: StatedClaim, plan: Plan) -> Items:
    """D5.lookup with more positions counted than there are keys to scale with: w = 4 n."""
    del plan
    scores = Row.explicit(lookup_scores(3, 20, 2, ONE))
    yield _distance(stated, scores, w=20, C=2)


def _falling(stated: StatedClaim, plan: Plan) -> Items:
    """D2.previous with scores that grow by c/2 per position."""
    del plan
    yield _distance(stated, Row.explicit([Fraction(j, 2) for j in range(6)]))


def _hot(values: tuple[int, ...], truth: int, row: Row, threshold: Fraction, tau: Fraction):
    def check(stated: StatedClaim, plan: Plan) -> Items:
        found = cleaned(attention_output(row, tau, values), threshold, plan)
        witness = at(scores=row, values=values, a=threshold, tau=float(tau))
        yield Item("too hot", found, stated.op, Fraction(truth), Mode.EQUAL, witness)

    return check


def _coarse(stated: StatedClaim, plan: Plan) -> Items:
    """D6.integer-false with nu twice as large as e allows."""
    del plan
    e = Fraction(2, 5)
    yield Item("coarse", sign(-1 + 2 * e, e), stated.op, Fraction(0), Mode.EQUAL, at(D=-1, nu=2 * e, e=e))


def _unequal(stated: StatedClaim, plan: Plan) -> Items:
    """D4.uniform with scores that are not equal."""
    del plan
    row = Row.explicit([Fraction(0), Fraction(1, 10**6)])
    yield Item("unequal", weight(row, ONE, 0), stated.op, Fraction(1, 2), Mode.EQUAL, at(scores=row, tau=1))


def _other_power(stated: StatedClaim, plan: Plan) -> Items:
    """D6.bounded at temperature tau/n^2."""
    del plan
    row, scaled = Row.explicit([0, 1, 3]), Row.explicit([Fraction(0), Fraction(1, 27), Fraction(1, 9)])
    both = weight(scaled, Fraction(1, 9), 0), weight(row, ONE, 0)
    yield Item("another power", both[0], stated.op, both[1], Mode.EQUAL, at(scores=row, tau=1))


LOOKUP = Row.explicit(lookup_scores(2, 4, 1, ONE))
LINE_BACK = Row.explicit([Fraction(-j) for j in range(6)])
LINE = Row.explicit([Fraction(j) for j in range(6)])
TENTH = Fraction(1, 10)
DROPPED = {
    "D2.previous: growth c/2": _falling,
    "D3.rightmost: weight A = i": _light,
    "D3.leftmost: weight A = i": _light_mirrored,
    "D3.since-head: weight too small": _light_head,
    "D4.count: BOS missing": _without_bos,
    "D1.masked: no word bit": _without_word_bit,
    "D4.error: growth c/4": _slow,
    "D4.uniform: unequal scores": _unequal,
    "D5.lookup: w above n": _wide,
    "D6.previous: q above the threshold": _hot((0, 0, 0, 0, 0, 1), 1, LINE, TENTH, cold(TENTH) * Fraction(21, 20)),
    "D6.since: temperature doubled": _hot((0, 0, 0, 0, 0, 1), 1, LINE, TENTH, 2 * cold(TENTH)),
    "D6.boolean: TV above the threshold": _hot((1, 1, 1, 1, 1, 0), 0, LINE, TENTH, ONE),
    "D6.next: q above the threshold": _hot((1, 0, 0, 0, 0, 0), 1, LINE_BACK, TENTH, cold(TENTH) * Fraction(21, 20)),
    "D6.until: temperature doubled": _hot((1, 0, 0, 0, 0, 0), 1, LINE_BACK, TENTH, 2 * cold(TENTH)),
    "D6.table: q at the threshold": _hot((0, 1, 0, 0), 1, LOOKUP, TENTH, cold(TENTH)),
    "D6.integer-false: nu doubled": _coarse,
    "D6.bounded: tau/n^2": _other_power,
}
MUTANTS = tuple(mutants())
