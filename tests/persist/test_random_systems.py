"""Random systems in files: the compiled filters trust their sizes, so that each is checked."""

from dataclasses import replace

import numpy as np
import pytest

import ldslearn
from ldslearn import RandomSystems, RandomSystemsClassifier
from ldslearn.persist import Model
from ldslearn.sequences import make_lds_sequences

X, Y = make_lds_sequences(3, 6, n_channels=4, n_timepoints=30, random_state=0)[:2]


def make_model(n_components=None):
    return RandomSystemsClassifier(10, n_components=n_components, random_state=0).fit(X, Y)


@pytest.mark.parametrize("n_components", [None, 2])
def test_answers_are_the_same_to_the_last_bit(n_components, tmp_path):
    model = make_model(n_components)
    ldslearn.save(model, tmp_path / "m.lds")
    loaded = ldslearn.load(tmp_path / "m.lds")
    assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert loaded.explain(X).systems.tobytes() == model.explain(X).systems.tobytes()
    assert loaded.left_out_scores_.tobytes() == model.left_out_scores_.tobytes()
    ldslearn.save(model.transformer_, tmp_path / "s.lds")
    features = ldslearn.load(tmp_path / "s.lds").transform(X)
    assert features.tobytes() == model.transformer_.transform(X).tobytes()


def change_bank(**changes):
    def change(model):
        bank = model.transformer_.bank_
        found = {name: value(getattr(bank, name)) for name, value in changes.items()}
        model.transformer_.bank_ = replace(bank, **found)

    return change


def change_systems(**changes):
    return lambda model: vars(model.transformer_).update(changes)


def change_model(**changes):
    return lambda model: vars(model).update(changes)


def put(value):
    """Return a change of the last entry of an array."""

    def change(array):
        array = array.copy()
        array.reshape(-1)[-1] = value
        return array

    return change


CHANGES = [
    (change_bank(channels=put(4)), "channels is out of range"),
    (change_bank(channels=put(-1)), "channels is out of range"),
    (change_bank(channels=lambda a: a[:-1]), "channels has shape"),
    (change_bank(channels=lambda a: a.astype(np.int32)), "channels must be of dtype int64"),
    (change_bank(channels=lambda a: a[:, :1]), "n_inputs is out of range"),
    (change_bank(n_inputs=put(0)), "n_inputs is out of range"),
    (change_bank(n_inputs=put(5)), "n_inputs is out of range"),
    (change_bank(n_inputs=lambda a: a[:0]), "the number of systems is 0"),
    (change_bank(n_inputs=lambda a: None), "n_inputs must be an array"),
    (change_bank(weights=lambda a: a[:, :-1]), "weights has shape"),
    (change_bank(weights=put(np.nan)), "weights is not finite"),
    (change_bank(weights=put(1e200)), "weights is out of range"),
    (change_bank(weights=lambda a: a.astype(np.float32)), "weights has dtype float32"),
    (change_bank(numerators=lambda a: a[:, :2]), "numerators has shape"),
    (change_bank(thresholds=lambda a: a[:-1]), "thresholds has shape"),
    (change_bank(thresholds=lambda a: a[:, :0]), "the number of thresholds is 0"),
    (change_bank(thresholds=put(np.inf)), "thresholds is not finite"),
    (change_bank(decay_times=put(0.0)), "decay_times must be positive"),
    (change_bank(decay_times=lambda a: a[:3]), "decay_times has shape"),
    (change_bank(angles=put(4.0)), "angles is out of range"),
    (change_bank(starts=put(-0.1)), "starts must be before stops"),
    (change_bank(stops=put(1.5)), "stops must be at most 1"),
    (change_bank(stops=put(0.0)), "starts must be before stops"),
    (change_bank(backward=put(False)), "backward must be sorted"),
    (change_bank(backward=lambda a: a.astype(float)), "backward must be an array of dtype kind b"),
    (change_systems(bank_=None), "bank_ must be a SystemBank"),
    (change_systems(mean_=np.zeros(3)), "mean_ has shape"),
    (change_systems(scale_=np.zeros(4)), "scale_ must be positive"),
    (change_systems(components_=np.zeros((0, 4))), "components_ must have a row"),
    (change_systems(components_=np.zeros((2, 3))), "components_ has shape"),
    (change_systems(components_=np.ones((1, 4))), "channels is out of range"),
    (change_systems(n_channels_in_=0), "n_channels_in_ is 0"),
    (change_systems(n_channels_in_=10**9), "mean_ has shape"),
    (change_model(n_channels_in_=3), "n_channels_in_ is 3"),
    (change_model(transformer_=None), "transformer_ must be RandomSystems"),
    (change_model(transformer_=RandomSystems()), "transformer_ lacks bank_"),
    (change_model(classes_=np.array([0, 1])), "coef_ has shape"),
    (change_model(classes_=np.array([0, 1, 1])), "classes_ must be sorted and different"),
    (change_model(mean_=np.zeros(3)), "mean_ has shape"),
    (change_model(scale_=np.zeros(80)), "scale_ must be positive"),
    (change_model(coef_=np.full((80, 3), np.nan)), "coef_ is not finite"),
    (change_model(intercept_=np.zeros(2)), "intercept_ has shape"),
    (change_model(left_out_scores_=np.zeros((18, 2))), "left_out_scores_ has shape"),
    (change_model(penalty_=0.0), "penalty_ is 0.0"),
    (change_model(_factor=float("inf")), "_factor is inf"),
    (change_model(_factor="2"), "_factor is '2'"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES, ids=[message for _, message in CHANGES])
def test_hostile_files_are_refused(change, message, tmp_path):
    """Saving does not check what it writes; loading does."""
    model = make_model()
    change(model)
    if isinstance(model.transformer_, RandomSystems) or model.transformer_ is None:
        ldslearn.save(model, tmp_path / "m.lds")
    for load in (ldslearn.load, Model.load):
        with pytest.raises(ValueError, match=f"m.lds must hold valid contents; .*{message}"):
            load(tmp_path / "m.lds")


def test_a_pipeline_whose_channels_do_not_match_is_refused(tmp_path):
    scaler = ldslearn.auto.ChannelScaler().fit([x[:3] for x in X])
    pipeline = ldslearn.persist.checks.Pipeline([("a", scaler), ("b", make_model())])
    ldslearn.save(pipeline, tmp_path / "m.lds")
    with pytest.raises(ValueError, match="the step before the encoder has another number of chan"):
        ldslearn.load(tmp_path / "m.lds")
