"""The command line: `hardsoft verify | show | table | check | sharpen | schedule | plot | paper | scores`.

On transformers: `languages | compile | run | certify | gap | simulate`.

Exit codes: 0 holds or proved, 1 refuted, 2 undecided, 3 bad input. With --json, stdout holds one JSON document and
nothing else. Errors are one line on stderr.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from checker import __version__
from checker.cli_certify import certify
from checker.cli_certify import run as run_word
from checker.cli_check import check, sharpen
from checker.cli_compile import compile_
from checker.cli_gap import gap
from checker.cli_languages import command as languages_command
from checker.cli_paper import paper
from checker.cli_plot import plot
from checker.cli_schedule import schedule
from checker.cli_simulate import simulate
from checker.cli_work import AllJobsOption, EngineOption, Flags, LedgerOption, SchedulerOption, working
from checker.console import UNDECIDED, RejectedError, emit, exit_code_of
from checker.errors import HardsoftError, InputError
from checker.exact import exact, exact_int
from checker.exact import show as in_short

app = typer.Typer(
    name="hardsoft",
    help="Proofs and rigorous checks of the theory of hard and soft attention.",
    epilog="Exit codes: 0 holds or proved, 1 refuted, 2 undecided, 3 bad input, 130 interrupted.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _option(flag: str, metavar: str, text: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=text)


FORMAT_HELP = "text, markdown, latex, csv or json."
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")]
FormatOption = Annotated[str, _option("--format", "FORMAT", FORMAT_HELP)]
DigitsOption = Annotated[str, _option("--digits", "D", "Significant digits, 1 to 30.")]


def _version(wanted: bool) -> None:
    if wanted:
        emit(f"hardsoft {__version__}")
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
        emit(context.get_help())


@app.command(epilog="Example: hardsoft verify A2 A3 --max-n 4 --jobs 2 --json")
def verify(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Statements, such as A1 A2; all if none is named.")
    ] = None,
    json_: JsonFlag = False,
    max_n: Annotated[str, _option("--max-n", "N", "Longest enumerated rows, in positions, 1 to 8.")] = "6",
    jobs: AllJobsOption = None,
    ledger: LedgerOption = None,
    engine: EngineOption = "local",
    scheduler: SchedulerOption = None,
    precision: Annotated[
        str, _option("--precision", "BITS", "Most bits used to decide a case, 64 to 1048576; too few: UNDECIDED.")
    ] = "8192",
    require_kernel: Annotated[
        bool, typer.Option("--require-kernel", help="Exit with 2 unless Coq has checked all that is meant for it.")
    ] = False,
) -> None:
    """Replay the derivations and check every claim on enumerated cases.

    The column kernel says which statements Coq has accepted in this checkout (make formal builds its proofs).
    """
    from checker.checks import Plan
    from checker.progress import bar
    from checker.verify import exit_code, select, verify_all
    from checker.verify_report import as_json, as_text, without_kernel

    plan = Plan(_integer(max_n, "--max-n", 1, 8), _integer(precision, "--precision", 64, 2**20))
    flags = Flags(jobs, ledger, engine, scheduler)
    processes = flags.processes("auto")
    chosen = [statement.id for statement in select(ids or [])]
    if flags.plain:
        with bar("verify") as update:
            reports = verify_all(chosen, plan, processes, update)
    else:
        parameters = {"statements": chosen, "--max-n": plan.max_n, "--precision": plan.precision}
        with working(flags, "verify", {}, parameters, "auto") as work, bar("verify") as update:
            reports = verify_all(chosen, plan, progress=update, work=work)
    missing = without_kernel(reports) if require_kernel else []
    document = as_json(reports, plan)
    code = document["exit_code"] = exit_code(reports) or (UNDECIDED if missing else 0)
    emit(json.dumps(document, indent=2) if json_ else as_text(reports))
    if missing and code == UNDECIDED:
        raise HardsoftError(f"Coq has not checked {', '.join(missing)} in this checkout; run make formal")
    raise typer.Exit(code)


@app.command(epilog="Examples: hardsoft show A2; hardsoft show A2.bound --latex > bound.tex")
def show(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="A statement, claim or lemma: A2, A2.bound or S.order.")
    ],
    latex: Annotated[bool, typer.Option("--latex", help="Print a complete LaTeX document.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Show a statement with its derivation, checked now.

    Hypotheses, bound, the steps of each derivation with their reasons, sharpness, and what is used. D7 is a table of
    classes of languages.
    """
    import checker.show as shown
    from proofs.props import ProofError
    from proofs.registry import library

    if latex and json_:
        raise InputError("--latex and --json exclude each other: the JSON document holds the LaTeX of every formula")
    if identifier.strip().casefold() == "d7":
        emit(_classes("latex" if latex else "json" if json_ else "text"))
        return
    name = {known.casefold(): known for known in shown.known_ids()}.get(identifier.strip().casefold(), identifier)
    try:
        if json_:
            emit(json.dumps(shown.show_json(name, proved=library()), indent=2, ensure_ascii=False))
        else:
            emit(shown.show(name, latex=latex, proved=library()))
    except ProofError as error:
        raise RejectedError(f"{name}: a derivation is rejected: {error}") from None


@app.command(
    epilog="Examples: hardsoft table A2 --n 10,10^6 --gamma 1 --tau 1/10; "
    "hardsoft table A3 --n 1e12 --gamma 1 --eps 1e-6 --solve tau --format latex"
)
def table(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="Statement, such as A2.")],
    n: Annotated[str | None, _option("--n", "LIST", "Lengths of the row, integers >= 2, such as 10,10^6,1e12.")] = None,
    k: Annotated[str | None, _option("--k", "LIST", "Numbers of maximal positions, 1 <= k < n; 1 if left out.")] = None,
    gamma: Annotated[str | None, _option("--gamma", "LIST", "Gaps below the maximum, > 0, in units of score.")] = None,
    tau: Annotated[str | None, _option("--tau", "LIST", "Temperatures, > 0, in units of score.")] = None,
    eta: Annotated[str | None, _option("--eta", "LIST", "Largest changes of a score, >= 0, in units of score.")] = None,
    delta: Annotated[str | None, _option("--delta", "LIST", "Spreads max - min, > 0, in units of score.")] = None,
    eps: Annotated[
        str | None, _option("--eps", "LIST", "Target errors, > 0, at most 1 for TV and 2 for L1; for --solve.")
    ] = None,
    solve: Annotated[
        str | None, _option("--solve", "NAME", "Solve for tau, gamma, n, ... (largest or least value), or eps.")
    ] = None,
    form: FormatOption = "text",
    digits: DigitsOption = "3",
    json_: JsonFlag = False,
) -> None:
    """Tabulate a bound, or solve it for a parameter.

    Every number is rounded to its safe side. A LIST is separated by commas; numbers are written like 3, 0.1, 1/3,
    1e-6 or 10^12, and are exact.
    """
    from checker.formats import render
    from checker.parameters import parse_values
    from checker.tables import build_table
    from proofs.registry import STATEMENTS

    chosen, places = _format(form, json_), _integer(digits, "--digits", 1, 30)
    flags = {"n": n, "k": k, "gamma": gamma, "tau": tau, "eta": eta, "delta": delta, "eps": eps}
    emit(render(build_table(STATEMENTS, identifier.strip().upper(), parse_values(flags), solve, places), chosen))


app.command(epilog='Example: hardsoft check "l1 <= 2*n*exp(-gamma/tau)" --assume "gap >= gamma"')(check)
app.command(epilog='Example: hardsoft sharpen "l1 <= C*n*exp(-gamma/tau)" --assume "gap >= gamma"')(sharpen)
app.command(epilog="Example: hardsoft schedule rightmost --eps 1/4 --regime scaled --n 10,1000,10^6")(schedule)
app.command(epilog="Examples: hardsoft plot A2 -o bound.pdf; hardsoft plot schedule rightmost lookup -o tau.svg")(plot)
app.command(epilog="Example: hardsoft paper --out appendix --ids A1,A2,A3")(paper)


def _measure() -> Any:
    from checker.compile.measure import measure

    return measure


def _classes(form: str) -> str:
    """Statement D7, a table computed from compiled models."""
    from checker.formats import render
    from checker.logic import report

    return report.classes_text(_measure()) if form == "text" else render(report.classes_table(_measure()), form)


app.command(
    "languages", epilog="Examples: hardsoft languages; hardsoft languages majority; hardsoft languages --classes"
)(languages_command(_measure))
app.command("compile", epilog='Example: hardsoft compile "a S b" --alphabet abc --regime scaled -o model.json')(
    compile_
)
app.command("run", epilog="Example: hardsoft run model.json --word abba --trace")(run_word)
app.command(epilog="Examples: hardsoft certify model.json --max-length 9; hardsoft certify majority --regime scaled")(
    certify
)
app.command(epilog="Examples: hardsoft gap induction-head --max-n 7; hardsoft gap model.json --n 4,8,12")(gap)
app.command(epilog="Examples: hardsoft simulate induction-head --n 3,4,5; hardsoft simulate model.json --decide")(
    simulate
)


@app.command(epilog="Example: hardsoft scores attention.npz --array layer3 --eps 0.01 --tau 1/8 --mask future")
def scores(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help=".npy, .npz, .csv or .json; last axis = keys, -inf = masked.")
    ],
    array: Annotated[str | None, _option("--array", "NAME", "Array of an .npz or .json file with several.")] = None,
    eps: Annotated[str, _option("--eps", "E", "Target total variation distance (TV), 0 < E < 1.")] = "1/100",
    tau: Annotated[str, _option("--tau", "T", "Temperature, > 0 in units of score, at which TV is reported.")] = "1",
    mask: Annotated[
        str, _option("--mask", "MASK", "Keys shown: none (all), future (j <= i), strict-future, past, strict-past.")
    ] = "none",
    every_row: Annotated[bool, typer.Option("--rows", help="List every row, not only the hardest.")] = False,
    again: Annotated[
        bool, typer.Option("--recheck", help="Prove the hardest row of each head again, from the definitions.")
    ] = False,
    form: FormatOption = "text",
    digits: DigitsOption = "4",
    json_: JsonFlag = False,
) -> None:
    """Audit attention scores from a file.

    How far softmax is from average-hard attention, and the temperature each head needs to come within E of it.
    """
    from checker.audit_report import report
    from checker.progress import bar
    from checker.recheck import hardest_rows, recheck
    from checker.scorefile import read
    from checker.scores import audit

    if not file:
        raise InputError("FILE is empty; name a .npy, .npz, .csv or .json file")
    chosen, places = _format(form, json_), _integer(digits, "--digits", 1, 30)
    target, temperature, hidden = exact(eps, "--eps"), exact(tau, "--tau"), _mask(mask)
    data = read(file, array)
    with bar("scores") as update:
        progress = lambda done, rows: update(done, rows, "rows")  # noqa: E731
        result = audit(data, eps=target, tau=temperature, mask=hidden, progress=progress)
    if again:
        recheck(result, hardest_rows(result))
    emit(report(result, chosen, every_row=every_row, digits=places))


def _integer(text: str, flag: str, low: int, high: int) -> int:
    number = exact_int(text, flag)
    if not low <= number <= high:
        raise InputError(f"{flag} must be between {low} and {high}, got {in_short(number)}")
    return number


def _mask(text: str) -> Any:
    from checker.attention import Mask

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
    """Run a command line (default: that of the process) and return its exit code; errors are one line on stderr."""
    return exit_code_of(lambda: app(args=arguments, prog_name="hardsoft", standalone_mode=False))


def main() -> None:
    """Entry point of the command `hardsoft`."""
    sys.exit(run())


if __name__ == "__main__":
    main()
