"""The section of misclassified sequences: drawings of some, and a table of all."""

from collections.abc import Sequence
from typing import Any

from ldslearn.auto.certainty import MEANINGS
from ldslearn.diagnostics.diagnostics import Diagnostics
from ldslearn.diagnostics.mistakes import MOST_CHANNELS, Mistake
from ldslearn.evaluate.predictions import format_confidence, name_confidence
from ldslearn.report.charts import draw_channels
from ldslearn.report.images import format_film
from ldslearn.report.page import (
    Section,
    format_details,
    format_figure,
    format_grid,
    format_paragraph,
    format_prediction,
    format_table,
)

_HEADING = "Misclassified sequences"
_MOST_ROWS = 500
_SIDE = 136  # pixels of a frame on the page
_CONFIDENCES = {
    "probability": "The probability is that of the predicted class, by predict_proba of the "
    "method.",
    "share": "The share is the fraction of the predicted class in what all classes explain of the "
    "sequence.",
    "votes": "The votes are the fraction of the nearest neighbours in the predicted class.",
    "margin": "The margin is the score of the predicted class minus the second largest score.",
    "": "",
}


def format_mistakes(record: dict[str, Any], diagnostics: Diagnostics | None) -> Section:
    """Return the section of misclassified sequences."""
    entries = record["misclassified"]
    if not entries:
        return Section(_HEADING, format_paragraph("None."))
    shown = () if diagnostics is None else diagnostics.mistakes
    n_tested = sum(one["n_test"] for one in record["rounds"])
    words = f"Wrong predictions: {len(entries)} of {n_tested}."
    if 0 < len(shown) < len(entries):
        words += f" {len(shown)} of them are shown, of as many pairs of classes as possible."
    parts = [format_paragraph(f"{words} {_CONFIDENCES[name_confidence(entries)]}".strip())]
    if shown:
        if shown[0].lines is not None:
            parts.append(format_paragraph(_describe_lines(shown[0]), "faint"))
        parts.append(format_grid(*map(_draw_mistake, shown), least=17))
    return Section(_HEADING, *parts, _format_list(entries))


def _describe_lines(one: Mistake) -> str:
    some = "Channels"
    if one.lines is not None and len(one.lines) < one.n_channels:
        some = f"{MOST_CHANNELS} of {one.n_channels} channels"
    return (
        f"{some} over time, each minus its mean and divided by its standard deviation over the "
        "collection."
    )


def _draw_mistake(one: Mistake) -> str:
    entry = {kind: getattr(one, kind) for kind in MEANINGS}
    kind = name_confidence([entry])
    confidence = f" ({kind} {format_confidence(entry)})" if kind else ""
    heading = format_prediction(one.label, one.predicted, confidence)
    if one.frames is not None:
        drawing = format_film(one.frames, f"{one.label}: {one.name}", side=_SIDE)
    elif one.times is not None and one.lines is not None:
        drawing = draw_channels(one.times.tolist(), one.lines.tolist(), one.n_timepoints)
    else:
        drawing = ""
    return format_figure(heading + drawing, one.name)


def _format_list(entries: Sequence[dict[str, Any]]) -> str:
    kind = name_confidence(entries)
    rows = [
        (
            one["name"], one["label"], one["predicted"],
            *([format_confidence(one)] if kind else []), one["round"],
        )
        for one in entries[:_MOST_ROWS]
    ]  # fmt: skip
    columns = ("name", "true class", "predicted class", *([kind] if kind else []), "round")
    rest = len(entries) - len(rows)
    more = format_paragraph(f"{rest} more are in the record (--output).") if rest else ""
    return format_details(f"List of {len(rows)}", format_table(columns, rows, words=True), more)
