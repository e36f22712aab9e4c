"""Recordings with time stamps on the command line, as their owners give them."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from ldslearn import LDSEncoder, NearestLDSClassifier, save
from ldslearn.cli.running import run
from ldslearn.datasets import load_folder
from ldslearn.evaluate import train

QUICK = ["--folds", "2", "--budget", "0.5", "--json"]
STAMPS = {
    "seconds": ("time,ax,ay,az", lambda m: f"{m.timestamp():.3f}", "column 'time'"),
    "iso": ("when,ax,ay,az", lambda m: m.isoformat(), "column 'when'"),
    "bare": (None, lambda m: f"{m.timestamp():.3f}", "column 1"),
}


@pytest.fixture
def ldslearn(tmp_path, monkeypatch, capsys):
    """Run a command in the folder of the test, and return its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        code = run(list(map(str, arguments)))
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=printed.out, stderr=printed.err)

    return call


def record(folder, header, stamp, n_files=12, hours=24):
    """Noise of two classes, each on a day of its own."""
    random = np.random.default_rng(0)
    for day, label in enumerate(("walk", "run")):
        (folder / label).mkdir(parents=True)
        for number in range(n_files):
            start = datetime(2024, 5, 1, 9, number, tzinfo=UTC) + timedelta(hours=hours * day)
            rows = [
                ",".join([stamp(start + timedelta(seconds=k / 50)), *(f"{v:.4f}" for v in x)])
                for k, x in enumerate(random.standard_normal((60, 3)))
            ]
            text = "\n".join(([header] if header else []) + rows)
            (folder / label / f"{number}.csv").write_text(text)


def test_a_model_without_reading_settings_warns_of_rates(tmp_path, ldslearn):
    header, stamp, _ = STAMPS["seconds"]
    record(tmp_path / "logs", header, stamp, n_files=3)
    data = load_folder(tmp_path / "logs")
    model = make_pipeline(LDSEncoder(2), NearestLDSClassifier("projection")).fit(data.X, data.y)
    save(model, tmp_path / "own.lds")
    with pytest.warns(UserWarning, match="The files have 50 Hz, and are not resampled"):
        done = ldslearn("predict", "own.lds", "logs")
    assert done.returncode == 0
    train(data, "lds-martin", n_states=2).save(tmp_path / "trained.lds")
    assert ldslearn("predict", "trained.lds", "logs").returncode == 0  # warnings are errors


@pytest.mark.parametrize("kind", ["iso", "bare"])
def test_noise_with_times_is_not_told_apart(tmp_path, kind):
    header, stamp, column = STAMPS[kind]
    record(tmp_path / "logs", header, stamp)
    command = [sys.executable, "-m", "ldslearn", "evaluate", "logs", *QUICK]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    channels = "channels ax, ay, az" if header else "3 channels"
    assert done.stderr == f"time: {column} of 24 files, 50 Hz; {channels}\n"
    found = json.loads(done.stdout)
    assert found["data"]["n_channels"] == 3
    assert 0.2 < found["accuracy"] < 0.8


def test_times_as_a_channel_tell_the_days_apart(ldslearn, tmp_path):
    """The mistake that the test above would see."""
    header, stamp, _ = STAMPS["seconds"]
    record(tmp_path / "logs", header, stamp)
    done = ldslearn("evaluate", "logs", *QUICK, "--time", "none")
    assert json.loads(done.stdout)["accuracy"] == 1.0


def test_time_as_a_channel_only_if_asked_for(ldslearn, tmp_path):
    header, stamp, _ = STAMPS["seconds"]
    record(tmp_path / "logs", header, stamp, 3)
    done = ldslearn("inspect", "logs", "--time", "none", "--json")
    assert done.stderr == ""
    assert json.loads(done.stdout)["channel_names"] == ["time", "ax", "ay", "az"]
    done = ldslearn("inspect", "logs", "--columns", "az,ax", "--rate", "25")
    assert done.stderr == "time: column 'time' of 6 files, 25 Hz; channels az, ax\n"
    assert "2: az, ax" in done.stdout
    assert "30 time points" in done.stdout
    assert "25 Hz" in done.stdout
    done = ldslearn("inspect", "logs", "--columns", "ax,,ay")
    assert done.returncode == 2
    assert "--columns must be names" in done.stderr


def test_a_model_and_a_store_remember_time_columns_and_rate(ldslearn, tmp_path):
    header, stamp, _ = STAMPS["seconds"]
    record(tmp_path / "logs", header, stamp, 4)
    options = ["--columns", "ay,ax", "--rate", "25"]
    line = "time: column 'time' of 8 files, 25 Hz; channels ay, ax\n"
    model = ["-m", "lds-martin", "-n", "2", "-o", "model.lds"]
    done = ldslearn("train", "logs", *options, *model)
    assert (done.returncode, done.stderr) == (0, line)
    done = ldslearn("predict", "model.lds", "logs/run/0.csv", "--json")
    assert done.stderr == "time: column 'time' of 1 file, 25 Hz; channels ay, ax\n"
    assert json.loads(done.stdout)["predictions"][0]["label"] == "run"
    done = ldslearn("encode", "logs", "--like", "model.lds", "-o", "store")
    assert (done.returncode, done.stderr) == (0, line)
    done = ldslearn("predict", "model.lds", "store", "--json")
    assert json.loads(done.stdout)["accuracy"] == 1.0
    done = ldslearn("convert", "logs", "-o", "logs.npz")
    assert done.stderr == "time: column 'time' of 8 files, 50 Hz; channels ax, ay, az\n"
    done = ldslearn("inspect", "logs.npz", *options, "--json")
    found = json.loads(done.stdout)
    assert (found["channel_names"], found["rates"]) == (["ay", "ax"], [25, 25])


def test_compare_and_synthesize_read_tables_alike(ldslearn, tmp_path):
    header, stamp, _ = STAMPS["seconds"]
    record(tmp_path / "logs", header, stamp, 1)
    pair = ["logs/run/0.csv", "logs/walk/0.csv"]
    done = ldslearn("compare", *pair, "--columns", "ax,ay", "--rate", "25")
    assert done.stderr == "time: column 'time' of 2 files, 25 Hz; channels ax, ay\n"
    new = ["--columns", "ax,ay", "--states", "2", "--frames", "9", "-o", "new.npy"]
    done = ldslearn("synthesize", pair[0], *new)
    assert done.returncode == 0
    assert np.load(tmp_path / "new.npy").shape == (2, 9)
