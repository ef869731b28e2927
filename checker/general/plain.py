"""The recurrences of E1 and E5 as they are stated: one number of each kind for the whole transformer.

Besides what a run shows (B, gamma, mu), they take norms of the weights alone: w, v, H, K. So they also serve for
lengths that nobody can enumerate, with declared B, gamma and mu. With q = exp(-gamma/tau), eta = w(2 B delta + delta^2)
    E1   delta' = K(delta + H v(delta + B rho)),  rho = 2 tanh(eta/(2 tau)) + 2(N-1)q/(1+(N-1)q)
    E5   the same with rho = 2(N-1)q'/(1+(N-1)q'), q' = exp(-(gamma - 2 eta)/tau), as long as 2 eta < gamma
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from checker.attention import Tie
from checker.ball import Ball, ball, exp_ball, working
from checker.errors import InputError
from checker.exact import show
from checker.general.gaps import Measured
from checker.general.recurrence import Ledger
from checker.general.upward import above, up
from checker.general.window import PRECISION
from checker.transformer.model import FeedForward, Head, Transformer, Vector
from checker.transformer.piecewise import decompose

_MOST = 10**6


@dataclass(frozen=True)
class Constants:
    """What E1, E2 and E5 take: layers L, heads H (most in a layer), value v (norm of the value maps), score w (sum of
    |entries| of W_Q^T W_K, most), lipschitz K (of the feed-forward parts with residual, most in a layer), positions N,
    bound B, gap gamma (None: no head ever has a rival), margin mu, output (norm of the output weights)."""

    layers: int
    heads: int
    value: Fraction
    score: Fraction
    lipschitz: Fraction
    positions: int
    bound: Fraction
    gap: Fraction | None
    margin: Fraction
    output: Fraction

    @property
    def a0(self) -> Fraction:
        """A0 = K(1 + H v)."""
        return self.lipschitz * (1 + self.heads * self.value)

    @property
    def d0(self) -> Fraction:
        """D0 = 3 K H v w B^2."""
        return 3 * self.lipschitz * self.heads * self.value * self.score * self.bound**2

    @property
    def c0(self) -> Fraction:
        """c0 = 2 K H v B."""
        return 2 * self.lipschitz * self.heads * self.value * self.bound


def constants(model: Transformer, n: int, bound: Fraction, gap: Fraction | None, margin: Fraction) -> Constants:
    """The constants of a model for words of length n >= 1; bound >= 0, gap > 0 or None, margin >= 0.

    Raises InputError for other numbers: nothing can be said without a gap.
    """
    if n < 1 or bound < 0 or margin < 0 or (gap is not None and gap <= 0):
        told = "none" if gap is None else show(gap)
        raise InputError(
            f"n >= 1, a bound >= 0, a gap > 0 and a margin >= 0 are needed; at n = {show(n)} they are "
            f"{show(bound)}, {told} and {show(margin)}"
        )
    heads = [head for layer in model.layers for head in layer.heads]
    size = len(model.directions)
    return Constants(
        layers=len(model.layers),
        heads=max((len(layer.heads) for layer in model.layers), default=0),
        value=max((_norm(form) for head in heads for form in head.value.values()), default=Fraction(0)),
        score=max((score_norm(head) for head in heads), default=Fraction(0)),
        lipschitz=max((lipschitz(layer.feed_forward, size) for layer in model.layers), default=Fraction(1)),
        positions=len(model.positions(n)),
        bound=bound,
        gap=gap,
        margin=margin,
        output=_norm(model.output.weights),
    )


def measured_constants(measured: Measured) -> Constants:
    """The constants of the words that were measured."""
    return constants(measured.model, measured.n, measured.bound, measured.gap, measured.margin)


def score_norm(head: Head) -> Fraction:
    """The sum of |entries| of W_Q^T W_K."""
    entries: dict[tuple[str, str], Fraction] = {}
    for query, key in zip(head.query, head.key, strict=True):
        for d, a in query.items():
            for e, b in key.items():
                entries[d, e] = entries.get((d, e), Fraction(0)) + a * b
    return sum((abs(entry) for entry in entries.values()), Fraction(0))


def lipschitz(parts: tuple[FeedForward, ...], directions: int) -> Fraction:
    """A Lipschitz constant, in the infinity norm, of feed-forward parts one after the other, residuals included."""
    result = Fraction(1)
    for part in parts:
        found = decompose(part)
        rows = {d: Fraction(d not in found.absorbed) for d in found.written}
        for one in found.parts:
            size = sum(abs(c) for _, c in one.form)
            for d, function in one.functions.items():
                # |f(w . x) - f(w . y)| <= largest |slope| * sum of |w| * largest |x - y|
                rows[d] += max(abs(slope) for slope in function.slopes) * size
        untouched = Fraction(len(rows) < directions)
        result *= max([untouched, *rows.values()])
    return result


def tieless(measured: Measured) -> bool:
    """Whether E5 applies: every head has one maximal score wherever there is a rival, or scores that are always 0."""
    pairs = [
        (head, found)
        for layer, facts in zip(measured.model.layers, measured.layers, strict=True)
        for head, found in zip(layer.heads, facts.heads, strict=True)
    ]
    return all(
        (score_norm(head) == 0 and head.ties is Tie.AVERAGE) or (found.tied == 0 and found.kind == "tieless")
        for head, found in pairs
    )


def plain(numbers: Constants, tau: Fraction) -> Ledger:
    """The recurrence of E1, layer after layer, at the temperature tau > 0."""
    return _iterate(numbers, tau, "plain")


def plain_tieless(numbers: Constants, tau: Fraction) -> Ledger:
    """The recurrence of E5; where 2 eta reaches gamma, with rho = 2 instead."""
    return _iterate(numbers, tau, "tieless")


def _iterate(numbers: Constants, tau: Fraction, mode: str) -> Ledger:
    delta = [Fraction(0)]
    spread = numbers.heads * numbers.value
    for _ in range(numbers.layers):
        old = delta[-1]
        eta = numbers.score * (2 * numbers.bound * old + old**2)
        rho = _rho(numbers, eta, tau) if mode == "plain" else _rho_tieless(numbers, eta, tau)
        # E1.layer, E5.layer
        delta.append(up(numbers.lipschitz * (old + spread * (old + numbers.bound * rho))))
    return Ledger(mode, tau, tuple(delta), up(numbers.output * delta[-1]))


def _rho(numbers: Constants, eta: Fraction, tau: Fraction) -> Fraction:
    """2 tanh(eta/(2 tau)) + 2(N-1)q/(1+(N-1)q), or 2 if that is less: the L1 distance of two distributions."""
    if eta > _MOST * tau:
        return Fraction(2)
    with working(PRECISION):
        change = 2 * (ball(eta) / ball(2 * tau)).tanh() if eta else ball(0)
        return _at_most_two(change + _gap_term(numbers, numbers.gap, tau))


def _rho_tieless(numbers: Constants, eta: Fraction, tau: Fraction) -> Fraction:
    if numbers.gap is not None and 2 * eta >= numbers.gap:
        return Fraction(2)
    with working(PRECISION):
        return _at_most_two(_gap_term(numbers, None if numbers.gap is None else numbers.gap - 2 * eta, tau))


def _gap_term(numbers: Constants, gap: Fraction | None, tau: Fraction) -> Ball:
    if gap is None or numbers.positions == 1:
        return ball(0)
    x = (numbers.positions - 1) * exp_ball(-gap / tau, PRECISION)
    return 2 * x / (1 + x)


def _at_most_two(b: Ball) -> Fraction:
    bound = above(b)
    return Fraction(2) if bound is None else min(bound, Fraction(2))


def _norm(form: Vector) -> Fraction:
    return sum((abs(c) for c in form.values()), Fraction(0))
