"""
Read tables with times, channel names and rates
===============================================

Loggers write tables with a time in each row. ``load_folder`` recognises the time column, keeps the
names of the channels and computes the sampling rate. Recordings of different rates must be
resampled to one rate: the same movement at 25 and at 50 Hz gives different systems.
"""

import tempfile
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder
from ldslearn.datasets import load_folder
from ldslearn.plot import plot_eigenvalues

# %%
# Six recordings of the same movement are written as CSV files: an oscillation of 2 Hz in three
# channels. Three loggers record at 25 Hz, three at 50 Hz.

folder = tempfile.TemporaryDirectory()
random = np.random.default_rng(0)
for number, rate in enumerate([25, 25, 25, 50, 50, 50]):
    time = np.arange(8 * rate) / rate
    angle = 2 * np.pi * 2 * time + np.array([[0], [1], [2]]) + random.uniform(0, 6)
    values = np.sin(angle) + 0.1 * random.standard_normal((3, len(time)))
    table = np.column_stack([time, values.T])
    path = Path(folder.name) / f"{number}.csv"
    np.savetxt(path, table, "%.4f", delimiter=",", header="time,ax,ay,az", comments="")

# %%
# Different rates raise a warning. ``rate=25`` resamples all recordings.

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    mixed = load_folder(folder.name)
same = load_folder(folder.name, rate=25)
folder.cleanup()
print(f"channels {', '.join(mixed.channel_names)}; rates {mixed.rates}")
print(f"warning: {caught[0].message}")

# %%
# Eigenvalues of the six systems. Left: the angle of the eigenvalues of a movement of 2 Hz is
# 2 pi 2 / 25 at 25 Hz and half as large at 50 Hz. Right: after resampling, the systems agree.

fig, axes = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained", sharey=True)
titles = ["as recorded", "resampled to 25 Hz"]
for ax, data, title in zip(axes, (mixed, same), titles, strict=True):
    systems = LDSEncoder(n_states=2, stabilizer="clip").fit_transform(data.X)
    for rate, color, size in ((25, "C0", 60), (50, "C1", 20)):
        chosen = mixed.rates.round() == rate
        plot_eigenvalues(systems[chosen], ax, color=color, s=size, label=f"recorded at {rate} Hz")
    ax.set(title=title, ylim=(-1.1, 1.5))
    ax.label_outer()
plt.show()
