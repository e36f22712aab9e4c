"""Automatic classifiers in files: what is checked before one is used."""

from dataclasses import replace

import numpy as np
import pytest

import ldslearn
from ldslearn import AutoLDSClassifier
from ldslearn.auto.candidates import Rule
from ldslearn.datasets import make_lds_sequences
from ldslearn.persist.checks import check_fitted

X, Y = make_lds_sequences(3, 6, n_channels=5, n_timepoints=40, random_state=0)
X = list(X)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    model = AutoLDSClassifier(5, random_state=0).fit(X, Y)
    kinds = {rule.kind for pipeline in model.pipelines_ for rule in pipeline[-1].rules}
    assert "svm" in kinds or "ridge" in kinds
    path = tmp_path_factory.mktemp("auto") / "model.lds"
    ldslearn.save(model, path)
    return path


def test_a_loaded_model_is_the_same(path):
    one, two = ldslearn.load(path), ldslearn.load(path)
    assert one.predict_proba(X).tobytes() == two.predict_proba(X).tobytes()
    assert str(one.report_) == str(two.report_)
    assert one.keep_kind("random systems").predict(X).shape == (18,)


def change_rule(model, **values):
    committee = model.pipelines_[0][-1]
    committee.rules = [replace(committee.rules[0], **values), *committee.rules[1:]]


def change_committee(model, **values):
    vars(model.pipelines_[0][-1]).update(values)


def change_report(model, **values):
    model.report_ = replace(model.report_, **values)


MEMBER = {"kind": "fitted systems", "weight": 1.0, "accuracy": 1.0, "standard_error": 0.1}
CHANGES = {
    "no members": lambda m: vars(m).update(pipelines_=[], random_systems_=[]),
    "a member that is none": lambda m: m.random_systems_.append("x"),
    "weights of others": lambda m: vars(m).update(weights_=m.weights_[:-1]),
    "weights that are none": lambda m: vars(m).update(weights_=np.full_like(m.weights_, np.nan)),
    "no factor": lambda m: vars(m).update(_factor=0.0),
    "a factor that overflows": lambda m: vars(m).update(_factor=1e300),
    "factors of others": lambda m: vars(m).update(_random_factors=[]),
    "factors of no kind": lambda m: vars(m).update(_kind_factors={}),
    "other channels": lambda m: vars(m).update(n_channels_in_=7),
    "other classes": lambda m: vars(m).update(classes_=np.array([0, 1])),
    "a fraction of states": lambda m: m.pipelines_[0][-2].set_params(n_states=0.5),
    "too many states": lambda m: m.pipelines_[0][-2].set_params(n_states=10**9),
    "a rule of another kind": lambda m: change_rule(m, kind="magic"),
    "a rule without kernels": lambda m: change_rule(m, weights=(0.0,) * 5),
    "a rule with few kernels": lambda m: change_rule(m, weights=(1.0,)),
    "a weight that overflows": lambda m: change_rule(m, weights=(1e300,) * 5),
    "a rule without a value": lambda m: change_rule(m, value=None),
    "no rules": lambda m: change_committee(m, rules=[]),
    "rules that are none": lambda m: change_committee(m, rules=["ridge"]),
    "no scales": lambda m: change_committee(m, scales={}),
    "a scale of almost nothing": lambda m: change_committee(
        m, scales=dict.fromkeys(m.pipelines_[0][-1].scales, 5e-324)
    ),
    "a bandwidth too much": lambda m: change_committee(
        m, rules=[Rule((1.0, 0.0, 0.0, 0.0, 0.0), "ridge", 0.1)], bandwidths={"projection": 1.0}
    ),
    "no bandwidths": lambda m: change_committee(
        m, rules=[Rule((0.0, 1.0, 0.0, 0.0, 0.0), "ridge", 0.1)], bandwidths={}
    ),
    "no expansions": lambda m: change_committee(m, expansions_=[]),
    "expansions of nothing": lambda m: change_committee(
        m, expansions_=[(np.zeros((1, 1)), np.zeros(1)) for _ in m.pipelines_[0][-1].rules]
    ),
    "labels of no class": lambda m: change_committee(m, labels_=m.pipelines_[0][-1].labels_ + 9),
    "grams that are none": lambda m: change_committee(m, grams_={"magic": np.eye(3)}),
    "a report that is none": lambda m: vars(m).update(report_={}),
    "an accuracy in words": lambda m: change_report(m, expected_accuracy="high"),
    "no error": lambda m: change_report(m, standard_error=None),
    "a choice that is none": lambda m: change_report(m, chosen=5),
    "a choice without windows": lambda m: change_report(m, chosen={"n_states": 1, "windows": None}),
    "numbers in words": lambda m: change_report(m, n_trained="x"),
    "members that are none": lambda m: change_report(m, members=[1]),
    "members without a loss": lambda m: change_report(m, members=[MEMBER]),
    "kinds without an accuracy": lambda m: change_report(m, alone={"fitted systems": None}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_changed_models_are_refused(change, path):
    model = ldslearn.load(path)
    check_fitted(model)
    change(model)
    with pytest.raises((ValueError, TypeError), match="."):  # `load` explains both
        check_fitted(model)
