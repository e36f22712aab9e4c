"""Checks of automatic and random regressors that were read from a file."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ldslearn.auto import AutoLDSRegressor, ChannelScaler, RegressionReport
from ldslearn.auto.number_committee import RegressionCommittee
from ldslearn.models import LDS, LDSEncoder
from ldslearn.persist.check_auto import check_rules
from ldslearn.persist.check_parts import check_array, check_own_imputer, require
from ldslearn.persist.check_random_systems import check_random_systems
from ldslearn.random_systems import RandomSystems, RandomSystemsRegressor


def check_random_regressor(model: RandomSystemsRegressor) -> None:
    """Raise unless the coefficients fit the features."""
    require(isinstance(model.transformer_, RandomSystems), "transformer_ must be RandomSystems")
    for name in ("bank_", "mean_", "scale_", "components_", "n_channels_in_"):
        require(name in vars(model.transformer_), f"transformer_ lacks {name}")
    check_random_systems(model.transformer_)
    require(model.transformer_.n_channels_in_ == model.n_channels_in_, "n_channels_in_ differs")
    n_features = model.transformer_.bank_.thresholds.size
    for name in ("mean_", "scale_"):
        check_array(name, getattr(model, name), (n_features,))
    require(bool((model.scale_ > 0).all()), "scale_ must be positive")
    check_array("coef_", model.coef_, (n_features, None))
    n_outputs = model.coef_.shape[1]
    check_array("intercept_", model.intercept_, (n_outputs,))
    _check_column(model, n_outputs)
    shape = (None,) if model._is_column else (None, n_outputs)
    check_array("left_out_predictions_", model.left_out_predictions_, shape)
    require(isinstance(model.penalty_, float), "penalty_ must be a number")
    check_own_imputer(model)


def check_regression_committee(committee: RegressionCommittee) -> None:
    """Raise unless a committee has rules, and weights of its systems."""
    systems, rules = committee.systems_, committee.rules
    require(isinstance(systems, LDS) and len(systems) > 0, "systems_ must be an LDS batch")
    check_rules(committee)
    require(all(rule.kind == "ridge" for rule in rules), "rules must be ridge regressions")
    check_array("weights_", committee.weights_, (len(rules), len(systems), None))
    n_outputs = committee.weights_.shape[2]
    check_array("intercepts_", committee.intercepts_, (len(rules), n_outputs))


def check_auto_regressor(model: AutoLDSRegressor, check_fitted: Callable[[Any], None]) -> None:
    """Raise unless an automatic regressor has members of the right kinds, and their weights."""
    pipelines, others = model.pipelines_, model.random_systems_
    for name, members in (("pipelines_", pipelines), ("random_systems_", others)):
        require(isinstance(members, list), f"{name} must be a list")
    require(len(pipelines) + len(others) > 0, "the model has no members")
    check_array("_scale", model._scale, (None,))
    n_outputs, n_members = len(model._scale), len(others)
    check_array("_mean", model._mean, (n_outputs,))
    _check_column(model, n_outputs)
    for pipeline in pipelines:
        require(isinstance(pipeline, Pipeline), "pipelines_ must be pipelines")
        check_fitted(pipeline)
        kinds = [type(step) for _, step in pipeline.steps]
        known = [LDSEncoder, RegressionCommittee]
        require(kinds in (known, [ChannelScaler, *known]), "a pipeline must end in a committee")
        encoder, committee = pipeline[-2], pipeline[-1]
        require(encoder.n_states == encoder.n_states_, f"n_states is {encoder.n_states!r:.40}")
        require(encoder.n_channels_in_ == model.n_channels_in_, "a member has other channels")
        require(committee.weights_.shape[2] == n_outputs, "a member has other outputs")
        n_members += len(committee.rules)
    for member in others:
        require(isinstance(member, RandomSystemsRegressor), "random_systems_ must be regressors")
        check_fitted(member)
        require(member.n_channels_in_ == model.n_channels_in_, "a member has other channels")
        require(
            member.coef_.shape[1] == n_outputs and not member._is_column,
            "a member has other outputs",
        )
    check_array("weights_", model.weights_, (n_members,))
    check_own_imputer(model)
    require(isinstance(model.report_, RegressionReport), "report_ must be a RegressionReport")
    str(model.report_)  # these raise if values are of a wrong type
    repr(model.report_)
    model.report_._repr_html_()


def _check_column(model: Any, n_outputs: int) -> None:
    known = model._is_column is False or (model._is_column is True and n_outputs == 1)
    require(known, f"_is_column is {np.asarray(model._is_column)!r:.40}")
