"""Unique-hard attention with ties, as average-hard attention without: E3, written out for words of one length.

A head that takes the leftmost of several maximal scores takes the only maximal one after step * j is subtracted from
the score of position j, 0 < step < gamma/(m - 1), where m positions are visible at most; the new gap is then at least
min(step, gamma - step (m - 1)), and step = gamma/m is best (E3.leftmost, E3.best). Rightmost: step * j is added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from checker import position
from checker.attention import Tie
from checker.general.gaps import HeadFacts, Measured
from checker.transformer.model import Head, Layer, Transformer


@dataclass(frozen=True)
class Broken:
    """A head whose ties were broken: step per position (None: it never ties at this length), gap the head has now
    (at least; None: it never has a rival)."""

    layer: int
    head: int
    name: str
    ties: Tie
    step: Fraction | None
    gap: Fraction | None


@dataclass(frozen=True)
class TieFree:
    """A transformer of average-hard heads that chooses, on all words of length n, as the given one does."""

    model: Transformer
    n: int
    heads: tuple[Broken, ...]


def has_ties(measured: Measured) -> bool:
    """Whether some leftmost- or rightmost-hard head met several maximal scores."""
    return any(
        head.ties is not Tie.AVERAGE and found.tied > 0
        for layer, facts in zip(measured.model.layers, measured.layers, strict=True)
        for head, found in zip(layer.heads, facts.heads, strict=True)
    )


def break_ties(measured: Measured) -> TieFree:
    """Every unique-hard head made average-hard, by a row of W_Q and W_K if it ties; for words of the length measured.

    Two directions are added: one that carries 1, one that carries j/N at position j, N the number of positions. The
    margin and the bound of the residual stream (if it was at least 1) stay what they were.
    """
    model, n = measured.model, measured.n
    size = len(model.positions(n))
    one, place = _fresh("one", model.directions), _fresh("place", model.directions)
    layers, broken = [], []
    for number, (layer, facts) in enumerate(zip(model.layers, measured.layers, strict=True)):
        heads = []
        for index, (head, found) in enumerate(zip(layer.heads, facts.heads, strict=True)):
            if head.ties is Tie.AVERAGE:
                heads.append(head)
                continue
            step, gap = step_of(found, measured.gap)
            sign = -1 if head.ties is Tie.LEFTMOST else 1
            heads.append(_shifted(head, one, place, None if step is None else sign * step * size))
            broken.append(Broken(number, index, head.name, head.ties, step, gap))
        layers.append(Layer(tuple(heads), layer.feed_forward))
    tables = {
        one: position.number(1),
        place: position.div(position.variable("i"), position.number(size)),
    }
    result = replace(
        model,
        name=f"{model.name}, ties broken for n = {n}",
        directions=(*model.directions, one, place),
        positional={**model.positional, **tables},
        layers=tuple(layers),
        temperature=None,
        origin={"ties of": model.name, "n": n},
    )
    return TieFree(result, n, tuple(broken))


def step_of(facts: HeadFacts, least: Fraction | None) -> tuple[Fraction | None, Fraction | None]:
    """(step, the gap that is left) for a head; `least` is the least gap of the model, for heads without a rival."""
    if not facts.tied:
        return None, facts.gap
    longest = max(visible for visible, _ in facts.counts)
    if facts.gap is None:  # all scores are always equal: any step will do, and it becomes the gap
        step = Fraction(1) if least is None else least
        return step, step
    # E3.best: no step guarantees more than gamma/m, and this one guarantees it.
    step = facts.gap / longest
    return step, step


def _shifted(head: Head, one: str, place: str, slope: Fraction | None) -> Head:
    if slope is None:
        return replace(head, ties=Tie.AVERAGE)
    return replace(head, ties=Tie.AVERAGE, query=(*head.query, {one: Fraction(1)}), key=(*head.key, {place: slope}))


def _fresh(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "'"
    return name
