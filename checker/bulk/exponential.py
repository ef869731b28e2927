"""Rigorous exponentials of float64 arrays, built from correctly rounded IEEE operations alone.

Notation: u = 2^-53, and fl(.) is rounding to nearest: fl(z) = z (1 + d) + t with |d| <= u, |t| <= 2^-1075, where t = 0
for sums and for products that are not subnormal.

Algorithm for x <= 0: x := max(x, -746), k := rint(-32 x), r := x + k/32, p ~ 1 + r/2! + ... + r^6/7! by Horner's rule,
z := r p, y := T[k] + T[k] z, where T[k] is a float64 near exp(-k/32).

Theorem. |y - exp(x)| <= RELATIVE exp(x) + ABSOLUTE with RELATIVE = 2.25u and ABSOLUTE = 2^-1072, for every float64
x <= 0, subnormal numbers, -0 and -inf included. At x = 0, y = 1; at x <= -746, y = 0.

Proof, for -746 <= x (below, y = 0 and exp(x) < 2^-1076).
(1) r is exact and |r| <= 2^-6. Indeed -32 x is exact, and k <= 23872. If k = 0, then r = x. If k > 0, then |x| >= 2^-6,
so the ulp w of x has 2^-58 <= w <= 2^-43; x and k/32 are multiples of w, so is their sum, and |r| / w <= 2^52.
(2) |T[k] - E| <= 1.001 u E + 2^-1074, E = exp(-k/32): T[k] is rounded from a number of relative error < 2^-90 to 53
bits, and once more to a multiple of 2^-1074 if it is subnormal. T[0] = 1.
(3) s := 1 + r/2! + ... + r^6/7!. In Horner's rule q ~ 1/2 + r/3! + ... is below 0.51 and wrong by at most 0.52 u (its
last sum by 0.51 u; all that came before is multiplied by |r|; 1/m! as a float64 is wrong by a relative u, 1/2 not at
all). So fl(r q) is wrong by 2^-6 (0.52 + 0.51) u + 2^-1075 <= 0.02 u, and p, a number in [0.99, 1.01] rounded once
more, by |p - s| <= 1.1 u. As |r s - (exp(r) - 1)| <= 1.01 |r|^8/8! <= 0.07 u |r|, z = fl(r p) satisfies
|z - (exp(r) - 1)| <= |r| (1.1 + 0.07 + 1.01) u + 2^-1075 <= 0.04 u + 2^-1075, and |z| <= 0.016.
(4) y = T + T z + (rounding of the product: 0.016 u T + 2^-1075) + (rounding of the sum: 1.02 u T), so
|y - exp(x)| <= |T - E| exp(r) + T |z - (exp(r) - 1)| + 1.036 u T + 2^-1075
<= 1.018 u E + 1.016 * 2^-1074 + 1.08 u T + 2^-1074. With T <= 1.001 E + 2^-1074, E <= 1.016 exp(x) this is
<= 2.2 u exp(x) + 2.1 * 2^-1074. QED.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from checker.ball import exp_ball, outer
from checker.bulk import backend

Floats = NDArray[np.float64]

RELATIVE = 9 * 2.0**-55
ABSOLUTE = 2.0**-1072

STEPS = 32
LEAST = -746.0  # exp(-746) < 2^-1076
COEFFICIENTS = (1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1.0)  # of r^6 .. r^0 in p

_BLOCK = 1 << 14  # entries treated together: the scratch arrays stay in the cache
_LOWER, _UPPER = 1 - 3 * 2.0**-52, 1 + 3 * 2.0**-52
_EXTRA = 2.0**-1060


@cache
def table() -> Floats:
    """Return T, shape (23873,): T[k] near exp(-k/32) in the sense of (2)."""
    whole = [_mantissa(Fraction(-a)) for a in range(int(-LEAST) + 1)]
    part = [_mantissa(Fraction(-b, STEPS)) for b in range(STEPS)]
    products = [(m * m1, e + e1) for m, e in whole for m1, e1 in part][: int(-LEAST) * STEPS + 1]
    # Python rounds an int to the nearest float64; ldexp is exact unless the result is subnormal, then it rounds once.
    powers = np.ldexp(np.array([float(m) for m, _ in products]), np.array([e for _, e in products]))
    powers.setflags(write=False)
    return powers


def _mantissa(x: Fraction) -> tuple[int, int]:
    """Return (m, e) with m 2^e <= exp(x) <= m 2^e (1 + 2^-92)."""
    (low, low_exponent), (high, high_exponent) = outer(exp_ball(x, 128), 100)
    least = Fraction(low) * Fraction(2) ** low_exponent
    if Fraction(high) * Fraction(2) ** high_exponent > least * (1 + Fraction(1, 1 << 92)):
        raise ArithmeticError(f"the enclosure of exp({x}) is too wide")
    return low, low_exponent


def exp_near(x: Floats) -> Floats:
    """Return y with |y - exp(x)| <= RELATIVE exp(x) + ABSOLUTE, entry by entry (the theorem of this module).

    x: float64 array of any shape, entries <= 0, -inf allowed. Raises ValueError for a positive entry or NaN.
    """
    if x.size and not x.max() <= 0:
        raise ValueError(f"arguments must be <= 0, got {x.max()}")
    flat = np.ascontiguousarray(x, dtype=np.float64).reshape(-1)
    result = np.empty_like(flat)
    loops = backend.compiled(flat.size)
    (_loop if loops is None else loops.exp_near)(flat, table(), result)
    return result.reshape(x.shape)


def _loop(flat: Floats, powers: Floats, result: Floats) -> None:
    """result := the exponential of x, both of one axis; the loop of numpy."""
    size = min(_BLOCK, flat.size)
    r_all, z_all, k_all = np.empty(size), np.empty(size), np.empty(size, dtype=np.intp)
    for start in range(0, flat.size, _BLOCK):
        y = result[start : start + _BLOCK]
        r, z, k = r_all[: y.size], z_all[: y.size], k_all[: y.size]
        np.maximum(flat[start : start + _BLOCK], LEAST, out=r)
        np.multiply(r, -STEPS, out=z)
        np.rint(z, out=z)
        np.copyto(k, z, casting="unsafe")
        z *= 1 / STEPS
        r += z
        np.multiply(r, COEFFICIENTS[0], out=z)
        for coefficient in COEFFICIENTS[1:-1]:
            z += coefficient
            z *= r
        z += COEFFICIENTS[-1]
        z *= r
        np.take(powers, k, out=y, mode="clip")  # 0 <= k < size of the table
        z *= y
        y += z


def exp_bounds(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return (a, b) with 0 <= a <= exp(low) and exp(high) <= b <= 1, entry by entry.

    low <= high <= 0: float64 arrays of one shape, which may be one array; exp(-inf) is [0, 0].
    """
    lower = exp_near(low)
    upper = lower.copy() if high is low else exp_near(high)
    # By the theorem exp(x) >= (y - ABSOLUTE) / (1 + 4u), and a := fl(y (1 - 6u)) <= y (1 - 4.99 u) + 2^-1075.
    # If a >= 2^-1008, then y (1 - 4u) - a > 0.9 u y > 2^-1062 > ABSOLUTE. Otherwise half an ulp of a is <= 2^-1062,
    # and fl(a - 2^-1060) <= a - 2^-1061.
    lower *= _LOWER
    lower -= _EXTRA
    np.maximum(lower, 0, out=lower)
    # Likewise exp(x) <= (y + ABSOLUTE) / (1 - 4u), and fl(y (1 + 6u)) >= y (1 + 4.99 u) - 2^-1075.
    upper *= _UPPER
    upper += _EXTRA
    np.minimum(upper, 1, out=upper)
    if high.size and high.min() == -np.inf:
        upper[np.isneginf(high)] = 0
    return lower, upper
