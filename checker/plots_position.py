"""Pictures of section B: heads whose scores grow without bound in the position, at a fixed temperature.

Bounds are the right-hand sides of the statements' claims. Exact values come from the definition of softmax and hard
attention, at rows written out position by position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction

from checker.attention import Row
from checker.errors import InputError
from checker.numerals import exact_text
from checker.picture import Axis, Curve, Panel, Picture, Role, point
from checker.plotchoice import Choice, caption_of, check_length, choose, first, label, stated
from checker.plots_gap import N_AXIS, TV_AXIS, TV_LOG, Given, times
from checker.quantity import tv, weight
from checker.rounding import Direction

CHI = "010011001000"
"""The predicate of B6's attention row: true at positions 2, 5, 6 and 9 of 12."""

LONGEST_CHI = 16
_SHORT = "2,3,4,6,8,12,16,24,32"


def falling(distances: Iterable[int], unit: Fraction) -> Row:
    """The row whose scores lie unit * distance below the maximum."""
    return Row.explicit(-unit * distance for distance in distances)


def one_sided(n: int, unit: Fraction) -> Row:
    """Scores that rise by `unit` per position: the row of equality in B1, B5 and (no true position) B6."""
    return falling(range(n - 1, -1, -1), unit)


def two_sided(n: int, unit: Fraction) -> Row:
    """Scores that fall by `unit` per position on both sides of the middle: the row of equality in B2."""
    left, right = sides(n)
    return falling([*range(left, 0, -1), *range(right + 1)], unit)


def lookup(n: int, unit: Fraction, shift: Fraction = Fraction(0)) -> Row:
    """Scores -unit (d^2 - 2 d shift) at d = -left..right: lookup of the middle position, the query off by shift."""
    left, right = sides(n)
    return Row.explicit(-unit * (d * d - 2 * d * shift) for d in range(-left, right + 1))


def sides(n: int) -> tuple[int, int]:
    """The numbers of positions left and right of the middle one, as equal as possible."""
    return (n - 1) // 2, n // 2


def _lengths(choice: Choice, least: int = 2) -> list[int]:
    lengths = choice.whole("n")
    check_length(lengths)
    if lengths[0] < least:
        raise InputError(f"n must be >= {least}, got {lengths[0]} (with fewer positions the error is 0)")
    return lengths


def _against_n(choice: Choice, name: str, limit: tuple[str, str], row: Callable[[int, Fraction], Row]) -> Panel:
    """Error against n at several temperatures; name: the claim of the bound; limit: that of its limit, and its text."""
    lengths, unit = _lengths(choice), choice.one("gamma" if "gamma" in choice.values else "c")
    grid = choice.lengths()
    curves: list[Curve] = []
    for group, tau in enumerate(choice.many("tau")):
        rows = [dict(zip("lr", sides(n), strict=True)) | {"n": n} for n in grid]
        upper = [point(at["n"], stated(name, **at, gamma=unit, c=unit, tau=tau)) for at in rows]
        ends = [point(n, stated(limit[0], gamma=unit, c=unit, tau=tau)) for n in (grid[0], grid[-1])]
        exact = [point(n, tv(row(n, unit), tau)) for n in lengths]
        curves += [
            Curve(Role.BOUND, f"bound ({name[:2]})", upper, {"tau": tau}, group),
            Curve(Role.LIMIT, limit[1], ends, {"tau": tau}, group),
            Curve(Role.EXACT, "exact worst case", exact, {"tau": tau}, group),
        ]
    return Panel(N_AXIS, TV_LOG, curves, choice.labels("tau"))


def _growth(given: Given, identifier: str, unit: str) -> Choice:
    taus = times(first(given, unit), "1/4 1/2 1 2")
    return choose(identifier, given, {unit: "1", "n": _SHORT, "tau": taus}, ("tau",), ("n",))


def b1(given: Given) -> Picture:
    """Linear growth on one side: error against n, below q for every n."""
    choice = _growth(given, "B1", "gamma")
    panel = _against_n(choice, "B1.left", ("B1.below", "limit $q$"), one_sided)
    caption = (
        rf"Scores that fall by $\gamma$ per position on one side ({caption_of(choice, 'gamma')}): total variation "
        r"against $n$, the bound of B1, attained, and its limit $q=e^{-\gamma/\tau}$."
    )
    return Picture("B1", "Linear growth, one side", caption, [panel], choice.values)


def b2(given: Given) -> Picture:
    """Linear growth on both sides of the middle: error against n = l + r + 1, below 2q/(1+q)."""
    choice = _growth(given, "B2", "gamma")
    panel = _against_n(choice, "B2.bound", ("B2.below", "limit $2q/(1+q)$"), two_sided)
    caption = (
        rf"Scores that fall by $\gamma$ per position on both sides of the middle ({caption_of(choice, 'gamma')}): "
        r"total variation against $n=l+r+1$, the bound of B2, attained, and its limit $2q/(1+q)$."
    )
    return Picture("B2", "Linear growth, both sides", caption, [panel], choice.values)


def _ratio(choice: Choice, unit: str) -> tuple[Fraction, Axis, list[Fraction]]:
    """The unit of the scores, the axis unit/tau, and the temperatures of its grid."""
    symbol = "c" if unit == "c" else r"\gamma"
    axis = Axis(f"{unit}/tau", rf"${symbol}/\tau$", log=True)
    return choice.one(unit), axis, choice.grid("tau")


def b3(given: Given) -> Picture:
    """Table lookup: error against c/tau; the theta bound, the closed bound, and exact rows of several lengths."""
    taus = times(first(given, "c"), "1/4 1/3 1/2 1 2 4 8 16")
    choice = choose("B3", given, {"c": "1", "tau": taus, "n": "3,9,33"}, ("n",), ("tau",))
    c, axis, grid = _ratio(choice, "c")
    curves = [
        Curve(Role.BOUND, r"$(\theta-1)/\theta$", [point(c / tau, stated("B3.theta", c=c, tau=tau)) for tau in grid]),
        Curve(Role.LIMIT, "closed form", [point(c / tau, stated("B3.closed", c=c, tau=tau)) for tau in grid]),
    ]
    for group, n in enumerate(_lengths(choice)):
        exact = [point(c / tau, tv(lookup(n, c), tau)) for tau in choice.many("tau")]
        curves.append(Curve(Role.EXACT, "exact", exact, {"n": Fraction(n)}, group))
    caption = (
        r"Table lookup with scores $-c(j-a)^2$: total variation against $c/\tau$ for $n$ positions around $a$, the "
        r"bound $(\theta-1)/\theta$ of B3, approached as $n$ grows, and the closed form $2q/(1+2q-q^3)$."
    )
    return Picture("B3", "Table lookup", caption, [Panel(axis, TV_AXIS, curves, choice.labels("n"))], choice.values)


def b4(given: Given) -> Picture:
    """Noisy lookup: error against c/tau for several noise levels, and exact rows with the query off by all of it."""
    taus = times(first(given, "c"), "1/8 1/6 1/4 1/3 1/2 1 2 4")
    defaults = {"c": "1", "tau": taus, "noise": "0,1/8,1/4,3/8", "n": "33"}
    choice = choose("B4", given, defaults, ("noise",), ("tau",))
    c, axis, grid = _ratio(choice, "c")
    n = _lengths(choice, 3)[0]
    curves = []
    for group, noise in enumerate(choice.many("noise")):
        upper = [point(c / tau, stated("B4.bound", c=c, noise=noise, tau=tau)) for tau in grid]
        exact = [point(c / tau, tv(lookup(n, c, noise), tau)) for tau in choice.many("tau")]
        curves += [
            Curve(Role.BOUND, "bound (B4)", upper, {"noise": noise}, group),
            Curve(Role.EXACT, rf"exact, ${label('n', Fraction(n))[1:]}", exact, {"noise": noise}, group),
        ]
    caption = (
        r"Noisy lookup: the query is off by at most $h$. Total variation against $c/\tau$: the bound of B4, and rows "
        rf"of {label('n', Fraction(n))} positions with the query off by exactly $h$."
    )
    return Picture("B4", "Noisy lookup", caption, [Panel(axis, TV_LOG, curves, choice.labels("noise"))], choice.values)


def b5(given: Given) -> Picture:
    """Distinct distances: error against gamma/tau for three sequences of distances, all below q."""
    taus = times(first(given, "gamma"), "1/4 1/3 1/2 1 2 4 8")
    choice = choose("B5", given, {"gamma": "1", "tau": taus, "n": "16"}, (), ("tau",))
    gamma, axis, grid = _ratio(choice, "gamma")
    n = _lengths(choice)[0]
    curves = [
        Curve(Role.BOUND, "bound (B5)", [point(gamma / t, stated("B5.listed", n=n, gamma=gamma, tau=t)) for t in grid]),
        Curve(Role.LIMIT, "$q$", [point(gamma / t, stated("B5.strict", gamma=gamma, tau=t)) for t in grid]),
    ]
    sequences = (("$r$", lambda r: r), ("$2r-1$", lambda r: 2 * r - 1), ("$r^2$", lambda r: r * r))
    for group, (text, distance) in enumerate(sequences):
        row = falling([0, *(distance(r) for r in range(1, n))], gamma)
        exact = [point(gamma / tau, tv(row, tau)) for tau in choice.many("tau")]
        curves.append(Curve(Role.EXACT, "exact", exact, {"distances": text.strip("$")}, group))
    caption = (
        rf"Distinct distances ({label('n', Fraction(n))}): total variation against $\gamma/\tau$ when the $r$-th "
        r"smallest distance from the maximum is $\gamma$ times $r$, $2r-1$ or $r^2$; the bound of B5 and $q$."
    )
    groups = [f"distances {text}" for text, _ in sequences]
    return Picture("B5", "Distinct distances", caption, [Panel(axis, TV_AXIS, curves, groups)], choice.values)


def b6(given: Given, chi: str = CHI) -> Picture:
    """Rightmost true position: the attention row as q varies, and the error of the worst rows against n.

    chi: the predicate at positions 1..i as a string of 0 and 1 (at most 16), the query being at the last position i.
    Raises InputError otherwise.
    """
    if not 2 <= len(chi) <= LONGEST_CHI or set(chi) - set("01"):
        raise InputError(f"--chi must be 2 to {LONGEST_CHI} digits 0 or 1, got {chi[:40]!r}")
    choice = _growth(given, "B6", "c")
    c, i = choice.one("c"), len(chi)
    row = Row.explicit(c * (2 * i * int(true) + j) for j, true in enumerate(chi, start=1))
    chosen = row.scores.index(row.top)
    curves = []
    for group, tau in enumerate(choice.many("tau")):
        # The safe side of a weight: up, but down for that of the position that hard attention chooses.
        weights = [
            replace(point(j + 1, weight(row, tau, j)), direction=Direction.DOWN if j == chosen else Direction.UP)
            for j in range(i)
        ]
        curves.append(Curve(Role.EXACT, "soft attention", weights, {"tau": tau}, group, joined=True))
    ticks = [f"${j}$\n${true}$" for j, true in enumerate(chi, start=1)]
    axis = Axis("j", r"position $j$, and $\chi_j$ below it")
    groups = [rf"$q=e^{{-{exact_text(c / tau)}}}$" for tau in choice.many("tau")]
    weights_axis = Axis("weight", "attention weight", limits=(Fraction(-3, 100), Fraction(103, 100)))
    left = Panel(axis, weights_axis, curves, groups, ticks=ticks)
    right = replace(_against_n(choice, "B6.rightmost", ("B6.below", "limit $q$"), one_sided), groups=groups)
    caption = (
        rf"The rightmost position with $\chi_j$ ({caption_of(choice, 'c')}): (a) the attention row of the query at "
        rf"$i={i}$ for several $q=e^{{-c/\tau}}$, (b) total variation of the worst rows against $n$, the bound of "
        r"B6 and its limit $q$."
    )
    return Picture("B6", "Rightmost position with a predicate", caption, [left, right], choice.values)
