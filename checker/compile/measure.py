"""What the compiled model of a language needs: the size of its embedding and its temperature, for the table of D7."""

from __future__ import annotations

from checker.compile.compiler import compile_formula
from checker.logic.language import Language
from checker.logic.report import Measured
from checker.transformer.growth import embedding_size


def measure(language: Language, regime: str) -> Measured:
    """Compile the language in the regime ("unbounded" or "scaled") and read off what its model needs."""
    model = compile_formula(language.formula, language.alphabet, regime=regime, acceptance=language.acceptance)
    return Measured(embedding_size(model), str(model.temperature))
