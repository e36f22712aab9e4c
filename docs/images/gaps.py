"""The picture of missing samples of the user guide; ``make.py`` writes it."""

import numpy as np
from matplotlib.figure import Figure

from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions
from ldslearn.plot import plot_forecast

BLUE, ORANGE, GREY = "#2f6db0", "#d9742b", "#8a97a5"


def draw_missing():
    """A sequence with gaps, its filled samples, and a forecast with its band."""
    _, _, X, y = load_basic_motions()
    x = X[y == "Walking"][2]
    random = np.random.default_rng(0)
    gaps = np.where(random.random(x.shape) < 0.4, np.nan, x)
    gaps[0, 30:38] = np.nan
    past, future = gaps[:, :80], x[:, 80:]
    encoder = LDSEncoder(8, n_noise=8, delays=5, stabilizer="wls", missing="smooth")
    system = encoder.fit_transform([past])
    (filled,), (deviations,) = system.impute([past], return_deviations=True)
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    channel, missing = 0, np.flatnonzero(np.isnan(past[0]))
    left.plot(x[channel, :80], color="0.8", label="actual")
    left.plot(past[channel], "o", color=BLUE, markersize=3, label="observed")
    left.errorbar(
        missing, filled[channel, missing], 1.645 * deviations[channel, missing], fmt="o",
        color=ORANGE, markersize=3, elinewidth=1, label="filled, 90 %",
    )  # fmt: skip
    left.set(xlabel="time point")
    left.legend(fontsize="small", loc="upper right")
    expected, lower, upper = system.forecast([past], 20, interval=0.9)
    plot_forecast(
        past, expected[0], right, actual=future, interval=(lower[0], upper[0]), channels=[0, 1]
    )
    right.set(xlabel="")
    return figure
