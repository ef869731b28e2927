"""The command `hardsoft plot`: draw the picture of a statement, or of temperature schedules, and export its data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from checker.console import emit
from checker.errors import InputError


def _option(flag: str, metavar: str, text: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=text)


def plot(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="A statement with a picture, A2 to C3, or the word schedule.")
    ],
    heads: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HEAD",
            help="After schedule: constant-gap, linear, linear-both, lookup, noisy-lookup, rightmost or leftmost.",
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FILE", help="The picture, .pdf, .svg or .png; data as .csv.")
    ] = None,
    n: Annotated[str | None, _option("--n", "LIST", "Lengths: curves, or the points marked on the axis.")] = None,
    tau: Annotated[str | None, _option("--tau", "LIST", "Temperatures: curves, or the points marked.")] = None,
    gamma: Annotated[str | None, _option("--gamma", "X", "Gap, or growth of the scores per position, > 0.")] = None,
    k: Annotated[str | None, _option("--k", "K", "Number of maximal positions, 1 <= k < n.")] = None,
    eps: Annotated[str | None, _option("--eps", "LIST", "Target errors, > 0.")] = None,
    eta: Annotated[str | None, _option("--eta", "LIST", "Largest changes of a score, >= 0.")] = None,
    delta: Annotated[str | None, _option("--delta", "X", "Spread max - min of the scores, > 0.")] = None,
    c: Annotated[str | None, _option("--c", "X", "Score scale of lookups and of rightmost heads, > 0.")] = None,
    noise: Annotated[str | None, _option("--noise", "LIST", "Noise of a lookup's query, in [0, 1/2).")] = None,
    chi: Annotated[str | None, _option("--chi", "BITS", "Predicate of B6's attention row, such as 01001.")] = None,
    width: Annotated[str, _option("--width", "WIDTH", "single (3.35 in) or double (6.9 in) column.")] = "single",
    json_: Annotated[bool, typer.Option("--json", help="Print the data as one JSON document on stdout.")] = False,
) -> None:
    """Draw the picture of a statement, and write its data beside it as CSV.

    Every value is a rigorous enclosure; exported values are rounded to their safe side. Parameters that are left out
    have defaults, and a picture names the ones it uses if it is given another.
    """
    from checker.parameters import parse_values
    from checker.picture import to_json
    from checker.plotfile import check_path, save
    from checker.plots import build
    from checker.plotstyle import WIDTHS

    if out is None and not json_:
        raise InputError("name the picture with -o FILE.pdf, .svg or .png, or print the data with --json")
    if width not in WIDTHS:
        raise InputError(f"--width must be one of {', '.join(WIDTHS)}, got {width!r}")
    path = None if out is None else Path(out)
    if path is not None:
        check_path(path)
    flags = {"n": n, "tau": tau, "gamma": gamma, "k": k, "eps": eps, "eta": eta, "delta": delta, "c": c, "noise": noise}
    picture = build(identifier.strip(), parse_values(flags), heads or (), chi)
    written = [] if path is None else save(picture, path, width)
    if json_:
        emit(json.dumps(to_json(picture) | {"files": [str(name) for name in written]}, indent=2, ensure_ascii=False))
    else:
        emit("\n".join(f"wrote {name}" for name in written))
