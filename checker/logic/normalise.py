"""From formulas to their normal form, without recursion."""

from __future__ import annotations

from checker.logic.formula import Formula, Kind, postorder
from checker.logic.normal import (
    FALSE,
    TRUE,
    Normal,
    at_least,
    conjunction,
    disjunction,
    negation,
    position,
    remainder,
    since,
    symbol,
    tomorrow,
    until,
    yesterday,
)


def normal(formula: Formula) -> Normal:
    """The normal form of a formula: equivalent to it at every position of every non-empty word.

    A chain of & (or of |) is gathered at its top, so that a flat conjunction of k formulas takes k steps, not k^2.
    """
    order = list(postorder(formula))
    gathered: dict[Formula, list[tuple[Formula, bool]]] = {}  # top of a chain: its members, False: to be negated
    needed = {formula}
    for node in reversed(order):
        if node not in needed:
            continue
        if node.kind in (Kind.AND, Kind.OR, Kind.IMPLIES):
            gathered[node] = _members(node)
            needed.update(member for member, _ in gathered[node])
        else:
            needed.update(node.parts)
    done: dict[Formula, Normal] = {}
    for node in order:
        if node not in needed:
            continue
        if node in gathered:
            whole = conjunction([done[member] if sign else negation(done[member]) for member, sign in gathered[node]])
            done[node] = whole if node.kind is Kind.AND else negation(whole)
        else:
            done[node] = _normal(node, [done[part] for part in node.parts])
    return done[formula]


def _members(top: Formula) -> list[tuple[Formula, bool]]:
    """What `top`, or for | and -> its negation, is a conjunction of, with signs."""
    members: dict[tuple[Formula, bool], None] = {}
    seen: set[tuple[Formula, bool]] = set()
    stack = [(top, top.kind is Kind.AND)]
    while stack:
        node, sign = stack.pop()
        if (node, sign) in seen:
            continue
        seen.add((node, sign))
        if node.kind is Kind.NOT:
            stack.append((node.parts[0], not sign))
        elif node.kind is Kind.AND and sign:
            stack.extend((part, True) for part in reversed(node.parts))
        elif node.kind is Kind.OR and not sign:
            stack.extend((part, False) for part in reversed(node.parts))
        elif node.kind is Kind.IMPLIES and not sign:  # !(a -> b) = a & !b
            stack.extend([(node.parts[1], False), (node.parts[0], True)])
        else:
            members[node, sign] = None
    return list(members)


def _normal(node: Formula, parts: list[Normal]) -> Normal:
    a, b = (*parts, FALSE, FALSE)[:2]
    match node.kind:
        case Kind.SYMBOL:
            return symbol(node.data)
        case Kind.TRUE:
            return TRUE
        case Kind.FALSE:
            return FALSE
        case Kind.POSITION:
            return position(node.data)
        case Kind.NOT:
            return negation(a)
        case Kind.IFF:
            return conjunction([disjunction([negation(a), b]), disjunction([a, negation(b)])])
        case Kind.YESTERDAY:
            return yesterday(a)
        case Kind.NEXT:
            return tomorrow(a)
        case Kind.SINCE:
            return since(a, b)
        case Kind.UNTIL:
            return until(a, b)
        case Kind.ONCE:
            return since(TRUE, a)
        case Kind.EVENTUALLY:
            return until(TRUE, a)
        case Kind.HISTORICALLY:  # H phi = !P !phi
            return negation(since(TRUE, negation(a)))
        case Kind.ALWAYS:  # G phi = !F !phi
            return negation(until(TRUE, negation(a)))
        case Kind.TRIGGER:
            return negation(since(negation(a), negation(b)))
        case Kind.RELEASE:
            return negation(until(negation(a), negation(b)))
        case Kind.WEAK_UNTIL:  # phi W psi = (phi U psi) | G phi = !(!psi U (!phi & !psi))
            return negation(until(negation(b), conjunction([negation(a), negation(b)])))
        case Kind.REMAINDER:
            return remainder(node.data.side, a, node.data.modulus, node.data.residue)
        case Kind.COUNT:
            return _comparison(node, parts)
    raise AssertionError(node.kind)


def _comparison(node: Formula, parts: list[Normal]) -> Normal:
    """Integers: x > c iff x >= c + 1, x <= c iff -x >= -c, x == c iff both x >= c and x <= c."""
    data = node.data
    terms = list(zip(data.coefficients, data.sides, parts, strict=True))
    opposite = [(-c, side, part) for c, side, part in terms]
    above = {">=": 0, "==": 0, "!=": 0, ">": 1, "<": 0, "<=": 1}[data.relation]
    at_least_constant = at_least(terms, -(data.constant + above))
    if data.relation in (">=", ">"):
        return at_least_constant
    if data.relation in ("<", "<="):
        return negation(at_least_constant)
    equal = conjunction([at_least_constant, at_least(opposite, data.constant)])
    return equal if data.relation == "==" else negation(equal)
