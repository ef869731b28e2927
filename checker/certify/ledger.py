"""The argument for all lengths as a table: each head, what it selects, its error bound, and the clean-up's slack."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from checker.certify.bounds import Error
from checker.certify.canonical import as_formula
from checker.certify.choice import STRICT
from checker.certify.feed import Check
from checker.certify.form import ReadBit, ReadCount
from checker.certify.heads import Reading
from checker.certify.rational import value_at
from checker.certify.recognise import Understanding, label
from checker.logic import normal
from checker.logic.formula import Side
from checker.logic.normal import Normal
from checker.logic.text import short_text
from checker.rounding import Scientific, decimal_down, decimal_up
from checker.transformer.model import Transformer

DIGITS = 4
_LONGEST_SEARCH = 60


class Argument(Enum):
    """How far the argument for all lengths goes."""

    PROVED = "proved"  # the weights compute the formula read back, for all words of all lengths
    TOO_HOT = "temperature too high"  # they do so at lower temperatures; at this one a bound exceeds its threshold
    UNCLEAR = "not understood"


@dataclass(frozen=True)
class Entry:
    """A head. Numbers are rounded to the safe side; None where there is nothing to say.

    layer: as in messages. rests: ids of statements. bound: of its error, or of the sum of errors that its clean-up
    absorbs.
    largest: the largest tau_0 at which the clean-up is shown to absorb it; None with a bound: there is none.
    """

    layer: int
    name: str
    selects: str
    rests: tuple[str, ...]
    formula: str | None = None  # of the bound, in q
    bound: Scientific | None = None
    threshold: Fraction | None = None
    slack: Scientific | None = None
    largest: Scientific | None = None
    note: str | None = None


@dataclass(frozen=True)
class Ledger:
    """The argument, its table, and in words why it stops, if it does. largest: the largest admissible tau_0."""

    argument: Argument
    entries: tuple[Entry, ...]
    reason: str | None
    largest: Scientific | None


def ledger(model: Transformer, found: Understanding) -> Ledger:
    """Judge every clean-up at the temperature found.scale.tau0."""
    tau0 = found.scale.tau0
    entries = tuple(_entry(model, reading, found) for reading in found.readings)
    limits = [check.error.largest(check.threshold) for check in found.checks]
    known = [limit for limit in limits if limit is not None]
    largest = min(known, key=lambda limit: limit.value) if len(known) == len(limits) and known else None
    if found.formula is None:
        return Ledger(Argument.UNCLEAR, entries, found.problem, largest)
    failing = [check for check in found.checks if not check.error.within(check.threshold, tau0)]
    if failing:
        return Ledger(Argument.TOO_HOT, entries, _refusal(failing[0], found), largest)
    return Ledger(Argument.PROVED, entries, None, largest)


def _of(reading: Reading, check: Check) -> bool:
    return any(read.head == (reading.layer, reading.number) for _, read in check.reads)


def _entry(model: Transformer, reading: Reading, found: Understanding) -> Entry:
    tau0, choice = found.scale.tau0, reading.choice
    name = model.layers[reading.layer].heads[reading.number].name
    if choice is None:
        selects = reading.problems[0].partition(": ")[2] if reading.problems else "writes nothing"
        return Entry(label(model, reading.layer), name, selects, ())
    mask = model.layers[reading.layer].heads[reading.number].mask
    selects = _selects(reading, mask in STRICT)
    rests = choice.claims
    error = reading.error
    if error is None:
        note = reading.problems[0].partition(": ")[2] if reading.problems else "exact"
        return Entry(label(model, reading.layer), name, selects, rests, note=note)
    rests = (*rests, *_of_values(reading), *(("C1.weights",) if not isinstance(found.scale.unit, Fraction) else ()))
    checks = [check for check in found.checks if _of(reading, check)]
    if not checks:
        upper = error.upper(tau0)
        bound = None if upper is None else decimal_up(upper, DIGITS)
        note = "absorbed by the heads that read it" if _feeds(reading, found) else "not cleaned up"
        return Entry(label(model, reading.layer), name, selects, rests, _formula_of(error), bound, note=note)
    worst = min(
        checks, key=lambda check: check.threshold - (Fraction(1) if (e := check.error.upper(tau0)) is None else e)
    )
    upper = worst.error.upper(tau0)
    return Entry(
        label(model, reading.layer), name, selects, (*rests, *_cleaned_by(worst)), _formula_of(worst.error),
        None if upper is None else decimal_up(upper, DIGITS), worst.threshold,
        None if upper is None else decimal_down(worst.threshold - upper, DIGITS),
        worst.error.largest(worst.threshold),
    )  # fmt: skip


def _cleaned_by(check: Check) -> tuple[str, ...]:
    if any(isinstance(read, ReadCount) for _, read in check.reads):
        return ("D4.sum", "D1.integer-true", "D1.integer-false")
    return ("D1.clean",)


def _formula_of(error: Error) -> str:
    text = error.bound.value
    return text.replace("A q", f"{error.weight} q" if error.weight != 1 else "q").replace("2A", f"{2 * error.weight}")


def _feeds(reading: Reading, found: Understanding) -> bool:
    """Whether a comparison of counts uses what the head reads."""
    place = (reading.layer, reading.number)
    terms = [read for other in found.readings if other.choice is not None for _, read in other.choice.terms]
    return any(read.head == place for read in terms)


def _of_values(reading: Reading) -> tuple[str, ...]:
    """What the error of the output rests on; a lookup may read a count and remainders of it."""
    atoms = [atom for form in reading.written.values() for atom in form.atoms]
    kind = reading.choice.kind if reading.choice is not None else ""
    counts = ("D4.error",) if any(isinstance(atom, ReadCount) for atom in atoms) else ()
    if not any(isinstance(atom, ReadBit) for atom in atoms):
        return counts
    return (*counts, *{"lookup": ("B3.closed", "A7.bound"), "nearest": ("A7.bound",)}.get(kind, ()))


def _selects(reading: Reading, strict: bool) -> str:
    choice = reading.choice
    if choice is None:
        raise AssertionError("only a head that is understood selects something")
    if choice.kind == "uniform":
        return "all visible positions alike"
    if choice.kind == "lookup" and choice.count is not None:
        return f"position j = {choice.count.side.value}[{_text(choice.count.formula)}]"
    if choice.kind == "comparison":
        terms = [(w, read.count.side, read.count.formula) for w, read in choice.terms]
        return f"the end marker iff {_text(normal.at_least(terms, -choice.bound))}"
    back = "B1.left" in choice.claims or "B6.rightmost" in choice.claims
    if choice.chi is normal.TRUE:
        if not strict:
            return "the position itself"
        return "the position before" if back else "the position after"
    order = "last" if back else "first"
    reach = {(True, False): "<=", (True, True): "<", (False, False): ">=", (False, True): ">"}[back, strict]
    return f"the {order} j {reach} i with {_text(choice.chi)}"


def _text(formula: Normal) -> str:
    return short_text(as_formula(formula), 60)


def _refusal(check: Check, found: Understanding) -> str:
    """Why a clean-up is not shown to absorb the error; names the heads, and the largest temperature that is."""
    tau0 = found.scale.tau0
    heads = dict.fromkeys(read.head for _, read in check.reads)
    names = " and ".join(r.where for r in found.readings if (r.layer, r.number) in heads)
    upper, limit = check.error.upper(tau0), check.error.largest(check.threshold)
    if limit is None:
        text = f"{names}: its scores do not stay a constant multiple of the temperature apart for all lengths"
        first = _first_length(check, found)
        if first is not None:
            text += f"; its error bound exceeds the threshold {check.threshold} from length {first} on"
        return text
    shown = "more than 1" if upper is None else decimal_up(upper, DIGITS).text
    return (
        f"{names}: the error bound {shown} at tau_0 = {tau0} exceeds the clean-up threshold {check.threshold}; "
        f"the largest admissible tau_0 is {limit.text}"
    )


def _first_length(check: Check, found: Understanding) -> int | None:
    """The least length at which the bound exceeds the threshold at some query; None if not found, or not simple."""
    ((weight, read), *others) = check.reads
    reading = next(r for r in found.readings if (r.layer, r.number) == read.head)
    if others or abs(weight) != 1 or not isinstance(read, ReadBit) or reading.choice is None:
        return None
    if reading.choice.kind not in ("nearest", "lookup"):
        return None
    for n in range(1, _LONGEST_SEARCH + 1):
        gaps = {value_at(reading.choice.ratio, i, n) for i in range(1, n + 1)}
        error = Error(check.error.bound, min(gaps))
        if not error.within(check.threshold, found.scale.tau0):
            return n
    return None


def as_data(entry: Entry) -> dict[str, Any]:
    """The entry as JSON-like data."""
    text = {
        "bound": entry.bound.text if entry.bound else None,
        "threshold": str(entry.threshold) if entry.threshold is not None else None,
        "slack": entry.slack.text if entry.slack else None,
        "largest_tau_0": entry.largest.text if entry.largest else None,
    }
    return {
        "layer": entry.layer, "head": entry.name, "selects": entry.selects, "rests_on": list(entry.rests),
        "error": entry.formula, **text, "note": entry.note,
    }  # fmt: skip


__all__ = ["Argument", "Entry", "Ledger", "Side", "as_data", "ledger"]
