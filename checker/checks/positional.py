"""Checks of section B: rows on a line of positions, lookups, distinct distances in every order, predicates."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction

from checker.attention import Row
from checker.quantity import Quantity, tv

from .claims import StatedClaim
from .grids import Plan
from .item import Item, Items, Mode, at

ONE = Fraction(1)
HALF = Fraction(1, 2)
RATES = tuple(Fraction(text) for text in ("1e-3", "0.1", "0.7", "2", "30"))
"""gamma/tau (or c/tau); 0.7 is near log 2."""

FEW_RATES = RATES[1:4]
LONG = (40, 200)
EXCESS = (Fraction(0), HALF, Fraction(3))


def _excesses(n: int) -> Iterator[tuple[Fraction, ...]]:
    """How far the distances exceed what is required: none, all choices on short rows, one position on longer ones."""
    yield (Fraction(0),) * n
    if n <= 3:
        yield from (choice for choice in itertools.product(EXCESS, repeat=n) if any(choice))
    else:
        for place in range(n):
            yield tuple(HALF if index == place else Fraction(0) for index in range(n))


Required = Callable[[int, int, int], Fraction | None]


def _line(plan: Plan, required: Required) -> Iterator[tuple[str, Row, int, bool]]:
    """(kind, row, place m of the maximum, tight) with distances >= required(n, m, j); None: m is not admitted."""
    for n in [*range(1, plan.max_n + 1), *LONG]:
        short = n <= plan.max_n
        for m in range(1, n + 1) if short else (1, n // 3, n):
            distances = [distance for j in range(1, n + 1) if (distance := required(n, m, j)) is not None]
            if len(distances) < n:
                continue
            for extra in _excesses(n) if short else [(Fraction(0),) * n]:
                if extra[m - 1]:
                    continue
                scores = [-(distance + more) for distance, more in zip(distances, extra, strict=True)]
                yield "lattice" if short else "long rows", Row.explicit(scores), m, not any(extra)


def _arranged(n: int, m: int, j: int) -> Fraction | None:
    return Fraction(m - j if j <= m else n + m - j)


def _mirrored(n: int, m: int, j: int) -> Fraction | None:
    return Fraction(n - m + j if j < m else j - m)


def _left(n: int, m: int, j: int) -> Fraction | None:
    return Fraction(n - j) if m == n else None


def _right(_: int, m: int, j: int) -> Fraction | None:
    return Fraction(j - 1) if m == 1 else None


_SHAPES = {
    "B1.arranged": _arranged, "B1.mirrored": _mirrored, "B1.left": _left, "B1.right": _right, "B1.tight": _left,
    "B1.below": _left, "B5.tight": _right,
}  # fmt: skip


def linear(claim: StatedClaim, plan: Plan) -> Items:
    """TV of rows whose distances are at least (or exactly) as required, against the bound."""
    equal, limit = claim.op == "=", claim.name == "B1.below"
    for kind, row, m, tight in _line(plan, _SHAPES[claim.name]):
        if (equal or limit) and not tight:
            continue
        for rate in RATES if row.n <= plan.max_n else FEW_RATES:
            mode = Mode.EQUAL if equal else (Mode.EITHER if tight and not limit else Mode.DECIDED)
            yield _item(claim, "worst case" if tight else kind, row, rate, mode, m=m)


def _item(claim: StatedClaim, kind: str, row: Row, rate: Fraction, mode: Mode, **more: object) -> Item:
    bound = claim.bound_at(n=row.n, gamma=1, tau=1 / rate)
    witness = at(n=row.n, scores=row, gamma=1, tau=1 / rate, **more)
    return Item(kind, tv(row, 1 / rate), claim.op, bound, mode, witness)


def monotone(claim: StatedClaim, plan: Plan) -> Items:
    """TV of the worst rows of B1 (and B5) at two values of one parameter, from the definitions."""
    changed = claim.name.rsplit("-", 1)[1]
    for n in [*range(1, plan.max_n + 1), *LONG]:
        for rate in RATES if n <= plan.max_n else FEW_RATES:
            old, new = _worst(n, ONE, 1 / rate), _raised(n, 1 / rate, changed)
            first, second = (old, new) if claim.new_value_on_the_right(changed + "2") else (new, old)
            mode = Mode.EITHER if n == 1 and changed != "n" else Mode.DECIDED
            yield Item("worst case", first, claim.op, second, mode, at(n=n, gamma=1, tau=1 / rate, raised=changed))


def _worst(n: int, gamma: Fraction, tau: Fraction) -> Quantity:
    return tv(Row.explicit([-gamma * j for j in range(n)]), tau)


def _raised(n: int, tau: Fraction, changed: str) -> Quantity:
    if changed == "n":
        return _worst(n + 1, ONE, tau)
    return _worst(n, ONE * 5 / 4, tau) if changed == "gamma" else _worst(n, ONE, tau * 5 / 4)


def both_sides(claim: StatedClaim, plan: Plan) -> Items:
    """B2: rows that fall on both sides of the maximum."""
    equal, limit = claim.op == "=", claim.name == "B2.below"
    sizes = [(left, right) for left in range(plan.max_n) for right in range(plan.max_n) if left + right < plan.max_n]
    for left, right in [*sizes, (20, 20), (3, 60)]:
        n = left + right + 1
        base = [Fraction(abs(j - left)) for j in range(n)]
        for extra in _excesses(n) if n <= plan.max_n else [(Fraction(0),) * n]:
            if extra[left] or ((equal or limit) and any(extra)):
                continue
            row = Row.explicit([-(distance + more) for distance, more in zip(base, extra, strict=True)])
            for rate in RATES if n <= plan.max_n else FEW_RATES:
                tight = not any(extra)
                mode = Mode.EQUAL if equal else (Mode.EITHER if tight and not limit else Mode.DECIDED)
                bound = claim.bound_at(l=left, r=right, gamma=1, tau=1 / rate)
                witness = at(l=left, r=right, scores=row, gamma=1, tau=1 / rate)
                kind = "worst case" if tight else "lattice"
                yield Item(kind, tv(row, 1 / rate), claim.op, bound, mode, witness)


def _places(longest: int) -> list[tuple[int, int]]:
    return [(length, place) for length in range(1, longest + 1) for place in range(1, length + 1)]


def lookup(claim: StatedClaim, plan: Plan) -> Items:
    """B3: scores -(j - a)**2; long rows with the position in the middle nearly attain the theta bound."""
    for n, a in [*_places(plan.max_n + 2), (41, 21), (61, 31)]:
        row = Row.explicit([Fraction(-((j - a) ** 2)) for j in range(1, n + 1)])
        for rate in RATES if n <= 12 else FEW_RATES:
            bound = claim.bound_at(c=1, tau=1 / rate)
            kind = "every place" if n <= 12 else "long rows"
            yield Item(kind, tv(row, 1 / rate), claim.op, bound, Mode.DECIDED, at(n=n, a=a, c=1, tau=1 / rate))


def noisy_lookup(claim: StatedClaim, plan: Plan) -> Items:
    """B4: scores -(j - a - eta)**2 with the noise at, inside and opposite to its limit."""
    for noise in (Fraction(0), Fraction(1, 10), Fraction(49, 100)):
        for eta in sorted({-noise, -noise / 2, Fraction(0), noise}):
            for n, a in [*_places(plan.max_n), (41, 21)]:
                row = Row.explicit([-((j - a - eta) ** 2) for j in range(1, n + 1)])
                for rate in RATES if n <= 12 else FEW_RATES:
                    bound = claim.bound_at(c=1, noise=noise, tau=1 / rate)
                    witness = at(n=n, a=a, c=1, eta=eta, noise=noise, tau=1 / rate)
                    kind = "every place" if n <= 12 else "long rows"
                    yield Item(kind, tv(row, 1 / rate), claim.op, bound, Mode.DECIDED, witness)


def distances(claim: StatedClaim, plan: Plan) -> Items:
    """B5: distances at least 1, 2, ... (or distinct integers), in every order of the positions for n <= 4."""
    for n in range(1, min(plan.max_n, 6) + 1):
        for chosen in _distance_sets(claim.name, n):
            orders = itertools.permutations(chosen) if n <= 4 else (chosen, chosen[::-1])
            for order in orders:
                row = Row.explicit([-distance for distance in order])
                for rate in FEW_RATES:
                    mode = Mode.DECIDED if claim.name == "B5.strict" else Mode.EITHER
                    kind = "every order" if n <= 4 else "two orders"
                    yield _item(claim, kind, row, rate, mode)


def _distance_sets(name: str, n: int) -> Iterator[tuple[Fraction, ...]]:
    """Distances of all positions, the maximal one first: distinct integers up to n + 1, or at least r with excess."""
    if name == "B5.distinct":
        for chosen in itertools.combinations(range(1, n + 2), n - 1):
            yield (Fraction(0), *map(Fraction, chosen))
        return
    for extra in _excesses(n):
        if not extra[0]:
            yield tuple(Fraction(r) + more for r, more in zip(range(n), extra, strict=True))


def predicate(claim: StatedClaim, plan: Plan) -> Items:
    """B6: every Boolean row; weights A from n on; the hard choice is compared with the position it must be."""
    right = "right" in claim.name or "choice" in claim.name
    none = claim.name.endswith("none")
    for n in range(1, plan.max_n + 1):
        for chi in itertools.product((0, 1), repeat=n):
            if any(chi) == none:
                continue
            for weight in (n, n + 1, 2 * n):
                scores = [Fraction(weight * true + (j if right else -j)) for j, true in enumerate(chi, start=1)]
                true_places = [j for j, true in enumerate(chi, start=1) if true]
                m = (true_places or [n])[-1] if right else (true_places or [1])[0]
                yield from _predicate_items(claim, Row.explicit(scores), m, chi, weight)


def _predicate_items(claim: StatedClaim, row: Row, m: int, chi: tuple[int, ...], weight: int) -> Items:
    witness = at(chi="".join(map(str, chi)), c=1, A=weight)
    if claim.name == "B6.choice" or claim.name == "B6.choice-after":
        places = range(1, m) if claim.name == "B6.choice" else range(m + 1, row.n + 1)
        for j in places:
            difference = row.scores[m - 1] - row.scores[j - 1]
            yield Item("every predicate", difference, claim.op, ONE, Mode.DECIDED, (*witness, ("position", j)))
        return
    # The maximal position must be m; otherwise the claim is about another choice.
    chosen = [j for j, score in enumerate(row.scores, start=1) if score == row.top]
    yield Item("every predicate", Fraction(chosen != [m]), "<=", Fraction(0), Mode.DECIDED, witness)
    for rate in FEW_RATES:
        mode = Mode.DECIDED if claim.name == "B6.below" else Mode.EITHER
        bound = claim.bound_at(n=row.n, c=1, tau=1 / rate)
        yield Item("every predicate", tv(row, 1 / rate), claim.op, bound, mode, (*witness, ("tau", 1 / rate)))
