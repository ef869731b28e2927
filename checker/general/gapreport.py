"""Least gaps, bounds and margins length by length, as text and as JSON; every number is printed exactly or marked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from checker.errors import InputError
from checker.exact import show
from checker.formats import Cell, Column, Table, to_text
from checker.general.facts import HeadFacts, Measured
from checker.general.fit import fit
from checker.general.gaps import MOST_POSITIONS, MOST_WORDS, measure
from checker.logic.alphabet import show_alphabet, word_text
from checker.numerals import integer_text
from checker.rounding import decimal_down, decimal_up
from checker.transformer.model import Transformer
from checker.work.run import Work

_WIDTH = 118
_LONG = 40
_DIGITS = 6

_HEADS = (
    Column("n", "n"),
    Column("layer", "layer"),
    Column("head", "head", align="left"),
    Column("gap", "least gap"),
    Column("word", "at the word", align="left"),
    Column("position", "position"),
    Column("kind", "kind", align="left"),
    Column("rivals", "rivals"),
    Column("tied", "ties"),
    Column("chosen", "chosen"),
)
_LENGTHS = (
    Column("n", "n"),
    Column("words", "words"),
    Column("gap", "least gap"),
    Column("bound", "B(n)"),
    Column("margin", "mu(n)"),
    Column("word", "at the word", align="left"),
    Column("everywhere", "mu everywhere"),
)

Progress = Callable[[int, int, str], None]


def measure_lengths(
    model: Transformer,
    lengths: Sequence[int],
    *,
    sample: int | None = None,
    seed: int = 0,
    update: Progress | None = None,
    work: Work | None = None,
) -> list[Measured]:
    """The facts for each length: of all words, or of `sample` random ones where there are more words than that.

    update: called with the words done, the words of all lengths, and the length at work. work: who runs the words.
    Raises InputError, before anything is run, for lengths that are not distinct and in 1..MOST_POSITIONS, or words too
    many to enumerate.
    """
    k = len(model.alphabet)
    if not lengths or len(set(lengths)) != len(lengths):
        raise InputError(f"name at least one length, each once, got {show(list(lengths))}")
    for n in lengths:
        if not 1 <= n <= MOST_POSITIONS:
            raise InputError(f"lengths are integers in 1..{MOST_POSITIONS}, got {show(n)}")
        if sample is None and k**n > MOST_WORDS:
            raise InputError(f"the {k}^{n} words of length {n} are too many to run all; --sample K runs K random ones")
    counts = [k**n if sample is None else min(k**n, sample) for n in lengths]
    done, result = 0, []
    for n, count in zip(lengths, counts, strict=True):

        def report(words: int, _total: int, n: int = n, before: int = done) -> None:
            if update is not None:
                update(before + words, sum(counts), f"words, n = {n}")

        every = sample is None or k**n <= sample
        result.append(measure(model, n, sample=None if every else sample, seed=seed, progress=report, work=work))
        done += count
    return result


def as_text(model: Transformer, found: Sequence[Measured]) -> str:
    """Two tables, by head and by length, and what growth they suggest."""
    title = f"{model.name or 'unnamed model'}: exact runs with hard attention, {_scope(found)}"
    rows = [_head_cells(one, layer, head) for one in found for layer, head in _heads(one)]
    parts = [title, f"  alphabet {show_alphabet(model.alphabet)}; {_positions(model)}"]
    if rows:
        parts.append(to_text(Table(_HEADS, rows), _WIDTH).rstrip())
    parts.append(to_text(Table(_LENGTHS, [_length_cells(model, one) for one in found]), _WIDTH).rstrip())
    parts.append("\n".join(_notes(model, found)))
    if remarks := remarks_on(found):
        lines = "\n".join(f"  {remark}" for remark in remarks)
        on = "these lengths" if all(one.complete for one in found) else "these lengths, some of them samples"
        parts.append(f"Remark (fitted to {on}; nothing is claimed for others):\n{lines}")
    return "\n\n".join(parts) + "\n"


def remarks_on(found: Sequence[Measured]) -> list[str]:
    """The growth that least gap, bound and margin seem to have, where there are lengths enough to fit one."""
    series = {
        "least gap": {one.n: one.gap for one in found if one.gap is not None},
        "B(n)": {one.n: one.bound for one in found},
        "mu(n)": {one.n: one.margin for one in found},
    }
    fitted = {name: fit(values) for name, values in series.items()}
    return [f"{name}: {line}" for name, line in fitted.items() if line is not None]


def as_json(model: Transformer, found: Sequence[Measured]) -> dict[str, Any]:
    """All of it as JSON-like data; rationals are exact texts, layers count from 1, remarks are fitted."""
    return {
        "model": model.name,
        "alphabet": list(model.alphabet),
        "complete": all(one.complete for one in found),
        "lengths": [_length_data(model, one) for one in found],
        "remarks": remarks_on(found),
    }


def _heads(one: Measured) -> Iterator[tuple[int, HeadFacts]]:
    for number, layer in enumerate(one.layers, start=1):
        for head in layer.heads:
            yield number, head


def _positions(model: Transformer) -> str:
    first, last = model.begin is not None, model.end is not None
    if first and last:
        return "position 0 is the begin marker, position n + 1 the end marker"
    return "position 0 is the begin marker" if first else "position n + 1 is the end marker" if last else "no markers"


def _length(one: Measured) -> str:
    return str(one.n) if one.complete else f"{one.n}*"


def _scope(found: Sequence[Measured]) -> str:
    complete = [one.n for one in found if one.complete]
    sampled = [one.n for one in found if not one.complete]
    parts = [f"all words of length {_list(complete)}"] if complete else []
    return " and ".join([*parts, *([f"a SAMPLE of those of length {_list(sampled)}"] if sampled else [])])


def _list(lengths: list[int]) -> str:
    if len(lengths) > 2 and lengths == list(range(lengths[0], lengths[-1] + 1)):
        return f"{lengths[0]}..{lengths[-1]}"
    return ", ".join(str(n) for n in lengths)


def _notes(model: Transformer, found: Sequence[Measured]) -> list[str]:
    lines = [
        "rivals: queries that see a score below the maximal one; ties: queries with several maximal scores.",
        "chosen: how many positions share the weight. unique: one of several is chosen somewhere, by its position.",
        f"mu: least |logit| at the {model.output.position} position, where words are judged, and everywhere.",
        "B: largest magnitude in the residual stream, before and after every layer.",
    ]
    for one in found:
        if not one.complete:
            lines.append(
                f"* n = {one.n}: a sample of {one.words} words (seed {one.seed}); others may have smaller gaps and "
                "margins, and a larger B."
            )
        if one.zeros:
            some = word_text(one.margin_word, model.alphabet)
            lines.append(f"n = {one.n}: the logit is 0 on {one.zeros} of the words, such as {some}: no margin.")
    return lines


def _head_cells(one: Measured, layer: int, head: HeadFacts) -> list[Cell]:
    word = "-" if head.word is None else word_text(head.word, one.model.alphabet)
    sizes = [k for _, k in head.counts]
    low, high = min(sizes, default=0), max(sizes, default=0)
    texts = [
        _length(one), str(layer), head.name, "no rival" if head.gap is None else number_text(head.gap, up=False), word,
        "-" if head.position is None else str(head.position), head.kind, str(head.rivals), str(head.tied),
        str(low) if low == high else f"{low}..{high}",
    ]  # fmt: skip
    return [Cell(text) for text in texts]


def _length_cells(model: Transformer, one: Measured) -> list[Cell]:
    every = len(model.alphabet) ** one.n if one.complete else None
    texts = [
        _length(one), f"all {every}" if every is not None else f"sample of {one.words}",
        "no rival" if one.gap is None else number_text(one.gap, up=False), number_text(one.bound, up=True),
        number_text(one.margin, up=False), word_text(one.margin_word, model.alphabet),
        number_text(one.margin_everywhere, up=False),
    ]  # fmt: skip
    return [Cell(text) for text in texts]


def number_text(x: Fraction, *, up: bool) -> str:
    """A number >= 0 exactly if that is short; else rounded up or down, and marked with <= or >=."""
    # numerator and denominator have more than 0.3 times as many digits as bits
    if (x.numerator.bit_length() + x.denominator.bit_length()) * math.log10(2) <= _LONG:
        return str(x)
    return f"<= {decimal_up(x, _DIGITS).text}" if up else f">= {decimal_down(x, _DIGITS).text}"


def _exact(x: Fraction | None) -> str | None:
    if x is None:
        return None
    top = integer_text(x.numerator)
    return top if x.denominator == 1 else f"{top}/{integer_text(x.denominator)}"


def _length_data(model: Transformer, one: Measured) -> dict[str, Any]:
    return {
        "n": one.n,
        "words": one.words,
        "complete": one.complete,
        "seed": one.seed,
        "gap": _exact(one.gap),
        "bound": _exact(one.bound),
        "margin": _exact(one.margin),
        "margin_word": [model.alphabet[symbol] for symbol in one.margin_word],
        "margin_everywhere": _exact(one.margin_everywhere),
        "zero_logits": one.zeros,
        "heads": [_head_data(model, layer, head) for layer, head in _heads(one)],
    }


def _head_data(model: Transformer, layer: int, head: HeadFacts) -> dict[str, Any]:
    return {
        "layer": layer,
        "head": head.name,
        "kind": head.kind,
        "gap": _exact(head.gap),
        "word": None if head.word is None else [model.alphabet[symbol] for symbol in head.word],
        "position": head.position,
        "rivals": head.rivals,
        "ties": head.tied,
        "visible_chosen": sorted(list(pair) for pair in head.counts),
    }
