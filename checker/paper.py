r"""The paper kit: a LaTeX appendix with statements, derivations, tables and figures, as files in memory.

Every derivation is replayed before anything is returned, so that a file exists only for what is proved. The content
depends on the version of hardsoft and on the inputs alone: no dates, no names of machines or folders.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from checker import __version__
from checker import paper_text as text
from checker.errors import InputError
from checker.formats import to_latex
from checker.paper_figures import Figure, Unavailable, figure_of
from checker.paper_files import MARK, README
from checker.paper_tables import GRIDS, table_of
from proofs.latex_prose import prose
from proofs.registry import STATEMENTS, claims, uses
from proofs.render_latex import claim_latex, opening_latex
from proofs.statement import Claim, Library, Statement

Progress = Callable[[int, int, str], None]
"""progress(parts done, parts in all, what is being done)"""


@dataclass
class Paper:
    """The files by relative path, and what is in them."""

    files: dict[str, bytes] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    claims: int = 0
    steps: int = 0
    tables: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    without_figures: str = ""  # why there are none
    command: str = ""


def select(ids: Sequence[str]) -> list[Statement]:
    """The statements named, in the order of the registry: ids (A2) or letters of sections (A); all if none is named.

    An item may hold several names separated by commas. Raises InputError for an unknown or empty name.
    """
    wanted = [name.strip().upper() for item in ids for name in item.split(",")]
    sections = sorted({statement.section for statement in STATEMENTS.values()})
    for name in wanted:
        if name not in STATEMENTS and name not in sections:
            known = f"sections {', '.join(sections)}; statements {', '.join(STATEMENTS)}"
            raise InputError(f"no statement or section {name!r}; there are {known}")
    return [one for one in STATEMENTS.values() if not wanted or one.id in wanted or one.section in wanted]


def build(ids: Sequence[str], proved: Library, figures: bool = True, progress: Progress | None = None) -> Paper:
    """The paper kit for some statements (see select), with one figure each unless `figures` is False.

    Raises InputError for an unknown id, proofs.props.ProofError if a derivation is rejected.
    """
    chosen = select(ids)
    report = progress or (lambda _done, _total, _what: None)
    own = [claim for statement in chosen for claim in statement.claims]
    for place, claim in enumerate(own):
        report(place, len(own) + len(chosen), claim.name)
        proved.prove(claim.name)
    paper = Paper(statements=[statement.id for statement in chosen], command=_command(chosen, figures))
    cited = _cited(own, proved)
    body: list[str] = []
    for letter, group in groupby(chosen, lambda statement: statement.section):
        body += [rf"\section{{{text.SECTIONS.get(letter, 'Section ' + letter)}}}"]
        for statement in group:
            report(len(own) + chosen.index(statement), len(own) + len(chosen), statement.id)
            body += _statement(statement, proved, paper, figures)
    if cited:
        body += [r"\section{Claims cited}", "Lemmas, and claims of other statements, that the derivations cite.", ""]
        body += [claim_latex(claim, proved.prove(claim.name)[1]) for claim in cited]
    shown = [*own, *cited]
    steps = [step for claim in shown for step in proved.prove(claim.name)[1].steps]
    paper.claims, paper.steps = len(shown), len(steps)
    facts = list(dict.fromkeys(step.how for step in steps if step.rule == "analysis"))
    paper.files["appendix.tex"] = _document(paper, body, sorted(facts)).encode()
    paper.files[README] = _readme(paper).encode()
    return paper


def _command(chosen: Sequence[Statement], figures: bool) -> str:
    everything = len(chosen) == len(STATEMENTS)
    ids = [] if everything else ["--ids", ",".join(statement.id for statement in chosen)]
    return " ".join(["hardsoft paper --out DIR", *ids, *([] if figures else ["--no-figures"])])


def _cited(own: Sequence[Claim], proved: Library) -> list[Claim]:
    """The claims that the given ones cite, directly or not, without them, in the order of the registry."""
    names = {claim.name for claim in own}
    found: set[str] = set()
    waiting = sorted(names)
    while waiting:
        for name in proved.prove(waiting.pop())[1].uses:
            if name not in found:
                found.add(name)
                waiting.append(name)
    return [claim for claim in claims() if claim.name in found - names]


def _statement(statement: Statement, proved: Library, paper: Paper, figures: bool) -> list[str]:
    name = statement.id
    heading = rf"{name}. {prose(statement.title)}"
    lines = [rf"\subsection*{{{heading}}}", rf"\addcontentsline{{toc}}{{subsection}}{{{heading}}}"]
    lines += [opening_latex(statement, uses(statement, proved))]
    if name in text.LITERATURE:
        lines += [rf"\facts{{Literature}}{{{text.LITERATURE[name]}}}"]
    floats = _table(name, paper) + (_figure(name, paper) if figures else [])
    seen = [rf"Table~\ref{{table:{name}}}"] if name in paper.tables else []
    seen += [rf"Figure~\ref{{figure:{name}}}"] if name in paper.figures else []
    lines += [*([rf"\facts{{Numbers}}{{{' and '.join(seen)}.}}"] if seen else []), *floats]
    return lines + [claim_latex(claim, proved.prove(claim.name)[1]) for claim in statement.claims]


def _table(name: str, paper: Paper) -> list[str]:
    table = table_of(STATEMENTS, name)
    if table is None:
        return []
    paper.files[f"tables/{name}.tex"] = to_latex(table).encode()
    paper.tables.append(name)
    notes = " ".join(prose(note[:1].upper() + note[1:]) for note in table.notes)
    caption = prose(table.caption.partition(": ")[2] or table.caption)
    return [
        r"\begin{table}[htbp]\centering\small",
        rf"\caption{{\statementref{{{name}}}: {caption}.}}\label{{table:{name}}}",
        rf"\input{{tables/{name}.tex}}",
        rf"\par\smallskip\parbox{{0.8\linewidth}}{{\footnotesize\raggedright {notes}}}",
        r"\end{table}",
        "",
    ]


def _figure(name: str, paper: Paper) -> list[str]:
    try:
        figure: Figure | None = figure_of(name)
    except Unavailable as error:
        paper.without_figures = str(error)
        return [f"% No figure: {error}."]
    if figure is None:
        return []
    paper.files[f"figures/{name}.pdf"] = figure.pdf
    paper.files[f"figures/{name}.csv"] = figure.csv
    paper.figures.append(name)
    return [
        r"\begin{figure}[htbp]\centering",
        rf"\includegraphics{{figures/{name}.pdf}}",
        rf"\caption{{\statementref{{{name}}}: {figure.caption}}}\label{{figure:{name}}}",
        r"\end{figure}",
        "",
    ]


def _document(paper: Paper, body: Sequence[str], facts: Sequence[str]) -> str:
    positional = any(name[0] in "BCD" for name in paper.statements)
    logical = any(name[0] == "D" for name in paper.statements)
    general = any(name[0] == "E" for name in paper.statements)
    provenance = [
        r"\section{Provenance}",
        rf"Every derivation was replayed, and every number computed with rigorous enclosures and rounded to its safe "
        rf"side, when this file was written: {paper.claims} claims, {paper.steps} steps.\par\medskip",
        rf"\entry{{Program}}{{hardsoft {__version__}}}",
        rf"\entry{{Statements}}{{{', '.join(paper.statements)}}}",
        rf"\entry{{Command}}{{\raggedright {text.typewriter(paper.command)}}}",
    ]
    grids = [rf"\entry{{Table {name}}}{{\raggedright {_table_command(name)}}}" for name in paper.tables]
    parts = [
        f"% {MARK}, hardsoft {__version__}: {paper.command}",
        text.PREAMBLE,
        rf"\title{{{text.TITLE}}}\author{{}}\date{{}}",
        r"\begin{document}",
        r"\maketitle\thispagestyle{empty}",
        text.INTRODUCTION,
        r"\tableofcontents\newpage",
        r"\section{Notation}",
        *text.entries(
            [
                *text.NOTATION,
                *(text.POSITIONS if positional else ()),
                *(text.LOGIC if logical else ()),
                *(text.GENERAL if general else ()),
            ]
        ),
        r"\subsection*{How to read a derivation}",
        text.READING,
        "",
        text.facts_paragraph(facts),
        "",
        *body,
        *provenance,
        *grids,
    ]
    whole = "\n".join(parts)
    return "\n".join([whole, *text.bibliography(whole), r"\end{document}"]) + "\n"


def _table_command(name: str) -> str:
    return text.typewriter(f"hardsoft table {name} {GRIDS[name].options}")


def _readme(paper: Paper) -> str:
    lines = [
        f"{MARK}, hardsoft {__version__}.",
        f"Command: {paper.command}",
        "Compile: pdflatex appendix.tex (twice). Packages: geometry, amsmath, amssymb, amsthm, booktabs, graphicx.",
        "Files:",
        *(f"  {name}" for name in sorted([*paper.files, README])),
    ]
    return "\n".join(lines) + "\n"
