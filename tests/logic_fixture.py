"""The meaning of formulas straight from the definitions: recursion and quantifiers over positions, word by word."""

from functools import cache

from checker.logic.formula import Formula, Kind, Side

RELATIONS = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    ">=": lambda x, y: x >= y,
    ">": lambda x, y: x > y,
}


def truth(formula: Formula, word: str) -> list[bool]:
    """The truth values at positions 1..n, as the definition of each operator says."""
    n = len(word)
    positions = range(1, n + 1)

    def number(side: Side, part: Formula, i: int) -> int:
        seen = {Side.LEFT: range(1, i + 1), Side.RIGHT: range(i, n + 1), Side.ALL: positions}[side]
        return sum(at(part, j) for j in seen)

    @cache
    def at(node: Formula, i: int) -> bool:
        kind, data = node.kind, node.data
        earlier, later = range(1, i + 1), range(i, n + 1)
        p = node.parts[0] if node.parts else node
        q = node.parts[1] if len(node.parts) > 1 else node
        match kind:
            case Kind.SYMBOL:
                return word[i - 1] == data
            case Kind.TRUE:
                return True
            case Kind.FALSE:
                return False
            case Kind.POSITION:
                return RELATIONS[data.relation](data.left.at(i, n), data.right.at(i, n))
            case Kind.NOT:
                return not at(p, i)
            case Kind.AND:
                return at(p, i) and at(q, i)
            case Kind.OR:
                return at(p, i) or at(q, i)
            case Kind.IMPLIES:
                return at(q, i) or not at(p, i)
            case Kind.IFF:
                return at(p, i) == at(q, i)
            case Kind.YESTERDAY:
                return i > 1 and at(p, i - 1)
            case Kind.NEXT:
                return i < n and at(p, i + 1)
            case Kind.ONCE:
                return any(at(p, j) for j in earlier)
            case Kind.HISTORICALLY:
                return all(at(p, j) for j in earlier)
            case Kind.EVENTUALLY:
                return any(at(p, j) for j in later)
            case Kind.ALWAYS:
                return all(at(p, j) for j in later)
            case Kind.SINCE:
                return any(at(q, j) and all(at(p, k) for k in range(j + 1, i + 1)) for j in earlier)
            case Kind.UNTIL:
                return any(at(q, j) and all(at(p, k) for k in range(i, j)) for j in later)
            case Kind.TRIGGER:
                return not any(not at(q, j) and all(not at(p, k) for k in range(j + 1, i + 1)) for j in earlier)
            case Kind.RELEASE:
                return not any(not at(q, j) and all(not at(p, k) for k in range(i, j)) for j in later)
            case Kind.WEAK_UNTIL:
                held = all(at(p, j) for j in later)
                return held or any(at(q, j) and all(at(p, k) for k in range(i, j)) for j in later)
            case Kind.REMAINDER:
                return number(data.side, p, i) % data.modulus == data.residue
            case Kind.COUNT:
                terms = zip(data.coefficients, data.sides, node.parts, strict=True)
                total = sum(coefficient * number(side, part, i) for coefficient, side, part in terms)
                return RELATIONS[data.relation](total, data.constant)
        raise AssertionError(kind)

    return [at(formula, i) for i in positions]
