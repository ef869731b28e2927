"""Stand-ins for the statements, so that the tests of the tables depend on no derivation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy
from sympy import exp, log, tanh

n, k, gamma, tau, eta, delta, eps, a = sympy.symbols("n k gamma tau eta delta eps a")
MaxOver = sympy.Function("MaxOver")


@dataclass(frozen=True)
class Data:
    parameters: tuple[str, ...]
    monotone: Mapping[str, int]
    target: str = "eps bounds the error."


@dataclass(frozen=True)
class Relation:
    lhs: sympy.Expr
    op: str
    rhs: sympy.Expr


@dataclass(frozen=True)
class Hypotheses:
    hypotheses: Sequence[object] = ()


@dataclass(frozen=True)
class Stated:
    id: str
    title: str
    bound: sympy.Expr
    quantity: str = "tv"
    direction: str = "<="
    table: Data | None = None
    main: str = "bound"
    claims: Mapping[str, Hypotheses] = field(default_factory=dict)

    def claim(self, name: str) -> Hypotheses:
        return self.claims.get(name, Hypotheses())


def _gap_bound(q: sympy.Expr, k: sympy.Expr = k) -> sympy.Expr:
    return (n - k) * q / (k + (n - k) * q)


_R = exp(2 * eta / tau)
_P = (a + (n - k) * exp(-gamma / tau)) / (k + (n - k) * exp(-gamma / tau))
_NKGT = ("n", "k", "gamma", "tau")

STATEMENTS = {
    stated.id: stated
    for stated in (
        Stated("A1", "Exact error", sympy.Integer(0), direction="="),
        Stated(
            "A2",
            "Gap bound",
            _gap_bound(exp(-gamma / tau)),
            table=Data(_NKGT, {"n": 1, "k": -1, "gamma": -1, "tau": 1}),
        ),
        Stated(
            "A3",
            "Critical temperature",
            gamma / log((n - k) * (2 - eps) / (k * eps)),
            "tau",
            "iff",
            Data(("n", "k", "gamma", "eps"), {"n": -1, "k": 1, "gamma": 1, "eps": 1}),
        ),
        Stated(
            "A4",
            "Dispersion",
            _gap_bound(exp(-delta / tau)),
            direction=">=",
            table=Data(("n", "k", "delta", "tau"), {"n": 1, "k": -1, "delta": -1, "tau": 1}),
        ),
        Stated("A5", "Perturbed scores", tanh(eta / (2 * tau)), table=Data(("eta", "tau"), {"eta": 1, "tau": -1})),
        Stated(
            "A6",
            "Tieless and perturbed",
            _gap_bound(exp(-(gamma - 2 * eta) / tau), sympy.Integer(1)),
            table=Data(("n", "gamma", "eta", "tau"), {"n": 1, "gamma": -1, "eta": 1, "tau": 1}),
            claims={
                "bound": Hypotheses((Relation(2 * eta, "<", gamma), Relation(tau, ">", sympy.Integer(0)), "a row"))
            },
        ),
        Stated(
            "A8",
            "Average-hard and perturbed",
            MaxOver(_P * _R / (1 + _P * (_R - 1)) - a / k, a, 0, k),
            table=Data(("n", "k", "gamma", "eta", "tau"), {"n": 1, "gamma": -1, "eta": 1, "tau": 0}),
        ),
    )
}
