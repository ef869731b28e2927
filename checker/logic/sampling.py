"""Random formulas of every kind, from a seeded generator; and the numerical predicates they are made of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from random import Random

from checker.errors import InputError
from checker.exact import show
from checker.logic import formula as logic
from checker.logic.alphabet import check_alphabet
from checker.logic.formula import BINARY, RELATIONS, UNARY, Formula, Kind, Side
from checker.position import Comparison, parse_comparison

LEAVES = (Kind.SYMBOL, Kind.TRUE, Kind.FALSE, Kind.POSITION)
INNER = (*UNARY, *BINARY, Kind.COUNT, Kind.REMAINDER)
SIDES = (Side.LEFT, Side.RIGHT, Side.ALL)
LARGEST_COEFFICIENT = 3
LARGEST_CONSTANT = 4
MOST_TERMS = 3

# Each is made with m in 2..4 and r in 0..m - 1.
PREDICATES = (
    "i == 1", "i == n", "i % {m} == {r}", "n % {m} == {r}", "2*i <= n", "i <= {r}", "n - i < {m}", "i*i <= n",
    "i != {m}", "(i*i + n) % {m} == {r}", "[i % {m} == {r}]*i > {r}", "{m}*i > n + {r}", "i/{m} < 3/2 - {r}",
    "i^2 - {m}*n >= {r}", "[1 < i < n]*2 == [i % 2 == 0] + 1", "-i + {r} >= -{m}",
)  # fmt: skip


@lru_cache(maxsize=512)
def predicate(template: int, modulus: int, residue: int) -> Comparison:
    """The numerical predicate PREDICATES[template] with these numbers, 0 <= residue < modulus."""
    return parse_comparison(PREDICATES[template].format(m=modulus, r=residue))


def check_kinds(kinds: Collection[Kind] | None) -> list[Kind]:
    """The kinds, all if None, in the order of Kind; InputError if they are not, or allow no formula without parts."""
    if kinds is None:
        return list(Kind)
    for kind in kinds:
        if not isinstance(kind, Kind):
            raise InputError(f"kinds are members of Kind, got {show(kind)}")
    if not any(kind in LEAVES for kind in kinds):
        raise InputError("the kinds allow no formula without parts; add SYMBOL, TRUE, FALSE or POSITION")
    return [kind for kind in Kind if kind in kinds]


def random_formula(
    rng: Random, alphabet: Sequence[str], depth: int, kinds: Collection[Kind] | None = None, leaf: float = 0.1
) -> Formula:
    """A random formula in which operators, Boolean ones included, are nested at most `depth` (0..50) deep.

    kinds: those that may occur, by default all. leaf: the probability that a part ends before the depth is used up.
    Equal seeds give equal formulas. Raises InputError for impossible arguments.

    >>> random_formula(Random(5), "ab", 2) is random_formula(Random(5), "ab", 2)
    True
    """
    allowed, names = check_kinds(kinds), check_alphabet(alphabet)
    if type(depth) is not int or not 0 <= depth <= 50:
        raise InputError(f"the depth is an integer in 0..50, got {show(depth)}")
    leaves = [kind for kind in allowed if kind in LEAVES]
    # Symbols are what formulas are about; constants are rare.
    weights = [{Kind.SYMBOL: 12, Kind.POSITION: 4}.get(kind, 1) for kind in leaves]
    inner = [kind for kind in allowed if kind in INNER]

    def grow(left: int) -> Formula:
        if left == 0 or not inner or rng.random() < leaf:
            return _leaf(rng, rng.choices(leaves, weights)[0], names)
        kind = rng.choice(inner)
        if kind in UNARY:
            return logic.unary(kind, grow(left - 1))
        if kind in BINARY:
            return logic.binary(kind, grow(left - 1), grow(left - 1))
        if kind is Kind.REMAINDER:
            modulus = rng.randint(1, 4)
            return logic.remainder(rng.choice(SIDES), grow(left - 1), modulus, rng.randrange(modulus))
        limit = LARGEST_COEFFICIENT
        terms = tuple(
            (rng.randint(-limit, limit), rng.choice(SIDES), grow(left - 1)) for _ in range(rng.randint(1, MOST_TERMS))
        )
        return logic.count(terms, rng.choice(RELATIONS), rng.randint(-LARGEST_CONSTANT, LARGEST_CONSTANT))

    return grow(depth)


def _leaf(rng: Random, kind: Kind, alphabet: Sequence[str]) -> Formula:
    if kind is Kind.SYMBOL:
        return logic.symbol(rng.choice(alphabet))
    if kind is Kind.POSITION:
        modulus = rng.randint(2, 4)
        return logic.position(predicate(rng.randrange(len(PREDICATES)), modulus, rng.randrange(modulus)))
    return logic.true() if kind is Kind.TRUE else logic.false()
