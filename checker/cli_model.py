"""What MODEL stands for on the command line: a file, an example, or a language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from checker.errors import InputError

if TYPE_CHECKING:
    from checker.transformer.model import Transformer


def model_named(what: str) -> Transformer:
    """The model of a file (.json), an example, or a language of the zoo (compiled at a fixed temperature).

    Raises InputError for a file that is no model, and for unknown names.
    """
    from difflib import get_close_matches

    from checker.exact import show
    from checker.logic.zoo import LANGUAGES
    from checker.transformer.examples import EXAMPLES

    if what.endswith(".json"):
        from checker.transformer.specfile import read

        return read(what)
    if what in EXAMPLES:
        return EXAMPLES[what].model()
    if what in LANGUAGES:
        from checker.compile.compiler import compile_formula

        entry = LANGUAGES[what]
        return compile_formula(entry.formula, entry.alphabet, acceptance=entry.acceptance, name=entry.name)
    close = get_close_matches(what, [*EXAMPLES, *LANGUAGES], n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else "hardsoft gap and hardsoft languages list them"
    raise InputError(f"no example and no language is named {show(what)}, and a model file ends in .json; {hint}")
