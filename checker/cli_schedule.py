"""The command `hardsoft schedule`: the temperature at which a head meets a target error, as a function of n."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from checker.errors import InputError


def schedule(
    head: Annotated[
        str,
        typer.Argument(
            metavar="HEAD",
            help="constant-gap, linear, linear-both, lookup, noisy-lookup, rightmost or leftmost.",
        ),
    ],
    eps: Annotated[str, typer.Option("--eps", help="Target total variation distance, 0 < eps < 1.")],
    regime: Annotated[str, typer.Option("--regime", help="unbounded (fixed temperature) or scaled.")],
    n: Annotated[str | None, typer.Option("--n", help="Lengths, e.g. 10,1000,10^6; formulas alone if none.")] = None,
    gamma: Annotated[str | None, typer.Option("--gamma", help="Gap, or growth per position (default 1).")] = None,
    k: Annotated[str | None, typer.Option("--k", help="Number of maximal positions (default 1).")] = None,
    noise: Annotated[str | None, typer.Option("--noise", help="Noise of a lookup's query, in [0, 1/2).")] = None,
    spread: Annotated[
        str | None, typer.Option("--spread", help="Spread of the scores, for the necessary condition.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="text, markdown, latex, csv or json.")] = "text",
    digits: Annotated[int, typer.Option("--digits", help="Significant digits.")] = 3,
    json_: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """Give the temperature (or the score scale) at which a head meets a target error, and what it rests on."""
    from checker.exact import exact, exact_int_list
    from checker.formats import FORMATS, render
    from checker.schedule import make_schedule
    from checker.schedule_report import schedule_table

    if form not in FORMATS:
        raise InputError(f"--format must be one of {', '.join(FORMATS)}, got {form!r}")
    if json_ and form not in ("text", "json"):
        raise InputError(f"--json and --format {form} exclude each other")
    flags = {"gamma": gamma, "k": k, "noise": noise, "spread": spread}
    options = {name: exact(text, f"--{name}") for name, text in flags.items() if text is not None}
    lengths = exact_int_list(n, "--n") if n is not None else []
    made = make_schedule(head, exact(eps, "--eps"), regime, options)
    sys.stdout.write(render(schedule_table(made, lengths, digits), "json" if json_ else form))
