"""A video that does not fit on its disk."""

import subprocess
import sys

import pytest

FULL = """
import resource, sys
import numpy as np
from ldslearn.video import write_video

resource.setrlimit(resource.RLIMIT_FSIZE, (2**10, 2**10))
try:
    write_video(sys.argv[1], np.random.default_rng(0).uniform(0, 255, (200, 64, 64)))
except OSError as error:
    print(error)
"""


@pytest.mark.parametrize("suffix", [".avi", ".gif", ".mkv", ".mp4"])
def test_a_video_that_does_not_fit_is_refused_with_the_name_of_its_file(tmp_path, suffix):
    """As a process of its own, which may not write so much."""
    pytest.importorskip("resource")
    command = [sys.executable, "-c", FULL, str(tmp_path / f"clip{suffix}")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"file {tmp_path / 'clip'}{suffix} must fit on its disk; got:")
    assert not any(tmp_path.iterdir())
