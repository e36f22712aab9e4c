"""Drawings as SVG text, told apart by shape and number as well as by colour."""

from collections.abc import Sequence
from html import escape
from math import ceil

# Colours that most colour-blind readers tell apart (Okabe and Ito), and shapes for everybody.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c8c2c", "#7f7f7f")
_SHAPES = (
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0",
    "M-4,-4h8v8h-8z",
    "M0,-5l5,9h-10z",
    "M0,-5l5,5l-5,5l-5,-5z",
    "M-5,-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    "M0,5l5,-9h-10z",
)


def matrix_chart(counts: Sequence[Sequence[float]], names: Sequence[str]) -> str:
    """Return a table of counts as squares, darker for more, with the number in each."""
    n = len(names)
    side = 34 if n <= 20 else max(10, 680 // n)
    left = 8 + 7 * max(map(len, names)) if n <= 40 else 8
    top = left
    most = max(max(row) for row in counts) or 1
    parts = []
    for i, row in enumerate(counts):
        for j, value in enumerate(row):
            if not value and i != j:
                continue
            x, y, share = left + j * side, top + i * side, value / most
            text = ""
            if side >= 24 and value:
                fill = "#fff" if share > 0.5 else "var(--text)"
                text = (
                    f'<text x="{x + side / 2}" y="{y + side / 2 + 4}" text-anchor="middle" '
                    f'style="fill:{fill}">{value:g}</text>'
                )
            parts.append(
                f'<g><rect x="{x}" y="{y}" width="{side - 1}" height="{side - 1}" '
                f'fill="var(--mark)" fill-opacity="{max(share, 0.04):.3f}"/>{text}'
                f"<title>{escape(names[i])} as {escape(names[j])}: {value:g}</title></g>"
            )
    if n <= 40:
        for i, name in enumerate(names):
            down, right = top + (i + 0.5) * side + 4, left + (i + 0.5) * side + 4
            parts.append(
                f'<text x="{left - 6}" y="{down}" text-anchor="end">{escape(name)}</text>'
                f'<text transform="translate({right},{top - 6}) rotate(-90)">{escape(name)}</text>'
            )
    size = left + n * side + 4
    return _svg(size, top + n * side + 4, parts, "Confusion matrix")


def map_chart(
    points: Sequence[tuple[float, float]], labels: Sequence[str], names: Sequence[str]
) -> str:
    """Return points of a plane, a shape and colour for each label; hovering tells the name."""
    width, height, margin = 640, 440, 16
    xs, ys = [x for x, _ in points], [y for _, y in points]
    classes = sorted(set(labels))

    def place(value: float, values: list[float], size: int) -> float:
        low, high = min(values), max(values)
        return margin + (size - 2 * margin) * (value - low) / ((high - low) or 1)

    parts = [
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" fill="none" class="axis"/>'
    ]
    for (x, y), label, name in zip(points, labels, names, strict=True):
        number = classes.index(label)
        parts.append(
            f'<path d="{_SHAPES[number % len(_SHAPES)]}" fill="{COLOURS[number % len(COLOURS)]}" '
            f'transform="translate({place(x, xs, width):.1f},{place(y, ys, height):.1f})">'
            f"<title>{escape(name)}: {escape(label)}</title></path>"
        )
    per_row = max(1, width // (30 + 8 * max(map(len, classes))))
    for number, name in enumerate(classes):
        x = 12 + (number % per_row) * (width / per_row)
        y = height + 20 + 20 * (number // per_row)
        parts.append(
            f'<path d="{_SHAPES[number % len(_SHAPES)]}" fill="{COLOURS[number % len(COLOURS)]}" '
            f'transform="translate({x},{y - 4})"/><text x="{x + 10}" y="{y}">{escape(name)}</text>'
        )
    return _svg(width, height + 14 + 20 * ceil(len(classes) / per_row), parts, "Map of sequences")


def bars_chart(values: Sequence[float], names: Sequence[str], low: float = 0.0) -> str:
    """Return shares from `low` to 1 as bars with their numbers."""
    left = 12 + 7 * max(map(len, names))
    width, step = 640, 22
    parts = []
    for i, (value, name) in enumerate(zip(values, names, strict=True)):
        y = 4 + i * step
        length = max(1.0, (width - left - 60) * (value - low) / (1 - low))
        parts.append(
            f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{step - 5}" '
            f'fill="var(--mark)" fill-opacity="0.75"/>'
            f'<text x="{left + length + 6:.1f}" y="{y + 13}">{100 * value:.1f}</text>'
        )
    return _svg(width, 8 + step * len(values), parts, "Bars")


def _svg(width: float, height: float, parts: Sequence[str], what: str) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(what)}">{"".join(parts)}</svg>'
    )
