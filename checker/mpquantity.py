"""The quantities of `checker.quantity` once more, with mpmath intervals and straight from the definitions.

p_j = exp(s_j / tau) / sum of exp(s_i / tau), without the shift by the maximum and without formal algebra;
differences p_j - h_j are subtracted as they stand. Where p_j and h_j agree to many bits, about
gap / tau * log2(e) + 2 log2(n) of them, the working precision is raised by that much, at most by MAX_EXTRA bits;
a larger need is met by the positive-part form of the distance, or leaves a wide (still correct) interval.
"""

from fractions import Fraction

from checker import mpinterval as iv
from checker.attention import Row, Tie
from checker.mpinterval import Interval

EXTRA = 32
"""Bits used beyond the precision asked for."""

MAX_EXTRA = 16384
"""Most bits added against the cancellation in p_j - h_j."""


def _precision(row: Row, tau: Fraction, prec: int, cancelling: bool) -> tuple[int, bool]:
    """Return the working precision, and whether it covers the cancellation between p_j and h_j."""
    p = prec + EXTRA + 2 * row.n.bit_length()
    if not cancelling or row.gap is None:
        return p, True
    # On a maximal position |p_j - h_j| >= about exp(-gap / tau) / n^2, and log2(e) < 3/2.
    lost = int(row.gap / tau * Fraction(3, 2)) + 1
    return p + min(lost, MAX_EXTRA), lost <= MAX_EXTRA


def _exponentials(row: Row, tau: Fraction, p: int) -> tuple[list[Interval], Interval]:
    """Return exp(s / tau) for each group, and the sum over all positions."""
    exponentials = [iv.exp_exact(score / tau, p) for score in row.scores]
    total = iv.ZERO
    for exponential, multiplicity in zip(exponentials, row.multiplicities, strict=True):
        total = iv.add(total, _scaled(exponential, multiplicity, p), p)
    return exponentials, total


def _softmax(row: Row, tau: Fraction, p: int) -> list[Interval]:
    exponentials, total = _exponentials(row, tau, p)
    return [iv.divide(exponential, total, p) for exponential in exponentials]


def _scaled(x: Interval, factor: int | Fraction, p: int) -> Interval:
    return x if factor == 1 else iv.mul(x, iv.from_exact(factor, p), p)


def distance(row: Row, soft: Row, tau: Fraction, tie: Tie, factor: Fraction, prec: int) -> Interval:
    """Enclose factor * sum of |p_j - h_j|, p the softmax of `soft`, h the hard attention of `row`."""
    if row.is_empty:
        return iv.ZERO
    p, covered = _precision(row, tau, prec, cancelling=tie is Tie.AVERAGE or row.k == 1)
    if not covered:
        return _positive_parts(row, soft, tau, tie, factor, prec)
    weights = _softmax(soft, tau, p)
    total = iv.ZERO
    for part in row.hard(tie):
        difference = iv.sub(weights[part.group], iv.from_exact(part.weight, p), p)
        total = iv.add(total, _scaled(iv.absolute(difference), part.multiplicity, p), p)
    return _scaled(total, factor, p)


def _positive_parts(row: Row, soft: Row, tau: Fraction, tie: Tie, factor: Fraction, prec: int) -> Interval:
    """Enclose factor * sum of |p_j - h_j| = 2 factor * sum of max(0, p_j - h_j): both vectors sum to 1.

    p_j <= h_j is decided by exp((s_j - top) / tau) <= h_j * total, where the exponential of a maximal score is
    exactly 1 and the total is at least their number: no cancellation, however small the temperature.
    """
    p = prec + EXTRA + 2 * row.n.bit_length()
    shifted = Row(tuple(score - soft.top for score in soft.scores), soft.multiplicities)
    exponentials, total = _exponentials(shifted, tau, p)
    result = iv.ZERO
    for part in row.hard(tie):
        exponential = exponentials[part.group]
        if part.weight:
            numerator, denominator = part.weight.numerator, part.weight.denominator
            left, right = _scaled(exponential, denominator, p), _scaled(total, numerator, p)
            if iv.compare_ends(left.hi, right.lo) <= 0:
                continue
        difference = iv.sub(iv.divide(exponential, total, p), iv.from_exact(part.weight, p), p)
        positive = iv.maximum(difference, iv.ZERO)
        result = iv.add(result, _scaled(positive, part.multiplicity, p), p)
    return _scaled(result, 2 * factor, p)


def between(row_a: Row, row_b: Row, tau: Fraction, prec: int) -> Interval:
    """Enclose half the sum of |a_j - b_j| over the softmax weights of two rows."""
    p, _ = _precision(row_a, tau, prec, cancelling=False)
    total = iv.ZERO
    pairs = zip(_softmax(row_a, tau, p), _softmax(row_b, tau, p), row_a.multiplicities, strict=True)
    for a, b, multiplicity in pairs:
        total = iv.add(total, _scaled(iv.absolute(iv.sub(a, b, p)), multiplicity, p), p)
    return _scaled(total, Fraction(1, 2), p)


def weight(row: Row, tau: Fraction, group: int, prec: int) -> Interval:
    """Enclose the softmax weight of one position of a group."""
    p, _ = _precision(row, tau, prec, cancelling=False)
    return _softmax(row, tau, p)[group]


def max_weight(row: Row, tau: Fraction, prec: int) -> Interval:
    """Enclose the largest softmax weight."""
    p, _ = _precision(row, tau, prec, cancelling=False)
    largest = iv.ZERO
    for w in _softmax(row, tau, p):
        largest = iv.maximum(largest, w)
    return largest


def output(row: Row, tau: Fraction, values: tuple[Fraction, ...], prec: int) -> Interval:
    """Enclose the sum of p_j v_j."""
    p, _ = _precision(row, tau, prec, cancelling=False)
    return _output(row, tau, values, p)


def _output(row: Row, tau: Fraction, values: tuple[Fraction, ...], p: int) -> Interval:
    total = iv.ZERO
    for w, value, multiplicity in zip(_softmax(row, tau, p), values, row.multiplicities, strict=True):
        total = iv.add(total, _scaled(w, value * multiplicity, p), p)
    return total


def value_error(
    row: Row,
    tau: Fraction,
    hard_values: tuple[Fraction, ...],
    soft_values: tuple[Fraction, ...],
    tie: Tie,
    prec: int,
) -> Interval:
    """Enclose |sum p_j v'_j - sum h_j v_j|."""
    p, _ = _precision(row, tau, prec, cancelling=True)
    hard = sum((part.multiplicity * part.weight * hard_values[part.group] for part in row.hard(tie)), Fraction(0))
    return iv.absolute(iv.sub(_output(row, tau, soft_values, p), iv.from_exact(hard, p), p))
