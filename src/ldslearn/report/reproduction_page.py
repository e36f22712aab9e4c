"""The page of `ldslearn reproduce`: claims, figures and tables."""

from collections import Counter
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from ldslearn.drawing.eigenvalues import draw_eigenvalues
from ldslearn.paper.evidence import CONFIRMED, MIXED, NOT_JUDGED, REFUTED, UNDECIDED
from ldslearn.paper.plans import plan_names
from ldslearn.report.images import format_film, format_image
from ldslearn.report.line_charts import Series, draw_lines
from ldslearn.report.page import (
    Section,
    format_figure,
    format_grid,
    format_measures,
    format_paragraph,
    format_table,
    render_page,
)
from ldslearn.report.provenance import describe_data, format_command, format_versions
from ldslearn.video.tiling import tile_images

_MARKS = {CONFIRMED: "✓", REFUTED: "✗", MIXED: "±", UNDECIDED: "?", NOT_JUDGED: "·"}
_PAPER = (
    "“Analyzing Linear Dynamical Systems: From Modeling to Coding and Learning” (Huang, Sun, Cao, "
    "Harandi)."
)
_GREY = 128  # pixel of the value zero
_GAP = 2  # pixels between images
_NARROW = 19  # rem: three charts per row on a laptop
# Pixels of a chart: little more than one of three in a row has, so that text stays legible.
_CHART = {"width": 360, "height": 260}


def render_reproduction_page(record: dict[str, Any], command: str) -> str:
    """Return the record of :func:`ldslearn.paper.reproduce` as an HTML page.

    Parameters
    ----------
    record : dict
    command : str
        The command line that made the record.

    Returns
    -------
    str
        HTML text of one file that needs no others.

    Examples
    --------
    >>> import tempfile
    >>> from ldslearn.paper import reproduce
    >>> from ldslearn.report import render_reproduction_page
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = reproduce("fig2", records=folder, quick=True)
    >>> page = render_reproduction_page(record, "")
    >>> page.startswith("<!doctype html>"), "Fig. 2: soft normalisation" in page
    (True, True)
    """
    title, introduction = _introduce([one["name"] for one in record["figures"]])
    sections = [_format_summary(record, introduction)]
    if record["claims"]:
        sections.append(Section("Claims of the paper", *_format_claims(record["claims"])))
    sections += [_format_experiment(one) for one in record["figures"]]
    sections.append(Section("Data", _format_data(record["collections"])))
    sections.append(format_command(command, _format_runs(record)))
    return render_page(title, sections)


def _introduce(names: list[str]) -> tuple[str, str]:
    """Return title and first sentence of a page: whether its plans are those of the paper."""
    exhibits = set(plan_names(exhibits_only=True))
    others = [name for name in names if name not in exhibits]
    if names and len(others) == len(names):
        return "Experiments beyond the paper", "No figure or table of this page is in the paper."
    return "Reproduction of the paper" + " and further experiments" * bool(others), _PAPER


def _format_summary(record: dict[str, Any], introduction: str) -> str:
    counts = Counter(claim["verdict"] for claim in record["claims"])
    verdicts = [(str(counts[verdict]), verdict) for verdict in _MARKS if counts[verdict]]
    origins = {one["origin"] for one in record["collections"].values()}
    words = {
        "paper": "sets of the paper",
        "stand-in": "other real data in place of the paper's",
        "embedded": "sequences embedded in the package",
        "synthetic": "synthetic sequences",
    }
    used = ", ".join(words[origin] for origin in words if origin in origins)
    short = " Fewer values and rounds than in a full run (--quick)." if record["quick"] else ""
    return (format_measures(verdicts) if verdicts else "") + format_paragraph(
        f"{introduction} Figures and tables: {len(record['figures'])}. Runs: {record['n_runs']}. "
        f"Data: {used}.{short}",
        "lead",
    )


def _format_claims(claims: list[dict[str, Any]]) -> list[str]:
    rows = []
    for claim in claims:
        found = "".join(
            f"<li>{_format_verdict(one['verdict'])} <b>{escape(one['collection'])}</b>: "
            f"{escape(one['words'])}</li>"
            for one in claim["evidence"]
        )
        rows.append(
            f'<tr><td>{escape(claim["words"])}<br><span class="faint">{escape(claim["where"])}'
            f'</span></td><td class="whole">{_format_verdict(claim["verdict"])} {claim["verdict"]}'
            f'<br><span class="faint">{_format_count(claim["count"])}</span></td>'
            f'<td>{escape(claim["reason"])}<ul class="plain">{found}</ul></td></tr>'
        )
    words = (
        "A collection confirms or refutes a claim if the 95 % interval of the difference excludes "
        "zero. The interval is over random rounds, corrected for the sequences that they share "
        "(Nadeau and Bengio), or over the test sequences of one given split. Times are measured "
        "in turn, and compared by the logarithm of their ratio. “Large n” is the larger half of "
        "the n, with the median. Accuracies within five points count as the same. "
        "A claim is confirmed or refuted over all collections under three conditions: more than "
        "half of them, and at least two, agree; none contradicts; and the joint p-value "
        "(Stouffer) is below 0.05 after Holm's correction for the number of claims. It is mixed "
        "if collections contradict each other. Numbers in brackets are the mean difference and "
        "its interval, in points. Numbers after ± are standard deviations over rounds."
    )
    head = "<tr><th>claim</th><th>verdict</th><th>evidence</th></tr>"
    whole = f'<div class="wide"><table class="words stacked">{head}{"".join(rows)}</table></div>'
    return [whole, format_paragraph(words, "faint")]


def _format_count(count: dict[str, int]) -> str:
    return "<br>".join(f"{number} {verdict}" for verdict, number in count.items())


def _format_verdict(verdict: str) -> str:
    kind = {CONFIRMED: "right", REFUTED: "wrong"}.get(verdict, "faint")
    return f'<span class="{kind}" title="{verdict}">{_MARKS[verdict]}</span>'


def _format_experiment(one: dict[str, Any]) -> str:
    drawn: list[str] = []
    tables: list[str] = []
    for panel in one["panels"]:
        (tables if panel["panel"] == "table" else drawn).append(_DRAWINGS[panel["panel"]](panel))
    used = "; ".join(collection["words"] for collection in one["collections"])
    parts = [format_paragraph(f"Data: {used}.", "faint")]
    if drawn:
        parts.append(format_grid(*drawn, least=_NARROW) if len(drawn) > 2 else format_grid(*drawn))
    return Section(one["title"], *parts, *tables)


def _draw_lines_panel(panel: dict[str, Any]) -> str:
    series = [
        Series(one["name"], one["x"], one["y"], one["spread"] if any(one["spread"]) else None)
        for one in panel["series"]
    ]
    drawing = draw_lines(
        series, panel["x_label"], panel["y_label"], percent=panel["percent"], log_y=panel["log"],
        title=panel["title"], **_CHART,
    )  # fmt: skip
    return format_figure(drawing, panel["title"])


def _format_table_panel(panel: dict[str, Any]) -> str:
    words = f"<h3>{escape(panel['title'])}</h3>"
    note = format_paragraph(panel["note"], "faint") if panel["note"] else ""
    return words + format_table(panel["columns"], panel["rows"]) + note


def _draw_eigenvalues_panel(panel: dict[str, Any]) -> str:
    groups = {
        name: [complex(a, b) for a, b in zip(*values, strict=True)]
        for name, values in panel["groups"].items()
    }
    return format_figure(draw_eigenvalues(groups, panel["title"]), panel["title"])


def _format_images_panel(panel: dict[str, Any]) -> str:
    """Return all images as one, one row per atom."""
    sheet = tile_images(_as_pixels(panel["rows"], panel["frame_shape"]), _GAP, 255)
    scale = max(1.0, 380 / sheet.shape[1])
    caption = f"{panel['title']}. {panel['note']}"
    return format_figure(format_image(sheet, panel["title"], scale), caption)


def _format_movies_panel(panel: dict[str, Any]) -> str:
    films = _as_pixels(panel["films"], panel["frame_shape"])
    strips = "".join(
        format_film(film, f"atom {number}") for number, film in enumerate(films, start=1)
    )
    caption = f"{panel['title']}. {panel['note']}"
    return format_figure(f'<div class="reel">{strips}</div>', caption)


def _as_pixels(values: Any, shape: list[int]) -> Any:
    """Return images of integers from -127 to 127 as grey pixels, colours as their mean."""
    images = np.asarray(values)
    images = images.reshape(*images.shape[:-1], *shape)
    if len(shape) == 3:
        images = images.mean(axis=-1)
    return np.clip(images + _GREY, 0, 255).astype(np.uint8)


_DRAWINGS: dict[str, Callable[[dict[str, Any]], str]] = {
    "lines": _draw_lines_panel,
    "table": _format_table_panel,
    "eigenvalues": _draw_eigenvalues_panel,
    "images": _format_images_panel,
    "movies": _format_movies_panel,
}


def _format_data(collections: dict[str, Any]) -> str:
    rows = [
        {"": one["title"], "origin": one["origin"], **describe_data(one),
         "fingerprint": one["fingerprint"][:16]}
        for one in collections.values()
    ]  # fmt: skip
    return format_table(list(rows[0]) if rows else (), [list(row.values()) for row in rows])


def _format_runs(record: dict[str, Any]) -> str:
    makers = [
        f"{format_versions(maker['versions'])}; {', '.join(map(str, maker['machine'].values()))} "
        "cores"
        for maker in record["makers"]
    ]
    several = " Times of different versions or machines are not comparable."
    return format_paragraph(
        f"{' and '.join(makers)}. All runs together took {_format_duration(record['seconds'])}."
        f"{several if len(makers) > 1 else ''} One JSON file per run has its configuration, the "
        "fingerprint of the data, versions, seconds and numbers.",
        "faint",
    )


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
