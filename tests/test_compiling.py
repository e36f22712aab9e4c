"""Compiled functions: where nothing can be written, and how often they are compiled."""

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

ONE_TYPE = """
import gc
import warnings

import numpy as np
from numba.core.dispatcher import Dispatcher

from ldslearn import (
    FiniteDictionary, LDSDictionary, LDSEncoder, LDSKMeans, RandomSystems, SparseCodingClassifier
)
from ldslearn.datasets import make_lds_sequences
from ldslearn.geometry import covariance_kernel, martin_distance, projection_kernel, twofold_kernel
from ldslearn.video import lbp_top

warnings.simplefilter("ignore")
X, y = make_lds_sequences(2, 4, n_channels=4, n_timepoints=24, random_state=0)
for dtype, order in ((np.float64, "C"), (np.float32, "F"), (np.int64, "F")):
    given = [np.asarray(100 * x, dtype=dtype, order=order) for x in X]
    systems = LDSEncoder(3, delays=2).fit_transform(given)
    for kernel in (projection_kernel, martin_distance, twofold_kernel, covariance_kernel):
        kernel(systems), kernel(systems[::2], systems[1::2])
    SparseCodingClassifier().fit(systems, y).predict(systems[::-1])
    for model in (LDSDictionary, FiniteDictionary):
        model(3, max_iter=2, random_state=0).fit(systems).transform(systems[::2])
    LDSKMeans(2, random_state=0).fit(systems)
    RandomSystems(20, random_state=0).fit(given).transform(given)
    lbp_top(np.asarray(np.stack(given), order=order))
    if dtype != np.int64:
        for x in given:
            x[:, 3:6] = np.nan
        LDSEncoder(3, missing="smooth").fit_transform(given)
used = [one for one in gc.get_objects() if isinstance(one, Dispatcher) and one.signatures]
ours = [one for one in used if one.py_func.__module__.startswith("ldslearn")]
print(len(ours))
for one in ours:
    strided = [k for kinds in one.signatures for k in kinds if getattr(k, "layout", "C") != "C"]
    if len(one.signatures) > 1 or strided:
        print(one.py_func.__module__, one.py_func.__name__, one.signatures)
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


def test_functions_are_compiled_once_for_all_layouts_and_types_of_data():
    done = subprocess.run(
        [sys.executable, "-c", ONE_TYPE], capture_output=True, text=True, check=True
    )
    n_functions, *several = done.stdout.splitlines()
    assert int(n_functions) > 10
    assert several == []


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
