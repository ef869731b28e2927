"""A named language: a formula, where it must hold, the class it shows, and whether the empty word belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from checker.logic.acceptance import Acceptance
from checker.logic.classes import LogicClass
from checker.logic.formula import Formula, temporal_depth
from checker.logic.text import parse_formula


@dataclass(frozen=True)
class Language:
    """An entry of the zoo.

    name: for the command line. title: the language in words. text: the formula. alphabet: its symbols. acceptance:
    where the formula must hold. logic: the fragment of statement D7 in which it is written. empty: whether the empty
    word belongs to the language; declared, since formulas are evaluated at positions. reference: where it comes from.
    """

    name: str
    title: str
    text: str
    alphabet: tuple[str, ...]
    acceptance: Acceptance
    logic: LogicClass
    empty: bool
    reference: str

    @cached_property
    def formula(self) -> Formula:
        """The formula, parsed from the text."""
        return parse_formula(self.text)

    def data(self) -> dict[str, Any]:
        """The entry as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "formula": self.text,
            "alphabet": list(self.alphabet),
            "acceptance": self.acceptance.value,
            "class": self.logic.value,
            "empty_word": self.empty,
            "depth": temporal_depth(self.formula),
            "size": self.formula.size,
            "reference": self.reference,
        }
