"""Claims for tests: outcomes, rows by enumeration, and witnesses checked again from the definitions."""

import itertools
from fractions import Fraction

from checker.attention import Row
from checker.claims import witness as witnesses
from checker.claims.check import check
from checker.claims.families import family
from checker.claims.files import read_text
from checker.decide import Expression, decide
from checker.env import Env
from checker.verdict import Verdict

GAP = "gap >= gamma"
ASSUMPTIONS = ((), (GAP,), (GAP, "maxima = 1"), ("spread <= gamma",), (GAP, "n >= 3"), (GAP, "hard = leftmost"))
TEMPERATURES = (Fraction(1, 5), Fraction(2, 3), Fraction(3))


def outcome(claim, *assume, seconds=20):
    return check(read_text(claim, assume), seconds).outcome


def checked_again(report):
    """Whether the witness breaks the claim, from the definitions, at another precision."""
    found, fam = report.witness, family(report.claim)
    env = Env(found.point)
    bound = Expression(report.claim.bound.expr, env)
    if found.row is None:
        return report.claim.iff is not None
    rows = witnesses.Rows(found.row, found.soft, found.values)
    value = witnesses.quantity_of(fam, rows, found.point["tau"])
    broken = (
        found.relation in {"<=": (">",), "<": (">=",), ">=": ("<",), ">": ("<=",), "=": ("<", ">")}[report.claim.op]
    )
    if not (broken and witnesses.fits(fam, rows, found.point)):
        return False
    strict = decide(value, found.relation, bound, start=100, maximum=400).verdict is Verdict.HOLDS
    return strict or witnesses.compared(value, found.relation, bound)


def enumerated(gamma):
    """Rows of up to 4 scores that satisfy the assumptions."""
    for size in range(1, 5):
        for below in itertools.product((0, gamma / 3, gamma, 2 * gamma, 8 * gamma), repeat=size - 1):
            row = Row.explicit((Fraction(0), *(-drop for drop in below)))
            yield witnesses.Rows(row)
