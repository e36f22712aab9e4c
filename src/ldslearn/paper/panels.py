"""Panels of a figure as plain values, which a page, a terminal or matplotlib draws."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Panel = dict[str, Any]


def make_lines(
    title: str,
    x_label: str,
    y_label: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]]]],
    *,
    percent: bool = False,
    log: bool = False,
) -> Panel:
    """Return curves: per name its x, and per x the values of all rounds."""
    return {
        "panel": "lines",
        "title": title,
        "x_label": x_label,
        "y_label": y_label,
        "percent": percent,
        "log": log,
        "series": [
            {
                "name": name,
                "x": [float(value) for value in x],
                "y": [float(np.mean(values)) for values in y],
                "spread": [float(np.std(values)) for values in y],
            }
            for name, (x, y) in series.items()
        ],
    }


def make_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> Panel:
    """Return a table of text."""
    return {
        "panel": "table",
        "title": title,
        "columns": list(columns),
        "rows": [list(row) for row in rows],
        "note": note,
    }


def make_eigenvalues(title: str, groups: dict[str, Any]) -> Panel:
    """Return points of the complex plane: per name, real and imaginary parts."""
    return {"panel": "eigenvalues", "title": title, "groups": groups}


def make_images(
    title: str, rows: Sequence[Any], frame_shape: Sequence[int], note: str = ""
) -> Panel:
    """Return rows of images, pixels from -127 to 127."""
    return {
        "panel": "images",
        "title": title,
        "rows": list(rows),
        "frame_shape": list(frame_shape),
        "note": note,
    }


def make_movies(
    title: str, films: Sequence[Any], frame_shape: Sequence[int], note: str = ""
) -> Panel:
    """Return short films, each (n_frames, n_pixels) from -127 to 127."""
    return {
        "panel": "movies",
        "title": title,
        "films": list(films),
        "frame_shape": list(frame_shape),
        "note": note,
    }


def format_percent(values: Sequence[float]) -> str:
    """Return accuracies as "96.3 ± 2.6", "96.3" of one round, or "" of none."""
    if not values:
        return ""
    spread = f" ± {100 * np.std(values):.1f}" if len(values) > 1 else ""
    return f"{100 * np.mean(values):.1f}{spread}"
