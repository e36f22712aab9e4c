import json
import subprocess
import sys
from pathlib import Path

import pytest

from ldslearn import LDSDictionary
from ldslearn.scale import LDSStore

from support.frugal import DICTIONARY

PROGRAM = Path(__file__).parent / "support" / "frugal.py"


@pytest.mark.skipif(sys.platform != "linux", reason="limits and sizes of a process are Linux'")
def test_a_collection_larger_than_memory(tmp_path):
    """Five times as large as what the process may take, from files to predictions."""
    arguments = [str(tmp_path), "12", "300", str(2**20)]
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["n_bytes"] > 5 * result["allowed_mb"] * 2**20
    assert result["whole"] == "does not fit"
    assert result["n_sequences"] == 300
    assert result["codes"] == [300, 2]
    systems = LDSStore.open(tmp_path / "store")[:]  # here it does
    model = LDSDictionary(**DICTIONARY).fit(systems)
    assert result["objective"] == pytest.approx(model.half_steps_, rel=1e-9)
