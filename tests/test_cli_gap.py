"""The command `hardsoft gap`: tables, JSON, samples, remarks, refusals, interruption."""

import json
import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest
import typer

from checker.cli_gap import gap
from checker.console import exit_code_of
from checker.general import gapreport, gaps
from checker.general.fit import fit
from checker.general.gapreport import measure_lengths, number_text
from checker.logic.zoo import LANGUAGES
from checker.transformer.examples import EXAMPLES, FOLDER, load
from checker.transformer.specfile import write

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(gap)


@pytest.fixture
def command(capsys):
    def run(*arguments):
        code = exit_code_of(lambda: app(args=list(arguments), prog_name="hardsoft gap", standalone_mode=False))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_text(command):
    code, out, err = command("best-prefix", "--max-n", "6")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "no prefix with a larger share: exact runs with hard attention, all words of length 1..6"
    assert "6 1 all up to here no rival - - uniform 0 320 1..6" in lines
    assert "6 2 the largest share 1/180 bbbbab 6 average 258 123 1..6" in lines
    assert "6 all 64 1/180 1 1/12 aaaaaa 1/12" in lines
    assert "Remark (fitted to these lengths; nothing is claimed for others):" in lines
    assert any(line.startswith("least gap: about ") and "for n = 3..6" in line for line in lines)
    assert "B(n): constant for n = 3..6" in lines
    assert "SAMPLE" not in out


def test_json_holds_what_the_runs_show(command):
    code, out, _ = command("first-a", "--n", "4,2", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["model"] == "b behind the first a"
    assert data["complete"] is True
    assert data["remarks"] == []
    assert [one["n"] for one in data["lengths"]] == [4, 2]
    for one in data["lengths"]:
        found = gaps.measure(load("first-a"), one["n"])
        assert Fraction(one["gap"]) == found.gap
        assert Fraction(one["bound"]) == found.bound
        assert Fraction(one["margin"]) == found.margin == Fraction(one["margin_everywhere"])
        assert [(head["layer"], head["head"], head["kind"]) for head in one["heads"]] == [
            (1, "the next position", "unique" if one["n"] == 4 else "uniform"),
            (2, "the first a", "unique"),
        ]
        facts = found.layers[1].heads[0]
        head = one["heads"][1]
        assert ["abc".index(symbol) for symbol in head["word"]] == list(facts.word)
        assert (head["position"], head["rivals"], head["ties"]) == (facts.position, facts.rivals, facts.tied)
        assert {tuple(pair) for pair in head["visible_chosen"]} == facts.counts


def test_samples_are_labelled(command):
    code, out, _ = command("best-prefix", "--n", "4,20", "--sample", "50", "--seed", "3")
    assert code == 0
    assert out.startswith("no prefix with a larger share: exact runs with hard attention, all words of length 4 and a "
                          "SAMPLE of those of length 20\n")  # fmt: skip
    assert "* n = 20: a sample of 50 words (seed 3); others may have smaller gaps" in out
    assert "sample of 50" in out
    assert "20*" in out
    assert "4*" not in out
    again = command("best-prefix", "--n", "4,20", "--sample", "50", "--seed", "3")[1]
    assert again == out != command("best-prefix", "--n", "4,20", "--sample", "50")[1]
    data = json.loads(command("best-prefix", "--n", "4,20", "--sample", "50", "--json")[1])
    assert data["complete"] is False
    assert [(one["complete"], one["words"], one["seed"]) for one in data["lengths"]] == [
        (True, 16, None),
        (False, 50, 0),
    ]


def test_remarks_of_samples_say_so(command):
    out = command("best-prefix", "--n", "4,5,6,20", "--sample", "64")[1]
    assert "Remark (fitted to these lengths, some of them samples; nothing is claimed for others):" in out


def test_a_file_and_a_language(command, tmp_path):
    path = tmp_path / "mine.json"
    write(path, replace(load("induction-head"), name="my model"))
    code, out, _ = command(str(path), "--max-n", "2")
    assert code == 0
    assert out.startswith("my model: exact runs")
    assert "position 0 is the begin marker" in out
    assert "position 0 is the begin marker, position n + 1 the end marker" in command("parity", "--max-n", "2")[1]
    assert "no markers" in command(str(FOLDER / "first-a.json"), "--max-n", "1")[1]
    assert not set(EXAMPLES) & set(LANGUAGES)


def test_words_over_some_symbols(command):
    data = json.loads(command("induction-head", "--n", "3", "--alphabet", "ca", "--json")[1])
    assert data["alphabet"] == ["c", "a"]
    assert data["lengths"][0]["words"] == 8
    code, _, err = command("induction-head", "--alphabet", "ax")
    assert (code, err) == (3, "hardsoft: --alphabet: the symbol 'x' is not in the model's alphabet a, b, c\n")


def test_logits_of_0_are_told(command, tmp_path):
    model = load("last-not-c")
    path = tmp_path / "zero.json"
    write(path, replace(model, output=replace(model.output, bias=Fraction(-1))))
    out = command(str(path), "--n", "2")[1]
    assert "n = 2: the logit is 0 on 4 of the words, such as aa: no margin." in out
    assert json.loads(command(str(path), "--n", "2", "--json")[1])["lengths"][0]["zero_logits"] == 4


def test_examples_are_listed(command):
    code, out, _ = command()
    assert code == 0
    assert all(name in out for name in EXAMPLES)
    data = json.loads(command("--json")[1])
    assert [one["name"] for one in data["examples"]] == list(EXAMPLES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("best-prefx",), "no example and no language is named 'best-prefx', and a model file ends in .json; "
         "did you mean best-prefix?"),
        (("qqq",), "no example and no language is named 'qqq', and a model file ends in .json; "
         "hardsoft gap and hardsoft languages list them"),
        (("none.json",), "none.json: cannot be read (No such file or directory)"),
        (("first-a", "--max-n", "0"), "--max-n must be between 1 and 100, got 0; for longer words: --n LIST"),
        (("first-a", "--max-n", "101"), "--max-n must be between 1 and 100, got 101; for longer words: --n LIST"),
        (("first-a", "--max-n", "3", "--n", "2"),
         "--max-n and --n exclude each other: all lengths up to N, or a list of lengths"),
        (("first-a", "--n", "2,2"), "name at least one length, each once, got [2, 2]"),
        (("first-a", "--n", "0"), "lengths are integers in 1..2000, got 0"),
        (("first-a", "--n", "2001", "--sample", "1"), "lengths are integers in 1..2000, got 2001"),
        (("first-a", "--n", "2,17"),
         "the 3^17 words of length 17 are too many to run all; --sample K runs K random ones"),
        (("first-a", "--sample", "0"), "a sample has at least 1 word, got 0"),
        (("first-a", "--sample", "5", "--seed", "-1"), "the seed must be an integer >= 0, got -1"),
        (("first-a", "--seed", "1"), "--seed is about --sample; all words are run without one"),
        (("--max-n", "3"), "MODEL is missing; name a model file (.json), an example or a language"),
    ],
)  # fmt: skip
def test_refusals(command, arguments, message):
    assert command(*arguments) == (3, "", f"hardsoft: {message}\n")


def test_an_interruption_leaves_one_line(command, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(gapreport, "measure", interrupt)
    assert command("first-a") == (130, "", "hardsoft: interrupted\n")


def test_progress_counts_the_words_of_all_lengths(monkeypatch):
    seen = []
    measure_lengths(load("first-a"), [1, 2, 3], update=lambda *state: seen.append(state))
    assert seen == [(3, 39, "words, n = 1"), (12, 39, "words, n = 2"), (39, 39, "words, n = 3")]
    monkeypatch.setattr(gaps, "_BLOCK", 10)
    seen.clear()
    measure_lengths(load("first-a"), [2, 4], sample=25, update=lambda *state: seen.append(state[:2]))
    assert seen == [(9, 34), (19, 34), (29, 34), (34, 34)]


def test_numbers_too_long_to_print_are_rounded_to_the_safe_side(command):
    assert number_text(Fraction(1, 3), up=True) == "1/3"
    tiny = Fraction(10**30 + 1, 3 * 10**60)
    assert number_text(tiny, up=False) == ">= 3.33333e-31"
    assert number_text(tiny, up=True) == "<= 3.33334e-31"
    data = json.loads(command("shrinking-3", "--n", "40", "--sample", "100", "--json")[1])
    text = command("shrinking-3", "--n", "40", "--sample", "100")[1]
    gap_ = Fraction(data["lengths"][0]["gap"])
    assert ">= " in text
    shown = [Fraction(word) for line in text.splitlines() if ">= " in line for word in line.split(">= ")[1].split()[:1]]
    assert all(gap_ * Fraction(99999, 100000) <= value <= gap_ for value in shown)


@pytest.mark.parametrize("rate", [-3, -1, 2])
def test_powers_are_fitted(rate):
    found = fit({n: 5 * Fraction(n) ** rate for n in range(2, 12)})
    assert (found.shape, found.first, found.last) == ("power", 7, 11)
    assert math.isclose(found.rate, rate)
    assert math.isclose(found.factor, 5)
    assert math.isclose(found.off, 1)


@pytest.mark.parametrize("rate", [-2, -1, 1])
def test_exponentials_are_fitted(rate):
    found = fit({n: 3 * Fraction(2) ** (rate * n) for n in (100, 2000, 3000, 3001)})
    assert found.shape == "exponential"
    assert math.isclose(found.rate, rate)
    assert f"2^({rate:.2f} n) for n = 100..3001, within a factor of 1.00" in str(found)


def test_how_far_a_fit_is_off():
    rng = random.Random(1)
    values = {n: Fraction(rng.randint(50, 200), 100) / n**2 for n in range(3, 11)}
    found = fit(values)
    base = (lambda n: n**found.rate) if found.shape == "power" else (lambda n: 2 ** (found.rate * n))
    ratios = [float(values[n]) / (found.factor * base(n)) for n in range(7, 11)]
    assert math.isclose(found.off, max(max(r, 1 / r) for r in ratios))


def test_few_or_constant_values():
    assert fit({n: Fraction(1, n) for n in (1, 2, 3)}) is None
    assert fit({n: Fraction(0) for n in range(1, 9)}) is None
    assert str(fit({n: Fraction(7) for n in range(1, 5)})) == "constant for n = 1..4"
