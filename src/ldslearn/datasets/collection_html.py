"""What a console and a notebook show of a collection."""

from typing import Any

import numpy as np

from ldslearn.datasets.rates import describe_rates
from ldslearn.drawing.card import count_nouns, format_card, format_range, list_first
from ldslearn.drawing.class_counts import draw_class_counts


def render_collection(data: Any) -> str:
    """Return sizes, labels, splits and names of a :class:`Collection` as HTML."""
    lengths = [x.shape[1] for x in data.X]
    times = format_range(min(lengths), max(lengths), ",d")
    if min(lengths) < max(lengths):
        times += f", median {np.median(lengths):,.0f}"
    counts = _count(data.y)
    rows = [
        ("channels", _describe_channels(data)),
        ("frames", "" if data.frame_shape is None else " x ".join(map(str, data.frame_shape))),
        ("time points", times),
        ("rate", describe_rates(data.rates)),
        ("labels", count_nouns(len(counts), "class", "classes") if counts else "none"),
        ("split", list_first([f"{name} {count:,}" for name, count in _count(data.split).items()])),
        ("trials", "" if data.trials is None else f"{data.trials.shape[1]:,}"),
        ("groups", _describe_groups(_count(data.groups))),
        ("names", list_first(data.names, 3)),
        ("skipped", _describe_skipped(data.skipped)),
        ("notes", list_first(data.notes, 3)),
    ]
    return format_card(
        f"Collection: {count_nouns(len(data), 'sequence')}", rows, *draw_class_counts(counts)
    )


def describe_collection(data: Any) -> str:
    """Return the `repr` of a :class:`Collection`."""
    lengths = [x.shape[1] for x in data.X]
    classes = len(_count(data.y))
    parts = [
        count_nouns(len(data), "sequence"),
        f"n_channels={len(data.X[0])}",
        f"n_timepoints={format_range(min(lengths), max(lengths), 'd')}",
        count_nouns(classes, "class", "classes") if classes else "no labels",
    ]
    given = [
        name
        for name in ("split", "groups", "frame_shape", "rates", "trials")
        if getattr(data, name) is not None
    ]
    parts += [f"with {', '.join(given)}"] if given else []
    parts += [f"{len(data.skipped)} skipped"] if data.skipped else []
    return f"Collection({', '.join(parts)})"


def _count(texts: Any) -> dict[str, int]:
    """Return how often each text occurs, sorted by text."""
    if texts is None:
        return {}
    found, counts = np.unique(texts, return_counts=True)
    return dict(zip(map(str, found), counts.tolist(), strict=True))


def _describe_channels(data: Any) -> str:
    names = "" if data.channel_names is None else f": {list_first(data.channel_names)}"
    return f"{len(data.X[0]):,}{names}"


def _describe_groups(groups: dict[str, int]) -> str:
    return f"{len(groups):,}: {list_first(list(groups), 4)}" if groups else ""


def _describe_skipped(skipped: tuple[tuple[str, str], ...]) -> str:
    if not skipped:
        return ""
    return f"{len(skipped):,}: {list_first([name for name, _ in skipped], 3)}"
