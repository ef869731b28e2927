"""A7, from weights to values: how far an attention output moves when the weights do.

p and a are weight vectors with sum 1, v scalar values in lo..hi.

Main statements
    A7.bound            |sum p v - sum a v| <= TV(p, a) (hi - lo)
    A7.tight            equality for v = hi where p >= a and lo elsewhere
    A7.perturbed        with |v2 - v| <= nu: |sum p v2 - sum a v| <= TV(p, a) (hi - lo) + nu
    A7.perturbed-tight  equality for those v and v2 = v + nu

Proof idea: subtract the midpoint of the values, which both outputs contain, and bound term by term.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import ABS_ABOVE, ABS_BELOW, ABS_BOUND, ABS_NONNEGATIVE
from ..props import Each, Rel, total
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import v
from .a4_one_symbol import VALUES, hi, lo, output, v2
from .a5_sets import SET, chi
from .row import REAL_X, REAL_Y, At, everywhere, i, n, p, sum_of, tv

a = sp.Function("a", real=True)
nu = sp.Symbol("nu", real=True)
NATURAL = Rel(n, ">=", 0)
SUM_P, SUM_A = Rel(total(p, n), "=", 1), Rel(total(a, n), "=", 1)
BASE = (NATURAL, SUM_P, SUM_A)
WIDTH = tv(p, a) * (hi - lo)
MOVED = output(p, v) - output(a, v)
MOVED2 = output(p, v2) - output(a, v)
SIGNED = Each(i, 1, n, Rel((2 * chi(i) - 1) * (p(i) - a(i)), "=", sp.Abs(p(i) - a(i))))
EXTREME = Each(i, 1, n, Rel(v(i), "=", lo + (hi - lo) * chi(i)))
ORDERED = Rel(lo, "<=", hi)
NU = (Each(i, 1, n, Rel(v2(i) - v(i), "<=", nu)), Each(i, 1, n, Rel(v(i) - v2(i), "<=", nu)))
NONNEGATIVE = Each(i, 1, n, Rel(p(i), ">=", 0))


def _bound(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, sum_p, sum_a, above, below = given
    middle = (lo + hi) / 2
    sides = []
    for sign in (1, -1):

        def term(w: sp.Symbol, at: At, sign: int = sign) -> Step:
            apart = p(w) - a(w)
            t = sp.Abs(apart)
            using = [d.analysis(fact, {REAL_X: apart}) for fact in (ABS_ABOVE, ABS_BELOW)]
            return d.polynomial(sign * apart * (v(w) - middle), "<=", t * (hi - lo) / 2, [*using, at(above), at(below)])

        summed = sum_of(d, "S.order", everywhere(d, term), natural_n)
        sides.append(d.polynomial(sign * MOVED, "<=", WIDTH, [summed, sum_p, sum_a]))
    return d.analysis(ABS_BOUND, {REAL_X: MOVED, REAL_Y: WIDTH}, sides)


def _difference(d: Derivation, natural_n: Step, sum_p: Step, sum_a: Step, signed: Step, extreme: Step) -> Step:
    """sum p v - sum a v = TV (hi - lo) for the extreme values."""

    def term(w: sp.Symbol, at: At) -> Step:
        apart = p(w) - a(w)
        goal = sp.Abs(apart) * (hi - lo) / 2 + apart * (lo + hi) / 2
        return d.identity(apart * v(w), goal, [at(signed), at(extreme)])

    summed = sum_of(d, "S.equal", everywhere(d, term), natural_n)
    return d.identity(MOVED, WIDTH, [summed, sum_p, sum_a])


def _width_nonnegative(d: Derivation, natural_n: Step, choice: Step, signed: Step, ordered: Step) -> Step:
    """TV (hi - lo) >= 0."""

    def term(w: sp.Symbol, at: At) -> Step:
        apart = p(w) - a(w)
        using = [d.analysis(fact, {REAL_X: apart}) for fact in (ABS_ABOVE, ABS_BELOW)]
        del at
        return d.polynomial(0, "<=", sp.Abs(apart), using)

    del choice, signed
    summed = sum_of(d, "S.order", everywhere(d, term), natural_n)
    return d.polynomial(WIDTH, ">=", 0, [summed, ordered])


def _tight(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, sum_p, sum_a, choice, signed, extreme, ordered = given
    equal = _difference(d, natural_n, sum_p, sum_a, signed, extreme)
    width = _width_nonnegative(d, natural_n, choice, signed, ordered)
    sign = d.polynomial(MOVED, ">=", 0, [equal, width])
    modulus = d.analysis(ABS_NONNEGATIVE, {REAL_X: MOVED}, [sign])
    return d.transitive(sp.Abs(MOVED), "=", WIDTH, [modulus, equal])


def _perturbed(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, sum_p, sum_a, nonnegative, above, below, up, down = given
    plain = d.cite("A7.bound", {}, [natural_n, sum_p, sum_a, above, below])
    sides = []
    for sign, near, fact in ((1, up, ABS_ABOVE), (-1, down, ABS_BELOW)):

        def term(w: sp.Symbol, at: At, sign: int = sign, near: Step = near) -> Step:
            using = [at(nonnegative), at(near)]
            return d.polynomial(sign * p(w) * (v2(w) - v(w)), "<=", p(w) * nu, using)

        summed = sum_of(d, "S.order", everywhere(d, term), natural_n)
        modulus = d.analysis(fact, {REAL_X: MOVED})
        sides.append(d.polynomial(sign * MOVED2, "<=", WIDTH + nu, [summed, sum_p, modulus, plain]))
    return d.analysis(ABS_BOUND, {REAL_X: MOVED2, REAL_Y: WIDTH + nu}, sides)


def _perturbed_tight(d: Derivation, given: Sequence[Step]) -> Step:
    natural_n, sum_p, sum_a, choice, signed, extreme, ordered, shifted, nu_nonnegative = given
    equal = _difference(d, natural_n, sum_p, sum_a, signed, extreme)
    width = _width_nonnegative(d, natural_n, choice, signed, ordered)

    def term(w: sp.Symbol, at: At) -> Step:
        return d.identity(p(w) * v2(w), p(w) * v(w) + nu * p(w), [at(shifted)])

    summed = sum_of(d, "S.equal", everywhere(d, term), natural_n)
    whole = d.identity(MOVED2, WIDTH + nu, [summed, sum_p, equal])
    sign = d.polynomial(MOVED2, ">=", 0, [whole, width, nu_nonnegative])
    modulus = d.analysis(ABS_NONNEGATIVE, {REAL_X: MOVED2}, [sign])
    return d.transitive(sp.Abs(MOVED2), "=", WIDTH + nu, [modulus, whole])


SHIFTED = Each(i, 1, n, Rel(v2(i), "=", v(i) + nu))
CLAIMS = (
    Claim("A7.bound", "outputs differ by at most TV times the range of the values", BASE, VALUES,
          Rel(sp.Abs(MOVED), "<=", WIDTH), _bound),
    Claim("A7.tight", "the bound is attained", (*BASE, SET, SIGNED), (EXTREME, ORDERED),
          Rel(sp.Abs(MOVED), "=", WIDTH), _tight),
    Claim("A7.perturbed", "and nu more for values that are off by nu", (*BASE, NONNEGATIVE), (*VALUES, *NU),
          Rel(sp.Abs(MOVED2), "<=", WIDTH + nu), _perturbed),
    Claim("A7.perturbed-tight", "the perturbed bound is attained", (*BASE, SET, SIGNED),
          (EXTREME, ORDERED, SHIFTED, Rel(nu, ">=", 0)), Rel(sp.Abs(MOVED2), "=", WIDTH + nu), _perturbed_tight),
)  # fmt: skip

STATEMENT = Statement(
    id="A7",
    title="From weights to values",
    section="A",
    kernel=True,
    summary="For scalar values of range D, |sum p v - sum a v| <= TV(p, a) D; values off by nu add nu.",
    quantity="value_error",
    direction="<=",
    claims=CLAIMS,
    main="A7.bound",
    sharpness="equality for values at the ends of the range, high where p >= a (A7.tight, A7.perturbed-tight)",
    used_for="every use of a TV bound on an attention output",
)
