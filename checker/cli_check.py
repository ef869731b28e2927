"""The commands `hardsoft check` and `hardsoft sharpen`: anyone's claim proved for all n, refuted, or undecided."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from checker.console import REFUTED, UNDECIDED, emit
from checker.errors import InputError
from checker.exact import exact

Assume = Annotated[
    list[str] | None,
    typer.Option("--assume", "-a", metavar="ASSUMPTION", help='Such as "gap >= gamma", "n >= 2"; repeatable.'),
]
Time = Annotated[str, typer.Option("--time", metavar="SECONDS", help="Effort per claim, 1 to 3600.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")]


def check(
    claim: Annotated[
        str | None,
        typer.Argument(metavar="CLAIM", help='A claim such as "l1 <= 2*n*exp(-gamma/tau)", or a .toml file.'),
    ] = None,
    assume: Assume = None,
    explain: Annotated[bool, typer.Option("--explain", help="Drop each assumption in turn.")] = False,
    steps: Annotated[bool, typer.Option("--steps", help="Print the steps of each derivation.")] = False,
    library: Annotated[bool, typer.Option("--library", help="Check the claims that come with the program.")] = False,
    seconds: Time = "30",
    json_: Json = False,
) -> None:
    """Prove a claim for all values of its variables, or refute it with a witness.

    Exit codes: 0 proved, 1 refuted, 2 undecided, 3 bad input. For a library or a file with verdicts: 0 when every
    claim gets the verdict stated.
    """
    from checker.claims.files import Entry, read_file, read_text
    from checker.claims.files import library as all_claims

    effort = _seconds(seconds)
    if library and (claim or assume or explain or steps):
        raise InputError("--library checks its own claims; leave CLAIM, --assume, --explain and --steps out")
    if library:
        entries = [(topic, entry) for topic, found in all_claims().items() for entry in found]
        _many(entries, effort, json_)
        return
    if not claim:
        raise InputError('name a claim such as "l1 <= 2*n*exp(-gamma/tau)", a .toml file, or --library')
    if claim.endswith(".toml"):
        if assume:
            raise InputError("a file states its own assumptions; leave --assume out")
        found = read_file(claim)
        if len(found) > 1:
            if explain or steps:
                raise InputError("--explain and --steps are for one claim")
            _fit(claim, found)
            _many([(claim, entry) for entry in found], effort, json_)
            return
        entry = found[0]
    else:
        entry = Entry(read_text(claim, assume or []))
    _one(entry, effort, explain, steps, json_)


def sharpen(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help='With a constant, as in "l1 <= C*n*exp(-gamma/tau)".')],
    assume: Assume = None,
    constant: Annotated[str, typer.Option("--constant", metavar="NAME", help="The name of the constant: C.")] = "C",
    seconds: Time = "60",
    json_: Json = False,
) -> None:
    """Find the least constant for which a claim holds, exactly or between two bounds, with proof and witness.

    Exit codes: 0 when the least constant is exact or enclosed, 2 undecided, 3 bad input.
    """
    from checker.claims.files import read_text
    from checker.claims.report import sharp_json, sharp_text
    from checker.claims.sharpen import sharpen as least

    if constant != "C":
        raise InputError(f"the constant is written C; write C for {constant} in the claim, and leave --constant out")
    if claim.endswith(".toml"):
        raise InputError('sharpen takes the claim itself, such as "l1 <= C*n*exp(-gamma/tau)", and no file')
    statement, effort = read_text(claim, assume or []), _seconds(seconds)
    found = least(statement, effort)
    emit(json.dumps(sharp_json(statement, found), indent=2) if json_ else sharp_text(statement, found))
    if found.high is None:
        raise typer.Exit(UNDECIDED)


def _one(entry: Any, effort: float, explain: bool, steps: bool, json_: bool) -> None:
    from checker.claims.check import check as decide
    from checker.claims.check import explain as drop
    from checker.claims.report import as_json, as_text, explained

    report = decide(entry.claim, effort)
    dropped = drop(entry.claim, effort) if explain else []
    if json_:
        document = as_json(report)
        if explain:
            document["without"] = [{"assumption": item.text, **as_json(result)} for item, result in dropped]
        emit(json.dumps(document, indent=2))
    else:
        text = as_text(report, steps=steps)
        emit(text + ("\n" + explained(dropped) if dropped else ""))
    raise typer.Exit(_code(report.outcome.value))


def _fit(path: str, entries: list[Any]) -> None:
    """Refuse a file with a claim that cannot be checked before time is spent on the others."""
    from checker.claims.check import fitting

    for place, entry in enumerate(entries, 1):
        try:
            fitting(entry.claim)
        except InputError as error:
            raise InputError(f"{path}, claim {place}: {error}") from None


def _many(entries: list[tuple[str, Any]], effort: float, json_: bool) -> None:
    from checker.claims.check import check as decide
    from checker.progress import bar

    results: list[tuple[str, Any, Any]] = []
    try:
        with bar("check") as update:
            for place, (topic, entry) in enumerate(entries):
                update(place, len(entries), topic)
                results.append((topic, entry, decide(entry.claim, effort)))
    except KeyboardInterrupt:  # what is decided is not lost
        _print_many(results, json_)
        raise
    _print_many(results, json_)
    verdicts = [(report.outcome.value.lower(), entry.expected) for _, entry, report in results]
    wrong = [got for got, expected in verdicts if got != expected]
    if wrong:
        raise typer.Exit(UNDECIDED if set(wrong) == {"undecided"} else REFUTED)


def _print_many(results: list[tuple[str, Any, Any]], json_: bool) -> None:
    from checker.claims.report import as_json, library_text

    if json_:
        documents = [
            {"topic": topic, "reference": entry.reference, "expected": entry.expected, **as_json(report)}
            for topic, entry, report in results
        ]
        emit(json.dumps({"claims": documents}, indent=2))
    else:
        emit(library_text(results))


def _code(outcome: str) -> int:
    return {"PROVED": 0, "REFUTED": REFUTED}.get(outcome, UNDECIDED)


def _seconds(text: str) -> float:
    value = exact(text, "--time")
    if not 1 <= value <= 3600:
        raise InputError(f"--time must be between 1 and 3600 seconds, got {text}")
    return float(value)
