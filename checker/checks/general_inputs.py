"""Checks of E1 and E4 on exact numbers: products, bilinear scores, linear values, differences of rational scores."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from .claims import StatedClaim
from .grids import Plan
from .item import Item, Items, Mode, at
from .rational import Function, row, value

ZERO, ONE, HALF = Fraction(0), Fraction(1), Fraction(1, 2)
SIZES = (ZERO, HALF, Fraction(2))
MOVES = (ZERO, Fraction(1, 3), ONE)
SIGNS = (-1, 0, 1)
MATRICES = ((ONE,), (Fraction(-3, 2),), (ONE, Fraction(-2)), (HALF, ONE, ONE))
"""Entries of a score form or of a row of a value map."""


def listed(numbers: Sequence[Fraction | int]) -> str:
    """Numbers for a witness."""
    return ", ".join(map(str, numbers))


def exact(kind: str, lhs: Fraction, op: str, rhs: Fraction, **witness: object) -> Item:
    """A comparison of rational numbers."""
    mode = {"=": Mode.EQUAL, "<": Mode.DECIDED, ">": Mode.DECIDED}.get(op, Mode.EITHER)
    return Item(kind, lhs, op, rhs, mode, at(**witness))


def product(claim: StatedClaim, plan: Plan) -> Items:
    """E1.product: every combination of extreme and middle factors; E1.product-tight: the extreme ones."""
    del plan
    tight = claim.name.endswith("tight")
    signs = [(1, 1, 1, 1)] if tight else list(itertools.product(SIGNS, repeat=4))
    for x, y, dx, dy in itertools.product(SIZES, SIZES, MOVES, MOVES):
        names = {"X0": x, "Y0": y, "dx0": dx, "dy0": dy}
        bound = value(claim.bound, names)
        for a, b, c, e in signs:
            before, after = (a * x, b * y), (a * x + c * dx, b * y + e * dy)
            change = abs(after[0] * after[1] - before[0] * before[1])
            yield exact("every sign", change, claim.op, bound, **names, factors=listed(before), moved=listed(after))


def _vectors(r: int, sizes: Sequence[Fraction]) -> Iterator[tuple[Fraction, ...]]:
    """Vectors of extreme coordinates (all for r <= 2), and the zero vector."""
    for signs in itertools.product((-1, 1), repeat=r) if r <= 2 else ((1,) * r, (-1, 1) * (r // 2) + (-1,) * (r % 2)):
        yield tuple(sign * size for sign, size in zip(signs, sizes, strict=True))
    yield (ZERO,) * r


def _functions(**rows: Sequence[Fraction]) -> dict[str, Function]:
    return {name: row(list(numbers)) for name, numbers in rows.items()}


def form(claim: StatedClaim, plan: Plan) -> Items:
    """E1.entries, E1.scores, E1.map, E1.keys: forms with up to three entries, coordinates and moves at their limits."""
    del plan
    for entries in MATRICES:
        r = len(entries)
        w = sum((abs(entry) for entry in entries), ZERO)
        for size, move in ((ONE, Fraction(1, 3)), (Fraction(2), HALF), (HALF, ONE)):
            own = claim.name == "E1.entries"
            sizes = [size * (1 + HALF * j) if own else size for j in range(r)]
            moves = [move * (1 + j) if own else move for j in range(r)]
            names = {"r": Fraction(r), "w": w, "B": size, "delta": move}
            rows = _functions(W=entries, X=sizes, Y=sizes, dx=moves, dy=moves)
            bound = value(claim.bound, names, rows)
            for change, witness in _changes(claim.name, entries, sizes, moves):
                yield exact("forms", change, claim.op, bound, W=listed(entries), size=size, move=move, **witness)


def _changes(
    name: str, entries: Sequence[Fraction], sizes: Sequence[Fraction], moves: Sequence[Fraction]
) -> Iterator[tuple[Fraction, dict[str, object]]]:
    """The left-hand sides, with what they come from."""
    r = len(entries)
    if name == "E1.map":
        for x in _vectors(r, sizes):
            yield abs(sum((a * b for a, b in zip(entries, x, strict=True)), ZERO)), {"x": listed(x)}
        return
    for x, y in itertools.product(_vectors(r, sizes), repeat=2):
        for a, b in itertools.product(_vectors(r, moves), repeat=2):
            change = sum(
                (c * ((p + da) * (q + db) - p * q) for c, p, q, da, db in zip(entries, x, y, a, b, strict=True)), ZERO
            )
            yield abs(change), {"x": listed(x), "y": listed(y), "dx": listed(a), "dy": listed(b)}


def layer_of_heads(claim: StatedClaim, plan: Plan) -> Items:
    """E1.heads: outputs of a linear position-wise map, every sign of the heads' errors."""
    del plan
    for errors in ((), (HALF,), (Fraction(1, 3), Fraction(2)), (ONE, ZERO, HALF)):
        for delta, lipschitz in itertools.product(MOVES, (ZERO, ONE, Fraction(3))):
            names = {"delta": delta, "K": lipschitz, "H": Fraction(len(errors))}
            bound = value(claim.bound, names, _functions(err=errors))
            for signs in itertools.product(SIGNS, repeat=len(errors) + 1):
                moved = sum((sign * error for sign, error in zip(signs[1:], errors, strict=True)), signs[0] * delta)
                witness = {"errors": listed(errors), "delta": delta, "K": lipschitz, "signs": listed(signs)}
                yield exact("every sign", lipschitz * abs(moved), claim.op, bound, **witness)


def decision(claim: StatedClaim, plan: Plan) -> Items:
    """E2.decision: outputs at and above the margin, moved by less than it."""
    del plan
    for mu, t in itertools.product((HALF, ONE), (-1, 1)):
        for y, error in itertools.product((mu, mu + HALF), (ZERO, mu / 2, mu * 99 / 100)):
            for sign in SIGNS:
                moved = t * y + sign * error
                yield exact("every sign", t * moved, claim.op, value(claim.bound, {}), t=t, y=t * y, y2=moved, mu=mu)


# -- E4 ----------------------------------------------------------------------------------------------------------------


def rational_scores(claim: StatedClaim, plan: Plan) -> Items:
    """E4.rational, E4.embeddings: all small numerators; only pairs of keys with different scores are compared."""
    del plan
    single = claim.name == "E4.embeddings"
    for d, p, b in itertools.product((1, 2, 3), repeat=3):
        if single and not d == p == b:
            continue
        bound = value(claim.bound, {"d": d, "p": p, "b": b})
        for entries, x in itertools.product(((1,), (2, -1)), ((1, 1), (2, -3))):
            r = len(entries)
            for keys in itertools.product((-1, 0, 2), repeat=2 * r):
                scores = [
                    sum((Fraction(a * c * k, d * p * b) for a, c, k in zip(entries, x, key, strict=False)), ZERO)
                    for key in (keys[:r], keys[r:])
                ]
                if scores[0] > scores[1]:
                    witness = {"d": d, "p": p, "b": b, "a": listed(entries), "X": listed(x[:r]), "Y": listed(keys)}
                    yield exact("every numerator", scores[0] - scores[1], claim.op, bound, **witness)


def averages(claim: StatedClaim, plan: Plan) -> Items:
    """E4.averaged, E4.same-count: averages of 0 and 1/d over every number of positions, one entry of weight 1/d."""
    same = claim.name == "E4.same-count"
    for d, n in itertools.product((1, 2), range(2, plan.max_n + 1)):
        bound = value(claim.bound, {"d": d, "n": n})
        for k0, k1, k2 in itertools.product(range(1, n + 1), repeat=3):
            if (k1 != k2) if same else (k1 * k2 > n * (n - 1)):
                continue
            for c1, c2 in itertools.product(range(k1 + 1), range(k2 + 1)):
                difference = Fraction(1, d * k0) * (Fraction(c1, d * k1) - Fraction(c2, d * k2)) / d
                if difference > 0:
                    witness = {"d": d, "n": n, "k0": k0, "k1": k1, "k2": k2, "keys": f"{c1}/{k1}, {c2}/{k2}"}
                    yield exact("every average", difference, claim.op, bound, **witness)


def counts(claim: StatedClaim, plan: Plan) -> Items:
    """E4.distinct, E4.cubic, E4.attained: every n, d and pair of counts."""
    for n in [*range(2, plan.max_n + 3), 10**6]:
        if claim.name == "E4.distinct":
            for k1, k2 in itertools.combinations(range(1, n + 1) if n < 100 else (1, n - 1, n), 2):
                yield exact("every count", Fraction(k1 * k2), claim.op, value(claim.bound, {"n": n}), n=n, k1=k1, k2=k2)
        elif claim.name == "E4.attained":
            query, keys = Fraction(1, n), (Fraction(1, n - 1), Fraction(1, n))
            difference = query * keys[0] - query * keys[1]
            yield exact("every n", difference, claim.op, value(claim.bound, {"n": n}), n=n)
        else:
            for d in (1, 2, 10):
                names = {"n": n, "d": d}
                yield exact("every n", value(claim.left, names), claim.op, value(claim.bound, names), n=n, d=d)


def halving(claim: StatedClaim, plan: Plan) -> Items:
    """E4.deep: each layer averages with a zero."""
    for start in (ONE, Fraction(-3, 7)):
        difference = start
        for layers in range(1, 4 * plan.max_n):
            difference = (difference + 0) / 2
            first = value(claim.bound, {}, {"g": lambda _, start=start: start})  # type: ignore[misc]
            yield exact("every depth", difference * 2**layers, claim.op, first, g=start, L=layers)
