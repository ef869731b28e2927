r"""Derivations, claims and statements as LaTeX that compiles with amsmath, amssymb and amsthm alone."""

from __future__ import annotations

from collections.abc import Iterable

from .certificate import split_how
from .derivation import Derivation
from .latex_names import words
from .latex_terms import expr_latex, prop_latex
from .render import assumptions, numbers
from .sequent import Step
from .statement import Claim, Library, Statement

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{amsmath,amssymb,amsthm}
\theoremstyle{definition}
\newtheorem*{claim}{Claim}
\newtheorem*{statement}{Statement}
\setlength{\parindent}{0pt}
\allowdisplaybreaks
"""


def how_latex(how: str) -> str:
    """How a rule was applied, in text mode, with the equations of a coefficient certificate as formulas."""
    opening, equations, rest = split_how(how)
    shown = ", ".join(f"${expr_latex(left)} = {expr_latex(right)}$" for left, right in equations)
    return words(opening) + shown + words(rest)


def reason_latex(step: Step) -> str:
    """The rule of a step, how it was applied, its premises, and the assumptions that it rests on."""
    parts = [f"{words(step.rule)}: {how_latex(step.how)}" if step.how else words(step.rule)]
    if step.premises:
        parts.append(f"from {numbers(step.premises)}")
    under = assumptions(step)
    if under:
        parts.append(f"under {numbers(under)}")
    return "[" + "; ".join(parts) + "]"


def step_latex(step: Step) -> str:
    """A numbered step with its reason, as an item of a list."""
    why = rf" \emph{{{words(step.why)}.}}" if step.why else ""
    return rf"\item[{step.number}.] {prop_latex(step.prop)} \quad {{\footnotesize {reason_latex(step)}{why}}}"


def _items(lines: Iterable[str]) -> list[str]:
    return [r"\begin{enumerate}\itemsep2pt\parsep0pt\raggedright", *lines, r"\end{enumerate}"]


def claim_latex(claim: Claim, derivation: Derivation) -> str:
    """A claim as an amsthm block, with its derivation as the proof; its hypotheses are the first steps."""
    lines = [rf"\begin{{claim}}[{words(claim.name)}, {words(claim.text)}]\raggedright"]
    count = 0
    for title, props in (("Where", claim.definitions), ("If", claim.hypotheses)):
        if props:
            given = derivation.steps[count : count + len(props)]
            lines += [title, *_items(rf"\item[{step.number}.] {prop_latex(step.prop)}" for step in given)]
            count += len(props)
    opening = "then" if count else "Always"
    lines += [opening, *_items([rf"\item[] {prop_latex(claim.conclusion)}"]), r"\end{claim}"]
    lines += [r"\begin{proof}\leavevmode", *_items(map(step_latex, derivation.steps[count:])), r"\end{proof}"]
    return "\n".join(lines) + "\n"


def statement_latex(statement: Statement, proved: Library, uses: Iterable[str]) -> str:
    """A statement with all its claims, each proved now by `proved`; `uses` are the claims cited from elsewhere."""
    lines = [
        rf"\section*{{{words(statement.id)} \quad {words(statement.title)}}}",
        r"\begin{statement}\raggedright",
        words(statement.summary),
        r"\end{statement}",
        r"{\raggedright",
        rf"\textbf{{Bound.}} $\displaystyle {expr_latex(statement.bound)}$ ({words(statement.main)})\par",
        rf"\textbf{{Sharpness.}} {words(statement.sharpness)}.\par",
        rf"\textbf{{Uses.}} {words(', '.join(uses) or 'nothing')}.\par",
        rf"\textbf{{Used for.}} {words(statement.used_for)}.\par}}",
    ]
    blocks = [claim_latex(claim, proved.prove(claim.name)[1]) for claim in statement.claims]
    return "\n".join(lines) + "\n\n" + "\n".join(blocks)


def document(bodies: Iterable[str]) -> str:
    """A complete LaTeX document around the given blocks."""
    note = (
        r"{\footnotesize A number before a step is its name; \emph{from} lists the steps it follows from, "
        r"\emph{under} the assumptions it rests on. In a coefficient certificate $x^{\circ}$ is a new variable, "
        r"$x^{\circ} \ge 0$.}"
    )
    return "\n".join([PREAMBLE + r"\begin{document}", note, *bodies, r"\end{document}"]) + "\n"
