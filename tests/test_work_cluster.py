"""A real dask cluster of this machine: workers killed in mid-run lose nothing and change nothing."""

import builtins
import json
import os
import signal
import subprocess
import threading
import time

import pytest
from certify_fixture import model_of
from distributed import LocalCluster
from work_fixture import ROOT, SMALL, command, grown

from checker import cli
from checker.certify.certificate import certify
from checker.certify.report import as_json
from checker.errors import HardsoftError
from checker.logic.text import parse_formula
from checker.work import clusters
from checker.work.clusters import Cluster
from checker.work.identity import identity
from checker.work.ledger import Ledger
from checker.work.run import Work

TEXT = "#<-[a] - #[b] >= 0"
ABOUT = identity("test", {"formula": parse_formula(TEXT)}, {})


def report(work, longest=9):
    return json.dumps(as_json(certify(model_of(TEXT), longest, claimed=parse_formula(TEXT), work=work)))


class Killer(threading.Thread):
    """Kills workers of a cluster of this machine, one after the other."""

    def __init__(self, cluster, kills):
        super().__init__(daemon=True)
        self.cluster, self.kills, self.killed, self.over = cluster, kills, [], False

    def run(self):
        while len(self.killed) < self.kills and not self.over:
            time.sleep(0.7)
            for nanny in list(self.cluster.workers.values()):
                pid = nanny.pid
                if pid and pid not in self.killed and nanny.status.name == "running":
                    os.kill(pid, signal.SIGKILL)
                    self.killed.append(pid)
                    break


def test_workers_that_are_killed_change_nothing(tmp_path, capfd):
    expected = report(None)
    path = tmp_path / "ledger"
    engine = Cluster(None, 2)
    killer = Killer(engine._cluster, 3)
    with Work(engine, Ledger(path, ABOUT), scores=SMALL) as work:
        killer.start()
        try:
            assert report(work) == expected
        finally:
            killer.over = True
            killer.join()
        assert len(killer.killed) >= 1
        kept = len(work.ledger)
    with Work(None, Ledger(path, ABOUT), scores=SMALL) as work:
        assert report(work) == expected
        assert len(work.ledger) == kept
    assert capfd.readouterr() == ("", "")


def test_the_command_line_on_a_scheduler_that_is_there(tmp_path, capsys, monkeypatch):
    assert cli.run(["certify", TEXT, "--alphabet", "ab", "--max-length", "6"]) == 0
    expected = capsys.readouterr()
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        flags = ["--engine", "dask", "--scheduler", cluster.scheduler_address]
        ledger = ["--ledger", str(tmp_path / "ledger")]
        assert cli.run(["certify", TEXT, "--alphabet", "ab", "--max-length", "6", *flags, *ledger]) == 0
        assert capsys.readouterr() == expected
        # Workers that run another program are not believed.
        other = {**clusters.code(), "source": "0123"}
        monkeypatch.setattr(clusters, "code", lambda: other)
        assert cli.run(["certify", TEXT, "--alphabet", "ab", "--max-length", "5", *flags]) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("hardsoft: a worker runs another program: source is ")
        assert err.count("\n") == 1
        # The first disagreement is the first in the order of tasks, whoever finds it.
        monkeypatch.undo()
        model, wrong = model_of("a S b", "abc"), parse_formula("P b")
        with Work(Cluster(cluster.scheduler_address), scores=SMALL) as work:
            for _ in range(2):
                assert (
                    certify(model, 6, claimed=wrong, work=work).agreement == certify(model, 6, claimed=wrong).agreement
                )


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nowhere", "127.0.0.1:x"])
def test_a_scheduler_that_is_not_there(address, capsys, monkeypatch):
    monkeypatch.setattr(clusters, "_JOINING", 1)
    assert cli.run(["gap", "first-a", "--engine", "dask", "--scheduler", address]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hardsoft: --scheduler: ")
    assert err.count("\n") == 1


def test_without_dask(capsys, monkeypatch):
    imported = builtins.__import__

    def missing(name, *rest):
        if name in ("dask", "distributed"):
            raise ImportError(f"No module named {name!r}", name=name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert cli.run(["gap", "first-a", "--engine", "dask"]) == 3
    assert capsys.readouterr().err == (
        'hardsoft: --engine dask needs the extra "cluster" (dask is missing): pip install "hardsoft[cluster]"\n'
    )


def test_a_scheduler_that_goes_away(monkeypatch):
    monkeypatch.setattr(clusters, "_JOINING", 2)
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50)
    engine = Cluster(cluster.scheduler_address)
    cluster.close()
    with Work(engine) as work, pytest.raises(HardsoftError, match="the dask scheduler is gone"):
        report(work, 4)


def test_ctrl_c_reaches_the_main_process_alone(tmp_path):
    """As from a terminal: every process of the group gets the signal, workers included."""
    ledger = tmp_path / "ledger"
    arguments = command("certify", TEXT, "--alphabet", "ab", "--max-length", "12", "--engine", "dask", "--jobs", "2",
                        "--ledger", str(ledger))  # fmt: skip
    with subprocess.Popen(
        arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        grown(ledger, 120_000)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    first, second = err.splitlines()
    assert first.endswith(f" results are kept in {ledger}; the same command goes on from there")
    assert second == "hardsoft: interrupted"
