"""The rules of derivations: each accepted once, and every way in which each can refuse."""

import dataclasses
import inspect
import re

import pytest
import sympy as sp

from proofs import derivation as derivation_module
from proofs import sequent as sequent_module
from proofs.derivation import Derivation
from proofs.facts import ABS_BOUND, EXP_INCREASING, EXP_LOG, LOG_POSITIVE, SUM_UNFOLD, M, X, Y
from proofs.props import INDEX, Each, MaxOver, ProofError, Rel, instantiate, position, same, substitute, total
from proofs.sequent import Theorem

a = sp.Symbol("a", integer=True)
x, y, z, t, lo, hi = sp.symbols("x y z t lo hi", real=True)
k, m, n, u = sp.symbols("k m n u", integer=True)
f, g = sp.Function("f", real=True), sp.Function("g", real=True)
i = position("i")
EVERYWHERE = Each(i, 1, n, Rel(f(i), "<=", g(i)))
LEMMAS = {
    "L.square": Theorem("L.square", (Rel(x, ">=", 1),), Rel(x**2, ">=", x)),
    "L.integer": Theorem("L.integer", (Rel(m, ">=", 0),), Rel(m**2, ">=", m)),
    "S.add": None, "S.scale": None, "S.constant": None,
}  # fmt: skip


@pytest.fixture
def d():
    """An empty derivation that may cite LEMMAS."""
    return Derivation(LEMMAS.__getitem__)


def tampered(derivation, altered):
    """Alter the claim of the next step only."""
    derivation._tamper = lambda _number, _prop: altered


def refuses(message):
    """The rule refuses for the reason given."""
    return pytest.raises(ProofError, match=message)


# -- hypotheses and definitions ---------------------------------------------------------------------------------------


def test_hypotheses_rest_on_themselves(d):
    given, assumed = d.given(Rel(x, ">", 0)), d.assume(Rel(y, ">", 0))
    assert given.depends == {given}
    assert assumed.depends == {assumed}
    both = d.polynomial(x + y, ">", 0, [given, assumed])
    assert both.depends == {given, assumed}
    assert (both.number, both.rule, both.premises) == (3, "polynomial", (given, assumed))


def test_a_generic_position_is_not_one_of_the_hypotheses(d):
    d.given(Rel(i, ">", 0))
    with refuses("the symbol occurs in a hypothesis"):
        d.generic("i", 1, n)
    with refuses("j is reserved"):
        d.generic("j", 1, n)


def test_definitions(d):
    meaning = d.define(z, x + y)
    assert meaning.prop == Rel(z, "=", x + y)
    each = d.define_function(f, i, sp.exp(i * x), n)
    assert each.prop == Each(i, 1, n, Rel(f(i), "=", sp.exp(i * x)))
    boolean, signed = d.sign_indicator(g, i, x - i, n)
    assert boolean.prop == Each(i, 1, n, Rel(g(i) * (1 - g(i)), "=", 0))
    assert signed.prop == Each(i, 1, n, Rel((2 * g(i) - 1) * (x - i), "=", sp.Abs(x - i)))
    number, natural = d.count(m, g(i), boolean)
    assert number.prop == Rel(total(g, n), "=", m)
    assert natural.prop == Rel(m, ">=", 0)
    assert number.depends == {number, boolean}
    assert {step.rule for step in d.steps} == {"define"}


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (lambda d: d.define(x, y), "the name is not new"),
        (lambda d: d.define(z, z + 1), "the name is not new"),
        (lambda d: d.define(z, INDEX), "the bound variable of sums is free"),
        (lambda d: d.define(INDEX, x), "is not a symbol"),
        (lambda d: d.define(sp.S.One, x), "is not a symbol"),
        (lambda d: d.define(f(i), x), "is not a symbol"),
        (lambda d: d.define(m, x), "x need not be an integer"),
        (lambda d: d.define_function(f, i, x, n), "the name is not new"),
        (lambda d: d.define_function(g, i, g(i), n), "the name is not new"),
        (lambda d: d.define_function(MaxOver, i, x, n), "is not a function symbol"),
        (lambda d: d.define_function(sp.exp, i, x, n), "is not a function symbol"),
        (lambda d: d.sign_indicator(x, i, x, n), "is not a function symbol"),
    ],
)
def test_a_definition_is_refused(d, define, message):
    d.given(Rel(f(x), ">", 0))
    with refuses(message):
        define(d)


def test_a_count_is_refused(d):
    boolean = d.given(Each(i, 1, n, Rel(f(i) * (1 - f(i)), "=", 0)))
    for step, term in ((boolean, g(i)), (boolean, 2 * f(i)), (d.given(Rel(x, ">", 0)), f(i))):
        with refuses(r"needs f\(i\)\(1 - f\(i\)\) = 0"):
            d.count(m, term, step)
    late = d.given(Each(i, 2, n, Rel(g(i) * (1 - g(i)), "=", 0)))
    with refuses(r"needs f\(i\)\(1 - f\(i\)\) = 0"):
        d.count(m, g(i), late)
    with refuses("is not an integer symbol"):
        d.count(z, f(i), boolean)
    with refuses("not a step of this derivation"):
        d.count(m, f(i), Derivation(LEMMAS.get).given(boolean.prop))


# -- decision procedures ----------------------------------------------------------------------------------------------


def test_polynomial_and_identity(d):
    positive = d.given(Rel(x, ">", 0))
    assert d.polynomial(1 / x, ">", 0, [positive]).rule == "polynomial"
    assert d.identity((x + 1) / x, 1 + 1 / x, [positive]).rule == "identity"
    linear = d.polynomial(total(lambda j: x * f(j), n), "=", x * total(f, n))
    assert "S.add, S.scale, S.constant" in linear.how
    assert d.uses == ["S.add", "S.scale", "S.constant"]


def test_a_decision_is_refused(d):
    with refuses("not proved: x > 0"):
        d.polynomial(x, ">", 0)
    with refuses("not proved: x = y"):
        d.identity(x, y)
    each = d.given(EVERYWHERE)
    with refuses(r"is about every position; use at\(\)"):
        d.polynomial(x, "<=", x, [each])
    tampered(d, EVERYWHERE)
    with refuses("is about every position"):
        d.polynomial(x, "<=", x)


# -- equals for equals ------------------------------------------------------------------------------------------------


def test_substitution(d):
    equation = d.given(Rel(x, "=", y + 1))
    step = d.given(Rel(total(lambda j: x * f(j), n), "<=", 0))
    done = d.substitute(step, [equation], Rel(total(lambda j: (y + 1) * f(j), n), "<=", 0))
    assert done.depends == {equation, step}
    each = d.given(Each(i, 1, n, Rel(f(i), "<=", x)))
    assert d.substitute(each, [equation], Each(k, 1, n, Rel(f(k), "<=", y + 1)))


def test_a_substitution_is_refused(d):
    step, equation = d.given(Rel(x, "<=", z)), d.given(Rel(x, "=", y))
    with refuses("does not come from x <= z"):
        d.substitute(step, [equation], Rel(y, "<", z))
    with refuses("does not come from x <= z"):
        d.substitute(step, [], Rel(y, "<=", z))
    with refuses("replacement needs equations"):
        d.substitute(step, [d.given(Rel(x, "<=", y))], Rel(y, "<=", z))
    each = d.given(Each(i, 1, n, Rel(f(i), "<=", 0)))
    with refuses("an equation mentions a bound variable"):
        d.substitute(each, [d.given(Rel(f(i), "=", g(i)))], Each(i, 1, n, Rel(g(i), "<=", 0)))
    with refuses("an equation mentions a bound variable"):
        d.substitute(step, [d.given(Rel(f(INDEX), "=", x))], Rel(total(f, n), "<=", z))
    with refuses("would cancel"):
        d.substitute(d.identity(x * z, x * z), [d.given(Rel(z, "=", 1 / x))], Rel(x * z, "=", 1))


# -- chains -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ops", "allowed"),
    [
        (("=", "="), {"=", "<=", ">="}),
        (("=", "<="), {"<="}),
        (("<=", "<"), {"<", "<="}),
        (("<", "="), {"<", "<="}),
        (("<", "<"), {"<", "<="}),
        ((">=", "="), {">="}),
        ((">", ">="), {">", ">="}),
        (("<", ">"), set()),
        (("<=", ">="), set()),
        (("=",), {"=", "<=", ">="}),
    ],
)
def test_a_chain_proves_its_weakest_link(d, ops, allowed):
    terms = [x, y, z][: len(ops) + 1]
    chain = [d.given(Rel(p, op, q)) for p, op, q in zip(terms, ops, terms[1:], strict=False)]
    for op in ("=", "<", "<=", ">", ">="):
        if op in allowed:
            assert d.transitive(terms[0], op, terms[-1], chain).prop.op == op
        else:
            with refuses("the chain does not link up" if allowed else "the chain mixes directions"):
                d.transitive(terms[0], op, terms[-1], chain)


def test_a_chain_is_refused(d):
    one, two = d.given(Rel(x, "<=", y)), d.given(Rel(z, "<=", t))
    with refuses("the chain does not link up"):
        d.transitive(x, "<=", t, [one, two])
    with refuses("the chain does not link up"):
        d.transitive(z, "<=", y, [one])
    with refuses("the chain does not link up"):
        d.transitive(y, "<=", x, [one])
    with refuses("the chain is empty"):
        d.transitive(x, "=", y, [])
    tampered(d, EVERYWHERE)
    with refuses("the chain does not link up"):
        d.transitive(x, "<=", y, [one])


# -- positions --------------------------------------------------------------------------------------------------------


def test_from_a_generic_position_to_every_position_and_back(d):
    each = d.given(EVERYWHERE)
    p, lower, upper = d.generic("p", 1, n)
    here = d.at(each, p, lower, upper)
    assert here.prop == Rel(f(p), "<=", g(p))
    assert here.depends == {each, lower, upper}
    doubled = d.generalise(d.polynomial(2 * f(p), "<=", 2 * g(p), [here]), lower, upper)
    assert doubled.prop == Each(p, 1, n, Rel(2 * f(p), "<=", 2 * g(p)))
    assert doubled.depends == {each}


def test_a_generalisation_is_refused(d):
    p, lower, upper = d.generic("p", 1, n)
    step = d.polynomial(p, ">=", 1, [lower])
    shown = d.polynomial(1, "<=", p, [lower])
    with refuses("needs the two assumptions of a generic position"):
        d.generalise(step, shown, upper)
    with refuses("needs the two assumptions of a generic position"):
        d.generalise(step, lower, d.assume(Rel(p, "<", n)))
    with refuses("needs the two assumptions of a generic position"):
        d.generalise(step, d.assume(Rel(1, "<=", x)), d.assume(Rel(x, "<=", n)))
    with refuses("needs the two assumptions of a generic position"):
        d.generalise(step, lower, d.assume(Rel(k, "<=", n)))
    other = d.assume(Rel(p, "<=", 3))
    with refuses("p is not generic"):
        d.generalise(d.polynomial(p, "<=", 3, [other]), lower, upper)
    tampered(d, Each(p, 1, n, Rel(p, ">", 1)))
    with refuses("is not the step at a generic position"):
        d.generalise(step, lower, upper)
    tampered(d, Rel(x, "<=", x))
    with refuses("is not the step at a generic position"):
        d.generalise(step, lower, upper)


def test_a_generic_position_does_not_range_over_itself(d):
    trivial = d.assume(Rel(i, "<=", i))
    with refuses("i cannot range over i..i"):
        d.generalise(d.identity(x, x), trivial, trivial)


def test_an_instance_is_refused(d):
    each = d.given(EVERYWHERE)
    lower, upper = d.given(Rel(1, "<=", k)), d.given(Rel(k, "<=", n))
    assert d.at(each, k, lower, upper).prop == Rel(f(k), "<=", g(k))
    with refuses("needs a step about every position and an integer"):
        d.at(lower, k, lower, upper)
    with refuses("needs a step about every position and an integer"):
        d.at(each, x, d.given(Rel(1, "<=", x)), d.given(Rel(x, "<=", n)))
    with refuses("is not shown to lie in 1..n"):
        d.at(each, k, d.given(Rel(0, "<=", k)), upper)
    with refuses("is not shown to lie in 1..n"):
        d.at(each, k, lower, lower)
    with refuses("is not shown to lie in 1..n"):
        d.at(each, k + 1, lower, upper)
    summed = d.given(Each(i, 1, n, Rel(f(i), "<=", total(lambda j: g(j), n))))
    with refuses("would capture"):
        d.at(summed, INDEX, d.given(Rel(1, "<=", INDEX)), d.given(Rel(INDEX, "<=", n)))


def test_an_empty_range_and_a_longer_one(d):
    empty = d.each_empty(Each(i, 1, 0, Rel(f(i), "<", f(i))))
    assert empty.depends == set()
    first = d.given(Rel(f(1), "<", f(1)))
    assert d.each_extend(empty, first).prop == Each(i, 1, 1, Rel(f(i), "<", f(i)))
    each, last = d.given(EVERYWHERE), d.given(Rel(f(n + 1), "<=", g(n + 1)))
    assert d.each_extend(each, last).prop == Each(i, 1, n + 1, EVERYWHERE.rel)
    with refuses("the range is not empty"):
        d.each_empty(Each(i, 1, 1, Rel(f(i), "<", f(i))))
    with refuses("is not the instance at the next position"):
        d.each_extend(each, d.given(Rel(f(n), "<=", g(n))))
    with refuses("is not the instance at the next position"):
        d.each_extend(each, d.given(Rel(f(n + 1), "<=", g(n))))
    with refuses("needs a step about every position up to an integer"):
        d.each_extend(last, last)
    with refuses("needs a step about every position up to an integer"):
        d.each_extend(d.given(Each(i, 1, x, EVERYWHERE.rel)), last)


def test_a_term_is_below_the_maximum(d):
    maximum = MaxOver(a * x, a, 0, n)
    lower, upper = d.given(Rel(0, "<=", k)), d.given(Rel(k, "<=", n))
    assert d.below_maximum(maximum, k, lower, upper).prop == Rel(k * x, "<=", maximum)
    with refuses("needs a maximum over integers and an integer"):
        d.below_maximum(x + k, k, lower, upper)
    with refuses("needs a maximum over integers and an integer"):
        d.below_maximum(maximum, x, lower, upper)
    with refuses("is not shown to lie in 0..n"):
        d.below_maximum(maximum, k, upper, lower)
    with refuses("is not shown to lie in 0..n"):
        d.below_maximum(maximum, k + 1, lower, upper)
    with refuses("would capture"):
        inner = MaxOver(MaxOver(a * k, k, 0, 1), a, 0, n)
        d.below_maximum(inner, k, lower, upper)
    tampered(d, Rel((k + 1) * x, "<=", maximum))
    with refuses("is not a term of the maximum"):
        d.below_maximum(maximum, k, lower, upper)


# -- cases ------------------------------------------------------------------------------------------------------------


def case(d, factor):
    """The assumption factor = 0 and x y = 0 from it."""
    zero = d.assume(Rel(factor, "=", 0))
    return zero, d.polynomial(x * y, "=", 0, [zero])


def test_cases(d):
    product = d.given(Rel(x * y, "=", 0))
    done = d.cases(product, case(d, x), case(d, y))
    assert done.prop == Rel(x * y, "=", 0)
    assert done.depends == {product}


def test_cases_are_refused(d):
    product, (zero_x, one), (zero_y, two) = d.given(Rel(x * y, "=", 0)), case(d, x), case(d, y)
    with refuses("the assumptions are not the factors of the product"):
        d.cases(product, (zero_x, one), (zero_x, one))
    with refuses("the assumptions are not the factors of the product"):
        d.cases(d.given(Rel(x * y, "<=", 0)), (zero_x, one), (zero_y, two))
    with refuses("the assumptions are not the factors of the product"):
        d.cases(d.given(Rel(x * y, "=", 1)), (zero_x, one), (zero_y, two))
    with refuses("the cases must assume that a factor is zero"):
        given = d.given(Rel(x, "=", 0))
        d.cases(product, (given, one), (zero_y, two))
    with refuses("the cases must assume that a factor is zero"):
        d.cases(product, (d.assume(Rel(x, "=", 1)), one), (zero_y, two))
    with refuses("the cases end differently"):
        d.cases(product, (zero_x, one), (zero_y, zero_y))
    tampered(d, Rel(x * y, "=", 1))
    with refuses("the cases end differently"):
        d.cases(product, (zero_x, one), (zero_y, two))


def test_an_assumption_used_outside_its_case_stays_open(d):
    product, (zero_x, one), (zero_y, two) = d.given(Rel(x * y, "=", 0)), case(d, x), case(d, y)
    outside = d.polynomial(x * y, "=", 0, [two, zero_x])
    assert zero_x in d.cases(product, (zero_x, one), (zero_y, outside)).depends


# -- induction --------------------------------------------------------------------------------------------------------


def squares(d, *, bounded=False):
    """Base, hypothesis, step and top of an induction that u^2 >= u."""
    claim = Rel(u**2, ">=", u)
    hypothesis, natural = d.assume(claim), d.assume(Rel(u, ">=", 0))
    top = d.assume(Rel(u + 1, "<=", n)) if bounded else None
    step = d.polynomial((u + 1) ** 2, ">=", u + 1, [hypothesis, natural, *([top] if top else [])])
    return claim, d.polynomial(0, ">=", 0), hypothesis, step, top


def test_induction_and_its_instances(d):
    claim, base, hypothesis, step, _ = squares(d)
    general = d.induction(claim, u, base, hypothesis, step)
    assert [str(s.prop) for s in general.depends] == ["u >= 0"]
    natural = d.given(Rel(n, ">=", 0))
    done = d.specialise(general, u, n, [natural])
    assert done.prop == Rel(n**2, ">=", n)
    assert done.depends == {natural}


def test_induction_below_a_bound(d):
    claim, base, hypothesis, step, top = squares(d, bounded=True)
    general = d.induction(claim, u, base, hypothesis, step, top)
    assert {str(s.prop) for s in general.depends} == {"u >= 0", "u <= n"}
    natural, within = d.given(Rel(k, ">=", 0)), d.given(Rel(k, "<=", n))
    assert d.specialise(general, u, k, [natural, within]).depends == {natural, within}
    with refuses("needs k <= n"):
        d.specialise(general, u, k, [natural])


def test_an_induction_is_refused(d):
    claim, base, hypothesis, step, top = squares(d)
    with refuses("x is not an integer"):
        d.induction(claim, x, base, hypothesis, step)
    with refuses("the base case is not"):
        d.induction(claim, u, d.polynomial(1, ">=", 1), hypothesis, step)
    with refuses("the induction hypothesis is another claim"):
        d.induction(claim, u, base, d.assume(Rel(u, ">=", 0)), step)
    with refuses("the induction hypothesis is another claim"):
        d.induction(claim, u, base, d.given(claim), step)
    with refuses("the inductive step proves"):
        d.induction(claim, u, base, hypothesis, hypothesis)
    with refuses("a hypothesis depends on u"):
        d.induction(claim, u, base, hypothesis, d.polynomial((u + 1) ** 2, ">=", u + 1, [d.assume(Rel(u, ">", 5))]))
    with refuses("a hypothesis depends on u"):
        circular = d.polynomial(0, ">=", 0, [hypothesis])
        d.induction(claim, u, circular, hypothesis, step)
    with refuses("the range is not given as u [+] 1 <= N"):
        d.induction(claim, u, base, hypothesis, step, d.assume(Rel(u, "<=", n)))
    assert top is None


def test_a_specialisation_is_refused(d):
    claim, base, hypothesis, step, _ = squares(d)
    general = d.induction(claim, u, base, hypothesis, step)
    with refuses("x is not an integer"):
        d.specialise(general, u, x, [d.given(Rel(x, ">=", 0))])
    with refuses("needs n >= 0"):
        d.specialise(general, u, n, [])
    with refuses("needs n >= 0"):
        d.specialise(general, u, n, [d.given(Rel(n, ">=", -1))])
    with refuses("needs k >= 0"):
        d.specialise(d.given(Rel(n, ">=", 0)), n, k, [d.assume(Rel(k, ">=", 0))])  # a hypothesis of the statement
    with refuses("is neither a symbol nor a function symbol"):
        d.specialise(general, u**2, n, [])
    tampered(d, Rel(n**2, ">", n))
    with refuses("is not an instance of"):
        d.specialise(general, u, n, [d.given(Rel(n, ">=", 0))])


# -- monotone ---------------------------------------------------------------------------------------------------------


def grown(d, function=None, slope=None, domain=None, ends=None):
    """t^2 at lo and hi, for 0 <= lo <= hi; any part may be another."""
    domain = domain or d.assume(Rel(t, ">=", 0))
    slope = slope or d.polynomial(2 * t, ">=", 0, [domain])
    start, order = ends or (d.given(Rel(lo, ">=", 0)), d.given(Rel(lo, "<=", hi)))
    return d.monotone(function or sp.Lambda(t, t**2), slope, domain, lo, hi, start, order)


def test_monotone(d):
    step = grown(d)
    assert step.prop == Rel(lo**2, "<=", hi**2)
    assert {str(s.prop) for s in step.depends} == {"lo >= 0", "lo <= hi"}


def test_monotone_is_refused(d):
    for domain in (d.given(Rel(t, ">=", 0)), d.assume(Rel(t, ">", 0)), d.assume(Rel(2 * t, ">=", 0))):
        with refuses("the domain must be assumed as x >= a"):
            grown(d, domain=domain, slope=domain)
    with refuses("the domain must be assumed as x >= a for a real x"):
        domain = d.assume(Rel(u, ">=", 0))
        grown(d, domain=domain, slope=d.polynomial(2 * u, ">=", 0, [domain]))
    with refuses("the domain must be assumed as x >= a"):
        domain = d.assume(Rel(t, ">=", t - 1))
        grown(d, domain=domain, slope=domain)
    with refuses("the derivative is 3[*]t[*][*]2"):
        grown(d, function=sp.Lambda(t, t**3))
    with refuses("the derivative is 2[*]t"):
        domain = d.assume(Rel(t, ">=", 0))
        grown(d, domain=domain, slope=d.polynomial(2 * t, ">=", -1, [domain]))
    with refuses("the end points are not shown to be ordered in the domain"):
        grown(d, ends=(d.given(Rel(lo, ">=", -1)), d.given(Rel(lo, "<=", hi))))
    with refuses("the end points are not shown to be ordered in the domain"):
        grown(d, ends=(d.given(Rel(lo, ">=", 0)), d.given(Rel(hi, "<=", lo))))
    for body in (sp.log(t), sp.Abs(t), f(t), 1 / t, t**2 + 1 / x, total(lambda j: t * f(j), n)):
        with refuses("is not about a function built from"):
            grown(d, function=sp.Lambda(t, body))
    with refuses("is not about a function built from"):
        other = sp.Symbol("other", real=True)
        grown(d, function=sp.Lambda(other, t * other))
    domain = d.assume(Rel(t, ">=", 0))
    with refuses("t is not generic"):
        special = d.polynomial(2 * t, ">=", 0, [d.assume(Rel(t, ">=", 1))])
        grown(d, domain=domain, slope=special)
    parts = {"domain": domain, "slope": d.polynomial(2 * t, ">=", 0, [domain])}
    parts["ends"] = (d.given(Rel(lo, ">=", 0)), d.given(Rel(lo, "<=", hi)))
    tampered(d, Rel(lo**2, "<", hi**2))
    with refuses(r"is not lo\*\*2 <= hi\*\*2"):
        grown(d, **parts)


# -- theorems ---------------------------------------------------------------------------------------------------------


def test_citation(d):
    large = d.given(Rel(2 * y, ">=", 1))
    step = d.cite("L.square", {x: 2 * y}, [large])
    assert step.prop == Rel(4 * y**2, ">=", 2 * y)
    assert step.depends == {large}
    assert d.cite("L.square", {x: sp.Integer(3)}).depends == set()
    assert d.uses == ["L.square"]
    tanh = d.analysis(ABS_BOUND, {X: y, Y: z}, [d.given(Rel(y, "<=", z)), d.given(Rel(-y, "<=", z))])
    assert tanh.prop == Rel(sp.Abs(y), "<=", z)


def test_a_citation_is_refused(d):
    large = d.given(Rel(y, ">=", 1))
    with pytest.raises(KeyError):
        d.cite("L.none", {})
    with refuses(r"L\.square gives y\*\*2 >= y"):
        d.cite("L.square", {x: y}, [large], Rel(y**2, ">", y))
    with refuses(r"L\.square needs z >= 1"):
        d.cite("L.square", {x: z}, [large])
    with refuses(r"L\.square needs 0 >= 1"):
        d.cite("L.square", {x: sp.S.Zero})
    with refuses(r"L\.integer needs an integer for m, not y"):
        d.cite("L.integer", {m: y}, [large])
    with refuses("is not among the facts"):
        d.analysis(LEMMAS["L.square"], {x: y}, [large])
    with refuses("is not among the facts"):
        d.analysis(dataclasses.replace(EXP_INCREASING, hypotheses=()), {})
    with refuses("log x > 0 for x > 1 needs 1 > 1"):
        d.analysis(LOG_POSITIVE, {X: sp.S.One})
    with refuses("would put a logarithm inside an exponential|has a logarithm inside an exponential"):
        d.analysis(EXP_LOG, {X: y, Y: sp.log(y)}, [large])
    with refuses("is not a sum over j = 1..n for an integer n"):
        d.analysis(SUM_UNFOLD, {M: sp.Rational(1, 2)})
    with refuses("would capture"):
        d.analysis(SUM_UNFOLD, {M: INDEX})


@pytest.mark.parametrize(
    ("number", "truth"),
    [
        (Rel(1, "=", 1), True), (Rel(1, "=", 2), False), (Rel(1, "<", 2), True), (Rel(1, "<", 1), False),
        (Rel(1, "<=", 1), True), (Rel(2, "<=", 1), False), (Rel(2, ">", 1), True), (Rel(1, ">", 1), False),
        (Rel(1, ">=", 1), True), (Rel(0, ">=", 1), False), (Rel(x, "=", x), False),
        (Each(i, 1, 0, Rel(0, "=", 0)), False),
    ],
)  # fmt: skip
def test_only_relations_between_numbers_are_true_by_themselves(number, truth):
    assert derivation_module._numerically_true(number) is truth


# -- conclusions ------------------------------------------------------------------------------------------------------


def test_a_conclusion(d):
    positive = d.given(Rel(x, ">", 0))
    name = d.define(z, 2 * x)
    step = d.polynomial(3 * x, ">", 0, [d.polynomial(z, ">", 0, [name, positive]), name, positive])
    theorem = d.conclude(step, "T", [positive.prop], Rel(3 * x, ">", 0))
    assert theorem == Theorem("T", (Rel(x, ">", 0),), Rel(3 * x, ">", 0))
    assert d.last is step


def test_a_conclusion_is_refused(d):
    positive, open_ = d.given(Rel(x, ">", 0)), d.assume(Rel(y, ">", 0))
    name = d.define(z, 2 * x)
    with refuses("the derivation ends with x > 0, not with x >= 0"):
        d.conclude(positive, "T", [positive.prop], Rel(x, ">=", 0))
    with refuses("rests on x > 0, which is not a hypothesis of the statement"):
        d.conclude(positive, "T", [], positive.prop)
    with refuses("rests on y > 0, which is not a hypothesis of the statement"):
        d.conclude(open_, "T", [open_.prop], open_.prop)
    for prop, hypotheses in ((name.prop, []), (positive.prop, [positive.prop, Rel(z, ">", 0)])):
        step = name if prop is name.prop else positive
        with refuses("a name defined in the derivation occurs in the statement"):
            d.conclude(step, "T", hypotheses, prop)
    with refuses("two symbols of the statement have the same name"):
        d.conclude(positive, "T", [positive.prop, Rel(sp.Symbol("x", integer=True), ">", 0)], positive.prop)
    with refuses("not a step of this derivation"):
        d.conclude(dataclasses.replace(positive), "T", [positive.prop], positive.prop)


def test_steps_belong_to_one_derivation(d):
    other = Derivation(LEMMAS.get)
    foreign = other.given(Rel(x, ">", 0))
    with refuses("not a step of this derivation"):
        d.polynomial(x, ">", 0, [foreign])
    d.given(Rel(x, ">", 0))
    with refuses("not a step of this derivation"):
        d.polynomial(x, ">", 0, [foreign])


# -- propositions -----------------------------------------------------------------------------------------------------


def test_malformed_propositions_are_refused():
    with refuses("relation '!=' is not one of"):
        Rel(x, "!=", y)
    for variable in (INDEX, n, x, sp.S.One):
        with pytest.raises(ProofError):
            Each(variable, 1, n, Rel(x, "=", x))


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        (Rel(x, "<", y), Rel(y, ">", x), True),
        (Rel(x, "<=", y), Rel(y, ">=", x), True),
        (Rel(x, "=", y), Rel(y, "=", x), True),
        (Rel(x * (y + 1), "<", 0), Rel(x * y + x, "<", 0), True),
        (Rel(x, "<", y), Rel(y, "<", x), False),
        (Rel(x, "<", y), Rel(x, "<=", y), False),
        (Rel(x, "<=", y), Rel(y, "<=", x), False),
        (Rel(x, "<", y), Rel(x - y, "<", 0), False),
        (Each(i, 1, n, Rel(f(i), "<", 0)), Each(k, 1, n, Rel(0, ">", f(k))), True),
        (Each(i, 1, n, Rel(f(i), "<", 0)), Each(i, 0, n, Rel(f(i), "<", 0)), False),
        (Each(i, 1, n, Rel(f(i), "<", 0)), Each(i, 1, n + 1, Rel(f(i), "<", 0)), False),
        (Each(i, 1, n, Rel(f(i), "<", k)), Each(k, 1, n, Rel(f(k), "<", k)), False),
        (Each(i, 1, n, Rel(f(k), "<", 0)), Each(k, 1, n, Rel(f(k), "<", 0)), False),
        (Each(i, 1, n, Rel(f(i), "<", 0)), Rel(f(i), "<", 0), False),
    ],
)
def test_same_propositions(one, two, expected):
    assert same(one, two) is expected
    assert same(two, one) is expected


def test_functions_are_swapped_at_once():
    swapped = substitute(f(x) - g(y), {f: g, g: f, x: y, y: x})
    assert swapped == g(y) - f(x)


def test_the_variable_of_each_is_renamed_rather_than_captured():
    moved = instantiate(Each(i, 1, n, Rel(f(i), "<=", k)), {k: i})
    assert same(moved, Each(m, 1, n, Rel(f(m), "<=", i)))
    with refuses("i is bound in"):
        instantiate(Each(i, 1, n, Rel(f(i), "<=", k)), {i: k})


@pytest.mark.parametrize(
    ("term", "mapping", "message"),
    [
        (f(x), {f: x}, "f cannot be replaced by x"),
        (f(x), {x: sp.Lambda(t, t)}, "x cannot be replaced by"),
        (f(x), {x: g}, "x cannot be replaced by g"),
        (f(x), {f: sp.Lambda((t, y), t + y)}, "has another number of arguments"),
        (total(f, n), {INDEX: x}, "j is bound in"),
        (total(lambda j: x * f(j), n), {x: INDEX}, "would capture"),
        (total(lambda j: x * f(j), n), {f: sp.Lambda(t, t * INDEX)}, "would capture"),
        (f(x), {f(x): y}, "is neither a symbol nor a function symbol"),
        (f(x), {f: MaxOver}, "is not a term of the language"),
        (x * y, {x: 1 / y}, "would cancel"),
        (sp.exp(x), {x: sp.log(y)}, "logarithm inside an exponential"),
        (1 / x, {x: sp.S.Zero}, "is not a term of the language"),
    ],
)
def test_a_replacement_is_refused(term, mapping, message):
    with refuses(message):
        instantiate(Rel(term, "=", 0), mapping)


def test_a_quotient_by_nothing_is_refused(d):
    with refuses("divides by 0"):
        d.identity(1 / (x * (y + 1) - x * y - x), 0)


# -- completeness of this file ----------------------------------------------------------------------------------------


def test_every_reason_for_a_refusal_occurs_here():
    """The first words of every message of the rules are expected somewhere in this file."""
    source = inspect.getsource(derivation_module) + inspect.getsource(sequent_module)
    reasons = re.findall(r'_reject\([^,]+, [^\n]+?, f?"([^"]+)"\)', source)
    assert len(reasons) > 25
    here = re.sub(r"[\\\[\]]", "", inspect.getsource(inspect.getmodule(test_every_reason_for_a_refusal_occurs_here)))
    for reason in reasons:
        parts = [part.strip(" :;,.'") for part in re.split(r"\{[^}]*\}", reason)]
        openings = [" ".join(part.split()[:4]) for part in parts if part]
        assert any(opening in here for opening in openings), reason
