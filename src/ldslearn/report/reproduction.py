"""The page of a reproduction: claims first, then every figure and table."""

from collections import Counter
from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from ldslearn.report.eigenvalues import eigenvalue_chart
from ldslearn.report.images import filmstrip, picture
from ldslearn.report.line_charts import Series, line_chart
from ldslearn.report.page import code, figure, grid, page, paragraph, section, table

_MARKS = {"confirmed": "✓", "refuted": "✗", "mixed": "±", "undecided": "?", "not judged": "·"}
_GREY = 128  # of a pixel that is zero
_GAP = 2  # pixels between images
_NARROW = 19  # rem; three charts in a row on a laptop
# Pixels of a chart: little more than there are in a row of three, so that words stay large.
_CHART = {"width": 360, "height": 260}


def reproduction_page(record: dict[str, Any], command: str) -> str:
    """Return the record of :func:`ldslearn.paper.reproduce` as an HTML page.

    Parameters
    ----------
    record : dict
    command : str
        What was typed.
    """
    sections = [_summary(record)]
    if record["claims"]:
        sections.append(section("Claims of the paper", *_claims(record["claims"])))
    sections += [_figure(one) for one in record["figures"]]
    sections.append(section("Data", *_data(record)))
    sections.append(section("To repeat it", code(command), _repeating(record)))
    return page("The paper, reproduced", sections)


def _summary(record: dict[str, Any]) -> str:
    counts = Counter(claim["verdict"] for claim in record["claims"])
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _MARKS if counts[verdict])
    origins = {one["origin"] for one in record["collections"].values()}
    words = {
        "paper": "sets of the paper",
        "stand-in": "other real sequences that stand in for the paper's",
        "embedded": "sequences embedded in the package",
        "synthetic": "sequences drawn from a seed",
    }
    used = ", ".join(words[origin] for origin in words if origin in origins)
    short = " Fewer values and rounds than in full (--quick)." if record["quick"] else ""
    big = f'<p><span class="big">{escape(verdicts)}</span></p>' if verdicts else ""
    return big + paragraph(
        "“Analyzing Linear Dynamical Systems: From Modeling to Coding and Learning” (Huang, Sun, "
        f"Cao, Harandi). Figures and tables: {len(record['figures'])}, runs: {record['n_runs']}, "
        f"on {used}.{short}",
        "lead",
    )


def _claims(claims: list[dict[str, Any]]) -> list[str]:
    rows = []
    for claim in claims:
        found = "".join(
            f"<li>{_verdict(one['verdict'])} <b>{escape(one['collection'])}</b>: "
            f"{escape(one['words'])}</li>"
            for one in claim["evidence"]
        )
        rows.append(
            f'<tr><td>{escape(claim["words"])}<br><span class="faint">{escape(claim["where"])}'
            f'</span></td><td class="whole">{_verdict(claim["verdict"])} {claim["verdict"]}'
            f'<br><span class="faint">{_counted(claim["count"])}</span></td>'
            f'<td>{escape(claim["reason"])}<ul class="plain">{found}</ul></td></tr>'
        )
    words = (
        "A collection confirms or refutes a claim where the 95 % interval of the difference is "
        "clear of zero: over random rounds corrected for the sequences they share (Nadeau and "
        "Bengio), of one given split over its test sequences. Times are measured in turn, and "
        "their ratios judged on the logarithmic scale. “Large n” is the larger half of the n, "
        "the median included; accuracies within five points are called the same. "
        "The verdict over all collections: confirmed or refuted if more than half of them, and at "
        "least two, say so, none says the opposite, and the p-value over all (Stouffer) is below "
        "0.05 after Holm's correction for the number of claims; mixed if they contradict each "
        "other. Numbers in brackets: mean difference and interval, in points. Behind ±: the "
        "standard deviation over rounds."
    )
    head = "<tr><th>claim</th><th>verdict</th><th>found</th></tr>"
    whole = f'<div class="wide"><table class="words stacked">{head}{"".join(rows)}</table></div>'
    return [whole, paragraph(words, "faint")]


def _counted(count: dict[str, int]) -> str:
    return "<br>".join(f"{number} {verdict}" for verdict, number in count.items())


def _verdict(verdict: str) -> str:
    kind = {"confirmed": "right", "refuted": "wrong"}.get(verdict, "faint")
    return f'<span class="{kind}" title="{verdict}">{_MARKS[verdict]}</span>'


def _figure(one: dict[str, Any]) -> str:
    drawn: list[str] = []
    tables: list[str] = []
    for panel in one["panels"]:
        (tables if panel["panel"] == "table" else drawn).append(_DRAWN[panel["panel"]](panel))
    used = "; ".join(collection["words"] for collection in one["collections"])
    parts = [paragraph(f"On {used}.", "faint")]
    if drawn:
        parts.append(grid(*drawn, least=_NARROW) if len(drawn) > 2 else grid(*drawn))
    return section(one["title"], *parts, *tables)


def _lines(panel: dict[str, Any]) -> str:
    series = [
        Series(one["name"], one["x"], one["y"], one["spread"] if any(one["spread"]) else None)
        for one in panel["series"]
    ]
    drawing = line_chart(
        series, panel["x_label"], panel["y_label"], percent=panel["percent"], log_y=panel["log"],
        title=panel["title"], **_CHART,
    )  # fmt: skip
    return figure(drawing, panel["title"])


def _table(panel: dict[str, Any]) -> str:
    words = f"<h3>{escape(panel['title'])}</h3>"
    note = paragraph(panel["note"], "faint") if panel["note"] else ""
    return words + table(panel["columns"], panel["rows"]) + note


def _eigenvalues(panel: dict[str, Any]) -> str:
    groups = {
        name: [complex(a, b) for a, b in zip(*values, strict=True)]
        for name, values in panel["groups"].items()
    }
    return figure(eigenvalue_chart(groups, panel["title"]), panel["title"])


def _images(panel: dict[str, Any]) -> str:
    """All images as one picture, one row per atom."""
    images = _pixels(panel["rows"], panel["frame_shape"])
    rows, columns, height, width = images.shape
    sheet = np.full(
        (rows * (height + _GAP) - _GAP, columns * (width + _GAP) - _GAP), 255, dtype=np.uint8
    )
    for i, row in enumerate(images):
        for j, image in enumerate(row):
            top, left = i * (height + _GAP), j * (width + _GAP)
            sheet[top : top + height, left : left + width] = image
    scale = max(1.0, 380 / sheet.shape[1])
    caption = f"{panel['title']}. {panel['note']}"
    return figure(picture(sheet, panel["title"], scale), caption)


def _movies(panel: dict[str, Any]) -> str:
    films = _pixels(panel["films"], panel["frame_shape"])
    strips = "".join(
        filmstrip(film, f"atom {number}") for number, film in enumerate(films, start=1)
    )
    caption = f"{panel['title']}. {panel['note']}"
    return figure(f'<div class="reel">{strips}</div>', caption)


def _pixels(values: Any, shape: list[int]) -> Any:
    """Images of whole numbers from -127 to 127 as grey pixels; colours become their mean."""
    images = np.asarray(values)
    images = images.reshape(*images.shape[:-1], *shape)
    if len(shape) == 3:
        images = images.mean(axis=-1)
    return np.clip(images + _GREY, 0, 255).astype(np.uint8)


_DRAWN: dict[str, Callable[[dict[str, Any]], str]] = {
    "lines": _lines,
    "table": _table,
    "eigenvalues": _eigenvalues,
    "images": _images,
    "movies": _movies,
}


def _data(record: dict[str, Any]) -> list[str]:
    rows = [
        (
            one["title"],
            one["origin"],
            one["n_sequences"],
            one["n_channels"],
            f"{one['shortest']} to {one['longest']}",
            len(one["classes"]),
            one["fingerprint"][:16],
        )
        for one in record["collections"].values()
    ]
    columns = ("", "origin", "sequences", "channels", "lengths", "classes", "fingerprint")
    return [table(columns, rows)]


def _repeating(record: dict[str, Any]) -> str:
    made = [
        f"{', '.join(f'{name} {one}' for name, one in maker['versions'].items())}; "
        + ", ".join(str(value) for value in maker["machine"].values())
        + " cores"
        for maker in record["makers"]
    ]
    several = " Runs of several versions or machines are mixed: times are not comparable."
    return paragraph(
        f"{' and '.join(made)}. All runs together took {_duration(record['seconds'])}."
        f"{several if len(made) > 1 else ''} Each run is a JSON file with its configuration, "
        "fingerprint of the data, versions, seconds and numbers.",
        "faint",
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
