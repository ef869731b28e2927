"""The terminal summary ends with the number of mutants killed, added up over the processes that ran tests."""

import mutation_count
import pytest


def pytest_sessionfinish(session):
    """In one of several processes: hand the counts to the main one."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["mutants"] = mutation_count.counts()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take the counts of another process (a hook of pytest-xdist)."""
    mutation_count.add(getattr(node, "workeroutput", {}).get("mutants", {}))


def pytest_terminal_summary(terminalreporter):
    """Print the counts of mutants, if any test made some."""
    for line in mutation_count.lines():
        terminalreporter.write_line(line)
