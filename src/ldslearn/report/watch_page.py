"""The page of recordings that a detector of novelty watched."""

from collections.abc import Mapping
from typing import Any

from ldslearn.report.line_charts import Series, draw_lines
from ldslearn.report.page import (
    Section,
    format_code,
    format_figure,
    format_measures,
    format_paragraph,
    format_table,
    render_page,
)


def render_watch_page(record: Mapping[str, Any], command: str) -> str:
    """Return the page of a record of `ldslearn watch`: scores over time, and strange spans.

    Parameters
    ----------
    record : mapping
        As ``ldslearn watch --json`` prints it.
    command : str
        The command that made it.

    Returns
    -------
    str
        An HTML document without requests.

    Examples
    --------
    >>> from ldslearn.report import render_watch_page
    >>> windows = [{"start": 0, "stop": 50, "score": 0.2, "strange": False}]
    >>> one = {"name": "a.csv", "rate": None, "windows": windows, "spans": [], "n_timepoints": 50}
    >>> page = render_watch_page({"window": 50, "recordings": [one]}, "ldslearn watch m.lds a.csv")
    >>> "a.csv" in page
    True
    """
    windows = [w for one in record["recordings"] for w in one["windows"]]
    strange = sum(bool(w["strange"]) for w in windows)
    summary = Section(
        "Summary",
        format_measures([
            (str(len(record["recordings"])), "recordings"),
            (str(len(windows)), "windows"),
            (str(strange), "strange windows"),
        ]),
        format_paragraph(
            f"Each window has {record['window']} time points. It is strange if its score is below "
            "0: it is further from the normal sequences of training than most of these are from "
            "the others."
        ),
        format_code(command),
    )  # fmt: skip
    sections = [_draw_recording(one) for one in record["recordings"]]
    return render_page("Strange windows of recordings", [summary, *sections])


def _draw_recording(one: Mapping[str, Any]) -> str:
    rate, windows = one["rate"] or 1.0, one["windows"]
    unit = "time points" if one["rate"] is None else "seconds"
    middles = [(w["start"] + w["stop"]) / 2 / rate for w in windows]
    scores = [w["score"] for w in windows]
    ends = [middles[0], middles[-1]] if len(middles) > 1 else [middles[0]]
    chart = draw_lines(
        [Series("score", middles, scores), Series("offset", ends, [0.0] * len(ends))],
        f"middle of the window ({unit})",
        "score less offset",
    )
    rows = [(f"{a / rate:g}", f"{b / rate:g}") for a, b in one["spans"]]
    parts = [format_figure(chart, "Below the offset, the recording is strange.")]
    if rows:
        parts.append(format_table((f"strange from ({unit})", "to"), rows))
    else:
        parts.append(format_paragraph("Nothing is strange."))
    return Section(one["name"], *parts)
