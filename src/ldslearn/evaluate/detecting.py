"""Train a detector of novelty on a collection, with or without labels."""

from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from ldslearn import _errors
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.fitting import Fit
from ldslearn.evaluate.methods import Method
from ldslearn.evaluate.selection import Choice
from ldslearn.evaluate.settings import Settings
from ldslearn.models.defaults import make_default_encoder


def fit_detector(
    method: Method,
    data: Collection,
    settings: Settings,
    *,
    n_states: int | None,
    delays: int | None,
    encoder: dict[str, Any] | None,
) -> Fit:
    """Fit a detector to all of a collection; nothing is chosen by labels."""
    if len(data) < 2:
        raise _errors.invalid(
            "the collection", "hold at least two normal items", len(data), "Add items."
        )
    options = {"constant": "rest", **(encoder or {})}  # recordings have windows at rest
    first = make_default_encoder(data, n_states, delays, n_jobs=settings.n_jobs, **options)
    detector, n_states = method.build(settings), int(first.n_states)
    # A projection kernel has the diagonal n_states and a mean kernel 1: both count the same.
    detector.set_params(kernel={"projection": 1 / n_states, "mean": 1.0})
    estimator = make_pipeline(first, detector).fit(data.X)
    return Fit(estimator, Choice(n_states, first.delays, None, []))


def find_window(data: Collection) -> int:
    """Return the median length of the sequences, as which recordings are cut."""
    return int(np.median([x.shape[1] for x in data.X]))
