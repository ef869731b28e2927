"""How far the residual stream of a softmax transformer can be from that of the hard one, layer by layer (E1, refined).

The ledger follows an upper bound delta_d of |x'_d - x_d| for every direction d, over all words and positions that the
measured facts are about. Where E1 takes one number for everything, it uses: the error of each query and key row (so
exact rows cost nothing); the numbers n and k of every head (A8 instead of the triangle inequality, A6 being k = 1); the
diameter of each value that is written (A7) instead of 2 B; and the very functions that feed-forward parts apply to the
arguments that occur, so that a clean-up turns a small error into none. With profiles of the heads, also the distances
of all rivals, and the ranges of keys instead of their magnitudes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from checker.attention import Tie
from checker.general.gaps import Arguments, HeadFacts, LayerFacts, Measured
from checker.general.pieces import change
from checker.general.profile import HeadProfile, Profile
from checker.general.upward import up
from checker.general.window import weight_error
from checker.transformer.model import Head, Layer, Transformer
from checker.transformer.piecewise import Decomposition

Errors = Mapping[str, Fraction]
"""Direction -> upper bound of the distance between the soft and the hard run; directions left out are exact."""


@dataclass(frozen=True)
class HeadError:
    """eta bounds the change of every score, tv the distance of the weights; written: by direction, of the output."""

    name: str
    kind: str
    gap: Fraction | None
    eta: Fraction
    tv: Fraction
    written: Errors


@dataclass(frozen=True)
class LayerError:
    """One layer: its heads, and the errors after its heads and after its feed-forward parts."""

    heads: tuple[HeadError, ...]
    attended: Errors
    leaving: Errors

    @property
    def absorbed(self) -> tuple[str, ...]:
        """The directions whose error the feed-forward parts removed completely."""
        return tuple(d for d, error in self.attended.items() if error and not self.leaving.get(d))


@dataclass(frozen=True)
class Ledger:
    """Upper bounds for the softmax run at the temperature tau: delta_0 .. delta_L (largest over directions), and the
    error of the logit. mode: "sharp", "plain" or "tieless"; layers: details (of the sharp one only)."""

    mode: str
    tau: Fraction
    delta: tuple[Fraction, ...]
    logit: Fraction
    layers: tuple[LayerError, ...] = ()


def sharp(measured: Measured, tau: Fraction, profile: Profile | None = None) -> Ledger:
    """The ledger of the words that were measured, at the temperature tau > 0; profile: of the same words, if known."""
    model = measured.model
    profiles: Iterable[Sequence[HeadProfile | None]] = (
        [[None] * len(layer.heads) for layer in model.layers] if profile is None else profile
    )
    errors: dict[str, Fraction] = {}
    layers, delta = [], [Fraction(0)]
    for layer, facts, known in zip(model.layers, measured.layers, profiles, strict=True):
        layers.append(_layer(layer, facts, errors, tau, known))
        errors = dict(layers[-1].leaving)
        delta.append(max(errors.values(), default=Fraction(0)))
    return Ledger("sharp", tau, tuple(delta), logit_error(model, errors), tuple(layers))


def logit_error(model: Transformer, errors: Errors) -> Fraction:
    """The logit w . x + b is off by at most the sum of |w_d| delta_d."""
    return moved(model.output.weights, errors)


def moved(form: Mapping[str, Fraction], errors: Errors) -> Fraction:
    """How far the value of a linear form moves: at most the sum of |coefficient| * error."""
    return up(sum((abs(c) * errors[d] for d, c in form.items() if d in errors), Fraction(0)))


def _layer(
    layer: Layer, facts: LayerFacts, errors: Errors, tau: Fraction, profiles: Sequence[HeadProfile | None]
) -> LayerError:
    heads = tuple(
        head_error(head, found, errors, tau, known)
        for head, found, known in zip(layer.heads, facts.heads, profiles, strict=True)
    )
    attended = residual(errors, (head.written for head in heads))
    leaving: Errors = attended
    for part, arguments in facts.parts:
        leaving = feed_forward(part, arguments, leaving)
    return LayerError(heads, attended, leaving)


def head_error(
    head: Head, facts: HeadFacts, errors: Errors, tau: Fraction, profile: HeadProfile | None = None
) -> HeadError:
    """One head, from the errors of its inputs."""
    eta = score_error(head, facts, errors, profile)
    tv = choice_error(head, facts, eta, tau, profile)
    # E1.window (A7.perturbed): TV * (largest - least value) + the error of the values.
    written = {
        d: up(tv * (facts.value[d][1] - facts.value[d][0]) + moved(form, errors)) for d, form in head.value.items()
    }
    return HeadError(head.name, facts.kind, facts.gap, eta, tv, written)


def score_error(head: Head, facts: HeadFacts, errors: Errors, profile: HeadProfile | None = None) -> Fraction:
    """How far the scores move: E1.product for every row, |q' k' - q k| <= Q dk + K dq + dq dk.

    With the range of the keys, K is half its width: q' k' - q k - dq (its middle) is at most Q dk + K |dq| + dq dk, and
    softmax does not see a number that is the same for all keys.
    """
    eta = Fraction(0)
    for row, (query, key) in enumerate(zip(head.query, head.key, strict=True)):
        dq, dk = moved(query, errors), moved(key, errors)
        width = facts.key[row] if profile is None else (profile.keys[row][1] - profile.keys[row][0]) / 2
        eta += facts.query[row] * dk + width * dq + dq * dk
    return up(eta)


def choice_error(
    head: Head, facts: HeadFacts, eta: Fraction, tau: Fraction, profile: HeadProfile | None = None
) -> Fraction:
    """How far the weights are from the hard choice; 1 for a unique choice among ties, which softmax cannot make."""
    if head.ties is not Tie.AVERAGE and facts.tied:
        return Fraction(1)  # TV <= 1
    return weight_error(facts.counts, facts.gap, eta, tau, None if profile is None else profile.distances)


def residual(errors: Errors, outputs: Iterable[Errors]) -> Errors:
    """The errors of the stream plus the outputs of the heads."""
    result = dict(errors)
    for written in outputs:
        for d, error in written.items():
            result[d] = result.get(d, Fraction(0)) + error
    return {d: up(error) for d, error in result.items() if error}


def feed_forward(part: Decomposition, arguments: Iterable[Arguments], errors: Errors) -> Errors:
    """The errors after a feed-forward part: the residual, plus what its functions do to the errors of their arguments.

    A function that the residual is part of (x_d plus units of x_d alone) stands for both.
    """
    result = {d: error for d, error in errors.items() if d not in part.absorbed}
    for one, taken in zip(part.parts, arguments, strict=True):
        eps = moved({d: Fraction(c) for d, c in one.form}, errors)
        for d, function in one.functions.items():
            result[d] = result.get(d, Fraction(0)) + change(function, taken, eps)
    return {d: up(error) for d, error in result.items() if error}
