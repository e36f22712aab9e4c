"""
Encode sequences and forecast
=============================

A system is fitted to the first 80 samples of every BasicMotions test sequence, and forecasts the
next 20. The forecasts are compared with two simple ones: the last value, and the mean. Systems have
the lowest error on average and in three of four classes. Badminton is less regular: there, the mean
is better.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions
from ldslearn.plot import plot_forecast

# %%
# The sequences are recordings of a smart watch with six channels, at 10 samples per second.
# ``delays=8`` stacks eight consecutive samples, so that systems can have more states than channels.
# The stabilizer ``"wls"`` keeps lasting movements, as forecasts need.

_, _, X, y = load_basic_motions()
past, future = X[:, :, :80], X[:, :, 80:]
encoder = LDSEncoder(n_states=10, delays=8, stabilizer="wls")
systems = encoder.fit_transform(past)

# %%
# An error of one is as large as the standard deviation of what is forecast.

forecasts = {
    "system": systems.forecast(past, 20),
    "last value": np.repeat(past[:, :, -1:], 20, axis=2),
    "mean": np.repeat(past.mean(axis=2, keepdims=True), 20, axis=2),
}
spread = future.std(axis=(1, 2))
errors = {
    name: np.sqrt(((forecast - future) ** 2).mean(axis=(1, 2))) / spread
    for name, forecast in forecasts.items()
}
for name, error in errors.items():
    by_class = ", ".join(f"{label} {error[y == label].mean():.2f}" for label in np.unique(y))
    print(f"{name:>10}: relative error {error.mean():.2f} ({by_class})")

# %%
# The forecast of one sequence of the class Walking, first three channels (acceleration).

shown = np.flatnonzero(y == "Walking")[0]
fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
plot_forecast(past[shown], forecasts["system"][shown], ax, actual=future[shown], channels=slice(3))
ax.set_title(
    f"Walking: 80 samples and a forecast of 20, relative error {errors['system'][shown]:.2f}"
)
plt.show()
