import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from ldslearn import LDSEncoder, LDSKMeans, SparseCodingClassifier
from ldslearn.datasets import Collection, load_basic_motions
from ldslearn.datasets.items import Reading
from ldslearn.evaluate import METHODS, Model, Settings, train
from ldslearn.evaluate.model import _digest
from ldslearn.evaluate.packing import pack, unpack
from ldslearn.evaluate.synthesis import from_model, from_sequence, systems_of

X_TRAIN, Y_TRAIN, X_TEST, _ = load_basic_motions()
DATA = Collection(list(X_TRAIN), Y_TRAIN)


def trained(method="lds-sc-grass", data=DATA):
    if method == "auto":
        return train(data, method, settings=Settings(budget=2))
    return train(
        data, method, n_states=4, sparsity=0.1, delays=2, settings=Settings(atoms=3, order=3)
    )


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
@pytest.mark.parametrize("method", METHODS)
def test_a_loaded_model_predicts_the_same(method, tmp_path):
    model = trained(method)
    model.save(tmp_path / "m.lds")
    loaded = Model.load(tmp_path / "m.lds")
    np.testing.assert_array_equal(loaded.predict(X_TEST), model.predict(X_TEST))
    assert loaded.about == model.about
    assert loaded.classes == model.classes == ["Badminton", "Running", "Standing", "Walking"]
    for name in ("decision_function", "predict_proba"):
        if hasattr(model.pipeline, name):
            one, two = (getattr(m.pipeline, name)(X_TEST) for m in (model, loaded))
            np.testing.assert_array_equal(one, two)


def test_mixtures_and_clusters_survive():
    systems = LDSEncoder(3).fit_transform(X_TRAIN)
    kernel = {"projection": 0.5, "mean": 0.5}
    for estimator in (SparseCodingClassifier(kernel, n_nonzero=3), LDSKMeans(3, random_state=0)):
        estimator.fit(systems, Y_TRAIN)
        arrays = {}
        node = json.loads(json.dumps(pack(estimator, arrays)))
        again = unpack(node, arrays)
        np.testing.assert_array_equal(again.predict(systems), estimator.predict(systems))
        assert repr(again) == repr(estimator)


@pytest.mark.parametrize(
    "value", [None, True, 3, -0.5, float("inf"), "text", [1, (2, "x")], {"a": {1: None}}, ()]
)
def test_plain_values_survive(value):
    assert unpack(json.loads(json.dumps(pack(value, {}))), {}) == value


def test_what_cannot_be_saved_is_refused(tmp_path):
    model = trained()
    foreign = Model(make_pipeline(LDSEncoder(3), LogisticRegression()), Reading(), None, {})
    with pytest.raises(TypeError, match="made of the library's own parts; got LogisticRegression"):
        foreign.save(tmp_path / "m.lds")
    with pytest.raises(TypeError, match="Use kernels by name"):
        pack(SparseCodingClassifier(lambda X, Y: None), {})
    assert not list(tmp_path.iterdir())
    model.save(tmp_path / "m.lds")


@pytest.mark.parametrize(
    "node",
    [
        {"class": "Popen", "state": {}},
        {"class": "LDSEncoder"},
        {"number": "1e9999"},
        {"array": "missing"},
        {"systems": {"A": None, "path": None}},
        {"dict": [[1]]},
        [1],
        {},
        {"list": "no"},
        {"class": "LDSEncoder", "state": {"n_states": {"class": "eval", "state": {}}}},
    ],
)
def test_what_pack_would_not_write_is_refused(node):
    with pytest.raises(ValueError, match="unexpected"):
        unpack(node, {})


def test_deep_nesting_is_refused():
    node = 1
    for _ in range(1000):
        node = {"list": [node]}
    with pytest.raises(ValueError, match="nested too deeply"):
        unpack(node, {})


def test_a_changed_file_is_noticed(tmp_path):
    path = tmp_path / "m.lds"
    trained().save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    name = next(key for key in arrays if arrays[key].dtype == float and arrays[key].size)
    arrays[name] = arrays[name] + 1e-6
    np.savez(path, **arrays)
    (tmp_path / "m.lds.npz").replace(path)
    with pytest.raises(ValueError, match="checksum"):
        Model.load(path)


def test_other_files_are_no_models(tmp_path):
    LDSEncoder(3).fit_transform(X_TRAIN).save(tmp_path / "systems.lds")
    with pytest.raises(ValueError, match="ldslearn model"):
        Model.load(tmp_path / "systems.lds")
    with pytest.raises(FileNotFoundError):
        Model.load(tmp_path / "nothing.lds")


def test_frames_of_new_files_become_like_those_of_training(tmp_path):
    random = np.random.default_rng(0)
    data = Collection(
        [random.random((6 * 5 * 3, 20)) for _ in range(4)], list("aabb"), frame_shape=(6, 5, 3)
    )
    model = train(data, "lds-sc-grass", n_states=3, sparsity=0.1)
    assert model.reading.frames.size == (6, 5)
    assert model.reading.frames.colour
    np.save(tmp_path / "new.npy", random.random((15, 12, 10, 3)))
    (clip,) = model.reading.read(tmp_path / "new.npy")
    assert clip.shape == (15, 6, 5, 3)


def test_labels_are_needed():
    with pytest.raises(ValueError, match="must have labels"):
        train(Collection(list(X_TRAIN)))


def test_synthesis():
    model = trained()
    assert len(systems_of(model)) == 40
    sequence, shape = from_model(model, 3, 50, 0)
    assert sequence.shape == (6, 50)
    assert shape is None
    with pytest.raises(ValueError, match="less than the number of systems, 40; got 40"):
        from_model(model, 40, 50, 0)
    atoms, _ = from_model(trained("lds-dl"), 0, 50, 0)
    assert np.ptp(atoms) > 100
    new, _ = from_sequence(DATA[:1], 5, 100, 0)
    old = DATA.X[0]
    np.testing.assert_allclose(new.mean(axis=1), old.mean(axis=1), atol=2 * old.std())
    assert 0.3 < new.std() / old.std() < 3


def rewritten(path, change):
    """Change a saved model and make its checksum right, as a hostile writer would."""
    with np.load(path) as stored:
        arrays = dict(stored)
    header = json.loads(str(arrays.pop("header")))
    change(header, arrays)
    body = {name: header.get(name) for name in ("pipeline", "reading", "frame_shape", "about")}
    header["digest"] = _digest(body, arrays)
    with path.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), **arrays)


def state_of(node, name):
    """The state of the first object of a class within a packed value."""
    if isinstance(node, dict):
        if node.get("class") == name:
            return node["state"]
        node = list(node.values())
    if isinstance(node, list):
        for member in node:
            found = state_of(member, name)
            if found is not None:
                return found
    return None


def support_elsewhere(header, arrays):
    name = state_of(header["pipeline"], "SVC")["support_"]["array"]
    arrays[name] = arrays[name] + np.int32(10**8)


def no_support(header, arrays):
    name = state_of(header["pipeline"], "SVC")["_n_support"]["array"]
    arrays[name] = 0 * arrays[name]


def endless_order(header, arrays):
    kernel = state_of(header["pipeline"], "FittedKernel")
    kernel["parts"]["list"][0]["tuple"][2]["dict"] = [["order", 2 * 10**9]]


def no_steps(header, arrays):
    state_of(header["pipeline"], "Pipeline")["steps"] = {"list": []}


@pytest.mark.filterwarnings("ignore:the kernel matrix is indefinite")
@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("lds-svm", support_elsewhere, "support vectors"),
        ("lds-svm", no_support, "support vectors"),
        ("glds-sc", endless_order, "order = 2000000000"),
        ("lds-sc-grass", no_steps, "not an encoder and a classifier"),
        ("lds-sc-grass", lambda h, a: h.update(about={}), "does not tell its method"),
        ("lds-sc-grass", lambda h, a: h.update(frame_shape=[10, 10]), "number of channels"),
        ("lds-sc-grass", lambda h, a: h["reading"].update(size=[10**6, 10**6]), "size"),
        ("lds-sc-grass", lambda h, a: h.update(reading=None), "valid contents"),
        (
            "lds-sc-grass",
            lambda h, a: state_of(h["pipeline"], "SparseCodingClassifier").pop("classes_"),
            "not fitted",
        ),
    ],
)
def test_hostile_models_are_refused(tmp_path, method, change, message):
    path = tmp_path / "m.lds"
    trained(method).save(path)
    rewritten(path, change)
    with pytest.raises(ValueError, match=message):
        Model.load(path)


def test_compressed_models_are_refused(tmp_path):
    path = tmp_path / "m.lds"
    trained().save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
    with pytest.raises(ValueError, match="complete ldslearn model file"):
        Model.load(path)


def test_a_parameter_that_came_later_has_its_default(tmp_path):
    path = tmp_path / "m.lds"
    model = trained()
    model.save(path)
    rewritten(path, lambda h, a: state_of(h["pipeline"], "LDSEncoder").pop("windows"))
    np.testing.assert_array_equal(Model.load(path).predict(X_TEST), model.predict(X_TEST))


def test_other_versions_of_scikit_learn_are_named(tmp_path):
    path = tmp_path / "m.lds"
    with pytest.warns(UserWarning, match="indefinite"):
        trained("lds-svm").save(path)
    rewritten(path, lambda h, a: h["about"]["versions"].update({"scikit-learn": "0.1.2"}))
    with pytest.warns(UserWarning, match=r"made with scikit-learn 0.1.2, and this is"):
        Model.load(path)


def test_models_of_version_1_can_be_read():
    model = Model.load(Path(__file__).parent / "model-version-1.lds")
    assert model.about["method"] == "lds-sc-grass"
    assert (model.predict(X_TEST[::5]) == load_basic_motions()[3][::5]).mean() > 0.8


def test_foreign_classes_of_known_names_are_refused():
    class LDSEncoder:
        pass

    with pytest.raises(TypeError, match="the library's own parts"):
        pack(LDSEncoder(), {})


def test_foreign_preprocessing_is_noticed_before_the_work():
    data = Collection(list(X_TRAIN), Y_TRAIN, preprocessing={"polished": True})
    with pytest.raises(ValueError, match="hold options of load_folder; got {'polished': True}"):
        train(data)
