"""The command `hardsoft paper`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from checker.console import RejectedError, emit


def paper(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Statements (A2) or sections (A); all if none.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="Directory to write.")] = None,
    more: Annotated[str | None, typer.Option("--ids", metavar="LIST", help="Likewise, e.g. A1,A2.")] = None,
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="With one figure for each statement.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Write into a directory with other files.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """Write a LaTeX appendix: statements, derivations step by step, tables, figures."""
    from checker.errors import InputError
    from checker.paper import build, select
    from checker.paper_files import check_target, write
    from checker.progress import bar
    from proofs.props import ProofError
    from proofs.registry import library

    if out is None:
        raise InputError("paper needs --out DIR, the directory to write")
    names = [*(ids or []), *([more] if more is not None else [])]
    select(names)
    check_target(out, force)
    try:
        with bar("paper") as progress:
            made = build(names, library(), figures, progress)
    except ProofError as error:
        raise RejectedError(f"a derivation is rejected, nothing is written: {error}") from None
    write(out, made.files, force)
    if json_:
        document = {
            "out": str(out),
            "command": made.command,
            "statements": made.statements,
            "claims": made.claims,
            "steps": made.steps,
            "tables": made.tables,
            "figures": made.figures,
            "without_figures": made.without_figures or None,
            "files": sorted(made.files),
        }
        emit(json.dumps(document, indent=2, ensure_ascii=False))
        return
    counts = f"{len(made.statements)} statements, {made.claims} claims, {made.steps} steps"
    shown = f"{len(made.tables)} tables, {len(made.figures)} figures"
    emit(f"{out / 'appendix.tex'}: {counts}, {shown}")
    if made.without_figures:
        emit(f"no figures: {made.without_figures}")
