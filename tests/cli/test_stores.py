import json

import numpy as np
import pytest

from ldslearn import LDSDictionary, load
from ldslearn.cli.running import run
from ldslearn.scale import LDSStore

LEARN = ("--atoms", "2", "--iterations", "1", "--init", "random")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Clips, their store, a model and a dictionary."""
    folder = tmp_path_factory.mktemp("stores")
    clips, store = str(folder / "clips"), str(folder / "store")
    assert run(["make-clips", clips, "--per-class", "3", "--size", "12"]) == 0
    assert run(["encode", clips, "-n", "5", "--shard-size", "4", "-o", store]) == 0
    trained = ["--method", "lds-sc-grass", "-n", "5", "--sparsity", "0.1"]
    assert run(["train", clips, *trained, "-o", str(folder / "model.lds")]) == 0
    assert run(["learn", store, *LEARN, "-o", str(folder / "dictionary.npz")]) == 0
    return folder


def answer(capsys, *arguments):
    capsys.readouterr()
    assert run([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def failure(capsys, *arguments):
    capsys.readouterr()
    assert run([str(argument) for argument in arguments]) == 1
    return capsys.readouterr().err


def test_learn_writes_the_dictionary_of_the_library(home):
    store, learned = LDSStore.open(home / "store"), load(home / "dictionary.npz")
    model = LDSDictionary(2, max_iter=1, init="random", random_state=0).fit(store[:])
    np.testing.assert_allclose(learned.objective_, model.objective_, rtol=1e-9)
    np.testing.assert_allclose(learned.transform(store), model.transform(store[:]), atol=1e-6)


def test_code_writes_codes(home, capsys):
    record = answer(
        capsys, "code", home / "dictionary.npz", home / "store", "-o", home / "codes.npy"
    )
    assert record["shape"] == [18, 4]
    expected = load(home / "dictionary.npz").transform(LDSStore.open(home / "store"))
    np.testing.assert_array_equal(np.load(home / "codes.npy"), expected)
    assert run(["code", str(home / "dictionary.npz"), str(home / "store"), "-o", "a.txt"]) == 1
    assert "must have the suffix .npy; got .txt" in capsys.readouterr().err


def test_predictions_of_a_store_are_those_of_its_files(home, capsys):
    stored = answer(capsys, "predict", home / "model.lds", home / "store")
    read = answer(capsys, "predict", home / "model.lds", home / "clips")
    assert stored["accuracy"] == read["accuracy"]
    for one, other in zip(stored["predictions"], read["predictions"], strict=True):
        assert one == {**other, "share": pytest.approx(other["share"])}
    assert run(["predict", str(home / "model.lds"), str(home / "store")]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("share", "true", "accuracy"))


def test_a_store_of_another_encoder_is_refused(home, capsys):
    other = home / "other"
    options = ["-n", "5", "--stabilizer", "clip"]
    assert run(["encode", str(home / "clips"), *options, "-o", str(other)]) == 0
    message = failure(capsys, "predict", home / "model.lds", other)
    assert "stabilizer of the store must be 'soft', as the model was trained with; got 'clip'" in (
        message
    )


def test_a_store_of_files_read_otherwise_is_refused(home, capsys):
    other = home / "every-other"
    assert run(["encode", str(home / "clips"), "-n", "5", "--stride", "2", "-o", str(other)]) == 0
    message = failure(capsys, "predict", home / "model.lds", other)
    assert "stride of the store must be 1, as the model was trained with; got 2" in message


def test_clusters_are_for_stores(home, capsys):
    clip = next((home / "clips").rglob("*.avi"))
    message = failure(capsys, "predict", home / "model.lds", clip, "--cluster", "tcp://x:1")
    assert "--cluster must be given with a store; got files" in message


def test_a_scheduler_that_is_not_there_is_told(home, capsys, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("ldslearn.scale.dask_connection._TIMEOUT", 0.5)
    where = ("-o", home / "d.npz", "--cluster", "tcp://127.0.0.1:1")
    assert "cluster must be the address of a running Dask scheduler" in failure(
        capsys, "learn", home / "store", *where
    )


def test_other_files_are_no_dictionaries(home, capsys):
    message = failure(capsys, "code", home / "model.lds", home / "store", "-o", home / "c.npy")
    assert "must hold a dictionary; got Pipeline. Make one with `ldslearn learn`" in message


def test_a_store_like_a_model_is_labelled_like_its_files(home, capsys):
    model, store = home / "clip.lds", home / "like"
    options = ["--method", "lds-sc-grass", "-n", "3", "--sparsity", "0.1", "--stride", "2"]
    clips = home / "clips"
    assert run(["train", str(clips), *options, "--stabilizer", "clip", "-o", str(model)]) == 0
    assert run(["encode", str(clips), "--like", str(model), "-o", str(store)]) == 0
    stored, read = (answer(capsys, "predict", model, where) for where in (store, clips))
    assert [one["label"] for one in stored["predictions"]] == [
        one["label"] for one in read["predictions"]
    ]


def test_learning_goes_on_from_a_file(home, capsys):
    first, more = home / "first.npz", home / "more.npz"
    options = ["--parts", "symmetric", "--sparsity", "0.3", "-o", str(first)]
    assert run(["learn", str(home / "store"), *LEARN, *options]) == 0
    options = ["--iterations", "1", "--init", str(first), "-o", str(more)]
    assert run(["learn", str(home / "store"), *options]) == 0
    before, after = load(first), load(more)
    assert after.objective_[0] <= before.objective_[-1] * (1 + 1e-9)
    for name in ("n_atoms", "parts", "sparsity"):
        assert getattr(after, name) == getattr(before, name)


def test_an_interrupt_leaves_the_atoms_and_says_so(home, capsys, monkeypatch):
    def interrupted(self, X, y=None):
        fit(self.set_params(max_iter=0), X)
        raise KeyboardInterrupt

    fit = LDSDictionary.fit
    monkeypatch.setattr(LDSDictionary, "fit", interrupted)
    path = home / "kept.npz"
    assert run(["learn", str(home / "store"), *LEARN, "-o", str(path)]) == 130
    path = home / "kept.partial.npz"
    assert f"wrote the atoms so far; resume with --init {path}" in capsys.readouterr().err
    assert len(load(path).atoms_) == 2


def test_a_dictionary_is_inspected(home, capsys):
    record = answer(capsys, "inspect", home / "dictionary.npz")
    assert (record["n_atoms"], record["sparsity"]) == (2, 0.1)
    assert run(["inspect", str(home / "dictionary.npz")]) == 0
    printed = capsys.readouterr().out
    assert "Atoms(2 of each: symmetric, skew" in printed
    assert record["data"]["fingerprint"][:16] in printed
    assert record["data"]["n_sequences"] == 18


def test_a_store_that_was_interrupted_says_so(home, capsys, tmp_path):
    (tmp_path / "systems-0123456789abcdef.npz").write_bytes(b"")
    assert "which resumes an interrupted run" in failure(capsys, "inspect", tmp_path)


def test_a_store_is_inspected_and_is_no_folder_of_files(home, capsys):
    assert answer(capsys, "inspect", home / "store")["n_sequences"] == 18
    message = failure(capsys, "train", home / "store", "-o", home / "m.lds")
    assert "must hold sequences; got a store of their systems" in message
