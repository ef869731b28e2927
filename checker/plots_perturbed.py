"""Pictures of A5, A6 and A8: perturbed scores, and the window of temperatures."""

from __future__ import annotations

from fractions import Fraction

from checker.attention import Row
from checker.errors import InputError
from checker.exact import show
from checker.picture import Axis, Curve, Panel, Picture, Point, Role, Span, point
from checker.plotchoice import caption_of, choose, first, label, stated
from checker.plots_gap import TAU_AXIS, TV_LOG, Given, gap_row, times, valid
from checker.plotwindow import attained, window
from checker.quantity import tv_between, tv_perturbed

RATIO_AXIS = Axis("eta/tau", r"perturbation $\eta/\tau$")


def a5(given: Given) -> Picture:
    """Distance of two softmaxes whose scores differ by at most eta, against eta/tau, with the attained values."""
    tau = first(given, "tau")
    defaults = {"tau": "1", "eta": times(tau, "0 1/2 1 3/2 2 5/2 3 7/2 4 9/2 5 11/2 6")}
    choice = choose("A5", given, defaults, (), ("eta",))
    grid = choice.grid("eta", even=True)

    def bound(name: str) -> list[Point]:
        return [point(eta / tau, stated(name, eta=eta, tau=tau)) for eta in grid]

    def exact(eta: Fraction) -> Point:
        # A5.tight: the set is position 1, of mass exp(-eta/tau)/(1 + exp(-eta/tau)) = 1/(exp(eta/tau) + 1).
        below, zero = -eta, Fraction(0)
        return point(eta / tau, tv_between(Row.explicit([below, zero]), Row.explicit([zero, below]), tau))

    curves = [
        Curve(Role.BOUND, "bound (A5)", bound("A5.bound")),
        Curve(Role.LIMIT, "linear bound", bound("A5.linear")),
        Curve(Role.EXACT, "attained", [exact(eta) for eta in choice.many("eta")]),
    ]
    axis = Axis("TV", r"distance $\mathrm{TV}$", limits=(Fraction(0), Fraction(103, 100)))
    caption = (
        r"Total variation between the softmaxes of scores that differ by at most $\eta$: "
        r"the bound $\tanh(\eta/(2\tau))$ of A5, attained, and the linear bound $\eta/(2\tau)$."
    )
    return Picture("A5", "Perturbed scores", caption, [Panel(RATIO_AXIS, axis, curves)], choice.values)


def a6(given: Given) -> Picture:
    """A tieless head with perturbed scores: error against eta/tau for several n, with the attained values."""
    gamma = first(given, "gamma")
    etas = times(gamma, " ".join(f"{i}/32" for i in range(16)))
    defaults = {"gamma": "1", "n": "2,100,10^4", "eta": etas, "tau": times(gamma, "1/16")}
    choice = choose("A6", given, defaults, ("n",), ("eta",))
    tau, last = choice.one("tau"), choice.many("eta")[-1]
    valid(choice.whole("n"))
    if 2 * last >= gamma:
        raise InputError(f"A6 needs 2*eta < gamma, got eta = {show(last)}, gamma = {show(gamma)}")
    curves = []
    for group, n in enumerate(choice.whole("n")):

        def exact(eta: Fraction, n: int = n) -> Point:
            # A6.tight: the maximal score falls by eta, the others, at the gap, rise by eta.
            row, moved = gap_row(n, 1, gamma), Row((-eta, eta - gamma), (1, n - 1))
            return point(eta / tau, tv_perturbed(row, moved, tau))

        grid = choice.grid("eta", even=True)
        upper = [point(eta / tau, stated("A6.bound", n=n, gamma=gamma, eta=eta, tau=tau)) for eta in grid]
        curves += [
            Curve(Role.BOUND, "bound (A6)", upper, {"n": Fraction(n)}, group),
            Curve(Role.EXACT, "attained", [exact(eta) for eta in choice.many("eta")], {"n": Fraction(n)}, group),
        ]
    caption = (
        rf"A tieless head ({caption_of(choice, 'gamma', 'tau')}) whose scores are off by at most $\eta<\gamma/2$: "
        r"the bound of A6 against $\eta/\tau$, attained."
    )
    panel = Panel(RATIO_AXIS, TV_LOG, curves, choice.labels("n"))
    return Picture("A6", "Tieless and perturbed", caption, [panel], choice.values)


def a8(given: Given) -> Picture:
    """The window of temperatures: exact worst case against tau for several n, and the two effects it is made of.

    The ends of the window are certified crossings of eps; between them the error is compared with eps at the points
    of the grid only (see `checker.plotwindow`).
    """
    gamma = first(given, "gamma")
    taus = times(gamma, "1/80 1/50 1/32 1/24 1/16 1/12 1/8 1/6 1/4 1/3 1/2")
    defaults = {"gamma": "1", "n": "10,1000,10^6", "tau": taus, "k": "2", "eta": times(gamma, "1/200"), "eps": "1/10"}
    choice = choose("A8", given, defaults, ("n",), ("tau",))
    k, eta, eps = int(choice.one("k")), choice.one("eta"), choice.one("eps")
    valid(choice.whole("n"), k)
    grid = choice.grid("tau")
    effect = [point(tau, stated("A5.bound", eta=eta, tau=tau)) for tau in grid] if eta else []  # eta = 0: no effect
    curves: list[Curve] = []
    spans = []
    for group, n in enumerate(choice.whole("n")):
        worst = {tau: stated("A8.bound", n=n, k=k, gamma=gamma, eta=eta, tau=tau) for tau in grid}
        gap = [point(tau, stated("A2.bound", n=n, k=k, gamma=gamma, tau=tau)) for tau in grid]
        exact = [point(tau, attained(n, k, gamma, eta, tau)) for tau in choice.many("tau")]
        at = {"n": Fraction(n)}
        curves += [
            Curve(Role.BOUND, "worst case (A8)", [point(tau, side) for tau, side in worst.items()], at, group),
            Curve(Role.LIMIT, "gap bound (A2)", gap, at, group),
            Curve(Role.EXACT, "attained", exact, at, group),
        ]
        found = window(lambda tau, n=n: stated("A8.bound", n=n, k=k, gamma=gamma, eta=eta, tau=tau), grid, eps)  # type: ignore[misc]
        if found is not None:
            spans.append(Span("window", *found, eps, group, at))
    curves.append(Curve(Role.TERM, "perturbation (A5)", effect))
    axis = Axis("TV", r"error $\mathrm{TV}$", log=True, limits=(eps / 30, Fraction(3, 2)))
    panel = Panel(TAU_AXIS, axis, curves, choice.labels("n"), spans, [(eps, r"$\varepsilon$")])
    caption = (
        rf"Average-hard attention with scores off by at most {label('eta', eta)} ({caption_of(choice, 'gamma', 'k')}): "
        r"the exact worst case of A8, its two effects, and the window of temperatures with error at most "
        rf"{label('eps', eps)}."
    )
    return Picture("A8", "Window of temperatures", caption, [panel], choice.values)
