"""What runs show does not depend on the engine, the number of processes, the order of ends, or the size of tasks."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from certify_fixture import model_of
from work_fixture import Interrupted, Shuffled

from checker import cli, verify
from checker.certify.certificate import certify
from checker.certify.report import as_json
from checker.errors import InputError
from checker.general import gapreport, simulatereport
from checker.general.simulate import simulate
from checker.logic.text import parse_formula
from checker.transformer.examples import load
from checker.verify import verify_all
from checker.verify_report import as_json as verified
from checker.work import plain
from checker.work.engines import Processes, Serial
from checker.work.identity import identity
from checker.work.ledger import Ledger
from checker.work.run import Work
from checker.work.tasks import Task, ranges, words_of_task
from proofs.registry import library

HERE = identity("test", {}, {})
SMALL = 2**9


def certified(work):
    return as_json(certify(model_of("a S b", "abc"), 7, claimed=parse_formula("a S b"), work=work))


def late(work):
    return as_json(certify(model_of("a S b", "abc"), 7, claimed=parse_formula("(a S b) & !(Y Y Y Y c)"), work=work))


def refuted(work):
    return as_json(certify(model_of("Y a", "ab", "bounded"), 7, claimed=parse_formula("Y a"), work=work))


def gaps(work):
    model = load("best-prefix")
    found = gapreport.measure_lengths(model, [2, 7, 20], sample=150, seed=4, work=work)
    return gapreport.as_json(model, found)


def simulated(work):
    model = load("last-not-c")  # its ties are broken
    return simulatereport.as_json(model, [simulate(model, 5, work=work)])


RUNS = (certified, late, refuted, gaps, simulated)
EXPECTED = {run: json.dumps(run(None)) for run in RUNS}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("scores", [SMALL, 2**13, 2**21])
def test_any_order_and_any_size(run, scores):
    for seed in range(2):
        with Work(Shuffled(seed), scores=scores) as work:
            assert json.dumps(run(work)) == EXPECTED[run]


def test_tasks_of_a_single_word():
    with Work(Shuffled(1), scores=1) as work:
        assert json.dumps(refuted(work)) == EXPECTED[refuted]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_any_number_of_processes(jobs):
    with Work(Processes(jobs), scores=2**14) as work:
        for run in RUNS:
            assert json.dumps(run(work)) == EXPECTED[run]


@pytest.mark.parametrize("run", RUNS)
def test_interrupted_again_and_again(run, tmp_path):
    """A ledger is filled in pieces, in any order; in the end nothing is left to do."""
    path = tmp_path / "ledger"
    for seed in range(1000):
        work = Work(Interrupted(seed, after=4), Ledger(path, HERE), scores=2**11)
        with work:
            try:
                found = json.dumps(run(work))
                break
            except KeyboardInterrupt:
                assert work.engine.tasks == []
    assert seed >= 2
    assert found == EXPECTED[run]
    with Work(Interrupted(0, after=0), Ledger(path, HERE), scores=2**11) as work:
        assert json.dumps(run(work)) == EXPECTED[run]


def test_claims_are_verified_from_a_ledger(tmp_path, capsys, monkeypatch):
    proved = library()  # derivations are replayed once here
    monkeypatch.setattr(verify, "library", lambda: proved)
    path = tmp_path / "ledger"

    def without_times(data):
        if isinstance(data, dict):
            return {key: without_times(value) for key, value in data.items() if key != "seconds"}
        return [without_times(value) for value in data] if isinstance(data, list) else data

    arguments = ["verify", "A6", "--max-n", "2", "--jobs", "1", "--json"]
    assert cli.run(arguments) == 0
    alone = capsys.readouterr().out
    for _ in range(2):
        assert cli.run([*arguments, "--ledger", str(path)]) == 0
        kept = capsys.readouterr().out
        assert without_times(json.loads(kept)) == without_times(json.loads(alone))
    assert cli.run([*arguments, "--ledger", str(path), "--precision", "4096"]) == 3
    assert "--precision is 8192 there and 4096 here" in capsys.readouterr().err
    with Work(Shuffled(3)) as work:
        from checker.checks import Plan

        report = verified(verify_all(["A6"], Plan(2), work=work), Plan(2))
        assert without_times(report)["statements"] == without_times(json.loads(alone))["statements"]


def test_ctrl_c_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    from checker.work import engines

    monkeypatch.setattr(engines, "Serial", lambda: Interrupted(1, after=2))
    path = tmp_path / "ledger"
    arguments = ["gap", "first-a", "--n", "2,3,4,5"]
    assert cli.run([*arguments, "--ledger", str(path)]) == 130
    out, err = capsys.readouterr()
    assert out == ""
    kept = f"hardsoft: 2 results are kept in {path}; the same command goes on from there\n"
    assert err == kept + "hardsoft: interrupted\n"
    assert cli.run(arguments) == 130
    assert capsys.readouterr() == ("", "hardsoft: interrupted\n")
    monkeypatch.undo()
    assert cli.run(arguments) == 0
    expected = capsys.readouterr()
    assert cli.run([*arguments, "--ledger", str(path)]) == 0
    assert capsys.readouterr() == expected


# -- the driver -----------------------------------------------------------------------------------------------------


def value(number):
    if number == 5:
        raise InputError("five")
    return number


def numbers(*values):
    return [Task(str(number), value, (number,), size=number) for number in values]


@pytest.mark.parametrize("seed", range(5))
def test_results_come_in_order_and_errors_in_their_turn(seed):
    work, sizes = Work(Shuffled(seed)), []
    results = work.results(numbers(1, 2, 3, 4, 5, 6, 7), int, lambda size, task: sizes.append((size, task.key)))
    seen = [next(results) for _ in range(4)]
    with pytest.raises(InputError, match="five"):
        next(results)
    assert seen == [1, 2, 3, 4]
    assert sizes == sorted(sizes)
    assert work.engine.tasks == []


def test_an_early_end_takes_no_more_tasks():
    taken = []

    def source():
        for task in numbers(*range(10, 30)):
            taken.append(task.key)
            yield task

    work = Work(Serial())
    results = work.results(source(), int)
    assert [next(results), next(results)] == [10, 11]
    results.close()
    assert taken == ["10", "11"]


def test_no_tasks():
    assert list(Work().results([], int)) == []


def test_ranges_and_sizes():
    assert list(ranges(10, 4)) == [(0, 4), (4, 8), (8, 10)]
    assert list(ranges(0, 4)) == []
    assert words_of_task(8, 2**21) == 2**15
    assert words_of_task(2000, 2**21) == 1
    assert words_of_task(9, 2**21, 4096) == 6 * 4096
    assert words_of_task(2000, 2**21, 4096) == 4096


# -- plain data -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [Fraction(0), Fraction(-7, 3), Fraction(10**5000 + 1, 3**9000)])
def test_fractions_are_written_and_read(x):
    assert plain.fraction(json.loads(plain.canonical(plain.of_fraction(x)))) == x


@pytest.mark.parametrize("text", ["1", "2/4", "1/0", "-1/-2", "a/b", "", "1/2/3", " 1/2", "0x1/2", "1_0/3", 3, None])
def test_other_fractions_are_refused(text):
    with pytest.raises(plain.FormError, match="expected a"):
        plain.fraction(text)


@pytest.mark.parametrize(
    ("read", "data"),
    [
        (plain.integer, True), (plain.integer, 1.0), (plain.natural, -1), (plain.number, 1), (plain.boolean, 1),
        (plain.text, 1), (plain.word, [1, -1]), (plain.word, "12"),
        (lambda d: plain.fields(d, ("a",)), {"a": 1, "b": 2}),
        (lambda d: plain.fields(d, ("a",)), []), (lambda d: plain.items(d, plain.text, 2), ["a"]),
        (lambda d: plain.pairs(d, plain.text, plain.text), [["a", "b"], ["a", "c"]]), (plain.parsed, "{"),
    ],
)  # fmt: skip
def test_data_of_another_form_are_refused(read, data):
    with pytest.raises(plain.FormError, match=r"expected|twice|not JSON"):
        read(data)


def test_the_facts_of_many_blocks_are_those_of_one():
    from checker.general.gaps import measure
    from checker.general.profile import profile

    for name, n in (("most-frequent", 5), ("last-not-c", 5), ("shrinking-3", 6)):
        model = load(name)
        whole, cut = measure(model, n), measure(model, n, work=Work(Shuffled(1), scores=150))
        assert whole == replace(cut)
        assert [list(layer.entering) for layer in whole.layers] == [list(layer.entering) for layer in cut.layers]
        assert profile(whole) == profile(cut, work=Work(Shuffled(2), scores=150))
