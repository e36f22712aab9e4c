"""A sequence and its forecast."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray


def plot_forecast(
    past: NDArray[Any],
    forecast: NDArray[Any],
    ax: Axes,
    *,
    actual: NDArray[Any] | None = None,
    channels: Any = slice(None),
) -> Axes:
    """Draw channels of a sequence one above the other, continued by a forecast.

    Parameters
    ----------
    past : (n_channels, n_timepoints) array
    forecast : (n_channels, n_forecast) array
    ax : matplotlib Axes
    actual : (n_channels, n_forecast) array, optional
        True continuation.
    channels : index of the channels to draw, all by default
    """
    rows = np.atleast_1d(np.arange(past.shape[0])[channels])
    now = past.shape[1]
    ahead = np.arange(now - 1, now + forecast.shape[1])
    spacing = 1.1 * float(np.ptp(past[rows], axis=1).max()) or 1.0
    for level, row in enumerate(rows):
        offset = -level * spacing - past[row].mean()
        first = level == 0
        ax.plot(past[row] + offset, color="0.25", linewidth=1, label="past" if first else None)
        if actual is not None:
            continued = np.append(past[row, -1], actual[row]) + offset
            ax.plot(ahead, continued, color="0.65", linewidth=1, label="actual" if first else None)
        expected = np.append(past[row, -1], forecast[row]) + offset
        ax.plot(ahead, expected, color="tab:red", label="forecast" if first else None)
    ax.axvline(now - 1, color="0.4", linestyle=":", linewidth=1)
    ax.set(
        xlabel="timepoint", xlim=(0, now + forecast.shape[1] - 1),
        yticks=[-level * spacing for level in range(len(rows))],
        yticklabels=[f"channel {row}" for row in rows],
    )  # fmt: skip
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), frameon=False, ncols=3)
    return ax
