"""Errors inside a command, reworded for the command line."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from ldslearn import _errors


@contextmanager
def raise_usage_errors() -> Iterator[None]:
    """Turn a ValueError inside the block into an error of usage, exit code 2."""
    try:
        yield
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@contextmanager
def suggest_skipping(skips: bool) -> Iterator[None]:
    """Add the option --skip-errors to an error about some items, unless it was given."""
    try:
        yield
    except _errors.SequenceError as error:
        if skips:
            raise
        raise ValueError(f"{error} --skip-errors skips such items.") from error
