"""D6, composition: attention followed by a clean-up is exact, so that layers can be stacked without loss.

Notation: F is the clean-up of D1 with threshold a, C(x) its form for integers with threshold e, q = exp(-c/tau).

Main statements
    D6.boolean          values in 0..1, a Boolean at the maximal position, TV <= a < 1/2: F(output) is that Boolean
    D6.previous, D6.next, D6.since, D6.until   q <= a < 1/2: F of the head of D2, D3 is exactly the truth value
    D6.table            the lookup of D5 where 2q/(1+2q-q**3) <= a < 1/2: F(output) is exactly the table's entry
    D6.integer-true, D6.integer-false   counts within nu of integers, nu sum of |a(k)| <= e < 1/2: C decides the sign of
                        the integer D = sum of a(k) times the k-th count + b exactly
    D6.temperature      q <= eps at tau <= c/log(1/eps);  D6.temperature-needed: and only there
    D6.temperature-table, D6.temperature-count   q <= a/2, resp. q <= 5e/(6K), suffices for a table, for weight K
    D6.bounded          scores divided by n**3 at temperature tau/n**3 give the same weights (C1)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..a_softmax_gap.a4_one_symbol import hi, lo, output
from ..a_softmax_gap.a7_values import a as coefficient
from ..a_softmax_gap.a7_values import nu
from ..a_softmax_gap.row import N_POSITIVE, REAL_X, REAL_Y, SOFT, TAU, eps, h, i, n, p, p2, s, s2, tau, tv
from ..b_positional.b3_lookup import CLOSED
from ..b_positional.b6_predicate import (
    AFTER_FALSE,
    BEFORE_FALSE,
    CHOSEN,
    LARGE,
    LEFT_SCORES,
    RIGHT_SCORES,
    TRUE,
    C,
    Q,
    c,
)
from ..b_positional.line import BASE, m
from ..c_temperature.c1_scaling import factor, soft_at
from ..derivation import Derivation
from ..facts import ABS_ABOVE, ABS_BELOW, EXP_INCREASING, EXP_LOG, EXP_POSITIVE, LOG_EXP, LOG_INCREASING, LOG_POSITIVE
from ..props import Each, Rel
from ..sequent import Step
from ..statement import Claim, Statement
from ..sums import f, g, v
from .d1_cleanup import SMALL_A, SMALL_E, D, a, b, clean, decided, e, x
from .d2_neighbour import NEXT, PREVIOUS
from .d3_semantics import LOGIC, SINCE, UNTIL, psi, t
from .d4_counting import LOOKUP_HEAD, NATURAL, NEAR_COUNTS, SCORES, WEIGHT, count
from .d5_predicates import closed
from .head import BITS_RANGE, HEAD

q, ratio, log_ratio, size = sp.symbols("q ratio log_ratio K", real=True)
COLD = Rel(Q, "<=", a)
TARGET = (Rel(eps, ">", 0), Rel(eps, "<", 1))
CRITICAL = c / sp.log(1 / eps)


def _cleaned(d: Derivation, near: Step, threshold: Step, out: sp.Expr, value: sp.Expr, bit: Step, small: Step) -> Step:
    """F(out) = value from |out - value| below something that is at most a, `value` being 0 or 1."""
    within = d.transitive(near.rel.lhs, near.rel.op, a, [near, threshold])
    # x <= |x| and -x <= |x|
    sides = [d.analysis(fact, {REAL_X: out - value}) for fact in (ABS_ABOVE, ABS_BELOW)]
    ends = [
        d.polynomial(out - value, "<=", a, [*sides, within]),
        d.polynomial(value - out, "<=", a, [*sides, within]),
    ]
    return d.cite("D1.clean", {x: out, b: value}, [bit, small, *ends])


def _boolean(d: Derivation, given: Sequence[Step]) -> Step:
    *head, small, bit, above, below, near = given
    bound = d.cite("D.output", {lo: sp.S.Zero, hi: sp.S.One}, [*head, above, below])
    plain = d.polynomial(bound.rel.lhs, "<=", tv(p, h), [bound])
    return _cleaned(d, plain, near, output(p, v), v(m), bit, small)


def _neighbour(name: str, place: sp.Expr) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *base, small, cold, bit, c_positive, scores, above, below = given
        near = d.cite(name, {}, [*base, c_positive, scores, above, below])
        return _cleaned(d, near, cold, output(p, v), v(place), bit, small)

    return derive


def _temporal(name: str, head: str, place: sp.Expr) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        *definitions, small, cold, c_positive, large, true, false, scores = given
        one_m, m_n, *logic = definitions[len(BASE) :]
        near = d.cite(head, {}, [*definitions, c_positive, large, true, false, scores])
        truth = d.cite(name, {}, [*logic, one_m, m_n, true, false])
        _bit_phi, bit_psi, *_ = logic
        there = d.at(bit_psi, m, one_m, m_n)
        bit = d.substitute(there, [truth], Rel(t(place) * (1 - t(place)), "=", 0))
        return _cleaned(d, near, cold, output(p, psi), t(place), bit, small)

    return derive


def _table(d: Derivation, given: Sequence[Step]) -> Step:
    *definitions, small, cold, bit, c_positive, scores, above, below = given
    near = d.cite("D5.table", {}, [*definitions, c_positive, scores, above, below])
    return _cleaned(d, near, cold, output(p, v), v(count + 1), bit, small)


def _integer(sign: int) -> Callable[[Derivation, Sequence[Step]], Step]:
    def derive(d: Derivation, given: Sequence[Step]) -> Step:
        natural_n, is_integer, up, down, small, weight, truth = given
        bound = d.cite("D4.sum", {}, [natural_n, up, down])
        off = output(coefficient, g) - output(coefficient, f)
        side = d.analysis(ABS_ABOVE if sign > 0 else ABS_BELOW, {REAL_X: off})
        value = output(coefficient, g) + b
        near = d.polynomial(sign * (value - D), "<=", e, [side, bound, weight, is_integer])
        name = "D1.integer-false" if sign > 0 else "D1.integer-true"
        return d.cite(name, {x: value}, [small, near, truth])

    return derive


def _log(d: Derivation, positive: Step, below_one: Step) -> tuple[Step, Step, Step, Step]:
    """ratio = 1/eps > 1 and its logarithm, positive, with names."""
    meaning = d.define(ratio, 1 / eps)
    above_one = d.polynomial(ratio, ">", 1, [meaning, positive, below_one])
    log_meaning = d.define(log_ratio, sp.log(1 / eps))
    found = d.analysis(LOG_POSITIVE, {REAL_X: ratio}, [above_one])
    return meaning, above_one, log_meaning, d.substitute(found, [meaning, log_meaning], Rel(log_ratio, ">", 0))


def _temperature(d: Derivation, given: Sequence[Step]) -> Step:
    tau_positive, c_positive, positive, below_one, cold = given
    meaning, above_one, log_meaning, log_positive = _log(d, positive, below_one)
    named = d.substitute(cold, [log_meaning], Rel(tau, "<=", c / log_ratio))
    order = d.polynomial(-c / tau, "<=", -log_ratio, [named, tau_positive, c_positive, log_positive])
    grown = d.analysis(EXP_INCREASING, {REAL_X: -c / tau, REAL_Y: -log_ratio}, [order])
    ratio_positive = d.polynomial(ratio, ">", 0, [above_one])
    log_of = d.substitute(log_meaning, [meaning], Rel(log_ratio, "=", sp.log(ratio)))
    inverse = d.analysis(EXP_LOG, {REAL_X: ratio, REAL_Y: log_ratio}, [ratio_positive, log_of])
    return d.polynomial(Q, "<=", eps, [grown, inverse, meaning, positive])


def _needed(d: Derivation, given: Sequence[Step]) -> Step:
    tau_positive, positive, below_one, small = given
    meaning, above_one, log_meaning, log_positive = _log(d, positive, below_one)
    power = sp.exp(c / tau)
    q_positive = d.analysis(EXP_POSITIVE, {REAL_X: -c / tau})
    below = d.polynomial(ratio, "<=", power, [meaning, small, positive, q_positive])
    ratio_positive = d.polynomial(ratio, ">", 0, [above_one])
    logs = d.analysis(LOG_INCREASING, {REAL_X: ratio, REAL_Y: power}, [ratio_positive, below])
    log_power = d.analysis(LOG_EXP, {REAL_X: c / tau, REAL_Y: power}, [d.identity(power, power)])
    cancelled = d.substitute(logs, [meaning, log_meaning, log_power], Rel(log_ratio, "<=", c / tau))
    named = d.polynomial(tau, "<=", c / log_ratio, [cancelled, tau_positive, log_positive])
    return d.substitute(named, [log_meaning], Rel(tau, "<=", CRITICAL))


def _for_table(d: Derivation, given: Sequence[Step]) -> Step:
    positive, at_most_one, small = given
    # 2q (1-a) <= a (1-a) <= a (1-q**3), as q**3 <= q <= a
    smaller = d.polynomial(q**2, "<=", 1, [positive, small, at_most_one])
    cube = d.polynomial(q**3, "<=", q, [smaller, positive])
    return d.polynomial(closed(q), "<=", a, [cube, positive, small, at_most_one])


def _for_count(d: Derivation, given: Sequence[Step]) -> Step:
    positive, one_k, half, small = given
    # q <= 5/12, so (1 - q**3)**2 >= (1 - 125/1728)**2 > 5/6
    rate = d.polynomial(q, "<=", sp.Rational(5, 12), [small, one_k, half, positive])
    square = d.polynomial(q**2, "<=", sp.Rational(25, 144), [rate, positive])
    cube = d.polynomial(q**3, "<=", sp.Rational(125, 1728), [square, rate, positive])
    least = d.polynomial((1 - q**3) ** 2, ">=", sp.Rational(5, 6), [cube])
    product = d.polynomial(size * q, "<=", 5 * e / 6, [small, one_k])
    name = sp.Symbol("y", real=True)
    named = d.define(name, q**3)
    low = d.substitute(least, [named], Rel((1 - name) ** 2, ">=", sp.Rational(5, 6)))
    below = d.substitute(cube, [named], Rel(name, "<=", sp.Rational(125, 1728)))
    q_positive = d.polynomial(e, ">", 0, [product, positive, one_k])
    result = d.polynomial(size * q / (1 - name) ** 2, "<=", e, [product, low, below, q_positive])
    return d.substitute(result, [named], Rel(size * q / (1 - q**3) ** 2, "<=", e))


def _bounded(d: Derivation, given: Sequence[Step]) -> Step:
    one_n, tau_positive, soft, soft2, divided = given
    positive = d.polynomial(1 / n**3, ">", 0, [one_n])
    return d.cite("C1.weights", {factor: 1 / n**3}, [one_n, tau_positive, soft, soft2, positive, divided])


def _bit(place: sp.Expr) -> Rel:
    return Rel(v(place) * (1 - v(place)), "=", 0)


TEMPORAL = (SMALL_A, COLD, C, LARGE, TRUE)
IS_INTEGER = Rel(D, "=", output(coefficient, f) + b)
MIX = output(coefficient, g) + b
DIVIDED = Each(i, 1, n, Rel(s2(i), "=", s(i) / n**3))
CLAIMS = (
    Claim("D6.boolean", "the clean-up returns exactly the value of the chosen position", (*HEAD, CHOSEN),
          (SMALL_A, _bit(m), *BITS_RANGE, Rel(tv(p, h), "<=", a)), Rel(clean(output(p, v)), "=", v(m)), _boolean),
    Claim("D6.previous", "yesterday, exactly", BASE, (SMALL_A, COLD, _bit(n), C, PREVIOUS, *BITS_RANGE),
          Rel(clean(output(p, v)), "=", v(n)), _neighbour("D2.previous-output", n)),
    Claim("D6.next", "next, exactly", BASE, (SMALL_A, COLD, _bit(sp.S.One), C, NEXT, *BITS_RANGE),
          Rel(clean(output(p, v)), "=", v(1)), _neighbour("D2.next-output", sp.S.One)),
    Claim("D6.since", "since, exactly", (*HEAD, *LOGIC, SINCE), (*TEMPORAL, AFTER_FALSE, RIGHT_SCORES),
          Rel(clean(output(p, psi)), "=", t(n)), _temporal("D3.since", "D3.since-head", n)),
    Claim("D6.until", "until, exactly", (*HEAD, *LOGIC, UNTIL), (*TEMPORAL, BEFORE_FALSE, LEFT_SCORES),
          Rel(clean(output(p, psi)), "=", t(1)), _temporal("D3.until", "D3.until-head", sp.S.One)),
    Claim("D6.table", "a table read at a count, exactly", (*BASE, *LOOKUP_HEAD),
          (SMALL_A, Rel(CLOSED, "<=", a), _bit(count + 1), C, SCORES, *BITS_RANGE),
          Rel(clean(output(p, v)), "=", v(count + 1)), _table),
    Claim("D6.integer-true", "a linear inequality between counts that holds", (NATURAL, IS_INTEGER),
          (*NEAR_COUNTS, SMALL_E, Rel(WEIGHT * nu, "<=", e), Rel(D, ">=", 0)), Rel(decided(MIX), "=", 1), _integer(-1)),
    Claim("D6.integer-false", "and one that fails", (NATURAL, IS_INTEGER),
          (*NEAR_COUNTS, SMALL_E, Rel(WEIGHT * nu, "<=", e), Rel(D, "<", 0)), Rel(decided(MIX), "=", 0), _integer(1)),
    Claim("D6.temperature", "a temperature at which q is at most the threshold", (TAU,),
          (C, *TARGET, Rel(tau, "<=", CRITICAL)), Rel(Q, "<=", eps), _temperature),
    Claim("D6.temperature-needed", "q is at most the threshold at no higher temperature", (TAU,),
          (*TARGET, Rel(Q, "<=", eps)), Rel(tau, "<=", CRITICAL), _needed),
    Claim("D6.temperature-table", "q for a table", (), (Rel(q, ">", 0), Rel(a, "<=", 1), Rel(q, "<=", a / 2)),
          Rel(closed(q), "<=", a), _for_table),
    Claim("D6.temperature-count", "q for a linear inequality whose coefficients have weight K", (),
          (Rel(q, ">", 0), Rel(size, ">=", 1), Rel(e, "<=", sp.Rational(1, 2)), Rel(q, "<=", 5 * e / (6 * size))),
          Rel(size * q / (1 - q**3) ** 2, "<=", e), _for_count),
    Claim("D6.bounded", "bounded scores at temperature tau/n^3", (N_POSITIVE, TAU, SOFT, soft_at(p2, s2, tau / n**3)),
          (DIVIDED,), Each(i, 1, n, Rel(p2(i), "=", p(i))), _bounded),
)  # fmt: skip

STATEMENT = Statement(
    id="D6",
    title="Composition",
    section="D",
    kernel=False,
    summary="Where q = exp(-c/tau) <= a < 1/2, attention and clean-up compute each operator exactly, for every n.",
    quantity="clean",
    direction="=",
    claims=CLAIMS,
    main="D6.since",
    sharpness="q <= a iff tau <= c/log(1/a) (D6.temperature, D6.temperature-needed); a < 1/2 is necessary (D1.limit)",
    used_for="the compiler of formulas and its certificate: the largest tau_0 for a formula",
)
