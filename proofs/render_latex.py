r"""Derivations, claims and statements as LaTeX that compiles with amsmath, amssymb and amsthm alone.

The layout is in the macros of PREAMBLE: \step, \also, \given, \conclusion, \facts. Claims and statements carry labels
(claim:A2.bound, statement:A2); \claimref and \statementref refer to them where they are part of the document and print
the name elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from .certificate import split_how
from .derivation import Derivation
from .latex_prose import prose
from .latex_terms import expr_latex, prop_latex, prop_width
from .render import assumptions, numbers
from .sequent import Step
from .statement import Claim, Library, Statement
from .wording import meaning, opening, reason

MACROS = r"""\newcommand{\thename}{}
\newtheorem{claim}{Claim}
\newtheorem{statement}{Statement}
\renewcommand{\theclaim}{\thename}
\renewcommand{\thestatement}{\thename}
\newcommand{\claimref}[1]{\ifcsname r@claim:#1\endcsname\ref{claim:#1}\else#1\fi}
\newcommand{\statementref}[1]{\ifcsname r@statement:#1\endcsname\ref{statement:#1}\else#1\fi}
\newcommand{\numbered}[2]{\par\hangindent=2.6em\hangafter=1\noindent\makebox[2em][r]{#1}\hspace{0.6em}#2}
\newcommand{\given}[2]{\numbered{#1.}{#2}}
\newcommand{\step}[3]{\numbered{#1.}{#2}\quad{\scriptsize [#3]}}
\newcommand{\also}[2]{\qquad #1.~#2}
\newcommand{\conclusion}[1]{\numbered{}{#1}\par}
\newcommand{\facts}[2]{\par\noindent\textbf{#1.} #2\par}
\newcommand{\derivation}{\footnotesize\raggedright\parskip=1.5pt\leavevmode}
\setlength{\parindent}{0pt}
\allowdisplaybreaks
"""
"""Environments and macros; needs amsthm."""

PREAMBLE = (
    r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{amsmath,amssymb,amsthm}
\theoremstyle{definition}
"""
    + MACROS
)

LEGEND = (
    r"Steps are numbered within a claim; its hypotheses are the first. After a step stands what it follows from, and "
    r"after \emph{under} the assumptions that it rests on and that are discharged later. A polynomial inequality is "
    r"shown by a certificate: in the new variables named there, $x^{\circ} \ge 0$, no coefficient is negative. That "
    r"sums are linear is \claimref{S.add}, \claimref{S.scale} and \claimref{S.constant}."
)

PACKED = 60
"""Widest line, in letters, on which several short hypotheses or assumptions are set."""


def how_latex(how: str) -> str:
    """How a rule was applied, in text mode, with the equations of a coefficient certificate as formulas."""
    equations = split_how(how)[1]
    before, after = opening(how)
    shown = ", ".join(f"${expr_latex(left)} = {expr_latex(right)}$" for left, right in equations)
    return prose(before) + (" " if shown and prose(before) else "") + shown + prose(after)


def reason_latex(step: Step) -> str:
    """What a step follows from and how, and the assumptions that it rests on."""
    done, source = reason(step)
    if step.rule in ("identity", "polynomial"):
        parts = [source, how_latex(step.how)]
    else:
        parts = [f"{prose(done)} {source}".strip()]
    under = assumptions(step)
    if under:
        parts.append(rf"\emph{{under}} {numbers(under)}")
    why = [rf"\emph{{{prose(step.why)}}}"] if step.why else []
    return "; ".join(part for part in [*parts, *why] if part)


def step_latex(step: Step) -> str:
    """A numbered step with its reason."""
    return rf"\step{{{step.number}}}{{{prop_latex(step.prop)}}}{{{reason_latex(step)}}}"


def steps_latex(steps: Sequence[Step]) -> list[str]:
    """The lines of a derivation; short assumptions and definitions in a row share a line."""
    lines: list[str] = []
    for brief, group in groupby(steps, lambda step: (step.rule in ("assume", "define"), reason_latex(step))):
        if not brief[0]:
            lines += map(step_latex, group)
            continue
        for first, *others in _packed(list(group)):
            shown = prop_latex(first.prop) + "".join(map(_also, others))
            lines.append(rf"\step{{{first.number}}}{{{shown}}}{{{reason_latex(first)}}}")
    return lines


def given_latex(steps: Sequence[Step]) -> list[str]:
    """Hypotheses, each with what it says in words; short ones without words share a line."""
    lines: list[str] = []
    for worded, group in groupby(steps, lambda step: bool(meaning(step.prop))):
        for first, *others in [[step] for step in group] if worded else _packed(list(group)):
            shown = prop_latex(first.prop) + "".join(map(_also, others))
            words = rf" \quad ({prose(meaning(first.prop))})" if worded else ""
            lines.append(rf"\given{{{first.number}}}{{{shown}{words}}}")
    return lines


def _also(step: Step) -> str:
    return rf"\also{{{step.number}}}{{{prop_latex(step.prop)}}}"


def _packed(steps: Sequence[Step]) -> list[list[Step]]:
    """Consecutive steps in lines of at most PACKED letters."""
    lines: list[list[Step]] = []
    room = 0.0
    for step in steps:
        width = prop_width(step.prop) + 5
        if lines and width <= room:
            lines[-1].append(step)
            room -= width
        else:
            lines.append([step])
            room = PACKED - width
    return lines


def claim_latex(claim: Claim, derivation: Derivation) -> str:
    """A claim as an amsthm block, followed by its derivation; its hypotheses are the first steps."""
    lines = [rf"\renewcommand{{\thename}}{{{claim.name}}}"]
    lines += [rf"\begin{{claim}}[{{{prose(claim.text)}}}]\label{{claim:{claim.name}}}\raggedright"]
    count = 0
    for title, props in (("Let", claim.definitions), ("Suppose", claim.hypotheses)):
        if props:
            lines += [rf"\par {title}" if count else title]
            lines += given_latex(derivation.steps[count : count + len(props)])
            count += len(props)
    lines += [r"\par Then" if count else "Always"]
    lines += [rf"\conclusion{{{prop_latex(claim.conclusion)}}}", r"\end{claim}"]
    lines += [r"\begin{proof}[Derivation]\derivation", *steps_latex(derivation.steps[count:]), r"\end{proof}"]
    return "\n".join(lines) + "\n"


def opening_latex(statement: Statement, uses: Iterable[str]) -> str:
    """A statement without its claims: heading, summary, main claim, sharpness, uses."""
    main = statement.claim(statement.main)
    cited = ", ".join(rf"\claimref{{{name}}}" for name in uses) or "nothing"
    lines = [
        rf"\renewcommand{{\thename}}{{{statement.id}}}",
        rf"\begin{{statement}}[{{{prose(statement.title)}}}]\label{{statement:{statement.id}}}\raggedright",
        prose(statement.summary),
        *_main_latex(main),
        r"\end{statement}",
        r"{\raggedright",
        rf"\facts{{Sharpness}}{{{_sentence(statement.sharpness)}}}",
        rf"\facts{{Uses}}{{{cited}.}}",
        rf"\facts{{Used for}}{{{_sentence(statement.used_for)}}}}}",
    ]
    return "\n".join(lines) + "\n"


def _main_latex(main: Claim) -> list[str]:
    """The hypotheses of the main claim, in words where they need them, and what it says."""
    lines = [r"\par Suppose"] if main.hypotheses else []
    for prop in main.hypotheses:
        words = f" \\quad ({prose(meaning(prop))})" if meaning(prop) else ""
        lines += [rf"\numbered{{}}{{{prop_latex(prop)}{words}}}"]
    lines += [r"\par Then" if lines else r"\par Always"]
    return [*lines, rf"\conclusion{{{prop_latex(main.conclusion)} \quad (\claimref{{{main.name}}})}}"]


def _sentence(text: str) -> str:
    tex = prose(text)
    return tex[:1].upper() + tex[1:] + "."


def statement_latex(statement: Statement, proved: Library, uses: Iterable[str]) -> str:
    """A statement with all its claims, each proved now by `proved`; `uses` are the claims cited from elsewhere."""
    blocks = [claim_latex(claim, proved.prove(claim.name)[1]) for claim in statement.claims]
    return opening_latex(statement, uses) + "\n" + "\n".join(blocks)


def document(bodies: Iterable[str]) -> str:
    """A complete LaTeX document around the given blocks."""
    note = rf"{{\footnotesize {LEGEND}\par}}"
    return "\n".join([PREAMBLE + r"\begin{document}", note, *bodies, r"\end{document}"]) + "\n"
