"""Predictions as a record, a table and a CSV file, of files and of stores alike."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldslearn.auto.certainty import MEANINGS, Prediction
from ldslearn.cli import showing
from ldslearn.cli.sharing import write_text

_UNSURE = 0.5


def make_record(
    names: Sequence[str],
    found: Prediction,
    true: Sequence[str] | NDArray[Any] | None,
    skipped: Sequence[Sequence[str]],
) -> dict[str, Any]:
    """Return the record of some predictions, with their accuracy where labels are known."""
    certainty, runners_up = found.certainty, found.runners_up
    predictions = [
        {
            "name": name,
            "label": str(found.labels[i]),
            found.kind: float(certainty[i]),
            "runner_up": runners_up[i],
            "by_class": dict(zip(found.classes, found.values[i].tolist(), strict=True)),
            **({} if true is None else {"true": str(true[i])}),
        }
        for i, name in enumerate(names)
    ]
    record: dict[str, Any] = {
        "record": "prediction",
        "certainty": {
            "kind": found.kind,
            "calibrated": found.calibrated,
            "meaning": MEANINGS[found.kind],
        },
        "predictions": predictions,
        "skipped": [list(item) for item in skipped],
    }
    if found.kind != "margin":
        record["n_below_half"] = int((certainty < _UNSURE).sum())
    if true is not None:
        labels = np.array([str(label) for label in found.labels])
        record["accuracy"] = float(np.mean(labels == np.asarray(true)))
    return record


def write_csv(path: Path, record: dict[str, Any]) -> None:
    """Write one row per item: its label, how sure it is, and the values of all classes."""
    predictions, kind = record["predictions"], record["certainty"]["kind"]
    known = ["true"] if "true" in predictions[0] else []
    columns = ["item", "label", kind, *known]
    classes = list(predictions[0]["by_class"])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, *(f"class {c}" if c in columns else c for c in classes)])
    for one in predictions:
        row = [one["name"], one["label"], one[kind], *(one[name] for name in known)]
        writer.writerow([*row, *(one["by_class"][c] for c in classes)])
    write_text(path, text.getvalue())


def show(record: dict[str, Any], as_json: bool, *notes: str) -> None:
    """Print a record of predictions."""
    predictions, kind = record["predictions"], record["certainty"]["kind"]
    known = ["true"] if "true" in predictions[0] else []
    rows = [
        (
            one["name"],
            one["label"],
            f"{one[kind]:.2f}" if kind == "margin" else f"{one[kind]:.0%}",
            one["runner_up"],
            *(one[name] for name in known),
        )
        for one in predictions
    ]
    columns = ("item", "label", kind, "runner-up", *known)
    lines = [_tell_certainty(record)]
    if "accuracy" in record:
        lines.append(f"accuracy [bold]{record['accuracy']:.1%}[/]")
    tables = [
        *showing.list_skipped(record["skipped"]),
        *showing.listed("predicted", columns, rows),
    ]
    showing.show(record, as_json, *tables, *lines, *notes)


def _tell_certainty(record: dict[str, Any]) -> str:
    """How sure the predictions are as a whole, in one line."""
    predictions, certainty = record["predictions"], record["certainty"]
    kind = certainty["kind"]
    least = min(predictions, key=lambda one: one[kind])
    if kind == "margin":
        return showing.plain(
            f"least sure: {least['name']}, margin {least[kind]:.2f} ({certainty['meaning']})"
        )
    calibrated = "calibrated on held-out training data" if certainty["calibrated"] else ""
    meaning = calibrated or certainty["meaning"]
    return showing.plain(
        f"{kind} below 50 %: {record['n_below_half']} of {len(predictions)}; least sure: "
        f"{least['name']}, {least[kind]:.0%} ({meaning})"
    )
