"""The page of search results: each query, and the systems that are most similar to it."""

from collections.abc import Sequence
from html import escape
from typing import Any

from ldslearn.diagnostics.neighbours import Picture
from ldslearn.drawing.marks import shorten
from ldslearn.report.charts import draw_channels
from ldslearn.report.images import format_film
from ldslearn.report.page import (
    Section,
    format_figure,
    format_grid,
    format_measures,
    format_paragraph,
    format_table,
    render_page,
)
from ldslearn.report.provenance import format_command, format_versions

_SIDE = 136  # pixels of a frame on the page
_LONGEST = 30  # characters of a name in a heading

Pictures = tuple[Picture | None, list[Picture | None]]  # of a query, and of its neighbours


def render_search_page(record: dict[str, Any], command: str, pictures: Sequence[Pictures]) -> str:
    """Return the page of a record of search results."""
    measures = format_measures(
        [
            (f"{record['n_systems']:,}", "systems in the index"),
            (str(len(record["queries"])), "queries"),
            (record["kernel"], "kernel"),
        ]
    )
    words = [
        "The similarity of two systems is the cosine of their angle in the space of the kernel: 1 "
        "for equal systems."
    ]
    if any(one is not None and one.is_simulated for _, several in pictures for one in several):
        words.append(
            "Neighbours marked “simulated” are new sequences that their systems made: the "
            "recordings were not at hand (--data names their folder)."
        )
    sections = [
        _format_query(query, picture, several)
        for query, (picture, several) in zip(record["queries"], pictures, strict=True)
    ]
    details = format_paragraph(format_versions(record["versions"]), "faint")
    return render_page(
        "Similar sequences",
        [measures, *map(format_paragraph, words), *sections, format_command(command, details)],
    )


def _format_query(
    query: dict[str, Any], picture: Picture | None, several: list[Picture | None]
) -> Section:
    cards = [
        _draw(
            picture,
            "query",
            query["name"],
            '<div><b>Query</b></div><div class="faint">recorded</div>',
        )
    ]
    for rank, (one, drawn) in enumerate(zip(query["neighbours"], several, strict=True), 1):
        facts = [escape(text) for text in (one["label"], _describe_origin(drawn)) if text]
        heading = (
            f"<div>{rank}. similarity {one['similarity']:.3f}</div>"
            f'<div class="faint">{", ".join(facts)}</div>'
        )
        cards.append(
            _draw(drawn, f"neighbour {rank}", one["name"] or f"system {one['id']}", heading)
        )
    rows = [
        (rank, one["id"], one["name"] or "", one["label"] or "", f"{one['similarity']:.4f}")
        for rank, one in enumerate(query["neighbours"], 1)
    ]
    table = format_table(("rank", "id", "name", "label", "similarity"), rows, words=True)
    heading = f"Query {shorten(query['name'], _LONGEST)}"
    return Section(heading, format_grid(*cards, least=11), table)


def _describe_origin(picture: Picture | None) -> str:
    if picture is None:
        return ""
    return "simulated" if picture.is_simulated else "recorded"


def _draw(picture: Picture | None, what: str, name: str, heading: str) -> str:
    drawing = ""
    if picture is not None and picture.frames is not None:
        drawing = format_film(picture.frames, f"{what}: {name}", side=_SIDE)
    elif picture is not None and picture.times is not None and picture.lines is not None:
        drawing = draw_channels(
            picture.times.tolist(), picture.lines.tolist(), picture.n_timepoints
        )
    return format_figure(heading + drawing, name)
