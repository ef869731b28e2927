"""Tables of the note on simulation: tau(n) for constant, polynomial and exponential gaps; gains on the examples.

Two layers of one head each, norms and bound 1 (K = H = v = w = B = 1) and margin 1/4: what E1 (recurrence), E2 (closed
form) and E5 (recurrence, if all heads are tieless) certify on n positions, and gap/tau of the first, rounded up: about
the logarithm of n and of the inverse gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from checker.general.apriori import Target, best_plain
from checker.general.lambert import closed_form
from checker.general.plain import Constants
from checker.general.simulate import simulate
from checker.general.simulatereport import exact_text, tau_text
from checker.position import parse
from checker.rounding import decimal_down, decimal_up
from checker.transformer.examples import load

GAPS = ("1", "1/n", "1/n^2", "1/2^n")
LENGTHS = (10, 30, 100)
EXAMPLES = (
    "induction-head", "first-symbol", "lookup-chain", "sorted-middle", "most-frequent", "strict-majority",
    "best-prefix", "first-a", "last-not-c", "subsequence-no-clean-up", "parity-no-clean-up", "shrinking-3",
)  # fmt: skip
_MARGIN = Fraction(1, 4)


def reference(n: int, gap: Fraction, layers: int = 2) -> Constants:
    """The constants of the table."""
    one = Fraction(1)
    return Constants(layers, 1, one, one, one, n, one, gap, _MARGIN, one)


def gap_at(text: str, n: int) -> Fraction:
    """A gap of the table at n."""
    return Fraction(1, 2**n) if text == "1/2^n" else parse(text).at(0, n)


def table(gaps: Sequence[str] = GAPS, lengths: Sequence[int] = LENGTHS) -> str:
    """The table in Markdown; every temperature is certified at the decimal printed."""
    rows: list[tuple[str, ...]] = [("gap", "n", "E1", "E2, closed form", "E5", "gap/tau, E1"), ("---",) * 6]
    for text in gaps:
        for n in lengths:
            gap = gap_at(text, n)
            numbers, target = reference(n, gap), Target(_MARGIN, True)
            found = (
                best_plain(numbers, target), closed_form(numbers, target), best_plain(numbers, target, "tieless"),
            )  # fmt: skip
            ratio = "-" if found[0] is None else decimal_up(gap / found[0].tau, 3).text
            rows.append((text, str(n), *(tau_text(one) for one in found), ratio))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def gains(names: Sequence[str] = EXAMPLES, n: int = 4) -> str:
    """What the refinements gain over E1 on the examples, and what is left, for words of length n; in Markdown.

    gain: sharp over E1; slack: the temperature at which all words still work over the sharp one. Both rounded down.
    """
    rows: list[tuple[str, ...]] = [
        ("example", "E2", "E1", "E5", "sharp", "gain", "works at", "slack"), ("---",) * 8,
    ]  # fmt: skip
    for name in names:
        found = simulate(load(name), n)
        works = found.bracket.works if found.bracket is not None else None
        rows.append(
            (
                name,
                *(tau_text(one) for one in (found.closed, found.plain, found.tieless, found.sharp)),
                "-" if found.gain is None else decimal_down(found.gain, 3).text,
                "-" if works is None else exact_text(works.tau),
                "-" if found.slack is None else decimal_down(found.slack, 3).text,
            )
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
