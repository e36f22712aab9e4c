"""Mislabelled sequences of an evaluation: some to look at, all in a table."""

from collections.abc import Sequence
from typing import Any

from ldslearn.auto.certainty import MEANINGS
from ldslearn.diagnostics import Diagnostics
from ldslearn.diagnostics.mistakes import MOST_CHANNELS, Mistake
from ldslearn.evaluate.predictions import format_confidence, name_confidence
from ldslearn.report.charts import wave_chart
from ldslearn.report.images import filmstrip
from ldslearn.report.marks import verdict
from ldslearn.report.page import Section, figure, folded, grid, paragraph, section, table

_MOST_ROWS = 500
_SIDE = 136  # pixels of a frame on the page


def mistakes_section(record: dict[str, Any], diagnostics: Diagnostics | None) -> Section:
    """Return the section of mislabelled sequences; one sentence where there are none."""
    entries = record["mislabelled"]
    if not entries:
        return section("Mislabelled sequences", paragraph("None."))
    shown = () if diagnostics is None else diagnostics.mistakes
    n_tested = sum(one["n_test"] for one in record["rounds"])
    words = f"Wrong predictions: {len(entries)} of {n_tested}."
    if 0 < len(shown) < len(entries):
        words += f" Shown are {len(shown)}, of as many pairs of classes as possible."
    parts = [paragraph(f"{words} {_describe_confidence(entries)}".strip())]
    if shown:
        if shown[0].lines is not None:
            parts.append(paragraph(_describe_lines(shown[0]), "faint"))
        parts.append(grid(*(_draw_mistake(one) for one in shown), least=17))
    return section("Mislabelled sequences", *parts, _list_all(entries))


def _describe_confidence(entries: Sequence[dict[str, Any]]) -> str:
    return {
        "probability": "The probability is that of the predicted class, by predict_proba of the "
        "method.",
        "share": "The share is that of the predicted class in what all classes explain of the "
        "sequence.",
        "votes": "The votes are the share of the neighbours that are of the predicted class.",
        "margin": "The margin is the score of the predicted class less that of the next one.",
        "": "",
    }[name_confidence(entries)]


def _describe_lines(one: Mistake) -> str:
    some = f"{MOST_CHANNELS} of {one.n_channels} channels" if _is_cut(one) else "Channels"
    return (
        f"{some} over time, each less its mean and divided by its standard deviation in the "
        "collection."
    )


def _is_cut(one: Mistake) -> bool:
    return one.lines is not None and len(one.lines) < one.n_channels


def _draw_mistake(one: Mistake) -> str:
    entry = {kind: getattr(one, kind) for kind in MEANINGS}
    kind = name_confidence([entry])
    sure = f" ({kind} {format_confidence(entry)})" if kind else ""
    heading = verdict(one.label, one.predicted, sure)
    if one.frames is not None:
        drawing = filmstrip(one.frames, f"{one.label}: {one.name}", side=_SIDE)
    elif one.times is not None and one.lines is not None:
        drawing = wave_chart(one.times.tolist(), one.lines.tolist(), one.n_timepoints)
    else:
        drawing = ""
    return figure(heading + drawing, one.name)


def _list_all(entries: Sequence[dict[str, Any]]) -> str:
    kind = name_confidence(entries)
    rows = [
        (
            one["name"], one["label"], one["predicted"],
            *([format_confidence(one)] if kind else []), one["round"],
        )
        for one in entries[:_MOST_ROWS]
    ]  # fmt: skip
    columns = ("file", "true class", "predicted class", *([kind] if kind else []), "round")
    rest = len(entries) - len(rows)
    more = f" {rest} more are in the record (--output)." if rest else ""
    listed = table(columns, rows, words=True)
    return folded(f"List of {len(rows)}", listed, paragraph(more.strip()) if more else "")
