"""The frame of a page: one file, no requests, light and dark, laptop and phone."""

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { --back: #fcfcfb; --text: #1d1d1f; --faint: #6b6b70; --line: #d8d8dc; --panel: #f2f2f0;
  --mark: #1f5fa8; --far: #f2f2f0; }
@media (prefers-color-scheme: dark) { :root { --back: #17181a; --text: #e8e8ea; --faint: #9a9aa2;
  --line: #3a3b40; --panel: #222327; --mark: #6ea8ec; --far: #222327; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem 1.2rem 3rem; background: var(--back);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 1rem 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
p.lead { font-size: 1.1rem; } .faint { color: var(--faint); font-size: .9rem; }
.big { font-size: 2.4rem; font-weight: 600; }
.wide { overflow-x: auto; } svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .92rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, .words td, .words th { text-align: left; }
th { font-weight: 600; }
pre { background: var(--panel); padding: .7rem 1rem; overflow-x: auto; border-radius: .3rem; }
figure { margin: .5rem 0; } figcaption { color: var(--faint); font-size: .9rem; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg .axis { stroke: var(--line); }
"""


def page(title: str, sections: Iterable[str]) -> str:
    """Return a whole document."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>"
        f"<h1>{escape(title)}</h1>\n" + "\n".join(sections) + "\n</body></html>\n"
    )


def section(heading: str, *parts: str) -> str:
    """Return a headed part of a page."""
    return f"<section><h2>{escape(heading)}</h2>\n" + "\n".join(parts) + "</section>"


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, words: bool = False) -> str:
    """Return a table of plain values, numbers or words."""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    kind = ' class="words"' if words else ""
    return f'<div class="wide"><table{kind}><tr>{head}</tr>{body}</table></div>'


def code(text: str) -> str:
    """Return text as it is typed."""
    return f"<pre>{escape(text)}</pre>"


def figure(drawing: str, caption: str) -> str:
    """Return a drawing with words below."""
    return (
        f'<figure><div class="wide">{drawing}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
