"""The terminal summary ends with the number of mutants killed."""

import mutation_count


def pytest_terminal_summary(terminalreporter):
    """Print the counts of mutants, if any test made some."""
    for line in mutation_count.lines():
        terminalreporter.write_line(line)
