"""The command `hardsoft gap`: the exact least gaps of a hard-attention transformer, and what else its runs show."""

from __future__ import annotations

import json
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


JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")]

DEFAULT_LONGEST = 6


def gap(
    what: Annotated[
        str | None,
        typer.Argument(metavar="MODEL", help="A model file (.json), an example, or a language (it is compiled)."),
    ] = None,
    max_n: Annotated[str | None, _option("--max-n", "N", "All lengths up to N; 6 if left out.")] = None,
    lengths: Annotated[str | None, _option("--n", "LIST", "These lengths instead, such as 4,8,12.")] = None,
    alphabet: Annotated[str | None, _option("--alphabet", "ABC", "Only words over these symbols of the model.")] = None,
    sample: Annotated[
        str | None, _option("--sample", "K", "K random words where there are more; then nothing is claimed for others.")
    ] = None,
    seed: Annotated[str | None, _option("--seed", "S", "Of the sample; 0 if left out.")] = None,
    jobs: JobsOption = None,
    ledger: LedgerOption = None,
    engine: EngineOption = "local",
    scheduler: SchedulerOption = None,
    json_: JsonFlag = False,
) -> None:
    """Find the least gaps of a hard-attention transformer, exactly.

    For every length n, all words are run with hard attention in rational arithmetic: the least distance from the
    maximal score of a head to the next lower one, with a word and a position that attain it; ties; the largest number
    B(n) in the residual stream; the least distance mu(n) of a logit from 0. Without MODEL, the examples are listed.
    """
    from checker.exact import exact_int, exact_int_list
    from checker.general.gapreport import as_json, as_text, measure_lengths
    from checker.progress import bar

    flags = Flags(jobs, ledger, engine, scheduler)
    flags.processes()
    if max_n is not None and lengths is not None:
        raise InputError("--max-n and --n exclude each other: all lengths up to N, or a list of lengths")
    if seed is not None and sample is None:
        raise InputError("--seed is about --sample; all words are run without one")
    if what is None:
        if any(flag is not None for flag in (max_n, lengths, alphabet, sample, ledger)):
            raise InputError("MODEL is missing; name a model file (.json), an example or a language")
        emit(_examples(json_))
        return
    if lengths is not None:
        wanted = exact_int_list(lengths, "--n")
    else:
        longest = DEFAULT_LONGEST if max_n is None else exact_int(max_n, "--max-n")
        if not 1 <= longest <= MOST_LENGTHS:
            raise InputError(f"--max-n must be between 1 and {MOST_LENGTHS}, got {max_n}; for longer words: --n LIST")
        wanted = list(range(1, longest + 1))
    size = None if sample is None else exact_int(sample, "--sample")
    start = 0 if seed is None else exact_int(seed, "--seed")
    model = model_named(what)
    if alphabet is not None:
        model = _restricted(model, alphabet)
    parameters = {"lengths": wanted, "--sample": size, "--seed": start}
    with working(flags, "gap", {"model": model}, parameters) as work, bar("gap") as update:
        found = measure_lengths(model, wanted, sample=size, seed=start, update=update, work=work)
    emit(json.dumps(as_json(model, found), indent=2, ensure_ascii=False) if json_ else as_text(model, found))


MOST_LENGTHS = 100
"""The largest --max-n."""


def _restricted(model: Transformer, text: str) -> Transformer:
    """The model for words over some of its symbols."""
    from dataclasses import replace

    from checker.exact import show
    from checker.logic.alphabet import parse_alphabet, show_alphabet

    chosen = parse_alphabet(text)
    for symbol in chosen:
        if symbol not in model.alphabet:
            known = show_alphabet(model.alphabet)
            raise InputError(f"--alphabet: the symbol {show(symbol)} is not in the model's alphabet {known}")
    return replace(model, alphabet=chosen, embedding={symbol: model.embedding[symbol] for symbol in chosen})


def _examples(json_: bool) -> str:
    from checker.formats import Cell, Column, Table, to_text
    from checker.transformer.examples import EXAMPLES

    if json_:
        rows = [
            {"name": one.name, "accepts": one.title, "attention": one.attention, "note": one.note}
            for one in EXAMPLES.values()
        ]
        return json.dumps({"examples": rows}, indent=2, ensure_ascii=False)
    columns = [Column(key, key, align="left") for key in ("name", "accepts", "attention")]
    cells = [[Cell(one.name), Cell(one.title), Cell(one.attention)] for one in EXAMPLES.values()]
    return to_text(Table(columns, cells, "Examples of hard-attention transformers"), 118)
