"""The commands `hardsoft certify` and `hardsoft run`: what a transformer computes, and what it does on one word."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from checker.cli_model import model_named
from checker.cli_work import EngineOption, Flags, JobsOption, LedgerOption, SchedulerOption, working
from checker.console import emit
from checker.errors import InputError

if TYPE_CHECKING:
    from checker.transformer.model import Transformer


def _option(flag: str, metavar: str, text: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=text)


TAU_HELP = "Replaces tau_0 in the model's temperature tau_0/(n + 2)^d."
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")]


def certify(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|FORMULA",
            help='A model file (.json); or a formula such as "a S b", or the name of a language.',
        ),
    ],
    max_length: Annotated[str, _option("--max-length", "N", "Longest words that are all tried.")] = "8",
    alphabet: Annotated[str | None, _option("--alphabet", "ABC", "For a formula: the symbols, abc or a,b,xy.")] = None,
    regime: Annotated[
        str | None, _option("--regime", "REGIME", "For a formula: unbounded (if left out), scaled or bounded.")
    ] = None,
    accept: Annotated[
        str | None, _option("--accept", "POSITION", "For a formula: where a word is judged, first or last.")
    ] = None,
    formula: Annotated[
        str | None, _option("--formula", "FORMULA", "For a model: what it should compute, if not what it says itself.")
    ] = None,
    tau: Annotated[str | None, _option("--tau", "T", TAU_HELP)] = None,
    jobs: JobsOption = None,
    ledger: LedgerOption = None,
    engine: EngineOption = "local",
    scheduler: SchedulerOption = None,
    json_: JsonFlag = False,
) -> None:
    """Certify what a transformer computes, for all words of all lengths and on all short ones.

    For all lengths, a formula is read back from the weights alone, with an error bound for every head; if it is the
    formula claimed, this is a proof. On all words of length 1..N the formula, the exact hard run and the enclosed soft
    run are compared at every position.
    """
    from checker.certify.certificate import EXIT_CODES, claim_of
    from checker.certify.certificate import certify as make
    from checker.certify.report import as_json, as_text
    from checker.cli_compile import compiled
    from checker.exact import exact, exact_int
    from checker.logic.text import parse_formula
    from checker.progress import bar

    flags = Flags(jobs, ledger, engine, scheduler)
    flags.processes()
    temperature, longest = _temperature(tau, exact), exact_int(max_length, "--max-length")
    if _is_file(what):
        for flag, given in (("--alphabet", alphabet), ("--regime", regime), ("--accept", accept)):
            if given is not None:
                raise InputError(f"{flag} is for a formula; {what} is a model, which has its own")
        model = _read(what)
        claimed = claim_of(model) if formula is None else parse_formula(formula)
    else:
        if formula is not None:
            raise InputError("--formula is for a model; the formula to certify is the argument itself")
        claimed, model = compiled(what, alphabet, accept, regime="unbounded" if regime is None else regime)
    about = {"model": model, "formula claimed": claimed}
    parameters = {"--max-length": longest, "--tau": None if temperature is None else str(temperature)}
    with working(flags, "certify", about, parameters) as work, bar("certify") as update:
        found = make(model, longest, claimed=claimed, tau0=temperature, update=update, work=work)
    emit(json.dumps(as_json(found), indent=2, ensure_ascii=False) if json_ else as_text(found))
    raise typer.Exit(EXIT_CODES[found.outcome])


def run(
    file: Annotated[str, typer.Argument(metavar="MODEL", help="A model file (.json), an example, or a language.")],
    word: Annotated[str, _option("--word", "WORD", "The word: abba, or a,begin,b.")],
    hard: Annotated[bool, typer.Option("--hard", help="Only the exact run with hard attention.")] = False,
    soft: Annotated[bool, typer.Option("--soft", help="Only the enclosed run with softmax attention.")] = False,
    tau: Annotated[str | None, _option("--tau", "T", TAU_HELP)] = None,
    trace: Annotated[bool, typer.Option("--trace", help="What each head attends to, its gap and its error.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Run a transformer on one word, with hard attention (exactly) and with softmax attention (enclosed)."""
    from checker.certify.trace import as_json, as_text, run_word
    from checker.exact import exact
    from checker.logic.alphabet import parse_word

    if hard and soft:
        raise InputError("--hard and --soft exclude each other; leave both out for both runs")
    if hard and tau is not None:
        raise InputError("--hard and --tau exclude each other: hard attention has no temperature")
    model = model_named(file)
    symbols = [model.alphabet[number] for number in parse_word(word, model.alphabet)]
    found = run_word(model, symbols, hard=not soft, soft=not hard, tau0=_temperature(tau, exact))
    emit(json.dumps(as_json(found, trace), indent=2, ensure_ascii=False) if json_ else as_text(found, trace))


def _temperature(text: str | None, exact: Any) -> Fraction | None:
    if text is None:
        return None
    value: Fraction = exact(text, "--tau")
    if value <= 0:
        raise InputError(f"--tau must be > 0, got {text}")
    return value


def _is_file(what: str) -> bool:
    """A formula never ends in .json, whatever files there are."""
    return what.endswith(".json")


def _read(path: str) -> Transformer:
    from checker.transformer.specfile import read

    return read(path)
