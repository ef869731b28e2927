"""A5, perturbed scores: two softmaxes whose scores differ by at most eta.

Main statements, with r = exp(eta/tau)
    A5.bound   TV(p2, p) <= tanh(eta/(2 tau))
    A5.linear  tanh(eta/(2 tau)) <= eta/(2 tau)
    A5.tight   equality when a set of softmax mass 1/(r + 1) moves by +eta and the rest by -eta

Proof idea: a set of mass P gets at most P r/(P r + (1-P)/r) (A5.mass); the increase is largest at P = 1/(r + 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..derivation import Derivation
from ..facts import TANH
from ..props import Rel
from ..sequent import Step
from ..statement import Claim, Statement, TableData
from .a5_sets import (
    ETA,
    MASS,
    MASS2,
    MASS_CLAIM,
    MOVED,
    NEAR,
    OTHER,
    PAIR,
    RAISED_CLAIM,
    SET,
    TANH_BOUND,
    R,
    chi,
    eta_nonnegative,
    masses,
    near_of_raised,
    r,
    r_at_least_one,
    tv_at_least,
    tv_by_set,
)
from .row import (
    REAL_X,
    TAU,
    eta,
    i,
    n,
    natural,
    p,
    p2,
    tau,
    tv,
)


def tanh_as_exp(d: Derivation) -> Step:
    """tanh(eta/(2 tau)) = (exp(eta/tau) - 1)/(exp(eta/tau) + 1)."""
    return d.analysis(TANH, {REAL_X: eta / (2 * tau)}, [], Rel(TANH_BOUND, "=", (R - 1) / (R + 1)))


def _bound(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, soft2, above, below = given
    n_natural = natural(d, [one_n])
    choice, signed = d.sign_indicator(chi, i, p2(i) - p(i), n)
    sums = [
        d.cite("A1.normalised", {}, [one_n, tau_positive, soft]),
        d.cite("A1.normalised", OTHER, [one_n, tau_positive, soft2]),
    ]
    distance = tv_by_set(d, p2, p, signed, sums, n_natural)
    mass = d.cite("A5.mass", {}, [one_n, tau_positive, soft, soft2, choice, above, below])
    low, high = masses(d, p, soft, choice, one_n, tau_positive)
    x, y = sp.symbols("P P2", real=True)
    x_is, y_is, r_is = d.define(x, MASS), d.define(y, MASS2), d.define(r, R)
    r_large = r_at_least_one(d, r_is, eta_nonnegative(d, one_n, above, below), tau_positive)
    named = d.substitute(mass, [x_is, y_is, r_is], Rel(y * (1 + x * (r**2 - 1)), "<=", r**2 * x))
    x_low = d.substitute(low, [x_is], Rel(0, "<=", x))
    x_high = d.substitute(high, [x_is], Rel(x, "<=", 1))
    why = "the increase is largest at P = 1/(r + 1)"
    largest = d.polynomial(y - x, "<=", (r - 1) / (r + 1), [named, x_low, x_high, r_large], why)
    tanh = d.substitute(tanh_as_exp(d), [r_is], Rel(TANH_BOUND, "=", (r - 1) / (r + 1)))
    r_room = d.polynomial(r, ">", 0, [r_large])
    return d.polynomial(tv(p2, p), "<=", TANH_BOUND, [distance, x_is, y_is, largest, tanh, r_room])


def _tight(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, soft2, choice, eta_bound, moved, critical = given
    pair = [one_n, tau_positive, soft, soft2]
    upper = d.cite("A5.bound", {}, [*pair, *near_of_raised(d, moved, choice, eta_bound)])
    sums = [
        d.cite("A1.normalised", {}, [one_n, tau_positive, soft]),
        d.cite("A1.normalised", OTHER, [one_n, tau_positive, soft2]),
    ]
    lower = tv_at_least(d, p2, p, choice, sums, natural(d, [one_n]))
    raised = d.cite("A5.raised", {}, [*pair, choice, moved])
    x, y = sp.symbols("P P2", real=True)
    x_is, y_is, r_is = d.define(x, MASS), d.define(y, MASS2), d.define(r, R)
    r_large = r_at_least_one(d, r_is, eta_bound, tau_positive)
    mass = d.substitute(critical, [x_is, r_is], Rel(x, "=", 1 / (r + 1)))
    named = d.substitute(raised, [x_is, y_is, r_is], Rel(y * (1 + x * (r**2 - 1)), "=", r**2 * x))
    grown = d.polynomial(y, "=", r / (r + 1), [named, mass, r_large])
    tanh = d.substitute(tanh_as_exp(d), [r_is], Rel(TANH_BOUND, "=", (r - 1) / (r + 1)))
    at_least = d.polynomial(tv(p2, p), ">=", TANH_BOUND, [lower, x_is, y_is, grown, mass, tanh, r_large])
    return d.polynomial(tv(p2, p), "=", TANH_BOUND, [upper, at_least])


def _linear(d: Derivation, given: Sequence[Step]) -> Step:
    eta_bound, tau_positive = given
    ratio = d.polynomial(eta / (2 * tau), ">=", 0, [eta_bound, tau_positive])
    return d.cite("S.tanh", {REAL_X: eta / (2 * tau)}, [ratio])


CLAIMS = (
    MASS_CLAIM,
    RAISED_CLAIM,
    Claim("A5.bound", "two softmaxes of nearby scores", PAIR, NEAR, Rel(tv(p2, p), "<=", TANH_BOUND), _bound),
    Claim("A5.linear", "the linear bound", (), (ETA, TAU), Rel(TANH_BOUND, "<=", eta / (2 * tau)), _linear),
    Claim("A5.tight", "the bound is attained", (*PAIR, SET),
          (ETA, MOVED, Rel(MASS, "=", 1 / (R + 1))),
          Rel(tv(p2, p), "=", TANH_BOUND), _tight),
)  # fmt: skip

STATEMENT = Statement(
    id="A5",
    title="Perturbed scores",
    section="A",
    kernel=True,
    summary="If every score moves by at most eta, softmax moves by TV <= tanh(eta/(2 tau)) <= eta/(2 tau).",
    quantity="tv_between",
    direction="<=",
    claims=CLAIMS,
    main="A5.bound",
    sharpness="equality when a set of softmax mass 1/(exp(eta/tau)+1) moves by +eta and the rest by -eta (A5.tight)",
    used_for="A8 and E1: errors that enter a layer through its scores",
    table=TableData(("eta", "tau"), {"eta": 1, "tau": -1}, "TV"),
)
