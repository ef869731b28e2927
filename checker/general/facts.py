"""What is known exactly about the hard runs on words of one length: of each head, of each layer, of the whole model.

checker.general.gaps finds it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from checker.transformer.model import Transformer
from checker.transformer.piecewise import Decomposition

Range = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class HeadFacts:
    """One head over all words and queries.

    gap: least distance from the maximal score to the next lower one, over the queries with a rival (None: no query has
    one); word, position: where it is attained first (indices of symbols; position as the model numbers them).
    rivals, tied: queries with a rival, and with several maximal scores. counts: the pairs (visible, chosen) that occur.
    query, key: largest magnitude of each row of W_Q x and W_K x. value: least and largest value written per direction.
    """

    name: str
    gap: Fraction | None
    word: tuple[int, ...] | None
    position: int | None
    rivals: int
    tied: int
    counts: frozenset[tuple[int, int]]
    query: tuple[Fraction, ...]
    key: tuple[Fraction, ...]
    value: Mapping[str, Range]

    @property
    def kind(self) -> str:
        """What the choices are like.

        "unique": one of several maximal scores is chosen somewhere (leftmost or rightmost). Else "uniform": all visible
        scores are equal, always; "tieless": the maximal score is never tied; "average": it is, beside rivals perhaps.
        """
        if self.tied and all(k == 1 for _, k in self.counts):
            return "unique"
        if self.rivals == 0:
            return "uniform"
        return "average" if self.tied else "tieless"


@dataclass(frozen=True)
class Arguments:
    """What a linear form of a feed-forward part takes: its range, and all its values unless they are too many."""

    range: Range
    values: tuple[Fraction, ...] | None


@dataclass(frozen=True)
class LayerFacts:
    """A layer: largest magnitude per direction of the stream that enters it; its heads; per feed-forward part, what
    each linear form of its decomposition takes, and the largest magnitude per direction after the whole layer."""

    entering: Mapping[str, Fraction]
    heads: tuple[HeadFacts, ...]
    parts: tuple[tuple[Decomposition, tuple[Arguments, ...]], ...]
    leaving: Mapping[str, Fraction]


@dataclass(frozen=True)
class Measured:
    """The facts of all words of length n, or of a sample: then `complete` is False and nothing is claimed for others.

    bound: B, the largest magnitude in the residual stream. margin: mu, the least |logit| at the accepting position,
    attained first by margin_word; 0 if a logit is 0 there, as it is for `zeros` words. margin_everywhere: the least
    |logit| at any word position. seed: of the sample.
    """

    model: Transformer = field(repr=False)
    n: int
    words: int
    complete: bool
    layers: tuple[LayerFacts, ...]
    bound: Fraction
    margin: Fraction
    margin_word: tuple[int, ...]
    zeros: int = 0
    margin_everywhere: Fraction = Fraction(0)
    seed: int | None = None

    @property
    def gap(self) -> Fraction | None:
        """The least gap of all heads; None if no head ever has a rival."""
        return min((head.gap for layer in self.layers for head in layer.heads if head.gap is not None), default=None)
