"""Derivations, claims and statements as readable plain text, wrapped to a width.

    12. lhs <= rhs   [rule: how; from 3, 7; under 5]   (why)

Step 12 follows by the rule from steps 3 and 7 and rests on the assumption made in step 5, not discharged yet. Rules:
proofs/derivation.py. Notation of the formulas: proofs/text_terms.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .certificate import split_how
from .derivation import Derivation
from .props import Each, Prop
from .sequent import Step
from .statement import Claim, Library, Statement
from .text_terms import expr_text, prop_text, range_text

LEGEND = (
    "Notation: sum_j is the sum over j = 1..n. After a step, 'from' lists the steps it follows from and 'under' the "
    "assumptions it rests on; in a coefficient certificate x' is a new variable >= 0 in place of x."
)


def how_text(how: str) -> str:
    """How a rule was applied, with the equations of a coefficient certificate printed like all others."""
    words, equations, rest = split_how(how)
    shown = ", ".join(f"{expr_text(left)} = {expr_text(right)}" for left, right in equations)
    return words + shown + rest


def reason_text(step: Step) -> str:
    """The rule of a step, how it was applied, its premises, and the assumptions that it rests on."""
    parts = [f"{step.rule}: {how_text(step.how)}" if step.how else step.rule]
    if step.premises:
        parts.append(f"from {numbers(step.premises)}")
    under = assumptions(step)
    if under:
        parts.append(f"under {numbers(under)}")
    return "[" + "; ".join(parts) + "]"


def assumptions(step: Step) -> list[Step]:
    """The local assumptions, not yet discharged, that a step rests on (none for the assumption itself)."""
    under = (other for other in step.depends if other.rule == "assume" and other is not step)
    return sorted(under, key=lambda other: other.number)


def numbers(steps: Iterable[Step]) -> str:
    """Step numbers, separated by commas."""
    return ", ".join(str(number) for number in dict.fromkeys(step.number for step in steps))


def wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    """Lines of at most `width` characters where the text can be broken: at blanks, after * or before /.

    A break between fewer brackets is preferred, if it fills half of the line or more.
    """
    lines, start = [], first
    while len(start) + len(text) > width:
        breaks = _breaks(text)
        room = width - len(start)
        fitting = [place for place in breaks if place <= room] or sorted(breaks)[:1]
        filling = [place for place in fitting if place >= room // 2] or fitting
        if not filling:
            break
        place = min(filling, key=lambda place: (breaks[place], -place))
        lines.append(start + text[:place].rstrip())
        text, start = text[place:].lstrip(), rest
    return [*lines, start + text]


def _breaks(text: str) -> dict[int, int]:
    """Places where a line may end, each with a penalty that grows with the depth of brackets."""
    found, depth = {}, 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign in " /" and place:
            found[place] = 2 * depth + (sign == "/")
        elif sign == "*" and place + 1 < len(text):
            found[place + 1] = 2 * depth + 1
    return found


def step_lines(step: Step, width: int) -> list[str]:
    """A numbered step with its reason: on one line if it fits, else each side of the relation on lines of its own."""
    return _numbered(step.number, step.prop, reason_text(step), step.why, width)


def _numbered(number: int, prop: Prop, reason: str, why: str, width: int) -> list[str]:
    label = f"{number:5}. "
    indent, deeper = " " * len(label), " " * (len(label) + 4)
    lines = prop_lines(prop, width, label, deeper)
    tail = [part for part in (reason, f"({why})" if why else "") if part]
    joined = "   ".join([lines[-1], *tail])
    if len(joined) <= width:
        return [*lines[:-1], joined]
    for part in tail:
        lines += wrapped(part, width, indent, indent + " ")
    return lines


def prop_lines(prop: Prop, width: int, first: str, rest: str) -> list[str]:
    """A proposition on one line if it fits, else the two sides on lines of their own."""
    whole = first + prop_text(prop)
    if len(whole) <= width:
        return [whole]
    rel = prop.rel if isinstance(prop, Each) else prop
    lines = wrapped(expr_text(rel.lhs), width, first, rest + "  ")
    right = f"{rel.op} {expr_text(rel.rhs)}" + (range_text(prop) if isinstance(prop, Each) else "")
    return lines + wrapped(right, width, rest, rest + "   ")


def claim_text(claim: Claim, derivation: Derivation, width: int = 100) -> str:
    """A claim with its derivation; definitions and hypotheses are its first steps.

    width: the longest line, in characters; only an indivisible name may be longer.
    """
    stated = [("Where", claim.definitions), ("If", claim.hypotheses)]
    lines = wrapped(f"{claim.name}: {claim.text}", width, "", "    ")
    count = 0
    for title, props in stated:
        if props:
            lines.append(f"  {title}")
        for prop in props:
            count += 1
            lines += _numbered(count, prop, "", derivation.steps[count - 1].why, width)
    lines.append("  then" if count else "  Always")
    lines += prop_lines(claim.conclusion, width, " " * 7, " " * 11)
    lines.append("  Proof")
    lines += steps_text(derivation.steps[count:], width)
    return "\n".join(lines)


def steps_text(steps: Sequence[Step], width: int) -> list[str]:
    """The lines of some steps."""
    return [line for step in steps for line in step_lines(step, width)]


def statement_text(statement: Statement, proved: Library, uses: Sequence[str], width: int = 100) -> str:
    """A statement with all its claims, each proved now by `proved`; `uses` are the claims cited from elsewhere."""
    main = statement.claim(statement.main)
    facts = [
        ("main claim", f"{main.name}: {main.text}"),
        ("bound", expr_text(statement.bound)),
        ("hypotheses", "; ".join(map(prop_text, main.hypotheses)) or "none"),
        ("sharpness", statement.sharpness),
        ("uses", ", ".join(uses) or "nothing"),
        ("used for", statement.used_for),
    ]
    lines = [
        *wrapped(f"{statement.id}  {statement.title}", width, "", "    "),
        "",
        *wrapped(statement.summary, width, "  ", "  "),
        "",
    ]
    for name, text in facts:
        lines += wrapped(text, width, f"  {name:<12}", " " * 14)
    lines += ["", *wrapped(LEGEND, width, "  ", "  ")]
    blocks = [claim_text(claim, proved.prove(claim.name)[1], width) for claim in statement.claims]
    return "\n\n".join(["\n".join(lines), *blocks])
