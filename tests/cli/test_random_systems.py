"""The method random-systems on the command line."""

import json

import numpy as np
import pytest

from ldslearn.cli.running import run
from ldslearn.datasets import load_folder
from ldslearn.persist import Model

METHOD = ("--method", "random-systems")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sequences of two classes; one is constant, and one has a single time point."""
    folder = tmp_path_factory.mktemp("random") / "data"
    random = np.random.default_rng(0)
    for index in range(16):
        path = folder / ("still" if index % 2 else "moving") / f"{index}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = 0.05 if index % 2 else 1.0
        np.save(path, size * random.normal(size=(3, 20 + index)).cumsum(axis=1))
    np.save(folder / "still" / "1.npy", np.zeros((3, 25)))
    np.save(folder / "still" / "3.npy", np.zeros((3, 1)))
    return folder


def answer(capsys, *arguments):
    capsys.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_evaluate(folder, capsys, tmp_path):
    record = answer(capsys, "evaluate", folder, *METHOD, "--folds", 4)
    assert record["method"] == "random-systems"
    assert record["accuracy"] > 0.8
    assert record["data"]["n_sequences"] == 16  # none is too short or constant for it
    assert record["rounds"][0]["n_states"] is None
    page = tmp_path / "page.html"
    assert run(["evaluate", str(folder), *METHOD, "--folds", "2", "--report", str(page)]) == 0
    printed = capsys.readouterr().out
    assert "states" not in printed
    text = page.read_text()
    assert "inner product of the scaled features of random systems" in text
    assert "Eigenvalues" not in text


def test_train_predict_and_inspect(folder, capsys, tmp_path):
    path = tmp_path / "model.lds"
    assert run(["train", str(folder), *METHOD, "-o", str(path)]) == 0
    found = answer(capsys, "predict", path, folder)
    data = load_folder(folder)
    expected = Model.load(path).estimator.predict(data.X)
    assert [one["label"] for one in found["predictions"]] == expected.tolist()
    capsys.readouterr()
    assert run(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "random-systems" in printed
    assert "calibrated" in printed


def test_options_of_other_methods_are_refused(folder, capsys):
    assert run(["evaluate", str(folder), *METHOD, "--states", "3"]) == 2
    printed = " ".join(capsys.readouterr().err.split())
    assert "--states must not be given to the method random-systems" in printed


def test_a_store_cannot_be_labelled(folder, capsys, tmp_path):
    path = tmp_path / "model.lds"
    assert run(["train", str(folder), *METHOD, "-o", str(path)]) == 0
    code = run(["encode", str(folder), "-o", str(tmp_path / "store"), "--like", str(path)])
    printed = " ".join(capsys.readouterr().err.split())
    assert code == 1
    assert "the model must encode sequences as systems to label a store" in printed
