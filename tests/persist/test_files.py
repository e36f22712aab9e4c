"""What is loaded answers as what was saved, to the last bit, in another process."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ldslearn
from ldslearn.models import LDSStore

from support.estimators import ESTIMATORS, answer, fit

TESTS = Path(__file__).parents[1]
# All files of a folder are loaded by one process, which writes every answer.
ELSEWHERE = """
import sys
from pathlib import Path
import numpy as np
sys.path.insert(0, sys.argv[2])
import ldslearn
from ldslearn.models import LDSStore
from support.estimators import ESTIMATORS, N_TRAIN, SEQUENCES, SYSTEMS, answer
folder = Path(sys.argv[1])
for path in sorted(folder.glob("*.lds")):
    estimator = ldslearn.load(path)
    takes_sequences = ESTIMATORS[path.stem][1]
    X = (SEQUENCES if takes_sequences else SYSTEMS)[N_TRAIN:]
    inputs = {"": X} if takes_sequences else {"": X, "-store": LDSStore.open(folder / "store")}
    for suffix, given in inputs.items():
        for method, found in answer(estimator, given).items():
            np.save(folder / f"{path.stem}-{method}{suffix}.npy", found)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of all estimators, and the answers of a process that loads them."""
    folder = tmp_path_factory.mktemp("saved")
    asked = {name: fit(name) for name in ESTIMATORS}
    systems = asked["LDSKMeans"][1]
    LDSStore.write(folder / "store", [systems[:5], systems[5:]])
    for name, (estimator, _) in asked.items():
        ldslearn.save(estimator, folder / f"{name}.lds")
    run = [sys.executable, "-c", ELSEWHERE, str(folder), str(TESTS)]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder, asked


@pytest.mark.parametrize("name", ESTIMATORS)
def test_answers_in_another_process_are_the_same_to_the_last_bit(name, folder):
    where, asked = folder
    estimator, X = asked[name]
    inputs = {"": X}
    if not ESTIMATORS[name][1]:
        inputs["-store"] = LDSStore.open(where / "store")
    for suffix, given in inputs.items():
        mine = answer(estimator, given)
        assert mine
        for method, expected in mine.items():
            found = np.load(where / f"{name}-{method}{suffix}.npy")
            assert found.dtype == expected.dtype, method
            assert found.tobytes() == expected.tobytes(), method
