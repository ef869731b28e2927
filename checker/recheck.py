"""Second proof of an audit's claims about a row, by means that share nothing with `checker.critical`.

TV is taken from the definition (half the sum of |softmax - hard|) over the exact scores, Arb and mpmath both have to
agree to every comparison, and n, k and the gap come from `checker.attention`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from checker.attention import Row
from checker.audit import Audit, visible_scores
from checker.decide import Side, decide
from checker.errors import DisagreementError, HardsoftError
from checker.quantity import tv
from checker.verdict import Verdict


def hardest_rows(audit: Audit) -> list[int]:
    """One row of least critical temperature per head, where there is one."""
    return [head.hardest[0] for head in audit.heads() if head.hardest]


def recheck(audit: Audit, rows: Iterable[int]) -> int:
    """Prove the claims about these rows (numbers in C order) again; returns how many comparisons were made.

    Raises DisagreementError naming the row and the claim that fails, HardsoftError for one that stays undecided.
    """
    return sum(_recheck_row(audit, row) for row in rows)


def _recheck_row(audit: Audit, number: int) -> int:
    found = audit.row(number)
    row = Row.explicit(visible_scores(audit.scores, audit.mask, number).values())
    if (found.n, found.k, found.gap, found.spread) != (row.n, row.k, row.gap, row.spread):
        raise _disagreement(audit, number, "n, k, gap or spread")
    distance = tv(row, audit.tau)
    claims: list[tuple[str, Side, str, Side]] = [("upper end of TV", distance, "<=", Fraction(found.tv[1]))]
    if found.tv[0] > 0:  # 0 <= TV needs no proof, and no precision shows it of a TV like exp(-10^300000)
        claims.append(("lower end of TV", Fraction(found.tv[0]), "<=", distance))
    lo, hi = found.critical
    if lo == math.inf:
        # TV < (n-k)/n at every temperature, and comes as close to it as wanted.
        if Fraction(row.n - row.k, max(row.n, 1)) > audit.eps:
            raise _disagreement(audit, number, "every temperature will do")
    else:
        # TV increases with tau, so these two place the critical temperature in [lo, hi).
        if lo > 0:
            claims.append(("lower end of the temperature", tv(row, Fraction(lo)), "<=", audit.eps))
        if hi < math.inf:
            claims.append(("upper end of the temperature", tv(row, Fraction(hi)), ">", audit.eps))
    for name, lhs, relation, rhs in claims:
        decision = decide(lhs, relation, rhs)
        if decision.verdict is Verdict.UNDECIDED:
            index = list(audit.scores.index(number))
            raise HardsoftError(f"{audit.scores.name}: row {index}: {name} is undecided at {decision.precision} bits")
        if decision.verdict is Verdict.FAILS:
            raise _disagreement(audit, number, name)
    return len(claims)


def _disagreement(audit: Audit, number: int, claim: str) -> DisagreementError:
    index = list(audit.scores.index(number))
    return DisagreementError(f"{audit.scores.name}: row {index}: {claim} is not confirmed by the second proof")
