"""What every activation of a model depends on, found before any word is run: how words can share their work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from checker.transformer.model import Head, Transformer, Vector
from checker.transformer.piecewise import Decomposition
from checker.transformer.sharing import BACKWARD, FORWARD, Kind, join, reach
from checker.transformer.softbatch import Prepared, prepare

Kinds = Mapping[str, Kind]


@dataclass(frozen=True, eq=False)
class Plan:
    """A model made ready. symbols: the kind of every direction of the embedding of symbols and markers.

    parts: the feed-forward parts by layer. kinds: of the residual stream, embedded and after every layer. heads: by
    layer and head, the kinds of its scores and of what it writes. whole_begin, whole_end: see `Block`.
    """

    model: Transformer
    symbols: Kinds
    parts: tuple[tuple[Prepared, ...], ...]
    kinds: tuple[Kinds, ...]
    heads: tuple[tuple[tuple[Kind, ...], ...], ...]
    whole_begin: bool
    whole_end: bool

    def rows(self, n: int, kind: Kind) -> Fraction:
        """About how many queries of a kind there are for each word of a large block of words of length n."""
        if kind in (Kind.PREFIX, Kind.SUFFIX):
            k = len(self.model.alphabet)
            levels = min(Fraction(k, k - 1), Fraction(n)) if k > 1 else Fraction(n)
            return levels + (self.whole_end if kind is Kind.PREFIX else self.whole_begin)
        return Fraction({Kind.WORD: 1, Kind.FULL: len(self.model.positions(n))}.get(kind, 0))

    def scores(self, n: int) -> Fraction:
        """About how many scores per word the largest head has."""
        size = len(self.model.positions(n))
        return size * max(
            (self.rows(n, kind) for layer in self.heads for head in layer for kind in head), default=Fraction(1)
        )


def plan(model: Transformer) -> Plan:
    """Return the plan for a model."""
    symbols = {d: kind for d in model.directions if (kind := _symbols(model, d)) is not None}
    kinds: dict[str, Kind] = dict(symbols)
    for d, expression in model.positional.items():
        kinds[d] = join(kinds.get(d, Kind.CONSTANT), Kind.POSITION if "i" in expression.variables else Kind.CONSTANT)
    after, heads, parts = [dict(kinds)], [], []
    whole_begin = whole_end = False
    for layer in model.layers:
        found, written = [], dict[str, Kind]()
        for head in layer.heads:
            scores, seen, outputs = _head(head, kinds)
            found.append((scores, *outputs.values()))
            for d, kind in outputs.items():
                written[d] = join(written.get(d, Kind.CONSTANT), kind)
            whole_end |= head.mask not in FORWARD and bool(seen & {Kind.PREFIX, Kind.FULL})
            whole_begin |= head.mask not in BACKWARD and bool(seen & {Kind.SUFFIX, Kind.FULL})
        kinds = {**kinds, **{d: join(kinds.get(d, Kind.CONSTANT), kind) for d, kind in written.items()}}
        prepared = tuple(prepare(part) for part in layer.feed_forward)
        for part, _ in prepared:
            kinds = _feed_forward(part, kinds)
        after.append(dict(kinds))
        heads.append(tuple(found))
        parts.append(prepared)
    return Plan(model, symbols, tuple(parts), tuple(after), tuple(heads), whole_begin, whole_end)


def _symbols(model: Transformer, d: str) -> Kind | None:
    """What the embedding of symbols and markers in a direction depends on; None where it is 0."""
    values = {model.embedding[symbol].get(d, Fraction(0)) for symbol in model.alphabet}
    markers = {marker.get(d, Fraction(0)) for marker in (model.begin, model.end) if marker is not None}
    if len(values) > 1:
        return Kind.LOCAL
    if markers - values:
        return Kind.POSITION
    return Kind.CONSTANT if values != {0} else None


def _form(weights: Vector, kinds: Kinds) -> Kind:
    return join(*(kinds[d] for d, c in weights.items() if c and d in kinds))


def _head(head: Head, kinds: Kinds) -> tuple[Kind, set[Kind], dict[str, Kind]]:
    """The kinds of the scores of a head, of the keys and values that it sees, and of what it writes."""
    queries = join(*(_form(query, kinds) for query in head.query))
    keys = join(*(_form(key, kinds) for key in head.key))
    scores = reach(head.mask, queries, keys)
    values = {d: _form(form, kinds) for d, form in head.value.items()}
    outputs = {d: reach(head.mask, scores, kind) for d, kind in values.items()}
    return scores, {keys, *values.values()}, outputs


def _feed_forward(part: Decomposition, kinds: Kinds) -> dict[str, Kind]:
    added: dict[str, Kind] = {}
    for one in part.parts:
        kind = _form({d: Fraction(c) for d, c in one.form}, kinds)
        for d in one.functions:
            added[d] = join(added.get(d, Kind.CONSTANT), kind)
    result = dict(kinds)
    for d in part.written:
        old = kinds[d] if d in kinds and d not in part.absorbed else Kind.CONSTANT
        result[d] = join(old, added.get(d, Kind.CONSTANT))
    return result
