"""Claims: reading, worst cases against enumerated rows, proofs, witnesses, the library, soundness on random claims."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.attention import Row, Tie
from checker.claims import witness as witnesses
from checker.claims.check import Outcome, check, explain
from checker.claims.files import library, read_file, read_text
from checker.claims.goals import goals
from checker.claims.report import as_json, as_text
from checker.claims.sharpen import sharpen, simplest
from checker.claims.worst import family
from checker.decide import Expression, decide
from checker.env import Env
from checker.errors import InputError
from checker.verdict import Verdict

GAP = "gap >= gamma"
ENTRIES = [(topic, entry) for topic, found in library().items() for entry in found]


def outcome(claim, *assume, seconds=20):
    return check(read_text(claim, assume), seconds).outcome


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("l2 <= 3", "column 1: found 'l2', expected a quantity"),
        ("l1 <= foo", "column 7: unknown name 'foo'"),
        ("l1 <= (3", "column 9: found the end"),
        ("l1 3", "column 4: found '3', expected a relation"),
        ("l1 <= 1/0", "divides by 0"),
        ("l1 <= log(-1)", "the logarithm of -1 is not defined"),
        ("l1 <= n^100", "the exponent 100 is too large"),
        ("l1 <= min(n)", "min takes two or more arguments"),
        ("l1 <= exp(n, k)", "exp takes one argument"),
        ("", "is empty"),
        ("l1 <= " + "(" * 60 + "n" + ")" * 60, "too large"),
        ("l1 <= " + "n" * 3000, "at most 2000"),
        ("l1 <= " + "9" * 200, "too long"),
        ("l1 <= __import__", "unknown name"),
        ("l1 = eps iff tau <= gamma", "an equivalence is between two inequalities"),
    ],
)
def test_errors_name_the_place(text, message):
    with pytest.raises(InputError) as error:
        read_text(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("assumption", "message"),
    [
        ("gap <= 3", "is written gap >="),
        ("gap >= n", "by the variable gamma or delta or by a number > 0"),
        ("spread <= 0", "or by a number > 0"),
        ("hard = none", "expected average, leftmost or rightmost"),
        ("growth >= gamma", "expected one-sided or two-sided"),
        ("values in [1, 0]", "an interval of two numbers"),
        ("n >", "found the end"),
    ],
)
def test_errors_in_assumptions(assumption, message):
    with pytest.raises(InputError) as error:
        read_text("l1 <= 1", [assumption])
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("claim", "assume", "message"),
    [
        ("l1 <= 2", ["growth one-sided >= gamma", GAP], "cannot be combined"),
        ("l1 <= 2", [GAP, "gap >= 1"], "there is already"),
        ("l1 <= 2", ["value range <= D"], "belongs to value_error"),
        ("tv_moved <= 1", [], "assume perturbation"),
        ("l1 <= l", [], "need growth two-sided"),
        ("l1 <= C*n", [], "hardsoft sharpen"),
    ],
)
def test_assumptions_must_fit(claim, assume, message):
    with pytest.raises(InputError) as error:
        check(read_text(claim, assume))
    assert message in str(error.value)


def test_files(tmp_path):
    path = tmp_path / "one.toml"
    path.write_text('claim = "l1 <= 2"\nassume = "gap >= gamma"\nverdict = "proved"\n')
    (entry,) = read_file(path)
    assert entry.claim.text == "l1 <= 2"
    assert entry.verdict == "proved"
    for text, message in (
        ("claims = 3", "[[claims]]"),
        ('bound = "x"', "unknown field 'bound'"),
        ('name = "x"', "the field claim is missing"),
        ('claim = "l1 <= 2"\nverdict = "true"', "verdict is one of"),
        ('claim = "l1 <= 2"\nassume = [3]', "assume is a list of texts"),
        ("claim = ", "is not TOML"),
    ):
        path.write_text(text)
        with pytest.raises(InputError) as error:
            read_file(path)
        assert message in str(error.value)


def test_the_library_is_large_and_balanced():
    verdicts = [entry.verdict for _, entry in ENTRIES]
    assert len(verdicts) >= 40
    assert set(verdicts) == {"proved", "refuted"}
    assert 0.4 <= verdicts.count("proved") / len(verdicts) <= 0.6
    assert all(entry.reference and entry.claim.name for _, entry in ENTRIES)


REFUTED = [entry for _, entry in ENTRIES if entry.verdict == "refuted"]


@pytest.mark.parametrize("entry", REFUTED, ids=lambda entry: entry.claim.name)
def test_false_claims_of_the_library(entry):
    report = check(entry.claim)
    assert report.outcome is Outcome.REFUTED
    assert checked_again(report)


QUICK = ("usual bound", "maxima counted", "critical temperature for TV", "one side", "weights are O(1/n)", "lookup")


@pytest.mark.parametrize("name", QUICK)
def test_true_claims_of_the_library(name):
    (entry,) = (entry for _, entry in ENTRIES if entry.claim.name == name)
    report = check(entry.claim)
    assert report.outcome is Outcome.PROVED
    assert all(proof.theorem is not None and proof.cites for proof in report.proofs)


def checked_again(report):
    """Whether the witness breaks the claim, from the definitions, at another precision."""
    found, fam = report.witness, family(report.claim)
    env = Env(found.point)
    bound = Expression(report.claim.bound.expr, env)
    if found.row is None:
        return report.claim.iff is not None
    rows = witnesses.Rows(found.row, found.soft, found.values)
    value = witnesses.quantity_of(fam, rows, found.point["tau"])
    broken = (
        found.relation in {"<=": (">",), "<": (">=",), ">=": ("<",), ">": ("<=",), "=": ("<", ">")}[report.claim.op]
    )
    if not (broken and witnesses.fits(fam, rows, found.point)):
        return False
    strict = decide(value, found.relation, bound, start=100, maximum=400).verdict is Verdict.HOLDS
    return strict or witnesses.compared(value, found.relation, bound)


def test_strict_and_equality():
    exact = "2*(n-k)*exp(-gamma/tau)/(k+(n-k)*exp(-gamma/tau))"
    assert outcome(f"l1 <= {exact}", GAP) is Outcome.PROVED
    assert outcome(f"l1 < {exact}", GAP) is Outcome.REFUTED
    assert outcome(f"l1 = {exact}", GAP) is Outcome.REFUTED
    assert outcome("l1 < 2*(1 - k/n)", "k < n") is Outcome.PROVED  # a limit that no row attains
    assert outcome("l1 <= 2*(1 - k/n) - 1/1000", "k < n") is Outcome.REFUTED


@pytest.mark.parametrize(
    ("claim", "assume"),
    [
        ("l1 <= 2 + 1/log(n)", []),  # not defined at n = 1
        ("l1 <= 2 + sqrt(n - 2)", []),
        ("l1 <= 2 + 1/(n - 1)", []),
        ("l1 <= 2 + log(n - k)", ["n >= 3"]),
    ],
)
def test_a_bound_that_is_not_defined_is_never_proved(claim, assume):
    assert outcome(claim, *assume, seconds=3) is not Outcome.PROVED


def test_defined_bounds_with_roots_logarithms_and_minima():
    assert outcome("l1 <= 2 + 1/log(n)", "n >= 2") is Outcome.PROVED
    assert outcome("l1 <= 2 + sqrt(n - 2)", "n >= 2") is Outcome.PROVED
    assert outcome("tv <= n^(1/2)*exp(-gamma/(2*tau))/2", GAP) is Outcome.PROVED
    assert outcome("l1 <= 2*min(1, n*exp(-gamma/tau))", GAP) is Outcome.PROVED
    assert outcome("l1 <= max(1, n*exp(-gamma/tau))", GAP) is Outcome.PROVED
    assert outcome("l1 <= max(1/2, n*exp(-gamma/tau))", GAP) is Outcome.REFUTED


def test_undecided_says_what_was_tried():
    report = check(read_text("tv <= n*2^(-gamma/tau)", [GAP]), 2)
    assert report.outcome is Outcome.UNDECIDED
    assert report.reasons
    assert report.points > 100
    assert "UNDECIDED" in as_text(report)


def test_unknown_worst_case():
    report = check(read_text("max_weight <= 1", ["perturbation <= eta"]), 2)
    assert report.outcome is Outcome.UNDECIDED
    assert "not in the registry" in report.reasons[0]


def test_necessity_needs_the_exact_worst_case():
    claim = read_text("tv <= eps iff tau <= gamma/log(1/eps)", ["lookup", "eps < 1"])
    assert check(claim, 3).outcome is not Outcome.PROVED


def test_explain_drops_each_assumption():
    claim = read_text("l1 <= 2*n*exp(-gamma/tau)", [GAP, "n >= 2"])
    found = {item.text: report.outcome for item, report in explain(claim, 20)}
    assert found == {GAP: Outcome.REFUTED, "n >= 2": Outcome.PROVED}


def test_the_witness_has_the_least_length():
    report = check(read_text("l1 <= n*exp(-gamma/tau)", [GAP]))
    assert report.witness.point["n"] == 3  # for n = 2: 2q/(1+q) <= 2q
    document = as_json(report)
    assert document["verdict"] == "refuted"
    assert document["witness"]["parameters"]["n"] == "3"


def test_sharpen():
    found = sharpen(read_text("l1 <= C*n*exp(-gamma/tau)", [GAP]), 30)
    assert found.exact == 2
    found = sharpen(read_text("tv <= C*n*exp(-gamma/tau)", [GAP, "n <= 10"]), 30)
    assert found.exact == Fraction(9, 10)
    with pytest.raises(InputError, match="does not occur"):
        sharpen(read_text("l1 <= n", [GAP]), 5)
    with pytest.raises(InputError, match="is not shown to be >= 0"):
        sharpen(read_text("l1 <= 2 - C*n", [GAP]), 5)


@given(st.fractions(0, 10), st.fractions(Fraction(1, 100), 5))
def test_the_simplest_fraction(low, width):
    low += Fraction(1, 1000)
    found = simplest(low, low + width)
    assert low <= found <= low + width
    assert not any(
        low <= Fraction(top, bottom) <= low + width
        for bottom in range(1, min(found.denominator, 30))
        for top in range(int(low * bottom), int((low + width) * bottom) + 1)
    )


# -- soundness --

QUANTITIES = ("l1", "tv", "max_weight", "winner_weight")
TERMS = (
    "{c}",
    "{c}*n*q",
    "{c}*(n-k)*q/k",
    "{c}/n",
    "{c}*k/n",
    "{c}*q",
    "{c}*n*q/(1+n*q)",
    "1-{c}*q",
    "{c}/(k+(n-k)*q)",
)
COEFFICIENTS = ("1/2", "1", "3/2", "2", "3")
ASSUMPTIONS = ((), (GAP,), (GAP, "maxima = 1"), ("spread <= gamma",), (GAP, "n >= 3"), (GAP, "hard = leftmost"))
TEMPERATURES = (Fraction(1, 5), Fraction(2, 3), Fraction(3))


@st.composite
def random_claims(draw):
    bound = draw(st.sampled_from(TERMS)).format(c=draw(st.sampled_from(COEFFICIENTS)))
    text = f"{draw(st.sampled_from(QUANTITIES))} {draw(st.sampled_from(['<=', '<', '>=', '>']))} {bound}"
    return text.replace("q", "exp(-gamma/tau)"), draw(st.sampled_from(ASSUMPTIONS))


def enumerated(gamma):
    """Rows of up to 4 scores that satisfy the assumptions."""
    for size in range(1, 5):
        for below in itertools.product((0, gamma / 3, gamma, 2 * gamma, 8 * gamma), repeat=size - 1):
            row = Row.explicit((Fraction(0), *(-drop for drop in below)))
            yield witnesses.Rows(row)


@settings(max_examples=25, deadline=None)
@given(random_claims())
def test_proved_claims_survive_and_witnesses_check(drawn):
    text, assume = drawn
    claim = read_text(text, assume)
    report = check(claim, 3)
    if report.outcome is Outcome.REFUTED:
        assert checked_again(report)
    if report.outcome is not Outcome.PROVED:
        return
    fam, gamma = family(claim), Fraction(1)
    for rows in enumerated(gamma):
        point = {"n": Fraction(rows.row.n), "k": Fraction(rows.row.k), "gamma": gamma}
        for tau in TEMPERATURES:
            point["tau"] = tau
            if not (witnesses.fits(fam, rows, point) and witnesses.admissible(claim, fam, point)):
                continue
            value = witnesses.quantity_of(fam, rows, tau)
            bound = Expression(claim.bound.expr, Env(point))
            verdict = decide(value, claim.op, bound, maximum=256).verdict
            assert verdict is not Verdict.FAILS, f"{text} {assume} at {rows.row}, tau = {tau}"


@pytest.mark.parametrize("quantity", ["l1", "tv", "max_weight", "winner_weight"])
@pytest.mark.parametrize("tie", list(Tie))
@pytest.mark.parametrize("assume", ASSUMPTIONS[:4])
def test_worst_cases_bound_every_enumerated_row(quantity, tie, assume):
    for op in ("<=", ">="):
        claim = read_text(f"{quantity} {op} gamma", [*assume, f"hard = {tie.value}"])
        fam = family(claim)
        wanted = goals(claim, fam)
        for rows, tau in itertools.product(enumerated(Fraction(1)), TEMPERATURES[:2]):
            point = {"n": Fraction(rows.row.n), "k": Fraction(rows.row.k), "gamma": Fraction(1), "tau": tau}
            if not witnesses.fits(fam, rows, point):
                continue
            value = witnesses.quantity_of(fam, rows, tau)
            env = Env(point)
            bounds = [
                goal.case.worst
                for goal in wanted
                if (goal.case.label != "k = n") or rows.row.k == rows.row.n
                if not (goal.case.label == "k < n" and rows.row.k == rows.row.n)
            ]
            assert bounds
            for worst in bounds:
                assert decide(value, op, Expression(worst, env), maximum=256).verdict is not Verdict.FAILS
