"""Data of pictures: enclosures of closed forms written here, bounds above exact values, safe rounding, windows."""

import csv
import io
import itertools
from fractions import Fraction
from typing import Any

import pytest
from mpmath import MPContext
from plot_fixture import made

from checker.decide import Exact
from checker.errors import DisagreementError, HardsoftError, InputError
from checker.mpinterval import from_exact
from checker.picture import Curve, Picture, Point, Role, enclose, to_csv
from checker.plotchoice import integers, reals
from checker.plots import INSTEAD, PICTURES, build
from checker.plotwindow import window
from checker.rounding import Direction

mp: Any = MPContext()
mp.dps = 50


def number(x: Fraction) -> Any:
    return mp.mpf(x.numerator) / x.denominator


def tv(scores: list[Any]) -> Any:
    """Softmax of mpmath scores against the choice of their maxima (all of them equally)."""
    top = max(scores)
    weights = [mp.exp(s - top) for s in scores]
    k = sum(1 for s in scores if s == top)
    hard = [mp.mpf(int(s == top)) / k for s in scores]
    return sum(abs(w / sum(weights) - h) for w, h in zip(weights, hard, strict=True)) / 2


def gap(n: Any, k: Any, x: Any) -> Any:
    return (n - k) * mp.exp(-x) / (k + (n - k) * mp.exp(-x))


def theta(x: Any) -> Any:
    return mp.jtheta(3, 0, mp.exp(-x))


def side(n: Any, x: Any) -> Any:
    return mp.exp(-x) * (1 - mp.exp(-(n - 1) * x)) / (1 - mp.exp(-n * x))


def noisy(h: Any, x: Any) -> Any:
    z = 2 * mp.exp(-(1 - 2 * h) * x) / (1 - mp.exp(-(3 - 2 * h) * x))
    return z / (1 + z)


def around(n: int, x: Any, shift: Any = 0) -> Any:
    return tv([-x * (d * d - 2 * d * shift) for d in range(-((n - 1) // 2), n // 2 + 1)])


# Values of every curve at abscissa x, with the default parameters, by closed forms or sums written here.
TRUE = {
    ("A2", "bound (A2)"): lambda x, g: gap(x, 1, 1 / g["tau"]),
    ("A2", "exact worst case"): lambda x, g: gap(x, 1, 1 / g["tau"]),
    ("A2", "lower bound (A4)"): lambda x, g: gap(x, 1, 1.5 / g["tau"]),
    ("A3", "bound (A2)"): lambda x, g: 2 * gap(g["n"], 1, 1 / x),
    ("A3", "exact worst case"): lambda x, g: 2 * gap(g["n"], 1, 1 / x),
    ("A4", "lower bound (A4)"): lambda x, g: gap(x, 1, 1 / g["tau"]),
    ("A4", "exact best case"): lambda x, g: gap(x, 1, 1 / g["tau"]),
    ("A5", "bound (A5)"): lambda x, _: mp.tanh(x / 2),
    ("A5", "linear bound"): lambda x, _: x / 2,
    ("A5", "attained"): lambda x, _: mp.tanh(x / 2),
    ("A6", "bound (A6)"): lambda x, g: gap(g["n"], 1, 16 - 2 * x),
    ("A6", "attained"): lambda x, g: gap(g["n"], 1, 16 - 2 * x),
    ("A8", "gap bound (A2)"): lambda x, g: gap(g["n"], 2, 1 / x),
    ("A8", "perturbation (A5)"): lambda x, _: mp.tanh(1 / (400 * x)),
    ("A8", "worst case (A8)"): lambda x, g: a8(g["n"], x),
    ("A8", "attained"): lambda x, g: a8(g["n"], x),
    ("B1", "bound (B1)"): lambda x, g: side(x, 1 / g["tau"]),
    ("B1", "limit $q$"): lambda _, g: mp.exp(-1 / g["tau"]),
    ("B1", "exact worst case"): lambda x, g: tv([-j / g["tau"] for j in range(int(x))]),
    ("B2", "bound (B2)"): lambda x, g: tv([-abs(j) / g["tau"] for j in range(-((int(x) - 1) // 2), int(x) // 2 + 1)]),
    ("B2", "limit $2q/(1+q)$"): lambda _, g: 1 - mp.tanh(1 / g["tau"] / 2),
    ("B2", "exact worst case"): lambda x, g: tv([abs(j) / -g["tau"] for j in range(-(int(x) // 2), (int(x) + 1) // 2)]),
    ("B3", r"$(\theta-1)/\theta$"): lambda x, _: 1 - 1 / theta(x),
    ("B3", "closed form"): lambda x, _: 1 - (1 - mp.exp(-3 * x)) / (1 + 2 * mp.exp(-x) - mp.exp(-3 * x)),
    ("B3", "exact"): lambda x, g: around(int(g["n"]), x),
    ("B4", "bound (B4)"): lambda x, g: noisy(g["noise"], x),
    ("B4", "exact, $n=33$"): lambda x, g: around(33, x, g["noise"]),
    ("B5", "bound (B5)"): lambda x, _: side(16, x),
    ("B5", "$q$"): lambda x, _: mp.exp(-x),
    ("B5", "exact"): lambda x, g: tv([-x * DISTANCES[g["distances"]](r) for r in range(16)]),
    ("B6", "soft attention"): lambda x, g: attention(int(x), g["tau"]),
    ("B6", "bound (B6)"): lambda x, g: side(x, 1 / g["tau"]),
    ("B6", "limit $q$"): lambda _, g: mp.exp(-1 / g["tau"]),
    ("B6", "exact worst case"): lambda x, g: tv([-j / g["tau"] for j in range(int(x))]),
    ("C1", "exact"): lambda x, g: bounded(int(x), g["schedule"]),
    ("C1", "bound $q$"): lambda _x, _: mp.exp(-2),
    ("C1", r"bound $(\theta-1)/\theta$"): lambda _x, _: 1 - 1 / theta(2),
    ("C2", "sufficient (B6, C1)"): lambda x, g: -1 / (3 * x * mp.log(g["eps"])),
    ("C2", "necessary (C2)"): lambda x, g: 1 / ((x - 1) * mp.log(1 / g["eps"] - 1)),
    ("C3", r"sufficient, $\gamma/L$"): lambda x, g: 1 / mp.log((x - 1) * (2 / g["eps"] - 1)),
    ("C3", r"necessary, $\delta/L$"): lambda x, g: 2 / mp.log((x - 1) * (2 / g["eps"] - 1)),
    ("schedule", "sufficient"): lambda x, g: able(x, g["head"]),
    ("schedule", "necessary"): lambda x, g: (
        2 / mp.log(9 * (x - 1)) if g["head"] == "constant-gap" else 3 / ((x - 1) * mp.log(9))
    ),
}
DISTANCES = {"r": lambda r: r, "2r-1": lambda r: max(0, 2 * r - 1), "r^2": lambda r: r * r}


def a8(n: Any, tau: Any) -> Any:
    """sup over a = 0, 1, 2 of P R/(1 + P(R-1)) - a/2 (k = 2, eta = 1/200)."""
    growth, others = mp.exp(1 / (100 * tau)), (n - 2) * mp.exp(-1 / tau)
    masses = [(a + others) / (2 + others) for a in range(3)]
    return max(p * growth / (1 + p * (growth - 1)) - mp.mpf(a) / 2 for a, p in enumerate(masses))


def attention(j: int, tau: Any) -> Any:
    weights = [mp.exp((24 * int(true) + i) / tau) for i, true in enumerate("010011001000", start=1)]
    return weights[j - 1] / sum(weights)


def bounded(n: int, law: str) -> Any:
    """Which of the two panels is told by the schedule, but for its first two: see test_scaling."""
    return tv([-2 * mp.mpf(j) for j in range(n)]) if law.endswith("/n") else around(n, mp.mpf(2))


def able(n: Any, head: str) -> Any:
    if head == "constant-gap":
        return 1 / mp.log(9 * (n - 1))
    if head == "rightmost":
        return 1 / (n * mp.log(10))
    root = mp.findroot(lambda r: r**3 - 18 * r**2 - 1, 18)  # eps R^3 = 2(1-eps)R^2 + eps, eps = 1/10
    return 1 / (n**2 * mp.log(root))


def curves(picture: Picture) -> list[Curve]:
    return [curve for panel in picture.panels for curve in panel.curves]


def given(curve: Curve) -> dict[str, Any]:
    return {name: number(x) if isinstance(x, Fraction) else x for name, x in curve.given.items()}


def encloses(point: Point, value: Any) -> bool:
    slack = abs(value) * mp.mpf(10) ** -40
    return bool(number(point.lower) - slack <= value <= number(point.upper) + slack)


@pytest.mark.parametrize("identifier", PICTURES)
def test_data_enclose_the_true_values(identifier: str) -> None:
    for curve in curves(made(identifier)):
        if identifier == "C1" and "tau_0/n" not in str(curve.given.get("schedule", "tau_0/n")):
            continue
        truth = TRUE[identifier, curve.name]
        chosen = curve.points[:: max(1, len(curve.points) // 12)]
        for point in [*chosen, *curve.points[-1:]]:
            assert encloses(point, truth(number(point.x), given(curve))), (curve.name, curve.given, point.x)


def test_scaling_keeps_the_error_and_other_schedules_do_not() -> None:
    for panel, power in zip(made("C1").panels, (1, 2), strict=True):
        fixed, logarithmic, scaled = (curve.points for curve in panel.curves[:3])
        assert fixed[-1].lower > Fraction(9, 10)
        assert logarithmic[-1].lower > Fraction(9, 10)
        limit = panel.curves[3].points[0].upper
        # Below the limit by less than an enclosure is wide.
        assert all(point.lower <= limit for point in scaled)
        for point, n in zip(logarithmic, (4, 8, 16, 32), strict=False):
            x = 2 * mp.mpf(n.bit_length() - 1) / n**power  # c/(n^power tau), tau = 1/2 / log2 n
            assert encloses(point, tv([-x * j for j in range(n)]) if power == 1 else around(n, x))


EQUAL = {"A2", "A3", "A5", "A6", "A8", "B1", "B2", "B6"}


@pytest.mark.parametrize("identifier", [name for name in PICTURES if name[0] in "AB" and name != "A4"])
def test_bounds_lie_above_exact_values_and_meet_them_where_claimed(identifier: str) -> None:
    compared = 0
    panel = made(identifier).panels[-1]
    for exact in (curve for curve in panel.curves if curve.role is Role.EXACT):
        bound = next(c for c in panel.curves if c.role is Role.BOUND and c.group in (None, exact.group))
        above = {point.x: point for point in bound.points}
        for point in exact.points:
            assert point.lower <= above[point.x].upper
            compared += 1
            if identifier in EQUAL or exact.given.get("distances") == "r":
                assert point.upper >= above[point.x].lower
    assert compared >= 8


def test_exported_bounds_lie_above_exported_exact_values() -> None:
    for identifier in ("A2", "A8", "B1", "B6"):
        rows = list(csv.DictReader(io.StringIO(to_csv(made(identifier)))))
        x = made(identifier).panels[-1].x.key
        bounds = {(r.get("tau"), r.get("n"), r[x]): r for r in rows if r["curve"].startswith(("bound", "worst"))}
        exact = [r for r in rows if r["curve"] in ("exact worst case", "attained")]
        assert exact
        for row in exact:
            assert Fraction(row["TV"]) <= Fraction(bounds[row.get("tau"), row.get("n"), row[x]]["TV"])


def test_exported_values_are_rounded_to_the_safe_side() -> None:
    for identifier in ("A2", "C3", "B6"):
        picture = made(identifier)
        rows = list(csv.DictReader(io.StringIO(to_csv(picture))))
        points = [(panel, curve, point) for panel in picture.panels for curve in panel.curves for point in curve.points]
        assert len(rows) == len(points)
        for row, (panel, curve, point) in zip(rows, points, strict=True):
            value, side = Fraction(row[panel.y.key]), point.direction or curve.role.direction
            assert row["rounded"] == side.value
            assert value >= point.upper if side is Direction.UP else value <= point.lower
            assert abs(value - point.lower) <= abs(value) / 10**6
    for curve in made("B6").panels[0].curves:  # true positions 2, 5, 6 and 9: hard attention chooses 9
        assert [point.x for point in curve.points if point.direction is Direction.DOWN] == [9]
    lower = {role for role in Role if role.direction is Direction.DOWN}
    assert lower == {Role.LOWER, Role.BEST, Role.SUFFICIENT}


@pytest.mark.parametrize(
    ("identifier", "sign"),
    [("A2", 1), ("A3", 1), ("A4", 1), ("A5", 1), ("A6", 1), ("B1", 1), ("B2", 1), ("B3", -1), ("B4", -1), ("B5", -1),
     ("C2", -1), ("C3", -1), ("schedule", -1)],
)  # fmt: skip
def test_curves_are_monotone(identifier: str, sign: int) -> None:
    for curve in curves(made(identifier)):
        points = sorted(curve.points, key=lambda p: p.x)
        for a, b in itertools.pairwise(points):
            low, high = (a, b) if sign == 1 else (b, a)
            assert low.lower <= high.upper


def test_sufficient_temperatures_lie_below_necessary_ones() -> None:
    for identifier in ("C2", "C3", "schedule"):
        (panel,) = made(identifier).panels
        for group in range(len(panel.groups)):
            able, needed = (c.points for c in panel.curves if c.group == group)
            assert all(a.upper < b.lower for a, b in zip(able, needed, strict=False))


def test_critical_temperatures_and_windows_end_where_the_error_is_eps() -> None:
    for span in made("A3").panels[0].spans:
        truth = 1 / mp.log((number(span.given["n"]) - 1) * 19)  # type: ignore[arg-type]
        assert span.left is None
        assert number(span.right[0]) <= truth <= number(span.right[1])
    spans = made("A8").panels[0].spans
    assert len(spans) == 3
    for span in spans:
        assert span.left is not None
        n = number(span.given["n"])  # type: ignore[arg-type]
        outer, inner = (number(x) for x in span.left)
        assert a8(n, outer) > mp.mpf("0.1") >= a8(n, inner)
        inner, outer = (number(x) for x in span.right)
        assert a8(n, outer) > mp.mpf("0.1") >= a8(n, inner)
        assert outer - inner < 1e-8
    # The exported window lies inside the true one.
    rows = [r for r in csv.DictReader(io.StringIO(to_csv(made("A8")))) if r["curve"].startswith("window")]
    ends = {(r["curve"], r["n"]): Fraction(r["tau"]) for r in rows}
    for span in spans:
        n = {10: "10", 1000: "1000", 10**6: "10^6"}[int(span.given["n"])]
        assert span.left is not None
        assert span.left[1] <= ends["window from", n] < ends["window to", n] <= span.right[0]


def test_windows() -> None:
    grid = [Fraction(i) for i in range(1, 8)]
    found = window(lambda tau: Exact(abs(tau - 4)), grid, Fraction(3, 2))
    assert found is not None
    assert found[0] is not None
    assert found[0][0] < Fraction(5, 2) <= found[0][1]
    assert found[1][0] <= Fraction(11, 2) < found[1][1]
    assert window(lambda tau: Exact(tau), grid, Fraction(1, 2)) is None
    assert window(lambda tau: Exact(tau), grid, Fraction(9)) == (None, (7, 7))
    with pytest.raises(HardsoftError, match="no interval"):
        window(lambda tau: Exact(tau % 2), grid, Fraction(1, 2))


class Broken:
    """A number whose two enclosures differ."""

    def ball(self, prec: int) -> Any:
        return Exact(1).ball(prec)

    def mp(self, prec: int) -> Any:
        return from_exact(2, prec)


def test_enclosures_are_checked() -> None:
    assert enclose(Exact(Fraction(1, 2))) == (Fraction(1, 2), Fraction(1, 2))
    assert enclose(Exact(0)) == (0, 0)
    with pytest.raises(DisagreementError):
        enclose(Broken())
    for tiny in (Fraction(1, 10**301), Fraction(10**301)):
        with pytest.raises(InputError, match=r"10\^-?300"):
            enclose(Exact(tiny))


def test_grids_are_exact_and_hold_their_ends() -> None:
    assert integers(2, 6) == [2, 3, 4, 5, 6]
    long = integers(3, 10**6)
    assert long[0] == 3
    assert long[-1] == 10**6
    assert long == sorted(set(long))
    assert {10, 1000} <= set(long)
    assert len(long) < 80
    points = reals(Fraction(1, 80), Fraction(1, 2))
    assert points[0] == Fraction(1, 80)
    assert points[-1] == Fraction(1, 2)
    assert len(points) >= 48
    assert max(b / a for a, b in itertools.pairwise(points)) < 1.3
    assert len(integers(2, 10**300)) < 1000


def test_every_statement_has_a_picture_or_one_line_that_names_another() -> None:
    for letter, last in (("A", 8), ("B", 6), ("C", 3), ("D", 6), ("E", 5)):
        for place in range(1, last + 1):
            name = f"{letter}{place}"
            assert (name in PICTURES) != (name in INSTEAD)
            if name in INSTEAD:
                with pytest.raises(InputError, match="plot"):
                    build(name)


@pytest.mark.parametrize(("identifier", "unit"), [("A2", "gamma"), ("A3", "gamma"), ("A6", "gamma"), ("B4", "c")])
def test_defaults_scale_with_the_unit_of_score(identifier: str, unit: str) -> None:
    scaled = build(identifier, {unit: [Fraction(3)]})
    for ours, theirs in zip(curves(made(identifier)), curves(scaled), strict=True):
        if ours.role is not Role.EXACT:  # the grid between the marked points is decimal, and does not scale
            continue
        for a, b in zip(ours.points, theirs.points, strict=True):
            assert a.lower <= b.upper
            assert b.lower <= a.upper


def test_the_score_scale_of_schedules() -> None:
    given = {"c": [Fraction(2)], "n": [Fraction(4), Fraction(10**6)]}
    factors = {"constant-gap": 1, "rightmost": 2, "lookup": 2}
    for ours, theirs in zip(curves(made("schedule")), curves(build("schedule", given)), strict=True):
        for a, b in zip(ours.points[:3], theirs.points[:3], strict=True):
            factor = factors[str(ours.given["head"])]
            assert factor * a.lower <= b.upper
            assert b.lower <= factor * a.upper
