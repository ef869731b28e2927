"""Random rows of scores with everything that section A names: random instances of its definitions and hypotheses.

`instances(claim, ...)` draws models at random, in several manners (all at the gap, shifted, one position changed, ...),
and keeps those in which every definition and hypothesis of the claim holds.
"""

import math
import random

import mpmath
from model_fixture import Model

from proofs.a_softmax_gap import a1_exact as a1
from proofs.a_softmax_gap import a2_gap, a4_one_symbol, a5_perturbed, a6_tieless, a7_values, a8_window
from proofs.a_softmax_gap import row as r
from proofs.sums import c, f, g, m, v
from proofs.sums import lo as sum_lo
from proofs.sums import x as real_x

MANNERS = ("far", "at the gap", "moved", "one symbol", "extreme", "window", "critical set", "two weights")


def _softmax(lib, scores, tau):
    top = max(scores.values())
    weights = {j: lib.exp((score - top) / tau) for j, score in scores.items()}
    whole = sum(weights.values())
    return {j: weight / whole for j, weight in weights.items()}


def random_model(rng, manner, lib=mpmath.mp):
    """One random row in the given manner."""

    def number(low, high):
        value = rng.randint(int(low * 1000), int(high * 1000))
        return value / 1000 if lib is math else lib.mpf(value) / 1000

    n = rng.randint(1, 5)
    if manner == "one symbol":
        n = rng.randint(2, 5)
    k = 1 if rng.random() < 0.4 else rng.randint(1, n)
    places = range(1, n + 1)
    top_places = rng.sample(places, k)
    tau, gamma, eta = number(0.1 if lib is not math else 0.5, 2), number(0.1, 3), number(0, 1)
    if rng.random() < 0.2:
        eta = number(0, 0)
    top = number(-2, 2)
    exact = manner in ("at the gap", "moved", "window") or rng.random() < 0.2
    mu = {j: int(j in top_places) for j in places}
    s = {j: top if mu[j] else top - gamma - (0 if exact else number(0, 2)) for j in places}
    lam_place = rng.choice(top_places if rng.random() < 0.7 else places)
    lam = {j: int(j == lam_place) for j in places}
    chi = {j: rng.randint(0, 1) for j in places}
    lo = number(-2, 2)
    hi = lo + number(0, 3)
    v1 = {j: lo + (hi - lo) * number(0, 1) for j in places}
    p = _softmax(lib, s, tau)
    a = _softmax(lib, {j: number(-2, 2) for j in places}, tau)
    nu = number(0, 1)
    q = lib.exp(-gamma / tau)
    b = 0
    if manner == "critical set":  # a set of mass P <= 1/2 and eta with exp(eta/tau) = 1/P - 1
        mass = sum(p[j] for j in places if chi[j])
        if mass > 0.5:
            chi, mass = {j: 1 - chi[j] for j in places}, 1 - mass
        eta = tau * lib.log(1 / mass - 1) if mass > 0 else eta
    if manner == "window":  # the set of all non-maximal positions and of the b maximal ones that make F(b) largest
        big, x = lib.exp(2 * eta / tau), (n - k) * q

        def excess(count):
            mass = (count + x) / (k + x)
            return mass * big / (1 + mass * (big - 1)) - count / (k if lib is math else lib.mpf(k))

        b = max(range(k + 1), key=excess)
        chi = {j: 1 if not mu[j] or j in top_places[:b] else 0 for j in places}
    if manner == "two weights":
        p = {j: number(-1, 1) for j in places}
        p[1] += 1 - sum(p.values())
    if manner in ("extreme", "two weights"):
        chi = {j: int(p[j] >= a[j]) for j in places}
        v1 = {j: lo + (hi - lo) * chi[j] for j in places}
    shift = rng.choice([{j: 2 * chi[j] - 1 for j in places}, {j: 1 - 2 * mu[j] for j in places}])
    if manner in ("window", "critical set"):
        shift = {j: 2 * chi[j] - 1 for j in places}
    if manner in ("far", "extreme"):
        shift = {j: number(-1, 1) for j in places}
    s2 = {j: s[j] + eta * shift[j] for j in places}
    v2 = {j: v1[j] + nu * (1 if manner == "extreme" else number(-1, 1)) for j in places}
    if manner == "two weights" and rng.random() < 0.5:
        v2 = {j: v1[j] + nu for j in places}
    if manner == "one symbol":
        s2 = {j: number(-3, 3) if lam[j] else s[j] for j in places}
        v2 = {j: lo + (hi - lo) * number(0, 1) if lam[j] else v1[j] for j in places}
    top2 = s2[top_places[0]] if manner != "one symbol" else max(s2.values())
    spread = max(top - min(s.values()), top2 - min(s2.values()) if manner == "one symbol" else 0)
    delta = gamma if exact and rng.random() < 0.7 and manner != "one symbol" else spread + rng.choice([0, number(0, 1)])
    eps = rng.choice([number(0.001, 0.2), number(0.01, 2), 2 * (n - k) / (n if lib is math else lib.mpf(n))])
    if manner == "at the gap" and rng.random() < 0.5:
        eps = 2 * (n - k) * q / (k + (n - k) * q) * number(1, 1.01)
    functions = {
        r.s: s, r.s2: s2, r.mu: mu, r.p: p, r.p2: _softmax(lib, s2, tau),
        r.h: {j: mu[j] / (k if lib is math else lib.mpf(k)) for j in places},
        a1.lam: lam, a5_perturbed.chi: chi, v: v1, a4_one_symbol.v2: v2, a7_values.a: a,
    }  # fmt: skip
    scalars = {
        r.n: n, r.k: k, r.tau: tau, r.gamma: gamma, r.top: top, r.eta: eta, r.delta: delta, r.eps: eps,
        m: rng.randint(1, n), a2_gap.n2: n + rng.randint(1, 3), a2_gap.k2: k + rng.randint(1, 2),
        a2_gap.gamma2: gamma + number(0.001, 1), a2_gap.tau2: tau + number(0.001, 1), a6_tieless.top2: top2,
        a4_one_symbol.lo: lo, a4_one_symbol.hi: hi, a7_values.nu: nu, a8_window.b: b or rng.randint(0, k),
        a2_gap.q: 1 / (n if lib is math else lib.mpf(n)) ** 2,
    }  # fmt: skip
    if manner == "window":
        scalars[a8_window.b] = b
    return _model(lib, scalars, functions)


def random_terms(rng, lib=mpmath.mp):
    """Random functions for the lemmas on sums: f <= g, f = g or f >= 0 in turn, v >= lo."""

    def number(low, high):
        value = rng.randint(int(low * 1000), int(high * 1000))
        return value / 1000 if lib is math else lib.mpf(value) / 1000

    n = rng.randint(0, 5)
    low = rng.choice([0, -2])
    values = {j: number(low, 2) for j in range(1, n + 1)}
    above = {j: value + rng.choice([0, number(0, 1)]) for j, value in values.items()}
    lo = number(-1, 1)
    scalars = {r.n: n, c: number(-2, 2), m: rng.randint(1, max(n, 1)), sum_lo: lo, r.REAL_X: number(-1, 3), real_x: 0}
    other = dict(values) if rng.random() < 0.4 else above
    weights = {j: lo + number(0, 2) for j in values}
    return _model(lib, scalars, {f: values, g: other, v: weights})


def _model(lib, scalars, functions):
    if lib is math:
        return Model(scalars, functions, math, 1e-10)
    return Model(scalars, functions)


def instances(claim, wanted, tries, seed=0, lib=mpmath.mp):
    """Up to `wanted` models of the definitions and hypotheses of a claim, from at most `tries` random ones."""
    rng = random.Random(f"{claim.name} {seed}")
    found = []
    for attempt in range(tries):
        if claim.name.startswith("S."):
            model = random_terms(rng, lib)
        else:
            model = random_model(rng, MANNERS[attempt % len(MANNERS)], lib)
        if all(model.holds(prop) for prop in (*claim.definitions, *claim.hypotheses)):
            found.append(model)
            if len(found) == wanted:
                break
    return found
