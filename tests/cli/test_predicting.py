"""Labels with how sure they are, as a user gets them from the command."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import ldslearn
from ldslearn import LDSEncoder, LDSKMeans
from ldslearn.cli.running import run
from ldslearn.datasets import load_folder


def command(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "ldslearn", *map(str, arguments)], capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Clips, an automatic model, and a store that it can label."""
    folder = tmp_path_factory.mktemp("predicting")
    clips, model = str(folder / "clips"), str(folder / "auto.lds")
    assert run(["make-clips", clips, "--per-class", "3", "--size", "12"]) == 0
    assert run(["train", clips, "--budget", "2", "-o", model]) == 0
    return folder


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_predictions_of_files_say_how_sure_they_are(home, tmp_path):
    clips, model, table = home / "clips", home / "auto.lds", tmp_path / "labels.csv"
    code, printed, said = command("predict", model, clips, "--csv", table, "--json")
    assert (code, said) == (0, "")
    record = json.loads(printed)
    assert record["certainty"]["kind"] == "probability"
    assert record["certainty"]["calibrated"]
    estimator = ldslearn.load(model)
    data = load_folder(clips, size=(12, 12))
    expected = estimator.predict_proba(data.X)
    classes = estimator.classes_.tolist()
    for one, row, probabilities in zip(
        record["predictions"], rows_of(table), expected, strict=True
    ):
        found = list(one["by_class"].values())
        np.testing.assert_allclose(found, probabilities, rtol=1e-12)  # JSON keeps every digit
        np.testing.assert_allclose([float(row[name]) for name in classes], probabilities, 1e-12)
        assert one["probability"] == float(row["probability"]) == max(found)
        assert one["label"] == row["label"] == classes[probabilities.argmax()]
        assert one["by_class"][one["runner_up"]] == sorted(found)[-2]
        assert one["runner_up"] != one["label"]
        assert (row["item"], row["true"]) == (one["name"], one["true"])
    assert record["n_below_half"] == (expected.max(axis=1) < 0.5).sum()
    code, printed, _ = command("predict", model, clips / "flag/0.avi", clips / "waves/0.avi")
    assert "probability" in printed
    assert "runner-up" in printed
    assert "probability below 50 %: " in printed
    assert "of 2; least confident: " in printed
    assert "calibrated on held-out training data" in " ".join(printed.split())


def test_collections_are_labelled_with_the_same_probabilities(home, tmp_path, capsys):
    model, clips = home / "auto.lds", str(home / "clips")
    assert run(["convert", clips, "-o", str(tmp_path / "clips.npz")]) == 0
    assert run(["predict", str(model), clips, "--csv", str(tmp_path / "clips.csv")]) == 0
    npz = [str(tmp_path / "clips.npz"), "--csv", str(tmp_path / "npz.csv")]
    assert run(["predict", str(model), *npz]) == 0
    assert (tmp_path / "npz.csv").read_text() == (tmp_path / "clips.csv").read_text()
    capsys.readouterr()
    like = ["encode", clips, "--like", str(model), "-o", str(tmp_path / "store")]
    assert run(like) == 1
    refusal = "the model must have one encoding to label systems; got an ensemble"
    assert refusal in " ".join(capsys.readouterr().err.split())


def test_an_input_is_not_overwritten(home, capsys):
    model, clip = home / "auto.lds", home / "clips/flag/0.avi"
    before = model.read_bytes(), clip.read_bytes()
    for target in (model, clip):
        assert run(["predict", str(model), str(home / "clips"), "--csv", str(target)]) == 1
        assert "must be another file than those that are read" in capsys.readouterr().err
    assert run(["predict", str(model), str(clip), "--csv", str(clip)]) == 1
    assert (model.read_bytes(), clip.read_bytes()) == before
    assert run(["predict", str(model), str(clip), "--csv", "no/such/table.csv"]) == 1
    assert "must exist to write" in capsys.readouterr().err


def test_inspect_shows_where_a_model_comes_from(home, tmp_path, capsys):
    code, printed, _ = command("inspect", home / "auto.lds")
    assert code == 0
    wanted = "AutoLDSClassifier", "calibrated", "saved", "versions", "scikit-learn", "training"
    for text in wanted:
        assert text in printed
    systems = LDSEncoder(3).fit_transform(load_folder(home / "clips").X)
    path = tmp_path / "m.lds"
    ldslearn.save(
        LDSKMeans(2, random_state=0).fit(systems), path, about={"data": {"where": "here"}}
    )
    assert run(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "LDSKMeans" in printed
    assert "here" in printed
    assert run(["inspect", str(path), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["saved"]["class"] == "LDSKMeans"
    assert record["saved"]["versions"]["ldslearn"] == ldslearn.__version__
    ldslearn.save(systems, path)
    assert run(["inspect", str(path)]) == 0
    assert "LDS(18 systems" in capsys.readouterr().out
    assert run(["predict", str(path), str(home / "clips")]) == 1
    assert "must hold a classifier of sequences; got LDS" in capsys.readouterr().err


def test_a_file_of_version_1_still_predicts(capsys):
    path = Path(__file__).parents[1] / "persist" / "model-version-1.lds"
    assert run(["inspect", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "lds-sc-grass"
