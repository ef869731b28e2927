"""Section E on concrete models: the hypotheses of its main claims can hold together, and then the conclusions do."""

import mpmath
import pytest
from model_fixture import Model

from proofs.a_softmax_gap import a1_exact, a4_one_symbol, a6_tieless
from proofs.a_softmax_gap import row as r
from proofs.b_positional.line import m
from proofs.e_general import e1_heads, e1_inputs, e1_layer, e2_recurrence, e2_temperature, e3_ties, e4_gaps, e5_tieless
from proofs.registry import STATEMENTS
from proofs.sums import v

CLAIMS = {claim.name: claim for name in ("E1", "E2", "E3", "E4", "E5") for claim in STATEMENTS[name].claims}


def number(text):
    return mpmath.mpf(text) if "/" not in text else mpmath.mpf(text.split("/")[0]) / int(text.split("/")[1])


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(60):
        yield


def softmax(scores, tau):
    weights = {j: mpmath.exp(score / tau) for j, score in scores.items()}
    return {j: weight / mpmath.fsum(weights.values()) for j, weight in weights.items()}


def listed(values):
    return dict(enumerate(values, start=1))


def head(tau="1/10", delta="1/50", ties=True):
    """A head with score form (1, 2) and value row (1, -1/2) on three inputs, two of them maximal if `ties`."""
    tau, delta = number(tau), number(delta)
    keys = [(1, 1), (1, 1) if ties else (-1, 0), (-1, 1)]
    moved = [(a + delta, b - delta) for a, b in keys]
    form, row = (1, 2), (1, number("-1/2"))

    def score(query, key):
        return sum(w * a * b for w, a, b in zip(form, query, key, strict=True))

    query, query2 = keys[0], moved[0]
    s = listed([score(query, key) for key in keys])
    s2 = listed([score(query2, key) for key in moved])
    top = max(s.values())
    mu = {j: int(value == top) for j, value in s.items()}
    k = sum(mu.values())
    w = number("3")
    scalars = {
        r.n: 3, r.k: k, r.tau: tau, r.gamma: top - max(x for x in s.values() if x < top), r.top: top,
        r.eta: w * (2 * delta + delta**2), a6_tieless.top2: s2[1], e1_inputs.r: 2, e1_layer.c: 2, e1_inputs.w: w,
        e1_layer.vmap: number("3/2"), e1_inputs.B: number("1"), e1_inputs.delta: delta,
    }  # fmt: skip
    functions = {
        r.s: s, r.s2: s2, r.mu: mu, r.p: softmax(s, tau), r.p2: softmax(s2, tau),
        r.h: {j: mpmath.mpf(one) / k for j, one in mu.items()},
        v: listed([sum(u * a for u, a in zip(row, key, strict=True)) for key in keys]),
        a4_one_symbol.v2: listed([sum(u * a for u, a in zip(row, key, strict=True)) for key in moved]),
        e1_inputs.W: listed(form), e1_layer.U: listed(row), e1_inputs.x: listed(query), e1_inputs.x2: listed(query2),
        e1_layer.z: listed([a for key in keys for a in key]), e1_layer.z2: listed([a for key in moved for a in key]),
        e1_layer.u: listed([a for key in keys for a in key]), e1_layer.u2: listed([a for key in moved for a in key]),
    }  # fmt: skip
    return Model(scalars, functions)


def run(name, tau, **more):
    """The recurrence of three layers, from 0, at a temperature."""
    tieless = name.startswith("E5")
    k, big_h, vmap, w, b = (number(text) for text in ("1", "2", "1/4", "1/2", "1"))
    scalars = {
        r.n: 8, r.tau: tau, r.gamma: number("1"), e1_layer.lipschitz: k, e1_layer.big_h: 2, e1_layer.vmap: vmap,
        e1_inputs.w: w, e1_inputs.B: b, e2_recurrence.L: 3, e2_recurrence.A0: k * (1 + big_h * vmap),
        e2_recurrence.D0: 3 * k * big_h * vmap * w * b**2, e2_recurrence.c0: 2 * k * big_h * vmap * b,
        e2_recurrence.mu: number("1/10"), e5_tieless.limit: number("1/10"), e5_tieless.theta: number("1/2"), **more,
    }  # fmt: skip
    layer = e5_tieless.LAYER if tieless else e1_layer.LAYER
    errors = {0: mpmath.mpf(0)}
    for place in range(3):
        errors[place + 1] = Model({**scalars, e1_inputs.delta: errors[place]}, {}).value(layer)
    return Model(scalars, {e1_layer.err: errors})


def growth(tau):
    """log(A0 + D0/tau) for the numbers of `run`."""
    return mpmath.log(number("3/2") + number("3/4") / tau)


def tied(name):
    """Scores 1, 1, 0 with their ends told apart."""
    right = name.endswith("right") or name.endswith("rightmost")
    gamma, n = number("1"), 3
    step = gamma / n
    s = {1: number("1"), 2: number("1"), 3: number("0")}
    s2 = {j: value + (step if right else -step) * j for j, value in s.items()}
    first = 2 if right else 1
    scalars = {r.n: n, r.tau: number("1/4"), r.gamma: gamma, r.top: number("1"), m: first, e3_ties.step: step,
               e3_ties.t: step}  # fmt: skip
    functions = {r.s: s, r.s2: s2, r.mu: {1: 1, 2: 1, 3: 0}, a1_exact.lam: {first: 1},
                 r.p2: softmax(s2, number("1/4"))}  # fmt: skip
    return Model(scalars, functions)


def averages(same):
    """Query 1/3; keys 1/2 and 1/3, or 2/3 and 1/3; n = 3, d = 1."""
    first = (2, 3) if same else (1, 2)
    counts = {e4_gaps.k0: 3, e4_gaps.k1: first[1], e4_gaps.k2: 3, e4_gaps.d_: 1, e4_gaps.n: 3, e1_inputs.r: 1}
    numerator = first[0] * (1 if same else 3) - 1 * (1 if same else 2)
    functions = {
        e1_inputs.W: {1: 1}, e1_inputs.x: {1: number("1/3")}, e1_inputs.y: {1: number(f"{first[0]}/{first[1]}")},
        e1_inputs.y2: {1: number("1/3")}, e4_gaps.a: {1: 1}, e4_gaps.big_x: {1: 1}, e4_gaps.big_y: {1: first[0]},
        e4_gaps.big_y2: {1: 1},
    }  # fmt: skip
    return Model({**counts, e4_gaps.count: numerator}, functions)


def cold():
    """The temperature of E2.order for the numbers of `run`."""
    return 1 / run("E2", number("1")).value(e2_temperature.ORDER)


def tieless_temperature():
    """The temperature of E5.temperature for the numbers of `run`."""
    a0, n, c0, limit = number("3/2"), 8, number("1"), number("1/10")
    return number("1/2") / (mpmath.log(3 * n * c0 / limit) + 2 * mpmath.log(a0))


MODELS = {
    "E1.attention": lambda: head(),
    "E1.keys": lambda: head(),
    "E1.weights": lambda: head(),
    "E1.ties": lambda: head(),
    "E2.temperature": lambda: run("E2", cold()),
    "E2.sufficient": lambda: run("E2", number("1/40")),
    "E3.leftmost": lambda: tied("E3.leftmost"),
    "E3.rightmost": lambda: tied("E3.rightmost"),
    "E3.attention": lambda: tied("E3.attention"),
    "E3.attention-right": lambda: tied("E3.attention-right"),
    "E4.averaged": lambda: averages(same=False),
    "E4.same-count": lambda: averages(same=True),
    "E5.temperature": lambda: run("E5", tieless_temperature()),
}


def _model(name):
    model = MODELS[name]()
    if name == "E2.sufficient":
        model.scalars[e2_recurrence.P] = growth(number("1/40"))
    return model


@pytest.mark.parametrize("name", MODELS)
def test_hypotheses_hold_together_and_the_conclusion_follows(name):
    claim, model = CLAIMS[name], _model(name)
    for prop in (*claim.definitions, *claim.hypotheses):
        assert model.holds(prop), str(prop)
    assert model.holds(claim.conclusion)


def test_tieless_head_without_ties():
    model = head("1/2", ties=False)
    claim = CLAIMS["E5.head"]
    for prop in (*claim.definitions, *claim.hypotheses):
        assert model.holds(prop), str(prop)
    assert model.holds(claim.conclusion)


def test_bounds_that_the_project_states_are_the_ones_that_are_used():
    assert CLAIMS["E1.layer"].bound == e1_layer.LAYER
    assert CLAIMS["E5.layer"].bound == e5_tieless.LAYER
    assert CLAIMS["E1.weights"].bound == e1_heads.RHO
