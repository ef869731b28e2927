"""Simulations as text and as JSON; every temperature is printed exactly, every error rounded up."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from checker.exact import show
from checker.general.apriori import Found
from checker.general.lambert import Closed
from checker.general.recurrence import Ledger
from checker.general.simulate import Outcome, Simulation
from checker.general.ties import TieFree
from checker.rounding import decimal_down, decimal_up
from checker.transformer.model import Transformer

EXIT_CODES = {Outcome.CERTIFIED: 0, Outcome.CONDITIONAL: 0, Outcome.UNDECIDED: 2}


def exit_code(found: Sequence[Simulation]) -> int:
    """2 if something stays undecided, else 0."""
    return max((EXIT_CODES[one.outcome] for one in found), default=0)


def as_text(model: Transformer, found: Sequence[Simulation]) -> str:
    """The tables, the ledger of the last length, and what was broken or refused."""
    blocks = [f"{model.name}: softmax attention in place of hard attention; {_target(found)}"]
    conditional = any(one.measured is None for one in found)
    source = "IF the declared gap, bound and margin are right" if conditional else "all words"
    blocks.append(f"A priori ({source}): temperatures certified at the decimal printed\n{_apriori(found)}")
    if any(one.at_tau is not None or one.bracket is not None for one in found):
        blocks.append(
            f"A posteriori: all words of length n run with softmax attention, enclosed\n{_aposteriori(found)}"
        )
        blocks += [text for one in found if (text := _refusal(one))]
    last = found[-1]
    if last.ties is not None:
        blocks.append(_ties(last.ties))
    if last.sharp is not None:
        blocks.append(_ledger(last, last.sharp.ledger))
    elif last.plain is not None:
        blocks.append(_deltas(last.plain.ledger))
    blocks += [f"n = {one.n}: {_nothing(one)}" for one in found if one.best is None]
    outcomes = sorted({one.outcome.value for one in found})
    blocks.append(f"{', '.join(outcomes)} for n = {', '.join(str(one.n) for one in found)}")
    return "\n\n".join(blocks)


def _target(found: Sequence[Simulation]) -> str:
    first = found[0].target
    return "every decision kept" if first.strict else f"logits off by at most {show(first.limit)}"


def _apriori(found: Sequence[Simulation]) -> str:
    head = ("n", "gap", "B", "mu", "heads", "sharp", "E1", "E5", "closed form", "gain")
    rows = [
        (
            str(one.n),
            "none" if one.numbers.gap is None else _short(one.numbers.gap),
            _short(one.numbers.bound),
            _short(one.numbers.margin),
            kinds(one),
            tau_text(one.sharp),
            tau_text(one.plain),
            tau_text(one.tieless),
            tau_text(one.closed),
            _times(one.gain),
        )
        for one in found
    ]
    note = "gap, B, mu: measured or declared. gain: sharp over E1, rounded down. >=: no larger temperature was tried."
    return f"{columns([head, *rows])}\n{note}"


def _aposteriori(found: Sequence[Simulation]) -> str:
    head = ("n", "words", "at tau", "error", "allowed", "works at", "fails at", "on the word", "slack")
    rows = []
    for one in found:
        if one.bracket is None:
            rows.append((str(one.n), *("-" for _ in head[1:])))
            continue
        works, fails, at = one.bracket.works, one.bracket.fails, one.at_tau
        rows.append(
            (
                str(one.n),
                str(len(one.model.alphabet) ** one.n),
                "-" if one.best is None else exact_text(one.best),
                "-" if at is None else "?" if at.high is None else _up(at.high, one.target.limit),
                _allowed(one),
                "-" if works is None else exact_text(works.tau),
                "-" if fails is None else exact_text(fails.tau),
                "-" if fails is None or fails.witness is None else word_text(one.model, fails.witness),
                _times(one.slack),
            )
        )
    note = "error: largest of a logit, rounded up. works at, fails at: certified there; nothing is claimed in between."
    return f"{columns([head, *rows])}\n{note}"


def _refusal(one: Simulation) -> str:
    if one.escaped is None or one.bracket is None or one.bracket.fails is None or one.bracket.fails.witness is None:
        return ""
    word = word_text(one.model, one.bracket.fails.witness)
    start = f"n = {one.n}, refused at tau = {exact_text(one.bracket.fails.tau)} for {word}: the error escapes"
    return f"{start} in layer {one.escaped.layer}, {one.escaped.place}"


def _ledger(one: Simulation, ledger: Ledger) -> str:
    rows: list[tuple[str, ...]] = [("layer", "head", "kind", "gap", "eta", "TV", "written")]
    for number, layer in enumerate(ledger.layers, start=1):
        for head in layer.heads:
            gap = "-" if head.gap is None else _short(head.gap)
            written = max(head.written.values(), default=Fraction(0))
            rows.append((str(number), head.name, head.kind, gap, _up(head.eta), _up(head.tv), _up(written)))
    lines = [f"Ledger for n = {one.n} at tau = {exact_text(ledger.tau)} (upper bounds)", columns(rows), _deltas(ledger)]
    if one.true_errors is not None and one.best == ledger.tau:
        lines.append(f"true errors after each layer on one word: {' '.join(_up(e) for e in one.true_errors) or '-'}")
    for number, layer in enumerate(ledger.layers, start=1):
        if layer.absorbed:
            lines.append(f"layer {number}: errors absorbed completely: {', '.join(layer.absorbed)}")
    return "\n".join(lines)


def _deltas(ledger: Ledger) -> str:
    deltas = " ".join(_up(delta) for delta in ledger.delta)
    return f"delta_0 .. delta_{len(ledger.delta) - 1}: {deltas}; logit: {_up(ledger.logit)}"


def _ties(ties: TieFree) -> str:
    lines = [f"Unique-hard heads, made average-hard for n = {ties.n} (E3)"]
    for head in ties.heads:
        step = "no ties at this length" if head.step is None else f"step {show(head.step)} per position"
        lines.append(f"layer {head.layer + 1}, {head.name}: {head.ties.value}, {step}")
    return "\n".join(lines)


def _nothing(one: Simulation) -> str:
    if one.target.limit == 0:
        word = "" if one.measured is None else f" of {word_text(one.model, one.measured.margin_word)}"
        return f"the logit{word} is 0, so the margin is 0 and no temperature is certain to keep the decision"
    return "no temperature was found at which the ledger meets the target"


def kinds(one: Simulation) -> str:
    """How many heads are uniform, tieless and average-hard with ties."""
    if one.measured is None:
        return "-"
    names = [head.kind for layer in one.measured.layers for head in layer.heads]
    return " ".join(f"{names.count(kind)}{kind[0]}" for kind in ("uniform", "tieless", "average") if kind in names)


def tau_text(found: Found | Closed | None) -> str:
    """A temperature, exactly; >= where no larger one was tried."""
    if found is None:
        return "-"
    open_ = found.every if isinstance(found, Closed) else found.refused is None
    return f">={exact_text(found.tau)}" if open_ else exact_text(found.tau)


def word_text(model: Transformer, word: Sequence[int]) -> str:
    """A word, its symbols side by side when they are single characters."""
    symbols = [model.alphabet[symbol] for symbol in word]
    return ("" if all(len(symbol) == 1 for symbol in symbols) else ",").join(symbols)


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as columns, two spaces apart; the first row heads them."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines)


def as_json(model: Transformer, found: Sequence[Simulation]) -> dict[str, Any]:
    """The same as data; numbers are strings, exact unless a name says otherwise."""
    return {
        "model": model.name,
        "target": _target(found),
        "conditional": any(one.measured is None for one in found),
        "lengths": [_one_json(one) for one in found],
        "exit code": exit_code(found),
    }


def _one_json(one: Simulation) -> dict[str, Any]:
    works = fails = None
    if one.bracket is not None:
        works, fails = one.bracket.works, one.bracket.fails
    chosen = one.sharp or one.plain
    return {
        "n": one.n,
        "outcome": one.outcome.value,
        "gap": None if one.numbers.gap is None else str(one.numbers.gap),
        "bound": str(one.numbers.bound),
        "margin": str(one.numbers.margin),
        "heads": kinds(one),
        "tau": {
            name: None if value is None else exact_text(value.tau)
            for name, value in (
                ("sharp", one.sharp), ("E1", one.plain), ("E5", one.tieless), ("closed form", one.closed),
            )
        },
        "gain, at least": _json_down(one.gain),
        "ledger": None if chosen is None else _ledger_json(chosen.ledger),
        "error, at most": None if one.at_tau is None or one.at_tau.high is None else _up(one.at_tau.high),
        "verdict": None if one.at_tau is None else one.at_tau.verdict.value,
        "works at": None if works is None else exact_text(works.tau),
        "fails at": None if fails is None else exact_text(fails.tau),
        "failing word": None if fails is None or fails.witness is None else _symbols(one.model, fails.witness),
        "escapes": None if one.escaped is None else {"layer": one.escaped.layer, "place": one.escaped.place},
        "slack, at least": _json_down(one.slack),
        "ties": None if one.ties is None else [
            {"layer": head.layer + 1, "head": head.name, "rule": head.ties.value,
             "step": None if head.step is None else str(head.step)} for head in one.ties.heads
        ],
    }  # fmt: skip


def _ledger_json(ledger: Ledger) -> dict[str, Any]:
    return {
        "mode": ledger.mode,
        "tau": exact_text(ledger.tau),
        "delta, at most": [_up(delta) for delta in ledger.delta],
        "logit, at most": _up(ledger.logit),
        "heads": [
            {"layer": number, "head": head.name, "kind": head.kind, "gap": None if head.gap is None else str(head.gap),
             "eta, at most": _up(head.eta), "TV, at most": _up(head.tv)}
            for number, layer in enumerate(ledger.layers, start=1) for head in layer.heads
        ],
    }  # fmt: skip


def _symbols(model: Transformer, word: Sequence[int]) -> list[str]:
    return [model.alphabet[symbol] for symbol in word]


def _allowed(one: Simulation) -> str:
    return f"< {_short(one.target.limit)}" if one.target.strict else f"<= {_short(one.target.limit)}"


def exact_text(tau: Fraction) -> str:
    """A decimal of few digits, exactly."""
    shortest = next((text for d in range(1, 30) if (text := decimal_down(tau, d)).value == tau), None)
    assert shortest is not None, f"{tau} is not a short decimal"
    return shortest.text


def _up(x: Fraction, limit: Fraction | None = None) -> str:
    """x rounded up to 3 digits, or to as many up to 12 as show that it is below a limit."""
    three = decimal_up(x, 3)
    if limit is None or x >= limit or three.value < limit:
        return three.text
    return next((t.text for d in range(4, 13) if (t := decimal_up(x, d)).value < limit), three.text)


def _short(x: Fraction) -> str:
    text = show(x)
    return text if len(text) <= 16 else f"~{decimal_down(x, 3).text}"


def _times(x: Fraction | None) -> str:
    return "-" if x is None else decimal_down(x, 3).text


def _json_down(x: Fraction | None) -> str | None:
    return None if x is None else decimal_down(x, 3).text
