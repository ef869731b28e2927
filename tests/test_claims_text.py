"""Claims as text: what is wrong is named with its place, assumptions fit together, files of claims."""

import pytest
from claims_fixture import GAP

from checker.claims.check import check
from checker.claims.files import read_file, read_text
from checker.errors import InputError


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
