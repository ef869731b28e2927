"""Faults found in review, as attacks: extreme temperatures, undecided words, large expressions, invalid models."""

from dataclasses import replace
from fractions import Fraction

import pytest
from certify_fixture import model_of, with_positional

from checker.attention import Mask, Tie
from checker.certify.certificate import Outcome, certify
from checker.certify.report import as_json, as_text, headline
from checker.certify.trace import as_text as trace_text
from checker.certify.trace import run_word
from checker.errors import InputError
from checker.logic.text import parse_formula
from checker.position import parse
from checker.transformer.model import Head, Layer, Output, Transformer

ONE = Fraction(1)


# very low or very high temperatures, and large weights, end in an internal error.
@pytest.mark.parametrize("formula", ["Y a", "#<-[a] >= 2", "#[a] % 2 == 1"])
@pytest.mark.parametrize("regime", ["unbounded", "scaled"])
@pytest.mark.parametrize("exponent", [-300, -30, -9, 30, 60, 300])
def test_extreme_temperatures(formula, regime, exponent):
    tau0 = Fraction(10) ** exponent
    found = certify(model_of(formula, regime=regime), 2, tau0=tau0)
    assert (found.outcome is Outcome.CERTIFIED) == (exponent < 0)
    assert as_text(found)
    assert as_json(found)
    assert trace_text(run_word(found.model, "aba"), True)


def test_large_weights():
    model = with_positional(model_of("Y a"), position=parse("10^100*i"))
    found = certify(model, 2)
    assert found.outcome is Outcome.CERTIFIED
    assert as_text(found)
    assert trace_text(run_word(model, "aba"), True)


@pytest.mark.parametrize("exponent", [-12, -300])
def test_compiling_for_an_extreme_temperature(exponent):
    assert model_of("Y a", tau0=Fraction(10) ** exponent)


# the headline says "and on no shorter one" when shorter words are undecided, and do fail.
def test_shorter_words_that_are_undecided_are_not_said_to_be_right():
    # On aa, at position 2, the soft logit is 1 - 1/(1 + e^-10000) > 0, which 4096 bits do not tell from 0.
    head = Head("newest", ({"one": ONE},), ({"score": ONE},), {"read": {"top": ONE}}, Mask.FUTURE, Tie.AVERAGE)
    positional = {"one": "1", "score": "10000*i", "top": "[i == n]", "extra": "[i == n] + [n == 3]"}
    model = Transformer(
        "m", ("a",), ("one", "score", "top", "extra", "read"), {"a": {}}, None, None,
        {name: parse(text) for name, text in positional.items()}, (Layer((head,), ()),),
        Output({"extra": ONE, "read": -ONE}, Fraction(0), "last"), parse("1"),
    )  # fmt: skip
    found = certify(model, 4, claimed=parse_formula("false"))
    assert found.outcome is Outcome.REFUTED
    assert found.agreement.undecided == (("a", "a"),)
    assert "no shorter" not in headline(found)
    assert "undecided" in as_text(found)


# small files that make certify exhaust time and memory.
@pytest.mark.parametrize(
    "text", ["*".join(f"([i == {k}] + [n == {k}])" for k in range(1, 60)), "((i + n + 1/3)^60)^60", "((i + n)^60)^60"]
)
def test_expressions_that_multiply_out_to_very_many_terms(text):
    model = with_positional(model_of("Y a"), one=parse(text))
    assert certify(model, 1, claimed=parse_formula("Y a")).outcome is not Outcome.CERTIFIED


# a formula that nobody claimed is reported as claimed.
def test_no_claim_is_reported_when_there_was_none():
    found = certify(replace(model_of("Y a"), origin={}), 2)
    assert found.outcome is Outcome.CERTIFIED
    assert as_json(found)["claimed"] is None
    assert "  claimed" not in as_text(found)


# certify and run_word promise InputError for bad input, but models built in Python are not validated.
def test_invalid_models_are_refused():
    model = model_of("Y a")
    for bad in (
        replace(model, output=replace(model.output, bias=-0.5)),
        replace(model, directions=tuple(d for d in model.directions if d != "position")),
        replace(model, embedding={"a": model.embedding["a"]}),
    ):
        with pytest.raises(InputError):
            certify(bad, 2)
