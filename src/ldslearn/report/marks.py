"""What drawings share: colours, shapes and dashes of series, a legend, and the frame of an SVG."""

from collections.abc import Callable, Sequence
from html import escape

# Colours that most colour-blind readers tell apart (Okabe and Ito), and shapes for everybody.
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
_LONGEST_HEADING = 24  # letters of a class in the heading of a card


def colour(number: int) -> str:
    """Return the colour of a series as CSS: the page may lighten it where it is dark."""
    kind = number % len(COLOURS)
    return f"var(--c{kind},{COLOURS[kind]})"


def marker(number: int, x: float, y: float, tip: str = "", size: float = 1.0) -> str:
    """Return the shape of a series at a place, with words for those who point at it."""
    words = f"<title>{escape(tip)}</title>" if tip else ""
    scaled = "" if size == 1 else f" scale({size:g})"
    return (
        f'<path class="mark" d="{SHAPES[number % len(SHAPES)]}" fill="currentColor" '
        f'transform="translate({x:.2f},{y:.2f}){scaled}">{words}</path>'
    )


def dash(number: int) -> str:
    """Return the attribute that dashes the line of a series, if any."""
    pattern = DASHES[number % len(DASHES)]
    return f' stroke-dasharray="{pattern}"' if pattern else ""


def group(number: int, parts: Sequence[str]) -> str:
    """Return everything that belongs to one series, in its colour."""
    return (
        f'<g class="series" data-series="{number}" style="color:{colour(number)}">'
        f"{''.join(parts)}</g>"
    )


def text_width(text: str, size: float = 12) -> float:
    """Return about how wide a text is: there is no font to ask."""
    return sum(0.95 if ord(letter) > 0x2E80 else 0.57 for letter in text) * size


def shorten(text: str, most: int = 48) -> str:
    """Return a text of `most` letters at most; of a longer one the middle is left out."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    head = most - 1 - tail
    return text[:head].rstrip() + "…" + (text[-tail:].lstrip() if tail else "")


def name_text(name: str, most: int, attributes: str) -> str:
    """Return a name as SVG text; one that had to be shortened tells the whole when pointed at."""
    short = shorten(name, most)
    if short == name:
        return f"<text {attributes}>{escape(name)}</text>"
    return f"<text {attributes}>{escape(short)}<title>{escape(name)}</title></text>"


def verdict(label: str, predicted: str, note: str = "") -> str:
    """Return the heading of a card: the true class, and another prediction below it, in HTML."""
    if label == predicted:
        return f'<div class="right">✓ {_class_name(label)}</div>'
    return (
        f'<div class="wrong">✗ {_class_name(label)}</div>'
        f'<div class="faint">predicted {_class_name(predicted)}{escape(note)}</div>'
    )


def _class_name(name: str) -> str:
    return f'<span title="{escape(name)}">{escape(shorten(name, _LONGEST_HEADING))}</span>'


def legend(
    names: Sequence[str], width: float, top: float, sample: Callable[[int, float, float], str]
) -> tuple[str, float]:
    """Return the names of series in rows below a drawing, and the height that they take.

    ``sample(number, x, y)`` draws what stands before a name, 28 pixels wide. Many names are put in
    columns.
    """
    parts, x, y = [], 8.0, top + 14
    columns = 2 if len(names) > _FEW else 1  # at least, and names must fit them
    most = max(8, int((width - 8 - 60 * columns) / columns / 6.9))
    widths = [34 + text_width(shorten(name, most)) + 16 for name in names]
    if len(names) > _FEW:
        widths = [max(widths)] * len(names)
    for number, (name, needed) in enumerate(zip(names, widths, strict=True)):
        if x > 8 and x + needed > width:
            x, y = 8.0, y + _ROW
        words = name_text(name, most, f'x="{x + 34:.1f}" y="{y}"')
        parts.append(
            f'<g class="key" data-series="{number}" style="color:{colour(number)}">'
            f'<rect x="{x:.1f}" y="{y - 14}" width="{needed - 8:.1f}" height="{_ROW - 1}" '
            f'fill="transparent"/>{sample(number, x, y - 4)}{words}</g>'
        )
        x += needed
    return "".join(parts), (y + 8 - top if names else 0.0)


def svg(
    width: float, height: float, parts: Sequence[str], what: str, *, least: float | None = None
) -> str:
    """Return a drawing of a size, in pixels, and its name for those who cannot see it.

    With `least` it is as wide as its place on the page, but not narrower than that: the place
    scrolls.
    """
    fill = "" if least is None else f' class="fill" style="min-width:{least:g}px"'
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}"{fill} role="img" '
        f'aria-label="{escape(what)}">{"".join(parts)}</svg>'
    )
