"""A page as one HTML file without requests, and its elements."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from ldslearn.drawing.marks import shorten
from ldslearn.report.script import SCRIPT, SCRIPT_HASH
from ldslearn.report.style import STYLE

_FEW = 4  # sections that need no table of contents
_LONGEST_HEADING = 24  # characters of a class in the heading of a card


class Section(str):
    """A section of a page as HTML text, with its heading and anchor."""

    __slots__ = ("anchor", "heading")

    anchor: str
    heading: str

    def __new__(cls, heading: str, *parts: str) -> "Section":
        """Return the HTML of a heading and the parts below it."""
        anchor = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-") or "part"
        body = "\n".join(parts)
        text = f'<section id="{anchor}"><h2>{escape(heading)}</h2>\n{body}</section>'
        made = super().__new__(cls, text)
        made.heading, made.anchor = heading, anchor
        return made


def render_page(title: str, sections: Iterable[str]) -> str:
    """Return a whole document, with links to its sections if there are more than four."""
    parts = list(sections)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        f"script-src '{SCRIPT_HASH}'\">"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>"
        f"<header><h1>{escape(title)}</h1></header>\n<main>{_format_contents(parts)}"
        + "\n".join(parts)
        + f"\n</main><script>{SCRIPT}</script></body></html>\n"
    )


def format_paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text. A number and its % stay on one line."""
    words = escape(text).replace(" %", "\N{NO-BREAK SPACE}%")
    return f'<p class="{kind}">{words}</p>' if kind else f"<p>{words}</p>"


def format_measures(measures: Iterable[tuple[str, str]]) -> str:
    """Return pairs of value and name side by side, the values in large type."""
    parts = "".join(
        f'<div><span class="big">{escape(value)}</span>{escape(name)}</div>'
        for value, name in measures
    )
    return f'<div class="measures">{parts}</div>'


def format_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, words: bool = False
) -> str:
    """Return a table of plain values, aligned to the right, or to the left if they are `words`."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    kind = ' class="words"' if words else ""
    return f'<div class="wide"><table{kind}><tr>{head}</tr>{body}</table></div>'


def format_code(text: str) -> str:
    """Return preformatted text."""
    return f"<pre>{escape(text)}</pre>"


def format_figure(drawing: str, caption: str = "") -> str:
    """Return a drawing with its caption below."""
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure><div class="wide">{drawing}</div>{words}</figure>'


def format_grid(*figures: str, least: float = 24) -> str:
    """Return figures side by side where there is space, each at least `least` rem wide."""
    return f'<div class="grid" style="--least:{least:g}rem">{"".join(figures)}</div>'


def format_details(summary: str, *parts: str) -> str:
    """Return parts that are hidden until the reader opens their summary."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>"


def format_prediction(label: str, predicted: str, note: str = "") -> str:
    """Return the HTML heading of a card: the true class, and the prediction if it is wrong."""
    if label == predicted:
        return f'<div class="right">✓ {_format_class(label)}</div>'
    return (
        f'<div class="wrong">✗ {_format_class(label)}</div>'
        f'<div class="faint">predicted {_format_class(predicted)}{escape(note)}</div>'
    )


def _format_class(name: str) -> str:
    return f'<span title="{escape(name)}">{escape(shorten(name, _LONGEST_HEADING))}</span>'


def _format_contents(parts: list[str]) -> str:
    """Return links to the sections, and number equal anchors in `parts`."""
    seen: dict[str, int] = {}
    links = []
    for index, part in enumerate(parts):
        if not isinstance(part, Section):
            continue
        count = seen[part.anchor] = seen.get(part.anchor, 0) + 1
        anchor = part.anchor if count == 1 else f"{part.anchor}-{count}"
        if count > 1:
            parts[index] = part.replace(f'id="{part.anchor}"', f'id="{anchor}"', 1)
        short = part.heading.split(":")[0]  # "Fig. 4: ..." becomes "Fig. 4"
        links.append(f'<a href="#{anchor}">{escape(short)}</a>')
    return f'<nav aria-label="Contents">{"".join(links)}</nav>' if len(links) > _FEW else ""
