"""A process that is killed before any operation on a file leaves what was there, or the new."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = os.environ.get("LDSLEARN_KILLS", "8")  # a scenario; 0 for every moment there is
SCENARIOS = ["encode", "encode-again", "kernel", "store", "add", "replace", "record"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_killed_process_leaves_nothing_half_done(tmp_path, scenario):
    ended = subprocess.run(
        [sys.executable, "-m", "support.kills", str(tmp_path / "work"), scenario, KILLS],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent,
    )
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["failures"] == []
    assert found["kills"] > 5
    if "LDSLEARN_KILLS" in os.environ:
        print(f"\n{scenario}: {found}", file=sys.__stderr__)
