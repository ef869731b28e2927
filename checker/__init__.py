"""Executable checker: exact hard attention, rigorously enclosed soft attention, and verdicts on stated bounds."""

__version__ = "0.1.0"
