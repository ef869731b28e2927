"""The theorem about rows: the quantity itself against the bound, from the registry's claims and the inequality.

The inequality between worst case and bound is a claim of its own; here it is cited together with the claim of the
registry that bounds the quantity by its worst case. Where there is no such derivation (value errors, several maxima
under perturbation, limits that no row attains), the theorem about the worst case stands alone, beside the claims of the
registry that say what the worst case is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import sympy as sp

from checker.attention import Tie
from checker.claims.expression import delta, eta, gamma, k, n
from checker.claims.families import Family
from proofs.a_softmax_gap.a1_exact import CHOICE, STRICTLY_BELOW, lam
from proofs.a_softmax_gap.row import GAP, ROW, Z_PRIME, decay, l1, mu, p, s, top, tv
from proofs.b_positional.b3_lookup import c
from proofs.derivation import Derivation
from proofs.language import Substitution
from proofs.props import ProofError, Prop, Rel, instantiate
from proofs.registry import STATEMENTS
from proofs.sequent import Step
from proofs.statement import Claim

if TYPE_CHECKING:
    from checker.claims.prove import Goal

m = sp.Symbol("m", integer=True)
z = sp.Symbol("z", real=True)
WINNER = (Rel(1, "<=", m), Rel(m, "<=", n), Rel(mu(m), "=", 1))

Build = Callable[[Derivation, Sequence[Step], Sequence[Step]], Step]


def row_derivation(goal: Goal, family: Family, parameters: Claim, target: Rel) -> Claim | None:
    """The claim about rows with its derivation, which cites `parameters`; None where there is no direct one."""
    strict = goal.case.rows == "lookup"  # B3.closed is strict
    if (goal.op != goal.quantity_op and not strict) or not goal.case.worst.free_symbols:
        return None
    found = _direct(goal, family) or _by_rest(goal, family)
    if found is None:
        return None
    quantity, about_row, build = found
    fixed = tuple(Rel(symbol, "=", expr) for symbol, expr in goal.case.replaced.items())
    rels = (*fixed, *parameters.hypotheses)
    definitions = tuple(parameters.definitions)
    conclusion = Rel(quantity, goal.quantity_op, target.rhs)

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        row, others = (
            given[len(definitions) : len(definitions) + len(about_row)],
            given[len(definitions) + len(about_row) :],
        )
        worst = build(d, row, others)
        known = [*given[: len(definitions)], *others]
        inequality = d.cite(parameters.name, {}, known)
        return d.transitive(quantity, goal.quantity_op, target.rhs, [worst, inequality])

    return Claim(parameters.name + " for rows", parameters.text, (*definitions, *about_row), rels, conclusion, derive)


def _direct(goal: Goal, family: Family) -> tuple[sp.Expr, tuple[Prop, ...], Build] | None:
    """Total variation and L1 distance, from the claim of the registry that bounds them."""
    name, mapping = _cited(goal, family)
    if not name:
        return None
    claim = STATEMENTS[name.split(".")[0]].claim(name)
    about_row = tuple(instantiate(prop, mapping) for prop in (*claim.definitions, *claim.hypotheses))
    stated = instantiate(claim.conclusion, mapping)
    assert isinstance(stated, Rel)
    factor = 2 if family.quantity.startswith("l1") else 1
    quantity = factor * stated.lhs

    def build(d: Derivation, row: Sequence[Step], others: Sequence[Step]) -> Step:
        cited = d.cite(name, mapping, [*row, *others])
        meaning = d.define(z, stated.rhs)
        named = d.substitute(cited, [meaning], Rel(stated.lhs, stated.op, z))
        scaled = d.polynomial(quantity, stated.op, factor * z, [named])
        try:
            return d.substitute(scaled, [meaning], Rel(quantity, stated.op, goal.case.worst))
        except ProofError:  # the worst case is written differently
            using = [scaled, meaning, *[step for step in (*row, *others) if isinstance(step.prop, Rel)]]
            return d.polynomial(quantity, stated.op, goal.case.worst, using)

    return quantity, about_row, build


def _cited(goal: Goal, family: Family) -> tuple[str, Substitution]:
    """The claim that bounds the distance by the worst case of the goal, and its variables in the claim's terms."""
    if family.quantity not in ("l1", "tv", "l1_moved", "tv_moved"):
        return "", {}
    rows = goal.case.rows
    if rows == "moved":
        return "A5.bound", {eta: family.perturbation}
    if rows == "perturbed" and family.tieless and family.gap is not None:
        return "A6.bound", {gamma: family.gap, eta: family.perturbation}
    if rows in ("one-sided", "two-sided", "lookup"):
        names = {"one-sided": "B1.left", "two-sided": "B2.bound", "lookup": "B3.closed"}
        return names[rows], {(c if rows == "lookup" else gamma): family.slope}
    if family.tie is Tie.AVERAGE and rows == "high" and family.gap is not None:
        return "A2.bound", {gamma: family.gap}
    if family.tie is Tie.AVERAGE and rows == "low" and family.spread is not None:
        return "A4.distance", {delta: family.spread}
    return "", {}


def _by_rest(goal: Goal, family: Family) -> tuple[sp.Expr, tuple[Prop, ...], Build] | None:
    """Distances to a unique choice and the weight of a maximal position m, through Z'."""
    if family.growth or family.perturbation is not None or goal.case.rows != "high" or family.gap is None:
        return None
    gap = instantiate(GAP, {gamma: family.gap})
    unique = family.tie is not Tie.AVERAGE
    weight = family.quantity == "max_weight" or (family.quantity == "winner_weight" and (unique or family.tieless))
    quantity: sp.Expr
    extra: tuple[Prop, ...]
    if weight:
        quantity, extra = p(m), WINNER
    elif family.quantity in ("l1", "tv") and unique:
        quantity, extra = (l1 if family.quantity == "l1" else tv)(p, lam), CHOICE
    else:
        return None
    about_row: tuple[Prop, ...] = (*ROW, STRICTLY_BELOW, *extra, gap)

    def build(d: Derivation, row: Sequence[Step], others: Sequence[Step]) -> Step:
        first = row[: len(ROW)]
        rels = [step for step in (*row, *others) if isinstance(step.prop, Rel)]
        meaning = d.define(z, Z_PRIME)
        at_most = d.cite("A2.others", {gamma: family.gap}, row)
        high = d.substitute(at_most, [meaning], Rel(z, "<=", at_most.rel.rhs))
        low = d.substitute(d.cite("A1.nonnegative", {}, first), [meaning], Rel(z, ">=", 0))
        if weight:
            exact = _weight(d, row)
            value = 1 / (k + z)
        else:
            exact = d.cite("A1.unique", {}, row)
            value = (k - 1 + z) / (k + z)
        named = d.substitute(exact, [meaning], Rel(exact.rel.lhs, "=", value))
        return d.polynomial(quantity, goal.op[0] + "=", goal.case.worst, [named, high, low, *_ranges(rels)])

    return quantity, about_row, build


def _ranges(steps: Sequence[Step]) -> list[Step]:
    """Relations between n and k alone."""
    return [step for step in steps if (step.rel.lhs - step.rel.rhs).free_symbols <= {n, k}]


def _weight(d: Derivation, row: Sequence[Step]) -> Step:
    """p(m) = 1/(k + Z') for a maximal position m."""
    lower, upper, maximal = (next(step for step in row if step.prop == prop) for prop in WINNER)
    on_top = d.at(row[5], m, lower, upper)
    weights = d.at(d.cite("A1.weights", {}, row[: len(ROW)]), m, lower, upper)
    score = d.identity(s(m), top, [on_top, maximal])
    one = d.substitute(d.identity(1, 1), [score], Rel(decay(m), "=", 1))
    return d.substitute(weights, [one], Rel(p(m), "=", 1 / (k + Z_PRIME)))
