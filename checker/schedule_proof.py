"""That the temperature a schedule prints suffices: derived by the rules of proofs/derivation.py, once per head.

For every head: tau <= c rate/log R implies bound <= eps, where `bound` is the right-hand side of the claim that the
schedule rests on; with c replaced by c/n^power for scores divided by n^power. A rule rejects a wrong formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import sympy as sp

from checker.schedule_heads import CUBIC, Head, noise, ratio
from proofs.a_softmax_gap.row import eps, gamma, k, n, tau
from proofs.b_positional.b6_predicate import c
from proofs.derivation import Derivation
from proofs.facts import EXP_INCREASING, EXP_LOG, EXP_STRICTLY_INCREASING, LOG_POSITIVE
from proofs.props import Rel, instantiate, substitute
from proofs.sequent import Step, Theorem
from proofs.statement import Claim, Library

X, Y = sp.symbols("x y", real=True)
FIXED = "schedule.formula"
_R, _LOG = sp.symbols("ratio log_ratio", real=True)


def domain(rate: sp.Expr, root: sp.Expr) -> tuple[Rel, ...]:
    """The range of the parameters in which a head's formula holds; what R is where it is not given explicitly."""
    ranges = [Rel(eps, ">", 0), Rel(eps, "<", 1), Rel(tau, ">", 0), Rel(c, ">", 0)]
    if rate == gamma:
        ranges.append(Rel(gamma, ">", 0))
    if k in root.free_symbols:
        ranges += [Rel(1, "<=", k), Rel(k + 1, "<=", n), Rel(eps, "<", (n - k) / n)]
    if noise in rate.free_symbols:
        ranges += [Rel(noise, ">=", 0), Rel(noise, "<", sp.Rational(1, 2))]
    if root == ratio:
        ranges += [Rel(ratio, ">", 0), Rel(CUBIC, "=", 0)]
    return tuple(ranges)


def formula_claim(rate: sp.Expr, root: sp.Expr, stated: sp.Expr) -> Claim:
    """The claim: tau <= c rate/log R implies that the stated bound is at most eps. `root` is R, or the symbol R."""
    scale = c * rate
    # In the stated bound c stands for c * gamma where scores fall by gamma per position.
    bound = substitute(stated, {c: c * gamma}) if rate == gamma else stated

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *known, cold = given
        meaning = d.define(_R, root)
        above_one = d.polynomial(_R, ">", 1, [meaning, *known])
        log_meaning = d.define(_LOG, sp.log(root))
        positive = d.analysis(LOG_POSITIVE, {X: _R}, [above_one])
        log_positive = d.substitute(positive, [meaning, log_meaning], Rel(_LOG, ">", 0))
        named = d.substitute(cold, [log_meaning], Rel(tau, "<=", scale / _LOG))
        order = d.polynomial(-scale / tau, "<=", -_LOG, [named, log_positive, *known])
        grown = d.analysis(EXP_INCREASING, {X: -scale / tau, Y: -_LOG}, [order])
        ratio_positive = d.polynomial(_R, ">", 0, [above_one])
        log_of = d.substitute(log_meaning, [meaning], Rel(_LOG, "=", sp.log(_R)))
        inverse = d.analysis(EXP_LOG, {X: _R, Y: _LOG}, [ratio_positive, log_of])
        small = d.polynomial(sp.exp(-scale / tau) * _R, "<=", 1, [grown, inverse, ratio_positive])
        facts = [small, meaning, above_one, *known]
        if noise in rate.free_symbols:
            return _noisy(d, scale, bound, facts)
        return d.polynomial(bound, "<=", eps, facts)

    hypotheses = (*domain(rate, root), Rel(tau, "<=", scale / sp.log(root)))
    return Claim(FIXED, "a formula at a fixed temperature", (), hypotheses, Rel(bound, "<=", eps), derive)


def _noisy(d: Derivation, scale: sp.Expr, bound: sp.Expr, facts: Sequence[Step]) -> Step:
    """B4's bound is at most B3's closed form at y = q^(1-2h), since q^(3-2h) <= q^(3-6h) = y^3 for h >= 0."""
    wide = scale / (1 - 2 * noise) * (3 - 2 * noise)
    y, w = sp.symbols("y w", real=True)
    order = d.polynomial(-wide / tau, "<=", -3 * scale / tau, facts[3:])
    cubed = d.analysis(EXP_INCREASING, {X: -wide / tau, Y: -3 * scale / tau}, [order])
    down = d.polynomial(-3 * scale / tau, "<", 0, facts[3:])
    below = d.analysis(EXP_STRICTLY_INCREASING, {X: -3 * scale / tau, Y: sp.S.Zero}, [down])
    y_is, w_is = d.define(y, sp.exp(-scale / tau)), d.define(w, sp.exp(-wide / tau))
    y_positive = d.polynomial(y, ">", 0, [y_is])
    w_small = d.polynomial(w, "<=", y**3, [w_is, y_is, cubed])
    y_small = d.polynomial(y**3, "<", 1, [y_is, below])
    scaled = d.polynomial(y * _R, "<=", 1, [y_is, facts[0]])
    side = y / (1 - w)
    named = d.polynomial(2 * side / (1 + 2 * side), "<=", eps, [y_positive, w_small, y_small, scaled, *facts[1:]])
    return d.substitute(named, [y_is, w_is], Rel(bound, "<=", eps))


def scaled_claim(base: Claim, power: int) -> Claim:
    """The instance of a formula_claim at c/n^power: scores divided by n^power."""
    scaled = {c: c / n**power}
    ranges, cold = base.hypotheses[:-1], base.hypotheses[-1]

    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        one_n, *steps = given
        c_positive = next(step for step in steps if step.prop == Rel(c, ">", 0))
        positive = d.polynomial(c / n**power, ">", 0, [one_n, c_positive])
        return d.cite(FIXED, scaled, [*steps, positive])

    stated = (Rel(1, "<=", n), *ranges, instantiate(cold, scaled))
    text = f"the formula with scores divided by n^{power}"
    return Claim(f"{FIXED}-{power}", text, (), stated, instantiate(base.conclusion, scaled), derive)


@cache
def library(rate: sp.Expr, root: sp.Expr, stated: sp.Expr) -> Library:
    """The claims about one formula: at a fixed temperature, and with scores divided by n and by n^2."""
    base = formula_claim(rate, root, stated)
    return Library([base, scaled_claim(base, 1), scaled_claim(base, 2)])


def prove(head: Head, power: int) -> Theorem:
    """The theorem behind the head's formula with scores divided by n^power; raises ProofError if a rule rejects it."""
    proved = library(head.rate, ratio if head.cubic else head.ratio, head.bound)
    return proved.prove(f"{FIXED}-{power}" if power else FIXED)[0]


def cardano() -> Theorem:
    """u^2 + P/3 + P^2/(9u^2) is a root of R^3 = P R^2 + 1 if u^3 = 1/2 + D and D^2 = 1/4 + P^3/27."""
    u, root, big = sp.symbols("u D P", real=True)
    total = u**2 + big / 3 + big**2 / (9 * u**2)
    given = (
        Rel(u, ">", 0),
        Rel(root, "=", u**3 - sp.Rational(1, 2)),
        Rel(root**2, "=", sp.Rational(1, 4) + big**3 / 27),
    )

    def derive(d: Derivation, steps: Sequence[Step]) -> Step:
        v = sp.Symbol("v", real=True)
        v_is = d.define(v, big / (3 * u))
        product = d.identity(big, 3 * u * v, [v_is, steps[0]])
        cubes = d.polynomial(u**3 * (v**3 - u**3 + 1), "=", 0, [product, *steps])
        unit = d.identity(u**3 - v**3, 1, [cubes, steps[0]])
        t, r = sp.symbols("t r", real=True)
        t_is, r_is = d.define(t, total), d.define(r, u - v)
        short = d.identity(t, u**2 + u * v + v**2, [t_is, v_is, product, steps[0]])
        inverse = d.identity(t * r, 1, [short, r_is, unit])
        equation = d.identity(r**3 + big * r, 1, [r_is, unit, product])
        multiplied = d.identity(t**3 * (r**3 + big * r), t**3, [equation])
        scaled = d.identity(t**3 * r**3 + big * t**2 * (t * r), t**3, [multiplied])
        squares = d.identity(t**3 * r**3, 1, [d.identity((t * r) ** 3, 1, [inverse])])
        linear = d.identity(big * t**2 * (t * r), big * t**2, [inverse])
        result = d.identity(t**3, big * t**2 + 1, [scaled, squares, linear])
        return d.substitute(result, [t_is], Rel(total**3, "=", big * total**2 + 1))

    goal = Rel(total**3, "=", big * total**2 + 1)
    return Library([Claim("schedule.cardano", "the root of a lookup", (), given, goal, derive)]).prove(
        "schedule.cardano"
    )[0]
