"""Interval arithmetic with exact ends, against Arb and at its edges."""

import random
from fractions import Fraction

import pytest
import sympy as sp

from checker.ball import ball, endpoints, working
from proofs.intervals import (
    LARGEST,
    RationalEnds,
    UndefinedError,
    down,
    exp_enclosure,
    integer_root,
    log_enclosure,
    root_enclosure,
    tanh_enclosure,
)

x = sp.Symbol("x", real=True)


def numbers(seed, count):
    """Rational numbers of very different sizes, near powers of two, near 0 and near 1 among them."""
    rng = random.Random(seed)
    for i in range(count):
        sign = rng.choice((-1, 1))
        match i % 5:
            case 0:
                yield Fraction(sign * rng.randint(1, 10**6), rng.randint(1, 10**4))
            case 1:
                yield sign * Fraction(rng.randint(1, 2**20), 2 ** rng.randint(0, 90))
            case 2:
                yield sign * Fraction(2**60 + rng.randint(-3, 3), 2**60) * rng.choice((1, 2, 3, 64, 1000))
            case 3:
                yield sign * Fraction(1, 2 ** rng.randint(1, 300))
            case _:
                yield 1 + sign * Fraction(rng.randint(1, 9), 10 ** rng.randint(1, 40))


@pytest.mark.parametrize("bits", [8, 24, 53, 64, 128])
def test_enclosures_contain_what_arb_computes(bits):
    checked = 0
    for x0 in numbers(bits, 500):
        for name, enclose in (("exp", exp_enclosure), ("tanh", tanh_enclosure), ("log", log_enclosure)):
            at = abs(x0) if name == "log" else x0 if abs(x0) <= 700 else x0 / 1000
            low, high = enclose(at, bits)
            with working(2700):
                value = getattr(ball(at), name)()
            least, most = endpoints(value)
            assert low <= least, (name, at)
            assert most <= high, (name, at)
            # no wider than some units in the last place
            assert high - low <= abs(high + low) * Fraction(4, 2**bits), (name, at)
            checked += 1
    assert checked == 1500


def test_enclosures_at_the_edge():
    assert exp_enclosure(Fraction(0), 64) == (1, 1)
    assert log_enclosure(Fraction(1), 64) == tanh_enclosure(Fraction(0), 64) == (0, 0)
    low, high = exp_enclosure(Fraction(-LARGEST - 1), 64)
    assert low == 0 < high == exp_enclosure(Fraction(-LARGEST), 64)[1]
    assert exp_enclosure(Fraction(LARGEST), 64)[0] > 2**5000
    for undefined in (
        lambda: exp_enclosure(Fraction(LARGEST) + Fraction(1, 10**9), 64),
        lambda: log_enclosure(Fraction(0), 64),
        lambda: log_enclosure(Fraction(-1), 64),
        lambda: root_enclosure(Fraction(-1), 2, 64),
        lambda: down(Fraction(2**40000), 64),
    ):
        with pytest.raises(UndefinedError):
            undefined()


def test_roots():
    for n0 in (0, 1, 2, 8, 80, 81, 82, 10**40, 10**40 - 1):
        for q in (2, 3, 5):
            r = integer_root(n0, q)
            assert r**q <= n0 < (r + 1) ** q
    for x0 in numbers(1, 300):
        for q in (2, 3, 7):
            low, high = root_enclosure(abs(x0), q, 40)
            assert low**q <= abs(x0) <= high**q
            assert high - low <= high / 2**36
    assert root_enclosure(Fraction(9, 4), 2, 10) == (Fraction(3, 2), Fraction(3, 2))


def test_rounding_goes_outward():
    for x0 in numbers(2, 500):
        low, high = down(x0, 10), -down(-x0, 10)
        assert low <= x0 <= high
        assert high - low <= abs(x0) / 2**8
        assert max(abs(low.numerator).bit_length(), 11) <= 11 or low.denominator == 1
    tiny = Fraction(1, 2**40000)
    assert down(tiny, 64) == 0
    assert down(-tiny, 64) < -tiny


def test_operations_contain_every_value():
    rng, ends = random.Random(3), RationalEnds(12)
    for _ in range(300):
        a, b = (tuple(sorted(Fraction(rng.randint(-50, 50), rng.randint(1, 9)) for _ in range(2))) for _ in range(2))
        p, q = (low + (high - low) * Fraction(rng.randint(0, 8), 8) for low, high in (a, b))
        k0 = rng.randint(-4, 5)
        operations = [(ends.add(a, b), p + q), (ends.multiply(a, b), p * q), (ends.absolute(a), abs(p))]
        operations.append((ends.negative(a), -p))
        if not a[0] <= 0 <= a[1]:
            operations += [(ends.reciprocal(a), 1 / p), (ends.power(a, k0), p**k0)]
        operations.append((ends.power(a, abs(k0)), p ** abs(k0)))
        for (low, high), value in operations:
            assert low <= value <= high
