"""Lines on stderr. Names and contents of files cannot send control characters to the terminal."""

import os
import sys
from importlib import import_module
from types import ModuleType


def remove_controls(text: str) -> str:
    """Return a text as one line, without control characters."""
    return "".join(c if c.isprintable() else _replace_control(c) for c in text)


def _replace_control(character: str) -> str:
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def print_message(text: str) -> None:
    """Print one line to stderr."""
    print(remove_controls(text), file=sys.stderr, flush=True)


def load_module(name: str) -> ModuleType:
    """Import a module that takes a second or more; a terminal shows a line meanwhile."""
    is_slow = "sklearn" not in sys.modules  # which takes most of the time
    is_shown = is_slow and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    if is_shown:
        print("loading the library", end="", file=sys.stderr, flush=True)
    try:
        return import_module(name)
    finally:
        if is_shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)  # erases the line
