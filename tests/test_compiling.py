"""Compiled functions where nothing can be written."""

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


def test_a_read_only_installation_works_and_says_once_where_a_cache_could_be():
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY], capture_output=True, text=True, check=True
    )
    messages, result = done.stdout.splitlines()
    assert messages.count("compiled functions cannot be kept on disk") == 1
    assert "export NUMBA_CACHE_DIR=" in messages
    assert result == "[[3.0, 3.0], [3.0, 3.0]] None"


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
