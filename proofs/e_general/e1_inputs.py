"""E1, from inputs to scores and values: how far a bilinear score and a linear value move when their inputs do.

The entries of a matrix are numbered 1..r: W(e) is entry e, x(e) the coordinate of the query that it multiplies and
y(e) that of the key; x2, y2 are the perturbed ones. The score of key i is the sum over e of W(e) x(e) z(r(i-1) + e),
where z lists the coordinates of all keys, key after key.

Main statements
    E1.product        |x| <= X, |y| <= Y, |x2 - x| <= dx, |y2 - y| <= dy: |x2 y2 - x y| <= X dy + Y dx + dx dy
    E1.product-tight  equality for x = X, y = Y, x2 = X + dx, y2 = Y + dy
    E1.entries        a bilinear form with its own magnitudes X(e), Y(e), dx(e), dy(e) at each entry
    E1.scores         X = Y = B, dx = dy = delta: scores move by at most w(2 B delta + delta**2), w = sum |W(e)|
    E1.map            |x| <= B implies |sum W x| <= w B: for values, and for differences of values
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..a_softmax_gap.row import REAL_X, REAL_Y, At
from ..b_positional.line import ordered_sum, over
from ..derivation import Derivation
from ..facts import ABS_ABOVE, ABS_BELOW, ABS_BOUND, ABS_NONNEGATIVE
from ..props import Each, Rel, position, total
from ..sequent import Step
from ..statement import Claim

r = sp.Symbol("r", integer=True)
B, delta, w, x0, y0, x1, y1, X0, Y0, dx0, dy0 = sp.symbols("B delta w x0 y0 x1 y1 X0 Y0 dx0 dy0", real=True)
W, x, y, x2, y2, X, Y, dx, dy = (
    sp.Function(name, real=True) for name in ("W", "x", "y", "x2", "y2", "X", "Y", "dx", "dy")
)
e = position("e")
NATURAL_R = Rel(r, ">=", 0)
TOTAL_W = Rel(total(lambda j: sp.Abs(W(j)), r), "=", w)
FORM = total(lambda j: W(j) * x(j) * y(j), r)
FORM2 = total(lambda j: W(j) * x2(j) * y2(j), r)


def within(function: sp.Basic, bound: sp.Expr) -> Each:
    """|function(e)| <= bound at every entry."""
    return Each(e, 1, r, Rel(sp.Abs(function(e)), "<=", bound))


def near(moved: sp.Basic, function: sp.Basic, bound: sp.Expr) -> Each:
    """|moved(e) - function(e)| <= bound at every entry."""
    return Each(e, 1, r, Rel(sp.Abs(moved(e) - function(e)), "<=", bound))


def both_sides(d: Derivation, expr: sp.Expr) -> list[Step]:
    """expr <= |expr| and -expr <= |expr|."""
    return [d.analysis(fact, {REAL_X: expr}) for fact in (ABS_ABOVE, ABS_BELOW)]


def absolute_bound(d: Derivation, expr: sp.Expr, bound: sp.Expr, using: Sequence[Step]) -> Step:
    """|expr| <= bound from facts that show expr <= bound and -expr <= bound."""
    sides = [d.polynomial(sign * expr, "<=", bound, using) for sign in (1, -1)]
    return d.analysis(ABS_BOUND, {REAL_X: expr, REAL_Y: bound}, sides)


def _product(d: Derivation, given: Sequence[Step]) -> Step:
    """x2 y2 - x y = (x2 - x)(y2 - y) + x (y2 - y) + y (x2 - x), each product at most that of the bounds."""
    size_x, size_y, move_x, move_y = given
    a, b = x1 - x0, y1 - y0

    def product(left: sp.Expr, right: sp.Expr, sizes: tuple[Step, Step]) -> list[Step]:
        """left right and -left right are at most the product of the bounds."""
        using = [*both_sides(d, left), *both_sides(d, right), *sizes]
        limit = sizes[0].rel.rhs * sizes[1].rel.rhs
        return [d.polynomial(sign * left * right, "<=", limit, using) for sign in (1, -1)]

    parts = [
        *product(a, b, (move_x, move_y)),
        *product(x0, b, (size_x, move_y)),
        *product(y0, a, (size_y, move_x)),
    ]
    return absolute_bound(d, x1 * y1 - x0 * y0, X0 * dy0 + Y0 * dx0 + dx0 * dy0, parts)


def _product_tight(d: Derivation, given: Sequence[Step]) -> Step:
    *equations, big_x, big_y, move_x, move_y = given
    change = x1 * y1 - x0 * y0
    bound = X0 * dy0 + Y0 * dx0 + dx0 * dy0
    equal = d.identity(change, bound, equations)
    sign = d.polynomial(change, ">=", 0, [equal, big_x, big_y, move_x, move_y])
    modulus = d.analysis(ABS_NONNEGATIVE, {REAL_X: change}, [sign])
    return d.transitive(sp.Abs(change), "=", bound, [modulus, equal])


def change_bound(at: sp.Expr) -> sp.Expr:
    """X dy + Y dx + dx dy at an entry."""
    return X(at) * dy(at) + Y(at) * dx(at) + dx(at) * dy(at)


def _entries(d: Derivation, given: Sequence[Step]) -> Step:
    natural_r, size_x, size_y, move_x, move_y = given
    summed = []
    for sign in (1, -1):

        def term(v: sp.Symbol, at: At, sign: int = sign) -> Step:
            here = {x0: x(v), y0: y(v), x1: x2(v), y1: y2(v), X0: X(v), Y0: Y(v), dx0: dx(v), dy0: dy(v)}
            moved = d.cite("E1.product", here, [at(size_x), at(size_y), at(move_x), at(move_y)])
            change = x2(v) * y2(v) - x(v) * y(v)
            sides = [*both_sides(d, W(v)), *both_sides(d, change), moved]
            return d.polynomial(sign * W(v) * change, "<=", sp.Abs(W(v)) * change_bound(v), sides)

        summed.append(ordered_sum(d, "S.order", over(d, r, term), r, natural_r))
    bound = total(lambda j: sp.Abs(W(j)) * change_bound(j), r)
    return absolute_bound(d, FORM2 - FORM, bound, summed)


def _scores(d: Derivation, given: Sequence[Step]) -> Step:
    natural_r, total_w, size_x, size_y, move_x, move_y = given
    constants = {
        name: sp.Lambda(sp.Symbol("x", integer=True), value)
        for name, value in ((X, B), (Y, B), (dx, delta), (dy, delta))
    }
    whole = d.cite("E1.entries", constants, [natural_r, size_x, size_y, move_x, move_y])
    bound = w * (2 * B * delta + delta**2)
    change = d.identity(whole.rel.rhs, bound, [total_w])
    return d.transitive(sp.Abs(FORM2 - FORM), "<=", bound, [whole, change])


def _map(d: Derivation, given: Sequence[Step]) -> Step:
    natural_r, total_w, size = given
    summed = []
    for sign in (1, -1):

        def term(v: sp.Symbol, at: At, sign: int = sign) -> Step:
            using = [*both_sides(d, W(v)), *both_sides(d, x(v)), at(size)]
            return d.polynomial(sign * W(v) * x(v), "<=", sp.Abs(W(v)) * B, using)

        summed.append(ordered_sum(d, "S.order", over(d, r, term), r, natural_r))
    return absolute_bound(d, total(lambda j: W(j) * x(j), r), w * B, [*summed, total_w])


PRODUCT = Rel(sp.Abs(x1 * y1 - x0 * y0), "<=", X0 * dy0 + Y0 * dx0 + dx0 * dy0)
CLAIMS = (
    Claim("E1.product", "how far a product moves", (),
          (Rel(sp.Abs(x0), "<=", X0), Rel(sp.Abs(y0), "<=", Y0),
           Rel(sp.Abs(x1 - x0), "<=", dx0), Rel(sp.Abs(y1 - y0), "<=", dy0)), PRODUCT, _product),
    Claim("E1.product-tight", "the bound is attained", (),
          (Rel(x0, "=", X0), Rel(y0, "=", Y0), Rel(x1, "=", X0 + dx0), Rel(y1, "=", Y0 + dy0),
           Rel(X0, ">=", 0), Rel(Y0, ">=", 0), Rel(dx0, ">=", 0), Rel(dy0, ">=", 0)),
          Rel(PRODUCT.lhs, "=", PRODUCT.rhs), _product_tight),
    Claim("E1.entries", "how far a bilinear form moves, with a magnitude for each entry", (NATURAL_R,),
          (within(x, X(e)), within(y, Y(e)), near(x2, x, dx(e)), near(y2, y, dy(e))),
          Rel(sp.Abs(FORM2 - FORM), "<=", total(lambda j: sp.Abs(W(j)) * change_bound(j), r)), _entries),
    Claim("E1.scores", "how far a score moves", (NATURAL_R, TOTAL_W),
          (within(x, B), within(y, B), near(x2, x, delta), near(y2, y, delta)),
          Rel(sp.Abs(FORM2 - FORM), "<=", w * (2 * B * delta + delta**2)), _scores),
    Claim("E1.map", "how large a value is, and how far it moves", (NATURAL_R, TOTAL_W), (within(x, B),),
          Rel(sp.Abs(total(lambda j: W(j) * x(j), r)), "<=", w * B), _map),
)  # fmt: skip
