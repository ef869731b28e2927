"""The command line: `hardsoft verify | show | table | scores`.

Exit codes: 0 holds or proved, 1 refuted, 2 undecided, 3 bad input. With --json, stdout holds one JSON document and
nothing else. Errors are one line on stderr.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from checker import __version__
from checker.attention import Mask
from checker.errors import DisagreementError, HardsoftError, InputError
from checker.exact import exact

REFUTED, UNDECIDED, BAD_INPUT, INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    name="hardsoft",
    help="Proofs and rigorous checks of the theory of hard and soft attention.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
# typer's own base class of usage errors; it is public only through its subclass BadParameter.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def _print(text: str) -> None:
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def _version(wanted: bool) -> None:
    if wanted:
        _print(f"hardsoft {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version
    if context.invoked_subcommand is None:
        _print(context.get_help())


@app.command()
def verify(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Statements, e.g. A1 A2; all if none.")
    ] = None,
    json_: JsonFlag = False,
    max_n: Annotated[int, typer.Option("--max-n", help="Longest enumerated rows (1 to 8).")] = 6,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes; 0 means one per core.")] = 0,
    precision: Annotated[int, typer.Option("--precision", help="Most bits used to decide (64 to 1048576).")] = 8192,
) -> None:
    """Replay the derivations and check every claim on enumerated cases."""
    from checker.checks import Plan
    from checker.progress import bar
    from checker.verify import as_json, exit_code, select, verify_all
    from checker.verify_report import as_text

    if not 1 <= max_n <= 8:
        raise InputError(f"--max-n must be between 1 and 8, got {max_n}")
    if not 64 <= precision <= 2**20:
        raise InputError(f"--precision must be between 64 and 1048576 bits, got {precision}")
    if not 0 <= jobs <= 1024:
        raise InputError(f"--jobs must be between 0 and 1024, got {jobs}")
    plan = Plan(max_n, precision)
    names = [claim.name for statement in select(ids or []) for claim in statement.claims]
    with bar("verify", len(names)) as update:

        def progress(name: str, cases: int) -> None:
            update(names.index(name), f"{name} {cases} cases" if cases else name)

        reports = verify_all(ids or [], plan, jobs or os.cpu_count() or 1, progress)
    _print(json.dumps(as_json(reports, plan), indent=2) if json_ else as_text(reports))
    raise typer.Exit(exit_code(reports))


@app.command()
def show(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="A statement or one of its claims, e.g. A2.bound.")],
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Show a statement: hypotheses, bound, derivation (checked now), sharpness, uses."""
    import checker.show as shown
    from proofs.registry import library

    if latex and json_:
        raise InputError("--latex and --json exclude each other: the JSON document holds the LaTeX of every formula")
    proved = library()
    if json_:
        _print(json.dumps(shown.show_json(identifier, proved=proved), indent=2, ensure_ascii=False))
    else:
        _print(shown.show(identifier, latex=latex, proved=proved))


@app.command()
def table(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="Statement, e.g. A2.")],
    n: Annotated[str | None, typer.Option("--n", help="Lengths, e.g. 10,10^6,1e12.")] = None,
    k: Annotated[str | None, typer.Option("--k", help="Numbers of maximal positions (default 1).")] = None,
    gamma: Annotated[str | None, typer.Option("--gamma", help="Gaps.")] = None,
    tau: Annotated[str | None, typer.Option("--tau", help="Temperatures.")] = None,
    eta: Annotated[str | None, typer.Option("--eta", help="Perturbations of the scores.")] = None,
    delta: Annotated[str | None, typer.Option("--delta", help="Spreads.")] = None,
    eps: Annotated[str | None, typer.Option("--eps", help="Target errors.")] = None,
    solve: Annotated[str | None, typer.Option("--solve", help="Solve for tau, gamma, n or eps.")] = None,
    form: Annotated[str, typer.Option("--format", help="text, markdown, latex, csv or json.")] = "text",
    digits: Annotated[int, typer.Option("--digits", help="Significant digits.")] = 3,
    json_: JsonFlag = False,
) -> None:
    """Tabulate a bound, or solve it for a parameter; every number is rounded to its safe side."""
    from checker.formats import render
    from checker.parameters import parse_values
    from checker.tables import build_table
    from proofs.registry import STATEMENTS

    flags = {"n": n, "k": k, "gamma": gamma, "tau": tau, "eta": eta, "delta": delta, "eps": eps}
    built = build_table(STATEMENTS, identifier.upper(), parse_values(flags), solve, digits)
    _print(render(built, _format(form, json_)))


@app.command()
def scores(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=".npy, .npz, .csv or .json; last axis = keys.")],
    array: Annotated[str | None, typer.Option("--array", help="Array of an .npz file.")] = None,
    eps: Annotated[str, typer.Option("--eps", help="Target total variation distance.")] = "1/100",
    tau: Annotated[str, typer.Option("--tau", help="Temperature at which TV is reported.")] = "1",
    mask: Annotated[
        str, typer.Option("--mask", help="none, future, strict-future, past or strict-past.")
    ] = Mask.NONE.value,
    every_row: Annotated[bool, typer.Option("--rows", help="List every row, not only the hardest.")] = False,
    form: Annotated[str, typer.Option("--format", help="text, markdown, latex, csv or json.")] = "text",
    digits: Annotated[int, typer.Option("--digits", help="Significant digits.")] = 4,
    json_: JsonFlag = False,
) -> None:
    """Audit attention scores: distance of softmax from hard attention, and the temperature each head needs."""
    from checker.audit_report import report
    from checker.progress import bar
    from checker.recheck import hardest_rows, recheck
    from checker.scorefile import read
    from checker.scores import audit

    chosen = _format(form, json_)
    target, temperature = exact(eps, "--eps"), exact(tau, "--tau")
    hidden = _mask(mask)
    data = read(file, array)
    with bar("scores", data.rows) as update:
        result = audit(data, eps=target, tau=temperature, mask=hidden, progress=lambda done, _: update(done, "rows"))
    recheck(result, hardest_rows(result))
    _print(report(result, chosen, every_row=every_row, digits=digits))


def _mask(text: str) -> Mask:
    try:
        return Mask(text)
    except ValueError:
        known = ", ".join(mask.value for mask in Mask)
        raise InputError(f"--mask must be one of {known}, got {text!r}") from None


def _format(form: str, json_: bool) -> str:
    from checker.formats import FORMATS

    if form not in FORMATS:
        raise InputError(f"--format must be one of {', '.join(FORMATS)}, got {form!r}")
    if json_ and form not in ("text", "json"):
        raise InputError(f"--json and --format {form} exclude each other")
    return "json" if json_ else form


def run(arguments: list[str] | None = None) -> int:
    """Run a command line and return its exit code; prints errors as one line on stderr."""
    try:
        result: Any = app(args=arguments, standalone_mode=False)
        return result if isinstance(result, int) else 0
    except HardsoftError as error:
        code = (
            BAD_INPUT
            if isinstance(error, InputError)
            else (REFUTED if isinstance(error, DisagreementError) else UNDECIDED)
        )
        return _fail(str(error), code)
    except _UsageError as error:
        return _fail(error.format_message(), BAD_INPUT)  # type: ignore[attr-defined]
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of stdout went away (`hardsoft ... | head`): nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _fail(message: str, code: int) -> int:
    sys.stderr.write("hardsoft: " + " ".join(message.split()) + "\n")
    return code


def main() -> None:
    """Entry point of the command `hardsoft`."""
    sys.exit(run())


if __name__ == "__main__":
    main()
