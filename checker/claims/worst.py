"""The exact worst case of a quantity over all rows that satisfy the assumptions, as a function of the parameters.

Without perturbation every quantity is a monotone function of Z' = sum over the non-maximal positions of
exp(-(top - s_j)/tau), given n and k (A1.exact, A1.unique, A1.weights), and Z' ranges between (n-k) exp(-delta/tau) and
(n-k) exp(-gamma/tau): A2.others, A2.others-equal; A4.distance, A4.tight. Where no assumption closes an end of that
range it is the limit 0 or n-k, which no row attains. With growth Z' is at most a geometric sum (B1, B2); with
perturbation the supremum is that of A8, with a count b over which the claim must hold too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import sympy as sp

from checker.attention import Tie
from checker.claims.expression import D, delta, eps, eta, gamma, k, left, n, right, tau
from checker.claims.families import Family
from proofs.a_softmax_gap.a5_sets import TANH_BOUND
from proofs.a_softmax_gap.a8_window import b, excess
from proofs.b_positional import b1_linear, b2_both_sides, b3_lookup
from proofs.props import Rel

ZERO, ONE = sp.S.Zero, sp.S.One


class UnknownWorstCaseError(Exception):
    """No worst case is known under these assumptions; the message says why."""


@dataclass(frozen=True)
class Case:
    """One range of the parameters, with the extreme value of the quantity there.

    ranges       relations that hold in this range, beyond the assumptions of the claim
    worst        the supremum (for <=, <) or infimum (for >=, >) of the quantity
    attained     False: no row attains it, so the quantity is strictly below (above) it
    exact        False: `worst` is only a bound, which may not be reached, not even in the limit
    replaced     variables that this range fixes (k = 1, n = l + r + 1)
    rows         which rows the refuter tries; cites: the claims of the registry that `worst` rests on
    """

    label: str
    ranges: tuple[Rel, ...]
    worst: sp.Expr
    attained: bool
    exact: bool
    rows: str
    cites: tuple[str, ...]
    replaced: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)

    @property
    def variables(self) -> set[sp.Symbol]:
        """The variables of this range."""
        found = set(self.worst.free_symbols)
        for rel in self.ranges:
            found |= rel.lhs.free_symbols | rel.rhs.free_symbols
        return found


def domain(variables: set[sp.Symbol]) -> list[Rel]:
    """The ranges of the variables that are always assumed."""
    ranges = [Rel(tau, ">", 0), Rel(1, "<=", n)]
    ranges += [Rel(symbol, ">", 0) for symbol in (gamma, delta, eps) if symbol in variables]
    ranges += [Rel(symbol, ">=", 0) for symbol in (eta, D) if symbol in variables]
    return ranges


ANY_K = (Rel(1, "<=", k), Rel(k, "<=", n))
BELOW_N = (Rel(1, "<=", k), Rel(k + 1, "<=", n))


def cases(family: Family, upper: bool) -> list[Case]:
    """The ranges of the parameters with the supremum (upper) or infimum of the quantity in each.

    Raises UnknownWorstCaseError where neither the worst case nor a bound of it is known.
    """
    if family.quantity.endswith("_moved"):
        return _moved(family, upper)
    if family.quantity == "value_error" and not upper:
        return [_equal_values(family)]
    if family.perturbation is not None:
        return _perturbed(family, upper)
    found = _growing(family, upper) if family.growth else _plain(family, upper)
    return [part for case in found for part in _by_width(family, case)]


def _equal_values(family: Family) -> Case:
    """Equal values make the error 0."""
    if not family.growth:
        return Case("", ANY_K, ZERO, True, True, "low", ("A7.bound",))
    replaced, ranges = _one_maximum(family)
    return Case("", ranges, ZERO, True, True, family.growth + " low", ("A7.bound",), replaced)


def _by_width(family: Family, case: Case) -> list[Case]:
    """The case as it is, or divided at D = 0: a bound that no row attains is 0 there, which every row attains."""
    if family.quantity != "value_error" or case.attained or (family.width.is_Rational and family.width > 0):
        return [case]
    if family.width.is_Rational:
        return [replace(case, worst=ZERO, attained=True, exact=True)]
    labels = [f"{case.label}, {part}" if case.label else part for part in ("D > 0", "D = 0")]
    zero = replace(case, label=labels[1], worst=ZERO, attained=True, exact=True, replaced={**case.replaced, D: ZERO})
    return [replace(case, label=labels[0], ranges=(*case.ranges, Rel(D, ">", 0))), zero]


def _as_quantity(family: Family, z: sp.Expr, count: sp.Expr) -> sp.Expr:
    """The quantity at Z' = z with `count` maximal positions."""
    unique = family.tie is not Tie.AVERAGE
    distance = (count - 1 + z) / (count + z) if unique else z / (count + z)
    return {
        "l1": 2 * distance,
        "tv": distance,
        "value_error": family.width * distance,
        "max_weight": 1 / (count + z),
        "winner_weight": 1 / (count + z) if unique else count / (count + z),
    }[family.quantity]


def _increasing(family: Family) -> bool:
    return family.quantity in ("l1", "tv", "value_error")


def _exact_claim(family: Family) -> tuple[str, ...]:
    if family.quantity == "max_weight" or (family.quantity == "winner_weight"):
        return ("A1.weights",)
    first = "A1.exact" if family.tie is Tie.AVERAGE else "A1.unique"
    return (first, "A7.bound", "A7.tight") if family.quantity == "value_error" else (first,)


def _plain(family: Family, upper: bool) -> list[Case]:
    gap, spread = family.gap, family.spread
    high = upper is _increasing(family)
    end = gap if high else spread
    limit = (n - k) if high else ZERO
    z = limit if end is None else (n - k) * sp.exp(-end / tau)
    used = {True: ("A2.others", "A2.others-equal"), False: ("A4.distance", "A4.tight")}[high] if end is not None else ()
    cites = (*_exact_claim(family), *used)
    rows = "high" if high else "low"
    other = spread if high else gap
    if end is not None and other is None:
        return [Case("", ANY_K, _as_quantity(family, z, k), True, True, rows, cites)]
    order: tuple[Rel, ...]
    order = (Rel(gap, "<=", spread),) if gap is not None and spread is not None else ()
    if gap is not None and spread is not None and not (gap.free_symbols | spread.free_symbols) and gap > spread:
        below = []
    else:
        order = tuple(rel for rel in order if rel.lhs.free_symbols | rel.rhs.free_symbols)
        worst = _as_quantity(family, z, k)
        below = [Case("k < n", (*BELOW_N, *order), worst, end is not None, True, rows, cites)]
    return [*below, Case("k = n", (), _as_quantity(family, ZERO, n), True, True, rows, _exact_claim(family), {k: n})]


def _one_maximum(family: Family) -> tuple[dict[sp.Symbol, sp.Expr], tuple[Rel, ...]]:
    """What growth and lookup fix, and the ranges of what remains."""
    if family.growth != "two-sided":
        return {k: ONE}, ()
    return {k: ONE, n: left + right + 1}, (Rel(left, ">=", 0), Rel(right, ">=", 0))


def _growing(family: Family, upper: bool) -> list[Case]:
    """One maximal position; `distance` is the extreme total variation distance."""
    high = upper is _increasing(family)
    replaced, ranges = _one_maximum(family)
    bound: dict[str, tuple[sp.Expr, bool, tuple[str, ...]]] = {
        "one-sided": (b1_linear.BOUND, True, ("B1.left", "B1.tight")),
        "two-sided": (b2_both_sides.BOUND, True, ("B2.bound", "B2.tight")),
        "lookup": (b3_lookup.CLOSED.xreplace({b3_lookup.c: gamma}), False, ("B3.closed",)),
    }
    distance, exact, cites = bound[family.growth]
    distance = distance.xreplace({gamma: family.slope})
    if high:
        worst = _from_distance(family, distance)
        # B3.closed is strict: attained is False for lookup
        return [Case("", ranges, worst, exact, exact, family.growth, cites, replaced)]
    worst = _from_distance(family, ZERO)
    one = {**replaced, n: ONE, left: ZERO, right: ZERO}
    many = Rel(2, "<=", replaced.get(n, n))
    exact = family.growth != "lookup"
    return [
        Case("n >= 2", (*ranges, many), worst, False, exact, family.growth + " low", ("A1.exact",), replaced),
        Case("n = 1", (), worst, True, True, family.growth + " low", ("A1.exact",), one),
    ]


def _from_distance(family: Family, distance: sp.Expr) -> sp.Expr:
    return {
        "l1": 2 * distance,
        "tv": distance,
        "value_error": family.width * distance,
        "max_weight": 1 - distance,
        "winner_weight": 1 - distance,
    }[family.quantity]


def _moved(family: Family, upper: bool) -> list[Case]:
    factor = 2 if family.quantity == "l1_moved" else 1
    # A set of mass 1/(exp(eta/tau) + 1) exists as soon as two scores may be chosen freely.
    free = family.gap is None and family.spread is None and k not in family.mentions
    if not upper:
        return [Case("", ANY_K, ZERO, True, True, "moved", ("A5.bound",))]
    assert family.perturbation is not None
    bound = factor * TANH_BOUND.xreplace({eta: family.perturbation})
    many = Case("n >= 2", (Rel(2, "<=", n), *ANY_K), bound, True, free, "moved", ("A5.bound", "A5.tight"))
    one = Case("n = 1", (), ZERO, True, True, "moved", ("A5.bound",), {n: ONE, k: ONE})
    return [many, one]


def _perturbed(family: Family, upper: bool) -> list[Case]:
    if family.quantity in ("max_weight", "winner_weight"):
        raise UnknownWorstCaseError(f"the worst case of {family.quantity} under perturbation is not in the registry")
    if family.tie is not Tie.AVERAGE and not family.tieless:
        raise UnknownWorstCaseError(
            "the worst case of a unique choice among several maxima under perturbation is not in the registry"
        )
    if not upper:
        return [Case("", ANY_K, ZERO, True, False, "perturbed", ("A8.bound",))]
    assert family.perturbation is not None
    values: dict[sp.Symbol, sp.Expr] = {eta: family.perturbation, gamma: ZERO if family.gap is None else family.gap}
    exact = family.gap is not None and family.spread is None
    cites = ("A8.bound", "A8.attained", *(("A7.bound", "A7.tight") if family.quantity == "value_error" else ()))
    if family.tieless:  # the term a = 1 of the maximum is 0, the term a = 0 is the bound of A6
        distance = (n - 1) * sp.exp((2 * eta - gamma) / tau) / (1 + (n - 1) * sp.exp((2 * eta - gamma) / tau))
        worst = _from_distance(family, distance.xreplace(values))
        return [Case("", (), worst, True, exact, "perturbed", cites, {k: ONE, b: ZERO})]
    worst = _from_distance(family, excess(b).xreplace(values))
    return [Case("", (*ANY_K, Rel(b, ">=", 0), Rel(b, "<=", k)), worst, True, exact, "perturbed", cites)]
