"""The total variation between softmax weights and hard weights when scores are perturbed: A8, with A6 as k = 1.

With x = (n - k) exp(-gamma/tau) and R = 1 + r = exp(2 eta/tau), the bound of A8 is the maximum over a = 0..k of
    P R/(1 + P (R - 1)) - a/k,  P = (a + x)/(k + x),
which is (k - a) y/(k (k + y)) with y = x + (a + x) r: there is no cancellation, and it increases in x and r. For k = 1
it is x R/(1 + x R), the bound of A6, here without its hypothesis eta < gamma/2; for k = n (x = 0) it is that of
perturbed equal scores, at most tanh(eta/(2 tau)) (A5).

Where it is known that the r-th nearest rival is at least D_r below the maximum, Z' <= sum of exp(-D_r/tau) = z, and
    TV <= z/(k + z) + tanh(eta/(2 tau))       by A1.exact, A5.bound and the triangle inequality;
    TV <= R z/(1 + R z)                       for k = 1 and 2 eta < gamma: A1.exact for the perturbed scores, whose
                                              maximum is the same position and whose distances are D_r - 2 eta at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from checker.ball import Ball, ball, exp_ball, working
from checker.general.upward import above

PRECISION = 96
_MOST = 10**4  # beyond exp(10^4), R is of no use


def weight_error(
    counts: Iterable[tuple[int, int]],
    gap: Fraction | None,
    eta: Fraction,
    tau: Fraction,
    distances: Mapping[int, Sequence[Fraction]] | None = None,
) -> Fraction:
    """An upper bound of TV(softmax(s'), average-hard(s)) for all s with these numbers, gap >= `gap`, |s' - s| <= eta.

    counts: the pairs (n, k) of visible and maximal positions that occur. gap: None if n = k in all of them.
    distances: for every k, the numbers D_1 <= D_2 <= .. of the module. eta >= 0, tau > 0. Between 0 and 1; exactly 0
    when all scores are equal and eta = 0.
    """
    longest: dict[int, int] = {}
    for visible, chosen in counts:
        # A8 increases in n at fixed k, since x does.
        longest[chosen] = max(visible, longest.get(chosen, 0))
    if eta == 0:
        longest = {k: n for k, n in longest.items() if k < n}
    else:
        longest = {k: n for k, n in longest.items() if n > 1}  # one position has weight 1 in any case
    if not longest:
        return Fraction(0)
    if gap is None and any(k < n for k, n in longest.items()):
        raise ValueError("a row with a rival has a gap")
    if 2 * eta > _MOST * tau:
        return Fraction(1)  # TV <= 1
    worst = Fraction(0)
    with working(PRECISION):
        r = (2 * ball(eta) / ball(tau)).expm1()
        q = ball(0) if gap is None else exp_ball(-gap / tau, PRECISION)
        for k, n in longest.items():
            bounds = [max(_upper(_row(k, (n - k) * q, r, a)) for a in range(k))]
            if distances is not None:
                tieless = k == 1 and gap is not None and 2 * eta < gap
                bounds.append(_upper(_by_distances(k, distances[k], eta, tau, r, tieless)))
            worst = max(worst, min(bounds))
    return min(Fraction(1), worst)


def _upper(b: Ball) -> Fraction:
    bound = above(b)
    return Fraction(1) if bound is None else bound  # TV <= 1


def _row(k: int, x: Ball, r: Ball, a: int) -> Ball:
    """The term of a in the maximum of A8; that of a = k is 0."""
    y = x + (a + x) * r
    return (k - a) * y / (k * (k + y))


def _by_distances(k: int, distances: Sequence[Fraction], eta: Fraction, tau: Fraction, r: Ball, tieless: bool) -> Ball:
    z = ball(0)
    for distance in distances:
        z += exp_ball(-distance / tau, PRECISION)
    if tieless:
        z *= 1 + r
        return z / (1 + z)
    return z / (k + z) + (ball(eta) / ball(2 * tau)).tanh()
