r"""LaTeX for the names of the theory, and for words: gamma is \gamma, s2 is s', special characters are escaped."""

from __future__ import annotations

import re

GREEK = {
    name: "\\" + name for name in ("gamma", "tau", "eta", "delta", "nu", "mu", "chi", "phi", "psi", "rho", "theta")
}
LETTERS = {
    **GREEK,
    **{letter: letter for letter in "abcdefghijklmnopqrstuvwxyzABCDFGHKLMNPRSUWXY"},
    "eps": r"\varepsilon",
    "lam": r"\lambda",
    "ell": r"\ell",
    "Theta": r"\Theta",
    "zp": "Z'",
    "qa": "q_a",
    "qb": "q_b",
    "Pa": "P_a",
    "Sa": "S_a",
    "Sb": "S_b",
    "M1": "M_1",
    "X1": "X_1",
    "M2": "M_2",
    "X2": "X_2",
    **{f"{letter}{place}": f"{letter}_{place}" for letter in "kxyzact" for place in "01"},
    **{name: f"{name[0]}_0" for name in ("X0", "Y0", "A0", "D0")},
    "t2": "t_2",
    "ld": r"\ell_D",
    "ln": r"\ell_n",
}
"""Names with a letter of their own."""

PRIMED = (
    *("n2", "k2", "gamma2", "tau2", "top2", "s2", "p2", "v2", "y2", "q2", "W2", "P2"),
    *("x2", "z2", "u2", "o2", "a2", "Y2", "out2"),
)
"""Names of the second of two things of a kind: printed with a prime."""

WORDS = {"log_ratio": "log ratio"} | {
    word: word
    for word in (
        "top",
        "lo",
        "hi",
        "ratio",
        "low",
        "high",
        "mean",
        "cap",
        "area",
        "excess",
        "noise",
        "factor",
        "growth",
        "wide",
        *("half", "near", "far", "worst", "size", "error", "entry", "vmap", "err", "out", "part", "small", "large"),
        *("base", "step", "pairs", "limit", "cube", "decay"),
        *("dx", "dy", "dx0", "dy0", "common1", "common2"),
    )
}
"""Names that are words, set upright."""

ESCAPED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\^{}",
    "~": r"\~{}",
    "|": r"$|$",
    "<=": r"$\le$",
    ">=": r"$\ge$",
    "<": "$<$",
    ">": "$>$",
    "/": r"/\allowbreak{}",
    "**": r"\^{}",
    "*": r"$\cdot$",
    "'": r"$'$",
}
_SPECIAL = re.compile(r"<=|>=|\*\*|[\\{}$&#%_^~|<>/*']|\b(?:gamma|tau|eta|delta|eps|nu|mu|chi|phi|psi|rho|theta|lam)\b")


def is_known(name: str) -> bool:
    """Whether a symbol or function has a LaTeX name of its own (others are set upright, letter by letter)."""
    return name in LETTERS or name in PRIMED or name in WORDS


def symbol_name(name: str) -> tuple[str, float]:
    """(LaTeX in math mode, width in letters) of a symbol."""
    if name in LETTERS:
        return LETTERS[name], 1 + 0.6 * ("_" in LETTERS[name] or "'" in LETTERS[name])
    if name in PRIMED:
        tex, width = symbol_name(name[:-1])
        return tex + "'", width + 0.4
    text = WORDS.get(name, name)
    return rf"\mathrm{{{words(text).replace(' ', '~')}}}", len(text)


def words(text: str) -> str:
    """Plain text in LaTeX's text mode: special characters escaped, Greek names and inequality signs as mathematics."""

    def replacement(match: re.Match[str]) -> str:
        found = match.group(0)
        return ESCAPED[found] if found in ESCAPED else f"${LETTERS[found]}$"

    return _SPECIAL.sub(replacement, text)
