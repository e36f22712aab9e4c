"""What cannot be saved says so, and so does what must not be loaded."""

import copy
import json
import warnings
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import ldslearn
from ldslearn import (
    LDSSVC,
    DictionaryClassifier,
    LDSEncoder,
    LDSKMeans,
    NearestLDSClassifier,
    SparseCoder,
    SparseCodingClassifier,
)
from ldslearn.auto import ChannelScaler
from ldslearn.geometry import projection_kernel

from support.estimators import (
    ESTIMATORS,
    LABELS,
    METHODS,
    N_TRAIN,
    SEQUENCES,
    SYSTEMS,
    answer,
    choose_targets,
    dictionary,
    fit,
)
from support.forgery import forge, open_file, write_file

HERE = Path(__file__).parent
N_FORGED = 12  # per estimator


@pytest.mark.parametrize("name", ESTIMATORS)
def test_what_is_not_fitted_says_so(name, tmp_path):
    unfitted, takes_sequences = ESTIMATORS[name]
    unfitted = copy.deepcopy(unfitted)
    for part in [unfitted, *(step for _, step in getattr(unfitted, "steps", ()))]:
        for attribute in [a for a in vars(part) if a.endswith("_") or a.startswith("_")]:
            delattr(part, attribute)
    X = (SEQUENCES if takes_sequences else SYSTEMS)[:3]
    for method in METHODS:
        if hasattr(type(unfitted), method):
            arguments = (choose_targets(unfitted)[:3],) if method == "score" else ()
            if hasattr(unfitted, method):
                with pytest.raises(NotFittedError, match="is not fitted yet"):
                    getattr(unfitted, method)(X, *arguments)
    with pytest.raises(NotFittedError, match=r"must be fitted to be saved; it has no .* Call fit"):
        ldslearn.save(unfitted, tmp_path / "m.lds")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            make_pipeline(SparseCoder(), RandomForestClassifier(2)),
            r"Pipeline.steps must be of a class .*; got sklearn.ensemble.*RandomForestClassifier. "
            r"Use one of these: .*LinearSVC.* pipeline\[:-1\]",
        ),
        (
            SparseCodingClassifier(projection_kernel),
            "SparseCodingClassifier.kernel must be a name, .*; got the function projection_kernel. "
            "A file of a model holds no code: fit with a kernel or distance by its name",
        ),
        (
            NearestLDSClassifier(lambda X, Y: 2 - projection_kernel(X, Y)),
            "NearestLDSClassifier.distance must be a name",
        ),
        (
            LDSKMeans(2, random_state=np.random.RandomState(0)),
            r"LDSKMeans.random_state must be an integer or None to be saved; got a RandomState. "
            "Give it a seed by set_params",
        ),
        (LDSSVC(random_state=np.random.default_rng(0)), "LDSSVC.random_state .* got a Generator"),
    ],
)
def test_what_cannot_be_saved(estimator, message, tmp_path):
    estimator.fit(SYSTEMS, LABELS)
    with pytest.raises(TypeError, match=message):
        ldslearn.save(estimator, tmp_path / "m.lds")
    assert not list(tmp_path.iterdir())
    if "random_state" in message:  # the remedy
        answers = answer(estimator, SYSTEMS[N_TRAIN:])
        ldslearn.save(estimator.set_params(random_state=0), tmp_path / "m.lds")
        again = answer(ldslearn.load(tmp_path / "m.lds"), SYSTEMS[N_TRAIN:])
        assert answers["predict"].tobytes() == again["predict"].tobytes()


def test_other_things_cannot_be_saved(tmp_path):
    for thing in (3, "text", [SYSTEMS], {"a": 1}, None):
        with pytest.raises(TypeError, match="estimator must be of a class that can be saved"):
            ldslearn.save(thing, tmp_path / "m.lds")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_forged_files_load_or_are_named(name, tmp_path):
    """With a right checksum: what is loaded answers, or refuses inputs it was not fitted for."""
    path = tmp_path / "forged.lds"
    estimator, X = fit(name)
    ldslearn.save(estimator, path)
    header, arrays = open_file(path)
    random, refused = Random(0), 0
    for _ in range(N_FORGED):
        changed, others = copy.deepcopy(header), dict(arrays)
        forge(changed, others, random)
        write_file(path, changed, others)
        message = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                loaded = ldslearn.load(path)
            except ValueError as error:  # any other error ends the test
                message = str(error)
        if message is not None:
            refused += 1
            assert "forged.lds must" in message
            assert len(message) < 1000
            continue
        with suppress(ValueError):  # of another number of channels, say
            answer(loaded, X)
    assert refused


def test_a_mistake_of_ours_is_no_damaged_file(tmp_path, monkeypatch):
    estimator, _ = fit("NearestLDSClassifier")
    ldslearn.save(estimator, tmp_path / "m.lds")
    monkeypatch.setattr("ldslearn.classify.nearest.pairwise_distance", lambda *_, **__: None + 1)
    with pytest.raises(TypeError, match="unsupported operand"):
        ldslearn.load(tmp_path / "m.lds")


def state_of(node, name):
    """The state of the first fitted object of a class, or part of one, within a packed value."""
    if isinstance(node, dict):
        if node.get("class") == name and (name != "SVC" or "support_" in node["state"]):
            return node["state"]
        node = list(node.values())
    if isinstance(node, list):
        for member in node:
            found = state_of(member, name)
            if found is not None:
                return found
    return None


def put_support_elsewhere(node, arrays):
    name = state_of(node, "SVC")["support_"]["array"]
    arrays[name] = arrays[name] + np.int32(10**6)


def drop_support(node, arrays):
    name = state_of(node, "SVC")["_n_support"]["array"]
    arrays[name] = 0 * arrays[name]


def claim_many_samples(node, arrays):
    sizes = {"tuple": [10**12, 10**12]}
    state_of(node, "SVC").update(shape_fit_=sizes, n_features_in_=10**12)


def make_order_endless(node, arrays):
    part = state_of(node, "FittedKernel")["parts"]["list"][0]["tuple"]
    part[0], part[2] = "finite", {"dict": [["order", 2 * 10**9]]}


def claim_many_channels(node, arrays):
    state_of(node, "LDSEncoder")["n_channels_in_"] = 10**11


def shorten_columns(node, arrays):
    name = state_of(node, "Columns")["eigenvalues"]["array"]
    arrays[name] = arrays[name][:, :-1]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("LDSSVC", put_support_elsewhere, "support vectors"),
        ("LDSSVC", drop_support, "support vectors"),
        ("LDSSVC", claim_many_samples, "support vectors"),
        ("DictionaryClassifier-svc", put_support_elsewhere, "support vectors"),
        (
            "SparseCodingClassifier",
            make_order_endless,
            "order must be at most 1000; got 2000000000",
        ),
        ("Pipeline", claim_many_channels, "the encoder has another n_channels"),
        ("LDSDictionary", shorten_columns, "eigenvalues of symmetric has shape"),
        ("Pipeline", lambda n, a: state_of(n, "Pipeline").update(steps={"list": []}), "have steps"),
        (
            "SparseCodingClassifier",
            lambda n, a: state_of(n, "SparseCodingClassifier").pop("classes_"),
            "SparseCodingClassifier lacks classes_",
        ),
    ],
)
def test_hostile_files(name, change, message, tmp_path):
    path = tmp_path / "m.lds"
    ldslearn.save(fit(name)[0], path)
    header, arrays = open_file(path)
    change(header["estimator"], arrays)
    write_file(path, header, arrays)
    with pytest.raises(ValueError, match=rf"m.lds must hold valid contents; .*{message}"):
        ldslearn.load(path)


def test_a_changed_file_is_noticed(tmp_path):
    path = tmp_path / "m.lds"
    ldslearn.save(fit("SparseCodingClassifier")[0], path)
    header, arrays = open_file(path)
    name = next(key for key in arrays if arrays[key].dtype == float)
    arrays[name] = arrays[name] + 1e-12
    header["arrays"] = sorted(arrays)
    with path.open("wb") as file:
        np.savez(file, header=np.array(json.dumps(header)), **arrays)
    with pytest.raises(ValueError, match="do not match their checksum"):
        ldslearn.load(path)
    SYSTEMS.save(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["A"] = arrays["A"] * (1 - 1e-12)
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match="do not match their checksum"):
        ldslearn.load(path)


def test_other_versions_of_scikit_learn_are_named(tmp_path):
    path = tmp_path / "m.lds"
    for name, warned in (("LDSSVC", True), ("Pipeline-coder", True), ("Pipeline", False)):
        ldslearn.save(fit(name)[0], path)
        header, arrays = open_file(path)
        header["saved"]["versions"]["scikit-learn"] = "0.1.2"
        write_file(path, header, arrays)
        if warned:
            with pytest.warns(
                UserWarning, match=r"made with scikit-learn 0.1.2, and the installed"
            ):
                ldslearn.load(path)
        else:
            ldslearn.load(path)


def test_files_of_later_versions_are_refused(tmp_path):
    path = tmp_path / "m.lds"
    ldslearn.save(ChannelScaler().fit(SEQUENCES), path)
    header, arrays = open_file(path)
    write_file(path, {**header, "version": 3}, arrays)
    with pytest.raises(ValueError, match=r"must have format version 2; got 3"):
        ldslearn.load(path)


def test_files_of_version_1_can_be_read():
    from ldslearn.datasets import load_basic_motions, load_japanese_vowels

    _, _, X, y = load_basic_motions()
    model = ldslearn.load(HERE / "model-version-1.lds")
    assert model.score(X[::5], y[::5]) > 0.8
    learned = ldslearn.load(HERE / "dictionary-version-1.lds")
    systems = LDSEncoder(3).fit_transform(load_japanese_vowels()[0][:5])
    assert learned.transform(systems).shape == (5, 6)


def test_systems_can_be_saved(tmp_path):
    ldslearn.save(SYSTEMS, tmp_path / "systems.lds")
    again = ldslearn.load(tmp_path / "systems.lds")
    for name, array in SYSTEMS._arrays.items():
        assert getattr(again, name).tobytes() == array.tobytes()
    with pytest.raises(ValueError, match="about must not be given with an LDS batch"):
        ldslearn.save(SYSTEMS, tmp_path / "systems.lds", about={"a": 1})


def test_a_stream_goes_on_after_loading(tmp_path):
    batches = SYSTEMS[:12], SYSTEMS[12:24], SYSTEMS[24:]
    model = dictionary()
    for batch in batches[:2]:
        model.partial_fit(batch)
    ldslearn.save(model, tmp_path / "m.lds")
    again = ldslearn.load(tmp_path / "m.lds")
    codes = [one.partial_fit(batches[2]).transform(SYSTEMS) for one in (model, again)]
    assert codes[0].tobytes() == codes[1].tobytes()
    assert again.n_batches_ == 3


def test_an_unfinished_classifier_of_codes_is_not_fitted(tmp_path):
    model = DictionaryClassifier(dictionary()).fit(SYSTEMS, LABELS)
    del model.classifier_  # what an interrupt of fit leaves
    with pytest.raises(NotFittedError, match="has no classifier_"):
        ldslearn.save(model, tmp_path / "m.lds")
