"""The command `hardsoft languages`: the zoo, one of its languages in detail, and the table of classes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from checker.console import emit
from checker.errors import InputError

if TYPE_CHECKING:
    from checker.logic.report import Measure


def command(measure: Callable[[], Measure] | None = None) -> Callable[..., None]:
    """The command. measure: gives, when needed, what fills the columns of --classes that come from compiled models."""

    def languages(
        name: Annotated[
            str | None, typer.Argument(metavar="NAME", help="A language, or a part of names; all if left out.")
        ] = None,
        class_: Annotated[
            str | None,
            typer.Option("--class", metavar="CLASS", help="Y, P, LTL, LTL+mod, LTL+num or LTL+count."),
        ] = None,
        classes: Annotated[bool, typer.Option("--classes", help="Print the table of classes (D7) instead.")] = False,
        form: Annotated[
            str, typer.Option("--format", metavar="FORMAT", help="text, markdown, latex, csv or json.")
        ] = "text",
        json_: Annotated[
            bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")
        ] = False,
    ) -> None:
        """List languages with formulas that recognise them, or show one of them.

        Formula, alphabet, where the formula must hold, the class of the logic, and the first words.
        """
        from checker.formats import FORMATS, render
        from checker.logic import report

        if form not in FORMATS:
            raise InputError(f"--format must be one of {', '.join(FORMATS)}, got {form!r}")
        if json_ and form not in ("text", "json"):
            raise InputError(f"--json and --format {form} exclude each other")
        chosen = "json" if json_ else form
        if classes:
            if name is not None or class_ is not None:
                raise InputError("--classes shows all classes; leave out NAME and --class")
            measured = measure() if measure is not None else None
            text = chosen == "text"
            emit(report.classes_text(measured) if text else render(report.classes_table(measured), chosen))
            return
        found = report.select(name, report.parse_class(class_) if class_ is not None else None)
        if chosen == "json":
            emit(json.dumps({"languages": [dict(language.data()) for language in found]}, indent=2, ensure_ascii=False))
        elif chosen != "text":
            emit(render(report.languages_table(found), chosen))
        elif len(found) == 1 and found[0].name == name:
            emit(report.language_text(found[0]))
        else:
            emit(report.languages_text(found))

    return languages


languages = command()
