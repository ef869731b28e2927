"""Normal forms over a given alphabet, so that what is read back from weights can be compared with a formula."""

from __future__ import annotations

from collections.abc import Sequence

from checker.certify.place import UnclearError, decided
from checker.certify.rational import Region
from checker.logic import formula as logic
from checker.logic import normal
from checker.logic.formula import Formula, Kind
from checker.logic.normal import FALSE, TRUE, Normal, Op, postorder


def canonical(node: Normal, alphabet: Sequence[str]) -> Normal:
    """An equivalent normal form, at every position of every word over the alphabet.

    Symbols that are not in the alphabet are false, the only symbol of an alphabet is true, and so are comparisons that
    hold at every position of every length (where that is shown); all else is as in `checker.logic.normal`.
    """
    done: dict[Normal, Normal] = {}
    for part in postorder(node):
        done[part] = _canonical(part, [done[inner] for inner in part.parts], alphabet)
    return done[node]


def _canonical(node: Normal, parts: list[Normal], alphabet: Sequence[str]) -> Normal:
    match node.op:
        case Op.SYMBOL:
            if node.data not in alphabet:
                return FALSE
            return TRUE if len(alphabet) == 1 else node
        case Op.POSITION:
            try:
                known = decided(node.data, Region.WORD)
            except UnclearError:
                return node
            return node if known is None else TRUE if known else FALSE
        case Op.TRUE:
            return node
        case Op.NOT:
            return normal.negation(parts[0])
        case Op.ALL:
            return normal.conjunction(parts)
        case Op.YESTERDAY:
            return normal.yesterday(parts[0])
        case Op.NEXT:
            return normal.tomorrow(parts[0])
        case Op.SINCE:
            return normal.since(parts[0], parts[1])
        case Op.UNTIL:
            return normal.until(parts[0], parts[1])
        case Op.REMAINDER:
            side, modulus, residue = node.data
            return normal.remainder(side, parts[0], modulus, residue)
        case Op.AT_LEAST:
            terms, constant = node.data
            return normal.at_least([(c, side, part) for (c, side), part in zip(terms, parts, strict=True)], constant)
    raise AssertionError(node.op)


def as_formula(node: Normal) -> Formula:
    """The normal form as a formula of the logic."""
    done: dict[Normal, Formula] = {}
    for part in postorder(node):
        done[part] = _formula(part, [done[inner] for inner in part.parts])
    return done[node]


_UNARY = {Op.NOT: Kind.NOT, Op.YESTERDAY: Kind.YESTERDAY, Op.NEXT: Kind.NEXT}
_BINARY = {Op.SINCE: Kind.SINCE, Op.UNTIL: Kind.UNTIL}


def _formula(node: Normal, parts: list[Formula]) -> Formula:
    if node.op in _UNARY:
        return logic.unary(_UNARY[node.op], parts[0])
    if node.op in _BINARY:
        return logic.binary(_BINARY[node.op], parts[0], parts[1])
    match node.op:
        case Op.SYMBOL:
            return logic.symbol(node.data)
        case Op.POSITION:
            return logic.position(node.data)
        case Op.TRUE:
            return logic.true()
        case Op.ALL:
            whole = parts[0]
            for part in parts[1:]:
                whole = logic.binary(Kind.AND, whole, part)
            return whole
        case Op.REMAINDER:
            side, modulus, residue = node.data
            return logic.remainder(side, parts[0], modulus, residue)
        case Op.AT_LEAST:
            terms, constant = node.data
            sums = tuple((c, side, part) for (c, side), part in zip(terms, parts, strict=True))
            return logic.count(sums, ">=", -constant)
    raise AssertionError(node.op)
