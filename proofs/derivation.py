"""Checked derivations: steps, each discharged by a named rule that is a decision procedure or a fixed pattern.

A rule that cannot discharge its claim raises ProofError naming the step. What a step rests on is kept by the ledger
(proofs/sequent.py); a conclusion may rest on the hypotheses of its statement alone.

Rules
    given, assume          hypotheses
    define                 a fresh name for an expression, a sign indicator or a count
    identity, polynomial   decided in proofs/decide.py (coefficient certificate, or else Z3)
    substitute             equals for equals, inside sums as well
    transitive             chains of = < <=
    cases                  a product is zero, so one of its factors is
    generalise, at, specialise   from a generic position to every position, and back
    induction              on an integer between two bounds
    monotone               the sign of a derivative on an interval
    cite                   an instance of an earlier theorem
    analysis               an instance of a named elementary fact (proofs/facts.py)
    box, split             an inequality on a compact box by interval arithmetic; cases of an order (proofs/boxes.py)
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import sympy as sp

from .boxes import Regions
from .decide import Limits, decide
from .facts import FACTS
from .language import replace
from .props import (
    Each,
    MaxOver,
    ProofError,
    Prop,
    Rel,
    Substitution,
    bound_variables,
    equal_terms,
    free_symbols,
    functions_of,
    instantiate,
    same,
    substitute,
)
from .sequent import Step, Theorem

LINEARITY = ("S.add", "S.scale", "S.constant")
SMOOTH = (sp.Add, sp.Mul, sp.exp, sp.tanh, sp.Symbol, sp.Rational)


class Derivation(Regions):
    """A ledger with the rules."""

    # -- decision procedures ---------------------------------------------------------------------------------------

    def polynomial(
        self,
        lhs: sp.Expr,
        op: str,
        rhs: sp.Expr,
        using: Sequence[Step] = (),
        why: str = "",
        *,
        linear: bool = True,
        limits: Limits | None = None,
    ) -> Step:
        """A rational (in)equality that follows from the relations `using` (linear=False: sums are mere atoms).

        `limits` on the time can only make the step fail.
        """
        claim = self._claim(Rel(lhs, op, rhs))
        rule = "identity" if op == "=" else "polynomial"
        if isinstance(claim, Each):
            raise self._reject(rule, claim, "is about every position")
        try:
            how, sums = decide(claim, [step.rel for step in using], linear=linear, limits=limits)
        except ProofError as error:
            raise self._reject(rule, claim, error) from None
        if sums:
            how += "; sums made linear by " + ", ".join(LINEARITY)
            for name in LINEARITY:
                self._cited(name)
        return self._add(claim, rule, how, why, using)

    def identity(self, lhs: sp.Expr, rhs: sp.Expr, using: Sequence[Step] = (), why: str = "") -> Step:
        """An identity of rational functions in the atoms; `using` shows denominators non-zero or gives equations."""
        return self.polynomial(lhs, "=", rhs, using, why)

    def substitute(self, step: Step, equations: Sequence[Step], claim: Prop, why: str = "") -> Step:
        """`claim` is `step` after replacing equals by equals (each equation used from left to right)."""
        claim = self._claim(claim)
        mapping = {equation.rel.lhs: equation.rel.rhs for equation in equations}
        if any(equation.rel.op != "=" for equation in equations):
            raise self._reject("substitute", claim, "replacement needs equations")
        free = set().union(*[free_symbols(equation.prop) for equation in equations])
        if free & (_bound_in(step.prop) | _bound_in(claim)):
            raise self._reject("substitute", claim, "an equation mentions a bound variable")
        if not same(_replace(claim, mapping), _replace(step.prop, mapping)):
            raise self._reject("substitute", claim, f"does not come from {step.prop} by the equations given")
        return self._add(claim, "substitute", "", why, (step, *equations))

    def transitive(self, lhs: sp.Expr, op: str, rhs: sp.Expr, chain: Sequence[Step], why: str = "") -> Step:
        """lhs op rhs from a chain a1 op b1, a2 op b2, ... with b1 = a2 and so on."""
        claim = self._claim(Rel(lhs, op, rhs))
        if not chain:
            raise self._reject("transitive", claim, "the chain is empty")
        ops = [step.rel.op for step in chain]
        strict = [o in "<>" for o in ops]
        if any(o in (">", ">=") for o in ops) and any(o in ("<", "<=") for o in ops):
            raise self._reject("transitive", claim, "the chain mixes directions")
        weakest = "=" if set(ops) <= {"="} else (">" if any(">" in o for o in ops) else "<")
        weakest += "=" if weakest != "=" and not any(strict) else ""
        allowed = {weakest, weakest[0] + "="} if weakest != "=" else {"=", "<=", ">="}
        links = [equal_terms(a.rel.rhs, b.rel.lhs) for a, b in itertools.pairwise(chain)]
        whole = Rel(chain[0].rel.lhs, weakest, chain[-1].rel.rhs)
        fits = isinstance(claim, Rel) and claim.op in allowed and same(claim, Rel(whole.lhs, claim.op, whole.rhs))
        if not (fits and all(links)):
            raise self._reject("transitive", claim, "the chain does not link up")
        return self._add(claim, "transitive", "", why, chain)

    # -- positions ---------------------------------------------------------------------------------------------------

    def generalise(self, step: Step, lower: Step, upper: Step, why: str = "") -> Step:
        """From a relation at a generic position lo <= i <= hi to every position; discharges the two assumptions."""
        i = lower.rel.rhs
        rest = step.depends - {lower, upper}
        generic = lower.rule == upper.rule == "assume" and lower.rel.op == upper.rel.op == "<="
        if not (generic and i.is_Symbol and i.is_integer and upper.rel.lhs == i):
            raise self._reject("generalise", step.prop, "needs the two assumptions of a generic position")
        if any(i in free_symbols(hypothesis.prop) for hypothesis in rest):
            raise self._reject("generalise", step.prop, f"{i} is not generic")
        claim = self._claim(Each(i, lower.rel.lhs, upper.rel.rhs, step.rel))
        if not same(claim, Each(i, lower.rel.lhs, upper.rel.rhs, step.rel)):
            raise self._reject("generalise", claim, "is not the step at a generic position")
        return self._add(claim, "generalise", "", why, (step, lower, upper), rest)

    def at(self, each: Step, where: sp.Expr, lower: Step, upper: Step) -> Step:
        """The instance of a step about every position at the integer `where`; lower, upper show lo <= where <= hi."""
        prop = each.prop
        if not isinstance(prop, Each) or not sp.S(where).is_integer:
            raise self._reject("at", where, "needs a step about every position and an integer")
        if not (same(lower.prop, Rel(prop.lo, "<=", where)) and same(upper.prop, Rel(where, "<=", prop.hi))):
            raise self._reject("at", where, f"is not shown to lie in {prop.lo}..{prop.hi}")
        return self._add(instantiate(prop.rel, {prop.var: where}), "at", "", "", (each, lower, upper))

    def each_empty(self, claim: Each) -> Step:
        """A claim about the positions of an empty range lo..lo-1."""
        if not equal_terms(claim.hi, claim.lo - 1):
            raise self._reject("each_empty", claim, "the range is not empty")
        return self._add(claim, "analysis", "an empty range has no position", "", ())

    def each_extend(self, each: Step, last: Step) -> Step:
        """From every position lo..m and position m + 1 to every position lo..m+1, for an integer m."""
        prop = each.prop
        if not isinstance(prop, Each) or not prop.hi.is_integer:
            raise self._reject("each_extend", prop, "needs a step about every position up to an integer")
        if not same(last.prop, instantiate(prop.rel, {prop.var: prop.hi + 1})):
            raise self._reject("each_extend", last.prop, "is not the instance at the next position")
        how = "an integer up to m + 1 is up to m, or m + 1"
        return self._add(Each(prop.var, prop.lo, prop.hi + 1, prop.rel), "analysis", how, "", (each, last))

    def below_maximum(self, maximum: sp.Expr, where: sp.Expr, lower: Step, upper: Step) -> Step:
        """f(where) <= MaxOver(f, a, lo, hi) for an integer lo <= where <= hi."""
        if maximum.func != MaxOver or not sp.S(where).is_integer:
            raise self._reject("below_maximum", maximum, "needs a maximum over integers and an integer")
        body, var, lo, hi = maximum.args
        if not (same(lower.prop, Rel(lo, "<=", where)) and same(upper.prop, Rel(where, "<=", hi))):
            raise self._reject("below_maximum", where, f"is not shown to lie in {lo}..{hi}")
        term = Rel(substitute(body, {var: where}), "<=", maximum)
        claim = self._claim(term)
        if not same(claim, term):
            raise self._reject("below_maximum", claim, "is not a term of the maximum")
        return self._add(claim, "analysis", "a term is at most the maximum", "", (lower, upper))

    # -- logic -------------------------------------------------------------------------------------------------------

    def cases(self, product: Step, first: tuple[Step, Step], second: tuple[Step, Step], why: str = "") -> Step:
        """From a*b = 0: `first` = (assumption a = 0, conclusion), `second` = (assumption b = 0, same conclusion)."""
        (left, one), (right, two) = first, second
        claim = self._claim(one.prop)
        shape = product.rel.op == "=" and product.rel.rhs == 0 and left.rel.op == right.rel.op == "="
        if not (shape and equal_terms(product.rel.lhs, left.rel.lhs * right.rel.lhs)):
            raise self._reject("cases", claim, "the assumptions are not the factors of the product")
        if not (left.rel.rhs == right.rel.rhs == 0 and left.rule == right.rule == "assume"):
            raise self._reject("cases", claim, "the cases must assume that a factor is zero")
        if not (same(claim, one.prop) and same(one.prop, two.prop)):
            raise self._reject("cases", claim, f"the cases end differently: {one.prop}; {two.prop}")
        rest = (one.depends - {left}) | (two.depends - {right}) | product.depends
        return self._add(claim, "cases", "", why, (product, left, one, right, two), rest)

    def induction(
        self,
        claim: Prop,
        m: sp.Symbol,
        base: Step,
        hypothesis: Step,
        inductive: Step,
        top: Step | None = None,
        why: str = "",
    ) -> Step:
        """`claim` for every integer m >= 0 (m <= N), from claim(0) and claim(m) |- claim(m + 1).

        `hypothesis` is the assumed claim(m); `inductive` proves claim(m + 1) and may also assume m >= 0 and, as `top`,
        m + 1 <= N. The result rests on the assumptions m >= 0 (and m <= N): use specialise to discharge them.
        """
        claim = self._claim(claim)
        natural = [s for s in inductive.depends if s.rule == "assume" and same(s.prop, Rel(m, ">=", 0))]
        local = {hypothesis, *natural} | ({top} if top else set())
        rest = base.depends | (inductive.depends - local)
        if not m.is_integer:
            raise self._reject("induction", claim, f"{m} is not an integer")
        if not same(base.prop, instantiate(claim, {m: sp.S.Zero})):
            raise self._reject("induction", claim, f"the base case is not {base.prop}")
        if not (hypothesis.rule == "assume" and same(hypothesis.prop, claim)):
            raise self._reject("induction", claim, "the induction hypothesis is another claim")
        if not same(inductive.prop, instantiate(claim, {m: m + 1})):
            raise self._reject("induction", claim, f"the inductive step proves {inductive.prop}")
        if any(m in free_symbols(s.prop) or s is hypothesis for s in rest):
            raise self._reject("induction", claim, f"a hypothesis depends on {m}")
        kept = [self.assume(Rel(m, ">=", 0), "the variable of the induction")]
        if top is not None:
            limit = top.rel.rhs
            if not (top.rule == "assume" and same(top.prop, Rel(m + 1, "<=", limit)) and m not in limit.free_symbols):
                raise self._reject("induction", claim, f"the range is not given as {m} + 1 <= N")
            kept.append(self.assume(Rel(m, "<=", limit), "the range of the induction"))
        premises = (base, hypothesis, inductive, *kept)
        return self._add(claim, "induction", f"on {m}", why, premises, rest | set(kept))

    def specialise(self, step: Step, m: sp.Symbol, value: sp.Expr, shown: Sequence[Step], why: str = "") -> Step:
        """A step about a generic m at m = value; `shown` proves each assumption about m at that value."""
        claim = self._claim(instantiate(step.prop, {m: value}))
        if m.is_integer and not sp.S(value).is_integer:
            raise self._reject("specialise", claim, f"{value} is not an integer")
        depends = set()
        for hypothesis in step.depends:
            if m not in free_symbols(hypothesis.prop):
                depends.add(hypothesis)
                continue
            needed = instantiate(hypothesis.prop, {m: value})
            if hypothesis.rule != "assume" or not any(same(proof.prop, needed) for proof in shown):
                raise self._reject("specialise", claim, f"needs {needed}")
        for proof in shown:
            depends |= proof.depends
        if not same(claim, instantiate(step.prop, {m: value})):
            raise self._reject("specialise", claim, f"is not an instance of {step.prop}")
        return self._add(claim, "substitute", f"{m} = {value}", why, (step, *shown), frozenset(depends))

    def monotone(
        self, f: sp.Lambda, derivative: Step, domain: Step, u: sp.Expr, v: sp.Expr, start: Step, order: Step
    ) -> Step:
        """f(u) <= f(v) for a <= u <= v, from f'(x) >= 0 wherever x >= a.

        `domain` is the assumption x >= a for the symbol x of `derivative`; `start` proves u >= a, `order` u <= v.
        """
        x = domain.rel.lhs
        variable = x.is_Symbol and not x.is_integer and x not in domain.rel.rhs.free_symbols
        if not (domain.rule == "assume" and domain.rel.op == ">=" and variable):
            raise self._reject("monotone", domain.prop, "the domain must be assumed as x >= a for a real x")
        body, low, high = (substitute(f.expr, {f.variables[0]: value}) for value in (x, u, v))
        grown = Rel(low, "<=", high)
        claim = self._claim(grown)
        if x in f.free_symbols or not _smooth(body):
            raise self._reject("monotone", claim, "is not about a function built from +, *, powers, exp and tanh")
        if not same(derivative.prop, Rel(sp.diff(body, x), ">=", 0)):
            raise self._reject("monotone", claim, f"the derivative is {sp.diff(body, x)}")
        if not (same(start.prop, Rel(u, ">=", domain.rel.rhs)) and same(order.prop, Rel(u, "<=", v))):
            raise self._reject("monotone", claim, "the end points are not shown to be ordered in the domain")
        if not same(claim, grown):
            raise self._reject("monotone", claim, f"is not {grown}")
        rest = derivative.depends - {domain}
        if any(x in free_symbols(s.prop) for s in rest):
            raise self._reject("monotone", claim, f"{x} is not generic")
        depends = rest | start.depends | order.depends
        return self._add(claim, "monotone", "", "", (derivative, domain, start, order), depends)

    # -- theorems ----------------------------------------------------------------------------------------------------

    def cite(
        self,
        name: str,
        mapping: Substitution,
        premises: Sequence[Step] = (),
        claim: Prop | None = None,
        why: str = "",
    ) -> Step:
        """An instance of an earlier theorem; each instantiated hypothesis is among the premises (or trivially true)."""
        return self._instance(self._cited(name), mapping, premises, claim, "cite", why)

    def _cited(self, name: str) -> Theorem:
        theorem = self._theorem(name)
        if name not in self.uses:
            self.uses.append(name)
        return theorem

    def analysis(
        self, fact: Theorem, mapping: Substitution, premises: Sequence[Step] = (), claim: Prop | None = None
    ) -> Step:
        """An instance of a named elementary fact."""
        if not any(fact is known for known in FACTS):
            raise self._reject("analysis", fact.conclusion, f"{fact.name} is not among the facts")
        return self._instance(fact, mapping, premises, claim, "analysis", "")

    def _instance(
        self,
        theorem: Theorem,
        mapping: Substitution,
        premises: Sequence[Step],
        claim: Prop | None,
        rule: str,
        why: str,
    ) -> Step:
        instance = instantiate(theorem.conclusion, mapping)
        claim = self._claim(instance if claim is None else claim)
        if not same(claim, instance):
            raise self._reject(rule, claim, f"{theorem.name} gives {instance}")
        for old, new in mapping.items():
            if getattr(old, "is_Symbol", False) and old.is_integer and not sp.S(new).is_integer:
                raise self._reject(rule, claim, f"{theorem.name} needs an integer for {old}, not {new}")
        used = []
        for hypothesis in theorem.hypotheses:
            needed = instantiate(hypothesis, mapping)
            found = next((step for step in premises if same(step.prop, needed)), None)
            if found is None and not _numerically_true(needed):
                raise self._reject(rule, claim, f"{theorem.name} needs {needed}")
            if found is not None and found not in used:
                used.append(found)
        return self._add(claim, rule, theorem.name, why, used)

    def conclude(self, step: Step, name: str, hypotheses: Sequence[Prop], conclusion: Prop) -> Theorem:
        """The theorem proved by `step`: it may rest on the stated hypotheses alone and mention no local name."""
        self._own(step)
        if not same(step.prop, conclusion):
            raise ProofError(f"{name}: the derivation ends with {step.prop}, not with {conclusion}")
        for hypothesis in step.depends:
            known = hypothesis.rule == "given" and any(same(hypothesis.prop, h) for h in hypotheses)
            if not known and hypothesis.rule != "define":
                raise ProofError(f"{name}: rests on {hypothesis.prop}, which is not a hypothesis of the statement")
        stated = (conclusion, *hypotheses)
        symbols = {symbol for prop in stated for symbol in (*free_symbols(prop), *functions_of(prop))}
        if len({str(symbol) for symbol in symbols}) < len(symbols):
            raise ProofError(f"{name}: two symbols of the statement have the same name")
        for prop in stated:
            if self._defined & (free_symbols(prop) | functions_of(prop)):
                raise ProofError(f"{name}: a name defined in the derivation occurs in the statement")
        self.last = step
        return Theorem(name, tuple(hypotheses), conclusion)


def _bound_in(prop: Prop) -> set[sp.Symbol]:
    if isinstance(prop, Each):
        return _bound_in(prop.rel) | {prop.var}
    return bound_variables(prop.lhs) | bound_variables(prop.rhs)


def _replace(prop: Prop, mapping: dict[sp.Expr, sp.Expr]) -> Prop:
    if isinstance(prop, Each):
        rel = _replace(prop.rel, mapping)
        assert isinstance(rel, Rel)
        return Each(prop.var, prop.lo, prop.hi, rel)
    return Rel(replace(prop.lhs, mapping), prop.op, replace(prop.rhs, mapping))


def _numerically_true(prop: Prop) -> bool:
    """Whether a hypothesis is an (in)equality between rational numbers that holds."""
    if isinstance(prop, Each) or not (prop.lhs.is_Rational and prop.rhs.is_Rational):
        return False
    difference = prop.lhs - prop.rhs
    return bool(
        {"=": difference == 0, "<": difference < 0, "<=": difference <= 0}.get(
            prop.op, difference > 0 if prop.op == ">" else difference >= 0
        )
    )


def _smooth(expr: sp.Expr) -> bool:
    """Whether `expr` is built from symbols and numbers by +, *, powers with natural exponents, exp and tanh."""
    power = expr.is_Pow and expr.exp.is_Integer and expr.exp > 0
    return (power or isinstance(expr, SMOOTH)) and all(_smooth(arg) for arg in expr.args)
