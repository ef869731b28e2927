"""Section D on random models, and the meaning of its functions; no derivation is looked at.

A model gives numbers to all names of a claim, drawn from what the names stand for: words, heads, counts. A claim must
hold in every model in which its definitions and hypotheses do, and there must be such models.
"""

import random
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
import sympy as sp
from model_fixture import Model

from checker.attention import Row
from checker.checks.composition import cleaned
from checker.checks.grids import Plan
from checker.checks.logic import since, until
from checker.checks.rational import row, value
from checker.decide import Exact
from checker.quantity import attention_output
from proofs.a_softmax_gap import row as r
from proofs.a_softmax_gap.a7_values import a as coefficient
from proofs.a_softmax_gap.a7_values import nu
from proofs.b_positional import b3_lookup
from proofs.b_positional.b6_predicate import c, weight
from proofs.b_positional.line import m
from proofs.c_temperature.c1_scaling import s2
from proofs.d_logic import d1_cleanup as d1
from proofs.d_logic import d2_neighbour, d4_counting, d5_predicates, d6_composition
from proofs.d_logic import d3_semantics as d3
from proofs.props import Rel
from proofs.registry import STATEMENTS, library
from proofs.sums import f, g, v

CLAIMS = {claim.name: claim for s in STATEMENTS.values() if s.section == "D" for claim in s.claims}
KINDS = ("previous", "next", "since", "until", "since, none", "until, none", "lookup", "uniform")
WANTED, TRIES = 6, 4000


@pytest.fixture(autouse=True)
def _digits():
    with mpmath.workdps(40):
        yield


def number(rng, low, high):
    return mpmath.mpf(rng.randint(int(low * 100), int(high * 100))) / 100


def softmax(scores, tau):
    powers = {j: mpmath.exp(score / tau) for j, score in scores.items()}
    return {j: power / sum(powers.values()) for j, power in powers.items()}


def temporal(rng, kind, n):
    """(phi, psi, chi, t, scores in units of c, weight, chosen position) of a word with BOS or EOS, or without chi."""
    right = kind.startswith("since")
    bits = [[rng.randint(0, 1) for _ in range(n)] for _ in range(2)]
    if kind.endswith("none"):
        bits = [[1] * n, [0] * n]
    phi, psi = (dict(enumerate(row_, start=1)) for row_ in bits)
    chi = {j: int(not phi[j] or psi[j]) for j in phi}
    t = {0: 0, n + 1: 0}
    for j in range(1, n + 1) if right else range(n, 0, -1):
        seen = [k for k in phi if (k <= j if right else k >= j)]
        words = [tuple(bit[k] for k in sorted(seen)) for bit in (phi, psi)]
        t[j] = since(*words) if right else until(*words)
    big = n + rng.randint(0, 2)
    scores = {j: big * chi[j] + (j if right else -j) for j in phi}
    true = [j for j in phi if chi[j]] or [n if right else 1]
    return phi, psi, chi, t, scores, big, (true[-1] if right else true[0])


def model(rng):
    """A random model of one of the kinds."""
    kind = rng.choice(KINDS)
    n = rng.randint(1, 5)
    tau, scale = number(rng, 0.1, 2), number(rng, 0.3, 2)
    phi, psi, chi, t, scores, big, place = temporal(rng, kind if "since" in kind or "until" in kind else "since", n)
    offset = rng.randint(-1, 3)
    width = rng.randint(1, n)
    count = rng.randint(0, n - 1)
    frequency, per = mpmath.mpf(count) / width, mpmath.mpf(1) / width
    if kind == "previous":
        scores, place = {j: offset + j for j in phi}, n
    elif kind == "next":
        scores, place = {j: -(offset + j) for j in phi}, 1
    elif kind == "lookup":
        scores, place = {j: n * (2 * frequency * (j - 1) - per * (j - 1) ** 2) for j in phi}, count + 1
    elif kind == "uniform":
        scores = dict.fromkeys(phi, 0)
    s = {j: scale * score for j, score in scores.items()}
    top = max(s.values())
    mu = {j: int(s[j] == top) for j in s}
    k = sum(mu.values())
    p = softmax(s, tau)
    a = number(rng, 0, 0.7)
    bit = rng.randint(0, 1)
    sign = rng.choice([-1, 0, 1])
    w, whole, e = rng.randint(0, 1), rng.randint(-3, 3), number(rng, 0, 0.7)
    coefficients = {j: number(rng, -2, 2) for j in s}
    off = number(rng, 0, 1)
    counts = {j: rng.randint(0, 4) for j in s}
    exact = rng.random() < 0.5
    away = {j: off * (1 if coefficients[j] >= 0 else -1) if exact else off * rng.choice([-1, 0, 1]) for j in s}
    values = {j: j % 2 for j in range(n + 1)} if rng.random() < 0.3 else {j: rng.randint(0, 1) for j in range(n + 1)}
    bits = dict.fromkeys(s, 1) if rng.random() < 0.3 else {j: rng.randint(0, 1) for j in s}
    history = {j: int(all(phi[i] for i in range(1, j + 1))) for j in range(n + 1)}
    if rng.random() < 0.2:
        t = history
    cold = rng.random() < 0.5
    if cold:
        tau = scale / number(rng, 3, 8)
        p = softmax(s, tau)
    q = number(rng, 0.01, 0.9)
    functions = {
        r.s: s, r.p: p, r.mu: mu, r.h: {j: mpmath.mpf(mu[j]) / k for j in s}, d3.phi: phi, d3.psi: psi, d3.t: t,
        d3.chi: chi, v: values, f: bits if rng.random() < 0.5 else counts,
        coefficient: coefficients, s2: {j: s[j] / n**3 for j in s}, r.p2: p,
    }  # fmt: skip
    functions[g] = {j: functions[f][j] + away[j] for j in s}
    total = sum(abs(coefficient_) for coefficient_ in coefficients.values())
    if rng.random() < 0.5:  # integers and a weight that e allows
        functions[coefficient] = {j: round(x) for j, x in coefficients.items()}
        total = sum(abs(x) for x in functions[coefficient].values())
        e = number(rng, 0.1, 0.49)
        off = e / max(total, 1)
        functions[g] = {j: functions[f][j] + off * rng.choice([-1, 1]) for j in s}
        whole = sum(functions[coefficient][j] * functions[f][j] for j in s) + bit
    mixed = kind in ("lookup", "uniform")
    scalars = {
        r.n: n, r.k: k, r.tau: tau, r.top: top, r.eps: number(rng, 0.01, 0.99), c: scale, weight: big, m: place,
        b3_lookup.a: place, b3_lookup.length: rng.randint(0, 6), d1.a: a, d1.b: bit, d1.e: e, d1.w: w, d1.D: whole,
        d1.x: bit + sign * a + rng.choice([0, 0, w]), nu: off, d4_counting.count: count, d4_counting.width: width,
        d4_counting.y: per, d5_predicates.q: q, d5_predicates.q2: q + number(rng, 0, 0.09), d6_composition.size: 1,
        d5_predicates.r: count // 2,
    }  # fmt: skip
    if mixed:
        scalars[d1.x] = frequency if kind == "lookup" else mpmath.mpf(0)
    elif rng.random() < 0.4:
        scalars[d1.x] = whole + sign * e
    if rng.random() < 0.4:
        scalars[d1.b] = count % 2
    if kind in ("previous", "next"):
        scalars[d2_neighbour.b] = offset
    return Model(scalars, functions)


@pytest.fixture(scope="module")
def pool():
    with mpmath.workdps(40):
        rng = random.Random("section D")
        return [model(rng) for _ in range(TRIES)]


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_holds_in_random_models(name, pool):
    claim = CLAIMS[name]
    found = 0
    for one in pool:
        if all(one.holds(prop) for prop in (*claim.definitions, *claim.hypotheses)):
            found += 1
            assert one.holds(claim.conclusion), {str(key): value for key, value in one.scalars.items()}
            if found == WANTED:
                break
    assert found == WANTED, f"only {found} models satisfy the hypotheses"


# -- what the checks compute with ------------------------------------------------------------------------------------


def test_since_and_until_follow_their_recursion_on_every_word():
    for n in range(1, 6):
        for code in range(4**n):
            phi = tuple(code >> j & 1 for j in range(n))
            psi = tuple(code >> (n + j) & 1 for j in range(n))
            forward, backward = 0, 0
            for j in range(n):
                forward = psi[j] or (phi[j] and forward)
                backward = psi[n - 1 - j] or (phi[n - 1 - j] and backward)
            assert since(phi, psi) == forward
            assert until(phi, psi) == backward


def test_exact_values_of_terms():
    x, y = sp.symbols("x y", real=True)
    j = sp.Symbol("j", integer=True)
    values = {"x": Fraction(-3, 2), "y": 4, "n": 3}
    assert value(sp.Abs(x) * y**2 / 3 - 1, values) == 7
    assert value(1 / (2 * x + 3), values) == 0
    assert value(sp.Sum(j * f(j), (j, 1, sp.Symbol("n", integer=True))), values, {"f": row([5, 6, 7])}) == 38
    for unknown in (sp.exp(x), sp.sqrt(x**2 + 1)):
        with pytest.raises(TypeError, match="not rational"):
            value(unknown, values)
    with pytest.raises(KeyError):
        value(sp.Symbol("z"), values)


def test_a_clean_up_is_a_boolean_only_where_that_is_decided():
    scores, a, plan = Row.explicit([0, 1]), Fraction(1, 4), Plan()
    cold, warm = Fraction(1, 2), Fraction(2)
    assert cleaned(attention_output(scores, cold, (0, 1)), a, plan) == Exact(1)
    assert cleaned(attention_output(scores, cold, (1, 0)), a, plan) == Exact(0)
    middle = cleaned(attention_output(scores, warm, (0, 1)), a, plan)
    # the softmax weight is 1/(1 + exp(-1/2)), and the clean-up there (p - a)/(1 - 2a)
    expected = (1 / (1 + mpmath.exp(-0.5)) - 0.25) / 0.5
    assert abs(mpmath.mpf(float(middle.ball(80).mid())) - expected) < 1e-12


@pytest.mark.parametrize("name", CLAIMS)
def test_the_models_are_not_blind(name, pool):
    """A claim with its relation reversed fails in some model."""
    relation = CLAIMS[name].relation
    reverse = {"=": "<", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}[relation.op]
    stated = CLAIMS[name].conclusion
    altered = Rel(relation.lhs, reverse, relation.rhs)
    altered = altered if isinstance(stated, Rel) else type(stated)(stated.var, stated.lo, stated.hi, altered)
    assumed = (*CLAIMS[name].definitions, *CLAIMS[name].hypotheses)
    assert any(all(one.holds(prop) for prop in assumed) and one.fails(altered) for one in pool)


def test_clean_up_and_linear_sums_are_derived_without_z3():
    proved = library()
    for name in ("D1.clean", "D1.masked", "D4.sum", "D6.integer-true", "D6.integer-false"):
        assert not any("Z3" in step.how for step in proved.prove(name)[1].steps)


def test_every_claim_of_section_d_is_explained():
    text = (Path(__file__).parent.parent / "notes" / "d-logic.md").read_text(encoding="utf-8")
    mentioned = set(re.findall(r"\bD\d\.[a-z]+(?:-[a-z]+)*", text))
    assert mentioned == set(CLAIMS)
