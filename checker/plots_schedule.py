"""Pictures of section C and of schedules: the temperature as a function of n, for bounded scores.

Sufficient temperatures are the formulas of `checker.schedule`, each derived there from its claims before it is used;
necessary ones are the bounds of C2 and C3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from checker.attention import Row
from checker.decide import Expression
from checker.env import Env
from checker.errors import InputError
from checker.picture import Axis, Curve, Panel, Picture, Point, Role, enclose, point
from checker.plotchoice import MOST_CURVES, caption_of, check_length, choose, first, label, stated
from checker.plots_gap import N_AXIS, TV_AXIS, Given, check_spread, valid
from checker.plots_position import lookup, one_sided
from checker.quantity import tv
from checker.schedule import Schedule, make_schedule
from checker.schedule_heads import HEADS
from checker.sides import Affine

T_AXIS = Axis("tau", r"temperature $\tau(n)$", log=True)
_LENGTHS = "4,10,100,1000,10^4,10^5,10^6"
_LAWS = (r"1/\log n", "1/n", "1/n^2")  # by the power of n that bounds the scores


def sufficient(made: Schedule, n: int, c: Fraction) -> Expression:
    """The temperature of a schedule for scores of scale c, at the length n."""
    return Expression(made.tau, Env({**made.scalars(n), "c": c}))


def necessary(made: Schedule, n: int) -> Expression | None:
    """The temperature above which C2 or C3 excludes the target, at the length n; None where nothing is known."""
    needed = made.necessity
    if needed is None or needed.expr is None:
        return None
    return Expression(needed.expr, Env(made.scalars(n)))


def schedule(given: Given, names: Sequence[str] = ()) -> Picture:
    """Schedules tau(n) of heads with bounded scores on logarithmic axes, sufficient and (C2, C3) necessary.

    names: heads of `checker.schedule_heads.HEADS`; none: constant-gap, rightmost and lookup. eps bounds TV and is
    below 1/2. delta: the spread at constant gap.
    """
    for name in names:
        if name not in HEADS:
            raise InputError(f"no head {name!r}; there are {', '.join(HEADS)}")
    chosen = [HEADS[name] for name in dict.fromkeys(names or ("constant-gap", "rightmost", "lookup"))]
    if len(chosen) > MOST_CURVES:
        raise InputError(f"at most {MOST_CURVES} heads are drawn, got {len(chosen)}")
    gamma = first(given, "gamma")
    defaults = {"gamma": "1", "n": _LENGTHS, "eps": "1/10", "c": "1", "delta": str(2 * gamma), "noise": "1/4"}
    choice = choose("schedule", given, defaults, (), ("n",))
    eps, c, delta = (choice.one(name) for name in ("eps", "c", "delta"))
    lengths = choice.whole("n")
    valid(lengths)
    check_spread(gamma, delta)
    _below_half(eps, 2 * eps, lengths[0])
    curves: list[Curve] = []
    used: dict[str, None] = {}
    for group, head in enumerate(chosen):
        # At constant gap the scores are those of the statement (c = 1). C1.bounded: those of rightmost lie in 0..3c.
        constant = head.name == "constant-gap"
        values = {"gamma": gamma, "noise": choice.one("noise"), "spread": delta if constant else 3 * c}
        options = {name: x for name, x in values.items() if name in head.options}
        used |= dict.fromkeys(["delta" if name == "spread" and constant else name for name in options])
        made = make_schedule(head.name, eps, "scaled", options)
        scale, at, grid = Fraction(1) if constant else c, {"head": head.name}, choice.lengths()
        curves.append(
            Curve(Role.SUFFICIENT, "sufficient", [point(n, sufficient(made, n, scale)) for n in grid], at, group)
        )
        needed = [(n, necessary(made, n)) for n in grid]
        excluded = [point(n, side) for n, side in needed if side is not None]
        curves.append(Curve(Role.NECESSARY, "necessary", excluded, at, group))
    groups = [rf"{head.name.replace('-', ' ')}, ${_LAWS[head.power]}$" for head in chosen]
    shown: list[str] = [name for name in ("gamma", "delta", "noise") if name in used]
    shown += ["c"] * any(head.power for head in chosen)
    caption = (
        rf"Temperatures $\tau(n)$ for $\mathrm{{TV}}\le\varepsilon$ with bounded scores "
        rf"({caption_of(choice, 'eps', *shown)}): sufficient ones by the statements' bounds (solid), and those above "
        r"which C2 and C3 exclude it (dashed)."
    )
    return Picture("schedule", "Temperature schedules", caption, [Panel(N_AXIS, T_AXIS, curves, groups)], choice.values)


def _below_half(eps: Fraction, l1: Fraction, least_n: int) -> None:
    if not (eps < Fraction(1, 2) and l1 < Fraction(2 * (least_n - 1), least_n)):
        raise InputError(f"eps must be below 1/2 and 1 - 1/n at the least n = {least_n}, got {eps}")


def c1(given: Given) -> Picture:
    """Bounded scores: the error of the rightmost head and of lookup at tau_0, tau_0/log n and tau_0/n or tau_0/n^2.

    For the logarithm the exact rational schedule tau_0/ceil(log2 n) is used. All values are from the definition.
    """
    defaults = {"c": "1", "n": "4,8,16,32,64,128,256", "tau": str(first(given, "c") / 2)}
    choice = choose("C1", given, defaults, (), ("n",))
    c, tau, lengths = choice.one("c"), choice.one("tau"), choice.whole("n")
    valid(lengths)
    check_length(lengths)
    panels = [_bounded(lengths, c, tau, 1, one_sided, "B6.below"), _bounded(lengths, c, tau, 2, lookup, "B3.theta")]
    caption = (
        rf"Bounded scores ({caption_of(choice, 'c')}, $\tau_0={label('tau', tau).partition('=')[2]}): total variation "
        r"of (a) the worst rows of the rightmost head and (b) table lookup, under three schedules. Only "
        r"$\tau_0/n$, and $\tau_0/n^2$ for lookup, keep it below the bound of the unbounded scores."
    )
    return Picture("C1", "Scaling law", caption, panels, choice.values)


def _bounded(
    lengths: Sequence[int], c: Fraction, tau: Fraction, power: int, row: Callable[[int, Fraction], Row], limit: str
) -> Panel:
    text = "n" if power == 1 else "n^2"
    laws: list[tuple[str, Callable[[int], int]]] = [
        (r"$\tau_0$", lambda _: 1),
        (r"$\tau_0/\lceil\log_2 n\rceil$", lambda n: max(1, (n - 1).bit_length())),
        (rf"$\tau_0/{text}$", lambda n: n**power),
    ]
    curves = []
    for group, (schedule_text, divisor) in enumerate(laws):
        points = [point(n, tv(row(n, c / n**power), tau / divisor(n))) for n in lengths]
        given = {"schedule": schedule_text.strip("$").replace("\\", "")}
        curves.append(Curve(Role.EXACT, "exact", points, given, group, joined=True))
    ends = [point(n, stated(limit, c=c, tau=tau)) for n in (lengths[0], lengths[-1])]
    name = "$q$" if power == 1 else r"$(\theta-1)/\theta$"
    curves.append(Curve(Role.LIMIT, f"bound {name}", ends))
    return Panel(N_AXIS, TV_AXIS, curves, [text for text, _ in laws])


def c2(given: Given) -> Picture:
    """The rightmost head with spread delta: temperatures sufficient for TV <= eps (B6, C1) and necessary (C2)."""
    choice = choose("C2", given, {"n": _LENGTHS, "eps": "1/1000,1/4", "delta": "1"}, ("eps",), ("n",))
    delta, lengths = choice.one("delta"), choice.whole("n")
    valid(lengths)
    _below_half(choice.many("eps")[-1], Fraction(0), lengths[0])
    grid = choice.lengths()
    curves: list[Curve] = []
    for group, eps in enumerate(choice.many("eps")):
        # C1.bounded: the scores c (2 chi + j/n) lie in 0..3c, so c = delta/3 has spread at most delta.
        made = make_schedule("rightmost", eps, "scaled", {"spread": delta})
        able = [point(n, sufficient(made, n, delta / 3)) for n in grid]
        needed = [point(n, stated("C2.bound", n=n, delta=delta, eps=eps)) for n in grid]
        curves += [
            Curve(Role.SUFFICIENT, "sufficient (B6, C1)", able, {"eps": eps}, group),
            Curve(Role.NECESSARY, "necessary (C2)", needed, {"eps": eps}, group),
        ]
    caption = (
        rf"The rightmost head with scores of spread at most {label('delta', delta)}: temperatures at which "
        r"$\mathrm{TV}\le\varepsilon$ by B6 and C1, and those that C2 excludes (above the dashed lines)."
    )
    panel = Panel(N_AXIS, T_AXIS, curves, choice.labels("eps"))
    return Picture("C2", "Necessity for rightmost", caption, [panel], choice.values)


def c3(given: Given) -> Picture:
    """Constant gap: tau(n) = gamma/L sufficient and delta/L necessary for L1 <= eps, both of the order 1/log n."""
    gamma = first(given, "gamma")
    defaults = {"gamma": "1", "n": _LENGTHS, "eps": "1/1000,1/10,1", "delta": str(2 * gamma)}
    choice = choose("C3", given, defaults, ("eps",), ("n",), largest_eps=2)
    delta, lengths = choice.one("delta"), choice.whole("n")
    valid(lengths)
    check_spread(gamma, delta)
    last = choice.many("eps")[-1]
    if last >= Fraction(2 * (lengths[0] - 1), lengths[0]):
        raise InputError(f"eps must be below 2(n-1)/n at the least n = {lengths[0]}, got {last}")
    grid = choice.lengths()
    curves: list[Curve] = []
    for group, eps in enumerate(choice.many("eps")):
        needed = [stated("C3.necessary", n=n, delta=delta, eps=eps) for n in grid]
        # C3.sufficient: the same with gamma in place of delta.
        able = [Point(Fraction(n), *enclose(Affine(side, gamma / delta))) for n, side in zip(grid, needed, strict=True)]
        curves += [
            Curve(Role.SUFFICIENT, r"sufficient, $\gamma/L$", able, {"eps": eps}, group),
            Curve(Role.NECESSARY, r"necessary, $\delta/L$",
                  [point(n, side) for n, side in zip(grid, needed, strict=True)], {"eps": eps}, group),
        ]  # fmt: skip
    caption = (
        rf"Gap {label('gamma', gamma)} and spread {label('delta', delta)}: temperatures sufficient and necessary for "
        r"$E\le\varepsilon$ by C3, with $L=\log((n-1)(2-\varepsilon)/\varepsilon)$."
    )
    return Picture("C3", "Log scaling", caption, [Panel(N_AXIS, T_AXIS, curves, choice.labels("eps"))], choice.values)
