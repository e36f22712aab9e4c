"""Fit a method to a collection, with parameters chosen on it; for evaluations and models."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ldslearn import _errors
from ldslearn._reprs import summarize_fields
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.methods import Method
from ldslearn.evaluate.protocols import Protocol, choose_inner_folds
from ldslearn.evaluate.selection import Choice, build_pipeline, choose_parameters, find_groups
from ldslearn.evaluate.settings import Settings


@dataclass(frozen=True)
class Fit:
    """A fitted estimator of sequences, and the parameters that were chosen for it.

    Attributes
    ----------
    estimator : AutoLDSClassifier, RandomSystemsClassifier or Pipeline
    choice : Choice
    report : dict or None
        Of an automatic search.
    """

    estimator: Any
    choice: Choice
    report: dict[str, Any] | None = None

    __repr__ = summarize_fields

    def as_dict(self) -> dict[str, Any]:
        """Return the chosen parameters as plain values, with `mix` if folds chose it."""
        mix = getattr(self.pipeline[-1], "mix_", None)
        return {**self.choice.as_dict(), **({} if mix is None else {"mix": mix})}

    @property
    def pipeline(self) -> Pipeline:
        """Its steps: those of an automatic search, or the estimator itself."""
        found = getattr(self.estimator, "pipeline_", self.estimator)
        return found if isinstance(found, Pipeline) else Pipeline([("classifier", found)])


def check_automatic(values: dict[str, Any]) -> None:
    """Raise if a parameter is given that the automatic method chooses itself."""
    for name, value in values.items():
        if value is not None and (name, value) != ("stabilizer", "soft"):
            raise _errors.invalid(
                name,
                "not be given to the method auto, which chooses it",
                value,
                "Name another method, for example lds-sc-grass.",
            )


def _check_no_encoder(method: Method, values: dict[str, Any]) -> None:
    """Raise if a parameter of systems is given to a method that encodes none."""
    for name, value in values.items():
        if value is not None:
            raise _errors.invalid(
                name, f"not be given to the method {method.name}, which encodes no systems",
                value, "Name another method, for example lds-sc-grass.",
            )  # fmt: skip


def fit_method(
    method: Method,
    data: Collection,
    settings: Settings,
    *,
    n_states: int | None = None,
    sparsity: float | None = None,
    delays: int | None = None,
    encoder: dict[str, Any] | None = None,
    outer: Protocol | None = None,
    whole: Collection | None = None,
) -> Fit:
    """Choose the parameters that are not given on `data`, and fit.

    `outer` is the protocol that split `data` from its test sequences: inner folds are like it.
    `whole` is both together: states and delays must suit its shortest sequence.
    """
    if outer is not None and outer.ignore_groups:
        data = replace(data, groups=None)
    if outer is not None and outer.kind == "trials":  # the split is that of one trial
        data = replace(data, split=None)
    given = {"n_states": n_states, "sparsity": sparsity, "delays": delays, **(encoder or {})}
    missing = "smooth" if data.gaps else "raise"
    if not method.encodes:
        _check_no_encoder(method, given)
        classifier = method.build(settings).set_params(missing=missing)
        return Fit(classifier.fit(data.X, data.y), Choice(None, None, None, []))
    folds = None if outer is None else choose_inner_folds(data, outer)
    if data.gaps and not method.automatic:
        encoder = {"missing": "smooth", **(encoder or {})}
    if not method.automatic:
        choice = choose_parameters(
            method, data, settings,
            n_states=n_states, sparsity=sparsity, delays=delays, encoder=encoder, folds=folds,
            whole=whole,
        )  # fmt: skip
        pipeline = build_pipeline(method, choice, settings, encoder)
        last, arguments = pipeline.steps[-1][0], find_groups(method, data, settings)
        options = {f"{last}__{name}": value for name, value in arguments.items()}
        return Fit(pipeline.fit(data.X, data.y, **options), choice)
    check_automatic(given)
    groups = data.split if folds is not None and folds.kind == "split" else data.groups
    if groups is not None and len(np.unique(groups)) < 2:
        groups = None
    model = method.build(settings).set_params(missing=missing).fit(data.X, data.y, groups=groups)
    report = model.report_.as_dict()
    chosen = report["chosen"]
    n_states, delays, sparsity = (chosen.get(name) for name in ("n_states", "delays", "sparsity"))
    return Fit(model, Choice(n_states, delays, sparsity, report["tried"]), report)
