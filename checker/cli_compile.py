"""The command `hardsoft compile`: a formula of temporal logic becomes a transformer with explicit weights."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from checker.console import emit
from checker.errors import InputError

if TYPE_CHECKING:
    from checker.logic.formula import Formula
    from checker.logic.language import Language
    from checker.transformer.model import Transformer


def compile_(
    formula: Annotated[
        str, typer.Argument(metavar="FORMULA", help='A formula, such as "a S b", or the name of a language.')
    ],
    alphabet: Annotated[
        str | None, typer.Option("--alphabet", metavar="ABC", help="The symbols: abc, or names: a,b,begin.")
    ] = None,
    out: Annotated[str | None, typer.Option("-o", "--out", metavar="FILE", help="Where the model (JSON) goes.")] = None,
    regime: Annotated[
        str,
        typer.Option("--regime", metavar="REGIME", help="unbounded, scaled, or bounded (which has no guarantee)."),
    ] = "unbounded",
    accept: Annotated[
        str | None,
        typer.Option("--accept", metavar="POSITION", help="Where a word is judged: first, or last (the default)."),
    ] = None,
    tau: Annotated[
        str | None, typer.Option("--tau", metavar="T", help="tau_0 > 0 in units of score; 1/m, m least, if left out.")
    ] = None,
    threshold: Annotated[
        str, typer.Option("--threshold", metavar="A", help="Clean-up threshold, 0 < A < 1/2.")
    ] = "1/4",
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")] = False,
) -> None:
    """Compile a formula to a transformer that computes it exactly, for words of every length.

    If the formula has future operators, --accept must be stated. The name of a language stands for its formula, with
    its alphabet and acceptance position unless others are stated. A model file that exists is replaced, as a whole.
    """
    from checker.compile.summary import summary, summary_text
    from checker.exact import exact
    from checker.transformer.specfile import write

    _, model = compiled(
        formula,
        alphabet,
        accept,
        regime=regime,
        threshold=exact(threshold, "--threshold"),
        tau0=None if tau is None else exact(tau, "--tau"),
    )
    if out is not None:
        write(out, model)
    if json_:
        emit(json.dumps({**summary(model), "file": out}, indent=2, ensure_ascii=False))
    else:
        emit(summary_text(model) + (f"\n\n  written to {out}" if out is not None else ""))


def compiled(text: str, alphabet: str | None, accept: str | None, **how: Any) -> tuple[Formula, Transformer]:
    """A formula, or that of a language of this name, and its model; how: further arguments of compile_formula.

    A language brings its alphabet and acceptance position, unless others are stated. Raises InputError for other text,
    and for a formula without an alphabet.
    """
    from checker.compile.compiler import compile_formula
    from checker.logic.alphabet import parse_alphabet

    formula, language = formula_or_language(text)
    if language is not None:
        symbols = language.alphabet if alphabet is None else parse_alphabet(alphabet)
        place = language.acceptance.value if accept is None else accept
        return formula, compile_formula(formula, symbols, acceptance=place, name=language.name, **how)
    if alphabet is None:
        raise InputError("--alphabet is missing; name the symbols, such as --alphabet abc")
    return formula, compile_formula(formula, parse_alphabet(alphabet), acceptance=accept, **how)


def formula_or_language(text: str) -> tuple[Formula, Language | None]:
    """The formula that is written, or that of the language of this name, with the language; InputError for neither."""
    from checker.logic.text import parse_formula
    from checker.logic.zoo import LANGUAGES, find

    if text in LANGUAGES:
        return LANGUAGES[text].formula, LANGUAGES[text]
    try:
        return parse_formula(text), None
    except InputError as error:
        if not re.fullmatch(r"[a-z0-9]{2,}(-[a-z0-9]+)*", text):
            raise
        try:
            find(text)
        except InputError as unknown:
            raise InputError(f"{error}; and {unknown}") from None
        raise
