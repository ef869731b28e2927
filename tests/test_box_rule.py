"""The rules `box` and `split`: what they accept, attempts to derive falsehoods with them."""

from fractions import Fraction

import pytest
import sympy as sp

from proofs.boxes import MOST_CELLS, Question
from proofs.derivation import Derivation
from proofs.facts import X
from proofs.intervals import (
    RationalEnds,
)
from proofs.language import Theta
from proofs.props import INDEX, Each, MaxOver, ProofError, Rel, total
from proofs.statement import Claim, Library

x, y, z, s, u, w = sp.symbols("x y z s u w", real=True)
n, k = sp.symbols("n k", integer=True)
f = sp.Function("f", real=True)
HALF = Fraction(1, 2)


def prove(goal, hypotheses, over=(), tree=None, bits=64, using=None):
    """Prove a goal from hypotheses with the rule `box` alone, in a library, and return its last step."""

    def derive(d, given):
        return d.box(goal, given if using is None else [given[i] for i in using], over, tree, bits=bits)

    claim = Claim("boxed", "", (), tuple(hypotheses), goal, derive)
    return Library([claim]).prove("boxed")[1].last


def refused(message, goal, hypotheses, over=(), tree=None, bits=64):
    with pytest.raises(ProofError, match=message):
        prove(goal, hypotheses, over, tree, bits)


def labels(value):
    """Only goals and messages are shown in the names of tests."""
    return str(value) if isinstance(value, str | Rel) else ""


def between(symbol, low, high):
    return Rel(low, "<=", symbol), Rel(symbol, "<=", high)


UNIT = between(x, 0, 1)
SQUARE = (*UNIT, *between(y, 0, 1))


def halved(symbol, low, high, depth):
    """All cells of a range cut `depth` times in the middle."""
    if depth == 0:
        return None
    middle = (Fraction(low) + Fraction(high)) / 2
    return (symbol, middle, halved(symbol, low, middle, depth - 1), halved(symbol, middle, high, depth - 1))


# -- what is accepted --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "hypotheses", "over", "tree"),
    [
        (Rel(sp.log(2), "<", sp.Rational(7, 10)), (), (), None),
        (Rel(sp.E, ">", sp.Rational(2718281828, 10**9)), (), (), None),
        (Rel(sp.log(3) / sp.log(2), "<", sp.Rational(15850, 10000)), (), (), None),
        (Rel(sp.exp(x), ">=", 1 + x), UNIT, (x,), None),
        (Rel(sp.exp(x), ">", 1), (Rel(0, "<", x), Rel(x, "<=", 1)), (x,), None),
        (Rel(sp.exp(-x), "<", 1), (Rel(x, ">", 0), Rel(1, ">=", x)), (x,), None),
        (Rel(x, "<", 1), (Rel(x, ">", 0), Rel(1, ">", x)), (x,), None),
        (Rel(x * (1 - x), "<=", sp.Rational(26, 100)), UNIT, (x,), halved(x, 0, 1, 3)),
        (Rel(x - x**2 + y - y**2, "<", sp.Rational(6, 10)), SQUARE, (x, y), (x, HALF, *[halved(y, 0, 1, 3)] * 2)),
        (Rel(sp.log(x), "<=", x - 1), between(x, 1, 9), (x,), None),
        (Rel(1 / x, "<=", 2), between(x, HALF, 9), (x,), None),
        (Rel(sp.tanh(x), "<", sp.Rational(77, 100)), UNIT, (x,), None),
        (Rel(sp.Abs(x - y), "<=", 1), SQUARE, (x, y), None),
        (Rel(n * (4 - n), ">=", 3), between(n, 1, 3), (n,), (n, Fraction(1), None, (n, Fraction(2), None, None))),
        (Rel(n, ">=", 2), (Rel(n, ">", 1), Rel(n, "<", sp.Rational(9, 2))), (n,), None),
        # what other symbols stand for
        (Rel(u, "<", sp.Rational(7, 10)), (Rel(u, "=", sp.log(2)),), (), None),
        (Rel(s, "<", sp.Rational(142, 100)), (Rel(s, ">=", 0), Rel(s**2, "=", 2)), (), None),
        (Rel(s, "<=", 1 + x), (*UNIT, Rel(s, ">=", 0), Rel(s**2, "=", 1 + x)), (x,), None),
        (Rel(w, "<=", 1), (*UNIT, Rel(w * (1 + x), "=", 1)), (x,), None),
        (Rel(z, "<=", 1), (*SQUARE, Rel(z, ">=", x), Rel(z, ">=", y), Rel((z - x) * (z - y), "=", 0)), (x, y), None),
        (Rel(z, "<", 2), (*UNIT, Rel(z, "<=", x), Rel(x, "<", 1 + z)), (x,), None),
        (Rel(k, "<", 2), (*between(x, 0, sp.Rational(3, 2)), Rel(k, "<=", x), Rel(x, "<", k + 1)), (x,), None),
        (Rel(2 * z, "<=", 3), (*UNIT, Rel(2 * z - 1, "=", 2 * x)), (x,), None),
        # a hypothesis that is false on a cell
        (Rel(x, ">=", sp.Rational(1, 4)), (*UNIT, Rel(x**2, ">", sp.Rational(1, 9))), (x,), halved(x, 0, 1, 2)),
        (Rel(1 / x, "<=", 4), (*UNIT, Rel(x**2, ">", sp.Rational(1, 9))), (x,), halved(x, 0, 1, 2)),
    ],
    ids=labels,
)
def test_a_true_inequality_is_accepted(goal, hypotheses, over, tree):
    step = prove(goal, hypotheses, over, tree)
    assert (step.rule, step.prop) == ("box", goal)
    assert step.how.startswith("intervals of 64 bits")


def test_a_step_says_where_and_how_often():
    step = prove(Rel(x, "<=", 1), UNIT, (x,), halved(x, 0, 1, 3))
    assert step.how == "intervals of 64 bits, 0 <= x <= 1, 8 cells"
    assert {premise.prop for premise in step.depends} == set(UNIT)


# -- falsehoods, and what is not shown ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "hypotheses", "over", "tree", "message"),
    [
        # an equality taken for a strict inequality
        (Rel(sp.exp(x), ">", 1), UNIT, (x,), None, "not separated"),
        (Rel(x, "<", 1), UNIT, (x,), halved(x, 0, 1, 4), "not separated"),
        (Rel(sp.log(1), "<", 0), (), (), None, "not separated"),
        (Rel(sp.exp(0), ">", 1), (), (), None, "not separated"),
        (Rel(x**2, ">", 0), between(x, -1, 1), (x,), halved(x, -1, 1, 5), "not separated"),
        (Rel(x, ">", 0), (Rel(x, ">=", 0), Rel(x, "<", 1)), (x,), None, "not separated"),
        # the open end is at the other side, or belongs to another cell, or the slope is 0
        (Rel(1 - x, ">", 0), (Rel(x, ">", 0), Rel(x, "<=", 1)), (x,), None, "not separated"),
        (Rel((x - HALF) ** 2, ">", 0), (Rel(x, ">", 0), Rel(x, "<", 1)), (x,), halved(x, 0, 1, 1), "not separated"),
        (Rel(x - x, ">", 0), (Rel(x, ">", 0), Rel(x, "<", 1)), (x,), None, "not separated"),
        (Rel(y, ">", 0), (*SQUARE, Rel(x, ">", 0)), (x, y), None, "not separated"),
        (Rel(x * y, ">", 0), (*SQUARE, Rel(x, ">", 0)), (x, y), None, "not separated"),
        # equations
        (Rel(x, "=", x), UNIT, (x,), None, "an equation cannot be shown"),
        (Rel(sp.exp(0), "=", 1), (), (), None, "an equation cannot be shown"),
        # a sign that holds in the middle and at the ends only
        (Rel((x - HALF / 2) * (x - 3 * HALF / 2), ">=", -HALF / 9), UNIT, (x,), halved(x, 0, 1, 6), "not separated"),
        (Rel(x * (1 - x) * (x - HALF) ** 2, "<=", 0), UNIT, (x,), halved(x, 0, 1, 6), "not separated"),
        # undefined terms: 1/0 = 0, and the logarithm of 0 is unknown
        (Rel(1 / x, ">", 0), UNIT, (x,), None, "not separated"),
        (Rel(1 / x, ">", 0), UNIT, (x,), halved(x, 0, 1, 8), "not separated"),
        (Rel(1 / x, "<=", 0), between(x, -1, 0), (x,), halved(x, -1, 0, 8), "not separated"),
        (Rel(x / x**2, ">=", 1), UNIT, (x,), halved(x, 0, 1, 4), "not separated"),
        (Rel(sp.log(x), "<=", 0), UNIT, (x,), halved(x, 0, 1, 8), "not separated"),
        (Rel(sp.log(x - 2), "<=", 5), UNIT, (x,), None, "not separated"),
        (Rel(0 * n + sp.log(-3 + n), "<=", 5), between(n, 1, 3), (n,), None, "not separated"),
        (Rel(w, ">", 0), (*UNIT, Rel(w, "=", 1 / x)), (x,), halved(x, 0, 1, 4), "not separated"),
        (Rel(w, ">=", -1), (*between(x, -1, 1), Rel(w * x, "=", 1)), (x,), halved(x, -1, 1, 4), "not separated"),
        (Rel(0, ">", 1), (*between(x, -1, 1), Rel(1 / x, ">", 2)), (x,), halved(x, -1, 1, 4), "not separated"),
        # roots: the sign has to be given, and the base may be negative
        (Rel(s, ">=", 0), (Rel(s**2, "=", 2),), (), None, "no range"),
        (Rel(s, ">=", 0), (Rel(s**3, "=", x), *between(x, -1, 1)), (x,), halved(x, -1, 1, 3), "no range"),
        (Rel(s, "<=", 1), (Rel(s, "<=", 5), Rel(s, ">=", -5), Rel(s**2, "=", 4)), (), None, "not separated"),
        # a choice between terms is no maximum, and has no derivative
        (Rel(z, ">=", x), (*SQUARE, Rel((z - x) * (z - y), "=", 0)), (x, y), None, "not separated"),
        (Rel(z, "<=", HALF), (*UNIT, Rel(z * (z - x), "=", 0)), (x,), halved(x, 0, 1, 4), "not separated"),
        (Rel(sp.Abs(x), ">", 0), between(x, -1, 1), (x,), halved(x, -1, 1, 4), "not separated"),
        (Rel(sp.Abs(x - HALF), ">=", HALF / 4), UNIT, (x,), halved(x, 0, 1, 4), "not separated"),
        # variables without a range, or with a range that is not closed by numbers
        (Rel(x**2, ">=", 0), (), (), None, "x has no range"),
        (Rel(x, ">=", 0), (Rel(x, ">=", 0),), (x,), None, "x has no range with rational ends"),
        (Rel(x, ">=", 0), (Rel(x, ">=", 0), Rel(x, "<=", sp.log(3))), (x,), None, "x has no range with rational ends"),
        (Rel(x, ">=", 0), (Rel(x, ">=", 0), Rel(x, "<=", y), *between(y, 0, 1)), (x, y), None, "x has no range with"),
        (Rel(x + y, ">=", 0), UNIT, (x,), None, "y has no range"),
        (Rel(x, ">=", 2), (Rel(x, ">=", 2), Rel(x, "<=", 1)), (x,), None, "the range of x is empty"),
        (Rel(n, ">=", 9), (Rel(n, ">", 1), Rel(n, "<", 2)), (n,), None, "the range of n is empty"),
        (Rel(u, "<=", 5), (Rel(u, "=", z), Rel(z, "=", u)), (), None, "u has no range"),
        (Rel(x, "<=", 1), UNIT, (x, x), None, "a variable is listed twice"),
        # covers
        (Rel(x, "<=", HALF), UNIT, (x,), (x, HALF, None, None), "not separated for x in .1/2, 1."),
        (Rel(x, "<=", HALF), UNIT, (x,), (x, Fraction(1), None, None), "does not cut"),
        (Rel(x, "<=", HALF), UNIT, (x,), (x, Fraction(2), None, None), "does not cut"),
        (Rel(x, "<=", HALF), UNIT, (x,), (x, Fraction(0), None, None), "does not cut"),
        (Rel(x, "<=", HALF), UNIT, (x,), (x, Fraction(-1), None, None), "does not cut"),
        (Rel(x, "<=", HALF), UNIT, (x,), (y, HALF, None, None), "y is not a variable of the box"),
        (Rel(x, "<=", HALF), UNIT, (x,), (x, 0.5, None, None), "is not a tree of cells"),
        (Rel(x, "<=", HALF), UNIT, (x,), (x, HALF, None), "is not a tree of cells"),
        (Rel(x, "<=", HALF), UNIT, (x,), (), "is not a tree of cells"),
        (Rel(x, "<=", HALF), UNIT, (x,), [(0, HALF)], "is not a tree of cells"),
        (Rel((2 * n - 5) ** 2, ">", 1), between(n, 1, 4), (n,), (n, Fraction(2), None, None), "not separated"),
        (Rel(n, "<", 2), between(n, 1, 4), (n,), (n, Fraction(4), None, None), "does not cut"),
        (Rel(x, "<=", 1), UNIT, (x,), halved(x, 0, 1, 14), f"more than {MOST_CELLS} cells"),
        # numbers out of range
        (Rel(sp.exp(x), ">=", 0), between(x, 0, 10**6), (x,), None, "not separated"),
        (Rel(sp.exp(sp.exp(x)), "<=", 10**100), between(x, 0, 20), (x,), None, "not separated"),
        (Rel(sp.exp(-x), ">", 0), between(x, 0, 10**6), (x,), None, "not separated"),
        (Rel((2 + x) ** 10**6, ">", 0), UNIT, (x,), None, "not separated"),
        # terms without an interval
        (Rel(f(1), ">=", 0), (Rel(f(1), ">=", 0),), (), None, "cannot be enclosed"),
        (Rel(total(f, n), "<=", 1), between(n, 1, 2), (n,), None, "cannot be enclosed"),
        (Rel(total(lambda j: j, sp.Integer(3)), "<=", 7), (), (), None, "cannot be enclosed|not separated"),
        (Rel(Theta(x), ">", 0), between(x, 1, 2), (x,), None, "cannot be enclosed"),
        (Rel(MaxOver(k, k, 1, 2), ">", 0), (), (), None, "cannot be enclosed"),
        # too little precision
        (Rel(sp.log(2), ">", sp.Rational(69314718055994530941, 10**20)), (), (), None, "not separated"),
    ],
    ids=labels,
)
def test_a_falsehood_or_a_gap_is_refused(goal, hypotheses, over, tree, message):
    refused(message, goal, hypotheses, over, tree)


@pytest.mark.parametrize("bits", [0, -5, 7, 1025, 10**9])
def test_the_precision_is_limited(bits):
    refused("the precision is not between", Rel(sp.log(2), "<", 1), (), bits=bits)


def test_more_precision_decides_more():
    close = Rel(sp.log(2), ">", sp.Rational(69314718055994530941723212145, 10**29))
    refused("not separated", close, ())
    assert prove(close, (), bits=256).rule == "box"


def test_an_end_beyond_all_numbers_is_not_enclosed():
    known = [Rel(x, ">=", 0), Rel(x, "<=", sp.Integer(2) ** 40000)]
    question = Question(Rel(x, ">=", 0), known, (x,))
    assert not question.settled(RationalEnds(64), question.whole)


def test_a_box_rests_on_what_it_uses():
    with pytest.raises(ProofError, match="x has no range"):
        prove(Rel(x, "<=", 1), UNIT, (x,), using=[0])


def test_a_statement_about_every_position_gives_no_range_and_is_no_goal():
    d = Derivation({}.__getitem__)
    each = d.given(Each(k, sp.S.One, sp.Integer(3), Rel(x, "<=", 1)))
    with pytest.raises(ProofError, match="x has no range"):
        d.box(Rel(x, "<=", 1), [each, d.given(Rel(x, ">=", 0))], (x,))
    with pytest.raises(ProofError, match="is about every position"):
        d.box(each.prop, [])


def test_a_step_of_another_derivation_is_refused():
    one, other = Derivation({}.__getitem__), Derivation({}.__getitem__)
    ranges = [other.given(rel) for rel in UNIT]
    with pytest.raises(ProofError, match="not a step of this derivation"):
        one.box(Rel(x, "<=", 1), ranges, (x,))


def test_the_bound_variable_of_sums_is_an_integer_like_any_other():
    assert prove(Rel(INDEX, "<=", 2), between(INDEX, 1, 2), (INDEX,)).rule == "box"


# -- cases of an order -------------------------------------------------------------------------------------------------


def split(goal, first, second, hypotheses=(), last=None, conclusions=(None, None)):
    """Prove `goal` by two cases, in each of which `polynomial` has to show it."""

    def derive(d, given):
        ends = []
        for rel, conclusion in zip((first, second), conclusions, strict=True):
            assumed = d.assume(rel)
            end = conclusion or goal
            ends.append((assumed, d.polynomial(end.lhs, end.op, end.rhs, [assumed, *given])))
        return last(d, *ends) if last else d.split(*ends)

    return Library([Claim("cases", "", (), tuple(hypotheses), goal, derive)]).prove("cases")[0]


SQUARED = Rel(n**2, ">=", n)


@pytest.mark.parametrize(
    ("goal", "first", "second"),
    [
        (Rel(x**2 + 1, ">", x), Rel(x, "<=", 0), Rel(x, ">=", 0)),
        (Rel(x**2 + 1, ">", x), Rel(x, "<", 0), Rel(x, ">=", 0)),
        (Rel(x**2 + 1, ">", x), Rel(x, "<=", 0), Rel(0, "<", x)),
        (SQUARED, Rel(n, "<=", 0), Rel(n, ">=", 1)),
        (Rel((n - 2) * (n - 3), ">=", 0), Rel(n, "<=", 2), Rel(n, ">=", 3)),
    ],
)
def test_cases_are_accepted(goal, first, second):
    assert split(goal, first, second).conclusion == goal


@pytest.mark.parametrize(
    ("goal", "first", "second", "message"),
    [
        (Rel(x**2, ">", 0), Rel(x, "<", 0), Rel(x, ">", 0), "not all the cases"),
        (Rel(x**2, ">=", x), Rel(x, "<=", 0), Rel(x, ">=", 1), "not all the cases"),
        (Rel(y * (y - 1), ">=", 0), Rel(y, "<=", 0), Rel(y, ">=", 1), "not all the cases"),
        (Rel((n - 1) ** 2, ">", 0), Rel(n, "<", 1), Rel(n, ">=", 2), "not all the cases"),
        (Rel(2 * n * (2 * n - 1), ">", 0), Rel(n, "<=", -1), Rel(n, ">=", 1), "not all the cases"),
        (Rel(x, ">=", 0), Rel(0, "<=", x), Rel(0, "<=", x), "not all the cases"),
        (Rel(x + y, ">=", 0), Rel(0, "<=", x + y), Rel(x, ">=", -y + 1), "not all the cases"),
        (Rel(x, ">=", 0), Rel(x, ">=", 0), Rel(x, ">=", 0), "must assume"),
        (Rel(x, "=", 0), Rel(x, "=", 0), Rel(x, "=", 0), "must assume"),
    ],
    ids=labels,
)
def test_cases_that_leave_something_out_are_refused(goal, first, second, message):
    with pytest.raises(ProofError, match=message):
        split(goal, first, second)


def test_cases_end_alike():
    goal = Rel(x, ">=", 0)
    with pytest.raises(ProofError, match="the cases end differently"):
        split(goal, Rel(x, "<=", 0), Rel(x, ">=", 0), conclusions=(Rel(x, "<=", 0), goal))


def test_a_case_is_not_used_in_the_other_one():
    goal = Rel(x, ">=", 0)

    def crossed(d, first, second):
        return d.split((first[0], second[1]), (second[0], second[1]))

    with pytest.raises(ProofError, match="rests on"):
        split(goal, Rel(x, "<=", 0), Rel(x, ">=", 0), last=crossed, conclusions=(Rel(x, "<=", 0), goal))


def test_a_hypothesis_is_not_discharged_as_a_case():
    def derive(d, given):
        high = d.assume(Rel(x, ">=", 0))
        return d.split((given[0], given[0]), (high, high))

    claim = Claim("cases", "", (), (Rel(x, "<=", 0),), Rel(x, "<=", 0), derive)
    with pytest.raises(ProofError, match="must assume"):
        Library([claim]).prove("cases")


def test_the_fact_that_exp_exceeds_its_tangent_is_no_rule_of_thumb():
    """exp(x) >= 1 + x + x^2/2 holds for x >= 0 and fails for x < 0."""
    goal = Rel(sp.exp(X), ">=", 1 + X + X**2 / 2)
    assert prove(goal, between(X, HALF, 4), (X,), halved(X, HALF, 4, 6)).rule == "box"
    refused("not separated", goal, between(X, -1, 4), (X,), halved(X, -1, 4, 6))
