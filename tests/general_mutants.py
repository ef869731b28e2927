"""Altered claims of section E that the enumeration must refute."""

import dataclasses
from collections.abc import Callable, Iterator
from fractions import Fraction

import sympy as sp
from bound_mutants import LITTLE, Mutant, altered, with_relation

from checker.attention import Row, Tie
from checker.checks import Item, Items, Mode, Plan, StatedClaim
from checker.checks.general import CHECKS
from checker.checks.item import at
from checker.quantity import tv_perturbed
from proofs.e_general import STATEMENTS
from proofs.props import Each, Rel
from proofs.statement import Claim

CLAIMS = {claim.name: claim for statement in STATEMENTS for claim in statement.claims}
n, H = sp.symbols("n H", integer=True)
tau, gamma, eta, theta, delta, K, vmap = sp.symbols("tau gamma eta theta delta K vmap", real=True)

# Sharp claims whose right-hand side may not be scaled by 1 - 1e-6 (upper bounds), resp. 1 + 1e-6 (lower bounds).
SMALLER = (
    "E1.product", "E1.product-tight", "E1.entries", "E1.scores", "E1.keys", "E1.map", "E1.value", "E1.window",
    "E1.window-tight", "E1.tieless", "E1.tieless-tight", "E1.heads", "E2.linear", "E2.iterate", "E2.geometric",
    "E3.attention", "E3.attention-right", "E3.best", "E3.optimal", "E4.distinct", "E4.attained", "E4.deep",
    "E5.uniform", "E5.head",
)  # fmt: skip
LARGER = ("E2.line", "E4.rational", "E4.embeddings", "E4.averaged", "E4.same-count")
STRICT = ("E1.product", "E1.scores", "E1.map", "E1.window", "E1.tieless", "E1.heads", "E3.attention", "E3.best",
          "E4.averaged", "E4.distinct")  # fmt: skip
CHANGES: dict[str, dict[str, dict[str, sp.Expr]]] = {
    "E1.window": {"n for n - 1": {"n": n - 1}, "gamma up by 1e-6": {"gamma": gamma * (1 + LITTLE)},
                  "eta down by 1e-6": {"eta": eta * (1 - LITTLE)}},
    "E1.tieless": {"n for n - 1": {"n": n - 1}, "eta down by 1e-6": {"eta": eta * (1 - LITTLE)}},
    "E1.ties": {"eta for 0": {"eta": sp.S.Zero}, "gamma times 100": {"gamma": 100 * gamma}},
    "E1.weights": {"eta for 0": {"eta": sp.S.Zero}, "gamma times 100": {"gamma": 100 * gamma}},
    "E1.diameter": {"eta for 0": {"eta": sp.S.Zero}, "gamma times 100": {"gamma": 100 * gamma}},
    "E1.head": {"eta for 0": {"eta": sp.S.Zero}, "gamma times 100": {"gamma": 100 * gamma}},
    "E1.attention": {"vmap/8 for vmap": {"vmap": vmap / 8}, "delta/20 for delta": {"delta": delta / 20}},
    "E1.layer": {"K/8 for K": {"K": K / 8}, "H - 2 for H": {"H": H - 2}},
    "E5.head": {"eta down by 1e-6": {"eta": eta * (1 - LITTLE)}},
    "E5.layer": {"K/8 for K": {"K": K / 8}, "H - 2 for H": {"H": H - 2}},
    "E5.linear": {"theta for 0": {"theta": sp.S.Zero}},
    "E5.iterate": {"theta for -theta/5": {"theta": -theta / 5}},
}  # fmt: skip


def mutants() -> Iterator[Mutant]:
    """All of them."""
    for name in SMALLER:
        old = CLAIMS[name]
        yield Mutant(f"{name}: bound times 1 - 1e-6", with_relation(old, bound=old.bound * (1 - LITTLE)), CHECKS[name])
    for name in LARGER:
        old = CLAIMS[name]
        yield Mutant(f"{name}: bound times 1 + 1e-6", with_relation(old, bound=old.bound * (1 + LITTLE)), CHECKS[name])
    for name in STRICT:
        yield Mutant(f"{name}: strict", with_relation(CLAIMS[name], op=CLAIMS[name].relation.op[0]), CHECKS[name])
    for name, changes in CHANGES.items():
        for change, values in changes.items():
            old = CLAIMS[name]
            yield Mutant(f"{name}: {change}", with_relation(old, bound=altered(old.bound, values)), CHECKS[name])
    for name, change, bound in OTHER_BOUNDS:
        yield Mutant(f"{name}: {change}", with_relation(CLAIMS[name], bound=bound(CLAIMS[name].bound)), CHECKS[name])
    for name, change, place, hypothesis in OTHER_HYPOTHESES:
        yield Mutant(f"{name}: {change}", with_hypothesis(CLAIMS[name], place, hypothesis), CHECKS[name])
    for name, op in (("E2.always", ">"), ("E3.leftmost", "<"), ("E3.rightmost", "<")):
        yield Mutant(f"{name}: reversed", with_relation(CLAIMS[name], op=op), CHECKS[name])
    for name, check in DROPPED.items():
        yield Mutant(name, CLAIMS[name.split(":")[0]], check)


def with_hypothesis(old: Claim, place: int, change: Callable[[Rel], Rel]) -> Claim:
    """The claim with one hypothesis altered."""
    hypotheses = list(old.hypotheses)
    found = hypotheses[place]
    assert not isinstance(found, Each)
    hypotheses[place] = change(found)
    assert hypotheses[place] != found
    return dataclasses.replace(old, hypotheses=tuple(hypotheses))


def right(factor: sp.Expr) -> Callable[[Rel], Rel]:
    """The right-hand side of a hypothesis times a factor."""
    return lambda rel: Rel(rel.lhs, rel.op, rel.rhs * factor)


OTHER_BOUNDS: tuple[tuple[str, str, Callable[[sp.Expr], sp.Expr]], ...] = (
    ("E2.sufficient", "mu times 1 - 1e-5", lambda b: b * (1 - 10 * LITTLE)),
    ("E2.lambert-needed", "mu times 1 + 1e-6", lambda b: b * (1 + LITTLE)),
    ("E2.decision", "1/100 for 0", lambda b: b + sp.Rational(1, 100)),
    ("E4.cubic", "times 1 + 1e-3", lambda b: b * (1 + 1000 * LITTLE)),
    ("E4.averaged", "n - 1 for n", lambda b: b.subs(n, n - 1)),
    ("E4.distinct", "n - 1 for n", lambda b: b.subs(n, n - 1)),
)
# name, change, which hypothesis, how
OTHER_HYPOTHESES: tuple[tuple[str, str, int, Callable[[Rel], Rel]], ...] = (
    ("E2.lambert", "temperature up by 1e-6", -1, right(1 - LITTLE)),
    ("E2.order", "temperature doubled", -1, right(sp.Rational(1, 2))),
    ("E2.temperature", "temperature times 4", -1, right(sp.Rational(1, 4))),
    ("E2.one-layer", "temperature up by 1e-6", -1, right(1 + LITTLE)),
    ("E2.sufficient", "half of what is asked", -1, lambda rel: Rel(rel.lhs / 2, rel.op, rel.rhs)),
    ("E3.leftmost", "t up to 1 + 1e-6 steps", 3, right(1 + LITTLE)),
    ("E3.rightmost", "t up to 1 + 1e-6 steps", 3, right(1 + LITTLE)),
    ("E3.leftmost", "n - 1 for n", 4, lambda rel: Rel(rel.lhs, rel.op, rel.rhs.subs(n, n - 1))),
    ("E5.sufficient", "theta for -theta/5", -1, lambda rel: Rel(rel.lhs.subs(theta, -theta / 5), rel.op, rel.rhs)),
    ("E5.temperature", "1 + theta for 1 - theta", -1, lambda rel: Rel(rel.lhs, rel.op, rel.rhs.subs(theta, -theta))),
)


# -- checks that look where the general ones do not -------------------------------------------------------------------


def _unshifted(stated: StatedClaim, plan: Plan) -> Items:
    """E3.attention with the scores left as they are: a tie."""
    del plan
    row = Row.explicit([Fraction(0), Fraction(0)])
    bound = stated.bound_at(n=2, gamma=1, tau=1)
    yield Item("hypothesis dropped", tv_perturbed(row, row, Fraction(1), Tie.LEFTMOST), stated.op, bound, Mode.DECIDED,
               at(scores=row, tau=1))  # fmt: skip


def _other_end(stated: StatedClaim, plan: Plan) -> Items:
    """E3.attention against the rightmost maximal position."""
    del plan
    row = Row.explicit([Fraction(0), Fraction(0)])
    other = Row.explicit([Fraction(-1, 2), Fraction(-1)])
    bound = stated.bound_at(n=2, gamma=1, tau=1)
    yield Item("hypothesis dropped", tv_perturbed(row, other, Fraction(1), Tie.RIGHTMOST), stated.op, bound,
               Mode.DECIDED, at(scores=row, perturbed=other, tau=1))  # fmt: skip


def _unequal(stated: StatedClaim, plan: Plan) -> Items:
    """E5.uniform for scores that are equal in the hard run only."""
    del plan
    row = Row.explicit([Fraction(0), Fraction(0)])
    other = Row.explicit([Fraction(1, 10), Fraction(0)])
    yield Item("hypothesis dropped", tv_perturbed(row, other, Fraction(1)), "<=", Fraction(0), Mode.DECIDED,
               at(scores=row, perturbed=other, tau=1))  # fmt: skip
    assert stated.op == "="


DROPPED = {
    "E3.attention: scores not shifted": _unshifted,
    "E3.attention: the other end": _other_end,
    "E5.uniform: equal in the hard run only": _unequal,
}
MUTANTS = tuple(mutants())
