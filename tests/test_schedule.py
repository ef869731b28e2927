"""Schedules: formulas derived, numbers on their safe side and next to the truth, worst rows checked, mutants caught."""

import csv
import io
import itertools
import json
from dataclasses import replace
from fractions import Fraction
from inspect import unwrap
from typing import Any

import pytest
import sympy as sp
import typer
from mpmath import MPContext

from checker import cli, schedule_check, schedule_proof
from checker.cli_schedule import schedule as command
from checker.decide import decide
from checker.errors import DisagreementError, HardsoftError, InputError
from checker.exact import exact
from checker.formats import FORMATS, render
from checker.quantity import tv
from checker.schedule import Regime, Schedule, make_schedule
from checker.schedule_check import check
from checker.schedule_heads import CARDANO, CUBIC, HEADS, ratio
from checker.schedule_numbers import necessary, sharper, sufficient
from checker.schedule_proof import library
from checker.schedule_report import schedule_table
from checker.verdict import Verdict
from proofs.a_softmax_gap.row import eps, gamma, n
from proofs.b_positional import b3_lookup
from proofs.props import ProofError
from proofs.registry import STATEMENTS

mp: Any = MPContext()
mp.dps = 50
OPTIONS: dict[str, dict[str, Fraction]] = {
    "constant-gap": {"gamma": Fraction(7, 3), "k": Fraction(2)},
    "linear": {"gamma": Fraction(1, 3)},
    "linear-both": {"gamma": Fraction(5)},
    "noisy-lookup": {"noise": Fraction(1, 10)},
}
ALL = list(itertools.product(HEADS, Regime))
TARGETS = (Fraction(1, 4), Fraction(1, 10**6))


def make(head: str, regime: Regime = Regime.SCALED, target: object = Fraction(1, 4)) -> Schedule:
    return make_schedule(head, target, regime, OPTIONS.get(head))


def real(x: Fraction) -> Any:
    return mp.mpf(x.numerator) / x.denominator


def true_x(schedule: Schedule, length: int, sharp: bool) -> Any:
    """The exact threshold of c * rate/tau, by formulas and root finding that share nothing with the schedule."""
    e, name = real(schedule.eps), schedule.head.name
    if name == "constant-gap":
        k = int(schedule.options["k"])
        return mp.log((length - k) * (1 - e) / (k * e))
    if name in ("lookup", "noisy-lookup"):
        h = real(schedule.options.get("noise", Fraction(0)))
        if not sharp:
            root = mp.polyroots([e, 0, 2 * (1 - e), -e], maxsteps=200, extraprec=400)
            (q,) = [mp.re(z) for z in root if abs(mp.im(z)) < 1e-30 and mp.re(z) > 0]
            return mp.log(1 / q) / (1 - 2 * h)
        if name == "lookup":
            return mp.findroot(lambda x: 1 - 1 / mp.jtheta(3, 0, mp.exp(-x)) - e, mp.log(2 / e))
        z = lambda x: 2 * mp.exp(-x * (1 - 2 * h)) / (1 - mp.exp(-x * (3 - 2 * h)))  # noqa: E731
        return mp.findroot(lambda x: mp.log(z(x)) - mp.log(e / (1 - e)), mp.log(2 / e) / (1 - 2 * h))
    distances = list(range(1, length))
    if name == "linear-both":
        distances = [abs(j - (length + 1) // 2) for j in range(1, length + 1) if j != (length + 1) // 2]
    if not sharp:
        return mp.log(2 / e - 1 if name == "linear-both" else 1 / e)
    total = lambda x: mp.log(sum(mp.exp(-x * d) for d in distances))  # noqa: E731
    return mp.findroot(lambda x: total(x) - mp.log(e / (1 - e)), mp.log(1 / e))


def true_value(schedule: Schedule, length: int, sharp: bool = False) -> Any:
    """The exact least c or largest tau."""
    x = true_x(schedule, length, sharp)
    rate = real(schedule.options["gamma"]) if "gamma" in schedule.options else 1
    return x / rate if schedule.regime is Regime.UNBOUNDED else rate / (x * mp.mpf(length) ** schedule.power)


def beside(printed: Fraction, true: Any, up: bool, digits: int) -> bool:
    """Whether the decimal lies on the given side of the true value, less than a unit of its last digit away."""
    unit = mp.mpf(10) ** (mp.floor(mp.log10(true)) - digits + 1)
    difference = real(printed) - true
    return 0 <= difference < unit * (1 + 1e-20) if up else 0 <= -difference < unit * (1 + 1e-20)


# -- formulas ----------------------------------------------------------------------------------------------------------

FORMULAS = {
    "constant-gap": "c*gamma/log((n-k)*(1-eps)/(k*eps))",
    "linear": "c*gamma/(n*log(1/eps))",
    "linear-both": "c*gamma/(n*log((2-eps)/eps))",
    "lookup": "c/(n**2*log(R))",
    "noisy-lookup": "c*(1-2*noise)/(n**2*log(R))",
    "rightmost": "c/(n*log(1/eps))",
    "leftmost": "c/(n*log(1/eps))",
}


@pytest.mark.parametrize(("head", "regime"), ALL)
def test_formula(head: str, regime: Regime) -> None:
    schedule = make(head, regime)
    names = {symbol.name: symbol for symbol in [*schedule.short_tau.free_symbols, n]}
    expected = sp.sympify(FORMULAS[head], locals=names)
    if regime is Regime.UNBOUNDED:
        expected *= n**schedule.head.power
    assert sp.simplify(expected - schedule.short_tau) == 0
    assert schedule.tau == schedule.short_tau.subs(ratio, CARDANO)


@pytest.mark.parametrize(("head", "regime"), ALL)
def test_formula_is_derived(head: str, regime: Regime) -> None:
    theorem = make(head, regime).theorem
    assert theorem.conclusion.op == "<="
    assert theorem.conclusion.rhs == eps


MUTANTS = {
    "constant-gap": lambda r: r * (1 - sp.Rational(1, 10**6)),
    "linear": lambda r: r * (1 - sp.Rational(1, 10**6)),
    "linear-both": lambda _: (2 - eps) / eps - sp.Rational(1, 10**6),
}


@pytest.mark.parametrize("head", MUTANTS)
def test_wrong_formula_is_rejected(head: str) -> None:
    wrong = replace(HEADS[head], ratio=MUTANTS[head](HEADS[head].ratio))
    with pytest.raises(ProofError):
        schedule_proof.prove(wrong, wrong.power)


fresh_library = unwrap(library)


def test_wrong_root_and_wrong_rate_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_proof, "CUBIC", CUBIC + eps / 100)
    with pytest.raises(ProofError):
        fresh_library(sp.S.One, ratio, HEADS["lookup"].bound).prove(schedule_proof.FIXED)
    monkeypatch.undo()
    noise = b3_lookup.noise
    with pytest.raises(ProofError):
        schedule_proof.prove(replace(HEADS["noisy-lookup"], rate=1 - noise), 2)


def test_weaker_formula_is_derived_but_not_sharp() -> None:
    weak = replace(HEADS["rightmost"], ratio=2 / eps)
    good = make("rightmost")
    schedule = replace(good, head=weak, theorem=schedule_proof.prove(weak, 1))
    small, large = sufficient(schedule, 20).number, sufficient(good, 20).number
    assert small is not None
    assert large is not None
    assert small < large
    assert check(schedule, 20) is Verdict.HOLDS


def test_root_of_the_lookup() -> None:
    big = sp.Symbol("P", real=True)
    theorem = schedule_proof.cardano()
    assert theorem.conclusion.rhs == big * theorem.conclusion.lhs.base**2 + 1
    # the theorem at P = 2(1-eps)/eps and u = (1/2 + D)^(1/3) is CARDANO, and its equation is CUBIC = 0 over eps
    value = 2 * (1 - eps) / eps
    depth = sp.sqrt(sp.Rational(1, 4) + value**3 / 27)
    u = sp.Symbol("u", real=True)
    at = theorem.conclusion.lhs.base.subs(big, value)
    powers = {u**2: (sp.S.Half + depth) ** sp.Rational(2, 3)}
    assert at.subs(powers) == CARDANO
    assert sp.expand(CUBIC / eps - (ratio**3 - value * ratio**2 - 1)) == 0
    for target in (sp.Rational(1, 10**9), sp.Rational(1, 3), sp.Rational(999, 1000)):
        assert abs(CUBIC.subs(ratio, CARDANO).subs(eps, target).evalf(30, maxn=400)) < 1e-12


@pytest.mark.parametrize("name", ["claims", "sharper_claims"])
def test_claims_exist(name: str) -> None:
    known = {claim.name for statement in STATEMENTS.values() for claim in statement.claims}
    for head, regime in ALL:
        schedule = make(head, regime)
        needed = schedule.necessity.claims if schedule.necessity else ()
        assert set(getattr(schedule, name)) | set(needed) | set(schedule.head.exact_claims) <= known
    assert "C3.sufficient" in make_schedule("constant-gap", "1/4", "scaled", {"gamma": Fraction(1)}).claims


def test_leading_term() -> None:
    schedule = make("constant-gap")
    length = sp.Symbol("N", positive=True)
    given = {s: sp.Rational(7, 3) for s in [gamma]} | {eps: sp.Rational(1, 4)}
    quotient = (schedule.tau / schedule.leading).subs(given)
    (k,) = [s for s in quotient.free_symbols if s.name == "k"]
    assert sp.limit(quotient.subs({k: 2, n: length}), length, sp.oo) == 1
    assert all(make(head).leading == make(head).short_tau for head in HEADS if head != "constant-gap")


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [2, 6])
@pytest.mark.parametrize(("head", "regime"), ALL)
def test_numbers_are_the_nearest_on_their_safe_side(head: str, regime: Regime, digits: int) -> None:
    up = regime is Regime.UNBOUNDED
    for target in TARGETS:
        schedule = make(head, regime, target)
        for length in (5, 30):
            plain, sharp = sufficient(schedule, length, digits), sharper(schedule, length, digits)
            assert plain.number is not None
            assert beside(plain.number, true_value(schedule, length), up, digits)
            if sharp is not None:
                assert sharp.number is not None
                assert beside(sharp.number, true_value(schedule, length, True), up, digits)


@pytest.mark.parametrize("head", ["constant-gap", "linear", "linear-both"])
def test_exact_necessity_is_the_other_side(head: str) -> None:
    for regime in Regime:
        schedule = make(head, regime)
        value = necessary(schedule, 12, 5)
        assert value is not None
        up = regime is Regime.SCALED
        assert beside(exact(value.cell.text), true_value(schedule, 12, head != "constant-gap"), up, 5)


def test_necessity_of_c2() -> None:
    for head in ("rightmost", "leftmost"):
        value = necessary(make(head), 100)
        assert value is not None
        assert beside(exact(value.cell.text), 3 / (99 * mp.log(3)), True, 3)
        wide = make_schedule(head, "1/4", "scaled", {"spread": Fraction(10)})
        assert beside(exact(necessary(wide, 100).cell.text), 10 / (99 * mp.log(3)), True, 3)  # type: ignore[union-attr]
        free = necessary(make(head, Regime.UNBOUNDED), 100)
        assert beside(exact(free.cell.text), 99 * mp.log(3), False, 3)  # type: ignore[union-attr]
        assert necessary(make(head), 1) is None
        assert necessary(make(head, target="1/2"), 100) is None


def test_necessity_at_a_larger_spread() -> None:
    for k, claim in ((1, "C3.necessary"), (2, "A4.distance")):
        options = {"gamma": Fraction(1), "k": Fraction(k), "spread": Fraction(4)}
        schedule = make_schedule("constant-gap", "1/10", "scaled", options)
        assert schedule.necessity is not None
        assert schedule.necessity.claims == (claim,)
        value = necessary(schedule, 50)
        assert value is not None
        assert beside(exact(value.cell.text), 4 / mp.log(mp.mpf(50 - k) * 9 / k), True, 3)


def test_sufficient_stays_below_necessary() -> None:
    for head in HEADS:
        schedule = make(head)
        for length in (4, 50, 10**9, 10**40):
            required = necessary(schedule, length)
            values = [sufficient(schedule, length), sharper(schedule, length)]
            if required is not None:
                assert all(v.number <= exact(required.cell.text) for v in values if v and v.number)


def test_every_temperature() -> None:
    assert sufficient(make("constant-gap", target="3/4"), 8).cell.text == "every tau"
    assert sharper(make("linear", target="3/4"), 4).cell.text == "every tau"  # type: ignore[union-attr]
    assert sharper(make("rightmost", Regime.UNBOUNDED), 1).cell.text == "every c"  # type: ignore[union-attr]
    assert sharper(make("linear", target="3/4"), 5).number is not None  # type: ignore[union-attr]
    assert necessary(make("linear", target="3/4"), 4) is None


@pytest.mark.parametrize("target", ["1e-30000", "1e-31", "999/1000", "99999/100000"])
def test_extreme_targets(target: str) -> None:
    for head in HEADS:
        schedule = make(head, target=target)
        assert schedule.has_sharper is (head != "constant-gap" and (head != "lookup" or target == "999/1000"))
        for length in (7, 10**30):
            assert sufficient(schedule, length).number or head == "constant-gap"
            sharper(schedule, length)


# -- from the definitions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("head", "regime"), ALL)
def test_worst_rows_meet_the_target(head: str, regime: Regime) -> None:
    for target, length in itertools.product(TARGETS, (3, 5, 20)):
        schedule = make(head, regime, target)
        assert check(schedule, length) is Verdict.HOLDS
        sharp = sharper(schedule, length)
        if sharp is not None and sharp.number is not None:
            assert check(schedule, length, sharp.number) is Verdict.HOLDS


def test_long_rows() -> None:
    assert check(make("rightmost"), 200) is Verdict.HOLDS
    assert check(make("rightmost"), 201) is None
    assert check(make("constant-gap"), 10**1000) is Verdict.HOLDS


@pytest.mark.parametrize("head", [name for name in HEADS if name != "noisy-lookup"])
@pytest.mark.parametrize("regime", list(Regime))
def test_a_part_in_a_million_more_fails(head: str, regime: Regime) -> None:
    """Every formula but the noisy one is tight, once the row is long enough for the theta function."""
    schedule, length = make(head, regime), 40
    value = sharper(schedule, length, 12) or sufficient(schedule, length, 12)
    assert value.number is not None
    hotter = 1 + Fraction(1, 10**6)
    wrong = value.number * hotter if regime is Regime.SCALED else value.number / hotter
    assert check(schedule, length, value.number) is Verdict.HOLDS
    assert check(schedule, length, wrong) is Verdict.FAILS


def test_uniform_formulas_are_tight_in_the_limit() -> None:
    for head in ("linear", "linear-both", "rightmost", "leftmost"):
        number = sufficient(make(head), 40, 12).number
        assert number is not None
        assert check(make(head), 40, number * (1 + Fraction(1, 10**6))) is Verdict.FAILS


def test_the_empty_predicate_is_the_worst() -> None:
    for head in ("rightmost", "leftmost"):
        schedule = make(head)
        tau = sufficient(schedule, 5).number
        assert tau is not None
        rows = [row for row, _ in schedule_check.rows(schedule, 5, Fraction(1, 5))]
        assert len(rows) == 32
        for row in rows[1:]:
            # equal where the one true position is the one chosen anyway
            found = decide(tv(row, tau), "<=", tv(rows[0], tau)).verdict
            assert found is Verdict.HOLDS or row.scores[0] - row.scores[1] in (Fraction(-1, 5), Fraction(1, 5))


def test_the_head_must_find_its_position(monkeypatch: pytest.MonkeyPatch) -> None:
    assert schedule_check._temporal([1, 0, 1, 0], True, Fraction(1))[1] == 2
    assert schedule_check._temporal([1, 0, 1, 0], False, Fraction(1))[1] == 0
    honest = schedule_check._temporal
    monkeypatch.setattr(schedule_check, "_temporal", lambda chi, right, scale: (honest(chi, right, scale)[0], 0))
    assert check(make("rightmost"), 4) is Verdict.FAILS


def test_a_wrong_number_is_not_printed() -> None:
    good = make("linear")
    bad = replace(good, head=replace(good.head, ratio=good.head.ratio / 2))
    with pytest.raises(DisagreementError):
        sufficient(bad, 10)


# -- report and command ------------------------------------------------------------------------------------------------

APP = typer.Typer()
APP.command("schedule")(command)
APP.command("other")(lambda: None)


def run(line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    monkeypatch.setattr(cli, "app", APP)
    code = cli.run(["schedule", *line.split()])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_example(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    line = "rightmost --eps 1/4 --regime scaled --n 10,1000,10^6"
    code, out, err = run(line, capsys, monkeypatch)
    assert (code, err) == (0, "")
    body = [row.split() for row in out.splitlines()]
    assert ["10", "0.0721", "0.0721", "0.304", "yes"] in body
    assert ["1000", "0.000721", "0.000721", "0.00274"] in body
    assert ["10^6", "7.21e-7", "7.21e-7", "2.74e-6"] in body
    assert "tau(n) = c/(n*log(1/eps))" in out
    for claim in ("B6.rightmost", "B6.below", "C1.rightmost", "C2.bound", "C1.bounded"):
        assert claim in out
    assert all(len(row) <= 80 for row in out.splitlines())


def test_formulas_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for head in HEADS:
        needed = {"constant-gap": " --gamma 1", "noisy-lookup": " --noise 0.1"}.get(head, "")
        for regime in Regime:
            line = f"{head} --eps 1/10 --regime {regime.value}{needed} --json"
            code, out, _ = run(line, capsys, monkeypatch)
            document = json.loads(out)
            assert code == 0
            assert document["head"] == head
            assert {"tau", "leading", "answer"} <= set(document["formulas"])
            assert "sin" not in document["tau_sympy"]


@pytest.mark.parametrize("form", FORMATS)
def test_formats(form: str) -> None:
    for head, regime in ALL:
        schedule = make(head, regime)
        for lengths in ([], [5, 10**6]):
            assert render(schedule_table(schedule, lengths), form)


def test_csv(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    line = "linear-both --eps 1/4 --regime unbounded --n 5,10^6 --format csv --digits 5"
    code, out, _ = run(line, capsys, monkeypatch)
    rows = list(csv.reader(io.StringIO(out)))
    assert code == 0
    assert rows[0] == ["n", "c", "sharper", "necessary", "checked"]
    assert rows[1] == ["5", "1.9460", "1.9276", "1.9275", "yes"]
    assert rows[2][0] == "1000000"
    assert rows[2][-1] == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("foo --eps 1/4 --regime scaled", "the head must be one of"),
        ("linear --eps 1 --regime scaled", "0 < eps < 1"),
        ("linear --eps 0 --regime scaled", "0 < eps < 1"),
        ("linear --eps x --regime scaled", "--eps"),
        ("linear --eps 1/4 --regime x", "the regime must be unbounded or scaled"),
        ("linear --eps 1/4 --regime scaled --noise 0.1", "does not use --noise; it uses --gamma"),
        ("lookup --eps 1/4 --regime scaled --gamma 1", "takes no --gamma"),
        ("rightmost --eps 1/4 --regime unbounded --spread 3", "takes no --spread"),
        ("rightmost --eps 1/4 --regime scaled --spread 0", "spread must be > 0"),
        ("noisy-lookup --eps 1/4 --regime scaled", "needs --noise"),
        ("noisy-lookup --eps 1/4 --regime scaled --noise 1/2", "0 <= noise < 1/2"),
        ("constant-gap --eps 1/4 --regime scaled", "needs --gamma"),
        ("constant-gap --eps 1/4 --regime scaled --gamma 0", "gamma must be > 0"),
        ("constant-gap --eps 1/4 --regime scaled --gamma 1 --k 3/2", "k must be an integer >= 1"),
        ("constant-gap --eps 1/4 --regime scaled --gamma 1 --k 5 --n 5", "n must exceed k = 5"),
        ("constant-gap --eps 1/4 --regime scaled --gamma 2 --spread 1", "spread must be at least gamma = 2"),
        ("linear --eps 1/4 --regime scaled --n 0", "n must be an integer >= 1"),
        ("linear --eps 1/4 --regime scaled --n 1.5", "expected an integer"),
        ("linear --eps 1/4 --regime scaled --digits 0", "digits must be between 1 and 30"),
        ("linear --eps 1/4 --regime scaled --format x", "--format must be one of"),
        ("linear --eps 1/4 --regime scaled --format csv --json", "exclude each other"),
        ("linear --eps 1/4", "--regime"),
    ],
)
def test_bad_input(
    line: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, err = run(line, capsys, monkeypatch)
    assert (code, out) == (3, "")
    assert message in err
    assert err.count("\n") == 1


def test_api_errors() -> None:
    with pytest.raises(InputError):
        sufficient(make("linear"), 0)
    with pytest.raises(InputError):
        schedule_table(make("linear"), [1] * 1001)
    assert issubclass(InputError, HardsoftError)
