"""The exceptions of the checker; every message is one clear line."""


class HardsoftError(Exception):
    """Base of all errors raised on purpose: a message says what is wrong, where, and what would be right."""


class InputError(HardsoftError):
    """Input that cannot be used (exit code 3 on the command line)."""


class DisagreementError(HardsoftError):
    """The two independent evaluations exclude each other: an internal fault, never swallowed."""
