"""The command ``ldslearn``: parse, call the library, show or write what it returned."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command of this process; see :mod:`ldslearn.cli.running` for exit codes."""
    try:
        from ldslearn.cli.running import main as run  # takes its time

        run()
    except KeyboardInterrupt:
        print("interrupted; no file was left half written.", file=sys.stderr)
        sys.exit(130)
