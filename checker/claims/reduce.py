"""Inequalities that Z3 does not decide, reduced to compact boxes: ratios, order of exponents, counts, tails.

Each reduction is made of steps that the rules of derivations accept:

* ratios: gamma, delta and eta are replaced by their quotients by tau where tau cancels; fixed variables by numbers;
* exponents: exp(a) <= exp(b) for exponents in that order, exponentials and logarithms of numbers enclosed by rationals;
* compound: (n - k) q, and the like, becomes one variable where nothing else is left;
* counts: a polynomial in n - k, k - 1, ... is nonnegative if its coefficients are; small n are taken one by one;
* one real variable on [c, infinity): Taylor bounds near c, branch and bound up to X, a tail beyond (claims/tails.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from checker.claims import engine, tails
from checker.claims.engine import RATIOS
from checker.claims.expression import INTEGERS, eps, k, n, tau
from checker.claims.work import Work, end_of, inputs, logarithms, numbers, orders, propagate
from proofs.derivation import Derivation
from proofs.facts import EXP_INCREASING, EXP_POSITIVE, TANH, X, Y
from proofs.props import ProofError, Rel
from proofs.sequent import Step

SMALL = 4
"""How many values of n are taken one by one."""


def settle(d: Derivation, hypotheses: Sequence[Step], goal: Rel, deadline: float) -> Step:
    """Prove `goal` from the hypotheses, which are steps of the derivation; ProofError says what was tried."""
    work = Work(d, list(hypotheses), deadline)
    try:
        fixed, target = _fixed(work, goal)
        meanings, target = _ratios(work, target)
        propagate(work)
        unquoted = target
        quotients, target = _quotients(work, target)
        proved = _solve(work, target)
        if proved is None:
            raise ProofError(f"not proved: {goal}" + _tried(work))
        proved = work.d.substitute(proved, quotients, unquoted) if quotients else proved
        equations = [*meanings, *fixed]
        try:
            return d.substitute(proved, equations, goal) if equations else proved
        except ProofError:
            last = work.attempt(goal, [proved, *equations, *hypotheses], 5000)
            if last is None:
                raise
            return last
    except engine.OutOfTimeError:
        raise ProofError("out of time" + _tried(work)) from None


def _tried(work: Work) -> str:
    """The last reasons why attempts failed."""
    return "".join(f"; {why}" for why in work.tried[-3:])


def _fixed(work: Work, goal: Rel) -> tuple[list[Step], Rel]:
    """Variables equal to numbers, replaced in the goal and in the facts."""
    fixed: dict[sp.Symbol, Step] = {}
    for step in work.facts:
        for symbol in step.rel.lhs.free_symbols | step.rel.rhs.free_symbols:
            end = end_of(step.rel, symbol)
            if end is not None and end[0] == "=" and symbol not in fixed:
                same = step if step.rel.lhs == symbol else work.attempt(Rel(symbol, "=", end[1]), [step])
                if same is not None:
                    fixed[symbol] = same
    if not fixed:
        return [], goal
    values = {symbol: step.rel.rhs for symbol, step in fixed.items()}
    facts = []
    for step in work.facts:
        rel = Rel(step.rel.lhs.xreplace(values), step.rel.op, step.rel.rhs.xreplace(values))
        if rel == step.rel:
            facts.append(step)
        elif (rel.lhs - rel.rhs).free_symbols:
            try:
                facts.append(work.d.substitute(step, [], step.rel) if rel == step.rel else _put(work, step, fixed, rel))
            except ProofError:
                continue
    work.facts = [*facts, *fixed.values()]
    return list(fixed.values()), Rel(goal.lhs.xreplace(values), goal.op, goal.rhs.xreplace(values))


def _put(work: Work, step: Step, fixed: dict[sp.Symbol, Step], rel: Rel) -> Step:
    return work.d.substitute(step, list(fixed.values()), rel)


def _ratios(work: Work, goal: Rel) -> tuple[list[Step], Rel]:
    """Ratios to tau where tau cancels in the goal; facts that can be restated are, the others are kept as they are."""
    positive = next((step for step in work.facts if step.rel == Rel(tau, ">", 0)), None)
    sides = [engine.ratios(side) for side in (goal.lhs, goal.rhs)]
    used = (goal.lhs.free_symbols | goal.rhs.free_symbols) & set(RATIOS)
    named = {s for step in work.facts for s in (step.rel.lhs.free_symbols | step.rel.rhs.free_symbols)} & set(RATIOS)
    if positive is None or any(side.has(tau) for side in sides) or not used | named:
        return [], goal
    meanings = [work.d.define(RATIOS[symbol], symbol / tau) for symbol in RATIOS if symbol in used | named]
    facts: list[Step] = []
    for step in work.facts:
        if not (step.rel.lhs.free_symbols | step.rel.rhs.free_symbols) & {tau, *RATIOS}:
            facts.append(step)
            continue
        restated = _restated(work, step, positive, meanings, facts)
        if restated is not None:
            facts.append(restated)
    work.facts = facts
    return meanings, Rel(sides[0], goal.op, sides[1])


def _restated(work: Work, step: Step, positive: Step, meanings: Sequence[Step], facts: Sequence[Step]) -> Step | None:
    rel = step.rel
    sides = [engine.ratios(side) for side in (rel.lhs, rel.rhs)]
    try:
        if not any(side.has(tau) for side in sides):
            return work.d.substitute(step, meanings, Rel(sides[0], rel.op, sides[1]))
        over = [sp.expand(engine.ratios(side / tau)) for side in (rel.lhs, rel.rhs)]
        if any(side.has(tau) for side in over):
            return None
        halves = [sp.expand(side / tau) for side in (rel.lhs, rel.rhs)]
        divided = work.attempt(Rel(halves[0], rel.op, halves[1]), [step, positive])
        if divided is None:
            counts = [s for s in facts if s.rel.op != "=" and not _free(s.rel) & set(RATIOS.values())]
            divided = work.attempt(Rel(halves[0], rel.op, halves[1]), [step, positive, *counts])
        if divided is None or rel == Rel(tau, ">", 0):
            return None
        return work.d.substitute(divided, meanings, Rel(over[0], rel.op, over[1]))
    except ProofError:
        return None


def _quotients(work: Work, goal: Rel) -> tuple[list[Step], Rel]:
    """Names w of quotients, w * divisor = 1, replaced by 1/divisor in the goal."""
    found: list[Step] = []
    for step in list(work.facts):
        rel = step.rel
        for name in sorted(_free(goal), key=str):
            if rel.op != "=" or rel.rhs != 1 or not rel.lhs.is_Mul or name not in rel.lhs.args:
                continue
            divisor = sp.Mul(*[arg for arg in rel.lhs.args if arg != name])
            orders(work, [sp.S.Zero, *[node.args[0] for node in divisor.atoms(sp.exp) if node.args]], keep=True)
            equal = work.attempt(Rel(name, "=", 1 / divisor), [step, *work.about(divisor)])
            if equal is not None:
                found.append(equal)
    values = {step.rel.lhs: step.rel.rhs for step in found}
    return found, Rel(goal.lhs.xreplace(values), goal.op, goal.rhs.xreplace(values))


def _free(rel: Rel) -> set[sp.Symbol]:
    return set(rel.lhs.free_symbols | rel.rhs.free_symbols)


def _solve(work: Work, target: Rel) -> Step | None:
    """The target by one reduction after the other."""
    numbers(work, (target.lhs, target.rhs))
    logarithms(work)
    for reduction in (_ordered, _boxed, _one_maximum, _compound, _decaying, _counted):
        try:
            proved = reduction(work, target)
        except tails.FailsError:
            if reduction in (_counted, _one_maximum):
                raise
            continue
        if proved is not None:
            return proved
    return None


def _one_maximum(work: Work, target: Rel) -> Step | None:
    """The target for k = 1, where its left-hand side is largest and the right-hand side does not depend on k."""
    if k not in target.lhs.free_symbols or k in target.rhs.free_symbols or target.op not in ("<", "<="):
        return None
    one = target.lhs.xreplace({k: sp.S.One})
    larger = work.attempt(Rel(target.lhs, "<=", one), work.about(n, k, *target.lhs.free_symbols))
    if larger is None:
        return None
    inner = Work(work.d, [s for s in work.facts if k not in _free(s.rel)], work.deadline, work.tried)
    proved: Step | None = None
    for reduction in (_ordered, _boxed, _compound, _decaying, _counted):
        try:
            proved = reduction(inner, Rel(one, target.op, target.rhs))
        except tails.FailsError:
            if reduction is _counted and not any({k} < _free(s.rel) - {n} for s in work.facts):
                raise
            continue
        if proved is not None:
            return work.d.transitive(target.lhs, target.op, target.rhs, [larger, proved])
    return None


def _decaying(work: Work, target: Rel) -> Step | None:
    """The target with q = exp(-x) < 1 in place of x, where x then disappears."""
    for ratio in sorted(_free(target) & set(RATIOS.values()), key=str):
        q, decay = work.fresh("xq"), sp.exp(-ratio)
        new = [side.xreplace({decay: q}) for side in (target.lhs, target.rhs)]
        if any(ratio in side.free_symbols for side in new) or not any(side.atoms(sp.exp) for side in new):
            continue
        meaning = work.d.define(q, decay)
        above = work.d.analysis(EXP_POSITIVE, {X: -ratio})
        sign = work.attempt(Rel(-ratio, "<=", 0), work.about(ratio))
        if sign is None:
            return None
        below = work.d.analysis(EXP_INCREASING, {X: -ratio, Y: sp.S.Zero}, [sign])
        ends = [work.attempt(Rel(q, ">", 0), [meaning, above]), work.attempt(Rel(q, "<=", 1), [meaning, below])]
        inner = Work(work.d, [s for s in work.facts if ratio not in _free(s.rel)], work.deadline, work.tried)
        inner.facts += [end for end in ends if end is not None]
        proved = _counted(inner, Rel(new[0], target.op, new[1]))
        return None if proved is None else work.d.substitute(proved, [meaning], target)
    return None


def _boxed(work: Work, target: Rel) -> Step | None:
    over = inputs(work, (target.lhs, target.rhs))
    return None if over is None else work.box(target, work.about(target.lhs, target.rhs), over)


def _ordered(work: Work, target: Rel) -> Step | None:
    """The target from the order of its exponents, with the values of exp at the ends of ratios enclosed."""
    exponents = {
        node.args[0] if node.args else sp.S.One for side in (target.lhs, target.rhs) for node in side.atoms(sp.exp)
    }
    ends: set[sp.Expr] = {sp.S.Zero} if exponents else set()
    for exponent in exponents:
        free = exponent.free_symbols
        if len(free) == 1:
            (symbol,) = free
            for bound in (work.lower(symbol), work.upper(symbol)):
                found = end_of(bound.rel, symbol) if bound else None
                if found and abs(found[1]) < 1000:
                    ends.add(exponent.xreplace({symbol: found[1]}))
    ends = {end for end in ends if end.is_Rational}
    everything = sorted(exponents | ends, key=sp.default_sort_key)
    if len(exponents) == 2:
        everything += [-exponent for exponent in exponents if -exponent not in exponents]
    if not everything or len(everything) > 8:
        return None
    known = work.with_facts()
    known.facts += orders(work, everything, keep=True)
    numbers(known, [sp.exp(end) for end in ends])
    return known.attempt(
        target, [s for s in known.facts if not s.rel.lhs.has(sp.log) and not s.rel.rhs.has(sp.log)], 3000
    )


# -- one variable for a product of a count and an exponential ----------------------------------------------------------


def _compound(work: Work, target: Rel) -> Step | None:
    """The target with z = (n - 1) exp(-x) in place of n and x, where both then disappear."""
    ratio = sorted(_free(target) & set(RATIOS.values()), key=str)
    if len(ratio) != 1 or n not in _free(target) | {s for step in work.facts for s in _free(step.rel)}:
        return None
    decay = sp.exp(-ratio[0])
    for base in (sp.S.One, k):
        compound = work.fresh("xz")
        meaning = (n - base) * decay
        values = {n: base + compound / decay}
        named = [s for s in work.facts if s.rel.op == "=" and s.rel.lhs in _free(target) and s.rel.lhs.is_Symbol]
        new = [_simplified(side.subs(values)) for side in (target.lhs, target.rhs)]
        hidden = [(step, _simplified(step.rel.rhs.subs(values))) for step in named]
        left = set().union(*[side.free_symbols for side in (*new, *[rhs for _, rhs in hidden])])
        if left & {n, ratio[0]} or compound not in left:
            continue
        z = work.d.define(compound, meaning)
        try:
            positive = work.d.analysis(EXP_POSITIVE, {X: -ratio[0]})
            sign = work.attempt(Rel(compound, ">=", 0), [z, positive, *work.about(n, k)])
            if sign is None:
                continue
            facts = [sign, *[s for s in work.facts if not _free(s.rel) & {n, ratio[0]}]]
            facts += [work.d.substitute(step, [z], Rel(step.rel.lhs, "=", rhs)) for step, rhs in hidden]
            inner = Work(work.d, facts, work.deadline, work.tried)
            proved = _counted(inner, Rel(new[0], target.op, new[1]))
            if proved is None:
                continue
            return work.attempt(target, [proved, z, positive, *work.about(n, k)], 3000) or work.d.substitute(
                proved, [z], target
            )
        except ProofError:
            continue
    return None


def _simplified(expr: sp.Expr) -> sp.Expr:
    """The term with products of exponentials multiplied out, in arguments as well."""
    if expr.args and not expr.is_Rational:
        expr = expr.func(*[_simplified(arg) for arg in expr.args])
    return sp.expand(expr) if expr.is_Mul or expr.is_Add else expr


# -- counts ------------------------------------------------------------------------------------------------------------


def _counted(work: Work, target: Rel) -> Step | None:
    """The target multiplied out, as a polynomial in the counts whose coefficients are nonnegative."""
    facts = [work.d.analysis(TANH, {X: node.args[0]}) for node in _tanhs(target)]
    if facts:
        values = {fact.rel.lhs: fact.rel.rhs for fact in facts}
        plain = Rel(target.lhs.xreplace(values), target.op, target.rhs.xreplace(values))
        proved = _counted(work, plain)
        return None if proved is None else work.d.substitute(proved, facts, target)
    larger, smaller = (target.rhs, target.lhs) if target.op in ("<", "<=") else (target.lhs, target.rhs)
    numerator, denominator = tails.fraction(larger - smaller)
    strict = ">" if target.op in ("<", ">") else ">="
    if numerator is None or numerator.has(sp.zoo, sp.nan):
        return None
    using = [s for s in work.facts if not s.rel.lhs.has(sp.log) and not s.rel.rhs.has(sp.log)]
    signs = []
    for factor in sp.Mul.make_args(denominator):
        base = factor.as_base_exp()[0]
        if base.is_Rational or isinstance(factor, sp.exp) or isinstance(base, sp.exp):
            continue
        power = int(factor.as_base_exp()[1])
        for op in (">", "<"):
            sign = work.attempt(Rel(base, op, 0), work.about(base))
            if sign is not None:
                signs.append(sign)
                numerator *= -1 if op == "<" and power % 2 else 1
                break
        else:
            return None
    if denominator.as_coeff_Mul()[0] < 0:
        numerator = -numerator
    shown = _nonnegative(work, Rel(sp.expand(numerator), strict, 0), SMALL)
    if shown is None:
        return None
    return work.attempt(target, [shown, *signs], 5000) or work.attempt(target, [shown, *signs, *using], 5000)


def _tanhs(target: Rel) -> list[sp.Expr]:
    return sorted(target.lhs.atoms(sp.tanh) | target.rhs.atoms(sp.tanh), key=str)


def _nonnegative(work: Work, goal: Rel, small: int) -> Step | None:
    """goal: polynomial in counts, ratios and exponentials >= 0 (or > 0)."""
    work.left()
    easy = work.attempt(goal, work.about(goal.lhs), 300)
    if easy is not None:
        return easy
    shifts, signs = _shifts(work, goal.lhs)
    if not shifts:
        return tails.one_variable(work, goal)
    fresh = [sp.Symbol(f"c{i}", real=True) for i in range(len(shifts))]
    moved = goal.lhs
    for (symbol, end), name in zip(shifts, fresh, strict=True):
        moved = moved.xreplace({symbol: end + name})
    expanded = sp.expand(moved)
    try:
        terms = sp.Poly(expanded, *fresh).terms()
    except sp.PolynomialError:
        return None
    if any(set(coefficient.free_symbols) & set(fresh) for _, coefficient in terms):
        return None
    parts = []
    for powers, coefficient in sorted(terms, key=lambda term: sum(term[0])):
        lowest = not any(powers)
        try:
            part = _nonnegative(work, Rel(coefficient, goal.op if lowest else ">=", 0), 0)
        except tails.FailsError:
            part = None
        if part is None:
            return _one_by_one(work, goal, small) if small else None
        parts.append(_times(work, part, [(s - e) ** p for (s, e), p in zip(shifts, powers, strict=True)], signs))
    if goal.op == ">" and not any(not any(powers) for powers, _ in terms):
        return None
    return work.attempt(goal, parts, 5000)


def _shifts(work: Work, expr: sp.Expr) -> tuple[list[tuple[sp.Symbol, sp.Expr]], list[Step]]:
    """Variables in which the term is polynomial, each with an end below it, and the facts that say so."""
    outside = tails.outside(expr)
    inside = set().union(*[node.free_symbols for node in expr.atoms(sp.exp)])
    made: list[tuple[sp.Symbol, sp.Expr]] = []
    signs: list[Step] = []
    for symbol in sorted(outside - inside, key=str):
        if symbol not in (*INTEGERS, eps) and str(symbol) != "D":
            continue
        end = work.lower(symbol)
        if symbol == n and k in outside - inside:
            above = _above(work)
            if above is not None:
                made.append((n, above.rel.lhs))
                signs.append(above)
                continue
        if end is not None:
            found = end_of(end.rel, symbol)
            assert found is not None
            made.append((symbol, found[1]))
            signs.append(end)
    # n is replaced by k + ... before k is
    made.sort(key=lambda pair: pair[0] != n)
    return made, signs


def _times(work: Work, part: Step, factors: Sequence[sp.Expr], signs: Sequence[Step]) -> Step:
    """The relation part times nonnegative factors."""
    product = sp.Mul(*factors)
    if product == 1:
        return part
    name = sp.Dummy("c", real=True)
    meaning = work.d.define(name, part.rel.lhs)
    sign = work.attempt(Rel(name, ">=", 0), [meaning, part])
    if sign is None:
        raise ProofError("a coefficient has no sign")
    shown = work.attempt(Rel(name * product, ">=", 0), [sign, *signs])
    if shown is None:
        raise ProofError("a product has no sign")
    return work.d.substitute(shown, [meaning], Rel(part.rel.lhs * product, ">=", 0))


def _above(work: Work) -> Step | None:
    """The best fact k + c <= n."""
    found = [s for s in work.facts if s.rel.op == "<=" and s.rel.rhs == n and (s.rel.lhs - k).is_Rational]
    return max(found, key=lambda step: step.rel.lhs - k, default=None)


def _one_by_one(work: Work, goal: Rel, small: int) -> Step | None:
    """The least value of n by itself, and the larger ones."""
    if n not in goal.lhs.free_symbols:
        return None
    end = _above(work) if k in goal.lhs.free_symbols else work.lower(n)
    if end is None:
        return None
    found = end_of(end.rel, n)
    least = found[1] if found else end.rel.lhs
    if not least.is_integer:
        return None
    at_most = work.d.assume(Rel(n, "<=", least))
    equal = work.attempt(Rel(n, "=", least), [at_most, end])
    if equal is None:
        return None
    value = goal.lhs.xreplace({n: least})
    fixed = Work(work.d, [s for s in work.facts if n not in _free(s.rel)], work.deadline, work.tried)
    lost = [s for s in work.facts if n in _free(s.rel) and _free(s.rel) & (goal.lhs.free_symbols - {n, k})]
    try:
        first = _nonnegative(fixed, Rel(sp.expand(value), goal.op, 0), 0)
    except tails.FailsError:
        if not lost:  # this is a case of the goal, so nothing else can help
            raise
        first = None
    if first is None:
        return None
    low = work.d.substitute(first, [], Rel(value, goal.op, 0))
    low = work.d.substitute(low, [equal], goal)
    at_least = work.d.assume(Rel(least + 1, "<=", n))
    high = _nonnegative(work.with_facts(at_least), goal, small - 1)
    return None if high is None else work.d.split((at_most, low), (at_least, high))
