"""Orders of positions: what enumerations over multisets leave out is another order of what they take."""

import itertools
from collections import Counter
from fractions import Fraction
from math import comb

import pytest

from checker import formal
from checker.attention import Row, Tie
from checker.checks import CHECKS, Plan, StatedClaim
from checker.checks.grids import reordered
from checker.quantity import l1, max_weight, tv, tv_between, tv_perturbed, value_error_perturbed
from proofs.registry import STATEMENTS

CLAIMS = {claim.name: claim for statement in STATEMENTS.values() for claim in statement.claims}
F = Fraction
LEVELS = (F(0), F(1, 2), F(2))


def cases(name, max_n):
    return list(CHECKS[name](StatedClaim(CLAIMS[name]), Plan(max_n)))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_distances_do_not_depend_on_the_order(n):
    for levels in itertools.combinations_with_replacement(LEVELS, n):
        row = Row.explicit(levels)
        for order in set(itertools.permutations(levels)):
            other = Row.explicit(order)
            for quantity in (l1, tv, max_weight):
                assert formal.equal(quantity(row, F(1, 3)), quantity(other, F(1, 3)))
            for tie in (Tie.LEFTMOST, Tie.RIGHTMOST):
                assert formal.equal(tv(row, F(1, 3), Tie.LEFTMOST), tv(other, F(1, 3), tie))


def test_pairs_of_scores_and_values_may_be_permuted_together():
    scores, moved, values, changed = (F(2), F(1, 2), F(2)), (F(1), F(1), F(3)), (F(-1), F(2), F(5)), (F(0), F(2), F(4))
    rows, tau = Row.explicit(scores), F(2, 7)
    for order in itertools.permutations(range(3)):
        pick = [[numbers[j] for j in order] for numbers in (scores, moved, values, changed)]
        one, two = Row.explicit(pick[0]), Row.explicit(pick[1])
        assert formal.equal(tv_perturbed(rows, Row.explicit(moved), tau), tv_perturbed(one, two, tau))
        assert formal.equal(tv_between(rows, Row.explicit(moved), tau), tv_between(one, two, tau))
        assert formal.equal(
            value_error_perturbed(rows, tau, values, changed), value_error_perturbed(one, tau, pick[2], pick[3])
        )


def test_values_of_unique_hard_attention_do_depend_on_the_order():
    """The symmetry is not claimed of them: another maximal position has another value."""
    row = Row.explicit([F(1), F(1), F(0)])
    one, two = (value_error_perturbed(row, 1, values, values, Tie.LEFTMOST) for values in ([0, 3, 1], [3, 0, 1]))
    assert not formal.equal(one, two)


def test_one_of_every_multiset_of_pairs_is_taken():
    for n in (1, 2, 3, 4):
        found = Counter()
        for scores in itertools.combinations_with_replacement((2, 1, 0), n):
            for values in itertools.product((-1, 0, 5), repeat=n):
                found[tuple(sorted(zip(scores, values, strict=True)))] += not reordered(scores, values)
        assert set(found.values()) == {1}
        assert len(found) == comb(9 + n - 1, n)


def test_long_rows_are_multisets():
    rows = [item for item in cases("A1.unique", 5) if item.kind == "lattice"]
    taken = Counter(tuple(sorted(dict(item.witness)["scores"].scores)) for item in rows)
    assert len(taken) == comb(5 + 4, 5)
    assert set(taken.values()) == {6}


def test_values_on_four_positions_are_multisets_of_pairs():
    counts = [len([item for item in cases("A7.bound", n) if item.kind == "lattice"]) for n in (2, 3, 4)]
    assert counts[1] - counts[0] == 3 * comb(5 + 2, 3) * 3**3
    assert counts[2] - counts[1] == 3 * comb(15 + 3, 4)
