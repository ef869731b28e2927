"""E1, one layer: inputs within delta of the hard run's give outputs within delta'.

The hard run has activations of size at most B. A head has r entries W(1), ..., W(r) in its score form and c entries
U(1), ..., U(c) in a row of its value map, w = sum |W|, vmap = sum |U| (at most); x lists the coordinates of the query
that these entries multiply, z those of the keys, key after key, u the inputs of the values, position after position;
x2, z2, u2 are the soft run's. The layer adds H heads to its input and applies a map with Lipschitz constant K.

Main statements, with eta = w(2 B delta + delta**2), rho = 2 tanh(eta/(2 tau)) + 2 (n-1)q/(1+(n-1)q)
    E1.keys       every score moves by at most eta
    E1.head       the output of a head moves by at most vmap (delta + B rho), from scores and values
    E1.attention  the same from the inputs
    E1.heads      outputs of heads off by at most err(h): the layer's outputs are off by at most K(delta + sum err)
    E1.layer      delta' = K(delta + H vmap (delta + B rho))

The infinity norm is taken coordinate by coordinate: E1.layer is about the coordinate in which the inputs of the
position-wise map differ most (a0, a2 its inputs there before attention; out, out2 any coordinate of its outputs).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a4_one_symbol import v2
from ..a_softmax_gap.a5_sets import NEAR
from ..a_softmax_gap.a7_values import a, nu
from ..a_softmax_gap.a8_window import BASE
from ..a_softmax_gap.row import GAMMA, GAP, At, eta, everywhere, h, i, l1, n, p, p2, s, s2
from ..b_positional.line import ordered_sum, over
from ..derivation import Derivation
from ..props import Each, Rel, instantiate, substitute, total
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import v
from .e1_heads import CHANGE, MOVE, RHO, SIZE, size, sums_to_one
from .e1_heads import CLAIMS as HEADS
from .e1_inputs import CLAIMS as INPUTS
from .e1_inputs import NATURAL_R, TOTAL_W, B, W, absolute_bound, both_sides, delta, e, near, r, w, within, x, x2, y, y2

c, big_h = sp.symbols("c H", integer=True)
vmap, lipschitz, a0, a2, out, out2 = sp.symbols("vmap K a0 a2 out out2", real=True)
z, z2, u, u2, U, o, o2, err = (sp.Function(name, real=True) for name in ("z", "z2", "u", "u2", "U", "o", "o2", "err"))
ETA = w * (2 * B * delta + delta**2)
RHO_AT = substitute(RHO, {eta: ETA})
HEAD_BOUND = vmap * (delta + B * RHO)
LAYER = lipschitz * (delta + big_h * substitute(HEAD_BOUND, {eta: ETA}))


def _pairs(query: sp.Basic, keys: sp.Basic, at: sp.Expr) -> sp.Expr:
    """The score of the key at a position."""
    return total(lambda j: W(j) * query(j) * keys(r * (at - 1) + j), r)


def _listed(function: sp.Basic, moved: sp.Basic, length: sp.Expr) -> tuple[Each, Each]:
    """|f| <= B and |f2 - f| <= delta at the entries 1..length."""
    return (
        Each(e, 1, length, Rel(sp.Abs(function(e)), "<=", B)),
        Each(e, 1, length, Rel(sp.Abs(moved(e) - function(e)), "<=", delta)),
    )


SCORES = (Each(i, 1, n, Rel(s(i), "=", _pairs(x, z, i))), Each(i, 1, n, Rel(s2(i), "=", _pairs(x2, z2, i))))
KEYS = _listed(z, z2, n * r)
VALUE_INPUTS = _listed(u, u2, n * c)
VALUES = tuple(
    Each(i, 1, n, Rel(f(i), "=", total(lambda j, g=g: U(j) * g(c * (i - 1) + j), c)))  # type: ignore[misc]
    for f, g in ((v, u), (v2, u2))
)
NATURAL_C = Rel(c, ">=", 0)
TOTAL_U = Rel(total(lambda j: sp.Abs(U(j)), c), "=", vmap)
QUERY = (within(x, B), near(x2, x, delta))


def _shifted(d: Derivation, entries: Step, where: sp.Symbol, block: sp.Expr, using: Sequence[Step]) -> Step:
    """A fact about all entries, for the entries of the block at position `where`."""
    index, low, high = d.generic("entry", sp.S.One, block)
    spot = block * (where - 1) + index
    lower = d.polynomial(1, "<=", spot, [low, *using])
    upper = d.polynomial(spot, "<=", n * block, [high, *using])
    return d.generalise(d.at(entries, spot, lower, upper), low, high)


def _block(function: sp.Basic, where: sp.Symbol, block: sp.Expr) -> sp.Lambda:
    j = sp.Symbol("x", integer=True)
    return sp.Lambda(j, function(block * (where - 1) + j))


def _keys(d: Derivation, given: Sequence[Step]) -> Step:
    natural_r, total_w, score, score2, size_x, move_x, size_z, move_z = given
    where, low, high = d.generic("i", sp.S.One, n)
    using = [low, high, natural_r]
    sizes, moves = (_shifted(d, step, where, r, using) for step in (size_z, move_z))
    mapping = {y: _block(z, where, r), y2: _block(z2, where, r)}
    moved = d.cite("E1.scores", mapping, [natural_r, total_w, size_x, sizes, move_x, moves])
    equations = [d.at(score, where, low, high), d.at(score2, where, low, high)]
    here = d.substitute(moved, equations, Rel(sp.Abs(s2(where) - s(where)), "<=", ETA))
    return d.generalise(here, low, high)


def _head(d: Derivation, given: Sequence[Step]) -> Step:
    *weights, gamma_positive, sizes, move = given
    natural_n, soft_one, hard_one, nonnegative = sums_to_one(d, weights, weights[8], weights[9])
    distance = d.cite("E1.weights", {}, [*weights, gamma_positive])
    mapping = {p: p2, a: h, size: vmap * B, nu: vmap * delta}
    moved = d.cite("E1.value", mapping, [natural_n, soft_one, hard_one, nonnegative, sizes, move])
    one, first = d.polynomial(1, "<=", 1), d.polynomial(1, "<=", n, weights[:2])
    large = d.polynomial(vmap * B, ">=", 0, [d.at(sizes, sp.S.One, one, first), *both_sides(d, v(1))])
    rho = sp.Symbol("rho", real=True)
    meaning = d.define(rho, RHO)
    named = d.substitute(distance, [meaning], Rel(l1(p2, h), "<=", rho))
    result = d.polynomial(sp.Abs(CHANGE), "<=", vmap * (delta + B * rho), [moved, named, large])
    return d.substitute(result, [meaning], Rel(sp.Abs(CHANGE), "<=", HEAD_BOUND))


def _linear(
    d: Derivation, form: Sequence[Step], entries: Step, term: Callable[[sp.Expr], sp.Expr], values: Sequence[Step],
    bound: sp.Expr,
) -> Step:  # fmt: skip
    """|v| <= vmap bound (one step in `values`) or |v2 - v| <= vmap bound (two) at every position, by E1.map."""
    where, low, high = d.generic("i", sp.S.One, n)
    spot = sp.Symbol("x", integer=True)
    block = sp.Lambda(spot, term(c * (where - 1) + spot))
    shifted = _shifted(d, entries, where, c, [low, high, form[0]])
    moved = d.cite("E1.map", {W: U, r: c, w: vmap, x: block, B: bound}, [*form, shifted])
    meanings = [d.at(value, where, low, high) for value in values]
    change = meanings[0].rel.lhs - sum(meaning.rel.lhs for meaning in meanings[1:])
    split = d.identity(moved.rel.lhs.args[0], change, meanings)
    named = d.substitute(moved, [split], Rel(sp.Abs(change), "<=", vmap * bound))
    return d.generalise(named, low, high)


def _attention(d: Derivation, given: Sequence[Step]) -> Step:
    weights, rest = given[: len(BASE)], given[len(BASE) :]
    inputs, (natural_c, total_u, value, value2) = rest[:4], rest[4:8]
    gap, gamma_positive, *entries, size_u, move_u = rest[8:]
    moved = d.cite("E1.keys", {}, [*inputs, *entries])
    nearby = []
    for sign in (1, -1):

        def term(at_: sp.Symbol, at: At, sign: int = sign) -> Step:
            change = s2(at_) - s(at_)
            return d.polynomial(sign * change, "<=", ETA, [at(moved), *both_sides(d, change)])

        nearby.append(everywhere(d, term))
    form = [natural_c, total_u]
    sizes = _linear(d, form, size_u, u, [value], B)
    moves = _linear(d, form, move_u, lambda spot: u2(spot) - u(spot), [value2, value], delta)
    return d.cite("E1.head", {eta: ETA}, [*weights, gap, *nearby, gamma_positive, sizes, moves])


def _heads(d: Derivation, given: Sequence[Step]) -> Step:
    natural_h, input_move, output_moves, nonnegative, lipschitz_bound = given
    sides = []
    for sign in (1, -1):

        def term(at_: sp.Symbol, at: At, sign: int = sign) -> Step:
            change = o2(at_) - o(at_)
            return d.polynomial(sign * change, "<=", err(at_), [at(output_moves), *both_sides(d, change)])

        sides.append(ordered_sum(d, "S.order", over(d, big_h, term), big_h, natural_h))
    change = a2 + total(o2, big_h) - a0 - total(o, big_h)
    limit = delta + total(err, big_h)
    moved = absolute_bound(d, change, limit, [*sides, input_move, *both_sides(d, a2 - a0)])
    return d.polynomial(sp.Abs(out2 - out), "<=", lipschitz * limit, [lipschitz_bound, moved, nonnegative])


def _layer(d: Derivation, given: Sequence[Step]) -> Step:
    each = sp.Lambda(sp.Symbol("x", integer=True), substitute(HEAD_BOUND, {eta: ETA}))
    natural_h, *_ = given
    whole = d.cite("E1.heads", {err: each}, given)
    rho = sp.Symbol("rho", real=True)
    meaning = d.define(rho, RHO_AT)
    sums = lipschitz * (delta + total(lambda _: vmap * (delta + B * rho), big_h))
    named = d.substitute(whole, [meaning], Rel(sp.Abs(out2 - out), "<=", sums))
    result = d.polynomial(sp.Abs(out2 - out), "<=", lipschitz * (delta + big_h * vmap * (delta + B * rho)),
                          [named, natural_h])  # fmt: skip
    return d.substitute(result, [meaning], Rel(sp.Abs(out2 - out), "<=", LAYER))


def residual(bound: sp.Expr) -> tuple[Rel | Each, ...]:
    change = a2 + total(o2, big_h) - a0 - total(o, big_h)
    return (
        Rel(sp.Abs(a2 - a0), "<=", delta),
        Each(i, 1, big_h, Rel(sp.Abs(o2(i) - o(i)), "<=", bound)),
        Rel(lipschitz, ">=", 0),
        Rel(sp.Abs(out2 - out), "<=", lipschitz * sp.Abs(change)),
    )


NATURAL_H = Rel(big_h, ">=", 0)
HEAD_AT = substitute(HEAD_BOUND, {eta: ETA})
CLAIMS = (
    *INPUTS,
    *HEADS,
    Claim("E1.keys", "how far every score moves", (NATURAL_R, TOTAL_W, *SCORES), (*QUERY, *KEYS),
          Each(i, 1, n, Rel(sp.Abs(s2(i) - s(i)), "<=", ETA)), _keys),
    Claim("E1.head", "how far the output of a head moves, from scores and values", BASE,
          (GAP, *NEAR, GAMMA, instantiate(SIZE, {size: vmap * B}), instantiate(MOVE, {nu: vmap * delta})),
          Rel(sp.Abs(CHANGE), "<=", HEAD_BOUND), _head),
    Claim("E1.attention", "how far the output of a head moves, from the inputs",
          (*BASE, NATURAL_R, TOTAL_W, *SCORES, NATURAL_C, TOTAL_U, *VALUES),
          (GAP, GAMMA, *QUERY, *KEYS, *VALUE_INPUTS), Rel(sp.Abs(CHANGE), "<=", HEAD_AT), _attention),
    Claim("E1.heads", "how far the outputs of a layer move", (NATURAL_H,), residual(err(i)),
          Rel(sp.Abs(out2 - out), "<=", lipschitz * (delta + total(err, big_h))), _heads),
    Claim("E1.layer", "one layer", (NATURAL_H,), residual(HEAD_AT), Rel(sp.Abs(out2 - out), "<=", LAYER), _layer),
)  # fmt: skip

STATEMENT = Statement(
    id="E1",
    title="One-layer recurrence",
    section="E",
    kernel=True,
    summary="Inputs off by delta: outputs off by K(delta + H v(delta + B rho)), rho = 2 tanh(eta/(2 tau)) + twice A2.",
    quantity="activation_error",
    direction="<=",
    claims=CLAIMS,
    main="E1.layer",
    sharpness="products: E1.product-tight; heads: E1.window-tight, E1.tieless-tight, exact worst cases in place of rho",
    used_for="E2 and E5: the ledger of errors delta_0, ..., delta_L of a general simulation",
)
