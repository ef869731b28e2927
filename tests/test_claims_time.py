"""The time given for a claim: it interrupts what does not look at the clock, and what is cut off is UNDECIDED."""

import signal
import time
from fractions import Fraction
from types import SimpleNamespace

import pytest

from checker.claims import check as checking
from checker.claims import sharpen as sharpening
from checker.claims.alarm import OutOfTimeError, limited
from checker.claims.check import Outcome, Report, check
from checker.claims.files import read_text
from checker.claims.report import as_json, sharp_json, sharp_text

TRUE = ("l1 <= 2*n*exp(-gamma/tau)", ["gap >= gamma"])


def forever(*_args):
    while True:
        time.sleep(0.001)


def test_a_block_is_interrupted_and_the_alarm_is_taken_back():
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(OutOfTimeError):
        limited(0.05, forever)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_the_alarm_is_taken_back_wherever_it_rings():
    """Work that ends just when the time does, many times over: nothing may ring later."""
    before, late = signal.getsignal(signal.SIGALRM), 0
    for turn in range(400):
        seconds = 0.001 + turn % 20 * 1e-5
        until = time.perf_counter() + seconds
        try:
            limited(seconds, lambda until=until: [None for _ in iter(lambda: time.perf_counter() < until, False)])
        except OutOfTimeError:
            late += 1
        assert signal.getsignal(signal.SIGALRM) is before
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert late > 0


def test_an_exception_that_is_swallowed_comes_again():
    def swallow():
        try:
            forever()
        except OutOfTimeError:
            forever()

    with pytest.raises(OutOfTimeError):
        limited(0.05, swallow)


@pytest.mark.parametrize("part", ["run", "prove"])
def test_a_part_that_never_ends_leaves_the_claim_undecided(part, monkeypatch):
    monkeypatch.setattr(checking, part, forever)
    report = check(read_text(*TRUE), 0.5)
    assert report.outcome is Outcome.UNDECIDED
    assert report.reasons
    assert all("out of time" in reason for reason in report.reasons)


def test_a_claim_is_decided_as_before_after_an_interruption(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(checking, "prove", forever)
        check(read_text(*TRUE), 0.3)
    assert check(read_text(*TRUE), 20).outcome is Outcome.PROVED


def test_json_says_where_a_proof_is_vacuous():
    document = as_json(check(read_text("l1 <= 0", ["n >= 3", "n <= 2"]), 10))
    assert document["verdict"] == "proved"
    assert document["admissible_parameters_found"] is False
    document = as_json(check(read_text(*TRUE), 20))
    assert (document["vacuous"], document["admissible_parameters_found"]) == (False, True)


def test_an_enclosure_that_is_wide_because_the_time_ran_out_says_so(monkeypatch):
    claim = read_text("l1 <= C*n*exp(-gamma/tau)", ["gap >= gamma"])
    seconds = iter(range(100))

    def answered(fixed, _seconds):
        constant = Fraction(fixed.text.rpartition("=")[2])
        return Report(fixed, Outcome.PROVED if constant >= 2 else Outcome.REFUTED)

    monkeypatch.setattr(sharpening, "_best_limit", lambda *_: None)
    monkeypatch.setattr(sharpening, "check", answered)
    monkeypatch.setattr(sharpening, "time", SimpleNamespace(monotonic=lambda: next(seconds)))
    found = sharpening.sharpen(claim, 12)
    assert found.low < 2 <= found.high
    assert found.timed_out
    assert "the time ran out before the enclosure was narrow" in sharp_text(claim, found)
    assert sharp_json(claim, found)["timed_out"] is True
