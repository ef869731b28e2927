"""The command `hardsoft simulate`: temperatures at which softmax attention decides like hard attention."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from checker.cli_model import model_named
from checker.cli_work import EngineOption, Flags, JobsOption, LedgerOption, SchedulerOption, working
from checker.console import emit
from checker.errors import InputError

if TYPE_CHECKING:
    from checker.general.simulate import Declared


def _option(flag: str, metavar: str, text: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=text)


JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")]


def simulate(
    what: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model file (.json), an example, or a language (it is compiled).")
    ],
    lengths: Annotated[str, _option("--n", "LIST", "Lengths of words, such as 3,4,5.")] = "3,4,5",
    eps: Annotated[str | None, _option("--eps", "E", "Allow errors of the logit up to E.")] = None,
    decide: Annotated[bool, typer.Option("--decide", help="Keep every decision (the default).")] = False,
    gap: Annotated[str | None, _option("--gap", "EXPR", "Declared least gap, in n: 1/n^2.")] = None,
    bound: Annotated[str | None, _option("--bound", "EXPR", "Declared bound of the residual stream, in n.")] = None,
    margin: Annotated[str | None, _option("--margin", "EXPR", "Declared least |logit|, in n.")] = None,
    max_check: Annotated[str, _option("--max-check", "N", "Longest words all run with softmax attention.")] = "6",
    write: Annotated[
        str | None, _option("--write", "FILE", "Write the transformer with ties broken for the last length.")
    ] = None,
    jobs: JobsOption = None,
    ledger: LedgerOption = None,
    engine: EngineOption = "local",
    scheduler: SchedulerOption = None,
    json_: JsonFlag = False,
) -> None:
    """Find temperatures at which softmax attention simulates a hard-attention transformer, and prove them.

    For every length n: the exact hard run of all words; a temperature from upper bounds of all errors, certified where
    it is printed; and, for n up to --max-check, the true errors, and the largest temperature that works. Ties of
    leftmost- and rightmost-hard heads are broken first. With --gap, --bound and --margin (all three), no word is run,
    so n may be large: what is printed then depends on them.
    """
    from checker.exact import exact, exact_int, exact_int_list
    from checker.general import simulate as general
    from checker.general.simulatereport import as_json, as_text, exit_code
    from checker.progress import bar
    from checker.transformer.specfile import write as write_file

    flags = Flags(jobs, ledger, engine, scheduler)
    flags.processes()
    wanted, longest = exact_int_list(lengths, "--n"), exact_int(max_check, "--max-check")
    if any(n < 1 for n in wanted):
        raise InputError(f"--n: lengths are at least 1, got {lengths}")
    if eps is not None and decide:
        raise InputError("--eps and --decide exclude each other; --decide is the default")
    allowed = None if eps is None else exact(eps, "--eps")
    if allowed is not None and allowed <= 0:
        raise InputError(f"--eps must be > 0, got {eps}")
    given = _declared(gap, bound, margin)
    if given is not None and write is not None:
        raise InputError("--write is about words that are run; leave out --gap, --bound and --margin")
    if given is not None and not flags.plain:
        raise InputError("--ledger and --engine are about words that are run; leave out --gap, --bound and --margin")
    model = model_named(what)
    if given is not None:
        found = [general.simulate_declared(model, n, given, eps=allowed) for n in wanted]
    else:
        parameters = {"--n": wanted, "--eps": None if allowed is None else str(allowed), "--max-check": longest}
        with working(flags, "simulate", {"model": model}, parameters) as work, bar("simulate") as update:
            found = [
                general.simulate(model, n, eps=allowed, check=n <= longest, update=update, work=work) for n in wanted
            ]
    if write is not None:
        if found[-1].ties is None:
            raise InputError(f"--write: no unique-hard head of {model.name} ties at n = {wanted[-1]}; nothing changed")
        write_file(write, found[-1].ties.model)
    emit(json.dumps(as_json(model, found), indent=2, ensure_ascii=False) if json_ else as_text(model, found))
    raise typer.Exit(exit_code(found))


def _declared(gap: str | None, bound: str | None, margin: str | None) -> Declared | None:
    from checker.general.simulate import Declared
    from checker.position import parse

    texts = {"--gap": gap, "--bound": bound, "--margin": margin}
    if all(text is None for text in texts.values()):
        return None
    expressions = []
    for flag, text in texts.items():
        if text is None:
            raise InputError(f"{flag} is missing; --gap, --bound and --margin are declared together")
        try:
            expressions.append(parse(text))
        except InputError as error:
            raise InputError(f"{flag}: {error}") from None
    return Declared(*expressions)
