"""What is loaded answers as what was saved, to the last bit, in another process."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.estimators import ESTIMATORS

TESTS = Path(__file__).parents[1]
COMMON = """
import sys
from pathlib import Path
import numpy as np
sys.path.insert(0, sys.argv[2])
import ldslearn
from ldslearn.scale import LDSStore
from support.estimators import ESTIMATORS, N_TRAIN, SEQUENCES, SYSTEMS, answer, fit
folder = Path(sys.argv[1])

def write_answers(estimator, name, who):
    takes_sequences = ESTIMATORS[name][1]
    X = (SEQUENCES if takes_sequences else SYSTEMS)[N_TRAIN:]
    inputs = {"": X} if takes_sequences else {"": X, "-store": LDSStore.open(folder / "store")}
    for suffix, given in inputs.items():
        for method, found in answer(estimator, given).items():
            np.save(folder / f"{name}-{method}{suffix}-{who}.npy", found)
"""
# One process fits, answers and saves; another one loads and answers.
HERE = f"""{COMMON}
LDSStore.write(folder / "store", [SYSTEMS[N_TRAIN:][:5], SYSTEMS[N_TRAIN:][5:]])
for name in ESTIMATORS:
    estimator, _ = fit(name)
    write_answers(estimator, name, "saved")
    ldslearn.save(estimator, folder / f"{{name}}.lds")
"""
ELSEWHERE = f"""{COMMON}
for name in ESTIMATORS:
    write_answers(ldslearn.load(folder / f"{{name}}.lds"), name, "loaded")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files and answers of all estimators, as saved and as loaded.

    The first run fills Numba's cache: code that was compiled a moment ago may round otherwise than
    the code that is read from the cache.
    """
    folders = [tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("saved")]
    runs = [(HERE, folders[0]), (HERE, folders[1]), (ELSEWHERE, folders[1])]
    for program, where in runs:
        run = [sys.executable, "-c", program, str(where), str(TESTS)]
        done = subprocess.run(run, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return folders[1]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_answers_in_another_process_are_the_same_to_the_last_bit(name, folder):
    paths = sorted(folder.glob(f"{name}-*-saved.npy"))
    assert paths
    for path in paths:
        expected = np.load(path)
        found = np.load(path.with_name(path.name.replace("-saved.npy", "-loaded.npy")))
        assert found.dtype == expected.dtype, path.name
        assert found.tobytes() == expected.tobytes(), path.name
