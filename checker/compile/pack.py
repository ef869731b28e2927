"""Packs heads and feed-forward units into layers: what is ready at the same time is side by side."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from checker.compile.clean import Units, clean, conjunction, masked, sign
from checker.compile.names import Names
from checker.compile.plan import Attention, Pattern, Plan
from checker.logic.normal import Normal, Op
from checker.transformer.model import FeedForward, Head, Layer, Unit


@dataclass
class _Part:
    hidden: list[Unit] = field(default_factory=list)
    output: dict[str, dict[int, Fraction]] = field(default_factory=dict)

    def add(self, direction: str, units: Units) -> None:
        first = len(self.hidden)
        self.hidden.extend(units[0])
        self.output[direction] = {first + place: c for place, c in enumerate(units[1])}


def pack(plan: Plan, heads: dict[Attention, Head], names: Names, threshold: Fraction) -> tuple[Layer, ...]:
    """The layers; the one without heads comes first and is left out if it is empty."""
    parts: list[list[_Part]] = [[] for _ in range(plan.depth + 1)]

    def add(layer: int, stage: int, direction: str, units: Units) -> None:
        while len(parts[layer]) < stage:
            parts[layer].append(_Part())
        parts[layer][stage - 1].add(direction, units)

    for item, (layer, stage) in plan.when.items():
        if not isinstance(item, Normal) or item not in names.bit:
            continue
        bit = names.bit[item]
        if item.op is Op.ALL:
            add(layer, stage, bit, conjunction(item, names))
        elif item.op is Op.AT_LEAST and not plan.signs_by_head:
            add(layer, stage - 1, names.raw[item], sign(item, names, threshold))
            add(layer, stage, bit, masked(names.raw[item]))
        elif item in names.raw:
            add(layer, stage, bit, clean(names.raw[item], threshold))

    by_layer: list[list[Head]] = [[] for _ in parts]
    for attention, head in heads.items():
        by_layer[attention.layer].append(head)
    layers = [
        Layer(tuple(side), tuple(FeedForward(tuple(p.hidden), p.output, {}) for p in stages))
        for side, stages in zip(by_layer, parts, strict=True)
    ]
    return tuple(layers if layers[0].feed_forward else layers[1:])


def uses_end(plan: Plan) -> bool:
    """Whether some head attends to the end marker as such."""
    return any(attention.pattern is Pattern.SIGN for attention in plan.heads)
