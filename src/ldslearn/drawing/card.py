"""What a notebook shows of a value: a title, a small table and a drawing, without a script."""

from collections.abc import Iterable, Sequence
from html import escape

from ldslearn.drawing.marks import shorten

_LONGEST = 40  # characters of one value of a list
_LONGEST_CELL = 300  # characters of one cell of the table
# Readable on light and dark backgrounds: the text has the colour of the notebook, lines are a
# translucent grey, and colours are of medium lightness (contrast of at least 3 with both).
_COLOURS = ("#2f86cf", "#c07f00", "#149570", "#c56fa0", "#d9622b", "#2b98c9", "#87872b", "#808080")
_STYLE = (
    ".ldslearn-card{--text:currentColor;--faint:currentColor;--line:#8888;--mark:#3b82c4;"
    f"--warn:#d9534f;{''.join(f'--c{k}:{colour};' for k, colour in enumerate(_COLOURS))}"
    "color:var(--jp-content-font-color1,var(--vscode-foreground,inherit));"
    "font:13px/1.45 system-ui,sans-serif;max-width:60rem}"
    ".ldslearn-card .head{font-size:1.1em;font-weight:600;overflow-wrap:anywhere}"
    ".ldslearn-card .body{display:flex;flex-wrap:wrap;gap:.4rem 2rem;align-items:flex-start}"
    ".ldslearn-card table{border-collapse:collapse;margin:.3rem 0;border:0;max-width:30rem;"
    "color:inherit;font-size:1em}"
    ".ldslearn-card tr,.ldslearn-card tr:nth-child(n){background:none}"
    ".ldslearn-card th,.ldslearn-card td{text-align:left;vertical-align:top;border:0;"
    "border-bottom:1px solid var(--line);padding:.15rem .7rem .15rem 0;color:inherit;"
    "white-space:normal;max-width:none}"
    ".ldslearn-card th{font-weight:400;opacity:.75;white-space:nowrap}"
    ".ldslearn-card td{overflow-wrap:anywhere}"
    ".ldslearn-card figure{margin:.3rem 0;max-width:100%}"
    ".ldslearn-card figcaption{opacity:.75;font-size:.92em;width:0;min-width:100%}"
    ".ldslearn-card svg{max-width:100%;height:auto;display:block}"
    ".ldslearn-card svg text{fill:currentColor;font:12px system-ui,sans-serif}"
    ".ldslearn-card svg .tick{fill-opacity:.75;font-size:11px}"
    ".ldslearn-card svg .grid{stroke:var(--line)}"
    ".ldslearn-card svg .axis{stroke:currentColor;stroke-opacity:.6}"
    ".ldslearn-card svg .dots{stroke:currentColor;stroke-width:5;stroke-linecap:round;"
    "stroke-opacity:.8;fill:none}"
    ".ldslearn-card svg .ring{fill:none;stroke:var(--warn);stroke-width:1.4}"
    ".ldslearn-card svg .spread{fill:none;stroke:currentColor}"
)


def format_card(
    title: str, rows: Iterable[tuple[str, str]], drawing: str = "", caption: str = ""
) -> str:
    """Return a title, rows of name and value, and a drawing as HTML that needs nothing else.

    Parameters
    ----------
    title : str
    rows : iterable of (str, str)
        Plain texts; rows without a value are omitted.
    drawing : str
        SVG.
    caption : str
        Plain text below the drawing.
    """
    cells = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(shorten(value, _LONGEST_CELL))}</td></tr>"
        for name, value in rows
        if value
    )
    table = f"<table><tbody>{cells}</tbody></table>" if cells else ""
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    figure = f"<figure>{drawing}{words}</figure>" if drawing else words
    text = (
        f'<div class="ldslearn-card"><style>{_STYLE}</style>'
        f'<div class="head">{escape(shorten(title, _LONGEST_CELL))}</div>'
        f'<div class="body">{table}{figure}</div></div>'
    )
    # Names of files may hold bytes that are no text, which a notebook cannot store.
    return text.encode("utf-8", "replace").decode("utf-8")


def list_first(values: Sequence[object], limit: int = 5) -> str:
    """Return the first values, each shortened: ``a.csv, b.csv and 9,998 more``."""
    first = ", ".join(shorten(str(value), _LONGEST) for value in values[:limit])
    more = len(values) - limit
    return first if more <= 0 else f"{first} and {more:,} more"


def count_nouns(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 system``, ``2,000 systems``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def format_range(low: float, high: float, form: str = ".4g") -> str:
    """Return ``3`` or ``3 to 8``."""
    first, last = format(low, form), format(high, form)
    return first if first == last else f"{first} to {last}"
