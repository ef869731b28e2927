"""Attempts to derive falsehoods: each `lie` is a derivation of a false statement that some rule has to reject.

The statement that a lie would prove is in its docstring, with values of the variables at which it is false. Quotients
are total in the kernel (x/0 = 0), so a statement about x/x - like cancellations is refuted at zero.
"""

import pytest
import sympy as sp

from proofs.derivation import Derivation
from proofs.facts import EXP_POSITIVE, X
from proofs.props import Each, ProofError, Rel, position, total
from proofs.sequent import Step, Theorem
from proofs.statement import Claim, Library
from proofs.sums import CLAIMS as SUM_LEMMAS
from proofs.sums import c, f, m, n

a, b = sp.symbols("a b", integer=True)
x, y, z, t, u = sp.symbols("x y z t u", real=True)
k = sp.Symbol("k", integer=True)
i = position("i")
LIES = []


def lie(derive):
    """Register a derivation of a falsehood."""
    LIES.append(pytest.param(derive, id=derive.__name__))
    return derive


def prove(conclusion, derive, hypotheses=(), lemmas=()):
    """Prove a claim in a library with the lemmas on sums."""
    claim = Claim("lie", "", (), tuple(hypotheses), conclusion, derive)
    return Library([*SUM_LEMMAS, *lemmas, claim]).prove("lie")[0]


@pytest.mark.parametrize("derive", LIES)
def test_a_falsehood_is_not_proved(derive):
    with pytest.raises(ProofError):
        derive()


# -- definitions -----------------------------------------------------------------------------------------------------


@lie
def defining_a_number():
    """0 = 1."""
    prove(Rel(0, "=", 1), lambda d, _: d.define(sp.S.Zero, sp.S.One))


@lie
def defining_a_term():
    """f(1) = 5 for every function f."""
    prove(Rel(f(1), "=", 5), lambda d, _: d.define(f(1), sp.Integer(5)))


@lie
def defining_exp():
    """exp(1) = 0."""

    def derive(d, _):
        each = d.define_function(sp.exp, i, sp.S.Zero, sp.S.One)
        one = d.polynomial(1, "<=", 1)
        return d.at(each, sp.S.One, one, one)

    prove(Rel(sp.exp(1), "=", 0), derive)


@lie
def defining_a_lambda():
    """0 = 1."""

    def derive(d, _):
        each = d.define_function(sp.Lambda(x, 0), i, sp.S.One, sp.S.One)
        one = d.polynomial(1, "<=", 1)
        return d.at(each, sp.S.One, one, one)

    prove(Rel(0, "=", 1), derive)


@lie
def an_integer_defined_as_a_half():
    """1/2 is an integer: f(i) = 0 at the integers of 0..1 gives f(1/2) = 0."""

    def derive(d, given):
        half = d.define(b, sp.Rational(1, 2))
        at = d.at(given[0], b, d.polynomial(0, "<=", b, [half]), d.polynomial(b, "<=", 1, [half]))
        return d.substitute(at, [half], Rel(f(sp.Rational(1, 2)), "=", 0))

    prove(Rel(f(sp.Rational(1, 2)), "=", 0), derive, [Each(i, 0, 1, Rel(f(i), "=", 0))])


@lie
def counting_with_a_numeral():
    """The sum of a 0/1-valued f is 5."""

    def derive(d, given):
        return d.count(sp.Integer(5), f(i), given[0])[0]

    prove(Rel(total(f, n), "=", 5), derive, [Each(i, 1, n, Rel(f(i) * (1 - f(i)), "=", 0))])


@lie
def counting_by_a_step_of_another_derivation():
    """The sum of f is a natural number, for every f (f = -1 at every position)."""

    def derive(d, _):
        other = Derivation(lambda name: pytest.fail(name))
        boolean = other.define_function(f, i, sp.S.Zero, n)
        boolean = Step(1, Each(i, 1, n, Rel(f(i) * (1 - f(i)), "=", 0)), "define", "", "", (), boolean.depends)
        meaning, natural = d.count(b, f(i), boolean)
        return d.polynomial(total(f, n), ">=", 0, [meaning, natural])

    prove(Rel(total(f, n), ">=", 0), derive)


@lie
def concluding_a_step_of_another_derivation():
    """x = 5 for every x."""
    prove(Rel(x, "=", 5), lambda _d, _: Derivation(lambda name: pytest.fail(name)).define(x, sp.Integer(5)))


@lie
def a_defined_name_in_the_conclusion():
    """x = 5 for every x."""
    prove(Rel(x, "=", 5), lambda d, _: d.define(x, sp.Integer(5)))


@lie
def a_name_defined_by_itself():
    """0 = 1 from x = x + 1."""

    def derive(d, _):
        return d.polynomial(0, "=", 1, [d.define(x, x + 1)])

    prove(Rel(0, "=", 1), derive)


@lie
def two_names_defined_by_each_other():
    """0 = 1 from x = y + 1, y = x."""

    def derive(d, _):
        return d.polynomial(0, "=", 1, [d.define(x, y + 1), d.define(y, x)])

    prove(Rel(0, "=", 1), derive)


@lie
def a_name_defined_at_a_generic_position():
    """All values of f are equal: c = f(i) at a generic i (f(1) = 1, f(2) = 2)."""

    def derive(d, _):
        p, lower, upper = d.generic("i", 1, n)
        meaning = d.define(c, f(p))
        each = d.generalise(d.polynomial(f(p), "=", c, [meaning]), lower, upper)
        q, lower_q, upper_q = d.generic("q", 1, n)
        one = d.at(each, q, lower_q, upper_q)
        first = d.at(each, n, d.polynomial(1, "<=", n, [lower_q, upper_q]), d.polynomial(n, "<=", n))
        return d.generalise(d.polynomial(f(q), "=", f(n), [one, first]), lower_q, upper_q)

    prove(Each(i, 1, n, Rel(f(i), "=", f(n))), derive)


# -- replacing what is not a variable --------------------------------------------------------------------------------


@lie
def specialising_a_numeral():
    """0 <= -5."""
    prove(Rel(0, "<=", -5), lambda d, _: d.specialise(d.polynomial(0, "<=", 1), sp.S.One, sp.Integer(-5), []))


@lie
def citing_with_a_numeral_replaced():
    """exp(x) > 5 (x = 0)."""
    prove(Rel(sp.exp(X), ">", 5), lambda d, _: d.analysis(EXP_POSITIVE, {sp.S.Zero: sp.Integer(5)}))


@lie
def citing_with_exp_replaced():
    """-1 > 0."""
    prove(Rel(-1, ">", 0), lambda d, _: d.analysis(EXP_POSITIVE, {sp.exp: sp.Lambda(x, -1)}))


@lie
def citing_with_a_term_replaced():
    """-1 > 0."""
    prove(Rel(-1, ">", 0), lambda d, _: d.analysis(EXP_POSITIVE, {sp.exp(X): sp.Integer(-1)}))


@lie
def induction_on_twice_a_number():
    """f(2m) = f(0) from f(2m+1) = f(2m) (m = 1, f(0) = 0, f = 1 elsewhere)."""

    def derive(d, given):
        claim = Rel(f(2 * k), "=", f(0))
        base = d.identity(f(0), f(0))
        hypothesis = d.assume(claim)
        odd = d.assume(Rel(f(2 * k + 1), "=", f(2 * k)))
        step = d.polynomial(f(2 * k + 1), "=", f(0), [hypothesis, odd])
        general = d.induction(claim, 2 * k, base, hypothesis, step)
        return d.specialise(general, k, m, given)

    prove(Rel(f(2 * m), "=", f(0)), derive, [Rel(f(2 * m + 1), "=", f(2 * m)), Rel(2 * m, ">=", 0)])


@lie
def an_unnamed_fact():
    """0 = 1."""
    prove(Rel(0, "=", 1), lambda d, _: d.analysis(Theorem("exp x > 0", (), Rel(0, "=", 1)), {}))


# -- scope of assumptions --------------------------------------------------------------------------------------------


@lie
def an_open_assumption():
    """0 = 1."""
    prove(Rel(0, "=", 1), lambda d, _: d.assume(Rel(0, "=", 1)))


@lie
def a_hypothesis_not_in_the_statement():
    """0 = 1."""
    prove(Rel(0, "=", 1), lambda d, _: d.given(Rel(0, "=", 1)))
