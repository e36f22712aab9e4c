import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import ldslearn
from ldslearn import (
    LDSSVC,
    AutoLDSClassifier,
    DictionaryClassifier,
    LDSDictionary,
    LDSEncoder,
    LDSKMeans,
    NearestLDSClassifier,
    RandomSystems,
    RandomSystemsClassifier,
    SparseCoder,
    SparseCodingClassifier,
)
from ldslearn.datasets import Collection, load_basic_motions
from ldslearn.datasets.reading_settings import ReadingSettings
from ldslearn.evaluate import METHODS, Settings, train
from ldslearn.models import LDSImputer
from ldslearn.models.synthesis import synthesize_from_sequence, synthesize_from_systems
from ldslearn.persist import Model

from support.forgery import open_file, write_file

X_TRAIN, Y_TRAIN, X_TEST, _ = load_basic_motions()
DATA = Collection(list(X_TRAIN), Y_TRAIN)


def trained(method="lds-sc-grass", data=DATA):
    if method in ("auto", "random-systems"):
        return train(data, method, settings=Settings(time_budget=2))
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
    one, two = (m.predict_with_certainty(X_TEST) for m in (model, loaded))
    assert one.values.tobytes() == two.values.tobytes()
    np.testing.assert_array_equal(one.labels, model.predict(X_TEST))
    assert loaded.about == model.about
    assert loaded.classes == model.classes == ["Badminton", "Running", "Standing", "Walking"]
    estimator = ldslearn.load(tmp_path / "m.lds")
    np.testing.assert_array_equal(estimator.predict(X_TEST), model.predict(X_TEST))


def test_an_automatic_model_is_saved_whole(tmp_path):
    model = trained("auto")
    model.save(tmp_path / "m.lds")
    loaded = Model.load(tmp_path / "m.lds").estimator
    assert isinstance(loaded, AutoLDSClassifier)
    probabilities = model.estimator.predict_proba(X_TEST)
    assert loaded.predict_proba(X_TEST).tobytes() == probabilities.tobytes()
    found = Model.load(tmp_path / "m.lds").predict_with_certainty(list(X_TEST))
    assert found.values.tobytes() == probabilities.tobytes()
    assert found.calibrated
    assert str(loaded.report_) == str(model.estimator.report_)
    short = [x[:, :2] for x in X_TEST[:3]]
    with pytest.warns(UserWarning, match="their last samples were repeated"):
        expected = model.estimator.predict_proba(short)
    with pytest.warns(UserWarning, match="their last samples were repeated"):
        assert loaded.predict_proba(short).tobytes() == expected.tobytes()


def test_a_model_of_random_systems(tmp_path):
    model = trained("random-systems")
    found = model.predict_with_certainty(list(X_TEST))
    assert (found.kind, found.calibrated) == ("probability", True)
    np.testing.assert_array_equal(found.values, model.estimator.predict_proba(X_TEST))
    assert repr(model).startswith("Model(random-systems, n_channels=6, 4 classes: ")
    assert "n_systems=1000, n_thresholds=8" in model._repr_html_()
    with pytest.raises(ValueError, match="model must encode sequences as systems to label a store"):
        model.find_store_encoder()
    with pytest.raises(ValueError, match="the model must keep systems or atoms; got none"):
        model.systems  # noqa: B018
    few = Collection([x[:3] for x in X_TEST], names=[str(i) for i in range(40)])
    with pytest.raises(ValueError, match="0 must have 6 channels like the training data; got 3"):
        model.check_data(few)
    pipeline = make_pipeline(RandomSystems(20, random_state=0), StandardScaler(), LinearSVC())
    ldslearn.save(pipeline.fit(X_TRAIN, Y_TRAIN), tmp_path / "m.lds")
    loaded = Model.load(tmp_path / "m.lds")
    np.testing.assert_array_equal(loaded.predict(list(X_TEST)), pipeline.predict(X_TEST))
    ldslearn.save(make_pipeline(model.estimator), tmp_path / "m.lds")
    again = Model.load(tmp_path / "m.lds").predict_with_certainty(list(X_TEST))
    assert again.values.tobytes() == found.values.tobytes()
    assert again.calibrated


@pytest.mark.parametrize(
    ("estimator", "kind", "calibrated"),
    [
        (SparseCodingClassifier(), "share", False),
        (NearestLDSClassifier("projection", n_neighbors=3), "votes", False),
        (NearestLDSClassifier("projection"), "margin", False),  # one vote is always whole
        (LDSSVC(), "margin", False),
        (
            DictionaryClassifier(
                LDSDictionary(2, max_iter=0, random_state=0), LogisticRegression()
            ),
            "probability",
            False,
        ),
    ],
)
def test_certainty_is_named_for_what_it_is(estimator, kind, calibrated):
    model = Model(
        make_pipeline(LDSEncoder(3), estimator).fit(X_TRAIN, Y_TRAIN), ReadingSettings(), None, {}
    )
    found = model.predict_with_certainty(list(X_TEST))
    assert (found.kind, found.calibrated) == (kind, calibrated)
    assert found.values.shape == (40, 4)
    np.testing.assert_array_equal(found.labels, model.predict(X_TEST))
    largest = np.array(found.classes)[found.values.argmax(axis=1)]
    agree = largest == found.labels
    assert agree.mean() > 0.9  # votes may be equal
    assert all(a != b for a, b in zip(found.labels, found.runners_up, strict=True))
    top = np.sort(found.values, axis=1)
    expected = top[:, -1] - top[:, -2] if kind == "margin" else top[:, -1]
    np.testing.assert_array_equal(found.certainty, expected)


def test_certainty_of_two_classes_by_margin():
    rows = np.isin(Y_TRAIN, ["Running", "Walking"])
    pipeline = make_pipeline(LDSEncoder(3), LDSSVC()).fit(X_TRAIN[rows], Y_TRAIN[rows])
    found = Model(pipeline, ReadingSettings(), None, {}).predict_with_certainty(list(X_TEST))
    scores = pipeline.decision_function(X_TEST)
    np.testing.assert_array_equal(found.values[:, 1] - found.values[:, 0], scores)
    np.testing.assert_array_equal(found.certainty, np.abs(scores))


def test_an_estimator_that_was_saved_is_a_model(tmp_path):
    pipeline = make_pipeline(LDSEncoder(3), SparseCoder(), LinearSVC()).fit(X_TRAIN, Y_TRAIN)
    ldslearn.save(pipeline, tmp_path / "m.lds")
    model = Model.load(tmp_path / "m.lds")
    assert model.about == {}
    np.testing.assert_array_equal(
        model.predict_with_certainty(list(X_TEST)).labels, pipeline.predict(X_TEST)
    )
    for other in (pipeline[:1], pipeline[:2], LDSKMeans(2).fit(pipeline[0].transform(X_TRAIN))):
        ldslearn.save(other, tmp_path / "other.lds")
        with pytest.raises(ValueError, match=r"other.lds must hold a classifier of sequences; got"):
            Model.load(tmp_path / "other.lds")


@pytest.mark.parametrize(
    ("estimator", "gaps"),
    [
        (RandomSystemsClassifier(20, missing="smooth", random_state=0), True),
        (make_pipeline(LDSImputer(), RandomSystemsClassifier(20, random_state=0)), True),
        (make_pipeline(LDSEncoder(2, missing="smooth"), NearestLDSClassifier()), True),
        (make_pipeline(LDSEncoder(2), NearestLDSClassifier()), False),
    ],
    ids=["classifier", "imputer", "encoder", "none"],
)
def test_files_with_gaps_are_read_by_estimators_that_take_them(estimator, gaps, tmp_path):
    ldslearn.save(estimator.fit(X_TRAIN, Y_TRAIN), tmp_path / "m.lds")
    assert Model.load(tmp_path / "m.lds").reading.gaps is gaps


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
    with pytest.raises(ValueError, match="hold a classifier of sequences; got LDS"):
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
    assert len(model.systems) == 40
    assert synthesize_from_systems(model.systems, 3, 50, 0).shape == (6, 50)
    with pytest.raises(ValueError, match="less than the number of systems, 40; got 40"):
        synthesize_from_systems(model.systems, 40, 50, 0)
    atoms = synthesize_from_systems(trained("lds-dl").systems, 0, 50, 0)
    assert np.ptp(atoms) > 100
    new, _ = synthesize_from_sequence(DATA[:1], 5, 100, 0)
    old = DATA.X[0]
    np.testing.assert_allclose(new.mean(axis=1), old.mean(axis=1), atol=2 * old.std())
    assert 0.3 < new.std() / old.std() < 3


def rewrite(path, change):
    """Change a saved model and make its checksum right, as a hostile writer would."""
    header, arrays = open_file(path)
    change(header, arrays)
    write_file(path, header, arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h["about"].pop("method"), "about has no method"),
        (lambda h: h["about"].update(frame_shape=[10, 10]), "number of channels"),
        (lambda h: h["about"]["reading"].update(size=[10**6, 10**6]), "size"),
        (lambda h: h["about"].update(reading=None), "valid contents"),
        (lambda h: h["about"].update(data=3), "data must be a dict"),
        (lambda h: h.update(about=None), "about must be a dict"),
        (lambda h: h.update(saved=None), "saved must be a dict"),
    ],
)
def test_hostile_models_are_refused(tmp_path, change, message):
    path = tmp_path / "m.lds"
    trained().save(path)
    rewrite(path, lambda header, arrays: change(header))
    with pytest.raises(ValueError, match=message):
        Model.load(path)


def test_a_forged_frame_size_is_refused_before_a_file_is_read(tmp_path):
    """Else a clip of 16 x 16 pixels would be enlarged to 10,000 x 10,000."""
    path, random = tmp_path / "m.lds", np.random.default_rng(0)
    clips = [random.random((16 * 16, 20)) for _ in range(4)]
    data = Collection(clips, list("aabb"), frame_shape=(16, 16), preprocessing={"size": (16, 16)})
    trained(data=data).save(path)
    assert Model.load(path).frame_shape == (16, 16)
    rewrite(path, lambda h, _: h["about"]["reading"].update(size=[10_000, 10_000]))
    message = r"m\.lds must hold valid contents; files are not read as frames of shape \(16, 16\)"
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


def test_foreign_preprocessing_is_noticed_before_the_work():
    data = Collection(list(X_TRAIN), Y_TRAIN, preprocessing={"polished": True})
    with pytest.raises(ValueError, match="hold options of load_folder; got {'polished': True}"):
        train(data)
