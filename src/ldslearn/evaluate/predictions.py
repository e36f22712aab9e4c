"""Wrong predictions of test sequences, and how certain a method was of them."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn._types import Indices
from ldslearn.auto.certainty import MEANINGS, predict_with_certainty
from ldslearn.datasets.collection import Collection
from ldslearn.evaluate.fitting import Fit
from ldslearn.sequences.named import select


def list_misclassified(
    fit: Fit, test: Collection, indices: Indices, predicted: NDArray[Any]
) -> list[dict[str, Any]]:
    """Return one entry per test sequence with a wrong prediction, as plain values.

    Parameters
    ----------
    fit : Fit
    test : Collection
        With labels.
    indices : (N,) array
        Position of each test sequence in the whole collection.
    predicted : (N,) array of labels

    Returns
    -------
    list of dict
        index, name, label (the true one), predicted; and how certain the method is of the predicted
        class, by one of `probability`, `share`, `votes` and `margin`; the others are None. See
        :data:`~ldslearn.auto.certainty.MEANINGS`.
    """
    assert test.y is not None
    wrong = np.flatnonzero(predicted != test.y)
    if not len(wrong):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # predict() has warned already
        found = predict_with_certainty(fit.estimator, select(test.X, wrong))
    return [
        {
            "index": int(indices[i]),
            "name": test.names[i],
            "label": str(test.y[i]),
            "predicted": str(predicted[i]),
            **{kind: float(value) if kind == found.kind else None for kind in MEANINGS},
        }
        for i, value in zip(wrong, found.certainty, strict=True)
    ]


def format_confidence(entry: Mapping[str, Any]) -> str:
    """Return the certainty of a wrong prediction as a number, or "" if it is unknown."""
    kind = name_confidence([entry])
    return f"{entry[kind]:.{'3g' if kind == 'margin' else '2f'}}" if kind else ""


def name_confidence(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the kind of certainty that :func:`format_confidence` formats, for a heading."""
    for name in MEANINGS:
        if any(entry.get(name) is not None for entry in entries):
            return name
    return ""
