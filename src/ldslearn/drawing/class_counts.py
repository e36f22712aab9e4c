"""How many sequences each class has."""

from collections.abc import Mapping

from ldslearn.drawing.bars import draw_bars
from ldslearn.drawing.marks import shorten

_MOST = 12  # classes of the drawing
_LONGEST = 80  # characters of a tooltip


def draw_class_counts(counts: Mapping[str, int]) -> tuple[str, str]:
    """Return counts as bars, and a caption. Of many classes, the largest are drawn."""
    classes = list(counts)
    caption = "Sequences per class."
    if len(classes) > _MOST:
        classes = sorted(counts, key=lambda name: -counts[name])[:_MOST]
        caption = f"Sequences per class: the {_MOST} largest, and {len(counts) - _MOST:,} more."
    if not classes:
        return "", ""
    most = max(counts[name] for name in classes) or 1
    drawing = draw_bars(
        [counts[name] / most for name in classes],
        [shorten(name, _LONGEST) for name in classes],
        texts=[f"{counts[name]:,}" for name in classes],
        width=320,
        title="Sequences per class",
    )
    return drawing, caption
