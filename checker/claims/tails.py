"""One real variable on a half-line: Taylor bounds near its end, branch and bound up to X, and the tail beyond.

In the tail, a sum of terms c x^i exp(-a x) is divided by its slowest exponential; then x^i exp(-b x) <= X^i exp(-b X)
for x >= X >= i/b (its derivative is not positive), and what is left is a polynomial inequality.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from checker.claims import boxes, taylor
from checker.claims.attempts import DIGITS, Attempts, end_of, inputs, rational
from proofs.facts import EXP_LOG, LOG_INCREASING, X, Y
from proofs.intervals import exp_enclosure, log_enclosure
from proofs.props import ProofError, Rel
from proofs.sequent import Step

ENDS = (2, 4, 8, 16, 32, 64)
NEAR = (sp.Rational(1, 2), sp.Rational(1, 8))
t = sp.Symbol("xt1", real=True)


def outside(expr: sp.Expr) -> set[sp.Symbol]:
    """The symbols that occur outside exponentials."""
    hidden = {node: sp.Dummy() for node in expr.atoms(sp.exp)}
    return set(expr.xreplace(hidden).free_symbols)


def fraction(expr: sp.Expr) -> tuple[sp.Expr | None, sp.Expr]:
    """Numerator and denominator, exponentials of multiples of one monomial being powers of one name."""
    scales: dict[sp.Expr, int] = {}
    nodes = expr.atoms(sp.exp)
    for node in nodes:
        for term in sp.Add.make_args(sp.expand(node.args[0] if node.args else sp.S.One)):
            coefficient, base = term.as_coeff_Mul(rational=True)
            scales[base] = int(sp.ilcm(scales.get(base, 1), coefficient.q))
    names = {base: sp.Dummy(str(base), positive=True) for base in scales}
    replaced = {}
    for node in nodes:
        product: sp.Expr = sp.S.One
        for term in sp.Add.make_args(sp.expand(node.args[0] if node.args else sp.S.One)):
            coefficient, base = term.as_coeff_Mul(rational=True)
            # the name stands for exp(-base/scale), so that usual exponents are positive
            product *= names[base] ** int(-coefficient * scales[base])
        replaced[node] = product
    if any(base.atoms(sp.exp) for base in scales):
        return None, sp.S.One
    numerator, denominator = sp.fraction(sp.cancel(sp.together(expr.xreplace(replaced))))
    denominator = sp.factor_list(denominator)
    back = {names[base]: sp.exp(-base / scales[base]) for base in scales}
    factors = sp.Mul(denominator[0], *[base**power for base, power in denominator[1]])
    return sp.expand(sp.expand(numerator).xreplace(back)), factors.xreplace(back)


class FailsError(ProofError):
    """The goal in one variable fails at a point; the message says where."""


def one_variable(work: Attempts, goal: Rel) -> Step | None:
    """goal: a term in one real variable (and in what it determines) >= 0 or > 0; raises FailsError."""
    over = inputs(work, [goal.lhs])
    if over is not None:
        shown = work.box(goal, work.about(goal.lhs), over)
        if shown is not None:
            return shown
    free = _determining(work, goal.lhs)
    if free is None:
        work.tried.append(f"more than one variable without a finite range in {goal}")
        return None
    end = work.lower(free)
    found = end_of(end.rel, free) if end else None
    if end is None or found is None:
        return None
    start = Fraction(int(found[1].p), int(found[1].q))
    points = [start + Fraction(i, 8) for i in range(1, 65)] + [start + Fraction(2) ** i for i in (-6, -4, 4, 5, 6, 7)]
    wrong = boxes.fails_at(goal, [step.rel for step in work.about(goal.lhs)], free, points)
    if wrong is not None:
        work.tried.append(f"{goal} fails at {free} = {wrong}")
        raise FailsError(work.tried[-1])
    easy = _by_taylor(work, goal, free, end, 3, 400)
    if easy is not None:
        return easy
    pieced = _near(work, goal, free, found[1]) if over is not None else _pieces(work, goal, free, found[1])
    return pieced or _by_taylor(work, goal, free, end, 3, 1500) or _by_taylor(work, goal, free, end, 7, 1500)


def _pieces(work: Attempts, goal: Rel, free: sp.Symbol, start: sp.Rational) -> Step | None:
    """The goal up to some point by boxes, and beyond it by a tail."""
    for last in ENDS:
        point = sp.Integer(last) + sp.floor(start)
        beyond = work.d.assume(Rel(free, ">=", point))
        tail = _tail(work.with_facts(beyond), goal, free, point, beyond)
        if tail is None:
            continue
        before = work.d.assume(Rel(free, "<=", point))
        inner = work.with_facts(before)
        body = inner.box(goal, inner.about(goal.lhs), [free]) or _near(inner, goal, free, start)
        return None if body is None else work.d.split((before, body), (beyond, tail))
    work.tried.append(f"no tail {free} >= {ENDS[-1]} was found for {goal}")
    return None


def _determining(work: Attempts, expr: sp.Expr) -> sp.Symbol | None:
    """The variable of which all others in the term are functions."""
    symbols = set(expr.free_symbols)
    relations = [step.rel for step in work.facts if step.rel.op == "="]
    for candidate in sorted(symbols, key=lambda s: (not str(s).startswith("s"), str(s))):
        known = {candidate}
        for _ in range(3):
            for rel in relations:
                if rel.lhs.is_Symbol and rel.rhs.free_symbols <= known:
                    known.add(rel.lhs)
                if rel.rhs.is_Symbol and rel.lhs.free_symbols <= known:
                    known.add(rel.rhs)
        fixed = {s for s in symbols if work.lower(s) is not None and work.upper(s) is not None and s != candidate}
        if symbols - fixed <= known and candidate not in fixed:
            return candidate
    return None


def _by_taylor(work: Attempts, goal: Rel, x: sp.Symbol, end: Step, degree: int, milliseconds: int) -> Step | None:
    """The goal from Taylor polynomials of exp at 0, for x >= 0."""
    shown = work.attempt(Rel(x, ">=", 0), [end])
    logs = _logarithms(work, goal.lhs, min(degree, 3))
    if logs and shown is not None:
        found = work.attempt(goal, [*work.about(goal.lhs), *logs])
        if found is not None:
            return found
    scales = {abs(node.args[0].as_coeff_Mul(rational=True)[0]) for node in goal.lhs.atoms(sp.exp) if node.args}
    if shown is None or len(scales) != 1 or any(node.args[0].free_symbols != {x} for node in goal.lhs.atoms(sp.exp)):
        return None
    (scale,) = scales
    at = work.attempt(Rel(scale * x, ">=", 0), [shown])
    if at is None:
        return None
    try:
        bounds = taylor.bounds(work.d, scale * x, at, degree)
        if degree > 3:
            bounds += [work.d.cite(f"T.down-{degree - j}", {taylor.x: scale * x}, [at]) for j in (0, 1)]
    except ProofError:
        return None
    return work.attempt(goal, [*work.about(goal.lhs), *bounds], milliseconds)


def _logarithms(work: Attempts, expr: sp.Expr, degree: int) -> list[Step]:
    """exp(u) = argument and Taylor bounds of exp(u), for names u >= 0 of logarithms."""
    made: list[Step] = []
    for step in list(work.facts):
        rel = step.rel
        if rel.op != "=" or rel.lhs not in expr.free_symbols or not isinstance(rel.rhs, sp.log):
            continue
        argument = rel.rhs.args[0]
        above = work.attempt(Rel(argument, ">", 0), work.about(argument), 500)
        sign = work.attempt(Rel(rel.lhs, ">=", 0), [s for s in work.facts if s.rel.lhs == rel.lhs and s != step], 500)
        if above is None or sign is None:
            continue
        made.append(work.d.analysis(EXP_LOG, {X: argument, Y: rel.lhs}, [above, step]))
        made += taylor.bounds(work.d, rel.lhs, sign, degree)
    return made


def _near(work: Attempts, goal: Rel, x: sp.Symbol, end: sp.Rational) -> Step | None:
    """The goal on a finite range, by Taylor bounds near its lower end and boxes beyond."""
    start = work.lower(x)
    if start is None:
        return None
    for width in NEAR:
        close = work.d.assume(Rel(x, "<=", end + width))
        first = _by_taylor(work.with_facts(close), goal, x, start, 7, 800)
        if first is None:
            continue
        far = work.d.assume(Rel(x, ">=", end + width))
        rest = work.with_facts(far)
        second = rest.box(goal, rest.about(goal.lhs), [x])
        if second is not None:
            return work.d.split((close, first), (far, second))
    return None


def _tail(work: Attempts, goal: Rel, x: sp.Symbol, point: sp.Integer, beyond: Step) -> Step | None:
    """The goal for x >= point."""
    terms = _terms(goal.lhs, x)
    if terms is None:
        return work.attempt(goal, [*work.about(goal.lhs), *_at_end(work, goal.lhs, x, point, beyond)], 500)
    slowest = min(rate for _, rate, _ in terms)
    decays = []
    for power, rate, coefficient in terms:
        b = rate - slowest
        if b == 0 or coefficient > 0:
            continue
        decay = _decay(work, x, power, b, point, beyond) if b * point >= power else None
        if decay is None:
            return None
        decays.append(decay)
    divided = sp.expand(sp.Add(*[c * x**i * sp.exp(-(a - slowest) * x) for i, a, c in terms]))
    shown = work.attempt(Rel(divided, goal.op, 0), [beyond, *decays], 500)
    return None if shown is None else work.attempt(goal, [shown], 3000)


def _at_end(work: Attempts, expr: sp.Expr, x: sp.Symbol, point: sp.Integer, beyond: Step) -> list[Step]:
    """Values at the end of the tail of exp(-a x) and of the logarithms in use."""
    made: list[Step] = []
    d = work.d
    for node in sorted(expr.atoms(sp.exp), key=str):
        if node.args and node.args[0].free_symbols == {x} and node.args[0].is_Mul:
            rate = -node.args[0].as_coeff_Mul(rational=True)[0]
            if node.args[0] == -rate * x and rate > 0:
                decay = _decay(work, x, 0, rate, point, beyond)
                made += [decay] if decay is not None else []
    for step in work.facts:
        rel = step.rel
        if rel.op == "=" and isinstance(rel.rhs, sp.log) and rel.lhs in expr.free_symbols:
            argument = rel.rhs.args[0]
            value = argument.xreplace({x: point})
            if argument.free_symbols != {x} or not value.is_Rational or value <= 0:
                continue
            order = work.attempt(Rel(value, "<=", argument), [beyond])
            if order is None:
                continue
            low = rational(log_enclosure(Fraction(int(value.p), int(value.q)), DIGITS)[0])
            try:
                logged = d.analysis(LOG_INCREASING, {X: value, Y: argument}, [work.number(Rel(value, ">", 0)), order])
            except ProofError:
                continue
            number = work.number(Rel(low, "<=", sp.log(value)))
            shown = work.attempt(Rel(low, "<=", rel.lhs), [number, logged, step])
            made += [shown] if shown is not None else []
    return made


def _terms(expr: sp.Expr, x: sp.Symbol) -> list[tuple[int, sp.Rational, sp.Rational]] | None:
    """(i, a, c) for each term c x^i exp(-a x); None where there are others."""
    made = []
    for term in sp.Add.make_args(sp.expand(expr)):
        coefficient, rest = term.as_coeff_Mul(rational=True)
        power, rate = 0, sp.S.Zero
        for factor in sp.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            if isinstance(factor, sp.exp) and sp.expand(factor.args[0]).as_coeff_Mul(rational=True)[1] == x:
                rate -= sp.expand(factor.args[0]).as_coeff_Mul(rational=True)[0]
            elif base == x and exponent.is_Integer and exponent > 0:
                power += int(exponent)
            elif factor != 1:
                return None
        made.append((power, rate, coefficient))
    return made


def _decay(work: Attempts, x: sp.Symbol, power: int, rate: sp.Rational, point: sp.Integer, beyond: Step) -> Step | None:
    """x^power exp(-rate x) <= c for x >= point >= power/rate, where c is just above its value at `point`."""
    d = work.d
    body = -(t**power) * sp.exp(-rate * t)
    domain = d.assume(Rel(t, ">=", point))
    derivative = work.attempt(Rel(sp.diff(body, t), ">=", 0), [domain])
    start = work.attempt(Rel(point, ">=", point), [])
    order = work.attempt(Rel(point, "<=", x), [beyond])
    if derivative is None or start is None or order is None:
        return None
    exponent = -rate * point
    try:
        grown = d.monotone(sp.Lambda(t, body), derivative, domain, sp.S(point), x, start, order)
        high = exp_enclosure(Fraction(int(exponent.p), int(exponent.q)), DIGITS)[1]
        value = work.number(Rel(sp.exp(exponent), "<=", rational(high)))
    except ProofError:
        return None
    limit = point**power * rational(high)
    return work.attempt(Rel(x**power * sp.exp(-rate * x), "<=", limit), [grown, value])
