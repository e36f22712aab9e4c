"""Targets that cannot be replaced are refused before any work."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

STICKY = """
import os, sys
from ldslearn._writing import check_target

os.setuid(65534)
try:
    check_target(sys.argv[1])
except PermissionError as error:
    print(error)
"""


def test_files_of_others_in_a_sticky_folder_are_refused_before_the_work(tmp_path):
    """As a process of another user."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o1777)
        (folder / "file").write_text("kept")
        (folder / "file").chmod(0o666)
        for path, refused in {"file": True, "new": False}.items():
            command = [sys.executable, "-c", STICKY, str(folder / path)]
            ended = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (ended.returncode, ended.stderr) == (0, "")
            assert ("must be your own to be replaced" in ended.stdout) == refused
