"""An environment that holds the wheel and its dependencies, and nothing of the source tree."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_SECONDS = 900  # to build and install, while another worker does


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The folder of a virtual environment with the wheel, one for all workers of a run."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder, ready = base / "installed", base / "installed.ready"
    try:
        folder.mkdir()
    except FileExistsError:
        _await(ready)
        return folder
    _call(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT)
    _call(sys.executable, "-m", "venv", folder / "env")
    (wheel,) = folder.glob("ldslearn-*.whl")
    _call(folder / "env/bin/python", "-m", "pip", "install", "-q", f"{wheel}[dask,hdf5,search]")
    ready.touch()
    return folder


@pytest.fixture
def environment(installed, tmp_path):
    """Variables as a user has them after activating the environment, with a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    return {
        "PATH": f"{installed / 'env/bin'}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "COLUMNS": "120",
    }


def pytest_terminal_summary(terminalreporter):
    """List the steps of every page, whichever worker ran them."""
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for page, steps in report.user_properties:
                terminalreporter.section(page)
                terminalreporter.write_line(steps)


def _call(*command):
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT)


def _await(ready):
    end = time.monotonic() + _SECONDS
    while not ready.exists():
        assert time.monotonic() < end, "the environment was not made"
        time.sleep(0.5)
