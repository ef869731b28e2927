"""Hypothesis strategies for expressions in i and n. Needs the extra `hypothesis`."""

from __future__ import annotations

from fractions import Fraction

from checker import position
from checker.position import RELATIONS, Comparison, Expression

try:
    from hypothesis import strategies as st
except ImportError:
    message = "checker.position_strategies needs the extra 'hypothesis': pip install 'hardsoft[hypothesis]'"
    raise ImportError(message) from None


def rationals(size: int = 4) -> st.SearchStrategy[Fraction]:
    """Fractions with numerator and denominator up to `size`."""
    return st.builds(Fraction, st.integers(-size, size), st.integers(1, size))


def expressions(leaves: int = 6) -> st.SearchStrategy[Expression]:
    """Expressions of about `leaves` leaves at most that have a value at every i and every n >= 0."""
    n = position.variable("n")
    nonzero = st.one_of(
        st.builds(lambda k: position.add(n, position.number(k)), st.integers(1, 3)),
        rationals().filter(bool).map(position.number),
    )
    whole = st.one_of(
        st.sampled_from([position.variable("i"), n]), st.integers(-4, 4).map(position.number), st.deferred(lambda: sums)
    )
    sums = st.builds(lambda k, e: position.add(position.mul(position.number(k), position.variable("i")), e),
                     st.integers(-3, 3), st.integers(-4, 4).map(position.number))  # fmt: skip
    remainders = st.builds(lambda e, m: position.modulo(e, position.number(m)), whole, st.integers(1, 4))
    base = st.one_of(rationals().map(position.number), st.sampled_from([position.variable("i"), n]), remainders)

    def larger(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        compared = st.builds(Comparison, parts, st.sampled_from(RELATIONS), parts)
        return st.one_of(
            st.builds(position.add, parts, parts),
            st.builds(position.sub, parts, parts),
            st.builds(position.mul, parts, parts),
            st.builds(position.div, parts, nonzero),
            st.builds(position.power, parts, st.integers(0, 3)),
            st.builds(position.negative, parts),
            st.lists(compared, min_size=1, max_size=2).map(lambda items: position.bracket(*items)),
        )

    return st.recursive(base, larger, max_leaves=leaves)


def comparisons(leaves: int = 3) -> st.SearchStrategy[Comparison]:
    """Comparisons of two such expressions."""
    parts = expressions(leaves)
    return st.builds(Comparison, parts, st.sampled_from(RELATIONS), parts)
