"""Processes that have ended, for tests of what they leave."""

import subprocess
import sys


def ended_process():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid
