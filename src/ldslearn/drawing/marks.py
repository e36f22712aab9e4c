"""Elements that drawings share: marks of series, names, a legend, and the SVG element."""

from collections.abc import Callable, Sequence
from html import escape

# Colours that most colour-blind readers can distinguish (Okabe and Ito).
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c8c2c", "#7f7f7f")
SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0",
    "M-4,-4h8v8h-8z",
    "M0,-5l5,9h-10z",
    "M0,-5l5,5l-5,5l-5,-5z",
    "M-5,-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    "M0,5l5,-9h-10z",
)
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2 4 6")
_ROW = 20  # pixels per line of the legend
_FEW = 12  # names that need no columns


def choose_colour(number: int) -> str:
    """Return the colour of a series as CSS. A dark page replaces it by a lighter one."""
    kind = number % len(COLOURS)
    return f"var(--c{kind},{COLOURS[kind]})"


def draw_marker(number: int, x: float, y: float, tip: str = "", size: float = 1.0) -> str:
    """Return the mark of a series at a pixel, with a tooltip."""
    words = f"<title>{escape(tip)}</title>" if tip else ""
    scaled = "" if size == 1 else f" scale({size:g})"
    return (
        f'<path class="mark" d="{SHAPES[number % len(SHAPES)]}" fill="currentColor" '
        f'transform="translate({x:.2f},{y:.2f}){scaled}">{words}</path>'
    )


def format_dash(number: int) -> str:
    """Return the attribute that dashes the line of a series, or nothing."""
    pattern = DASHES[number % len(DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def group_series(number: int, parts: Sequence[str]) -> str:
    """Return a group of the parts of one series, in its colour."""
    return (
        f'<g class="series" data-series="{number}" style="color:{choose_colour(number)}">'
        f"{''.join(parts)}</g>"
    )


def estimate_width(text: str, size: float = 12) -> float:
    """Return the approximate width of a text in pixels, without knowing its font."""
    return sum(0.95 if ord(letter) > 0x2E80 else 0.57 for letter in text) * size


def shorten(text: str, most: int = 48) -> str:
    """Return a text of at most `most` characters. A longer one loses its middle."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    head = most - 1 - tail
    return text[:head].rstrip() + "…" + (text[-tail:].lstrip() if tail else "")


def draw_name(name: str, most: int, attributes: str) -> str:
    """Return a name as SVG text. A shortened one has the whole name as its tooltip."""
    short = shorten(name, most)
    if short == name:
        return f"<text {attributes}>{escape(name)}</text>"
    return f"<text {attributes}>{escape(short)}<title>{escape(name)}</title></text>"


def draw_legend(
    names: Sequence[str],
    width: float,
    top: float,
    sample: Callable[[int, float, float], str] | None = None,
) -> tuple[str, float]:
    """Return the names of series in rows below a drawing, and the height of these rows.

    ``sample(number, x, y)`` draws the sample before a name, 28 pixels wide; by default it is the
    mark of the series. More than twelve names are aligned in columns.
    """
    parts, x, y = [], 8.0, top + 14
    columns = 2 if len(names) > _FEW else 1  # at least, and names must fit them
    most = max(8, int((width - 8 - 60 * columns) / columns / 6.9))
    widths = [34 + estimate_width(shorten(name, most)) + 16 for name in names]
    if len(names) > _FEW:
        widths = [max(widths)] * len(names)
    for number, (name, needed) in enumerate(zip(names, widths, strict=True)):
        if x > 8 and x + needed > width:
            x, y = 8.0, y + _ROW
        drawn = draw_marker(number, x + 22, y - 4) if sample is None else sample(number, x, y - 4)
        words = draw_name(name, most, f'x="{x + 34:.1f}" y="{y}"')
        parts.append(
            f'<g class="key" data-series="{number}" style="color:{choose_colour(number)}">'
            f'<rect x="{x:.1f}" y="{y - 14}" width="{needed - 8:.1f}" height="{_ROW - 1}" '
            f'fill="transparent"/>{drawn}{words}</g>'
        )
        x += needed
    return "".join(parts), (y + 8 - top if names else 0.0)


def format_svg(
    width: float, height: float, parts: Sequence[str], title: str, *, least: float | None = None
) -> str:
    """Return an SVG element of a size in pixels, with a title for screen readers.

    With `least` it is as wide as its container, but at least that wide; the container scrolls.
    """
    fill = "" if least is None else f' class="fill" style="min-width:{least:g}px"'
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}"{fill} role="img" '
        f'aria-label="{escape(title)}">{"".join(parts)}</svg>'
    )
