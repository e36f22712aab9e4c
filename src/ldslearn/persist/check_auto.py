"""Checks of an automatic classifier that was read from a file."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ldslearn.auto import AutoLDSClassifier, ChannelScaler
from ldslearn.auto.candidates import PARTS, Rule
from ldslearn.auto.committee import KernelCommittee
from ldslearn.auto.ensemble import KINDS
from ldslearn.auto.report import Report
from ldslearn.auto.report_html import describe_encoding, render_report
from ldslearn.geometry.fitted_kernels import find_bandwidth
from ldslearn.models import LDS, LDSEncoder
from ldslearn.persist.check_parts import (
    check_array,
    check_classes,
    check_indices,
    check_own_imputer,
    require,
)
from ldslearn.random_systems import RandomSystemsClassifier

_LARGEST = 1e100  # of numbers, and one over the smallest: their products must be finite


def check_committee(committee: KernelCommittee) -> None:
    """Raise unless a committee has rules, and arrays of the sizes that they need."""
    rules, systems = committee.rules, committee.systems_
    check_rules(committee)
    check_classes(committee.classes_)
    n_classes = len(committee.classes_)
    require(isinstance(systems, LDS) and len(systems) > 0, "systems_ must be an LDS batch")
    check_indices("labels_", committee.labels_, len(systems), n_classes)
    _check_factors("factors", committee.factors, len(rules))
    coded = {part for rule in rules if rule.kind == "coding" for part in rule.parts}
    require(isinstance(committee.grams_, dict), "grams_ must be a dict")
    require(committee.grams_.keys() == coded, "grams_ must have the kernels of sparse coding")
    for gram in committee.grams_.values():
        check_array("grams_", gram, (len(systems), len(systems)))
    expansions = committee.expansions_
    require(
        isinstance(expansions, list) and len(expansions) == len(rules),
        "expansions_ must have one entry per rule",
    )
    for rule, expansion in zip(rules, expansions, strict=True):
        fits = (expansion is None) == (rule.kind == "coding")
        require(fits, "only sparse coding has no expansion")
        if expansion is None:
            continue
        require(isinstance(expansion, tuple) and len(expansion) == 2, "an expansion is a pair")
        n_outputs = n_classes * (n_classes - 1) // 2 if rule.kind == "svm" else n_classes
        check_array("weights", expansion[0], (len(systems), n_outputs))
        check_array("intercepts", expansion[1], (n_outputs,))
        largest = max(float(np.abs(array).max()) for array in expansion)
        require(largest <= _LARGEST, f"an expansion holds {largest:.3g}")


def check_rules(committee: Any) -> None:
    """Raise unless a committee has rules, and scales and bandwidths of their kernels."""
    rules = committee.rules
    require(isinstance(rules, list) and len(rules) > 0, "rules must be a list")
    for rule in rules:
        _check_rule(rule)
    used = {part for rule in rules for part in rule.parts}
    for name in ("scales", "bandwidths"):
        values = getattr(committee, name)
        require(isinstance(values, dict), f"{name} must be a dict")
        for value in values.values():
            _check_positive(name, value)
    require(used <= committee.scales.keys(), "scales must have all kernels")
    for part in used:
        takes = find_bandwidth(part, {}) is not None
        require((part in committee.bandwidths) == takes, f"bandwidths do not suit {part}")


def check_auto(model: AutoLDSClassifier, check_fitted: Callable[[Any], None]) -> None:
    """Raise unless an automatic classifier has members of the right kinds, and their weights."""
    check_classes(model.classes_)
    pipelines, others = model.pipelines_, model.random_systems_
    for name, members in (("pipelines_", pipelines), ("random_systems_", others)):
        require(isinstance(members, list), f"{name} must be a list")
    require(len(pipelines) + len(others) > 0, "the model has no members")
    n_members = len(others)
    for pipeline in pipelines:
        require(isinstance(pipeline, Pipeline), "pipelines_ must be pipelines")
        check_fitted(pipeline)
        kinds = [type(step) for _, step in pipeline.steps]
        known = ([LDSEncoder, KernelCommittee], [ChannelScaler, LDSEncoder, KernelCommittee])
        require(kinds in known, "a pipeline must be an encoder and a committee")
        encoder = pipeline[-2]
        require(encoder.n_states == encoder.n_states_, f"n_states is {encoder.n_states!r:.40}")
        _check_agreement(model, pipeline[-1].classes_, encoder.n_channels_in_)
        n_members += len(pipeline[-1].rules)
    for member in others:
        require(isinstance(member, RandomSystemsClassifier), "random_systems_ must be classifiers")
        check_fitted(member)
        _check_agreement(model, member.classes_, member.n_channels_in_)
    check_own_imputer(model)
    check_array("weights_", model.weights_, (n_members,))
    _check_factors("_random_factors", model._random_factors, len(others))
    _check_positive("_factor", model._factor)
    factors = model._kind_factors
    require(isinstance(factors, dict) and factors.keys() == set(KINDS), "_kind_factors has others")
    for factor in factors.values():
        _check_positive("_kind_factors", factor)
    _check_report(model.report_)


def _check_report(report: Any) -> None:
    """Raise unless a report can be printed and shown."""
    require(isinstance(report, Report), "report_ must be a Report")
    for name in ("expected_accuracy", "standard_error", "seconds", "time_budget"):
        require(isinstance(getattr(report, name), float), f"{name} of report_ must be a number")
    for name in ("n_descriptions", "n_trained"):
        require(type(getattr(report, name)) is int, f"{name} of report_ must be an integer")
    for name in ("why", "stopped"):
        require(isinstance(getattr(report, name), str), f"{name} of report_ must be a text")
    for name in ("members", "tried"):
        require(isinstance(getattr(report, name), list), f"{name} of report_ must be a list")
    for one in (*report.members, *report.tried):
        require(isinstance(one, dict), "a candidate of report_ must be a dict")
        require(isinstance(one.get("kind"), str), "a candidate of report_ has no kind")
        for name in ("accuracy", "standard_error", "loss"):
            require(isinstance(one.get(name), float), f"a candidate of report_ has no {name}")
    for one in report.members:
        require(isinstance(one.get("weight"), float), "a member of report_ has no weight")
    require(isinstance(report.chosen, dict), "chosen of report_ must be a dict")
    require(isinstance(report.alone, dict), "alone of report_ must be a dict")
    for alone in report.alone.values():
        require(isinstance(alone, dict), "alone of report_ must hold dicts")
        values = [alone.get(name) for name in ("expected_accuracy", "standard_error")]
        numbers = len(alone) == 2 and all(isinstance(value, float) for value in values)
        require(numbers, "alone of report_ must hold accuracies and their errors")
    describe_encoding(report.chosen)  # these raise if values are of a wrong type
    str(report)
    render_report(report)


def _check_agreement(model: AutoLDSClassifier, classes: Any, n_channels: Any) -> None:
    require(np.array_equal(classes, model.classes_), "a member has other classes")
    require(model.n_channels_in_ == n_channels, f"n_channels_in_ is {model.n_channels_in_!r:.40}")


def _check_rule(rule: Any) -> None:
    require(isinstance(rule, Rule), "rules must be rules")
    weights = rule.weights
    require(isinstance(weights, tuple) and len(weights) == len(PARTS), "a rule has other kernels")
    for weight in weights:
        require(isinstance(weight, float) and 0 <= weight <= _LARGEST, f"weight {weight!r:.40}")
    require(any(weights), "a rule has no kernel")
    require(rule.kind in ("ridge", "svm", "coding"), f"the kind of a rule is {rule.kind!r:.40}")
    _check_positive("the value of a rule", rule.value)


def _check_factors(name: str, values: Any, length: int) -> None:
    require(isinstance(values, list) and len(values) == length, f"{name} must be a list")
    for value in values:
        _check_positive(name, value)


def _check_positive(name: str, value: Any) -> None:
    usable = isinstance(value, float) and 1 / _LARGEST <= value <= _LARGEST
    require(usable, f"{name} is {value!r:.40}")
