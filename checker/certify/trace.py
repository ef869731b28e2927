"""One word through a transformer: answers per position, and what every head attends to, with gaps and errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from checker.ball import Ball, ball, ends, working
from checker.certify.certificate import with_temperature
from checker.certify.ledger import Entry, ledger
from checker.certify.recognise import recognise
from checker.certify.report import word_text
from checker.errors import InputError
from checker.formats import Cell, Column, Table, to_text
from checker.rounding import decimal_down, decimal_up
from checker.transformer.hard import HardQuery, HardRun, run_hard
from checker.transformer.model import Transformer
from checker.transformer.soft import Attended, SoftRun, run_soft
from checker.transformer.validate import validate
from checker.verdict import Verdict

_DIGITS = 4
_PRECISION = 256
_MOST_SHOWN = 6
_WIDTH = 100
_ANSWERS = {Verdict.HOLDS: "holds", Verdict.FAILS: "fails", Verdict.UNDECIDED: "undecided"}


@dataclass(frozen=True)
class Trace:
    """The runs of one word (None: not made) and the ledger entries of the heads, by layer and number."""

    model: Transformer
    word: tuple[str, ...]
    hard: HardRun
    show_hard: bool
    soft: SoftRun | None
    entries: dict[tuple[int, int], Entry]


def run_word(
    model: Transformer, word: Sequence[str], *, hard: bool = True, soft: bool = True, tau0: Fraction | None = None
) -> Trace:
    """Run a word; hard, soft: which answers are wanted. tau0: replaces the model's tau_0.

    A model without temperature is run with softmax attention only if tau0 is given. Raises InputError for an empty
    word, and for soft alone without a temperature.
    """
    if not word:
        raise InputError("the word is empty; a run needs at least one symbol")
    validate(model)
    model, tau = with_temperature(model, tau0)
    if soft and tau is None and not hard:
        raise InputError(f"the model {model.name} has no temperature; state one with --tau, or run it with --hard")
    exact = run_hard(model, word)
    enclosed = run_soft(model, word, tau(len(word)), chosen=exact.chosen) if soft and tau is not None else None
    found = recognise(model)
    entries = ledger(model, found).entries
    by_place = {(r.layer, r.number): entry for r, entry in zip(found.readings, entries, strict=True)}
    return Trace(model, tuple(word), exact, hard, enclosed, by_place)


def _accepted(trace: Trace) -> list[str]:
    at = trace.model.output.position
    lines = []
    if trace.show_hard:
        lines.append(f"hard attention: {'accepted' if trace.hard.accepted else 'rejected'} (at the {at} position)")
    if trace.soft is not None:
        answer = {Verdict.HOLDS: "accepted", Verdict.FAILS: "rejected", Verdict.UNDECIDED: "undecided"}
        lines.append(
            f"soft attention: {answer[trace.soft.accepted]} (at the {at} position, temperature {trace.soft.tau})"
        )
    return lines


def as_text(trace: Trace, every_head: bool) -> str:
    """The answers, and with every_head the heads."""
    columns = [Column("position", "position"), Column("symbol", "symbol", align="left")]
    if trace.show_hard:
        columns += [Column("hard", "hard run", align="left"), Column("logit", "logit")]
    if trace.soft is not None:
        columns += [Column("soft", "soft run", align="left"), Column("enclosure", "logit in")]
    rows = []
    for place, symbol in enumerate(trace.word):
        cells = [str(place + 1), symbol]
        if trace.show_hard:
            logit = trace.hard.logits[place]
            cells += ["holds" if logit > 0 else "fails", str(logit)]
        if trace.soft is not None:
            low, high = _ends(trace.soft.logits[place])
            exact = str(low) if low == high else f"[{_down(low)}, {_up(high)}]"
            cells += [_ANSWERS[trace.soft.verdicts[place]], exact]
        rows.append([Cell(cell) for cell in cells])
    shown = word_text(trace.word, trace.model.alphabet)
    lines = [f"{trace.model.name} on {shown}", *_accepted(trace), "", to_text(Table(columns, rows), _WIDTH).rstrip()]
    if every_head:
        for layer, number in trace.entries:
            lines += ["", *_head(trace, layer, number)]
    return "\n".join(lines) + "\n"


def _head(trace: Trace, layer: int, number: int) -> list[str]:
    entry = trace.entries[layer, number]
    lines = [f"layer {entry.layer}, head {entry.name}", f"  selects {entry.selects} ({' '.join(entry.rests) or '-'})"]
    if entry.threshold is not None and entry.bound is not None and entry.slack is not None:
        lines.append(
            f"  for every length: error <= {entry.bound.text}, threshold {entry.threshold}, slack >= {entry.slack.text}"
        )
    columns = [Column("query", "query"), Column("attends", "attends to", align="left"), Column("gap", "gap")]
    if trace.soft is not None:
        columns += [Column("tv", "TV <="), Column("error", "error <="), Column("slack", "slack >=")]
    rows = []
    for data in _queries(trace, layer, number, entry):
        values = [data["query"], data["attends"], data["gap"]]
        if trace.soft is not None:
            values += [data["tv"], data["error"], data["slack"]]
        rows.append([Cell("-" if value is None else value) for value in values])
    table = to_text(Table(columns, rows), _WIDTH).rstrip()
    return [*lines, *(f"  {line}".rstrip() for line in table.splitlines())]


def _queries(trace: Trace, layer: int, number: int, entry: Entry) -> list[dict[str, Any]]:
    hard = trace.hard.layers[layer].heads[number].queries
    soft = None if trace.soft is None else trace.soft.layers[layer].heads[number].queries
    result = []
    for place, query in enumerate(hard):
        data: dict[str, Any] = {
            "query": _position(trace, query.position),
            "attends": _attended(trace, query),
            "gap": None if query.gap is None else str(query.gap),
            "tv": None, "error": None, "slack": None,
        }  # fmt: skip
        if soft is not None:
            error = _error(query, soft[place])
            tv = soft[place].tv
            data["tv"] = None if tv is None else _up(_ends(tv)[1])
            data["error"] = _up(error)
            in_word = 1 <= query.position <= len(trace.word)
            if entry.threshold is not None and in_word:
                data["slack"] = _down(entry.threshold - error)
        result.append(data)
    return result


def _error(hard: HardQuery, soft: Attended) -> Fraction:
    """An upper bound of the largest difference between the soft and the hard output, over the directions written."""
    worst = Fraction(0)
    with working(_PRECISION):
        for direction in {*hard.output, *soft.output}:
            exact, value = hard.output.get(direction, Fraction(0)), soft.output.get(direction, Fraction(0))
            low, high = _ends(value if isinstance(value, Fraction) else value - ball(exact))
            shift = exact if isinstance(value, Fraction) else Fraction(0)
            worst = max(worst, abs(low - shift), abs(high - shift))
    return worst


def _attended(trace: Trace, query: HardQuery) -> str:
    if not query.chosen:
        return "nothing"
    shown = ", ".join(_position(trace, j) for j in query.chosen[:_MOST_SHOWN])
    return shown if len(query.chosen) <= _MOST_SHOWN else f"{shown}, ... ({len(query.chosen)} positions alike)"


def _position(trace: Trace, position: int) -> str:
    n = len(trace.word)
    return "begin" if position == 0 else "end" if position == n + 1 else f"{position}:{trace.word[position - 1]}"


def _ends(x: Fraction | Ball) -> tuple[Fraction, Fraction]:
    return (x, x) if isinstance(x, Fraction) else ends(x)


def _up(x: Fraction) -> str:
    return decimal_up(x, _DIGITS).text


def _down(x: Fraction) -> str:
    return decimal_down(x, _DIGITS).text


def as_json(trace: Trace, every_head: bool) -> dict[str, Any]:
    """The same as JSON-like data; numbers are strings, rounded outward."""
    data: dict[str, Any] = {"model": trace.model.name, "word": list(trace.word)}
    if trace.show_hard:
        logits = trace.hard.logits
        data["hard"] = {
            "accepted": trace.hard.accepted,
            "holds": [x > 0 for x in logits],
            "logits": [str(x) for x in logits],
        }
    if trace.soft is not None:
        data["soft"] = {
            "temperature": str(trace.soft.tau),
            "accepted": trace.soft.accepted.value,
            "verdicts": [verdict.value for verdict in trace.soft.verdicts],
            "logits": [[decimal_down(low, 17).text, decimal_up(high, 17).text]
                       for low, high in map(_ends, trace.soft.logits)],
        }  # fmt: skip
    if every_head:
        data["heads"] = [
            {"layer": entry.layer, "head": entry.name, "selects": entry.selects, "rests_on": list(entry.rests),
             "queries": _queries(trace, layer, number, entry)}
            for (layer, number), entry in trace.entries.items()
        ]  # fmt: skip
    return data
