"""The position at which a word is judged: a convention that is stated, never guessed."""

from __future__ import annotations

from enum import Enum

from checker.errors import InputError
from checker.exact import show
from checker.logic.formula import FUTURE, Formula, postorder


class Acceptance(Enum):
    """A word of length n is accepted iff the formula holds at position 1 (FIRST) or at position n (LAST)."""

    FIRST = "first"
    LAST = "last"


def default_acceptance(formula: Formula) -> Acceptance | None:
    """LAST for formulas of past, counting and Boolean operators; None, so to be stated, if a future operator occurs."""
    return None if any(node.kind in FUTURE for node in postorder(formula)) else Acceptance.LAST


def choose_acceptance(formula: Formula, stated: str | Acceptance | None = None) -> Acceptance:
    """The acceptance position stated ("first", "last"), else the default; InputError if there is none.

    >>> from checker.logic.formula import symbol
    >>> choose_acceptance(symbol("a"), "first")
    <Acceptance.FIRST: 'first'>
    """
    if stated is None:
        chosen = default_acceptance(formula)
        if chosen is None:
            raise InputError("the formula has future operators, so state where it must hold: acceptance first or last")
        return chosen
    try:
        return Acceptance(stated)
    except ValueError:
        raise InputError(f"acceptance is first or last, got {show(stated)}") from None
