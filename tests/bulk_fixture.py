"""Rows of scores for the tests of checker/bulk: random and adversarial ones, and their quantities by Arb."""

from fractions import Fraction

import numpy as np

from checker.ball import Ball, ball, exp_ball, working

BITS = 120


def random_rows(count, n, dtype, seed):
    """Normal scores of widely different scales; a third of the rows has ties, a third masked keys."""
    rng = np.random.default_rng(seed)
    s = (rng.normal(0, 3, (count, n)) * 10.0 ** rng.integers(-3, 3, (count, 1))).astype(dtype)
    s[::3, rng.integers(n)] = s[::3].max(axis=1)
    hidden = rng.random(s.shape) < 0.3
    hidden[:, 0] = False
    hidden[np.arange(count) % 3 != 1] = False
    s[hidden] = -np.inf
    return s


def adversarial_rows(n, dtype):
    """Neighbours, subnormal scores and differences, differences at the ends of the range of exp, huge and lone ones."""
    info = np.finfo(dtype)
    tiny, huge = info.smallest_subnormal, info.max
    one = np.array(1, dtype=dtype)
    below = np.nextafter(one, -one)
    some = [
        [1.0, below],
        [1.0, np.nextafter(one, 2 * one)],
        [tiny, 0.0],
        [3 * tiny, 2 * tiny, -tiny],
        [0.0, -tiny, -info.tiny, -745.0],
        [0.0, -745.13, -745.14, -746.0],
        [0.0, -744.4, -708.4, -708.39],
        [0.0, -1e4, -1e30, -huge],
        [0.0, -0.0, -0.0],
        [huge, 0.0],
        [huge, -huge],
        [huge, np.nextafter(huge, one), -huge],
        [1e30, 1.0, 1e-30],
        [-huge],
        [-1e-30, -np.inf],
        [1 / 64, 0.0, -1 / 64, -3 / 64],
        *([0.0, -k / 32 - 1 / 64, -k / 32] for k in (0, 1, 31, 1000, 23000)),
        [0.0, *[-1.0] * 15],
        [0.0, *[-40.0] * 15],
        [0.5] * 16,
    ]
    rows = np.full((len(some), n), -np.inf, dtype=dtype)
    for row, numbers in zip(rows, some, strict=True):
        row[: len(numbers[:n])] = numbers[:n]
    return rows


def exact(scores):
    """The visible scores of one row as fractions."""
    return [Fraction(float(x)) for x in scores if x != -np.inf]


def truth(scores, tau):
    """(n, k, Z, TV, largest weight) of one row, the last three as balls."""
    numbers = exact(scores)
    top = max(numbers)
    k = numbers.count(top)
    with working(BITS):
        z = Ball(0)
        for x in numbers:
            if x < top:
                z += exp_ball((x - top) / tau, BITS)
        return len(numbers), k, z, z / (k + z), 1 / (k + z)


def truth_of_weights(scores, tau, z, k):
    """The weights of one row as balls, 0 for masked keys."""
    top = max(exact(scores))
    with working(BITS):
        return [ball(0) if x == -np.inf else exp_ball((Fraction(float(x)) - top) / tau, BITS) / (k + z) for x in scores]


def encloses(low, high, number):
    """Whether no point of the ball is proved to lie outside; at most 2^-100 of it may be undecided."""
    with working(BITS):
        return not (Ball(float(low)) > number or Ball(float(high)) < number)
