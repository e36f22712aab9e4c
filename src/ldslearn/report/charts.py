"""Drawings as SVG text, told apart by shape and number as well as by colour."""

from collections.abc import Sequence
from html import escape

from ldslearn.report.marks import group, legend, marker, shorten, svg, text_width

_LONGEST = 28  # letters of a name beside a drawing


def matrix_chart(counts: Sequence[Sequence[float]], names: Sequence[str]) -> str:
    """Return a table of counts as squares, darker for more, with the number in each."""
    n = len(names)
    side = 34 if n <= 20 else max(10, 680 // n)
    written = [shorten(name, _LONGEST) for name in names]
    left = 12 + max(map(text_width, written)) if n <= 40 else 8
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
                fill = "var(--back)" if share > 0.5 else "var(--text)"
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
        for i, name in enumerate(written):
            down, right = top + (i + 0.5) * side + 4, left + (i + 0.5) * side + 4
            parts.append(
                f'<text x="{left - 6}" y="{down}" text-anchor="end">{escape(name)}</text>'
                f'<text transform="translate({right},{top - 6}) rotate(-90)">{escape(name)}</text>'
            )
    size = left + n * side + 4
    return svg(size, top + n * side + 4, parts, "Confusion matrix")


def map_chart(
    points: Sequence[tuple[float, float]], labels: Sequence[str], names: Sequence[str]
) -> str:
    """Return points of a plane, a shape and colour for each label; hovering tells the name."""
    width, height, margin = 480, 410, 16
    xs, ys = [x for x, _ in points], [y for _, y in points]
    classes = sorted(set(labels))

    def place(value: float, values: list[float], size: int) -> float:
        low, high = min(values), max(values)
        return margin + (size - 2 * margin) * (value - low) / ((high - low) or 1)

    parts = [
        f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" fill="none" class="axis"/>'
    ]
    marks: dict[str, list[str]] = {label: [] for label in classes}
    for (x, y), label, name in zip(points, labels, names, strict=True):
        right, down = place(x, xs, width), place(y, ys, height)
        marks[label].append(marker(classes.index(label), right, down, f"{name}: {label}"))
    parts += [group(number, marks[label]) for number, label in enumerate(classes)]
    keys, below = legend(classes, width, height, lambda number, x, y: marker(number, x + 22, y))
    return svg(width, height + below, [*parts, keys], "Map of sequences")


def bars_chart(values: Sequence[float], names: Sequence[str]) -> str:
    """Return shares as bars with their numbers in per cent."""
    names = [shorten(name, _LONGEST) for name in names]
    left = 14 + max(map(text_width, names))
    width, step = 480, 22
    parts = []
    for i, (value, name) in enumerate(zip(values, names, strict=True)):
        y = 4 + i * step
        length = max(1.0, (width - left - 50) * value)
        parts.append(
            f'<text x="{left - 8:.1f}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{left:.1f}" y="{y}" width="{length:.1f}" height="{step - 5}" rx="2" '
            f'fill="var(--mark)" fill-opacity="0.75"/>'
            f'<text x="{left + length + 6:.1f}" y="{y + 13}">{100 * value:.1f}</text>'
        )
    return svg(width, 8 + step * len(values), parts, "Bars")


def code_chart(
    coefficients: Sequence[float],
    names: Sequence[str],
    tips: Sequence[str],
    filled: Sequence[bool],
) -> str:
    """Return coefficients as bars on both sides of zero, filled or hollow."""
    written = [shorten(name, 20) for name in names]
    width, step, number = 320, 20, 44  # pixels of the drawing, a bar, and its number
    low, high = min([0.0, *coefficients]), max([0.0, *coefficients])
    left = 12 + max((text_width(word) for word in written), default=0.0)
    start = left + (number if low < 0 else 0)
    unit = (width - start - number) / ((high - low) or 1.0)
    zero = start - unit * low
    parts = []
    for i, value in enumerate(coefficients):
        y, length = 4 + i * step, max(1.0, unit * abs(value))
        x = zero if value >= 0 else zero - length
        end, anchor = (x + length + 5, "start") if value >= 0 else (x - 5, "end")
        parts.append(
            f'<g><text x="{left - 8:.1f}" y="{y + 12}" text-anchor="end">{escape(written[i])}'
            f'</text><rect class="{"own" if filled[i] else "other"}" x="{x:.1f}" y="{y}" '
            f'width="{length:.1f}" height="{step - 5}" rx="2"/>'
            f'<text class="tick" x="{end:.1f}" y="{y + 12}" text-anchor="{anchor}">{value:.2f}'
            f"</text><title>{escape(tips[i])}: {value:.3f}</title></g>"
        )
    parts.append(f'<path class="axis" d="M{zero:.1f},0V{step * len(names) + 4}"/>')
    return svg(width, 8 + step * len(names), parts, "Coefficients")
