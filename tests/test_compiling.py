"""Compiled functions where nothing can be written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ldslearn
from ldslearn._compiling import njit

READ_ONLY = """
import warnings
from numba.core import caching

def refuse(self):
    raise PermissionError("read-only file system")

caching._CacheLocator.ensure_cache_path = refuse
if is_started_by_another:
    from ldslearn._compiling import leave_warnings_to_the_caller
    leave_warnings_to_the_caller()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import ldslearn.models.small_matrices as small
    import ldslearn.geometry.stein
    import ldslearn.coding
import numpy as np

out = np.empty((2, 2, 1))
small.multiply(np.eye(2)[:, :, None], np.full((2, 2, 1), 3.0), out)
print([str(one.message) for one in caught if "NUMBA_CACHE_DIR" in str(one.message)])
print(out[:, :, 0].tolist(), small.multiply.stats.cache_path)
"""


def run_without_cache(is_started_by_another, **settings):
    """Return the messages about the cache, as printed, and check that functions work."""
    environment = {**os.environ, **settings}
    if not settings:
        environment.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run(
        [sys.executable, "-c", f"is_started_by_another = {is_started_by_another}" + READ_ONLY],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    messages, result = done.stdout.splitlines()
    assert result == "[[3.0, 3.0], [3.0, 3.0]] None"
    return messages


def test_a_read_only_installation_works_and_says_once_where_a_cache_could_be():
    messages = run_without_cache(False)
    assert messages.count("compiled functions cannot be kept on disk: the folders of the inst") == 1
    assert "user's cache cannot be written. Every process" in messages
    assert "export NUMBA_CACHE_DIR=" in messages


def test_a_folder_that_cannot_be_written_is_named():
    messages = run_without_cache(False, NUMBA_CACHE_DIR="/nowhere")
    assert messages.count("on disk: /nowhere (NUMBA_CACHE_DIR) cannot be written, nor can the") == 1
    assert "user's cache. Every process" in messages


def test_processes_that_another_one_starts_do_not_say_it_again():
    assert run_without_cache(True) == "[]"


def test_every_module_compiles_by_it():
    root = Path(ldslearn.__file__).parent
    imports = re.compile(r"^(from numba import|import numba)", re.MULTILINE)
    found = {str(p.relative_to(root)) for p in root.rglob("*.py") if imports.search(p.read_text())}
    assert found == {"_compiling.py"}


def test_other_errors_are_raised(monkeypatch):
    def fail(**options):
        raise RuntimeError("no compiler")

    monkeypatch.setattr("numba.njit", fail)
    with pytest.raises(RuntimeError, match="no compiler"):
        njit(cache=True)(len)
