"""One specification for hard- and softmax-attention transformers: named directions and exact rational weights.

A word w_1 .. w_n (n >= 1) is read at positions 1..n, preceded by a begin marker at position 0 and followed by an end
marker at n + 1 where the model has them. The residual stream at position i starts as the embedding of the symbol plus
the positional embedding at (i, n). A layer adds what its heads read, then each of its feed-forward parts in turn adds
its output. Scores are (W_Q x_i) . (W_K x_j), with no other scaling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from checker.attention import Mask, Tie
from checker.position import Expression

Vector = Mapping[str, Fraction]
"""A sparse vector over named directions: directions that are left out carry 0."""


@dataclass(frozen=True)
class Head:
    """One attention head.

    query, key: the rows of W_Q and W_K (equally many), each a linear form over the residual stream.
    value: W_O W_V, as the linear form that is written to each direction. ties: the hard choice among maximal scores.
    An empty set of visible positions writes 0.
    """

    name: str
    query: tuple[Vector, ...]
    key: tuple[Vector, ...]
    value: Mapping[str, Vector]
    mask: Mask
    ties: Tie


@dataclass(frozen=True)
class Unit:
    """One hidden unit: ReLU(weights . x + bias)."""

    weights: Vector
    bias: Fraction


@dataclass(frozen=True)
class FeedForward:
    """W_2 ReLU(W_1 x + b_1) + b_2: hidden units, the combination of units written to each direction, and b_2."""

    hidden: tuple[Unit, ...]
    output: Mapping[str, Mapping[int, Fraction]]  # direction -> {number of the unit, from 0: coefficient}
    bias: Vector


@dataclass(frozen=True)
class Layer:
    """Heads side by side (perhaps none), then feed-forward parts one after the other (perhaps none)."""

    heads: tuple[Head, ...]
    feed_forward: tuple[FeedForward, ...]


@dataclass(frozen=True)
class Output:
    """The logit weights . x + bias; a word is accepted iff the logit at `position` ("first" or "last") is > 0."""

    weights: Vector
    bias: Fraction
    position: str


@dataclass(frozen=True)
class Transformer:
    """A transformer; see the module. `temperature` is an expression in n (None: hard attention only).

    begin, end: embeddings of the markers (None: no such position). origin: where the model comes from, as
    JSON-like data that no run and no certificate relies on.
    """

    name: str
    alphabet: tuple[str, ...]
    directions: tuple[str, ...]
    embedding: Mapping[str, Vector]
    begin: Vector | None
    end: Vector | None
    positional: Mapping[str, Expression]
    layers: tuple[Layer, ...]
    output: Output
    temperature: Expression | None = None
    origin: Mapping[str, object] = field(default_factory=dict)

    def positions(self, n: int) -> range:
        """The positions that a word of length n occupies, with those of the markers."""
        return range(0 if self.begin is not None else 1, n + 1 + (self.end is not None))
