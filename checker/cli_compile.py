"""The command `hardsoft compile`: a formula of temporal logic becomes a transformer with explicit weights."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from checker.console import emit
from checker.errors import InputError


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

    If it has future operators, --accept must be stated. A model file that exists is replaced, as a whole.
    """
    from checker.compile.compiler import compile_formula
    from checker.compile.summary import summary, summary_text
    from checker.exact import exact
    from checker.logic.alphabet import parse_alphabet
    from checker.logic.text import parse_formula
    from checker.transformer.specfile import write

    if alphabet is None:
        raise InputError("--alphabet is missing; name the symbols, such as --alphabet abc")
    model = compile_formula(
        parse_formula(formula),
        parse_alphabet(alphabet),
        regime=regime,
        acceptance=accept,
        threshold=exact(threshold, "--threshold"),
        tau0=None if tau is None else exact(tau, "--tau"),
    )
    if out is not None:
        write(out, model)
    if json_:
        emit(json.dumps({**summary(model), "file": out}, indent=2, ensure_ascii=False))
    else:
        emit(summary_text(model) + (f"\n\n  written to {out}" if out is not None else ""))
