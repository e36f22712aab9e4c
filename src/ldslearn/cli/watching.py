"""Recordings watched by a detector: record and tables."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.table import Table

from ldslearn import _errors
from ldslearn.cli.inputs import load_model, read_new
from ldslearn.cli.tables import tabulate_rows, tabulate_skipped
from ldslearn.novelty import LDSNovelty
from ldslearn.novelty.watching import Watch, watch_recordings
from ldslearn.persist.model import Model


def load_detector(path: Path) -> Model:
    """Return a model of ``train --method novelty``, or raise."""
    model = load_model(path)
    last = model.pipeline[-1]
    if not isinstance(last, LDSNovelty):
        raise _errors.bad_file(
            path, "hold a detector of novelty", type(last).__name__,
            "Make one of normal clips: ldslearn train DATA --method novelty -o MODEL.",
        )  # fmt: skip
    return model


def watch_files(
    model: Model,
    items: list[Path],
    *,
    window: int | None,
    step: int | None,
    skip: bool,
    n_jobs: int,
) -> dict[str, Any]:
    """Return the record of the windows of some recordings."""
    window = window or model.about.get("window")
    if window is None:
        raise _errors.invalid(
            "--window", "be given for a model that `ldslearn train` did not write", "none",
            "Give the time points per window.",
        )  # fmt: skip
    # Recordings are read whole, even if the training clips were cut.
    reading = replace(model.reading, chunk=False, frames=replace(model.reading.frames, length=None))
    data = read_new(items, reading, skip, n_jobs, frame=model.frame)
    model.check_data(replace(data, preprocessing={}))
    found = watch_recordings(model.estimator, data.X, window, step)
    rates = data.rates or [None] * len(data)
    return {
        "record": "watch",
        "window": window,
        "recordings": [
            _describe_recording(name, x.shape[1], rate, watch)
            for name, x, rate, watch in zip(data.names, data.X, rates, found, strict=True)
        ],
        "skipped": [list(item) for item in data.skipped],
    }


def _describe_recording(
    name: str, n_timepoints: int, rate: float | None, watch: Watch
) -> dict[str, Any]:
    parts = zip(watch.starts.tolist(), watch.stops.tolist(), watch.scores.tolist(), strict=True)
    return {
        "name": name,
        "n_timepoints": n_timepoints,
        "rate": None if rate is None else float(rate),
        "windows": [
            {"start": a, "stop": b, "score": score, "strange": score < 0} for a, b, score in parts
        ],
        "spans": [list(span) for span in watch.spans],
    }


def tabulate_watch(record: dict[str, Any]) -> list[Table | str]:
    """Return one table of windows per recording, and one of all strange spans."""
    tables: list[Table | str] = [*tabulate_skipped(record["skipped"])]
    spans = []
    for one in record["recordings"]:
        rows = [
            (
                _format_span(w["start"], w["stop"], one["rate"]),
                f"{w['score']:.3f}",
                "strange" if w["strange"] else "",
            )
            for w in one["windows"]
        ]
        unit = "time points" if one["rate"] is None else "seconds"
        tables += tabulate_rows(one["name"], (unit, "score", ""), rows)
        spans += [(one["name"], _format_span(a, b, one["rate"])) for a, b in one["spans"]]
    if spans:
        tables += tabulate_rows("strange", ("recording", "where"), spans)
    n_windows = sum(len(one["windows"]) for one in record["recordings"])
    n_strange = sum(w["strange"] for one in record["recordings"] for w in one["windows"])
    tables.append(
        f"{n_strange} of {n_windows} windows are strange: their score is below 0 "
        f"({record['window']} time points per window)"
    )
    return tables


def _format_span(start: int, stop: int, rate: float | None) -> str:
    if rate is None:
        return f"{start} to {stop}"
    return f"{start / rate:.2f} to {stop / rate:.2f}"
