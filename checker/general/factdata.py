"""The facts of a block of words as plain data, which a task returns, and those of two blocks as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from checker.general.facts import Arguments, HeadFacts, LayerFacts, Measured, Range
from checker.transformer.model import Transformer
from checker.transformer.piecewise import decompose
from checker.work import plain
from checker.work.plain import Data, of_fraction, of_optional, of_pairs

_MEASURED = ("words", "layers", "bound", "margin", "margin_word", "zeros", "everywhere")
_LAYER = ("entering", "heads", "parts", "leaving")
_HEAD = ("name", "gap", "word", "position", "rivals", "tied", "counts", "query", "key", "value")


def encode(found: Measured) -> Data:
    """The facts of a block, without the model."""
    return {
        "words": found.words,
        "layers": [_of_layer(layer) for layer in found.layers],
        "bound": of_fraction(found.bound),
        "margin": of_fraction(found.margin),
        "margin_word": list(found.margin_word),
        "zeros": found.zeros,
        "everywhere": of_fraction(found.margin_everywhere),
    }


def _of_layer(layer: LayerFacts) -> Data:
    return {
        "entering": of_pairs(layer.entering, of_fraction),
        "heads": [_of_head(head) for head in layer.heads],
        "parts": [[_of_arguments(one) for one in arguments] for _, arguments in layer.parts],
        "leaving": of_pairs(layer.leaving, of_fraction),
    }


def _of_head(head: HeadFacts) -> Data:
    return {
        "name": head.name,
        "gap": of_optional(of_fraction, head.gap),
        "word": of_optional(list, head.word),
        "position": head.position,
        "rivals": head.rivals,
        "tied": head.tied,
        "counts": [list(pair) for pair in sorted(head.counts)],
        "query": [of_fraction(x) for x in head.query],
        "key": [of_fraction(x) for x in head.key],
        "value": of_pairs(head.value, of_range),
    }


def _of_arguments(arguments: Arguments) -> Data:
    values = arguments.values
    return [of_range(arguments.range), None if values is None else [of_fraction(x) for x in values]]


def of_range(ends: Range) -> Data:
    """A least and a largest value."""
    return [of_fraction(end) for end in ends]


def to_range(data: Data) -> Range:
    """A least and a largest value."""
    return plain.pair(data, plain.fraction, plain.fraction)


def decoder(model: Transformer, n: int) -> Callable[[Data], Measured]:
    """What reads the facts of a block of words of length n."""
    parts = [[decompose(part) for part in layer.feed_forward] for layer in model.layers]

    def decode(data: Data) -> Measured:
        words, layers, bound, margin, word, zeros, everywhere = plain.fields(data, _MEASURED)
        found = plain.items(layers, lambda one: one, len(model.layers))
        return Measured(
            model,
            n,
            plain.natural(words),
            False,
            tuple(_to_layer(one, own) for one, own in zip(found, parts, strict=True)),
            plain.fraction(bound),
            plain.fraction(margin),
            plain.word(word),
            zeros=plain.natural(zeros),
            margin_everywhere=plain.fraction(everywhere),
        )

    return decode


def _to_layer(data: Data, decompositions: list[Any]) -> LayerFacts:
    entering, heads, parts, leaving = plain.fields(data, _LAYER)
    arguments = plain.items(parts, lambda part: plain.items(part, _to_arguments), len(decompositions))
    return LayerFacts(
        plain.pairs(entering, plain.text, plain.fraction),
        plain.items(heads, _to_head),
        tuple(zip(decompositions, arguments, strict=True)),
        plain.pairs(leaving, plain.text, plain.fraction),
    )


def _to_head(data: Data) -> HeadFacts:
    name, gap, word, position, rivals, tied, counts, query, key, value = plain.fields(data, _HEAD)
    return HeadFacts(
        plain.text(name),
        plain.optional(gap, plain.fraction),
        plain.optional(word, plain.word),
        plain.optional(position, plain.integer),
        plain.natural(rivals),
        plain.natural(tied),
        frozenset(plain.items(counts, lambda one: plain.pair(one, plain.natural, plain.natural))),
        plain.items(query, plain.fraction),
        plain.items(key, plain.fraction),
        plain.pairs(value, plain.text, to_range),
    )


def _to_arguments(data: Data) -> Arguments:
    ends, values = plain.pair(data, to_range, lambda one: one)
    return Arguments(ends, plain.optional(values, lambda one: plain.items(one, plain.fraction)))


# -- two blocks as one ----------------------------------------------------------------------------------------------


def merge(first: Measured, second: Measured, most: int) -> Measured:
    """The facts of two blocks, of which the words of the first come first; at most `most` values of an argument."""
    margin = min(first, second, key=lambda one: one.margin)
    return replace(
        first,
        words=first.words + second.words,
        layers=tuple(_layers(a, b, most) for a, b in zip(first.layers, second.layers, strict=True)),
        bound=max(first.bound, second.bound),
        margin=margin.margin,
        margin_word=margin.margin_word,
        zeros=first.zeros + second.zeros,
        margin_everywhere=min(first.margin_everywhere, second.margin_everywhere),
    )


def _layers(first: LayerFacts, second: LayerFacts, most: int) -> LayerFacts:
    parts = tuple(
        (part, tuple(_arguments(a, b, most) for a, b in zip(one, other, strict=True)))
        for (part, one), (_, other) in zip(first.parts, second.parts, strict=True)
    )
    heads = tuple(_heads(a, b) for a, b in zip(first.heads, second.heads, strict=True))
    return LayerFacts(
        _united(first.entering, second.entering, max), heads, parts, _united(first.leaving, second.leaving, max)
    )


def _heads(first: HeadFacts, second: HeadFacts) -> HeadFacts:
    later = second.gap is not None and (first.gap is None or second.gap < first.gap)
    least = second if later else first
    return HeadFacts(
        first.name,
        least.gap,
        least.word,
        least.position,
        first.rivals + second.rivals,
        first.tied + second.tied,
        first.counts | second.counts,
        _largest(first.query, second.query),
        _largest(first.key, second.key),
        _united(first.value, second.value, hull),
    )


def _arguments(first: Arguments, second: Arguments, most: int) -> Arguments:
    values = None
    if first.values is not None and second.values is not None:
        values = tuple(sorted({*first.values, *second.values}))
    return Arguments(hull(first.range, second.range), None if values is None or len(values) > most else values)


def hull(first: Range, second: Range) -> Range:
    """The least range that holds both."""
    return min(first[0], second[0]), max(first[1], second[1])


def _largest(first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(max(pair) for pair in zip(first, second, strict=True))


def _united(first: Mapping[str, Any], second: Mapping[str, Any], join: Callable[[Any, Any], Any]) -> dict[str, Any]:
    united = dict(first)
    for name, value in second.items():
        united[name] = join(united[name], value) if name in united else value
    return united
