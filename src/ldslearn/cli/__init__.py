"""The command ``ldslearn``: parse, call the library, show or write what it returned."""

from ldslearn.cli.running import main

__all__ = ["main"]
