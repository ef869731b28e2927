"""The closed form of E2: it solves its inequality, is certified where it is printed, and is the largest that does."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.ball import ball, compare, lambert_lower, working
from checker.decide import Expression, decide
from checker.env import Env
from checker.general import growth, lambert
from checker.general.apriori import Target, best_plain
from checker.general.lambert import closed_form, suffices
from checker.general.plain import Constants, plain
from checker.verdict import Verdict
from proofs.e_general import e2_temperature

F = Fraction
ONE = F(1)
BASE = Constants(2, 1, ONE, ONE, ONE, 10, ONE, ONE, F(1, 4), ONE)
SMALL = st.fractions(F(1, 8), 4, max_denominator=8)


@st.composite
def numbers(draw):
    bound = draw(SMALL)
    return Constants(
        layers=draw(st.integers(1, 4)),
        heads=draw(st.integers(1, 3)),
        value=draw(SMALL),
        score=draw(SMALL),
        lipschitz=draw(SMALL),
        positions=draw(st.integers(1, 10**6)),
        bound=bound,
        gap=draw(st.sampled_from((F(1), F(1, 100), F(1, 2**60), F(5)))),
        margin=bound * draw(st.sampled_from((F(1), F(1, 3), F(1, 10**9)))),
        output=draw(SMALL),
    )


@settings(max_examples=60, deadline=None)
@given(numbers())
def test_the_closed_form_keeps_decisions_by_the_recurrence_itself(constants):
    """E2.sufficient: the error after L layers, by E1, is below the margin at the temperature printed."""
    target = Target(constants.margin, True)
    found = closed_form(constants, target)
    assert found is not None
    assert found.margin == min(constants.margin / constants.output, constants.bound)
    run = plain(constants, found.tau)
    assert run.delta[-1] < found.margin
    assert target.met(run.logit)
    if not found.every:
        assert suffices(constants, found.margin, found.tau)


@settings(max_examples=40, deadline=None)
@given(numbers())
def test_nothing_larger_solves_the_inequality_nearby(constants):
    found = closed_form(constants, Target(constants.margin, True))
    if not found.every and constants.a0 >= 1:
        assert not suffices(constants, found.margin, found.tau * F(1001, 1000))


def test_the_lambert_branch_solves_the_stated_equation():
    """E2.lambert: z >= 1 and z exp(-z) = b, b as the statement writes it."""
    for n, gap in ((10, F(1)), (1000, F(1, 7)), (10**6, F(1, 10**6))):
        constants = replace(BASE, positions=n, gap=gap, layers=3)
        values = {
            "L": F(3), "n": F(n), "gamma": gap, "mu": constants.margin, "A0": constants.a0, "D0": constants.d0,
            "c0": constants.c0,
        }  # fmt: skip
        stated = e2_temperature.B_VALUE.subs(e2_temperature.ell, e2_temperature.ELL.rhs)
        b = Expression(stated, Env({s.name: values[s.name] for s in stated.free_symbols})).ball(256)
        with working(256):
            z = -lambert_lower(-b)
            assert z > 1
            assert abs(z * (-z).exp() / b - 1) < ball(F(1, 10**50))
            inverse = 2 * z / ball(gap) - ball(constants.a0 / constants.d0)
        tau = closed_form(constants, Target(constants.margin, True)).tau
        with working(256):
            assert compare(ball(1 / tau), ">=", inverse) is Verdict.HOLDS
            assert compare(ball(1 / tau), "<", inverse * ball(F(10001, 10000))) is Verdict.HOLDS


def test_the_lambert_function_of_balls():
    with working(128):
        w = lambert_lower(ball(F(-1, 10)))
        assert abs(w * w.exp() + ball(F(1, 10))) < ball(F(1, 10**30))
        assert w < -1
        for outside in (F(-1, 2), F(0), F(1, 10)):
            assert not lambert_lower(ball(outside)).is_finite()


def test_elementary_order_is_within_its_factor():
    """E2.order is a lower temperature, by a factor of E/(E-1) and a constant at most."""
    for n in (10, 1000):
        constants = replace(BASE, positions=n, gap=F(1, n))
        values = {
            "L": F(2), "n": F(n), "gamma": F(1, n), "mu": constants.margin, "A0": constants.a0, "D0": constants.d0,
            "c0": constants.c0,
        }  # fmt: skip
        order = e2_temperature.ORDER
        inverse = Expression(order, Env({s.name: values[s.name] for s in order.free_symbols}))
        tau = closed_form(constants, Target(constants.margin, True)).tau
        assert decide(inverse, ">=", 1 / tau * F(9999, 10000)).verdict is Verdict.HOLDS
        assert decide(inverse, "<=", 2 / tau).verdict is Verdict.HOLDS


def test_one_layer():
    """E2.one-layer: tau log(c0 n/mu) = gamma."""
    constants = replace(BASE, layers=1)
    found = closed_form(constants, Target(F(1, 4), True))
    with working(128):
        value = ball(constants.c0 * 10 / F(1, 4)).log() * ball(found.tau)
        assert value <= 1
        assert value > ball(F(9998, 10000))


@pytest.mark.parametrize("change", [{"gap": None}, {"layers": 0}, {"value": F(0)}, {"heads": 0}])
def test_where_every_temperature_will_do(change):
    constants = replace(BASE, **change)
    found = closed_form(constants, Target(F(1, 4), True))
    assert found.every
    assert plain(constants, found.tau).delta[-1] == 0


def test_where_nothing_follows():
    assert closed_form(BASE, Target(F(0), True)) is None
    assert not suffices(BASE, F(2), F(1, 1000))  # mu <= B is a hypothesis


def test_always():
    """E2.always: with a large margin in proportion to the errors, every temperature."""
    constants = replace(BASE, value=F(1, 1000), score=F(1, 1000), positions=2, margin=F(1))
    found = closed_form(constants, Target(F(1), True))
    assert found.every
    assert best_plain(constants, Target(F(1), True)).refused is None


@pytest.mark.parametrize("name", ["lower branch", "no A0/D0", "half of c0"])
def test_a_wrong_closed_form_is_not_certified(name, monkeypatch):
    """What is printed is decided by the inequality: a formula that is too optimistic is corrected or refused."""
    right = closed_form(BASE, Target(F(1, 4), True))
    inverse = lambert._inverse
    wrong = {
        "lower branch": lambda *given: inverse(*given) / 4,
        "no A0/D0": lambda *given: inverse(*given) * F(99, 100),
        "half of c0": lambda n, gap, margin: inverse(replace(n, value=n.value / 2), gap, margin),
    }
    monkeypatch.setattr(lambert, "_inverse", wrong[name])
    found = closed_form(BASE, Target(F(1, 4), True))
    assert found is None or found.tau <= right.tau


def test_the_table_of_gaps():
    lines = growth.table().splitlines()
    assert len(lines) == 2 + len(growth.GAPS) * len(growth.LENGTHS)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]
    for gap, n, e1, e2, e5, ratio in rows:
        exact = growth.gap_at(gap, int(n))
        constants = growth.reference(int(n), exact)
        first, closed, tieless = F(e1), F(e2), F(e5)
        assert closed <= first <= tieless
        assert plain(constants, first).logit < F(1, 4)
        assert suffices(constants, F(1, 4), closed)
        assert F(ratio) >= exact / first
    # the gap enters as such: gap/tau grows with the logarithms of n and of 1/gap only
    assert max(F(row[5]) for row in rows) < 200
    assert all(F(a[2]) > F(b[2]) for a, b in zip(rows, rows[3:], strict=False))
