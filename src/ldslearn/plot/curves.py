"""Curves with error bars, as in the figures of the paper."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ldslearn import _errors

_MARKERS = "os^Dv*P"
_DASHES = ("-", "--", "-.", ":")


def plot_lines(panel: Mapping[str, Any], ax: Axes, **style: Any) -> Axes:
    """Draw a panel of curves of :func:`ldslearn.paper.reproduce`.

    Curves differ in marker and line style as well as in colour.

    Parameters
    ----------
    panel : mapping
        ``series`` (of name, x, y, spread), ``x_label``, ``y_label``, ``title``; ``percent`` draws
        fractions as per cent, ``log`` a logarithmic axis.
    ax : matplotlib.axes.Axes
    **style : dict
        Passed to ``ax.errorbar``.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn.plot import plot_lines
    >>> series = [{"name": "LDS-SC-Grass", "x": [5, 10, 20], "y": [0.7, 0.8, 0.9]}]
    >>> panel = {"series": series, "x_label": "states", "y_label": "accuracy", "title": "Gestures"}
    >>> ax = plot_lines({**panel, "percent": True}, Figure().subplots())
    >>> ax.get_lines()[0].get_ydata().round(1).tolist()
    [70.0, 80.0, 90.0]
    """
    if "series" not in panel:
        raise _errors.invalid("panel", "be of lines", panel.get("panel", "none"), "")
    factor = 100 if panel.get("percent") else 1
    for number, one in enumerate(panel["series"]):
        spread = one.get("spread")
        options = {
            "label": one["name"],
            "marker": _MARKERS[number % len(_MARKERS)],
            "linestyle": _DASHES[number % len(_DASHES)],
            "capsize": 2,
            **style,
        }
        y = factor * np.asarray(one["y"], dtype=float)
        error = None if spread is None else factor * np.asarray(spread, dtype=float)
        ax.errorbar(one["x"], y, error, **options)
    ax.set(xlabel=panel["x_label"], ylabel=panel["y_label"], title=panel["title"])
    if panel.get("log"):
        ax.set_yscale("log")
    ax.legend(frameon=False)
    return ax
