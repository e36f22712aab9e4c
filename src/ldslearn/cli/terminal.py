"""Lines on stderr. Names and contents of files cannot send control characters to the terminal."""

import sys


def remove_controls(text: str) -> str:
    """Return a text as one line, without control characters."""
    return "".join(c if c.isprintable() else _replace_control(c) for c in text)


def _replace_control(character: str) -> str:
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def print_message(text: str) -> None:
    """Print one line to stderr."""
    print(remove_controls(text), file=sys.stderr, flush=True)
