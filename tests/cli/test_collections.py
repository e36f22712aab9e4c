"""Commands on a collection in one file, or one array, heed the same options as on folders."""

import json

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from ldslearn import LDSSVC, LDSEncoder, save
from ldslearn.cli.running import run

SVM = ["-m", "lds-svm", "--states", "2", "--delays", "2"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Two classes of oscillations at 100 Hz, in one file and in tables."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    time = np.arange(120) / 100
    phases = random.uniform(0, 6, size=(12, 3, 1))
    speeds = np.where(np.arange(12) % 2, 7, 3)[:, None, None]
    X = np.sin(2 * np.pi * speeds * time + phases) + 0.05 * random.standard_normal((12, 3, 120))
    y = np.array(["slow", "fast"] * 6)
    names = np.array(["ax", "ay", "az"])
    np.savez("all.npz", X=X, y=y, channel_names=names, rates=np.array(100.0))
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        (tmp_path / "tables" / label).mkdir(parents=True, exist_ok=True)
        np.savetxt(
            tmp_path / "tables" / label / f"{i}.csv", np.column_stack([time, x.T]), fmt="%.6f",
            delimiter=",", header="time,ax,ay,az", comments="",
        )  # fmt: skip
    return tmp_path


def predictions(capsys, *arguments):
    capsys.readouterr()
    assert run(["predict", *arguments, "--json"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)["predictions"]
    return [one["by_class"]["fast"] for one in found], printed.err


@pytest.mark.filterwarnings("ignore")
def test_new_collections_get_the_channels_and_rate_of_training(home, capsys):
    wanted = ["--columns", "az,ax", "--rate", "50"]
    assert run(["train", "all.npz", *wanted, *SVM, "-o", "m.lds"]) == 0
    assert run(["convert", "all.npz", *wanted, "-o", "done.npz"]) == 0
    raw, told = predictions(capsys, "m.lds", "all.npz")
    done, _ = predictions(capsys, "m.lds", "done.npz")
    assert raw == done
    assert "rate" not in told
    assert run(["convert", "all.npz", "--columns", "3,1", "--rate", "50", "-o", "same.npz"]) == 0
    assert predictions(capsys, "m.lds", "same.npz")[0] == raw
    with np.load("all.npz") as arrays:
        np.savez("unknown.npz", X=arrays["X"], channel_names=arrays["channel_names"])
        np.savez("three.npz", X=arrays["X"], rates=np.array(100.0))
        np.savez("two.npz", X=arrays["X"][:, [2, 0]], rates=np.array(100.0))
    assert predictions(capsys, "m.lds", "two.npz")[0] == raw
    assert run(["predict", "m.lds", "three.npz"]) == 1
    assert "sequence 0 must have 2 channels like the training data" in capsys.readouterr().err
    assert run(["predict", "m.lds", "unknown.npz"]) == 1
    assert "sequence 0 must have a known rate for rate=50" in capsys.readouterr().err


def test_channels_of_a_collection_are_named_once(home, capsys):
    assert run(["inspect", "all.npz", "--columns", "ax,1"]) == 1
    assert "columns must name each channel once" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_items_of_one_file_are_skipped_as_the_message_says(home, capsys):
    with np.load("all.npz") as arrays:
        X = list(arrays["X"])
    X[3] = X[3][:, :3]
    lengths = np.array([x.shape[1] for x in X])
    np.savez("short.npz", values=np.hstack(X), lengths=lengths, labels=["slow", "fast"] * 6)
    assert run(["train", "short.npz", *SVM, "-o", "m.lds"]) == 1
    assert "--skip-errors skips such items" in capsys.readouterr().err
    assert run(["train", "short.npz", *SVM, "-o", "m.lds", "--skip-errors", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["n_sequences"] == 11
    assert [name for name, _ in data["skipped"]] == ["sequence 3"]


@pytest.mark.filterwarnings("ignore")
def test_labels_are_refused_where_there_is_no_folder(home, capsys):
    assert run(["train", "all.npz", *SVM, "-o", "m.lds"]) == 0
    assert run(["predict", "m.lds", "all.npz", "--labels", "labels.csv"]) == 1
    text = "--labels must be given for a folder; got a collection in .npz. Leave it out."
    assert text in capsys.readouterr().err
    assert run(["predict", "m.lds", "tables/slow/0.csv", "--levels", "class/item"]) == 1
    assert "--levels must be given for a folder" in capsys.readouterr().err


def test_one_array_is_inspected_with_the_options_of_folders(home, capsys):
    np.save("frames.npy", np.random.default_rng(0).random((40, 20, 30)))
    asked = ["--size", "10x10", "--stride", "2", "--length", "8", "--crop", "0,0,15,15"]
    assert run(["inspect", "frames.npy", *asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["frame_shape"], found["longest"]) == ([10, 10], 8)
    np.save("one.npy", np.random.default_rng(0).random((3, 40)))
    assert run(["inspect", "one.npy", "--length", "10", "--chunk", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_sequences"] == 4
    assert run(["inspect", "one.npy", "--labels", "labels.csv"]) == 1


@pytest.mark.filterwarnings("ignore")
def test_synthesis_takes_the_columns_of_a_collection(home, capsys):
    given = ["--states", "2", "--frames", "20", "-o", "new.npy"]
    assert run(["synthesize", "all.npz", "--columns", "ay", *given]) == 0
    assert np.load("new.npy").shape == (1, 20)
    assert run(["synthesize", "all.npz", "--transpose", *given]) == 1
    assert "--transpose must not be given; got a collection in .npz" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_a_store_like_a_model_that_never_saw_files(home, capsys):
    with np.load("all.npz") as arrays:
        X, y = arrays["X"], arrays["y"]
    save(make_pipeline(LDSEncoder(2), LDSSVC()).fit(list(X), y), "m.lds")
    assert run(["encode", "tables", "--like", "m.lds", "-o", "store"]) == 0
    stored, _ = predictions(capsys, "m.lds", "store")
    read, _ = predictions(capsys, "m.lds", "tables")
    assert stored == pytest.approx(read, rel=1e-6)
    assert run(["predict", "m.lds", "store", "--labels", "labels.csv"]) == 1
    assert "--labels must be given for a folder; got the store" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore:class")
def test_a_model_of_one_item_per_class_is_inspected(home, capsys):
    with np.load("all.npz") as arrays:
        np.savez("two.npz", X=arrays["X"][:2], y=arrays["y"][:2])
    assert run(["train", "two.npz", "--budget", "0.5", "-o", "m.lds"]) == 0
    assert run(["inspect", "m.lds"]) == 0
    assert capsys.readouterr().out.count("unknown: one item per class") == 2
