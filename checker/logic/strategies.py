"""Hypothesis strategies for formulas and words; they shrink towards single symbols and short words.

Needs the extra `hypothesis` (``pip install 'hardsoft[hypothesis]'``). Impossible arguments raise InputError when the
strategy is built.

    @given(formulas("ab", max_depth=3), words("ab", 1, 6))
    def test_my_compiler(formula, word): ...
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from checker.errors import InputError
from checker.exact import show
from checker.logic import formula as logic
from checker.logic import sampling
from checker.logic.alphabet import check_alphabet
from checker.logic.formula import BINARY, RELATIONS, UNARY, Formula, Kind

try:
    from hypothesis import strategies as st
except ImportError:
    message = "checker.logic.strategies needs the extra 'hypothesis': pip install 'hardsoft[hypothesis]'"
    raise ImportError(message) from None


def words(alphabet: Sequence[str], least: int = 1, most: int = 8) -> st.SearchStrategy[tuple[str, ...]]:
    """Words as tuples of symbols, of length least..most, both included.

    >>> words("ab", 3, 2)
    Traceback (most recent call last):
    checker.errors.InputError: lengths of words are integers with 0 <= least <= most, got 3 and 2
    """
    if type(least) is not int or type(most) is not int or not 0 <= least <= most:
        raise InputError(f"lengths of words are integers with 0 <= least <= most, got {show(least)} and {show(most)}")
    letters = st.sampled_from(check_alphabet(alphabet))
    return st.lists(letters, min_size=least, max_size=most).map(tuple)


def formulas(
    alphabet: Sequence[str], max_depth: int = 4, kinds: Collection[Kind] | None = None
) -> st.SearchStrategy[Formula]:
    """Formulas over the alphabet whose operators, Boolean ones included, are nested at most max_depth (0..50) deep.

    kinds: those that may occur, by default all; at least one of SYMBOL, TRUE, FALSE, POSITION.

    >>> formulas("ab", kinds=[Kind.AND])
    Traceback (most recent call last):
    checker.errors.InputError: the kinds allow no formula without parts; add SYMBOL, TRUE, FALSE or POSITION
    """
    allowed, names = sampling.check_kinds(kinds), check_alphabet(alphabet)
    if type(max_depth) is not int or not 0 <= max_depth <= 50:
        raise InputError(f"the depth is an integer in 0..50, got {show(max_depth)}")
    result = leaves = st.one_of([_leaf(kind, names) for kind in allowed if kind in sampling.LEAVES])
    inner = [kind for kind in allowed if kind in sampling.INNER]
    for _ in range(max_depth if inner else 0):
        result = st.one_of([leaves, *(_inner(kind, result) for kind in inner)])
    return result


def _leaf(kind: Kind, alphabet: tuple[str, ...]) -> st.SearchStrategy[Formula]:
    if kind is Kind.SYMBOL:
        return st.sampled_from(alphabet).map(logic.symbol)
    if kind is Kind.POSITION:
        return _moduli(2).flatmap(_predicates)
    return st.just(logic.true() if kind is Kind.TRUE else logic.false())


def _moduli(least: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.sampled_from([(modulus, residue) for modulus in range(least, 5) for residue in range(modulus)])


def _predicates(numbers: tuple[int, int]) -> st.SearchStrategy[Formula]:
    templates = st.integers(0, len(sampling.PREDICATES) - 1)
    return templates.map(lambda template: logic.position(sampling.predicate(template, *numbers)))


def _inner(kind: Kind, parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    if kind in UNARY:
        return parts.map(lambda part: logic.unary(kind, part))
    if kind in BINARY:
        return st.tuples(parts, parts).map(lambda pair: logic.binary(kind, *pair))
    sides = st.sampled_from(sampling.SIDES)
    if kind is Kind.REMAINDER:
        return st.tuples(sides, parts, _moduli(1)).map(lambda item: logic.remainder(item[0], item[1], *item[2]))
    largest = sampling.LARGEST_COEFFICIENT
    term = st.tuples(st.integers(-largest, largest), sides, parts)
    terms = st.lists(term, min_size=1, max_size=sampling.MOST_TERMS).map(tuple)
    constants = st.integers(-sampling.LARGEST_CONSTANT, sampling.LARGEST_CONSTANT)
    return st.tuples(terms, st.sampled_from(RELATIONS), constants).map(lambda item: logic.count(*item))
