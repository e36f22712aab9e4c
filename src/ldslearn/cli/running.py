"""Run the command line: exit codes, errors in one line, warnings in one line, Ctrl-C."""

import os
import sys
import traceback
import warnings
from io import StringIO
from typing import Any

import typer

from ldslearn._errors import InputTypeError
from ldslearn.cli.app import app
from ldslearn.cli.terminal import print_message, remove_controls

DONE, FAILED, USAGE, UNEXPECTED, INTERRUPTED = 0, 1, 2, 3, 130


def main() -> None:
    """Entry point. Exit codes: 0, 1 (bad data), 2 (usage), 3 (internal error), 130 (Ctrl-C)."""
    warnings.showwarning = _print_warning
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    code = _run(arguments)
    if code == INTERRUPTED:
        print_message("interrupted; no file was left half written.")
    return code


def _run(arguments: list[str]) -> int:
    try:
        code = app(arguments, standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except typer.Exit as stop:
        return stop.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except SystemExit as stop:  # the reader of the output has closed it
        return stop.code if isinstance(stop.code, int) else FAILED
    except (ValueError, InputTypeError, OSError, MemoryError, ImportError) as error:
        if "LDSLEARN_TRACEBACK" in os.environ:
            traceback.print_exc()
        print_message(f"error: {error or type(error).__name__}")
        return FAILED
    except Exception as error:
        if hasattr(error, "show"):  # wrong usage
            _print_usage(error)
            return USAGE
        if "LDSLEARN_TRACEBACK" in os.environ:
            traceback.print_exc()
        print_message(
            f"error: {type(error).__name__}: {error}. This is an internal error of ldslearn, "
            "please report it. LDSLEARN_TRACEBACK=1 prints the traceback."
        )
        return UNEXPECTED


def _print_usage(error: Any) -> None:
    """Print an error of usage, which may quote names or contents of files."""
    error.message = remove_controls(error.message)
    text = StringIO()
    error.show(text)
    for line in text.getvalue().splitlines():
        print_message(line)


_warned: set[str] = set()


def _print_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning in one line, and the same warning only once."""
    text = " ".join(str(message).split())
    if text not in _warned:
        _warned.add(text)
        print_message(f"warning: {text}")
