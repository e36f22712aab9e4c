"""Data of tests of commands, and commands that fail."""

import numpy as np
import pytest

from ldslearn.cli.running import run


@pytest.fixture
def failure(capsys):
    """Run a command that fails, and return its message."""

    def fail(*arguments):
        capsys.readouterr()
        assert run([str(argument) for argument in arguments]) == 1
        return capsys.readouterr().err

    return fail


@pytest.fixture
def npz(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.random.default_rng(0).normal(size=(6, 2, 20)), y=np.arange(6) % 2)
    return path


@pytest.fixture
def clips(tmp_path):
    folder = tmp_path / "clips"
    assert run(["make-clips", str(folder), "--per-class", "1", "--size", "8", "--frames", "9"]) == 0
    lines = [f"clips/{path.relative_to(folder)},{path.parent.name}" for path in folder.rglob("*.*")]
    (tmp_path / "manifest.csv").write_text("\n".join(["path,label", *lines, ""]))
    return folder


@pytest.fixture
def store(clips, tmp_path):
    folder = tmp_path / "store"
    assert run(["encode", str(clips), "-o", str(folder), "-n", "3"]) == 0
    assert run(["learn", str(folder), "--atoms", "2", "-o", str(tmp_path / "atoms.npz")]) == 0
    return folder
