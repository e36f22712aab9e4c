"""
Fit sequences with missing samples
==================================

Half of the samples of BasicMotions are removed at random. Systems are fitted to the samples that
are left, the gaps are filled, and both are compared with linear interpolation.
"""

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions
from ldslearn.models import LDSImputer

# %%
# A missing sample is NaN. ``missing="smooth"`` takes it as a gap.

X, y, _, _ = load_basic_motions()
random = np.random.default_rng(0)
gaps = [np.where(random.random(x.shape) < 0.5, np.nan, x) for x in X]
systems = LDSEncoder(n_states=6, delays=4, missing="smooth").fit_transform(gaps)
print(systems)

# %%
# ``LDSImputer`` fills the gaps. An error of one is as large as the standard deviation of a channel.


def interpolate(row):
    """Return one channel without gaps."""
    known = np.flatnonzero(~np.isnan(row))
    return np.interp(np.arange(len(row)), known, row[known])


fillings = {
    "LDSImputer": LDSImputer().fit_transform(gaps),
    "interpolation": [np.stack([interpolate(row) for row in x]) for x in gaps],
}
errors = {
    name: [
        np.sqrt(np.mean(((one - x) / x.std(axis=1, keepdims=True))[np.isnan(gap)] ** 2))
        for one, x, gap in zip(filled, X, gaps, strict=True)
    ]
    for name, filled in fillings.items()
}
for name, values in errors.items():
    print(f"{name:<14} {np.mean(values):.2f}")

# %%
# Each point is one sequence. Below the line, the system is better.

figure, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
for label in np.unique(y):
    chosen = y == label
    ax.scatter(
        np.array(errors["interpolation"])[chosen], np.array(errors["LDSImputer"])[chosen],
        s=18, label=label,
    )  # fmt: skip
limits = (0, 1.1 * max(max(values) for values in errors.values()))
ax.plot(limits, limits, color="0.6", linewidth=1)
ax.set(
    xlim=limits, ylim=limits, xlabel="error of linear interpolation", ylabel="error of LDSImputer"
)
ax.legend(frameon=False)
plt.show()
