"""Exact hard attention: masks, ties, groups, the empty row, and every refusal."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.attention import Mask, Row, Tie, visible
from checker.errors import InputError

scores_lists = st.lists(st.integers(-3, 3), min_size=1, max_size=7)


@pytest.mark.parametrize(
    ("mask", "condition"),
    [
        (Mask.NONE, lambda i, j: min(i, j) >= 1),
        (Mask.FUTURE, lambda i, j: j <= i),
        (Mask.STRICT_FUTURE, lambda i, j: j < i),
        (Mask.PAST, lambda i, j: j >= i),
        (Mask.STRICT_PAST, lambda i, j: j > i),
    ],
)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_masks_are_their_conditions(mask, condition, n):
    for i in range(1, n + 1):
        assert list(visible(mask, i, n)) == [j for j in range(1, n + 1) if condition(i, j)]


def test_strict_masks_leave_nothing_at_the_ends():
    assert list(visible(Mask.STRICT_FUTURE, 1, 4)) == []
    assert list(visible(Mask.STRICT_PAST, 4, 4)) == []
    assert Row.masked([1, 2, 3], Mask.STRICT_FUTURE, 1).is_empty


@pytest.mark.parametrize(("i", "n"), [(0, 3), (4, 3), (-1, 3), (1, 0), (1.0, 3), (True, 3)])
def test_query_positions_are_checked(i, n):
    with pytest.raises(InputError, match=r"query position must be an integer in 1\.\.n"):
        visible(Mask.NONE, i, n)


def test_a_row_by_hand():
    row = Row.explicit([1, 3, Fraction(5, 2), 3])
    assert (row.n, row.k, row.top, row.gap, row.spread) == (4, 2, 3, Fraction(1, 2), 2)
    assert [part.weight for part in row.hard(Tie.LEFTMOST)] == [0, 1, 0, 0]
    assert [part.weight for part in row.hard(Tie.RIGHTMOST)] == [0, 0, 0, 1]
    assert [part.weight for part in row.hard(Tie.AVERAGE)] == [0, Fraction(1, 2), 0, Fraction(1, 2)]


def test_all_maximal_means_an_infinite_gap():
    assert Row.explicit([2, 2]).gap is None
    assert Row.explicit([2]).gap is None
    assert Row.multiset({Fraction(1): 10**30}).gap is None


def test_leftmost_and_rightmost_split_the_group_they_choose():
    row = Row((Fraction(2), Fraction(0), Fraction(2)), (3, 4, 5))
    left = [(part.multiplicity, part.weight, part.group) for part in row.hard(Tie.LEFTMOST)]
    right = [(part.multiplicity, part.weight, part.group) for part in row.hard(Tie.RIGHTMOST)]
    assert left == [(1, 1, 0), (2, 0, 0), (4, 0, 1), (5, 0, 2)]
    assert right == [(3, 0, 0), (4, 0, 1), (4, 0, 2), (1, 1, 2)]
    assert [part.weight for part in row.hard(Tie.AVERAGE)] == [Fraction(1, 8), 0, Fraction(1, 8)]


def test_multiplicities_may_be_huge():
    row = Row.multiset({Fraction(1): 10**30, Fraction(0): 7})
    assert (row.n, row.k, row.gap) == (10**30 + 7, 10**30, 1)
    assert sum(part.multiplicity * part.weight for part in row.hard(Tie.LEFTMOST)) == 1


def test_the_empty_row_has_no_weights_and_no_maximum():
    row = Row.explicit([])
    assert (row.is_empty, row.n, row.k, row.gap, row.spread) == (True, 0, 0, None, 0)
    assert [row.hard(tie) for tie in Tie] == [[], [], []]
    with pytest.raises(InputError, match="empty row has no maximal score"):
        _ = row.top


@pytest.mark.parametrize(
    ("scores", "multiplicities", "message"),
    [
        ((0.5,), (1,), "score 1 must be an int or a Fraction, got float 0.5"),
        ((1, "2"), (1, 1), "score 2 must be an int or a Fraction, got str '2'"),
        ((True,), (1,), "score 1 must be an int or a Fraction, got bool True"),
        ((1,), (0,), "multiplicity 1 must be an integer >= 1, got 0"),
        ((1, 2), (1, -3), "multiplicity 2 must be an integer >= 1, got -3"),
        ((1,), (True,), "multiplicity 1 must be an integer >= 1, got True"),
        ((1,), (1.0,), r"multiplicity 1 must be an integer >= 1, got 1\.0"),
        ((1, 2), (1,), "one multiplicity per score, got 2 scores and 1 multiplicities"),
    ],
)
def test_rows_are_checked(scores, multiplicities, message):
    with pytest.raises(InputError, match=message):
        Row(scores, multiplicities)


def test_rows_are_values():
    assert Row.explicit([1, 2]) == Row((Fraction(1), Fraction(2)), (1, 1))
    assert hash(Row.explicit([1, 2])) == hash(Row((Fraction(1), Fraction(2)), (1, 1)))
    assert Row.explicit([1, 2]) != Row.explicit([2, 1])
    assert str(Row((Fraction(1), Fraction(1, 2)), (1, 3))) == "[1, 1/2 x 3]"
    assert str(Row.explicit(range(20))).endswith("11, ...]")


@settings(deadline=None, max_examples=100)
@given(scores_lists)
def test_hard_weights_by_brute_force(scores):
    row = Row.explicit(scores)
    maximal = [j for j, score in enumerate(scores) if score == max(scores)]
    expected = {
        Tie.LEFTMOST: [Fraction(j == maximal[0]) for j in range(len(scores))],
        Tie.RIGHTMOST: [Fraction(j == maximal[-1]) for j in range(len(scores))],
        Tie.AVERAGE: [Fraction(j in maximal, len(maximal)) for j in range(len(scores))],
    }
    for tie in Tie:
        assert [part.weight for part in row.hard(tie)] == expected[tie]
    others = [max(scores) - score for score in scores if score != max(scores)]
    assert row.gap == (min(others) if others else None)
    assert row.k == len(maximal)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 4)), min_size=1, max_size=4))
def test_groups_are_short_for_explicit_positions(groups):
    row = Row(tuple(Fraction(score) for score, _ in groups), tuple(count for _, count in groups))
    long = Row.explicit([score for score, count in groups for _ in range(count)])
    assert (row.n, row.k, row.gap, row.top, row.spread) == (long.n, long.k, long.gap, long.top, long.spread)
    for tie in Tie:
        spelled = [part.weight for part in row.hard(tie) for _ in range(part.multiplicity)]
        assert spelled == [part.weight for part in long.hard(tie)]
