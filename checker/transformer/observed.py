"""Exact runs of a range of words with everything that is measured of them: gaps, scores, values, residual streams.

Where every activation depends on a prefix only (or everyone on a suffix only), all arrays have one row for every
distinct prefix and one column, instead of one row for every word and one column for every position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from checker.logic.semantics import words_block
from checker.transformer.batchhead import BatchHead, Stream, average, choose_batch, form, maximal_keys, wide
from checker.transformer.exactarray import ExactArray, bilinear
from checker.transformer.hardbatch import GapTable, HardBatch, Observer, batch_layers, hard_batch, run_hard_batch
from checker.transformer.model import Head, Transformer
from checker.transformer.prefix import embed
from checker.transformer.prefixhead import HardRun
from checker.transformer.prefixplan import Plan
from checker.transformer.ranges import blocks, check_range, plan_of
from checker.transformer.sharing import Block, Kind, join


def observe_hard_range(
    model: Transformer, n: int, start: int, stop: int, observe: Observer | None = None, *, gaps: bool = True
) -> HardBatch:
    """The exact hard run of words number start..stop - 1 of length n >= 1, as `run_hard_batch` makes it, with the gaps.

    observe: called with the index, from 0, of the first word of a block, the embedded stream and the layers. Their
    arrays have one row and column for every word and position, or one row for every cell, and one column; queries of a
    head then come first with their own visible keys, `seen` of shape (cells, 1, keys). InputError as `run_hard_range`.
    """
    check_range(model, n, start, stop)
    plan = plan_of(model)
    kind = join(Kind.POSITION, *(kind for kinds in plan.kinds for kind in kinds.values()))
    kind = join(kind, *(kind for layer in plan.heads for head in layer for kind in head))
    if kind not in (Kind.LOCAL, Kind.PREFIX, Kind.SUFFIX):
        return run_hard_batch(model, words_block(len(model.alphabet), n, start, stop), gaps=gaps, observe=observe)
    kind = Kind.PREFIX if kind is Kind.LOCAL else kind
    whole = replace(plan, whole_begin=True, whole_end=True)
    table, logits = GapTable(model, n), []
    for block in blocks(whole, n, start, stop):
        embedded, layers = _embed(whole, block, kind), []
        stream, cells, first = embedded, block.cells(kind), block.start - start
        for number, layer in enumerate(batch_layers(model, embedded, _Cells(block, kind).head)):
            stream = layer.stream
            if gaps:
                table.add_cells(number, layer.heads, first, cells)
            if observe is not None:
                layers.append(layer)
        if observe is not None:
            observe(first, embedded, layers)
        logit = form(model.output.weights, stream, model.output.bias)
        numerators = np.broadcast_to(logit.numerators, (len(cells.word), 1))
        columns = slice(block.first, block.first + n)
        logits.append(ExactArray(numerators[cells.index[:, columns], 0], logit.denominator))
    return hard_batch(model, n, logits, table.result() if gaps else ())


def _embed(plan: Plan, block: Block, kind: Kind) -> Stream:
    """The embedded stream with one row for every cell, except for what is constant."""
    run = HardRun(plan, block)
    stream = {d: run.spread(x, kind) for d, x in embed(run).items()}
    return {d: x for d, x in stream.items() if isinstance(x, ExactArray)}


class _Cells:
    """Heads on arrays with one row for every cell."""

    def __init__(self, block: Block, kind: Kind) -> None:
        self._block, self._kind, self._seen, self._size = block, kind, block.seen(kind), block.size

    def head(self, head: Head, stream: Mapping[str, ExactArray]) -> BatchHead:
        """Scores, choices and output of one head."""
        seen = self._block.visible(head.mask, self._kind)
        rows = [
            (form(query, stream), self._along(form(key, stream)))
            for query, key in zip(head.query, head.key, strict=True)
        ]
        scores = bilinear(rows) if rows else ExactArray(np.zeros((1, 1, self._size), dtype=np.int64))
        maximal = maximal_keys(scores, seen)
        chosen = choose_batch(maximal, head.ties)
        values = {direction: self._along(form(weights, stream)) for direction, weights in head.value.items()}
        return BatchHead(head.name, scores, seen, maximal, chosen, average(chosen, values, self._size))

    def _along(self, x: ExactArray) -> ExactArray:
        """At all cells of the word of every cell, shape (cells or 1, P)."""
        return x.repeated((self._seen, 0)) if len(x.numerators) > 1 else wide(x, self._size)
