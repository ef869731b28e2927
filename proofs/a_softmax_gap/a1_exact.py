"""A1, the exact error of softmax attention against hard attention.

Main statements, with Z' = sum over non-maximal positions of exp(-(top - s)/tau)
    A1.weights     p(i) = exp(-(top - s(i))/tau) / (k + Z')
    A1.normaliser  the sum of exp(s/tau) is positive; A1.positive: so is every weight
    A1.normalised  the softmax weights add up to 1
    A1.nonnegative Z' >= 0
    A1.exact       TV(softmax, average-hard) = Z'/(k + Z')
    A1.unique      TV(softmax, leftmost- or rightmost-hard) = (k - 1 + Z')/(k + Z')
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import EXP_POSITIVE
from ..props import Each, Rel, substitute, total
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import f, function, m
from ..sums import n as sum_n
from .row import (
    HARD,
    N_POSITIVE,
    REAL_X,
    ROW,
    SOFT,
    TAU,
    Z_PRIME,
    At,
    absolute,
    decay,
    either,
    everywhere,
    h,
    i,
    k,
    mu,
    n,
    natural,
    p,
    s,
    sum_of,
    tau,
    top,
    tv,
)

z = sp.Symbol("zp", real=True)
lam = sp.Function("lam", real=True)
NORMALISER = total(lambda j: sp.exp(s(j) / tau), n)
LAM_BOOLEAN = Each(i, 1, n, Rel(lam(i) * (1 - lam(i)), "=", 0))
LAM_ONE = Rel(total(lam, n), "=", 1)
STRICTLY_BELOW = Each(i, 1, n, Rel(top - s(i) + mu(i), ">", 0))


def _shifted(d: Derivation, boolean: Step, on_top: Step) -> Step:
    """exp(s/tau) = exp(top/tau) (mu + (1 - mu) exp(-(top - s)/tau)) at every position."""

    def term(w: sp.Symbol, at: At) -> Step:
        goal = Rel(sp.exp(s(w) / tau), "=", sp.exp(top / tau) * (mu(w) + (1 - mu(w)) * decay(w)))
        maximal = at(on_top)

        def case(value: Step, is_one: bool) -> Step:
            if not is_one:
                return d.identity(goal.lhs, goal.rhs, [value], "exp(s/tau) = exp(top/tau) exp(-(top - s)/tau)")
            score = d.identity(s(w), top, [maximal, value])
            trivial = d.identity(sp.exp(top / tau), sp.exp(top / tau))
            return d.substitute(trivial, [score, value], goal)

        return either(d, at(boolean), case)

    return everywhere(d, term)


def _z_nonnegative(d: Derivation, boolean: Step, count: Step) -> Step:
    """Z' >= 0."""

    def term(w: sp.Symbol, at: At) -> Step:
        positive = d.analysis(EXP_POSITIVE, {REAL_X: -(top - s(w)) / tau})
        goal = (1 - mu(w)) * decay(w)
        return either(d, at(boolean), lambda value, _: d.polynomial(0, "<=", goal, [value, positive]))

    summed = sum_of(d, "S.order", everywhere(d, term), count)
    return d.polynomial(Z_PRIME, ">=", 0, [summed])


def _weights(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, _tau, boolean, count, on_top, soft = given
    n_natural = natural(d, [one_k, k_n])
    summed = sum_of(d, "S.equal", _shifted(d, boolean, on_top), n_natural, "the normaliser, term by term")
    z_nonnegative = _z_nonnegative(d, boolean, n_natural)
    factored = d.identity(
        NORMALISER,
        sp.exp(top / tau) * (k + Z_PRIME),
        [summed, count],
        "the maximal positions contribute k, the others Z'",
    )

    def weight(w: sp.Symbol, at: At) -> Step:
        by_definition = at(soft)
        common = d.substitute(by_definition, [factored], Rel(p(w), "=", sp.exp(s(w) / tau) / factored.rel.rhs))
        using = [common, one_k, z_nonnegative]
        return d.identity(p(w), decay(w) / (k + Z_PRIME), using, "exp(top/tau) cancels")

    return everywhere(d, weight)


def _normaliser(d: Derivation, given: Sequence[Step]) -> Step:
    (one_n,) = given

    def positive(w: sp.Symbol, _at: At) -> Step:
        exp_positive = d.analysis(EXP_POSITIVE, {REAL_X: s(w) / tau})
        return d.polynomial(0, "<=", sp.exp(s(w) / tau), [exp_positive])

    first = sp.S.One
    termwise = everywhere(d, positive)
    lower, upper = d.polynomial(1, "<=", first), d.polynomial(first, "<=", n, [one_n])
    at_first = {f: function(lambda j: sp.exp(s(j) / tau)), m: first, sum_n: n}
    below = d.cite("S.term", at_first, [termwise, lower, upper])
    exp_positive = d.analysis(EXP_POSITIVE, {REAL_X: s(first) / tau})
    return d.polynomial(NORMALISER, ">", 0, [below, exp_positive])


def _positive(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, _tau, soft = given
    normaliser_positive = d.cite("A1.normaliser", {}, [one_n])

    def term(w: sp.Symbol, at: At) -> Step:
        exp_positive = d.analysis(EXP_POSITIVE, {REAL_X: s(w) / tau})
        return d.polynomial(p(w), ">", 0, [at(soft), normaliser_positive, exp_positive])

    return everywhere(d, term)


def _normalised(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, _tau, soft = given
    normaliser_positive = d.cite("A1.normaliser", {}, [one_n])
    w_name = sp.Symbol("W", real=True)
    w_is = d.define(w_name, NORMALISER)
    named = d.substitute(soft, [w_is], Each(i, 1, n, Rel(p(i), "=", sp.exp(s(i) / tau) / w_name)))
    summed = sum_of(d, "S.equal", named, natural(d, [one_n]))
    w_positive = d.substitute(normaliser_positive, [w_is], Rel(w_name, ">", 0))
    return d.identity(total(p, n), 1, [summed, w_is, w_positive])


def named_weights(d: Derivation, row: Sequence[Step]) -> tuple[Step, Step, Step]:
    """The weights exp(-(top - s)/tau)/(k + z) with z a name for Z': (definition of z, z >= 0, the weights)."""
    weights = d.cite("A1.weights", {}, row)
    z_nonnegative = d.cite("A1.nonnegative", {}, row)
    meaning = d.define(z, Z_PRIME)
    named = d.substitute(weights, [meaning], Each(i, 1, n, Rel(p(i), "=", decay(i) / (k + z))))
    return meaning, d.substitute(z_nonnegative, [meaning], Rel(z, ">=", 0)), named


def _differences(
    d: Derivation,
    hard: Sequence[Step],
    hard_weight: sp.Basic,
    goal: sp.Expr,
    on_top: Step,
    weights: Step,
    z_bound: Step,
) -> Step:
    """|p - hard_weight| = goal at every position w, by whether the hard choice includes w.

    `hard` is what to instantiate: the 0/1-valued choice first, then facts that give hard_weight and membership in M.
    """
    one_k, k_n, choice, *facts = hard
    del k_n

    def difference(w: sp.Symbol, at: At) -> Step:
        weight, maximal, here_facts = at(weights), at(on_top), [at(fact) for fact in facts]
        apart = p(w) - hard_weight(w)
        positive = [one_k, z_bound]

        def case(value: Step, is_one: bool) -> Step:
            if is_one:  # a maximal position: its weight 1/(k + Z') is at most the hard weight
                member = d.identity(mu(w), 1, [*here_facts, value, one_k])
                score = d.identity(s(w), top, [maximal, member])
                here = d.substitute(weight, [score], Rel(p(w), "=", 1 / (k + z)))
                sign = d.polynomial(apart, "<=", 0, [here, *here_facts, value, *positive])
            else:  # the hard weight is 0
                here = weight
                exp_positive = d.analysis(EXP_POSITIVE, {REAL_X: -(top - s(w)) / tau})
                sign = d.polynomial(apart, ">=", 0, [here, *here_facts, value, exp_positive, *positive])
            modulus = absolute(d, apart, sign)
            claim = substitute(goal, {i: w})
            return d.identity(modulus.rel.lhs, claim, [modulus, here, *here_facts, value, *positive])

        return either(d, at(choice), case)

    return everywhere(d, difference)


def _exact(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, tau_positive, boolean, count, on_top, soft, _below, hard = given
    row = [one_k, k_n, tau_positive, boolean, count, on_top, soft]
    meaning, z_bound, weights = named_weights(d, row)
    goal = mu(i) * z / (k * (k + z)) + (1 - mu(i)) * decay(i) / (k + z)
    differences = _differences(d, [one_k, k_n, boolean, hard], h, goal, on_top, weights, z_bound)
    summed = sum_of(d, "S.equal", differences, natural(d, [one_k, k_n]), "the L1 distance, term by term")
    named = d.identity(tv(p, h), z / (k + z), [summed, count, meaning, one_k, z_bound])
    return d.substitute(named, [meaning], Rel(tv(p, h), "=", Z_PRIME / (k + Z_PRIME)))


def _unique(d: Derivation, given: Sequence[Step]) -> Step:
    one_k, k_n, tau_positive, boolean, count, on_top, soft, _below, choice, one_choice, among = given
    row = [one_k, k_n, tau_positive, boolean, count, on_top, soft]
    meaning, z_bound, weights = named_weights(d, row)
    normalised = d.cite("A1.normalised", {}, [d.polynomial(1, "<=", n, [one_k, k_n]), tau_positive, soft])
    goal = p(i) + lam(i) * (1 - 2 / (k + z))
    differences = _differences(d, [one_k, k_n, choice, among], lam, goal, on_top, weights, z_bound)
    summed = sum_of(d, "S.equal", differences, natural(d, [one_k, k_n]), "the L1 distance, term by term")
    named = d.identity(tv(p, lam), (k - 1 + z) / (k + z), [summed, normalised, one_choice, one_k, z_bound])
    return d.substitute(named, [meaning], Rel(tv(p, lam), "=", (k - 1 + Z_PRIME) / (k + Z_PRIME)))


CHOICE = (
    LAM_BOOLEAN,
    LAM_ONE,
    Each(i, 1, n, Rel(lam(i) * (1 - mu(i)), "=", 0)),
)

WEIGHTS = Claim(
    "A1.weights",
    "every softmax weight, relative to the maximal ones",
    ROW,
    (),
    Each(i, 1, n, Rel(p(i), "=", decay(i) / (k + Z_PRIME))),
    _weights,
)
NONNEGATIVE = Claim(
    "A1.nonnegative",
    "Z' is nonnegative",
    ROW,
    (),
    Rel(Z_PRIME, ">=", 0),
    lambda d, given: _z_nonnegative(d, given[3], natural(d, given[:2])),
)
NORMALISER_CLAIM = Claim(
    "A1.normaliser", "the normaliser is positive", (N_POSITIVE,), (), Rel(NORMALISER, ">", 0), _normaliser
)
POSITIVE = Claim(
    "A1.positive",
    "softmax weights are positive",
    (N_POSITIVE, TAU, SOFT),
    (),
    Each(i, 1, n, Rel(p(i), ">", 0)),
    _positive,
)
NORMALISED = Claim(
    "A1.normalised",
    "softmax weights add up to 1",
    (N_POSITIVE, TAU, SOFT),
    (),
    Rel(total(p, n), "=", 1),
    _normalised,
)
EXACT = Claim(
    "A1.exact",
    "exact total variation distance between softmax and average-hard attention",
    (*ROW, STRICTLY_BELOW, HARD),
    (),
    Rel(tv(p, h), "=", Z_PRIME / (k + Z_PRIME)),
    _exact,
)
UNIQUE = Claim(
    "A1.unique",
    "exact distance to leftmost- or rightmost-hard attention (lam selects one maximal position)",
    (*ROW, STRICTLY_BELOW, *CHOICE),
    (),
    Rel(tv(p, lam), "=", (k - 1 + Z_PRIME) / (k + Z_PRIME)),
    _unique,
)

STATEMENT = Statement(
    id="A1",
    title="Exact error",
    section="A",
    kernel=True,
    summary="TV(softmax, average-hard) = Z'/(k + Z') with Z' the sum of exp(-r/tau) over non-maximal positions.",
    quantity="tv",
    direction="=",
    claims=(NORMALISER_CLAIM, POSITIVE, NONNEGATIVE, WEIGHTS, NORMALISED, EXACT, UNIQUE),
    main="A1.exact",
    sharpness="an equality for every row",
    used_for="A2, A4, A8 and every construction: it reduces the error to one sum",
)
