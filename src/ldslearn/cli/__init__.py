"""The command ``ldslearn``: parse the arguments, call the library, print or write the result.

Modules that import NumPy and the rest of the library are loaded on first use, so that ``--help``
is fast. They are listed in ``__init__.pyi``; commands reach them as attributes of this package.
"""

import sys

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def main() -> None:
    """Run the command of this process; see :mod:`ldslearn.cli.running` for the exit codes."""
    try:
        __getattr__("running").main()  # loaded here, where an interrupt is caught
    except KeyboardInterrupt:
        print("interrupted; no file was left half written.", file=sys.stderr)
        sys.exit(130)
