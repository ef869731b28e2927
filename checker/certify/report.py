"""The certificate as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from checker.certify.canonical import as_formula
from checker.certify.certificate import Certificate, Outcome
from checker.certify.exhaustive import Agreement, Disagreement
from checker.certify.ledger import Argument, Entry, as_data
from checker.errors import InputError
from checker.formats import Cell, Column, Table, to_text
from checker.logic.alphabet import show_alphabet
from checker.logic.formula import Formula
from checker.logic.text import short_text
from checker.logic.text import to_text as formula_text
from checker.rounding import decimal_down, decimal_up

_DIGITS = 6
_SHORT = 300
_WIDTH = 118
_COLUMNS = (
    Column("layer", "layer"),
    Column("head", "head", align="left"),
    Column("selects", "selects", align="left"),
    Column("rests_on", "rests on", align="left"),
    Column("bound", "error <="),
    Column("threshold", "threshold"),
    Column("slack", "slack >="),
    Column("largest_tau_0", "largest tau_0"),
)


def as_text(certificate: Certificate) -> str:
    """The whole certificate as text: verdict, table of heads, formula read back, exhaustive part."""
    model, found = certificate.model, certificate.found
    lines = [headline(certificate), ""]
    if certificate.reason is not None and certificate.outcome is not Outcome.CERTIFIED:
        lines += [f"  {certificate.reason}", ""]
    lines += [
        f"  model        {model.name}",
        f"  alphabet     {show_alphabet(model.alphabet)}",
        f"  temperature  {'none: hard attention alone' if model.temperature is None else model.temperature}",
    ]
    if found.formula is not None:
        lines.append(f"  read back    {_short(as_formula(found.formula))}")
    if certificate.claimed is not None:
        lines.append(f"  claimed      {_short(certificate.claimed)}")
    lines += ["", f"All lengths, from the weights alone: {certificate.ledger.argument.value}"]
    if certificate.ledger.entries:
        table = Table(_COLUMNS, [_cells(entry) for entry in certificate.ledger.entries])
        lines += ["", to_text(table, _WIDTH).rstrip()]
    limit = certificate.ledger.largest
    if limit is not None and certificate.ledger.argument is not Argument.UNCLEAR:
        lines += ["", f"Largest admissible tau_0: {limit.text}"]
    lines += ["", _exhaustive(certificate.agreement, (certificate.claimed or certificate.computed) is not None)]
    first = certificate.agreement.disagreement
    if first is not None:
        lines += ["", *_failure(first, model.alphabet)]
    return "\n".join(lines) + "\n"


def headline(certificate: Certificate) -> str:
    """The verdict in one line."""
    longest = certificate.agreement.lengths
    if certificate.outcome is Outcome.CERTIFIED:
        soft = "" if certificate.agreement.soft else " (hard attention alone)"
        what = "the formula" if certificate.claimed is not None else "the formula read back"
        return f"CERTIFIED: computes {what} at every position, for all words of all lengths{soft}"
    if certificate.outcome is Outcome.REFUTED:
        open_words = len(certificate.agreement.undecided)
        rest = f"{open_words} words before it are undecided" if open_words else "on no shorter one"
        return f"REFUTED: fails on a word of length {longest}, and {rest}"
    argument = certificate.ledger.argument
    why = "the formula read back is another one" if argument is Argument.PROVED else argument.value
    return f"UNDECIDED ({why}): no failure up to length {longest}"


def _short(formula: Formula) -> str:
    return short_text(formula, _SHORT)


def _cells(entry: Entry) -> list[Cell]:
    numbers = [
        entry.bound.text if entry.bound else entry.note or "-",
        "-" if entry.threshold is None else str(entry.threshold),
        entry.slack.text if entry.slack else "-",
        entry.largest.text if entry.largest else "none" if entry.threshold is not None else "-",
    ]
    return [Cell(str(entry.layer)), Cell(entry.name), Cell(entry.selects), Cell(" ".join(entry.rests)),
            *(Cell(text) for text in numbers)]  # fmt: skip


def _exhaustive(agreement: Agreement, has_formula: bool) -> str:
    parties = ["formula"] * has_formula + ["exact hard run"] + ["enclosed soft run"] * agreement.soft
    names = " and ".join([", ".join(parties[:-1]), parties[-1]]) if len(parties) > 1 else parties[0]
    words = f"{agreement.words} words of length 1..{agreement.lengths}, {agreement.positions} positions"
    if agreement.disagreement is not None:
        return f"All short words: {names} disagree (looked at {words})"
    text = f"All short words: {names} agree on {words}"
    if agreement.undecided:
        text += f"; undecided on {len(agreement.undecided)} words, such as {' '.join(agreement.undecided[0])}"
    return text


def word_text(word: Sequence[str], alphabet: Sequence[str]) -> str:
    """A word as the command line reads it: letters side by side where all symbols are letters."""
    return ("" if all(len(name) == 1 for name in alphabet) else ",").join(word)


def _failure(first: Disagreement, alphabet: Sequence[str]) -> list[str]:
    lines = [f"  word         {word_text(first.word, alphabet)}", f"  position     {first.position}"]
    if first.formula is not None:
        lines.append(f"  formula      {'holds' if first.formula else 'fails'}")
    lines.append(f"  hard run     {'holds' if first.hard > 0 else 'fails'}, logit {first.hard}")
    if first.soft is not None:
        low, high = decimal_down(first.soft[0], _DIGITS).text, decimal_up(first.soft[1], _DIGITS).text
        answer = "holds" if first.soft[0] > 0 else "fails" if first.soft[1] <= 0 else "undecided"
        lines.append(f"  soft run     {answer}, logit in [{low}, {high}] at temperature {first.tau}")
    return lines


def as_json(certificate: Certificate) -> dict[str, Any]:
    """The certificate as JSON-like data."""
    judged, agreement, found = certificate.ledger, certificate.agreement, certificate.found
    return {
        "outcome": certificate.outcome.value,
        "reason": certificate.reason,
        "model": certificate.model.name,
        "alphabet": list(certificate.model.alphabet),
        "temperature": None if certificate.model.temperature is None else str(certificate.model.temperature),
        "claimed": _text(certificate.claimed),
        "computed": None if found.formula is None else _text(as_formula(found.formula)),
        "same_normal_form": certificate.same,
        "all_lengths": {
            "argument": judged.argument.name.lower(),
            "tau_0": str(found.scale.tau0),
            "exponent": found.scale.exponent,
            "largest_tau_0": judged.largest.text if judged.largest else None,
            "heads": [as_data(entry) for entry in judged.entries],
        },
        "exhaustive": {
            "words": agreement.words,
            "positions": agreement.positions,
            "longest": agreement.lengths,
            "soft": agreement.soft,
            "undecided": [list(word) for word in agreement.undecided],
            "disagreement": None if agreement.disagreement is None else _disagreement(agreement.disagreement),
        },
    }


def _text(formula: Formula | None) -> str | None:
    if formula is None:
        return None
    try:
        return formula_text(formula)
    except InputError:  # too long, because of repeated parts
        return None


def _disagreement(first: Disagreement) -> dict[str, Any]:
    soft = first.soft
    return {
        "word": list(first.word),
        "position": first.position,
        "formula": first.formula,
        "hard": str(first.hard),
        "soft": None if soft is None else [decimal_down(soft[0], 17).text, decimal_up(soft[1], 17).text],
        "temperature": None if first.tau is None else str(first.tau),
    }
