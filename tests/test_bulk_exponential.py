"""The float64 exponential: its error bound against Arb and against exact arithmetic over its coefficients."""

import math
import platform
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import flint
import numpy as np
import pytest

from checker.ball import ball, exp_ball, working
from checker.bulk import backend, compiled, exponential
from checker.bulk.exponential import ABSOLUTE, RELATIVE, exp_bounds, exp_near
from checker.errors import HardsoftError, InputError

U = Fraction(1, 2**53)

ADVERSARIAL = [0.0, -0.0, -5e-324, -2.2e-308, -(2.0**-60), -745.2, -745.13, -744.5, -708.4, -708.39, -746.0, -1e308]
TIES = [-(k + 0.5) / 32 for k in range(23870)]  # the largest |r|
EDGES = [math.nextafter(x, side) for k in range(0, 23870, 7) for x in [-(k + 0.5) / 32] for side in (0.0, -math.inf)]


def sample(rng):
    return np.concatenate(
        [
            -rng.random(30_000) * 4,
            -rng.random(20_000) * 750,
            -rng.uniform(700, 746, 20_000),
            -(2.0 ** rng.uniform(-1074, 10, 20_000)),
            np.array(ADVERSARIAL + TIES + EDGES),
        ]
    )


def truth(x):
    """exp(x) by Arb, of relative width about 2^-100."""
    return flint.arb(float(x)).exp()


def test_error_bound_and_enclosure_against_arb():
    x = sample(np.random.default_rng(4))
    y = exp_near(x)
    low, high = exp_bounds(x, x)
    assert len(x) > 100_000
    with working(100):
        for point, near, below, above in zip(x.tolist(), y.tolist(), low.tolist(), high.tolist(), strict=True):
            value = truth(point)
            assert abs(near - value) <= RELATIVE * value + ABSOLUTE, point
            # Arb's ball around exp(-10^-60) reaches beyond 1, so what is excluded is a proved miss, up to 2^-100.
            assert not below > value, point
            assert not value > above, point


def test_enclosures_are_narrow():
    x = -np.random.default_rng(5).random(10_000) * 690
    low, high = exp_bounds(x, x)
    assert ((high - low) / low).max() <= 16 * 2.0**-53
    assert (exp_near(np.zeros(3)) == 1).all()


def test_infinite_and_very_negative_arguments():
    x = np.array([-np.inf, -746.0, -1e300, -745.0])
    low, high = exp_bounds(x, x)
    assert low.tolist()[:3] == [0, 0, 0]
    assert high[0] == 0
    assert (high[1:] > 0).all()
    assert exp_near(x)[:3].tolist() == [0, 0, 0]


def test_intervals_are_enclosed_end_by_end():
    rng = np.random.default_rng(6)
    high = -rng.random((40, 50)) * 30
    low = high - rng.random((40, 50)) * 10.0 ** rng.integers(-12, 2, (40, 50))
    below, above = exp_bounds(low, high)
    with working(100):
        for a, b, c, d in zip(low.flat, high.flat, below.flat, above.flat, strict=True):
            assert c <= truth(a)
            assert truth(b) <= d


def test_shapes_and_blocks():
    x = -np.arange(3 * 10_000, dtype=np.float64).reshape(3, 100, 100) / 1000
    assert np.array_equal(exp_near(x)[1, 7], exp_near(x[1, 7]))
    assert np.array_equal(exp_near(x.T), exp_near(x).T)
    assert exp_near(np.empty((0, 4))).shape == (0, 4)


@pytest.mark.parametrize("bad", [1e-300, math.inf, math.nan])
def test_positive_arguments_are_refused(bad):
    with pytest.raises(ValueError, match="must be <= 0"):
        exp_near(np.array([-1.0, bad]))


def test_table_is_what_step_2_of_the_proof_says():
    powers = exponential.table()
    assert powers[0] == 1
    assert powers[-1] == 0
    assert len(powers) == 746 * 32 + 1
    tiny = Fraction(1, 2**1074)
    with working(120):
        for k in [*range(0, len(powers), 5), *range(22_500, len(powers))]:
            exact = exp_ball(Fraction(-k, 32), 120)
            bound = ball(Fraction(1001, 1000) * U) * exact + ball(tiny)
            assert abs(ball(Fraction(float(powers[k]))) - exact) <= bound, k


def test_numbers_of_steps_3_and_4_of_the_proof():
    """The error of Horner's rule recomputed by interval induction over the coefficients, exactly, for |r| <= 1/64."""
    r = Fraction(1, 64)
    exact = [Fraction(1, math.factorial(m)) for m in range(7, 0, -1)]
    stored = [Fraction(c) for c in exponential.COEFFICIENTS]
    size, error = stored[0], abs(stored[0] - exact[0])
    for coefficient, true in zip(stored[1:], exact[1:], strict=True):
        product, product_error = size * r, error * r + U * (size + error) * r + Fraction(1, 2**1075)
        size = product + coefficient
        error = product_error + abs(coefficient - true)
        error += U * (size + error)  # rounding of the sum
    assert size < Fraction(102, 100)
    # |p - s| <= 1.1 u, with the last rounding of a number in [0.99, 1.01]
    assert error <= Fraction(11, 10) * U
    tail = sum(r**m / math.factorial(m) for m in range(8, 40))
    assert tail <= Fraction(7, 100) * U * r
    z_error = r * (Fraction(11, 10) + Fraction(7, 100) + Fraction(101, 100)) * U
    assert z_error <= Fraction(4, 100) * U
    e, growth, t = Fraction(1), Fraction(1016, 1000), Fraction(1001, 1000)  # E = 1, exp(r) <= 1.016, T <= 1.001 E
    total = Fraction(1001, 1000) * U * e * growth + (Fraction(4, 100) + Fraction(16, 1000) + Fraction(102, 100)) * U * t
    assert total * growth <= Fraction(22, 10) * U
    assert Fraction(22, 10) * U <= Fraction(RELATIVE)
    # absolute parts: the entry of the table and the rounding of the product
    tiny = Fraction(1, 2**1074)
    assert (Fraction(1016, 1000) + 1) * tiny + Fraction(3, 100) * tiny <= Fraction(21, 10) * tiny <= Fraction(ABSOLUTE)


def test_coefficients_are_the_nearest_to_those_of_the_series():
    assert list(exponential.COEFFICIENTS) == [float(Fraction(1, math.factorial(m))) for m in range(7, 0, -1)]
    of_numba = [compiled.C7, compiled.C6, compiled.C5, compiled.C4, compiled.C3]
    assert of_numba == list(exponential.COEFFICIENTS[:5])
    assert (compiled.LEAST, compiled.STEPS) == (exponential.LEAST, exponential.STEPS)


def test_gappa_is_asked_about_this_polynomial_and_these_bounds():
    text = (Path(__file__).parent.parent / "proofs" / "gappa" / "exponential.g").read_text(encoding="utf-8")
    stored = [eval_fraction(c) for c in re.findall(r"^c\d = rnd\((1/\d+)\);$", text, re.MULTILINE)]
    assert stored == [Fraction(1, math.factorial(m)) for m in range(7, 2, -1)]
    assert "q rnd= ((((r * c7 + c6) * r + c5) * r + c4) * r + c3) * r + 1/2;" in text
    assert "Q = ((((r * (1/5040) + 1/720) * r + 1/120) * r + 1/24) * r + 1/6) * r + 1/2;" in text
    (bound,) = re.findall(r"y -/ W in \[-\d+b-60, (\d+)b-60\]", text)
    assert Fraction(int(bound), 2**60) == Fraction(RELATIVE)


def eval_fraction(text):
    numerator, _, denominator = text.partition("/")
    return Fraction(int(numerator), int(denominator))


def test_numba_and_numpy_give_the_same_bits(monkeypatch):
    """On more than 10^6 arguments; and numba is really used."""
    rng = np.random.default_rng(11)
    bits = rng.integers(0, 2**63, 600_000).view(np.float64)  # every exponent
    x = np.concatenate([sample(rng), -np.abs(bits[~np.isnan(bits)]), -rng.random(500_000) * 750])
    monkeypatch.setenv(backend.VARIABLE, "0")
    assert backend.compiled(1) is None
    plain = exp_near(x)
    monkeypatch.setenv(backend.VARIABLE, "1")
    assert backend.compiled(1) is compiled
    assert np.array_equal(plain.view(np.int64), exp_near(x).view(np.int64))
    assert len(x) > 10**6


def test_when_numba_is_used(monkeypatch):
    monkeypatch.setattr(backend, "_treated", 0)
    for wish in ("auto", ""):
        monkeypatch.setenv(backend.VARIABLE, wish)
        assert backend.compiled(10) is None
    assert backend.compiled(backend.ENOUGH) is compiled
    assert backend.compiled(10) is compiled
    monkeypatch.setenv(backend.VARIABLE, "yes")
    with pytest.raises(InputError, match="HARDSOFT_NUMBA is 'yes'; it must be 0"):
        backend.compiled(10)


def test_without_numba_numpy_does_everything(monkeypatch):
    monkeypatch.setitem(sys.modules, "checker.bulk.compiled", None)
    monkeypatch.setattr(backend, "_module", backend._module.__wrapped__)
    monkeypatch.setenv(backend.VARIABLE, "1")
    assert backend.compiled(1) is None
    assert exp_near(np.array([0.0, -np.inf])).tolist() == [1, 0]


def test_nothing_is_fused_or_reordered():
    """The machine code has no fused multiply-add, and no flag allows one. (Code from numba's cache is not shown.)"""
    one, wide = compiled.numba.float64[::1], compiled.numba.float64[:, ::1]
    whole = compiled.numba.int64[::1]
    arguments = {
        "exp_near": (one, one, one),
        "sums": (wide, one, one, one, whole, whole, one, compiled.numba.boolean[::1]),
        "weights": (wide, wide, one, wide, wide),
    }
    arguments["sums"] += (compiled.numba.boolean, wide, wide)
    for name, types in arguments.items():
        function = getattr(compiled, name)
        options = {key: value for key, value in function.targetoptions.items() if key != "nopython"}
        assert options["error_model"] == "numpy"
        assert not options.get("fastmath")
        fresh = compiled.numba.njit(types, **options)(function.py_func)
        (code,) = fresh.inspect_asm().values()
        assert "mul" in code
        assert not re.search(r"vfn?m(add|sub)|fn?m(add|sub|la|ls)", code)


def test_other_arithmetic_is_refused(monkeypatch):
    assert backend.ieee()
    monkeypatch.setattr(backend, "_NORMAL", 0.0)  # as if subnormal numbers were flushed
    with pytest.raises(HardsoftError, match="does not follow IEEE 754"):
        exp_near(np.array([-1.0]))


def test_flushing_of_subnormals_and_directed_rounding_are_noticed():
    """With the modes of the processor really changed, in a process of its own."""
    code = (
        "import ctypes, sys; from checker.bulk import backend; m = ctypes.CDLL(None); a = [backend.ieee()]\n"
        "for mode in (0x400, 0x800, 0xC00): m.fesetround(mode); a.append(backend.ieee()); m.fesetround(0)\n"
        "a.append(backend.ieee()); print(a)"
    )
    if sys.platform == "linux" and platform.machine() == "x86_64":
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert found.stdout.split() == ["[True,", "False,", "False,", "False,", "True]"]


def test_without_a_directory_for_machine_code_nothing_is_kept(monkeypatch):
    asked = []

    def njit(function, **options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return function

    monkeypatch.setattr(compiled.numba, "njit", njit)
    assert compiled._jit(len) is len
    assert [options.get("cache", False) for options in asked] == [True, False]
