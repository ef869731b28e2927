"""Real numbers that are exact fractions as long as possible and Arb balls otherwise, and softmax over them.

All functions compute at the working precision, so call them inside `checker.ball.working`. Each returns a number
that contains the exact result for every choice of points of its arguments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from checker.ball import Ball, ball, exp_ball
from checker.transformer.model import Vector
from checker.verdict import Verdict

Number = Fraction | Ball
"""A real number: exact, or enclosed by a ball."""


def linear(form: Vector | Sequence[tuple[str, int]], x: Mapping[str, Number]) -> Number:
    """Return form . x, exactly when every coordinate that matters is exact."""
    terms = form.items() if isinstance(form, Mapping) else form
    exact, inexact = Fraction(0), None
    for d, c in terms:
        value = x.get(d)
        if value is None or not c:
            continue
        if isinstance(value, Fraction):
            exact += c * value
        else:
            term = ball(c) * value
            inexact = term if inexact is None else inexact + term
    return exact if inexact is None else inexact + ball(exact)


def softmax(scores: Sequence[Number], tau: Fraction, precision: int) -> list[Number]:
    """Return the softmax weights of scores at temperature tau > 0; exactly 1/k each when k exact scores are equal.

    precision: the working precision.
    """
    exact = [s for s in scores if isinstance(s, Fraction)]
    if len(scores) == 1 or (len(exact) == len(scores) and len(set(exact)) == 1):
        return [Fraction(1, len(scores))] * len(scores)
    if len(exact) == len(scores):
        top, counts = max(exact), Counter(exact)
        powers = {s: exp_ball((s - top) / tau, precision) for s in counts}
        total = sum((power * counts[s] for s, power in powers.items()), Ball(0))
        distinct = {s: power / total for s, power in powers.items()}
        return [distinct[s] for s in exact]
    balls = [ball(s) if isinstance(s, Fraction) else s for s in scores]
    # The weights are those of the scores minus any common real number.
    shift = max(balls, key=lambda s: float(s.mid())).mid()
    exponentials = [((s - shift) / ball(tau)).exp() for s in balls]
    total = sum(exponentials, Ball(0))
    return [power / total for power in exponentials]


def total_variation(weights: Sequence[Number], chosen: Sequence[int]) -> Number:
    """Return the total variation between softmax weights and the hard weights 1/k on the k indices `chosen`.

    With p, a the two distributions, TV = sum of (p_j - a_j)^+: no cancellation off the chosen indices; on them the term
    is 0 when k = 1, and for k > 1 when the chosen weights are equal numbers (then each is <= 1/k).
    """
    k, others = len(chosen), set(range(len(weights))).difference(chosen)
    result: Number = Fraction(0)
    for j in sorted(others):
        result = add(result, weights[j])
    if k > 1 and any(weights[j] is not weights[chosen[0]] for j in chosen):
        for j in chosen:
            excess = add(weights[j], Fraction(-1, k))
            result = add(result, max(excess, Fraction(0)) if isinstance(excess, Fraction) else excess.max(Ball(0)))
    return result


def combine(weights: Sequence[Number], values: Sequence[Number]) -> Number:
    """Return the sum of weights times values: 0 of nothing, else a convex combination and so within their range."""
    if not values:
        return Fraction(0)
    exact = [v for v in values if isinstance(v, Fraction)]
    if len(exact) == len(values) and len(set(exact)) == 1:
        return exact[0]
    result: Number = Fraction(0)
    for weight, value in zip(weights, values, strict=True):
        if value != 0 or not isinstance(value, Fraction):
            result = add(result, times(weight, value))
    if isinstance(result, Fraction):
        return result
    balls = [ball(v) if isinstance(v, Fraction) else v for v in values]
    low, high = balls[0].lower(), balls[0].upper()
    for v in balls[1:]:
        low, high = low.min(v.lower()), high.max(v.upper())
    if not result.is_finite():
        return low.union(high)
    # min of the values <= sum of weights times values <= max of the values.
    return result if low <= result <= high else result.max(low).min(high)


def dot(query: Sequence[Number], key: Sequence[Number]) -> Number:
    """Return the inner product of two equally long sequences."""
    result: Number = Fraction(0)
    for q, k in zip(query, key, strict=True):
        result = add(result, times(q, k))
    return result


def add(x: Number, y: Number) -> Number:
    """Return x + y."""
    if isinstance(x, Fraction):
        return x + y if isinstance(y, Fraction) else (ball(x) + y if x else y)
    return x + ball(y) if isinstance(y, Fraction) else x + y


def times(x: Number, y: Number) -> Number:
    """Return x y; exactly 0 when a factor is."""
    if isinstance(x, Fraction):
        return x * y if isinstance(y, Fraction) else (ball(x) * y if x else x)
    return (x * ball(y) if y else y) if isinstance(y, Fraction) else x * y


def positive(x: Number) -> Verdict:
    """Whether x > 0."""
    if isinstance(x, Fraction):
        return Verdict.HOLDS if x > 0 else Verdict.FAILS
    # Arb's comparisons are True only when they hold for all points of the ball.
    if x > 0:
        return Verdict.HOLDS
    return Verdict.FAILS if x <= 0 else Verdict.UNDECIDED
