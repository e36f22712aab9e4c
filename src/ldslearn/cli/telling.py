"""Lines on stderr, in which names of files and texts from them cannot command the terminal."""

import sys


def clean(text: str) -> str:
    """Return a text in one line, without the control characters that a file's name may hold."""
    return "".join(c if c.isprintable() else _replacement(c) for c in text)


def _replacement(character: str) -> str:
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"


def tell(text: str) -> None:
    """Print one line to stderr."""
    print(clean(text), file=sys.stderr, flush=True)
