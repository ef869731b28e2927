"""Inverse queries against closed forms computed independently with mpmath, at ordinary and extreme parameters."""

from fractions import Fraction
from typing import Any

import pytest
import sympy
from mpmath import MPContext
from table_fixture import STATEMENTS, Relation

from checker.errors import HardsoftError
from checker.exact import exact
from checker.query import Query, at_most, certify, end_value
from checker.rounding import floor_log10, scaled
from checker.solve import Outcome, Solution, solve_integer, solve_real

mp: Any = MPContext()
mp.dps = 120

A2, A4, A5, A6, A8 = (STATEMENTS[name].bound for name in ("A2", "A4", "A5", "A6", "A8"))
ONE = Fraction(1)


def real(text: str) -> Any:
    """An mpf of the number, by its own conversion: numerator over denominator."""
    x = exact(text)
    return mp.mpf(x.numerator) / mp.mpf(x.denominator)


def query(bound: sympy.Expr, parameter: str, sign: int, eps: str, cap: Fraction | None = ONE, **scalars: str) -> Query:
    values = {name: exact(value) for name, value in scalars.items()}
    return Query(bound, parameter, 1 if sign == 1 else -1, values, exact(eps), (), cap)


def assert_encloses(solution: Solution, true: Any, digits: int) -> None:
    """The enclosure holds the true threshold and is as narrow as promised."""
    assert solution.outcome is Outcome.THRESHOLD
    assert solution.enclosure is not None
    lower, upper = solution.enclosure
    assert mp.mpf(lower.numerator) / lower.denominator <= true <= mp.mpf(upper.numerator) / upper.denominator
    assert 0 < upper - lower <= scaled(1, floor_log10(upper) - digits + 1)


def log_ratio(n: str, k: str, eps: str) -> Any:
    """log((n-k)(2-eps)/(k eps)) of A3, for an L1 error eps."""
    return mp.log((real(n) - real(k)) * (2 - real(eps)) / (real(k) * real(eps)))


CASES = [
    (n, k, scale, eps)
    for n, k in (("2", "1"), ("10", "3"), ("10^12", "1"), ("10^30", "1"), ("10^30", "10^29"))
    for scale in ("1", "1e-300", "7e-300000")
    for eps in ("0.1", "1e-6", "1e-300000")
    if scale != "7e-300000" or n == "10^30"
]


@pytest.mark.parametrize(("n", "k", "gamma", "eps"), CASES)
def test_largest_temperature_is_the_critical_one(n: str, k: str, gamma: str, eps: str) -> None:
    solution = solve_real(query(2 * A2, "tau", 1, eps, Fraction(2), n=n, k=k, gamma=gamma), 9)
    assert_encloses(solution, real(gamma) / log_ratio(n, k, eps), 9)


@pytest.mark.parametrize(("n", "k", "tau", "eps"), CASES)
def test_least_gap(n: str, k: str, tau: str, eps: str) -> None:
    solution = solve_real(query(2 * A2, "gamma", -1, eps, Fraction(2), n=n, k=k, tau=tau), 9)
    assert_encloses(solution, real(tau) * log_ratio(n, k, eps), 9)


@pytest.mark.parametrize(
    ("k", "gamma", "tau", "eps"),
    [
        ("1", "1", "0.1", "0.01"),
        ("3", "1", "0.1", "0.5"),
        ("1", "80", "1", "1e-6"),
        ("10^50", "2", "1", "1e-3"),
        ("1", "1", "10", "0.9"),
    ],
)
def test_largest_length_is_exact(k: str, gamma: str, tau: str, eps: str) -> None:
    # (n-k) q / (k + (n-k) q) <= eps  iff  n <= k + k eps / ((1-eps) q)
    true = real(k) * (1 + real(eps) / (1 - real(eps)) * mp.exp(real(gamma) / real(tau)))
    solution = solve_integer(query(A2, "n", 1, eps, k=k, gamma=gamma, tau=tau), int(exact(k)) + 1, 9)
    assert solution.enclosure == (Fraction(int(mp.floor(true))),) * 2


def test_largest_length_beyond_forty_digits_is_enclosed_by_integers() -> None:
    solution = solve_integer(query(A2, "n", 1, "1e-3", k="1", gamma="1", tau="1e-5"), 2, 9)
    assert_encloses(solution, 1 + real("1e-3") / (1 - real("1e-3")) * mp.exp(100000), 9)
    assert solution.enclosure is not None
    assert all(end.denominator == 1 for end in solution.enclosure)
    large = solve_integer(query(A2, "n", 1, "1e-3", k="10^50", gamma="20", tau="1"), 10**50 + 1, 9)
    assert_encloses(large, 10**50 * (1 + real("1e-3") / (1 - real("1e-3")) * mp.exp(20)), 9)


def test_length_none_and_unbounded() -> None:
    none = solve_integer(query(A2, "n", 1, "1e-10", k="1", gamma="1", tau="1"), 2, 6)
    assert (none.outcome, none.reason) == (Outcome.NONE, "n = 2 already exceeds eps")
    every = solve_integer(query(A2, "n", 1, "1", k="1", gamma="1", tau="1"), 2, 6)
    assert every.outcome is Outcome.EVERY
    with pytest.raises(ValueError, match="increasing"):
        solve_integer(query(A2, "n", -1, "0.1", k="1", gamma="1", tau="1"), 2, 6)


@pytest.mark.parametrize("eta", ["1", "1e-300", "3e200"])
@pytest.mark.parametrize("eps", ["0.5", "1e-6"])
def test_perturbation_both_ways(eta: str, eps: str) -> None:
    # tanh(eta/(2 tau)) <= eps iff tau >= eta / (2 atanh eps): here the admissible temperatures are the large ones.
    assert_encloses(solve_real(query(A5, "tau", -1, eps, eta=eta), 9), real(eta) / (2 * mp.atanh(real(eps))), 9)
    assert_encloses(solve_real(query(A5, "eta", 1, eps, tau=eta), 9), real(eta) * 2 * mp.atanh(real(eps)), 9)


def test_perturbed_gap() -> None:
    # gamma = 2 eta + tau log((n-1)(1-eps)/eps)
    true = 2 * real("0.3") + real("0.7") * mp.log(999 * (1 - real("0.01")) / real("0.01"))
    assert_encloses(solve_real(query(A6, "gamma", -1, "0.01", n="1000", eta="0.3", tau="0.7"), 12), true, 12)


def test_average_hard_worst_case_by_plain_bisection() -> None:
    n, k, eta, tau, eps = 50, 3, real("0.01"), real("0.8"), real("0.1")

    def worst(gamma: Any) -> Any:
        q, R = mp.exp(-gamma / tau), mp.exp(2 * eta / tau)
        P = [(a + (n - k) * q) / (k + (n - k) * q) for a in range(k + 1)]
        return max(p * R / (1 + p * (R - 1)) - mp.mpf(a) / k for a, p in enumerate(P))

    low, high = mp.mpf(0), mp.mpf(100)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if worst(middle) > eps else (low, middle)
    assert_encloses(solve_real(query(A8, "gamma", -1, "0.1", n="50", k="3", eta="0.01", tau="0.8"), 9), low, 9)


def test_where_every_value_works() -> None:
    # sup over tau of (n-k)q/(k+(n-k)q) is (n-k)/n, not attained: eps = 9/10 exactly is met by every tau.
    for eps in ("9/10", "0.95"):
        solution = solve_real(query(A2, "tau", 1, eps, n="10", k="1", gamma="1"), 6)
        assert solution.outcome is Outcome.EVERY
        assert "(n - k)/n, the supremum over tau" in solution.reason
        assert solve_real(query(A2, "gamma", -1, eps, n="10", k="1", tau="1"), 6).outcome is Outcome.EVERY
    just_below = solve_real(query(A2, "tau", 1, "0.8999999999", n="10", k="1", gamma="1"), 6)
    assert_encloses(just_below, 1 / mp.log(9 * (1 - real("0.8999999999")) / real("0.8999999999")), 6)
    assert solve_real(query(A5, "tau", -1, "0.1", eta="0"), 6).outcome is Outcome.EVERY
    assert solve_real(query(A5, "tau", -1, "1", eta="1"), 6).outcome is Outcome.EVERY


def test_where_no_value_works() -> None:
    # With eta > 0 a large gap does not help below the perturbation's own error (A8, gamma -> oo).
    solution = solve_real(query(A8, "gamma", -1, "1e-3", n="10", k="2", eta="0.01", tau="1"), 6)
    assert (solution.outcome, solution.enclosure) == (Outcome.NONE, None)
    # A6 at eta = 0 already exceeds eps.
    assert solve_real(query(A6, "eta", 1, "0.1", n="10^6", gamma="1", tau="0.1"), 6).outcome is Outcome.NONE


def test_beyond_the_printable_range() -> None:
    above = solve_real(query(A2, "gamma", -1, "1e-300000", n="10", k="1", tau="1e999999"), 6)
    below = solve_real(query(A2, "tau", 1, "1e-300000", n="10", k="1", gamma="1e-1000000"), 6)
    assert (above.outcome, below.outcome) == (Outcome.ABOVE, Outcome.BELOW)


def test_conditions_limit_the_threshold() -> None:
    condition = Relation(2 * sympy.Symbol("eta"), "<", sympy.Symbol("gamma"))
    base = query(A6, "gamma", -1, "0.95", n="10", eta="1", tau="1")
    limited = Query(base.bound, "gamma", -1, base.scalars, base.target, (condition,), ONE)
    solution = solve_real(limited, 6)
    assert solution.enclosure == (Fraction(2), Fraction(200001, 100000))  # 2 itself is excluded: 2 eta < gamma
    assert solution.reason == "limited by 2*eta < gamma"
    assert not at_most(limited, Fraction(2))
    free = Query(base.bound, "gamma", -1, {**base.scalars, "tau": Fraction(2)}, Fraction(1, 10), (condition,), ONE)
    assert solve_real(free, 6).reason == ""


def test_every_value_subject_to_a_condition() -> None:
    condition = Relation(2 * sympy.Symbol("eta"), "<", sympy.Symbol("gamma"))
    scalars = {"n": Fraction(10), "eta": Fraction(1, 10), "tau": ONE}
    solution = solve_real(Query(A6, "gamma", -1, scalars, exact("0.95"), (condition,), ONE), 6)
    assert solution.outcome is Outcome.EVERY
    assert solution.reason.endswith("the supremum over gamma (subject to 2*eta < gamma)")


def test_an_infimum_attained_at_eta_0_is_not_refused() -> None:
    # eta + 1/2 <= 1/2 holds at eta = 0 and nowhere else: "none" would be wrong, undecided is not
    bound = sympy.Symbol("eta") + sympy.Rational(1, 2)
    with pytest.raises(HardsoftError, match="undecided"):
        solve_real(query(bound, "eta", 1, "1/2", None), 6)
    assert solve_real(query(bound, "eta", 1, "0.4", None), 6).outcome is Outcome.NONE
    # of any other parameter 0 is not a value
    assert solve_real(query(bound.subs("eta", sympy.Symbol("tau")), "tau", 1, "1/2", None), 6).outcome is Outcome.NONE


@pytest.mark.parametrize("factor", [Fraction(1, 2), Fraction(2)])
def test_a_search_gone_wrong_is_caught_at_either_end(factor: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(question: Query, value: Fraction) -> bool:
        return at_most(question, value * factor)

    monkeypatch.setattr("checker.solve.at_most", shifted)
    with pytest.raises(HardsoftError):
        solve_real(query(A2, "tau", 1, "0.1", n="10", k="1", gamma="1"), 6)
    with pytest.raises(HardsoftError):
        solve_real(query(A2, "gamma", -1, "0.1", n="10", k="1", tau="1"), 6)
    with pytest.raises(HardsoftError):
        solve_integer(query(A2, "n", 1, "0.1", k="1", gamma="5", tau="1"), 2, 6)


def test_a_wrong_end_is_not_certified() -> None:
    question = query(A2, "tau", 1, "0.1", n="10", k="1", gamma="1")
    certify(question, Fraction(1, 5), True)
    certify(question, Fraction(1, 4), False)
    for value, expected in ((Fraction(1, 5), False), (Fraction(1, 4), True)):
        with pytest.raises(HardsoftError):
            certify(question, value, expected)


def test_undecided_is_said_so() -> None:
    eps = Fraction(9, 10) - scaled(1, -40000)  # below the supremum by less than 2^-65536
    question = Query(A2, "tau", 1, {"n": Fraction(10), "k": ONE, "gamma": ONE}, eps, (), ONE)
    with pytest.raises(HardsoftError, match="solving for tau is undecided at 65536 bits"):
        solve_real(question, 6)


@pytest.mark.parametrize(
    ("bound", "parameter", "end", "expected"),
    [
        (A2, "tau", "infinity", "(n-k)/n"),
        (A2, "tau", "zero", "0"),
        (A2, "gamma", "zero", "(n-k)/n"),
        (A2, "gamma", "infinity", "0"),
        (A5, "tau", "zero", "1"),
        (A5, "tau", "infinity", "0"),
        (A5, "eta", "infinity", "1"),
        (A5, "eta", "zero", "0"),
    ],
)
def test_limits(bound: sympy.Expr, parameter: str, end: Any, expected: str) -> None:
    value = end_value(bound, parameter, end, {})
    assert value is not None
    n, k = (sympy.Symbol(name, positive=True) for name in "nk")
    assert sympy.simplify(value - {"(n-k)/n": (n - k) / n, "0": 0, "1": 1}[expected]) == 0


def test_an_undefined_limit_is_none() -> None:
    assert end_value(A2, "n", "infinity", {}) is None  # oo/oo
