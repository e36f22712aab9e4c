"""Diagrams of boxes and arrows of the user guide; ``make.py`` writes them."""

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

FILL, EDGE, TEXT, NOTE = "#eef4fa", "#5b84ad", "#16324f", "#41566b"


def _draw_boxes(size, boxes, arrows, extent):
    """Return a figure of boxes {name: (x, y, width, text)} and arrows (name, name, label)."""
    figure = Figure(figsize=size)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set(xlim=(0, extent[0]), ylim=(0, extent[1]))
    ax.axis("off")
    for x, y, width, text in boxes.values():
        shape = FancyBboxPatch((x, y), width, 0.6, "round,pad=0.06", fc=FILL, ec=EDGE)
        ax.add_patch(shape)
        ax.text(x + width / 2, y + 0.3, text, ha="center", va="center", color=TEXT)
    style = {"arrowstyle": "-|>", "color": EDGE, "lw": 1.4}
    for first, second, label in arrows:
        start = boxes[first][0] + boxes[first][2] + 0.06, boxes[first][1] + 0.3
        end = boxes[second][0] - 0.06, boxes[second][1] + 0.3
        ax.annotate("", end, start, arrowprops=style)
        middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        ground = {"fc": "white", "ec": "none", "pad": 1.5}
        ax.text(*middle, label, ha="center", va="center", color=NOTE, family="monospace",
                bbox=ground)  # fmt: skip
    return figure


def draw_commands():
    """Commands, what they read, and what they write."""
    boxes = {
        "clips": (0.2, 1.5, 1.5, "folder of clips,\narrays or tables"),
        "report": (4.0, 3.5, 1.9, "accuracy,\nreport.html"),
        "model": (4.0, 2.5, 1.9, "model.lds"),
        "labels": (8.0, 2.5, 1.9, "labels.csv"),
        "frames": (4.0, 1.5, 1.9, "new.gif"),
        "store": (4.0, 0.3, 1.9, "store of systems"),
        "dictionary": (6.9, 0.3, 1.0, "dictionary"),
        "codes": (9.0, 0.3, 0.9, "codes"),
    }
    arrows = [
        ("clips", "report", "evaluate"),
        ("clips", "model", "train"),
        ("model", "labels", "predict"),
        ("clips", "frames", "synthesize"),
        ("clips", "store", "encode"),
        ("store", "dictionary", "learn"),
        ("dictionary", "codes", "code"),
    ]
    return _draw_boxes((9, 4), boxes, arrows, (10.2, 4.4))


def draw_terms():
    """The terms of the glossary that name a step or its result."""
    boxes = {
        "collection": (0.2, 1.6, 1.5, "collection\nof sequences"),
        "systems": (3.0, 1.6, 1.4, "systems\n(LDS)"),
        "kernel": (6.0, 2.7, 1.5, "kernel matrix"),
        "label": (8.7, 2.7, 1.3, "label"),
        "dictionary": (6.0, 1.6, 1.5, "dictionary\nof atoms"),
        "code": (8.7, 1.6, 1.3, "code"),
        "centres": (6.0, 0.5, 1.5, "cluster centres"),
        "clusters": (8.7, 0.5, 1.3, "clusters"),
    }
    arrows = [
        ("collection", "systems", "encode"),
        ("systems", "kernel", "compare"),
        ("kernel", "label", "classify"),
        ("systems", "dictionary", "learn"),
        ("dictionary", "code", "code"),
        ("systems", "centres", "cluster"),
        ("centres", "clusters", "assign"),
    ]
    return _draw_boxes((9, 3.2), boxes, arrows, (10.2, 3.7))


def draw_writing():
    """How a file is replaced, and what is there after a kill."""
    boxes = {
        "old": (0.2, 1.4, 1.6, "old file"),
        "beside": (2.8, 1.4, 1.9, "new file beside it,\ntemporary name"),
        "flushed": (5.75, 1.4, 1.3, "new file\non disk"),
        "moved": (8.0, 1.4, 1.9, "new file\nin its place"),
    }
    arrows = [
        ("old", "beside", "write"),
        ("beside", "flushed", "flush"),
        ("flushed", "moved", "move"),
    ]
    figure = _draw_boxes((9, 2.2), boxes, arrows, (10.2, 2.5))
    ax = figure.axes[0]
    for left, right, text in (
        (0.2, 7.5, "killed here: the old file is whole"),
        (7.6, 9.9, "killed here: the new file is whole"),
    ):
        ax.plot([left, right], [0.8, 0.8], color=EDGE, lw=6, solid_capstyle="butt")
        ax.text((left + right) / 2, 0.3, text, ha="center", color=TEXT)
    return figure
