"""The command line as its users and their scripts meet it: exit codes, one line per error, one document with --json."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from checker import cli, console, verify
from checker.checks import CHECKS
from checker.errors import DisagreementError, HardsoftError
from proofs.props import ProofError
from proofs.registry import library

SCORES = Path(__file__).parent / "data" / "minilm_scores.npz"
TABLE = ["table", "A2", "--n", "10,10^6", "--gamma", "1", "--tau", "1/10"]


@pytest.fixture(scope="module")
def proved():
    return library()


@pytest.fixture(autouse=True)
def _proved_once(monkeypatch, proved):
    """Derivations are replayed once for all tests in this process."""
    monkeypatch.setattr(verify, "library", lambda: proved)


def run(capsys, *arguments):
    """(exit code, stdout, stderr); an error is one line on stderr, and nothing is on stderr without one."""
    code = cli.run([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    assert code in (0, 1, 2, 3)
    if err:
        assert re.fullmatch(r"hardsoft: [^\n]+\n", err)
        assert out == ""
    assert "Traceback" not in out + err
    return code, out, err


def refused(capsys, *arguments):
    """The error line of a command line that is bad input."""
    code, _, err = run(capsys, *arguments)
    assert code == 3
    return err


@pytest.fixture
def files(tmp_path):
    np.save(tmp_path / "ok.npy", np.array([[1.0, 2, 3], [0, 0, 1]]))
    np.save(tmp_path / "nan.npy", np.array([[1.0, np.nan]]))
    np.save(tmp_path / "objects.npy", np.array([1, "a"], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "two.npz", a=np.eye(3), b=np.ones((2, 3)))
    (tmp_path / "damaged.npz").write_bytes((tmp_path / "two.npz").read_bytes()[:200])
    (tmp_path / "pickle.npy").write_bytes(b"\x80\x04N.")
    (tmp_path / "directory.npz").mkdir()
    return tmp_path


# Help


def test_help_names_every_option_with_its_range(capsys):
    for arguments in ([], ["-h"], ["--help"]):
        code, out, _ = run(capsys, *arguments)
        assert code == 0
        assert all(name in out for name in ("verify", "show", "table", "scores", "3 bad input"))
    for command in ("verify", "show", "table", "scores"):
        code, out, _ = run(capsys, command, "--help")
        assert code == 0
        assert re.search(r"Examples?: hardsoft " + command, out)
        assert "--json" in out
        assert "..." not in out.partition("Options:")[0].replace("[ID]...", "")
    assert "1 to 8" in run(capsys, "verify", "-h")[1]


def test_version(capsys):
    assert re.fullmatch(r"hardsoft \d+\.\d+\.\d+\n", run(capsys, "--version")[1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bogus"], "No such command 'bogus'; see hardsoft --help"),
        (["--bogus"], "No such option: --bogus"),
        (["table"], "Missing argument 'ID'; see hardsoft table --help"),
        (["show", "A2", "A3"], "unexpected extra argument"),
        (["verify", "--max-n"], "'--max-n' requires an argument"),
        (["verify", "--format", "json"], "No such option: --format"),
    ],
)
def test_usage_errors(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


# verify


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["A9"], "no statement 'A9'; there are A1, A2,"),
        ([""], "no statement ''"),
        (["A2.bound"], "no statement 'A2.bound'"),
        (["A²"], "no statement 'A²'"),
        (["A9", "--json"], "no statement 'A9'"),
        (["\x1b[31m\nA2"], r"no statement '\x1b[31m\nA2'"),
        (["--max-n", "0"], "--max-n must be between 1 and 8, got 0"),
        (["--max-n", "-1"], "--max-n must be between 1 and 8, got -1"),
        (["--max-n", "1e1"], "--max-n must be between 1 and 8, got 10"),
        (["--max-n", "1e300000"], "--max-n must be between 1 and 8, got an integer of 996579 bits"),
        (["--max-n", "1.5"], "--max-n: expected an integer, got '1.5'"),
        (["--max-n", "٣"], "--max-n: '٣' is not a number"),
        (["--max-n", ""], "--max-n: '' is not a number"),
        (["--precision", "10"], "--precision must be between 64 and 1048576, got 10"),
        (["--precision", "nan"], "--precision: 'nan' is not a number"),
        (["--precision", "1e999999999"], "--precision: the exponent of '1e999999999' exceeds 1000000"),
        (["--jobs", "-1"], "--jobs must be between 0 and 1024, got -1"),
    ],
)
def test_verify_refuses(capsys, arguments, message):
    assert message in refused(capsys, "verify", *arguments)


def test_verify_prints_a_table(capsys):
    code, out, _ = run(capsys, "verify", "a6", "--max-n", "1", "--jobs", "1")
    assert code == 0
    assert "A6" in out
    assert "HOLDS" in out


def test_verify_with_too_few_bits_is_undecided(capsys):
    code, out, _ = run(capsys, "verify", "A6", "--max-n", "2", "--precision", "64", "--jobs", "1", "--json")
    document = json.loads(out)
    assert code == document["exit_code"] == 2
    assert document["statements"][0]["enumeration"] == "UNDECIDED"
    witnesses = [claim["enumeration"]["witness"] for claim in document["statements"][0]["claims"]]
    assert any(witness and witness.endswith(", 64 bits") for witness in witnesses)


# show


def test_show_in_three_forms_and_any_case(capsys):
    code, text, _ = run(capsys, "show", "a1.EXACT")
    assert code == 0
    assert text.startswith("A1.exact")
    assert run(capsys, "show", "A1.exact", "--latex")[1].startswith("\\documentclass")
    assert json.loads(run(capsys, "show", " A1.exact ", "--json")[1])["id"] == "A1.exact"


def test_show_refuses(capsys):
    assert "no statement 'A2.bonud'; did you mean A2.bound" in refused(capsys, "show", "A2.bonud")
    assert "no statement ''" in refused(capsys, "show", "", "--json")
    assert "--latex and --json exclude each other" in refused(capsys, "show", "A2", "--latex", "--json")


def test_show_of_a_rejected_derivation_is_a_refutation(capsys, monkeypatch):
    def reject(*_arguments, **_keywords):
        raise ProofError("step 3 does not follow")

    monkeypatch.setattr("checker.show.show", reject)
    code, _, err = run(capsys, "show", "A2")
    assert code == 1
    assert err == "hardsoft: A2: a derivation is rejected: step 3 does not follow\n"


# table


def test_table_in_every_format(capsys):
    for form, start in (("text", "A2 "), ("markdown", "**A2"), ("latex", "% A2"), ("csv", "n,k,gamma"), ("json", "{")):
        code, out, _ = run(capsys, *TABLE, "--format", form)
        assert code == 0
        assert out.startswith(start)
    assert json.loads(run(capsys, *TABLE, "--json")[1]) == json.loads(run(capsys, *TABLE, "--format", "json")[1])
    assert run(capsys, "table", "a2", *TABLE[2:])[1] == run(capsys, *TABLE)[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table", "A9"], "no statement 'A9'; there are A1"),
        (["table", "A2", "--n", "10"], "A2 needs --gamma"),
        (["table", "A2", "--n", "10,,2"], "--n: item 2 of '10,,2' is empty"),
        (["table", "A2", "--n", "١٠"], "--n, item 1: '١٠' is not a number"),
        (["table", "A2", "--n", "1e999999999"], "--n, item 1: the exponent"),
        (["table", "A2", "--n", "1", "--gamma", "1", "--tau", "1"], "k must satisfy 1 <= k <= n - 1"),
        (["table", "A2", "--n", "2", "--gamma", "nan", "--tau", "1"], "--gamma, item 1: 'nan' is not a number"),
        (["table", "A2", "--n", "2", "--gamma", "1", "--tau", "-1"], "tau must be > 0, got -1"),
        ([*TABLE, "--digits", "0"], "--digits must be between 1 and 30, got 0"),
        ([*TABLE, "--digits", "x"], "--digits: 'x' is not a number"),
        ([*TABLE, "--solve", ""], "A2 cannot be solved for ''; choose n, gamma, tau, eps"),
        ([*TABLE, "--format", "pdf"], "--format must be one of text, markdown, latex, csv, json, got 'pdf'"),
        ([*TABLE, "--format", "latex", "--json"], "--json and --format latex exclude each other"),
        (["table", "A1", "--n", "10"], "A1 has no table"),
    ],
)
def test_table_refuses(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


# scores


def test_scores_of_real_attention(capsys):
    code, out, _ = run(capsys, "scores", SCORES, "--array", "short", "--eps", "0.01", "--json")
    assert code == 0
    document = json.loads(out)
    assert document["eps"] in ("1/100", "0.01")
    assert document["heads"]


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("", [], "FILE is empty"),
        ("missing.npz", [], "no such file"),
        ("directory.npz", [], "not a file"),
        (".", [], "not a file"),
        ("nan.npy", [], "NaN at index [0, 1]"),
        ("objects.npy", [], "holds Python objects, which are never unpickled"),
        ("pickle.npy", [], "a pickle, which is never loaded"),
        ("damaged.npz", [], "not a NumPy file, or damaged"),
        ("two.npz", [], "holds 2 arrays (a, b)"),
        ("two.npz", ["--array", "c"], "no array 'c'"),
        ("two.npz", ["--array", "b", "--mask", "future"], "as many queries as keys"),
        ("ok.npy", ["--array", "a"], "a .npy file holds one unnamed array"),
        ("ok.npy", ["--mask", "FUTURE"], "--mask must be one of none, future, strict-future, past, strict-past"),
        ("ok.npy", ["--eps", "1"], "must satisfy 0 < eps < 1"),
        ("ok.npy", ["--eps", "0.1,0.2"], "--eps: '0.1,0.2' is not a number"),
        ("ok.npy", ["--tau", "0"], "a temperature must be positive"),
        ("ok.npy", ["--digits", "10000"], "--digits must be between 1 and 30, got 10000"),
        ("ok.npy", ["--format", "xml"], "--format must be one of"),
        ("ok.npy", ["--format", "csv", "--json"], "--json and --format csv exclude each other"),
    ],
)
def test_scores_refuses(capsys, files, file, options, message):
    assert message in refused(capsys, "scores", file and files / file, *options)


def test_scores_of_an_unreadable_file(capsys, files, monkeypatch):
    def deny(*_arguments, **_keywords):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", deny)
    assert "cannot be read (Permission denied)" in refused(capsys, "scores", files / "ok.npy")


@pytest.mark.parametrize("tau", ["1e-300000", "1e300000"])
def test_scores_at_extreme_temperatures(capsys, files, tau):
    assert run(capsys, "scores", files / "ok.npy", "--tau", tau)[0] == 0


# Errors of other kinds


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (DisagreementError("Arb and mpmath differ"), 1, "Arb and mpmath differ"),
        (HardsoftError("two\nlines"), 2, "two lines"),
        (MemoryError(), 2, "out of memory"),
        (OSError(5, "Input/output error"), 3, "input or output failed: [Errno 5] Input/output error"),
        (ValueError("odd"), 2, "internal error, please report it: ValueError: odd (test_cli.py:"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_any_error_is_one_line(capsys, error, code, message):
    def fail():
        raise error

    assert console.exit_code_of(fail) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"hardsoft: {message}")
    assert err.count("\n") == 1


def test_an_error_in_a_check_is_one_line(capsys, monkeypatch):
    def check(_claim, _plan):
        raise DisagreementError("Arb and mpmath exclude each other")

    monkeypatch.setitem(CHECKS, next(name for name in CHECKS if name.startswith("A6.")), check)
    code, _, err = run(capsys, "verify", "A6", "--max-n", "1", "--jobs", "1")
    assert (code, err) == (1, "hardsoft: Arb and mpmath exclude each other\n")


def test_closed_streams(capsys, monkeypatch):
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stdout", None)
        assert cli.run(TABLE) == 3
    assert "stdout is closed" in capsys.readouterr().err
    with monkeypatch.context() as closed:
        closed.setattr(sys, "stderr", None)
        assert cli.run(["table", "A9"]) == 3


# Real processes

COMMAND = [sys.executable, "-m", "checker.cli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


def real(*arguments, **options):
    """A finished process, run outside the checkout."""
    options = {"cwd": "/", "env": ENVIRONMENT, "capture_output": True, "text": True, "timeout": 120, **options}
    return subprocess.run([*COMMAND, *map(str, arguments)], **options)


def test_a_real_process_and_its_exit_code(tmp_path):
    done = real("scores", SCORES.resolve(), "--array", "short", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["shape"][-1] == 9
    done = real("scores", tmp_path / "missing.npy")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"hardsoft: {tmp_path}/missing.npy: no such file\n"


def test_any_locale_and_width():
    plain = real(*TABLE).stdout
    assert "─" in plain
    assert real(*TABLE, env={**ENVIRONMENT, "COLUMNS": "40", "TERM": "dumb"}).stdout == plain
    ascii_only = {**ENVIRONMENT, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = real(*TABLE, env=ascii_only, encoding="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == plain.replace("─", "-")


@pytest.mark.parametrize("arguments", [TABLE, ["--help"]])
def test_a_reader_that_went_away(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=120, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *TABLE], stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=120, check=False
        )
    assert (done.returncode, done.stderr) == (3, b"hardsoft: cannot write to stdout: No space left on device\n")


def alive(group):
    """Processes of a process group that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, number = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(number) == group and state != "Z":
            found.append(int(stat.parent.name))
    return found


def gone(group):
    """Whether all processes of a group end within ten seconds."""
    for _ in range(100):
        if not alive(group):
            return True
        time.sleep(0.1)
    return False


@pytest.fixture
def started():
    """Starts a process in a group of its own, which is killed when the test is over."""
    running = []

    def start(*arguments, wanted=1):
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        running.append(process)
        for _ in range(600):
            if len(alive(process.pid)) >= wanted:
                break
            time.sleep(0.1)
        time.sleep(1)
        return process

    yield start
    for process in running:
        if alive(process.pid):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


@needs_proc
@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "kill"])
def test_interrupting_verify_leaves_no_process_behind(started, whole_group):
    # The main process, two workers, and the tracker of multiprocessing.
    process = started("verify", "--jobs", "2", "--json", wanted=4 if PROCESSORS > 1 else 1)
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "hardsoft: interrupted\n")
    assert gone(process.pid)


@needs_proc
def test_killing_verify_leaves_no_process_behind(started):
    process = started("verify", "--jobs", "2", wanted=4 if PROCESSORS > 1 else 1)
    process.kill()
    assert gone(process.pid)


@needs_proc
def test_interrupting_scores(started, tmp_path):
    file = tmp_path / "long.npy"
    np.save(file, np.random.default_rng(0).normal(size=(12, 1024, 1024)).astype(np.float32))
    process = started("scores", file)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "hardsoft: interrupted\n")


@pytest.mark.parametrize(("raised", "expected"), [(SystemExit(7), 7), (SystemExit(0), 2), (SystemExit(None), 2)])
def test_a_stray_exit_does_not_pass_for_holds(raised, expected):
    from checker.console import exit_code_of

    def command():
        raise raised

    assert exit_code_of(command) == expected
