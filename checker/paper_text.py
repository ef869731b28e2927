r"""The fixed parts of the paper kit: preamble, introduction, notation, how to read a derivation, references."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checker.formats import escape_latex
from proofs.latex_prose import prose
from proofs.render_latex import LEGEND, MACROS

PREAMBLE = (
    r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{amsmath,amssymb,amsthm,booktabs,graphicx}
\IfFileExists{hyperref.sty}{\usepackage[hidelinks]{hyperref}}{}
\theoremstyle{definition}
"""
    + MACROS
    + r"""\emergencystretch=2em
\newcommand{\entry}[2]{\par\hangindent=7em\hangafter=1\noindent\makebox[6.4em][l]{#1}\hspace{0.6em}#2\par}
"""
)

TITLE = "Hard and soft attention: statements, derivations and tables"

SECTIONS = {
    "A": "One softmax against one hard attention",
    "B": "Unbounded positional embeddings at a fixed temperature",
    "C": "Temperature scaling with bounded scores",
    "D": "Temporal logic",
    "E": "General hard attention",
}
"""Title of each section, by the letter of its statements."""

INTRODUCTION = (
    r"When can a transformer with softmax attention do the work of one with hard attention, which puts all weight on "
    r"the positions of maximal score? The question is that of \cite{yang2026}. This appendix states bounds on the "
    r"distance between the two for one attention head, derives each of them step by step for all lengths, and "
    r"tabulates them. Numbering and derivations are our own. Everything is stated for real arithmetic."
)

NOTATION = (
    (r"$n$", "number of visible positions, those that a mask leaves; positions are $1, \\dots, n$"),
    (r"$s_j$, $\mathrm{top}$", r"score of position $j$, maximal score"),
    (r"$\tau$", r"temperature, $\tau > 0$"),
    (r"$p_j$", r"softmax weight, $e^{s_j/\tau} / \sum_{i=1}^n e^{s_i/\tau}$"),
    (r"$\mu_j$, $k$", r"$\mu_j$ is 1 if position $j$ is maximal, else 0; $k = \sum_j \mu_j$ positions are maximal"),
    (r"$h_j$", r"average-hard weight, $\mu_j/k$; a head is \emph{tieless} if $k = 1$"),
    (r"$\lambda_j$, $\chi_j$", r"0 or 1: the position that leftmost- or rightmost-hard attention selects; a set"),
    (r"$\gamma$, $\delta$", r"gap: distance from the maximal score to the next one; spread: to the least one"),
    (r"$Z'$", r"$\sum_j (1 - \mu_j)\, e^{-(\mathrm{top} - s_j)/\tau}$, the sum over the positions not maximal"),
    (r"$q$", r"$e^{-\gamma/\tau}$ (or $e^{-c/\tau}$ for a head of score scale $c$)"),
    (r"$\mathrm{TV}$, $E$", r"total variation of two weight vectors, $\frac12 \sum_j |p_j - h_j|$; $E = 2\mathrm{TV}$"),
    (r"$s'$, $p'$, $v'$, \dots", r"a second score, weight, value, off by at most $\eta$ (scores), $\nu$ (values)"),
    (r"$v_j$", r"value of position $j$; values lie between $\mathrm{lo}$ and $\mathrm{hi}$"),
    (r"$\varepsilon$", r"target error"),
)  # fmt: skip
POSITIONS = (
    (r"$m$, $a$", r"the maximal position"),
    (r"$c$", r"scale of the scores of a head"),
    (r"$\mathrm{noise}$", r"bound on the error $|\eta|$ of a query, $h$ in the summary of \statementref{B4}"),
    (r"$l$, $r$", r"numbers of positions on the left and on the right of the maximal one"),
    (r"$\Theta(x)$", r"Jacobi's $\theta_3(0, e^{-x}) = 1 + 2(e^{-x} + e^{-4x} + e^{-9x} + \dots)$"),
)
"""Notation of sections B and C."""
LOGIC = (
    (r"$\phi$, $\psi$, $t$", r"truth values: 0/1-valued functions of the position; $b$, $w$: a Boolean, the word bit"),
    (r"$a$, $e$", r"thresholds of the clean-up, for Booleans and for integers"),
    (r"$C$, $D$", r"a count, an integer to be compared with 0; $w$ positions are counted over"),
    (r"$f$, $g$, $a_j$", r"counts, their values as computed, coefficients"),
)
"""Notation of section D, which also uses that of B and C."""
GENERAL = (
    (
        r"$W$, $w$; $U$, $\mathrm{vmap}$",
        r"entries of a score form, of a row of a value map; sums of their moduli",
    ),
    (r"$x$, $z$, $u$", r"coordinates of the query, of all keys, of all inputs of values, at those entries"),
    (r"$B$, $\delta$", r"bound on the activations of the hard run; on the error that enters a layer"),
    (r"$H$, $K$, $L$", r"heads per layer; Lipschitz constant of its position-wise part; number of layers"),
    (r"$\mathrm{err}(l)$", r"error after $l$ layers"),
    (r"$A_0$, $D_0$, $c_0$", r"$K(1+Hv)$, $3KHvwB^2$, $2KHvB$ with $v = \mathrm{vmap}$"),
    (r"$M$, $\theta$", r"bound on the error of a run of tieless heads; share of the gap given to perturbed scores"),
)
"""Notation of section E; mu without a position is its output margin."""

READING = (
    r"A hypothesis about some positions is written for all of them with a factor that is 0 at the others: "
    r"$(1 - \mu_i)(\mathrm{top} - s_i - \gamma) \ge 0$ says that every position that is not maximal lies at least "
    r"$\gamma$ below the maximum, and $\mu_i (1 - \mu_i) = 0$ that $\mu_i$ is 0 or 1. Hypotheses under \emph{let} say "
    r"what the symbols are, those under \emph{suppose} are the assumptions proper. " + LEGEND
)

REFERENCES = {
    "yang2026": r"A. Yang, L. Strobl, D. Chiang, D. Angluin. Simulating hard attention using soft attention. "
    r"\emph{Transactions of the Association for Computational Linguistics} 14:147--166, 2026. arXiv:2412.09925.",
    "edelman2022": r"B. L. Edelman, S. Goel, S. Kakade, C. Zhang. Inductive biases and variable creation in "
    r"self-attention mechanisms. \emph{International Conference on Machine Learning}, 2022.",
    "hahn2020": r"M. Hahn. Theoretical limitations of self-attention in neural sequence models. "
    r"\emph{Transactions of the Association for Computational Linguistics} 8, 2020.",
    "yang2024": r"A. Yang, D. Chiang, D. Angluin. Masked hard-attention transformers recognize exactly the star-free "
    r"languages. \emph{Advances in Neural Information Processing Systems}, 2024.",
    "velickovic2024": r"P. Veli\v{c}kovi\'c, C. Perivolaropoulos, F. Barbero, R. Pascanu. softmax is not enough (for "
    r"sharp out-of-distribution). arXiv:2410.01104, 2024.",
}

LITERATURE = {
    "A2": r"The form $2nq$ of \claimref{A2.literature} is the one usually quoted \cite{edelman2022}.",
    "A4": r"That one symbol has an effect of order $1/n$ is due to \cite{hahn2020}; that softmax with bounded scores "
    r"must disperse as $n$ grows is also the subject of \cite{velickovic2024}.",
    "B6": r"Masked unique-hard attention, which selects such positions, recognises exactly the star-free languages "
    r"\cite{yang2024}.",
    "D3": r"That masked hard attention computes since and until, hence every star-free language, is due to "
    r"\cite{yang2024}.",
    "C1": r"Simulation of hard attention by temperature scaling is one of the two regimes of \cite{yang2026}.",
    "C3": r"For the dispersion of softmax at a fixed temperature see \cite{velickovic2024}.",
}
"""What a statement owes to the literature, by its id."""


def entries(rows: Iterable[tuple[str, str]]) -> list[str]:
    """The notation, one line for each symbol."""
    return [rf"\entry{{{symbol}}}{{{words}}}" for symbol, words in rows]


def facts_paragraph(facts: Sequence[str]) -> str:
    """The elementary facts of analysis that the derivations use, named in plain text."""
    if not facts:
        return ""
    listed = "; ".join(prose(fact) for fact in facts)
    return rf"Facts of analysis that are used without proof: {listed}."


def bibliography(body: str) -> list[str]:
    r"""The references that the text of the document cites with \cite."""
    cited = [key for key in REFERENCES if rf"\cite{{{key}}}" in body]
    items = [rf"\bibitem{{{key}}} {REFERENCES[key]}" for key in cited]
    return [r"\begin{thebibliography}{9}", *items, r"\end{thebibliography}"]


def typewriter(text: str) -> str:
    """Plain text in typewriter type that may be broken after commas and blanks."""
    broken = escape_latex(text).replace(",", r",\allowbreak{}")
    return rf"\texttt{{{broken}}}"
