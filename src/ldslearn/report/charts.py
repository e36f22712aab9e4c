"""Charts of an evaluation as SVG text: confusion matrix, map, codes, waveforms."""

from collections.abc import Sequence
from html import escape

from ldslearn.drawing.marks import (
    choose_colour,
    draw_legend,
    draw_marker,
    draw_name,
    estimate_width,
    format_svg,
    group_series,
    shorten,
)

_LONGEST = 24  # characters of a name beside a drawing
_FEW = 10  # classes whose matrix takes half the width of a page
_MOST_NAMED = 40  # classes of a matrix with names beside it


def draw_confusion_matrix(counts: Sequence[Sequence[float]], names: Sequence[str]) -> str:
    """Return a matrix of counts as squares with numbers, one row per true class.

    It fills its container, which scrolls on a narrow screen if there are many classes.
    """
    n = len(names)
    named = n <= _MOST_NAMED
    left = 12 + max(estimate_width(shorten(name, _LONGEST)) for name in names) if named else 8.0
    width = 400 if n <= _FEW else 940
    side = (width - left - 4) / n
    size = max(9.0, min(22.0, 0.42 * side))  # pixels of the digits
    most = max(max(row) for row in counts) or 1
    fits = max(len(f"{value:g}") for row in counts for value in row) * 0.6 * size <= side - 2
    corner = f"{left:.1f},{left:.1f}"
    parts = [f'<path class="field" d="M{corner}h{n * side:.1f}v{n * side:.1f}h-{n * side:.1f}z"/>']
    for i, row in enumerate(counts):
        for j, value in enumerate(row):
            if not value and i != j:
                continue
            x, y, fraction = left + j * side, left + i * side, value / most
            text = ""
            if fits and value:
                fill = "var(--back)" if fraction > 0.5 else "var(--text)"
                text = (
                    f'<text x="{x + side / 2:.1f}" y="{y + side / 2 + 0.35 * size:.1f}" '
                    f'text-anchor="middle" style="fill:{fill};font-size:{size:.1f}px">'
                    f"{value:g}</text>"
                )
            opacity = max(fraction, 0.14 if value else 0.04)
            parts.append(
                f'<g><rect x="{x:.1f}" y="{y:.1f}" width="{side - 1:.1f}" '
                f'height="{side - 1:.1f}" fill="var(--mark)" fill-opacity="{opacity:.3f}"/>{text}'
                f"<title>{escape(names[i])} predicted as {escape(names[j])}: {value:g}</title></g>"
            )
    for i, name in enumerate(names if named else ()):
        middle = left + (i + 0.5) * side + 4
        parts.append(
            draw_name(name, _LONGEST, f'x="{left - 6:.1f}" y="{middle:.1f}" text-anchor="end"')
            + draw_name(
                name, _LONGEST, f'transform="translate({middle:.1f},{left - 6:.1f}) rotate(-90)"'
            )
        )
    full = left + n * side + 4
    least = min(full, max(260.0, left + 18 * n)) if n <= 60 else 320
    return format_svg(full, full, parts, "Confusion matrix", least=least)


def draw_map(
    points: Sequence[tuple[float, float]], labels: Sequence[str], names: Sequence[str]
) -> str:
    """Return points of a plane, one mark and colour per label, with names as tooltips."""
    width, height, margin = 420, 360, 16
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
        marks[label].append(draw_marker(classes.index(label), right, down, f"{name}: {label}"))
    parts += [group_series(number, marks[label]) for number, label in enumerate(classes)]
    keys, below = draw_legend(classes, width, height)
    return format_svg(width, height + below, [*parts, keys], "Map of sequences")


def draw_code(
    coefficients: Sequence[float],
    names: Sequence[str],
    tips: Sequence[str],
    filled: Sequence[bool],
) -> str:
    """Return coefficients as bars on both sides of zero, filled or hollow."""
    written = [shorten(name, 20) for name in names]
    width, step, number = 320, 20, 44  # pixels: the drawing, one bar, its number
    low, high = min([0.0, *coefficients]), max([0.0, *coefficients])
    left = 12 + max((estimate_width(word) for word in written), default=0.0)
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
    return format_svg(width, 8 + step * len(names), parts, "Coefficients")


def draw_channels(
    times: Sequence[float], channels: Sequence[Sequence[float]], n_timepoints: int
) -> str:
    """Return the channels of a sequence as thin lines over time."""
    width, height, bottom = 320.0, 120.0, 104.0
    values = [value for channel in channels for value in channel]
    low, high = min(values), max(values)
    last = max(n_timepoints - 1, 1)
    parts = [f'<path class="axis" d="M4,{bottom + 2:g}H{width - 4:g}"/>']
    for index, channel in enumerate(channels):
        points = " ".join(
            f"{4 + (width - 8) * time / last:.1f},"
            f"{bottom - (bottom - 6) * (value - low) / ((high - low) or 1.0):.1f}"
            for time, value in zip(times, channel, strict=True)
        )
        parts.append(
            f'<polyline class="wave" points="{points}" style="color:{choose_colour(index)}"/>'
        )
    for x, word, anchor in ((4.0, "0", "start"), (width - 4, str(last), "end")):
        parts.append(
            f'<text class="tick" x="{x:g}" y="{height - 3:g}" text-anchor="{anchor}">{word}</text>'
        )
    return format_svg(width, height, parts, "Waveform", least=200)
