"""The axioms that a proof may rest on, and how they are read from what Coq's Print Assumptions says."""

from __future__ import annotations

import re

ALLOWED = {
    "ClassicalDedekindReals.sig_forall_dec": "a decidable property of the natural numbers holds for all of them, or a "
    "natural number is given for which it does not",
    "ClassicalDedekindReals.sig_not_dec": "for every proposition, its negation or its double negation is given",
    "FunctionalExtensionality.functional_extensionality_dep": "functions with equal values are equal",
    "Classical_Prop.classic": "every proposition is true or false",
}
"""The axioms on which the real numbers of the standard library rest: name and what it says."""

CLOSED = "Closed under the global context"
_NAME = re.compile(r"^(?P<name>[A-Za-z_][\w.']*)(?:\s*:.*)?$")


class UnreadableError(ValueError):
    """What Coq printed is not a list of axioms."""


def read_axioms(printed: str) -> list[str]:
    """The axioms in the output of Print Assumptions, sorted; whatever else it warns of is listed in its own words.

    Raises UnreadableError if the output contains neither a list nor the statement that there are none.
    """
    lines = [line for line in printed.splitlines() if line.strip()]
    if CLOSED in lines:
        start, found = lines.index(CLOSED), list[str]()
    elif "Axioms:" in lines:
        start, found = lines.index("Axioms:"), []
    else:
        raise UnreadableError("Print Assumptions printed no list of axioms")
    for line in lines[start + 1 :]:
        if line[0].isspace():  # the type of the axiom above
            continue
        match = _NAME.match(line)
        found.append(match["name"] if match else line.strip())
    return sorted(set(found))


def forbidden(axioms: list[str]) -> list[str]:
    """Those that are not allowed."""
    return [axiom for axiom in axioms if axiom not in ALLOWED]
