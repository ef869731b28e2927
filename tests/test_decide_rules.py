"""The decision procedures: true goals are proved, and their false neighbours are not.

Every false goal comes with a point at which its hypotheses hold and it fails; the point is checked with many digits.
"""

import time
from dataclasses import dataclass

import mpmath
import pytest
import sympy as sp
from model_fixture import Model

from proofs import decide as decide_module
from proofs.decide import Bound, Limits, _certificate, decide
from proofs.naming import equal_terms
from proofs.normal import Atoms, split
from proofs.props import INDEX, ProofError, Rel, total

x, y, z, t = sp.symbols("x y z t", real=True)
k, n = sp.symbols("k n", integer=True)
f, g = sp.Function("f", real=True), sp.Function("g", real=True)
TINY = sp.Rational(1, 10**6)
ROW = {1: 1, 2: -2, 3: sp.Rational(1, 2)}


@dataclass(frozen=True)
class Case:
    """A true goal and its false neighbours: (hypotheses, goal, counterexample)."""

    hypotheses: tuple
    goal: Rel
    false: tuple


def bound(n_=n, k_=k, q=x):
    return (n_ - k_) * q / (k_ + (n_ - k_) * q)


ONE_K, K_N, POSITIVE = Rel(1, "<=", k), Rel(k, "<=", n), Rel(x, ">", 0)
CASES = {
    "square": Case((), Rel(x**2 - 2 * x + 1, ">=", 0), (
        ((), Rel(x**2 - 2 * x + 1, ">", 0), {x: 1}),
        ((), Rel(x**2 - 2 * x + 1, ">=", TINY), {x: 1}),
        ((), Rel(x**2 - (2 + TINY) * x + 1, ">=", 0), {x: 1}),
    )),
    "means": Case((Rel(x, ">=", 0), Rel(y, ">=", 0)), Rel(4 * x * y, "<=", (x + y) ** 2), (
        ((Rel(x, ">=", 0), Rel(y, ">=", 0)), Rel((4 + TINY) * x * y, "<=", (x + y) ** 2), {x: 1, y: 1}),
        ((Rel(x, ">=", 0), Rel(y, ">=", 0)), Rel(4 * x * y, "<", (x + y) ** 2), {x: 1, y: 1}),
    )),
    "transitivity": Case((Rel(x, "<", y), Rel(y, "<=", z)), Rel(x, "<", z), (
        ((Rel(x, "<=", y), Rel(y, "<=", z)), Rel(x, "<", z), {x: 1, y: 1, z: 1}),
        ((Rel(x, "<", y),), Rel(x, "<", z), {x: 0, y: 1, z: 0}),
        ((Rel(x, "<", y), Rel(y, "<=", z)), Rel(x + TINY, "<", z), {x: 0, y: TINY / 2, z: TINY / 2}),
    )),
    "bound increases": Case((ONE_K, K_N, POSITIVE, Rel(x, "<=", y)), Rel(bound(q=x), "<=", bound(q=y)), (
        ((ONE_K, K_N, POSITIVE, Rel(x, "<=", y)), Rel(bound(q=x), "<", bound(q=y)), {n: 2, k: 2, x: 1, y: 2}),
        ((ONE_K, POSITIVE, Rel(x, "<=", y), Rel(k + (n - k) * y, ">", 0)), Rel(bound(q=x), "<=", bound(q=y)),
         {n: 2, k: 3, x: 1, y: 2}),
        ((ONE_K, K_N, POSITIVE, Rel(x, "<=", y)), Rel((1 + TINY) * bound(q=x), "<=", bound(q=y)),
         {n: 2, k: 1, x: 1, y: 1}),
    )),
    "below one": Case((POSITIVE, Rel(x, "<", 1)), Rel(x / (1 + x), "<", sp.Rational(1, 2)), (
        ((POSITIVE, Rel(x, "<=", 1)), Rel(x / (1 + x), "<", sp.Rational(1, 2)), {x: 1}),
        ((POSITIVE,), Rel(x / (1 + x), "<", sp.Rational(1, 2)), {x: 2}),
        ((POSITIVE, Rel(x, "<", 1)), Rel(x / (1 + x), "<", sp.Rational(1, 2) - TINY), {x: 1 - TINY}),
    )),
    "exponentials": Case((), Rel(sp.exp(x) + sp.exp(-x), ">=", 2), (
        ((), Rel(sp.exp(x) + sp.exp(-x), ">", 2), {x: 0}),
        ((), Rel(sp.exp(x) + sp.exp(-x), ">=", 2 + TINY), {x: 0}),
    )),
    "split exponential": Case((), Rel(sp.exp(2 * x - y / 2), "=", sp.exp(x) ** 2 / sp.exp(y / 4) ** 2), (
        ((), Rel(sp.exp(2 * x - y / 2), "=", sp.exp(x) ** 2 / sp.exp(y / 4) ** 3), {x: 0, y: 1}),
        ((), Rel(sp.exp(2 * x - y / 2), "=", (1 + TINY) * sp.exp(x) ** 2 / sp.exp(y / 4) ** 2), {x: 0, y: 0}),
    )),
    "negative denominator": Case((Rel(x, "<", 0), Rel(y, "<=", x)), Rel(y / x, ">=", 1), (
        ((Rel(x, "<=", 0), Rel(y, "<=", x)), Rel(y / x, ">=", 1), {x: 0, y: 0}),
        ((Rel(y, "<=", x),), Rel(y / x, ">=", 1), {x: 1, y: 0}),
        ((Rel(x, "<", 0), Rel(y, "<=", x)), Rel(y / x, ">", 1), {x: -1, y: -1}),
    )),
    "hypothesis with a denominator": Case((POSITIVE, Rel(y / x, "<=", 2)), Rel(y, "<=", 2 * x), (
        ((POSITIVE, Rel(y / x, "<=", 2)), Rel(y, "<", 2 * x), {x: 1, y: 2}),
        ((Rel(y / x, "<=", 2),), Rel(y, "<=", 2 * x), {x: 0, y: 1}),
        ((Rel(x, "<", 0), Rel(y / x, "<=", 2)), Rel(y, "<=", 2 * x), {x: -1, y: 0}),
    )),
    "a linear sum": Case((Rel(n, ">=", 0),), Rel(total(lambda j: 2 * f(j) + 3, n), "=", 2 * total(f, n) + 3 * n), (
        ((Rel(n, ">=", 0),), Rel(total(lambda j: 2 * f(j) + 3, n), "=", 2 * total(f, n) + (3 + TINY) * n), {n: 3}),
        ((), Rel(total(lambda j: 2 * f(j) + 3, n), "=", 2 * total(f, n) + 3 * n), {n: -2}),
        ((Rel(n, ">=", -1),), Rel(total(lambda j: 2 * f(j) + 3, n), "=", 2 * total(f, n) + 3 * n), {n: -1}),
    )),
    "sums do not multiply": Case((), Rel(total(lambda j: x * f(j), n) * z, "=", x * z * total(f, n)), (
        ((), Rel(total(lambda j: f(j) * g(j), n), "=", total(f, n) * total(g, n)), {n: 3}),
    )),
    "an equation eliminated": Case((Rel(2 * x + y, "=", 3), Rel(y, ">=", 1)), Rel(x, "<=", 1), (
        ((Rel(2 * x + y, "=", 3), Rel(y, ">=", 1)), Rel(x, "<", 1), {x: 1, y: 1}),
        ((Rel(2 * x + y, "=", 3), Rel(y, ">=", 1 - TINY)), Rel(x, "<=", 1), {x: 1 + TINY / 2, y: 1 - TINY}),
        ((Rel(y, ">=", 1),), Rel(x, "<=", 1), {x: 2, y: 1}),
    )),
    "strict by one term": Case((Rel(x, ">=", 0), Rel(y, ">", 0)), Rel(x + y + x * y, ">", 0), (
        ((Rel(x, ">=", 0), Rel(y, ">=", 0)), Rel(x + y + x * y, ">", 0), {x: 0, y: 0}),
        ((Rel(x, ">=", 0), Rel(y, ">", 0)), Rel(x + x * y, ">", 0), {x: 0, y: 1}),
    )),
    "between 0 and 1": Case((Rel(x, ">", 0), Rel(x, "<", 1)), Rel(x**3, "<", x), (
        ((Rel(x, ">", 0), Rel(x, "<=", 1)), Rel(x**3, "<", x), {x: 1}),
        ((Rel(x, ">=", 0), Rel(x, "<", 1)), Rel(x**3, "<", x), {x: 0}),
        ((Rel(x, "<", 1),), Rel(x**3, "<=", x), {x: sp.Rational(-1, 2)}),
        ((Rel(x, ">", 0), Rel(x, "<", 1)), Rel(x**3, "<", (1 - TINY) * x), {x: 1 - TINY / 4}),
    )),
    "numbers": Case((), Rel(sp.Rational(1, 3), "<", sp.Rational(1, 2)), (
        ((), Rel(sp.Rational(1, 2), "<", sp.Rational(1, 2)), {}),
        ((), Rel(0, "=", 1), {}),
        ((), Rel(0, ">", 0), {}),
    )),
}  # fmt: skip
FALSE = [(name, number) for name, case in CASES.items() for number in range(len(case.false))]


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(decide_module, "Z3_TIMEOUT_MS", 2000)


@pytest.mark.parametrize("name", CASES)
def test_a_true_goal_is_proved(name):
    how, _ = decide(CASES[name].goal, CASES[name].hypotheses)
    assert how


@pytest.mark.parametrize(("name", "number"), FALSE)
def test_a_false_neighbour_is_not_proved(name, number):
    hypotheses, goal, point = CASES[name].false[number]
    with mpmath.workdps(60):
        scalars = {symbol: mpmath.mpf(int(sp.S(v).p)) / int(sp.S(v).q) for symbol, v in point.items()}
        row = {place: mpmath.mpf(int(sp.S(v).p)) / int(sp.S(v).q) for place, v in ROW.items()}
        model = Model(scalars, {f: row, g: row}, tolerance=mpmath.mpf(10) ** -30)
        assert all(model.margin(hypothesis) >= 0 for hypothesis in hypotheses)
        assert model.fails(goal)
    with pytest.raises(ProofError):
        decide(goal, hypotheses)


@pytest.mark.parametrize("name", CASES)
def test_each_way_of_deciding_refuses_what_the_others_refuse(name, monkeypatch):
    """Without Z3 a certificate may be missing, but it never proves more; Z3 alone decides the same goals."""
    for hypotheses, goal, _ in CASES[name].false:
        with monkeypatch.context() as patch:
            patch.setattr(decide_module, "_z3_unsat", lambda *_: False)
            with pytest.raises(ProofError):
                decide(goal, hypotheses)
        with monkeypatch.context() as patch:
            patch.setattr(decide_module, "_certificate", lambda *_: None)
            with pytest.raises(ProofError):
                decide(goal, hypotheses)


@pytest.mark.parametrize(
    ("goal", "hypotheses", "message"),
    [
        (Rel(1 / x, ">", 0), (), "a denominator of 1/x > 0 is not known to be non-zero"),
        (Rel(x / y + 1, "=", (x + y) / y), (), "a denominator of"),
        (Rel(x, ">", 0), (Rel(1 / y, ">", 0),), "a denominator of the hypothesis 1/y > 0"),
        (Rel(total(lambda _: x, n), "=", n * x), (), "S.constant needs n >= 0"),
        (Rel(x, ">", 0), (Rel(x, ">=", 0),), "not proved: x > 0"),
    ],
)
def test_a_refusal_says_what_is_missing(goal, hypotheses, message):
    with pytest.raises(ProofError, match=message.replace("(", r"\(")):
        decide(goal, hypotheses)


def test_hypotheses_with_denominators_are_cleared_in_any_order():
    chain = [Rel(z / y, ">", 0), Rel(y / x, ">", 0), Rel(x, ">", 0)]
    assert decide(Rel(z, ">", 0), chain)
    assert decide(Rel(z, ">", 0), chain[::-1])


def test_the_way_of_deciding_is_reported():
    assert decide(Rel((x + 1) ** 2, "=", x**2 + 2 * x + 1), ())[0] == "rational identity"
    assert decide(Rel(x + 1, ">", 0), (Rel(x, ">=", 0),))[0] == "coefficients: no negative one after x = x'"
    assert decide(Rel(x**2 - 2 * x + 1, ">=", 0), ())[0] == "Z3: the negation is unsatisfiable"
    assert decide(Rel(x, ">=", x), ())[0] == "trivial"


def test_the_use_of_linearity_is_reported():
    goal = Rel(total(lambda j: 2 * f(j), n), "=", 2 * total(f, n))
    assert decide(goal, ())[1]
    assert not decide(Rel(x, "<=", x + 1), ())[1]
    with pytest.raises(ProofError):
        decide(goal, (), linear=False)


def test_a_certificate_is_a_chain_of_substitutions_that_anyone_can_check():
    """n = k + m, m = m': what the certificate says is substituted gives the coefficients it says."""
    a, b = sp.symbols("a b", real=True)
    known = [Bound(a - b, ">="), Bound(b, ">")]
    how = _certificate(Bound(sp.expand(a**2 - b**2), ">="), known, frozenset(), frozenset(), [], [60])
    assert how == "coefficients: no negative one after a = a' + b, b = b'"
    assert all(c >= 0 for c in sp.Poly(sp.expand((t + b) ** 2 - b**2), t, b).coeffs())


def test_the_search_for_a_certificate_ends():
    symbols = sp.symbols("a0:6", real=True)
    known = [Bound(p - q, ">=") for p in symbols for q in symbols if p != q]
    assert _certificate(Bound(-sum(symbols), ">="), known, frozenset(), frozenset(), [], [60]) is None


def test_exponentials_become_powers_of_positive_atoms():
    atoms = Atoms()
    one, two = atoms.prepare([sp.exp(x / 2 + y), sp.exp(x / 3)])
    first, second = atoms.rational(one.polynomial, []), atoms.rational(two.polynomial, [])
    assert len(atoms.positive) == 2
    assert first.free_symbols == atoms.positive
    (base,) = second.free_symbols
    assert second == base**2
    assert sp.degree(first, base) == 3


def test_divisors_are_reported_even_if_they_cancel():
    atoms = Atoms()
    (term,) = atoms.prepare([1 / (1 / x + 1) * (x + 1)])
    divisors = []
    numerator, factors = split(atoms.rational(term.polynomial, divisors))
    assert len(divisors) == 2
    assert factors == [1]
    assert len(numerator.free_symbols) == 1


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((x + y) ** 2, x**2 + 2 * x * y + y**2, True),
        (sp.exp(x * (y + 1)), sp.exp(x * y) * sp.exp(x), True),
        (f(x * (y + 1)), f(x * y + x), True),
        (total(lambda j: f(j) * (1 + g(j)), n), total(lambda j: f(j) + f(j) * g(j), n), True),
        ((x + 1) / y, x / y + 1 / y, True),
        (1 / (x * (y + 1)), 1 / (x * y + x), False),  # a quotient is an atom
        (x / (y + 1) + x * y / (y + 1), x, False),
        (x * (1 / x + 1), 1 + x, False),
        (sp.log(2 * x), sp.log(2) + sp.log(x), False),
        (f(x), f(y), False),
        (sp.Sum(f(INDEX), (INDEX, 1, n)), sp.Sum(f(INDEX), (INDEX, 1, k)), False),
        (total(f, n), total(g, n), False),
        (x + TINY, x, False),
    ],
)
def test_equal_terms(a, b, expected):
    assert equal_terms(a, b) is expected
    assert equal_terms(b, a) is expected


def test_limits_on_the_time_can_only_make_a_proof_fail(monkeypatch):
    square = Rel(x**2 - 2 * x * y + y**2, ">=", 0)  # no coefficient certificate: Z3 is needed
    asked = []
    solver = decide_module.z3.SolverFor

    def watched(logic):
        made = solver(logic)
        original = made.set
        made.set = lambda name, value: (asked.append(value), original(name, value))
        return made

    monkeypatch.setattr(decide_module.z3, "SolverFor", watched)
    assert decide(square, [], limits=Limits(1500, time.monotonic() + 60))[0].startswith("Z3")
    assert decide(square, [])[0].startswith("Z3")
    assert asked == [1500, decide_module.Z3_TIMEOUT_MS]
    with pytest.raises(ProofError, match="not proved"):
        decide(square, [], limits=Limits(1500, time.monotonic()))
    assert len(asked) == 2  # no time is left, so that Z3 is not asked
