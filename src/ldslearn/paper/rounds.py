"""What the computations share: encoders of collections, and rounds of training and testing."""

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.evaluate.protocols import Split
from ldslearn.models import LDS, LDSEncoder
from ldslearn.paper.ledger import Run

Numbers = dict[str, Any]


def build_encoder(
    run: Run, n_states: int, stabilizer: str | None = None, **options: Any
) -> LDSEncoder:
    """Return the encoder of a collection, with its own stabilizer when none is named."""
    data_set = run.data_set
    stabilizer = stabilizer or data_set.settings.get("stabilizer", "soft")
    if stabilizer == "soft":
        options.setdefault("scale", data_set.settings["scale"])
    return LDSEncoder(
        n_states, delays=data_set.delays, stabilizer=stabilizer, n_jobs=data_set.n_jobs, **options
    )


def run_rounds(
    systems: LDS, y: NDArray[np.str_], splits: Iterable[Split], build: Callable[[int], Any]
) -> tuple[Numbers, list[Any]]:
    """Return accuracy and times of a classifier in every round, and the fitted classifiers."""
    splits = list(splits)
    correct, fit, predict, models = [], [], [], []
    for seed, (train, test) in enumerate(splits):
        start = time.perf_counter()
        model = build(seed).fit(systems[train], y[train])
        fit.append(time.perf_counter() - start)
        start = time.perf_counter()
        right = model.predict(systems[test]) == y[test]
        predict.append(time.perf_counter() - start)
        correct.append("".join("1" if one else "0" for one in right))
        models.append(model)
    numbers = {
        "correct": correct,
        "accuracy": [text.count("1") / len(text) for text in correct],
        "n_train": [len(train) for train, _ in splits],
        "fit_seconds": fit,
        "predict_seconds": predict,
    }
    return numbers, models


def get_labels(run: Run) -> NDArray[np.str_]:
    """Return the label of every sequence."""
    assert run.data_set.data.y is not None  # a library gives labelled collections only
    return run.data_set.data.y
