"""Attempts to derive falsehoods: each `lie` is a derivation of a false statement that some rule has to reject.

The statement that a lie would prove is in its docstring, with values of the variables at which it is false. Quotients
are total (1/0 = 0), so a quotient cancelled without need is refuted where its denominator is 0.
"""

import ast
from pathlib import Path

import pytest
import sympy as sp

import proofs
from proofs.derivation import Derivation
from proofs.facts import ABS_BELOW, ABS_BOUND, EXP_INCREASING, EXP_POSITIVE, SUM_EMPTY, THETA_PARTIAL, Theta, X, Y
from proofs.props import INDEX, Each, MaxOver, ProofError, Rel, position, total
from proofs.sequent import Step, Theorem
from proofs.statement import Claim, Library
from proofs.sums import CLAIMS as SUM_LEMMAS
from proofs.sums import c, f, g, m, n

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
def counting_over_a_range_that_may_be_empty():
    """n >= 0 for every integer n: S.constant may not show the n >= 0 that it needs itself."""

    def derive(d, _):
        _, lower, upper = d.generic("p", 1, n)
        boolean = d.generalise(d.identity(sp.S.Zero, sp.S.Zero), lower, upper)
        meaning, natural = d.count(b, sp.S.One, boolean)
        return d.polynomial(n, ">=", 0, [meaning, natural])

    prove(Rel(n, ">=", 0), derive)


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


@lie
def another_function_for_theta():
    """1 + 2(e^-1 + ... ) < 0: the fact on Jacobi's theta function is about that function only."""
    claim = Rel(1 + 2 * total(lambda j: sp.exp(-(j**2)), m), "<", 0)
    mapping = {Theta: sp.Lambda(x, 0), X: sp.S.One}

    def derive(d, given):
        return d.analysis(THETA_PARTIAL, mapping, [*given, d.polynomial(1, ">", 0)])

    prove(claim, derive, [Rel(m, ">=", 0)])


@lie
def theta_defined_anew():
    """0 = 1: Jacobi's theta function cannot be defined as 0."""

    def derive(d, _):
        zero = d.define_function(Theta, i, sp.S.Zero, sp.S.One)
        one, natural = d.polynomial(1, "<=", 1), d.polynomial(0, ">=", 0)
        partial = d.analysis(THETA_PARTIAL, {X: sp.S.One, m: sp.S.Zero}, [natural, d.polynomial(1, ">", 0)])
        empty = d.analysis(SUM_EMPTY, {f: sp.Lambda(x, sp.exp(-(x**2)))})
        return d.polynomial(0, "=", 1, [d.at(zero, sp.S.One, one, one), partial, empty], linear=False)

    prove(Rel(0, "=", 1), derive)


# -- capture ----------------------------------------------------------------------------------------------------------


@lie
def a_sum_inside_a_function_inside_a_sum():
    """(m - 1)^2 + ... + (m - n)^2 <= 0 for 1 <= m <= n, from S.term with f(x) = twice the sum over j of (x - j)^2."""

    def derive(d, given):
        square = sp.Lambda(x, 2 * sp.Sum((x - INDEX) ** 2, (INDEX, 1, n)))
        natural = d.polynomial(n, ">=", 0, given)

        def nonnegative():
            p, lower, upper = d.generic("p", 1, n)
            q, lower_q, upper_q = d.generic("q", 1, n)
            term = d.generalise(d.polynomial(0, "<=", (p - q) ** 2), lower_q, upper_q)
            zero, squares = sp.Lambda(t, 0), sp.Lambda(t, (p - t) ** 2)
            summed = d.cite("S.order", {f: zero, g: squares}, [natural, term])
            return d.generalise(d.polynomial(0, "<=", square(p), [summed, natural]), lower, upper)

        one = d.cite("S.term", {f: square}, [nonnegative(), *given])
        zero = d.cite("S.constant", {c: sp.S.Zero}, [natural])
        zeros = d.cite("S.constant", {c: 2 * zero.rel.lhs}, [natural])
        return d.polynomial(square(m), "<=", 0, [one, zero, zeros], linear=False)

    prove(Rel(2 * total(lambda j: (m - j) ** 2, n), "<=", 0), derive, [Rel(1, "<=", m), Rel(m, "<=", n)])


@lie
def a_bound_variable_put_into_a_maximum():
    """0 <= max over a of -(max over b of (a - b)^2), for 0..1."""
    inner = MaxOver(-MaxOver((a - b) ** 2, b, 0, 1), a, 0, 1)

    def derive(d, _):
        _, lower, upper = d.generic("b", 0, 1)
        return d.generalise(d.below_maximum(inner, b, lower, upper), lower, upper)

    prove(Each(position("b"), 0, 1, Rel(-MaxOver(sp.S.Zero, b, 0, 1), "<=", inner)), derive)


@lie
def an_index_put_into_a_sum():
    """The value of a function is at most its mean: sum f(j) with m = j."""
    lhs = total(lambda j: f(m) - f(j), n)
    claim = Claim("L", "", (), (Rel(m, "=", n),), Rel(lhs, "=", lhs), lambda d, _: d.identity(lhs, lhs))
    prove(
        Rel(sp.S.Zero, "=", lhs.xreplace({m: INDEX})),
        lambda d, _: d.cite("L", {m: INDEX}, []),
        lemmas=[claim],
    )


@lie
def an_unknown_binder():
    """The integral of t over 0..x is that of t over 0..t."""
    t_ = sp.Symbol("t", real=True)
    lhs = sp.Integral(t_, (t_, 0, x))
    claim = Claim("L", "", (), (), Rel(lhs, "=", lhs), lambda d, _: d.identity(lhs, lhs))
    prove(Rel(0, "=", 0), lambda d, _: d.cite("L", {x: t_}, []), lemmas=[claim])


@lie
def replacing_a_free_variable_by_a_position_equation():
    """f(i) = f(k) at every position, from i = k at one."""

    def derive(d, _):
        p, lower, upper = d.generic("i", 1, n)
        same = d.assume(Rel(p, "=", k))
        each = d.generalise(d.identity(f(k), f(k)), lower, upper)
        return d.substitute(each, [same], Each(i, 1, n, Rel(f(i), "=", f(k))))

    prove(Each(i, 1, n, Rel(f(i), "=", f(k))), derive)


# -- scope of assumptions --------------------------------------------------------------------------------------------


@lie
def an_open_assumption():
    """0 = 1."""
    prove(Rel(0, "=", 1), lambda d, _: d.assume(Rel(0, "=", 1)))


@lie
def a_hypothesis_not_in_the_statement():
    """0 = 1."""
    prove(Rel(0, "=", 1), lambda d, _: d.given(Rel(0, "=", 1)))


@lie
def nested_generic_positions_of_one_name():
    """f(i) = f(j) for all i, j: two generic positions called i are not the same."""

    def derive(d, _):
        p, lower, upper = d.generic("i", 1, n)
        q, lower_q, upper_q = d.generic("i", 1, m)
        same = d.identity(f(p), f(q), [lower, upper, lower_q, upper_q])
        used = d.polynomial(f(p), "=", f(q), [same, lower, upper])
        return d.generalise(used, lower_q, upper_q)

    prove(Each(i, 1, m, Rel(f(i), "=", f(i))), derive)


@lie
def a_base_case_from_the_hypothesis():
    """f(n) = 0 for every n >= 0."""

    def derive(d, given):
        claim = Rel(f(u_), "=", 0)
        hypothesis = d.assume(claim)
        base = d.assume(Rel(f(0), "=", 0))
        step = d.polynomial(f(u_ + 1), "=", 0, [d.assume(Rel(f(u_ + 1), "=", 0)), hypothesis])
        return d.specialise(d.induction(claim, u_, base, hypothesis, step), u_, n, given)

    u_ = sp.Symbol("u", integer=True)
    prove(Rel(f(n), "=", 0), derive, [Rel(n, ">=", 0)])


@lie
def cases_that_do_not_cover():
    """x = 0 from x y = 0 (y = 0, x = 1)."""

    def derive(d, given):
        left, right = d.assume(Rel(x, "=", 0)), d.assume(Rel(x, "=", 0))
        return d.cases(given[0], (left, left), (right, right))

    prove(Rel(x, "=", 0), derive, [Rel(x * y, "=", 0)])


@lie
def the_slope_at_integers_only():
    """v^3/3 - v^2/2 is at least 0 at 1 because its slope u(u - 1) is nonnegative at every integer u >= 0."""
    u_ = sp.Symbol("u", integer=True)
    cubic = sp.Lambda(t, t**3 / 3 - t**2 / 2)

    def derive(d, _):
        natural = d.assume(Rel(u_, ">=", 0))
        claim = Rel(u_**2 - u_, ">=", 0)
        hypothesis = d.assume(claim)
        step = d.polynomial((u_ + 1) ** 2 - (u_ + 1), ">=", 0, [hypothesis, natural])
        general = d.induction(claim, u_, d.polynomial(0, ">=", 0), hypothesis, step)
        slope = d.specialise(general, u_, u_, [natural])
        start, order = d.polynomial(0, ">=", 0), d.polynomial(0, "<=", 1)
        return d.monotone(cubic, slope, natural, sp.S.Zero, sp.S.One, start, order)

    prove(Rel(0, "<=", cubic(1)), derive)


@lie
def an_empty_range_between_integers():
    """(i - 3/2)(i - 5/2) = 0 for every integer i = 3/2..5/2 (i = 2)."""
    body = Rel((i - sp.Rational(3, 2)) * (i - sp.Rational(5, 2)), "=", 0)

    def derive(d, _):
        each = d.each_empty(Each(i, sp.Rational(3, 2), sp.Rational(1, 2), body))
        return d.each_extend(d.each_extend(each, d.identity(0, 0)), d.identity(0, 0))

    prove(Each(i, sp.Rational(3, 2), sp.Rational(5, 2), body), derive)


# -- quotients, logarithms and roots that SymPy cancels by itself ----------------------------------------------------


@lie
def a_named_reciprocal_cancelled_by_substitution():
    """x^2 > 0 for every x (x = 0)."""

    def derive(d, _):
        inverse = d.define(z, 1 / x)
        one = d.substitute(d.identity(x * z, x * z), [inverse], Rel(x * z, "=", 1))
        return d.polynomial(x**2, ">", 0, [one])

    prove(Rel(x**2, ">", 0), derive)


@lie
def a_reciprocal_cancelled_by_an_instance():
    """x^2 > 0 for every x (x = 0), from: c x = 1 implies x^2 > 0."""
    hypothesis = Rel(c * x, "=", 1)
    lemma = Claim("L", "", (), (hypothesis,), Rel(x**2, ">", 0), lambda d, g: d.polynomial(x**2, ">", 0, g))
    prove(Rel(x**2, ">", 0), lambda d, _: d.cite("L", {c: 1 / x}), lemmas=[lemma])


@lie
def a_reciprocal_cancelled_by_expansion():
    """x (1/x + 1) = 1 + x (x = 0)."""
    lemma = Claim("L", "", (), (), Rel(x * t, "=", x * t), lambda d, _: d.identity(x * t, x * t))
    claim = Rel(x * (1 / x + 1), "=", 1 + x)
    prove(claim, lambda d, _: d.cite("L", {t: 1 / x + 1}, [], claim), lemmas=[lemma])


@lie
def a_reciprocal_cancelled_inside_a_sum():
    """The sum of x (1/x + f) over 1..n is n + x times the sum of f (x = 0, n = 1)."""
    lhs, rhs = total(lambda j: x * (1 / x + f(j)), n), n + x * total(f, n)
    prove(Rel(lhs, "=", rhs), lambda d, g: d.identity(lhs, rhs, g), [Rel(n, ">=", 0)])


@lie
def a_reciprocal_cancelled_by_a_square():
    """1 <= z^2 for (x-y)/(y-x) between -z and z (x = y, z = 0)."""
    quotient = (x - y) / (y - x)
    hypotheses = [Rel(t, "<=", z), Rel(-t, "<=", z)]
    lemma = Claim("L", "", (), hypotheses, Rel(t**2, "<=", z**2), lambda d, g: d.polynomial(t**2, "<=", z**2, g))
    given = [Rel(quotient, "<=", z), Rel(-quotient, "<=", z)]
    prove(Rel(1, "<=", z**2), lambda d, g: d.cite("L", {t: quotient}, g), given, [lemma])


@lie
def a_reciprocal_cancelled_by_a_modulus():
    """1 <= z for (x^2+y^2)/(-x^2-y^2) between -z and z (x = y = z = 0)."""
    quotient = (x**2 + y**2) / (-(x**2) - y**2)
    given = [Rel(quotient, "<=", z), Rel(-quotient, "<=", z)]
    prove(Rel(1, "<=", z), lambda d, g: d.analysis(ABS_BOUND, {X: quotient, Y: z}, g), given)


@lie
def a_reciprocal_of_a_sum_cancelled():
    """(sum of 2 f)/(sum of f) = 2 (f = 0)."""
    lhs = total(lambda j: 2 * f(j), n) / total(f, n)
    prove(Rel(lhs, "=", 2), lambda d, _: d.identity(lhs, 2))


@lie
def a_reciprocal_of_a_length_cancelled():
    """(sum of 1)/n = 1 (n = 0)."""
    lhs = total(lambda _: sp.S.One, n) / n
    prove(Rel(lhs, "=", 1), lambda d, g: d.identity(lhs, 1, g), [Rel(n, ">=", 0)])


@lie
def a_reciprocal_in_a_reciprocal():
    """1/(1/x + 1) = x/(x + 1) for x > -1 (x = 0: 1 = 0)."""
    prove(
        Rel(1 / (1 / x + 1), "=", x / (x + 1)),
        lambda d, g: d.identity(1 / (1 / x + 1), x / (x + 1), g),
        [Rel(x + 1, ">", 0)],
    )


@lie
def a_reciprocal_cancelled_after_splitting_exponentials():
    """(exp((x+y)z) - 1)/(exp(xz + yz) - 1) = 1 (z = 0)."""
    lhs = (sp.exp((x + y) * z) - 1) / (sp.exp(x * z + y * z) - 1)
    prove(Rel(lhs, "=", 1), lambda d, _: d.identity(lhs, 1))


@lie
def a_reciprocal_cancelled_inside_an_exponential():
    """exp(x (1/x + 1)) = exp(1 + x) (x = 0)."""
    lhs, rhs = sp.exp(x * (1 / x + 1)), sp.exp(1 + x)
    prove(Rel(lhs, "=", rhs), lambda d, _: d.identity(lhs, rhs))


@lie
def a_reciprocal_cancelled_by_a_derivative():
    """y <= y exp(v/y) - v for v >= 0 and 1/y >= 0 (y = 0, v = 1)."""
    function = sp.Lambda(t, y * sp.exp(t / y) - t)

    def derive(d, given):
        inverse_positive, v_positive = given
        inverse = d.define(u, 1 / y)
        named = d.substitute(inverse_positive, [inverse], Rel(u, ">=", 0))
        domain = d.assume(Rel(t, ">=", 0))
        order = d.polynomial(0, "<=", t * u, [domain, named])
        grown = d.analysis(EXP_INCREASING, {X: sp.S.Zero, Y: t * u}, [order])
        slope = d.polynomial(sp.exp(t * u) - 1, ">=", 0, [grown])
        back = d.substitute(slope, [inverse], Rel(sp.exp(t / y) - 1, ">=", 0))
        ordered = d.polynomial(0, "<=", x, [v_positive])
        return d.monotone(function, back, domain, sp.S.Zero, x, d.polynomial(0, ">=", 0), ordered)

    prove(Rel(y, "<=", function(x)), derive, [Rel(1 / y, ">=", 0), Rel(x, ">=", 0)])


@lie
def a_reciprocal_cancelled_by_the_end_of_an_interval():
    """1 <= x/y for y <= x and 1/y >= 0 (x = y = 0)."""

    def derive(d, given):
        domain = d.assume(Rel(t, ">=", y))
        inverse, order = given
        return d.monotone(sp.Lambda(t, t / y), inverse, domain, y, x, d.polynomial(y, ">=", y), order)

    prove(Rel(1, "<=", x / y), derive, [Rel(1 / y, ">=", 0), Rel(y, "<=", x)])


@lie
def a_logarithm_cancelled_by_an_instance():
    """x > 0 for every x (x = -1), as exp(log(x)) > 0."""
    prove(Rel(x, ">", 0), lambda d, _: d.analysis(EXP_POSITIVE, {X: sp.log(x)}))


@lie
def a_logarithm_cancelled_by_substitution():
    """x > 0 for every x (x = -1)."""

    def derive(d, _):
        name = d.define(y, sp.log(x))
        return d.substitute(d.analysis(EXP_POSITIVE, {X: y}), [name], Rel(x, ">", 0))

    prove(Rel(x, ">", 0), derive)


@lie
def a_logarithm_cancelled_by_splitting_an_exponential():
    """x > 0 for every x (x = -1): exp((1 + t) log x) has the factor exp(log x)."""

    def derive(d, _):
        power = sp.exp((1 + t) * sp.log(x))
        return d.polynomial(x, ">", 0, [d.polynomial(power, ">", power - x)])

    prove(Rel(x, ">", 0), derive)


@lie
def a_logarithm_cancelled_by_expansion():
    """x exp(t log x) > 0 for every x (x = -1)."""
    claim = Rel(x * sp.exp(t * sp.log(x)), ">", 0)
    prove(claim, lambda d, _: d.analysis(EXP_POSITIVE, {X: (1 + t) * sp.log(x)}, [], claim))


@lie
def a_logarithm_of_a_product_expanded():
    """log(2 x) = log 2 + log x for every x; logarithms of numbers <= 0 are unknown."""
    lemma = Claim("L", "", (), (), Rel(y, "=", y), lambda d, _: d.identity(y, y))
    claim = Rel(sp.log(2 * x), "=", sp.log(2) + sp.log(x))
    prove(claim, lambda d, _: d.cite("L", {y: sp.log(2 * x)}, [], claim), lemmas=[lemma])


@lie
def a_root_squared():
    """x >= 0 for every x (x = -1)."""
    lemma = Claim("L", "", (), (), Rel(y**2, ">=", 0), lambda d, _: d.polynomial(y**2, ">=", 0))
    prove(Rel(x, ">=", 0), lambda d, _: d.cite("L", {y: sp.sqrt(x)}), lemmas=[lemma])


@lie
def a_symbolic_power_of_zero():
    """x^n x^(-n) = 1 (x = 0, n = 1)."""
    lemma = Claim("L", "", (), (Rel(c * y, "=", 1),), Rel(y**2, ">", 0), lambda d, g: d.polynomial(y**2, ">", 0, g))
    prove(Rel(x ** (2 * n), ">", 0), lambda d, _: d.cite("L", {c: x**-n, y: x**n}), lemmas=[lemma])


# -- assumptions of symbols and functions ----------------------------------------------------------------------------


@lie
def a_positive_symbol():
    """-1 >= 0: -p <= |p| reads -p <= p for a symbol that SymPy takes to be positive."""
    p = sp.Symbol("p", positive=True)

    def derive(d, _):
        return d.polynomial(p, ">=", 0, [d.analysis(ABS_BELOW, {X: p})])

    lemma = Claim("L", "", (), (), Rel(p, ">=", 0), derive)
    prove(Rel(-1, ">=", 0), lambda d, _: d.cite("L", {p: sp.Integer(-1)}), lemmas=[lemma])


@lie
def a_positive_function():
    """-1 >= 0: -h(1) <= |h(1)| reads -h(1) <= h(1) for a function that SymPy takes to be positive."""
    h = sp.Function("h", positive=True)

    def derive(d, _):
        return d.polynomial(h(1), ">=", 0, [d.analysis(ABS_BELOW, {X: h(1)})])

    lemma = Claim("L", "", (), (), Rel(h(1), ">=", 0), derive)
    prove(Rel(-1, ">=", 0), lambda d, _: d.cite("L", {h: sp.Lambda(x, -1)}), lemmas=[lemma])


@lie
def an_integer_valued_function():
    """f(1/2) = 0 from f = 0 at the integers of 0..1, by an integer-valued function that becomes 1/2."""
    h = sp.Function("h", integer=True)

    def lemma(d, given):
        return d.at(given[0], h(1), given[1], given[2])

    hypotheses = (Each(i, 0, 1, Rel(f(i), "=", 0)), Rel(0, "<=", h(1)), Rel(h(1), "<=", 1))
    claim = Claim("L", "", (), hypotheses, Rel(f(h(1)), "=", 0), lemma)
    half = sp.Lambda(x, sp.Rational(1, 2))

    def derive(d, given):
        return d.cite("L", {h: half}, given)

    prove(Rel(f(sp.Rational(1, 2)), "=", 0), derive, hypotheses[:1], [claim])


@lie
def an_integer_variable_made_a_half():
    """f(1/2) = 0 from f = 0 at the integers of 0..1."""

    def lemma(d, given):
        return d.at(given[0], m, given[1], given[2])

    hypotheses = (Each(i, 0, 1, Rel(f(i), "=", 0)), Rel(0, "<=", m), Rel(m, "<=", 1))
    claim = Claim("L", "", (), hypotheses, Rel(f(m), "=", 0), lemma)
    prove(
        Rel(f(sp.Rational(1, 2)), "=", 0),
        lambda d, given: d.cite("L", {m: sp.Rational(1, 2)}, given),
        hypotheses[:1],
        [claim],
    )


@lie
def two_variables_of_one_name():
    """n <= n - 1/2 for "every n": an integer and a real variable that print alike."""
    other = sp.Symbol("n", real=True)
    prove(Rel(n, "<=", other), lambda d, g: d.polynomial(n, "<=", other, g), [Rel(n + 1, "<=", other)])


@lie
def a_sum_to_one_half():
    """The sum of 1 over 1..1/2 is 1/2."""
    half = sp.Rational(1, 2)
    lhs = sp.Sum(1, (INDEX, 1, half))
    prove(Rel(lhs, "=", half), lambda d, _: d.identity(lhs, half))


@lie
def a_sum_to_infinity():
    """The sum of f - g over all positions is 0 if the sums of f and g agree, though they may be infinite."""
    lhs, rhs = (sp.Sum(term, (INDEX, 1, sp.oo)) for term in (f(INDEX) - g(INDEX), f(INDEX)))
    prove(
        Rel(lhs, "=", rhs - sp.Sum(g(INDEX), (INDEX, 1, sp.oo))),
        lambda d, _: d.identity(lhs, rhs - sp.Sum(g(INDEX), (INDEX, 1, sp.oo))),
    )


# -- expressions outside the language --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    [
        sp.I,
        sp.oo,
        sp.zoo,
        sp.nan,
        sp.Float("0.5"),
        sp.sqrt(x),
        x**n,
        sp.floor(x),
        sp.sign(x),
        sp.Max(x, y),
        sp.Piecewise((x, x > 0), (y, True)),
        sp.Derivative(f(x), x),
        sp.Product(f(INDEX), (INDEX, 1, n)),
        sp.Sum(f(i), (i, 1, n)),
        sp.Sum(f(INDEX), (INDEX, 0, n)),
        sp.Sum(f(INDEX), (INDEX, 1, INDEX)),
        sp.Sum(f(INDEX) * g(b), (INDEX, 1, n), (b, 1, n)),
        sp.exp(t * sp.log(x)),
        sp.Symbol("x"),
        sp.Symbol("x", positive=True),
        sp.Symbol("x", commutative=False),
        sp.Function("f")(x),
        sp.Function("f", positive=True)(x),
        sp.Function("f", integer=True)(x),
        MaxOver(f(a), a, 0),
        MaxOver(f(x), x, 0, n),
        MaxOver(f(a), a, a, n),
    ],
    ids=str,
)
def test_an_expression_outside_the_language_is_refused(expr):
    with pytest.raises(ProofError):
        Rel(expr, "=", expr)


# -- the modules that derive ------------------------------------------------------------------------------------------

KERNEL = {"language", "naming", "props", "normal", "decide", "sequent", "derivation", "facts", "statement"}
MODULES = [path for path in Path(proofs.__file__).parent.rglob("*.py") if path.stem not in KERNEL]
DERIVERS = [path for path in MODULES if "import Derivation" in path.read_text(encoding="utf-8")]
INTERNAL = {"Step", "Theorem", "Derivation", "Ledger", "object", "setattr", "exec", "eval", "vars", "globals"}


@pytest.mark.parametrize("path", DERIVERS, ids=lambda path: path.stem)
def test_a_module_outside_the_kernel_uses_its_rules_only(path):
    """No private attribute, no step or theorem made by hand, no assignment to an attribute."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            assert isinstance(node.ctx, ast.Load), f"line {node.lineno} assigns to an attribute"
            private = node.attr.startswith("_") and not (isinstance(node.value, ast.Name) and node.value.id == "self")
            assert not private, f"line {node.lineno} uses {node.attr}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in INTERNAL, f"line {node.lineno} calls {node.func.id}"
