"""A sequence and its forecast."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ldslearn.sequences.gaps import interpolate_gaps


def plot_forecast(
    past: NDArray[Any],
    forecast: NDArray[Any],
    ax: Axes,
    *,
    actual: NDArray[Any] | None = None,
    interval: tuple[NDArray[Any], NDArray[Any]] | None = None,
    channels: Any = slice(None),
) -> Axes:
    """Draw channels of a sequence one above the other, continued by a forecast.

    Parameters
    ----------
    past : (n_channels, n_timepoints) array
    forecast : (n_channels, n_forecast) array
    ax : matplotlib.axes.Axes
    actual : (n_channels, n_forecast) array, optional
        True continuation.
    interval : pair of (n_channels, n_forecast) arrays, optional
        Lower and upper ends of the intervals of ``LDS.forecast(..., interval=0.9)``, drawn as a
        band.
    channels : slice, int or sequence of int, default=slice(None)
        Index of the channels to draw; all by default.

    Returns
    -------
    matplotlib.axes.Axes
        `ax`.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from ldslearn import LDSEncoder
    >>> from ldslearn.datasets import load_basic_motions
    >>> from ldslearn.plot import plot_forecast
    >>> X = load_basic_motions()[0]
    >>> past = X[0][:, :80]
    >>> systems = LDSEncoder(6, delays=5).fit_transform([past])
    >>> forecast = systems.forecast([past], 20)[0]
    >>> ax = plot_forecast(past, forecast, Figure().subplots(), actual=X[0][:, 80:], channels=[2])
    >>> ax.get_legend_handles_labels()[1]
    ['past', 'actual', 'forecast']
    """
    rows = np.atleast_1d(np.arange(past.shape[0])[channels])
    now = past.shape[1]
    ahead = np.arange(now - 1, now + forecast.shape[1])
    known = interpolate_gaps(past[rows])  # scale and level; gaps are not drawn
    spacing = 1.1 * float(np.nanmax(np.ptp(known, axis=1))) or 1.0
    for level, row in enumerate(rows):
        offset = -level * spacing - np.nan_to_num(known[level].mean())
        first = level == 0
        ax.plot(past[row] + offset, color="0.25", linewidth=1, label="past" if first else None)
        if actual is not None:
            continued = np.append(past[row, -1], actual[row]) + offset
            ax.plot(ahead, continued, color="0.65", linewidth=1, label="actual" if first else None)
        if interval is not None:
            lower, upper = (np.append(past[row, -1], end[row]) + offset for end in interval)
            label = "interval" if first else None
            ax.fill_between(ahead, lower, upper, color="tab:red", alpha=0.2, lw=0, label=label)
        expected = np.append(past[row, -1], forecast[row]) + offset
        ax.plot(ahead, expected, color="tab:red", label="forecast" if first else None)
    ax.axvline(now - 1, color="0.4", linestyle=":", linewidth=1)
    ax.set(
        xlabel="time point", xlim=(0, now + forecast.shape[1] - 1),
        yticks=[-level * spacing for level in range(len(rows))],
        yticklabels=[f"channel {row}" for row in rows],
    )  # fmt: skip
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        borderaxespad=3.6,  # under the label, whatever the height of the axes
        frameon=False,
        ncols=4,
    )
    return ax
