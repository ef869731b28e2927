"""Bound tables: every printed number lies on its safe side, next to the true value; refusals are one clear line."""

import csv
import io
import itertools
import json
import re
from fractions import Fraction
from typing import Any

import pytest
import sympy
from mpmath import MPContext
from table_fixture import STATEMENTS, Data, Stated

from checker.cells import value_cell
from checker.decide import Expression
from checker.errors import DisagreementError, HardsoftError, InputError
from checker.exact import exact
from checker.formats import FORMATS, TEXT_WIDTH, Table, render
from checker.mp import evaluate as mp_evaluate
from checker.parameters import parse_values
from checker.rounding import Direction
from checker.tables import build_table
from proofs import registry

mp: Any = MPContext()
mp.dps = 60


def make(identifier: str, solve: str | None = None, digits: int = 3, **flags: str) -> Table:
    return build_table(STATEMENTS, identifier, parse_values(flags), solve, digits)


def last(table: Table) -> list[str]:
    return [row[-1].text for row in table.rows]


def number(x: Fraction) -> Any:
    return mp.mpf(x.numerator) / x.denominator


def gap_bound(n: Any, k: Any, x: Any) -> Any:
    """(n-k) exp(-x) / (k + (n-k) exp(-x))."""
    return (n - k) * mp.exp(-x) / (k + (n - k) * mp.exp(-x))


def critical(n: Any, k: Any, eps: Any) -> Any:
    """log((n-k)(1-eps)/(k eps)): the scaled gap at which the bound equals eps (TV)."""
    return mp.log((n - k) * (1 - eps) / (k * eps))


# The true value of the last column from the row's parameters, by closed forms that share nothing with the tables.
TRUE = {
    ("A2", None): lambda p: gap_bound(p["n"], p["k"], p["gamma"] / p["tau"]),
    ("A2", "eps"): lambda p: gap_bound(p["n"], p["k"], p["gamma"] / p["tau"]),
    ("A2", "tau"): lambda p: p["gamma"] / critical(p["n"], p["k"], p["eps"]),
    ("A2", "gamma"): lambda p: p["tau"] * critical(p["n"], p["k"], p["eps"]),
    ("A3", None): lambda p: p["gamma"] / critical(p["n"], p["k"], p["eps"] / 2),
    ("A3", "tau"): lambda p: p["gamma"] / critical(p["n"], p["k"], p["eps"] / 2),
    ("A3", "gamma"): lambda p: p["tau"] * critical(p["n"], p["k"], p["eps"] / 2),
    ("A3", "eps"): lambda p: 2 * gap_bound(p["n"], p["k"], p["gamma"] / p["tau"]),
    ("A4", None): lambda p: gap_bound(p["n"], p["k"], p["delta"] / p["tau"]),
    ("A4", "eps"): lambda p: gap_bound(p["n"], p["k"], p["delta"] / p["tau"]),
    ("A4", "tau"): lambda p: p["delta"] / critical(p["n"], p["k"], p["eps"]),
    ("A4", "delta"): lambda p: p["tau"] * critical(p["n"], p["k"], p["eps"]),
    ("A5", None): lambda p: mp.tanh(p["eta"] / (2 * p["tau"])),
    ("A5", "tau"): lambda p: p["eta"] / (2 * mp.atanh(p["eps"])),
    ("A5", "eta"): lambda p: 2 * p["tau"] * mp.atanh(p["eps"]),
    ("A6", None): lambda p: gap_bound(p["n"], 1, (p["gamma"] - 2 * p["eta"]) / p["tau"]),
    ("A6", "tau"): lambda p: (p["gamma"] - 2 * p["eta"]) / critical(p["n"], 1, p["eps"]),
    ("A6", "gamma"): lambda p: 2 * p["eta"] + p["tau"] * critical(p["n"], 1, p["eps"]),
}
# Which way the last column must be rounded: a guarantee may be weakened, never strengthened.
UP = {
    ("A2", None),
    ("A2", "eps"),
    ("A2", "gamma"),
    ("A3", "gamma"),
    ("A3", "eps"),
    ("A4", "tau"),
    ("A5", None),
    ("A5", "tau"),
}
UP |= {("A6", None), ("A6", "gamma")}
VALUES = {
    "n": "20,1000",
    "k": "1,3",
    "gamma": "1,7/3",
    "eta": "0.01,0.02",
    "delta": "1,7/3",
    "tau": "0.9,1.1",
    "eps": "0.1,1e-6",
}


@pytest.mark.parametrize("digits", [1, 4])
@pytest.mark.parametrize("what", list(TRUE), ids=str)
def test_every_number_is_the_nearest_on_its_safe_side(what: tuple[str, str | None], digits: int) -> None:
    identifier, solve = what
    names = set(STATEMENTS[identifier].table.parameters) | ({"eps", "tau"} if identifier == "A3" else set())  # type: ignore[union-attr]
    given = (names | ({"eps"} if solve else set())) - {solve}
    given -= {"tau"} if identifier == "A3" and solve is None else set()
    table = make(identifier, solve, digits, **{name: VALUES[name] for name in given})
    assert len(table.rows) == 2 ** len(given)
    for row in table.rows:
        p = {c.key: number(exact(cell.text)) for c, cell in zip(table.columns[:-1], row[:-1], strict=True)}
        true, printed = TRUE[what](p), number(exact(row[-1].text))
        assert (printed >= true) if what in UP else (printed <= true)
        assert abs(printed - true) <= mp.mpf(10) ** (mp.floor(mp.log10(true)) - digits + 1)
        assert row[-1].data["rounded"] == ("up" if what in UP else "down")
        lower, upper = (number(exact(row[-1].data[end])) for end in ("lower", "upper"))
        assert lower <= true <= upper <= lower * (1 + mp.mpf(10) ** (-digits - 2))


@pytest.mark.parametrize("eta", ["0", "0.05"])
def test_average_hard_worst_case(eta: str) -> None:
    for row in make("A8", n="10,1000", k="1,4", gamma="3", eta=eta, tau="0.5").rows:
        n, k = int(row[0].text), int(row[1].text)
        q, R = mp.exp(-6), mp.exp(4 * number(exact(eta)))
        P = [(a + (n - k) * q) / (k + (n - k) * q) for a in range(k + 1)]
        true = max(p * R / (1 + p * (R - 1)) - mp.mpf(a) / k for a, p in enumerate(P))
        assert true <= number(exact(row[-1].text)) <= true * mp.mpf("1.01")


def test_the_table_of_the_critical_temperature() -> None:
    table = make("A3", "tau", n="10,100,10^6,1e12", gamma="1", eps="1e-2,1e-6")
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["10", "1", "1", "0.01", "0.133"],
        ["10", "1", "1", "1e-6", "0.0598"],
        ["100", "1", "1", "0.01", "0.101"],
        ["100", "1", "1", "1e-6", "0.0523"],
        ["10^6", "1", "1", "0.01", "0.0523"],
        ["10^6", "1", "1", "1e-6", "0.0353"],
        ["10^12", "1", "1", "0.01", "0.0303"],
        ["10^12", "1", "1", "1e-6", "0.0237"],
    ]
    assert table.caption == "A3 Critical temperature: largest tau that guarantees E <= eps"
    assert list(table.notes) == [
        "eps bounds the error.",
        "tau is rounded down to 3 significant digits, the safe side.",
        "k = 1 (one maximal score), since --k was not given.",
    ]
    assert last(make("A3", n="10,100,10^6,1e12", gamma="1", eps="1e-2,1e-6")) == last(table)  # tau is its default
    assert r"$10^{12}$ & $1$ & $1$ & $10^{-6}$ & $0.0237$ \\" in render(table, "latex")


def test_the_closed_form_and_the_search_must_agree() -> None:
    wrong = {**STATEMENTS, "A3": Stated(**{**vars(STATEMENTS["A3"]), "bound": STATEMENTS["A3"].bound * 2})}
    with pytest.raises(DisagreementError, match=r"A3 gives 0\.267, solving its worst case gives 0\.133"):
        build_table(wrong, "A3", parse_values({"n": "10", "gamma": "1", "eps": "0.01"}))


def test_lengths_are_exact() -> None:
    assert last(make("A2", "n", gamma="1", tau="0.1,0.001", eps="0.01,1e-9,1")) == [
        "223",
        "none",
        "unbounded",
        "1.98e432",
        "1.97e425",
        "unbounded",
    ]
    # E <= eps iff n <= k + k eps exp(gamma/tau)/(2-eps); A4 says the same of the spread, as a necessary condition
    assert last(make("A3", "n", gamma="1", tau="0.1", eps="0.1", k="1,2")) == [
        str(int(mp.floor(k * (1 + mp.mpf(1) / 19 * mp.exp(10))))) for k in (1, 2)
    ]
    assert last(make("A4", "n", delta="1", tau="0.1", eps="0.1")) == [str(int(1 + mp.exp(10) / 9))]
    assert last(make("A4", "n", delta="1", tau="1e-3", eps="0.1")) == ["2.19e433"]  # up: longer is refuted
    assert mp.mpf("2.18e433") < 1 + mp.exp(1000) / 9 < mp.mpf("2.19e433")


def test_extreme_sizes() -> None:
    # 1e-300000 and 1e300000 in and out
    assert last(make("A2", "tau", n="10", gamma="1e300000", eps="0.1")) == ["2.27e299999"]
    assert last(make("A2", "gamma", n="10^30", tau="1e-300000", eps="1e-300000")) == ["6.91e-299995"]
    assert last(make("A2", n="10", gamma="690773.4", tau="1")) == ["7.56e-299999"]
    assert mp.mpf("7.55e-299999") < gap_bound(10, 1, mp.mpf("690773.4")) < mp.mpf("7.56e-299999")
    latex = render(make("A5", eta="1e-300000", tau="3"), "latex")
    assert r"$10^{-300000}$ & $3$ & $1.67 \times 10^{-300001}$ \\" in latex
    assert [[cell.text for cell in row] for row in make("A2", n="1e300000", gamma="1", tau="1").rows] == [
        ["10^300000", "1", "1", "1", "1.00"]
    ]


def test_beyond_the_printable_range() -> None:
    upper = make("A2", n="10", gamma="1", tau="1e-300000")
    cell = upper.rows[0][-1]
    assert (cell.text, cell.latex, cell.csv) == ("< 1e-1000000", "$< 10^{-1000000}$", "1e-1000000")
    assert render(upper, "csv").splitlines()[1] == "10,1,1,1e-300000,1e-1000000"
    assert last(make("A4", n="10", delta="1", tau="1e-300000")) == ["0"]  # a lower bound: 0 is the safe number
    tau = make("A2", "tau", n="10", gamma="1e-1000000", eps="1e-300000").rows[0][-1]
    gamma = make("A2", "gamma", n="10", tau="1e999999", eps="1e-300000").rows[0][-1]
    assert [(c.text, c.csv) for c in (tau, gamma)] == [("< 1e-1000000", "0"), ("> 1e1000000", "inf")]
    assert tau.data["reason"] == "the threshold lies below the printable range"


def test_a_quantity_is_not_bounded_above_its_maximum() -> None:
    assert last(make("A5", eta="1", tau="1e-300000")) == ["1.00"]  # tanh rounds up to 1, not to 1.01
    assert last(make("A5", eta="0", tau="1")) == ["0"]
    trivial = make("A8", n="10", k="2", gamma="20", eta="0.1", tau="1e-300000")
    assert last(trivial) == ["1"]
    assert trivial.notes[-1].startswith("1: only the trivial bound, since")
    with pytest.raises(HardsoftError, match="no finite enclosure"):
        value_cell(sympy.exp(sympy.exp(sympy.Symbol("n"))), {"n": Fraction(10**9)}, 3, Direction.UP, None)


def test_a_bound_that_only_a_higher_precision_encloses() -> None:
    # exp(2 eta/tau) with 2 eta/tau = 10^60 overflows at the first precision; TV <= 1/2 + tiny, rounded up
    table = make("A8", n="10", k="2", gamma="20", eta="0.5", tau="1e-60")
    assert last(table) == ["0.501"]
    assert not any("trivial" in note for note in table.notes)


def test_mpmath_must_not_exclude_the_printed_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Expression, "mp", lambda self, prec: mp_evaluate(self.expr + 1, self.env, prec))
    with pytest.raises(DisagreementError, match="Arb and mpmath enclose"):
        make("A2", n="10", gamma="1", tau="1")


@pytest.mark.parametrize("up", [True, False])
def test_mpmath_excludes_from_both_sides(up: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    shift = sympy.Rational(1 if up else -1, 10**15)
    monkeypatch.setattr(Expression, "mp", lambda self, prec: mp_evaluate(self.expr + shift, self.env, prec))
    with pytest.raises(DisagreementError):
        make("A2", n="10", gamma="1", tau="1")


def test_every_and_none_carry_their_reason() -> None:
    table = make("A3", n="10", gamma="1", eps="1.79,1.8,1.9")
    assert last(table)[1:] == ["every tau", "every tau"]
    assert "every tau: eps is at least 2*(n - k)/n, the supremum over tau." in table.notes
    assert r"every $\tau$" in render(table, "latex")
    none = make("A8", "gamma", n="10", k="2", eta="0.01", tau="1", eps="1e-3")
    assert last(none) == ["none"]
    assert "none: eps is at most the infimum over gamma." in none.notes
    assert make("A6", "gamma", n="10", eta="1", tau="1", eps="0.95").notes[-1] == "2.01: limited by 2*eta < gamma."


@pytest.mark.parametrize(
    ("identifier", "solve", "flags", "message"),
    [
        ("A1", None, {"n": "10"}, "A1 has no table, since it depends on the whole row of scores; use A2"),
        ("A9", None, {}, "no statement 'A9'; there are A1, A2"),
        ("A2", None, {"n": "10", "gamma": "1"}, "A2 needs --tau; it uses --n, --k, --gamma, --tau"),
        ("A2", "tau", {"n": "10", "gamma": "1"}, "A2 solved for tau needs --eps; it uses --n, --k, --gamma, --eps"),
        ("A2", None, {"n": "10", "gamma": "1", "tau": "1", "eps": "1"}, "A2 does not use --eps; it uses"),
        ("A2", "tau", {"n": "10", "gamma": "1", "tau": "1", "eps": "1"}, "A2 solved for tau does not use --tau"),
        ("A5", None, {"n": "10", "eta": "1", "tau": "1"}, "A5 does not use --n; it uses --eta, --tau"),
        ("A2", "eta", {}, "A2 cannot be solved for 'eta'; choose n, gamma, tau, eps"),
        ("A2", "k", {}, "A2 cannot be solved for 'k'"),
        ("A8", "tau", {}, "A8 is not monotone in tau: the admissible values form a window; give --tau and solve for"),
        (
            "A2",
            None,
            {"n": "10", "k": "10", "gamma": "1", "tau": "1"},
            "k must satisfy 1 <= k <= n - 1, got k = 10 for",
        ),
        (
            "A2",
            None,
            {"n": "10", "k": "11", "gamma": "1", "tau": "1"},
            "k must satisfy 1 <= k <= n - 1, got k = 11 for",
        ),
        ("A2", None, {"n": "1", "gamma": "1", "tau": "1"}, "k must satisfy 1 <= k <= n - 1, got k = 1 for n = 1"),
        ("A6", None, {"n": "1", "gamma": "1", "eta": "0", "tau": "1"}, "n must be >= 2, got 1"),
        ("A2", None, {"n": "0", "gamma": "1", "tau": "1"}, "n must be an integer >= 1, got 0"),
        ("A2", None, {"n": "10", "gamma": "1", "tau": "0"}, "tau must be > 0, got 0"),
        ("A2", None, {"n": "10", "gamma": "-1", "tau": "1"}, "gamma must be > 0, got -1"),
        ("A5", None, {"eta": "-1", "tau": "1"}, "eta must be >= 0, got -1"),
        ("A2", "tau", {"n": "10", "gamma": "1", "eps": "1.1"}, "eps must satisfy 0 < eps <= 1, got 11/10"),
        ("A3", "tau", {"n": "10", "gamma": "1", "eps": "2.1"}, "eps must satisfy 0 < eps <= 2, got 21/10"),
        ("A3", "tau", {"n": "10", "gamma": "1", "eps": "0"}, "eps must satisfy 0 < eps <= 2, got 0"),
        (
            "A6",
            None,
            {"n": "9", "gamma": "1", "eta": "1/2", "tau": "1"},
            "A6 needs 2*eta < gamma, got gamma = 1, eta = 1/2",
        ),
        (
            "A2",
            "n",
            {"k": "10^301", "gamma": "1", "tau": "1", "eps": "0.1"},
            "k must be at most 10^300 when solving for n",
        ),
        ("A8", None, {"n": "1e7", "k": "1e6", "gamma": "1", "eta": "1", "tau": "1"}, "A8: MaxOver needs"),
        ("A2", None, {"n": "1.5", "gamma": "1", "tau": "1"}, "--n, item 1: expected an integer"),
        ("A2", None, {"n": "10,,2", "gamma": "1", "tau": "1"}, "--n: item 2 of"),
    ],
)
def test_refusals(identifier: str, solve: str | None, flags: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        make(identifier, solve, **flags)
    assert "\n" not in str(caught.value)


def test_limits_of_size_and_digits() -> None:
    many = ",".join(str(i) for i in range(2, 103))
    with pytest.raises(InputError, match="the table would have 10201 rows; at most 10000"):
        make("A2", n=many, gamma="1", tau=many)
    with pytest.raises(InputError, match="digits must be between 1 and 30, got 31"):
        make("A2", digits=31, n="10", gamma="1", tau="1")
    assert last(make("A5", digits=30, eta="2", tau="1")) == ["0.761594155955764888119458282605"]  # tanh 1, up


def test_statements_that_the_hint_does_not_know() -> None:
    statements = {
        "Z1": Stated("Z1", "", sympy.Integer(1)),
        "Z2": Stated("Z2", "", sympy.Integer(1), table=Data((), {})),
    }
    with pytest.raises(InputError, match=r"Z1 has no table, .*; tables exist for Z2"):
        build_table(statements, "Z1", {})


def test_all_formats_agree() -> None:
    table = make("A2", "gamma", n="10,10^30,123456789012345678901", tau="1/3,1e-300000", eps="0.1,1e-300000")
    texts = {form: render(table, form) for form in FORMATS}
    assert max(map(len, texts["text"].splitlines())) <= TEXT_WIDTH
    rows = list(csv.reader(io.StringIO(texts["csv"])))
    assert rows[0] == ["n", "k", "tau", "eps", "gamma"]
    assert rows[5][0] == "1" + "0" * 30
    document = json.loads(texts["json"])
    assert (document["statement"], document["solve"], document["digits"]) == ("A2", "gamma", 3)
    for row, entry, record in zip(table.rows, document["rows"], rows[1:], strict=True):
        assert entry["gamma"]["printed"] == record[-1] == row[-1].text
        assert exact(entry["n"]) == exact(record[0]) == exact(row[0].text)
        assert exact(entry["tau"]) == exact(record[2])
        assert exact(entry["gamma"]["lower"]) <= exact(entry["gamma"]["upper"]) <= exact(entry["gamma"]["printed"])
        for form in ("text", "markdown"):
            assert row[-1].text in texts[form]
        assert row[-1].tex in texts["latex"]


def test_rows_are_in_the_order_given() -> None:
    table = make("A2", n="100,10", k="2,1", gamma="1", tau="1")
    assert [(row[0].text, row[1].text) for row in table.rows] == list(itertools.product(("100", "10"), ("2", "1")))
    assert not any("since --k was not given" in note for note in table.notes)


@pytest.mark.parametrize(
    ("identifier", "solve", "flags"),
    [
        ("A2", None, {"n": "10,10^12", "k": "1,2", "gamma": "1", "tau": "0.1"}),
        ("A2", "n", {"gamma": "1", "tau": "0.1", "eps": "0.01"}),
        ("A3", None, {"n": "10,10^12", "gamma": "1", "eps": "0.01,1.9"}),
        ("A3", "gamma", {"n": "10,10^12", "tau": "1", "eps": "0.01"}),
        ("A4", "tau", {"n": "10,10^12", "delta": "1", "eps": "0.01"}),
        ("A5", "tau", {"eta": "1", "eps": "0.01,1"}),
        ("A6", "gamma", {"n": "10", "eta": "1,0", "tau": "1", "eps": "0.01"}),
        ("A8", "gamma", {"n": "10", "k": "2", "eta": "0.01", "tau": "1", "eps": "0.1,0.001"}),
    ],
)
def test_the_registry_gives_the_tables_of_the_stand_ins(
    identifier: str, solve: str | None, flags: dict[str, str]
) -> None:
    values = parse_values(flags)
    table = build_table(registry.STATEMENTS, identifier, values, solve)
    assert last(table) == last(build_table(STATEMENTS, identifier, values, solve))
    assert table.notes[0].startswith("E is the L1" if identifier == "A3" else "TV is the total variation")
    assert table.columns[-1].header == build_table(STATEMENTS, identifier, values, solve).columns[-1].header


def test_the_registry_has_no_table_for_whole_rows() -> None:
    for identifier, instead in (("A1", "use A2"), ("A7", "multiply the range of the values by the TV of A2")):
        with pytest.raises(InputError, match=instead):
            build_table(registry.STATEMENTS, identifier, {})
    with pytest.raises(InputError, match=r"A6 needs 2\*eta < gamma, got gamma = 2, eta = 1"):
        build_table(registry.STATEMENTS, "A6", parse_values({"n": "9", "gamma": "2", "eta": "1", "tau": "1"}))
