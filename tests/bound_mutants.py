"""Altered claims that the enumeration must refute: constants, parameters, relations, and dropped hypotheses.

A mutant is a claim that is false (the claim it comes from is sharp), with a check that must find a witness.
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from checker.attention import Row, Tie
from checker.checks import CHECKS, Item, Items, Mode, Plan, StatedClaim
from checker.checks.grids import moved, worst
from checker.checks.item import at
from checker.quantity import (
    attention_output,
    l1,
    max_weight,
    tv,
    tv_between,
    tv_perturbed,
    value_error,
    value_error_perturbed,
    weight,
)
from checker.sides import AbsoluteDifference, Affine
from proofs.props import Each, Rel
from proofs.registry import STATEMENTS
from proofs.statement import Claim

ONE = Fraction(1)
LITTLE = sp.Rational(1, 10**6)


@dataclass(frozen=True)
class Mutant:
    """A false claim and the check that must refute it."""

    name: str
    claim: Claim
    check: Callable[[StatedClaim, Plan], Items]


def claim(name: str) -> Claim:
    return STATEMENTS[name.split(".")[0]].claim(name)


def with_relation(old: Claim, op: str | None = None, bound: sp.Expr | None = None) -> Claim:
    """The claim with another relation or right-hand side."""
    rel = old.relation
    new = Rel(rel.lhs, op or rel.op, rel.rhs if bound is None else bound)
    each = old.conclusion
    return dataclasses.replace(old, conclusion=Each(each.var, each.lo, each.hi, new) if isinstance(each, Each) else new)


def altered(expr: sp.Expr, changes: dict[str, sp.Expr]) -> sp.Expr:
    """The expression with parameters replaced, by name."""
    found = {s: changes[s.name] for s in expr.free_symbols if s.name in changes}
    assert len(found) == len(changes), f"{expr} does not contain {changes}"
    return expr.subs(found, simultaneous=True)


n, k = sp.symbols("n k", integer=True)
gamma, tau, eta, delta, eps = sp.symbols("gamma tau eta delta eps", real=True)

# Each change makes an upper bound too small (or, for A4.distance, a lower bound too large).
UPPER = {
    "n for n - 1": {"n": n - 1},
    "k for k + 1": {"k": k + 1},
    "gamma up by 1e-6": {"gamma": gamma * (1 + LITTLE)},
    "gamma for gamma + eta": {"gamma": gamma + eta},
    "tau down by 1e-6": {"tau": tau * (1 - LITTLE)},
    "eta down by 1e-6": {"eta": eta * (1 - LITTLE)},
    "delta up by 1e-6": {"delta": delta * (1 + LITTLE)},
    "tau up by 1e-6": {"tau": tau * (1 + LITTLE)},
    "delta down by 1e-6": {"delta": delta * (1 - LITTLE)},
    "k for k - 1/10": {"k": k - sp.Rational(1, 10)},
}
CHANGES: dict[str, tuple[str, ...]] = {
    "A2.bound": ("n for n - 1", "k for k + 1", "gamma up by 1e-6", "tau down by 1e-6"),
    "A2.equality": ("n for n - 1", "k for k + 1", "gamma up by 1e-6", "tau down by 1e-6"),
    "A2.every-k": ("n for n - 1", "gamma up by 1e-6", "tau down by 1e-6"),
    "A4.distance": ("delta down by 1e-6", "k for k - 1/10"),
    "A4.tight": ("n for n - 1", "k for k + 1", "delta up by 1e-6"),
    "A5.bound": ("eta down by 1e-6", "tau up by 1e-6"),
    "A5.tight": ("eta down by 1e-6", "tau up by 1e-6"),
    "A6.bound": ("n for n - 1", "gamma up by 1e-6", "gamma for gamma + eta", "eta down by 1e-6", "tau down by 1e-6"),
    "A6.tight": ("n for n - 1", "gamma up by 1e-6", "eta down by 1e-6"),
    "A8.bound": ("n for n - 1", "gamma up by 1e-6", "eta down by 1e-6"),
    "A8.attained": ("n for n - 1", "gamma up by 1e-6", "eta down by 1e-6"),
}
# Sharp claims whose right-hand side may not be scaled by 1 - 1e-6.
SMALLER = (
    "A1.weights", "A1.exact", "A1.unique", "A2.bound", "A2.equality", "A2.every-k", "A4.tight", "A4.maximum",
    "A4.one-symbol", "A4.weight", "A5.bound", "A5.tight", "A6.bound", "A6.tight", "A7.bound", "A7.tight",
    "A7.perturbed", "A7.perturbed-tight", "A8.bound", "A8.attained",
)  # fmt: skip
# Sharp claims that are false with a strict relation.
STRICT = (
    "A2.bound",
    "A2.every-k",
    "A4.distance",
    "A4.maximum",
    "A4.weight",
    "A5.bound",
    "A6.bound",
    "A7.bound",
    "A8.bound",
)
REVERSED = {"A2.increasing-n": ">", "A2.decreasing-k": ">", "A2.decreasing-gamma": ">", "A2.increasing-tau": ">"}


def mutants() -> Iterator[Mutant]:
    """All mutants of bounds."""
    for name in SMALLER:
        old = claim(name)
        yield Mutant(f"{name}: bound times 1 - 1e-6", with_relation(old, bound=old.bound * (1 - LITTLE)), CHECKS[name])
    old = claim("A4.distance")
    larger = with_relation(old, bound=old.bound * (1 + LITTLE))
    yield Mutant("A4.distance: bound times 1 + 1e-6", larger, CHECKS["A4.distance"])
    for name, changes in CHANGES.items():
        for change in changes:
            old = claim(name)
            yield Mutant(f"{name}: {change}", with_relation(old, bound=altered(old.bound, UPPER[change])), CHECKS[name])
    for name in STRICT:
        old = claim(name)
        yield Mutant(f"{name}: strict", with_relation(old, op=old.relation.op[0]), CHECKS[name])
    for name, op in REVERSED.items():
        yield Mutant(f"{name}: reversed", with_relation(claim(name), op=op), CHECKS[name])
    yield from _of_constants()
    yield from _of_temperatures()
    for name, check in DROPPED.items():
        yield Mutant(f"{name}", claim(name.split(":")[0]), check)


def _of_constants() -> Iterator[Mutant]:
    literature, linear, constant = claim("A2.literature"), claim("A2.linear"), claim("A2.constant")
    less = 1 - LITTLE
    yield Mutant("A2.literature: 2 n q times 1 - 1e-6", with_relation(literature, bound=literature.bound * less),
                 _large_n("A2.literature"))  # fmt: skip
    yield Mutant("A2.linear: 2(n-1)q times 1 - 1e-6", with_relation(linear, bound=linear.bound * less),
                 _large_n("A2.linear"))  # fmt: skip
    yield Mutant("A2.constant: 2 for 2 - 4/(n+1)",
                 with_relation(constant, bound=2 * n * sp.Symbol("q", real=True)), CHECKS["A2.constant"])  # fmt: skip
    old = claim("A5.linear")
    yield Mutant("A5.linear: eta/(2 tau) times 1 - 1e-6", with_relation(old, bound=old.bound * less), _small_eta)
    old = claim("A8.simple")
    yield Mutant("A8.simple: tanh dropped", with_relation(old, bound=claim("A2.bound").bound), CHECKS["A8.simple"])
    yield Mutant("A8.simple: gap term dropped", with_relation(old, bound=claim("A5.bound").bound), CHECKS["A8.simple"])


def _of_temperatures() -> Iterator[Mutant]:
    """A3 and A4.temperature: critical temperatures that are off."""
    for name, change in (
        ("times 1 + 1e-6", lambda t: t * (1 + LITTLE)),
        ("k up by 1e-6", lambda t: altered(t, {"k": k * (1 + LITTLE)})),
        ("n down by 1e-6", lambda t: altered(t, {"n": n * (1 - LITTLE)})),
        ("eps up by 1e-6", lambda t: altered(t, {"eps": eps * (1 + LITTLE)})),
    ):
        old = claim("A3.sufficient")
        hypotheses = tuple(
            Rel(h.lhs, h.op, change(h.rhs)) if isinstance(h, Rel) and h.lhs == tau else h for h in old.hypotheses
        )
        yield Mutant(f"A3.sufficient: {name}", dataclasses.replace(old, hypotheses=hypotheses), CHECKS["A3.sufficient"])
    old = claim("A3.necessary")
    smaller = (
        ("times 1 - 1e-6", old.bound * (1 - LITTLE)),
        ("n + 1 for n", altered(old.bound, {"n": n + 1})),
        ("eps down by 1e-6", altered(old.bound, {"eps": eps * (1 - LITTLE)})),
    )
    for name, bound in smaller:
        yield Mutant(f"A3.necessary: {name}", with_relation(old, bound=bound), CHECKS["A3.necessary"])
    old = claim("A4.temperature")
    yield Mutant("A4.temperature: n for n - 1", with_relation(old, bound=altered(old.bound, {"n": n + 1})),
                 CHECKS["A4.temperature"])  # fmt: skip
    yield Mutant("A4.temperature: log times 1 + 1e-6", with_relation(old, bound=old.bound * (1 + LITTLE)),
                 CHECKS["A4.temperature"])  # fmt: skip


# -- checks that look where the general ones do not -----------------------------------------------------------------


def _large_n(name: str) -> Callable[[StatedClaim, Plan], Items]:
    """Worst rows with n large and n q small, where 2 n q is nearly attained."""

    def check(stated: StatedClaim, plan: Plan) -> Items:
        del plan
        for length in (10**3, 10**9, 10**12):
            temperature = 1 / Fraction(3 * length.bit_length())
            bound = stated.bound_at(n=length, gamma=1, tau=temperature)
            row = worst(length, 1, ONE)
            yield Item(name, l1(row, temperature), stated.op, bound, Mode.DECIDED, at(n=length, tau=temperature))

    return check


def _small_eta(stated: StatedClaim, plan: Plan) -> Items:
    """The tight pairs of A5 at small eta/tau, where tanh x is nearly x."""
    del plan
    for size in (Fraction(1, 10), Fraction(1, 10**4)):
        row = Row((Fraction(0), size), (1, 1))
        other = moved(row, (1, -1), size)
        bound = stated.bound_at(eta=size, tau=1)
        yield Item("small eta", tv_between(other, row, ONE), stated.op, bound, Mode.DECIDED, at(scores=row, eta=size))


def _item(stated: StatedClaim, quantity: object, bound: object, row: Row, **values: object) -> Item:
    return Item("hypothesis dropped", quantity, stated.op, bound, Mode.DECIDED, at(scores=row, **values))  # type: ignore[arg-type]


def _a2_gap(stated: StatedClaim, plan: Plan) -> Items:
    """A2.bound without the gap: the gap is half of gamma."""
    del plan
    row = worst(3, 1, ONE / 2)
    yield _item(stated, tv(row, ONE), stated.bound_at(n=3, k=1, gamma=1, tau=1), row, gamma=1, tau=1)


def _a2_ties(stated: StatedClaim, plan: Plan) -> Items:
    """A2.bound with the ties forgotten: the bound at k = 2 for a row with one maximum."""
    del plan
    row = worst(3, 1, ONE)
    yield _item(stated, tv(row, ONE), stated.bound_at(n=3, k=2, gamma=1, tau=1), row, gamma=1, tau=1)


def _a2_against_leftmost(stated: StatedClaim, plan: Plan) -> Items:
    """A2.bound against leftmost-hard attention on a row with ties."""
    del plan
    row = worst(3, 2, ONE)
    yield _item(stated, tv(row, ONE, Tie.LEFTMOST), stated.bound_at(n=3, k=2, gamma=1, tau=1), row, gamma=1, tau=1)


def _a3_gap(stated: StatedClaim, plan: Plan) -> Items:
    """A3.sufficient without the gap."""
    del stated, plan
    row = worst(3, 1, ONE / 2)
    # at n = 3, k = 1, eps = 1/2, gamma = 1 the critical temperature is 1/log 6 > 1/2
    yield Item(
        "hypothesis dropped", l1(row, ONE / 2), "<=", ONE / 2, Mode.DECIDED, at(scores=row, tau="1/2", eps="1/2")
    )


def _a4_spread(stated: StatedClaim, plan: Plan) -> Items:
    """A4.distance without the spread: one score is further below."""
    del plan
    row = worst(3, 1, 2 * ONE)
    yield _item(stated, tv(row, ONE), stated.bound_at(n=3, k=1, delta=1, tau=1), row, delta=1, tau=1)


def _a4_maximum_spread(stated: StatedClaim, plan: Plan) -> Items:
    """A4.maximum without the spread."""
    del plan
    row = worst(3, 1, 2 * ONE)
    yield _item(stated, max_weight(row, ONE), stated.bound_at(n=3, k=1, delta=1, tau=1), row, delta=1, tau=1)


def _a4_weight_spread(stated: StatedClaim, plan: Plan) -> Items:
    """A4.weight without the spread."""
    del plan
    row = worst(3, 1, 9 * ONE)
    yield _item(stated, weight(row, ONE, 0), stated.bound_at(n=3, k=1, delta=ONE / 2, tau=1), row, delta="1/2", tau=1)


def _a4_two_symbols(stated: StatedClaim, plan: Plan) -> Items:
    """A4.one-symbol with every value changed, not one."""
    del plan
    row = Row.explicit([0, 0, 0])
    change = AbsoluteDifference(attention_output(row, ONE, [1, 1, 1]), attention_output(row, ONE, [0, 0, 0]))
    yield _item(stated, change, stated.bound_at(n=3, delta=0, tau=1, lo=0, hi=1), row)


def _a5_far(stated: StatedClaim, plan: Plan) -> Items:
    """A5.bound with one score off by 2 eta."""
    del plan
    row = Row((Fraction(0), ONE), (1, 1))
    other = moved(row, (2, -1), ONE)
    yield _item(stated, tv_between(other, row, ONE), stated.bound_at(eta=1, tau=1), row, perturbed=other, eta=1)


def _a6_far(stated: StatedClaim, plan: Plan) -> Items:
    """A6.bound with one score off by 2 eta."""
    del plan
    row = worst(3, 1, 4 * ONE)
    other = moved(row, (-2, 2), ONE)
    bound = stated.bound_at(n=3, gamma=4, eta=1, tau=1)
    yield _item(stated, tv_perturbed(row, other, ONE), bound, row, perturbed=other, eta=1)


def _a6_ties(stated: StatedClaim, plan: Plan) -> Items:
    """A6.bound with two maxima: a perturbation breaks the tie."""
    del plan
    row = Row.explicit([0, 0, -4])
    other = moved(row, (1, -1, 0), ONE)
    bound = stated.bound_at(n=3, gamma=4, eta=1, tau=ONE / 10)
    yield _item(stated, tv_perturbed(row, other, ONE / 10), bound, row, perturbed=other, eta=1)


def _a6_large_eta(stated: StatedClaim, plan: Plan) -> Items:
    """A6.choice with eta > gamma/2: the choice changes (the gap of the claim is then negative, so compare with 0)."""
    del plan
    row = worst(2, 1, ONE)
    other = moved(row, (-1, 1), ONE)
    kept = Fraction(int(other.hard(Tie.AVERAGE)[0].weight == 1)) - 1
    yield _item(stated, kept, Fraction(0), row, perturbed=other, eta=1)


def _a7_range(stated: StatedClaim, plan: Plan) -> Items:
    """A7.bound with a value outside lo..hi."""
    del plan
    row = worst(3, 1, ONE)
    error = value_error(row, ONE, [0, 2])
    yield _item(stated, error, Affine(tv(row, ONE), ONE), row, values="0, 2", lo=0, hi=1)


def _a7_nu(stated: StatedClaim, plan: Plan) -> Items:
    """A7.perturbed with values off by 2 nu."""
    del plan
    row = worst(3, 1, ONE)
    error = value_error_perturbed(row, ONE, [0, 1], [2, 3])
    yield _item(stated, error, Affine(tv(row, ONE), ONE, ONE), row, values="0, 1", perturbed="2, 3", nu=1)


def _a8_gap(stated: StatedClaim, plan: Plan) -> Items:
    """A8.bound without the gap."""
    del plan
    row = worst(4, 2, ONE / 2)
    other = moved(row, (-1, 1), ONE / 10)
    bound = stated.bound_at(n=4, k=2, gamma=1, eta=ONE / 10, tau=1)
    yield _item(stated, tv_perturbed(row, other, ONE), bound, row, perturbed=other, gamma=1, eta="1/10")


def _a8_far(stated: StatedClaim, plan: Plan) -> Items:
    """A8.bound with scores off by 2 eta."""
    del plan
    row = worst(4, 2, ONE)
    other = moved(row, (-2, 2), ONE / 10)
    bound = stated.bound_at(n=4, k=2, gamma=1, eta=ONE / 10, tau=1)
    yield _item(stated, tv_perturbed(row, other, ONE), bound, row, perturbed=other, gamma=1, eta="1/10")


DROPPED = {
    "A2.bound: gap dropped": _a2_gap,
    "A2.bound: ties forgotten": _a2_ties,
    "A2.bound: against leftmost-hard with ties": _a2_against_leftmost,
    "A3.sufficient: gap dropped": _a3_gap,
    "A4.distance: spread dropped": _a4_spread,
    "A4.maximum: spread dropped": _a4_maximum_spread,
    "A4.weight: spread dropped": _a4_weight_spread,
    "A4.one-symbol: several symbols": _a4_two_symbols,
    "A5.bound: perturbation of 2 eta": _a5_far,
    "A6.bound: perturbation of 2 eta": _a6_far,
    "A6.bound: ties": _a6_ties,
    "A6.choice: eta above gamma/2": _a6_large_eta,
    "A7.bound: value out of range": _a7_range,
    "A7.perturbed: values off by 2 nu": _a7_nu,
    "A8.bound: gap dropped": _a8_gap,
    "A8.bound: perturbation of 2 eta": _a8_far,
}

MUTANTS = tuple(mutants())
