"""Runs that are killed with SIGKILL or stopped with Ctrl-C, and started again: the end is the same to the byte."""

import os
import random
import signal
import subprocess
import time

import pytest
from work_fixture import ROOT, Server, command, grown

CERTIFY = ("certify", "#<-[a] - #[b] >= 0", "--alphabet", "ab", "--max-length", "9", "--json")
KILLS = 24


@pytest.fixture(scope="module")
def server():
    started = Server()
    yield started
    started.close()


def ended(server, tmp_path, *arguments):
    """Output and exit code of an undisturbed run."""
    out, err = tmp_path / "out", tmp_path / "err"
    server.start(out, err, *arguments)
    code = server.end()
    assert err.read_text() == ""
    return out.read_bytes(), code


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pytest.fail("the process was reaped before it was waited for")


@pytest.mark.parametrize(
    "arguments",
    [
        CERTIFY,
        ("certify", "Y a", "--alphabet", "ab", "--regime", "bounded", "--max-length", "9"),
        ("gap", "best-prefix", "--max-n", "8"),
        ("simulate", "first-symbol", "--n", "4,5", "--json"),
    ],
    ids=["certified", "refuted", "gap", "simulate"],
)
def test_killed_at_any_moment(server, tmp_path, arguments):
    expected = ended(server, tmp_path, *arguments)
    out, err = tmp_path / "out", tmp_path / "err"
    start = time.monotonic()
    assert ended(server, tmp_path, *arguments, "--ledger", str(tmp_path / "whole")) == expected
    whole = time.monotonic() - start
    rng, kills, ledgers = random.Random(len(arguments)), 0, 0
    while kills < (KILLS if arguments is CERTIFY else 4):
        with_ledger = (*arguments, "--ledger", str(tmp_path / f"ledger {ledgers}"))
        pid = server.start(out, err, *with_ledger)
        time.sleep(rng.uniform(0, whole / 3))
        kill(pid)
        code = server.end()
        if code == -signal.SIGKILL:
            kills += 1
        else:  # it had ended before
            assert (out.read_bytes(), code, err.read_text()) == (*expected, "")
            ledgers += 1
    assert ended(server, tmp_path, *with_ledger) == expected


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_several_processes_and_other_numbers_of_them(server, tmp_path, end):
    expected = ended(server, tmp_path, *CERTIFY)
    ledger = tmp_path / "ledger"
    arguments = command(*CERTIFY, "--ledger", str(ledger), "--jobs", "2")
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        grown(ledger, 120_000)
        process.send_signal(end)
        out, err = process.communicate(timeout=60)
    if end == signal.SIGINT:
        assert (process.returncode, out) == (130, "")
        first, second = err.splitlines()
        assert first.startswith("hardsoft: ")
        assert first.endswith(f" results are kept in {ledger}; the same command goes on from there")
        assert int(first.split()[1]) > 5
        assert second == "hardsoft: interrupted"
    else:
        assert (process.returncode, out) == (-signal.SIGKILL, "")
    assert ended(server, tmp_path, *CERTIFY, "--ledger", str(ledger)) == expected


def test_two_processes_cannot_share_a_ledger(server, tmp_path):
    ledger = tmp_path / "ledger"
    with subprocess.Popen(
        command(*CERTIFY, "--ledger", str(ledger), scores=1), cwd=ROOT, stdout=subprocess.DEVNULL
    ) as process:
        grown(ledger, 40_000)
        os.kill(process.pid, signal.SIGSTOP)
        server.start(tmp_path / "out", tmp_path / "err", *CERTIFY, "--ledger", str(ledger))
        assert server.end() == 3
        assert (tmp_path / "err").read_text() == (
            f"hardsoft: --ledger: {ledger} is in use by another process; wait for it, or name another file\n"
        )
        process.kill()
