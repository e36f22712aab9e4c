"""Data whose offset leaves few digits to what varies are warned of, by every command."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

from ldslearn import AutoLDSClassifier, LDSEncoder


def make_sequences(offset, dtype):
    random = np.random.default_rng(0)
    X = random.normal(size=(8, 2, 30)).cumsum(axis=2)
    X[4:] = X[4:, :, ::-1] * 3
    return (X + offset).astype(dtype), np.arange(8) // 4


def run_command(*arguments):
    command = [sys.executable, "-m", "ldslearn", *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stderr


@pytest.mark.parametrize("command", ["train", "evaluate", "convert", "inspect"])
def test_every_command_warns_of_offsets(tmp_path, command):
    """As a process of its own, with the default method."""
    outputs = {"train": ["-o", tmp_path / "o.lds"], "convert": ["-o", tmp_path / "o.npz"]}
    options = [*outputs.get(command, [])]
    if command in ("train", "evaluate"):
        options += ["--budget", "1"]
    X, y = make_sequences(1e14, np.float64)
    np.savez(tmp_path / "data.npz", X=X, y=y)
    printed = run_command(command, tmp_path / "data.npz", *options)
    assert "vary by so little of their offset" in printed


@pytest.mark.parametrize(
    ("offset", "dtype", "warns"),
    [(1e14, np.float64, True), (1e7, np.float32, True), (1e3, np.float32, False)],
)
@pytest.mark.filterwarnings("ignore:.*rank below")
def test_the_precision_of_the_data_counts(offset, dtype, warns, recwarn):
    X, y = make_sequences(offset, dtype)
    for fit in (AutoLDSClassifier(1, random_state=0).fit, LDSEncoder(2).fit_transform):
        recwarn.clear()
        warnings.simplefilter("always")
        fit(X, y)
        texts = [str(warning.message) for warning in recwarn]
        expected = "sequence 0, sequence 1, sequence 2 and 5 more vary by so little of their offset"
        assert any(text.startswith(expected) for text in texts) == warns


def test_whole_numbers_and_constants_have_all_their_digits():
    X, y = make_sequences(0, np.float64)
    whole = np.rint(100 * X).astype(np.int64) + 10**9
    AutoLDSClassifier(1, random_state=0).fit(whole, y)
