"""D4, counting: uniform attention gives the frequency C/w of a formula, a quadratic lookup turns it into the integer C.

The first head sees w positions with equal scores and outputs x = C/w. The second head sees all n positions, number
i - 1 at place i, and has the scores c n (2x (i-1) - y (i-1)**2), y = 1/w: query (x, y), keys c n (2(i-1), -(i-1)**2).

Main statements, with q = exp(-c/tau) and E = q/(1-q**3)**2
    D4.uniform, D4.uniform-hard  equal scores: softmax is 1/n everywhere, and exactly hard attention
    D4.average                   so the output is exactly the mean of the values
    D4.gap, D4.size              s(C+1) - s(i) >= c (i-1-C)**2 if w <= n; no score exceeds c n**3 in size
    D4.series, D4.error          the sum of d q**(d**2) is below E, and the mean place within E (see d4_error.py)
    D4.count                     the second head outputs C up to E
    D4.sum, D4.sum-tight         with coefficients a(k): off by at most the sum of |a(k)| nu, if each count is by nu
    D4.decide-true, D4.decide-false  2D + 1 is odd: |x - D| <= e gives 2x + 1 >= 1 - 2e or <= -(1 - 2e)
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.a1_exact import NORMALISER, STRICTLY_BELOW
from ..a_softmax_gap.a4_one_symbol import output
from ..a_softmax_gap.a7_values import a as coefficient
from ..a_softmax_gap.a7_values import nu
from ..a_softmax_gap.row import (
    HARD,
    N_POSITIVE,
    REAL_X,
    REAL_Y,
    ROW,
    SOFT,
    TAU,
    At,
    absolute,
    everywhere,
    h,
    i,
    k,
    n,
    p,
    s,
    sum_of,
    tau,
    top,
)
from ..b_positional.b3_lookup import C, a, c
from ..b_positional.line import m
from ..derivation import Derivation
from ..facts import ABS_ABOVE, ABS_BELOW, ABS_BOUND, EXP_POSITIVE
from ..props import Each, Rel, total
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import ZERO, f, function, g, v
from .d1_cleanup import NEAR_INTEGER, D, e, negative_integer, x
from .d4_error import CLAIMS as LOOKUP
from .d4_error import ERROR

count, width = sp.symbols("C w", integer=True)
y = sp.Symbol("y", real=True)
EQUAL = Each(i, 1, n, Rel(s(i), "=", top))
MEAN = total(v, n) / n
WIDTH = (Rel(1, "<=", width), Rel(width, "<=", n))
COUNT = (Rel(0, "<=", count), Rel(count, "<=", n - 1))
QUERY = (Rel(x, "=", count / width), Rel(y, "=", 1 / width))
SCORES = Each(i, 1, n, Rel(s(i), "=", c * n * (2 * x * (i - 1) - y * (i - 1) ** 2)))
LOOKUP_HEAD = (*WIDTH, *COUNT, *QUERY)
READ = total(lambda j: p(j) * (j - 1), n)


def _uniform(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, equal = given
    n_natural = d.polynomial(n, ">=", 0, [one_n])
    power = sp.exp(top / tau)

    def same(w: sp.Symbol, at: At) -> Step:
        return d.substitute(d.identity(power, power), [at(equal)], Rel(sp.exp(s(w) / tau), "=", power))

    each = everywhere(d, same)
    summed = sum_of(d, "S.equal", each, n_natural)
    normaliser = d.identity(NORMALISER, n * power, [summed, one_n])
    positive = d.analysis(EXP_POSITIVE, {REAL_X: top / tau})

    def weight(w: sp.Symbol, at: At) -> Step:
        here = d.substitute(at(soft), [normaliser, at(each)], Rel(p(w), "=", power / (n * power)))
        return d.identity(p(w), 1 / n, [here, one_n, positive])

    del tau_positive
    return everywhere(d, weight)


def _uniform_hard(d: Derivation, given: Sequence[Step]) -> Step:
    *row, below, hard, equal = given
    one_k, k_n, tau_positive, _boolean, count_k, _on_top, soft = row
    one_n = d.polynomial(1, "<=", n, [one_k, k_n])
    n_natural = d.polynomial(n, ">=", 0, [one_n])

    def maximal(w: sp.Symbol, low: Step, high: Step) -> Step:
        index, least, most = d.generic("r", sp.S.One, n)
        order = d.polynomial(s(index), "<=", s(w), [d.at(equal, index, least, most), d.at(equal, w, low, high)])
        return d.cite("D.maximal", {m: w}, [*row, below, low, high, d.generalise(order, least, most)])

    where, low, high = d.generic("i", sp.S.One, n)
    ones = d.generalise(maximal(where, low, high), low, high)
    summed = sum_of(d, "S.equal", ones, n_natural)
    all_maximal = d.identity(k, n, [summed, count_k, n_natural])
    renamed = d.cite("D4.uniform", {top: x}, [one_n, tau_positive, soft, equal])

    def same(w: sp.Symbol, at: At) -> Step:
        return d.identity(p(w), h(w), [at(renamed), at(hard), at(ones), all_maximal, one_n])

    return everywhere(d, same)


def _average(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, _tau, _soft, _equal = given
    weights = d.cite("D4.uniform", {}, given)

    def term(w: sp.Symbol, at: At) -> Step:
        return d.identity(p(w) * v(w), v(w) / n, [at(weights), one_n])

    summed = sum_of(d, "S.equal", everywhere(d, term), d.polynomial(n, ">=", 0, [one_n]))
    return d.identity(output(p, v), MEAN, [summed, one_n])


def _place(d: Derivation, below: Step, above: Step) -> list[Step]:
    """1 <= C + 1 <= n."""
    return [d.polynomial(1, "<=", count + 1, [below]), d.polynomial(count + 1, "<=", n, [above])]


def _gap(d: Derivation, given: Sequence[Step]) -> Step:
    one_w, w_n, below, above, x_is, y_is, c_positive, scores = given
    there = d.at(scores, count + 1, *_place(d, below, above))
    index, low, high = d.generic("i", sp.S.One, n)
    here = d.at(scores, index, low, high)
    apart = c * n / width * (index - 1 - count) ** 2
    difference = d.identity(s(count + 1) - s(index), apart, [there, here, x_is, y_is, one_w])
    # n/w >= 1
    goal = d.polynomial(s(count + 1) - s(index), ">=", c * (index - 1 - count) ** 2,
                        [difference, one_w, w_n, c_positive])  # fmt: skip
    return d.generalise(goal, low, high)


def _size(d: Derivation, given: Sequence[Step]) -> Step:
    one_w, _w_n, below, above, x_is, y_is, c_positive, scores = given
    index, low, high = d.generic("i", sp.S.One, n)
    here = d.at(scores, index, low, high)
    j = index - 1
    value = d.identity(s(index), c * n / width * (2 * count - j) * j, [here, x_is, y_is, one_w])
    # -n**2 <= -j**2 <= j (2C - j) <= C**2 <= n**2
    most = d.polynomial((2 * count - j) * j, "<=", n**2, [low, high, below, above])
    least = d.polynomial(-(2 * count - j) * j, "<=", n**2, [low, high, below, above])
    ends = [
        d.polynomial(sign * s(index), "<=", c * n**3, [value, bound, one_w, c_positive, low, high])
        for sign, bound in ((1, most), (-1, least))
    ]
    modulus = d.analysis(ABS_BOUND, {REAL_X: s(index), REAL_Y: c * n**3}, ends)
    return d.generalise(modulus, low, high)


def _count(d: Derivation, given: Sequence[Step]) -> Step:
    tau_positive, soft, one_w, w_n, below, above, x_is, y_is, c_positive, scores = given
    gap = d.cite("D4.gap", {}, [one_w, w_n, below, above, x_is, y_is, c_positive, scores])
    ends = _place(d, below, above)
    error = d.cite("D4.error", {a: count + 1}, [*ends, tau_positive, soft, c_positive, gap])
    one_n = d.polynomial(1, "<=", n, [one_w, w_n])
    normalised = d.cite("A1.normalised", {}, [one_n, tau_positive, soft])
    same = d.identity(READ, total(lambda j: p(j) * j, n) - 1, [normalised])
    return d.substitute(error, [same], Rel(sp.Abs(READ - count), "<=", ERROR))


def _sum(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, up, down = given
    sides = []
    for sign in (1, -1):

        def term(w: sp.Symbol, at: At, sign: int = sign) -> Step:
            moduli = [d.analysis(fact, {REAL_X: coefficient(w)}) for fact in (ABS_ABOVE, ABS_BELOW)]
            goal = sp.Abs(coefficient(w)) * nu
            return d.polynomial(sign * coefficient(w) * (g(w) - f(w)), "<=", goal, [*moduli, at(up), at(down)])

        summed = sum_of(d, "S.order", everywhere(d, term), natural_n)
        sides.append(d.polynomial(sign * OFF, "<=", WEIGHT * nu, [summed]))
    return d.analysis(ABS_BOUND, {REAL_X: OFF, REAL_Y: WEIGHT * nu}, sides)


def _sum_tight(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, exact, nu_nonnegative = given
    summed = sum_of(d, "S.equal", exact, natural_n)
    equal = d.identity(OFF, WEIGHT * nu, [summed])

    def term(w: sp.Symbol, _at: At) -> Step:
        sides = [d.analysis(fact, {REAL_X: coefficient(w)}) for fact in (ABS_ABOVE, ABS_BELOW)]
        return d.polynomial(0, "<=", sp.Abs(coefficient(w)), sides)

    weight = d.cite(
        "S.order", {f: ZERO, g: function(lambda j: sp.Abs(coefficient(j)))}, [natural_n, everywhere(d, term)]
    )
    sign = d.polynomial(OFF, ">=", 0, [equal, weight, nu_nonnegative])
    return d.transitive(sp.Abs(OFF), "=", WEIGHT * nu, [absolute(d, OFF, sign), equal])


def _decide_true(d: Derivation, given: Sequence[Step]) -> Step:
    below, true = given
    return d.polynomial(2 * x + 1, ">=", 1 - 2 * e, [below, true])


def _decide_false(d: Derivation, given: Sequence[Step]) -> Step:
    above, false = given
    return d.polynomial(2 * x + 1, "<=", -(1 - 2 * e), [above, negative_integer(d, false)])


NATURAL = Rel(n, ">=", 0)
WEIGHT = total(lambda j: sp.Abs(coefficient(j)), n)
OFF = output(coefficient, g) - output(coefficient, f)
NEAR_COUNTS = (Each(i, 1, n, Rel(g(i) - f(i), "<=", nu)), Each(i, 1, n, Rel(f(i) - g(i), "<=", nu)))
FARTHEST = Each(i, 1, n, Rel(coefficient(i) * (g(i) - f(i)), "=", sp.Abs(coefficient(i)) * nu))
CLAIMS = (
    Claim("D4.uniform", "equal scores give equal weights", (N_POSITIVE, TAU, SOFT), (EQUAL,),
          Each(i, 1, n, Rel(p(i), "=", 1 / n)), _uniform),
    Claim("D4.uniform-hard", "softmax of equal scores is exactly hard attention", (*ROW, STRICTLY_BELOW, HARD),
          (Each(i, 1, n, Rel(s(i), "=", x)),), Each(i, 1, n, Rel(p(i), "=", h(i))), _uniform_hard),
    Claim("D4.average", "and outputs the mean of the values", (N_POSITIVE, TAU, SOFT), (EQUAL,),
          Rel(output(p, v), "=", MEAN), _average),
    Claim("D4.gap", "the scores of the lookup fall off at least quadratically", LOOKUP_HEAD, (C, SCORES),
          Each(i, 1, n, Rel(s(count + 1) - s(i), ">=", c * (i - 1 - count) ** 2)), _gap),
    Claim("D4.size", "and are at most of the order n^3", LOOKUP_HEAD, (C, SCORES),
          Each(i, 1, n, Rel(sp.Abs(s(i)), "<=", c * n**3)), _size),
    *LOOKUP,
    Claim("D4.count", "the lookup outputs the count", (TAU, SOFT, *LOOKUP_HEAD), (C, SCORES),
          Rel(sp.Abs(READ - count), "<=", ERROR), _count),
    Claim("D4.sum", "a linear combination of counts", (NATURAL,), NEAR_COUNTS,
          Rel(sp.Abs(OFF), "<=", WEIGHT * nu), _sum),
    Claim("D4.sum-tight", "the bound is attained", (NATURAL,), (FARTHEST, Rel(nu, ">=", 0)),
          Rel(sp.Abs(OFF), "=", WEIGHT * nu), _sum_tight),
    Claim("D4.decide-true", "a comparison that holds has a margin", (), (NEAR_INTEGER[1], Rel(D, ">=", 0)),
          Rel(2 * x + 1, ">=", 1 - 2 * e), _decide_true),
    Claim("D4.decide-false", "and so has one that fails", (), (NEAR_INTEGER[0], Rel(D, "<", 0)),
          Rel(2 * x + 1, "<=", -(1 - 2 * e)), _decide_false),
)  # fmt: skip

STATEMENT = Statement(
    id="D4",
    title="Counting",
    section="D",
    kernel=True,
    summary="Uniform attention is exact; a lookup with scores c(n+2)(2Cj - j^2)/(i+1) reads C up to q/(1-q^3)^2.",
    quantity="value_error",
    direction="<=",
    claims=CLAIMS,
    main="D4.error",
    sharpness="the terms q + 2q^4 of the sum of d q^(d^2) are kept exactly; D4.sum-tight for linear combinations",
    used_for="counting terms and linear inequalities between them: MAJORITY, bounded and counted Dyck",
)
