"""Predictions of a model on files or on a store: record, CSV file and tables."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from ldslearn.auto.certainty import MEANINGS, Prediction
from ldslearn.cli.inputs import read_new
from ldslearn.cli.outputs import write_text
from ldslearn.cli.remote import format_cluster, work_on_cluster
from ldslearn.cli.tables import escape_text, tabulate_rows, tabulate_skipped
from ldslearn.datasets.summary import fingerprint
from ldslearn.models.unusable_sequences import drop_unusable
from ldslearn.persist.model import Model
from ldslearn.scale.output_checks import is_store
from ldslearn.scale.store import LDSStore

_UNSURE = 0.5

Answer = tuple[dict[str, Any], list[str]]  # the record, and lines to print after its tables


def is_one_store(items: Sequence[Path]) -> bool:
    """Whether the items are the systems of one store."""
    return len(items) == 1 and is_store(items[0])


def predict_store(model: Model, path: Path, cluster: str | None) -> Answer:
    """Return the labels of the systems of a store, and what happened on the cluster."""
    store = LDSStore.open(path)
    with work_on_cluster(cluster) as summarize_cluster:
        found = model.predict_stored(store)
        events = summarize_cluster()
    names = store.read_texts("names") or [f"sequence {i}" for i in range(len(store))]
    record = make_record(names, found, store.read_texts("labels"), store.skipped)
    return {**record, **events}, [f"cluster: {format_cluster(events)}"] if events else []


def predict_files(
    model: Model,
    items: list[Path],
    *,
    levels: str | None,
    labels: Path | None,
    skip: bool,
    n_jobs: int,
) -> Answer:
    """Return the labels of files, read as the model's training data; note if they are those."""
    data = read_new(
        items, model.reading, skip, n_jobs, levels=levels, labels=labels, frame=model.frame
    )
    model.check_data(data)
    if skip:
        data = drop_unusable(data, model.predict)
    record = make_record(data.names, model.predict_with_certainty(data.X), data.y, data.skipped)
    trained_on = model.about.get("data", {}).get("fingerprint")
    if data.y is None or fingerprint(data) != trained_on:
        return record, []
    return record, ["These are the training data. The accuracy on new data may be lower."]


def make_record(
    names: Sequence[str],
    found: Prediction,
    true: Sequence[str] | NDArray[Any] | None,
    skipped: Sequence[Sequence[str]],
) -> dict[str, Any]:
    """Return the record of some predictions, with their accuracy if the labels are known."""
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
    """Write one row per item: its label, its confidence, and the values of all classes."""
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


def tabulate_predictions(record: dict[str, Any]) -> list[Table | str]:
    """Return the tables of a record of predictions."""
    predictions, kind = record["predictions"], record["certainty"]["kind"]
    known = ["true"] if "true" in predictions[0] else []
    rows = [
        (
            one["name"],
            one["label"],
            f"{one[kind]:.2f}" if kind == "margin" else f"{100 * one[kind]:.0f} %",
            one["runner_up"],
            *(one[name] for name in known),
        )
        for one in predictions
    ]
    columns = ("item", "label", kind, "runner-up", *known)
    lines = [_summarize_confidence(record)]
    if "accuracy" in record:
        lines.append(f"accuracy [bold]{100 * record['accuracy']:.1f} %[/]")
    return [
        *tabulate_skipped(record["skipped"]),
        *tabulate_rows("predictions", columns, rows),
        *lines,
    ]


def _summarize_confidence(record: dict[str, Any]) -> str:
    """Return the confidence of all predictions in one line."""
    predictions, certainty = record["predictions"], record["certainty"]
    kind = certainty["kind"]
    least = min(predictions, key=lambda one: one[kind])
    if kind == "margin":
        return escape_text(
            f"least confident: {least['name']}, margin {least[kind]:.2f} ({certainty['meaning']})"
        )
    calibrated = "calibrated on held-out training data" if certainty["calibrated"] else ""
    return escape_text(
        f"{kind} below 50 %: {record['n_below_half']} of {len(predictions)}; least confident: "
        f"{least['name']}, {100 * least[kind]:.0f} % ({calibrated or certainty['meaning']})"
    )
