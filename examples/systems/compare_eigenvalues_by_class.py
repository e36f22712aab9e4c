"""
Compare the eigenvalues of classes
==================================

The eigenvalues of a system describe its movements: the modulus says how slowly a movement decays,
and the angle gives its frequency. Four activities recorded by a smart watch differ in both. Angles
become frequencies in Hz if the sampling rate is known.
"""

# sphinx_gallery_thumbnail_number = 2

import matplotlib.pyplot as plt
import numpy as np

from ldslearn import LDSEncoder
from ldslearn.datasets import load_basic_motions
from ldslearn.plot import plot_eigenvalues

RATE = 10  # samples per second of BasicMotions

# %%
# ``stabilizer="clip"`` changes only eigenvalues whose modulus is above ``bound``, 0.99 by default.
# The others stay as fitted.

X, y, _, _ = load_basic_motions()
systems = LDSEncoder(n_states=10, delays=8, stabilizer="clip").fit_transform(X)
classes = np.unique(y)

fig, axes = plt.subplots(1, 4, figsize=(12, 3.6), layout="constrained", sharey=True)
for number, (ax, label) in enumerate(zip(axes, classes, strict=True)):
    plot_eigenvalues(systems[y == label], ax, color=f"C{number}")
    ax.set_title(label)
    ax.label_outer()

# %%
# Only movements that last are of interest here: those with a modulus of at least 0.9. Their
# frequency is the angle of the eigenvalue times the rate, divided by 2 pi. Running has strides near
# 1.1 Hz, Walking near 0.7 Hz. A stride is two steps, so steps have twice the frequency, and both
# frequencies are found. The other activities are less regular.

eigenvalues = np.linalg.eigvals(systems.A)
frequency = np.abs(np.angle(eigenvalues)) * RATE / (2 * np.pi)
lasting = (np.abs(eigenvalues) >= 0.9) & (eigenvalues.imag > 0)
fig, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
for number, label in enumerate(classes):
    found = frequency[y == label][lasting[y == label]]
    print(f"{label:>9}: {len(found):2} lasting oscillations, median {np.median(found):.1f} Hz")
    heights = number + np.linspace(-0.25, 0.25, len(found))  # apart, so that all can be seen
    ax.plot(found, heights, "o", color=f"C{number}", markersize=5, alpha=0.7)
ax.set_yticks(np.arange(len(classes)), classes)
ax.set(xlabel="frequency (Hz)", xlim=(0, RATE / 2))
ax.invert_yaxis()
ax.grid(axis="x", alpha=0.4)
ax.set_title("oscillations with a modulus of at least 0.9, one dot per pair of eigenvalues")
plt.show()
