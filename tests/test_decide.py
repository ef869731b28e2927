"""Decisions: Arb decides, mpmath must agree, equal transcendental numbers stay undecided."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from checker import ball as arb
from checker import expsum
from checker import mpinterval as iv
from checker.attention import Row, Tie
from checker.decide import Exact, Expression, agree, decide
from checker.env import Env
from checker.errors import DisagreementError, HardsoftError
from checker.quantity import l1, max_weight, tv, value_error
from checker.verdict import Decision, Verdict

n, k, gamma, tau, x = sp.symbols("n k gamma tau x", positive=True)
GAP_BOUND = (n - k) * sp.exp(-gamma / tau) / (k + (n - k) * sp.exp(-gamma / tau))
HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED


def gap_bound(row, temperature):
    return Expression(GAP_BOUND, Env({"n": row.n, "k": row.k, "gamma": row.gap, "tau": temperature}))


def expression(expr, **values):
    return Expression(expr, Env(values))


class Fixed:
    """A side with enclosures given by hand."""

    def __init__(self, arb_ends, mp_ends):
        self.arb_ends, self.mp_ends = arb_ends, mp_ends

    def ball(self, prec):
        with arb.working(prec):
            low, high = (arb.ball(Fraction(end)) for end in self.arb_ends)
            return low.union(high)

    def mp(self, prec):
        low, high = (iv.from_exact(Fraction(end), prec) for end in self.mp_ends)
        return iv.Interval(low.lo, high.hi)


@pytest.mark.parametrize(
    ("relation", "verdicts"),
    [
        ("<", (HOLDS, FAILS, FAILS)),
        ("<=", (HOLDS, HOLDS, FAILS)),
        (">", (FAILS, FAILS, HOLDS)),
        (">=", (FAILS, HOLDS, HOLDS)),
        ("=", (FAILS, HOLDS, FAILS)),
    ],
)
def test_exact_numbers(relation, verdicts):
    for rhs, verdict in zip((2, 1, 0), verdicts, strict=True):
        assert decide(1, relation, Fraction(rhs)) == Decision(verdict, 64)
        assert decide(Exact(1), relation, Exact(rhs)).verdict is verdict


@pytest.mark.parametrize(
    ("lhs", "relation", "rhs", "verdict"),
    [
        (sp.exp(1), "<", Fraction(2718281828459045235360287471352663, 10**33), HOLDS),
        (sp.exp(1), "<", Fraction(2718281828459045235360287471352662, 10**33), FAILS),
        (sp.exp(1), "=", Fraction(2718281828459045235360287471352662, 10**33), FAILS),
        (sp.log(2), ">=", Fraction(693147180559945309417232, 10**24), HOLDS),
        (sp.sqrt(2), ">", Fraction(99, 70), FAILS),
        (sp.tanh(sp.Rational(1, 10**20)), "<", Fraction(1, 10**20), HOLDS),
        (sp.exp(-(10**6)), ">", Fraction(0), HOLDS),
        (1 - sp.exp(-1000), "<", Fraction(1), HOLDS),
    ],
)
def test_transcendental_numbers(lhs, relation, rhs, verdict):
    assert decide(expression(lhs), relation, rhs).verdict is verdict


def test_precision_doubles_only_as_far_as_needed():
    assert decide(expression(sp.exp(1)), "<", 3).precision == 64
    assert decide(expression(1 - sp.exp(-100)), "<", 1).precision == 256
    assert decide(expression(1 - sp.exp(-1000)), "<", 1).precision == 2048
    assert decide(expression(1 - sp.exp(-1000)), "<", 1, maximum=1000) == Decision(UNDECIDED, 1000)
    assert decide(expression(1 - sp.exp(-(10**6))), "<", 1) == Decision(UNDECIDED, 8192)
    assert decide(expression(sp.exp(1)), "<", 3, start=100, maximum=100) == Decision(HOLDS, 100)


@pytest.mark.parametrize(("start", "maximum"), [(1, 64), (128, 64), (0, 0)])
def test_precisions_are_checked(start, maximum):
    for decision in (decide(1, "<", 2), agree(1, 1)):
        assert decision.precision == 64
    with pytest.raises(ValueError, match="2 <= start <= maximum"):
        decide(1, "<", 2, start=start, maximum=maximum)


def test_relations_are_checked():
    with pytest.raises(ValueError, match="relation must be one of"):
        decide(1, "==", 1)


@pytest.mark.parametrize("relation", ["<", "<=", ">", ">=", "="])
def test_equal_transcendental_numbers_are_undecided_at_the_maximum(relation):
    row = Row.multiset({1: 2, 0: 5})
    bound = gap_bound(row, Fraction(1, 3))
    assert decide(tv(row, Fraction(1, 3)), relation, bound) == Decision(UNDECIDED, 8192)
    assert decide(bound, relation, tv(row, Fraction(1, 3)), maximum=512) == Decision(UNDECIDED, 512)


def test_agreement():
    row = Row.multiset({1: 2, 0: 5})
    bound = gap_bound(row, Fraction(1, 3))
    assert agree(tv(row, Fraction(1, 3)), bound).verdict is HOLDS
    assert agree(tv(row, Fraction(1, 3)), bound, digits=500).precision >= 1024
    assert agree(tv(row, Fraction(1, 3)), expression(GAP_BOUND, n=7, k=2, gamma=1, tau=Fraction(1, 2))).verdict is FAILS
    near = expression(sp.exp(1) + x, x=Fraction(1, 10**20))
    assert agree(expression(sp.exp(1)), near, digits=30).verdict is FAILS
    assert agree(expression(sp.exp(1)), near, digits=10, maximum=64).verdict is HOLDS
    assert agree(0, 0).verdict is HOLDS
    assert agree(5, Fraction(5)).verdict is HOLDS
    assert agree(Fixed((-1, 1), (-1, 1)), Fixed((-1, 1), (-1, 1))) == Decision(UNDECIDED, 8192)
    tiny = tv(Row.explicit([1, 0]), Fraction(1, 10**6))
    assert agree(tiny, expression(1 / (sp.exp(x) + 1), x=10**6)).verdict is HOLDS


rows = st.lists(st.integers(-3, 3), min_size=1, max_size=6).map(Row.explicit)
temperatures = st.sampled_from([Fraction(1, 50), Fraction(1, 3), Fraction(2), Fraction(10**6)])


@settings(deadline=None, max_examples=100)
@given(rows, temperatures)
def test_the_gap_bound_holds_and_is_strict_away_from_equality(row, temperature):
    """A2, with its case of equality; a case of strict inequality must not hold the other way round."""
    if row.gap is None:
        assert decide(tv(row, temperature), "<=", 0).verdict is HOLDS
        return
    bound = gap_bound(row, temperature)
    if len(set(row.scores)) == 2:
        assert agree(tv(row, temperature), bound, start=256).verdict is HOLDS
    else:
        assert decide(tv(row, temperature), "<", bound).verdict is HOLDS
        assert decide(tv(row, temperature), ">=", bound).verdict is FAILS
    assert (
        decide(l1(row, temperature), "<", expression(2 * n * sp.exp(-x), n=row.n, x=row.gap / temperature)).verdict
        is HOLDS
    )


def test_a_false_bound_fails():
    row = Row.explicit([1, 0, 0])
    bound = expression(sp.Rational(99, 100) * GAP_BOUND, n=3, k=1, gamma=1, tau=Fraction(1, 3))
    assert decide(tv(row, Fraction(1, 3)), "<=", bound) == Decision(FAILS, 64)
    usual = expression(n * sp.exp(-gamma / tau), n=3, gamma=1, tau=Fraction(1, 10))
    assert decide(l1(row, Fraction(1, 10)), "<=", usual).verdict is FAILS  # the constant 2 is needed


@pytest.mark.parametrize("digits_wrong", [1, 12, 17])
def test_a_broken_arb_side_is_found_out(monkeypatch, digits_wrong):
    right = expsum.exp_ball
    monkeypatch.setattr(expsum, "exp_ball", lambda x, prec: right(x * (1 + Fraction(1, 10**digits_wrong)), prec))
    row = Row.explicit([3, 1, 0])
    for quantity in (tv(row, 1), l1(row, 1, Tie.LEFTMOST), max_weight(row, 1), value_error(row, 1, [1, 2, 4])):
        with pytest.raises(DisagreementError, match=r"exclude each other at 64 bits on .* of the row"):
            decide(quantity, "<", 1)
        with pytest.raises(DisagreementError):
            agree(quantity, quantity)


@pytest.mark.parametrize("digits_wrong", [1, 12, 17])
def test_a_broken_mpmath_side_is_found_out(monkeypatch, digits_wrong):
    right = iv.exp_exact
    monkeypatch.setattr(iv, "exp_exact", lambda x, p: right(x * (1 + Fraction(1, 10**digits_wrong)), p))
    row = Row.explicit([3, 1, 0])
    for quantity in (tv(row, 1), l1(row, 1, Tie.LEFTMOST), max_weight(row, 1), value_error(row, 1, [1, 2, 4])):
        with pytest.raises(DisagreementError, match="exclude each other"):
            decide(quantity, "<", 1)
    with pytest.raises(DisagreementError, match=r"exclude each other at 64 bits on exp\(-x\) at x = 1"):
        decide(expression(sp.exp(-x), x=1), "<", 1)


def test_a_wrong_bound_on_either_side_is_found_out():
    bound = expression(GAP_BOUND, n=7, k=2, gamma=1, tau=Fraction(1, 2))
    wrong = expression(GAP_BOUND, n=7, k=2, gamma=1, tau=Fraction(1, 3))

    class Mixed:
        ball = staticmethod(bound.ball)
        mp = staticmethod(wrong.mp)

    for relation in ("<", ">"):
        with pytest.raises(DisagreementError):
            decide(Mixed(), relation, 1)
        with pytest.raises(DisagreementError):
            decide(1, relation, Mixed())


def test_disagreement_is_an_error_of_its_own_kind():
    assert issubclass(DisagreementError, HardsoftError)
    apart = Fixed((1, 2), (3, 4))
    with pytest.raises(DisagreementError, match="exclude each other"):
        decide(apart, "<", 10)
    with pytest.raises(DisagreementError, match="exclude each other"):
        decide(Fixed((-1, 1), (2, 3)), "=", 0)  # also where Arb is undecided
    touching = Fixed((1, 2), (2, 4))
    assert decide(touching, "<", 10).verdict is HOLDS


def test_opposite_answers_are_a_disagreement_even_where_enclosures_touch():
    """Arb finds 1 < 1 + 2^-100, mpmath finds two ones; rounded to 64 bits the enclosures overlap."""

    class Sharp(Fixed):
        def ball(self, _prec):
            with arb.working(300):
                return arb.ball(self.arb_ends)

    lhs, rhs = Sharp(Fraction(1), (1, 1)), Sharp(1 + Fraction(1, 2**100), (1, 1))
    with pytest.raises(DisagreementError, match="Arb says HOLDS, mpmath says FAILS at 64 bits"):
        decide(lhs, "<", rhs)


def test_an_undecided_second_opinion_is_no_disagreement():
    vague = Fixed((1, 2), (-100, 100))
    assert decide(vague, "<", 3).verdict is HOLDS
    assert decide(Fixed((0, 5), (1, 2)), "<", 3, maximum=128) == Decision(UNDECIDED, 128)


def test_undefined_expressions_are_errors_not_answers():
    with pytest.raises(ValueError, match="logarithm"):
        decide(expression(sp.log(x - 2), x=1), "<", 1)
    zero = sp.tanh(x) - sp.tanh(tau)
    unknown = expression(1 / zero, x=1, tau=1)
    for relation in ("<", "<=", ">", ">=", "="):
        assert decide(unknown, relation, 1, maximum=256) == Decision(UNDECIDED, 256)
    assert agree(unknown, 1, maximum=256) == Decision(UNDECIDED, 256)


def test_enclosures_of_a_bound_are_remembered(monkeypatch):
    bound = expression(sp.exp(-x), x=1)
    first = decide(bound, "<", 1)
    monkeypatch.setattr(arb, "evaluate", None)
    assert decide(bound, "<", 1) == first
