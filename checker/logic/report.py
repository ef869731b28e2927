"""The zoo as tables: its languages, one of them in detail, and the classes of statement D7."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from checker.errors import InputError
from checker.exact import show
from checker.formats import Cell, Column, Table
from checker.logic.alphabet import word_text
from checker.logic.classes import LogicClass
from checker.logic.language import Language
from checker.logic.semantics import accepted, all_words
from checker.logic.zoo import LANGUAGES, find

REGIMES = ("unbounded", "scaled")
TITLE = "Classes of languages, and the attention that recognises them (D7)"


@dataclass(frozen=True)
class ClassRow:
    """What statement D7 says of a class: the logic, the hard attention that suffices, and languages that show it."""

    logic: str
    model: str
    examples: tuple[str, ...]


_MASKS = "unique-hard, future and past masks, strict or not"
CLASSES = {
    LogicClass.DEFINITE: ClassRow(
        "definite and n-gram languages, by Y alone", "unique-hard, strict future mask", ("ends-with-ab", "trigram")
    ),
    LogicClass.ONCE: ClassRow(
        "languages of P alone (and H)", "unique-hard, future mask", ("tomita-7", "subsequence-abc")
    ),
    LogicClass.STAR_FREE: ClassRow(
        "star-free languages, by Y S, X U and what they express", _MASKS, ("dyck-1-depth-2", "response")
    ),
    LogicClass.MODULAR: ClassRow(
        "regular languages in AC0, with i % m == r", f"{_MASKS}; periodic embedding", ("even-a", "tomita-3")
    ),
    LogicClass.NUMERICAL: ClassRow(
        "languages with arbitrary unary numerical predicates",
        f"{_MASKS}; any embedding",
        ("first-half", "a-at-squares"),
    ),
    LogicClass.COUNTING: ClassRow(
        "languages with counting terms and linear arithmetic", "average-hard, all masks", ("majority", "parity")
    ),
}


@dataclass(frozen=True)
class Measured:
    """What a compiled model of a language needs, as text: the size of its embeddings, and its temperature."""

    embedding: str
    temperature: str


Measure = Callable[[Language, str], Measured]
"""Compiles a language in a regime, "unbounded" or "scaled", and reads off what the model needs."""


def parse_class(text: str) -> LogicClass:
    """The class of that name ("Y", "P", "LTL", "LTL+mod", "LTL+num", "LTL+count"); InputError for other text."""
    for logic in LogicClass:
        if logic.value.casefold() == text.strip().casefold():
            return logic
    known = ", ".join(logic.value for logic in LogicClass)
    raise InputError(f"--class must be one of {known}, got {show(text)}")


def select(name: str | None = None, logic: LogicClass | None = None) -> list[Language]:
    """The languages whose names contain `name` and that are of the class; the one of that very name, if there is one.

    Raises InputError if there are none.
    """
    if name is not None and name in LANGUAGES:
        found = [LANGUAGES[name]]
    else:
        found = [language for language in LANGUAGES.values() if name is None or name in language.name]
        if not found:
            found = [find(name or "")]
    chosen = [language for language in found if logic in (None, language.logic)]
    if not chosen and logic is not None:
        raise InputError(f"no language with {show(name)} in its name is of the class {logic.value}")
    return chosen


def languages_table(languages: Iterable[Language]) -> Table:
    """One row per language: name, title, class, formula, alphabet, where it must hold, depth; reference."""
    columns = [
        Column("name", "name", align="left"),
        Column("title", "language", align="left"),
        Column("class", "class", align="left"),
        Column("formula", "formula", align="left"),
        Column("alphabet", "over", align="left"),
        Column("acceptance", "holds at", align="left"),
        Column("depth", "depth"),
        Column("reference", "source", align="left"),
    ]
    rows = []
    for language in languages:
        data = language.data() | {"alphabet": " ".join(language.alphabet)}
        rows.append([Cell(str(data[column.key]), data=data[column.key]) for column in columns])
    notes = ["depth: nesting of temporal operators and counts."]
    return Table(columns, rows, f"{len(rows)} languages", notes)


def languages_text(languages: Iterable[Language]) -> str:
    """The names and titles of languages, class by class, as lines of text."""
    listed = list(languages)
    lines = [f"{len(listed)} languages; name one to see its formula."]
    for logic, entry in CLASSES.items():
        members = [language for language in listed if language.logic is logic]
        if members:
            lines += ["", f"{logic.value}: {entry.logic}"]
            lines += [f"  {language.name:<20} {language.title}" for language in members]
    return "\n".join(lines)


def first_words(language: Language, most: int = 5) -> Iterator[str]:
    """The first non-empty words of the language, by length and then in order of the alphabet, up to length 8."""
    k = len(language.alphabet)
    found = 0
    for n in range(1, 9):
        words = all_words(k, n)
        for word in words[accepted(language.formula, words, language.alphabet, language.acceptance)]:
            yield word_text(word, language.alphabet)
            found += 1
            if found == most:
                return


def language_text(language: Language) -> str:
    """A language in detail, as lines of text; the formula is on one line."""
    data = language.data()
    lines = {
        "formula": language.text,
        "alphabet": " ".join(language.alphabet),
        "holds at": f"the {language.acceptance.value} position",
        "class": f"{language.logic.value} ({CLASSES[language.logic].logic})",
        "words": ", ".join([*(["the empty word"] if language.empty else []), *first_words(language), "..."]),
        "depth": f"{data['depth']}, with {data['size']} subformulas",
        "source": language.reference,
    }
    return "\n".join([f"{language.name}: {language.title}", *(f"  {key:<9} {text}" for key, text in lines.items())])


def classes_table(measure: Measure | None = None) -> Table:
    """The summary of statement D7, a row per class; with `measure`, a row per class and regime of softmax attention.

    measure: gives the columns on the size of embeddings and the temperature, from the models compiled for the first
    example of each class.
    """
    columns = [
        Column("class", "class", align="left"),
        Column("logic", "logic", align="left"),
        Column("model", "hard attention", align="left"),
        Column("regime", "softmax", align="left"),
    ]
    if measure is not None:
        columns += [Column("embedding", "embeddings", align="left"), Column("temperature", "temperature", align="left")]
    columns.append(Column("examples", "examples", align="left"))
    rows = []
    for logic, entry in CLASSES.items():
        fixed, examples = [logic.value, entry.logic, entry.model], ", ".join(entry.examples)
        if measure is None:
            rows.append([Cell(text) for text in (*fixed, " or ".join(REGIMES), examples)])
            continue
        for regime in REGIMES:
            needs = measure(LANGUAGES[entry.examples[0]], regime)
            rows.append([Cell(text) for text in (*fixed, regime, needs.embedding, needs.temperature, examples)])
    notes = [
        "unbounded: a fixed temperature. scaled: bounded embeddings, and a temperature that falls with the length."
    ]
    if measure is not None:
        notes.append("Embeddings and temperature are those of the model compiled for the first example.")
    return Table(columns, rows, TITLE, notes)


def classes_text(measure: Measure | None = None) -> str:
    """The content of `classes_table` as lines of text, a paragraph per class."""
    table = classes_table(measure)
    keys = [column.key for column in table.columns]
    lines, last = [TITLE], ""
    for row in table.rows:
        entry = dict(zip(keys, (cell.text for cell in row), strict=True))
        softmax = entry["regime"]
        if "embedding" in entry:
            softmax += f": embeddings {entry['embedding']}, temperature {entry['temperature']}"
        if entry["class"] == last:
            lines += textwrap.wrap(softmax, 80, initial_indent=" " * 18, subsequent_indent=" " * 18)
            continue
        last = entry["class"]
        lines += ["", f"{entry['class']}: {entry['logic']}"]
        for name, text in (("hard attention", entry["model"]), ("examples", entry["examples"]), ("softmax", softmax)):
            lines += textwrap.wrap(f"  {name:<16}{text}", 80, subsequent_indent=" " * 18)
    return "\n".join([*lines, "", *(line for note in table.notes for line in textwrap.wrap(note, 80))])
