"""Names of the directions of the residual stream, which say what they carry: `is "a"`, `bit 3: Y a`, `read 3: Y a`."""

from __future__ import annotations

import json
from dataclasses import dataclass

from checker.compile.plan import Item, Plan, Share, Total
from checker.logic.normal import Normal, Op

WORD, END = "word", "end"
ONE, POSITION = "one", "position"

_LONG = 24
_LONGEST = 400

_MADE = (Op.ALL, Op.YESTERDAY, Op.NEXT, Op.SINCE, Op.UNTIL, Op.AT_LEAST, Op.REMAINDER)


@dataclass(frozen=True)
class Names:
    """bit: the direction with the exact truth value. raw: what a head or the first of two feed-forward parts wrote.

    item: the direction of a share or a count. text: each subformula in short.
    """

    bit: dict[Normal, str]
    raw: dict[Normal, str]
    item: dict[Item, str]
    text: dict[Normal, str]


def is_symbol(name: str, number: int) -> str:
    """The direction that is 1 on the symbol, which has this number in the alphabet."""
    return f"is {_quoted(name)}" if len(name) <= _LONGEST else f"is symbol {number}"


def names(plan: Plan, alphabet: tuple[str, ...]) -> Names:
    """Name the directions of everything in the plan."""
    result = Names({}, {}, {}, {})
    number = 0
    for item in plan.when:
        if isinstance(item, Share | Total):
            count = f"{item.side.value}[{_label(item.part, result)}]"
            kind = "share" if isinstance(item, Share) else "count"
            result.item[item] = f"{kind} {len(result.item) + 1}: {count}"
            continue
        result.text[item] = _text(item, result)
        if item.op is Op.SYMBOL:
            result.bit[item] = is_symbol(item.data, alphabet.index(item.data))
        elif item.op is Op.POSITION:
            text = str(item.data)
            known = sum(node.op is Op.POSITION for node in result.bit) if len(text) > _LONGEST else 0
            result.bit[item] = f"holds {text}" if len(text) <= _LONGEST else f"holds predicate {known + 1}"
        elif item.op in _MADE:
            number += 1
            result.bit[item] = f"bit {number}: {result.text[item]}"
            if item.op is not Op.ALL:
                result.raw[item] = f"read {number}: {result.text[item]}"
    return result


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _label(node: Normal, known: Names) -> str:
    """The text of a subformula, or the number of its bit where that is shorter."""
    text = known.text[node]
    if len(text) <= _LONG:
        plain = node.op in (Op.SYMBOL, Op.TRUE, Op.NOT, Op.YESTERDAY, Op.NEXT)
        return text if plain else f"({text})"
    if node.op is Op.NOT:
        return "!" + _label(node.parts[0], known)
    return known.bit[node].partition(":")[0] if node.op in _MADE else text[: _LONG - 3] + "..."


def _text(node: Normal, known: Names) -> str:
    parts = [_label(part, known) for part in node.parts[:4]]
    match node.op:
        case Op.SYMBOL:
            name: str = node.data
            return name if len(name) == 1 and name.isalnum() else _quoted(name)
        case Op.POSITION:
            return str(node.data)
        case Op.TRUE:
            return "true"
        case Op.NOT:
            return "!" + parts[0]
        case Op.ALL:
            return " & ".join([*parts, *(["..."] if len(node.parts) > 4 else [])])
        case Op.YESTERDAY | Op.NEXT:
            return f"{node.op.value} {parts[0]}"
        case Op.SINCE | Op.UNTIL:
            return f"{parts[0]} {node.op.value} {parts[1]}"
        case Op.REMAINDER:
            side, modulus, residue = node.data
            return f"{side.value}[{parts[0]}] % {_short(modulus)} == {_short(residue)}"
    terms, constant = node.data
    shown = [_term(c, f"{side.value}[{part}]") for (c, side), part in zip(terms[:4], parts, strict=True)]
    total = "".join([*shown, *([" + ..."] if len(terms) > 4 else []), *([_term(constant, "")] if constant else [])])
    return ("-" + total[3:] if terms[0][0] < 0 else total[3:]) + " >= 0"


def _term(number: int, count: str) -> str:
    sign, size = (" - " if number < 0 else " + "), abs(number)
    return sign + (count if size == 1 and count else f"{_short(size)}*{count}" if count else _short(size))


def _short(number: int) -> str:
    return str(number) if number.bit_length() <= 64 else f"({number.bit_length()} bits)"
