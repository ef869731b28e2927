"""What is computed where: the layer and the stage of every subformula and count, and the heads that are needed.

Subformulas that occur several times are computed once, since equal nodes of the normal form are one object. Heads with
the same attention (mask, query and key) in the same layer are one head that writes several directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from checker.logic.formula import Side
from checker.logic.normal import Normal, Op, postorder


class Time(NamedTuple):
    """When a value is there: after the heads (stage 0) or feed-forward part `stage` of a layer.

    Layer 0 has no heads; its stage 0 is the embedding.
    """

    layer: int
    stage: int


@dataclass(frozen=True)
class Share:
    """The count of `part` on a side, divided by the number of positions there, markers included."""

    side: Side
    part: Normal


@dataclass(frozen=True)
class Total:
    """The count of `part` on a side."""

    side: Side
    part: Normal


Item: TypeAlias = Normal | Share | Total


class Pattern(Enum):
    """The attention patterns, by what they select."""

    YESTERDAY = "Y"  # the position before (D2)
    NEXT = "X"  # the position after (D2)
    SINCE = "S"  # the last position up to here where `subject` fails (D3)
    UNTIL = "U"  # the first position from here on where `subject` fails (D3)
    COUNT = "count"  # all positions of a side alike (D4)
    LOOKUP = "lookup"  # the position j that is the count of `subject` on a side (D4)
    SIGN = "sign"  # the end marker iff the linear combination of `subject` is >= 0 (D4)


@dataclass(frozen=True)
class Attention:
    """What a head attends to, and in which layer."""

    layer: int
    pattern: Pattern
    side: Side | None = None
    subject: Normal | None = None


_READS = {
    Op.YESTERDAY: Pattern.YESTERDAY,
    Op.NEXT: Pattern.NEXT,
    Op.SINCE: Pattern.SINCE,
    Op.UNTIL: Pattern.UNTIL,
}


@dataclass(frozen=True)
class Plan:
    """The result: `when` lists every item after what it needs; `heads` what each head reads, layer by layer."""

    root: Normal
    signs_by_head: bool
    when: dict[Item, Time]
    heads: dict[Attention, list[Item]]

    @property
    def depth(self) -> int:
        """The number of layers that have heads."""
        return max((attention.layer for attention in self.heads), default=0)

    @property
    def has_lookup(self) -> bool:
        """Whether a count is read by table lookup."""
        return any(attention.pattern is Pattern.LOOKUP for attention in self.heads)


def plan(root: Normal, signs_by_head: bool) -> Plan:
    """Plan the computation of a formula in normal form.

    signs_by_head: comparisons of counts are decided by a head (bounded embeddings), else by the feed-forward part.
    """
    when: dict[Item, Time] = {}
    heads: dict[Attention, list[Item]] = {}

    def read(attention: Attention, item: Item, stage: int) -> None:
        heads.setdefault(attention, []).append(item)
        when[item] = Time(attention.layer, stage)

    def share(side: Side, part: Normal) -> int:
        item = Share(side, part)
        if item not in when:
            read(Attention(when[part].layer + 1, Pattern.COUNT, side), item, 0)
        return when[item].layer

    for node in postorder(root):
        ready = max((when[part] for part in node.parts), default=Time(0, 0))
        if node.op in _READS:
            left = node.parts[0] if node.op in (Op.SINCE, Op.UNTIL) else None
            read(Attention(ready.layer + 1, _READS[node.op], subject=left), node, 1)
        elif node.op is Op.ALL:
            when[node] = Time(ready.layer, ready.stage + 1)
        elif node.op is Op.REMAINDER:
            side, part = node.data[0], node.parts[0]
            read(Attention(share(side, part) + 1, Pattern.LOOKUP, side, part), node, 1)
        elif node.op is Op.AT_LEAST:
            for total in totals(node):
                if total not in when:
                    layer = share(total.side, total.part) + 1
                    read(Attention(layer, Pattern.LOOKUP, total.side, total.part), total, 0)
            last = max(when[total].layer for total in totals(node))
            if signs_by_head:
                read(Attention(last + 1, Pattern.SIGN, subject=node), node, 1)
            else:
                when[node] = Time(last, 2)
        else:  # a symbol, a numerical predicate, true, or a negation, which is free
            when[node] = ready
    return Plan(root, signs_by_head, when, dict(sorted(heads.items(), key=lambda entry: entry[0].layer)))


def totals(node: Normal) -> list[Total]:
    """The counts of an AT_LEAST node, in the order of its coefficients."""
    return [Total(side, part) for (_, side), part in zip(node.data[0], node.parts, strict=True)]
