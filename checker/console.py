"""How the command line ends: what is printed on stdout, the one line on stderr, and the exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import typer

from checker.errors import DisagreementError, HardsoftError, InputError

REFUTED, UNDECIDED, BAD_INPUT, INTERRUPTED = 1, 2, 3, 130

# The base class of typer's usage errors; it is public only through its subclass BadParameter.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]


class RejectedError(HardsoftError):
    """A derivation is rejected (exit code 1)."""


def emit(text: str) -> None:
    """Print text on stdout, now; a reader that went away (`| head`) is no error, a full disk is (InputError)."""
    if sys.stdout is None:
        raise InputError("stdout is closed; there is nowhere to print the result")
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:  # characters that the locale does not have: rules of tables, names in other scripts
        text = text.replace("─", "-").encode("ascii", "backslashreplace").decode()
    try:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:
        _discard_stdout()
        raise InputError(f"cannot write to stdout: {error.strerror or error}") from None


def _discard_stdout() -> None:
    """Send what is still buffered nowhere, so that nothing is complained about at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def exit_code_of(command: Callable[[], Any]) -> int:
    """Run a typer command and return its exit code; any error is one line on stderr."""
    try:
        result = command()
        if result == INTERRUPTED:  # typer's answer to Ctrl-C
            return _fail("interrupted", INTERRUPTED)
        return result if isinstance(result, int) else 0
    except (DisagreementError, RejectedError) as error:
        return _fail(str(error), REFUTED)
    except HardsoftError as error:
        return _fail(str(error), BAD_INPUT if isinstance(error, InputError) else UNDECIDED)
    except _UsageError as error:
        return _fail(_usage(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # typer's answer to a closed pipe, while it prints help
            _discard_stdout()
            return 0
        # Nothing else in here exits; whoever does has shown nothing, and must not pass for 0.
        return stop.code if isinstance(stop.code, int) and stop.code != 0 else UNDECIDED
    except OSError as error:
        return _fail(f"input or output failed: {error}", BAD_INPUT)
    except MemoryError:
        return _fail("out of memory; use a smaller file, fewer rows or shorter lists", UNDECIDED)
    except Exception as error:
        # A fault of this program: it shows nothing, neither for nor against a statement.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
        return _fail(f"internal error, please report it: {type(error).__name__}: {error} ({place})", UNDECIDED)


def _usage(error: Any) -> str:
    message = str(error.format_message()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message}; see {context.command_path} --help" if context is not None else message


def _fail(message: str, code: int) -> int:
    if sys.stderr is not None:
        sys.stderr.write("hardsoft: " + " ".join(message.split()) + "\n")
    return code
