"""Predictions as a record and as a table, of files and of stores alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.cli import showing


def recorded(
    names: Sequence[str],
    labels: NDArray[Any],
    shares: NDArray[np.float64] | None,
    true: Sequence[str] | NDArray[Any] | None,
    skipped: Sequence[Sequence[str]],
) -> dict[str, Any]:
    """Return the record of some predictions, with their accuracy where labels are known."""
    predictions = [
        {
            "name": name,
            "label": str(labels[i]),
            **({} if shares is None else {"share": float(shares[i].max())}),
            **({} if true is None else {"true": str(true[i])}),
        }
        for i, name in enumerate(names)
    ]
    record: dict[str, Any] = {
        "record": "prediction",
        "predictions": predictions,
        "skipped": [list(item) for item in skipped],
    }
    if true is not None:
        record["accuracy"] = float(np.mean(labels == np.asarray(true)))
    return record


def show(record: dict[str, Any], as_json: bool, *notes: str) -> None:
    """Print a record of predictions."""
    predictions = record["predictions"]
    known = [name for name in ("label", "share", "true") if name in predictions[0]]
    rows = [
        (one["name"], *(f"{one[k]:.2f}" if k == "share" else one[k] for k in known))
        for one in predictions
    ]
    if "accuracy" in record:
        notes = (f"accuracy [bold]{record['accuracy']:.1%}[/]", *notes)
    tables = [
        *showing.list_skipped(record["skipped"]),
        *showing.listed("predicted", ("item", *known), rows),
    ]
    showing.show(record, as_json, *tables, *notes)
