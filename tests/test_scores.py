"""The audit against independent computations: the full definition with mpmath at 200 bits, and exact rows."""

import math
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker import critical, scorefile, scores, strategies
from checker.attention import Mask, Row, visible
from checker.audit import Audit, shown, visible_scores
from checker.ball import Ball, working
from checker.bulk import auditing, rows, temperature
from checker.errors import DisagreementError, InputError
from checker.recheck import hardest_rows, recheck
from checker.scorearray import Scores, from_exact

DATA = Path(__file__).parent / "data" / "minilm_scores.npz"
EPS = Fraction(1, 100)
CONTEXT = mpmath.mp.clone()
CONTEXT.prec = 200
few = settings(max_examples=60, deadline=None, derandomize=True)


def number(x: Fraction | float) -> Any:
    x = Fraction(x)
    return CONTEXT.mpf(x.numerator) / x.denominator


def reference_tv(row: list[Fraction], tau: Fraction | float) -> Any:
    """TV from the definition: half the L1 distance between the softmax and the average-hard weights.

    p - h cancels on the maxima where softmax is almost hard, hence the bits.
    """
    bits = 200 + 2 * int(min((max(row) - min(row)) / Fraction(tau), 15000))
    with CONTEXT.workprec(bits):
        return _reference_tv(row, tau)


def _reference_tv(row: list[Fraction], tau: Fraction | float) -> Any:
    exps = [CONTEXT.exp(number(x - max(row)) / number(tau)) for x in row]
    total, k = CONTEXT.fsum(exps), row.count(max(row))
    hard = [CONTEXT.mpf(x == max(row)) / k for x in row]
    return CONTEXT.fsum(abs(e / total - h) for e, h in zip(exps, hard, strict=True)) / 2


def check_row(audit: Audit, number_of_row: int, width: float = 1e-9) -> None:
    """Every claim about one row, against the definition."""
    found = audit.row(number_of_row)
    seen = list(visible_scores(audit.scores, audit.mask, number_of_row).values())
    row = Row.explicit(seen)
    assert (found.n, found.k, found.gap, found.spread) == (row.n, row.k, row.gap, row.spread)
    assert found.n == audit.n[number_of_row]
    tv = reference_tv(seen, audit.tau)
    assert number(found.tv[0]) <= tv * (1 + number(1e-50))
    assert tv * (1 - number(1e-50)) <= number(found.tv[1])
    assert found.tv[1] - found.tv[0] <= 1e-15
    lo, hi = found.critical
    if audit.eps >= Fraction(row.n - row.k, row.n):
        assert (lo, hi) == (math.inf, math.inf)
        assert found.slack is None
        return
    assert reference_tv(seen, lo) <= number(audit.eps) < reference_tv(seen, hi)
    assert hi - lo <= width * lo
    ratio = Fraction(row.n - row.k) * (1 - audit.eps) / (row.k * audit.eps)
    assert row.gap is not None
    bound = number(row.gap) / CONTEXT.log(number(ratio))
    assert number(found.bound_critical[0]) <= bound <= number(found.bound_critical[1])
    assert found.bound_critical[1] <= found.bound_critical[0] * (1 + 1e-12)
    assert found.slack is not None
    assert number(found.slack[0]) <= number(hi) / bound
    assert number(found.slack[1]) >= number(lo) / bound
    assert found.slack[1] - found.slack[0] <= 2 * width * found.slack[0]
    q = CONTEXT.exp(-number(row.gap) / number(audit.tau))
    bound_tv = (row.n - row.k) * q / (row.k + (row.n - row.k) * q)
    assert number(found.bound_tv[0]) <= bound_tv * (1 + number(1e-50))
    assert bound_tv * (1 - number(1e-50)) <= number(found.bound_tv[1])


def some_scores(dtype: str) -> np.ndarray:
    """Scores with ties, near ties, equal rows, large spreads and -inf."""
    rng = np.random.default_rng(7)
    array = (3 * rng.normal(size=(2, 6, 6))).astype(dtype)
    array[0, 1] = 0.5
    array[0, 2] = np.array([1, 1, 1, 0, 0, 0], dtype=dtype)
    array[0, 3] *= 100
    array[1, 0, 2] = np.nextafter(array[1, 0].max(), np.array(100, dtype=dtype))
    array[1, 2, 3:] = -np.inf
    array[1, 3, 1:] = -np.inf
    return array


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_every_row_against_the_definition(dtype: str) -> None:
    audit = scores.audit(Scores("a", some_scores(dtype)), eps=EPS, tau=Fraction(1, 3))
    for row in range(audit.rows):
        check_row(audit, row)


@pytest.mark.parametrize("eps", ["1/10", "1/2", "5/6", "999/1000", "1e-30", "1e-3000"])
def test_every_eps(eps: str) -> None:
    audit = scores.audit(Scores("a", some_scores("float32")), eps=Fraction(eps))
    for row in range(0, audit.rows, 2):
        check_row(audit, row)


@pytest.mark.parametrize("mask", list(Mask))
def test_every_mask(mask: Mask) -> None:
    array = some_scores("float32")
    array[np.isneginf(array)] = -9
    audit = scores.audit(Scores("a", array), mask=mask)
    empties = 0
    for row in range(audit.rows):
        index = audit.scores.index(row)
        exact = [Fraction(float(x)) for x in array[index]]
        assert list(visible_scores(audit.scores, mask, row).values()) == list(
            Row.masked(exact, mask, index[-1] + 1).scores
        )
        if audit.n[row]:
            check_row(audit, row)
        else:
            empties += 1
            found = audit.row(row)
            assert (found.n, found.k, found.gap, found.hard, found.tv) == (0, 0, None, (), (0, 0))
    assert empties == audit.empty == (2 if mask in (Mask.STRICT_FUTURE, Mask.STRICT_PAST) else 0)
    assert [head.empty for head in audit.heads()] == [empties // 2] * 2


@pytest.mark.parametrize("mask", list(Mask))
def test_masks_are_those_of_attention(mask: Mask) -> None:
    for i, row in enumerate(shown(mask, np.arange(5), 5)):
        assert [j + 1 for j in np.flatnonzero(row)] == list(visible(mask, i + 1, 5))


def test_hard_set_counts_keys_from_zero_and_respects_masks() -> None:
    audit = scores.audit(Scores("a", np.array([[1.0, 5, 5], [5, 1, 5], [2, 2, 2]])), mask=Mask.FUTURE)
    assert [audit.row(row).hard for row in range(3)] == [(0,), (0,), (0, 1, 2)]


@few
@given(strategies.rows(n=(1, 7)), strategies.temperatures("1/10", 10), st.sampled_from(["1/100", "2/5", "9/10"]))
def test_any_exact_row(row: Row, tau: Fraction, eps: str) -> None:
    thirds = [x / 3 for x in row.scores]
    for cells in (list(row.scores), thirds):
        audit = scores.audit(from_exact("a", cells, (len(cells),)), eps=Fraction(eps), tau=tau)
        check_row(audit, 0)


@few
@given(strategies.rows(n=(2, 6)), st.integers(-40, 40), st.randoms(use_true_random=False))
def test_scaling_by_powers_of_two_shifts_and_permutations(row: Row, power: int, random: Any) -> None:
    base = np.array([float(x) for x in row.scores])
    shuffled = base.copy()
    random.shuffle(shuffled)
    here = scores.audit(Scores("a", base))
    there = scores.audit(Scores("a", (shuffled + 3) * 2.0**power), tau=Fraction(2) ** power)
    assert (there.n, there.k) == (here.n, here.k)
    assert there.tv.tolist() == here.tv.tolist()
    assert (there.critical / 2.0**power).tolist() == here.critical.tolist()


def test_the_gap_bound_is_attained_iff_all_others_are_exactly_the_gap_below() -> None:
    audit = scores.audit(Scores("a", np.array([[1.0, 0, 0, 0, 1], [1, 0, 0, -1, 1]])))
    assert audit.row(0).slack == (1.0, 1.0)
    slack = audit.row(1).slack
    assert slack is not None
    assert slack[0] > 1
    check_row(audit, 0)


def test_exactly_when_every_temperature_will_do() -> None:
    array = Scores("a", np.array([[1.0, 0, 0, 0]]))
    assert scores.audit(array, eps=Fraction(3, 4)).critical.tolist() == [[math.inf, math.inf]]
    for tiny in (Fraction(1, 10**9), Fraction(1, 10**60)):
        audit = scores.audit(array, eps=Fraction(3, 4) - tiny)
        lo, hi = audit.row(0).critical
        # Near tau = infinity, 3/4 - TV = (3/16)/tau up to a relative error of about 1/tau.
        assert lo == pytest.approx(float(Fraction(3, 16) / tiny), rel=1e-7)
        assert lo < hi <= lo * (1 + 1e-8)
    beyond = scores.audit(array, eps=Fraction(3, 4) - Fraction(1, 10**400)).row(0).critical
    assert beyond == (pytest.approx(1.797e308, rel=1e-3), math.inf)


def test_scores_at_the_ends_of_float64() -> None:
    huge, tiny = np.finfo(np.float64).max, 5e-324
    array = np.array([[huge, -huge, 0], [tiny, 0, 0], [huge, np.nextafter(huge, 0), -huge], [huge, -huge, -huge]])
    audit = scores.audit(Scores("a", array))
    for row in (0, 2, 3):
        check_row(audit, row)
    check_row(scores.audit(Scores("a", np.array([1, 1e-300, 0]))), 0)
    lo, hi = audit.row(1).critical  # 5e-324/log(198) is below the smallest float64
    assert (lo, hi) == (0, 5e-324)
    assert audit.row(1).gap == Fraction(1, 2**1074)


def test_temperatures_and_decimals_beyond_float64() -> None:
    cells = [Fraction(1, 10**400), Fraction(0), None, -(Fraction(10) ** 400)]
    audit = scores.audit(from_exact("a", cells, (2, 2)), tau=Fraction(1, 10**400))
    tv = math.exp(-1) / (1 + math.exp(-1))
    assert audit.row(0).tv[0] == pytest.approx(tv)
    assert audit.row(0).critical == (0, 5e-324)
    assert audit.row(1).critical == (math.inf, math.inf)
    plain = Scores("a", np.array([1.0, 0, 0]))
    cold, hot = (scores.audit(plain, tau=tau).row(0).tv for tau in (Fraction(1, 10**5000), Fraction(10) ** 5000))
    assert cold == (0, 5e-324)
    assert hot[0] <= 2 / 3 <= hot[1]
    assert hot[1] - hot[0] < 1e-15


@pytest.mark.parametrize("wrong", [math.nan, 0.0, math.inf, 1e-300, 1e300, 3.0])
def test_a_wrong_proposal_costs_time_not_correctness(wrong: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(critical, "propose", lambda _, targets: np.full(len(targets), wrong))
    monkeypatch.setattr(temperature, "propose", lambda _, gaps, *_more: np.full(len(gaps), wrong))
    audit = scores.audit(Scores("a", some_scores("float32")[0]))
    for row in range(audit.rows):
        check_row(audit, row)


def test_proposals_are_close_so_that_no_row_needs_arb(monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[int] = []
    real = temperature.distance_at_most

    def counted(*args: Any) -> Any:
        verified.append(len(args[0].n))
        return real(*args)

    monkeypatch.setattr(temperature, "distance_at_most", counted)
    monkeypatch.setattr(critical, "tv_at_most", None)
    audit = scores.audit(scorefile.read(DATA, "short"))
    limited = int(np.isfinite(audit.critical[:, 0]).sum())
    assert limited > 0
    assert sum(verified) == 2 * limited


@pytest.fixture
def small() -> Audit:
    return scores.audit(Scores("a", some_scores("float32")))


@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("field", ["critical", "tv"])
def test_wrong_intervals_are_caught(small: Audit, field: str, end: int) -> None:
    row = small.lowest(1)[0]
    assert recheck(small, [row]) == 4
    interval = getattr(small, field)[row]
    # Too large a lower end, too small an upper end: off by one part in 10^9 only.
    interval[end] = interval[1 - end] * (1 + 1e-9 if end == 0 else 1 - 1e-9)
    with pytest.raises(DisagreementError, match="is not confirmed by the second proof"):
        recheck(small, [row])


def test_wrong_counts_and_unlimited_rows_are_caught(small: Audit) -> None:
    row = small.lowest(1)[0]
    small.critical[row] = math.inf
    with pytest.raises(DisagreementError, match="every temperature will do"):
        recheck(small, [row])
    small.k[0] += 1
    with pytest.raises(DisagreementError, match="n, k, gap or spread"):
        recheck(small, [0])


@pytest.mark.parametrize("bulk", [True, False])
def test_a_lying_comparison_is_caught(bulk: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if bulk:
        # Proposals and comparisons lie in the same way: a lie of one of them only sends the rows to Arb.
        target, real = critical.log_target, temperature.distance_at_most
        monkeypatch.setattr(critical, "log_target", lambda k, eps: target(k, 2 * eps))
        monkeypatch.setattr(temperature, "distance_at_most", lambda rows, eps: real(rows, 2 * eps))
    else:
        exact = critical.tv_at_most
        monkeypatch.setattr(critical, "tv_at_most", lambda excess, k, tau, eps: exact(excess, k, tau, 2 * eps))
    audit = scores.audit(Scores("a", some_scores("float32" if bulk else "longdouble") / 3))
    lowest = [row for row in audit.lowest(5) if bulk or audit.scores.inexact(row, row + 1)[0]]
    assert lowest
    for row in lowest:
        with pytest.raises(DisagreementError):
            recheck(audit, [row])


def test_a_distance_above_the_gap_bound_is_an_internal_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    third = Fraction(1, 3)
    two, three = from_exact("a", [third, Fraction(0)], (1, 2)), from_exact("a", [third, Fraction(0), -third], (1, 3))
    monkeypatch.setattr(critical, "gap_bound", lambda *_: (0.0, 0.0))
    with pytest.raises(DisagreementError, match="than A2 allows"):
        scores.audit(two)
    monkeypatch.undo()
    monkeypatch.setattr(critical, "gap_temperature", lambda *_: Ball(100))
    with pytest.raises(DisagreementError, match="than A2 allows"):
        scores.audit(three)
    monkeypatch.undo()
    monkeypatch.setattr(auditing, "_gap_bound", lambda found, *_: rows.Bounds(0 * found.z.low, 0 * found.z.low))
    with pytest.raises(DisagreementError, match=r"row \[1\] is farther from hard attention than A2 allows"):
        scores.audit(Scores("a", np.array([[1.0, 1], [1.0, 0]])))
    monkeypatch.undo()
    monkeypatch.setattr(critical, "log_ratio_bounds", lambda *_: (1e-3, 1e-3))
    with pytest.raises(DisagreementError, match=r"row \[0\] is farther from hard attention than A2 allows"):
        scores.audit(Scores("a", np.array([[1.0, 0, -1]])))


def test_dropped_terms_are_enclosed_not_forgotten() -> None:
    rest = [0.0, -1.0, -2.0] + [-500.0] * 3
    excess = critical.Excess(1.0, rest, [1.0 - s for s in rest], exact=True)
    whole = CONTEXT.fsum(CONTEXT.exp(number(s - 1)) for s in rest)
    for kept in range(1, 7):
        excess._kept = lambda _, kept=kept: kept  # type: ignore[method-assign, misc]
        z = excess.at(1.0, 64)
        low, high = critical.float_bounds(z)
        assert number(low) <= whole <= number(high)
        assert kept > 2 or high - low > 0.1


@few
@given(st.integers(-(2**60), 2**60), st.integers(-1200, 1200))
def test_float_bounds(mantissa: int, exponent: int) -> None:
    value = mantissa * Fraction(2) ** exponent
    with working(64):
        b = Ball(mantissa) * Ball(2) ** exponent
    low, high = critical.float_bounds(b)
    assert low == -math.inf or Fraction(low) <= value
    assert high == math.inf or value <= Fraction(high)
    # Tight: the neighbours inside are already on the other side.
    assert math.nextafter(low, math.inf) >= high or Fraction(math.nextafter(low, math.inf)) > value
    assert low == high or math.nextafter(low, math.inf) == high


def test_summary_of_a_head() -> None:
    array = np.array([[[2.0, 0, 0], [1, 0, 0], [4, 0, 0], [0, 0, 0]], [[0, 0, 0]] * 4])
    first, second = scores.audit(Scores("a", array)).heads()
    unit = 1 / math.log(198)
    assert (first.index, first.rows, first.empty, first.unlimited, first.hardest) == ((0,), 4, 0, 1, (1,))
    assert first.least[0] <= unit <= first.least[1]
    assert first.median[0] == pytest.approx(2 * unit)
    assert first.largest == (math.inf, math.inf)
    assert first.slack == ((1, 1), (1, 1))
    assert first.max_tv[0] == pytest.approx(2 * math.exp(-1) / (1 + 2 * math.exp(-1)))
    assert (second.unlimited, second.hardest, second.slack, second.max_tv) == (4, (), None, (0, 0))
    assert second.least == (math.inf, math.inf)


def test_hardest_names_every_row_that_cannot_be_excluded() -> None:
    audit = scores.audit(Scores("a", np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 3]])))
    assert audit.heads()[0].hardest == (0, 1)
    assert audit.lowest(2) == [0, 1]


def test_a_single_row_is_one_head() -> None:
    audit = scores.audit(Scores("a", np.array([1.0, 0])))
    (head,) = audit.heads()
    assert (head.index, head.rows, head.hardest) == ((), 1, (0,))


def test_arrays_and_text_give_the_same_audit(tmp_path: Path) -> None:
    array = some_scores("float64")[0]
    np.save(tmp_path / "a.npy", array)
    rows = [[str(Fraction(x)) for x in row] for row in array]
    (tmp_path / "a.csv").write_text("\n".join(",".join(row) for row in rows), encoding="utf-8")
    third = [Fraction(1, 3) + Fraction(x) for x in array.flat]  # not float64: exact fractions throughout
    first = scores.audit(scorefile.read(tmp_path / "a.npy"))
    for other in (scorefile.read(tmp_path / "a.csv"), from_exact("a", third, array.shape)):
        audit = scores.audit(other)
        for row in range(audit.rows):
            assert audit.row(row).gap == first.row(row).gap
            check_row(audit, row)
        assert np.allclose(audit.tv, first.tv, rtol=0, atol=1e-15)


def test_real_data() -> None:
    audit = scores.audit(scorefile.read(DATA, "long"), eps=EPS)
    heads = sorted(audit.heads(), key=lambda head: head.least)
    assert [head.index for head in heads[:3]] == [(1, 7), (0, 1), (3, 8)]
    worst = audit.row(heads[0].hardest[0])
    assert (worst.index, worst.hard, worst.gap) == ((1, 7, 31), (32,), Fraction(1191, 2**22))
    assert worst.critical[0] == pytest.approx(6.1795238638e-5, rel=1e-9)
    assert ((audit.critical[:, 1] - audit.critical[:, 0]) <= 1e-11 * audit.critical[:, 0]).all()
    assert (audit.slack[:, 0] > 1).all()
    chosen = hardest_rows(audit)
    assert len(chosen) == 72
    assert recheck(audit, chosen[::6]) == 48


def test_progress_and_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checker.scorearray.BLOCK_ENTRIES", 1 << 13)
    rng = np.random.default_rng(3)
    big = Scores("a", (4 * rng.normal(size=(2, 64, 512))).astype(np.float32))
    steps: list[tuple[int, int]] = []
    tracemalloc.start()
    try:
        audit = scores.audit(big, progress=lambda done, rows: steps.append((done, rows)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # One block of 2^13 entries with its temporaries; one Python float per entry of the array would be 1.5 MiB more.
    assert peak < 2**20
    assert steps == [(rows, 128) for rows in range(16, 129, 16)]
    check_row(audit, audit.lowest(1)[0])


def test_bad_arguments() -> None:
    array = Scores("a", np.zeros((2, 3)))
    for eps in (Fraction(0), Fraction(1), Fraction(-1), Fraction(3, 2)):
        with pytest.raises(InputError, match=r"eps is .*; the target distance must satisfy 0 < eps < 1"):
            scores.audit(array, eps=eps)
    for tau in (Fraction(0), Fraction(-1)):
        with pytest.raises(InputError, match=r"tau is .*; a temperature must be positive"):
            scores.audit(array, tau=tau)
    for shape in ((2, 3), (3,)):
        with pytest.raises(InputError, match="mask 'future' needs as many queries as keys, the shape is"):
            scores.audit(Scores("a", np.zeros(shape)), mask=Mask.FUTURE)


def test_a_mask_that_shows_only_minus_infinity_is_bad_input() -> None:
    array = Scores("a", np.array([[-np.inf, 1], [0, 1]]))
    with pytest.raises(InputError, match=r"every score of row \[0\] that mask 'future' shows is -inf"):
        scores.audit(array, mask=Mask.FUTURE)
    assert scores.audit(array, mask=Mask.STRICT_FUTURE).empty == 1


@pytest.mark.parametrize("mask", [Mask.STRICT_FUTURE, Mask.STRICT_PAST])
def test_a_strict_mask_over_one_key_leaves_nothing_to_audit(mask):
    with pytest.raises(InputError, match="hides the only key"):
        scores.audit(Scores("one", np.zeros((2, 1, 1))), mask=mask)
