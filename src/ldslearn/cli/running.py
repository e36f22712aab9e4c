"""Run the command line: exit codes, errors in one line, warnings in one line, Ctrl-C."""

import os
import sys
import traceback
import warnings
from io import StringIO
from typing import Any

import typer

from ldslearn._errors import InputTypeError
from ldslearn.cli import stores  # noqa: F401  registers its commands
from ldslearn.cli.commands import app
from ldslearn.cli.telling import clean, tell

DONE, FAILED, USAGE, UNEXPECTED, INTERRUPTED = 0, 1, 2, 3, 130


def main() -> None:
    """Entry point. Exit codes: 0, 1 (bad data), 2 (usage), 3 (a mistake of ours), 130 (Ctrl-C)."""
    warnings.showwarning = _show_warning
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    code = _run(arguments)
    if code == INTERRUPTED:
        tell("interrupted; no file was left half written.")
    return code


def _run(arguments: list[str]) -> int:
    try:
        code = app(arguments, standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as stop:  # the reader of our output has gone
        return stop.code if isinstance(stop.code, int) else FAILED
    except (ValueError, InputTypeError, OSError, MemoryError, ImportError) as error:
        if "LDSLEARN_TRACEBACK" in os.environ:
            traceback.print_exc()
        tell(f"error: {error or type(error).__name__}")
        return FAILED
    except Exception as error:
        if hasattr(error, "show"):  # a mistake in the command line
            _show_usage(error)
            return USAGE
        if "LDSLEARN_TRACEBACK" in os.environ:
            traceback.print_exc()
        tell(
            f"error: {type(error).__name__}: {error}. This is a mistake in ldslearn; "
            "LDSLEARN_TRACEBACK=1 shows where."
        )
        return UNEXPECTED


def _show_usage(error: Any) -> None:
    """Print what is wrong with a command line, which may quote a file's name or contents."""
    error.message = clean(error.message)
    text = StringIO()
    error.show(text)
    for line in text.getvalue().splitlines():
        tell(line)


_warned: set[str] = set()


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning in one line, the same one once."""
    text = " ".join(str(message).split())
    if text not in _warned:
        _warned.add(text)
        tell(f"warning: {text}")
