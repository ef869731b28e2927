"""Pictures of A2 to A4: gap bound, critical temperature, dispersion.

Bounds are the right-hand sides of the statements' claims; exact values come from the definition of softmax and hard
attention, at the rows for which the statements claim equality.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from checker.attention import Row
from checker.errors import InputError
from checker.exact import show
from checker.parameters import check_row
from checker.picture import Axis, Curve, Panel, Picture, Role, Span, enclose, point
from checker.plotchoice import caption_of, choose, first, label, stated
from checker.quantity import l1, tv
from checker.sides import Affine

Given = Mapping[str, Sequence[Fraction]]

N_AXIS = Axis("n", "number of positions $n$", log=True)
TAU_AXIS = Axis("tau", r"temperature $\tau$", log=True)
TV_AXIS = Axis("TV", r"error $\mathrm{TV}$", limits=(Fraction(0), Fraction(103, 100)))
TV_LOG = Axis("TV", r"error $\mathrm{TV}$", log=True)
LENGTHS = "2,10,100,1000,10^4,10^5,10^6"


def gap_row(n: int, k: int, distance: Fraction) -> Row:
    """k maximal scores 0, and n - k scores all `distance` below: the row of equality in A2 and A4."""
    return Row.multiset({Fraction(0): k, -distance: n - k})


def valid(lengths: Sequence[int], k: int = 1) -> None:
    """InputError unless 1 <= k < n for every length n."""
    for n in lengths:
        check_row({"n": Fraction(n), "k": Fraction(k)})


def check_spread(gamma: Fraction, delta: Fraction) -> None:
    """InputError unless gamma <= delta: no row with a gap of at least gamma has a smaller spread."""
    if delta < gamma:
        raise InputError(f"delta must be at least gamma = {show(gamma)}, got {show(delta)}")


def times(unit: Fraction, factors: str) -> str:
    """The factors ("1/24 1/20") times the unit, as a list of numbers: defaults that scale with another parameter."""
    return ",".join(str(unit * Fraction(factor)) for factor in factors.split())


def a2(given: Given) -> Picture:
    """Error against n at several temperatures: A2's bound, attained, and A4's lower bound at spread delta."""
    gamma = first(given, "gamma")
    defaults = {"gamma": "1", "n": LENGTHS, "tau": times(gamma, "1/12 1/6 1/3"), "k": "1", "delta": times(gamma, "3/2")}
    choice = choose("A2", given, defaults, ("tau",), ("n",))
    k, delta, lengths = int(choice.one("k")), choice.one("delta"), choice.whole("n")
    valid(lengths, k)
    check_spread(gamma, delta)
    grid = choice.lengths()
    curves = []
    for group, tau in enumerate(choice.many("tau")):
        upper = [point(n, stated("A2.bound", n=n, k=k, gamma=gamma, tau=tau)) for n in grid]
        lower = [point(n, stated("A4.distance", n=n, k=k, delta=delta, tau=tau)) for n in grid]
        exact = [point(n, tv(gap_row(n, k, gamma), tau)) for n in lengths]
        at = {"tau": tau}
        curves += [
            Curve(Role.BOUND, "bound (A2)", upper, at, group),
            Curve(Role.LOWER, "lower bound (A4)", lower, at, group),
            Curve(Role.EXACT, "exact worst case", exact, at, group),
        ]
    caption = (
        r"Total variation between softmax and average-hard attention against $n$ "
        rf"({caption_of(choice, 'gamma', 'k')}): the bound of A2, attained, and the lower bound of A4 "
        rf"for spread {label('delta', delta)}."
    )
    return Picture("A2", "Gap bound", caption, [Panel(N_AXIS, TV_LOG, curves, choice.labels("tau"))], choice.values)


def a3(given: Given) -> Picture:
    """Worst-case L1 error against the temperature for several n; it passes eps at the critical temperature."""
    gamma = first(given, "gamma")
    taus = times(gamma, "1/24 1/20 1/16 1/12 1/10 1/8 1/6 1/4 1/3 1/2")
    defaults = {"gamma": "1", "n": "10,1000,10^6", "tau": taus, "k": "1", "eps": "1/10"}
    choice = choose("A3", given, defaults, ("n",), ("tau",), largest_eps=2)
    k, eps = int(choice.one("k")), choice.one("eps")
    valid(choice.whole("n"), k)
    curves, spans = [], []
    for group, n in enumerate(choice.whole("n")):
        upper = [
            # A2: TV = E/2 <= bound, with equality for some row.
            point(tau, Affine(stated("A2.bound", n=n, k=k, gamma=gamma, tau=tau), Fraction(2)))
            for tau in choice.grid("tau")
        ]
        exact = [point(tau, l1(gap_row(n, k, gamma), tau)) for tau in choice.many("tau")]
        at = {"n": Fraction(n)}
        curves += [
            Curve(Role.BOUND, "bound (A2)", upper, at, group),
            Curve(Role.EXACT, "exact worst case", exact, at, group),
        ]
        if eps < Fraction(2 * (n - k), n):  # else every temperature will do (A3.always)
            critical = enclose(stated("A3.necessary", n=n, k=k, gamma=gamma, eps=eps))
            spans.append(Span("critical temperature", None, critical, eps, group, at))
    axis = Axis("E", "worst-case error $E$", log=True, limits=(eps / 100, Fraction(3)))
    panel = Panel(TAU_AXIS, axis, curves, choice.labels("n"), spans, [(eps, r"$\varepsilon$")])
    caption = (
        rf"Worst-case $L^1$ error $E$ against $\tau$ ({caption_of(choice, 'gamma', 'k')}). It passes "
        rf"{label('eps', eps)} exactly at the critical temperature of A3 (vertical lines)."
    )
    return Picture("A3", "Critical temperature", caption, [panel], choice.values)


def a4(given: Given) -> Picture:
    """Dispersion: the least error of rows with spread delta tends to 1 at every fixed temperature."""
    delta = first(given, "delta")
    defaults = {"delta": "1", "n": LENGTHS, "tau": times(delta, "1/12 1/6 1/3 1"), "k": "1"}
    choice = choose("A4", given, defaults, ("tau",), ("n",))
    k, lengths = int(choice.one("k")), choice.whole("n")
    valid(lengths, k)
    grid = choice.lengths()
    curves = []
    for group, tau in enumerate(choice.many("tau")):
        lower = [point(n, stated("A4.distance", n=n, k=k, delta=delta, tau=tau)) for n in grid]
        exact = [point(n, tv(gap_row(n, k, delta), tau)) for n in lengths]
        curves += [
            Curve(Role.LOWER, "lower bound (A4)", lower, {"tau": tau}, group),
            Curve(Role.BEST, "exact best case", exact, {"tau": tau}, group),
        ]
    caption = (
        rf"Dispersion ({caption_of(choice, 'delta', 'k')}): the least total variation that scores of spread at most "
        r"$\delta$ allow, which tends to $1$ as $n$ grows."
    )
    return Picture("A4", "Dispersion", caption, [Panel(N_AXIS, TV_AXIS, curves, choice.labels("tau"))], choice.values)
